"""HASSLE-style NoRepair and SoftPenalty-LearnedFeat: log odds that are sums, for each persona, fitted as racl's own are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from racl.learn.baselines.judge import Judge, as_they_came, without_search
from racl.learn.data import Held
from racl.learn.learners import Settings, anchors, check_labels, fit
from racl.learn.sample import Logits, Sample
from racl.learn.sums import Stretch
from racl.metrics.judged import Judged
from racl.model import Model
from racl.options import Floats, Options


def no_repair(
    sample: Sample,
    *,
    credit: NDArray[np.int8] | None = None,
    truth: Model | None = None,
    seed: int = 0,
) -> Judge:
    """Accept what is feasible as it came and good enough; preference is learned from the feasible rows."""
    del credit, truth
    logits = anchors(sample, Settings(seed=seed)).logits

    def judge(options: Options) -> Judged:
        odds = log_odds(logits, options.given, options)
        return without_search(options, np.where(options.feasible, odds, np.nan))

    return judge


def soft_penalty(
    sample: Sample,
    *,
    credit: NDArray[np.int8] | None = None,
    truth: Model | None = None,
    seed: int = 0,
) -> Judge:
    """Every requirement that is violated takes something off the score, how much is learned from all rows."""
    del credit, truth
    data = penalty_data(sample)
    check_labels(data, "row", "")
    logits = fit(data, Settings(seed=seed)).logits
    return lambda options: without_search(options, log_odds(logits, penalised(options), options))


def penalised(options: Options) -> Floats:
    """(n, p + requirements + 1): features, what is violated, and the budget; the count of violations is a sum of these."""
    seen = as_they_came(options)
    columns = np.column_stack([seen.features, seen.violated, seen.budget])
    return np.where(np.isfinite(columns), columns, 0.0)  # only what is admissible must have finite features


def penalty_data(sample: Sample) -> Held:
    """All rows, each as it came."""
    counted = (sample.weight > 0) & ~sample.options.refused
    sample = sample if counted.all() else sample.take(counted)
    options, n = sample.options, len(sample)
    rows = Stretch(
        np.arange(n + 1, dtype=np.int64),
        penalised(options),
        np.zeros(n),
        options.threshold,
        options.persona.astype(np.int64),
        sample.accepted.astype(np.uint8),
        sample.weight,
    )
    return Held(rows, len(options.personas) + 1, sample.choice_set)


def log_odds(logits: Logits, columns: Floats, options: Options) -> Floats:
    """(n,) log odds of acceptance, by what each row's persona prefers."""
    persona = options.persona
    with np.errstate(invalid="ignore", over="ignore"):
        score = np.einsum("ij,ij->i", columns, logits.u[persona]) + logits.d[persona]
    return np.asarray(score - logits.beta[persona] * options.threshold)
