"""The estimator: learning and deciding by scikit-learn's conventions."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, column_or_1d, validate_data

from racl.decide import Decisions
from racl.domain.files import load_domain
from racl.domain.model import Domain
from racl.errors import DataError, Problem, quoted
from racl.frames import Table
from racl.learn.certify import ALPHA, DELTA
from racl.learn.curves import Curves
from racl.learn.guards import FIXED
from racl.learn.history import History, table_of
from racl.learn.learners import RIDGE
from racl.learn.plain_matrix import matrix_domain, matrix_frame
from racl.learn.recipe import Learned, Recipe, learn
from racl.model import Model
from racl.options import Floats

SEEDS = 2**31 - 1


class FitError(DataError, ValueError):
    """Rows or labels that nothing can be learned from."""


class RepairClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """Learns what people prefer from what they accepted, and decides with repairs in view.

    X is a frame with the columns of the domain: pandas, Polars, Arrow or a dict of arrays. y has two values, of which the
    greater means accepted. Without a domain X is a matrix of features, with nothing required and nothing to repair.
    """

    def __init__(  # noqa: PLR0913 - one argument a parameter, as scikit-learn wants it
        self,
        domain: Domain | str | os.PathLike[str] | None = None,
        *,
        learner: str = "latent",
        guard: str = "certified",
        cap: float = FIXED.cap,
        span: float = FIXED.span,
        alpha: float = ALPHA,
        delta: float = DELTA,
        fallback: str = "spread",
        ridge: float = RIDGE,
        pull: float | None = None,
        curves: bool | Mapping[str, Any] | Curves = False,
        held_out: float | None = None,
        anchors_from: str = "feasible",
        default_persona: bool = False,
        known: Mapping[str, Any] | Model | None = None,
        choice_set: str | None = None,
        random_state: Any = 0,
        threads: int | None = None,
    ) -> None:
        self.domain = domain
        self.learner = learner
        self.guard = guard
        self.cap = cap
        self.span = span
        self.alpha = alpha
        self.delta = delta
        self.fallback = fallback
        self.ridge = ridge
        self.pull = pull
        self.curves = curves
        self.held_out = held_out
        self.anchors_from = anchors_from
        self.default_persona = default_persona
        self.known = known
        self.choice_set = choice_set
        self.random_state = random_state
        self.threads = threads

    # fitting

    def fit(self, X: object, y: object, sample_weight: object = None) -> Self:
        """Learn from the rows of a frame and their labels; `choice_set` names the column that groups them."""
        if y is None:
            raise ValueError("this estimator requires y to be passed, but the target y is None")
        frame, names = self._read(X, reset=True)
        table = table_of(frame)
        labels = self._labels(y, table.rows)
        weight = None if sample_weight is None else self._weight(sample_weight, table)
        self._check_classes(labels if weight is None else labels[weight > 0])
        history = History(table, labels, self.choice_set, weight)
        try:
            found = learn(self._domain(len(names)), history, self._recipe())
        except DataError as fault:
            raise FitError(fault.problems) from fault
        self._keep(found)
        return self

    def _recipe(self) -> Recipe:
        seed = self.random_state
        if not isinstance(seed, int | np.integer):
            seed = check_random_state(seed).randint(SEEDS)
        shared = set(Recipe.__dataclass_fields__) & set(self.get_params(deep=False))
        return Recipe(seed=int(seed), **{name: getattr(self, name) for name in shared})

    def _domain(self, columns: int) -> Domain:
        if self.domain is None:
            return matrix_domain(columns)
        return self.domain if isinstance(self.domain, Domain) else load_domain(self.domain)

    def _labels(self, y: object, rows: int) -> NDArray[np.bool_]:
        """Whether each label is the greater of the two."""
        given = np.asarray(y)
        if given.dtype == object and any(one is None or one != one for one in given.ravel()):  # noqa: PLR0124
            raise FitError([Problem("labels", "some are missing", "leave out rows without a label")])
        given = column_or_1d(given, warn=True)
        check_classification_targets(given)
        if len(given) != rows:
            raise FitError([Problem("labels", f"{len(given):,} labels for {rows:,} rows")])
        self.classes_, code = np.unique(given, return_inverse=True)
        if len(self.classes_) > 2:  # noqa: PLR2004 - accepted and rejected
            what = f"Only binary classification is supported. Labels have {len(self.classes_)} values"
            raise FitError([Problem("labels", what, "a row is accepted or rejected")])
        if len(self.classes_) == 1:
            self._check_classes(np.zeros(rows, np.bool_))
        return np.asarray(code == 1)

    def _check_classes(self, labels: NDArray[np.bool_]) -> None:
        if labels.all() or not labels.any():
            what = f"all rows are of one class, {quoted(str(self.classes_[int(labels[:1].any())]))}"
            raise FitError([Problem("labels", what, "learning needs accepted and rejected rows")])

    @staticmethod
    def _weight(sample_weight: object, table: Table) -> Floats:
        return np.asarray(
            _check_sample_weight(sample_weight, np.empty((table.rows, 1)), ensure_non_negative=True),
            np.float64,
        )

    def _keep(self, found: Learned) -> None:
        """What was learned, under the names that scikit-learn gives it."""
        personas = len(found.model.domain.personas)
        self.model_ = found.model
        self.personas_ = np.array(found.model.domain.personas, object)
        self.coef_, self.intercept_ = found.weights[:personas, 1:], found.weights[:personas, 0]
        self.n_iter_ = len(found.fitted.losses) - 1 if found.fitted else 0

    # rows

    def _read(self, X: object, *, reset: bool) -> tuple[object, list[str]]:
        """The frame of a table or of a matrix, and the names of its columns."""
        if self.domain is None:
            matrix = validate_data(self, X, reset=reset, dtype=np.float64)
            return matrix_frame(matrix), [f"x{number}" for number in range(matrix.shape[1])]
        if isinstance(X, np.ndarray) and X.ndim > 1:
            what, hint = "a matrix has no column names", "give a frame with the columns of the domain"
            raise FitError([Problem("X", what, hint)])
        table = table_of(X)
        if reset:
            self.n_features_in_ = len(table.names)
            self.feature_names_in_ = np.array(table.names, object)
        return X, list(table.names)

    def decide(self, X: object, *, refused: Literal["raise"] = "raise") -> Decisions:
        """The decisions on the rows of a frame; for rows that may be refused use `model_.decide`."""
        check_is_fitted(self)
        return self.model_.decide(self._read(X, reset=False)[0], refused=refused, threads=self.threads)

    def predict(self, X: object) -> NDArray[Any]:
        """The label of each row: the greater of the two where it is accepted."""
        check_is_fitted(self)
        return np.asarray(self.classes_[self.decide(X).accepted.astype(np.intp)])

    def decision_function(self, X: object) -> Floats:
        """The margin of each row; the lowest number there is where no repair is admissible."""
        margin = self.decide(X).margin
        return np.where(np.isnan(margin), np.finfo(np.float64).min, margin)

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn may expect."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.two_d_array = self.domain is None
        return tags
