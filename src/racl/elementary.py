"""Arithmetic that Python does not give as IEEE 754 has it, and `log` and `exp` as one shared routine.

Every engine computes `log` and `exp` by these very functions (the machine-code kernel compiles them), from additions,
multiplications and divisions of float64 alone, so that the bits are the same everywhere, whatever the C library.
"""

from __future__ import annotations

import math

SQRT_HALF = 0.7071067811865476
LN2_HIGH = 0.6931471803691238  # ln 2 to 32 bits: its product with an exponent is exact
LN2_LOW = 1.9082149292705877e-10
INVERSE_LN2 = 1.4426950408889634
EXP_MOST = 709.782712893384
EXP_LEAST = -745.1332191019412


def divide(a: float, b: float) -> float:
    """The quotient, with infinities and NaN where Python raises.

    >>> divide(1.0, 0.0), divide(-1.0, 0.0)
    (inf, -inf)
    """
    if b != 0.0:
        return a / b
    if a == 0.0 or a != a:  # noqa: PLR0124 - true of NaN alone
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def floor(a: float) -> float:
    """The largest whole number not above; keeps the sign of zero, infinities and NaN."""
    return math.copysign(float(math.floor(a)), a) if math.isfinite(a) else a


def ceil(a: float) -> float:
    """The smallest whole number not below; keeps the sign of zero, infinities and NaN."""
    return math.copysign(float(math.ceil(a)), a) if math.isfinite(a) else a


def sqrt(a: float) -> float:
    """The square root, NaN of a negative number."""
    return math.sqrt(a) if a >= 0.0 else math.nan


def smaller(a: float, b: float) -> float:
    """The first, unless the second is strictly less."""
    return b if b < a else a


def larger(a: float, b: float) -> float:
    """The first, unless the second is strictly greater."""
    return b if b > a else a


def log(x: float) -> float:
    """The natural logarithm: log(1 + f) from the series of 2 atanh(f / (2 + f)).

    >>> log(1.0), log(0.0)
    (0.0, -inf)
    """
    if not x > 0.0:
        return -math.inf if x == 0.0 else math.nan
    if x == math.inf:
        return x
    mantissa, exponent = math.frexp(x)
    if mantissa < SQRT_HALF:
        mantissa = mantissa * 2.0
        exponent = exponent - 1
    f = mantissa - 1.0
    s = f / (2.0 + f)
    z = s * s
    tail = 2.0 / 21.0 + z * (2.0 / 23.0)
    tail = 2.0 / 17.0 + z * (2.0 / 19.0 + z * tail)
    tail = 2.0 / 13.0 + z * (2.0 / 15.0 + z * tail)
    tail = 2.0 / 9.0 + z * (2.0 / 11.0 + z * tail)
    tail = 2.0 / 5.0 + z * (2.0 / 7.0 + z * tail)
    tail = z * (2.0 / 3.0 + z * tail)
    half = 0.5 * f * f
    return exponent * LN2_HIGH - ((half - (s * (half + tail) + exponent * LN2_LOW)) - f)


def exp(x: float) -> float:
    """The exponential: a power of two times the series of a remainder below 0.35.

    >>> exp(0.0), exp(-1000.0), exp(1000.0)
    (1.0, 0.0, inf)
    """
    if x != x:  # noqa: PLR0124 - true of NaN alone
        return x
    if x > EXP_MOST:
        return math.inf
    if x < EXP_LEAST:
        return 0.0
    power = math.floor(x * INVERSE_LN2 + 0.5)
    high = x - power * LN2_HIGH
    low = power * LN2_LOW
    r = high - low
    lost = (high - r) - low
    tail = 1.0 / 479001600.0 + r * (1.0 / 6227020800.0)
    tail = 1.0 / 3628800.0 + r * (1.0 / 39916800.0 + r * tail)
    tail = 1.0 / 40320.0 + r * (1.0 / 362880.0 + r * tail)
    tail = 1.0 / 720.0 + r * (1.0 / 5040.0 + r * tail)
    tail = 1.0 / 24.0 + r * (1.0 / 120.0 + r * tail)
    tail = r * r * (0.5 + r * (1.0 / 6.0 + r * tail))
    one = 1.0 + r
    sum_ = one + ((r - (one - 1.0)) + (tail + lost))
    first = power // 2
    return sum_ * math.ldexp(1.0, first) * math.ldexp(1.0, power - first)
