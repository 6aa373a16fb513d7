"""Preference from accepts and rejects: the paper's anchors, and every row that has an admissible state.

Both are logistic regressions for each persona over `[g, 1, -threshold]`, fitted by sums. `anchors` looks at candidates that
are feasible as they came. `latent` looks at every row with an admissible state: its label says whether the best of them
reached the threshold. The best state of an accepted row is fixed under the weights of the round, a rejected row keeps the
maximum over all its states, so that a round minimises a convex upper bound that touches the loss where it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from racl.errors import DataError, Problem
from racl.learn.data import Data, Held, two_classes
from racl.learn.newton import TOLERANCE, Bounds, Minimum, Penalty, minimise
from racl.learn.sample import Logits, Sample
from racl.learn.sources import InMemory, Rows
from racl.learn.standard import Standard, standard_of
from racl.options import Floats

RIDGE = 1e-3  # on standardised coefficients, the intercept's apart
PULLS = (1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1000.0)  # towards the pooled fit, likewise
ROUGHLY = 1e-7  # the tolerance of fits that only choose the pull
DECIDING = 200  # personas of which the rows decide on it
HELD_OUT = 5  # one choice set in so many decides on the pull

Tell = Callable[[str, int, float], None]


@dataclass(frozen=True, eq=False)
class Settings:
    """How to learn; the pull is chosen on held-out rows where it is not given."""

    ridge: float = RIDGE
    pull: float | None = None  # 0: each persona for itself; infinite: one preference for all
    lower: Floats | None = None  # (p,) of u
    upper: Floats | None = None
    extra: Floats | None = None  # (p,) more ridge on u
    seed: int = 0
    threads: int | None = None
    tell: Tell | None = None

    def heard(self, stage: str) -> Callable[[int, float], None] | None:
        """Who is told how a stage goes on, if anybody."""
        tell = self.tell
        return None if tell is None else lambda number, loss: tell(stage, number, loss)


PLAIN = Settings()


@dataclass(frozen=True, eq=False)
class Fitted:
    """What was learned, from what, and how sure it is; where there are G entries, the last is the pooled fit's."""

    logits: Logits
    covariance: Floats  # (G, p + 2, p + 2) of u, d and beta
    rows: Floats  # (G,) weight of the rows that were learned from
    accepted: Floats  # (G,) weight of the accepted among them
    pooled: NDArray[np.bool_]  # (G,) whose coefficients are the pooled ones as they stand
    pull: float
    pulls: Mapping[float, float]  # the loss of a held-out row under each pull that was tried
    losses: tuple[float, ...]  # the penalised loss after each round, all personas together
    settled: bool


def anchors(sample: Sample, settings: Settings = PLAIN) -> Fitted:
    """The paper's learner: logistic regression on the candidates that are feasible as they came."""
    return anchors_from(InMemory(sample, threads=settings.threads), settings)


def latent(sample: Sample, settings: Settings = PLAIN) -> Fitted:
    """From every row with an admissible state, started from the anchors' solution where there is one."""
    return latent_from(InMemory(sample, threads=settings.threads), settings)


def anchors_from(rows: Rows, settings: Settings = PLAIN) -> Fitted:
    """The paper's learner, on rows wherever they are kept."""
    data = rows.anchors()
    check_labels(data, "feasible row", "`latent` learns from rows that a repair makes feasible, too")
    return fit(data, settings)


def latent_from(rows: Rows, settings: Settings = PLAIN) -> Fitted:
    """From every row with an admissible state, wherever they are kept."""
    data = rows.latent()
    check_labels(data, "row with an admissible repair", "")
    first = rows.anchors()
    start = fit(first, replace(settings, pull=START_PULL)) if two_classes(first) else None
    return fit(data, settings, start=start)


START_PULL = 1.0
LEARNERS: Mapping[str, Callable[[Rows, Settings], Fitted]] = {"anchors": anchors_from, "latent": latent_from}


def check_labels(data: Data, row: str, hint: str) -> None:
    """Raise unless there are both accepted and rejected rows to learn from."""
    if two_classes(data):
        return
    count, accepted = (float(one.sum()) for one in data.counts())
    if not count:
        raise DataError([Problem("labels", f"there is not a single {row} to learn from", hint)])
    word = "accepted" if accepted else "rejected"
    what = f"every {row} is {word} ({count:,.6g} in all): what makes the difference cannot be learned"
    raise DataError([Problem("labels", what, hint)])


# the fit ---------------------------------------------------------------------------------------------


def fit(data: Data, settings: Settings = PLAIN, start: Fitted | None = None) -> Fitted:
    """Coefficients of every persona: the pooled fit, and from there each persona's own, pulled towards it."""
    standard = standard_of(data.moments())
    weight, accepted = data.counts()
    task = Task(standard, settings, weight)
    small = data.small()
    first = task.start(start, pooled=True)
    if small is not data:
        first = task.pooled(small, first).phi
    shared = task.pooled(data, first)
    groups, personas = len(weight), len(weight) - 1
    if personas == 1 or settings.pull == np.inf:
        return task.found(shared, None, accepted, np.inf, {})
    pull, pulls = (settings.pull, {}) if settings.pull is not None else chosen_pull(task, small, shared.phi)
    own = task.start(start, pooled=False) if start is not None else np.repeat(shared.phi, groups, axis=0)
    if small is not data:
        own = task.each(small, own, shared.phi[0], pull).phi
    return task.found(shared, task.each(data, own, shared.phi[0], pull), accepted, pull, pulls)


@dataclass(frozen=True, eq=False)
class Task:
    """What stays the same throughout a fit."""

    standard: Standard
    settings: Settings
    weight: Floats  # (G,)

    @property
    def ridge(self) -> Floats:
        """(q,) the ridge on each coefficient: none on the intercept."""
        q = len(self.standard.center) + 1
        ridge = np.full(q, self.settings.ridge)
        ridge[q - 2] = 0.0
        if self.settings.extra is not None:
            ridge[: q - 2] += self.settings.extra
        return ridge

    @property
    def bounds(self) -> Bounds:
        """The bounds on u, of standardised coefficients."""
        q, scale = len(self.standard.center) + 1, self.standard.scale[:-1]
        low, high = np.full(q, -np.inf), np.full(q, np.inf)
        for bound, given in ((low, self.settings.lower), (high, self.settings.upper)):
            if given is not None:
                finite = np.isfinite(given) & (scale > 0)
                bound[: q - 2][finite] = given[finite] / scale[finite]
        return Bounds(low, high)

    def start(self, before: Fitted | None, *, pooled: bool) -> Floats:
        """Where to begin: at nothing, or at what was fitted before."""
        if before is None:
            return np.zeros((1, len(self.standard.center) + 1))
        one = before.logits
        plain = np.column_stack([one.u, one.d, one.beta])
        return self.standard.standard(plain[-1:] if pooled else plain)

    def pooled(self, data: Data, phi: Floats, *, tolerance: float = TOLERANCE) -> Minimum:
        """One preference for all personas."""
        source = data.source(self.standard, pooled=True)
        return minimise(
            source,
            phi,
            Penalty(self.ridge, np.zeros(phi.shape[1])),
            bounds=self.bounds,
            rows=np.array([data.counts()[0].sum()]),
            tolerance=tolerance,
            smooth=data.smooth,
            tell=self.settings.heard("pooled"),
        )

    def each(
        self, data: Data, phi: Floats, towards: Floats, pull: float, *, tolerance: float = TOLERANCE
    ) -> Minimum:
        """Each persona's own, pulled towards the pooled one."""
        penalty = Penalty(self.ridge, towards, pull)
        source = data.source(self.standard, pooled=False)
        return minimise(
            source,
            phi,
            penalty,
            bounds=self.bounds,
            rows=data.counts()[0],
            tolerance=tolerance,
            smooth=data.smooth,
            tell=self.settings.heard("personas"),
        )

    def found(
        self,
        shared: Minimum,
        each: Minimum | None,
        accepted: Floats,
        pull: float,
        pulls: Mapping[float, float],
    ) -> Fitted:
        """Plain coefficients; a persona without rows of both kinds has the pooled ones as they stand."""
        groups = len(self.weight)
        pooled = (accepted <= 0) | (accepted >= self.weight)
        pooled[-1] = True
        phi = np.repeat(shared.phi, groups, axis=0)
        hessian = np.repeat(shared.hessian, groups, axis=0)
        if each is None:
            pooled[:] = True
        else:
            phi[~pooled], hessian[~pooled] = each.phi[~pooled], each.hessian[~pooled]
        back = self.standard.back()
        plain = self.standard.plain(phi)
        last = each or shared
        weight, agreed = (np.append(one[:-1], one.sum()) for one in (self.weight, accepted))
        return Fitted(
            Logits(plain[:, :-2], plain[:, -2], plain[:, -1]),
            back @ np.linalg.pinv(hessian, hermitian=True) @ back.T,
            weight,
            agreed,
            pooled,
            pull,
            pulls,
            shared.losses if each is None else each.losses,
            bool(last.settled.all()),
        )


def chosen_pull(task: Task, data: Held, towards: Floats) -> tuple[float, Mapping[float, float]]:
    """The pull under which held-out rows lose least; of equals the strongest.

    Weaker pulls are tried until two in a row lose more than the best; of very many personas some decide for all.
    """
    chance = np.random.default_rng(task.settings.seed)
    data = data.among(DECIDING, chance)
    sets = np.unique(data.choice_set)
    aside = chance.permutation(len(sets))[: max(1, len(sets) // HELD_OUT)]
    held_out = np.isin(data.choice_set, sets[aside])
    kept, judged = data.take(np.flatnonzero(~held_out)), data.take(np.flatnonzero(held_out))
    if not (two_classes(kept) and len(judged.rows)):
        return PULLS[-1], {}
    shared = task.pooled(kept, towards).phi
    own = np.repeat(shared, data.groups, axis=0)
    weight, accepted = kept.counts()
    one_class = (accepted <= 0) | (accepted >= weight)
    source, count = judged.source(task.standard, pooled=False), judged.counts()[0].sum()
    losses: dict[float, float] = {}
    for pull in reversed(PULLS):
        own = task.each(kept, own, shared[0], pull, tolerance=ROUGHLY).phi
        own[one_class] = shared
        losses[pull] = float(source(own).loss.sum() / count)
        tried = list(losses.values())
        if min(tried) < min(tried[-2:]):
            break
    return min(losses, key=lambda pull: losses[pull]), losses
