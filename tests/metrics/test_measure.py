"""Every figure is what its definition says, on cases full of ties, gaps and empty regions."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from metrics import plainly
from metrics.plainly import FLOOR, Row, cases
from racl.metrics.judged import UNKNOWN
from racl.metrics.measure import Grouping, measure
from racl.metrics.report import Metrics

SEEDS = range(120)


def measured(rows: list[Row], **options: object) -> Metrics:
    settings = {
        "choice_set": np.array([row.set for row in rows]),
        "floor": FLOOR,
        "resamples": 20,
        "weight": np.array([row.weight for row in rows]) if any(row.weight != 1 for row in rows) else None,
    }
    return measure(plainly.judged(rows), plainly.truth(rows), **{**settings, **options})  # type: ignore[arg-type]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_every_figure_is_what_its_definition_says(seed: int, weighted: bool) -> None:
    rows = cases(seed, weighted=weighted)
    found = measured(rows).figures
    for name, (value, count, of) in plainly.shares(rows).items():
        rate = getattr(found, name)
        assert (rate.count, rate.of) == ((count, of) if value is not None else (0, of))
        assert rate.value == (None if value is None else pytest.approx(value))
    ranked = plainly.auroc(rows)
    assert found.auroc.value == (None if ranked is None else pytest.approx(ranked))
    assert found.edr.value == pytest.approx(plainly.edr(rows))
    assert found.edr.of == len({row.set for row in rows})


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_an_interval_holds_its_figure(seed: int, weighted: bool) -> None:
    rows = cases(seed, weighted=weighted)
    for rate in measured(rows).figures.each():
        if rate.value is not None and rate.name not in ("EDR", "ECE"):  # a bootstrap of 20 may miss
            assert rate.low is not None
            assert rate.high is not None
            assert 0 <= rate.low <= rate.value <= rate.high <= 1


def apart(row: Row, by: float) -> Row:
    """The row with a value of its own: of options of the same value the first is picked, so that order matters."""
    if row.said_value is None:
        return replace(row, said_accepted=False)
    return replace(row, said_value=row.said_value + by)


@pytest.mark.parametrize("seed", range(40))
def test_the_order_of_the_rows_changes_no_figure(seed: int) -> None:
    rows = [apart(row, number / 64) for number, row in enumerate(cases(seed))]
    shuffled = random.Random(seed).sample(rows, len(rows))
    for one, other in zip(measured(rows).figures.each(), measured(shuffled).figures.each(), strict=True):
        assert (one.name, one.count, one.of) == (other.name, other.count, other.of)
        assert one.value == (None if other.value is None else pytest.approx(other.value))


@pytest.mark.parametrize("seed", range(40))
def test_another_scale_of_the_margin_leaves_the_auroc(seed: int) -> None:
    rows = cases(seed)
    said = plainly.judged(rows)
    bent = replace(said, margin=np.exp(said.margin / 3) - 7)
    one = measure(said, plainly.truth(rows), resamples=0, floor=FLOOR).auroc
    assert measure(bent, plainly.truth(rows), resamples=0, floor=FLOOR).auroc == one


def test_the_same_seed_gives_the_same_intervals_and_another_seed_others() -> None:
    rows = cases(3)
    assert str(measured(rows, seed=5, resamples=100)) == str(measured(rows, seed=5, resamples=100))
    assert measured(rows, seed=6, resamples=100).edr != measured(rows, seed=5, resamples=100).edr


def test_a_figure_of_no_rows_has_no_value_and_says_why() -> None:
    rows = [replace(row, feasible=True, value=9.0, label=True) for row in cases(1)]
    found = measured(rows)
    assert (found.fvr.value, found.fvr.of, found.fvr.method) == (None, 0, "there are no such rows")
    assert (found.far.value, found.auroc.value) == (None, None)
    assert found.auroc.method == "needs rows of both labels"
    assert "FVR                        -" in str(found)


@pytest.mark.parametrize("seed", range(40))
def test_any_rule_that_repairs_nothing_has_a_false_veto_rate_of_exactly_one(seed: int) -> None:
    rows = [replace(row, said_accepted=row.said_accepted and row.feasible) for row in cases(seed)]
    found = measured(rows).fvr
    assert found.value in (None, 1.0)
    assert found.high in (None, 1.0)
    assert found.count == found.of


# what a model leaves out


def test_a_model_without_plans_and_credits_has_no_figures_of_them() -> None:
    rows = cases(4)
    said = replace(plainly.judged(rows), best=None, plan=None, credit=None, probability=None)
    said = replace(said, bucket=np.full(len(rows), UNKNOWN, np.int8))
    found = measure(said, plainly.truth(rows), floor=FLOOR, resamples=20)
    left_out = ["CreditAcc", "CreditAcc end to end", "PlanAcc", "PlanAcc end to end", "ECE"]
    assert [one.name for one in found.figures.each() if one.value is None] == left_out
    assert found.confusion is None
    assert found.calibration.scale == "margin"


def test_without_a_truth_model_regret_and_plans_are_left_out() -> None:
    rows = cases(4)
    true = replace(plainly.truth(rows), value=None, best=None, plan=None, credit=None)
    found = measure(plainly.judged(rows), true, resamples=20)
    for one in (found.edr, found.plan, found.figures.plan_end_to_end, found.figures.credit_end_to_end):
        assert (one.value, one.method) == (None, "needs a truth model")
    assert found.fvr == measured(rows).fvr


# tables


@pytest.mark.parametrize("seed", range(30))
def test_a_group_has_the_figures_of_its_rows_alone(seed: int) -> None:
    rows = cases(seed)
    group = Grouping(np.array([row.set % 3 for row in rows]), ("a", "b", "c"))
    for number, found in enumerate(measured(rows, by={"third": group}).tables["third"]):
        own = [row for row in rows if row.set % 3 == number]
        assert found.rows == len(own)
        if own:
            alone = measured(own)
            assert (found.figures, found.calibration) == (alone.figures, alone.calibration)


def test_regret_is_not_told_of_groups_that_part_choice_sets() -> None:
    rows = cases(7)
    group = Grouping(np.arange(len(rows)) % 2, ("a", "b"))
    for found in measured(rows, by={"half": group}).tables["half"]:
        assert found.figures.edr.value is None
        assert found.figures.edr.method == "choice sets have rows of several groups"


@pytest.mark.parametrize("seed", range(40))
def test_the_four_outcomes_are_all_the_rows(seed: int) -> None:
    rows = cases(seed)
    found = measured(rows)
    assert sum(one.rows for one in found.buckets) == len(rows)
    structure, preference, good, _ = found.buckets
    assert structure.rows + preference.rows == found.far.of
    assert structure.right.count + preference.right.count == found.credit.count
    assert good.rows - good.accepted.count == found.fvr.count


@pytest.mark.parametrize("seed", range(20))
def test_the_table_of_credits_counts_every_pair(seed: int) -> None:
    rows = cases(seed)
    table = measured(rows).confusion
    assert table is not None
    for true in range(6):
        for said in range(6):
            pairs = [row for row in rows if (row.credit, row.said_credit) == (true, said)]
            assert table[true][said] == len(pairs)


def test_rows_of_different_lengths_are_a_fault_of_the_caller() -> None:
    rows = cases(4)
    with pytest.raises(ValueError, match="rows"):
        measure(plainly.judged(rows[1:]), plainly.truth(rows))
