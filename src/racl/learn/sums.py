"""One pass over rows: for each persona the loss, its gradient and its Hessian, to be added up wherever rows are kept.

A row counts by the best of its states: z . phi is the log odds of its acceptance, z being the features of that state,
1 for the intercept and the threshold (with the traded-off cost) less, all standardised. Every step of a fit is one such
pass; sums of several stretches of rows, on whatever machine, are the sums of all of them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from racl.engines.compiled import Argument, compiled
from racl.learn.standard import Standard
from racl.learn.sums_source import FEW, MANY, MOST, Layout, source
from racl.options import states_of

Floats = NDArray[np.float64]

STRETCH = 1 << 16  # rows of one partial sum: fixed, so that the sums do not depend on the number of threads
COMPILE_AT = 400_000  # states times columns from which compiling pays


@dataclass(frozen=True, eq=False)
class Sums:
    """What a pass finds for each of G groups and q coefficients."""

    loss: Floats  # (G,)
    gradient: Floats  # (G, q)
    hessian: Floats  # (G, q, q)

    def __add__(self, other: Sums) -> Sums:
        return Sums(self.loss + other.loss, self.gradient + other.gradient, self.hessian + other.hessian)

    def put(self, groups: NDArray[np.bool_], other: Sums) -> Sums:
        """The same, some groups from elsewhere."""
        loss = np.where(groups, other.loss, self.loss)
        gradient = np.where(groups[:, None], other.gradient, self.gradient)
        return Sums(loss, gradient, np.where(groups[:, None, None], other.hessian, self.hessian))


@dataclass(frozen=True, eq=False)
class Stretch:
    """Rows whose states are admissible and known: the unit that sums are made of."""

    start: NDArray[np.int64]  # (n + 1,) the states of row i are those from start[i] up to start[i + 1]
    features: Floats  # (m, p)
    charge: Floats  # (m,) what the state's cost takes off its value
    threshold: Floats  # (n,)
    group: NDArray[np.int64]  # (n,) whose coefficients judge the row
    accepted: NDArray[np.uint8]  # (n,)
    weight: Floats  # (n,)

    def __len__(self) -> int:
        return len(self.threshold)

    def pooled(self) -> Stretch:
        """The same rows, all judged by one set of coefficients."""
        return replace(self, group=np.zeros(len(self), np.int64))

    def part(self, first: int, last: int) -> Stretch:
        """The same memory, from one row to another."""
        low, high = self.start[first], self.start[last]
        rows = slice(first, last)
        return Stretch(
            self.start[first : last + 1] - low,
            self.features[low:high],
            self.charge[low:high],
            self.threshold[rows],
            self.group[rows],
            self.accepted[rows],
            self.weight[rows],
        )

    def take(self, rows: NDArray[np.intp]) -> Stretch:
        """Some of the rows, in the order given."""
        start, states = states_of(self.start, rows)
        return Stretch(
            start,
            self.features[states],
            self.charge[states],
            self.threshold[rows],
            self.group[rows],
            self.accepted[rows],
            self.weight[rows],
        )

    def parts(self, rows: int = STRETCH) -> Iterator[Stretch]:
        """The rows in parts of so many."""
        for first in range(0, len(self), rows):
            yield self.part(first, min(first + rows, len(self)))


Pass = Callable[[Stretch, Floats, Standard], Sums]


def plain(rows: Stretch, phi: Floats, standard: Standard) -> Sums:
    """The definition of the sums, through NumPy."""
    columns = standard.columns(rows.features, rows.threshold[row_of(rows)] + rows.charge)
    judge = rows.group[row_of(rows)]
    odds = columns @ phi[0] if len(phi) == 1 else np.einsum("ij,ij->i", columns, phi[judge])
    some = np.flatnonzero(np.diff(rows.start))
    top = np.maximum.reduceat(odds, rows.start[some]) if len(some) else np.empty(0)
    reached = np.flatnonzero(odds == np.repeat(top, np.diff(rows.start)[some]))
    first = np.unique(row_of(rows)[reached], return_index=True)[1]
    best = columns[reached[first]]
    return summed(best, top, rows, some, phi.shape)


def summed(best: Floats, top: Floats, rows: Stretch, some: NDArray[np.intp], shape: tuple[int, ...]) -> Sums:
    """Loss, gradient and Hessian of rows judged by one state each."""
    accepted, weight, group = rows.accepted[some], rows.weight[some], rows.group[some]
    agreed = np.where(accepted, top, -top)
    small = np.exp(-np.abs(top))
    loss = weight * (np.log1p(small) + np.where(agreed > 0, 0.0, -agreed))
    probability = np.where(top > 0, 1.0, small) / (1.0 + small)
    slope, bend = weight * (probability - accepted), weight * small / (1.0 + small) ** 2
    groups, q = shape
    gradient, hessian = np.zeros((groups, q)), np.zeros((groups, q, q))
    order = np.argsort(group, kind="stable")
    first = np.searchsorted(group[order], np.arange(groups + 1))
    best, bent, slope = best[order], best[order] * bend[order, None], slope[order]
    for one in np.flatnonzero(np.diff(first)):
        of = slice(first[one], first[one + 1])
        gradient[one] = slope[of] @ best[of]
        hessian[one] = bent[of].T @ best[of]
    return Sums(totals(group, loss, groups), gradient, hessian)


def totals(group: NDArray[np.int64], amounts: Floats, groups: int) -> Floats:
    """(G,) what the rows of each group come to together."""
    return np.asarray(np.bincount(group, amounts, minlength=groups), np.float64)


def row_of(rows: Stretch) -> NDArray[np.intp]:
    """(m,) the row of each state."""
    return np.repeat(np.arange(len(rows)), np.diff(rows.start))


# the compiled pass -----------------------------------------------------------------------------------

ARRAYS = ("int64", "float64", "float64", "float64", "int64", "uint8", "float64")  # of a stretch
SCRATCH = (*("float64",) * 3, "int64", *("float64",) * 3)  # batches, how many rows they have, and work on one
ARGUMENTS: tuple[Argument, ...] = (
    *(("int64", False) for _ in range(3)),
    *((type_, True) for type_ in (*ARRAYS, *("float64",) * 3, *SCRATCH, *("float64",) * 3)),
)


@lru_cache(maxsize=64)
def fused(p: int, layout: Layout = FEW) -> Pass:
    """The same sums by machine code for p features."""
    function = compiled(source(p, layout), ARGUMENTS)
    q, batch = p + 2, layout.batch

    def run(rows: Stretch, phi: Floats, standard: Standard) -> Sums:
        groups = len(phi)
        given = [
            rows.start,
            rows.features,
            rows.charge,
            rows.threshold,
            rows.group,
            rows.accepted,
            rows.weight,
        ]
        types = [*ARRAYS, *("float64",) * 3]
        judged = zip([*given, phi, standard.center, standard.scale], types, strict=True)
        held: list[NDArray[Any]] = [np.require(array, type_, ["C", "A"]) for array, type_ in judged]
        batches = [np.zeros((groups, *shape, batch)) for shape in ((q,), (), ())]
        held += [*batches, np.zeros(groups, np.int64), *np.zeros((3, batch))]
        found = [np.zeros((groups, *shape)) for shape in ((batch,), (q, batch), (q, q, layout.lanes))]
        address = [array.__array_interface__["data"][0] for array in (*held, *found)]
        function(len(rows), len(rows.features), groups, *address)
        loss, gradient, lower = (array.sum(axis=-1) for array in found)
        return Sums(loss, gradient, lower + np.tril(lower, -1).transpose(0, 2, 1))

    return run


def compiled_pass(p: int) -> Pass:
    """The compiled pass, laid out for as many groups as there turn out to be."""

    def run(rows: Stretch, phi: Floats, standard: Standard) -> Sums:
        return laid_out(p, FEW if len(phi) <= MOST else MANY)(rows, phi, standard)

    return run


def laid_out(p: int, layout: Layout) -> Pass:
    """The compiled pass, or NumPy's where there is no compiler."""
    try:
        return fused(p, layout)
    except Exception:  # noqa: BLE001 - whatever the compiler raises, the sums are to be had without it
        return plain


# sources ---------------------------------------------------------------------------------------------

Source = Callable[[Floats], Sums]  # from coefficients (G, q) to the sums of all rows


def in_memory(
    rows: Stretch, standard: Standard, *, threads: int | None = None, compiling: bool = True
) -> Source:
    """The sums of rows in memory, stretch by stretch, on several threads where that pays."""
    large = compiling and rows.features.size >= COMPILE_AT
    run = compiled_pass(rows.features.shape[1]) if large else plain
    count = (threads or os.cpu_count() or 1) if large and len(rows) > STRETCH else 1

    def sums(phi: Floats) -> Sums:
        if count == 1:
            return added((run(part, phi, standard) for part in rows.parts()), phi)
        with ThreadPoolExecutor(count) as pool:
            return added(pool.map(lambda part: run(part, phi, standard), rows.parts()), phi)

    return sums


def added(parts: Iterable[Sums], phi: Floats) -> Sums:
    """The sums of all parts, in their order."""
    groups, q = phi.shape
    return reduce(
        Sums.__add__, parts, Sums(np.zeros(groups), np.zeros((groups, q)), np.zeros((groups, q, q)))
    )
