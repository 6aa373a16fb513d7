"""BlackBox, BlackBox+CreditHead and BlackBox+RepairSearch: gradient boosting on labels, alone, beside credits, under a search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from racl.engines.outputs import CREDIT_NUMBER
from racl.errors import DataError, Problem
from racl.learn.baselines.boosting import SETTINGS, Examples, boosted, threads
from racl.learn.baselines.judge import Judge, Seen, as_they_came, probability, repaired, without_search
from racl.learn.sample import Sample
from racl.metrics.judged import PREFERENCE, STRUCTURE, Judged, judged_states
from racl.model import Model
from racl.options import Floats, Options
from racl.semantics import Credit

LabelModel = Callable[[Seen], Floats]  # log odds of acceptance

ACCEPTED = [CREDIT_NUMBER[one] for one in (Credit.ALREADY_GOOD, Credit.REPAIRABLE_GOOD)]
OF_STRUCTURE = [CREDIT_NUMBER[one] for one in (Credit.NON_REPAIRABLE, Credit.OVER_BUDGET)]
OF_PREFERENCE = [CREDIT_NUMBER[one] for one in (Credit.FEASIBLE_SUBOPTIMAL, Credit.REPAIRABLE_SUBOPTIMAL)]


def black_box(
    sample: Sample,
    *,
    credit: NDArray[np.int8] | None = None,
    truth: Model | None = None,
    seed: int = 0,
) -> Judge:
    """Labels alone."""
    del credit, truth
    odds = label_model(sample, seed)
    return lambda options: without_search(options, odds(as_they_came(options)))


def black_box_credit(
    sample: Sample,
    *,
    credit: NDArray[np.int8] | None = None,
    truth: Model | None = None,
    seed: int = 0,
) -> Judge:
    """Labels, and a second classifier of the six credits, learned from true credits; -1 where one is not known."""
    del truth
    if credit is None:
        raise ValueError("the credit head learns from true credits: give one for each row")
    odds, shares = label_model(sample, seed), credit_model(sample, credit, seed)

    def judge(options: Options) -> Judged:
        seen = as_they_came(options)
        return with_credits(without_search(options, odds(seen)), shares(seen))

    return judge


def black_box_repair(
    sample: Sample,
    *,
    credit: NDArray[np.int8] | None = None,
    truth: Model | None = None,
    seed: int = 0,
) -> Judge:
    """The search of racl, in which the label model judges every admissible repaired candidate."""
    del credit, truth
    odds = label_model(sample, seed)

    def judge(options: Options) -> Judged:
        even = replace(options, threshold=np.zeros(len(options)))  # log odds are even at 0, whatever tau is
        said = judged_states(even, odds(repaired(options)))
        return replace(said, probability=probability(said.margin))

    return judge


MADE: WeakKeyDictionary[Sample, dict[int, LabelModel]] = WeakKeyDictionary()  # while a sample is in use


def label_model(sample: Sample, seed: int) -> LabelModel:
    """Log odds of acceptance, learned once from a sample that several baselines share."""
    made = MADE.setdefault(sample, {})
    if seed not in made:
        made[seed] = learned_labels(sample, seed)
    return made[seed]


def learned_labels(sample: Sample, seed: int) -> LabelModel:
    """Log odds of acceptance, from the labels of all rows as they came."""
    examples = _examples(sample, sample.accepted)
    if not len(examples.answer):
        raise DataError([Problem("labels", "there is not a single row to learn from")])
    if examples.answer.all() or not examples.answer.any():
        word = "accepted" if examples.answer.any() else "rejected"
        what = f"every row is {word} ({len(examples.answer):,} in all): what makes the difference cannot be learned"
        raise DataError([Problem("labels", what)])
    classifier = boosted(examples, seed, SETTINGS)

    def odds(seen: Seen) -> Floats:
        if not len(seen.threshold):
            return np.empty(0)
        columns = seen.columns()
        with threads(columns):
            return np.asarray(classifier.decision_function(columns), np.float64)

    return odds


def credit_model(sample: Sample, credit: NDArray[np.int8], seed: int) -> LabelModel:
    """(n, 6) the chances of the credits, from true ones."""
    known = credit >= 0
    examples = _examples(sample.take(known), credit[known])
    if not len(examples.answer):
        raise DataError([Problem("credit", "there is not a single row whose credit is known")])
    only = np.unique(examples.answer)
    classifier = boosted(examples, seed, SETTINGS[:1]) if len(only) > 1 else None

    def shares(seen: Seen) -> Floats:
        table = np.zeros((len(seen.threshold), len(CREDIT_NUMBER)))
        if len(table):
            columns = seen.columns()
            with threads(columns):
                table[:, only] = 1.0 if classifier is None else classifier.predict_proba(columns)
        return table

    return shares


def with_credits(said: Judged, shares: Floats) -> Judged:
    """The decisions with the likeliest credit that goes with each, and the likelier bucket of rejections."""
    structure, preference = shares[:, OF_STRUCTURE], shares[:, OF_PREFERENCE]
    bucket = np.where(structure.sum(axis=1) > preference.sum(axis=1), STRUCTURE, PREFERENCE).astype(np.int8)
    rejected = OF_STRUCTURE + OF_PREFERENCE
    credit = np.where(said.accepted, _likeliest(shares, ACCEPTED), _likeliest(shares, rejected))
    return replace(said, bucket=bucket, credit=credit.astype(np.int8))


def _likeliest(shares: Floats, credits_: list[int]) -> NDArray[np.intp]:
    return np.asarray(np.array(credits_)[shares[:, credits_].argmax(axis=1)], np.intp)


def _examples(sample: Sample, answer: NDArray[np.bool_] | NDArray[np.int8]) -> Examples:
    """All rows that count, as they came."""
    seen = as_they_came(sample.options)
    every = Examples(seen.columns(), answer, sample.weight, sample.choice_set)
    return every.take((sample.weight > 0) & ~sample.options.refused)
