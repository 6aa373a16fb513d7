"""Logistic regressions for each persona: the rows, the optimum, racl, and other libraries."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FEATURES, PERSONAS = 13, 6
BLOCK = 1 << 16
STEEPEST = 1e-13  # slope a row that the reference may have left
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Problem:
    """Rows to learn from."""

    features: Floats  # (n, FEATURES)
    threshold: Floats  # (n,)
    persona: NDArray[np.int64]  # (n,)
    accepted: NDArray[np.bool_]  # (n,)

    @property
    def rows(self) -> int:
        """How many there are."""
        return len(self.threshold)

    def first(self, n: int) -> "Problem":
        """The first rows."""
        return Problem(self.features[:n], self.threshold[:n], self.persona[:n], self.accepted[:n])

    @cached_property
    def apart(self) -> list[tuple[Floats, NDArray[np.bool_]]]:
        """A table for each persona, the threshold turned about as its last column, and the labels."""
        found = []
        for number in range(PERSONAS):
            rows = np.flatnonzero(self.persona == number)
            table = np.empty((len(rows), FEATURES + 1))
            table[:, :FEATURES], table[:, FEATURES] = self.features[rows], -self.threshold[rows]
            found.append((table, self.accepted[rows]))
        return found

    def save(self, folder: Path) -> None:
        """One file an array."""
        for name in ("features", "threshold", "persona", "accepted"):
            np.save(folder / f"{name}.npy", getattr(self, name))


def load(folder: Path) -> Problem:
    """Rows that were saved."""
    names = ("features", "threshold", "persona", "accepted")
    return Problem(*(np.load(folder / f"{name}.npy") for name in names))


def problem(n: int, seed: int = 0) -> Problem:
    """Features of several shapes, thresholds that matter, labels drawn by the log odds."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n, FEATURES))
    features[:, 3:6] = features[:, 3:6] > 0.5  # truths
    features[:, 6] = np.exp(0.5 * features[:, 6])
    features[:, 7] += 0.6 * features[:, 0]
    threshold, persona = rng.uniform(-1, 2, n), rng.integers(0, PERSONAS, n)
    weights, bias = rng.normal(0, 0.5, (PERSONAS, FEATURES)), rng.normal(0, 0.5, PERSONAS)
    odds = np.einsum("ij,ij->i", features, weights[persona]) + bias[persona] - 1.5 * threshold
    return Problem(features, threshold, persona, rng.random(n) < 1 / (1 + np.exp(-odds)))


# the optimum -----------------------------------------------------------------------------------------


def reference(problem: Problem) -> Floats:
    """(PERSONAS, FEATURES + 2) weights, bias and beta where the gradient vanishes, by Newton's method in plain NumPy."""
    return np.stack([_reference(*one) for one in problem.apart])


def _reference(table: Floats, accepted: NDArray[np.bool_]) -> Floats:
    found = np.zeros(FEATURES + 2)
    for _ in range(50):
        slope, bend = sums(table, accepted, found)
        if np.abs(slope).max() <= STEEPEST * len(table):
            break
        found = found - np.linalg.solve(bend, slope)
    return found


def sums(table: Floats, accepted: NDArray[np.bool_], at: Floats) -> tuple[Floats, Floats]:
    """Gradient and Hessian of the loss."""
    slope, bend = np.zeros(len(at)), np.zeros((len(at), len(at)))
    for columns, said in _blocks(table, accepted):
        chance = 1 / (1 + np.exp(-(columns @ at)))
        slope += columns.T @ (chance - said)
        bend += (columns * (chance * (1 - chance))[:, None]).T @ columns
    return slope, bend


def _blocks(table: Floats, accepted: NDArray[np.bool_]) -> Iterator[tuple[Floats, NDArray[np.bool_]]]:
    for start in range(0, len(table), BLOCK):
        part = table[start : start + BLOCK]
        ones = np.ones((len(part), 1))
        yield np.hstack([part[:, :FEATURES], ones, part[:, FEATURES:]]), accepted[start : start + BLOCK]


def gradient(problem: Problem, coefficients: Floats) -> float:
    """The largest slope a row."""
    pairs = zip(problem.apart, coefficients, strict=True)
    return max(float(np.abs(sums(*one, at)[0]).max() / len(one[1])) for one, at in pairs)


# ways ------------------------------------------------------------------------------------------------


def held(problem: Problem) -> Any:
    """The rows as racl's learners keep them, each with one state."""
    from racl.learn.data import Held
    from racl.learn.sums import Stretch

    n = problem.rows
    rows = Stretch(
        np.arange(n + 1, dtype=np.int64),
        problem.features,
        np.zeros(n),
        problem.threshold,
        problem.persona,
        problem.accepted.astype(np.uint8),
        np.ones(n),
    )
    return Held(rows, PERSONAS + 1, np.broadcast_to(np.intp(0), n))


def racl(held: Any, start: Any = None) -> Floats:
    """Its coefficients."""
    logits = racl_fitted(held, start).logits
    return np.column_stack([logits.u, logits.d, logits.beta])[:PERSONAS]


def racl_fitted(held: Any, start: Any = None) -> Any:
    """The fit with neither ridge nor pull: each persona for itself, and all together."""
    from racl.learn.learners import Settings, fit

    held = replace(held)  # what a fit before this one found of the rows is forgotten
    return fit(held, Settings(ridge=0.0, pull=0.0), start)


def sklearn(solver: str, tolerance: float) -> Callable[[Problem], Callable[[], Floats]]:
    """One of scikit-learn's solvers, without a penalty."""

    def make(problem: Problem) -> Callable[[], Floats]:
        from sklearn.linear_model import LogisticRegression

        def fit() -> Floats:
            found = []
            for table, accepted in problem.apart:
                model = LogisticRegression(C=np.inf, solver=solver, tol=tolerance, max_iter=1000)
                model.fit(table, accepted)
                found.append(_ordered(model.coef_[0], model.intercept_[0]))
            return np.stack(found)

        _ = problem.apart
        return fit

    return make


def glum(problem: Problem) -> Callable[[], Floats]:
    """glum's iteratively reweighted least squares, without a penalty."""
    from glum import GeneralizedLinearRegressor

    def fit() -> Floats:
        found = []
        for table, accepted in problem.apart:
            model = GeneralizedLinearRegressor(family="binomial", alpha=0.0, gradient_tol=1e-8, max_iter=100)
            model.fit(table, accepted.astype(np.float64))
            found.append(_ordered(model.coef_, float(model.intercept_)))
        return np.stack(found)

    _ = problem.apart
    return fit


def statsmodels(problem: Problem) -> Callable[[], Floats]:
    """statsmodels' Logit by Newton's method."""
    from statsmodels.api import Logit

    with_ones = [(np.column_stack([table, np.ones(len(table))]), said) for table, said in problem.apart]

    def fit() -> Floats:
        found = []
        for table, accepted in with_ones:
            given = Logit(accepted.astype(np.float64), table).fit(
                method="newton", disp=0, tol=1e-10, maxiter=100
            )
            found.append(_ordered(given.params[:-1], float(given.params[-1])))
        return np.stack(found)

    return fit


def _ordered(weights: Any, bias: float) -> Floats:
    """Weights of the features, bias, weight of the threshold turned about."""
    return np.concatenate([weights[:FEATURES], [bias], weights[FEATURES:]])


WAYS: dict[str, Callable[[Problem], Callable[[], Floats]]] = {
    "scikit-learn newton-cholesky": sklearn("newton-cholesky", 1e-8),
    "scikit-learn lbfgs": sklearn("lbfgs", 1e-8),
    "glum": glum,
    "statsmodels": statsmodels,
}
