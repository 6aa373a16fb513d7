"""Gradient boosting with honest effort: a few settings, each stopped early on choice sets held out, the best one refitted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from racl.options import Floats, Truths

SETTINGS: tuple[Mapping[str, Any], ...] = (
    {"learning_rate": 0.1, "max_leaf_nodes": 31},
    {"learning_rate": 0.1, "max_leaf_nodes": 8},
    {"learning_rate": 0.05, "max_leaf_nodes": 63, "l2_regularization": 1.0},
)
MOST = 1000  # rounds
PATIENCE = 20  # rounds without gain
UNSTOPPED = 100  # rounds where there is nothing to stop by
HELD_OUT = 0.15  # of the choice sets
MOST_CATEGORIES = 250  # that trees can tell apart
MANY = 5_000_000  # numbers in a table from which a second thread pays


@dataclass(frozen=True, eq=False)
class Examples:
    """What a classifier learns from; the last column is a category."""

    columns: Floats  # (n, k)
    answer: NDArray[Any]  # (n,)
    weight: Floats  # (n,)
    choice_set: NDArray[np.intp]  # (n,)

    def take(self, rows: Truths) -> Examples:
        """Some of the rows."""
        return Examples(self.columns[rows], self.answer[rows], self.weight[rows], self.choice_set[rows])


def boosted(examples: Examples, seed: int, settings: Sequence[Mapping[str, Any]] = SETTINGS) -> Any:
    """A classifier fitted to all examples, its setting and its number of rounds those that held-out choice sets liked best."""
    with threads(examples.columns):
        return _boosted(examples, seed, settings)


def threads(columns: Floats) -> Any:
    """While it lasts, one thread where more would mostly wait for each other."""
    import sklearn.ensemble  # noqa: F401 - what is to be limited must be there
    from threadpoolctl import threadpool_limits

    return threadpool_limits(1 if columns.size < MANY else None)


def _boosted(examples: Examples, seed: int, settings: Sequence[Mapping[str, Any]]) -> Any:
    held_out = aside(examples.choice_set, seed)
    kept, judged = examples.take(~held_out), examples.take(held_out)
    known = set(np.unique(kept.answer))
    if len(known) < 2 or known != set(np.unique(examples.answer)) or not held_out.any():  # noqa: PLR2004 - two classes
        return fitted(examples, settings[0], UNSTOPPED, seed)
    trials = [stopped(kept, judged, setting, seed) for setting in settings]
    best = min(range(len(settings)), key=lambda number: trials[number][0])
    return fitted(examples, settings[best], trials[best][1], seed)


def stopped(kept: Examples, judged: Examples, setting: Mapping[str, Any], seed: int) -> tuple[float, int]:
    """The least loss on the held-out rows, and after how many rounds."""
    classifier = _classifier(kept, setting, seed, max_iter=MOST, early_stopping=True)
    classifier.fit(
        kept.columns,
        kept.answer,
        kept.weight,
        X_val=judged.columns,
        y_val=judged.answer,
        sample_weight_val=judged.weight,
    )
    scores = np.asarray(classifier.validation_score_)  # minus the loss, before the first round and after each
    best = int(scores.argmax())
    return -float(scores[best]), max(1, best)


def fitted(examples: Examples, setting: Mapping[str, Any], rounds: int, seed: int) -> Any:
    """A classifier after so many rounds."""
    classifier = _classifier(examples, setting, seed, max_iter=rounds, early_stopping=False)
    return classifier.fit(examples.columns, examples.answer, examples.weight)


def _classifier(examples: Examples, setting: Mapping[str, Any], seed: int, **more: Any) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    last = examples.columns.shape[1] - 1
    categories = [last] if len(np.unique(examples.columns[:, last])) <= MOST_CATEGORIES else None
    return HistGradientBoostingClassifier(
        **setting,
        **more,
        n_iter_no_change=PATIENCE,
        categorical_features=categories,
        random_state=seed,
    )


def aside(choice_set: NDArray[np.intp], seed: int) -> Truths:
    """(n,) rows of the choice sets that are held out."""
    sets = np.unique(choice_set)
    drawn = np.random.default_rng(seed).permutation(len(sets))[: round(HELD_OUT * len(sets))]
    return np.isin(choice_set, sets[drawn])
