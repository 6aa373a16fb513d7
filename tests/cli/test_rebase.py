"""`racl rebase`: what may change under the same weights, what may not, and what is said of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import racl as package
from cli.air import AIR, PREFERENCE, Racl
from racl.rebase import rebase

BAG = '"has_bag or not needs_bag"'
CHANGES = [
    ('"35 + 5 * stops"', '"40"', ["~ repairs.add_bag.cost: 35 + 5 * stops -> 40"]),
    ('"35 + 5 * stops"', '"35+(5*stops)"', ["nothing that decides has changed"]),
    ('"Add a bag"', '"Add a checked bag"', ["nothing that decides has changed"]),
    (BAG, '"has_bag"', ["~ requirements.bag: has_bag or not needs_bag -> has_bag"]),
    ("[features]", 'cheap = "fare <= 500"\n\n[features]', ["+ requirements.cheap"]),
    ("add_bag]", "more_bags]", ["+ repairs.more_bags", "- repairs.add_bag"]),
    ('"fare + 35" }', '"fare + 35", stops = "0" }', ["~ repairs.add_bag.sets.stops: nothing -> 0"]),
    ("max = 4", "max = 3", ["~ candidate.stops.max: 4 -> 3"]),
    ('["AA", "UA"]', '["AA", "UA", "B6"]', ["~ candidate.carrier.values: 'AA', 'UA' -> 'AA', 'B6', 'UA'"]),
    ('["AA", "UA"]', '["UA", "AA"]', ["nothing that decides has changed"]),
    ("default = false", "default = true", ["~ context.needs_bag.default: False -> True"]),
    ("[repairs", "[rule]\nsteps = 2\ntradeoff = 0.5\n\n[repairs",
     ["~ rule.tradeoff: 0 -> 0.5", "~ rule.steps: 1 -> 2"]),
    ("[context]", 'seat = "boolean"\n\n[context]', ["+ candidate.seat"]),
    ('name = "air"', 'name = "air-2"', ["~ name: air -> air-2"]),
    ('price   = "fare / 100"\nnonstop = "stops == 0"', 'nonstop = "stops == 0"\nprice   = "fare / 100"',
     ["~ the order of features: price, nonstop, aa -> nonstop, price, aa"]),
    ('["business", "leisure"]', '["leisure", "business"]', ["nothing that decides has changed"]),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "said"), CHANGES)
def test_what_changed_is_said_and_the_weights_stay(
    old: str, new: str, said: list[str], racl: Racl, air: Path
) -> None:
    (air / "new.toml").write_text(AIR.replace(old, new), "utf-8")
    done = racl("rebase", "air.json", "new.toml", "-o", "new.json")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == said
    found = json.loads((air / "new.json").read_text("utf-8"))["preference"]
    assert found == PREFERENCE
    package.load_model("new.json")


REFUSED = [
    ('aa      = "carrier == \'AA\'"', "", ["features: the feature `aa` of the model is gone"]),
    ("[features]", '[features]\ncheap = "fare <= 100"',
     ["features.cheap: the model has no weights for the feature `cheap` (write a model for this domain: weights cannot be carried over)"]),  # noqa: E501
    ("price  ", "prices ", ["features.prices: the model has no weights for the feature `prices` (did you mean",
                            "features: the feature `price` of the model is gone (did you mean `prices`?)"]),
    ('"business", ', "", ["rule.persona: the persona `business` of the model is gone"]),
    ('"leisure"]', '"leisure", "family"]',
     ["rule.persona: the model has no weights for the persona `family`"]),
    ("persona   =", "who =", ["rule.persona: the model has no weights for the persona `all`"]),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "said"), REFUSED)
@pytest.mark.parametrize("force", [[], ["--force"]])
def test_other_features_or_personas_are_refused_even_by_force(
    force: list[str], old: str, new: str, said: list[str], racl: Racl, air: Path
) -> None:
    (air / "new.toml").write_text(AIR.replace(old, new, 1), "utf-8")
    done = racl("rebase", "air.json", "new.toml", "-o", "new.json", *force)
    assert (done.code, done.out) == (2, "")
    for line in said:
        assert line in done.err
    assert not (air / "new.json").exists()


ALTERED = [
    ('"fare / 100"', '"fare / 500"', "features.price: the feature was `fare / 100` and is another now"),
    ('unit = "USD"', 'unit = "EUR"', "features.price: the feature reads `fare`, the unit of which was `USD`"),
    ('stops   = { type = "integer", min = 0, max = 4 }', 'stops   = "boolean"',
     "features.nonstop: the feature reads `stops`, which was integer and is boolean"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "said"), ALTERED)
def test_a_feature_that_means_something_else_is_refused_but_by_force(
    old: str, new: str, said: str, racl: Racl, air: Path
) -> None:
    (air / "new.toml").write_text(AIR.replace(old, new), "utf-8")
    done = racl("rebase", "air.json", "new.toml", "-o", "new.json")
    assert (done.code, done.out, (air / "new.json").exists()) == (2, "", False)
    assert done.err.startswith("new.toml:")
    assert said in done.err
    assert "`--force` keeps them" in done.err
    assert racl("rebase", "air.json", "new.toml", "-o", "new.json", "--force").code == 0


def test_weights_go_with_their_features_when_the_order_changes(racl: Racl, air: Path) -> None:
    text = AIR.replace('price   = "fare / 100"\n', "").replace("[repairs", 'price = "fare / 100"\n\n[repairs')
    (air / "new.toml").write_text(text, "utf-8")
    assert racl("rebase", "air.json", "new.toml", "-o", "new.json").code == 0
    assert package.load_model("new.json").taste.personas["leisure"].weights == (1.0, 0.0, -2.5)


def test_how_the_model_was_learned_stays_with_what_changed_since(racl: Racl, air: Path) -> None:
    model = json.loads((air / "air.json").read_text("utf-8"))
    (air / "air.json").write_text(json.dumps({**model, "fit": {"learner": "latent"}}), "utf-8")
    for cost in ("40", "45"):
        (air / "air.toml").write_text(AIR.replace('"35 + 5 * stops"', f'"{cost}"'), "utf-8")
        done = racl("rebase", "air.json", "air.toml", "-o", "air.json")
        assert done.err == "air.json: what `fit` says was measured before these changes\n"
    assert json.loads((air / "air.json").read_text("utf-8"))["fit"] == {
        "learner": "latent",
        "rebased": [
            ["~ repairs.add_bag.cost: 35 + 5 * stops -> 40"],
            ["~ repairs.add_bag.cost: 40 -> 45"],
        ],
    }


def test_faults_of_the_new_domain_are_said_with_their_places(racl: Racl, air: Path) -> None:
    (air / "new.toml").write_text(AIR.replace('"35 + 5 * stops"', '"35 + 5 * stpos"'), "utf-8")
    done = racl("rebase", "air.json", "new.toml", "-o", "new.json")
    assert (done.code, (air / "new.json").exists()) == (2, False)
    assert done.err.startswith("new.toml:28: repairs.add_bag.cost: unknown name `stpos`")


def test_a_model_on_its_own_domain_is_the_same_model(air: Path) -> None:
    model = package.load_model("air.json")
    found, changes = rebase(model, package.load_domain("air.toml"))
    assert (found, changes) == (model, ())


def test_the_domain_that_is_read_is_never_written_over(racl: Racl, air: Path) -> None:
    before = (air / "air.toml").read_text("utf-8")
    done = racl("rebase", "air.json", "air.toml", "-o", "air.toml")
    assert (done.code, done.err) == (2, "air.toml: is the file that is read (write to another file)\n")
    assert (air / "air.toml").read_text("utf-8") == before
