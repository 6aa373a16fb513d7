"""`racl decide`: files in, files out, whole or not at all."""

from __future__ import annotations

import csv
import json
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import racl as package
from cli.air import CREDITS, ROWS, Racl, write_rows

NEW = ["accepted", "credit", "plan", "value", "margin", "cost"]
FORMATS = ["csv", "jsonl", "parquet"]


def content(path: Path) -> list[dict[str, Any]]:
    """The rows of a file; of CSV, as text."""
    match path.suffix:
        case ".csv":
            with path.open(encoding="utf-8", newline="") as file:
                return list(csv.DictReader(file))
        case ".jsonl":
            return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        case _:
            return list(pq.read_table(path).to_pylist())


def spoiled(row: int, column: str, value: object) -> list[dict[str, Any]]:
    """The rows with one value replaced."""
    return [{**one, column: value} if number == row else one for number, one in enumerate(ROWS)]


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


# what comes out


@pytest.mark.parametrize("source", FORMATS)
@pytest.mark.parametrize("target", FORMATS)
def test_rows_go_from_any_format_to_any_other(source: str, target: str, racl: Racl, air: Path) -> None:
    done = racl("decide", "air.json", f"rows.{source}", "-o", f"decided.{target}")
    assert (done.code, done.out) == (0, "")
    rows = content(air / f"decided.{target}")
    assert list(rows[0]) == [*ROWS[0], *NEW]
    assert [row["id"] for row in rows] == ["a", "b", "c", "d"]
    assert [row["credit"] for row in rows] == CREDITS
    assert [row["plan"] or None for row in rows] == ["keep", "add_bag", None, None]


def test_numbers_in_json_lines_are_exact(racl: Racl, air: Path) -> None:
    fares = [0.1 + 0.2, 1e-320, 123456789.123456789, 1 / 3, 5e-324, 1e300]
    rows = [{**ROWS[0], "fare": fare, "threshold": fare / 7} for fare in fares]
    write_rows(air / "exact.jsonl", rows)
    assert racl("decide", "air.json", "exact.jsonl", "-o", "decided.jsonl").code == 0
    model = package.load_model(air / "air.json")
    decided = content(air / "decided.jsonl")
    for row, found in zip(rows, decided, strict=True):
        wanted = model.decide_one(row)
        assert (found["fare"], found["value"], found["margin"]) == (row["fare"], wanted.value, wanted.margin)


def test_without_an_output_the_counts_are_the_result(racl: Racl, air: Path) -> None:
    before = files(air)
    done = racl("decide", "air.json", "rows.csv")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("rows.csv: 4 rows, 4 decided, 0 refused, ")
    assert [line.split() for line in done.out.splitlines()[2:4]] == [
        ["accepted-already-good", "1", "25.0", "%"],
        ["accepted-repairable-good", "1", "25.0", "%"],
    ]
    assert files(air) == before


def test_with_an_output_the_counts_go_to_standard_error(racl: Racl, air: Path) -> None:
    done = racl("decide", "air.json", "rows.csv", "-o", "decided.csv")
    assert done.out == ""
    assert done.err.startswith("rows.csv: 4 rows, 4 decided, 0 refused, ")
    assert done.err.count("\n") == 8


def test_a_dash_is_standard_output(racl: Racl, air: Path) -> None:
    before = files(air)
    done = racl("decide", "air.json", "rows.parquet", "-o", "-")
    assert done.code == 0
    assert [json.loads(line)["credit"] for line in done.out.splitlines()] == CREDITS
    assert files(air) == before


@pytest.mark.parametrize(
    "engine", ["definition", "rows", "arrays", pytest.param("kernel", marks=pytest.mark.kernel)]
)
def test_the_engine_may_be_chosen(engine: str, racl: Racl, air: Path) -> None:
    done = racl("decide", "air.json", "rows.csv", "-o", "-", "--engine", engine, "--threads", "2")
    assert [json.loads(line)["credit"] for line in done.out.splitlines()] == CREDITS


def test_a_folder_is_read_by_the_names_of_its_files(racl: Racl, air: Path) -> None:
    (air / "rows").mkdir()
    write_rows(air / "rows" / "2.csv", ROWS[:1])
    write_rows(air / "rows" / "1.csv", ROWS[1:])
    assert racl("decide", "air.json", "rows", "-o", "decided.csv").code == 0
    assert [row["id"] for row in content(air / "decided.csv")] == ["b", "c", "d", "a"]


@pytest.mark.parametrize("format_", ["csv", "parquet"])
def test_no_rows_give_an_output_with_all_its_columns(format_: str, racl: Racl, air: Path) -> None:
    name = f"none.{format_}"
    if format_ == "csv":
        (air / name).write_text(",".join(ROWS[0]) + "\n", "utf-8")
    else:
        pq.write_table(pq.read_table(air / "rows.parquet").slice(0, 0), air / name)
    done = racl("decide", "air.json", name, "-o", f"decided.{format_}")
    assert done.code == 0
    assert done.err.startswith(f"{name}: 0 rows, 0 decided, 0 refused, ")
    if format_ == "csv":
        assert (air / "decided.csv").read_text("utf-8") == ",".join([*ROWS[0], *NEW]) + "\n"
    else:
        assert pq.read_schema(air / "decided.parquet").names == [*ROWS[0], *NEW]


# refused rows

REFUSED = [
    ("carrier", "ZZ", "carrier: `ZZ` is not among the values"),
    ("carrier", "AA ", "carrier: `AA ` is not among the values, did you mean `AA`?"),
    ("has_bag", 1, "has_bag: `1` is not "),
    ("fare", "many", "fare: `many` is not a number"),
    ("fare", -1.0, "fare: `-1.0` is "),
    ("fare", None, "fare: null, and the column has no default"),
    ("stops", 0.5, "stops: `0.5` is not "),
    ("budget", -5.0, "budget: `-5.0` is "),
    ("threshold", None, "threshold: null, and the column has no default"),
]


@pytest.mark.parametrize(("column", "value", "reason"), REFUSED)
@pytest.mark.parametrize("format_", ["csv", "jsonl"])
def test_a_refused_row_ends_the_command_with_3_and_no_output(
    format_: str, column: str, value: object, reason: str, racl: Racl, air: Path
) -> None:
    write_rows(air / f"bad.{format_}", spoiled(2, column, value))
    before = files(air)
    done = racl("decide", "air.json", f"bad.{format_}", "-o", "decided.csv")
    assert (done.code, done.out) == (3, "")
    assert done.err.splitlines()[0].startswith(f"bad.{format_}: row 2: {reason}")
    assert done.err.splitlines()[1] == (
        f"bad.{format_}: 1 row is refused (nothing is written; `--rejects FILE` sets them aside)"
    )
    assert files(air) == before


def test_of_many_refused_rows_the_first_ten_are_shown_and_all_counted(racl: Racl, air: Path) -> None:
    write_rows(air / "bad.csv", spoiled(1, "carrier", "ZZ") * 300)
    done = racl("decide", "air.json", "bad.csv", "-o", "decided.csv")
    assert done.code == 3
    lines = done.err.splitlines()
    assert [line.split(": ")[1] for line in lines[:-1]] == [f"row {row}" for row in range(1, 41, 4)]
    assert lines[-1].startswith("bad.csv: 300 rows are refused, the first 10 shown (")


def test_an_output_of_before_stays_when_rows_are_refused(racl: Racl, air: Path) -> None:
    (air / "decided.csv").write_text("of before\n", "utf-8")
    write_rows(air / "bad.csv", spoiled(0, "carrier", "ZZ"))
    assert racl("decide", "air.json", "bad.csv", "-o", "decided.csv").code == 3
    assert (air / "decided.csv").read_text("utf-8") == "of before\n"


@pytest.mark.parametrize("format_", FORMATS)
def test_refused_rows_are_set_aside_and_nothing_is_lost(format_: str, racl: Racl, air: Path) -> None:
    write_rows(air / "bad.csv", spoiled(1, "carrier", "ZZ"))
    done = racl(
        "decide", "air.json", "bad.csv", "-o", f"decided.{format_}", "--rejects", f"refused.{format_}"
    )
    assert done.code == 0
    assert done.err.startswith("bad.csv: 4 rows, 3 decided, 1 refused, ")
    assert [row["id"] for row in content(air / f"decided.{format_}")] == ["a", "c", "d"]
    (refused,) = content(air / f"refused.{format_}")
    assert (int(refused["row"]), refused["column"]) == (1, "carrier")
    assert refused["reason"].startswith("`ZZ` is not among the values")


def test_refused_rows_can_be_looked_for_without_deciding_to_a_file(racl: Racl, air: Path) -> None:
    write_rows(air / "bad.csv", spoiled(3, "fare", "x"))
    done = racl("decide", "air.json", "bad.csv", "--rejects", "refused.csv")
    assert done.code == 0
    assert done.out.startswith("bad.csv: 4 rows, 3 decided, 1 refused, ")
    assert [row["row"] for row in content(air / "refused.csv")] == ["3"]


def test_a_line_that_is_no_row_is_refused_by_itself(racl: Racl, air: Path) -> None:
    lines = (air / "rows.jsonl").read_text("utf-8").splitlines()
    (air / "bad.jsonl").write_text(
        "\n".join([lines[0], '{"fare": NaN}', lines[1], "{", "[]"]) + "\n", "utf-8"
    )
    done = racl("decide", "air.json", "bad.jsonl", "-o", "-", "--rejects", "refused.csv")
    assert done.code == 0
    assert [json.loads(line)["id"] for line in done.out.splitlines()] == ["a", "b"]
    assert [row["row"] for row in content(air / "refused.csv")] == ["1", "3", "4"]


# columns

COLUMNS = [
    ("fare,", "Fare,", "bad.csv: fare: column missing (did you mean `Fare`?)"),
    ("fare,", "", "bad.csv: fare: column missing"),
    ("fare,", "stops,", "bad.csv: fare: column missing"),
    ("id,fare", "fare,fare", "bad.csv: fare: 2 columns of this name"),
    ("needs_bag", "NEEDS_BAG", "bad.csv: needs_bag: column missing (did you mean `NEEDS_BAG`?)"),
]


@pytest.mark.parametrize(("old", "new", "said"), COLUMNS)
def test_columns_are_checked_before_the_first_row(
    old: str, new: str, said: str, racl: Racl, air: Path
) -> None:
    head, rest = (air / "rows.csv").read_text("utf-8").split("\n", 1)
    (air / "bad.csv").write_text(f"{head.replace(old, new, 1)}\n{rest}", "utf-8")
    before = files(air)
    done = racl("decide", "air.json", "bad.csv", "-o", "decided.csv", "--rejects", "refused.csv")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(said)
    assert files(air) == before


def test_a_missing_column_with_a_default_is_no_fault(racl: Racl, air: Path) -> None:
    write_rows(air / "few.jsonl", [{key: value for key, value in ROWS[0].items() if key != "needs_bag"}])
    assert racl("decide", "air.json", "few.jsonl").code == 0


def test_a_column_named_like_a_decision_wants_a_prefix(racl: Racl, air: Path) -> None:
    write_rows(air / "named.csv", [{**row, "plan": "mine"} for row in ROWS])
    done = racl("decide", "air.json", "named.csv", "-o", "decided.csv")
    assert done.code == 2
    assert done.err.startswith("decided.csv: plan: the rows already have a column `plan` (")
    assert racl("decide", "air.json", "named.csv", "-o", "decided.csv", "--prefix", "racl_").code == 0
    rows = content(air / "decided.csv")
    assert list(rows[0])[-7:] == ["plan", *(f"racl_{name}" for name in NEW)]
    assert {row["plan"] for row in rows} == {"mine"}


# what passes through

NASTY = ["=cmd()", "<img onerror>", "a\r\nb", "\x1b[2J", '"quoted", and', "ä\u202eb", " ", "x" * 5_000]


@pytest.mark.parametrize("format_", ["parquet", "jsonl"])
def test_text_passes_through_as_it_is(format_: str, racl: Racl, air: Path) -> None:
    rows = [{**ROWS[0], "id": text} for text in NASTY]
    write_rows(air / f"nasty.{format_}", rows)
    assert racl("decide", "air.json", f"nasty.{format_}", "-o", f"decided.{format_}").code == 0
    assert [row["id"] for row in content(air / f"decided.{format_}")] == NASTY


def test_text_in_a_message_stays_on_its_line_and_cannot_redraw_the_terminal(racl: Racl, air: Path) -> None:
    write_rows(air / "bad.jsonl", spoiled(0, "carrier", "A\r\n\x1b[2JA\u202e"))
    done = racl("decide", "air.json", "bad.jsonl")
    assert done.code == 3
    assert done.err.count("\n") == 2
    assert r"`A\u000d\u000a\u001b[2JA\u202e` is not among the values" in done.err


# files


def half(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


def flipped(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[20:40] = bytes(20)
    path.write_bytes(data)


def magic(path: Path) -> None:
    path.write_bytes(b"NOPE" + path.read_bytes()[4:-4] + b"NOPE")


@pytest.mark.parametrize("spoil", [half, flipped, magic])
def test_a_spoiled_file_is_an_error_and_never_half_an_output(spoil: Any, racl: Racl, air: Path) -> None:
    pq.write_table(pa.Table.from_pylist(ROWS * 100), air / "rows.parquet", write_page_checksum=True)
    spoil(air / "rows.parquet")
    before = files(air)
    done = racl("decide", "air.json", "rows.parquet", "-o", "decided.parquet")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("rows.parquet: cannot be read: ")
    assert done.err.count("\n") == 1
    assert files(air) == before


def test_files_of_one_folder_must_be_alike(racl: Racl, air: Path) -> None:
    (air / "rows").mkdir()
    write_rows(air / "rows" / "1.csv", ROWS)
    write_rows(air / "rows" / "2.csv", [{key: row[key] for key in reversed(row)} for row in ROWS])
    done = racl("decide", "air.json", "rows", "-o", "decided.csv")
    assert (done.code, (air / "decided.csv").exists()) == (2, False)
    assert done.err.startswith("rows/2.csv: other columns than `1.csv`")


OUTPUTS = [
    (["-o", "rows.csv"], "rows.csv: is the file that is read"),
    (["-o", "./rows.csv"], "rows.csv: is the file that is read"),
    (["-o", "nowhere/decided.csv"], "nowhere/decided.csv: no such folder"),
    (["-o", "decided.txt"], "decided.txt: unknown suffix `.txt`"),
    (["-o", "folder.csv"], "folder.csv: is a folder"),
    (["-o", "both.csv", "--rejects", "both.csv"], "both.csv: is written twice"),
    (["-o", "decided.csv", "--rejects", "rows.csv"], "rows.csv: is the file that is read"),
]


@pytest.mark.parametrize(("words", "said"), OUTPUTS)
def test_an_output_that_cannot_be_is_refused_before_the_first_row(
    words: Sequence[str], said: str, racl: Racl, air: Path
) -> None:
    (air / "folder.csv").mkdir()
    before = files(air)
    done = racl("decide", "air.json", "rows.csv", *words)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(said)
    assert files(air) == before


def test_an_output_inside_the_folder_that_is_read_is_refused(racl: Racl, air: Path) -> None:
    (air / "rows").mkdir()
    write_rows(air / "rows" / "1.csv", ROWS)
    done = racl("decide", "air.json", "rows", "-o", "rows/2.csv")
    assert (done.code, files(air / "rows")) == (2, {"1.csv"})
    assert done.err.startswith("rows/2.csv: lies within the folder of rows that is read")


def test_an_input_that_changes_meanwhile_is_an_error(
    racl: Racl, air: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from racl.decide import decide_table

    def meddling(*arguments: Any, **named: Any) -> Any:
        with (air / "rows.csv").open("a", encoding="utf-8") as file:
            file.write((air / "rows.csv").read_text("utf-8").splitlines()[-1] + "\n")
        return decide_table(*arguments, **named)

    monkeypatch.setattr("racl.scale.work.decide_table", meddling)
    done = racl("decide", "air.json", "rows.csv", "-o", "decided.csv")
    assert (done.code, (air / "decided.csv").exists()) == (2, False)
    assert done.err.startswith("rows.csv: changed while it was read")


def test_a_full_disk_is_an_error_and_leaves_nothing_behind(air: Path) -> None:
    write_rows(air / "many.csv", ROWS * 10_000)
    (air / "out").mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "racl", "decide", "air.json", "many.csv", "-o", "out/decided.csv"],
        cwd=air,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)),
    )
    assert done.returncode == 2
    assert done.stderr == "out/decided.csv: cannot be written: file too large\n"
    assert list((air / "out").iterdir()) == []


def test_progress_is_shown_on_a_terminal_and_wiped(
    racl: Racl, air: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("racl.cli.progress.PAUSE", 0.0)
    done = racl("decide", "air.json", "rows.parquet")
    assert "\r\033[K[##############################] 100 %, 4 rows, " in done.err
    assert done.err.endswith("\r\033[K")


def test_a_fault_takes_the_progress_off_the_terminal(
    racl: Racl, air: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_rows(air / "bad.csv", spoiled(2, "fare", None))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("racl.cli.progress.PAUSE", 0.0)
    done = racl("decide", "air.json", "bad.csv")
    assert "\r\033[Kbad.csv: row 2: fare: " in done.err


@pytest.mark.parametrize("option", ["-o", "--rejects"])
def test_the_model_that_is_read_is_never_written_over(option: str, racl: Racl, air: Path) -> None:
    (air / "model.jsonl").write_bytes((air / "air.json").read_bytes())
    done = racl("decide", "model.jsonl", "rows.csv", option, "model.jsonl")
    assert (done.code, done.err) == (2, "model.jsonl: is the file that is read (write to another file)\n")
    assert (air / "model.jsonl").read_bytes() == (air / "air.json").read_bytes()
