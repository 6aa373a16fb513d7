"""What the paper claims, and what should go beyond it, held against the results of a study."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from racl.bench.models import MODELS
from racl.bench.tables import CHAMPION, MAIN, first_seed, number
from racl.bench.tiers import TIERS

Figures = Mapping[str, Mapping[str, Any]]
LINEAR = ("synthetic-maxsat", "expedia-schema", "db1b-schema", "db1b-dist")
RACL = ("anchors-fixed", "anchors-validated", "latent-validated", "latent-certified")
LABEL_ONLY = ("no-repair", "soft-penalty", "black-box")
BASELINES = ("no-repair", "soft-penalty", "black-box", "black-box-repair", "black-box-credit")
PLANS, FEW, FEW_CURVED = 0.998, 0.0025, 0.005
CURVED = "latent-curves-certified"


@dataclass(frozen=True)
class Claim:
    """A claim, what was found, and whether it holds."""

    what: str
    found: str
    holds: bool


def claims(results: Mapping[str, Any]) -> list[Claim]:
    """Every claim that the study can tell something about."""
    tiers = {name: figures_of(tier) for name, tier in results["tiers"].items()}
    found = [claim for name, models in tiers.items() for claim in of_any(name, models)]
    if MAIN in tiers:
        found += [*of_main(tiers[MAIN]), *beyond(results["tiers"][MAIN], tiers[MAIN])]
    if "db1b-curved" in tiers:
        found += of_curved(results["tiers"]["db1b-curved"], tiers["db1b-curved"])
    if "pooling" in results["tiers"].get("db1b-sparse", {}):
        found += of_sparse(results["tiers"]["db1b-sparse"]["pooling"])
    return found


def figures_of(tier: Mapping[str, Any]) -> dict[str, Figures]:
    """The figures of each model, of the first seed."""
    return {model: first_seed(by_seed)["figures"] for model, by_seed in tier.get("figures", {}).items()}


def value(models: Mapping[str, Figures], model: str, kind: str) -> float:
    """A figure as a number; worst where there is none."""
    found = models[model][kind]["value"]
    return float("nan") if found is None else float(found)


def of_any(name: str, models: Mapping[str, Figures]) -> Iterator[Claim]:
    """What should hold in every tier."""
    label = TIERS[name].label
    if "no-repair" in models:
        rate = models["no-repair"]["fvr"]
        yield Claim(
            f"{label}: NoRepair vetoes all that is repairable-good",
            f"{rate['count']:,} of {rate['of']:,}",
            rate["value"] == 1.0,
        )
    if name not in LINEAR:
        return
    for model in (one for one in RACL if one in models):
        credit, plan = models[model]["credit"], models[model]["plan"]
        said = f"credit {credit['count']:,} of {credit['of']:,}, plans {plan['count']:,} of {plan['of']:,}"
        holds = credit["value"] == 1.0 and plan["value"] is not None and plan["value"] >= PLANS
        yield Claim(f"{label}: {MODELS[model].label} has credit 1 and plans {PLANS} or more", said, holds)


def of_main(models: Mapping[str, Figures]) -> Iterator[Claim]:
    """The paper's pattern on its hardest tier."""
    if "anchors-validated" in models:
        fvr = models["anchors-validated"]["fvr"]
        said = f"{number(fvr['value'])} ({fvr['count']:,} of {fvr['of']:,})"
        yield Claim(f"anchors, validated: FVR at most {FEW}", said, fvr["value"] <= FEW)
    blind = [model for model in LABEL_ONLY if model in models]
    if blind:
        said = ", ".join(f"{MODELS[one].label} {number(models[one]['credit']['value'])}" for one in blind)
        yield Claim(
            "models of labels alone cannot give credit",
            said,
            all(value(models, one, "credit") < 1 / 2 for one in blind),
        )
    if {"black-box-repair", "anchors-validated", "anchors-fixed"} <= set(models):
        searched = value(models, "black-box-repair", "edr")
        for model in ("anchors-validated", "anchors-fixed"):
            edr = value(models, model, "edr")
            yield Claim(
                f"RepairSearch has less regret than {MODELS[model].label}",
                f"{searched:.4f} and {edr:.4f}",
                searched < edr,
            )


def beyond(tier: Mapping[str, Any], models: Mapping[str, Figures]) -> Iterator[Claim]:
    """The best of every column in one model, each against a baseline by a paired interval."""
    if CHAMPION not in models:
        return
    label, fvr = MODELS[CHAMPION].label, models[CHAMPION]["fvr"]
    yield Claim(
        f"{label}: FVR at most {FEW}",
        f"{number(fvr['value'])} ({fvr['count']:,} of {fvr['of']:,})",
        fvr["value"] <= FEW,
    )
    compared = tier.get("difference", {}).get(CHAMPION, {})
    for kind, other, below in (
        ("EDR", "black-box-repair", True),
        ("FAR", "black-box-repair", True),
        ("AUROC", "black-box", False),
    ):
        if other in compared:
            one = next(one for one in first_seed(compared[other])["differences"] if one["name"] == kind)
            said = told(one)
            holds = one["high"] < 0 if below else one["low"] >= 0
            word = "below" if below else "not below"
            yield Claim(
                f"{label}: {kind} {word} {MODELS[other].label}'s, its paired interval too", said, holds
            )


def of_curved(tier: Mapping[str, Any], models: Mapping[str, Figures]) -> Iterator[Claim]:
    """Curves where the truth has them: no worse is what a paired interval does not tell to be worse."""
    others = [one for one in BASELINES if one in models]
    if CURVED not in models or not others:
        return
    fvr, label = models[CURVED]["fvr"], MODELS[CURVED].label
    said = f"{number(fvr['value'])} ({fvr['count']:,} of {fvr['of']:,})"
    yield Claim(f"DB1B-curved: {label}: FVR at most {FEW_CURVED}", said, fvr["value"] <= FEW_CURVED)
    best = {
        "EDR": min(others, key=lambda one: value(models, one, "edr")),
        "AUROC": max(others, key=lambda one: value(models, one, "auroc")),
    }
    for kind, other in best.items():
        one = differing(tier["difference"][CURVED][other], kind)
        holds = one["low"] <= 0 if kind == "EDR" else one["high"] >= 0
        what = f"DB1B-curved: {label}: {kind} no worse than the best baseline's ({MODELS[other].label})"
        yield Claim(what, told(one), holds)


def differing(by_seed: Mapping[str, Any], kind: str) -> Mapping[str, Any]:
    """The difference of one figure."""
    return next(one for one in first_seed(by_seed)["differences"] if one["name"] == kind)


def told(one: Mapping[str, Any]) -> str:
    """Both figures and their difference."""
    return f"{one['first']:.4f} and {one['second']:.4f}; {one['value']:+.4f} ({one['low']:+.4f} to {one['high']:+.4f})"


def of_sparse(found: Mapping[str, Any]) -> Iterator[Claim]:
    """Pooling where many personas are small."""
    for other, by_seed in found.items():
        for kind in ("FVR", "EDR"):
            one = differing(by_seed, kind)
            short = other.rpartition(", ")[2]
            yield Claim(f"DB1B-sparse: {kind} of pooling below that of {short}", told(one), one["value"] < 0)
            said = "does not include 0" if one["high"] < 0 else "includes 0"
            what = f"DB1B-sparse: the same of the paired interval, {kind} against {short}"
            yield Claim(what, f"the interval {said}", one["high"] < 0)
