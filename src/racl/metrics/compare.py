"""Two models on the same rows: how far their figures differ, and whether that could be chance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from racl.frames import read_frame
from racl.metrics import rates
from racl.metrics.evaluate import check_refused
from racl.metrics.intervals import RESAMPLES, mcnemar, percentiles, resampled, sign_probability
from racl.metrics.judged import Judged
from racl.metrics.measure import Chance
from racl.metrics.ranking import Ranks, auroc, ranks
from racl.metrics.rates import Rate, share
from racl.metrics.reading import Against, part_of, trials_of
from racl.metrics.regret import edr, regrets, set_weights
from racl.metrics.trial import Trial, trial
from racl.metrics.truth import Truth
from racl.model import Model
from racl.options import Floats, Truths

Pair = tuple[Trial, Trial]


@dataclass(frozen=True, slots=True)
class Difference:
    """A figure of two models on the same rows, and their difference: the first less the second."""

    name: str
    first: float | None
    second: float | None
    value: float | None  # the difference
    low: float | None  # its 95 % interval, by a paired bootstrap
    high: float | None
    p: float | None  # two-sided, of no difference, by the same bootstrap
    of: int  # rows, or choice sets
    only_first: int | None = None  # rows that only the first model has wrong
    only_second: int | None = None
    mcnemar: float | None = None  # exact p on the rows that only one of them has wrong
    why_none: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The difference as plain data."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Comparison:
    """How the figures of two models differ on the same rows; prints as a table."""

    names: tuple[str, str]
    rows: int
    refused: int
    unit: str  # what the bootstrap draws: choice sets, or rows
    resamples: int
    differences: tuple[Difference, ...]

    def __getitem__(self, name: str) -> Difference:
        """The difference of a figure by its name."""
        return next(one for one in self.differences if one.name == name)

    def __str__(self) -> str:
        from racl.metrics.words import comparison_text

        return comparison_text(self)

    def to_dict(self) -> dict[str, Any]:
        """The comparison as plain data."""
        data = asdict(self)
        return {**data, "names": list(self.names), "differences": [one.to_dict() for one in self.differences]}


def compare(  # noqa: PLR0913 - choices are named at the call
    first: Model,
    second: Model,
    frame: object,
    labels: object = None,
    truth: Model | None = None,
    *,
    choice_set: object = None,
    weight: object = None,
    floor: float = 0.0,
    seed: int = 0,
    resamples: int = RESAMPLES,
    refused: Literal["raise", "collect"] = "raise",
    names: tuple[str, str] = ("first", "second"),
) -> Comparison:
    """How two models differ on the same rows: those that both decide.

    From labels alone, what is feasible is what the first model's domain says.
    """
    against = Against(labels, truth, choice_set, weight)
    part = part_of([first, second], read_frame(frame), against)
    check_refused([part], refused)
    one, other = trials_of([part], floor)
    return compared((one, other), Chance(seed, resamples), names, part.refused)


def paired(
    first: Judged,
    second: Judged,
    truth: Truth,
    *,
    choice_set: NDArray[Any] | None = None,
    weight: Floats | None = None,
    floor: float = 0.0,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Comparison:
    """How the decisions of two, models or not, differ on the same n rows."""
    one, other = (
        trial(said, truth, choice_set=choice_set, weight=weight, floor=floor) for said in (first, second)
    )
    return compared((one, other), Chance(seed, resamples), ("first", "second"), 0)


def compared(pair: Pair, chance: Chance, names: tuple[str, str], refused: int) -> Comparison:
    """All differences between two trials on the same rows."""
    truth = pair[0].truth
    everywhere = np.ones(len(truth), np.bool_)
    wrongly: dict[str, tuple[Truths, Callable[[Trial], Truths]]] = {
        "accept errors": (everywhere, lambda one: one.judged.accepted != truth.accepted),
        "FVR": (truth.repairable_good, lambda one: ~one.judged.accepted),
        "FAR": (~truth.accepted, lambda one: one.judged.accepted),
    }
    found = [_shares(name, pair, among, wrong, chance) for name, (among, wrong) in wrongly.items()]
    found += [_plans(pair, chance), _regret(pair, chance), _ranking(pair, chance)]
    return Comparison(names, len(truth), refused, pair[0].unit, chance.resamples, tuple(found))


def _shares(
    name: str,
    pair: Pair,
    among: Truths,
    wrong: Callable[[Trial], Truths],
    chance: Chance,
    sign: float = 1.0,
) -> Difference:
    """The difference of a share of rows that are wrong, or with sign -1 of those that are right."""
    first, second = (wrong(one) & among for one in pair)
    shares = [
        share(name, one, hit if sign > 0 else ~hit, among)
        for one, hit in zip(pair, (first, second), strict=True)
    ]
    weight = pair[0].weights
    units = pair[0].by_set(weight * sign * (first.astype(np.float64) - second), weight * among)
    samples = _quotients(resampled(units, seed=chance.seed, resamples=chance.resamples))
    only_first, only_second = int((first & ~second).sum()), int((second & ~first).sum())
    discordant = (only_first, only_second, mcnemar(only_first, only_second))
    return _difference(shares[0], shares[1], samples, discordant)


def _plans(pair: Pair, chance: Chance) -> Difference:
    true = pair[0].truth.best
    if true is None or any(one.judged.best is None for one in pair):
        return _difference(rates.plan(pair[0]), rates.plan(pair[1]), np.empty(0))
    return _shares(
        "PlanAcc",
        pair,
        pair[0].truth.repairable_good,
        lambda one: np.asarray(one.judged.best != true, np.bool_),
        chance,
        -1.0,
    )


def _regret(pair: Pair, chance: Chance) -> Difference:
    figures = [edr(one, seed=chance.seed, resamples=0) for one in pair]
    value = pair[0].truth.value
    if value is None or figures[0].value is None:
        return _difference(figures[0], figures[1], np.empty(0))
    first, second = (regrets(one, value).regret for one in pair)
    weight = set_weights(pair[0])
    counted = np.ones(len(first)) if weight is None else weight
    units = np.stack([counted * (first - second), counted], axis=1)
    samples = _quotients(resampled(units, seed=chance.seed, resamples=chance.resamples))
    return _difference(figures[0], figures[1], samples)


def _ranking(pair: Pair, chance: Chance) -> Difference:
    figures = [auroc(one) for one in pair]
    if figures[0].value is None:
        return _difference(figures[0], figures[1], np.empty(0))
    levels = tuple(ranks(one.judged.margin, one.truth.labels) for one in pair)
    samples = ranking_samples((levels[0], levels[1]), pair[0], chance)
    return _difference(figures[0], figures[1], samples)


def ranking_samples(levels: tuple[Ranks, Ranks], trial: Trial, chance: Chance) -> Floats:
    """(resamples,) the difference of two AUROCs over choice sets drawn with replacement."""
    generator = np.random.default_rng(chance.seed)
    samples = np.empty(chance.resamples)
    for number in range(chance.resamples):
        drawn = np.bincount(generator.integers(trial.count, size=trial.count), minlength=trial.count)
        weight = drawn[trial.sets] * trial.weights
        samples[number] = levels[0].auroc(weight) - levels[1].auroc(weight)
    return samples


def _quotients(sums: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums[:, 0] / sums[:, 1])


def _difference(
    first: Rate, second: Rate, samples: Floats, discordant: tuple[int, int, float] | None = None
) -> Difference:
    """The difference of two figures, with what its resampled values tell."""
    if first.value is None or second.value is None:
        why = first.method if first.value is None else second.method
        return Difference(first.name, first.value, second.value, None, None, None, None, 0, why_none=why)
    low, high = percentiles(samples) or (None, None)
    p = sign_probability(samples)
    only = discordant or (None, None, None)
    value = first.value - second.value
    return Difference(first.name, first.value, second.value, value, low, high, p, first.of, *only)
