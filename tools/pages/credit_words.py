"""Decisions: the six values and the six credits."""

from __future__ import annotations

import msgspec
from tools.pages.markdown import code, table

from racl.semantics import Credit, Decision

VALUES = {
    "accepted": "whether the best admissible plan reaches the threshold",
    "credit": "why, in one of six words; see below",
    "plan": "the repairs to carry out, joined by ` + `, or `keep` for none; null on rejection",
    "value": "of the plan; on rejection of the best admissible one; null if nothing is admissible",
    "margin": "the value less the threshold; null likewise",
    "cost": "of the plan; on rejection of the best admissible one; null likewise",
}
CREDITS = {
    Credit.ALREADY_GOOD: ("the candidate is feasible as it came, and reaches the threshold so", "it is good"),
    Credit.REPAIRABLE_GOOD: ("it is accepted otherwise", "the plan makes it good"),
    Credit.NON_REPAIRABLE: ("no plan is feasible, at whatever cost", "no known repair helps"),
    Credit.OVER_BUDGET: ("some plan is feasible, none is admissible", "a repair helps, beyond the budget"),
    Credit.FEASIBLE_SUBOPTIMAL: ("it is rejected, and feasible as it came", "nothing wrong but its value"),
    Credit.REPAIRABLE_SUBOPTIMAL: ("it is rejected otherwise", "a repair helps, but not enough"),
}


def values() -> str:
    """The six values of a decision."""
    fields = [field.name for field in msgspec.structs.fields(Decision)]
    return table(["", "is"], [[code(name), VALUES[name]] for name in fields])


def credit_table() -> str:
    """The six credits."""
    rows = [[code(credit), *CREDITS[credit]] for credit in Credit]
    return table(["credit", "when", "in other words"], rows)
