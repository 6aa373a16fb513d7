"""Refused rows: each kind of fault as the definition words it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tools.pages.markdown import code, table

from racl.domain.files import parse_domain
from racl.errors import RowError
from racl.model import Model
from racl.semantics import Preference, Taste

DOMAIN = """
racl = 1
name = "refusals"
[candidate]
fare = { type = "number", min = 0, max = 5000 }
stops = { type = "integer", min = 0 }
has_bag = "boolean"
carrier = { type = "category", values = ["AA", "UA"] }
[context]
persona = { type = "category", values = ["business", "leisure"] }
per_bag = "number"
rate = "number"
budget = "number"
threshold = "number"
[requirements]
bag = "has_bag"
[features]
price = "fare / 100"
cheap = "1 / fare"
aa = "carrier == 'AA'"
stops = "stops"
[repairs.add_bag]
applies = "not has_bag"
sets = { has_bag = "true", fare = "fare + per_bag / rate" }
cost = "per_bag"
"""
GOOD: Mapping[str, object] = {
    "fare": 320.0,
    "stops": 1,
    "has_bag": False,
    "carrier": "UA",
    "persona": "leisure",
    "per_bag": 35.0,
    "rate": 1.0,
    "budget": 50.0,
    "threshold": 1.0,
}
NAN = float("nan")
FAULTS: list[tuple[str, dict[str, object]]] = [
    ("null", {"fare": None}),
    ("NaN", {"fare": NAN}),
    ("an infinity", {"fare": float("inf")}),
    ("below `min`", {"fare": -1.0}),
    ("above `max`", {"fare": 9999.0}),
    ("text for a number", {"fare": "320"}),
    ("a truth for a number", {"fare": True}),
    ("not whole", {"stops": 1.5}),
    ("an integer that float64 does not hold", {"stops": 2**53 + 1}),
    ("1 for true", {"has_bag": 1}),
    ("not among `values`", {"carrier": "aa"}),
    ("a number for text", {"carrier": 7}),
    ("a persona that is not declared", {"persona": "student"}),
    ("a negative budget", {"budget": -1.0}),
    ("a negative cost of a repair that applies", {"per_bag": -0.5}),
    ("a repair that applies sets what is not finite", {"rate": 0.0}),
    ("a feature that is not finite", {"fare": 0.0, "has_bag": True}),
]


def reasons() -> str:
    """Every kind of fault with its column and its reason."""
    return table(["what is wrong", "`column`", "`reason`"], _shown())


def _shown() -> Iterator[list[str]]:
    domain = parse_domain(DOMAIN)
    taste = Taste({persona: Preference(0.0, (0.0,) * len(domain.features)) for persona in domain.personas})
    model = Model(domain, taste)
    for what, fault in FAULTS:
        try:
            model.decide_one({**GOOD, **fault})
        except RowError as refused:
            found = refused.refusals[0]
            yield [what, code(found.column), found.reason]
        else:
            raise AssertionError(f"{what} is not refused")
