"""Every way in which a domain file can be wrong: what is said, where, and with which hint."""

from __future__ import annotations

import pytest

from domain_check.faults import APPLIES, BAG, COST, FAULTS, LAYOVER, PRICE, RULES, SETS
from nasty.air import AIR, air, refused, said, spoiled
from racl.domain.files import parse_domain
from racl.domain.model import Choose, Column, Type
from racl.expr.nodes import Number
from racl.expr.show import show


@pytest.mark.parametrize(
    ("old", "new", "fault"), FAULTS, ids=[f"{n}: {fault[:40]}" for n, (_, _, fault) in enumerate(FAULTS)]
)
def test_a_fault_is_named_with_its_place_and_a_hint(old: str, new: str, fault: str) -> None:
    first, *others = said(refused(spoiled(old, new)))
    assert first.split(": ", 1)[1] == fault
    assert first.startswith("air.toml:")
    assert not others  # what only follows from it is not said


@pytest.mark.parametrize(("key", "fault"), RULES)
def test_a_fault_of_the_rule_is_named_with_its_place_and_a_hint(key: str, fault: str) -> None:
    (line,) = said(refused(f"{AIR}[rule]\n{key}\n"))
    assert line == f"air.toml:{AIR.count(chr(10)) + 2}: {fault}"


@pytest.mark.parametrize("section", ["candidate", "requirements", "features"])
def test_a_section_that_must_be_there_is_missed_and_may_not_be_empty(section: str) -> None:
    without = "\n".join(part for part in AIR.split("\n\n") if f"[{section}]" not in part)
    assert any(
        f": {section}: the section `[{section}]` is missing" in line for line in said(refused(without))
    )
    empty = f"{without}\n[{section}]\n"
    assert any(f": {section}: the section `[{section}]` is empty" in line for line in said(refused(empty)))


@pytest.mark.parametrize("bar", ["budget", "threshold"])
def test_a_bar_must_come_from_somewhere(bar: str) -> None:
    without = "\n".join(line for line in AIR.splitlines() if not line.startswith(bar))
    (line,) = said(refused(without))
    assert line.endswith(
        f'rule.{bar}: there is no {bar} (declare `{bar} = "number"` in [context], or say it in [rule])'
    )
    assert isinstance(getattr(parse_domain(f"{without}\n[rule]\n{bar} = 3\n").rule, bar).node, Number)


def test_every_fault_is_found_in_one_run() -> None:
    text, spoilt = AIR, 0
    for old, new, _ in (FAULTS[5], FAULTS[7], FAULTS[28], FAULTS[33], FAULTS[39], FAULTS[45], FAULTS[46]):
        if text.count(old) == 1:
            text, spoilt = spoiled(old, new, text), spoilt + 1
    assert len(refused(text)) == spoilt >= 6


def test_faults_come_in_the_order_of_the_file() -> None:
    text = spoiled(COST, "cost = -3", spoiled(BAG, "bag = 3", spoiled("racl = 1\n", "racl = 2\n")))
    lines = [problem.line for problem in refused(text)]
    assert lines == sorted(lines)
    assert len(lines) == 3


# what is right ------------------------------------------------------------------------------------


def test_a_domain_holds_what_its_file_says() -> None:
    domain = air()
    assert domain.column("fare") == Column("fare", Type.NUMBER, min=0.0, unit="USD")
    assert domain.column("stops") == Column("stops", Type.INTEGER, min=0.0, max=4.0)
    assert domain.column("layover").default == 0.0
    assert domain.column("budget").context
    assert [repair.name for repair in domain.repairs] == ["add_bag", "make_refundable"]
    assert domain.repairs[0].title == "Add a checked bag"
    assert domain.repairs[1].title == "make_refundable"
    assert [show(effect.node) for _, effect in domain.repairs[0].sets] == ["true", "fare + 35"]
    assert (domain.rule.persona, domain.rule.tradeoff, domain.rule.choose, domain.rule.steps) == (
        "persona",
        0.0,
        Choose.BEST,
        1,
    )
    assert domain.personas == ("business", "leisure")


def test_defaults_of_a_repair_and_of_the_rule() -> None:
    text = spoiled(APPLIES, "", spoiled(COST, ""))
    repair = parse_domain(text).repairs[1]
    assert (show(repair.applies.node), show(repair.cost.node)) == ("true", "0")
    without = spoiled('persona      = { type = "category", values = ["business", "leisure"] }\n', "")
    assert parse_domain(without).rule.persona is None
    assert parse_domain(without).personas == ("all",)


def test_a_column_persona_of_the_candidate_is_no_persona() -> None:
    persona = 'persona      = { type = "category", values = ["business", "leisure"] }\n'
    domain = parse_domain(spoiled("[context]", f"{persona}\n[context]", spoiled(persona, "")))
    assert domain.rule.persona is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (COST, "cost = 35"),
        (COST, "cost = 0.5"),
        (COST, "cost = true"),
        (COST, 'cost = "has_bag"'),
        (SETS, "sets = { refundable = true }"),
        (SETS, "sets = { fare = 12 }"),
        (SETS, "sets = { fare = -12.5 }"),
        (SETS, "sets = {}"),
        (SETS, 'sets = { fare = "has_bag" }'),
        (SETS, 'sets = { stops = "fare / 3" }'),
        (SETS, "sets = { carrier = \"'AA' if has_bag else carrier\" }"),
        (APPLIES, "applies = false"),
        (PRICE, "price = 3"),
        (PRICE, "price = false"),
        (BAG, "bag = true"),
        (LAYOVER, 'layover = { type = "number", default = 0, label = "Wait", description = "minutes" }'),
        (LAYOVER, 'layover = { type = "integer", default = 3.0, min = 3, max = 3 }'),
        ("[candidate]", 'label = "Tickets"\ndescription = "of one airline"\n[candidate]'),
    ],
)
def test_what_may_stand_in_a_file(old: str, new: str) -> None:
    parse_domain(spoiled(old, new))


@pytest.mark.parametrize("faults", [100, 150])
def test_a_misspelt_section_after_a_hundred_faults_is_one_more(faults: int) -> None:
    broken = "".join(f"x{n} = =\n" for n in range(faults))
    text = spoiled("[requirements]", f"[requirments]\n{broken}")
    problems = refused(text)
    assert len(problems) >= 100
    assert problems[-1].what == "and more"
