"""The conformance cases through SQL, on the engines themselves."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from conformance.cases import FOLDERS, NAMES, Answer, Case, answer
from query.engines import KEY, Engine
from racl import semantics
from racl import sql as query_of
from racl.semantics import Refused

pytestmark = pytest.mark.conformance
case = cache(Case.of)
REFUSING = [folder for folder in FOLDERS if "refused" in (folder / "expected.jsonl").read_text("utf-8")]


def name(folder: Path) -> str:
    return f"{folder.parent.name}/{folder.name}"


def answers(found: list[dict[str, Any]]) -> list[Answer]:
    """The answers in the order of the rows; all six of a refused row are null."""
    found.sort(key=lambda row: row[KEY])
    assert all(row[name] is None for row in found if row["refused"] is not None for name in NAMES)
    return [None if row["refused"] is not None else answer(*(row[name] for name in NAMES)) for row in found]


@pytest.mark.parametrize("folder", FOLDERS, ids=name)
def test_a_query_gives_the_answers_to_the_bit(folder: Path, engine: Engine) -> None:
    one = case(folder)
    engine.load(one.model, one.rows)
    found = engine.run(query_of(one.model, engine.dialect))
    assert answers(found) == one.expected
    own = [*(column.name for column in one.model.domain.columns), KEY]
    assert list(found[0]) == [*own, *NAMES, "refused"]
    for given, row in zip(one.rows, found, strict=True):
        assert all(row[column] == given.get(column) for column in own[:-1])


@pytest.mark.parametrize(
    "folder", [folder for folder in FOLDERS if "refused" in (folder / "expected.jsonl").read_text()], ids=name
)
def test_a_refused_row_says_where_the_fault_is(folder: Path, engine: Engine) -> None:
    one = case(folder)
    engine.load(one.model, one.rows)
    found = {row[KEY]: row["refused"] for row in engine.run(query_of(one.model, engine.dialect))}
    for number, row in enumerate(one.rows):
        wanted = semantics.decide(one.model.domain, one.model.taste, row)
        if isinstance(wanted, Refused):
            where = "value" if wanted.column.startswith("features.") else wanted.column
            assert found[number].startswith(f"{where}: ")
        else:
            assert found[number] is None
