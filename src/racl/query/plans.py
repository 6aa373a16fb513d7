"""Every plan that there is to try on a row, as terms of one program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from racl.domain.model import KEEP
from racl.model import Model
from racl.program import Kind, Lowering, Program, Term, effect_on, score_terms
from racl.query.facts import Facts


@dataclass(frozen=True, slots=True)
class Fault:
    """What makes a row refused, where it holds, and how that is worded."""

    holds: Term
    reason: str


@dataclass(frozen=True, slots=True)
class Plan:
    """A sequence of repairs: whether it can be carried out, where it leads, and what that is worth."""

    name: str
    taken: Term  # every step applies and can be carried out
    feasible: Term  # taken, and every requirement holds of where it leads
    admissible: Term  # feasible, within the budget and of finite value
    counts: Term  # feasible, and either over the budget or of finite value
    value: Term
    cost: Term
    step_faults: tuple[Fault, ...]  # of its one step
    value_faults: tuple[Fault, ...]


@dataclass(frozen=True, slots=True)
class Reached:
    """Where a sequence of repairs leads, before it is judged."""

    steps: tuple[int, ...]
    state: Mapping[str, Term]
    taken: Term
    cost: Term
    faults: tuple[Fault, ...]


class Plans:
    """Writes the plans of a model into the terms of its program."""

    def __init__(self, model: Model, program: Program, facts: Facts) -> None:
        self.domain, self.program, self.facts = model.domain, program, facts
        self.terms = program.terms
        self.zero = self.terms.constant(0.0)

    def all(self) -> list[Plan]:
        """Every plan: fewer steps first, then in the order of declaration."""
        start = Reached((), dict(self.program.columns), self.terms.truth(value=True), self.zero, ())
        return [
            self.judged(one)
            for one in sorted(self.reached(start), key=lambda one: (len(one.steps), one.steps))
        ]

    def reached(self, start: Reached) -> Iterator[Reached]:
        """The start and every end of further steps."""
        yield start
        if len(start.steps) == self.domain.rule.steps:
            return
        for number in range(len(self.domain.repairs)):
            if number not in start.steps:
                yield from self.reached(self.after(start, number))

    def after(self, start: Reached, number: int) -> Reached:
        """One more step."""
        effect = effect_on(self.domain, Lowering(self.terms, start.state), number)
        first, name = not start.steps, f"repairs.{effect.name}"
        bad_cost = None if self.sound_cost(effect.cost) else self.negated(self.priced(effect.cost))
        faults = (
            [] if bad_cost is None else [Fault(bad_cost, f"{name}.cost: not a finite number of at least 0")]
        )
        faults += [
            Fault(self.negated(self.finite(term)), f"{name}.sets: not a finite number")
            for term in effect.finite
            if not self.facts.finite(term)
        ]
        sound = [self.negated(fault.holds) for fault in faults]
        taken = self.terms.both("and", [start.taken, effect.applies, *([] if first else sound)])
        total = (
            effect.cost
            if first and self.plain(effect.cost)
            else self.terms.add("add", start.cost, effect.cost)
        )
        found = tuple(Fault(self.all_of(effect.applies, fault.holds), fault.reason) for fault in faults)
        steps = (*start.steps, number)
        return Reached(steps, {**start.state, **effect.sets}, taken, total, found if first else ())

    def judged(self, end: Reached) -> Plan:
        """The plan that ends there."""
        reach = self.program.judged(end.state)
        feasible = self.all_of(end.taken, *reach.requirements)
        name = " + ".join(self.domain.repairs[step].name for step in end.steps) or KEEP
        within = self.terms.add("le", end.cost, self.program.budget, kind=Kind.BOOLEAN)
        affordable = feasible if not end.steps else self.all_of(feasible, within)
        value = score_terms(self.program, reach)
        if self.domain.rule.tradeoff:
            price = self.terms.add("mul", self.terms.constant(self.domain.rule.tradeoff), end.cost)
            value = self.terms.add("sub", value, price)
        if self.facts.finite(value):
            return Plan(name, end.taken, feasible, affordable, feasible, value, end.cost, end.faults, ())
        finite = self.finite(value)
        admissible, counts = affordable, feasible
        faults: tuple[Fault, ...] = ()
        if len(end.steps) <= 1:
            what = f"value: what `{name}` is worth, or one of its features, is not a finite number"
            faults = (Fault(self.all_of(affordable, self.negated(finite)), what),)
        else:
            beyond = self.negated(within)
            admissible = self.all_of(affordable, finite)
            counts = self.all_of(feasible, self.terms.both("or", [beyond, finite]))
        return Plan(name, end.taken, feasible, admissible, counts, value, end.cost, end.faults, faults)

    # truths over terms

    def all_of(self, *terms: Term) -> Term:
        """All of them hold."""
        return self.terms.both("and", terms)

    def negated(self, term: Term) -> Term:
        """It does not hold."""
        step = self.terms.steps[term]
        return step.arguments[0] if step.op == "not" else self.terms.add("not", term, kind=Kind.BOOLEAN)

    def finite(self, term: Term) -> Term:
        """It is a finite number."""
        return self.terms.add("finite", term, kind=Kind.BOOLEAN)

    def priced(self, cost: Term) -> Term:
        """It is a price."""
        return self.all_of(self.terms.add("le", self.zero, cost, kind=Kind.BOOLEAN), self.finite(cost))

    def sound_cost(self, cost: Term) -> bool:
        """It is a price in every row."""
        within = self.facts.bounds.of(cost)
        return within.finite and within.low >= 0

    def plain(self, cost: Term) -> bool:
        """Adding it to 0 changes nothing: it is never -0.0."""
        return not self.facts.may_be_negative_zero(cost)
