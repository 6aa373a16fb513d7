"""Frames to columns that engines read, and back to the kind of frame that came in."""

from racl.frames.beside import Beside, beside
from racl.frames.check import check_columns, check_names, check_new_names
from racl.frames.decided import DECISION, decision_schema
from racl.frames.encode import REFUSED_BOOLEAN, REFUSED_CATEGORY, code_dtype
from racl.frames.native import with_columns
from racl.frames.read import read_arrow, read_frame, read_rows
from racl.frames.table import Kind, Table

__all__ = [
    "DECISION",
    "REFUSED_BOOLEAN",
    "REFUSED_CATEGORY",
    "Beside",
    "Kind",
    "Table",
    "beside",
    "check_columns",
    "check_names",
    "check_new_names",
    "code_dtype",
    "decision_schema",
    "read_arrow",
    "read_frame",
    "read_rows",
    "with_columns",
]
