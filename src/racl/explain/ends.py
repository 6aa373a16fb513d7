"""Every end that the definition walks to, at whatever cost; what a state alone settles is worked out once."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from racl.domain.model import Domain
from racl.semantics import End, Option, Preference, Refused, State, apply, truth, value_of
from racl.values import Value

Steps = tuple[int, ...]  # numbers of repairs, from 1


@dataclass(frozen=True, slots=True)
class Way:
    """A feasible end: how it is reached, what that costs, and its value or why it has none."""

    steps: Steps
    cost: float
    value: float | Refused


@dataclass(frozen=True, slots=True)
class Survey:
    """All ends of one row."""

    sequences: int
    ways: tuple[Way, ...]  # the feasible ones, in the order of the definition
    options: tuple[Option, ...]  # those of a finite value
    always_failing: frozenset[int]  # numbers of the requirements that fail at every end


@dataclass(eq=False, slots=True)
class Place:
    """A state that sequences of repairs lead to, and what is known of it so far."""

    state: State
    failing: frozenset[int]
    moves: list[tuple[int, Place, float]] | None = None  # repair, where it leads, its cost
    values: dict[float, float] = field(default_factory=dict)  # by cost


def survey(domain: Domain, preference: Preference, start: State) -> Survey:
    """Every end from the candidate as it came."""
    walk, sequences, ways = Walk(domain, preference), 0, []
    always = frozenset(range(len(domain.requirements)))
    for steps, place, cost in walk.ends(walk.place(start), (), 0.0):
        sequences += 1
        always &= place.failing
        if not place.failing:
            ways.append(Way(steps, cost, walk.value(place, steps, cost)))
    options = [Option(way.steps, way.cost, way.value) for way in ways if not isinstance(way.value, Refused)]
    return Survey(sequences, tuple(ways), tuple(options), always)


class Walk:
    """The places of one row, each found once though many orders of the same repairs lead to it."""

    def __init__(self, domain: Domain, preference: Preference) -> None:
        self.domain, self.preference = domain, preference
        self.changing = changing(domain)
        self.places: dict[tuple[Value, ...], Place] = {}

    def ends(self, place: Place, steps: Steps, cost: float) -> Iterator[tuple[Steps, Place, float]]:
        """The definition's `ends`, in its order."""
        yield steps, place, cost
        if len(steps) == self.domain.rule.steps:
            return
        for number, after, price in self.moves(place):
            if number not in steps:
                yield from self.ends(after, (*steps, number), cost + price)

    def moves(self, place: Place) -> list[tuple[int, Place, float]]:
        """Where each repair that applies and can be carried out leads."""
        if place.moves is None:
            place.moves = []
            for number, repair in enumerate(self.domain.repairs, start=1):
                if truth(repair.applies, place.state):
                    after = apply(self.domain, repair, place.state)
                    if not isinstance(after, Refused):
                        place.moves.append((number, self.place(after[0]), after[1]))
        return place.moves

    def place(self, state: State) -> Place:
        """The one place of a state."""
        key = tuple(_exact(state[name]) for name in self.changing)
        found = self.places.get(key)
        if found is None:
            found = self.places[key] = Place(state, failing(self.domain, state))
        return found

    def value(self, place: Place, steps: Steps, cost: float) -> float | Refused:
        """The definition's value of an end."""
        found = place.values.get(cost)
        if found is not None:
            return found
        value = value_of(self.domain, self.preference, End(steps, place.state, cost))
        if not isinstance(value, Refused):  # a refusal names its plan, so each plan has its own
            place.values[cost] = value
        return value


def changing(domain: Domain) -> tuple[str, ...]:
    """The columns that tell states of one row apart: some expression reads them and some repair sets them."""
    read = {column.name for column in domain.columns_read}
    set_ = dict.fromkeys(name for repair in domain.repairs for name, _ in repair.sets)
    return tuple(name for name in set_ if name in read)


def failing(domain: Domain, state: State) -> frozenset[int]:
    """The numbers of the requirements that do not hold."""
    checked = enumerate(domain.requirements)
    return frozenset(number for number, requirement in checked if not truth(requirement.holds, state))


def _exact(value: Value) -> Value:
    """A key in which the two zeros differ, as they do to a division."""
    return "-0" if isinstance(value, float) and value == 0 and math.copysign(1.0, value) < 0 else value
