"""The level of the certified guard on noisy labels, settled without a test row, and confirmed once; `python benchmarks/level.py`.

Settled on the training rows of DB1B-curved alone: five folds of choice sets, four to learn and certify on, one to judge on,
against the truth. Of the levels in LEVELS, none looser than the library's default, the one with the least regret whose
mean FVR is at most MOST; of equals the stricter. Confirmed on a tier drawn anew, training and test rows, from CONFIRMED,
a seed that nothing had been drawn from when this was written; MORE says how the figures vary. Results go to
benchmarks/results/level.json.
"""

from __future__ import annotations

import argparse
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from racl.bench.claims import BASELINES
from racl.bench.models import CERTIFICATION, MODELS, recipe_of, shaped
from racl.bench.study import machine
from racl.bench.tier import Rows, Tier
from racl.bench.tiers import NOISY, TIERS, tier
from racl.learn.certify import added, certified
from racl.learn.recipe import learn
from racl.learn.record import plain
from racl.metrics import rates
from racl.metrics.compare import paired
from racl.metrics.judged import judged
from racl.metrics.measure import measure
from racl.metrics.regret import edr
from racl.metrics.trial import trial

WHERE = Path(__file__).parent / "results" / "level.json"
NAME, MODEL = "db1b-curved", "latent-curves-certified"
LEVELS, MOST = (0.0025, 0.005, 0.01), 0.005
FOLDS, SEED = 5, 1
CONFIRMED, MORE = 31415, (31416, 31417)
FIGURES = ("fvr", "far", "edr", "auroc", "plan")


def settled() -> dict[str, Any]:
    """The figures of each level on folds of the training rows, and the level that is chosen."""
    made = tier(NAME, test=2)
    sets = made.train.choice_set
    fold = np.random.default_rng(SEED).permutation(int(sets.max()) + 1)[sets] % FOLDS
    each = [one_fold(made, fold, number) for number in range(FOLDS)]
    mean = {
        f"{level:g}": {
            kind: float(np.mean([one[f"{level:g}"][kind] for one in each])) for kind in ("fvr", "edr")
        }
        for level in LEVELS
    }
    fit = [level for level in LEVELS if mean[f"{level:g}"]["fvr"] <= MOST]
    return {"folds": each, "mean": mean, "level": min(fit, key=lambda level: mean[f"{level:g}"]["edr"])}


def one_fold(made: Tier, fold: np.ndarray[Any, Any], number: int) -> dict[str, dict[str, Any]]:
    """One fit, certified at every level, and what comes of it on the fold that it has not seen."""
    sample, judge = made.train.sample, np.flatnonzero(fold == number)
    settings = {"learner": "latent", "guard": "certified", "alpha": LEVELS[-1], "held_out": CERTIFICATION}
    recipe = recipe_of(made, SEED, {**settings, "curves": True})
    learned = learn(made.domain, sample.take(np.flatnonzero(fold != number)), recipe)
    first, aside = learned.chosen.certificate, learned.sources.held_out
    if first is None or aside is None:
        raise AssertionError("a certified guard has a certificate")
    options, found = shaped(learned, sample.options.take(judge)), {}
    for level in LEVELS:
        bare = added(learned.weights, -first.margin)
        one = certified(aside, bare, alpha=level, delta=recipe.delta, seed=SEED)
        said = judged(options, added(bare, one.margin))
        held = trial(said, made.train.truth.take(judge), choice_set=made.train.choice_set[judge])
        figures = {"fvr": rates.fvr(held).value, "edr": edr(held, seed=0, resamples=0).value}
        found[f"{level:g}"] = {**figures, "margin": one.margin, "units": one.units}
    return found


def confirmed(seed: int) -> dict[str, Any]:
    """The model and all baselines on rows of a new seed, each judged once, with paired differences."""
    made = tier(NAME, seed=seed)
    said = {
        name: MODELS[name].learner(made, made.train, SEED).judge(made.test) for name in (MODEL, *BASELINES)
    }
    figures = {name: figures_of(one, made.test) for name, one in said.items()}
    against = {
        name: paired(said[MODEL], said[name], made.test.truth, choice_set=made.test.choice_set).to_dict()
        for name in BASELINES
    }
    return {
        "seed": seed,
        "figures": figures,
        "paired": {name: one["differences"] for name, one in against.items()},
    }


def figures_of(said: Any, test: Rows) -> dict[str, Any]:
    """The figures of one model on test rows."""
    found = measure(said, test.truth, choice_set=test.choice_set, resamples=0).to_dict()["figures"]
    return {kind: found[kind] for kind in FIGURES}


def main() -> None:
    """Settle, confirm, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=WHERE)
    out = parser.parse_args().out
    data: dict[str, Any] = {"machine": machine(), "tier_version": TIERS[NAME].version, "of_tier": NOISY}
    with threadpool_limits(1):
        data["settled"] = settled()
        for kind, seed in (("confirmed", CONFIRMED), *(("more", one) for one in MORE)):
            data.setdefault(kind, []).append(confirmed(seed))
            data["date"] = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
            out.write_text(json.dumps(plain(data), indent=1) + "\n", "utf-8")
            print(kind, seed, flush=True)


if __name__ == "__main__":
    main()
