"""Files of rows in, files of decisions out."""

from racl.scale.deciding import Progress, decide_files
from racl.scale.output import Output, Rejects, open_output, open_rejects
from racl.scale.paths import SUFFIXES, Format
from racl.scale.rows import BATCH_ROWS, Rows, open_rows
from racl.scale.tally import Tally

__all__ = [
    "BATCH_ROWS",
    "SUFFIXES",
    "Format",
    "Output",
    "Progress",
    "Rejects",
    "Rows",
    "Tally",
    "decide_files",
    "open_output",
    "open_rejects",
    "open_rows",
]
