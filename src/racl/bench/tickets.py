"""Air tickets as the Bureau of Transportation Statistics publishes them, read in any of its spellings."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
from numpy.typing import NDArray

from racl.errors import DataError, Problem

Floats = NDArray[np.float64]

CARRIERS = ("AA", "UA", "DL", "WN", "NK", "F9", "B6", "AS", "regional", "other")
REGIONAL = frozenset(
    ("MQ", "OO", "EV", "G7", "YX", "S5", "9E", "CP", "YV", "ZW", "OH", "QX", "RW", "XE", "C5", "AX", "PT")
)
SPELLINGS: Mapping[str, tuple[str, ...]] = {  # without underscores, in lower case, the best first
    "itinerary": ("itinid",),
    "fare": ("itinfare",),
    "distance": ("distancefull", "distance"),
    "coupons": ("coupons", "seqnum"),
    "round_trip": ("roundtrip",),
    "online": ("online",),
    "carrier": ("rpcarrier", "reportingcarrier", "tkcarrier", "opcarrier"),
    "bulk": ("bulkfare",),
    "credible": ("dollarcred",),
}
NEEDED = ("itinerary", "fare", "distance", "coupons", "round_trip", "carrier")
LEAST_FARE = 50.0  # below it are awards, staff and children, not prices


@dataclass(frozen=True, eq=False)
class Tickets:
    """n itineraries."""

    itinerary: NDArray[np.int64]  # (n,)
    fare: Floats  # (n,) of the whole itinerary, USD
    distance: Floats  # (n,) miles of the whole itinerary
    coupons: NDArray[np.int64]  # (n,) flights
    round_trip: NDArray[np.bool_]  # (n,)
    online: NDArray[np.bool_]  # (n,) one carrier throughout
    carrier: NDArray[np.str_]  # (n,) one of CARRIERS

    def __len__(self) -> int:
        return len(self.fare)

    def take(self, rows: NDArray[Any]) -> Tickets:
        """Some of the tickets, in the order given."""
        return Tickets(**{name: array[rows] for name, array in vars(self).items()})


def read_tickets(path: str | Path) -> Tickets:
    """The itineraries of a file of the Bureau: a CSV, or a zip with one in it; raises DataError where columns lack."""
    table = _table(Path(path))
    found = _columns(table, str(path))
    kept = _numbers(found["fare"]) >= LEAST_FARE
    if "bulk" in found:
        kept &= _numbers(found["bulk"]) == 0
    if "credible" in found:
        kept &= _numbers(found["credible"]) != 0
    for name in ("distance", "coupons", "round_trip", "itinerary"):
        kept &= np.isfinite(_numbers(found[name]))
    tickets = _one_of_each(found, np.flatnonzero(kept))
    if not len(tickets):
        raise DataError([Problem("tickets", "no row is a ticket with a fare", file=str(path))])
    return tickets


def _table(path: Path) -> pa.Table:
    if not path.is_file():
        raise DataError([Problem("tickets", "there is no such file", file=str(path))])
    try:
        if not zipfile.is_zipfile(path):
            return pa_csv.read_csv(path)
        with zipfile.ZipFile(path) as archive:
            names = [name for name in archive.namelist() if name.lower().endswith(".csv")]
            if len(names) != 1:
                what = f"the archive holds {len(names)} CSV files, and should hold one"
                raise DataError([Problem("tickets", what, file=str(path))])
            with archive.open(names[0]) as stream:
                return pa_csv.read_csv(stream)
    except (pa.ArrowInvalid, zipfile.BadZipFile) as fault:
        raise DataError([Problem("tickets", str(fault).splitlines()[0], file=str(path))]) from fault


def _columns(table: pa.Table, file: str) -> dict[str, pa.ChunkedArray]:
    """The columns by what they hold; every one that is needed and missing is said."""
    plain = {name.replace("_", "").replace(" ", "").lower(): name for name in reversed(table.column_names)}
    found = {
        what: table.column(plain[next(one for one in spellings if one in plain)])
        for what, spellings in SPELLINGS.items()
        if any(one in plain for one in spellings)
    }
    missing = [what for what in NEEDED if what not in found]
    if missing:
        raise DataError(
            Problem(
                "tickets",
                f"no column for {what.replace('_', ' ')}",
                f"one of {', '.join(SPELLINGS[what])}",
                file,
            )
            for what in missing
        )
    return found


def _numbers(column: pa.ChunkedArray) -> Floats:
    try:
        return np.asarray(column.cast(pa.float64()).to_numpy(), np.float64)
    except pa.ArrowInvalid as fault:
        raise DataError([Problem("tickets", str(fault).splitlines()[0])]) from fault


def _one_of_each(found: Mapping[str, pa.ChunkedArray], rows: NDArray[np.intp]) -> Tickets:
    """One ticket for each itinerary; where rows are single flights, the highest number of one counts them."""
    number = {name: _numbers(found[name])[rows] for name in found if name != "carrier"}
    order = np.lexsort((-number["coupons"], number["itinerary"]))
    first = order[np.unique(number["itinerary"][order], return_index=True)[1]]
    carrier = np.asarray(found["carrier"].cast(pa.string()).fill_null("").to_numpy(zero_copy_only=False))[
        rows
    ][first]
    online = number["online"][first] != 0 if "online" in number else np.ones(len(first), np.bool_)
    return Tickets(
        number["itinerary"][first].astype(np.int64),
        number["fare"][first],
        number["distance"][first],
        np.maximum(number["coupons"][first], 1).astype(np.int64),
        number["round_trip"][first] != 0,
        online,
        known_carriers(carrier.astype(str)),
    )


def known_carriers(carrier: NDArray[np.str_]) -> NDArray[np.str_]:
    """Carriers by the names that a tier knows."""
    names, code = np.unique(carrier, return_inverse=True)
    known = [name if name in CARRIERS else "regional" if name in REGIONAL else "other" for name in names]
    return np.array(known, dtype=np.str_)[code]
