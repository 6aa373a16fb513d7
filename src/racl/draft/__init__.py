"""A first domain file out of a sample of rows."""

from racl.draft.observe import SAMPLE, Seen, observe
from racl.draft.write import draft

__all__ = ["SAMPLE", "Seen", "draft", "observe"]
