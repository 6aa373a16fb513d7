"""Tree ensembles that score every admissible repair: what a learned ranker must do at the least.

The options are enumerated beforehand, out of the clock's sight, and nothing is done with the scores: only
the scoring is timed. The models learn the truth's own labels, 100 trees each, with their libraries' defaults.
"""

from collections.abc import Callable, Iterator
from functools import reduce
from operator import and_
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rivals.columns import FEATURES, Rows, menu, requirements

TREES = 100
CHUNK = 500_000  # rows; so that the options of ten million fit in memory

Scorer = Callable[[NDArray[np.floating[Any]]], Any]


def options(rows: Rows) -> Iterator[NDArray[np.float64]]:
    """For each repair the rows of which it is admissible: twelve features, persona and threshold (m, 14)."""
    tests = [test for _, test in requirements(rows)]
    for applies, cost, sets in menu(rows):
        after = {**rows, **sets}
        admissible = reduce(and_, [test(after) for test in tests], applies & (cost <= rows["budget"]))
        columns = [feature(after) for _, feature in FEATURES] + [rows["persona"], rows["threshold"]]
        n = len(rows["fare"])
        chosen = [np.broadcast_to(column, n)[admissible] for column in columns]
        yield np.column_stack(chosen).astype(np.float64)


def table(rows: Rows) -> NDArray[np.float64]:
    """Every admissible repair of every row (m, 14)."""
    return np.concatenate(list(options(rows)))


def labels(table: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether the truth finds each option good enough."""
    w = weights[table[:, 12].astype(int)]
    return (w[:, 0] + (w[:, 1:] * table[:, :12]).sum(1)) >= table[:, 13]


def lightgbm(x: NDArray[np.float64], y: NDArray[np.bool_], threads: int) -> Scorer:
    """LightGBM's raw scores."""
    import lightgbm as lgb

    data = lgb.Dataset(x, y.astype(np.float32))
    booster = lgb.train({"objective": "binary", "num_threads": threads, "verbose": -1}, data, TREES)
    return lambda part: booster.predict(part, raw_score=True, num_threads=threads)


def xgboost(x: NDArray[np.float64], y: NDArray[np.bool_], threads: int) -> Scorer:
    """XGBoost's margins, predicted in place."""
    import xgboost as xgb

    settings = {"objective": "binary:logistic", "nthread": threads}
    booster = xgb.train(settings, xgb.DMatrix(x.astype(np.float32), y), TREES)
    return lambda part: booster.inplace_predict(part, predict_type="margin")


def sklearn(x: NDArray[np.float64], y: NDArray[np.bool_], threads: int) -> Scorer:  # noqa: ARG001
    """scikit-learn's histogram gradient boosting, on all the cores that OpenMP finds."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(max_iter=TREES, early_stopping=False).fit(x, y).decision_function


SCORERS = {
    "LightGBM": (lightgbm, np.float64),
    "XGBoost": (xgboost, np.float32),
    "scikit-learn": (sklearn, np.float64),
}


def seconds(score: Scorer, rows: Rows, kind: Any) -> tuple[float, int]:
    """The time to score every admissible repair of these rows, and how many there are."""
    spent, count = 0.0, 0
    for start in range(0, len(rows["fare"]), CHUNK):
        part = table({name: column[start : start + CHUNK] for name, column in rows.items()}).astype(kind)
        before = perf_counter()
        score(part)
        spent += perf_counter() - before
        count += len(part)
    return spent, count
