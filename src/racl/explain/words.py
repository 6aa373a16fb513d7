"""An explanation for a terminal: plain text, folded at 96 columns, no colour."""

from __future__ import annotations

from collections.abc import Iterator

from racl.domain.model import KEEP
from racl.errors import printable
from racl.explain.explanation import Attempt, Check, Explanation, Outcome, Role, Route, Step, Worth
from racl.explain.layout import columns, field, folded, notes, unglued
from racl.explain.numbers import aligned, amount, count, exact, rounded
from racl.explain.phrases import applies, change, failed, given, read, worked_out

TITLES = {
    Role.CHOSEN: "the plan",
    Role.BEST: "the best value",
    Role.RUNNER_UP: "the runner-up, of other repairs",
    Role.CHEAPEST_FEASIBLE: "the cheapest that would make it feasible",
    Role.LARGER_BUDGET: "with a larger budget",
}
LONG = 24  # a plan's name that would spread a column


def words(found: Explanation) -> str:
    """The whole explanation, section by section."""
    sections = (verdict, facts, requirements, repairs, plans, values, turning)
    blocks = [list(section(found)) for section in sections]
    return "\n\n".join("\n".join(printable(unglued(line)) for line in block) for block in blocks if block)


def verdict(found: Explanation) -> Iterator[str]:
    """What was decided, and why, in sentences."""
    yield f"{found.domain}: {found.decision.credit.value}"
    for sentence in filter(None, (found.reason, found.choice)):
        yield from folded(sentence, indent=2)


def facts(found: Explanation) -> Iterator[str]:
    """The decision and what it was held against."""
    one, unit = found.decision, found.budget.unit
    of = "" if one.accepted else ", of the best"
    yield "Decision"
    yield from field("accepted", "yes" if one.accepted else "no")
    yield from field("plan", one.plan or "none")
    yield from field("value", "none: nothing is admissible" if one.value is None else exact(one.value) + of)
    yield from field("margin", "" if one.margin is None else exact(one.margin) + of)
    yield from field("cost", "" if one.cost is None else amount(one.cost, unit) + of)
    yield from field("budget", given(found.budget))
    yield from field("threshold", given(found.threshold))
    default = "" if found.preference == found.persona else ", by the preference of personas not declared"
    yield from field("persona", found.persona + default)
    yield from field("rule", rule(found))


def rule(found: Explanation) -> str:
    """How a plan is chosen."""
    which = "the best value" if found.choose == "best" else "the cheapest that reaches the threshold"
    worth = "the score" if found.tradeoff == 0 else f"the score less {exact(found.tradeoff)} * cost"
    return f"{which}; {count(found.steps, 'repair')} at most; a value is {worth}"


# requirements and repairs ----------------------------------------------------------------------------


def requirements(found: Explanation) -> Iterator[str]:
    """Every requirement on the candidate as it came."""
    fails = sum(not one.holds for one in found.requirements)
    how_many = f"{fails} of {len(found.requirements)} not met" if fails else "all met"
    yield f"Requirements of the candidate as it came: {how_many}"
    yield from notes([requirement(one) for one in found.requirements])


def requirement(one: Check) -> list[str]:
    """One requirement in cells."""
    return ["holds" if one.holds else "FAILS", one.requirement, one.text, read(one.reads)]


def repairs(found: Explanation) -> Iterator[str]:
    """Every repair alone."""
    yield "Repairs, each alone on the candidate as it came"
    for one in found.repairs:
        yield from attempt(found, one)


def attempt(found: Explanation, one: Attempt) -> Iterator[str]:
    """One repair."""
    mark = "  <- the plan" if one.repair == found.decision.plan else ""
    yield from folded(one.repair + titled(one.label) + mark, indent=2, hang=2)
    if one.repair != KEEP:
        yield from field("applies", applies(one.applies), indent=4)
    if one.outcome is not None and one.price is not None:
        yield from outcome(found, one.outcome, how=worked_out(one.price))


def titled(label: str) -> str:
    """A label after the name it belongs to."""
    return f": {label}" if label else ""


def outcome(found: Explanation, one: Outcome, *, how: str = "") -> Iterator[str]:
    """What came of a repair or a plan."""
    yield from field("changes", ", ".join(map(change, one.changes)), indent=4)
    yield from field("cost", cost(found, one), indent=4)
    yield from field("", how, indent=4)
    yield from field("feasible", "yes" if one.feasible else f"no: {failed(one.failing)}", indent=4)
    yield from field("value", value(one), indent=4)
    yield from field("admissible", admissible(one), indent=4)


def admissible(one: Outcome) -> str:
    """Whether a repair or a plan counts, and what stands against it."""
    against = [] if one.feasible else ["not feasible"]
    against += [] if one.within_budget else ["over the budget"]
    against += [] if one.value is not None else ["no finite value"]
    return f"no: {' and '.join(against)}" if against else "yes"


def cost(found: Explanation, one: Outcome) -> str:
    """A cost against the budget."""
    apart = rounded(abs(one.over_by))
    against = f"within the budget, {apart} left" if one.within_budget else f"over the budget by {apart}"
    return f"{amount(one.cost, found.budget.unit)}: {against}"


def value(one: Outcome) -> str:
    """A value against the threshold."""
    if one.value is None or one.margin is None:
        return f"none: {one.fault}"
    if one.margin == 0:
        return f"{rounded(one.value)}: exactly the threshold"
    apart = rounded(abs(one.margin))
    against = f"reaches the threshold, {apart} above" if one.reaches else f"short of the threshold by {apart}"
    return f"{rounded(one.value)}: {against}"


# plans -----------------------------------------------------------------------------------------------


def plans(found: Explanation) -> Iterator[str]:
    """The plans that matter, step by step."""
    if found.steps == 1:
        return
    one = found.search
    counts = f"{one.sequences:,} sequences tried, {one.feasible:,} feasible, {one.admissible:,} admissible"
    yield f"Plans of up to {count(found.steps, 'repair')}: {counts}"
    if one.uncounted:
        yield f"  {one.uncounted:,} of the feasible do not count: a feature or the value is not finite"
    for plan in found.plans:
        yield from route(found, plan)


def route(found: Explanation, one: Route) -> Iterator[str]:
    """One plan."""
    yield from folded(f"{TITLES[one.role]}: {one.plan}", indent=2, hang=2)
    for number, taken in enumerate(one.steps, start=1):
        yield from step(found, number, taken)
    yield from outcome(found, one.outcome)


def step(found: Explanation, number: int, one: Step) -> Iterator[str]:
    """One step of a plan."""
    price = float(one.price.value)
    so_far = f"{amount(price, found.budget.unit)}, {amount(one.total, found.budget.unit)} so far"
    how = worked_out(one.price)
    yield from folded(f"{number}. {one.repair}{titled(one.label)}", indent=4, hang=3)
    yield from field("applies", applies(one.applies), indent=7, width=9)
    yield from field("changes", ", ".join(map(change, one.changes)), indent=7, width=9)
    yield from field("cost", f"{so_far}; {how}" if how else so_far, indent=7, width=9)
    yield from field("leaves", failed(one.failing) or "every requirement met", indent=7, width=9)


# values ----------------------------------------------------------------------------------------------


def values(found: Explanation) -> Iterator[str]:
    """How the values of `keep` and of the plan come about, side by side."""
    names = [worth.plan for worth in found.values]
    listed = " and ".join(f"`{name}`" for name in names)
    order = f"weights of `{found.preference}`, added in this order"
    yield from folded(f"Value of {listed}: {order}", indent=0, hang=2)
    labels, *numbers = zip(*value_rows(found.values), strict=True)
    heads = [part for name in names for part in (name if len(name) <= LONG else "this plan", "")]
    parts = ["g(x)", "weight * g(x)"] * len(names)
    tops = zip(["", *heads], ["weight", *parts], map(aligned, map(list, numbers)), strict=True)
    table = [["", "", *labels], *([head, part, *column] for head, part, column in tops)]
    yield from columns(list(zip(*table, strict=True)))


def value_rows(worths: tuple[Worth, ...]) -> Iterator[list[str]]:
    """A row of cells for each thing that is added: name, weight, and for each plan g and the product."""
    first = worths[0]
    yield cells("bias", "", [("", rounded(one.bias)) for one in worths])
    for number, term in enumerate(first.terms):
        pairs = [one.terms[number] for one in worths]
        yield cells(
            term.feature, rounded(term.weight), [(rounded(one.g), rounded(one.product)) for one in pairs]
        )
    yield cells("score", "", [("", rounded(one.score)) for one in worths])
    if first.tradeoff:
        pairs_ = [(rounded(one.cost), rounded(-one.tradeoff * one.cost)) for one in worths]
        yield cells("cost", rounded(-first.tradeoff), pairs_)
    yield cells("value", "", [("", "none" if one.value is None else rounded(one.value)) for one in worths])


def cells(name: str, weight: str, pairs: list[tuple[str, str]]) -> list[str]:
    """One row."""
    return [name, weight, *(cell for pair in pairs for cell in pair)]


# turning points --------------------------------------------------------------------------------------


def turning(found: Explanation) -> Iterator[str]:
    """What would turn the decision."""
    budget = found.turning_budget
    yield "What would turn it, all else fixed"
    yield from field("budget", budget.words)
    if budget.refused_from is not None:
        start = amount(budget.refused_from, found.budget.unit)
        yield from field("", f"from {start} on the row is refused: {budget.refusal}")
    yield from field("threshold", found.turning_threshold.words)
