"""The models that are served: immutable versions by the hash of their content, and which of them decides."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from racl.errors import ModelError, nearest
from racl.model import Model, parse_model
from racl.serve.faults import RequestError, invalid, not_found

HERE = "default"  # the tenant of whoever needs no key
SHOWN = 12  # characters of a version
SCALE = 1 << 32


@dataclass(frozen=True, eq=False)
class Version:
    """A model that never changes, named by the hash of its content."""

    model: Model
    digest: str
    text: str
    registered: float

    @property
    def name(self) -> str:
        """The name of the domain."""
        return self.model.domain.name

    @property
    def reference(self) -> str:
        """Name and version, as decisions give it."""
        return f"{self.name}@{self.digest[:SHOWN]}"


@dataclass(frozen=True)
class Serving:
    """A model that is served: every version, the active one, and those that try to become it."""

    versions: Mapping[str, Version]
    active: Version
    shadow: Version | None = None
    candidate: Version | None = None
    share: float = 0.0
    before: tuple[str, ...] = ()  # digests that were active, the last one last

    def version(self, start: str) -> Version:
        """The one version whose hash starts so."""
        found = [one for digest, one in self.versions.items() if digest.startswith(start)]
        if len(found) != 1:
            raise not_found("version")
        return found[0]

    def deciding(self, key: str) -> Version:
        """The version that decides a request, by the hash of its key."""
        if self.candidate is None or not self.share:
            return self.active
        place = int.from_bytes(hashlib.sha256(key.encode()).digest()[:4], "big")
        return self.candidate if place < self.share * SCALE else self.active


def version_of(text: str, now: float, file: str = "") -> Version:
    """The version in the text of a model file; raises ModelError."""
    return version_from(parse_model(text, file), now)


def version_from(model: Model, now: float) -> Version:
    """The version that a model is: its text is the model's document, its digest the hash of that."""
    text = json.dumps(model.document(), separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return Version(model, hashlib.sha256(text.encode()).hexdigest(), text, now)


def warmed(version: Version) -> Version:
    """The version, ready to decide: whatever is generated for it is there."""
    _ = version.model._closure  # noqa: SLF001 - of this package
    return version


def readable(text: str, now: float) -> Version:
    """The version that was sent; raises RequestError with every fault of it in its message."""
    try:
        return warmed(version_of(text, now))
    except ModelError as fault:
        first = fault.problems[0]
        more = len(fault.problems) - 1
        words = first.line_text() + (f"; and {more} more" if more else "")
        raise invalid(
            words, "/" + first.where.replace(".", "/") if first.where else "", "bad_model"
        ) from None


class Registry:
    """Who is served what; every change replaces one value, so that a request sees one state or the other."""

    def __init__(self) -> None:
        self._served: dict[tuple[str, str], Serving] = {}

    def of(self, tenant: str) -> Iterator[Serving]:
        """Everything that a tenant is served."""
        return (serving for (owner, _), serving in self._served.items() if owner == tenant)

    def get(self, tenant: str, name: str) -> Serving | None:
        """What a tenant is served under a name."""
        return self._served.get((tenant, name))

    def all(self) -> Mapping[tuple[str, str], Serving]:
        """What everybody is served."""
        return dict(self._served)

    def put(self, tenant: str, serving: Serving) -> None:
        """Serve this from the next request on."""
        self._served[(tenant, serving.active.name)] = serving

    def named(self, tenant: str, name: str) -> Serving:
        """What a tenant is served under a name; raises RequestError where that is nothing."""
        found = self.get(tenant, name)
        if found is None:
            raise not_found("model")
        return found

    def asked(self, tenant: str, name: str | None) -> Serving:
        """What decides a request: the model it names, or the only one there is."""
        if name is not None:
            found = self.get(tenant, name)
            if found is None:
                known = [serving.active.name for serving in self.of(tenant)]
                hint = nearest(name, known)
                raise RequestError(
                    404, "not_found", "no such model" + (f"; {hint}" if hint else ""), "/model"
                )
            return found
        served = list(self.of(tenant))
        if len(served) == 1:
            return served[0]
        if not served:
            raise RequestError(404, "not_found", "no model is served", "")
        raise invalid("several models are served; say which one", "/model", "missing_field")


def first(version: Version) -> Serving:
    """A model with its first version."""
    return Serving({version.digest: version}, version)


def with_version(serving: Serving, version: Version) -> Serving:
    """The same with one more version, which does not decide yet."""
    return replace(serving, versions={**serving.versions, version.digest: version})
