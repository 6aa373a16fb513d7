"""How a service is run: what may be said in `racl.toml`, by the environment, or on the command line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from racl.documents import read_text, read_toml
from racl.errors import DataError, Problem, nearest, quoted

PREFIX = "RACL_SERVE_"
SECTION = "serve"
Whole = Annotated[int, Meta(ge=1)]
LOOPBACK = ("127.0.0.1", "localhost", "::1", "[::1]")


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Everything that can be set, and what holds where nothing is said."""

    models: tuple[str, ...] = ()
    host: str = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65535)] = 8000
    store: str = "racl.db"  # a file, or `none`
    hosts: tuple[str, ...] = ()  # names by which the service is called besides those of the loopback
    workers: Annotated[int, Meta(ge=1, le=64)] = 1  # processes
    max_body: Whole = 8 << 20  # bytes
    max_rows: Whole = 10_000  # of a request
    max_receiving: Whole = 64 << 20  # bytes of all bodies on their way in
    max_working: Whole = 256  # requests being answered
    max_waiting: Whole = 50_000  # decisions that are not on the disk yet
    max_connections: Whole = 2_000
    receive_seconds: Annotated[float, Meta(ge=2, le=3600)] = (
        10.0  # for a whole request to come in, or an answer to be taken
    )
    answer_seconds: Annotated[float, Meta(gt=0, le=3600)] = 30.0  # for an explanation to be made
    explore: Annotated[float, Meta(ge=0, le=0.5)] = (
        0.0  # share of near rejections that are shown all the same
    )
    explore_margin: Annotated[float, Meta(ge=0)] = 0.0  # how far below the threshold is near
    access_log: bool = False  # a line for every request, not for failed ones only

    @property
    def public(self) -> bool:
        """Whether others than this machine can call."""
        return self.host not in LOOPBACK


def settings_of(file: str | None, environment: Mapping[str, str], said: Mapping[str, Any]) -> Settings:
    """The settings: what is said here before the environment, that before the file, that before what holds else."""
    problems: list[Problem] = []
    found: dict[str, Any] = {}
    for source in (from_file(file), from_environment(environment)):
        for name, value, place in source:
            checked(found, problems, name, value, place)
    if problems:
        raise DataError(problems)
    return Settings(**{**found, **said})


Said = tuple[str, Any, Problem]


def from_file(file: str | None) -> Iterator[Said]:
    """What a file says in its section `[serve]`; models and the memory are found from where the file is."""
    if file is None:
        return
    document = read_toml(read_text(file, error=DataError), file)
    if document.problems:
        raise DataError(document.problems)
    table = document.value.get(SECTION)
    if not isinstance(table, Mapping):
        raise DataError([Problem("", f"no section `[{SECTION}]`", file=file)])
    for name, value in table.items():
        yield name, located(Path(file).parent, name, value), document.problem((SECTION, name), "")


def located(folder: Path, name: str, value: Any) -> Any:
    """File names as seen from the folder of the file that names them."""
    if name == "models" and isinstance(value, list):
        return [str(folder / one) if isinstance(one, str) else one for one in value]
    if name == "store" and isinstance(value, str) and value != "none" and "://" not in value:
        return str(folder / value)
    return value


def from_environment(environment: Mapping[str, str]) -> Iterator[Said]:
    """What the environment says: `RACL_SERVE_PORT` and so on, lists with commas."""
    for name, text in environment.items():
        if name.startswith(PREFIX):
            field = name.removeprefix(PREFIX).lower()
            listed = isinstance(getattr(Settings(), field, None), tuple)
            yield field, text.split(",") if listed else text, Problem(name, "")


def checked(found: dict[str, Any], problems: list[Problem], name: str, value: Any, place: Problem) -> None:
    """Take one setting, or say what is wrong with it."""
    if name not in Settings.__struct_fields__:
        hint = nearest(name, Settings.__struct_fields__)
        problems.append(replace(place, what=f"unknown setting {quoted(name)}", hint=hint))
        return
    try:
        settings = msgspec.convert({name: value}, Settings, strict=place.file != "")
        found[name] = getattr(settings, name)
    except msgspec.ValidationError as fault:
        what = str(fault).partition(" - at ")[0]
        problems.append(replace(place, what=what[:1].lower() + what[1:]))
