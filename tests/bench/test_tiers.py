"""What every tier is made of, and that the frozen composition of DB1B-dist is the paper's."""

from __future__ import annotations

import numpy as np
import pytest

from racl.bench.tier import Rows, Tier, domain_file
from racl.bench.tiers import TIERS, tier
from racl.options import at, best, expand, values

PAPER = {  # of the 15,000 rows of the test of DB1B-dist
    "repairable good": 4039,
    "accepted otherwise": 785,
    "structure or cost": 3174,
    "feasible suboptimal": 1061,
    "repairable suboptimal": 5941,
}


@pytest.fixture(scope="module", params=TIERS)
def small(request: pytest.FixtureRequest) -> Tier:
    return tier(request.param, train=600, test=400)


def composition(rows: Rows) -> dict[str, int]:
    truth = rows.truth
    suboptimal = truth.admissible & ~truth.accepted
    kinds = (
        truth.repairable_good,
        truth.accepted & ~truth.repairable_good,
        ~truth.admissible,
        suboptimal & truth.feasible,
        suboptimal & ~truth.feasible,
    )
    return dict(zip(PAPER, (int(kind.sum()) for kind in kinds), strict=True))


def test_db1b_dist_is_composed_as_the_paper_says_to_a_point() -> None:
    test = tier("db1b-dist", train=2).test
    assert len(test) == sum(PAPER.values()) == 15_000
    for kind, count in composition(test).items():
        assert abs(count - PAPER[kind]) <= 150, (kind, count)


def test_rows_are_as_many_as_asked_and_none_is_refused(small: Tier) -> None:
    assert (len(small.train), len(small.test)) == (600, 400)
    for rows in (small.train, small.test):
        assert not rows.options.refused.any()
        assert rows.frame.num_rows == len(rows)


def test_a_seed_gives_the_same_rows_and_another_gives_others(small: Tier) -> None:
    again, other = tier(small.name, train=600, test=400), tier(small.name, train=600, test=400, seed=1)
    assert again.test.frame.equals(small.test.frame)
    assert (again.train.labels == small.train.labels).all()
    assert not other.test.frame.equals(small.test.frame)


def test_training_and_test_rows_are_drawn_apart(small: Tier) -> None:
    assert not small.train.frame.slice(0, 400).equals(small.test.frame)


def test_choice_sets_have_several_candidates_in_one_context(small: Tier) -> None:
    rows = small.train
    context = small.domain.context
    assert (np.bincount(rows.choice_set) < 2).sum() <= 1  # the one that is cut off at the number of rows
    assert (np.diff(rows.choice_set) >= 0).all()
    for column in context:
        values = rows.frame.column(column.name).to_numpy()
        first = values[np.searchsorted(rows.choice_set, rows.choice_set)]
        assert (values == first).all(), column.name


def test_labels_are_the_truth_where_no_noise_is_declared(small: Tier) -> None:
    rows = small.train
    differ = float((rows.labels != rows.truth.accepted).mean())
    assert (differ > 0) == (TIERS[small.name].noise > 0)
    assert differ < 0.06
    assert not (rows.labels & ~rows.truth.admissible).any()


def test_every_outcome_occurs_and_the_truth_has_no_regret(small: Tier) -> None:
    assert all(count > 0 for count in composition(small.train).values())


def test_zero_budgets_occur_where_anchors_are_to_come_from_them(small: Tier) -> None:
    some = bool((small.train.truth.budget == 0).any())
    assert some == (TIERS[small.name].anchors == "zero-budget")


@pytest.mark.parametrize("name", ["synthetic-maxsat", "expedia-schema", "db1b-schema", "db1b-dist"])
def test_the_best_plans_of_linear_tiers_can_be_told_apart(name: str) -> None:
    """The second best plan of a repairable-good row is worse by two hundredths of the spread of values or more."""
    made = tier(name, train=2, test=4000)
    options = made.test.options
    worth = values(options, made.truth.weights)
    first = best(options, worth)
    rest = worth.copy()
    rest[first[first >= 0]] = -np.inf
    gap = at(worth, first, nothing=np.nan) - at(worth, best(options, rest), nothing=np.nan)
    good = made.test.truth.repairable_good & ~np.isnan(gap)
    assert float((gap[good] >= 0.02 * np.nanstd(at(worth, first, nothing=np.nan))).mean()) >= 0.995


def test_the_curved_truth_is_of_another_domain_that_differs_in_features_alone() -> None:
    plain, curved = (domain_file(f"db1b-curved{part}") for part in ("", "-truth"))
    for section in ("[candidate]", "[requirements]", "[repairs.add_bag]"):
        stop = {"[candidate]": "[requirements]", "[requirements]": "[features]"}.get(section)
        one, other = (
            text[text.index(section) : text.index(stop) if stop else None] for text in (plain, curved)
        )
        assert one == other


def test_personas_of_the_sparse_tier_are_of_very_different_size() -> None:
    made = tier("db1b-sparse", test=2)
    sizes = np.bincount(made.train.options.persona, minlength=200)
    assert len(made.domain.personas) == 200
    assert sizes.max() > 100 * max(1, sizes.min())


def test_the_truth_of_maxsat_is_what_a_solver_finds() -> None:
    formula = pytest.importorskip("pysat.formula", reason="python-sat is not installed")
    solver = pytest.importorskip("pysat.examples.rc2", reason="python-sat is not installed")
    made = tier("synthetic-maxsat", train=2, test=60)
    rows = made.test.frame.to_pylist()
    value = made.test.truth.value
    assert value is not None
    for row, worth in zip(rows, value, strict=True):
        found = by_solver(made, row, formula, solver)
        assert (found is None) == bool(np.isnan(worth))
        assert found is None or found == pytest.approx(worth)


def by_solver(made: Tier, row: dict[str, object], formula: object, solver: object) -> float | None:
    """The best value after at most one affordable flip, as weighted partial MaxSAT: y is the state, f the flips."""
    problem = formula.WCNF()  # type: ignore[attr-defined]
    cost = dict(enumerate([1, 2, 3, 1, 2, 3, 1, 2], start=1))
    flips = [8 + number for number in cost]
    for number, price in cost.items():
        y, flip = number, 8 + number
        same, other = (y, -y) if row[f"x{number}"] else (-y, y)
        problem.extend([[flip, same], [-flip, other]])
        if price > float(str(row["budget"])):
            problem.append([-flip])
    problem.extend([[-one, -two] for one in flips for two in flips if one < two])
    for number, text in enumerate(texts(made, "requirements"), start=1):
        if row[f"asks_{number}"]:
            problem.append(clause(text.split(" or ", 1)[1]))
    weights = made.truth.weights[0, 1:]
    for text, weight in zip(texts(made, "features"), weights, strict=True):
        problem.append(clause(text), weight=round(10 * float(weight)))
    with solver.RC2(problem) as search:  # type: ignore[attr-defined]
        if search.compute() is None:
            return None
        return float((round(10 * float(weights.sum())) - search.cost) / 10)


def texts(made: Tier, section: str) -> list[str]:
    """The expressions of a section as they are written."""
    return list(made.domain.document[section].values())  # type: ignore[attr-defined]


def clause(text: str) -> list[int]:
    """Literals of `x1 or not x2`."""
    return [
        int(one.removeprefix("not ").strip(" x")) * (-1 if "not" in one else 1) for one in text.split(" or ")
    ]


def test_options_of_a_tier_are_those_of_its_frame(small: Tier) -> None:
    again = expand(small.domain, small.test.frame)
    assert (again.features == small.test.options.features).all()
