"""The airline rule as a CP-SAT model, one row at a time, solved to proven optimality.

Exactly one repair is picked; the repaired candidate is linear in the pick; requirements are constraints over
it and the score is the objective, in millionths. `keep` is looked at apart, for the credit. A row that has no
admissible repair is solved again without its budget, to tell `over budget` from `not repairable`.
"""

from typing import Any

from answers import NO_PLAN
from ortools.sat.python import cp_model

from rivals.loop import NAN, Option, Weights, feasible, menu
from rivals.loop import score as worth

SCALE = 1_000_000
CENTS = 10_000  # money, hours and minutes in ten-thousandths, rounded
NUMBERS = range(5)  # fare, stops, layover, duration, departs
CABINS = {"basic": 0, "main": 1, "premium": 2, "business": 3}


def solver() -> cp_model.CpSolver:
    """One thread and no presolve of symmetry: the fastest settings found for models this small."""
    found = cp_model.CpSolver()
    found.parameters.num_workers = 1
    found.parameters.symmetry_level = 0
    found.parameters.linearization_level = 0
    return found


def state(picks: list[Any], options: list[Option]) -> list[Any]:
    """The repaired candidate, column by column: linear in the pick."""

    def column(at: int) -> list[int]:
        if at in NUMBERS:
            return [round(CENTS * after[at]) for _, _, after in options]
        return [CABINS[after[at]] if at == 8 else int(after[at]) for _, _, after in options]

    carrier = options[0][2][7]  # which no repair changes
    return [carrier if at == 7 else cp_model.LinearExpr.weighted_sum(picks, column(at)) for at in range(9)]


def truth(model: cp_model.CpModel, yes: Any, no: Any) -> Any:
    """A fresh truth that holds exactly where the one constraint does, and the other where it does not."""
    flag = model.new_bool_var("")
    model.add(yes).only_enforce_if(flag)
    model.add(no).only_enforce_if(~flag)
    return flag


def require(model: cp_model.CpModel, x: list[Any], request: tuple[Any, ...], direct: Any) -> None:
    """Every requirement as a constraint."""
    _, stops, layover, _, departs, has_bag, refundable, _, cabin = x
    persona, needs_bag, needs_refund = request[0], request[3], request[4]
    model.add(has_bag >= int(needs_bag))
    model.add(refundable >= int(needs_refund))
    model.add(layover >= 45 * CENTS).only_enforce_if(~direct)
    if persona != "student":
        model.add(stops <= CENTS)
    model.add(departs >= 5 * CENTS)
    model.add(departs <= 23 * CENTS)
    if persona in ("business", "family"):
        model.add(cabin >= 1)


def score(model: cp_model.CpModel, x: list[Any], w: list[float], direct: Any) -> Any:
    """The weighted features, in millionths of a ten-thousandth."""
    fare, stops, layover, duration, departs, has_bag, refundable, carrier, cabin = x
    waiting = model.new_int_var(0, 240 * CENTS, "")
    model.add_min_equality(waiting, [layover, 240 * CENTS])
    early = truth(model, departs <= 8 * CENTS - 1, departs >= 8 * CENTS)
    late = truth(model, departs >= 20 * CENTS + 1, departs <= 20 * CENTS)
    comfort = truth(model, cabin >= 2, cabin <= 1)
    numbers = [(w[1] / 400, fare), (w[2] / 6, duration), (w[3], stops), (w[5] / 60, waiting)]
    truths = zip((*w[6:11], w[4]), (early, late, has_bag, refundable, comfort, direct), strict=True)
    fixed = w[0] + w[11] * (carrier in ("B6", "WN")) + w[12] * (carrier in ("AA", "AS"))
    return (
        sum(round(SCALE * weight) * column for weight, column in numbers)
        + sum(round(SCALE * CENTS * weight) * column for weight, column in truths)
        + round(SCALE * CENTS * fixed)
    )


def best(
    options: list[Option], request: tuple[Any, ...], w: list[float], *, budget: float | None
) -> tuple[int, float, float] | None:
    """The place, value and cost of the best repair, or nothing if there is none."""
    model = cp_model.CpModel()
    picks = [model.new_bool_var("") for _ in options]
    model.add_exactly_one(picks)
    x = state(picks, options)
    direct = truth(model, x[1] == 0, x[1] >= CENTS)
    require(model, x, request, direct)
    if budget is not None:
        prices = [round(CENTS * price) for _, price, _ in options]
        model.add(cp_model.LinearExpr.weighted_sum(picks, prices) <= round(CENTS * budget))
        model.maximize(score(model, x, w, direct))
    run = solver()
    status = run.solve(model)
    if status == cp_model.INFEASIBLE:
        return None
    assert status == cp_model.OPTIMAL, run.status_name(status)
    at = next(at for at, pick in enumerate(picks) if run.boolean_value(pick))
    return options[at][0], run.objective_value / SCALE / CENTS, options[at][1]


def decide_row(row: tuple[Any, ...], weights: Weights) -> tuple[bool, int, int, float, float, float]:
    """One row's six outputs."""
    request, options = row[9:], list(menu(row[:9]))
    persona, budget, threshold, needs_bag, needs_refund = request
    w = weights[persona]
    kept = feasible(row[:9], persona, needs_bag, needs_refund)
    found = best(options, request, w, budget=budget)
    if found is None:
        repairable = best(options, request, w, budget=None) is not None
        return False, 3 if repairable else 2, NO_PLAN, NAN, NAN, NAN
    place, value, cost = found
    if value < threshold:
        return False, 4 if kept else 5, NO_PLAN, value, value - threshold, cost
    good = kept and worth(row[:9], w) >= threshold
    return True, 0 if good else 1, place, value, value - threshold, cost


def decide(columns: list[list[Any]], weights: Weights) -> list[tuple[bool, int, int, float, float, float]]:
    """Row after row."""
    return [decide_row(row, weights) for row in zip(*columns, strict=True)]
