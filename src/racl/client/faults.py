"""What a client raises: a refusal that the service spelled out, or no answer at all."""

from __future__ import annotations

from racl.errors import Problem, RaclError
from racl.serve.wire import Wrong


class ServiceError(RaclError):
    """A request that the service refused: its status, and what it said is wrong."""

    def __init__(self, status: int, wrong: Wrong) -> None:
        self.status = status
        self.wrong = wrong
        super().__init__([Problem(wrong.field, wrong.message, f"{status}, {wrong.code}")])


class NoAnswerError(RaclError):
    """A service that did not answer, or not as racl does."""

    def __init__(self, url: str, what: str) -> None:
        super().__init__([Problem(url, what)])
