"""Routes that change which model decides: send a version, activate, go back, shadow, share."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import msgspec

from racl.serve.bodies import text_of
from racl.serve.faults import RequestError, invalid
from racl.serve.registry import Serving, Version, first, kept_of, readable, state_of, with_version
from racl.serve.remembering import moment
from racl.serve.replies import Reply
from racl.serve.routes import Call
from racl.serve.service import Service
from racl.serve.stating import summary
from racl.serve.store import models, reading
from racl.serve.wire import DifferencesAnswer, DifferenceSeen, ModelSummary, Registered, ShareRequest

BEFORE = 20  # versions that one can go back to


async def register(service: Service, call: Call) -> Reply:
    """Take a model file as a new version; the first of its domain decides at once, a later one when it is activated."""
    version = readable(text_of(call.body), service.clock())
    async with service.changing:
        serving = service.registry.get(call.caller.tenant, version.name)
        known = serving is not None and version.digest in serving.versions
        changed = first(version) if serving is None else with_version(serving, version)
        await put(service, call, changed, version)
    found = Registered(version.name, version.digest, changed.active.digest == version.digest)
    return Reply(msgspec.json.encode(found), 200 if known else 201)


async def put(service: Service, call: Call, serving: Serving, version: Version | None = None) -> None:
    """Serve this from now on, and after a restart too."""
    tenant, name = call.caller.tenant, serving.active.name
    if service.memory is not None:
        kept = kept_of(tenant, version) if version else None
        await service.memory.change(
            lambda connection: models.keep(connection, kept, tenant, name, state_of(serving))
        )
    service.registry.put(tenant, serving)


async def change(service: Service, call: Call, act: Callable[[Serving], Serving]) -> ModelSummary:
    """Change which versions of a model do what."""
    async with service.changing:
        serving = act(service.registry.named(call.caller.tenant, call.path["name"]))
        await put(service, call, serving)
    return summary(serving)


def activated(serving: Serving, version: Version) -> Serving:
    """The same with another version that decides; what was tried beside the old one ends."""
    if version is serving.active:
        return serving
    before = (*serving.before, serving.active.digest)[-BEFORE:]
    kept = serving.shadow if serving.shadow is not version else None
    return replace(serving, active=version, shadow=kept, candidate=None, share=0.0, before=before)


async def activate(service: Service, call: Call) -> ModelSummary:
    """Let a version decide, from the next request on."""
    return await change(service, call, lambda serving: activated(serving, serving.version(call.body.version)))


async def roll_back(service: Service, call: Call) -> ModelSummary:
    """Let the version decide that did before."""

    def act(serving: Serving) -> Serving:
        if not serving.before:
            raise RequestError(409, "conflict", "no version decided before this one")
        back = replace(activated(serving, serving.versions[serving.before[-1]]), before=serving.before[:-1])
        return replace(back, shadow=None)

    return await change(service, call, act)


async def shadow(service: Service, call: Call) -> ModelSummary:
    """Let a version decide the same requests unseen, and keep where it differs."""

    def act(serving: Serving) -> Serving:
        asked = call.body.version
        found = None if asked is None else serving.version(asked)
        if found is serving.active:
            raise RequestError(409, "conflict", "that version decides already", "/version")
        return replace(serving, shadow=found)

    return await change(service, call, act)


async def share(service: Service, call: Call) -> ModelSummary:
    """Let a version decide a share of the requests, the same ones each time they are asked."""
    asked: ShareRequest = call.body
    if (asked.version is None) != (asked.share == 0.0):
        raise invalid("a version and its share go together", "/share")

    def act(serving: Serving) -> Serving:
        found = None if asked.version is None else serving.version(asked.version)
        if found is serving.active:
            raise RequestError(409, "conflict", "that version decides already", "/version")
        return replace(serving, candidate=found, share=asked.share)

    return await change(service, call, act)


async def differences(service: Service, call: Call) -> DifferencesAnswer:
    """Where versions in the shadow would have decided otherwise, the latest first."""
    tenant, name = call.caller.tenant, call.path["name"]
    service.registry.named(tenant, name)
    limit = call.query.limit
    log = service.log()
    rows = await log.read(lambda connection: reading.differences(connection, tenant, name, limit))
    counts = await log.read(lambda connection: reading.counted(connection, tenant, name))
    seen = [
        DifferenceSeen(row[0], moment(row[1]), row[2], row[3], json.loads(row[4]), json.loads(row[5]))
        for row in rows
    ]
    return DifferencesAnswer({shadow: int(count) for shadow, count in counts}, seen)
