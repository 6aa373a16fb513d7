"""`racl evaluate`: every figure with count and interval, by persona and by any column, two models compared; and what is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cli.air import Racl
from cli.test_fit import tickets, write
from learn_baselines.world import DOMAIN, TASTES, world
from racl import Model
from racl.domain.files import parse_domain

ROWS = 800


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The truth, a model that loves fares less, and rows with labels that are now and then wrong."""
    rows = tickets(ROWS)
    labels = world(0, n=ROWS, noise=0.05).sample.accepted
    probability = np.clip(labels * 0.8 + 0.1, 0, 1)
    carrier = np.array(["AA", "UA", "WN"])[np.arange(ROWS) // 4 % 3]
    write(tmp_path / "rows.parquet", {**rows, "accepted": labels, "p": probability, "carrier": carrier})
    domain = parse_domain(DOMAIN)
    worse: dict[str, Any] = json.loads(json.dumps(TASTES))
    worse["leisure"]["bias"] -= 0.7
    Model.of(domain, TASTES).save(tmp_path / "true.json")
    Model.of(domain, worse).save(tmp_path / "worse.json")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


def data(racl: Racl, *words: str) -> dict[str, Any]:
    done = racl("evaluate", *words, "--json", "--resamples", "50")
    assert done.code == 0, done.err
    found: dict[str, Any] = json.loads(done.out)
    return found


LABELS = ("worse.json", "rows.parquet", "--label", "accepted")
TRUTH = ("worse.json", "rows.parquet", "--truth", "true.json", "--choice-set", "request", "--floor", "-20")


def test_every_rate_has_its_count_and_an_interval_whose_method_is_named(folder: Path, racl: Racl) -> None:
    figures = data(racl, *TRUTH, "--label", "accepted", "--probability", "p")["figures"]
    for name, method in {"fvr": "Wilson", "far": "Wilson", "credit": "Wilson", "plan": "Wilson", "auroc": "DeLong",
                         "edr": "bootstrap by choice set", "ece": "bootstrap by choice set"}.items():  # fmt: skip
        one = figures[name]
        assert one["low"] <= one["value"] <= one["high"], name
        assert one["method"].startswith(method)
        assert one["of"] > 0


def test_from_labels_alone_there_is_no_regret_and_no_plan(folder: Path, racl: Racl) -> None:
    figures = data(racl, *LABELS)["figures"]
    assert figures["fvr"]["value"] > 0
    for name in ("edr", "plan", "credit_end_to_end"):
        assert figures[name]["value"] is None
        assert figures[name]["method"] == "needs a truth model"


def test_the_truth_itself_makes_no_mistake(folder: Path, racl: Racl) -> None:
    figures = data(racl, "true.json", *TRUTH[1:])["figures"]
    assert [figures[name]["value"] for name in ("fvr", "far", "edr")] == [0, 0, 0]
    assert [figures[name]["value"] for name in ("credit", "plan", "credit_end_to_end")] == [1, 1, 1]


def test_a_user_sees_who_gets_the_false_vetoes(folder: Path, racl: Racl) -> None:
    found = data(racl, *TRUTH, "--by", "carrier", "--by", "stops")
    by = {one["value"]: one["figures"]["fvr"] for one in found["tables"]["persona"]}
    assert by["business"]["value"] == 0
    assert by["leisure"]["value"] > 0.02
    assert {one["value"] for one in found["tables"]["carrier"]} == {"AA", "UA", "WN"}
    assert sum(one["rows"] for one in found["tables"]["stops"]) == ROWS
    printed = racl("evaluate", *TRUTH, "--resamples", "50").out
    assert printed.index("leisure") < printed.index("business")  # the worst first


def test_credit_is_told_by_bucket(folder: Path, racl: Racl) -> None:
    buckets = data(racl, *TRUTH)["buckets"]
    names = [one["name"] for one in buckets]
    assert names == [
        "rejected: structure or cost",
        "rejected: preference",
        "repairable-good",
        "accepted otherwise",
    ]
    assert sum(one["rows"] for one in buckets) == ROWS
    assert [one["right"]["value"] for one in buckets[:2]] == [1.0, 1.0]


def test_calibration_is_told_for_each_persona(folder: Path, racl: Racl) -> None:
    found = data(racl, *LABELS, "--probability", "p")
    assert found["calibration"]["scale"] == "probability"
    assert found["figures"]["ece"]["value"] == pytest.approx(0.1, abs=0.01)
    for group in found["tables"]["persona"]:
        assert group["calibration"]["ece"]["value"] == pytest.approx(0.1, abs=0.02)


def test_two_models_are_compared_on_the_same_rows(folder: Path, racl: Racl) -> None:
    found = {
        one["name"]: one for one in data(racl, *TRUTH, "--against", "true.json")["comparison"]["differences"]
    }
    fvr = found["FVR"]
    assert fvr["value"] > 0
    assert (fvr["only_first"] > 0, fvr["only_second"]) == (True, 0)
    assert 0 < fvr["mcnemar"] <= 1
    assert found["EDR"]["low"] <= found["EDR"]["value"] <= found["EDR"]["high"]


def test_the_page_has_a_diagram_of_calibration_and_of_every_grouping(folder: Path, racl: Racl) -> None:
    done = racl("evaluate", *LABELS, "--probability", "p", "--by", "carrier", "--against", "true.json", "--resamples",
                "50", "--report", "page.html")  # fmt: skip
    assert done.code == 0
    page = Path("page.html").read_text("utf-8")
    for heading in ("Figures", "Calibration", "By persona", "By carrier", "worse.json and true.json"):
        assert f"<h2>{heading}</h2>" in page
    assert page.count("<svg") == 5
    assert "Expected calibration error 0.1" in page


BAD: dict[str, tuple[tuple[str, ...], int, str]] = {
    "nothing to hold against": (("worse.json", "rows.parquet"), 2, "nothing to hold the decisions against"),
    "no such label": (("worse.json", "rows.parquet", "--label", "acepted"), 2, "did you mean `accepted`?"),
    "labels of three values": (("worse.json", "rows.parquet", "--label", "stops"), 2, "`2` is no label"),
    "no such column": ((*LABELS, "--by", "carier"), 2, "did you mean `carrier`?"),
    "probabilities beyond 1": ((*LABELS, "--probability", "fare"), 2, "is not a number from 0 to 1"),
    "sets of two contexts": ((*LABELS, "--choice-set", "stops"), 2, "are of one choice set and differ in"),
    "a domain for a model": (("t.toml", "rows.parquet", "--label", "accepted"), 2, "a domain, not a model"),
}


@pytest.mark.parametrize(("words", "code", "said"), BAD.values(), ids=BAD.keys())
def test_what_cannot_be_measured_is_said_in_a_line(
    folder: Path, racl: Racl, words: tuple[str, ...], code: int, said: str
) -> None:
    Path("t.toml").write_text(DOMAIN, "utf-8")
    done = racl("evaluate", *words)
    assert done.code == code, done.out
    assert said in done.err
    assert not done.out


def test_refused_rows_end_the_command_unless_they_are_set_aside(folder: Path, racl: Racl) -> None:
    rows = tickets(40)
    rows["fare"] = np.where(np.arange(40) < 3, -1.0, rows["fare"])
    write(Path("rows.parquet"), rows)
    done = racl("evaluate", *LABELS)
    assert done.code == 3
    assert "3 rows are refused" in done.err
    assert racl("evaluate", *LABELS, "--rejects", "aside.csv", "--resamples", "10").code == 0
    assert len(Path("aside.csv").read_text("utf-8").splitlines()) == 4
