"""Repair before veto: decide with hard requirements, known repairs and learned preferences.

>>> import racl
>>> model = racl.load_model("examples/airline/model.json")
>>> model.domain.name
'air-ticket'
"""

from racl.decide import Decisions, KernelWarning
from racl.domain.files import load_domain
from racl.domain.model import Domain
from racl.errors import DataError, DomainError, ModelError, Problem, RaclError, Refusal, RowError
from racl.model import Model, load_model
from racl.semantics import Credit, Decision

__version__ = "0.1.0"

__all__ = [
    "Credit",
    "DataError",
    "Decision",
    "Decisions",
    "Domain",
    "DomainError",
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
