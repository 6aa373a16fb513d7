"""The columns of a domain, read from its document."""

from __future__ import annotations

from dataclasses import dataclass, field

from racl.domain.faults import Faults, Path, Table, finite
from racl.domain.model import Column, Type
from racl.errors import nearest, quoted
from racl.expr.types import BOOLEAN, NUMBER, Kind, Sort
from racl.values import Fault, read_value

COLUMN_KEYS = ("type", "min", "max", "values", "default", "unit", "label", "description")
NUMERIC = (Type.NUMBER, Type.INTEGER)


@dataclass
class ColumnFaults(Faults):
    """Reads the columns of both sections."""

    sorts: dict[str, Sort] = field(default_factory=dict)
    columns: dict[str, Column] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)  # at fault themselves: no second fault for reading them

    def column_section(self, section: str) -> tuple[Column, ...]:
        """The columns of `[candidate]` or `[context]`; those that could not be read are known by name."""
        for path in self.document.unread:
            if path[:1] == (section,) and len(path) > 1:
                self.broken.add(path[1])
                self.columns[path[1]] = Column(path[1], Type.NUMBER, section == "context")
                self.sorts[path[1]] = NUMBER
        return tuple(
            self.column((section, name), name, value, context=section == "context")
            for name, value in self.section(section).items()
        )

    def column(self, path: Path, name: str, value: object, *, context: bool) -> Column:
        """One column, remembered under its name."""
        before = len(self.problems)
        if name in self.columns:
            self.say(
                path,
                f"`{name}` is a column of [candidate] already",
                "a column stands in one of the two sections",
            )
        spec = {"type": value} if isinstance(value, str) else self.table(path, value)
        self.known(path, spec, COLUMN_KEYS)
        if spec or not self.problems[before:]:
            column = self.typed_column(path, name, spec, context=context)
        else:
            column = Column(name, Type.NUMBER, context)
        if len(self.problems) > before:
            self.broken.add(name)
        self.columns.setdefault(name, column)
        self.sorts.setdefault(name, sort_of_column(column))
        return column

    def typed_column(self, path: Path, name: str, spec: Table, *, context: bool) -> Column:
        """A column from its table; a number where the type is at fault."""
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
        """A `min` or a `max`."""
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
        """The values of a category."""
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
        """The value that stands in for a null, which the column itself must accept."""
        if "default" not in spec or (column.type is Type.CATEGORY and not column.values):
            return None
        raw = spec["default"]
        value = read_value(column, raw if isinstance(raw, int | float | str) else repr(raw))
        if isinstance(value, Fault):
            self.say((*path, "default"), f"the default is refused by its own column: {value.reason}")
            return None
        return value


def sort_of_column(column: Column) -> Sort:
    """The sort of an expression that is the column alone."""
    match column.type:
        case Type.BOOLEAN:
            return BOOLEAN
        case Type.CATEGORY:
            return Sort(Kind.CATEGORY, column.values)
        case _:
            return NUMBER
