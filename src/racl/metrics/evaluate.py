"""How good a model is on rows, against labels or against a model taken for the truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Literal

import numpy as np

from racl.domain.model import Domain
from racl.errors import RowError
from racl.frames import read_frame
from racl.metrics.intervals import RESAMPLES
from racl.metrics.measure import Chance, measured
from racl.metrics.reading import Against, Part, groupings, part_of, trials_of
from racl.metrics.report import Metrics
from racl.model import Model

SHOWN = 10


def evaluate(  # noqa: PLR0913 - choices are named at the call
    model: Model,
    frame: object,
    labels: object = None,
    truth: Model | None = None,
    *,
    choice_set: object = None,
    weight: object = None,
    probability: object = None,
    by: str | Sequence[str] | Mapping[str, object] = (),
    floor: float = 0.0,
    seed: int = 0,
    resamples: int = RESAMPLES,
    refused: Literal["raise", "collect"] = "raise",
) -> Metrics:
    """False vetoes and false accepts, credit, plans, regret, ranking and calibration of a model on the rows of a frame.

    Labels, choice sets, weights and probabilities are columns of the frame by name, or arrays, lists or series
    with one entry a row. Without a truth model there is no regret and no plan accuracy.
    """
    against = Against(labels, truth, choice_set, weight, probability, columns_asked(by))
    part = part_of([model], read_frame(frame), against)
    check_refused([part], refused)
    found = metrics_of([part], (truth or model).domain, floor=floor, chance=Chance(seed, resamples))
    return replace(found, refusals=tuple(part.refusals()))


def metrics_of(parts: Sequence[Part], domain: Domain, *, floor: float, chance: Chance) -> Metrics:
    """All figures of a model on stretches of rows, by the personas of a domain."""
    found = measured(trials_of(parts, floor)[0], groupings(parts, domain), chance)
    return replace(found, counts={**found.counts, "refused": sum(part.refused for part in parts)})


def columns_asked(by: str | Sequence[str] | Mapping[str, object]) -> dict[str, object]:
    """Columns to group by: names, or entries given apart under a name."""
    if isinstance(by, str):
        return {by: by}
    return dict(by) if isinstance(by, Mapping) else {name: name for name in by}


def check_refused(parts: Sequence[Part], refused: str) -> None:
    """Raise with the first ten refusals and the count of all, unless they are to be set aside."""
    if refused not in ("raise", "collect"):
        raise ValueError(f"refused is {refused!r}; it may be 'raise' or 'collect'")
    count = int(np.sum([part.refused for part in parts]))
    if count and refused == "raise":
        every = (refusal for part in parts for refusal in part.refusals())
        raise RowError(islice(every, SHOWN), count)
