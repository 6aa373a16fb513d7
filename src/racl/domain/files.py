"""Domain files: TOML to a domain."""

from __future__ import annotations

import os

from racl.documents import DOMAIN_LIMIT, Document, read_text, read_toml
from racl.domain.check import check
from racl.domain.model import Domain
from racl.errors import DomainError


def load_domain(path: str | os.PathLike[str]) -> Domain:
    """The domain that a TOML file declares; raises DomainError with every fault and its place.

    >>> load_domain("examples/airline/domain.toml").name
    'air-ticket'
    """
    return parse_domain(read_text(path, limit=DOMAIN_LIMIT, error=DomainError), file=os.fspath(path))


def parse_domain(text: str, file: str = "") -> Domain:
    """The domain that a text declares."""
    return domain_of(read_toml(text, file))


def domain_of(document: Document) -> Domain:
    """The domain of a document, or every fault in it."""
    found = check(document)
    if isinstance(found, Domain):
        return found
    raise DomainError(found)
