"""The protocol of the paper: learn on the training rows, choose on a part of them, judge once on the test rows."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import racl
from racl.bench import air, air_truth, hotel, maxsat
from racl.bench.cells import Result, Store, mark_of
from racl.bench.models import MODELS, Fit
from racl.bench.tickets import read_tickets
from racl.bench.tier import Tier
from racl.bench.tiers import TIERS, tier
from racl.metrics.compare import paired
from racl.metrics.judged import Judged
from racl.metrics.measure import measure

SEEDS = (1, 3, 5)
GUARD_SEEDS = (11, 17, 23, 31, 43)

Tell = Callable[[str], None]


def silent(text: str) -> None:
    """Nobody listens."""
    del text


@dataclass(frozen=True)
class Asked:
    """What is to be run."""

    seeds: tuple[int, ...] = SEEDS
    models: tuple[str, ...] = tuple(MODELS)
    sizes: tuple[int, int] | None = None  # of training and test rows; those of the tier where not given
    tickets: str = ""  # a file of real ones, for the tiers that can be made of them
    resamples: int = 1000

    @cached_property
    def source(self) -> str:
        """What the tickets are: the hash of their file."""
        return hashlib.sha256(Path(self.tickets).read_bytes()).hexdigest() if self.tickets else ""


@dataclass(frozen=True)
class Run:
    """A tier under the protocol: its rows, made when they are first looked at, and its finished cells."""

    name: str
    asked: Asked
    folder: Path
    tell: Tell = silent

    @cached_property
    def tier(self) -> Tier:
        """The tier."""
        train, test = self.asked.sizes or (None, None)
        self.tell(f"{self.name}: making the rows")
        real = self.asked.tickets and TIERS[self.name].from_tickets
        tickets = read_tickets(self.asked.tickets) if real else None
        return tier(self.name, train=train, test=test, tickets=tickets)

    @cached_property
    def store(self) -> Store:
        """Finished cells, which depend on the release, the tier, the sizes and the tickets."""
        made = TIERS[self.name]
        source = self.asked.source if made.from_tickets else ""
        sizes = self.asked.sizes or (made.train, made.test)
        mark = mark_of(racl.__version__, self.name, made.version, made.seed, sizes, source, SOURCES)
        return Store(self.folder / "cells" / self.name, mark)

    def fit(self, model: str, seed: int) -> Fit:
        """A model learned from the training rows."""
        return MODELS[model].learner(self.tier, self.tier.train, seed)

    def decided(self, model: str, seed: int) -> tuple[Judged, Result]:
        """What a model decides on the test rows, and how it came to."""

        def make() -> tuple[Judged, Result]:
            self.tell(f"{self.name}: {MODELS[model].label}, seed {seed}")
            found = self.fit(model, seed)
            return found.judge(self.tier.test), found.record

        return self.store.decided(f"{model}-{seed}", make)

    def seed_of(self, model: str, seed: int) -> int:
        """The seed under which a model is kept: the first where it makes no difference."""
        return seed if MODELS[model].seeded else self.asked.seeds[0]

    def seeds(self, model: str) -> tuple[int, ...]:
        """The seeds of a model: one where they make no difference."""
        return self.asked.seeds if MODELS[model].seeded else self.asked.seeds[:1]

    def figures(self, model: str, seed: int) -> Result:
        """All figures of a model on the test rows, and what it remembers."""

        def make() -> Result:
            said, record = self.decided(model, seed)
            test = self.tier.test
            found = measure(
                said,
                test.truth,
                choice_set=test.choice_set,
                floor=self.tier.floor,
                resamples=self.asked.resamples,
            )
            data = found.to_dict()
            kept = {name: data[name] for name in ("figures", "counts", "buckets", "calibration", "confusion")}
            return {**kept, "record": record}

        return self.store.result(f"figures/{model}-{seed}-{self.asked.resamples}", make)

    def difference(self, first: str, second: str, seed: int) -> Result:
        """How two models differ on the same test rows, each figure with a paired interval."""

        def make() -> Result:
            test = self.tier.test
            pair = [self.decided(model, self.seed_of(model, seed))[0] for model in (first, second)]
            found = paired(
                pair[0],
                pair[1],
                test.truth,
                choice_set=test.choice_set,
                floor=self.tier.floor,
                resamples=self.asked.resamples,
            )
            return found.to_dict()

        return self.store.result(f"paired/{first}-{second}-{seed}-{self.asked.resamples}", make)


SOURCES = mark_of(*(inspect.getsource(module) for module in (air, air_truth, hotel, maxsat)))
