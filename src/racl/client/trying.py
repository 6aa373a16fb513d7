"""When a request is tried again, and how long after; and what is made of the answer."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

import httpx2
import msgspec

from racl.client.faults import NoAnswerError, ServiceError
from racl.client.requests import Request
from racl.serve.wire import Failure

T = TypeVar("T")
UNAVAILABLE = 503
Answer = httpx2.Response | httpx2.TransportError


@dataclass(frozen=True, slots=True)
class Retry:
    """How often a request is tried in all, and the seconds in between: twice as many each time, up to the most."""

    tries: int = 5
    first: float = 0.1
    most: float = 10.0


def pause(retry: Retry, request: Request[T], answer: Answer, tried: int, luck: float) -> float | None:
    """The seconds until the next try, or None where there is to be none.

    A random part of them keeps many clients from coming back together. A service that asks for more patience
    than `most` is not asked again.
    """
    if tried >= retry.tries or not again(request, answer):
        return None
    wait = min(retry.most, retry.first * 2.0 ** (tried - 1)) * (0.5 + luck / 2)
    asked = asked_for(answer, datetime.now(UTC))
    if asked > retry.most:
        return None
    return max(wait, asked)


def again(request: Request[T], answer: Answer) -> bool:
    """Whether another try may help, and can do no harm."""
    if isinstance(answer, httpx2.Response):
        return answer.status_code == UNAVAILABLE and UNAVAILABLE not in request.answers
    refused = isinstance(answer, httpx2.ConnectError | httpx2.ConnectTimeout)
    hopeless = isinstance(answer, httpx2.UnsupportedProtocol | httpx2.LocalProtocolError)
    return refused or (request.repeats and not hopeless)


def asked_for(answer: Answer, now: datetime) -> float:
    """The seconds of `Retry-After`, which may be a number or a date; 0 where it is neither."""
    said = answer.headers.get("retry-after", "") if isinstance(answer, httpx2.Response) else ""
    if said.isdecimal():
        return float(said)
    try:
        until = parsedate_to_datetime(said)
    except ValueError:
        return 0.0
    if until.tzinfo is None:
        return 0.0
    return max(0.0, (until - now).total_seconds())


def outcome(request: Request[T], answer: Answer, url: str) -> T:
    """What the answer says; raises ServiceError where it is a refusal, NoAnswerError where it is none of racl's."""
    if isinstance(answer, httpx2.TransportError):
        words = str(answer) or type(answer).__name__
        raise NoAnswerError(url, f"no answer: {words[:1].lower()}{words[1:]}") from answer
    try:
        if answer.status_code in request.answers:
            return request.read(answer.content)
        failure = msgspec.json.decode(answer.content, type=Failure)
    except msgspec.MsgspecError:
        what = f"answered {answer.status_code} with something that racl does not say"
        raise NoAnswerError(url, what) from None
    raise ServiceError(answer.status_code, failure.error)
