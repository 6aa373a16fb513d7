"""Decisions in Ray Data: a Dataset in, a Dataset out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

from racl.batches import WhatRefused, added_schema, batch_function
from racl.domain.model import Domain
from racl.errors import DataError
from racl.frames import check_names, check_new_names
from racl.learn.asked import Recipe
from racl.learn.cluster import learn_on
from racl.learn.recipe import Learned
from racl.learn.spread import Columns
from racl.model import Model

if TYPE_CHECKING:
    from ray.data import Dataset


def decide(
    dataset: Dataset,
    model: Model,
    *,
    prefix: str = "",
    refused: WhatRefused = "keep",
    file: str = "path",
    **options: Any,
) -> Dataset:
    """The rows with their decisions, worked out block by block when they are asked for.

    A refused row has nulls for the decision and the reason in `refused`; with refused="raise" it ends the job. Ray does not
    keep the order of rows unless told to: carry a key. Where there is a column `file`, errors name the file that it tells:
    Ray's readers give one with `include_paths=True`. Options go to `Dataset.map_batches`.
    """
    if refused not in ("keep", "raise"):
        raise ValueError(f"refused is {refused!r}; it may be 'keep' or 'raise'")
    _check(dataset, model, prefix)
    function = batch_function(model, prefix=prefix, refused=refused, file=file)
    chosen = {"batch_size": None, "batch_format": "pyarrow", "zero_copy_batch": True, **options}
    return dataset.map_batches(function, **chosen)


def _check(dataset: Dataset, model: Model, prefix: str) -> None:
    """Raises DataError with all that is wrong with the columns, where they are known without running anything."""
    schema = dataset.schema(fetch_if_missing=False)
    if schema is None:
        return
    names = tuple(schema.names)
    new = [prefix + field.name for field in added_schema()]
    problems = [*check_names(names, model.domain.columns_read), *check_new_names(names, new)]
    if problems:
        raise DataError(problems)


def learn(
    dataset: Dataset,
    domain: Domain,
    labels: str,
    *,
    recipe: Recipe | None = None,
    choice_set: str | None = None,
    weight: str | None = None,
    key: str | None = None,
    refused: Literal["raise", "collect"] = "raise",
) -> Learned:
    """A model learned where the rows are: every step of the fit one pass over the blocks, whose sums are added up.

    `key` names each row: by it, or by whole choice sets, rows are held out for the guard.
    """
    columns = Columns(labels=labels, choice_set=choice_set, weight=weight, key=key)
    kept = dataset.select_columns(list(columns.names(domain))).materialize()
    return learn_on(Blocks(kept), domain, columns, recipe, refused=refused)


@dataclass(frozen=True)
class Blocks:
    """The blocks of a dataset."""

    dataset: Dataset

    def over(self, work: Callable[[Any], pa.Table], *, rows: bool = False) -> Iterator[pa.Table]:
        """What a function of Arrow tables gives for each block: numbers, or some of its rows."""
        del rows  # Ray finds out by itself what columns there are
        found = self.dataset.map_batches(work, batch_size=None, batch_format="pyarrow", zero_copy_batch=True)
        yield from found.iter_batches(batch_size=None, batch_format="pyarrow")
