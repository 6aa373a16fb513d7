"""Plans of three steps as a CP-SAT model, one row at a time, solved to proven optimality.

The kindest form for the solver: the configurator's changes only add, so their order does not matter and a
plan is a set of at most three. Everything is linear in sixteen truths, and whole, so the optimum is the very
number that the library must find. What a change adds is a table here, as a user of a solver would write it.
"""

from time import perf_counter
from typing import Any

from ortools.sat.python import cp_model

STEPS = 3

CHANGES: list[tuple[int, int, dict[str, int]]] = [  # price, parts that the shop fits, what is added
    (240, 1, {"card_slots": -1, "graphics": 40, "watts": 75, "heat": 10, "card_mm": 60}),
    (520, 1, {"card_slots": -1, "graphics": 90, "watts": 160, "heat": 25, "card_mm": 110, "noise": 3}),
    (55, 1, {"ram_slots": -1, "ram": 16}),
    (100, 1, {"ram_slots": -1, "ram": 32}),
    (190, 2, {"ram_slots": -2, "ram": 64, "watts": 10}),
    (60, 1, {"bays": -1, "disk": 1}),
    (130, 1, {"bays": -1, "disk": 4, "noise": 3}),
    (60, 1, {"supply": 200}),
    (110, 1, {"supply": 400, "noise": 2}),
    (45, 1, {"cooling": 60, "noise": 1}),
    (130, 2, {"cooling": 140, "noise": -2, "watts": 10}),
    (75, 3, {"case_mm": 80, "cooling": 15}),
    (30, 1, {"wifi": 1, "watts": 5}),
    (180, 1, {"cores": 4, "watts": 45, "heat": 40}),
    (35, 1, {"noise": -4, "cooling": -10}),
    (90, 0, {"warranty": 1}),
]
FEATURES = ("cores", "graphics", "ram", "disk", "noise", "wifi", "warranty")


def best(x: dict[str, int], w: list[int]) -> tuple[int | None, float]:
    """The value of the best plan, none if nothing is admissible; and the seconds that solving alone took."""
    model = cp_model.CpModel()
    taken = [model.new_bool_var("") for _ in CHANGES]

    def total(amounts: list[int]) -> Any:
        return cp_model.LinearExpr.weighted_sum(taken, amounts)

    def after(name: str) -> Any:
        return x[name] + total([adds.get(name, 0) for _, _, adds in CHANGES])

    for name in ("card_slots", "ram_slots", "bays"):
        model.add(after(name) >= 0)
    for name in ("wifi", "warranty"):
        model.add(after(name) <= 1)
    model.add(after("supply") >= after("watts") + 100)
    model.add(after("cooling") >= after("heat"))
    model.add(after("case_mm") >= after("card_mm"))
    model.add(after("ram") >= x["needs_ram"])
    model.add(after("graphics") >= x["needs_graphics"])
    model.add(after("wifi") >= x["needs_wifi"])
    model.add(cp_model.LinearExpr.sum(taken) <= STEPS)
    cost = total([price + parts * x["fitting"] for price, parts, _ in CHANGES])
    model.add(cost <= x["budget"])
    score = w[0] + sum(weight * after(name) for weight, name in zip(w[1:], FEATURES, strict=True))
    model.maximize(score - cost)
    run = solver()
    before = perf_counter()
    status = run.solve(model)
    spent = perf_counter() - before
    if status == cp_model.INFEASIBLE:
        return None, spent
    assert status == cp_model.OPTIMAL, run.status_name(status)
    return round(run.objective_value), spent


def solver() -> cp_model.CpSolver:
    """One thread, no presolve, no linear relaxation: the fastest settings found for models this small."""
    found = cp_model.CpSolver()
    found.parameters.num_workers = 1
    found.parameters.cp_model_presolve = False
    found.parameters.linearization_level = 0
    return found


def integers(rows: dict[str, Any]) -> list[dict[str, int]]:
    """Each row as whole numbers."""
    lists = [column.astype(int).tolist() for column in rows.values()]
    return [dict(zip(rows, row, strict=True)) for row in zip(*lists, strict=True)]
