"""A document to a domain, or every fault in it at once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from racl.documents import Document, dotted
from racl.domain.columns import ColumnFaults
from racl.domain.faults import EnoughError, Path, Table, finite
from racl.domain.model import KEEP, Choose, Column, Domain, Feature, Repair, Requirement, Rule, Type
from racl.errors import Problem, nearest, quoted
from racl.expr.nodes import Expression, Node, Number, Truth, Unary, names
from racl.expr.parse import parse
from racl.expr.show import number as show_number
from racl.expr.types import BOOLEAN, NUMBER, Kind, Sort, sort_of

FORMAT = 1
MAX_STEPS = 4
ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}", re.ASCII)

SECTIONS = (
    "racl",
    "name",
    "label",
    "description",
    "candidate",
    "context",
    "requirements",
    "features",
    "repairs",
    "rule",
)
REPAIR_KEYS = ("applies", "sets", "cost", "label", "description")
RULE_KEYS = ("budget", "threshold", "persona", "tradeoff", "choose", "steps", "label", "description")


def check(document: Document) -> Domain | tuple[Problem, ...]:
    """The domain that a document declares, or every fault in it (the first hundred)."""
    if document.problems and not document.value:
        return document.problems
    checker = _Checker(document)
    try:
        checker.respell()
        domain = checker.domain()
    except EnoughError:
        return (*checker.sorted_problems(), Problem("", "and more", file=document.file))
    return tuple(checker.sorted_problems()) or domain


@dataclass
class _Checker(ColumnFaults):
    """Reads everything else."""

    def domain(self) -> Domain:
        top = self.document.value
        self.known((), top, SECTIONS)
        self.header(top)
        candidate = self.column_section("candidate")
        context = self.column_section("context")
        requirements = tuple(
            Requirement(name, self.expression(("requirements", name), value, BOOLEAN))
            for name, value in self.section("requirements").items()
        )
        features = tuple(
            Feature(name, self.expression(("features", name), value, NUMBER))
            for name, value in self.section("features").items()
        )
        repairs = tuple(self.repair(name, value) for name, value in self.section("repairs").items())
        name, label, about = (
            self.words((key,), top.get(key, "")) for key in ("name", "label", "description")
        )
        return Domain(
            name, candidate, context, requirements, features, repairs, self.rule(), label, about, top
        )

    def respell(self) -> None:
        """A section under a misspelt name is a fault, and is read all the same for the faults within."""
        given = self.document
        meant = {key: nearest(key, SECTIONS).split("`")[1:2] for key in given.value if key not in SECTIONS}
        names = {key: one[0] for key, one in meant.items() if one and self.missing(one[0])}
        if not names:
            return
        for key, name in names.items():
            self.say((key,), f"unknown key {quoted(key)}", f"did you mean `{name}`?")
        value = {names.get(key, key): one for key, one in given.value.items()}
        lines = {
            (*(names.get(key, key) for key in path[:1]), *path[1:]): at for path, at in given.lines.items()
        }
        self.document = Document(value, lines, (), given.file, given.unread)

    def header(self, top: Table) -> None:
        if self.missing("racl"):
            self.say(("racl",), "the format version is missing", f"begin with `racl = {FORMAT}`")
        elif "racl" in top and (
            top["racl"] is True or top["racl"] != FORMAT or not isinstance(top["racl"], int)
        ):
            self.say(
                ("racl",),
                f"format version {quoted(top['racl'])} is not known",
                f"this release reads {FORMAT}",
            )
        name = top.get("name", "")
        if self.missing("name"):
            self.say(("name",), "the name is missing", 'add `name = "my-domain"`')
        elif "name" in top and (not isinstance(name, str) or not ID.fullmatch(name)):
            self.say(
                ("name",),
                f"{quoted(name)} is not a name",
                "lower-case letters, digits, `-` and `_`, at most 64",
            )
        for section in ("candidate", "requirements", "features"):
            if self.missing(section):
                self.say((section,), f"the section `[{section}]` is missing")
            elif top.get(section) == {}:
                self.say((section,), f"the section `[{section}]` is empty")

    # expressions

    def expression(self, path: Path, value: object, wanted: Sort | None, *, rule: bool = False) -> Expression:
        """An expression of the wanted sort (of any, for None); a placeholder where it is at fault."""
        before = len(self.problems)
        expression = self.parsed(path, value)
        if expression is not None and not self.broken & names(expression.node):
            sort, problems = sort_of(
                expression, self.rule_sorts() if rule else self.sorts, self.unknown(rule=rule)
            )
            self.expression_problems(path, problems)
            if not problems and wanted is not None:
                self.fits(path, expression, sort, wanted)
        return expression if expression and len(self.problems) == before else placeholder(wanted or NUMBER)

    def parsed(self, path: Path, value: object) -> Expression | None:
        match value:
            case str():
                result = parse(value)
                if isinstance(result, Expression):
                    return result
                self.expression_problems(path, result)
            case bool():
                return Expression(Truth(value), str(value).lower())
            case int() | float() if finite(value):
                text = show_number(float(value))
                return Expression(
                    Unary("-", Number(-float(value))) if value < 0 else Number(float(value)), text
                )
            case int() | float():
                self.say(path, f"{quoted(value)} is not a finite number")
            case _:
                self.say(path, f"{quoted(value)} stands where an expression is wanted", "write it in quotes")
        return None

    def expression_problems(self, path: Path, problems: tuple[Problem, ...]) -> None:
        where, line = dotted(path), self.line(path)
        for found in problems:
            self.add(Problem(where, found.what, found.hint, self.document.file, line, found.text, found.span))

    def fits(self, path: Path, expression: Expression, sort: Sort, wanted: Sort) -> None:
        whole = (0, len(expression.text))
        if wanted.kind is Kind.CATEGORY and sort.kind is Kind.CATEGORY:
            outside = [value for value in sort.values if value not in wanted.values]
            if outside:
                what = f"{quoted(outside[0])} is not among the values of `{path[-1]}`"
                self.expression_problems(
                    path,
                    (Problem("", what, nearest(outside[0], wanted.values), "", 0, expression.text, whole),),
                )
        elif sort.kind is not wanted.kind and (wanted.kind, sort.kind) != (Kind.NUMBER, Kind.BOOLEAN):
            hint = (
                "compare it, as in `x > 0`"
                if wanted.kind is Kind.BOOLEAN and sort.kind is Kind.NUMBER
                else ""
            )
            what = f"{sort.kind} where {wanted.kind} is wanted"
            self.expression_problems(path, (Problem("", what, hint, "", 0, expression.text, whole),))

    def rule_sorts(self) -> dict[str, Sort]:
        return {name: sort for name, sort in self.sorts.items() if self.columns[name].context}

    def unknown(self, *, rule: bool) -> Unknown:
        return Unknown(
            tuple(self.rule_sorts() if rule else self.sorts), frozenset(self.columns) if rule else frozenset()
        )

    # repairs and the rule

    def repair(self, name: str, value: object) -> Repair:
        path = ("repairs", name)
        if name == KEEP:
            self.say(path, "a repair cannot be named `keep`", "the identity exists in every domain")
        spec = self.table(path, value)
        self.known(path, spec, REPAIR_KEYS)
        applies = self.expression((*path, "applies"), spec.get("applies", True), BOOLEAN)
        cost = self.expression((*path, "cost"), spec.get("cost", 0), NUMBER)
        if is_negative_literal(cost.node):
            self.say((*path, "cost"), f"the cost {quoted(cost.text)} is negative", "a cost is at least 0")
        if isinstance(value, Mapping) and "sets" not in spec and (*path, "sets") not in self.document.unread:
            self.say((*path, "sets"), "the repair sets nothing", 'add `sets = { column = "expression" }`')
        sets = tuple(
            (target, self.effect((*path, "sets", target), target, expression))
            for target, expression in self.table((*path, "sets"), spec.get("sets", {})).items()
        )
        words = [self.words((*path, key), spec.get(key, "")) for key in ("label", "description")]
        return Repair(name, applies, sets, cost, *words)

    def effect(self, path: Path, target: str, value: object) -> Expression:
        column = self.columns.get(target)
        if column is None:
            candidates = [name for name, known in self.columns.items() if not known.context]
            self.say(
                path, f"a repair sets the undeclared column {quoted(target)}", nearest(target, candidates)
            )
        elif column.context:
            self.say(
                path, f"a repair cannot set `{target}`, a column of [context]", "it is fixed by the request"
            )
        return self.expression(path, value, None if target in self.broken else self.sorts.get(target))

    def rule(self) -> Rule:
        spec = self.table(("rule",), self.document.value.get("rule", {}))
        self.known(("rule",), spec, RULE_KEYS)
        budget, threshold = (self.bar(spec, key) for key in ("budget", "threshold"))
        for key in ("label", "description"):
            self.words(("rule", key), spec.get(key, ""))
        choose, tradeoff, steps = spec.get("choose", "best"), spec.get("tradeoff", 0.0), spec.get("steps", 1)
        if choose not in list(Choose):
            self.say(("rule", "choose"), f"{quoted(choose)} is no way to choose", "`best` or `cheapest`")
            choose = "best"
        if (
            isinstance(tradeoff, bool)
            or not isinstance(tradeoff, int | float)
            or not finite(tradeoff)
            or tradeoff < 0
        ):
            self.say(("rule", "tradeoff"), f"{quoted(tradeoff)} is not a finite number of at least 0")
            tradeoff = 0.0
        if isinstance(steps, bool) or not isinstance(steps, int) or not 1 <= steps <= MAX_STEPS:
            self.say(("rule", "steps"), f"{quoted(steps)} is not a whole number from 1 to {MAX_STEPS}")
            steps = 1
        return Rule(budget, threshold, self.persona(spec), float(tradeoff), Choose(str(choose)), steps)

    def bar(self, spec: Table, key: str) -> Expression:
        """The budget or the threshold: an expression over the context alone."""
        if key in spec or self.columns.get(key, Column("", Type.NUMBER)).context:
            return self.expression(("rule", key), spec.get(key, key), NUMBER, rule=True)
        self.say(
            ("rule", key),
            f"there is no {key}",
            f'declare `{key} = "number"` in [context], or say it in [rule]',
        )
        return placeholder(NUMBER)

    def persona(self, spec: Table) -> str | None:
        name = spec.get("persona", "persona")
        column = self.columns.get(name) if isinstance(name, str) else None
        if column is None and "persona" not in spec:
            return None
        if column is None or not column.context:
            if "persona" not in spec:
                return None
            context = [known for known, sort in self.rule_sorts().items() if sort.kind is Kind.CATEGORY]
            self.say(
                ("rule", "persona"),
                f"{quoted(name)} is not a category of [context]",
                nearest(str(name), context),
            )
            return None
        if column.type is not Type.CATEGORY and column.name not in self.broken:
            self.say(
                ("rule", "persona"), f"`{name}` is not a category", "a persona is a category of [context]"
            )
            return None
        return column.name


@dataclass(frozen=True, slots=True)
class Unknown:
    """The words for a name that an expression cannot read."""

    known: tuple[str, ...]
    elsewhere: frozenset[str]  # declared, but out of reach: the candidate, for [rule]

    def __call__(self, name: str) -> tuple[str, str]:
        """What is wrong with the name, and a hint."""
        if name in self.elsewhere:
            return f"[rule] cannot read `{name}`, a column of [candidate]", "it reads [context] alone"
        if name in ("None", "null", "nan", "inf"):
            return f"unknown name {quoted(name)}", "nulls are replaced by a column's `default`"
        return f"unknown name {quoted(name)}", nearest(name, self.known)


def placeholder(wanted: Sort) -> Expression:
    """Stands in for an expression at fault, so that checking can go on."""
    return (
        Expression(Truth(value=True), "true") if wanted.kind is Kind.BOOLEAN else Expression(Number(0.0), "0")
    )


def is_negative_literal(node: Node) -> bool:
    """A number written with a sign."""
    return (
        isinstance(node, Unary)
        and node.op == "-"
        and isinstance(node.operand, Number)
        and node.operand.value > 0
    )
