"""The models that are served: immutable versions by the hash of their content, and which of them decides."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from racl.errors import ModelError, nearest
from racl.model import Model, parse_model
from racl.serve.faults import RequestError, invalid, not_found
from racl.serve.store import models
from racl.serve.store.connection import Connection
from racl.serve.store.models import Kept, State

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

    @cached_property
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
        self._served: dict[str, dict[str, Serving]] = {}  # by tenant, by name

    def of(self, tenant: str) -> Collection[Serving]:
        """Everything that a tenant is served."""
        return self._served.get(tenant, {}).values()

    def get(self, tenant: str, name: str) -> Serving | None:
        """What a tenant is served under a name."""
        return self._served.get(tenant, {}).get(name)

    def all(self) -> Mapping[tuple[str, str], Serving]:
        """What everybody is served."""
        return {
            (tenant, name): one for tenant, served in self._served.items() for name, one in served.items()
        }

    def put(self, tenant: str, serving: Serving) -> None:
        """Serve this from the next request on."""
        self._served.setdefault(tenant, {})[serving.active.name] = serving

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
        served = self.of(tenant)
        if len(served) == 1:
            return next(iter(served))
        if not served:
            raise RequestError(404, "not_found", "no model is served", "")
        raise invalid("several models are served; say which one", "/model", "missing_field")


def first(version: Version) -> Serving:
    """A model with its first version."""
    return Serving({version.digest: version}, version)


def with_version(serving: Serving, version: Version) -> Serving:
    """The same with one more version, which does not decide yet; with none more where it is there already."""
    if version.digest in serving.versions:
        return serving
    return replace(serving, versions={**serving.versions, version.digest: version})


# what the memory keeps -------------------------------------------------------------------------------


def state_of(serving: Serving) -> State:
    """Which versions do what, as the memory keeps it."""
    return State(
        serving.active.digest,
        serving.shadow.digest if serving.shadow else None,
        serving.candidate.digest if serving.candidate else None,
        serving.share,
        serving.before,
    )


def kept_of(tenant: str, version: Version) -> Kept:
    """A version as the memory keeps it."""
    return Kept(tenant, version.name, version.digest, version.text, int(version.registered * 1e6))


def serving_of(state: State, versions: Mapping[str, Version]) -> Serving:
    """What a state says, of these versions."""
    return Serving(
        versions,
        versions[state.active],
        versions[state.shadow] if state.shadow else None,
        versions[state.candidate] if state.candidate else None,
        state.share,
        state.before,
    )


def refresh(registry: Registry, connection: Connection) -> None:
    """Serve what the memory says: what this process changed itself, and what others did."""
    served = registry.all()
    held: dict[tuple[str, str], dict[str, Version]] = {
        key: dict(serving.versions) for key, serving in served.items()
    }
    states, known = models.states(connection), models.known(connection)
    missing = {
        (tenant, model, digest)
        for tenant, model, digest in known
        if digest not in held.get((tenant, model), {})
    }
    for kept in models.versions(connection) if missing else ():
        if (kept.tenant, kept.model, kept.version) in missing:
            version = warmed(version_of(kept.document, kept.at / 1e6))
            held.setdefault((kept.tenant, kept.model), {})[kept.version] = version
    for (tenant, model), state in states.items():
        now = served.get((tenant, model))
        versions = {
            digest: one for digest, one in held[(tenant, model)].items() if (tenant, model, digest) in known
        }
        if now is None or state_of(now) != state or len(now.versions) != len(versions):
            registry.put(tenant, serving_of(state, versions))
