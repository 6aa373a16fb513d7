"""One decision explained: as data, and in words."""

from racl.explain.explaining import explain
from racl.explain.explanation import Explanation

__all__ = ["Explanation", "explain"]
