"""What the examples promise: clean domains, and rows that show every credit."""

import csv
import json
import re
import runpy
import subprocess
import sys
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import racl

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
ROWS = {
    "airline": "rows.csv",
    "hotel": "rows.parquet",
    "computer": "rows.jsonl",
    "shifts": "rows.csv",
}
CREDITS = {
    "accepted-already-good",
    "accepted-repairable-good",
    "rejected-non-repairable",
    "rejected-repairable-over-budget",
    "rejected-feasible-suboptimal",
    "rejected-repairable-suboptimal",
}
REPAIRS = {  # by every repair of its menu an example mends some row
    name: set(tomllib.loads((EXAMPLES / name / "domain.toml").read_text("utf-8"))["repairs"]) for name in ROWS
}

Decided = Callable[[str], list[dict[str, Any]]]
each_example = pytest.mark.parametrize("name", ROWS)


def racl_command(*arguments: str) -> subprocess.CompletedProcess[str]:
    """`racl ...` in the root of the repository."""
    command = [sys.executable, "-m", "racl", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def decided(tmp_path_factory: pytest.TempPathFactory) -> Decided:
    """The decisions of an example's rows, as the command writes them."""

    @cache
    def decisions(name: str) -> list[dict[str, Any]]:
        out = tmp_path_factory.mktemp(name) / "decisions.jsonl"
        folder = f"examples/{name}"
        done = racl_command("decide", f"{folder}/model.json", f"{folder}/{ROWS[name]}", "-o", str(out))
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in out.read_text("utf-8").splitlines()]

    return decisions


def plans(rows: list[dict[str, Any]]) -> set[str]:
    """The plans that occur."""
    return {row["plan"] for row in rows} - {None}


def number_of_rows(name: str) -> int:
    """How many rows an example has."""
    path = EXAMPLES / name / ROWS[name]
    match path.suffix:
        case ".parquet":
            return int(pq.read_metadata(path).num_rows)
        case ".csv":
            with path.open(encoding="utf-8", newline="") as file:
                return sum(1 for _ in csv.DictReader(file))
        case _:
            return len(path.read_text("utf-8").splitlines())


@each_example
def test_a_domain_has_no_fault_and_no_warning(name: str) -> None:
    done = racl_command("check", f"examples/{name}/domain.toml")
    assert done.returncode == 0
    assert done.stderr == ""
    assert "warning" not in done.stdout


@each_example
def test_a_model_loads_and_holds_its_domain_key_for_key(name: str) -> None:
    racl.load_model(EXAMPLES / name / "model.json")
    domain = (EXAMPLES / name / "domain.toml").read_text("utf-8")
    model = (EXAMPLES / name / "model.json").read_text("utf-8")
    assert json.dumps(json.loads(model)["domain"]) == json.dumps(tomllib.loads(domain))


@each_example
def test_every_row_is_decided_and_every_credit_occurs(name: str, decided: Decided) -> None:
    rows = decided(name)
    assert len(rows) == number_of_rows(name) >= 300
    assert {row["credit"] for row in rows} == CREDITS


@each_example
def test_every_repair_is_part_of_some_plan(name: str, decided: Decided) -> None:
    assert {step for plan in plans(decided(name)) for step in plan.split(" + ")} == REPAIRS[name] | {"keep"}


@pytest.mark.parametrize(("name", "steps"), [("airline", 1), ("hotel", 1), ("computer", 3), ("shifts", 2)])
def test_plans_are_as_long_as_the_domain_allows(name: str, steps: int, decided: Decided) -> None:
    assert max(plan.count(" + ") + 1 for plan in plans(decided(name))) == steps


def content(path: Path) -> object:
    """What a file of rows holds; the bytes of a Parquet file differ from version to version."""
    return pq.read_table(path).to_pylist() if path.suffix == ".parquet" else path.read_bytes()


@each_example
def test_the_rows_are_those_that_the_program_makes(name: str, tmp_path: Path) -> None:
    program = runpy.run_path(str(EXAMPLES / "make_rows.py"))
    program["write"](program["example"](f"{name}/{ROWS[name]}"), tmp_path / ROWS[name])
    assert content(tmp_path / ROWS[name]) == content(EXAMPLES / name / ROWS[name])


def test_the_demonstration_decides_explains_and_reports(tmp_path: Path) -> None:
    command = [sys.executable, str(EXAMPLES / "demo.py"), "--rows", "2000", "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""  # no progress in a pipe
    assert done.stdout.count("\nrow ") == 3
    page = (tmp_path / "report.html").read_text("utf-8")
    assert page.count("<rect ") == len(CREDITS)
    assert page.count("<article>") == 3
    assert "prefers-color-scheme: dark" in page


def agrees(excerpt: Any, whole: Any) -> bool:
    """Whether all that an excerpt says stands in the whole."""
    if isinstance(excerpt, dict) and isinstance(whole, dict):
        return all(key in whole and agrees(value, whole[key]) for key, value in excerpt.items())
    return bool(excerpt == whole)


@each_example
def test_a_page_quotes_its_domain(name: str) -> None:
    page = (ROOT / "docs" / "examples" / f"{name}.md").read_text("utf-8")
    domain = tomllib.loads((EXAMPLES / name / "domain.toml").read_text("utf-8"))
    quotes = re.findall(r"```toml\n(.*?)```", page, flags=re.DOTALL)
    assert quotes
    assert all(agrees(tomllib.loads(quote), domain) for quote in quotes)
