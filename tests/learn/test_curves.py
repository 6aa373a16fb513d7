"""Curves are ordinary features of the fitted domain, found by cross-validation."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import racl
from learn import worlds
from racl import DataError, Model
from racl.documents import Document
from racl.domain.files import domain_of
from racl.learn.curves import Curves, Term, folds_of, knots_of, pieces, shaped, terms_of
from racl.learn.recipe import History, Learned, Recipe, RecipeError, learn
from racl.metrics.judged import judged
from racl.options import expand


@lru_cache
def bent_truth() -> Model:
    """People who mind a price above 1 far more than one below."""
    domain = worlds.market()
    features: Any = domain.document["features"]
    value = {**domain.document, "features": {**features, "dear": "max(price - 1, 0)"}}
    given = {
        persona: {"bias": 0.2, "weights": {"price": -0.3, "bag": bag, "quiet": quiet, "dear": -2.0}}
        for persona, (_, _, bag, quiet) in zip(worlds.PERSONAS, worlds.TASTES, strict=True)
    }
    return Model.of(domain_of(Document(value, {})), given)


def learned(curves: Curves | None, n: int = 4_000) -> Learned:
    frame = worlds.rows(n, 3)
    history = History(frame, worlds.labels(frame, bent_truth()))
    return learn(worlds.market(), history, Recipe(guard="none", curves=curves or False))


BENT = Curves(knots=(0, 3), penalties=(0.1, 10.0), folds=2)


def test_curves_find_a_bend_that_straight_lines_miss() -> None:
    figures = [learned(curves).record["validation"]["figures"] for curves in (None, BENT)]
    straight, bent = ((one["fvr"]["value"] + one["far"]["value"]) for one in figures)
    assert bent < 0.8 * straight
    tried = learned(BENT).record["curves"]["tried"]
    assert min(tried, key=lambda one: one["loss"])["knots"] == 3


def test_what_is_fitted_is_what_every_engine_computes(tmp_path: Path) -> None:
    found = learned(BENT)
    frame = worlds.rows(2_000, 8)
    shape = found.sources.shape
    assert shape is not None
    read = expand(found.model.domain, frame)
    made = shape.options(expand(worlds.market(), frame))
    assert (read.features == made.features).all()
    found.model.save(tmp_path / "model.json")
    model = racl.load_model(tmp_path / "model.json")
    said = judged(read, found.weights)
    for engine in ("rows", "arrays", "definition"):
        assert (model.decide(frame, engine=engine).accepted == said.accepted).all()
    assert [one.name for one in model.domain.features][:2] == ["price", "price_above_1"]


@pytest.mark.parametrize("direction", [-1, 1])
def test_a_monotone_feature_never_turns(direction: int) -> None:
    found = learned(Curves(knots=(3,), penalties=(1.0,), folds=2, monotone={"price": direction}))
    names = [one.name for one in found.model.domain.features]
    slopes = found.weights[:, 1:][:, [name.startswith("price_part") for name in names]]
    assert slopes.shape[1] == 4
    assert (slopes * direction >= 0).all()
    if direction < 0:
        assert (slopes.min(axis=1) < -1.5).all()  # and still bends


def test_products_are_made_on_request() -> None:
    found = learned(Curves(knots=(0,), penalties=(1.0,), folds=2, products=(("price", "bag"),)))
    assert [one.name for one in found.model.domain.features][3:] == ["price_times_bag"]
    assert found.record["curves"]["features"] == {"price_times_bag": "price * bag"}


@pytest.mark.parametrize(
    ("curves", "words"),
    [
        (Curves(monotone={"prise": -1}), "did you mean `price`?"),
        (Curves(monotone={"price": 2}), "-1 falls, 1 rises"),
        (Curves(products=(("price", "bags"),)), "there is no feature `bags`"),
    ],
)
def test_settings_that_name_no_feature_are_refused_in_words(curves: Curves, words: str) -> None:
    with pytest.raises(DataError) as fault:
        learn(worlds.market(), worlds.history(200), Recipe(guard="none", curves=curves))
    assert words in str(fault.value)


def test_given_weights_cannot_be_bent() -> None:
    with pytest.raises(RecipeError, match="curves"):
        Recipe(learner="known", known=worlds.truth(), curves=True)


def test_knots_lie_strictly_within_and_only_where_there_are_values_enough() -> None:
    column = np.random.default_rng(0).normal(size=1_000)
    knots = knots_of(column, 4)
    assert len(knots) == 4
    assert column.min() < min(knots) < max(knots) < column.max()
    assert knots == sorted(knots)
    assert knots_of(np.array([0.0, 1.0] * 50), 4) == []
    assert knots_of(np.zeros(50), 4) == []
    assert knots_of(np.array([0.0] * 95 + [1.0, 2.0, 3.0, 4.0, 5.0]), 3) == []


def test_the_pieces_of_a_feature_add_up_to_it() -> None:
    column = np.linspace(-2, 2, 101)[:, None]
    parts = list(pieces("price", 0, [-1.0, 0.5], -1, set()))
    total = sum(part.column(column) for part in parts)
    assert total == pytest.approx(column[:, 0], abs=1e-12)


def test_new_names_are_never_names_that_there_are() -> None:
    domain = worlds.market()
    value = {**domain.document, "features": {"price": "price", "price_above_1": "quiet"}}
    other = domain_of(Document(value, {}))
    features = np.random.default_rng(0).normal(size=(500, 2))
    found = shaped(other, terms_of(other, features, Curves(), 1)).domain
    names = [one.name for one in found.features]
    assert len(set(names)) == len(names) == 4


def test_folds_keep_choice_sets_whole() -> None:
    sets = np.arange(300) // 3
    fold = folds_of(sets, 3, 0)
    assert all(len(set(fold[sets == one])) == 1 for one in range(100))
    assert np.bincount(fold).tolist() == [102, 99, 99]


def test_a_term_below_zero_reads_back_as_the_same_expression() -> None:
    domain = worlds.market()
    term = Term("low", (0,), low=-0.5, high=-0.25)
    found = shaped(domain, [term]).domain.features[0].value.node
    assert found == term.node(domain)
