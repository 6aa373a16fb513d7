"""Why a row was accepted or rejected, and why by this plan: a sentence each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from racl.domain.model import Choose
from racl.explain.case import Case
from racl.explain.ends import failing
from racl.explain.numbers import amount, rounded
from racl.semantics import Credit, Option


def reason(case: Case) -> str:
    """Why the row has its credit."""
    match case.decision.credit:
        case Credit.ALREADY_GOOD:
            return _already_good(case)
        case Credit.REPAIRABLE_GOOD:
            return _repairable_good(case)
        case Credit.NON_REPAIRABLE:
            return _non_repairable(case)
        case Credit.OVER_BUDGET:
            return _over_budget(case)
        case Credit.FEASIBLE_SUBOPTIMAL:
            return _feasible_suboptimal(case)
        case Credit.REPAIRABLE_SUBOPTIMAL:
            return _repairable_suboptimal(case)
        case _:
            assert_never(case.decision.credit)


def choice(case: Case) -> str:
    """Why this plan was taken; nothing on rejection."""
    if not case.decision.accepted:
        return ""
    return _cheapest(case) if case.domain.rule.choose is Choose.CHEAPEST else _best(case)


# credits ---------------------------------------------------------------------------------------------


def _already_good(case: Case) -> str:
    value = rounded(_keep(case).value)
    return (
        f"Accepted as it came: every requirement holds, and its value {value} reaches "
        f"the threshold {rounded(case.threshold)}."
    )


def _repairable_good(case: Case) -> str:
    plan, feasible = case.ranked[0], not failing(case.domain, case.state)
    effect = "brings it to" if feasible else "makes it feasible, with a value of"
    return (
        f"Accepted with a repair: as it came {_shortfall(case)}; {_priced(case, plan)} within the budget of "
        f"{amount(case.budget, case.unit)}, {effect} {rounded(plan.value)}, which reaches the threshold "
        f"{rounded(case.threshold)}."
    )


def _shortfall(case: Case) -> str:
    """What was wrong with the candidate as it came."""
    failed = failing(case.domain, case.state)
    if failed:
        return f"it fails {_requirements(case, failed)}"
    value = _keep(case).value
    return f"its value {rounded(value)} is {_short(case, value)}"


def _non_repairable(case: Case) -> str:
    opening = f"Rejected: it fails {_requirements(case, failing(case.domain, case.state))}, and"
    if not case.domain.repairs:
        return f"{opening} there are no repairs."
    if case.survey.ways:
        return f"{opening} what would make it feasible has a feature or a value that is not finite."
    stuck = case.survey.always_failing
    always = f": {_requirements(case, stuck)} {_verb(stuck)} whatever is done" if stuck else ""
    return f"{opening} no {_kind(case)} makes it feasible{always}."


def _over_budget(case: Case) -> str:
    found = case.cheapest_beyond
    if found is None:
        raise AssertionError("over budget means that something feasible lies beyond it")
    return (
        f"Rejected: the cheapest {_kind(case)} that would make it feasible, `{case.name(found.steps)}`, "
        f"costs {amount(found.cost, case.unit)} and the budget is {amount(case.budget, case.unit)}."
    )


def _feasible_suboptimal(case: Case) -> str:
    best, kept = case.ranked[0], _keep(case)
    if not best.steps:
        lack = f"its value {rounded(kept.value)} is {_short(case, kept.value)}"
        more = f"no {_kind(case)} within the budget is worth more"
        return f"Rejected: every requirement holds, but {lack}, and {more}."
    return (
        f"Rejected: every requirement holds, but the best within the budget, {_priced(case, best)}, is worth "
        f"{rounded(best.value)}, {_short(case, best.value)}."
    )


def _repairable_suboptimal(case: Case) -> str:
    best, among = case.ranked[0], len(case.admissible)
    which = f"the one {_kind(case)} that makes it feasible within the budget"
    if among > 1:
        which = f"of the {among:,} {_kind(case)}s that make it feasible within the budget the best"
    worth = f"is worth {rounded(best.value)}, {_short(case, best.value)}"
    return f"Rejected: as it came {_shortfall(case)}; {which}, {_priced(case, best)}, {worth}."


# the plan --------------------------------------------------------------------------------------------


def _best(case: Case) -> str:
    first, *rest = case.ranked
    plan = f"The plan is `{case.name(first.steps)}`"
    if not rest:
        return f"{plan}: nothing else is admissible."
    second, among = rest[0], f"of the {len(case.ranked):,} admissible {_kind(case)}s it has the highest value"
    if second.value < first.value:
        return f"{plan}: {among}; next comes `{case.name(second.steps)}` with {rounded(second.value)}."
    return f"{plan}: {among}, as has `{case.name(second.steps)}`; {_tie(first, second)}."


def _cheapest(case: Case) -> str:
    first, *rest = case.ranked
    plan = f"The plan is `{case.name(first.steps)}`"
    if not rest:
        return f"{plan}: nothing else within the budget reaches the threshold."
    second, among = (
        rest[0],
        f"of the {len(case.ranked):,} {_kind(case)}s that reach the threshold it is the cheapest",
    )
    if first.cost < second.cost:
        cost = amount(second.cost, case.unit)
        return f"{plan}: {among}; next comes `{case.name(second.steps)}` for {cost}."
    tie = "it has the higher value" if second.value < first.value else _tie(first, second)
    return f"{plan}: {among}, as is `{case.name(second.steps)}`; {tie}."


def _tie(first: Option, second: Option) -> str:
    """What parts two options of one value."""
    if len(first.steps) < len(second.steps):
        return "it takes fewer steps"
    return "it is declared first" if len(first.steps) <= 1 else "it comes first in the order of declaration"


# words -----------------------------------------------------------------------------------------------


def _keep(case: Case) -> Option:
    """The candidate as it came, where it is feasible."""
    return next(option for option in case.admissible if not option.steps)


def _requirements(case: Case, numbers: Iterable[int]) -> str:
    names = [f"`{case.domain.requirements[number].name}`" for number in sorted(numbers)]
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def _verb(failed: frozenset[int]) -> str:
    return "fails" if len(failed) == 1 else "fail"


def _kind(case: Case) -> str:
    """A repair, or a plan where it may take several."""
    return "repair" if case.domain.rule.steps == 1 else "plan"


def _priced(case: Case, option: Option) -> str:
    return f"`{case.name(option.steps)}`, for {amount(option.cost, case.unit)}"


def _short(case: Case, value: float) -> str:
    return f"short of the threshold {rounded(case.threshold)} by {rounded(case.threshold - value)}"
