"""The description of the API, made from the table of routes and the types of the wire."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import msgspec

import racl
from racl.serve.routes import Permission, Route
from racl.serve.table import ROUTES
from racl.serve.wire import Decided, Failure, Wrong

REF = "#/components/schemas/{name}"
FAULTS = {
    400: "What was sent cannot be taken: `field` points at the part.",
    401: "No key, or one that does not hold.",
    403: "The key does not allow this, or the request comes from elsewhere.",
    404: "Not there, or not the caller's.",
    405: "The path has other methods.",
    408: "The request did not come in in time.",
    409: "Another state than the one asked for.",
    413: "Larger than a request may be.",
    415: "Not `application/json`, or compressed.",
    421: "Called by a name that is not the service's.",
    503: "Overloaded or shutting down; `Retry-After` says when to try again.",
}


@cache
def description() -> bytes:
    """The document, as it is served."""
    return msgspec.json.encode(document())


def document() -> dict[str, Any]:
    """The document."""
    paths: dict[str, dict[str, Any]] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = operation(route)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "racl",
            "version": racl.__version__,
            "description": "Decide candidates with hard requirements, known repairs and learned preferences.",
        },
        "paths": paths,
        "components": {
            "schemas": schemas(),
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
    }


def schemas() -> dict[str, Any]:
    """The schemas of all types; a result is a decision or an error."""
    kinds = {kind for route in ROUTES for kind in (route.takes, route.gives) if kind is not None}
    ordered = sorted(kinds | {Decided, Failure, Wrong}, key=lambda kind: kind.__name__)
    _, found = msgspec.json.schema_components(ordered, ref_template=REF)
    refused = {"type": "object", "properties": {"error": ref("Wrong")}, "required": ["error"]}
    found["Result"] = {"oneOf": [ref("Decided"), refused]}
    return found


def ref(name: str) -> dict[str, str]:
    """A reference to a schema."""
    return {"$ref": REF.format(name=name)}


def operation(route: Route) -> dict[str, Any]:
    """One method of one path."""
    found: dict[str, Any] = {
        "operationId": route.handle.__name__,
        "summary": route.summary,
        "description": f"{(route.handle.__doc__ or '').strip()} Permission: `{route.permission}`.",
        "security": [] if route.permission is Permission.OPEN else [{"key": []}, {}],
        "parameters": [*path_parameters(route), *query_parameters(route)],
        "responses": responses(route),
    }
    if route.takes is not None or route.raw:
        content: dict[str, Any] = {"schema": ref(route.takes.__name__) if route.takes else {"type": "object"}}
        if route.example is not None:
            content["example"] = route.example
        found["requestBody"] = {"required": True, "content": {"application/json": content}}
    return found


def path_parameters(route: Route) -> list[dict[str, Any]]:
    """The names in braces."""
    return [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in re.findall(r"{(\w+)}", route.path)
    ]


def query_parameters(route: Route) -> list[dict[str, Any]]:
    """What may follow the question mark."""
    if route.asks is None:
        return []
    (_,), found = msgspec.json.schema_components([route.asks], ref_template=REF)
    properties = found[route.asks.__name__]["properties"]
    return [
        {"name": name, "in": "query", "required": False, "schema": schema}
        for name, schema in properties.items()
    ]


def responses(route: Route) -> dict[str, Any]:
    """What may come back."""
    content: dict[str, Any] = {}
    if route.gives is not None:
        content = {"schema": ref(route.gives.__name__)}
    elif route.media == "application/json":
        content = {"schema": {"type": "object"}}
    else:
        content = {"schema": {"type": "string"}}
    if route.answer is not None:
        content["example"] = route.answer
    found: dict[str, Any] = {
        str(status): {"description": "The answer.", "content": {route.media: content}}
        for status in route.status
    }
    for status in faults(route):
        failure = {"description": FAULTS[status], "content": {"application/json": {"schema": ref("Failure")}}}
        found.setdefault(str(status), failure)
    return found


def faults(route: Route) -> list[int]:
    """The statuses of faults that a route may answer."""
    found = {400, 408, 421, *route.faults}
    if route.permission is not Permission.OPEN:
        found |= {401, 403}
    if route.takes is not None or route.raw:
        found |= {403, 404, 413, 415}
    if route.limited:
        found.add(503)
    if route.home:
        found.add(404)
    return sorted(found)
