"""Oracle: repairs and preferences as they truly are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from racl.learn.baselines.judge import Judge
from racl.learn.sample import Sample
from racl.metrics.judged import judged
from racl.model import Model


def oracle(
    sample: Sample,
    *,
    credit: NDArray[np.int8] | None = None,
    truth: Model | None = None,
    seed: int = 0,
) -> Judge:
    """The truth model itself; nothing is learned."""
    del sample, credit, seed
    if truth is None:
        raise ValueError("the oracle is told the truth: give it a model")
    return lambda options: judged(options, truth.weights)
