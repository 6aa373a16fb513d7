"""From what every plan is worth to the decision, as layers of a query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from racl.domain.model import Choose
from racl.model import Model
from racl.query import text as sql
from racl.query.dialects import Dialect
from racl.query.names import Names
from racl.query.text import E
from racl.semantics import Credit

Layer = tuple[str, dict[str, E]]  # its name, and the columns that it adds


@dataclass(frozen=True, slots=True)
class Candidate:
    """A plan in a query: its value, null unless admissible, and its cost."""

    name: str
    value: E
    cost: E


@dataclass(frozen=True)
class Verdict:
    """Writes the layers from the plans to the decision."""

    model: Model
    dialect: Dialect
    names: Names
    candidates: Sequence[Candidate]
    keep: Candidate | None
    feasible: E
    threshold: E
    wild: bool  # whether the margin of a row might not be finite

    def layers(self, fault: E) -> Iterator[Layer]:
        """The layers, in order; the last adds `refused` and what goes into the six columns."""
        new = self.names.new
        best, accepted, least, top = (
            new(word) for word in ("best", "accepted", "least_cost", "value_at_least_cost")
        )
        cheapest = self.model.domain.rule.choose is Choose.CHEAPEST
        found = {best: self.extreme([one.value for one in self.candidates], largest=True)}
        if cheapest:
            reaching = [sql.case([(self.reaches(one), one.cost.copy())]) for one in self.candidates]
            yield new("best_plan"), {**found, least: self.extreme(reaching, largest=False)}
            ties = [sql.case([(self.at(one, least), one.value.copy())]) for one in self.candidates]
            yield new("cheapest_plan"), {top: self.extreme(ties, largest=True)}
        else:
            yield new("best_plan"), found
        good = exp.GTE(this=sql.column(best), expression=self.threshold.copy())
        yield new("accepting"), {accepted: sql.or_else(good, sql.truth(value=False))}
        pick, value = self.numbered(best), sql.column(best)
        if cheapest:
            value = sql.case([(sql.column(accepted), sql.column(top))], sql.column(best))
            pick = sql.case([(sql.column(accepted), self.cheapest(least, top))], pick)
        chosen, worth, margin = new("chosen"), new("value"), new("margin")
        below = sql.binary(exp.Sub, value.copy(), self.threshold.copy())
        yield new("chosen_plan"), {chosen: pick, worth: value, margin: below}
        yield (
            new("decided"),
            self.decision(
                fault, best, {"accepted": accepted, "chosen": chosen, "value": worth, "margin": margin}
            ),
        )

    def decision(self, fault: E, best: str, at: dict[str, str]) -> dict[str, E]:
        """Why the row is refused, and what the decision is if it is not."""
        refused = fault
        if self.wild:
            wild = exp.And(
                this=exp.Not(this=sql.is_null(sql.column(at["margin"]))),
                expression=sql.negated(sql.finite(sql.column(at["margin"]), self.dialect)),
            )
            refused = sql.or_else(fault, sql.case([(wild, sql.text("margin: not a finite number"))]))
        accepted = sql.column(at["accepted"])
        costs = [(self.is_number(at["chosen"], n), one.cost.copy()) for n, one in enumerate(self.candidates)]
        plans = [
            (self.is_number(at["chosen"], n), sql.text(one.name)) for n, one in enumerate(self.candidates)
        ]
        return {
            "refused": refused,
            "accepted": accepted,
            "credit": self.credit(accepted, best),
            "plan": sql.case([(accepted.copy(), sql.case(plans))]) if plans else exp.Null(),
            "value": sql.column(at["value"]),
            "margin": sql.column(at["margin"]),
            "cost": sql.case(costs) if costs else sql.double(exp.Null()),
        }

    def is_number(self, chosen: str, number: int) -> E:
        """The plan of that number is chosen."""
        return exp.EQ(this=sql.column(chosen), expression=exp.Literal.number(number))

    def extreme(self, trees: list[E], *, largest: bool) -> E:
        """The largest or smallest, null where all are."""
        copies = [tree.copy() for tree in trees]
        return sql.extreme(copies, self.dialect, largest=largest) if copies else sql.double(exp.Null())

    def reaches(self, one: Candidate) -> E:
        """The plan is admissible and good enough."""
        return exp.GTE(this=one.value.copy(), expression=self.threshold.copy())

    def at(self, one: Candidate, least: str) -> E:
        """The plan is good enough, and none that is costs less."""
        return exp.And(
            this=self.reaches(one), expression=exp.EQ(this=one.cost.copy(), expression=sql.column(least))
        )

    def numbered(self, best: str) -> E:
        """The first plan of the best value."""
        equal = [exp.EQ(this=one.value.copy(), expression=sql.column(best)) for one in self.candidates]
        return self.first(equal)

    def cheapest(self, least: str, top: str) -> E:
        """The first plan of the least cost, of those the one of the highest value."""
        equal = [
            exp.And(
                this=exp.EQ(this=one.cost.copy(), expression=sql.column(least)),
                expression=exp.EQ(this=one.value.copy(), expression=sql.column(top)),
            )
            for one in self.candidates
        ]
        return self.first(equal)

    def first(self, conditions: Sequence[E]) -> E:
        """The number of the first condition that holds."""
        branches = [(condition, exp.Literal.number(number)) for number, condition in enumerate(conditions)]
        return sql.case(branches) if branches else exp.Cast(this=exp.Null(), to=exp.DataType.build("int"))

    def credit(self, accepted: E, best: str) -> E:
        """Why the row is accepted or rejected; the first that holds."""
        none = sql.is_null(sql.column(best))
        branches = [
            (accepted.copy(), sql.text(Credit.REPAIRABLE_GOOD)),
            (exp.And(this=none, expression=sql.held(self.feasible.copy())), sql.text(Credit.OVER_BUDGET)),
            (none.copy(), sql.text(Credit.NON_REPAIRABLE)),
        ]
        if self.keep is not None:
            already = exp.And(this=accepted.copy(), expression=self.reaches(self.keep))
            feasible = exp.Not(this=sql.is_null(self.keep.value.copy()))
            branches = [
                (already, sql.text(Credit.ALREADY_GOOD)),
                *branches,
                (feasible, sql.text(Credit.FEASIBLE_SUBOPTIMAL)),
            ]
        return sql.case(branches, sql.text(Credit.REPAIRABLE_SUBOPTIMAL))
