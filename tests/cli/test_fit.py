"""`racl fit` and `racl show`: what is learned, told and remembered; and what cannot be learned from, said in a line."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

from cli.air import Done, Racl, write_rows
from learn_baselines.world import DOMAIN, TASTES, columns, world
from racl import load_model

ROWS = 6000
Columns = dict[str, Any]


def tickets(n: int = ROWS) -> Columns:
    """Rows and labels of a known world."""
    found = columns(np.random.default_rng(0), n)
    return {**found, "request": np.arange(n) // 4, "accepted": world(0, n=n, noise=0.0).sample.accepted}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the commands run: a domain and rows."""
    (tmp_path / "t.toml").write_text(DOMAIN, "utf-8")
    write(tmp_path / "t.parquet", tickets())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


def write(path: Path, rows: Columns) -> None:
    pq.write_table(pa.table({name: pa.array(column) for name, column in rows.items()}), path)


def fit(racl: Racl, *more: str, rows: Columns | None = None, domain: str | None = None) -> Done:
    """The command on these rows, without a guard where none is asked for."""
    if rows is not None:
        write(Path("t.parquet"), rows)
    if domain is not None:
        Path("t.toml").write_text(domain, "utf-8")
    guard = () if "--guard" in more else ("--guard", "none")
    return racl("fit", "t.toml", "t.parquet", "-o", "t.json", "--label", "accepted", *guard, *more)


def figure(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path("t.json").read_text("utf-8"))["fit"]["validation"]["figures"][
        name
    ]
    return found


# what is learned -------------------------------------------------------------------------------------


def test_fit_writes_a_model_that_decides_and_tells_how_it_was_learned(folder: Path, racl: Racl) -> None:
    done = fit(racl, "--choice-set", "request", "--guard", "validated", "--seed", "3")
    assert done.code == 0
    assert "t.json: written" in done.err
    for line in ("latent (ridge 0.001, seed 3)", "6,000 given, 0 refused", "no repair makes it feasible",
                 "rows held out, 150 whole choice sets drawn by seed 3", "validated (A = ", "from a grid of 12",
                 "t.parquet, sha256:", "bias", "nonstop", "business", "±", "held-out rows, against labels",
                 "FVR", "Wilson", "Learned 20"):  # fmt: skip
        assert line in done.out
    model = load_model(folder / "t.json")
    for name, taste in TASTES.items():
        learned = dict(zip(("price", "nonstop", "bag"), model.taste.personas[name].weights, strict=True))
        for feature, weight in taste["weights"].items():  # type: ignore[attr-defined]
            assert learned[feature] == pytest.approx(weight, abs=0.2)
    assert figure("fvr")["value"] < 0.05
    assert racl("decide", "t.json", "t.parquet").code == 0


def test_the_same_seed_gives_the_same_model(folder: Path, racl: Racl) -> None:
    fit(racl, "--seed", "5")
    first = Path("t.json").read_bytes()
    fit(racl, "--seed", "5")
    assert Path("t.json").read_bytes() == first
    assert racl("show", "t.json").code == 0


def test_show_prints_what_fit_printed(folder: Path, racl: Racl) -> None:
    done = fit(racl)
    assert racl("show", "t.json").out == done.out
    data = json.loads(racl("show", "t.json", "--json").out)
    assert data["learner"] == "latent"
    assert data["versions"]["racl"]
    assert data["settings"]["seed"] == 0


def test_rows_come_from_files_of_every_format_alike(folder: Path, racl: Racl) -> None:
    rows = tickets(2000)
    fit(racl, rows=rows)
    found = json.loads(Path("t.json").read_text("utf-8"))["preference"]
    listed = pa.table({name: pa.array(column) for name, column in rows.items()}).to_pylist()
    write_rows(Path("t.jsonl"), listed)
    write_rows(Path("t.csv"), listed)
    for name in ("t.jsonl", "t.csv"):
        assert racl("fit", "t.toml", name, "-o", "u.json", "--label", "accepted", "--guard", "none").code == 0
        assert json.loads(Path("u.json").read_text("utf-8"))["preference"] == found


def test_a_certified_margin_is_told_with_its_bound(folder: Path, racl: Racl) -> None:
    done = fit(racl, "--guard", "certified", "--alpha", "0.05", "--delta", "0.1", "--hold-out", "0.3")
    assert done.code == 0
    assert "with confidence 0.9 at most 0.0" in done.out
    assert "the guard was chosen on them" in done.out
    certificate = load_model("t.json").fit["guard"]["certificate"]  # type: ignore[index]
    assert certificate["alpha"] == 0.05
    assert certificate["bound"] <= 0.05


def test_known_weights_are_taken_as_they_are(folder: Path, racl: Racl) -> None:
    fit(racl)
    before = load_model("t.json").weights
    done = racl("fit", "t.toml", "t.parquet", "-o", "u.json", "--label", "accepted", "--learner", "known",
                "--known", "t.json", "--guard", "none")  # fmt: skip
    assert done.code == 0
    np.testing.assert_allclose(load_model("u.json").weights, before)


def test_rows_of_weight_0_teach_nothing(folder: Path, racl: Racl) -> None:
    rows = tickets(3000)
    weight = (np.arange(3000) % 2).astype(float)
    spoiled = np.where(weight == 0, ~rows["accepted"], rows["accepted"])
    done = fit(racl, "--weight", "counts", rows={**rows, "accepted": spoiled, "counts": weight})
    assert "1,500 left out: of weight 0" in done.out
    assert load_model("t.json").taste.personas["business"].weights[0] == pytest.approx(-1.0, abs=0.3)


def test_the_report_is_one_page_with_a_picture_of_everything(folder: Path, racl: Racl) -> None:
    done = fit(racl, "--guard", "validated", "--report", "t.html")
    assert done.code == 0
    assert "t.html with pictures" in done.err
    page = Path("t.html").read_text("utf-8")
    for heading in ("What was learned", "Weights by persona", "Margins", "Operating curve", "Calibration",
                    "The guard&#x27;s grid"):  # fmt: skip
        assert f"<h2>{heading}</h2>" in page
    assert page.count("<svg") == 8
    assert 'src="' not in page
    fit(racl, "--guard", "certified", "--alpha", "0.05", "--report", "t.html")
    assert "<h2>The certified margin</h2>" in Path("t.html").read_text("utf-8")


def test_without_matplotlib_nothing_is_learned_before_it_is_said(
    folder: Path, racl: Racl, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = fit(racl, "--report", "t.html")
    assert done.code == 2
    assert "racl[reports]" in done.err
    assert not Path("t.json").exists()


# what cannot be learned from -------------------------------------------------------------------------


def with_labels(change: Callable[[NDArray[np.bool_]], Any]) -> Columns:
    rows = tickets(400)
    return {**rows, "accepted": change(rows["accepted"])}


BAD = {
    "missing": (with_labels(lambda one: [None, *one[1:].tolist()]), (), "row 0: accepted: null"),
    "three values": (with_labels(lambda one: np.arange(400) % 3), (), "row 2: accepted: `2` is no label"),
    "words": (with_labels(lambda one: np.where(one, "yes", "no")), (), "is no label; the column holds"),
    "all accepted": (with_labels(np.ones_like), (), "is accepted (275 in all)"),
    "all rejected": (with_labels(np.zeros_like), ("--learner", "anchors"), "is rejected ("),
    "too few to certify": (tickets(400), ("--guard", "certified"), "needs 299 (hold out more"),
    "too few to hold out": (tickets(3), ("--guard", "validated"), "no row of 3 is held out"),
    "all held out": (tickets(3), ("--guard", "validated", "--hold-out", "0.99"), "single row"),
    "no row at all": (tickets(0), (), "not a single row to learn from"),
    "one threshold": ({**tickets(400), "threshold": np.full(400, 1.0)}, ("--guard", "fixed"), "every threshold is 1"),
    "no such column": (tickets(40), ("--choice-set", "reqest"), "reqest: column missing (did you mean `request`?)"),
    "negative weights": ({**tickets(40), "w": np.full(40, -1.0)}, ("--weight", "w"), "not a number of at least 0"),
    "alpha of 2": (tickets(40), ("--alpha", "2"), "alpha: 2 is not between 0 and 1"),
    "no such learner": (tickets(40), ("--learner", "latnet"), "did you mean `latent`?"),
    "no such guard": (tickets(40), ("--guard", "valid"), "did you mean `validated`?"),
    "known without weights": (tickets(40), ("--learner", "known"), "`--learner known --known MODEL`"),
    "report into the model": (tickets(40), ("--report", "t.json"), "the same file"),
}  # fmt: skip


@pytest.mark.parametrize(("rows", "more", "said"), BAD.values(), ids=BAD.keys())
def test_what_cannot_be_learned_from_is_said_in_a_line(
    folder: Path, racl: Racl, rows: Columns, more: tuple[str, ...], said: str
) -> None:
    done = fit(racl, *more, rows=rows)
    assert done.code == 2, done.out
    assert said in done.err
    assert len(done.err.splitlines()) == 1
    assert not Path("t.json").exists()


def test_a_persona_that_is_not_declared_is_refused_or_decided_by_the_default(
    folder: Path, racl: Racl
) -> None:
    rows = tickets(2000)
    rows["persona"] = np.where(np.arange(2000) % 50 < 4, "family", rows["persona"])
    done = fit(racl, rows=rows)
    assert done.code == 3
    assert "`family`" in done.err
    assert "nothing is learned; `--rejects FILE` sets them aside" in done.err
    assert not Path("t.json").exists()
    assert fit(racl, "--default-persona").code == 0
    assert load_model("t.json").taste.default is not None
    assert "(others)" in racl("show", "t.json").out
    done = fit(racl, "--rejects", "refused.csv")
    assert done.code == 0
    assert "160 refused" in done.out
    assert len(Path("refused.csv").read_text("utf-8").splitlines()) == 161


def test_a_declared_persona_without_rows_gets_the_pooled_weights_and_it_is_said(
    folder: Path, racl: Racl
) -> None:
    domain = DOMAIN.replace('["business", "leisure"]', '["business", "leisure", "family"]')
    done = fit(racl, domain=domain)
    assert done.code == 0
    assert "NOTE: 1 personas have the pooled weights: family" in done.out
    assert "0 (pooled weights)" in done.out
    assert "family" in load_model("t.json").taste.personas


def test_features_beyond_all_scales_are_an_error_or_a_model_of_finite_weights(
    folder: Path, racl: Racl
) -> None:
    for factor in ("1e150", "1e200", "1e-200", "1e305"):
        done = fit(racl, rows=tickets(400), domain=DOMAIN.replace('"fare / 100"', f'"fare * {factor}"'))
        if done.code == 0:
            assert np.isfinite(load_model("t.json").weights).all()
            assert figure("far")["value"] != 1.0
        else:
            assert done.code in (2, 3)
            assert done.err


def test_labels_that_a_line_parts_give_a_model_that_still_rejects(folder: Path, racl: Racl) -> None:
    done = fit(racl, rows=tickets(2000))
    assert done.code == 0
    assert figure("far")["value"] < 0.1
    assert np.abs(load_model("t.json").weights).max() < 100


# what a model says of itself -------------------------------------------------------------------------


def test_show_tells_that_a_model_written_by_hand_was_not_learned(air: Path, racl: Racl) -> None:
    done = racl("show", "air.json")
    assert done.code == 0
    assert "does not say how it was learned" in done.out
    assert "-2.5" in done.out
    assert json.loads(racl("show", "air.json", "--json").out) == {}


@pytest.mark.parametrize(
    "record",
    [{"note": "by hand"}, {"learner": "x", "guard": {}, "rows": {}, "split": {}, "personas": {}},
     {"learner": "x", "guard": {"name": 3, "grid": 7}, "rows": {"given": "many"}, "split": {"held_out": "a"},
      "personas": {"business": 3}}, {"personas": {"business": {"rows": "n", "standard_errors": 4}}}],
)  # fmt: skip
def test_show_bears_a_record_that_another_program_wrote(
    air: Path, racl: Racl, record: dict[str, Any]
) -> None:
    model = json.loads(Path("air.json").read_text("utf-8"))
    Path("air.json").write_text(json.dumps({**model, "fit": record}), "utf-8")
    done = racl("show", "air.json")
    assert done.code == 0
    assert "nonstop" in done.out
    assert json.loads(racl("show", "air.json", "--json").out) == record


def test_show_folds_no_terminal_codes(air: Path, racl: Racl) -> None:
    model = json.loads(Path("air.json").read_text("utf-8"))
    record = {"learner": "latent\x1b[2J", "guard": {"name": "none"}, "rows": {}, "split": {}, "personas": {}}
    Path("air.json").write_text(json.dumps({**model, "fit": record}), "utf-8")
    assert "\x1b" not in racl("show", "air.json").out


def test_many_personas_are_shown_as_a_few_and_a_count(folder: Path, racl: Racl) -> None:
    names = [f"p{number}" for number in range(40)]
    domain = DOMAIN.replace('["business", "leisure"]', json.dumps(names))
    rows = tickets(800)
    rows["persona"] = np.array(names)[np.arange(800) // 20]
    done = fit(racl, rows=rows, domain=domain)
    assert done.code == 0
    assert "and 34 personas more, in the file" in done.out


# curves ----------------------------------------------------------------------------------------------


def test_curves_become_features_of_the_model_and_fall_where_they_must(folder: Path, racl: Racl) -> None:
    more = ("--curves", "--monotone", "price=falls", "--product", "nonstop*bag")
    done = fit(racl, *more, rows=tickets(1200))
    assert done.code == 0, done.err
    assert "best of 16 by cross-validation" in done.out
    model = load_model("t.json")
    names = [feature.name for feature in model.domain.features]
    assert "nonstop_times_bag" in names
    falling = [number for number, name in enumerate(names) if name.startswith("price")]
    for taste in model.taste.personas.values():
        assert max(taste.weights[number] for number in falling) <= 1e-9
    assert racl("decide", "t.json", "t.parquet").code == 0


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--monotone", "price=falls"), "give --curves, too"),
        (("--curves", "--monotone", "price"), "FEATURE=falls or FEATURE=rises"),
        (("--curves", "--monotone", "pric=falls"), "no feature `pric`"),
        (("--curves", "--product", "price"), "is not A*B or `all`"),
        (("--curves", "--product", "price*bg"), "no feature `bg`"),
    ],
)
def test_curves_that_cannot_be_are_said_in_a_line(
    folder: Path, racl: Racl, more: tuple[str, ...], said: str
) -> None:
    done = fit(racl, *more, rows=tickets(200))
    assert done.code == 2, done.out
    assert said in done.err
