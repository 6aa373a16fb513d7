"""Pieces of SQL as trees: names, numbers, texts, conditions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction

from sqlglot import exp

from racl.query.dialects import Dialect, Literals, Nan

E = exp.Expr
ATOMIC = (exp.Column, exp.Literal, exp.Boolean, exp.Null, exp.Func, exp.Paren, exp.Case, exp.Cast, exp.Dot)
CHAINS = (exp.And, exp.Or, exp.Add)
ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div)
COMPARED = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)
WEAKER: Mapping[type[exp.Binary], tuple[type[exp.Expr], ...]] = {  # what stands there without brackets
    exp.Add: (exp.Mul, exp.Div),
    exp.Sub: (exp.Mul, exp.Div),
    exp.And: (*COMPARED, exp.Not, exp.Is, exp.In),
    exp.Or: (*COMPARED, exp.Not, exp.Is, exp.In),
    **dict.fromkeys(COMPARED, ARITHMETIC),
}
EXACT_POWER = 22  # of ten that every reader holds exactly
CHUNK = 50  # bits of a power of two at a time
ARGUMENTS = 100  # of one function; more are nested


def column(name: str, table: str = "", *, quoted: bool = False) -> E:
    """A column by its name."""
    return exp.column(exp.to_identifier(name, quoted=quoted), table or None)


def text(value: str) -> E:
    """A text."""
    return exp.Literal.string(value)


def truth(*, value: bool) -> E:
    """True or false."""
    return exp.Boolean(this=value)


def held(tree: E) -> E:
    """The tree as an operand: in brackets, unless it needs none."""
    atomic = isinstance(tree, ATOMIC) and not isinstance(tree, exp.Connector)
    return tree if atomic else exp.Paren(this=tree)


def binary(kind: type[exp.Binary], left: E, right: E) -> E:
    """An operation of two operands, in brackets where they need them."""
    weaker = WEAKER.get(kind, ())
    if kind not in (exp.And, exp.Or) and is_literal(left) is not is_literal(right):
        left, right = bare(left), bare(right)
    first = left if isinstance(left, weaker) or (kind in CHAINS and type(left) is kind) else held(left)
    second = right if isinstance(right, weaker) else held(right)
    typed = {"typed": True, "safe": False} if kind is exp.Div else {}
    return kind(this=first, expression=second, **typed)


def is_literal(tree: E) -> bool:
    """It is a number as written, of whatever type."""
    return isinstance(tree, exp.Literal) or (
        isinstance(tree, exp.Cast) and isinstance(tree.this, exp.Literal)
    )


def bare(tree: E) -> E:
    """A number without its cast, beside an operand that is a float64 already."""
    if isinstance(tree, exp.Cast) and isinstance(tree.this, exp.Literal) and not tree.this.is_string:
        return tree.this
    return tree


def joined(kind: type[exp.And | exp.Or], parts: Iterable[E]) -> E:
    """All of them, or any."""
    first, *rest = parts
    for part in rest:
        first = binary(kind, first, part)
    return first


def negated(tree: E) -> E:
    """It does not hold."""
    return exp.Not(this=held(tree))


def case(branches: Sequence[tuple[E, E]], default: E | None = None) -> E:
    """The first branch whose condition holds."""
    ifs = [exp.If(this=condition, true=value) for condition, value in branches]
    return exp.Case(ifs=ifs, default=default)


def call(name: str, *arguments: E) -> E:
    """A function by its name, as it stands."""
    return exp.Anonymous(this=name, expressions=list(arguments))


def double(tree: E) -> E:
    """The tree as a float64."""
    return exp.Cast(this=tree, to=exp.DataType.build("double"))


def is_null(tree: E) -> E:
    """It is null."""
    return exp.Is(this=held(tree), expression=exp.Null())


def select(columns: Sequence[E], source: E) -> exp.Select:
    """Columns of a source."""
    return exp.Select(expressions=list(columns)).from_(source, copy=False)


def or_else(tree: E, default: E) -> E:
    """The tree, or the default where it is null."""
    return exp.Coalesce(this=tree, expressions=[default])


# numbers ---------------------------------------------------------------------------------------------


def number(value: float, dialect: Dialect) -> E:
    """A float64, to the bit."""
    if math.isnan(value):
        return exp.Null() if dialect.nan is Nan.NULL else double(text("NaN"))
    if math.isinf(value):
        found = exp.Literal.number("9e999") if dialect.nan is Nan.NULL else double(text("Infinity"))
        return found if value > 0 else exp.Neg(this=held(found))
    if math.copysign(1.0, value) < 0:
        return exp.Neg(this=number(-value, dialect))
    written = repr(value)
    match dialect.literals:
        case Literals.EXPONENT:
            plain = written.removesuffix(".0")
            return exp.Literal.number(plain if "e" in plain else f"{plain}e0")
        case Literals.SUFFIX:
            return exp.Literal.number(f"{written}D")
        case Literals.CAST:
            return double(exp.Literal.number(written))
        case Literals.PLAIN:
            return exp.Literal.number(written) if read_alike(value) else ratio(value)


def read_alike(value: float) -> bool:
    """Whether a reader that rounds a quotient to 64 bits first reads the shortest decimal as this number; SQLite may do so."""
    power = Decimal(repr(value)).as_tuple().exponent
    if not -EXACT_POWER <= int(power) <= 0:
        return value == 0.0
    return float(rounded(Fraction(repr(value)), 64)) == value


def rounded(exact: Fraction, bits: int) -> Fraction:
    """The nearest number of so many bits, of two the even one."""
    if not exact:
        return exact
    unit = Fraction(2) ** (exact.numerator.bit_length() - exact.denominator.bit_length() - bits)
    while exact / unit >= 2**bits:
        unit *= 2
    return round(exact / unit) * unit


def ratio(value: float) -> E:
    """A float64 as whole numbers multiplied or divided by powers of two, all of them exact."""
    mantissa, exponent = math.frexp(value)
    tree: E = exp.Literal.number(f"{int(mantissa * 2.0**53)}.0")
    exponent -= 53
    kind = exp.Mul if exponent > 0 else exp.Div
    for step in [CHUNK] * (abs(exponent) // CHUNK) + [abs(exponent) % CHUNK]:
        tree = binary(kind, tree, exp.Literal.number(f"{2**step}.0"))
    return exp.Paren(this=tree)


def infinite(dialect: Dialect) -> E:
    """The infinity."""
    return number(math.inf, dialect)


def small(tree: E, dialect: Dialect) -> E:
    """It is a finite number; null of null."""
    if dialect.finite:
        return call(dialect.finite, tree)
    return binary(exp.LT, call("ABS", tree), infinite(dialect))


def finite(tree: E, dialect: Dialect) -> E:
    """It is a finite number; false of NaN."""
    found = small(tree, dialect)
    return or_else(found, truth(value=False)) if dialect.nan is Nan.NULL else found


def is_minus_zero(tree: E, dialect: Dialect) -> E:
    """A zero is -0.0."""
    if dialect.minus_zero == "ATAN2":
        return exp.GT(this=call("ATAN2", number(0.0, dialect), tree), expression=number(0.0, dialect))
    written = exp.Cast(this=tree, to=exp.DataType.build("text"))
    return exp.EQ(this=written, expression=text(dialect.minus_zero))


def extreme(trees: Sequence[E], dialect: Dialect, *, largest: bool) -> E:
    """The largest or smallest of numbers that may be null; null where all are."""
    if len(trees) == 1:
        return trees[0]
    name = dialect.greatest[0 if largest else 1]
    if dialect.skips_nulls:
        return call(name, *trees)
    beyond = number(-math.inf if largest else math.inf, dialect)
    rest = [or_else(tree, beyond.copy()) for tree in trees]
    while len(rest) > 1:
        groups = [rest[at : at + ARGUMENTS] for at in range(0, len(rest), ARGUMENTS)]
        rest = [call(name, *group) if len(group) > 1 else group[0] for group in groups]
    return exp.Nullif(this=rest[0], expression=beyond)
