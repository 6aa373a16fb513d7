"""How often the certified bound is exceeded: many runs of a tier, each with rows of its own; `python benchmarks/certified.py`.

A run draws training rows from a new seed, learns `latent` on six tenths of the choice sets and chooses the margin on the
others, by labels. What the bound is about, the share of accepted, repairable candidates that the rule rejects, is then
counted on fresh rows of the same tier, the same for all runs, each choice set counting once; beside it the same share
against the truth. Results go to benchmarks/results/certified.json.
"""

from __future__ import annotations

import argparse
import json
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from racl.bench.study import machine
from racl.bench.tier import Rows
from racl.bench.tiers import TIERS, tier
from racl.learn.certify import added, certified, eligible
from racl.learn.recipe import Recipe, learn
from racl.learn.sources import split
from racl.metrics.intervals import wilson
from racl.options import Floats, at, best, values

WHERE = Path(__file__).parent / "results" / "certified.json"
ALPHAS, DELTA = (0.0025, 0.01), 0.05
HELD_OUT, PULL = 0.4, 0.1
FRESH, FRESH_SEED, FIRST_SEED = 200_000, 9, 10_000
NAMES = ("db1b-dist", "db1b-curved")


def one_run(name: str, seed: int, fresh: Rows) -> dict[str, object]:
    """The certificates of one run, and what is seen of each on fresh rows."""
    made = tier(name, seed=seed, test=2)
    kept, aside = split(made.train.sample, HELD_OUT, seed)
    training, held_out = made.train.sample.take(kept), made.train.sample.take(aside)
    fitted = learn(made.domain, training, Recipe(guard="none", held_out=0, pull=PULL, seed=seed, threads=1))
    found: dict[str, object] = {"tier": name, "seed": seed}
    for alpha in ALPHAS:
        one = certified(held_out, fitted.weights, alpha=alpha, delta=DELTA, seed=seed)
        labels, truth = rates(fresh, added(fitted.weights, one.margin))
        found[f"{alpha:g}"] = {
            "margin": one.margin,
            "units": one.units,
            "misses": one.misses,
            "labels": labels,
            "truth": truth,
        }
    return found


def rates(fresh: Rows, weights: Floats) -> tuple[float, float]:
    """The false veto rates against labels, each choice set counting once, and against the truth, by row."""
    states = values(fresh.options, weights)
    value = at(states, best(fresh.options, states), nothing=-np.inf)
    missed = value < fresh.options.threshold
    weight = eligible(fresh.sample) / np.bincount(fresh.choice_set)[fresh.choice_set]
    good = fresh.truth.repairable_good
    return float(weight @ missed / weight.sum()), float(missed[good].mean())


def summary(runs: list[dict[str, object]]) -> dict[str, object]:
    """By tier and level: how many runs exceed it, with an interval, and the false veto rates."""
    found = {}
    for name in sorted({str(one["tier"]) for one in runs}):
        for alpha in ALPHAS:
            each = [one[f"{alpha:g}"] for one in runs if one["tier"] == name]
            labels = np.array([one["labels"] for one in each])
            exceeded = int((labels > alpha).sum())
            low, high = wilson(exceeded / len(each), len(each))
            found[f"{name} {alpha:g}"] = {
                "runs": len(each),
                "exceeded": exceeded,
                "share": exceeded / len(each),
                "low": low,
                "high": high,
                "labels_mean": float(labels.mean()),
                "labels_max": float(labels.max()),
                "truth_mean": float(np.mean([one["truth"] for one in each])),
                "truth_max": float(np.max([one["truth"] for one in each])),
                "margin_mean": float(np.mean([one["margin"] for one in each])),
            }
    return found


def main() -> None:
    """Run, and write after every run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100, help="of each tier (100)")
    parser.add_argument("--out", type=Path, default=WHERE)
    asked = parser.parse_args()
    fresh = {name: tier(name, seed=FRESH_SEED, train=2, test=FRESH).test for name in NAMES}
    runs: list[dict[str, object]] = []
    for number in range(asked.runs):
        runs += [one_run(name, FIRST_SEED + number, fresh[name]) for name in NAMES]
        data = {
            "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
            "machine": machine(),
            "tier_versions": {name: TIERS[name].version for name in NAMES},
            "fresh_rows": FRESH,
            "delta": DELTA,
            "summary": summary(runs),
            "runs": runs,
        }
        asked.out.parent.mkdir(parents=True, exist_ok=True)
        asked.out.write_text(json.dumps(data, indent=1) + "\n", "utf-8")
        print(f"{len(runs)} runs", flush=True)
    print(json.dumps(summary(runs), indent=1))


if __name__ == "__main__":
    main()
