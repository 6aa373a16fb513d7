"""`racl explain`: one row of a file, in words and as data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import racl as package
from cli.air import CREDITS, ROWS, Racl, write_rows


@pytest.mark.parametrize("format_", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("row", range(4))
def test_a_row_of_any_format_is_explained(format_: str, row: int, racl: Racl, air: Path) -> None:
    done = racl("explain", "air.json", f"rows.{format_}", "--row", str(row))
    words = str(package.load_model("air.json").explain(ROWS[row]))
    assert (done.code, done.err) == (0, "")
    assert done.out == f"rows.{format_}, row {row}\n\n{words.rstrip()}\n"
    assert CREDITS[row] in words


def test_json_is_the_explanation_as_data(racl: Racl, air: Path) -> None:
    done = racl("explain", "air.json", "rows.csv", "--row", "1", "--json")
    found = package.load_model("air.json").explain(ROWS[1]).to_dict()
    assert (done.code, json.loads(done.out)) == (0, {"row": 1, **found})


def test_rows_are_counted_over_all_files_of_a_folder(racl: Racl, air: Path) -> None:
    (air / "rows").mkdir()
    write_rows(air / "rows" / "1.csv", ROWS[:3])
    write_rows(air / "rows" / "2.csv", ROWS[3:])
    done = racl("explain", "air.json", "rows", "--row", "3", "--json")
    assert json.loads(done.out)["credit"] == CREDITS[3]


def test_a_row_past_the_last_is_a_fault_that_says_how_many_there_are(racl: Racl, air: Path) -> None:
    done = racl("explain", "air.json", "rows.csv", "--row", "4")
    assert (done.code, done.err) == (2, "rows.csv: there is no row 4: there are 4 rows, and the first is 0\n")


def test_a_refused_row_ends_with_3_and_its_own_number(racl: Racl, air: Path) -> None:
    write_rows(air / "bad.csv", [*ROWS[:2], {**ROWS[2], "carrier": "ZZ"}])
    done = racl("explain", "air.json", "bad.csv", "--row", "2")
    assert (done.code, done.out) == (3, "")
    assert done.err == "bad.csv: row 2: carrier: `ZZ` is not among the values\n"


def test_a_line_that_is_no_row_is_refused(racl: Racl, air: Path) -> None:
    (air / "bad.jsonl").write_text((air / "rows.jsonl").read_text("utf-8") + "{\n", "utf-8")
    done = racl("explain", "air.json", "bad.jsonl", "--row", "4")
    assert (done.code, done.out) == (3, "")
    assert done.err.startswith("bad.jsonl: row 4: ")


def test_a_missing_column_is_a_fault_of_the_file(racl: Racl, air: Path) -> None:
    text = (air / "rows.csv").read_text("utf-8")
    (air / "bad.csv").write_text(text.replace("fare,", "Fare,", 1), "utf-8")
    done = racl("explain", "air.json", "bad.csv", "--row", "0")
    assert (done.code, done.out) == (2, "")
    assert done.err == "bad.csv: fare: column missing (did you mean `Fare`?)\n"
