"""One engine of each kind for all tests of a worker."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from query.engines import DuckDB, Engine, SQLite, postgres


@pytest.fixture(scope="session")
def server() -> Iterator[Engine]:
    with warnings.catch_warnings(), TemporaryDirectory(prefix="racl-", ignore_cleanup_errors=True) as folder:
        warnings.simplefilter("ignore")  # not below pytest's own folder, where the server's user may not go
        with postgres(Path(folder, "postgres")) as engine:
            yield engine


@pytest.fixture(params=["duckdb", "sqlite", "postgres"], scope="session")
def engine(request: pytest.FixtureRequest) -> Engine:
    match request.param:
        case "duckdb":
            return DuckDB()
        case "sqlite":
            return SQLite()
        case _:
            found: Engine = request.getfixturevalue("server")
            return found
