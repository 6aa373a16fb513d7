"""The kernel of a one-step domain is vector code, and adds nothing up in another order."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from nasty.air import AIR
from racl import Model, load_model
from racl.domain.files import parse_domain
from racl.engines import compiled
from racl.engines.kernel import arguments, kernel_text
from racl.semantics import Preference, Taste

pytestmark = pytest.mark.kernel

EXAMPLES = Path(__file__).parents[2] / "examples"
LIBERTIES = r"\b(?:fast|nnan|ninf|nsz|arcp|contract|afn|reassoc)\b"
PERSONAS = ", ".join(f'"p{n}"' for n in range(12))

VARIANTS = {
    "best": AIR,
    "cheapest": AIR + '[rule]\nchoose = "cheapest"\n',
    "with a trade-off": AIR + "[rule]\ntradeoff = 0.5\n",
    "with many personas": AIR.replace('["business", "leisure"]', f"[{PERSONAS}]"),
}


def model_of(text: str) -> Model:
    domain = parse_domain(text)
    preference = Preference(1.0, (-1.0, 0.5, 0.25))
    return Model(domain, Taste(dict.fromkeys(domain.personas, preference)))


@cache
def assembly(variant: str) -> str:
    """LLVM's own assembly of the kernel, optimised."""
    model = (
        load_model(EXAMPLES / "airline/model.json") if variant == "airline" else model_of(VARIANTS[variant])
    )
    text = kernel_text(model.program, other=False, tame=False)
    return str(compiled.optimised(text, arguments(model.program)))


variants = pytest.mark.parametrize("variant", [*VARIANTS, "airline"])


@cache
def loop(variant: str) -> str:
    """The body of the loop over several rows at a time."""
    bodies = re.findall(r"^vector\.body:.*?(?=^\S+:|^})", assembly(variant), flags=re.MULTILINE | re.DOTALL)
    assert len(bodies) == 1
    return str(bodies[0])


@variants
def test_the_loop_is_vector_code(variant: str) -> None:
    for instruction in ("fadd", "fmul", "fcmp", "select", "store"):
        assert re.search(rf"\b{instruction}\b.*<\d+ x \w+>", loop(variant)), instruction
    assert re.findall(r"= f(?:add|sub|mul|div|cmp \w+) double", loop(variant)) == []


@variants
def test_no_instruction_may_take_liberties_with_arithmetic(variant: str) -> None:
    operations = re.findall(r"= f(?:add|sub|mul|div|cmp|neg|rem)\b.*", assembly(variant))
    assert operations
    assert [line for line in operations if re.search(LIBERTIES, line)] == []
    assert "llvm.fma" not in assembly(variant)


@variants
def test_the_loop_calls_nothing_and_does_not_branch(variant: str) -> None:
    called = re.findall(r"call [^\n]*?@([\w.]+)\(", loop(variant))
    assert [name for name in called if not name.startswith("llvm.")] == []
    assert len(re.findall(r"^\s+br ", loop(variant), flags=re.MULTILINE)) == 1  # back to its beginning


def test_the_text_of_the_kernel_holds_nothing_that_a_user_wrote() -> None:
    words = [f"user{n}" for n in range(30)]
    text, counter = AIR, iter(words)
    for name in ("fare", "stops", "layover", "has_bag", "refundable", "carrier", "persona", "needs_bag"):
        text = re.sub(rf"\b{name}\b", next(counter), text)
    for name in (
        "bag",
        "connection",
        "price",
        "nonstop",
        "aa",
        "add_bag",
        "make_refundable",
        "AA",
        "UA",
        "WN",
        "business",
        "leisure",
    ):
        text = re.sub(rf"(?<![\w.]){name}\b", next(counter), text)
    text = text.replace("[repairs.add_bag]", "[repairs.user50]").replace(
        "[repairs.make_refundable]", "[repairs.user51]"
    )
    text += '[rule]\npersona = "user6"\n'
    assert "user" not in kernel_text(model_of(text).program, other=False, tame=False)
