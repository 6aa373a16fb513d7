"""Small decision problems, said in a few words each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from racl import Decision
from racl.documents import Document
from racl.domain.check import check
from racl.domain.model import Domain
from racl.semantics import Preference, Refused, Taste, decide

Row = dict[str, Any]
BARS = {"budget": 10, "threshold": 0}


def domain(
    candidate: Mapping[str, object],
    *,
    requires: str | Mapping[str, str] = "true",
    feature: str | Mapping[str, str] = "0",
    repairs: Mapping[str, Any] | None = None,
    context: Mapping[str, object] | None = None,
    **rule: object,
) -> Domain:
    """A domain with one requirement and one feature, unless more are named."""
    document = {
        "racl": 1,
        "name": "small",
        "candidate": dict(candidate),
        "context": {"budget": "number", "threshold": "number", **(context or {})},
        "requirements": {"r": requires} if isinstance(requires, str) else dict(requires),
        "features": {"g": feature} if isinstance(feature, str) else dict(feature),
        "repairs": {name: dict(repair) for name, repair in (repairs or {}).items()},
        "rule": rule,
    }
    found = check(Document(document, {}))
    assert isinstance(found, Domain), found
    return found


def taste(of: Domain, *weights: float, bias: float = 0.0) -> Taste:
    """The same weights for every persona; 1 for each feature where none are given."""
    preference = Preference(bias, weights or (1.0,) * len(of.features))
    return Taste(dict.fromkeys(of.personas, preference))


def decided(of: Domain, *weights: float, bias: float = 0.0, **row: Any) -> Decision:
    """The decision on a row that is not refused; the budget is 10 and the threshold 0 unless said."""
    found = decide(of, taste(of, *weights, bias=bias), BARS | row)
    assert isinstance(found, Decision), found
    return found


def refused(of: Domain, *weights: float, bias: float = 0.0, **row: Any) -> str:
    """The column, repair or rule for which a row is refused."""
    found = decide(of, taste(of, *weights, bias=bias), BARS | row)
    assert isinstance(found, Refused), found
    return found.column
