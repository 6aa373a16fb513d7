"""Rows of a fit that are spread over a cluster: what a worker does with its part of them.

Every pass is one function over the parts, which carries a text of JSON and nothing else, and gives float64 numbers that
are added up: counts, moments, losses with their gradients and Hessians, levels.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from racl.documents import read_json
from racl.domain.check import check
from racl.domain.model import Domain
from racl.errors import DataError
from racl.frames import beside, read_arrow
from racl.frames.beside import codes
from racl.learn.data import Held, anchor_data, latent_data
from racl.learn.guards import common_levels, own_levels
from racl.learn.history import History, gathered
from racl.learn.marks import halves
from racl.learn.sample import Logits, Sample
from racl.learn.standard import Standard, moments
from racl.learn.sums import compiled_pass, plain
from racl.options import Floats

FOUND = "found"
COMPILE_AT = 20_000_000  # states times columns of one part from which compiling on a worker pays
Part = Literal["all", "training", "held out"]
States = Literal["latent", "anchors"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Which columns a fit reads besides those of the domain."""

    labels: str
    choice_set: str | None = None
    weight: str | None = None
    key: str | None = None  # names each row

    def names(self, domain: Domain) -> tuple[str, ...]:
        """All columns that a fit reads."""
        own = [column.name for column in domain.columns_read]
        return tuple(dict.fromkeys([*own, *(name for name in asdict(self).values() if name is not None)]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is asked of every part of the rows."""

    domain: str  # as JSON
    columns: Columns
    part: Part = "all"
    share: float = 0.0
    seed: int = 0
    refused: Literal["raise", "collect"] = "raise"
    other: bool = False
    zero_budget: bool = False
    states: States = "latent"
    what: str = "count"
    some: float = 1.0  # share of the rows that are sent as they are, spread evenly over each part
    pooled: bool = False
    numbers: Mapping[str, list[Any]] = field(default_factory=dict)

    def array(self, name: str) -> Floats:
        """One of the numbers that came along."""
        return np.array(self.numbers[name], np.float64)


def asking(asked: Asked) -> Callable[[Any], pa.Table]:
    """The function over a part of the rows; it carries what is asked as JSON and nothing else."""
    text = json.dumps(asdict(asked), allow_nan=False)

    def work(part: Any) -> Any:  # INVARIANT: names nothing of this module, so that it travels without it
        try:
            from racl.learn.spread import answered
        except ModuleNotFoundError as fault:
            import platform
            import sys

            missing = f"the worker {platform.node()} has no module `{fault.name}` in {sys.executable}"
            raise RuntimeError(f"{missing}: install racl on every worker") from None
        return answered(text, part)

    return work


def answered(text: str, part: pa.Table) -> pa.Table:
    """What a worker finds in its part: one row of numbers, or rows themselves."""
    fields = json.loads(text)
    asked = Asked(**{**fields, "columns": Columns(**fields["columns"])})
    if asked.what == "rows":
        rows = part.filter(pa.array(_wanted(asked, part)))
        count = math.ceil(len(rows) * asked.some)
        few = np.linspace(0, len(rows) - 1, count).astype(np.int64) if count < len(rows) else None
        return rows if few is None else rows.take(pa.array(few))
    found = TASKS[asked.what](asked, sample_of(asked, part)) if len(part) else []
    return pa.table({FOUND: pa.array([_written(found)] if found else [], pa.binary())})


def _written(arrays: list[Floats]) -> bytes:
    return b"".join(np.ascontiguousarray(array, np.float64).tobytes() for array in arrays)


@lru_cache(maxsize=8)
def domain_of(text: str) -> Domain:
    """The domain in a text of JSON."""
    found = check(read_json(text))
    if isinstance(found, Domain):
        return found
    raise DataError(found)


def sample_of(asked: Asked, part: pa.Table) -> Sample:
    """The rows of a part, or those of them that are to be fitted on."""
    table = part if asked.part == "all" else part.filter(pa.array(_wanted(asked, part)))
    domain, columns = domain_of(asked.domain), asked.columns
    history = History(
        read_arrow(table), columns.labels, columns.choice_set, columns.weight, refused=asked.refused
    )
    return gathered(domain, history, other=asked.other, threads=1).sample


def _wanted(asked: Asked, part: pa.Table) -> NDArray[np.bool_]:
    """(n,) the rows that belong to what is asked about."""
    if asked.part == "all":
        return np.ones(len(part), np.bool_)
    name = asked.columns.choice_set or asked.columns.key
    out = aside(part.column(str(name)), asked.share, asked.seed)
    return out if asked.part == "held out" else ~out


def aside(names: Any, share: float, seed: int) -> NDArray[np.bool_]:
    """(n,) rows that are held out: the same on every machine, whole choice sets, about a share of all."""
    number, known = codes(beside(read_arrow(pa.table({"name": names})), "name", "name"))
    drawn = np.array([_drawn(one, seed) for one in known]) < share
    return np.asarray(drawn[number] if len(known) else np.zeros(0, np.bool_))


def _drawn(name: object, seed: int) -> float:
    digest = hashlib.sha256(f"{seed} {name}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2.0**64


# what may be asked -----------------------------------------------------------------------------------


def held(asked: Asked, sample: Sample) -> Held:
    """The rows as a learner sees them."""
    if asked.states == "latent":
        return latent_data(sample, 1)
    return anchor_data(sample, 1, zero_budget=asked.zero_budget)


def _count(_: Asked, sample: Sample) -> list[Floats]:
    return [np.array([float(len(sample))])]


def _tally(asked: Asked, sample: Sample) -> list[Floats]:
    return [*_count(asked, sample), *halves(sample)]


def _counts(asked: Asked, sample: Sample) -> list[Floats]:
    return [*held(asked, sample).counts()]


def _moments(asked: Asked, sample: Sample) -> list[Floats]:
    rows = held(asked, sample).rows
    weight = np.repeat(rows.weight, np.diff(rows.start)), rows.weight
    found = moments(rows.features, rows.threshold, asked.array("shift"), weight)
    return [found.count, found.sum, found.square]


def _sums(asked: Asked, sample: Sample) -> list[Floats]:
    rows = held(asked, sample).rows
    rows = rows.pooled() if asked.pooled else rows
    large = rows.features.size >= COMPILE_AT
    run = compiled_pass(rows.features.shape[1]) if large else plain
    found = run(rows, asked.array("phi"), Standard(asked.array("center"), asked.array("scale")))
    return [found.loss, found.gradient, found.hessian]


def _levels(asked: Asked, sample: Sample) -> list[Floats]:
    rows = held(replace(asked, states="anchors"), sample).rows
    logits = Logits(asked.array("u"), asked.array("d"), asked.array("beta"))
    found = common_levels(rows, logits) if asked.pooled else own_levels(rows, logits)
    return [found.count, found.low, found.high, found.mean, found.square]


TASKS: Mapping[str, Callable[[Asked, Sample], list[Floats]]] = {
    "count": _count,
    "tally": _tally,
    "counts": _counts,
    "moments": _moments,
    "sums": _sums,
    "levels": _levels,
}
