from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from racl.documents import Document, dotted, read_toml

Path = tuple[str, ...]
Table = dict[str, object]


def said(text: str) -> list[str]:
    """What is wrong with a text, a line for each problem, without hints and carets."""
    problems = read_toml(text, "f").problems
    return [f"{problem.line}: {problem.where}: {problem.what}" for problem in problems]


DOMAIN = """\
racl = 1 # the format
name = "air-ticket"

[candidate]
fare = { type = "number", min = 0 }
stops.type = "integer"
stops.max = 4
carrier = { type = "category", values = [
    "AA", # first
    "UA",

    "WN",
] }

[repairs.add_bag]
label = '''
Add
a bag'''
sets = { has_bag = "true" }
cost = 35

[repairs]
"odd name" = "x"
"""

LINES = {
    "racl": 1,
    "name": 2,
    "candidate": 4,
    "candidate.fare": 5,
    "candidate.fare.min": 5,
    "candidate.stops": 6,
    "candidate.stops.type": 6,
    "candidate.stops.max": 7,
    "candidate.carrier.values": 8,
    "candidate.carrier.values.0": 9,
    "candidate.carrier.values.1": 10,
    "candidate.carrier.values.2": 12,
    "repairs": 22,
    "repairs.add_bag": 15,
    "repairs.add_bag.label": 16,
    "repairs.add_bag.sets": 19,
    "repairs.add_bag.sets.has_bag": 19,
    "repairs.add_bag.cost": 20,
    'repairs."odd name"': 23,
}


def test_a_sound_file_equals_what_python_reads() -> None:
    document = read_toml(DOMAIN)
    assert not document.problems
    assert not document.unread
    assert document.value == tomllib.loads(DOMAIN)


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_every_key_path_has_its_line(ending: str) -> None:
    lines = read_toml(DOMAIN.replace("\n", ending)).lines
    found = {dotted(path): line for path, line in lines.items()}
    assert LINES.items() <= found.items()


def test_a_path_that_is_not_there_has_the_line_of_its_holder() -> None:
    document = read_toml(DOMAIN)
    assert document.line(("repairs", "add_bag", "applies")) == 15
    assert document.line(("rule",)) == 0
    assert document.problem(("candidate", "fare", "max"), "missing").line == 5


DUPLICATES = [
    ("[a]\nx = 1\n[b]\n[a]\ny = 2", ["4: a: given twice, first in line 1"]),
    (
        "a = 1\nb = 2\na = 3\na = 4",
        ["3: a: given twice, first in line 1", "4: a: given twice, first in line 1"],
    ),
    ("[a]\nb = 1\n'b' = 2", ["3: a.b: given twice, first in line 2"]),
    ("a = 1\n[a]\nb = 1\nb = 2", ["2: a: given twice, first in line 1"]),
    ("a = 1\n[a.b]", ["2: a.b: `a` is already given in line 1"]),
    ("a = { b = 1 }\na.c = 2", ["2: a.c: `a` is already given in line 1"]),
    ("a.b = 1\n[a]", ["2: a: given twice, first in line 1"]),
    ("[a.b]\n[a]\nb.c = 1", ["3: a.b.c: `a.b` is already given in line 1"]),
    ("a = { b = 1, b = 2 }", ["1: a.b: given twice, first in line 1"]),
    ("[s]\na = { b.c = 1, b.c.d = 2 }", ["2: s.a.b.c.d: given twice, first in line 2"]),
    ("a = { b.c = 1, b = 2 }", ["1: a.b: given twice, first in line 1"]),
    ("a = [\n{ b = 1,\nb = 2 }]", ["2: a: an inline table that goes on below its line"]),
    ("a = [\n[1], { b = 1, b = 2, b = 3 }]", ["2: a.1.b: given twice, first in line 2"] * 2),
    ("a = [\n{ b = [\n1], b = 2 }]", ["3: a.0.b: given twice, first in line 2"]),
]


@pytest.mark.parametrize(("text", "problems"), DUPLICATES)
def test_a_duplicate_names_both_places(text: str, problems: list[str]) -> None:
    assert said(text) == problems


def test_of_two_sections_of_one_name_all_keys_are_kept_and_the_first_value_of_each() -> None:
    assert read_toml("[a]\nx = 1\n[a]\nx = 2\ny = 3").value == {"a": {"x": 1, "y": 3}}


FAULTS = [
    ("cost = 35 + fee", ["1: cost: more follows after the value"]),
    ("bag = has_bag", ["1: bag: not a value"]),
    ("bag = True", ["1: bag: not a value"]),
    ("bag =\nx = 1", ["1: bag: a value is missing"]),
    ("bag", ["1: : `=` is expected after the name"]),
    ("[s]\n= 1", ["2: s: neither a section nor a name and its value"]),
    ("a..b = 1", ["1: a.b: a name is expected here"]),
    ("a b = 1", ["1: a: `=` is expected after the name"]),
    ("[s\na = 1", ["1: s: `]` is expected after the section's name"]),
    ("[s]]", ["1: s: more follows after the section's name"]),
    ("[]\na = 1\na = 2", ["1: : a name is expected here"]),
    ('a = "x\nb = "y"', ["1: a: text that is not closed"]),
    ("a = 'x\nb = 'y'", ["1: a: text that is not closed"]),
    ('a = """x\nb = "y"', ["1: a: text in three quotes that is not closed"]),
    (
        "a = '''x\nb = \"\"\"y",
        [f"{n}: {k}: text in three quotes that is not closed" for n, k in ((1, "a"), (2, "b"))],
    ),
    ('a = "\\q"', ["1: a: a backslash that means nothing"]),
    ('a = "\\ud800"', ["1: a: an escape that names no character"]),
    ('a = "\x01"', ["1: a: a control character"]),
    ("# \x01\na = 1 # \x02", ["1: : a control character in a comment", "2: a: a control character"]),
    ("a = [1, 2\nb = 3", ["1: a: a list that is not closed"]),
    ("a = [1,\n[s]\nb = 3", ["1: a: a list that is not closed"]),
    ("a = [\n1 2,\n3]\nb = 1", ["2: a: a list that is not closed"]),
    ("a = { b = 1\nc = 3", ["1: a: an inline table that is not closed"]),
    ("a = {\n b = 1,\n c = 2\n}\nd = 1", ["1: a: an inline table that goes on below its line"]),
    ("a = {\n b = 1\n[s]\nd = 1", ["1: a: an inline table that goes on below its line"]),
    ("[[a]]\nb = 1\n[[a]]\nb = 1", [f"{n}: a: a list of sections is not part of the format" for n in (1, 3)]),
    ("a = 9223372036854775808", ["1: a: a whole number that does not fit 64 bits"]),
    ("a = [1,\n{ b = -99999999999999999999 }]", ["2: a.1.b: a whole number that does not fit 64 bits"]),
    ("a = 2024-02-30", ["1: a: not a date"]),
    ("a = \ud800", ["1: : half of a character pair"]),
]


@pytest.mark.parametrize(("text", "problems"), FAULTS)
def test_a_fault_is_named_with_its_line_and_key_path(text: str, problems: list[str]) -> None:
    assert said(text) == problems


def test_all_faults_come_in_one_run_in_the_order_of_their_lines() -> None:
    faulty = [text for text, _ in FAULTS if "'''" not in text and '"""' not in text and "\ud800" not in text]
    text = "\n".join(f"[part{index}]\n{part}" for index, part in enumerate(faulty))
    lines = [problem.line for problem in read_toml(text).problems]
    assert len(lines) >= len(faulty)
    assert lines == sorted(lines)


def test_what_is_sound_stays_usable_beside_what_is_not() -> None:
    document = read_toml("a = 1\nb = x\n[s]\nc = [1\nd = { e = 2 }\nf = 'g\nh = 3")
    assert document.value == {"a": 1, "s": {"d": {"e": 2}, "h": 3}}
    assert document.unread == {("b",), ("s", "c"), ("s", "f")}
    assert document.line(("s", "f")) == 6


def test_a_section_whose_header_is_faulty_keeps_its_keys() -> None:
    assert read_toml("[requirements\nbag = 'x'").value == {"requirements": {"bag": "x"}}


def test_the_caret_stands_below_the_fault() -> None:
    (problem,) = read_toml("[s]\ncost = 35 + fee # dear", "f.toml").problems
    assert str(problem).split("\n")[1:] == ["    cost = 35 + fee # dear", "              ^"]


def test_dates_and_numbers_that_are_not_finite_are_passed_on() -> None:
    text = "a = 2024-01-02\nb = 1979-05-27 07:32:00\nc = inf\nd = nan\ne = 1e400\nf = 07:32:00"
    document = read_toml(text)
    assert not document.problems
    assert repr(document.value) == repr(tomllib.loads(text))


def test_after_a_hundred_problems_the_rest_is_counted() -> None:
    problems = read_toml("a = x\n" * 300, "f").problems
    assert len(problems) == 101
    assert str(problems[-1]) == "f: and 499 more"


# What tomllib accepts and this format refuses on purpose.
ON_PURPOSE = (
    "list of sections",
    "64 bits",
    "half of a character pair",
    "more than",
    "inline table that goes on",
)


def agrees(text: str) -> None:
    """The reader has problems or reads what Python reads, and has none of its own invention."""
    document = read_toml(text)
    try:
        expected = tomllib.loads(text)
    except ValueError:
        assert document.problems
        return
    mine = [problem for problem in document.problems if not any(why in problem.what for why in ON_PURPOSE)]
    assert not mine
    assert document.problems or repr(document.value) == repr(expected)


PIECES = st.sampled_from(
    [
        *"abc01.=,[]{}#'\"\\ \n\t-_+",
        "\r\n",
        "\r",
        '"""',
        "'''",
        "[a]\n",
        "[a.b]\n",
        "[[a]]\n",
        "a = ",
        "b.c = 1\n",
        "= 1\n",
        '"x"',
        "'y'",
        "true",
        "1.5",
        "{a = 1}",
        "{b = [",
        "[1, 2]",
        ",\n",
        "]\n",
        "}\n",
        "\x00",
        "\\u0041",
        "é",
        "1979-05-27 07:32:00",
        "'''\n",
        '\\"""',
        '""',
        "''",
        "# x\n",
        "a.b = {}\n",
        "inf",
        "0x1",
        "99999999999999999999",
    ]
)


@example('a = """"x"""""\nb = """\\"""" """')
@example("a = ''''x'''''")
@example("a = [\n  [true],\n  [inf]\n]")
@example("a = [ # [b]\n '''\n[c]\nd = 1''',\n]")
@example('"a\\u0062" = 1\n\'c.d\' = 2\n"" = 3')
@example("a = {}\n[a.b]")
@example("[a]\nb.c = 1\n[a.b.d]\n[a.b]")
@example("[a.b.c]\n[a]\nb.x = 1\nb.y = 2")
@example("\ufeffa = 1")
@given(st.lists(PIECES, max_size=30).map("".join))
def test_a_text_of_toml_pieces_is_refused_or_read_as_python_reads_it(text: str) -> None:
    agrees(text)


@given(st.text())
def test_any_text_is_refused_or_read_as_python_reads_it(text: str) -> None:
    agrees(text)


LINES_OF_NAMES = st.sampled_from(
    [
        "[a]",
        "[b]",
        "[a.b]",
        "[a.b.c]",
        "[b.a]",
        "a = 1",
        "b = {}",
        "c = [{}]",
        "a.b = 1",
        "a.c = 1",
        "a.b.c = 1",
        "b.c = {a.b = 1, a.c = 2}",
        "c.a.b = {}",
        "c = {a.b = 1, a = 2}",
        "c = {a = {}, a.b = 1}",
        "d = 1",
    ]
)


@given(st.lists(LINES_OF_NAMES, max_size=8).map("\n".join))
def test_names_clash_where_python_says_so_and_nowhere_else(text: str) -> None:
    agrees(text)


@given(st.integers(0, len(DOMAIN)), st.integers(0, len(DOMAIN)), PIECES)
def test_a_file_cut_or_written_over_anywhere_is_refused_or_read_as_python_reads_it(
    start: int, stop: int, piece: str
) -> None:
    agrees(DOMAIN[:start] + piece + DOMAIN[stop:])


NAMES = st.text(st.sampled_from("ab-_1. \"'é#[]="), min_size=0, max_size=4)
LEAVES = (
    st.integers(-(2**63), 2**63 - 1)
    | st.booleans()
    | st.floats(allow_nan=False)
    | st.text(st.sampled_from("ab\"'\\\n#=[]{}, é\t"), max_size=8)
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
TABLES = st.dictionaries(NAMES, st.dictionaries(NAMES, VALUES, max_size=4) | VALUES, max_size=4)


def quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def written(value: object) -> str:
    """A value on one line, a list over several."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            return quote(value)
        case list():
            return "[" + "".join(f"\n{written(part)}," for part in value) + "]"
        case dict():
            return "{" + ", ".join(f"{quote(name)} = {written(part)}" for name, part in value.items()) + "}"
        case _:
            return repr(value)


def statements(table: Table) -> Iterator[tuple[Path, str]]:
    """The statements of a table of tables, plain values first, each with its key path."""
    for name, value in table.items():
        if not isinstance(value, dict):
            yield (name,), f"{quote(name)} = {written(value)}"
    for section, inner in table.items():
        if isinstance(inner, dict):
            yield (section,), f"[{quote(section)}]"
            yield from (((section, name), f"{quote(name)} = {written(part)}") for name, part in inner.items())


@given(TABLES, st.integers(0, 2))
def test_what_is_written_is_read_back_with_the_line_of_every_key(table: Table, blanks: int) -> None:
    text, places = "", {}
    for path, statement in statements(table):
        text += "# a comment\n" * blanks
        places[path] = text.count("\n") + 1
        text += statement + "\n"
    document: Document = read_toml(text)
    assert not document.problems
    assert document.value == table == tomllib.loads(text)
    assert places.items() <= document.lines.items()
    assert set(leaves(table)) <= set(document.lines)


def leaves(value: object, path: Path = ()) -> Iterator[Path]:
    """The key path of everything in a value."""
    match value:
        case dict():
            parts = value.items()
        case list():
            parts = {str(index): part for index, part in enumerate(value)}.items()
        case _:
            return
    for name, part in parts:
        yield (*path, name)
        yield from leaves(part, (*path, name))
