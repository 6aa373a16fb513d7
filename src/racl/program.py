"""A domain lowered once into terms: every distinct computation of a decision exactly once, shared by the fast engines.

A term is a number into one list; its arguments are earlier terms. Putting the columns that a repair sets in place of
the candidate's own, before lowering, makes each repaired state an ordinary term, and what a repair does not touch is the
term that `keep` has already.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import assert_never

from racl.domain.model import KEEP, Domain, Type
from racl.expr.nodes import (
    Binary,
    Call,
    Choice,
    Expression,
    Logic,
    Member,
    Name,
    Node,
    Number,
    Text,
    Truth,
    Unary,
)

Term = int
OTHER = "\ud800"  # stands for any persona that is not declared; no text of a row can be equal to it


class Kind(StrEnum):
    """What a term is at run time."""

    NUMBER = "number"  # float64
    BOOLEAN = "boolean"
    CODE = "code"  # the number of a text among all texts of the domain


@dataclass(frozen=True, slots=True)
class Step:
    """One computation: an operation over earlier terms, or a constant or column."""

    op: str
    arguments: tuple[Term, ...]
    kind: Kind
    payload: float | str = 0


COMPARISONS = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "lt", ">=": "le"}
ARITHMETIC = {"+": "add", "-": "sub", "*": "mul", "/": "div"}


@dataclass
class Terms:
    """The list of terms, each distinct computation once."""

    steps: list[Step] = field(default_factory=list)
    index: dict[object, Term] = field(default_factory=dict)
    codes: dict[str, int] = field(default_factory=dict)

    def add(self, op: str, *arguments: Term, kind: Kind = Kind.NUMBER, payload: float | str = 0) -> Term:
        """The term of this computation, new or known."""
        known = self.simpler(op, arguments)
        if known is not None:
            return known
        exact = payload.hex() if isinstance(payload, float) else payload  # -0.0 is not 0.0
        key = (op, arguments, exact)
        if key not in self.index:
            self.index[key] = len(self.steps)
            self.steps.append(Step(op, arguments, kind, payload))
        return self.index[key]

    def simpler(self, op: str, arguments: tuple[Term, ...]) -> Term | None:
        """What an operation over truths known beforehand comes to, if that is known too."""
        known = [self.known_truth(term) for term in arguments]
        match op:
            case "and" | "or" if None not in known[:1]:
                return arguments[1] if known[0] is (op == "and") else arguments[0]
            case "and" | "or" if None not in known[1:]:
                return arguments[0] if known[1] is (op == "and") else arguments[1]
            case "not" if known[0] is not None:
                return self.truth(value=not known[0])
            case "as_number" if known[0] is not None:
                return self.constant(float(known[0]))
            case "choose" if known[0] is not None:
                return arguments[1] if known[0] else arguments[2]
            case _:
                return None

    def known_truth(self, term: Term) -> bool | None:
        """The truth that a term is beforehand, if it is one."""
        step = self.steps[term]
        return bool(step.payload) if step.op == "truth" else None

    def truth(self, *, value: bool) -> Term:
        """A truth known beforehand."""
        return self.add("truth", kind=Kind.BOOLEAN, payload=value)

    def code(self, text: str) -> int:
        """The code of a text, new or known."""
        return self.codes.setdefault(text, len(self.codes))

    def kind(self, term: Term) -> Kind:
        """What the term is at run time."""
        return self.steps[term].kind

    def constant(self, value: float) -> Term:
        """A number known beforehand."""
        return self.add("constant", payload=float(value))

    def number(self, term: Term) -> Term:
        """The term as a number; a boolean counts 0 or 1."""
        return self.add("as_number", term) if self.kind(term) is Kind.BOOLEAN else term

    def both(self, op: str, terms: Iterable[Term]) -> Term:
        """`and` or `or` over terms, from the left; true (false) over none."""
        first, *rest = [*terms] or [self.truth(value=op == "and")]
        for term in rest:
            first = self.add(op, first, term, kind=Kind.BOOLEAN)
        return first


class Lowering:
    """Expressions to terms, over an environment of columns."""

    def __init__(self, terms: Terms, environment: Mapping[str, Term]) -> None:
        self.terms = terms
        self.environment = environment

    def number(self, expression: Expression) -> Term:
        """The term of an expression that gives a number."""
        return self.terms.number(self.lower(expression.node))

    def lower(self, node: Node) -> Term:
        """The term of a tree."""
        add = self.terms.add
        match node:
            case Number():
                return self.terms.constant(node.value)
            case Truth():
                return self.terms.truth(value=node.value)
            case Text():
                return add("code", kind=Kind.CODE, payload=self.terms.code(node.value))
            case Name():
                return self.environment[node.name]
            case Unary():
                operand = self.lower(node.operand)
                if node.op == "not":
                    return add("not", operand, kind=Kind.BOOLEAN)
                return add("neg", self.terms.number(operand))
            case Binary():
                return self.binary(node.op, self.lower(node.left), self.lower(node.right))
            case Logic():
                return self.terms.both(node.op, [self.lower(operand) for operand in node.operands])
            case Choice():
                return self.choice(self.lower(node.test), self.lower(node.then), self.lower(node.other))
            case Member():
                item = self.lower(node.item)
                found = self.terms.both(
                    "or", [self.binary("==", item, self.lower(one)) for one in node.literals]
                )
                return add("not", found, kind=Kind.BOOLEAN) if node.negated else found
            case Call():
                return self.call(
                    node.function, [self.terms.number(self.lower(one)) for one in node.arguments]
                )
            case _:
                assert_never(node)

    def binary(self, op: str, left: Term, right: Term) -> Term:
        """Arithmetic or a comparison."""
        terms = self.terms
        if terms.kind(left) is Kind.CODE:
            return terms.add("same" if op == "==" else "differ", left, right, kind=Kind.BOOLEAN)
        left, right = terms.number(left), terms.number(right)
        if op in ARITHMETIC:
            return terms.add(ARITHMETIC[op], left, right)
        if op in (">", ">="):
            left, right = right, left
        return terms.add(COMPARISONS[op], left, right, kind=Kind.BOOLEAN)

    def choice(self, test: Term, then: Term, other: Term) -> Term:
        """One of two terms, of one kind."""
        if self.terms.kind(then) is not self.terms.kind(other):
            then, other = self.terms.number(then), self.terms.number(other)
        return self.terms.add("choose", test, then, other, kind=self.terms.kind(then))

    def call(self, function: str, arguments: list[Term]) -> Term:
        """A function; `min`, `max` and `clip` two arguments at a time."""
        add = self.terms.add
        match function:
            case "min" | "max":
                first, *rest = arguments
                for argument in rest:
                    first = add(function, first, argument)
                return first
            case "clip":
                return add("min", add("max", arguments[0], arguments[1]), arguments[2])
            case _:
                return add(function, *arguments)


def code_type(codes: Mapping[str, int]) -> str:
    """The smallest integer that holds the codes of all texts, and -1."""
    highest = max(codes.values(), default=0)
    return "int8" if highest < 127 else "int16" if highest < 32767 else "int32"  # noqa: PLR2004 - ends of their ranges


@dataclass(frozen=True, slots=True)
class Effect:
    """What a repair does to a state, over the columns of that state."""

    name: str
    applies: Term
    cost: Term
    sets: Mapping[str, Term]
    finite: tuple[Term, ...]  # the numbers that it sets and that might not be finite


@dataclass(frozen=True, slots=True)
class Reach:
    """How a state is judged: its requirements and its features."""

    requirements: tuple[Term, ...]
    features: tuple[Term, ...]


@dataclass(frozen=True)
class Program:
    """A domain in terms."""

    domain: Domain
    terms: Terms
    columns: Mapping[str, Term]  # the columns that are read, in the order of declaration
    budget: Term
    threshold: Term
    effects: tuple[Effect, ...]
    keep: Reach

    @cached_property
    def names(self) -> tuple[str, ...]:
        """`keep` and the repairs."""
        return (KEEP, *(effect.name for effect in self.effects))

    @cached_property
    def changed(self) -> tuple[str, ...]:
        """The columns that some repair sets and something reads, in the order of declaration."""
        return tuple(name for name in self.columns if any(name in effect.sets for effect in self.effects))

    @cached_property
    def reaches(self) -> tuple[Reach, ...]:
        """`keep` and what each repair reaches in one step."""
        after = (self.judged({**self.columns, **effect.sets}) for effect in self.effects)
        return (self.keep, *after)

    def judged(self, environment: Mapping[str, Term]) -> Reach:
        """The requirements and features of a state whose columns are these terms."""
        return judge(self.domain, Lowering(self.terms, environment))


def judge(domain: Domain, lowering: Lowering) -> Reach:
    """The requirements and features over an environment."""
    requirements = tuple(lowering.lower(requirement.holds.node) for requirement in domain.requirements)
    return Reach(requirements, tuple(lowering.number(feature.value) for feature in domain.features))


def lower(domain: Domain) -> Program:
    """The program of a domain."""
    terms = Terms()
    for persona in (*domain.personas, OTHER):  # INVARIANT: the code of a persona is its number
        terms.code(persona)
    for column in domain.columns:
        for value in column.values:
            terms.code(value)
    kinds = {Type.BOOLEAN: Kind.BOOLEAN, Type.CATEGORY: Kind.CODE}
    columns = {
        column.name: terms.add("column", kind=kinds.get(column.type, Kind.NUMBER), payload=column.name)
        for column in domain.columns_read
    }
    lowering = Lowering(terms, columns)
    budget, threshold = lowering.number(domain.rule.budget), lowering.number(domain.rule.threshold)
    keep = judge(domain, lowering)
    effects = tuple(effect_on(domain, lowering, number) for number in range(len(domain.repairs)))
    return Program(domain, terms, columns, budget, threshold, effects, keep)


def effect_on(domain: Domain, lowering: Lowering, number: int) -> Effect:
    """What a repair does to the state that the lowering stands on."""
    repair, terms = domain.repairs[number], lowering.terms
    applies, cost = lowering.lower(repair.applies.node), lowering.number(repair.cost)
    read = domain.names_read
    sets: dict[str, Term] = {}
    finite: list[Term] = []
    for name, expression in repair.sets:
        term = lowering.lower(expression.node)
        if domain.column(name).type in (Type.NUMBER, Type.INTEGER):
            term = terms.number(term)
            finite.extend([] if surely_finite(terms, term) else [term])
        if name in read:
            sets[name] = term
    return Effect(repair.name, applies, cost, sets, tuple(dict.fromkeys(finite)))


def score_terms(program: Program, reach: Reach) -> Term:
    """bias + w1 * g1 + ..., in that order; prefixes are shared between states.

    A feature that counts a truth adds its weight or 0: the sum is never -0.0, so the sign of that 0 cannot matter.
    """
    terms = program.terms
    total, zero = terms.add("weight", payload=0), terms.constant(0.0)
    for position, feature in enumerate(reach.features, start=1):
        weight, step = terms.add("weight", payload=position), terms.steps[feature]
        if step.op == "constant" and step.payload in (0.0, 1.0):
            product = weight if step.payload else zero
        elif step.op == "as_number":
            product = terms.add("choose", step.arguments[0], weight, zero)
        else:
            product = terms.add("mul", weight, feature)
        total = terms.add("add", total, product)
    return total


def surely_finite(terms: Terms, term: Term) -> bool:
    """A term that is finite in every row that is not refused: a constant, a column, a boolean counted, a choice of such."""
    step = terms.steps[term]
    match step.op:
        case "constant" | "column" | "as_number":
            return True
        case "choose":
            return all(surely_finite(terms, branch) for branch in step.arguments[1:])
        case "min" | "max" | "neg" | "abs" | "floor" | "ceil":
            return all(surely_finite(terms, argument) for argument in step.arguments)
        case _:
            return False
