"""A plain matrix as rows of a domain: each column a feature, nothing required, nothing to repair."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from racl.documents import Document
from racl.domain.files import domain_of
from racl.domain.model import Domain
from racl.options import Floats


@lru_cache(maxsize=16)
def matrix_domain(columns: int) -> Domain:
    """The domain of matrices of so many columns, whose one threshold is 0."""
    names = [f"x{number}" for number in range(columns)]
    value: dict[str, object] = {
        "racl": 1,
        "name": "matrix",
        "candidate": dict.fromkeys(names, "number"),
        "context": {"budget": {"type": "number", "default": 0}},
        "requirements": {"none": "true"},
        "features": {name: name for name in names},
        "rule": {"threshold": 0},
    }
    return domain_of(Document(value, {}))


def matrix_frame(X: Floats) -> dict[str, Floats]:
    """The rows of a matrix as a frame."""
    frame = {f"x{number}": np.ascontiguousarray(X[:, number]) for number in range(X.shape[1])}
    return {**frame, "budget": np.zeros(len(X))}
