"""Terms to source text in one of two dialects: Python scalars for a row, branch-free machine arithmetic for the kernel.

Only constants (as float64 or small integers) and names of the form `t12` get into the text; nothing that a user wrote does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from racl.program import Step, Term, Terms

SHARED = {
    "neg": "(-{0})",
    "add": "({0} + {1})",
    "sub": "({0} - {1})",
    "mul": "({0} * {1})",
    "eq": "({0} == {1})",
    "ne": "({0} != {1})",
    "lt": "({0} < {1})",
    "le": "({0} <= {1})",
    "same": "({0} == {1})",
    "differ": "({0} != {1})",
    "not": "(not {0})",
    "abs": "abs({0})",
    "floor": "floor({0})",
    "ceil": "ceil({0})",
    "sqrt": "sqrt({0})",
    "log": "log({0})",
    "exp": "exp({0})",
}
SCALAR: dict[str, str] = SHARED | {
    "div": "divide({0}, {1})",
    "and": "({0} and {1})",
    "or": "({0} or {1})",
    "choose": "({1} if {0} else {2})",
    "as_number": "(1.0 if {0} else 0.0)",
    "min": "({1} if {1} < {0} else {0})",
    "max": "({1} if {1} > {0} else {0})",
}
MACHINE: dict[str, str] = SHARED | {
    "div": "({0} / {1})",
    "and": "({0} & {1})",
    "or": "({0} | {1})",
    "choose": "select({0}, {1}, {2})",
    "as_number": "select({0}, 1.0, 0.0)",
    "min": "select({1} < {0}, {1}, {0})",
    "max": "select({1} > {0}, {1}, {0})",
}
ATOMIC = ("constant", "truth", "code")
REPEATING = ("min", "max")  # their text names an argument more than once
DEEPEST = 20  # levels of brackets in one line of text


@dataclass
class Emitter:
    """Writes each term once, as an assignment, before its first use; scopes nest as the text is indented."""

    terms: Terms
    dialect: Mapping[str, str]
    lines: list[str] = field(default_factory=list)
    indent: str = "    "
    known: dict[Term, str] = field(default_factory=dict)
    prefix: str = "t"  # of names: states of one row that are alive together need names of their own
    inline: frozenset[Term] = frozenset()  # terms that are needed once, and stand where they are needed

    def line(self, text: str) -> None:
        """One line of the text at this depth."""
        self.lines.append(self.indent + text)

    def block(self, indent: str) -> Emitter:
        """A nested scope: it knows what is known here, and what it learns stays within."""
        return replace(self, indent=self.indent + indent, known=dict(self.known))

    def need(self, terms: Iterable[Term]) -> list[str]:
        """The names of terms, written where they were not yet."""
        return [self.name(term) for term in terms]

    def name(self, term: Term) -> str:
        """The name or literal that holds a term."""
        if term not in self.known:
            step = self.terms.steps[term]
            self.known[term] = literal(step) if step.op in ATOMIC else self.assigned(term)
        return self.known[term]

    def assigned(self, term: Term) -> str:
        """A term's name, after its assignment."""
        name = f"{self.prefix}{term}"
        self.line(f"{name} = {self.value(term, 0)}")
        return name

    def value(self, term: Term, depth: int) -> str:
        """The text of a term's computation."""
        step = self.terms.steps[term]
        atoms = step.op in REPEATING or depth == DEEPEST
        arguments = [self.name(one) if atoms else self.operand(one, depth + 1) for one in step.arguments]
        return self.text(step, arguments)

    def operand(self, term: Term, depth: int) -> str:
        """A term within the text of another: spelt out where it is needed once, else by name."""
        if term in self.inline and term not in self.known and self.terms.steps[term].op not in ATOMIC:
            return self.value(term, depth)
        return self.name(term)

    def text(self, step: Step, arguments: list[str]) -> str:
        """The text of one computation over its arguments' names."""
        if step.op == "div" and self.terms.steps[step.arguments[1]].op == "constant":
            divisor = self.terms.steps[step.arguments[1]].payload
            if divisor:
                return f"({arguments[0]} / {arguments[1]})"
        return self.dialect[step.op].format(*arguments)


def literal(step: Step) -> str:
    """A constant as a literal, in parentheses where it has a sign."""
    if step.op == "constant":
        return f"({float(step.payload)!r})"
    return repr(step.payload)


def needed_once(terms: Terms, roots: Iterable[Term]) -> frozenset[Term]:
    """The terms below the roots that are needed in one place; a root given twice is needed twice."""
    uses = Counter(roots)
    pending = list(uses)
    seen = set(pending)
    while pending:
        for argument in terms.steps[pending.pop()].arguments:
            uses[argument] += 1
            if argument not in seen:
                seen.add(argument)
                pending.append(argument)
    return frozenset(term for term, count in uses.items() if count == 1)
