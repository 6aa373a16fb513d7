from __future__ import annotations

import importlib
import importlib.util
import itertools
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from conformance.cases import COMPILED, FOLDERS, NAMES, WAYS, Answer, Case, expected, lines
from racl import load_domain

pytestmark = pytest.mark.conformance

ONE_STEP = [folder for folder in FOLDERS if folder.parent.name == "one-step"]
THREE_STEPS = [folder for folder in FOLDERS if folder.parent.name == "three-steps"]
SAMPLE = FOLDERS if os.environ.get("RACL_ALL_KERNELS") == "1" else ONE_STEP[::5] + THREE_STEPS[::5]
case = cache(Case.of)
cli: Any = importlib.import_module("racl.cli") if importlib.util.find_spec("racl.cli") else None


def name(folder: Path) -> str:
    return f"{folder.parent.name}/{folder.name}"


def differences(case: Case, found: list[Answer]) -> list[tuple[int, Answer, Answer]]:
    """Row, answer wanted, answer found, wherever the two are not the same."""
    pairs = zip(case.expected, found, strict=True)
    return [(row, wanted, got) for row, (wanted, got) in enumerate(pairs) if wanted != got]


def test_every_case_is_here() -> None:
    assert (len(ONE_STEP), len(THREE_STEPS)) == (60, 20)
    assert all(len(case(folder).rows) == 40 for folder in FOLDERS)


@pytest.mark.parametrize("folder", FOLDERS, ids=name)
def test_the_domain_file_is_the_domain_in_the_model(folder: Path) -> None:
    domain = load_domain(folder / "domain.toml")
    assert domain == case(folder).model.domain
    assert domain.document == case(folder).model.domain.document


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("folder", FOLDERS, ids=name)
def test_every_way_to_decide_gives_the_answers_to_the_bit(folder: Path, way: str) -> None:
    one = case(folder)
    assert differences(one, WAYS[way](one.model, one.rows)) == []


@pytest.mark.kernel
@pytest.mark.parametrize("folder", SAMPLE, ids=name)
def test_the_kernel_gives_the_answers_to_the_bit_on_one_thread_and_on_two(folder: Path) -> None:
    one = case(folder)
    found = {way: differences(one, decide(one.model, one.rows)) for way, decide in COMPILED.items()}
    assert found == {way: [] for way in COMPILED}


@pytest.mark.skipif(not hasattr(cli, "main"), reason="the commands are not written yet")
@pytest.mark.parametrize("folder", FOLDERS, ids=name)
def test_the_command_gives_the_answers_to_the_bit(folder: Path, tmp_path: Path) -> None:
    one = case(folder)
    files = {name: str(tmp_path / f"{name}.jsonl") for name in ("out", "rejects")}
    call = ["decide", str(folder / "model.json"), str(folder / "rows.jsonl"), "-o", files["out"]]
    assert cli.main([*call, "--rejects", files["rejects"]]) == 0
    refused = {line["row"] for line in lines(tmp_path / "rejects.jsonl")}
    written = lines(tmp_path / "out.jsonl")
    kept = [row for row in range(len(one.rows)) if row not in refused]
    passed_on = [dict(itertools.islice(line.items(), len(one.rows[0]))) for line in written]
    assert passed_on == [one.rows[row] for row in kept]
    found: list[Answer] = [None] * len(one.rows)
    for row, line in zip(kept, written, strict=True):
        assert list(line)[-6:] == list(NAMES)
        found[row] = expected(line)
    assert differences(one, found) == []
