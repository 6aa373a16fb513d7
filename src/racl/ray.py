"""Decisions in Ray Data: a Dataset in, a Dataset out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from racl.batches import WhatRefused, added_schema, batch_function
from racl.errors import DataError
from racl.frames import check_names, check_new_names
from racl.model import Model

if TYPE_CHECKING:
    from ray.data import Dataset


def decide(
    dataset: Dataset, model: Model, *, prefix: str = "", refused: WhatRefused = "keep", **options: Any
) -> Dataset:
    """The rows with their decisions, worked out block by block when they are asked for.

    A refused row has nulls for the decision and the reason in `refused`; with refused="raise" it ends the job. Ray does not
    keep the order of rows unless told to: carry a key. Options go to `Dataset.map_batches`.
    """
    if refused not in ("keep", "raise"):
        raise ValueError(f"refused is {refused!r}; it may be 'keep' or 'raise'")
    _check(dataset, model, prefix)
    function = batch_function(model, prefix=prefix, refused=refused)
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
