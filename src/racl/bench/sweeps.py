"""What follows from decisions alone: other margins, other costs of errors, errors of calibration."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from racl.bench.protocol import Run
from racl.bench.tier import Tier
from racl.metrics import rates
from racl.metrics.judged import Judged
from racl.metrics.ranking import auroc
from racl.metrics.regret import edr
from racl.metrics.trial import Trial, trial
from racl.options import Floats

REPAIR_SEARCH = "black-box-repair"
MARGINS = np.round(
    np.concatenate([np.linspace(-0.1, 0.1, 21), np.linspace(0.15, 0.6, 10)]), 4
)  # added to scores
PROBABILITIES = (
    0.9,
    0.8,
    0.7,
    0.6,
    0.5,
    0.4,
    0.3,
    0.2,
    0.15,
    0.1,
    0.05,
    0.03,
    0.02,
    0.01,
    0.005,
    0.002,
    0.001,
)
RATIOS = np.round(np.geomspace(0.001, 10.0, 41), 5)
NOISES = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2)
DRAWS = 10
DELTAS = (0.0, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)


def on_test(tier: Tier, said: Judged) -> Trial:
    """Decisions on the test rows of a tier."""
    test = tier.test
    return trial(said, test.truth, choice_set=test.choice_set, floor=tier.floor)


def brief(held: Trial) -> dict[str, Any]:
    """The figures that sweeps show, without intervals."""
    found = {
        "fvr": rates.fvr(held),
        "far": rates.far(held),
        "edr": edr(held, seed=0, resamples=0),
        "plan": rates.plan(held),
        "auroc": auroc(held),
    }
    counts = {"false_vetoes": found["fvr"].count, "repairable_good": found["fvr"].of}
    return {**{name: one.value for name, one in found.items()}, **counts}


def shifted(said: Judged, margin: float) -> Judged:
    """The decisions with something added to the margin."""
    return replace(said, accepted=np.asarray(np.nan_to_num(said.margin, nan=-np.inf) + margin >= 0))


def operating(run: Run, model: str, seed: int) -> list[dict[str, Any]]:
    """A model at other operating points: margins for racl, probabilities for what has log odds."""
    said, _ = run.decided(model, seed)
    if said.probability is None:
        points = [(float(margin), float(margin)) for margin in MARGINS]
    else:
        points = [(one, float(np.log((1 - one) / one))) for one in PROBABILITIES]
    return [{"at": at, **brief(on_test(run.tier, shifted(said, margin)))} for at, margin in points]


def break_even(first: dict[str, Any], second: dict[str, Any]) -> float | None:
    """The ratio of costs of false vetoes and regret above which the first is preferred; None where it never is."""
    fewer = second["fvr"] - first["fvr"]
    more = first["edr"] - second["edr"]
    if more <= 0:
        return 0.0 if fewer >= 0 else None
    return more / fewer if fewer > 0 else None


def costs(run: Run, seed: int) -> dict[str, Any]:
    """What each model costs at each ratio of the costs of a false veto and of regret, and who is cheapest."""
    found = {
        name: brief(on_test(run.tier, run.decided(name, run.seed_of(name, seed))[0]))
        for name in run.asked.models
    }
    learned = {name: one for name, one in found.items() if name != "oracle"}
    cost = {
        name: [float(ratio * one["fvr"] + one["edr"]) for ratio in RATIOS] for name, one in learned.items()
    }
    cheapest = [min(cost, key=lambda name: cost[name][place]) for place in range(len(RATIOS))]
    even = {
        name: break_even(one, found[REPAIR_SEARCH])
        for name, one in learned.items()
        if REPAIR_SEARCH in found and name != REPAIR_SEARCH
    }
    return {"ratios": RATIOS.tolist(), "cost": cost, "cheapest": cheapest, "break_even": even}


def calibration_noise(run: Run, model: str, seed: int) -> list[dict[str, Any]]:
    """Scores that are off by a normal amount for each persona, the mean over several draws."""
    said, _ = run.decided(model, seed)
    persona = run.tier.test.truth.persona
    rng = np.random.default_rng(seed)
    found = []
    for noise in NOISES:
        drawn = []
        for _ in range(DRAWS if noise else 1):
            off = noise * rng.standard_normal(int(persona.max()) + 1)
            drawn.append(brief(on_test(run.tier, moved(said, off[persona]))))
        found.append({"noise": noise, **mean_of(drawn)})
    return found


def moved(said: Judged, by: Floats) -> Judged:
    """The decisions with scores moved by an amount for each row."""
    margin = said.margin + by
    accepted = np.nan_to_num(margin, nan=-np.inf) >= 0
    return replace(said, accepted=np.asarray(accepted), value=said.value + by, margin=margin)


def mean_of(figures: list[dict[str, Any]]) -> dict[str, Any]:
    """The mean of each figure."""
    return {
        name: None if figures[0][name] is None else float(np.mean([one[name] for one in figures]))
        for name in figures[0]
    }


def lemma(run: Run, seed: int) -> dict[str, Any]:
    """The lemma's bound beside what is seen: decisions that differ where true values are off by at most delta."""
    truth = run.tier.test.truth
    if truth.value is None:
        raise AssertionError("a tier has a truth")
    some = truth.admissible
    value, threshold = truth.value[some], truth.threshold[some]
    rng = np.random.default_rng(seed)
    points = []
    for delta in DELTAS:
        off = delta * rng.choice([-1.0, 1.0], len(value))
        seen = float(((value + off >= threshold) != (value >= threshold)).mean())
        points.append(
            {"delta": delta, "bound": float((np.abs(value - threshold) <= delta).mean()), "seen": seen}
        )
    fitted = {}
    for model in ("anchors-fixed", "anchors-validated", "latent-validated", "latent-certified"):
        if model in run.asked.models:
            said = run.decided(model, run.seed_of(model, seed))[0]
            error = np.abs(said.value[some] - value)
            wrong = float((said.accepted[some] != truth.accepted[some]).mean())
            bound = float((np.abs(value - threshold) <= error.max()).mean())
            each = float((np.abs(value - threshold) <= error).mean())
            fitted[model] = {
                "delta": float(error.max()),
                "median": float(np.median(error)),
                "bound": bound,
                "bound_row_by_row": each,
                "seen": wrong,
            }
    return {"uniform": points, "models": fitted}
