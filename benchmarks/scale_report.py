"""Results of scale.py as Markdown."""

from collections.abc import Iterator
from typing import Any

from report import Target, number, ratio, table, told

Found = dict[str, Any]
MIB = 1 << 20
LIMIT = 1024  # MiB


def ns(found: Found, millions: str, way: str, unit: str = "seconds") -> float | None:
    """Nanoseconds a row."""
    taken = found["sizes"].get(millions, {}).get("ways", {}).get(way)
    return None if taken is None else 1e9 * taken[unit] / (int(millions) * 1_000_000)


def targets(found: Found) -> Iterator[Target]:
    """What was to be reached."""
    for millions in ("10", "50"):
        own = ns(found, millions, "racl")
        where = f"{millions} million rows"
        for way in ("PyArrow, rows alone", "PyArrow, rows and decisions"):
            yield Target(f"racl against {way}, {where}", ratio(own, ns(found, millions, way)), 1.3, "times")
        for way in ("DuckDB", "Polars"):
            figure = ratio(ns(found, millions, way), own)
            yield Target(f"{way} against racl, {where}", figure, 3, "times", at_most=False)
    peaks = [one["ways"]["racl"]["peak"] / MIB for one in found["sizes"].values()]
    yield Target("highest memory of racl, any size", max(peaks, default=None), LIMIT, "MiB")
    yield Target(
        "rows decided in one run, millions",
        max(map(float, found["sizes"]), default=None),
        100,
        "",
        at_most=False,
    )
    first, last = ns(found, "1", "racl"), ns(found, "100", "racl")
    yield Target("time a row at 100 million against 1 million", ratio(last, first), 1.3, "times")
    fit = found.get("fit")
    what = f"highest memory of a fit of {fit['rows']:,} rows" if fit else "highest memory of a fit"
    yield Target(what, fit and fit["peak"] / MIB, LIMIT, "MiB")


def times(found: Found) -> str:
    """Every way at every size."""
    sizes = sorted(found["sizes"], key=int)
    ways = list(dict.fromkeys(way for size in sizes for way in found["sizes"][size]["ways"]))
    head = ["ns a row by the clock / of the processors / highest MiB", *(f"{size} million" for size in sizes)]

    def cell(size: str, way: str) -> str:
        taken = found["sizes"][size]["ways"].get(way)
        if taken is None:
            return ""
        clock, cpu = (number(ns(found, size, way, unit) or 0.0) for unit in ("seconds", "cpu"))
        return f"{clock} / {cpu} / {number(taken['peak'] / MIB)}"

    return table(head, [[way, *(cell(size, way) for size in sizes)] for way in ways])


def bound(found: Found) -> Iterator[str]:
    """What keeps engines that decode and write every column from being left further behind."""
    for millions in ("10", "50"):
        ways = ("racl", "Polars", "Polars, rows alone")
        own, whole, alone = (ns(found, millions, way, "cpu") for way in ways)
        if own and whole and alone:
            yield (
                f"At {millions} million rows Polars needs {number(alone)} ns of the processors a row to read and write without"
                f" deciding, {number(whole)} with; racl needs {number(own)} in all, which is {number(own / alone)} times the"
                " former. What is left of it is mostly reading the columns that decide and compressing six new ones, which no"
                " engine is spared."
            )


def markdown(found: Found) -> str:
    """The whole page."""
    reached = table(["to be reached", "", "measured", ""], [target.cells for target in targets(found)])
    parts = [told(found), reached, times(found), *bound(found)]
    if fit := found.get("fit"):
        told_fit = f"{fit['seconds']:,.0f} s by the clock, {fit['cpu']:,.0f} s of the processors"
        rows, when = f"{fit['rows']:,} rows of `benchmarks/market`", fit["date"]
        parts.append(f"A fit of {rows} (latent, certified), measured {when}: {told_fit}.")
    return "\n\n".join(parts) + "\n"
