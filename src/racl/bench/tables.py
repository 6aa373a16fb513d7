"""The tables of the report, from the results of a study alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from racl.bench.models import MODELS
from racl.bench.tiers import TIERS
from racl.report.page import Table

Results = Mapping[str, Any]
DASH = "-"
MAIN = "db1b-dist"
CHAMPION = "latent-certified"
SUMMARY = ("no-repair", "black-box", "black-box-repair", "anchors-validated", CHAMPION)
FIGURES = {
    "fvr": "FVR",
    "far": "FAR",
    "edr": "EDR",
    "credit": "CreditAcc",
    "plan": "PlanAcc",
    "auroc": "AUROC",
}
DIFFERENT = ("FVR", "FAR", "EDR", "PlanAcc", "AUROC")


def first_seed(found: Mapping[str, Any]) -> Any:
    """The entry of the first seed."""
    return next(iter(found.values()))


def number(value: float | None, digits: int = 4) -> str:
    """A figure, or a dash."""
    return DASH if value is None else f"{value:.{digits}f}"


def beside(ours: float | None, theirs: float | None, digits: int = 4) -> str:
    """Ours, and the paper's in brackets where it has one."""
    return number(ours, digits) + ("" if theirs is None else f" ({theirs:.{digits}f})")


def models_of(tier: Results) -> list[str]:
    """The models that a tier has figures of, in the order of the benchmark."""
    return [name for name in MODELS if name in tier.get("figures", {})]


def main_table(results: Results, name: str = MAIN) -> Table:
    """The paper's main table: ours, with the paper's numbers in brackets."""
    tier, paper = results["tiers"][name], results["paper"]["tiers"].get(name, {})
    rows = [
        main_row(model, first_seed(tier["figures"][model])["figures"], paper.get(model, {}))
        for model in models_of(tier)
    ]
    head = (
        "Model",
        "Repair",
        "Credit labels",
        "FVR (false vetoes; 95 % interval)",
        *list(FIGURES.values())[1:],
    )
    caption = (
        f"{TIERS[name].label}, {tier['composition']['test']['rows']:,} test rows,"
        f" {tier['composition']['test']['repairable_good']:,} of them repairable-good."
        f" In brackets: the paper. Seed {results['seeds'][0]}."
    )
    return Table(head, rows, tuple(range(3, len(head))), caption)


def main_row(model: str, found: Results, paper: Mapping[str, float]) -> tuple[str, ...]:
    """A model's line of the main table."""
    entry, fvr = MODELS[model], found["fvr"]
    vetoes = DASH
    if fvr["value"] is not None:
        vetoes = (
            f"{fvr['value']:.4f} ({fvr['count']:,} of {fvr['of']:,}; {fvr['low']:.4f} to {fvr['high']:.4f})"
        )
    if "fvr" in paper:
        vetoes += f" ({paper['fvr']:.4f})"
    others = (beside(found[one]["value"], paper.get(one)) for one in list(FIGURES)[1:])
    return (entry.label, "yes" if entry.search else "no", entry.credit_labels, vetoes, *others)


def counts_table(results: Results, name: str) -> Table:
    """Exact counts behind credit and plans."""
    tier = results["tiers"][name]
    rows = []
    for model in models_of(tier):
        found = first_seed(tier["figures"][model])["figures"]
        kinds = ("credit", "credit_end_to_end", "plan", "plan_end_to_end", "far")
        rows.append((MODELS[model].label, *(fraction(found[kind]) for kind in kinds)))
    head = ("Model", "Credit right", "Credit end to end", "Plan right", "Plan end to end", "False accepts")
    return Table(head, rows, (1, 2, 3, 4, 5), f"{TIERS[name].label}: counts behind the rates.")


def fraction(rate: Results) -> str:
    """A count of how many."""
    return DASH if rate["value"] is None else f"{rate['count']:,} of {rate['of']:,}"


def seeds_table(results: Results, name: str) -> Table:
    """How the figures vary with the seed of the model."""
    tier = results["tiers"][name]
    rows = []
    for model in models_of(tier):
        each = [one["figures"] for one in tier["figures"][model].values()]
        cells = [spread([one[kind]["value"] for one in each]) for kind in FIGURES]
        rows.append((MODELS[model].label, str(len(each)), *cells))
    head = ("Model", "Seeds", *FIGURES.values())
    return Table(head, rows, tuple(range(1, 8)), f"{TIERS[name].label}: least to greatest over the seeds.")


def spread(values: Sequence[float | None]) -> str:
    """From the least to the greatest."""
    known = [value for value in values if value is not None]
    if not known:
        return DASH
    low, high = number(min(known)), number(max(known))
    return low if low == high else f"{low}{DASH}{high}"


def summary_table(results: Results) -> Table:
    """The multi-tier summary."""
    rows = []
    for name, tier in results["tiers"].items():
        paper = results["paper"]["tiers"].get(name, {})
        for model in SUMMARY:
            if model in tier.get("figures", {}):
                found = first_seed(tier["figures"][model])["figures"]
                theirs = paper.get(model, {})
                kinds = ("fvr", "edr", "credit", "plan", "auroc")
                cells = (
                    beside(found[kind]["value"], theirs.get(kind), 4 if kind == "fvr" else 3)
                    for kind in kinds
                )
                rows.append((TIERS[name].label, MODELS[model].label, *cells))
    head = ("Tier", "Model", "FVR", "EDR", "CreditAcc", "PlanAcc", "AUROC")
    return Table(head, rows, (2, 3, 4, 5, 6), "In brackets: the paper.")


def composition_table(results: Results) -> Table:
    """What the test rows of each tier are."""
    kinds = {
        "repairable_good": "repairable-good",
        "accepted_otherwise": "accepted otherwise",
        "structure_or_cost": "structure or cost",
        "feasible_suboptimal": "feasible suboptimal",
        "repairable_suboptimal": "repairable suboptimal",
    }
    rows = []
    for name, tier in results["tiers"].items():
        train, test = tier["composition"]["train"], tier["composition"]["test"]
        shares = (f"{test[kind]:,} ({test[kind] / test['rows']:.1%})" for kind in kinds)
        version = f"{results['tier_versions'][name]}"
        rows.append(
            (
                TIERS[name].label,
                version,
                f"{train['rows']:,}",
                f"{test['rows']:,}",
                f"{test['sets']:,}",
                *shares,
            )
        )
    paper = results["paper"]["test"]
    preference = f"{paper['preference']:,} together"
    theirs = [paper["repairable_good"], paper["accepted_otherwise"], paper["structure_or_cost"]]
    rows.append(
        ("the paper's raw test", "", "50,000", "15,000", "", *(f"{one:,}" for one in theirs), preference, "")
    )
    head = ("Tier", "Version", "Train", "Test", "Choice sets", *kinds.values())
    return Table(head, rows, tuple(range(1, 10)), "Test rows by what is true of them.")


def bucket_table(results: Results, name: str) -> Table:
    """Credit by bucket: of the truly rejected rows of each kind, those whose bucket is right."""
    tier = results["tiers"][name]
    rows = []
    for model in models_of(tier):
        found = first_seed(tier["figures"][model])["buckets"]
        right = [bucket["right"] for bucket in found if bucket["name"].startswith("rejected")]
        accepted = [bucket["accepted"] for bucket in found]
        rows.append(
            (
                MODELS[model].label,
                *(f"{number(one['value'])} ({fraction(one)})" for one in right),
                *(number(one["value"]) for one in accepted),
            )
        )
    names = [bucket["name"] for bucket in first_seed(first_seed(tier["figures"]))["buckets"]]
    head = (
        "Model",
        "Right: structure or cost",
        "Right: preference",
        *(f"Accepted of {one}" for one in names),
    )
    return Table(head, rows, tuple(range(1, 7)), f"{TIERS[name].label}.")


def difference_table(results: Results, name: str, champion: str = CHAMPION) -> Table:
    """Paired differences of one model and the others."""
    tier = results["tiers"][name]
    rows = []
    for model, by_seed in tier.get("difference", {}).get(champion, {}).items():
        found = {one["name"]: one for one in first_seed(by_seed)["differences"]}
        rows.append((MODELS[model].label, *(difference(found[kind]) for kind in DIFFERENT)))
    caption = (
        f"{TIERS[name].label}: {MODELS[champion].label} less each other model on the same rows, with 95 % intervals of a"
        " paired bootstrap by choice set. Below 0 is better for FVR, FAR and EDR, above 0 for the others."
    )
    return Table(("Against", *DIFFERENT), rows, (1, 2, 3, 4, 5), caption)


def pooling_table(results: Results, name: str) -> Table:
    """Paired differences of pooling and its ablations."""
    rows = []
    for other, by_seed in results["tiers"][name]["pooling"].items():
        found = {one["name"]: one for one in first_seed(by_seed)["differences"]}
        rows.append((other, *(difference(found[kind]) for kind in DIFFERENT)))
    caption = f"{TIERS[name].label}: `latent, certified`, which pools, less each, paired by choice set, 95 % intervals."
    return Table(("Against", *DIFFERENT), rows, (1, 2, 3, 4, 5), caption)


def difference(one: Results) -> str:
    """A difference and its interval."""
    if one["value"] is None:
        return DASH
    return f"{one['value']:+.4f} ({one['low']:+.4f} to {one['high']:+.4f})"


def stability_table(results: Results, learner: str) -> Table:
    """Guard stability over splits."""
    tier, paper = results["tiers"][MAIN], results["paper"]["guard"]
    rows = []
    for seed, one in tier["stability"][learner].items():
        theirs = paper["validation_fvr"].get(seed) if learner == "anchors" else None
        test = one["test"]
        cells = (
            number(one["validation_edr"]),
            number(test["fvr"]),
            number(test["edr"]),
            number(test["auroc"]),
        )
        rows.append((seed, f"{one['A']:g}", f"{one['S']:g}", beside(one["validation_fvr"], theirs), *cells))
    if learner == "anchors":
        rows.append(
            (
                "paper",
                f"{paper['cap']:g}",
                f"{paper['span']:g}",
                "",
                "",
                number(paper["fvr"]),
                DASH,
                number(paper["auroc"]),
            )
        )
    head = ("Split", "A", "S", "Val FVR (paper)", "Val EDR", "Test FVR", "Test EDR", "Test AUROC")
    return Table(head, rows, tuple(range(1, 8)), f"Guards of `{learner}`, chosen on five splits.")


def grid_table(results: Results, learner: str) -> Table:
    """Every guard of the grid on the test rows."""
    rows = []
    for one in first_seed(results["tiers"][MAIN]["grid"][learner]):
        guard = "none" if one["A"] is None else f"{one['A']:g}, {one['S']:g}"
        acts = ", ".join(f"{kind} {count}" for kind, count in one["scaling"].items())
        test = one["test"]
        cells = (number(test[kind]) for kind in ("fvr", "far", "edr", "plan", "auroc"))
        rows.append((guard, acts, *cells))
    head = ("A, S", "Personas", "FVR", "FAR", "EDR", "PlanAcc", "AUROC")
    return Table(
        head, rows, (2, 3, 4, 5, 6), f"`{learner}` under every guard: one fit, scaled by each; test rows."
    )


def plain_table(rows: Sequence[Mapping[str, Any]], first: Mapping[str, str], caption: str) -> Table:
    """A table of brief figures, one line for each entry."""
    kinds = {"fvr": "FVR", "far": "FAR", "edr": "EDR", "plan": "PlanAcc", "auroc": "AUROC"}
    cells = [(*(f"{one[key]}" for key in first), *(number(one.get(kind)) for kind in kinds)) for one in rows]
    head = (*first.values(), *kinds.values())
    return Table(head, cells, tuple(range(1, len(head))), caption)


def ablation_table(results: Results, name: str, kind: str = "ablation") -> Table:
    """Settings left out, one at a time."""
    found = results["tiers"][name][kind]
    rows = [{"what": what, **first_seed(by_seed)} for what, by_seed in found.items()]
    return plain_table(rows, {"what": "Setting"}, f"{TIERS[name].label}.")


def even_table(results: Results) -> Table:
    """Above which ratio of costs each model is preferred to repair search."""
    costs = first_seed(results["tiers"][MAIN]["costs"])
    rows = []
    for model, even in costs["break_even"].items():
        theirs = number(results["paper"]["break_even"], 3) if model == "anchors-validated" else ""
        said = "never" if even is None else "always" if even == 0 else number(even, 4)
        rows.append((MODELS[model].label, said, theirs))
    caption = "The ratio of the cost of false vetoes to that of regret above which a model is cheaper than repair search."
    return Table(("Model", "Preferred above", "Paper"), rows, (1, 2), caption)
