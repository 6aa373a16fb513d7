"""Files of text as plain mappings, with the line of every key and every fault in one run."""

from racl.documents.document import Document, dotted
from racl.documents.json import read_json
from racl.documents.reading import DOMAIN_LIMIT, MODEL_LIMIT, read_text
from racl.documents.toml import read_toml
from racl.documents.writing import settle_folder, write_text

__all__ = [
    "DOMAIN_LIMIT",
    "MODEL_LIMIT",
    "Document",
    "dotted",
    "read_json",
    "read_text",
    "read_toml",
    "settle_folder",
    "write_text",
]
