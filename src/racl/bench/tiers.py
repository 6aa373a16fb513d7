"""The six tiers: how each is made from a seed, at the sizes of the protocol or any other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from racl.bench import air_truth, hotel, maxsat
from racl.bench.air import Injection, injected
from racl.bench.profile import draw_tickets, shipped
from racl.bench.tickets import CARRIERS, Tickets
from racl.bench.tier import EXACT, Columns, Rows, Tier, load, rows
from racl.domain.model import Domain
from racl.model import Model

Drawn = tuple[Columns, NDArray[np.intp]]
TRAIN, TEST = 0, 1  # streams of chance
NOISY = 0.01  # level of certified guards where labels are noisy: labels that err count as misses there
SETTLED = 0.03  # likewise on DB1B-curved, as benchmarks/level.py settled it on training rows


@dataclass(frozen=True)
class Made:
    """How a tier is made."""

    label: str
    train: int
    test: int
    truth: Callable[[Domain], Model]
    draw: Callable[[Model, int, np.random.Generator, Tickets | None], Drawn]
    version: int = 1
    seed: int = 2027
    noise: float = 0.0
    alpha: float = 0.0025  # of certified guards, where the rows are enough for it
    anchors: str = "feasible"  # or `zero-budget`, where the tier has such contexts
    truth_domain: str = ""  # where the truth looks at other features
    from_tickets: bool = False  # whether real tickets may take the place of drawn ones


def of_air(injection: Injection) -> Callable[[Model, int, np.random.Generator, Tickets | None], Drawn]:
    """Tickets of the shipped profile, or real ones drawn with replacement, and what is put in."""

    def draw(truth: Model, n: int, rng: np.random.Generator, tickets: Tickets | None) -> Drawn:
        del truth
        found = (
            draw_tickets(shipped(), n, rng)
            if tickets is None
            else tickets.take(rng.integers(len(tickets), size=n))
        )
        return injected(found, injection, rng)

    return draw


def by_schema(truth: Model, n: int, rng: np.random.Generator, tickets: Tickets | None) -> Drawn:
    """Tickets whose columns do not depend on each other."""
    del truth, tickets
    round_trip = rng.random(n) < 0.65  # noqa: PLR2004
    found = Tickets(
        np.arange(n),
        rng.lognormal(5.75, 0.5, n).round(),
        rng.lognormal(7.2, 0.65, n).round(),
        np.where(round_trip, 2, 1) + rng.choice([0, 1, 2], n, p=[0.6, 0.25, 0.15]),
        round_trip,
        rng.random(n) < 0.7,  # noqa: PLR2004
        rng.choice(CARRIERS, n),
    )
    return injected(found, air_truth.SCHEMA, rng)


def of_clauses(truth: Model, n: int, rng: np.random.Generator, tickets: Tickets | None) -> Drawn:
    """Assignments."""
    del tickets
    return maxsat.columns(truth, n, rng)


def of_rooms(truth: Model, n: int, rng: np.random.Generator, tickets: Tickets | None) -> Drawn:
    """Rooms."""
    del truth, tickets
    return hotel.columns(n, rng)


TIERS: Mapping[str, Made] = {
    "synthetic-maxsat": Made(
        "Synthetic-MAXSAT", 40_000, 8_000, maxsat.truth, of_clauses, anchors="zero-budget"
    ),
    "expedia-schema": Made("Expedia-schema", 20_000, 8_000, hotel.truth, of_rooms, anchors="zero-budget"),
    "db1b-schema": Made("DB1B-schema", 20_000, 8_000, air_truth.linear, by_schema, anchors="zero-budget"),
    "db1b-dist": Made(
        "DB1B-dist", 50_000, 15_000, air_truth.linear, of_air(air_truth.DIST), from_tickets=True
    ),
    "db1b-curved": Made(
        "DB1B-curved",
        50_000,
        15_000,
        air_truth.curved,
        of_air(air_truth.CURVED),
        noise=air_truth.CURVED_NOISE,
        alpha=SETTLED,
        truth_domain="db1b-curved-truth",
        from_tickets=True,
    ),
    "db1b-sparse": Made(
        "DB1B-sparse",
        50_000,
        15_000,
        air_truth.sparse,
        of_air(air_truth.sparse_injection()),
        noise=air_truth.SPARSE_NOISE,
        alpha=NOISY,
        from_tickets=True,
    ),
}


def tier(
    name: str,
    *,
    seed: int | None = None,
    train: int | None = None,
    test: int | None = None,
    tickets: Tickets | None = None,
) -> Tier:
    """A tier; without a seed and sizes, the one of the protocol. Real tickets are parted between training and test."""
    made = TIERS[name]
    domain = load(name)
    truth = made.truth(load(made.truth_domain) if made.truth_domain else domain)
    seed = made.seed if seed is None else seed
    parts = parted(tickets, seed, (made.train, made.test)) if tickets is not None else (None, None)
    sizes = (made.train if train is None else train, made.test if test is None else test)
    train_rows, test_rows = (
        _rows(made, domain, truth, n, np.random.default_rng([seed, stream]), part)
        for n, stream, part in zip(sizes, (TRAIN, TEST), parts, strict=True)
    )
    return Tier(name, made.label, domain, truth, train_rows, test_rows)


def _rows(
    made: Made, domain: Domain, truth: Model, n: int, rng: np.random.Generator, tickets: Tickets | None
) -> Rows:
    columns, sets = made.draw(truth, n, rng, tickets)
    noise = replace(EXACT, spread=made.noise, rng=rng)
    return rows(domain, truth, columns, sets, noise if made.noise else EXACT)


def parted(tickets: Tickets, seed: int, sizes: tuple[int, int]) -> tuple[Tickets, Tickets]:
    """Real tickets by itinerary, none on both sides, in the proportion of these sizes."""
    order = np.random.default_rng([seed, len(tickets)]).permutation(len(tickets))
    first = max(1, min(len(tickets) - 1, round(len(tickets) * sizes[0] / sum(sizes))))
    return tickets.take(order[:first]), tickets.take(order[first:])
