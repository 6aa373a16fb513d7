"""Repair before veto: decide with hard requirements, known repairs and learned preferences.

>>> import racl
>>> model = racl.load_model("examples/airline/model.json")
>>> model.domain.name
'air-ticket'
"""

from typing import TYPE_CHECKING, Any

from racl.domain.files import load_domain
from racl.domain.model import Domain
from racl.errors import (
    DataError,
    DomainError,
    KernelWarning,
    ModelError,
    Problem,
    RaclError,
    Refusal,
    RowError,
)
from racl.model import Model, load_model
from racl.semantics import Credit, Decision

if TYPE_CHECKING:
    from racl.decide import Decisions
    from racl.explain import Explanation

__version__ = "0.1.0"

__all__ = [
    "Credit",
    "DataError",
    "Decision",
    "Decisions",
    "Domain",
    "DomainError",
    "Explanation",
    "KernelWarning",
    "Model",
    "ModelError",
    "Problem",
    "RaclError",
    "Refusal",
    "RowError",
    "load_domain",
    "load_model",
]

LATER = {
    "Decisions": "racl.decide",
    "Explanation": "racl.explain",
}  # what pulls in Arrow is imported when asked for


def __getattr__(name: str) -> Any:
    if name not in LATER:
        raise AttributeError(f"module 'racl' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(LATER[name]), name)
