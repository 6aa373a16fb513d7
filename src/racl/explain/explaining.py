"""From a model and a row to the explanation of the decision."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from racl.domain.model import ALL, Domain
from racl.explain.case import Case, case_of
from racl.explain.explanation import Explanation, Search
from racl.explain.outcomes import attempts, routes, worths
from racl.explain.readings import checks, number_formula
from racl.explain.reasons import choice, reason
from racl.explain.turning import budget_turn, threshold_turn
from racl.model import Model
from racl.semantics import State, read_row


def explain(model: Model, row: Mapping[str, object]) -> Explanation:
    """Why the decision on a row is what it is; raises RowError where the row is refused, like `decide_one`.

    Every sequence of repairs is tried, at whatever cost: four steps over sixteen repairs take a second.
    """
    decision = model.decide_one(row)
    state = read_row(model.domain, model.taste, row)
    # INVARIANT: a row that cannot be read was refused when it was decided
    case = case_of(model, cast("State", state), decision)
    return explained(case, persona_of(model, case.state))


def persona_of(model: Model, state: State) -> tuple[str, str]:
    """The row's persona, and whose preference stands for it."""
    column = model.domain.rule.persona
    persona = ALL if column is None else str(state[column])
    return persona, persona if persona in model.taste.personas else "default"


def explained(case: Case, persona: tuple[str, str]) -> Explanation:
    """The explanation of a case."""
    domain, rule, state = case.domain, case.domain.rule, case.state
    return Explanation(
        domain=domain.name,
        decision=case.decision,
        reason=reason(case),
        choice=choice(case),
        persona=persona[0],
        preference=persona[1],
        budget=number_formula(domain, rule.budget, state),
        threshold=number_formula(domain, rule.threshold, state),
        tradeoff=rule.tradeoff,
        choose=rule.choose.value,
        steps=rule.steps,
        requirements=checks(domain, state),
        repairs=attempts(case),
        search=search(domain, case),
        plans=routes(case),
        values=worths(case),
        turning_budget=budget_turn(case),
        turning_threshold=threshold_turn(case),
    )


def search(domain: Domain, case: Case) -> Search:
    """How many sequences were tried, and what became of them."""
    found = case.survey
    return Search(
        sequences=found.sequences,
        feasible=len(found.ways),
        admissible=len(case.admissible),
        uncounted=len(found.ways) - len(found.options),
        always_failing=tuple(domain.requirements[one].name for one in sorted(found.always_failing)),
    )
