"""Terms to SQL: each in the words of a dialect, shared ones under a name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from sqlglot import exp

from racl.errors import Problem, QueryError
from racl.model import Model
from racl.program import Kind, Program, Step, Term
from racl.query import text as sql
from racl.query.constants import known
from racl.query.dialects import Dialect, Nan
from racl.query.facts import Facts, weights_in_use
from racl.query.text import E

SHORT = 4  # nodes of a tree that is written again sooner than named
LONG = 150  # nodes of a tree that is named even where it is needed once
COMPARISONS: Mapping[str, type[exp.Binary]] = {"eq": exp.EQ, "ne": exp.NEQ, "lt": exp.LT, "le": exp.LTE}
ARITHMETIC: Mapping[str, type[exp.Binary]] = {"add": exp.Add, "sub": exp.Sub, "mul": exp.Mul, "div": exp.Div}
FUNCTIONS = {"abs": "ABS", "floor": "FLOOR", "ceil": "CEIL", "sqrt": "SQRT", "log": "LN", "exp": "EXP"}
WHOLE_FROM = 2.0**52  # every float64 from here on is whole
EXP_MOST, EXP_LEAST = 709.782712893384, -745.1332191019412


class Writer:
    """Writes terms in one dialect; `names` are the columns that hold terms already."""

    def __init__(self, model: Model, program: Program, facts: Facts, dialect: Dialect) -> None:
        self.model, self.program, self.facts, self.dialect = model, program, facts, dialect
        self.terms = program.terms
        self.known = known(self.terms, self._same_for_all())
        self.texts = {code: text for text, code in self.terms.codes.items()}
        self.names: dict[Term, str] = {}
        self.inexact: set[str] = set()
        self.looked_up = ""  # the column that holds all weights of a row's persona

    def _same_for_all(self) -> dict[Term, float]:
        """The weights that all personas share."""
        rows = weights_in_use(self.model)
        terms = [self.terms.add("weight", payload=position) for position in range(rows.shape[1])]
        return {
            term: float(rows[0, n])
            for n, term in enumerate(terms)
            if len({one.hex() for one in rows[:, n].tolist()}) == 1
        }

    def feature(self, position: int) -> str:
        """What a weight is of."""
        return self.model.domain.features[position - 1].name if position else "bias"

    def field(self, position: int) -> str:
        """The name of a weight among those of a persona."""
        name = self.feature(position)
        names = [self.feature(n).casefold() for n in range(self.model.weights.shape[1])]
        return name if names.count(name.casefold()) == 1 else f"{name}_{position}"

    # which terms get a name

    def shared(self, roots: Iterable[Term]) -> list[list[Term]]:
        """The terms to name, those of one list needing only what the lists before it name."""
        uses, order = self.uses(roots)
        size: dict[Term, int] = {}
        level: dict[Term, int] = {}
        levels: list[list[Term]] = []
        for term in order:
            arguments = self.arguments(term)
            size[term] = 1 + sum(size[argument] for argument in arguments)
            level[term] = max((level[argument] for argument in arguments), default=0)
            often = uses[term] > 1 and size[term] > SHORT
            weight = self.terms.steps[term].op == "weight" and not self.looked_up
            if weight or often or size[term] > LONG:
                levels.extend([] for _ in range(level[term] + 1 - len(levels)))
                levels[level[term]].append(term)
                size[term], level[term] = 1, level[term] + 1
        return levels

    def uses(self, roots: Iterable[Term]) -> tuple[Counter[Term], list[Term]]:
        """How often each term is written, and all of them in order."""
        uses: Counter[Term] = Counter(roots)
        pending, seen = list(uses), set(uses)
        while pending:
            for argument in self.arguments(pending.pop()):
                uses[argument] += 1
                if argument not in seen:
                    seen.add(argument)
                    pending.append(argument)
        return uses, sorted(seen)

    def arguments(self, term: Term) -> list[Term]:
        """What the text of a term mentions, as often as it does."""
        if term in self.known or term in self.names:
            return []
        step = self.terms.steps[term]
        if step.op in ("min", "max"):
            return [*step.arguments, *step.arguments]
        if step.op in COMPARISONS:
            return [*step.arguments, *self.guarded(step)]
        if step.op in ("floor", "ceil") and self.dialect.whole_floor:
            return [*step.arguments] * 3
        if step.op in ("div", "sqrt", "log", "exp"):
            return [*step.arguments, step.arguments[-1]]
        return [*step.arguments]

    # text

    def write(self, term: Term) -> E:
        """The text of a term."""
        if term in self.names:
            return sql.column(self.names[term])
        if term in self.known:
            value = self.known[term]
            return sql.truth(value=value) if isinstance(value, bool) else sql.number(value, self.dialect)
        step = self.terms.steps[term]
        if step.op in ARITHMETIC and step.op != "div":
            return sql.binary(ARITHMETIC[step.op], *map(self.write, step.arguments))
        if step.op in COMPARISONS:
            return self.comparison(step)
        return RULES[step.op](self, step)

    def weight(self, step: Step) -> E:
        """A weight of the row's persona."""
        position = int(step.payload)
        if self.looked_up:
            return sql.column(self.field(position), self.looked_up)
        return self.by_persona(lambda row: sql.number(row[position], self.dialect))

    def by_persona(self, value: Callable[[Sequence[float]], E]) -> E:
        """What the weights of the row's persona give; of those that are not declared, the default."""
        rule, default = self.model.domain.rule, self.model.taste.default is not None
        rows = self.model.weights.tolist()
        persona = self.write(self.program.columns[str(rule.persona)])
        branches = [
            (exp.EQ(this=persona.copy(), expression=sql.text(name)), value(row))
            for name, row in zip(self.model.domain.personas, rows[:-1], strict=True)
        ]
        if default:
            return sql.case(branches, value(rows[-1]))
        return sql.case(branches[:-1], branches[-1][1]) if self.dialect.stands_in else sql.case(branches)

    def differing(self) -> list[int]:
        """The weights that not all personas share."""
        terms = [self.terms.add("weight", payload=n) for n in range(self.model.weights.shape[1])]
        return [n for n, term in enumerate(terms) if term not in self.known]

    def weights(self) -> E:
        """All weights of the row's persona as one value."""

        def fields(row: Sequence[float]) -> E:
            named = {self.field(n): sql.number(row[n], self.dialect) for n in self.differing()}
            pairs = [
                exp.PropertyEQ(this=exp.to_identifier(name), expression=value)
                for name, value in named.items()
            ]
            return exp.Struct(expressions=pairs)

        return self.by_persona(fields)

    def code(self, step: Step) -> E:
        """A text of a category."""
        return sql.text(self.texts[int(step.payload)])

    def logic(self, step: Step) -> E:
        """`and` or `or`."""
        return sql.joined(exp.And if step.op == "and" else exp.Or, map(self.write, step.arguments))

    def minus(self, step: Step) -> E:
        """The number with its sign changed; SQLite makes 0 of -(0), and -0 of 0 * -1."""
        value = self.write(step.arguments[0])
        if self.dialect.nan is Nan.NULL:
            return sql.binary(exp.Mul, value, sql.number(-1.0, self.dialect))
        return exp.Neg(this=sql.held(value))

    def same(self, step: Step) -> E:
        """Two texts compared."""
        kind = exp.EQ if step.op == "same" else exp.NEQ
        return sql.binary(kind, *map(self.write, step.arguments))

    def guarded(self, step: Step) -> list[Term]:
        """The operands of a comparison that NaN would make true where it is false, or false where it is true."""
        left, right = step.arguments
        doubtful = [term for term in (right, left) if self.facts.may_be_nan(term)]
        if self.dialect.nan is Nan.LARGEST and step.op in ("lt", "le"):
            return [right] if right in doubtful else []
        return doubtful[:1] if self.dialect.nan is Nan.LARGEST and len(doubtful) == 2 else []  # noqa: PLR2004

    def comparison(self, step: Step) -> E:
        """Two numbers compared; NaN is not less, equal or greater."""
        op = "eq" if step.op == "ne" else step.op
        found = sql.binary(COMPARISONS[op], *map(self.write, step.arguments))
        doubtful = any(map(self.facts.may_be_nan, step.arguments))
        if self.dialect.nan is Nan.NULL and doubtful:
            found = sql.or_else(found, sql.truth(value=False))
        for term in self.guarded(step):
            real = exp.LTE(this=sql.held(self.write(term)), expression=sql.infinite(self.dialect))
            found = exp.And(this=found, expression=real)
        if step.op == "ne":
            plain = isinstance(found, exp.EQ)
            return sql.binary(exp.NEQ, *map(self.write, step.arguments)) if plain else sql.negated(found)
        return found

    def choose(self, step: Step) -> E:
        """One of two."""
        test, then, other = step.arguments
        return sql.case([(self.write(test), self.write(then))], self.write(other))

    def as_number(self, step: Step) -> E:
        """A truth that counts 0 or 1."""
        one, zero = sql.number(1.0, self.dialect), sql.number(0.0, self.dialect)
        return sql.case([(self.write(step.arguments[0]), one)], zero)

    def pick(self, step: Step) -> E:
        """The first, unless the second is strictly less or greater."""
        first, second = step.arguments
        ends = (second, first) if step.op == "min" else (first, second)
        test = self.comparison(Step("lt", ends, Kind.BOOLEAN))
        return sql.case([(test, self.write(second))], self.write(first))

    def finite(self, step: Step) -> E:
        """It is a finite number."""
        return sql.finite(self.write(step.arguments[0]), self.dialect)

    def divide(self, step: Step) -> E:
        """A quotient; of 0, an infinity or NaN."""
        top, bottom = step.arguments
        plain = sql.binary(exp.Div, self.write(top), self.write(bottom))
        if self.dialect.divides or not self.facts.may_be_zero(bottom):
            return plain
        beyond = sql.infinite(self.dialect)
        if self.facts.may_be_negative_zero(bottom):
            if not self.dialect.minus_zero:
                what = f"a division by what may be -0, which {self.dialect.label} cannot tell from 0"
                raise QueryError([Problem("", what, "let the divisor be what is never 0, as in `max(x, 1)`")])
            minus = sql.is_minus_zero(self.write(bottom), self.dialect)
            beyond = sql.case([(minus, exp.Neg(this=sql.held(beyond)))], beyond.copy())
        zero = sql.binary(exp.EQ, self.write(bottom), sql.number(0.0, self.dialect))
        return sql.case([(zero, sql.binary(exp.Mul, self.write(top), beyond))], plain)

    def function(self, step: Step) -> E:
        """A function of one number that is the same everywhere."""
        return sql.call(FUNCTIONS[step.op], self.write(step.arguments[0]))

    def whole(self, step: Step) -> E:
        """The whole number below or above."""
        (argument,) = step.arguments
        found = self.function(step)
        if not self.dialect.whole_floor:
            return found
        small = exp.LT(
            this=sql.call("ABS", self.write(argument)), expression=sql.number(WHOLE_FROM, self.dialect)
        )
        return sql.case([(small, sql.double(found))], self.write(argument))

    def root(self, step: Step) -> E:
        """The square root, NaN of a negative number."""
        (argument,) = step.arguments
        if self.facts.bounds.of(argument).low >= 0:
            return self.function(step)
        sound = sql.binary(exp.GTE, self.write(argument), sql.number(0.0, self.dialect))
        return sql.case([(sound, self.function(step))], sql.number(float("nan"), self.dialect))

    def log(self, step: Step) -> E:
        """The natural logarithm, in the last place whatever the engine gives."""
        self.inexact.add("log")
        (argument,) = step.arguments
        if self.facts.bounds.of(argument).low > 0:
            return self.function(step)
        zero = sql.number(0.0, self.dialect)
        branches = [
            (sql.binary(exp.GT, self.write(argument), zero), self.function(step)),
            (sql.binary(exp.EQ, self.write(argument), zero.copy()), sql.number(float("-inf"), self.dialect)),
        ]
        return sql.case(branches, sql.number(float("nan"), self.dialect))

    def exp(self, step: Step) -> E:
        """The exponential, in the last place whatever the engine gives."""
        self.inexact.add("exp")
        (argument,) = step.arguments
        within = self.facts.bounds.of(argument)
        if not self.dialect.strict or (within.finite and within.low > EXP_LEAST and within.high < EXP_MOST):
            return self.function(step)
        most, least = (sql.number(end, self.dialect) for end in (EXP_MOST, EXP_LEAST))
        between = exp.Between(this=sql.held(self.write(argument)), low=least, high=most)
        low = sql.binary(exp.LT, self.write(argument), sql.number(0.0, self.dialect))
        branches = [(between, self.function(step)), (low, sql.number(0.0, self.dialect))]
        return sql.case(branches, sql.binary(exp.Mul, self.write(argument), sql.infinite(self.dialect)))


RULES: Mapping[str, Callable[[Writer, Step], E]] = {
    "weight": Writer.weight,
    "code": Writer.code,
    "and": Writer.logic,
    "or": Writer.logic,
    "not": lambda writer, step: sql.negated(writer.write(step.arguments[0])),
    "neg": Writer.minus,
    "same": Writer.same,
    "differ": Writer.same,
    "choose": Writer.choose,
    "as_number": Writer.as_number,
    "min": Writer.pick,
    "max": Writer.pick,
    "finite": Writer.finite,
    "div": Writer.divide,
    "abs": Writer.function,
    "floor": Writer.whole,
    "ceil": Writer.whole,
    "sqrt": Writer.root,
    "log": Writer.log,
    "exp": Writer.exp,
}
