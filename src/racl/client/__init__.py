"""A client of the service, for programs that wait and for those that do not."""

try:
    import httpx2  # noqa: F401 - to say what is missing before anything else fails
except ModuleNotFoundError as fault:
    raise ModuleNotFoundError(
        "the client needs more: `pip install 'racl[client]'`", name=fault.name
    ) from None

from racl.client.asynchronous import AsyncClient
from racl.client.blocking import Client
from racl.client.faults import NoAnswerError, ServiceError
from racl.client.requests import Chosen
from racl.client.trying import Retry

__all__ = ["AsyncClient", "Chosen", "Client", "NoAnswerError", "Retry", "ServiceError"]
