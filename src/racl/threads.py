"""Blocks of rows, on several threads."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from threading import Lock

Block = Callable[[int, int], None]


def available() -> int:
    """How many threads can run at the same time."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_blocks(run: Block, rows: int, *, workers: int, size: int) -> None:
    """Every block of rows, on as many threads, of which the caller's is one."""
    size = max(1, min(size, -(-rows // workers)))
    starts, taking = iter(range(0, rows, size)), Lock()

    def take() -> int | None:
        with taking:
            return next(starts, None)

    def work() -> None:
        try:
            while (start := take()) is not None:
                run(start, min(start + size, rows))
        except BaseException:
            with taking:
                deque(starts, maxlen=0)  # nobody begins another block
            raise

    helping = min(workers, -(-rows // size)) - 1
    tasks = [helpers(workers - 1).submit(work) for _ in range(helping)]
    try:
        work()
    finally:
        wait([task for task in tasks if not task.cancel()])
    for task in tasks:
        if not task.cancelled():
            task.result()


@cache
def helpers(threads: int) -> ThreadPoolExecutor:
    """So many threads that wait for work; they are asked for again, as starting them takes longer than a small block."""
    return ThreadPoolExecutor(threads, thread_name_prefix="racl")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=helpers.cache_clear)  # no thread of the parent lives on in a child
