"""Nasty expressions in a domain file: each is refused at its place, and nothing of it runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from nasty.air import line_of, pointed_at, refused, said, spoiled, with_requirement
from racl.domain.files import parse_domain

CODE = [
    "__import__('os').system('touch ran')",
    "().__class__.__base__.__subclasses__()",
    "'{0.__class__}'.format(fare)",
    "(lambda: has_bag)()",
    "lambda: has_bag",
    "[x for x in (1,)]",
    "{x for x in (1,)}",
    "{x: x for x in (1,)}",
    "max(x for x in (1,))",
    "@fare",
    "fare @ stops",
    "(SELECT has_bag FROM rows)",
    "f'{fare}' == carrier",
    "rf'{__import__(\"os\")}' == carrier",
    "b'AA' == carrier",
    "(n := 1) > 0",
    "x[0]",
    "fare[0] > 1",
    "fare[0:1] > 1",
    "{1: 2}",
    "{1, 2}",
    'exec(\'open("ran", "w")\')',
    "eval('1') > 0",
    "open('ran', 'w')",
    "(yield)",
    "(yield from x)",
    "(await fare)",
    "*fare",
    "min(*fare)",
    "min(fare, key=abs)",
    "fare.real > 1",
    "fare is None",
    "not not",
    "fare; stops",
    "import os",
    "fare = 1",
    "pass",
    "`fare`",
    "fare # no more",
    "...",
    "1 if has_bag",
    "u'AA' == carrier",
    "has_bag and",
    "()",
]


def test_code_is_refused_all_of_it_in_one_run_each_with_a_caret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D09."""
    monkeypatch.chdir(tmp_path)
    lines = "".join(f"r{n} = '''{text}'''\n" for n, text in enumerate(CODE))
    problems = refused(spoiled("[features]", f"{lines}\n[features]"))
    assert {problem.where for problem in problems} == {f"requirements.r{n}" for n in range(len(CODE))}
    for problem in problems:
        text, caret = problem.caret().split("\n")
        assert text.startswith("    ")
        assert caret.strip("^ ") == ""
        assert "^" in caret
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("expression", "what"),
    [
        ("fare < 9**9**9", "`**` is not part of the language"),
        ("fare < 1e400", "the number is too large for float64"),
        ("fare < " + "9" * 5000, "the number is too large for float64"),
        ("fare < 1" + "0" * 309, "the number is too large for float64"),
        ("carrier == 'a' * 10000000000", "a category where a number is wanted"),
        ("fare < 0x" + "f" * 5000, "is not a decimal number"),
        ("fare < 1_000", "`1_000` is not a decimal number"),
        ("fare < 1j", "`1j` is not a decimal number"),
        ("fare < 007", "leading zeros in decimal integer literals"),
    ],
)
def test_what_would_take_forever_to_work_out_is_refused_at_once(expression: str, what: str) -> None:
    """D10."""
    problems = refused(with_requirement(expression))
    assert what in " ".join(said(problems))


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5000 + "has_bag" + ")" * 5000,
        "(" * 5000,
        "not " * 100_000 + "has_bag",
        "-" * 100_000 + "fare > 1",
        "fare > 1" + " + 1" * 100_000,
        "fare" + "." * 100_000,
        "." * 9_000,
        "-" * 9_000 + "1 > 0",
        "not " * 2_000 + "has_bag",
        "fare > 1" + " + 1" * 2_400,
        "fare > 1" + "+1" * 4_900,
        "fare" + ".a" * 4_900,
        "[" * 65 + "]" * 65,
        "max(" * 65 + "1" + ")" * 65 + " > 0",
        "has_bag or " * 900 + "has_bag" + " or (has_bag" * 65 + ")" * 65,
        "1 if has_bag else " * 70 + "0 > 1",
        "has_bag if has_bag else " * 70 + "has_bag",
        "fare > 1" + " * (1" * 64 + ")" * 64,
        "'" + "a" * 10_000,
        "a" * 10_001,
    ],
)
def test_expressions_beyond_the_limits_are_refused(text: str) -> None:
    """D11."""
    problems = refused(with_requirement(text))
    assert all(problem.where == "requirements.extra" for problem in problems)
    assert len(problems) <= 10


def test_expressions_at_the_limits_are_taken() -> None:
    """D11."""
    sum_ = "fare > 1" + " + 1" * 60
    wide = "max(" + ",".join(["fare"] * 1_900) + ") > 1"
    deep = "(" * 64 + "has_bag" + ")" * 64
    lists = "fare in (" + ", ".join(["1"] * 1_900) + ")"
    for text in (sum_, wide, deep, lists, "has_bag or " * 900 + "has_bag"):
        parse_domain(with_requirement(text))


@pytest.mark.parametrize(
    ("expression", "caret"),
    [
        ("100 < fare <= 500", "100 < fare <= 500"),
        ("has_bag and 0 == stops == layover", "0 == stops == layover"),
        ("carrier in ('AA',) in ('UA',)", "carrier in ('AA',) in ('UA',)"),
    ],
)
def test_a_chained_comparison_is_refused_and_the_hint_says_how_to_write_it(
    expression: str, caret: str
) -> None:
    """D12."""
    (problem,) = refused(with_requirement(expression))
    assert (problem.what, problem.hint) == ("a chained comparison", "write `a < b and b <= c`")
    assert pointed_at(problem) == caret


@pytest.mark.parametrize(
    ("character", "code"),
    [
        ("\N{CYRILLIC SMALL LETTER A}", "U+0430"),
        ("\N{FULLWIDTH LATIN SMALL LETTER F}", "U+FF46"),
        ("\N{RIGHT-TO-LEFT OVERRIDE}", "U+202E"),
        ("\N{ZERO WIDTH SPACE}", "U+200B"),
        ("\N{NO-BREAK SPACE}", "U+00A0"),
        ("\N{MATHEMATICAL BOLD SMALL F}", "U+1D41F"),
        ("\N{ARABIC-INDIC DIGIT ONE}", "U+0661"),
        ("\N{SUPERSCRIPT TWO}", "U+00B2"),
        ("\x0c", "U+000C"),
        ("\x1f", "U+001F"),
        ("\x7f", "U+007F"),
    ],
)
def test_characters_that_look_like_others_are_refused_outside_of_text_and_named(
    character: str, code: str
) -> None:
    """D13."""
    for expression in (f"has_bag {character} or has_bag", f"h{character}s_bag", f"{character}"):
        escaped = (
            expression
            if character.isprintable()
            else expression.replace(character, f"\\u{ord(character):04x}")
        )
        problems = refused(spoiled("[features]", f'extra = "{escaped}"\n[features]'))
        assert any(code in problem.what and pointed_at(problem) == character for problem in problems)
        assert all(line.isprintable() for line in said(problems))


def test_any_character_may_stand_in_a_text_literal() -> None:
    """D13."""
    value = "\N{CYRILLIC SMALL LETTER A}\N{ZERO WIDTH SPACE}\N{RIGHT-TO-LEFT OVERRIDE}"
    domain = spoiled('"WN"]', f'"WN", "{value}"]', with_requirement(f"carrier != '{value}'"))
    assert parse_domain(domain).column("carrier").values[-1] == value


TYPE_FAULTS = [
    ("carrier <= 5", "carrier", "a category under `<=`"),
    ("carrier == 'ZZ'", "'ZZ'", "`ZZ` is not among the values"),
    ("'ZZ' != carrier", "'ZZ'", "`ZZ` is not among the values"),
    ("not fare", "fare", "a number where a boolean is wanted"),
    ("fare", "fare", "a number where a boolean is wanted"),
    ("carrier", "carrier", "a category where a boolean is wanted"),
    ("has_bag and fare", "fare", "a number where a boolean is wanted"),
    ("has_bag if fare else has_bag", "fare", "a number where a boolean is wanted"),
    ("carrier + 1 > 0", "carrier", "a category where a number is wanted"),
    ("-carrier > 0", "carrier", "a category where a number is wanted"),
    ("max(fare, carrier) > 0", "carrier", "a category where a number is wanted"),
    ("carrier in ('AA')", "'AA'", "a tuple or a list of literals must follow `in`"),
    ("carrier in ('AA', 'ZZ')", "'ZZ'", "`ZZ` is not among the values"),
    ("carrier in (1,)", "1", "a number compared with a category"),
    ("fare in ('AA',)", "'AA'", "a category compared with a number"),
    ("carrier == persona", "persona", "two categories that share no value"),
    ("carrier == fare", "fare", "a number compared with a category"),
    ("carrier == has_bag", "has_bag", "a boolean compared with a category"),
    ("(carrier if has_bag else 1) == 'AA'", "1", "a number beside a category"),
    ("bagfee > 1", "bagfee", "unknown name `bagfee`"),
    ("has_bga", "has_bga", "unknown name `has_bga`"),
    ("Fare > 1", "Fare", "unknown name `Fare`"),
    ("sqroot(fare) > 1", "sqroot", "unknown function `sqroot`"),
]


@pytest.mark.parametrize(("expression", "caret", "what"), TYPE_FAULTS)
def test_a_type_error_is_refused_at_its_place(expression: str, caret: str, what: str) -> None:
    """D14."""
    (problem,) = refused(with_requirement(expression))
    assert (problem.what, pointed_at(problem)) == (what, caret)
    assert (problem.file, problem.where) == ("air.toml", "requirements.extra")
    assert problem.line == line_of("[features]")


def test_all_type_errors_are_found_in_one_run() -> None:
    """D14."""
    lines = "".join(f"r{n} = '''{text}'''\n" for n, (text, _, _) in enumerate(TYPE_FAULTS))
    problems = refused(spoiled("[features]", f"{lines}\n[features]"))
    assert [problem.where for problem in problems] == [f"requirements.r{n}" for n in range(len(TYPE_FAULTS))]
