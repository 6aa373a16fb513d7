"""Blocks on threads: each row once, faults told, nothing begun after a fault, children of a fork not stuck."""

from __future__ import annotations

import multiprocessing
import sys
import threading
import time

import numpy as np
import pytest

from racl.threads import run_blocks


def times(rows: int, workers: int, size: int) -> list[int]:
    """How often each row is run."""
    seen = np.zeros(rows, np.int64)

    def run(start: int, stop: int) -> None:
        seen[start:stop] += 1

    run_blocks(run, rows, workers=workers, size=size)
    return [int(one) for one in seen]


@pytest.mark.parametrize("workers", [1, 2, 5])
@pytest.mark.parametrize("size", [1, 3, 7, 100])
@pytest.mark.parametrize("rows", [0, 1, 7, 50])
def test_every_row_is_run_once(rows: int, workers: int, size: int) -> None:
    assert times(rows, workers, size) == [1] * rows


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_a_fault_in_any_block_is_told_and_no_block_is_begun_after_it(workers: int) -> None:
    begun = []

    def run(start: int, stop: int) -> None:
        begun.append(start)
        if start == 4:
            raise ValueError("block 4")
        time.sleep(0.002)

    with pytest.raises(ValueError, match="block 4"):
        run_blocks(run, 1000, workers=workers, size=1)
    assert len(begun) < 4 + 3 * workers
    before = len(begun)
    time.sleep(0.02)
    assert len(begun) == before


def test_several_threads_work_at_the_same_time() -> None:
    together = threading.Barrier(2, timeout=20)

    def run(start: int, stop: int) -> None:
        together.wait()

    run_blocks(run, 2, workers=2, size=1)


def in_a_child() -> None:
    assert times(10, 2, 1) == [1] * 10


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot be forked here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_forked_after_threads_were_used_has_threads_of_its_own() -> None:
    times(10, 2, 1)
    child = multiprocessing.get_context("fork").Process(target=in_a_child)
    child.start()
    child.join(30)
    assert child.exitcode == 0
