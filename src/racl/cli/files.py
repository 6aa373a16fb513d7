"""What commands read, and the file that a fault is in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from racl.cli.stopping import leave_signals_to_python
from racl.errors import DataError, ModelError, Problem

if TYPE_CHECKING:
    from racl.domain.model import Column
    from racl.model import Model
    from racl.scale import Rows


def read_model(path: str) -> Model:
    """The model in a file."""
    from racl.model import load_model

    if Path(path).suffix.lower() == ".toml":
        hint = "a model is a JSON file: a domain, and weights for its features"
        raise ModelError([Problem("", "a domain, not a model", hint, file=path)])
    return load_model(path)


def check_target(target: str | None, *read: str) -> None:
    """Refuses to write over a file that is read."""
    written = Path(target) if target else None
    if written and written.exists() and any(Path(one).exists() and written.samefile(one) for one in read):
        raise DataError([Problem("", "is the file that is read", "write to another file", file=str(target))])


def read_rows(path: str, typed: Sequence[Column] = ()) -> Rows:
    """The rows of a file, a folder or a pattern; these columns of a domain say what the names of folders mean."""
    from racl.scale import open_rows

    leave_signals_to_python()
    return open_rows(path, typed)


@contextmanager
def of_file(path: str) -> Iterator[None]:
    """Faults that name no file are faults of this one."""
    try:
        yield
    except DataError as fault:
        raise DataError(one if one.file else replace(one, file=path) for one in fault.problems) from fault
