"""A model as one query: the rows as they are, and beside each its decision."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from racl.domain.effects import plans_per_row
from racl.errors import Problem, QueryError, nearest, quoted
from racl.model import Model
from racl.program import Program, Term, lower
from racl.query import reading
from racl.query import text as sql
from racl.query.dialects import DIALECTS, Dialect, Own
from racl.query.facts import Facts
from racl.query.names import Names
from racl.query.notes import notes
from racl.query.plans import Fault, Plan, Plans
from racl.query.text import E
from racl.query.verdict import Candidate, Layer, Verdict
from racl.query.writer import Writer

OUTPUTS = ("accepted", "credit", "plan", "value", "margin", "cost", "refused")
MOST_PLANS = 400  # a query of more is longer than anybody reads and most engines take
TABLE, ROW = "racl_rows", "racl_row"
PART = re.compile(r'"(?:[^"]|"")+"|`[^`]+`|[^\W\d][\w$-]*')  # of the name of a table
PLACES = ("this", "db", "catalog")


@dataclass(frozen=True, slots=True)
class Query:
    """A query, and what has to be known about it."""

    tree: exp.Select
    notes: tuple[str, ...]
    dialect: Dialect
    exact: bool  # to the bit; without it, in the last place it may differ

    def __str__(self) -> str:
        head = "".join(f"-- {note}\n" for note in self.notes)
        return head + self.tree.sql(dialect=self.dialect.name, pretty=True)


def query(
    model: Model,
    dialect: str,
    *,
    table: str = "rows",
    columns: Sequence[str] = (),
    wide: Collection[str] = (),
    prefix: str = "",
) -> Query:
    """The query that decides the rows of a table; raises QueryError where the dialect cannot say it."""
    if dialect not in DIALECTS:
        hint = nearest(dialect, DIALECTS) or f"the dialects are {', '.join(DIALECTS)}"
        raise QueryError([Problem("", f"unknown dialect {quoted(dialect)}", hint)])
    spoken = DIALECTS[dialect]
    problems = list(_problems(model, spoken, columns, prefix))
    if problems:
        raise QueryError(problems)
    return _Statement(model, spoken, columns, prefix, wide).query(named_table(table, spoken))


def _problems(model: Model, dialect: Dialect, columns: Sequence[str], prefix: str) -> Iterator[Problem]:
    """Whatever can be told to be wrong before anything is written."""
    plans = plans_per_row(model.domain)
    if plans > MOST_PLANS:
        what = f"a query of {plans:,} plans for each row, more than the {MOST_PLANS} that fit in one"
        yield Problem("rule.steps", what, "decide files or frames, or Arrow batches on a cluster")
    if dialect.own is Own.NAMED and not columns:
        what = f"{dialect.label} cannot leave out the columns that the query works with"
        yield Problem("", what, "name the table's columns, in their order")
    names = [column.name for column in model.domain.columns_read]
    if dialect.folds_case:
        folded = [name.casefold() for name in names]
        alike = [name for name in names if folded.count(name.casefold()) > 1]
        if alike:
            listed = " and ".join(map(quoted, alike))
            yield Problem("", f"the columns {listed} are one and the same in {dialect.label}", "rename one")
    if re.fullmatch(r"[A-Za-z_]?[A-Za-z0-9_]*", prefix, re.ASCII) is None:
        yield Problem("", f"the prefix {quoted(prefix)} is not of letters, digits and underscores")
    for name in columns and names:
        if name not in columns:
            yield Problem(name, "column missing", nearest(name, columns))
    taken = {name.casefold() for name in (*columns, *names)}
    for name in OUTPUTS:
        if (prefix + name).casefold() in taken:
            hint = "give the decision's columns a prefix"
            yield Problem(prefix + name, f"the rows already have a column {quoted(prefix + name)}", hint)


def named_table(name: str, dialect: Dialect) -> exp.Table:
    """The table of that name, which may be one within a schema or a database."""
    parts = [match[0] for match in PART.finditer(name)]
    if ".".join(parts) != name or not 1 <= len(parts) <= len(PLACES):
        hint = 'give it as `rows`, `schema.rows` or `"any name"`'
        raise QueryError([Problem("", f"{quoted(name)} is not the name of a table", hint)])
    table = exp.Table()
    for key, part in zip(PLACES, reversed(parts), strict=False):
        plain = part.strip('"`').replace('""', '"') if part[0] in '"`' else part
        written = plain.upper() if dialect.upper and part == plain else plain
        table.set(key, exp.to_identifier(written, quoted=True))
    return table


class _Statement:
    """Writes one query."""

    def __init__(
        self, model: Model, dialect: Dialect, columns: Sequence[str], prefix: str, wide: Collection[str]
    ) -> None:
        self.model, self.dialect, self.columns, self.prefix = model, dialect, columns, prefix
        self.wide = wide
        self.own = None if columns else dialect.own
        self.names = Names.apart_from([*columns, TABLE, ROW, *OUTPUTS, *(prefix + name for name in OUTPUTS)])
        self.program: Program = lower(model.domain)
        self.facts = Facts(model, self.program, keeps_sign=dialect.keeps_sign)
        self.planning = Plans(model, self.program, self.facts)
        self.plans: list[Plan] = self.planning.all()
        self.rules = tuple(self._rule_faults())
        self.writer = Writer(model, self.program, self.facts, dialect)
        self.layers: list[Layer] = []

    def query(self, table: exp.Table) -> Query:
        """The query over a table."""
        first = self._given(table)
        self._read()
        self._share()
        candidates, fault = self._valued()
        values = {one.name: one for one in candidates}
        threshold = self.writer.write(self.program.threshold)
        feasible = sql.column(self.feasible)
        verdict = Verdict(
            self.model, self.dialect, self.names, candidates, values.get(self.plans[0].name), feasible, threshold,
            wild=not self._tame_margin(),
        )  # fmt: skip
        self.layers.extend(verdict.layers(fault))
        tree = self._assembled(first, table)
        return Query(
            tree, notes(self.model, self.writer, self.own), self.dialect, exact=not self.writer.inexact
        )

    # the rows as they are read

    def _given(self, table: exp.Table) -> exp.Select:
        """The columns that are read, as the table has them."""
        self.given = {
            column.name: self.names.new("given", column.name) for column in self.model.domain.columns_read
        }
        read = [exp.alias_(self._column(name), alias) for name, alias in self.given.items()]
        return self._fenced(sql.select([*self._own(), *read], self._aliased(table)))

    def _aliased(self, table: exp.Table) -> E:
        return exp.alias_(table.copy(), TABLE, table=True)

    def _column(self, name: str) -> E:
        written = name.upper() if self.dialect.upper and name.islower() else name
        return sql.column(written, TABLE, quoted=True)

    def _own(self) -> list[E]:
        """The table's own columns, in whatever form they come through."""
        match self.own:
            case Own.STRUCT | Own.COMPOSITE:
                return [exp.alias_(sql.column(TABLE), ROW)]
            case Own.PACKED:
                return [
                    exp.alias_(
                        sql.call("STRUCT", exp.Column(this=exp.Star(), table=exp.to_identifier(TABLE))), ROW
                    )
                ]
            case Own.ROWID:
                return [exp.alias_(sql.column("rowid", TABLE), ROW)]
            case Own.EXCLUDED:
                return [exp.Column(this=exp.Star(), table=exp.to_identifier(TABLE))]
            case _:
                quoted_ = [exp.to_identifier(name, quoted=True) for name in self.columns]
                return [
                    exp.alias_(self._column(name), alias)
                    for name, alias in zip(self.columns, quoted_, strict=True)
                ]

    def _read(self) -> None:
        """What refuses a row by its columns, and the values of those that are not refused."""
        faults: list[tuple[E, E]] = []
        values: dict[str, E] = {}
        columns = self.model.domain.columns_read
        self.fault = self.names.new("fault")
        for column in columns:
            given = sql.column(self.given[column.name])
            found = [*reading.fault(self.model, column, given, self.dialect)]
            if column.name in self.wide:
                found.append(reading.inexact(column, given))
            faults.extend((condition, sql.text(what)) for condition, what in found)
        sound = sql.is_null(sql.column(self.fault))
        for column in columns:
            value = reading.typed(column, sql.column(self.given[column.name]), self.dialect)
            name = self.names.new(column.name)
            values[name] = sql.case([(sound.copy(), value)])
            if self.dialect.stands_in:
                values[name] = sql.or_else(values[name], reading.stand_in(column, self.dialect))
            self.writer.names[self.program.columns[column.name]] = name
        nothing = exp.Cast(this=exp.Null(), to=exp.DataType.build("text"))
        self.layers.append((self.names.new("checked"), {self.fault: sql.case(faults) if faults else nothing}))
        self.layers.append((self.names.new("read"), values))

    # what is worked out of them

    def _rule_faults(self) -> Iterator[Fault]:
        program, plans = self.program, self.planning
        if not plans.sound_cost(program.budget):
            fault = plans.negated(plans.priced(program.budget))
            yield Fault(fault, "rule.budget: not a finite number of at least 0")
        if not self.facts.finite(program.threshold):
            yield Fault(plans.negated(plans.finite(program.threshold)), "rule.threshold: not a finite number")

    def _faults(self) -> list[Fault]:
        steps = [fault for plan in self.plans for fault in plan.step_faults]
        return [*self.rules, *steps, *(fault for plan in self.plans for fault in plan.value_faults)]

    def _share(self) -> None:
        """What is needed in several places, each once."""
        roots: list[Term] = [fault.holds for fault in self._faults()]
        for plan in self.plans:
            roots += [plan.admissible, plan.counts, plan.value, plan.cost]
        roots += [self.program.threshold] * 3
        if self.dialect.structs and self.writer.differing():
            self.writer.looked_up = self.names.new("weights")
            self.layers.append((self.names.new("tastes"), {self.writer.looked_up: self.writer.weights()}))
        for terms in self.writer.shared(roots):
            columns: dict[str, E] = {}
            for term in terms:
                columns[self._name(term)] = self.writer.write(term)
            self.layers.append((self.names.new("shared"), columns))
            self.writer.names.update(zip(terms, columns, strict=True))

    def _name(self, term: Term) -> str:
        step = self.program.terms.steps[term]
        if step.op != "weight":
            return self.names.new("t", str(term))
        return self.names.new("weight", self.writer.feature(int(step.payload)))

    def _valued(self) -> tuple[list[Candidate], E]:
        """What every plan is worth and costs, whether some plan is feasible, and why the row is refused."""
        columns: dict[str, E] = {}
        candidates: list[Candidate] = []
        write, known = self.writer.write, self.writer.known
        for plan in self.plans:
            words = plan.name.replace(" + ", "_then_")
            if known.get(plan.admissible) is False:
                continue
            value = write(plan.value)
            name = self.names.new("value", words)
            columns[name] = (
                value if known.get(plan.admissible) else sql.case([(write(plan.admissible), value)])
            )
            cost = write(plan.cost)
            if not isinstance(cost, exp.Column | exp.Literal | exp.Cast):
                priced = self.names.new("cost", words)
                columns[priced], cost = cost, sql.column(priced)
            candidates.append(Candidate(plan.name, sql.column(name), cost))
        self.feasible, refused = self.names.new("feasible"), self.names.new("refused")
        columns[self.feasible] = sql.joined(exp.Or, [write(plan.counts) for plan in self.plans])
        first = (exp.Not(this=sql.is_null(sql.column(self.fault))), sql.column(self.fault))
        faults = [
            (write(one.holds), sql.text(one.reason))
            for one in self._faults()
            if known.get(one.holds) is not False
        ]
        columns[refused] = sql.case([first, *faults])
        self.layers.append((self.names.new("plans"), columns))
        return candidates, sql.column(refused)

    def _tame_margin(self) -> bool:
        """No margin can overflow."""
        reach = self.facts.bounds.of(self.program.threshold).magnitude
        values = [self.facts.bounds.of(plan.value).magnitude for plan in self.plans]
        return max(values) + reach < 1e308  # noqa: PLR2004 - far enough from where float64 ends

    # all together

    def _fenced(self, select: exp.Select) -> exp.Select:
        """A layer that stays one, so that what it works out is worked out once."""
        if not self.dialect.fenced:
            return select
        return select.limit(-1, copy=False) if self.dialect.loose_types else select.offset(0, copy=False)

    def _barred(self, tree: E) -> E:
        """The same, which no filter on the query is moved past: it would repeat all that the columns stand for."""
        if not self.dialect.barrier:
            return tree
        always = exp.GTE(this=sql.call(self.dialect.barrier), expression=exp.Literal.number(0))
        return sql.case([(always, tree)])

    def _assembled(self, first: exp.Select, table: exp.Table) -> exp.Select:
        decision, why, last = self.layers[-1][1], self.names.new("why"), self.names.new("given")
        ctes = [(last, first)]
        for name, columns in [
            *self.layers[:-1],
            (self.layers[-1][0], {why: self._barred(decision["refused"])}),
        ]:
            if columns:
                found = [exp.alias_(tree, alias) for alias, tree in columns.items()]
                ctes.append((name, self._fenced(sql.select([exp.Star(), *found], exp.to_table(last)))))
                last = name
        sound = sql.is_null(sql.column(why))
        outputs = [
            exp.alias_(sql.case([(sound.copy(), decision[name])]), self.prefix + name)
            for name in OUTPUTS[:-1]
        ]
        refused = exp.alias_(sql.column(why), self.prefix + "refused")
        final = sql.select([*self._own_again(ctes), *outputs, refused], exp.to_table(last))
        if self.own is Own.ROWID:
            match = exp.EQ(this=sql.column("rowid", TABLE), expression=sql.column(ROW, last))
            final = final.join(self._aliased(table), on=match, copy=False)
        inlined = False if self.dialect.name == "duckdb" else None
        for name, select in ctes:
            final = final.with_(name, as_=select, materialized=inlined, copy=False)
        return final

    def _own_again(self, ctes: list[tuple[str, exp.Select]]) -> list[E]:
        """The table's own columns as they leave the query."""
        match self.own:
            case None:
                return [sql.column(name, quoted=True) for name in self.columns]
            case Own.COMPOSITE:
                return [exp.Dot(this=exp.Paren(this=sql.column(ROW)), expression=exp.Star())]
            case Own.ROWID:
                return [exp.Column(this=exp.Star(), table=exp.to_identifier(TABLE))]
            case Own.EXCLUDED:
                added = [one.alias for _, select in ctes for one in select.selects if one.alias]
                return [exp.Star(except_=[exp.to_identifier(name) for name in added])]
            case _:
                return [exp.Column(this=exp.Star(), table=exp.to_identifier(ROW))]
