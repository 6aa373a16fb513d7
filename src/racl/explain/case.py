"""One row under explanation, and what would be decided on it with another budget or threshold."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from racl.domain.model import Choose, Domain
from racl.explain.ends import Steps, Survey, Way, survey
from racl.expr.nodes import Expression, Name
from racl.model import Model
from racl.semantics import Decision, Option, Preference, Refused, State, number, plan, preference_of, verdict


@dataclass(frozen=True)
class Case:
    """A row that is not refused: its values, all ends of its repairs, and the decision."""

    domain: Domain
    preference: Preference
    state: State
    budget: float
    threshold: float
    survey: Survey
    decision: Decision

    @cached_property
    def admissible(self) -> tuple[Option, ...]:
        """The options within the budget."""
        return affordable(self.survey, self.budget)

    @cached_property
    def ranked(self) -> list[Option]:
        """The options that the decision chose from, the one taken first; on acceptance those that would do."""
        if not (self.decision.accepted and self.domain.rule.choose is Choose.CHEAPEST):
            return sorted(self.admissible, key=by_value)
        return sorted((one for one in self.admissible if one.value >= self.threshold), key=by_cost)

    @cached_property
    def cheapest_beyond(self) -> Way | None:
        """The cheapest feasible end beyond the budget, of whatever value."""
        beyond = (way for way in self.survey.ways if way.cost > self.budget)
        return min(beyond, key=lambda way: (way.cost, len(way.steps), way.steps), default=None)

    @cached_property
    def cheapest_reaching(self) -> Option | None:
        """Of all that is feasible and reaches the threshold what a budget just large enough would choose."""
        options = self.survey.options
        reaching = (one for one in options if one.value >= self.threshold and math.isfinite(one.cost))
        return min(reaching, key=by_cost, default=None)

    @property
    def spoken_of(self) -> Steps | None:
        """The plan that the decision stands on: the chosen, the best, or the cheapest feasible one."""
        if self.ranked:
            return self.ranked[0].steps
        return None if self.cheapest_beyond is None else self.cheapest_beyond.steps

    def name(self, steps: Steps) -> str:
        """The plan's name."""
        return plan(self.domain, steps)

    @property
    def unit(self) -> str:
        """The unit of budget and costs, where there is one."""
        return unit_of(self.domain, self.domain.rule.budget)


def case_of(model: Model, state: State, decision: Decision) -> Case:
    """The case of a row that has been read and decided."""
    domain = model.domain
    preference = preference_of(domain, model.taste, state)
    budget, threshold = number(domain.rule.budget, state), number(domain.rule.threshold, state)
    return Case(domain, preference, state, budget, threshold, survey(domain, preference, state), decision)


def by_value(option: Option) -> tuple[float, int, Steps]:
    """The order of the definition: value, then fewer steps, then the order of declaration."""
    return -option.value, len(option.steps), option.steps


def by_cost(option: Option) -> tuple[float, float, int, Steps]:
    """The order of `cheapest`: cost, then as by value."""
    return option.cost, *by_value(option)


def affordable(found: Survey, budget: float) -> tuple[Option, ...]:
    """The options that a budget admits."""
    return tuple(option for option in found.options if option.cost <= budget)


def judge(case: Case, *, budget: float, threshold: float) -> Decision | Refused:
    """The decision with these values of `[rule].budget` and `[rule].threshold`, all else as it is."""
    for way in case.survey.ways:
        if way.cost <= budget and isinstance(way.value, Refused) and len(way.steps) <= 1:
            return way.value
    options = list(affordable(case.survey, budget))
    feasible = bool(options) or any(way.cost > budget for way in case.survey.ways)
    return verdict(case.domain, options, feasible=feasible, threshold=threshold)


def unit_of(domain: Domain, expression: Expression) -> str:
    """The unit of an expression that is no more than a column."""
    node = expression.node
    return domain.column(node.name).unit if isinstance(node, Name) else ""
