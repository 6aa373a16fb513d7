"""Newton's method on sums: every step one pass over the rows, all personas at once, each with a step of its own.

What is minimised is the penalised loss itself, and no step that would let it rise is taken. Where accepted rows choose
among several states the step is that of an upper bound (the best state held fixed), so the bound and the loss fall together.

The loss has kinks, where two states of rejected rows are worth the same, and its minimum often lies on one. A step that
crosses a kink and gains nothing is not shortened but bent: the slopes on both sides are put together into the one that
promises most of all that hold on either side, as bundle methods do, until the loss falls or nothing is left to be gained.
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
ENOUGH = 1e-4  # of the gain promised, which a step has to bring
BENDS = 8  # tries at a kink
SHORTER = 8.0  # by which the step is cut after those
CUTS = 3
SURE = 0.1  # of the tolerance: what may be left after a step that no pass verifies
LEFT = 1e-10  # gain a row that is not worth another try


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

    def hold(self, phi: Floats) -> bool:
        """Whether all coefficients are within the bounds."""
        return bool(((phi >= self.low) & (phi <= self.high)).all())


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


def minimise(  # noqa: PLR0913 - choices are named at the call
    source: Source,
    phi: Floats,
    penalty: Penalty,
    *,
    bounds: Bounds | None = None,
    rows: Floats,
    rounds: int = ROUNDS,
    tolerance: float = TOLERANCE,
    smooth: bool = False,
    tell: Callable[[int, float], None] | None = None,
) -> Minimum:
    """The minimum of the penalised sums, from a start; `rows` (G,) is what the tolerance is counted by.

    Where each row has one state there are no kinks (`smooth`), and the last step needs no pass to be sure of.
    """
    bounds = bounds or Bounds(np.full(phi.shape[1], -np.inf), np.full(phi.shape[1], np.inf))
    phi = bounds.inside(phi)
    now = source(phi) + penalty(phi)
    losses, left = [float(now.loss.sum())], max(LEFT, tolerance) * rows
    settled = rows <= 0  # nobody asks where a group without rows ends up
    last = np.zeros(len(phi))
    for number in range(rounds):
        step = newton_step(now, bounds.held(phi, now.gradient))
        enough = np.maximum(tolerance * rows, ROUNDING * now.loss)
        near = step.gain <= enough
        sure = smooth & (rows > 0) & (near | (next_gain(last, step.gain) <= SURE * enough))
        there = phi + np.where(sure[:, None], step.move, 0.0)
        settled |= near
        if (settled | sure).all() and bounds.hold(there):
            phi, settled = there, settled | sure
        if settled.all():
            break
        before, last = now.loss, step.gain
        phi, now, stuck = descend(source, phi, now, penalty, bounds, step, settled, left)
        settled |= stuck | (before - now.loss <= (0.0 if smooth else left))
        losses.append(float(now.loss.sum()))
        if tell:
            tell(number + 1, losses[-1])
    return Minimum(phi, now.hessian, tuple(losses), settled)


def next_gain(last: Floats, gain: Floats) -> Floats:
    """(G,) what the step after this one would gain, if it goes on as it did: each gain a multiple of the last one squared."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        found = gain * (gain / last) ** 2
    return np.where((last > 0) & (gain < last), found, np.inf)


@dataclass(frozen=True, eq=False)
class Step:
    """A step of each group, by slopes that hold around where it starts, up to an error."""

    hessian: Floats  # (G, q, q), the coefficients that are held apart
    held: NDArray[np.bool_]  # (G, q)
    slope: Floats  # (G, q)
    move: Floats  # (G, q) minus the solution of hessian and slope
    error: Floats  # (G,)

    @property
    def gain(self) -> Floats:
        """(G,) what the step promises."""
        return np.asarray(self.error - 0.5 * np.einsum("ij,ij->i", self.move, self.slope))

    def bent(self, slope: Floats, error: Floats) -> Step:
        """The step by the best mixture with the slopes found elsewhere."""
        other = np.where(self.held, 0.0, slope)
        move = -solved(self.hessian, other)
        away, gap = self.slope - other, self.move - move
        width = -np.einsum("ij,ij->i", away, gap)
        lean = -np.einsum("ij,ij->i", away, self.move) + self.error - error
        share = np.clip(np.divide(lean, width, out=np.zeros(len(width)), where=width > 0), 0.0, 1.0)
        part = share[:, None]
        return Step(
            self.hessian,
            self.held,
            self.slope - part * away,
            self.move - part * gap,
            self.error + share * (error - self.error),
        )


def newton_step(sums: Sums, held: NDArray[np.bool_]) -> Step:
    """The Newton step of each group with some coefficients held."""
    slope = np.where(held, 0.0, sums.gradient)
    free = ~held
    hessian = np.where(free[:, :, None] & free[:, None, :], sums.hessian, 0.0)
    hessian[:, np.arange(held.shape[1]), np.arange(held.shape[1])] += held
    return Step(hessian, held, slope, -solved(hessian, slope), np.zeros(len(slope)))


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
    source: Source,
    phi: Floats,
    now: Sums,
    penalty: Penalty,
    bounds: Bounds,
    step: Step,
    settled: NDArray[np.bool_],
    left: Floats,
) -> tuple[Floats, Sums, NDArray[np.bool_]]:
    """Where each group goes from here; groups for which nothing is left to be gained are stuck.

    INVARIANT: the loss of no group rises.
    """
    open_, stuck = ~settled, np.zeros(len(phi), np.bool_)
    first, found, there = step.move, phi.copy(), now
    for attempt in range(BENDS + CUTS):
        bending = attempt < BENDS
        move = step.move if bending else first / SHORTER ** (attempt - BENDS + 1)
        found[open_] = bounds.inside(phi + move)[open_]
        there = source(found) + penalty(found)
        open_ &= ~(there.loss <= now.loss - (ENOUGH * step.gain if bending else 0.0))
        if bending and open_.any():
            error = now.loss - there.loss + np.einsum("ij,ij->i", there.gradient, found - phi)
            step = step.bent(there.gradient, np.maximum(error, 0.0))
            over = open_ & (step.gain <= left)
            open_, stuck = open_ & ~over, stuck | over
        if not open_.any():
            break
    stuck |= open_
    found[stuck] = phi[stuck]
    return found, there.put(stuck, now), stuck
