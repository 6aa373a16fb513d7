"""From rows, models and labels to decisions beside the truth, a stretch of rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import merge

import numpy as np
from numpy.typing import NDArray

from racl.decide import Decisions, decide_table, refusals
from racl.domain.model import Domain
from racl.errors import DataError, Problem, Refusal
from racl.frames import Beside, Table, beside
from racl.frames.beside import codes, joined, labels, numbers
from racl.metrics.groups import by_persona, grouping
from racl.metrics.judged import Judged, judged
from racl.metrics.measure import Grouping
from racl.metrics.trial import Trial, trial
from racl.metrics.truth import Truth, truth_from_labels, truth_of
from racl.model import Model
from racl.options import Options, expand_table

OF_TRUTH = "the truth model"
OTHER = "the other model"


@dataclass(frozen=True, eq=False)
class Against:
    """What decisions are held against, and what goes with the rows: columns by name, or entries given apart."""

    labels: object = None
    truth: Model | None = None
    choice_set: object = None
    weight: object = None
    probability: object = None
    by: Mapping[str, object] = field(default_factory=dict)

    def given(self) -> dict[str, object]:
        """Whatever goes with the rows, by what it is."""
        named = {
            "labels": self.labels,
            "choice_set": self.choice_set,
            "weight": self.weight,
            "probability": self.probability,
        }
        return {what: one for what, one in named.items() if one is not None}


@dataclass(frozen=True, eq=False)
class Part:
    """A stretch of rows: those that all models decide, judged, and the others."""

    judged: tuple[Judged, ...]  # by each model
    truth: Truth
    row: NDArray[np.intp]
    beside: Mapping[str, Beside]
    by: Mapping[str, Beside]
    refused: int
    refusals: Callable[[], Iterator[Refusal]]


def part_of(models: Sequence[Model], table: Table, against: Against) -> Part:
    """What the models decide on the rows of a table, and what is true of them."""
    if against.labels is None and against.truth is None:
        what, hint = "neither labels nor a truth model are given", "give one of them, or both"
        raise DataError([Problem("evaluate", what, hint)])
    among = [*models, *([against.truth] if against.truth is not None else [])]
    found = [_decided(model, table, "" if model is not against.truth else OF_TRUTH) for model in among]
    aside = np.any([decisions.outputs.refused for decisions in found], axis=0)
    rows = np.flatnonzero(~aside)
    tables = _options(among, table, rows)
    given = {what: beside(table, one, what).take(rows) for what, one in against.given().items()}
    said = tuple(
        judged(options, model.weights) for options, model in zip(tables, models, strict=False)
    )  # the truth model's table comes last, and is not judged
    return Part(
        said,
        _truth(tables, against, given),
        table.offset + rows,
        given,
        {name: beside(table, one, name).take(rows) for name, one in against.by.items()},
        int(aside.sum()),
        lambda: _refusals(found, models),
    )


def _decided(model: Model, table: Table, whose: str) -> Decisions:
    """The decisions of a model, for the rows that it refuses."""
    try:
        return decide_table(model, table)
    except DataError as fault:
        if not whose:
            raise
        raise DataError(
            replace(one, what=f"{one.what}, which {whose} reads") for one in fault.problems
        ) from fault


def _options(models: Sequence[Model], table: Table, rows: NDArray[np.intp]) -> list[Options]:
    """The table of options of each model, of which those of one domain have the same."""
    made: list[tuple[Model, Options]] = []
    for model in models:
        same = (
            options
            for other, options in made
            if other.domain == model.domain and (other.taste.default is None) == (model.taste.default is None)
        )
        options = next(same, None)
        made.append((model, expand_table(model, table).take(rows) if options is None else options))
    return [options for _, options in made]


def _truth(tables: Sequence[Options], against: Against, given: Mapping[str, Beside]) -> Truth:
    said = labels(given["labels"]) if "labels" in given else None
    if against.truth is not None:
        return truth_of(tables[-1], against.truth.weights, said)
    if said is None:
        raise AssertionError("there are labels where there is no truth model")
    return truth_from_labels(tables[0], said)


def _refusals(found: Sequence[Decisions], models: Sequence[Model]) -> Iterator[Refusal]:
    """Why each row is refused, by the first model that refuses it."""
    told = np.zeros_like(found[0].outputs.refused)
    streams = []
    for number, decisions in enumerate(found):
        mine = decisions.outputs.refused & ~told
        told |= mine
        whose = "" if number == 0 else OF_TRUTH if number == len(models) else OTHER
        streams.append(_refusals_of(decisions, mine, whose))
    return merge(*streams, key=lambda one: one.row)


def _refusals_of(decisions: Decisions, rows: NDArray[np.bool_], whose: str) -> Iterator[Refusal]:
    part = replace(decisions, outputs=replace(decisions.outputs, refused=rows))
    for one in refusals(part):
        yield replace(one, reason=f"{one.reason} (by {whose})") if whose else one


# several stretches -----------------------------------------------------------------------------------


def trials_of(parts: Sequence[Part], floor: float) -> list[Trial]:
    """A trial of each model on all the rows."""
    truth = Truth.joined([part.truth for part in parts])
    row = np.concatenate([part.row for part in parts])
    given = {what: joined([part.beside[what] for part in parts]) for what in parts[0].beside}
    choice_set = _sets(given["choice_set"]) if "choice_set" in given else None
    weight = numbers(given["weight"], 0.0) if "weight" in given else None
    found = []
    for number in range(len(parts[0].judged)):
        said = Judged.joined([part.judged[number] for part in parts])
        if "probability" in given:
            said = replace(said, probability=numbers(given["probability"], 0.0, 1.0))
        found.append(trial(said, truth, choice_set=choice_set, weight=weight, floor=floor, row=row))
    return found


def _sets(found: Beside) -> NDArray[np.intp]:
    """The number of each row's choice set, which must be told."""
    number, known = codes(found)
    if None in known:
        at = int(np.argmax(number == known.index(None)))
        raise found.problem(at, "null, and every row needs its choice set")
    return number


def groupings(parts: Sequence[Part], domain: Domain) -> dict[str, Grouping]:
    """The groups by persona, where the domain has several, and by every column asked for; the domain is the truth's."""
    found: dict[str, Grouping] = {}
    persona = domain.rule.persona
    if persona is not None:
        number = np.concatenate([part.truth.persona for part in parts])
        found[persona] = by_persona(number, domain.personas)
    for name in parts[0].by:
        if name != persona:
            found[name] = grouping(joined([part.by[name] for part in parts]))
    return found
