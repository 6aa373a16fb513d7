"""The generators as strategies of hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

from racl import Model
from racl.expr.nodes import Node
from racl.expr.types import BOOLEAN, NUMBER, Kind, Sort
from strategies.chance import Chance, Drawn
from strategies.domains import Document, Shape, any_model, domain_document
from strategies.expressions import Grower, any_sort
from strategies.rows import Row, any_rows

SMALL = Shape(columns=4, repairs=4, depth=3)
SORTS = {
    "fare": NUMBER,
    "stops": NUMBER,
    "has_bag": BOOLEAN,
    "carrier": Sort(Kind.CATEGORY, ("AA", "UA", "O'Hare")),
    "home": Sort(Kind.CATEGORY, ("UA", "DL", "ä\n€")),
}


@st.composite
def chances(draw: st.DrawFn) -> Chance:
    """Choices, as the test goes on."""
    return Drawn(draw)


@st.composite
def documents(draw: st.DrawFn, shape: Shape = SMALL) -> Document:
    """Domains as a file holds them."""
    return domain_document(Drawn(draw), shape)


@st.composite
def models(draw: st.DrawFn, shape: Shape = SMALL) -> Model:
    """Models, read by the real reader."""
    return any_model(Drawn(draw), shape)


@st.composite
def decided(draw: st.DrawFn, shape: Shape = SMALL, rows: int = 6) -> tuple[Model, list[Row]]:
    """A model and rows for it."""
    chance = Drawn(draw)
    model = any_model(chance, shape)
    return model, any_rows(chance, model, chance.integer(1, rows))


@st.composite
def trees(draw: st.DrawFn, depth: int = 4) -> Node:
    """Trees of every sort over SORTS."""
    chance = Drawn(draw)
    return Grower(chance, SORTS, wild=True).of(any_sort(chance, SORTS), chance.integer(0, depth))
