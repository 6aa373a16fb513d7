"""What is true of n rows: by a model that is taken for the truth, or by labels alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from racl.metrics.by_row import ByRow
from racl.metrics.judged import PREFERENCE, STRUCTURE, judged
from racl.options import Floats, Options, Truths


@dataclass(frozen=True, eq=False)
class Truth(ByRow):
    """What is true of each row. Without a truth model there is no value, plan or credit, and labels are the verdict."""

    accepted: Truths  # (n,) whether the best admissible state truly reaches the threshold
    labels: Truths  # (n,) what people said; ranking and calibration are measured against it
    feasible: Truths  # (n,) violates nothing as it came
    admissible: Truths  # (n,) some repair is admissible
    threshold: Floats  # (n,) worth of the outside option
    budget: Floats  # (n,)
    persona: NDArray[np.intp]  # (n,)
    value: Floats | None = None  # (n,) of the best admissible state; NaN where there is none
    best: NDArray[np.object_] | None = None  # (n,) name of the best plan; None where there is none
    plan: NDArray[np.object_] | None = None  # (n,) name of the plan that the rule returns; None on rejection
    credit: NDArray[np.int8] | None = None  # (n,) number of the credit in `CREDITS`

    def __len__(self) -> int:
        return len(self.accepted)

    @property
    def repairable_good(self) -> Truths:
        """(n,) G_repair of the paper: not feasible as it came, but good after some admissible repair."""
        return ~self.feasible & self.admissible & self.accepted

    @property
    def bucket(self) -> NDArray[np.int8]:
        """(n,) of the rejection, if it is one: structure or cost exactly where nothing is admissible."""
        return np.where(self.admissible, PREFERENCE, STRUCTURE).astype(np.int8)


def truth_of(options: Options, weights: Floats, labels: Truths | None = None) -> Truth:
    """What a truth model's weights (personas + 1, p + 1) say of the rows of its own table of options."""
    said = judged(options, weights)
    return Truth(
        said.accepted,
        said.accepted if labels is None else labels,
        options.feasible,
        ~np.isnan(said.value),
        options.threshold,
        options.budget,
        options.persona,
        said.value,
        said.best,
        said.plan,
        said.credit,
    )


def truth_from_labels(options: Options, labels: Truths) -> Truth:
    """What labels say of the rows; requirements and costs are observed, so feasibility is that of the table."""
    return Truth(
        labels,
        labels,
        options.feasible,
        options.admissible,
        options.threshold,
        options.budget,
        options.persona,
    )
