"""What a model remembers of how it was learned, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from racl.metrics.rates import Rate
from racl.metrics.words import aligned, figure_cells
from racl.model import Model

PERSONAS = 6  # shown side by side
LEFT = 12  # width of what a line is about
OTHERS = "(others)"
CHOSEN_ON = ("validated", "certified")  # guards that held-out rows decide on
SILENT = "The model does not say how it was learned."
FOREIGN = "What `fit` says is not in the form that racl writes; `--json` prints it as it stands."


def told(model: Model) -> str:
    """The whole record: how it was learned, the weights, the figures."""
    try:
        parts = [head(model), *_told(model)]
    except (KeyError, TypeError, ValueError, AttributeError):  # `fit` may hold anything
        parts = [head(model), weights(replace(model, fit={})), FOREIGN]
    return "\n\n".join(part for part in parts if part)


def _told(model: Model) -> list[str]:
    fit = model.fit
    if not _learned(fit):
        return [weights(model), SILENT if not fit else FOREIGN]
    return [learning(fit), weights(model), validation(fit), *notes(fit), versions(fit)]


def _learned(fit: Mapping[str, Any]) -> bool:
    """Whether the record is one that racl wrote, with all its parts."""
    return all(
        isinstance(fit.get(name), dict) for name in ("guard", "rows", "split", "personas")
    ) and isinstance(fit.get("learner"), str)


def head(model: Model) -> str:
    """What it is a model of."""
    domain = model.domain
    counts = [
        (len(domain.features), "feature"),
        (len(domain.repairs), "repair"),
        (len(domain.requirements), "requirement"),
        (len(domain.personas), "persona"),
    ]
    shown = ", ".join(f"{count:,} {what}{'' if count == 1 else 's'}" for count, what in counts)
    return f"{domain.name}: {shown}"


# how it was learned ----------------------------------------------------------------------------------


def learning(fit: Mapping[str, Any]) -> str:
    """Learner, rows, split, fit and guard, a line or two each."""
    lines = [("learner", learner(fit)), *(("rows", line) for line in rows(fit["rows"]))]
    lines += [("split", split(fit["split"]))]
    if fit.get("fit"):
        lines.append(("fit", rounds(fit["fit"])))
    if fit.get("curves"):
        lines += [("curves", line) for line in curves(fit["curves"])]
    lines += [("guard", line) for line in guard(fit["guard"])]
    data = fit.get("data", {})
    if data.get("file"):
        lines.append(("data", f"{data['file']}, {data.get('fingerprint', '')[:23]}"))
    return "\n".join(_labelled(lines))


def _labelled(lines: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Each line after what it is about, said once."""
    before = ""
    for about, line in lines:
        yield f"{'' if about == before else about:<{LEFT}}{line}"
        before = about


def learner(fit: Mapping[str, Any]) -> str:
    """The learner, and what was asked of it."""
    settings = fit.get("settings", {})
    shown = [f"ridge {settings['ridge']:g}"] if "ridge" in settings else []
    shown += [f"seed {settings['seed']}"] if "seed" in settings else []
    return str(fit["learner"]) + (f" ({', '.join(shown)})" if shown else "")


def rows(found: Mapping[str, Any]) -> Iterator[str]:
    """How many there were, how many taught something, why the others did not."""
    given = [f"{found.get('given', 0):,} given", f"{found.get('refused', 0):,} refused"]
    if "learned_from" in found:
        learned = f"{found['learned_from']:,.10g} learned from"
        given.append(f"{learned}, {found.get('learned_from_accepted', 0):,.10g} of them accepted")
    yield ", ".join(given)
    for why, count in found.get("left_out", {}).items():
        if count:
            yield f"{count:,} left out: {why}"


def split(found: Mapping[str, Any]) -> str:
    """What was held out."""
    if not found.get("held_out"):
        return "no row held out"
    return (
        f"{found['held_out']:,} rows held out, {found['held_out_sets']:,} whole choice sets drawn by seed"
        f" {found['seed']}; {found.get('training', 0):,} to fit on"
    )


def rounds(found: Mapping[str, Any]) -> str:
    """How the fit went."""
    pull = found["pull"]
    chosen = ", chosen on held-out rows" if found.get("pulls") else ""
    towards = "all personas pooled" if pull == "pooled" else f"pull {pull:g} towards the pooled fit{chosen}"
    return f"{found['rounds']} rounds, {'settled' if found['settled'] else 'NOT settled'}; {towards}"


def curves(found: Mapping[str, Any]) -> Iterator[str]:
    """What was added to the features, and how it was chosen."""
    tried = len(found["tried"])
    yield f"{len(found['features']):,} features made, penalty {found['penalty']:g}, the best of {tried} by cross-validation"
    for name, text in found["features"].items():
        yield f"  {name} = {text}"


def guard(found: Mapping[str, Any]) -> Iterator[str]:
    """The guard, and what it was chosen or certified by."""
    at = f" (A = {found['A']:g}, S = {found['S']:g})" if found.get("A") is not None else ""
    yield f"{found['name']}{at}"
    certificate = found.get("certificate")
    if certificate:
        yield (
            f"margin {certificate['margin']:.6g}: of {certificate['units']:,} independent rows that a false veto would lose"
            f" {certificate['misses']:,} are lost"
        )
        yield (
            f"with confidence {1 - certificate['delta']:g} at most {certificate['bound']:.4f} are"
            f" (alpha {certificate['alpha']:g})"
        )
    if found.get("grid"):
        yield f"chosen from a grid of {len(found['grid'])}:"
        yield from grid(found)


def grid(found: Mapping[str, Any]) -> Iterator[str]:
    """The whole grid with the figures that decide, the one chosen marked."""
    names = [name for name in found["grid"][0] if name not in ("A", "S")]
    cells = [("", "A", "S", *names)]
    for one in found["grid"]:
        mark = "*" if (one["A"], one["S"]) == (found["A"], found["S"]) else ""
        values = [one[name]["value"] for name in names]
        shown = ["-" if value is None else f"{value:.4f}" for value in values]
        cells.append((mark, f"{one['A']:g}", f"{one['S']:g}", *shown))
    return iter(aligned(cells, right=range(1, len(cells[0]))))


# weights ---------------------------------------------------------------------------------------------


def weights(model: Model) -> str:
    """Bias and weights of each persona, with standard errors where they are known."""
    learned = model.fit.get("personas")
    known: Mapping[str, Any] = learned if isinstance(learned, dict) else {}
    names = sorted(model.domain.personas, key=lambda name: -_count(known, name))[:PERSONAS]
    shown = [name for name in model.domain.personas if name in names]
    every = {name: model.taste.personas[name] for name in shown}
    if model.taste.default is not None:
        every[OTHERS] = model.taste.default
    table = [("", *every)]
    if known:
        table.append(("rows", *(f"{_count(known, name):,.10g}{_pooled(known, name)}" for name in every)))
    table.append(("bias", *(_cell(one.bias, _error(known, name, None)) for name, one in every.items())))
    for number, feature in enumerate(model.domain.features):
        cells = (_cell(one.weights[number], _error(known, name, feature.name)) for name, one in every.items())
        table.append((feature.name, *cells))
    lines = ["weights, plus or minus a standard error" if known else "weights"]
    lines += [f"  {line}" for line in aligned(table, right=range(1, len(table[0])))]
    more = len(model.domain.personas) - len(shown)
    return "\n".join([*lines, *([f"  and {more:,} personas more, in the file"] if more else [])])


def _count(known: Mapping[str, Any], persona: str) -> float:
    count = known.get(persona, {}).get("rows", 0.0)
    return float(count) if isinstance(count, int | float) else 0.0


def _pooled(known: Mapping[str, Any], persona: str) -> str:
    return " (pooled weights)" if known.get(persona, {}).get("pooled") and persona != OTHERS else ""


def _error(known: Mapping[str, Any], persona: str, feature: str | None) -> float | None:
    errors = known.get(persona, {}).get("standard_errors")
    if not isinstance(errors, dict):
        return None
    found = errors.get("bias") if feature is None else errors.get("weights", {}).get(feature)
    return found if isinstance(found, int | float) else None


def _cell(value: float, error: float | None) -> str:
    return f"{value:.5g}" + ("" if error is None else f" ±{error:.2g}")


# figures ---------------------------------------------------------------------------------------------


def validation(fit: Mapping[str, Any]) -> str:
    """The figures on rows that the fit did not see."""
    found = fit.get("validation")
    if not found:
        return "No figures: no row was held out."
    against = "labels" if found["against"] == "labels" else "a truth model"
    head_ = f"{found['counts']['rows']:,} held-out rows, against {against}"
    if fit["guard"]["name"] in CHOSEN_ON:
        head_ += "; the guard was chosen on them, the fit did not see them"
    header = ("figure", "value", "95 % interval", "count", "of", "interval by, or why none")
    table = [(name, *figure_cells(Rate(**one))) for name, one in _named(found["figures"])]
    return "\n".join([head_, *(f"  {line}" for line in aligned([header, *table], right=(1, 3, 4)))])


def _named(figures: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Those that have a value."""
    return [(one["name"], one) for one in figures.values() if one["value"] is not None]


def notes(fit: Mapping[str, Any]) -> list[str]:
    """What a user should know."""
    found = fit.get("notes") or []
    return ["\n".join(f"NOTE: {note}" for note in found)] if found else []


def versions(fit: Mapping[str, Any]) -> str:
    """With what, and when."""
    found = fit.get("versions") or {}
    shown = ", ".join(f"{name} {version}" for name, version in found.items())
    return " ".join(
        filter(None, [f"Learned {fit['date']}" if fit.get("date") else "", f"with {shown}" if shown else ""])
    )
