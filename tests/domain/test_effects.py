"""What a repair can change, and what to warn of."""

from __future__ import annotations

from hypothesis import given

from racl import Model
from racl.documents import read_toml
from racl.domain.effects import Effect, Through, effects, effects_document, plans_per_row, through
from racl.domain.files import domain_of, parse_domain
from racl.domain.model import Domain
from racl.domain.warn import warnings
from racl.semantics import End, Refused, State, ends, number, read_row, truth
from strategies.drawn import decided
from strategies.rows import Row

SHOP = """\
racl = 1
name = "shop"

[candidate]
width  = "number"
height = "number"
price  = "number"
gift   = "boolean"

[requirements]
fits = "width <= 10"
tall = "height >= 2"

[features]
cheap = "-price"

[repairs.trim]
applies = "width > 10"
sets    = { width = "width - 1" }

[repairs.turn]
applies = "width > height"
sets    = { width = "height", height = "width" }

[repairs.wrap]
sets = { gift = "true" }
cost = "price / 10"

[repairs.haggle]
sets = { price = "price - 5 if gift else price", gift = "gift" }

[rule]
budget    = 10
threshold = 0
steps     = 1
"""


def shop(steps: int = 1, more: str = "") -> Domain:
    return parse_domain(SHOP.replace("steps     = 1", f"steps = {steps}") + more)


def effect(domain: Domain, repair: str) -> Effect:
    return next(one for one in effects(domain) if one.repair == repair)


def after(domain: Domain, repair: str) -> list[Through]:
    return list(through(domain, next(one for one in domain.repairs if one.name == repair)))


def test_a_repair_can_change_what_reads_a_column_that_it_sets() -> None:
    assert effects(shop()) == (
        Effect("trim", ("width",), ("fits",), ()),
        Effect("turn", ("width", "height"), ("fits", "tall"), ()),
        Effect("wrap", ("gift",), (), ()),
        Effect("haggle", ("price",), (), ("cheap",)),
    )


def test_with_more_steps_a_repair_can_change_what_later_ones_do() -> None:
    domain = shop(steps=2)
    assert after(domain, "trim") == [Through("turn", ("width",))]
    assert effect(domain, "trim") == Effect("trim", ("width",), ("fits",), (), ("tall",), ())
    assert after(domain, "wrap") == [Through("haggle", ("gift",))]
    assert effect(domain, "wrap").further_features == ("cheap",)
    assert after(domain, "haggle") == [Through("wrap", ("price",))]


def test_with_one_step_nothing_comes_after() -> None:
    assert after(shop(), "trim") == []


def test_reach_ends_with_the_steps() -> None:
    chain = SHOP.replace(
        "[repairs.trim]", '[repairs.ask]\nsets = { gift = "true" }\ncost = 1\n\n[repairs.trim]'
    ).replace('"width > 10"', '"width > 10 and price > 3"')
    reached = {
        steps: effect(parse_domain(chain.replace("steps     = 1", f"steps = {steps}")), "ask")
        for steps in (2, 3)
    }
    assert reached[2].further_requirements == ()  # ask, haggle
    assert reached[3].further_requirements == ("fits",)  # ask, haggle, trim


def test_setting_a_column_to_itself_is_no_change() -> None:
    assert effect(shop(), "haggle").columns == ("price",)


def test_the_document_tells_from_both_sides() -> None:
    document = effects_document(shop(steps=2))
    assert document["plans"] == plans_per_row(shop(steps=2)) == 1 + 4 + 4 * 3
    assert document["requirements"] == {
        "fits": {"repairs": ["trim", "turn"], "further_repairs": []},
        "tall": {"repairs": ["turn"], "further_repairs": ["trim"]},
    }
    assert document["features"] == {"cheap": {"repairs": ["haggle"], "further_repairs": ["wrap"]}}


def seen(domain: Domain, state: State) -> tuple[dict[str, bool], dict[str, str]]:
    """Which requirements hold, and the bits of each feature."""
    holds = {one.name: truth(one.holds, state) for one in domain.requirements}
    return holds, {one.name: number(one.value, state).hex() for one in domain.features}


@given(decided())
def test_nothing_changes_that_is_not_among_the_effects(drawn: tuple[Model, list[Row]]) -> None:
    model, rows = drawn
    domain = model.domain
    found = effects(domain)
    for row in rows:
        state = read_row(domain, model.taste, row)
        if isinstance(state, Refused):
            continue
        reached = {end.steps: seen(domain, end.state) for end in ends(domain, End((), state, 0.0))}
        for steps, (holds, features) in reached.items():
            if not steps or steps[1:] not in reached:
                continue
            first, without = found[steps[0] - 1], reached[steps[1:]]
            changed = {name for name in holds if holds[name] != without[0][name]}
            assert changed <= {*first.requirements, *first.further_requirements}
            changed = {name for name in features if features[name] != without[1][name]}
            assert changed <= {*first.features, *first.further_features}


# warnings


def warned(text: str) -> list[str]:
    document = read_toml(text, "shop.toml")
    return [str(problem) for problem in warnings(domain_of(document), document)]


def test_a_repair_to_no_effect_is_warned_of_unless_a_later_one_gives_it_one() -> None:
    (only,) = warned(SHOP)
    assert only.startswith(
        "shop.toml:25: repairs.wrap: the repair `wrap` can change no requirement and no feature ("
    )
    assert warned(SHOP.replace("steps     = 1", "steps = 2")) == []


def test_columns_that_nothing_reads_are_warned_of() -> None:
    assert warned(
        SHOP.replace("[requirements]", 'colour = "boolean"\n\n[context]\nhour = "number"\n\n[requirements]')
    )[:2] == [
        "shop.toml:10: candidate.colour: nothing reads the column `colour` (rows need not have it)",
        "shop.toml:13: context.hour: nothing reads the column `hour` (rows need not have it)",
    ]


def test_requirements_that_no_repair_can_change_are_warned_of_with_the_reason() -> None:
    more = '[context]\nhour = "number"\n\n[requirements]\nopen = "hour < 18"\nnever = "1 > 2"\npaid = "price > 0"'
    text = SHOP.replace("[requirements]", more).replace("price - 5 if gift else price", "price")
    assert [line.partition(": requirements.")[2] for line in warned(text)[:3]] == [
        "open: no repair can change the requirement `open` (it reads [context] alone, which no repair sets)",
        "never: no repair can change the requirement `never` (it reads no column)",
        "paid: no repair can change the requirement `paid` (no repair sets a column that it reads)",
    ]


def test_a_domain_without_repairs_is_warned_of_once() -> None:
    text = SHOP[: SHOP.index("[repairs.trim]")] + SHOP[SHOP.index("[rule]") :]
    assert [line for line in warned(text) if "repair" in line] == [
        "shop.toml:10: requirements: there are no repairs: what violates a requirement is always rejected"
    ]


def test_a_menu_too_large_to_try_is_warned_of() -> None:
    menu = "\n".join(f'[repairs.r{number}]\nsets = {{ width = "{number}" }}' for number in range(33))
    text = SHOP.replace("[rule]", menu + "\n\n[rule]").replace("steps     = 1", "steps = 4")
    assert warned(text)[-1].endswith(
        "rule.steps: there are 1,633,070 plans to try on each row (37 repairs in up to 4 steps; take fewer)"
    )
    assert "plans" not in "".join(warned(text.replace("steps = 4", "steps = 3")))
