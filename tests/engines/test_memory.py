"""Memory for decisions is lent again once nothing lies on it, and never before."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import numpy as np
import pytest

from racl.engines import memory
from racl.engines.memory import KEPT, LEAST, SPARE, lent


@pytest.fixture(autouse=True)
def nothing_spare() -> Iterator[None]:
    gc.collect()
    SPARE.clear()
    yield
    SPARE.clear()


def address(array: memory.Bytes) -> int:
    """Where an array begins."""
    return int(array.__array_interface__["data"][0])


def test_a_piece_is_lent_again_once_its_last_view_is_gone() -> None:
    piece = lent(LEAST)
    part, place = piece[8:16].view(np.float64), address(piece)
    del piece
    assert address(lent(LEAST)) != place  # a part of it is still looked at
    SPARE.clear()
    del part
    assert address(lent(LEAST)) == place


def test_what_is_asked_for_is_what_is_given_even_from_a_larger_piece() -> None:
    del_ = lent(LEAST + 1000)
    del del_
    assert len(SPARE) == 1
    assert len(lent(LEAST)) == LEAST


def test_a_small_wish_never_holds_a_large_piece() -> None:
    lent(4 * LEAST)
    assert len(SPARE) == 1
    piece = lent(LEAST)
    assert len(SPARE) == 1
    assert len(piece) == LEAST


def test_what_waits_stays_within_the_limit_and_the_longest_unused_goes_first() -> None:
    third = KEPT // 3 + 1
    pieces = [lent(third + place) for place in range(3)]
    wanted = [third + 1, third + 2]
    while pieces:
        del pieces[0]
    assert [len(piece) for _, piece in SPARE] == wanted


def test_a_piece_beyond_the_limit_is_not_kept() -> None:
    lent(KEPT + 1)
    assert SPARE == []


@pytest.mark.parametrize("wish", [1, LEAST])
def test_a_piece_that_nobody_wants_for_long_is_let_go_at_the_next_wish(
    wish: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    lent(4 * LEAST)
    monkeypatch.setattr(memory, "LONG", -1.0)
    piece = lent(wish)
    assert SPARE == []
    del piece
