"""Whether it matters what becomes of log odds whose threshold coefficient is too small to divide by.

The paper leaves the form of the normalised-score fallback open. Every tier is learned by both learners; under each of
the three forms the guard is selected from the grid on one half of the test rows and judged on the other. How many scores
fall back at all under each cap A is counted. The last columns make every score fall back, to see the forms themselves.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from racl.bench.tier import Tier
from racl.bench.tiers import TIERS, tier
from racl.learn.guards import CAPS, FALLBACKS, GRID, Guard, scaled, weights_of
from racl.learn.learners import LEARNERS, Settings
from racl.learn.sample import Logits
from racl.learn.select import order_of, rank_of
from racl.learn.sources import InMemory
from racl.options import Floats

ALWAYS = Guard(1e-12, 20.0)  # no coefficient is large enough
NAMES = ("FVR", "EDR", "AUROC")


@dataclass(frozen=True)
class Trial:
    """What was learned from the training rows of a tier, to be judged on halves of its test rows."""

    tier: Tier
    rows: InMemory
    logits: Logits
    half: NDArray[np.bool_]

    def weights(self, guard: Guard, fallback: str) -> Floats:
        """The score under a guard."""
        return weights_of(self.logits, scaled(self.logits, self.rows.levels, guard, fallback=fallback))

    def figures(self, guard: Guard, fallback: str, *, judging: bool) -> tuple[float, ...]:
        """FVR, EDR and AUROC on the half that judges, or on the one that selects; as they are ranked."""
        part = ~self.half if judging else self.half
        test = self.tier.test
        weights = self.weights(guard, fallback)
        return rank_of(order_of(test.sample.take(part), test.truth.take(part), weights, self.tier.floor))


def trials(names: list[str], train: int, test: int) -> Iterator[tuple[str, Trial]]:
    """Each tier under each learner."""
    for name in names:
        found = tier(name, train=train, test=test)
        rows = InMemory(found.train.sample, TIERS[name].anchors == "zero-budget")
        for learner, learn in LEARNERS.items():
            yield learner, Trial(found, rows, learn(rows, Settings()).logits, found.test.choice_set % 2 == 0)


def line(learner: str, trial: Trial) -> str:
    """A row of the table."""
    beta = trial.logits.beta[:-1]
    back = ", ".join(str(int((beta < 1 / cap).sum())) for cap in CAPS)
    guards = [min(GRID, key=lambda guard: trial.figures(guard, form, judging=False)) for form in FALLBACKS]
    chosen = [trial.figures(guard, form, judging=True) for guard, form in zip(guards, FALLBACKS, strict=True)]
    forced = [trial.figures(ALWAYS, form, judging=True) for form in FALLBACKS]
    cells = [trial.tier.name, learner, f"{back} of {len(beta)}"]
    cells.append(" ".join(f"({guard.cap:g}, {guard.span:g})" for guard in guards))
    for figures in (chosen, forced):
        cells += [" ".join(f"{abs(one[place]):.4f}" for one in figures) for place in range(len(NAMES))]
    return f"| {' | '.join(cells)} |"


def main() -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--train", type=int, default=20_000)
    parser.add_argument("--test", type=int, default=10_000)
    parser.add_argument("--tiers", nargs="*", default=list(TIERS))
    asked = parser.parse_args()
    forms = ", ".join(FALLBACKS)
    heads = ["tier", "learner", "fall back at A = 5, 10, 20, 50", f"guard under {forms}", *NAMES]
    heads += [f"{name}, all fall back" for name in NAMES]
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for learner, trial in trials(asked.tiers, asked.train, asked.test):
        print(line(learner, trial), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
