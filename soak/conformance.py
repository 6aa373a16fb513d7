"""Every conformance case through a kernel of its own, on one thread and on two; the quick tests compile one in five.

python soak/conformance.py
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "soak"))

from telling.record import record  # noqa: E402


def main() -> int:
    """Run the cases with nothing in the cache; 1 if any fails."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        surroundings = {**os.environ, "RACL_ALL_KERNELS": "1", "RACL_CACHE_DIR": folder}
        asked = [
            sys.executable,
            "-m",
            "pytest",
            "tests/conformance",
            "-m",
            "kernel",
            "-p",
            "no:cacheprovider",
        ]
        done = subprocess.run(asked, cwd=ROOT, env=surroundings, check=False)
    minutes = round((time.monotonic() - start) / 60, 1)
    cases = len(list((ROOT / "tests" / "conformance" / "cases").glob("*/*/model.json")))
    record(
        "conformance through kernels", {"cases": cases, "failed": bool(done.returncode), "minutes": minutes}
    )
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
