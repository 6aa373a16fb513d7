"""Routes that tell about the service itself: models, health, readiness, counts, the description of the API."""

from __future__ import annotations

import msgspec

from racl.serve.registry import Serving
from racl.serve.replies import Reply
from racl.serve.routes import Call
from racl.serve.service import Service
from racl.serve.wire import Health, ModelAnswer, ModelsAnswer, ModelSummary, ModelVersion, Ready


def health(service: Service, call: Call) -> Health:
    """The service runs."""
    del service, call
    return Health("ok")


def ready(service: Service, call: Call) -> Reply:
    """Whether requests are answered."""
    del call
    reasons = service.reasons()
    body = msgspec.json.encode(Ready(not reasons, reasons))
    return Reply(body, 503 if reasons else 200, headers={"retry-after": "1"} if reasons else {})


def metrics(service: Service, call: Call) -> Reply:
    """Counts for Prometheus."""
    del call
    return Reply(service.counts.text().encode(), media="text/plain; version=0.0.4; charset=utf-8")


def openapi(service: Service, call: Call) -> Reply:
    """The description of the API."""
    del service, call
    from racl.serve.openapi import description

    return Reply(description())


def models(service: Service, call: Call) -> ModelsAnswer:
    """Every model of the caller."""
    return ModelsAnswer([summary(serving) for serving in service.registry.of(call.caller.tenant)])


def model(service: Service, call: Call) -> ModelSummary:
    """One model and its versions."""
    return summary(service.registry.named(call.caller.tenant, call.path["name"]))


def model_version(service: Service, call: Call) -> ModelAnswer:
    """One version of a model in full; `active` names the one that decides."""
    serving = service.registry.named(call.caller.tenant, call.path["name"])
    asked = call.path["version"]
    found = serving.active if asked == "active" else serving.version(asked)
    document = msgspec.json.decode(found.text)
    return ModelAnswer(found.name, found.digest, found is serving.active, document)


def summary(serving: Serving) -> ModelSummary:
    """A model without its weights."""
    return ModelSummary(
        name=serving.active.name,
        label=serving.active.model.domain.label,
        active=serving.active.digest,
        shadow=serving.shadow.digest if serving.shadow else None,
        share=serving.share,
        candidate=serving.candidate.digest if serving.candidate else None,
        versions=[
            ModelVersion(one.digest, one.registered, one is serving.active, dict(one.model.fit))
            for one in serving.versions.values()
        ],
    )
