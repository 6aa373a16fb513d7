"""One row at a time: a closure generated from the domain, for `decide_one` and for services.

It handles the common case; on anything unusual (a refused value, a number of a rare type) it hands the row to the
definition, whose answer is the same by construction.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from racl import elementary, semantics
from racl.domain.model import Choose, Column, Type
from racl.engines.bounds import MOST, Bounds, column_interval
from racl.engines.emit import SCALAR, Emitter, needed_once
from racl.engines.row_search import searcher
from racl.program import Effect, Program, Term, score_terms
from racl.semantics import Decision, Preference, Refused, Row, Taste
from racl.values import EXACT

Decide = Callable[[Row], Decision | Refused]
FINITE = f"{-MOST!r} <= {{0}} <= {MOST!r}"
NAN = float("nan")


def number(raw: object, default: float | None) -> float:
    """A number as float64, or NaN where the definition has to look closer."""
    if raw is None:
        return NAN if default is None else default
    if isinstance(raw, float):
        return float(raw)
    return (
        float(raw) if isinstance(raw, int) and raw.__class__ is not bool and -EXACT <= raw <= EXACT else NAN
    )


def closure(program: Program, taste: Taste, *, tame: bool) -> Decide:
    """A function from a row to its decision; `tame` where no value can overflow under these weights."""
    domain = program.domain
    source = many_steps(program) if domain.rule.steps > 1 else OneStep(program, tame=tame).text()
    namespace: dict[str, Any] = {}
    exec(compile(source, "<racl row>", "exec"), namespace)  # noqa: S102 - generated from checked trees, mangled names only
    decide: Decide = namespace["make"](surroundings(program, taste))
    return decide


def surroundings(program: Program, taste: Taste) -> dict[str, Any]:
    """What the generated text refers to by name."""
    domain, codes = program.domain, program.terms.codes
    weights = [flat(taste.personas[persona]) for persona in domain.personas]
    columns = [domain.column(name) for name in program.columns]

    def slow(row: Row) -> Decision | Refused:
        return semantics.decide(domain, taste, row)

    return {
        "slow": slow,
        "number": number,
        "keys": [column.name for column in columns],
        "defaults": [column.default for column in columns],
        "texts": [texts(column, codes) for column in columns],
        "weights": weights,
        "credits": list(semantics.Credit),
        "plans": list(program.names),
        "Decision": Decision,
        "search": searcher(program) if domain.rule.steps > 1 else None,
        **{name: getattr(elementary, name) for name in ("divide", "floor", "ceil", "sqrt", "log", "exp")},
    }


def flat(preference: Preference) -> tuple[float, ...]:
    """Bias and weights in one."""
    return (0.0 + preference.bias, *preference.weights)


def texts(column: Column, codes: dict[str, int]) -> dict[object, int]:
    """The code of every value of a column, and of null where it has a default."""
    known: dict[object, int] = {value: codes[value] for value in column.values}
    return (
        known if column.default is None or not column.values else known | {None: codes[str(column.default)]}
    )


GIVEN = ("slow", "number", "Decision", "search", "divide", "floor", "ceil", "sqrt", "log", "exp")


def frame(program: Program, body: list[str]) -> str:
    """The text of a module that makes the closure: everything it refers to is a local of `make`."""
    count = range(len(program.columns))
    head = [f"    {name} = given[{name!r}]" for name in GIVEN]
    head += [
        f"    key{i}, default{i}, texts{i} = given['keys'][{i}], given['defaults'][{i}], given['texts'][{i}]"
        for i in count
    ]
    head += ["    weights, credits, plans = given['weights'], given['credits'], given['plans']"]
    head += ["    credit0, credit1, credit2, credit3, credit4, credit5 = credits"]
    wrapped = [
        "    def decide(row):",
        "        try:",
        *body,
        "        except TypeError:",
        "            return slow(row)",
    ]
    return "\n".join(["def make(given):", *head, *wrapped, "    return decide", ""])


def reading(program: Program, emitter: Emitter) -> None:
    """Read every column, the budget, the threshold and the weights."""
    line = emitter.line
    line("get = row.get")
    for i, (name, term) in enumerate(program.columns.items()):
        emitter.known[term] = f"t{term}"
        for text in read_column(program.domain.column(name), i, f"t{term}"):
            line(text)
    budget, threshold = emitter.need((program.budget, program.threshold))
    line(f"budget = {budget} + 0.0")
    line(f"threshold = {threshold}")
    line(f"if not (0.0 <= budget <= {MOST!r} and {FINITE.format('threshold')}): return slow(row)")
    names = []
    for position in range(len(program.domain.features) + 1):
        term = program.terms.add("weight", payload=position)
        emitter.known[term] = f"t{term}"
        names.append(f"t{term}")
    persona = program.domain.rule.persona
    index = "0" if persona is None else emitter.name(program.columns[persona])
    unpacked = f"({', '.join(names)},) = " if program.domain.rule.steps == 1 else ""
    line(f"{unpacked}w = weights[{index}]")


def read_column(column: Column, i: int, var: str) -> list[str]:
    """The lines that read one column; what they cannot handle goes to the definition."""
    match column.type:
        case Type.BOOLEAN:
            default = f"if {var} is None: {var} = default{i}"
            return [
                f"{var} = get(key{i})",
                default,
                f"if {var} is not True and {var} is not False: return slow(row)",
            ]
        case Type.CATEGORY:
            return [f"{var} = texts{i}.get(get(key{i}))", f"if {var} is None: return slow(row)"]
        case _:
            within = column_interval(column)
            whole = f" or {var} % 1.0" if column.type is Type.INTEGER else ""
            return [
                f"{var} = get(key{i})",
                f"if {var}.__class__ is not float: {var} = number({var}, default{i})",
                f"if not {within.low!r} <= {var} <= {within.high!r}{whole}: return slow(row)",
            ]


class OneStep:
    """Writes the closure of a one-step domain: what a repair changes is computed only where it matters."""

    def __init__(self, program: Program, *, tame: bool) -> None:
        self.program = program
        self.bounds = Bounds(program)
        self.sure = tame  # no value can overflow
        self.cheapest = program.domain.rule.choose is Choose.CHEAPEST
        self.emitter = Emitter(program.terms, SCALAR, indent=" " * 12, inline=self.inline())

    def inline(self) -> frozenset[Term]:
        """The terms that need no name."""
        program = self.program
        twice = [
            *program.keep.requirements,
            score_terms(program, program.keep),
            program.budget,
            program.threshold,
        ]
        roots = [root for effect in program.effects for root in (effect.applies, effect.cost, *effect.finite)]
        after = [(*reach.requirements, score_terms(program, reach)) for reach in program.reaches[1:]]
        return needed_once(
            program.terms, [*twice, *twice, *roots, *(term for terms in after for term in terms)]
        )

    def text(self) -> str:
        """The module's text."""
        emitter, keep, line = self.emitter, self.program.keep, self.emitter.line
        reading(self.program, emitter)
        requirements = emitter.need(keep.requirements)
        line(f"feasible = keep = {' and '.join(requirements)}")
        value = emitter.name(score_terms(self.program, keep))
        line("if keep:")
        inner = emitter.block("    ")
        if not self.sure:
            inner.line(f"if not {FINITE.format(value)}: return slow(row)")
        inner.line(f"best = {value}; cost = 0.0; plan = 0")
        if self.cheapest:
            inner.line("if best >= threshold: cheap_value = best; cheap_cost = 0.0; cheap_plan = 0")
            inner.line("else: cheap_value = -inf; cheap_cost = inf")
        line("else:")
        line(f"    best = -inf{'; cheap_value = -inf; cheap_cost = inf' if self.cheapest else ''}")
        for number_, effect in enumerate(self.program.effects, start=1):
            self.repaired(number_, effect, requirements)
        verdict(emitter, value, cheapest=self.cheapest)
        return frame(self.program, emitter.lines).replace(
            "def make(given):", "def make(given, inf=float('inf')):"
        )

    def repaired(self, n: int, effect: Effect, base: list[str]) -> None:
        """One repair: applies, price, requirements, value; each only if the one before leaves it in question."""
        reach, program = self.program.reaches[n], self.program
        self.emitter.line(f"if {self.emitter.operand(effect.applies, 0)}:")
        inner = self.emitter.block("    ")
        inner.line(f"k = {inner.operand(effect.cost, 0)} + 0.0")
        unsound = self.priced(inner, effect)
        if unsound:
            inner.line(f"if not ({unsound}): return slow(row)")
        unchanged, changed = split(reach.requirements, program.keep.requirements, base)
        if unchanged:
            inner.line(f"if {' and '.join(unchanged)}:")
            inner = inner.block("    ")
        if changed:
            inner.line(f"if {' and '.join([inner.operand(term, 0) for term in changed])}:")
            inner = inner.block("    ")
        inner.line("feasible = True")
        inner.line("if k <= budget:")
        self.option(inner.block("    "), n, score_terms(program, reach))

    def option(self, at: Emitter, n: int, score: Term) -> None:
        """An admissible repair: its value, and whether it is the best so far."""
        tradeoff, value = self.program.domain.rule.tradeoff, at.operand(score, 0)
        at.line(f"v = {value} - {tradeoff!r} * k" if tradeoff else f"v = {value}")
        if not self.sure:
            at.line(f"if not {FINITE.format('v')}: return slow(row)")
        at.line(f"if v > best: best = v; cost = k; plan = {n}")
        if self.cheapest:
            cheaper = "(k < cheap_cost or (k == cheap_cost and v > cheap_value))"
            at.line(f"if v >= threshold and {cheaper}: cheap_value = v; cheap_cost = k; cheap_plan = {n}")

    def priced(self, at: Emitter, effect: Effect) -> str:
        """What must hold of the price and of what is set; what can never fail is left out."""
        cost = self.bounds.of(effect.cost)
        conditions = [] if cost.low >= 0 and cost.finite else [f"0.0 <= k <= {MOST!r}"]
        unsure = [term for term in effect.finite if not self.bounds.of(term).finite]
        return " and ".join([*conditions, *(FINITE.format(name) for name in at.need(unsure))])


def split(
    requirements: tuple[Term, ...], base: tuple[Term, ...], names: list[str]
) -> tuple[list[str], tuple[Term, ...]]:
    """The names of the requirements that the repair leaves as they are, and the terms of those it changes."""
    unchanged = [name for term, old, name in zip(requirements, base, names, strict=True) if term == old]
    return unchanged, tuple(term for term, old in zip(requirements, base, strict=True) if term != old)


def verdict(emitter: Emitter, value: str, *, cheapest: bool) -> None:
    """The last lines: the decision from the best (or cheapest) option."""
    line = emitter.line
    none = "None, None, None, None"
    line(f"if best == -inf: return Decision(False, credit3 if feasible else credit2, {none})")
    line("if best >= threshold:")
    inner = emitter.block("    ")
    if cheapest:
        inner.line("best = cheap_value; cost = cheap_cost; plan = cheap_plan")
    inner.line("margin = best - threshold")
    inner.line(f"if not {FINITE.format('margin')}: return slow(row)")
    inner.line(f"credit = credit0 if keep and {value} >= threshold else credit1")
    inner.line("return Decision(True, credit, plans[plan], best, margin, cost)")
    line("margin = best - threshold")
    line(f"if not {FINITE.format('margin')}: return slow(row)")
    line("return Decision(False, credit4 if keep else credit5, None, best, margin, cost)")


def many_steps(program: Program) -> str:
    """The text for plans of several steps: read the row, then search."""
    emitter = Emitter(program.terms, SCALAR, indent=" " * 12)
    reading(program, emitter)
    changed = "".join(f"t{program.columns[name]}, " for name in program.changed)
    fixed = "".join(f"t{term}, " for name, term in program.columns.items() if name not in program.changed)
    emitter.line(f"found = search(({fixed}), ({changed}), w, budget, threshold)")
    emitter.line("return slow(row) if found is None else found")
    return frame(program, emitter.lines)
