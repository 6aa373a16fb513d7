"""The conformance cases from files to files, of every format: the answers to the bit, and each row accounted for."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from clusters.cases import KEY, arrow_rows
from conformance.cases import FOLDERS, NAMES, Answer, Case, answer, lines
from racl.scale import decide_files
from scale.deciding import cell
from scale.files import contents

pytestmark = [pytest.mark.conformance, pytest.mark.usefixtures("small_groups")]

KINDS = ("parquet", "csv", "jsonl")
case = cache(Case.of)


def write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    """Rows with their numbers as text."""
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return
    body = [",".join(text(value) for value in row.values()) for row in rows]
    path.write_text("\n".join([",".join(rows[0]), *body]) + "\n")


def text(value: object) -> str:
    return repr(value) if isinstance(value, float) else cell(value)


def written(path: Path, rows: int) -> list[Answer]:
    """The answer on each row, none where it is not in the file."""
    found: list[Answer] = [None] * rows
    for row in contents(path):
        six = [row[name] for name in NAMES]
        if path.suffix == ".csv":
            six = [None if one in ("", None) else one for one in six]
            six = [json.loads(six[0]), *six[1:3], *(None if one is None else float(one) for one in six[3:])]
        found[int(row[KEY])] = answer(*six)
    return found


@pytest.mark.parametrize("source", KINDS)
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: f"{folder.parent.name}/{folder.name}")
def test_files_get_the_answers_to_the_bit(tmp_path: Path, folder: Path, source: str) -> None:
    one, path, aside = case(folder), tmp_path / f"rows.{source}", tmp_path / "refused.jsonl"
    if source == "parquet":
        pq.write_table(arrow_rows(one), path, row_group_size=13)
    else:
        write_rows(path, [{**row, KEY: number} for number, row in enumerate(one.rows)])
    for kind in KINDS:
        out = tmp_path / f"out.{kind}"
        tally = decide_files(one.model, path, out, rejects=aside)
        assert written(out, len(one.rows)) == one.expected
        refused = [line["row"] for line in lines(aside)]
        assert refused == [row for row, wanted in enumerate(one.expected) if wanted is None]
        assert (tally.rows, tally.written + len(refused)) == (len(one.rows), len(one.rows))
