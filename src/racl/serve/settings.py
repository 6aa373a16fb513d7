"""How a service is run: what may be said in `racl.toml`, by the environment, or on the command line."""

from __future__ import annotations

from msgspec import Struct

LOOPBACK = ("127.0.0.1", "localhost", "::1", "[::1]")


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Everything that can be set, and what holds where nothing is said."""

    models: tuple[str, ...] = ()
    host: str = "127.0.0.1"
    port: int = 8000
    store: str = "racl.db"  # a file, or `none`
    hosts: tuple[str, ...] = ()  # names by which the service is called besides those of the loopback
    max_body: int = 8 << 20  # bytes
    max_rows: int = 10_000  # of a request
    max_receiving: int = 64 << 20  # bytes of all bodies on their way in
    max_working: int = 256  # requests being answered
    max_waiting: int = 50_000  # decisions that are not on the disk yet
    max_connections: int = 2_000
    receive_seconds: float = 10.0  # for a whole request to come in, or an answer to be taken
    access_log: bool = False  # a line for every request, not for failed ones only

    @property
    def public(self) -> bool:
        """Whether others than this machine can call."""
        return self.host not in LOOPBACK
