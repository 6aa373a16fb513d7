"""Typing: the sort of every form, and every fault in one run."""

from __future__ import annotations

import pytest

from racl.expr.nodes import Expression
from racl.expr.parse import parse
from racl.expr.types import BOOLEAN, NUMBER, Kind, Sort, sort_of

AIRLINES = ("AA", "UA", "WN")
SORTS = {
    "fare": NUMBER,
    "bag": BOOLEAN,
    "carrier": Sort(Kind.CATEGORY, AIRLINES),
    "home": Sort(Kind.CATEGORY, ("UA", "DL")),
}


def sorted_(text: str) -> tuple[Sort, tuple[str, ...]]:
    """The sort of a text, and what is wrong with it: `where: what (hint)`."""
    expression = parse(text)
    assert isinstance(expression, Expression), expression
    sort, problems = sort_of(expression, SORTS)
    places = [problem.text[slice(*problem.span)] if problem.span else "" for problem in problems]
    return sort, tuple(
        f"{place}: {problem.line_text()}" for place, problem in zip(places, problems, strict=True)
    )


CATEGORY = Sort(Kind.CATEGORY, AIRLINES)
SOUND = [
    ("1", NUMBER),
    ("fare + bag", NUMBER),
    ("-bag", NUMBER),
    ("bag + bag", NUMBER),
    ("min(bag, fare)", NUMBER),
    ("fare if bag else 1", NUMBER),
    ("bag if bag else fare", NUMBER),
    ("true", BOOLEAN),
    ("bag if bag else not bag", BOOLEAN),
    ("fare < 1", BOOLEAN),
    ("bag < bag", BOOLEAN),
    ("bag == fare", BOOLEAN),
    ("bag and fare > 1", BOOLEAN),
    ("not bag", BOOLEAN),
    ("fare in (1, 2)", BOOLEAN),
    ("bag in (true, 0)", BOOLEAN),
    ("carrier in ('AA',)", BOOLEAN),
    ("carrier == 'AA'", BOOLEAN),
    ("'AA' == carrier", BOOLEAN),
    ("carrier == home", BOOLEAN),
    ("'AA' == 'AA'", BOOLEAN),
    ("carrier", CATEGORY),
    ("'ZZ'", Sort(Kind.CATEGORY, ("ZZ",))),
    ("carrier if bag else 'AA'", CATEGORY),
    ("carrier if bag else home", Sort(Kind.CATEGORY, ("AA", "UA", "WN", "DL"))),
    ("(carrier if bag else home) == 'DL'", BOOLEAN),
]


@pytest.mark.parametrize(("text", "sort"), SOUND, ids=[text for text, _ in SOUND])
def test_the_sort_of(text: str, sort: Sort) -> None:
    assert sorted_(text) == (sort, ())


COMPARE = " (categories compare with `==`, `!=` and `in` only)"
FAULTS = [
    ("not fare", ("fare: a number where a boolean is wanted (compare it, as in `x > 0`)",)),
    ("not carrier", ("carrier: a category where a boolean is wanted (compare it, as in `x == 'A'`)",)),
    ("bag and carrier", ("carrier: a category where a boolean is wanted (compare it, as in `x == 'A'`)",)),
    ("fare if fare else 1", ("fare: a number where a boolean is wanted (compare it, as in `x > 0`)",)),
    ("-carrier", (f"carrier: a category where a number is wanted{COMPARE}",)),
    ("fare + 'AA'", (f"'AA': a category where a number is wanted{COMPARE}",)),
    ("abs(carrier)", (f"carrier: a category where a number is wanted{COMPARE}",)),
    ("carrier < 'AA'", (f"carrier: a category under `<`{COMPARE}", f"'AA': a category under `<`{COMPARE}")),
    ("fare >= home", (f"home: a category under `>=`{COMPARE}",)),
    ("carrier == 1", ("1: a number compared with a category (both sides must be of one kind)",)),
    ("bag != carrier", ("carrier: a category compared with a boolean (both sides must be of one kind)",)),
    ("carrier == 'ZZ'", ("'ZZ': `ZZ` is not among the values (the values are `AA`, `UA`, `WN`)",)),
    ("carrier == 'Ua'", ("'Ua': `Ua` is not among the values (did you mean `UA`?)",)),
    ("'AA' == 'UA'", ("'AA': `AA` is not among the values (the values are `UA`)",)),
    ("home != 'AA'", ("'AA': `AA` is not among the values (the values are `UA`, `DL`)",)),
    ("carrier in ('AA', 1)", ("1: a number compared with a category (both sides must be of one kind)",)),
    ("fare in (1, 'AA')", ("'AA': a category compared with a number (both sides must be of one kind)",)),
    ("carrier if bag else 1", ("1: a number beside a category (both branches must be of one kind)",)),
    (
        "fare if bag else carrier",
        ("carrier: a category beside a number (both branches must be of one kind)",),
    ),
    ("fair + 1", ("fair: unknown name `fair` (did you mean `fare`?)",)),
    ("xyzzy", ("xyzzy: unknown name `xyzzy`",)),
    ("not xyzzy", ("xyzzy: unknown name `xyzzy`",)),
    ("xyzzy == 'AA'", ("xyzzy: unknown name `xyzzy`",)),
    ("xyzzy and fare > 'AA'", ("xyzzy: unknown name `xyzzy`", f"'AA': a category under `>`{COMPARE}")),
]


@pytest.mark.parametrize(("text", "faults"), FAULTS, ids=[text for text, _ in FAULTS])
def test_the_faults_of(text: str, faults: tuple[str, ...]) -> None:
    assert sorted_(text)[1] == faults
