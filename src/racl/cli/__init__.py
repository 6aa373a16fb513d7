"""The command line: `racl COMMAND ...`."""

from racl.cli.run import main

__all__ = ["main"]
