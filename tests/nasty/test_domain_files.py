"""Nasty domain files: each is refused, with every fault and its place, and nothing of it runs."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from itertools import permutations
from pathlib import Path

import pytest

from nasty.air import AIR, ROW, air, document, line_of, refused, said, spoiled
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
