"""What the description of a service's API allows, and what it does not, drawn by schemathesis and sent to the service.

Nothing is shrunk: what goes wrong is counted, and the first of each kind is told. Half of the requests name a model,
a version and a decision that are there, and a row that can be decided, so that more than refusals comes back.

    python soak/trying/described.py http://127.0.0.1:8000 5000 1    # so many requests, drawn from a seed
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from http.client import HTTPException
from typing import Any

import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import FailedHealthCheck, Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import Failure, FailureGroup
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

CHECKS = [
    not_a_server_error, response_schema_conformance, content_type_conformance, status_code_conformance,
]  # fmt: skip
ROUND = 60  # requests drawn from one seed
MODES = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
BROKEN = (requests.RequestException, HTTPException, OSError)


class Asker:
    """Sends what is drawn, and counts what comes back."""

    def __init__(self, place: str, number: int) -> None:
        self.place, self.chance, self.session = place, random.Random(number), requests.Session()
        self.statuses: Counter[str] = Counter()
        self.wrong: Counter[str] = Counter()
        self.first: dict[str, str] = {}
        self.known = dict(self.there())

    def there(self) -> Iterator[tuple[str, str]]:
        """What can be named in a path."""
        (model,) = self.session.get(f"{self.place}/v1/models").json()["models"]
        (decision, *_) = self.session.get(f"{self.place}/v1/decisions").json()["decisions"]
        self.row = decision["row"]
        return iter({"name": model["name"], "version": model["active"], "id": decision["id"]}.items())

    def ask(self, case: Any) -> None:
        """Send one request."""
        if self.chance.random() < 0.5:
            given = case.path_parameters or {}
            case.path_parameters = {name: self.known.get(name, value) for name, value in given.items()}
            if isinstance(case.body, dict) and "row" in case.body:
                case.body = {**case.body, "row": self.row}
        try:
            answer = case.call(base_url=self.place, session=self.session, timeout=60)
        except BROKEN as fault:
            self.note(case, type(fault).__name__, repr(fault))
            return
        self.statuses[str(answer.status_code)] += 1
        try:
            case.validate_response(answer, checks=CHECKS)
        except (Failure, FailureGroup) as fault:
            faults = fault.exceptions if isinstance(fault, FailureGroup) else [fault]
            for one in faults:
                self.note(case, type(one).__name__, f"{one} {answer.status_code} {answer.content[:300]!r}")

    def note(self, case: Any, kind: str, what: str) -> None:
        """One more thing that is wrong."""
        name = f"{kind} {case.operation.method} {case.operation.path}"
        self.wrong[name] += 1
        self.first.setdefault(name, f"{what} {case.as_curl_command()}"[:1500])


def drawn(asker: Asker, operation: Any, mode: GenerationMode, number: int) -> None:
    """Send what one seed gives for one operation."""

    @seed(number)
    @settings(
        max_examples=ROUND,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def send(case: Any) -> None:
        asker.ask(case)

    send()


def main() -> int:
    place, count, number = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    asker = Asker(place, number)
    schema = schemathesis.openapi.from_url(f"{place}/openapi.json")
    left = [(found.ok(), mode) for found in schema.get_all_operations() for mode in MODES]
    while sum(asker.statuses.values()) < count:
        for operation, mode in list(left):
            number += 1000
            try:
                drawn(asker, operation, mode, number)
            except (Unsatisfiable, FailedHealthCheck):  # nothing that is not allowed can be drawn for it
                left.remove((operation, mode))
    told = {"statuses": asker.statuses, "wrong": asker.wrong, "first": asker.first}
    print(json.dumps(told))
    return 1 if asker.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
