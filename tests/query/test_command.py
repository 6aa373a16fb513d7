"""The command `racl sql`."""

from __future__ import annotations

from pathlib import Path

import pytest

from racl import load_model, sql
from racl.cli import main

MODEL = str(Path(__file__).parents[2] / "examples/airline/model.json")


def test_the_query_is_printed_or_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    wanted = sql(load_model(MODEL), "postgres", table="shop.tickets", prefix="r_")
    call = ["sql", MODEL, "--dialect", "postgres", "--table", "shop.tickets", "--prefix", "r_"]
    assert main(call) == 0
    assert capsys.readouterr().out == wanted
    assert main([*call, "-o", str(tmp_path / "decide.sql")]) == 0
    assert (tmp_path / "decide.sql").read_text("utf-8") == wanted
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--dialect", "oracle"], "`oracle` is not one of duckdb, "),
        (["--dialect", "trino"], "model.json: Trino cannot leave out the columns"),
        (["--dialect", "duckdb", "--table", "a b"], "`a b` is not the name of a table"),
        (["--dialect", "trino", "--columns", "fare"], "model.json: carrier: column missing"),
        ([], "required: --dialect"),
    ],
)
def test_a_call_that_cannot_be_met_ends_with_2(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sql", MODEL, *words]) == 2
    assert said in capsys.readouterr().err
