"""`racl init`: a sample in, a domain file out that has no fault and can be edited."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.air import ROWS, Racl, write_rows
from racl.domain.files import load_domain, parse_domain
from racl.domain.model import Type


@pytest.mark.parametrize("format_", ["csv", "jsonl", "parquet"])
def test_a_draft_of_any_format_has_no_fault(format_: str, racl: Racl, air: Path) -> None:
    done = racl("init", f"rows.{format_}", "-o", "new.toml", "--name", "air-draft")
    assert (done.code, done.out) == (0, "")
    assert done.err == "new.toml: a first domain file, ready to edit; `racl check new.toml` checks it\n"
    assert racl("check", "new.toml").code == 0
    domain = load_domain("new.toml")
    assert domain.name == "air-draft"
    assert {column.name: column.type for column in domain.candidate} == {
        "id": Type.CATEGORY,
        "fare": Type.NUMBER,
        "stops": Type.INTEGER,
        "has_bag": Type.BOOLEAN,
        "carrier": Type.CATEGORY,
    }
    assert [column.name for column in domain.context] == ["persona", "budget", "threshold", "needs_bag"]
    assert (domain.rule.persona, domain.personas) == ("persona", ("business", "leisure"))


def test_without_a_file_the_draft_goes_to_standard_output(racl: Racl, air: Path) -> None:
    done = racl("init", "rows.csv")
    assert (done.code, done.err) == (0, "")
    assert parse_domain(done.out).name == "rows"


def test_an_existing_file_is_written_over_by_force_only(racl: Racl, air: Path) -> None:
    before = (air / "air.toml").read_text("utf-8")
    done = racl("init", "rows.csv", "-o", "air.toml")
    assert (done.code, done.err) == (2, "air.toml: exists already (`--force` writes over it)\n")
    assert (air / "air.toml").read_text("utf-8") == before
    assert racl("init", "rows.csv", "-o", "air.toml", "--force").code == 0
    assert (air / "air.toml").read_text("utf-8") != before


def test_the_rows_that_are_read_are_never_written_over(racl: Racl, air: Path) -> None:
    before = (air / "rows.csv").read_bytes()
    done = racl("init", "rows.csv", "-o", "rows.csv", "--force")
    assert (done.code, done.err) == (2, "rows.csv: is the file that is read (write to another file)\n")
    assert (air / "rows.csv").read_bytes() == before


def test_the_file_of_the_rows_is_the_name_of_the_domain(racl: Racl, air: Path) -> None:
    write_rows(air / "Flüge (May 2025).csv", ROWS)
    assert parse_domain(racl("init", "Flüge (May 2025).csv").out).name == "fl-ge-may-2025"


def test_rows_are_drafted_from_a_folder_too(racl: Racl, air: Path) -> None:
    (air / "rows").mkdir()
    write_rows(air / "rows" / "1.csv", ROWS[:2])
    write_rows(air / "rows" / "2.csv", ROWS[2:])
    assert "drafted from rows (4 rows)" in racl("init", "rows").out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("fare,stops\n", "few.csv: there are no rows to draft a domain from"),
        (
            "Flight No,in\nAA,3\n",
            "few.csv: no column of these rows can be a column of [candidate] (Flight No: not",
        ),
        ("budget,threshold\n1,2\n", "few.csv: no column of these rows can be a column of [candidate]"),
        ("", "few.csv: empty"),
    ],
)
def test_a_sample_that_gives_nothing_is_a_fault(text: str, said: str, racl: Racl, air: Path) -> None:
    (air / "few.csv").write_text(text, "utf-8")
    done = racl("init", "few.csv", "-o", "new.toml")
    assert (done.code, done.out, (air / "new.toml").exists()) == (2, "", False)
    assert done.err.startswith(said)
    assert done.err.count("\n") == 1


def test_a_model_can_be_put_on_a_draft_and_decide_the_sample(racl: Racl, air: Path) -> None:
    import json

    racl("init", "rows.csv", "-o", "new.toml")
    domain = load_domain("new.toml")
    zero = {"bias": 0, "weights": {feature.name: 0 for feature in domain.features}}
    model = {
        "racl_model": 1,
        "domain": dict(domain.document),
        "preference": dict.fromkeys(domain.personas, zero),
    }
    (air / "new.json").write_text(json.dumps(model), "utf-8")
    assert racl("decide", "new.json", "rows.csv").code == 0
