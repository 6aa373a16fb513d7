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
    QueryError,
    RaclError,
    Refusal,
    RowError,
)
from racl.model import Model, load_model
from racl.semantics import Credit, Decision

if TYPE_CHECKING:
    from racl.client import AsyncClient, Client
    from racl.decide import Decisions
    from racl.explain import Explanation
    from racl.learn.estimator import RepairClassifier
    from racl.metrics.compare import Comparison, Difference, compare
    from racl.metrics.evaluate import evaluate
    from racl.metrics.rates import Rate
    from racl.metrics.report import Metrics
    from racl.query import sql
    from racl.scale.deciding import decide_files

__version__ = "0.1.0"

__all__ = [
    "AsyncClient",
    "Client",
    "Comparison",
    "Credit",
    "DataError",
    "Decision",
    "Decisions",
    "Difference",
    "Domain",
    "DomainError",
    "Explanation",
    "KernelWarning",
    "Metrics",
    "Model",
    "ModelError",
    "Problem",
    "QueryError",
    "RaclError",
    "Rate",
    "Refusal",
    "RepairClassifier",
    "RowError",
    "compare",
    "decide_files",
    "evaluate",
    "load_domain",
    "load_model",
    "sql",
]

LATER = {
    "AsyncClient": "racl.client",
    "Client": "racl.client",
    "Comparison": "racl.metrics.compare",
    "Decisions": "racl.decide",
    "Difference": "racl.metrics.compare",
    "Explanation": "racl.explain",
    "Metrics": "racl.metrics.report",
    "Rate": "racl.metrics.rates",
    "RepairClassifier": "racl.learn.estimator",
    "compare": "racl.metrics.compare",
    "decide_files": "racl.scale.deciding",
    "evaluate": "racl.metrics.evaluate",
    "sql": "racl.query",
}  # what pulls in Arrow is imported when asked for


def __getattr__(name: str) -> Any:
    if name not in LATER:
        raise AttributeError(f"module 'racl' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(LATER[name]), name)
