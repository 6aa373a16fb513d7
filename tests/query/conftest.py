"""One engine of each kind for all tests of a worker."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import pytest

from query.engines import DuckDB, Engine, SQLite, postgres


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with postgres(tmp_path_factory.mktemp("postgres")) as engine:
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
