"""`python -m racl` is `racl`."""

import sys

from racl.cli import main

if __name__ == "__main__":
    sys.exit(main())
