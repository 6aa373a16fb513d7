"""The level of the certified guard on noisy labels, settled without a test row, and confirmed once; `python benchmarks/level.py`.

Settled on the training rows of DB1B-curved alone: five folds of choice sets, four to learn and certify on, one to judge on,
against the truth. Of the levels of a stage, the one with the least regret whose FVR, all folds together, is at most MOST
(in the second stage its upper 95 % limit is); of equals the stricter. Confirmed on tiers drawn anew, training and test rows,
from seeds that nothing had been drawn from when the stage was written: the first seed is the confirmation, the others say
how the figures vary. The second stage, with looser levels, was written after the first had been confirmed, on seeds of its
own. Results go to benchmarks/results/level.json.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from racl.bench.claims import BASELINES
from racl.bench.models import CERTIFICATION, MODELS, recipe_of, shaped
from racl.bench.models import certified as certified_model
from racl.bench.study import machine
from racl.bench.tier import Rows, Tier
from racl.bench.tiers import TIERS, tier
from racl.learn.certify import added, certified
from racl.learn.recipe import learn
from racl.learn.record import plain
from racl.metrics import rates
from racl.metrics.compare import paired
from racl.metrics.intervals import wilson
from racl.metrics.judged import judged
from racl.metrics.measure import measure
from racl.metrics.regret import edr
from racl.metrics.trial import trial

WHERE = Path(__file__).parent / "results" / "level.json"
NAME, MODEL = "db1b-curved", "latent-curves-certified"
MOST, FOLDS, SEED = 0.005, 5, 1
FIGURES = ("fvr", "far", "edr", "auroc", "plan")


@dataclass(frozen=True)
class Stage:
    """What is chosen from, how sure its false vetoes are, and the seeds of rows that nobody has seen."""

    levels: tuple[float, ...]
    limit: bool  # whether the upper limit of FVR decides, not FVR itself
    seeds: tuple[int, ...]


STAGES = {
    "first": Stage((0.0025, 0.005, 0.01), limit=False, seeds=(31415, 31416, 31417)),
    "second": Stage((0.01, 0.02, 0.03, 0.05), limit=True, seeds=(27182, 27183, 27184, 27185, 27186)),
}


def settled(stage: Stage) -> dict[str, Any]:
    """The figures of each level on folds of the training rows, and the level that is chosen."""
    made = tier(NAME, test=2)
    sets = made.train.choice_set
    fold = np.random.default_rng(SEED).permutation(int(sets.max()) + 1)[sets] % FOLDS
    each = [one_fold(made, fold, number, stage.levels) for number in range(FOLDS)]
    found = {f"{level:g}": together([one[f"{level:g}"] for one in each]) for level in stage.levels}
    decides = "high" if stage.limit else "fvr"
    fit = [level for level in stage.levels if found[f"{level:g}"][decides] <= MOST]
    level = min(fit, key=lambda level: found[f"{level:g}"]["edr"]) if fit else stage.levels[0]
    return {"folds": each, "together": found, "level": level}


def together(folds: list[dict[str, Any]]) -> dict[str, Any]:
    """The figures of all folds."""
    vetoes, of = (sum(one[kind] for one in folds) for kind in ("vetoes", "of"))
    edr_ = float(np.mean([one["edr"] for one in folds]))
    return {"fvr": vetoes / of, "high": wilson(vetoes / of, of)[1], "vetoes": vetoes, "of": of, "edr": edr_}


def one_fold(
    made: Tier, fold: NDArray[np.intp], number: int, levels: tuple[float, ...]
) -> dict[str, dict[str, Any]]:
    """One fit, certified at every level, and what comes of it on the fold that it has not seen."""
    sample, judge = made.train.sample, np.flatnonzero(fold == number)
    settings = {"learner": "latent", "guard": "certified", "alpha": levels[-1], "held_out": CERTIFICATION}
    recipe = recipe_of(made, SEED, {**settings, "curves": True})
    learned = learn(made.domain, sample.take(np.flatnonzero(fold != number)), recipe)
    first, aside = learned.chosen.certificate, learned.sources.held_out
    if first is None or aside is None:
        raise AssertionError("a certified guard has a certificate")
    options, found = shaped(learned, sample.options.take(judge)), {}
    for level in levels:
        bare = added(learned.weights, -first.margin)
        one = certified(aside, bare, alpha=level, delta=recipe.delta, seed=SEED)
        said = judged(options, added(bare, one.margin))
        held = trial(said, made.train.truth.take(judge), choice_set=made.train.choice_set[judge])
        fvr = rates.fvr(held)
        figures = {"vetoes": fvr.count, "of": fvr.of, "edr": edr(held, seed=0, resamples=0).value}
        found[f"{level:g}"] = {**figures, "margin": one.margin, "units": one.units}
    return found


def confirmed(seed: int, level: float) -> dict[str, Any]:
    """The model and all baselines on rows of a new seed, each judged once, with paired differences."""
    made = tier(NAME, seed=seed)
    ours = certified_model(learner="latent", curves=True, alpha=level)
    learners = {MODEL: ours, **{name: MODELS[name].learner for name in BASELINES}}
    said = {name: learner(made, made.train, SEED).judge(made.test) for name, learner in learners.items()}
    figures = {name: figures_of(one, made.test) for name, one in said.items()}
    against = {
        name: paired(said[MODEL], said[name], made.test.truth, choice_set=made.test.choice_set).to_dict()
        for name in BASELINES
    }
    differences = {name: one["differences"] for name, one in against.items()}
    return {"seed": seed, "level": level, "figures": figures, "paired": differences}


def figures_of(said: Any, test: Rows) -> dict[str, Any]:
    """The figures of one model on test rows."""
    found = measure(said, test.truth, choice_set=test.choice_set, resamples=0).to_dict()["figures"]
    return {kind: found[kind] for kind in FIGURES}


def main() -> None:
    """Settle, confirm, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stages", nargs="*", default=list(STAGES))
    parser.add_argument("--out", type=Path, default=WHERE)
    asked = parser.parse_args()
    data: dict[str, Any] = json.loads(asked.out.read_text("utf-8")) if asked.out.exists() else {}
    data |= {"machine": machine(), "tier_version": TIERS[NAME].version}
    with threadpool_limits(1):
        for name in asked.stages:
            stage = STAGES[name]
            data[name] = {"settled": settled(stage), "confirmed": []}
            for seed in stage.seeds:
                data[name]["confirmed"].append(confirmed(seed, data[name]["settled"]["level"]))
                data["date"] = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
                asked.out.write_text(json.dumps(plain(data), indent=1) + "\n", "utf-8")
                print(name, seed, flush=True)


if __name__ == "__main__":
    main()
