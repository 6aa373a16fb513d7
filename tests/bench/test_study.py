"""A study from its tasks to its report, at small sizes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from racl.bench import stress, sweeps, theory
from racl.bench import study as studies
from racl.bench.cells import arrays_of, judged_of
from racl.bench.claims import claims, of_sparse
from racl.bench.models import MODELS
from racl.bench.protocol import Asked, Run
from racl.bench.report import write_report
from racl.bench.study import Study, results
from racl.bench.sweeps import break_even
from racl.bench.words import spoken
from racl.cli import main

FEW = (
    "no-repair",
    "black-box",
    "black-box-repair",
    "anchors-fixed",
    "anchors-validated",
    "oracle",
    "latent-certified",
)
ASKED = Asked(seeds=(1,), models=FEW, sizes=(900, 400), resamples=20)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("study")


@pytest.fixture(scope="module")
def found(folder: Path) -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(theory, "ROWS", (100, 200))
        patch.setattr(theory, "FEATURES", (2, 4))
        patch.setattr(theory, "REPAIRS", (1, 2))
        patch.setattr(theory, "TEST", 300)
        patch.setattr(stress, "COST_NOISES", (0.0, 0.2))
        patch.setattr(stress, "MISSING", (0, 1))
        patch.setattr(stress, "MENUS", 1)
        patch.setattr(stress, "STRESSED", ("anchors-validated", "black-box-repair"))
        patch.setattr(stress, "ABLATIONS", {"anchors, no guard": stress.ABLATIONS["anchors, no guard"]})
        patch.setattr(theory, "REPEATS", 2)
        patch.setattr(studies, "GUARD_SEEDS", (11,))
        patch.setattr(studies, "GUARDED", ("anchors",))
        return results(Study(("db1b-dist",), ASKED, folder, jobs=1))


def test_a_study_has_every_table_and_figure_of_its_tier(found: dict[str, Any], folder: Path) -> None:
    path = write_report(found, folder)
    page = path.read_text("utf-8")
    sections = re.findall("<h2>(.*?)</h2>", page)
    assert sections[-5:] == ["Guards", "Operating points and costs", "Stress", "Ablations", "Theory"]
    svgs, pngs = (
        sorted(one.stem for one in (folder / "figures").glob(f"*.{kind}")) for kind in ("svg", "png")
    )
    assert svgs == pngs
    wanted = {
        "overview",
        "fvr-by-tier",
        "credit-by-bucket",
        "calibration",
        "operating",
        "costs",
        "lemma",
        "gap",
    }
    wanted |= {
        "guard-grid-anchors",
        "curve-rows",
        "curve-features",
        "curve-repairs",
        "missing-fvr",
        "cost-noise-edr",
    }
    assert wanted <= set(svgs)
    assert page.count("<svg") == len(svgs)
    assert all((folder / "figures" / f"{name}.png").read_bytes().startswith(b"\x89PNG") for name in pngs)


def test_the_report_needs_nothing_from_anywhere(found: dict[str, Any], folder: Path) -> None:
    page = write_report(found, folder).read_text("utf-8")
    assert not re.search(r"(src|href)=\"(?!#)|url\((?!#)|<script|@import", page)


def test_results_are_plain_and_stay_what_they_are(found: dict[str, Any], folder: Path) -> None:
    write_report(found, folder)
    again = json.loads((folder / "results.json").read_text("utf-8"))
    assert again == json.loads(json.dumps(found))
    assert str(folder) not in json.dumps(again)


def test_a_study_that_goes_on_fits_nothing_anew(
    found: dict[str, Any], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> None:
        raise AssertionError("a finished cell is made again")

    monkeypatch.setattr(studies, "GUARD_SEEDS", (11,))
    monkeypatch.setattr(studies, "GUARDED", ("anchors",))
    monkeypatch.setattr(stress, "STRESSED", ("anchors-validated", "black-box-repair"))
    monkeypatch.setattr(stress, "ABLATIONS", {"anchors, no guard": stress.ABLATIONS["anchors, no guard"]})
    monkeypatch.setattr("racl.bench.cells.written", never)
    again = results(Study(("db1b-dist",), ASKED, folder, jobs=1))
    assert again["tiers"] == found["tiers"]


def test_the_same_seeds_give_the_same_numbers_elsewhere(found: dict[str, Any], tmp_path: Path) -> None:
    run = Run("db1b-dist", ASKED, tmp_path)
    for model in ("anchors-validated", "latent-certified"):
        again = run.figures(model, 1)
        assert json.loads(json.dumps(again)) == found["tiers"]["db1b-dist"]["figures"][model]["1"]


def test_no_repair_vetoes_all_and_racl_knows_why(found: dict[str, Any]) -> None:
    figures = {name: one["1"]["figures"] for name, one in found["tiers"]["db1b-dist"]["figures"].items()}
    assert figures["no-repair"]["fvr"]["value"] == 1.0
    assert figures["oracle"]["edr"]["value"] == 0.0
    for model in ("anchors-fixed", "latent-certified"):
        assert figures[model]["credit"]["value"] == 1.0
    assert figures["black-box"]["credit"]["value"] < 0.6
    assert figures["black-box"]["plan"]["value"] is None


def test_claims_say_what_was_found_and_may_fail(found: dict[str, Any]) -> None:
    first = claims(found)
    assert any("NoRepair vetoes all" in one.what and one.holds for one in first)
    worse = json.loads(json.dumps(found))
    worse["tiers"]["db1b-dist"]["figures"]["no-repair"]["1"]["figures"]["fvr"]["value"] = 0.5
    assert any("NoRepair vetoes all" in one.what and not one.holds for one in claims(worse))
    assert "paper" in spoken(found)


def test_the_claims_on_pooling_follow_the_paired_interval(folder: Path, found: dict[str, Any]) -> None:
    del found
    run = Run("db1b-dist", ASKED, folder)
    one = stress.against(run, "latent, certified", "latent, certified, one pooled model", 1)
    edr = next(each for each in one["differences"] if each["name"] == "EDR")
    assert edr["low"] <= edr["value"] <= edr["high"]
    for low, high, holds in ((-0.2, -0.1, True), (-0.2, 0.1, False)):
        edr.update(value=-0.1, low=low, high=high)
        said = {claim.what: claim.holds for claim in of_sparse({"a, one pooled model": {"1": one}})}
        assert said["DB1B-sparse: EDR of pooling below that of one pooled model"]
        assert said["DB1B-sparse: the same of the paired interval, EDR against one pooled model"] == holds


def test_a_greater_margin_never_vetoes_more(found: dict[str, Any]) -> None:
    tier = found["tiers"]["db1b-dist"]
    for model in ("anchors-fixed", "black-box-repair"):
        fvr = [one["fvr"] for one in tier["operating"][model]["1"]]
        assert fvr == sorted(fvr, reverse=True)


def test_the_lemma_holds_for_errors_of_any_sign(found: dict[str, Any]) -> None:
    lemma = found["tiers"]["db1b-dist"]["lemma"]["1"]
    for one in lemma["uniform"]:
        assert one["seen"] <= one["bound"]
    for one in lemma["models"].values():
        assert one["seen"] <= one["bound_row_by_row"] <= one["bound"]


def test_menus_without_repairs_leave_nothing_to_repair(found: dict[str, Any]) -> None:
    menus = found["tiers"]["db1b-dist"]["menus"]["1"]
    good = [one["repairable_good"] for one in menus]
    assert good[0] == 0
    assert good == sorted(good)


@pytest.mark.parametrize(
    ("first", "second", "ratio"),
    [
        ((0.0025, 0.0563), (0.2633, 0.0296), 0.102),
        ((0.1, 0.1), (0.2, 0.2), 0.0),
        ((0.2, 0.2), (0.1, 0.1), None),
    ],
)
def test_the_break_even_ratio_of_the_paper_comes_out(
    first: tuple[float, float], second: tuple[float, float], ratio: float | None
) -> None:
    one, other = ({"fvr": fvr, "edr": edr} for fvr, edr in (first, second))
    assert break_even(one, other) == (None if ratio is None else pytest.approx(ratio, abs=5e-4))


def test_decisions_survive_being_kept(folder: Path, found: dict[str, Any]) -> None:
    del found
    said, record = Run("db1b-dist", ASKED, folder).decided("latent-certified", 1)
    again = judged_of(arrays_of(said))
    for name in ("accepted", "value", "margin", "bucket", "best", "plan", "credit"):
        one, other = getattr(said, name), getattr(again, name)
        assert np.array_equal(one, other, equal_nan=one.dtype.kind == "f"), name
    assert record["guard"]["certificate"]["units"] > 0


def test_shifted_decisions_leave_rows_without_a_repair_rejected(folder: Path, found: dict[str, Any]) -> None:
    del found
    run = Run("db1b-dist", ASKED, folder)
    said, _ = run.decided("latent-certified", 1)
    every = sweeps.shifted(said, 1e9)
    assert (every.accepted == run.tier.test.truth.admissible).all()


def test_every_model_of_the_benchmark_is_the_papers_or_ours() -> None:
    paper = studies.paper()["tiers"]["db1b-dist"]
    assert {name for name, entry in MODELS.items() if not entry.ours} == set(paper)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["db1b-dits"], "did you mean `db1b-dist`?"),
        (["db1b-dist", "--models", "blackbox"], "did you mean `black-box`?"),
        (["db1b-dist", "--rows", "5"], "two numbers"),
        (["db1b-dist", "--seeds", "one"], "whole numbers between commas"),
        (["db1b-dist", "--tickets", "nowhere.zip"], "no such file"),
    ],
)
def test_a_wrong_call_ends_with_two_and_a_hint(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["bench", *words, "-o", str(tmp_path / "out")]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_the_command_prints_the_table_and_the_path(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ["bench", "expedia-schema", "--rows", "400,200", "--models", "no-repair,oracle", "--seeds", "1"]
    assert main([*words, "--jobs", "2", "--resamples", "20", "-o", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "Expedia-schema: 200 test rows" in out
    assert out.strip().endswith("report.html")
    assert (tmp_path / "results.json").exists()
