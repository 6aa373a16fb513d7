"""Columns brought to one scale, so that a penalty means the same for all of them; and coefficients brought back."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from racl.errors import DataError, Problem

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Standard:
    """What is taken off each feature and the threshold, and what the rest is multiplied with; p + 1 of each."""

    center: Floats
    scale: Floats

    def columns(self, features: Floats, bar: Floats) -> Floats:
        """(m, p + 2): features, 1, and the threshold turned about: what coefficients are for."""
        p = features.shape[1]
        table = np.ones((len(features), p + 2))
        table[:, :p] = (features - self.center[:p]) * self.scale[:p]
        table[:, p + 1] = (self.center[p] - bar) * self.scale[p]
        return table

    def back(self) -> Floats:
        """(p + 2, p + 2): the matrix that makes coefficients of plain columns (u, d, beta) of those of standard ones."""
        p = len(self.center) - 1
        matrix = np.diag(np.concatenate([self.scale[:p], [1.0], self.scale[p:]]))
        matrix[p, :p] = -self.center[:p] * self.scale[:p]
        matrix[p, p + 1] = self.center[p] * self.scale[p]
        return matrix

    def plain(self, phi: Floats) -> Floats:
        """(..., p + 2): u, d and beta, of standard coefficients."""
        return np.asarray(phi @ self.back().T)

    def standard(self, coefficients: Floats) -> Floats:
        """(..., p + 2): standard coefficients of u, d and beta; 0 for what does not vary."""
        p = len(self.center) - 1
        u, d, beta = coefficients[..., :p], coefficients[..., p], coefficients[..., p + 1]
        phi = np.zeros(coefficients.shape)
        np.divide(u, self.scale[:p], out=phi[..., :p], where=self.scale[:p] > 0)
        phi[..., p] = d + u @ self.center[:p] - beta * self.center[p]
        if self.scale[p] > 0:
            phi[..., p + 1] = beta / self.scale[p]
        return phi


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums of columns and of their squares, less a shift: they add up over stretches of rows that share it."""

    count: Floats  # (p + 1,)
    sum: Floats
    square: Floats
    shift: Floats

    def __add__(self, other: Moments) -> Moments:
        count, total = self.count + other.count, self.sum + other.sum
        return Moments(count, total, self.square + other.square, self.shift)


def moments(
    features: Floats,
    threshold: Floats,
    shift: Floats,
    weight: tuple[Floats, Floats] | None = None,
    *,
    threads: int | None = None,
) -> Moments:
    """The moments of the features of some states, and of the thresholds of some rows; each may count by a weight."""
    p = features.shape[1]
    states, rows = (None, None) if weight is None else weight
    count = np.full(p + 1, float(len(features)) if states is None else states.sum())
    count[p] = float(len(threshold)) if rows is None else rows.sum()
    of_states = added_up(features, shift[:p], states, threads)
    of_rows = added_up(threshold[:, None], shift[p:], rows, threads)
    total, square = (np.concatenate(pair) for pair in zip(of_states, of_rows, strict=True))
    return Moments(count, total, square, shift)


def added_up(
    table: Floats, shift: Floats, weight: Floats | None, threads: int | None
) -> tuple[Floats, Floats]:
    """(k,) the sums of the columns (n, k) less a shift, and of their squares, block by block in their order."""

    def part(start: int) -> Floats:
        block = slice(start, start + BLOCK)
        with np.errstate(over="ignore", invalid="ignore"):  # `check` tells
            columns = table[block] - shift
            weighted = columns if weight is None else columns * weight[block, None]
            ones = np.ones(len(columns))  # a product with them is the fastest sum of short rows
            return np.stack([ones @ weighted, ones @ (weighted * columns)])

    starts = range(0, len(table), BLOCK)
    workers = (threads or os.cpu_count() or 1) if len(table) > MANY else 1
    with ThreadPoolExecutor(workers) as pool:
        parts = pool.map(part, starts) if workers > 1 else map(part, starts)
        total, square = reduce(np.add, parts, np.zeros((2, table.shape[1])))
    return total, square


BLOCK = 4096  # rows that stay in the cache
MANY = 1 << 18  # rows from which a second thread pays


def standard_of(moments: Moments) -> Standard:
    """Mean 0 and deviation 1; what does not vary is left at 0, so that a penalty gives it no weight."""
    check(moments)
    count = np.maximum(moments.count, 1.0)
    mean = moments.sum / count
    spread = np.sqrt(np.maximum(moments.square / count - mean * mean, 0.0))
    varies = (spread > 1e-12 * np.abs(mean + moments.shift)) & (spread > TINY)
    return Standard(mean + moments.shift, np.where(varies, 1.0 / np.where(varies, spread, 1.0), 0.0))


TINY = 1e-150  # spreads whose squares are nothing


def check(moments: Moments) -> None:
    """Raise where sums overflow: such a column would drop out unsaid."""
    wild = np.flatnonzero(~np.isfinite(moments.sum) | ~np.isfinite(moments.square))
    last = len(moments.sum) - 1
    names = ["the threshold" if number == last else f"feature {number + 1} of {last}" for number in wild]
    if names:
        what = f"{', '.join(names)}: squares overflow"
        raise DataError([Problem("features", what, "bring features and thresholds to a scale near 1")])
