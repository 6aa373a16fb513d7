"""What came of each repair alone, and of the plans that matter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from racl.domain.model import KEEP, Choose
from racl.explain.case import Case, by_value, unit_of
from racl.explain.ends import Steps, changing
from racl.explain.explanation import Attempt, Change, Formula, Outcome, Role, Route, Step, Term, Worth
from racl.explain.readings import changes, failing_checks, price, readings, truth_formula
from racl.expr.show import show
from racl.semantics import End, Refused, State, apply, number, value_of


def end_of(case: Case, steps: Steps) -> End:
    """Where a plan leads, and what it costs."""
    state, total = case.state, 0.0
    for state, cost in states(case, steps):  # noqa: B007 - the last one counts
        total = total + cost
    return End(steps, state, total)


def states(case: Case, steps: Steps) -> Iterator[tuple[State, float]]:
    """The state after each step, and the step's cost."""
    state = case.state
    for step in steps:
        # INVARIANT: only steps that can be carried out are asked for
        state, cost = cast("tuple[State, float]", apply(case.domain, case.domain.repairs[step - 1], state))
        yield state, cost


def outcome(case: Case, end: End, changed: tuple[Change, ...]) -> Outcome:
    """What came of an end."""
    value = value_of(case.domain, case.preference, end)
    found = None if isinstance(value, Refused) else value
    failing, within = failing_checks(case.domain, end.state), end.cost <= case.budget
    return Outcome(
        cost=end.cost,
        within_budget=within,
        over_by=end.cost - case.budget,
        changes=changed,
        feasible=not failing,
        failing=failing,
        value=found,
        fault=f"{value.column}: {value.reason}" if isinstance(value, Refused) else "",
        margin=None if found is None else found - case.threshold,
        reaches=found is not None and found >= case.threshold,
        admissible=within and not failing and found is not None,
    )


# repairs ---------------------------------------------------------------------------------------------


def attempts(case: Case) -> tuple[Attempt, ...]:
    """Every repair alone, `keep` first."""
    free = Formula("0", 0.0, (), unit_of(case.domain, case.domain.rule.budget))
    kept = outcome(case, end_of(case, ()), ())
    keep = Attempt(KEEP, "", Formula("true", value=True), free, kept)
    return (keep, *(attempt(case, step) for step in range(1, len(case.domain.repairs) + 1)))


def attempt(case: Case, step: int) -> Attempt:
    """One repair alone."""
    domain, repair = case.domain, case.domain.repairs[step - 1]
    applies = truth_formula(domain, repair.applies, case.state)
    if not applies.value:
        return Attempt(repair.name, repair.label, applies, None, None)
    end = end_of(case, (step,))
    changed = changes(domain, [name for name, _ in repair.sets], case.state, end.state)
    cost = price(domain, repair, case.state)
    return Attempt(repair.name, repair.label, applies, cost, outcome(case, end, changed))


# plans -----------------------------------------------------------------------------------------------


def routes(case: Case) -> tuple[Route, ...]:
    """The plans that matter, where a plan may take several steps."""
    if case.domain.rule.steps == 1:
        return ()
    roles: dict[Steps, Role] = {}
    for role, steps in cast_of(case):
        roles.setdefault(steps, role)
    return tuple(route(case, steps, role) for steps, role in roles.items())


def cast_of(case: Case) -> Iterator[tuple[Role, Steps]]:
    """Roles and who plays them: the chosen or the best, the runner-up, what a larger budget would buy."""
    ranked, decision = case.ranked, case.decision
    if ranked:
        yield Role.CHOSEN if decision.accepted else Role.BEST, ranked[0].steps
        if decision.accepted and case.domain.rule.choose is Choose.CHEAPEST:
            yield Role.BEST, min(case.admissible, key=by_value).steps
        others = [option.steps for option in ranked if set(option.steps) != set(ranked[0].steps)]
        yield from ((Role.RUNNER_UP, steps) for steps in others[:1])
    elif case.cheapest_beyond is not None:
        yield Role.CHEAPEST_FEASIBLE, case.cheapest_beyond.steps
    if not decision.accepted and case.cheapest_reaching is not None:
        yield Role.LARGER_BUDGET, case.cheapest_reaching.steps


def route(case: Case, steps: Steps, role: Role) -> Route:
    """A plan step by step."""
    taken, end, names = tuple(steps_taken(case, steps)), end_of(case, steps), changing(case.domain)
    changed = changes(case.domain, names, case.state, end.state)
    whole = tuple(change for change in changed if change.before != change.after)
    return Route(case.name(steps), role, taken, outcome(case, end, whole))


def steps_taken(case: Case, steps: Steps) -> Iterator[Step]:
    """The steps of a plan, each on the state before it."""
    domain, before, total = case.domain, case.state, 0.0
    for step, (after, cost) in zip(steps, states(case, steps), strict=True):
        repair, total = domain.repairs[step - 1], total + cost
        yield Step(
            repair=repair.name,
            label=repair.label,
            applies=truth_formula(domain, repair.applies, before),
            price=price(domain, repair, before),
            total=total,
            changes=changes(domain, [name for name, _ in repair.sets], before, after),
            state=readings(domain, changing(domain), after),
            failing=failing_checks(domain, after),
        )
        before = after


# values ----------------------------------------------------------------------------------------------


def worths(case: Case) -> tuple[Worth, ...]:
    """How the values of `keep` and of the plan that the reason speaks of come about."""
    spoken = (case.spoken_of,) if case.spoken_of else ()  # nothing, or `keep` itself
    return tuple(worth(case, end_of(case, steps)) for steps in ((), *spoken))


def worth(case: Case, end: End) -> Worth:
    """How the value of an end comes about, added in the order of the definition."""
    terms, score = [], case.preference.bias
    for feature, weight in zip(case.domain.features, case.preference.weights, strict=True):
        g = number(feature.value, end.state)
        score = score + weight * g
        terms.append(Term(feature.name, show(feature.value.node), g, weight, weight * g))
    value, tradeoff = value_of(case.domain, case.preference, end), case.domain.rule.tradeoff
    return Worth(
        plan=case.name(end.steps),
        bias=case.preference.bias,
        terms=tuple(terms),
        score=score,
        tradeoff=tradeoff,
        cost=end.cost,
        value=None if isinstance(value, Refused) else value,
    )
