"""A document to a domain, or every fault in it at once."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from racl.documents import Document
from racl.domain.model import KEEP, Choose, Column, Domain, Feature, Repair, Requirement, Rule, Type
from racl.errors import Problem, nearest, quoted
from racl.expr.nodes import RESERVED, Expression, Name, Node, Number, Truth, Unary, names
from racl.expr.parse import parse
from racl.expr.show import number as show_number
from racl.expr.types import BOOLEAN, NUMBER, Kind, Sort, sort_of
from racl.values import Fault, read_value

FORMAT = 1
MAX_STEPS = 4
ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}", re.ASCII)
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)

SECTIONS = ("racl", "name", "label", "description", "candidate", "context", "requirements", "features", "repairs", "rule")
COLUMN_KEYS = ("type", "min", "max", "values", "default", "unit", "label", "description")
REPAIR_KEYS = ("applies", "sets", "cost", "label", "description")
RULE_KEYS = ("budget", "threshold", "persona", "tradeoff", "choose", "steps", "label", "description")
NUMERIC = (Type.NUMBER, Type.INTEGER)

Path = tuple[str, ...]
Table = Mapping[str, object]


def check(document: Document) -> Domain | tuple[Problem, ...]:
    """The domain that a document declares, or every fault in it."""
    checker = _Checker(document)
    domain = checker.domain()
    return tuple(checker.sorted_problems()) or domain


@dataclass
class _Checker:
    document: Document
    problems: list[Problem] = field(default_factory=list)
    sorts: dict[str, Sort] = field(default_factory=dict)
    columns: dict[str, Column] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)  # columns whose declaration is at fault: no second fault for reading them

    def __post_init__(self) -> None:
        self.problems.extend(self.document.problems)

    def say(self, path: Path, what: str, hint: str = "") -> None:
        self.problems.append(Problem(".".join(path), what, hint, self.document.file, self.line(path)))

    def line(self, path: Path) -> int:
        """The line of a key path, or of the nearest one above it."""
        while path and path not in self.document.lines:
            path = path[:-1]
        return self.document.lines.get(path, 1)

    def sorted_problems(self) -> list[Problem]:
        return sorted(dict.fromkeys(self.problems), key=lambda problem: problem.line)

    # structure

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
        name, label, about = (self.words((key,), top.get(key, "")) for key in ("name", "label", "description"))
        return Domain(name, candidate, context, requirements, features, repairs, self.rule(), label, about, top)

    def header(self, top: Table) -> None:
        if "racl" not in top:
            self.say(("racl",), "the format version is missing", f"begin with `racl = {FORMAT}`")
        elif top["racl"] is True or top["racl"] != FORMAT or not isinstance(top["racl"], int):
            self.say(("racl",), f"format version {quoted(top['racl'])} is not known", f"this release reads {FORMAT}")
        name = top.get("name")
        if name is None:
            self.say(("name",), "the name is missing", 'add `name = "my-domain"`')
        elif not isinstance(name, str) or not ID.fullmatch(name):
            self.say(("name",), f"{quoted(name)} is not a name", "lower-case letters, digits, `-` and `_`, at most 64")
        for section in ("candidate", "requirements", "features"):
            if section not in top:
                self.say((section,), f"the section `[{section}]` is missing")
            elif top[section] == {}:
                self.say((section,), f"the section `[{section}]` is empty")

    def known(self, path: Path, table: Table, keys: tuple[str, ...]) -> None:
        for key in table:
            if key not in keys:
                hint = nearest(key, keys) or "the keys here are " + ", ".join(f"`{known}`" for known in keys)
                self.say((*path, key), f"unknown key {quoted(key)}", hint)

    def table(self, path: Path, value: object) -> Table:
        if isinstance(value, Mapping):
            return value
        self.say(path, f"{quoted(value)} stands where a table is wanted")
        return {}

    def section(self, name: str) -> Table:
        """A section's entries; names that are not names are faults, but their entries are checked all the same."""
        table = self.table((name,), self.document.value.get(name, {}))
        for key in table:
            self.name((name, key), key)
        return table

    def name(self, path: Path, name: str) -> None:
        if not NAME.fullmatch(name):
            self.say(path, f"{quoted(name)} is not a name", "letters, digits and `_`, not beginning with a digit")
        elif name in RESERVED:
            self.say(path, f"`{name}` is a word of the expression language", "choose another name")

    def words(self, path: Path, value: object) -> str:
        if isinstance(value, str):
            return value
        self.say(path, f"{quoted(value)} is not text")
        return ""

    # columns

    def column_section(self, section: str) -> tuple[Column, ...]:
        return tuple(
            self.column((section, name), name, value, context=section == "context")
            for name, value in self.section(section).items()
        )

    def column(self, path: Path, name: str, value: object, *, context: bool) -> Column:
        before = len(self.problems)
        if name in self.columns:
            self.say(path, f"`{name}` is a column of [candidate] already", "a column stands in one of the two sections")
        spec = {"type": value} if isinstance(value, str) else self.table(path, value)
        self.known(path, spec, COLUMN_KEYS)
        column = self.typed_column(path, name, spec, context=context)
        if len(self.problems) > before:
            self.broken.add(name)
        self.columns[name] = column
        self.sorts[name] = sort_of_column(column)
        return column

    def typed_column(self, path: Path, name: str, spec: Table, *, context: bool) -> Column:
        known = [type_.value for type_ in Type]
        given = spec.get("type")
        if not isinstance(given, str) or given not in known:
            what = "the type is missing" if given is None else f"unknown type {quoted(given)}"
            hint = nearest(given, known) if isinstance(given, str) else ""
            self.say((*path, "type"), what, hint or "one of " + ", ".join(f"`{type_}`" for type_ in known))
            return Column(name, Type.NUMBER, context)
        type_ = Type(given)
        low, high = (self.bound((*path, key), spec.get(key), type_) for key in ("min", "max"))
        if low is not None and high is not None and low > high:
            self.say((*path, "min"), "the minimum is above the maximum")
        values = self.category_values(path, spec, type_)
        words = [self.words((*path, key), spec.get(key, "")) for key in ("unit", "label", "description")]
        column = Column(name, type_, context, low, high, values, None, *words)
        default = self.default(path, column, spec)
        return Column(name, type_, context, low, high, values, default, *words)

    def bound(self, path: Path, value: object, type_: Type) -> float | None:
        if value is None:
            return None
        if type_ not in NUMERIC:
            self.say(path, f"a {type_} has no `{path[-1]}`")
        elif isinstance(value, bool) or not isinstance(value, int | float):
            self.say(path, f"{quoted(value)} is not a number")
        elif not finite(value):
            self.say(path, f"{quoted(value)} is not a finite number")
        else:
            return float(value)
        return None

    def category_values(self, path: Path, spec: Table, type_: Type) -> tuple[str, ...]:
        values = spec.get("values")
        if type_ is not Type.CATEGORY:
            if values is not None:
                self.say((*path, "values"), f"a {type_} has no `values`")
            return ()
        if not isinstance(values, list) or not values or not all(isinstance(value, str) for value in values):
            self.say((*path, "values"), "a category needs its values", "as in `values = ['AA', 'UA']`")
            return ()
        if len(set(values)) < len(values):
            twice = next(value for value in values if values.count(value) > 1)
            self.say((*path, "values"), f"the value {quoted(twice)} stands twice")
        return tuple(dict.fromkeys(values))

    def default(self, path: Path, column: Column, spec: Table) -> float | bool | str | None:
        if "default" not in spec or (column.type is Type.CATEGORY and not column.values):
            return None
        raw = spec["default"]
        value = read_value(column, raw if isinstance(raw, int | float | str) else repr(raw))
        if isinstance(value, Fault):
            self.say((*path, "default"), f"the default is refused by its own column: {value.reason}")
            return None
        return value

    # expressions

    def expression(self, path: Path, value: object, wanted: Sort | None, *, rule: bool = False) -> Expression:
        """An expression of the wanted sort (of any, for None); a placeholder where it is at fault."""
        before = len(self.problems)
        expression = self.parsed(path, value)
        if expression is not None and not self.broken & names(expression.node):
            sort, problems = sort_of(expression, self.rule_sorts() if rule else self.sorts, self.unknown(rule=rule))
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
                return Expression(Unary("-", Number(-float(value))) if value < 0 else Number(float(value)), text)
            case int() | float():
                self.say(path, f"{quoted(value)} is not a finite number")
            case _:
                self.say(path, f"{quoted(value)} stands where an expression is wanted", "write it in quotes")
        return None

    def expression_problems(self, path: Path, problems: tuple[Problem, ...]) -> None:
        where, line = ".".join(path), self.line(path)
        for found in problems:
            self.problems.append(
                Problem(where, found.what, found.hint, self.document.file, line, found.text, found.span)
            )

    def fits(self, path: Path, expression: Expression, sort: Sort, wanted: Sort) -> None:
        whole = (0, len(expression.text))
        if wanted.kind is Kind.CATEGORY and sort.kind is Kind.CATEGORY:
            outside = [value for value in sort.values if value not in wanted.values]
            if outside:
                what = f"{quoted(outside[0])} is not among the values of `{path[-1]}`"
                self.expression_problems(path, (Problem("", what, nearest(outside[0], wanted.values), "", 0, expression.text, whole),))
        elif sort.kind is not wanted.kind and (wanted.kind, sort.kind) != (Kind.NUMBER, Kind.BOOLEAN):
            hint = "compare it, as in `x > 0`" if wanted.kind is Kind.BOOLEAN and sort.kind is Kind.NUMBER else ""
            what = f"{sort.kind} where {wanted.kind} is wanted"
            self.expression_problems(path, (Problem("", what, hint, "", 0, expression.text, whole),))

    def rule_sorts(self) -> dict[str, Sort]:
        return {name: sort for name, sort in self.sorts.items() if self.columns[name].context}

    def unknown(self, *, rule: bool) -> Unknown:
        return Unknown(tuple(self.rule_sorts() if rule else self.sorts), frozenset(self.columns) if rule else frozenset())

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
        if "sets" not in spec:
            self.say((*path, "sets"), "the repair sets nothing", "add `sets = { column = \"expression\" }`")
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
            self.say(path, f"a repair sets the undeclared column {quoted(target)}", nearest(target, candidates))
        elif column.context:
            self.say(path, f"a repair cannot set `{target}`, a column of [context]", "it is fixed by the request")
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
        if isinstance(tradeoff, bool) or not isinstance(tradeoff, int | float) or not finite(tradeoff) or tradeoff < 0:
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
        self.say(("rule", key), f"there is no {key}", f'declare `{key} = "number"` in [context], or say it in [rule]')
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
            self.say(("rule", "persona"), f"{quoted(name)} is not a category of [context]", nearest(str(name), context))
            return None
        if column.type is not Type.CATEGORY and column.name not in self.broken:
            self.say(("rule", "persona"), f"`{name}` is not a category", "a persona is a category of [context]")
            return None
        return column.name


@dataclass(frozen=True, slots=True)
class Unknown:
    """The words for a name that an expression cannot read."""

    known: tuple[str, ...]
    elsewhere: frozenset[str]  # declared, but out of reach: the candidate, for [rule]

    def __call__(self, name: str) -> tuple[str, str]:
        if name in self.elsewhere:
            return f"[rule] cannot read `{name}`, a column of [candidate]", "it reads [context] alone"
        if name in ("None", "null", "nan", "inf"):
            return f"unknown name {quoted(name)}", "nulls are replaced by a column's `default`"
        return f"unknown name {quoted(name)}", nearest(name, self.known)


def sort_of_column(column: Column) -> Sort:
    """The sort of an expression that is the column alone."""
    match column.type:
        case Type.BOOLEAN:
            return BOOLEAN
        case Type.CATEGORY:
            return Sort(Kind.CATEGORY, column.values)
        case _:
            return NUMBER


def placeholder(wanted: Sort) -> Expression:
    """Stands in for an expression at fault, so that checking can go on."""
    return Expression(Truth(value=True), "true") if wanted.kind is Kind.BOOLEAN else Expression(Number(0.0), "0")


def is_negative_literal(node: Node) -> bool:
    """A number written with a sign."""
    return isinstance(node, Unary) and node.op == "-" and isinstance(node.operand, Number) and node.operand.value > 0


def finite(value: float) -> bool:
    """A number that float64 holds."""
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False
