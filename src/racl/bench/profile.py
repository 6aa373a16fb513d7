"""What a set of tickets is like, in figures: enough to draw tickets of the same kind, and no ticket among them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from racl.bench.tickets import CARRIERS, Tickets

Floats = NDArray[np.float64]

MOST = 5  # coupons that have a cell of their own
POINTS = 41  # of a quantile function
THIRDS = 3  # of the fares of a cell, by which carriers differ
REGIONAL = CARRIERS.index("regional")
SMALLEST = 40  # tickets of a cell


@dataclass(frozen=True)
class Cell:
    """Tickets of one number of coupons, one way or round trip."""

    round_trip: bool
    coupons: int
    share: float
    fare: tuple[float, ...]  # quantiles, evenly spaced
    distance: tuple[float, ...]
    rank_correlation: float  # of fare and distance
    carriers: tuple[tuple[float, ...], ...]  # (thirds of the fare and of the distance, carriers) shares
    online: tuple[
        tuple[float, ...], ...
    ]  # (thirds of the distance, regional or not) share that stays with one carrier


@dataclass(frozen=True)
class Tail:
    """Fares above the highest that the tickets of a profile may have, from another source."""

    above: float
    share: Mapping[str, float]  # of all fares, `one_way` and `round_trip`
    fare: tuple[float, ...]  # quantiles, evenly spaced


@dataclass(frozen=True)
class Profile:
    """Cells of tickets, and the tail of the fares where they were cut off."""

    sources: tuple[str, ...]
    tickets: int
    cells: tuple[Cell, ...]
    tail: Tail | None = None

    def to_json(self) -> str:
        """The profile as it is shipped."""
        return json.dumps(asdict(self), separators=(",", ":"))


def profile_of(tickets: Tickets, sources: tuple[str, ...], tail: Tail | None = None) -> Profile:
    """The figures of some tickets."""
    wide = np.minimum(tickets.coupons, MOST)
    cells = []
    for round_trip in (False, True):
        for coupons in range(1, MOST + 1):
            rows = np.flatnonzero((tickets.round_trip == round_trip) & (wide == coupons))
            if len(rows) >= SMALLEST:
                cells.append(_cell(tickets.take(rows), round_trip=round_trip, coupons=coupons))
    whole = sum(cell.share for cell in cells)
    shared = tuple(Cell(**{**vars(cell), "share": cell.share / whole}) for cell in cells)
    return Profile(sources, len(tickets), shared, tail)


def _cell(tickets: Tickets, *, round_trip: bool, coupons: int) -> Cell:
    from scipy.stats import rankdata, spearmanr

    dear, far = (
        ((rankdata(one, "ordinal") - 1) * THIRDS // len(tickets)).astype(int)
        for one in (tickets.fare, tickets.distance)
    )
    code = np.array([CARRIERS.index(str(name)) for name in tickets.carrier])
    ninth = dear * THIRDS + far
    shares = [np.bincount(code[ninth == one], minlength=len(CARRIERS)) for one in range(THIRDS * THIRDS)]
    shares = [one if one.sum() else np.bincount(code, minlength=len(CARRIERS)) for one in shares]
    regional = tickets.carrier == "regional"
    online = tuple(
        tuple(
            _mean(tickets.online[(far == one) & (regional == kind)], tickets.online) for kind in (False, True)
        )
        for one in range(THIRDS)
    )
    correlation = float(spearmanr(tickets.fare, tickets.distance).statistic)
    return Cell(
        round_trip,
        coupons,
        float(len(tickets)),
        _quantiles(tickets.fare),
        _quantiles(tickets.distance),
        round(correlation, 4),
        tuple(tuple(np.round(one / one.sum(), 5).tolist()) for one in shares),
        online,
    )


def _quantiles(values: Floats) -> tuple[float, ...]:
    return tuple(np.round(np.quantile(values, np.linspace(0, 1, POINTS)), 1).tolist())


def _mean(some: NDArray[np.bool_], every: NDArray[np.bool_]) -> float:
    return round(float((some if len(some) else every).mean()), 4)


def tail_of(tickets: Tickets, above: float, least: float) -> Tail:
    """What of the fares from `least` on lies above a fare."""
    share = {}
    for name, rows in (("one_way", ~tickets.round_trip), ("round_trip", tickets.round_trip)):
        fare = tickets.fare[rows & (tickets.fare >= least)]
        share[name] = round(float((fare > above).mean()), 4)
    return Tail(above, share, _quantiles(tickets.fare[tickets.fare > above]))


@cache
def shipped() -> Profile:
    """The profile that is part of the project."""
    data: Any = json.loads(files("racl.bench").joinpath("profile.json").read_text("utf-8"))
    cells = tuple(
        Cell(**{**cell, **{name: tuple(cell[name]) for name in ("fare", "distance")}})
        for cell in data["cells"]
    )
    return Profile(tuple(data["sources"]), data["tickets"], cells, Tail(**data["tail"]))


# drawing ---------------------------------------------------------------------------------------------


def draw_tickets(profile: Profile, n: int, rng: np.random.Generator) -> Tickets:
    """n tickets of a profile."""
    share = np.array([cell.share for cell in profile.cells])
    number = rng.choice(len(share), n, p=share / share.sum())
    parts = [
        (rows, _drawn(profile.cells[one], profile.tail, len(rows), rng))
        for one in range(len(share))
        if len(rows := np.flatnonzero(number == one))
    ]
    order = np.argsort(np.concatenate([rows for rows, _ in parts]))
    whole: dict[str, Any] = {
        name: np.concatenate([columns[name] for _, columns in parts])[order] for name in parts[0][1]
    }
    return Tickets(itinerary=np.arange(n), **whole)


def _drawn(cell: Cell, tail: Tail | None, n: int, rng: np.random.Generator) -> dict[str, NDArray[Any]]:
    """The columns of n tickets of a cell: ranks of fare and distance that go together as they did."""
    from scipy.special import ndtr

    towards = 2 * np.sin(np.pi * cell.rank_correlation / 6)  # Pearson's of normals of that rank correlation
    first = rng.standard_normal(n)
    second = towards * first + np.sqrt(1 - towards * towards) * rng.standard_normal(n)
    by_distance, by_fare = ndtr(first), ndtr(second)
    carrier = _carriers(cell, _third(by_fare) * THIRDS + _third(by_distance), rng)
    return {
        "fare": _fares(cell, tail, by_fare),
        "distance": np.round(_at(cell.distance, by_distance)),
        "coupons": np.full(n, cell.coupons),
        "round_trip": np.full(n, cell.round_trip),
        "online": rng.random(n)
        < np.array(cell.online)[_third(by_distance), (carrier == REGIONAL).astype(int)],
        "carrier": np.array(CARRIERS)[carrier],
    }


def _third(rank: Floats) -> NDArray[np.intp]:
    return np.minimum((rank * THIRDS).astype(np.intp), THIRDS - 1)


def _carriers(cell: Cell, ninth: NDArray[np.intp], rng: np.random.Generator) -> NDArray[np.intp]:
    below = np.cumsum(np.array(cell.carriers), axis=1)[ninth]
    above = rng.random(len(ninth))[:, None] > below / below[:, -1:]
    return np.asarray(np.minimum(above.sum(axis=1), len(CARRIERS) - 1), np.intp)


def _fares(cell: Cell, tail: Tail | None, rank: Floats) -> Floats:
    if tail is None:
        return _whole(_at(cell.fare, rank))
    share = tail.share["round_trip" if cell.round_trip else "one_way"]
    body, beyond = rank / (1 - share), (rank - (1 - share)) / share
    return _whole(np.where(rank <= 1 - share, _at(cell.fare, body), _at(tail.fare, beyond)))


def _whole(fare: Floats) -> Floats:
    return np.asarray(np.round(fare), np.float64)


def _at(quantiles: tuple[float, ...], rank: Floats) -> Floats:
    even: Floats = np.linspace(0.0, 1.0, len(quantiles))
    found: Floats = np.interp(np.clip(rank, 0, 1), even, np.array(quantiles))
    return found
