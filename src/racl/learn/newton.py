"""Newton's method on sums: every step one pass over the rows, all personas at once, each with a step of its own.

What is minimised is the penalised loss itself, and no step that would let it rise is taken. Where accepted rows choose
among several states the step is that of an upper bound (the best state held fixed), so the bound and the loss fall together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from racl.learn.sums import Source, Sums

Floats = NDArray[np.float64]

ROUNDS = 100
TOLERANCE = 1e-13  # of the penalised loss a row: what the next step would gain
ROUNDING = 16 * np.finfo(np.float64).eps  # of the loss: gains below it cannot be told
HALVINGS = 30
ENOUGH = 1e-4  # of the gain promised by the slope, which a step has to bring


@dataclass(frozen=True, eq=False)
class Penalty:
    """ridge / 2 * |phi|^2 without the intercept, and pull / 2 * |phi - towards|^2."""

    ridge: Floats  # (q,)
    towards: Floats  # (q,)
    pull: float = 0.0

    def __call__(self, phi: Floats) -> Sums:
        """What the penalty adds to the sums of each group."""
        away = phi - self.towards
        loss = 0.5 * (phi * phi) @ self.ridge + 0.5 * self.pull * (away * away).sum(axis=1)
        bend = np.diag(self.ridge + self.pull)
        hessian = np.broadcast_to(bend, (len(phi), *bend.shape))
        return Sums(loss, phi * self.ridge + self.pull * away, hessian)


@dataclass(frozen=True, eq=False)
class Bounds:
    """Between which numbers each coefficient must lie."""

    low: Floats  # (q,)
    high: Floats

    def held(self, phi: Floats, gradient: Floats) -> NDArray[np.bool_]:
        """Coefficients at a bound that the slope presses against it."""
        return ((phi <= self.low) & (gradient > 0)) | ((phi >= self.high) & (gradient < 0))

    def inside(self, phi: Floats) -> Floats:
        """The nearest coefficients within the bounds."""
        return np.clip(phi, self.low, self.high)


@dataclass(frozen=True, eq=False)
class Minimum:
    """Where the penalised loss is least, and how it came down."""

    phi: Floats  # (G, q)
    hessian: Floats  # (G, q, q) of the penalised loss there
    losses: tuple[float, ...]  # the penalised loss, all groups together, after each round
    settled: NDArray[np.bool_]  # (G,) whether the tolerance was reached

    @property
    def rounds(self) -> int:
        """How many rounds it took."""
        return len(self.losses) - 1


def minimise(
    source: Source,
    phi: Floats,
    penalty: Penalty,
    *,
    bounds: Bounds | None = None,
    rows: Floats,
    rounds: int = ROUNDS,
    tolerance: float = TOLERANCE,
    tell: Callable[[int, float], None] | None = None,
) -> Minimum:
    """The minimum of the penalised sums, from a start; `rows` (G,) is what the tolerance is counted by."""
    bounds = bounds or Bounds(np.full(phi.shape[1], -np.inf), np.full(phi.shape[1], np.inf))
    phi = bounds.inside(phi)
    now = source(phi) + penalty(phi)
    losses = [float(now.loss.sum())]
    settled = np.zeros(len(phi), np.bool_)
    for number in range(rounds):
        step, gain = direction(now, bounds.held(phi, now.gradient))
        settled |= gain <= np.maximum(tolerance * rows, ROUNDING * now.loss)
        if settled.all():
            break
        step[settled] = 0.0
        phi, now, stuck = descend(source, phi, now, penalty, bounds, step)
        settled |= stuck
        losses.append(float(now.loss.sum()))
        if tell:
            tell(number + 1, losses[-1])
    return Minimum(phi, now.hessian, tuple(losses), settled)


def direction(sums: Sums, held: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """The Newton step of each group with some coefficients held, and what it promises to gain."""
    gradient = np.where(held, 0.0, sums.gradient)
    free = ~held
    hessian = np.where(free[:, :, None] & free[:, None, :], sums.hessian, 0.0)
    hessian[:, np.arange(held.shape[1]), np.arange(held.shape[1])] += held
    step = -solved(hessian, gradient)
    return step, -0.5 * np.einsum("ij,ij->i", step, gradient)


def solved(hessian: Floats, gradient: Floats) -> Floats:
    """Each group's system, by the least squares where it has no single solution."""
    level = np.einsum("ijj->ij", hessian).max(axis=1)
    jitter = np.finfo(np.float64).eps * np.where(level > 0, level, 1.0)
    safe = hessian + jitter[:, None, None] * np.eye(hessian.shape[1])
    try:
        found = np.linalg.solve(safe, gradient[..., None])[..., 0]
    except np.linalg.LinAlgError:
        found = np.full(gradient.shape, np.nan)
    for group in np.flatnonzero(~np.isfinite(found).all(axis=1)):
        found[group] = np.linalg.lstsq(hessian[group], gradient[group], rcond=None)[0]
    return np.asarray(found)


def descend(
    source: Source, phi: Floats, now: Sums, penalty: Penalty, bounds: Bounds, step: Floats
) -> tuple[Floats, Sums, NDArray[np.bool_]]:
    """Half the step of a group as long as its loss does not fall enough; groups that cannot go on are stuck.

    INVARIANT: the loss of no group rises.
    """
    size = np.ones(len(phi))
    for halving in range(HALVINGS + 1):
        trial = bounds.inside(phi + size[:, None] * step)
        then = source(trial) + penalty(trial)
        promised = np.einsum("ij,ij->i", now.gradient, trial - phi)
        bad = then.loss > now.loss + ENOUGH * np.minimum(promised, 0.0)
        if not bad.any():
            return trial, then, size == 0.0
        size[bad] *= 0.5 if halving < HALVINGS - 1 else 0.0
    raise AssertionError("a step of no length leaves the loss as it is")
