"""What every test shares: how hard hypothesis tries, and one folder of compiled kernels for the whole run."""

from __future__ import annotations

import os
import shutil
import tempfile
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

if find_spec("hypothesis"):  # the clusters' environment has none
    from hypothesis import HealthCheck, settings

    SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]

    settings.register_profile("edit", max_examples=25, deadline=None)
    settings.register_profile(
        "gate", max_examples=300, deadline=None, derandomize=True, suppress_health_check=SLOW
    )
    settings.register_profile("night", max_examples=20_000, deadline=None, suppress_health_check=SLOW)
    settings.load_profile(os.environ.get("RACL_HYPOTHESIS", "gate"))


def pytest_configure(config: pytest.Config) -> None:
    """Kernels go to a folder of this run, which the workers of pytest-xdist inherit."""
    if "RACL_CACHE_DIR" not in os.environ:
        folder = os.environ["RACL_CACHE_DIR"] = tempfile.mkdtemp(prefix="racl-kernels-")
        config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
