"""Results as Markdown: nanoseconds a row, ratios to the kernel, and what was to be reached."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Results = dict[str, Any]  # as decide.py collects them and writes them to a file

KERNEL = "racl kernel"
FLOORS = ("floor, outputs reused", "floor, new outputs")
RIVALS = {"Polars, streaming": 10, "LightGBM": 300, "scikit-learn": 300, "XGBoost": 100}
FIGURES = {
    ("one_row", "median"): ("`decide_one`, median", 1, "µs"),
    ("one_row", "p99"): ("`decide_one`, 99 of 100 within", 1, "µs"),
    ("import", ""): ("`import racl`", 1000, "ms"),
    ("ready", "python"): ("second process: Python itself", 1000, "ms"),
    ("ready", "import"): ("second process: `import racl`", 1000, "ms"),
    ("ready", "model"): ("second process: reading the model", 1000, "ms"),
    ("ready", "rows"): ("second process: reading 200,000 rows", 1000, "ms"),
    ("ready", "decide"): ("second process: deciding them, kernel from the cache", 1000, "ms"),
    ("ready", "total"): ("second process: all of it", 1000, "ms"),
    ("ready", "compiling"): ("first process, which compiles the kernel: all of it", 1000, "ms"),
    ("memory", "data"): ("memory: bytes of rows and decisions", 1e-6, "MB"),
    ("memory", "before"): ("memory: the process before it has rows", 1e-6, "MB"),
    ("memory", "peak"): ("memory: the process at its highest", 1e-6, "MB"),
    ("options_a_row", "admissible"): ("admissible repairs that trees score for a row", 1, ""),
    ("plans", "kernel_one"): ("three-step plans: kernel, one thread", 1, "µs a row"),
    ("plans", "kernel_all"): ("three-step plans: kernel, all threads", 1, "µs a row"),
    ("plans", "cp_sat"): ("three-step plans: CP-SAT, building and solving", 1, "µs a row"),
    ("plans", "cp_sat_solving"): ("three-step plans: CP-SAT, solving alone", 1, "µs a row"),
    ("plans", "equal_values"): ("three-step plans: rows with equal values", 1, "rows"),
}


@dataclass(frozen=True, slots=True)
class Target:
    """A figure that was to be reached."""

    what: str
    figure: float | None  # nothing where it was not measured
    limit: float
    unit: str
    at_most: bool = True

    @property
    def verdict(self) -> str:
        """Whether it was."""
        if self.figure is None:
            return "not measured"
        reached = self.figure <= self.limit if self.at_most else self.figure >= self.limit
        return "reached" if reached else "short"

    @property
    def cells(self) -> list[str]:
        """A row of the table."""
        bound = f"{'at most' if self.at_most else 'at least'} {self.limit:g} {self.unit}"
        figure = "" if self.figure is None else f"{number(self.figure)} {self.unit}"
        return [self.what, bound, figure, self.verdict]


def number(value: float) -> str:
    """Three figures, thousands parted."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def ratio(top: float | None, bottom: float | None) -> float | None:
    """How many times one is the other."""
    return top / bottom if top and bottom else None


def sizes(results: Results) -> list[int]:
    """The numbers of rows, rising."""
    return sorted(map(int, results["timings"]))


def taken(results: Results, size: int) -> dict[tuple[str, int], float]:
    """Nanoseconds a row by name and threads."""
    return {(one["name"], one["threads"]): one["ns"] for one in results["timings"].get(str(size), [])}


def targets(results: Results) -> list[Target]:
    """What was to be reached."""
    return [*batch_targets(results), *once_targets(results["once"], results["machine"]["cores"])]


def batch_targets(results: Results) -> Iterator[Target]:
    """Ratios on all cores at the largest number of rows."""
    size, cores = sizes(results)[-1], results["machine"]["cores"]
    ns = taken(results, size)
    kernel = ns.get((KERNEL, cores))
    where = f"{cores} threads, {size:,} rows"
    for name in FLOORS:
        figure = ratio(kernel, ns.get((name, cores)))
        yield Target(f"kernel against the {name}, {where}", figure, 3, "times")
    for name, limit in RIVALS.items():
        figure = ratio(ns.get((name, cores)), kernel)
        yield Target(f"{name} against the kernel, {where}", figure, limit, "times", at_most=False)


def once_targets(once: dict[str, Any], cores: int) -> Iterator[Target]:
    """Start-up, single rows, memory, plans."""
    one, ready, memory, plans = (once.get(key, {}) for key in ("one_row", "ready", "memory", "plans"))
    yield Target("one row through `decide_one`, median", one.get("median"), 4, "µs")
    yield Target("a second process, from its start to 200,000 rows decided", ready.get("total"), 0.7, "s")
    yield Target("`import racl`", once.get("import"), 0.3, "s")
    held = f" ({memory['rows']:,.0f})" if memory else ""
    grown = f"memory grown by rows{held} and their decisions, against their bytes"
    yield Target(grown, memory.get("ratio"), 1.3, "times")
    for threads, key in ((1, "kernel_one"), (cores, "kernel_all")):
        what = f"CP-SAT (one thread) against the kernel ({threads}), three-step plans"
        figure = ratio(plans.get("cp_sat"), plans.get(key))
        yield Target(what, figure, 100, "times", at_most=False)


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table, numbers to the right."""
    rule = "|---|" + "---:|" * (len(head) - 1)
    return "\n".join([f"| {' | '.join(head)} |", rule, *(f"| {' | '.join(row)} |" for row in rows)])


def batch_table(results: Results) -> str:
    """Nanoseconds a row of every way at every size, and how many times the kernel's on all cores."""
    columns = [taken(results, size) for size in sizes(results)]
    kernels = [column.get((KERNEL, results["machine"]["cores"])) for column in columns]
    ways = list(dict.fromkeys(way for column in columns for way in column))
    head = ["ns a row (times the kernel's)", "threads", *(f"{size:,} rows" for size in sizes(results))]

    def cell(column: dict[tuple[str, int], float], kernel: float | None, way: tuple[str, int]) -> str:
        times = ratio(column.get(way), kernel)
        return f"{number(column[way])}" + (f" ({number(times)})" if times else "") if way in column else ""

    rows = [[way[0], str(way[1]), *map(cell, columns, kernels, [way] * len(columns))] for way in ways]
    return table(head, rows)


def slow_table(results: Results) -> str:
    """The ways that go row by row."""
    size = sizes(results)[-1]
    kernel = taken(results, size).get((KERNEL, results["machine"]["cores"]))
    rows = []
    for one in results["row_by_row"]:
        times = ratio(one["ns"], kernel)
        rows.append([one["name"], f"{one['rows']:,}", number(one["ns"]), number(times) if times else ""])
    return table(["row by row, one thread", "rows", "ns a row", f"times the kernel's at {size:,} rows"], rows)


def once_table(once: dict[str, Any]) -> str:
    """Everything that has one figure."""
    rows = [[what, number(value * scale), unit] for what, value, scale, unit in figures(once)]
    return table(["measured apart", "", "unit"], rows)


def figures(once: dict[str, Any]) -> Iterator[tuple[str, float, float, str]]:
    """Each figure: what it is, its value, the factor that brings it to its unit, the unit."""
    for (group, name), (what, scale, unit) in FIGURES.items():
        found = once.get(group)
        value = found.get(name) if isinstance(found, dict) else found
        if value is not None:
            yield what, value, scale, unit


def told(results: Results) -> str:
    """The machine and the versions, in a sentence."""
    machine = results["machine"]
    versions = ", ".join(f"{name} {found}" for name, found in machine["versions"].items())
    size = f"{machine['cores']} cores, {machine['memory']}"
    return (
        f"Measured {machine['date']} on {machine['cpu']}, {size}, Python {machine['python']}, {versions}; "
        f"load before: {machine['load'][0]}. {results.get('note', '')}"
    ).strip()


def checked(results: Results) -> str:
    """What was compared with the library's answers."""
    checks = [f"{name} ({one['rows']:,} rows: {one['equal']})" for name, one in results["checks"].items()]
    return f"Decisions equal to racl's: {'; '.join(checks) or 'none were compared'}."


def markdown(results: Results) -> str:
    """The whole page."""
    reached = table(["to be reached", "", "measured", ""], [target.cells for target in targets(results)])
    parts = [told(results), reached, batch_table(results)]
    parts += [slow_table(results)] if results["row_by_row"] else []
    parts += [once_table(results["once"])] if results["once"] else []
    return "\n\n".join([*parts, checked(results)]) + "\n"
