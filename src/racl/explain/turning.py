"""Where the decision turns: the smallest budget and the highest threshold with which the row is accepted.

A row is accepted if and only if some feasible end of finite value costs no more than the budget and reaches
the threshold. So the smallest budget is the least cost among the ends that reach the threshold, and the
highest threshold is the best value within the budget: both float64 that the definition computes, hence exact.

Rows are refused too: a repair alone that a larger budget affords may have a feature or value that is not
finite, and a margin may overflow. So the definition's own verdict is asked at each turning point. A longer
plan with such a feature or value does not count, whatever the budget.

"The value of `[rule].budget`" is what that expression gives. A column that it reads, even one called
`budget`, keeps the row's value wherever another expression reads it.
"""

from __future__ import annotations

import math
from typing import cast

from racl.explain.case import Case, judge
from racl.explain.explanation import BudgetTurn, ThresholdTurn
from racl.explain.numbers import amount, exact, rounded
from racl.semantics import Decision, Refused


def outcome_in_a_word(case: Case, *, budget: float, threshold: float) -> str:
    """What becomes of the row: accepted, rejected or refused."""
    found = judge(case, budget=budget, threshold=threshold)
    return "refused" if isinstance(found, Refused) else "accepted" if found.accepted else "rejected"


# budget ----------------------------------------------------------------------------------------------


def budget_turn(case: Case) -> BudgetTurn:
    """The smallest budget with which the row is accepted."""
    cheapest = case.cheapest_reaching
    if cheapest is None:
        kind = "repair" if case.domain.rule.steps == 1 else "plan"
        return _no_budget(case, f"no {kind} makes it feasible with a value that reaches the threshold")
    found = judge(case, budget=cheapest.cost, threshold=case.threshold)
    if isinstance(found, Refused):
        needed = f"with a budget of {amount(cheapest.cost, case.unit)}, the smallest that would do"
        return _no_budget(case, f"{needed}, the row is refused: {found.column}: {found.reason}")
    return _some_budget(case, cheapest.cost, found)


def _no_budget(case: Case, reason: str) -> BudgetTurn:
    refused = _refused_from(case)
    return BudgetTurn(
        now=case.budget,
        accepted_from=None,
        turns=False,
        plan=None,
        value=None,
        below=None,
        refused_from=refused[0],
        refusal=refused[1],
        reason=reason,
        words=f"no budget turns it: {reason}",
    )


def _some_budget(case: Case, least: float, found: Decision) -> BudgetTurn:
    below = math.nextafter(least, -math.inf)
    after = outcome_in_a_word(case, budget=below, threshold=case.threshold) if below >= 0 else None
    refused = _refused_from(case)
    return BudgetTurn(
        now=case.budget,
        accepted_from=least,
        turns=not case.decision.accepted or least > 0,
        plan=found.plan,
        value=found.value,
        below=after,
        refused_from=refused[0],
        refusal=refused[1],
        reason="",
        words=_budget_words(case, least, found, after),
    )


def _budget_words(case: Case, least: float, found: Decision, after: str | None) -> str:
    at = amount(least, case.unit)
    if not case.decision.accepted:
        more = amount(least - case.budget, case.unit, precise=False)
        return f"the smallest with which it is accepted is {at}, {more} more than now, by `{found.plan}`"
    if after is None:
        return f"no budget turns it: with a budget of 0 it is still accepted, by `{found.plan}`"
    return f"the smallest with which it stays accepted is {at}, by `{found.plan}`; with less it is {after}"


def _refused_from(case: Case) -> tuple[float | None, str]:
    """The smallest budget that affords a repair alone whose feature or value is not finite."""
    broken = [
        (way.cost, way.value)
        for way in case.survey.ways
        if len(way.steps) <= 1 and isinstance(way.value, Refused)
    ]
    if not broken:
        return None, ""
    cost, refusal = min(broken, key=lambda one: one[0])
    return cost, f"{refusal.column}: {refusal.reason}"


# threshold -------------------------------------------------------------------------------------------


def threshold_turn(case: Case) -> ThresholdTurn:
    """The highest threshold with which the row is accepted."""
    if not case.admissible:
        reason = "nothing is admissible, whatever the threshold"
        return ThresholdTurn(
            now=case.threshold,
            accepted_up_to=None,
            turns=False,
            plan=None,
            cost=None,
            above=None,
            reason=reason,
            words=f"no threshold turns it: {reason}",
        )
    return _some_threshold(case, max(option.value for option in case.admissible))


def _some_threshold(case: Case, most: float) -> ThresholdTurn:
    # INVARIANT: at the best value itself the margin is 0, so the row is not refused
    found = cast("Decision", judge(case, budget=case.budget, threshold=most))
    beyond = math.nextafter(most, math.inf)
    after = outcome_in_a_word(case, budget=case.budget, threshold=beyond) if math.isfinite(beyond) else None
    return ThresholdTurn(
        now=case.threshold,
        accepted_up_to=most,
        turns=not case.decision.accepted or after is not None,
        plan=found.plan,
        cost=found.cost,
        above=after,
        reason="",
        words=_threshold_words(case, most, found, after),
    )


def _threshold_words(case: Case, most: float, found: Decision, after: str | None) -> str:
    if not case.decision.accepted:
        less = rounded(case.threshold - most)
        return (
            f"the highest with which it is accepted is {exact(most)}, {less} less than now, by `{found.plan}`"
        )
    if after is None:
        return f"no threshold turns it: with {exact(most)} it is still accepted, by `{found.plan}`"
    stays = f"the highest with which it stays accepted is {exact(most)}, by `{found.plan}`"
    return f"{stays}; with more it is {after}"
