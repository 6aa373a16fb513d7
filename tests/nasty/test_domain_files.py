"""Nasty domain files: each is refused, with every fault and its place, and nothing of it runs."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from itertools import permutations
from pathlib import Path

import pytest

from nasty.air import AIR, ROW, air, document, line_of, pointed_at, refused, said, spoiled, with_requirement
from racl import DomainError, load_domain, semantics
from racl.domain.files import parse_domain
from racl.model import parse_model


def test_the_sound_file_is_sound() -> None:
    assert air().name == "air-ticket"


def test_what_stands_twice_is_refused_with_both_places() -> None:
    """D01."""
    first, last = line_of("[requirements]"), AIR.count("\n") + 2
    assert said(refused(AIR + '\n[requirements]\nbag = "has_bag"\n')) == [
        f"air.toml:{last}: requirements: given twice, first in line {first}",
        f"air.toml:{last + 1}: requirements.bag: given twice, first in line {first + 1}",
    ]
    twice = spoiled('nonstop = "stops == 0"', 'price = "1"\nnonstop = "stops == 0"')
    assert said(refused(twice)) == [
        f"air.toml:{line_of('nonstop')}: features.price: given twice, first in line {line_of('price')}"
    ]
    inline = spoiled(
        'sets    = { refundable = "true" }', 'sets = { refundable = "true", refundable = "false" }'
    )
    line = line_of("sets    = { refundable")
    assert said(refused(inline)) == [
        f"air.toml:{line}: repairs.make_refundable.sets.refundable: given twice, first in line {line}"
    ]


def test_a_section_that_is_misspelt_is_not_a_missing_one() -> None:
    """D02."""
    lines = said(refused(spoiled("[requirements]", "[requirments]")))
    line = line_of("[requirements]")
    assert f"air.toml:{line}: requirments: unknown key `requirments` (did you mean `requirements`?)" in lines
    assert len(lines) == 1


# files that are none ------------------------------------------------------------------------------


def file_of(folder: Path, content: bytes) -> Path:
    path = folder / "domain.toml"
    path.write_bytes(content)
    return path


def huge(folder: Path) -> Path:
    path = folder / "huge.toml"
    with path.open("wb") as file:
        file.truncate(1 << 30)
    return path


def fifo(folder: Path) -> Path:
    path = folder / "fifo"
    os.mkfifo(path)
    return path


NOT_FILES: dict[str, Callable[[Path], Path]] = {
    "5,000 brackets": lambda folder: file_of(folder, b"racl = " + b"[" * 5000 + b"]" * 5000),
    "5,000 inline tables": lambda folder: file_of(folder, b"racl = " + b"{a=" * 5000),
    "1 GiB": huge,
    "one byte over 1 MiB": lambda folder: file_of(folder, AIR.encode().ljust((1 << 20) + 1, b"\n")),
    "/dev/zero": lambda _: Path("/dev/zero"),
    "/dev/stdin": lambda _: Path(os.devnull),
    "a FIFO": fifo,
    "a folder": lambda folder: folder,
    "nothing": lambda folder: folder / "none.toml",
    "a NUL in the name": lambda _: Path("a\0b"),
    "an empty file": lambda folder: file_of(folder, b""),
    "UTF-16": lambda folder: file_of(folder, AIR.encode("utf-16")),
    "UTF-16 without a mark": lambda folder: file_of(folder, AIR.encode("utf-16-le")),
    "NUL bytes": lambda folder: file_of(folder, AIR.encode() + b"\0"),
    "Latin-1": lambda folder: file_of(folder, AIR.replace("USD", "é").encode("latin-1")),
    "racl = 99": lambda folder: file_of(folder, AIR.replace("racl = 1", "racl = 99").encode()),
    "racl = 1.0": lambda folder: file_of(folder, AIR.replace("racl = 1", "racl = 1.0").encode()),
    "racl = true": lambda folder: file_of(folder, AIR.replace("racl = 1", "racl = true").encode()),
}


@pytest.mark.parametrize("kind", NOT_FILES)
def test_what_is_no_domain_file_is_refused_without_hanging(kind: str, tmp_path: Path) -> None:
    """D07."""
    with pytest.raises(DomainError) as fault:
        load_domain(NOT_FILES[kind](tmp_path))
    assert 1 <= len(fault.value.problems) <= 2


def test_a_file_of_one_mebibyte_is_read(tmp_path: Path) -> None:
    """D07."""
    assert load_domain(file_of(tmp_path, AIR.encode().ljust(1 << 20, b"\n"))) == air()


# expressions --------------------------------------------------------------------------------------

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
    "key", ["min = 1e400", "min = nan", "max = inf", "default = -inf", "min = 1_000e999"]
)
def test_no_number_of_a_file_is_nan_or_infinite(key: str) -> None:
    """D16."""
    lines = said(
        refused(
            spoiled(
                'layover    = { type = "number", default = 0 }', f'layover = {{ type = "number", {key} }}'
            )
        )
    )
    assert len(lines) == 1


def test_a_whole_number_of_400_digits_is_no_bound() -> None:
    """D10."""
    text = spoiled(
        'layover    = { type = "number", default = 0 }', f'layover = {{ type = "number", max = {"9" * 400} }}'
    )
    assert said(refused(text))[0].startswith(
        f"air.toml:{line_of('layover')}: candidate.layover.max: a whole number"
    )


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


# repairs, numbers, names --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "what"),
    [
        ("budget", "a repair cannot set `budget`, a column of [context]"),
        ("threshold", "a repair cannot set `threshold`, a column of [context]"),
        ("persona", "a repair cannot set `persona`, a column of [context]"),
        ("needs_bag", "a repair cannot set `needs_bag`, a column of [context]"),
        ("has_bga", "a repair sets the undeclared column `has_bga`"),
    ],
)
def test_a_repair_sets_only_what_the_candidate_offers(target: str, what: str) -> None:
    """D15."""
    value = "'leisure'" if target == "persona" else "true"
    problems = refused(spoiled('sets    = { refundable = "true" }', f'sets = {{ {target} = "{value}" }}'))
    assert [problem.what for problem in problems] == [what]
    assert problems[0].where == f"repairs.make_refundable.sets.{target}"


def test_two_repairs_of_one_name_and_a_repair_keep_are_refused() -> None:
    """D15."""
    assert said(refused(spoiled("[repairs.make_refundable]", "[repairs.add_bag]")))[0] == (
        f"air.toml:{line_of('[repairs.make_refundable]')}: repairs.add_bag: given twice, "
        f"first in line {line_of('[repairs.add_bag]')}"
    )
    (problem,) = refused(spoiled("[repairs.make_refundable]", "[repairs.keep]"))
    assert problem.what == "a repair cannot be named `keep`"


@pytest.mark.parametrize("cost", ["-5", '"-5"', '"-0.5"', "-1e-300", '"(-3)"'])
def test_a_literal_cost_is_not_negative(cost: str) -> None:
    """D16."""
    (problem,) = refused(spoiled('cost    = "0.25 * fare"', f"cost = {cost}"))
    assert "is negative" in problem.what


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "1e400"])
@pytest.mark.parametrize(
    "place", ["repairs.make_refundable.cost", "rule.tradeoff", "rule.budget", "rule.threshold", "rule.steps"]
)
def test_nan_and_infinities_are_no_numbers_of_a_domain(place: str, value: str) -> None:
    """D16."""
    section, _, key = place.rpartition(".")
    text = (
        AIR.replace('cost    = "0.25 * fare"\n', "")
        + ("" if section != "rule" else "[rule]\n")
        + f"{key} = {value}\n"
    )
    assert [problem.where for problem in refused(text)] == [place]


@pytest.mark.parametrize(
    "name", ["../../x", "file:///etc/passwd", "a/b", "A", "", "-a", "a" * 65, "a\\u0000", "ä", "a b", "a\\n"]
)
def test_a_domain_is_not_named_like_a_path(name: str) -> None:
    """D17."""
    (problem,) = refused(spoiled('name = "air-ticket"', f'name = "{name}"'))
    assert problem.where == "name"


@pytest.mark.parametrize(
    "name", ["../../x", "a-b", "1a", "", "a b", "ä", "a.b", "min", "and", "true", "True", "in", "clip"]
)
@pytest.mark.parametrize("section", ["candidate", "context", "requirements", "features", "repairs"])
def test_other_names_are_letters_digits_and_underscores_and_no_words_of_the_language(
    section: str, name: str
) -> None:
    """D17."""
    entry = {"candidate": '"number"', "context": '"number"', "repairs": '{ sets = { has_bag = "true" } }'}
    text = AIR.replace("[repairs.add_bag]", f'[repairs]\n"{name}" = {entry["repairs"]}\n[repairs.add_bag]')
    if section != "repairs":
        text = AIR.replace(
            f"[{section}]\n", f'[{section}]\n"{name}" = {entry.get(section, chr(34) + "has_bag" + chr(34))}\n'
        )
    (problem,) = refused(text)
    assert problem.where.startswith(f"{section}.")


def orders() -> Iterator[str]:
    sets = ('fare = "layover + 1"', 'layover = "fare * 2"', 'has_bag = "layover > fare"')
    for order in permutations(sets):
        yield spoiled(
            'sets    = { has_bag = "true", fare = "fare + 35" }', f"sets = {{ {', '.join(order)} }}"
        )


def test_effects_that_read_each_other_are_legal_and_their_order_changes_nothing() -> None:
    """D20."""
    taste = parse_model(json.dumps(document())).taste
    states = []
    for text in orders():
        domain = parse_domain(text)
        state = semantics.read_row(domain, taste, ROW)
        assert not isinstance(state, semantics.Refused)
        states.append(semantics.apply(domain, domain.repairs[0], state))
    assert all(state == states[0] for state in states)
    after, cost = states[0]  # type: ignore[misc]
    assert (after["fare"], after["layover"], after["has_bag"], cost) == (61.0, 500.0, False, 40.0)
