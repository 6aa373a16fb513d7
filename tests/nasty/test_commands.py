"""The same nasty inputs at the command line: exit codes, one line for each fault, nothing half written."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nasty.air import AIR, ROW, document, with_requirement
from nasty.test_domain_files import NOT_FILES
from nasty.test_expressions import CODE
from nasty.test_models import NO_MODELS, SPOILT, unhashed
from racl.cli import main

PASSED_ON = [
    "=cmd()",
    "<img onerror=x>",
    "\x01\x1b[2J\x7f",
    "a\r\nb\rc\n",
    '"quoted", and more',
    "\u202eä€💺",
    "",
    " ",
]


def said(capsys: pytest.CaptureFixture[str], file: object) -> list[str]:
    """The faults on standard error: each a line that begins with the file, no traceback, carets indented."""
    err = capsys.readouterr().err
    assert "Traceback" not in err
    lines = [line for line in err.splitlines() if not line.startswith("    ")]
    assert all(line.startswith(str(file)) for line in lines), lines
    assert all(line.isprintable() for line in lines)
    return lines


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "air.json"
    path.write_text(json.dumps(document()))
    return path


def rows_file(folder: Path, rows: list[dict[str, Any]]) -> Path:
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("kind", [kind for kind in NOT_FILES if "name" not in kind])
def test_check_ends_with_2_on_what_is_no_domain(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """D07."""
    path = NOT_FILES[kind](tmp_path)
    assert main(["check", str(path)]) == 2
    assert 1 <= len(said(capsys, path)) <= 2


def test_check_names_every_fault_in_one_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """D09."""
    path = tmp_path / "air.toml"
    lines = "".join(f"r{n} = '''{text}'''\n" for n, text in enumerate(CODE))
    path.write_text(AIR.replace("[features]", f"{lines}\n[features]"))
    assert main(["check", str(path)]) == 2
    faults = said(capsys, path)
    assert {re.match(r"\S+:\d+: requirements\.(r\d+): ", line)[1] for line in faults} == {  # type: ignore[index]
        f"r{n}" for n in range(len(CODE))
    }


@pytest.mark.parametrize("kind", NO_MODELS)
def test_decide_ends_with_2_on_what_is_no_model(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A01."""
    path, rows = tmp_path / "model.json", rows_file(tmp_path, [ROW])
    path.write_bytes(NO_MODELS[kind](tmp_path / "ran"))
    assert main(["decide", str(path), str(rows), "-o", str(tmp_path / "out.jsonl")]) == 2
    assert len(said(capsys, path)) == 1
    assert sorted(one.name for one in tmp_path.iterdir()) == ["model.json", "rows.jsonl"]


@pytest.mark.parametrize(("spoil", "what"), [spoilt[1:] for spoilt in SPOILT[:8]])
def test_decide_names_what_a_model_lacks(
    spoil: Any, what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A05."""
    given, path = unhashed(), tmp_path / "model.json"
    spoil(given)
    path.write_text(json.dumps(given))
    assert main(["decide", str(path), str(rows_file(tmp_path, [ROW]))]) == 2
    assert any(what in line for line in said(capsys, path))


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_refused_rows_end_decide_with_3_and_no_output(
    suffix: str, model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """R01."""
    rows = rows_file(tmp_path, [ROW | {"fare": None if row % 3 else 250.0} for row in range(30)])
    out = tmp_path / f"out.{suffix}"
    out.write_text("as it was")
    assert main(["decide", str(model), str(rows), "-o", str(out)]) == 3
    lines = said(capsys, rows)
    assert lines[0] == f"{rows}: row 1: fare: null, and the column has no default"
    assert len(lines) == 11
    assert "20 rows are refused, the first 10 shown" in lines[10]
    assert out.read_text() == "as it was"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["air.json", out.name, "rows.jsonl"]


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_rows_in_are_rows_decided_and_rows_refused(suffix: str, model: Path, tmp_path: Path) -> None:
    """R01."""
    rows = rows_file(tmp_path, [ROW | {"fare": None if row % 3 else 250.0, "id": row} for row in range(30)])
    out, rejects = tmp_path / f"out.{suffix}", tmp_path / "rejects.csv"
    assert main(["decide", str(model), str(rows), "-o", str(out), "--rejects", str(rejects)]) == 0
    decided = [int(row["id"]) for row in read(out)]
    refused = [int(row["row"]) for row in read(rejects)]
    assert decided == [row for row in range(30) if row % 3 == 0]
    assert refused == [row for row in range(30) if row % 3]
    assert {row["column"] for row in read(rejects)} == {"fare"}


def read(path: Path) -> list[dict[str, Any]]:
    match path.suffix:
        case ".parquet":
            return list(pq.read_table(path).to_pylist())
        case ".csv":
            with path.open(newline="", encoding="utf-8") as file:
                return list(csv.DictReader(file))
        case _:
            return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_text_that_is_passed_through_is_kept_as_it_is(suffix: str, model: Path, tmp_path: Path) -> None:
    """R07."""
    rows, out = tmp_path / "rows.parquet", tmp_path / f"out.{suffix}"
    columns = {name: [value] * len(PASSED_ON) for name, value in ROW.items()}
    pq.write_table(pa.table(columns | {"note": PASSED_ON}), rows)
    assert main(["decide", str(model), str(rows), "-o", str(out)]) == 0
    assert [row["note"] for row in read(out)] == PASSED_ON


@pytest.mark.parametrize(
    ("column", "cell", "column_refused"),
    [
        ("has_bag", "1", True), ("has_bag", "yes", True), ("has_bag", "TRUE", False), ("has_bag", "tRUE", True),
        ("fare", "two", True), ("fare", "0x10", True), ("fare", "1_000", True), ("fare", "nan", True), ("fare", "inf", True),
        ("fare", "1e400", True), ("fare", "", True), ("fare", "2.5e2", False), ("stops", "1.5", True), ("stops", "1.0", False),
        ("carrier", "AA ", True), ("carrier", "", True), ("layover", "", False), ("fare", " 250", True), ("fare", "٣", True),
    ],
)  # fmt: skip
def test_cells_of_text_are_typed_by_the_domain_and_never_coerced(
    column: str, cell: str, column_refused: bool, model: Path, tmp_path: Path
) -> None:
    """R06."""
    rows, rejects = tmp_path / "rows.csv", tmp_path / "rejects.jsonl"
    with rows.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(ROW))
        writer.writeheader()
        given = {
            name: str(value).lower() if isinstance(value, bool) else value for name, value in ROW.items()
        }
        writer.writerow(given | {column: cell})
    assert main(["decide", str(model), str(rows), "--rejects", str(rejects)]) == 0
    assert [row["column"] for row in read(rejects)] == ([column] if column_refused else [])


def test_a_column_missing_or_misspelt_ends_decide_with_2(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """R05."""
    row = {("Fare" if name == "fare" else name): value for name, value in ROW.items()}
    rows, rejects = rows_file(tmp_path, [row]), tmp_path / "rejects.jsonl"
    assert main(["decide", str(model), str(rows), "--rejects", str(rejects)]) == 2
    assert said(capsys, rows) == [f"{rows}: fare: column missing (did you mean `Fare`?)"]
    assert not rejects.exists()


def test_a_column_named_like_one_of_the_decision_is_refused_unless_there_is_a_prefix(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """R05."""
    rows, out = rows_file(tmp_path, [ROW | {"plan": "mine"}]), tmp_path / "out.jsonl"
    assert main(["decide", str(model), str(rows), "-o", str(out)]) == 2
    assert ": plan: the rows already have a column `plan`" in said(capsys, tmp_path)[0]
    assert main(["decide", str(model), str(rows), "-o", str(out), "--prefix", "racl_"]) == 0
    assert (read(out)[0]["plan"], read(out)[0]["racl_plan"]) == ("mine", "add_bag")


def test_a_program_of_its_own_ends_with_2_and_says_no_more_than_the_fault(tmp_path: Path) -> None:
    """D12."""
    path = tmp_path / "air.toml"
    path.write_text(with_requirement("100 < fare <= 500"))
    done = subprocess.run(
        [sys.executable, "-m", "racl.cli", "check", "air.toml"] if (Path("src/racl/cli/__main__.py")).exists()
        else [str(Path(sys.executable).with_name("racl")), "check", "air.toml"],
        cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "air.toml:22: requirements.extra: a chained comparison (write `a < b and b <= c`)\n"
        "    100 < fare <= 500\n"
        "    ^^^^^^^^^^^^^^^^^\n"
    )
