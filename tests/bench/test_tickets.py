"""Tickets of the Bureau in any spelling, the profile drawn from them, and how near drawn tickets come to real ones."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest

from racl import DataError
from racl.bench.profile import draw_tickets, profile_of, shipped, tail_of
from racl.bench.tickets import CARRIERS, Tickets, read_tickets
from racl.bench.tiers import parted

FOLDERS = [parent / "shared" / "data" / "db1b" for parent in Path(__file__).parents]
REAL = next((folder for folder in FOLDERS if folder.is_dir()), FOLDERS[0])
BUREAU = """ItinID,Coupons,Year,Quarter,Origin,RoundTrip,OnLine,DollarCred,RPCarrier,Passengers,ItinFare,BulkFare,Distance
7,2,2016,3,ORD,1.00,1.00,1,AA,1.00,300.00,0.00,1800.00
8,1,2016,3,ORD,0.00,1.00,1,MQ,1.00,120.00,0.00,400.00
9,4,2016,3,ORD,1.00,0.00,0,UA,1.00,9999.00,0.00,1800.00
10,4,2016,3,ORD,1.00,0.00,1,UA,1.00,500.00,1.00,1800.00
11,4,2016,3,ORD,1.00,0.00,1,ZZ,1.00,11.00,0.00,1800.00
"""
UPPER = (
    BUREAU.replace("ItinID", "ITIN_ID")
    .replace("RoundTrip", "ROUNDTRIP")
    .replace("RPCarrier", "REPORTING_CARRIER")
)
UPPER = (
    UPPER.replace("ItinFare", "ITIN_FARE")
    .replace("DollarCred", "DOLLAR_CRED")
    .replace("BulkFare", "BULK_FARE")
)
FLIGHTS = """itin_id,seq_num,op_carrier,distance,roundtrip,itin_fare,bulk_fare,distance_full
7,1,AA,900,1,300,0,1800
7,2,AA,900,1,300,0,1800
8,1,MQ,400,0,120,0,400
"""


@pytest.mark.parametrize("text", [BUREAU, UPPER, FLIGHTS])
@pytest.mark.parametrize("zipped", [False, True])
def test_any_spelling_is_read_zipped_or_not(text: str, zipped: bool, tmp_path: Path) -> None:
    path = tmp_path / "tickets.csv"
    path.write_text(text, "utf-8")
    if zipped:
        with zipfile.ZipFile(tmp_path / "tickets.zip", "w") as archive:
            archive.write(path, "Origin_and_Destination_Survey.csv")
            archive.writestr("readme.html", "")
        path = tmp_path / "tickets.zip"
    found = read_tickets(path)
    assert found.itinerary.tolist() == [7, 8]
    assert found.fare.tolist() == [300.0, 120.0]
    assert found.distance.tolist() == [1800.0, 400.0]
    assert found.coupons.tolist() == [2, 1]
    assert found.round_trip.tolist() == [True, False]
    assert found.carrier.tolist() == ["AA", "regional"]


def test_every_missing_column_is_said(tmp_path: Path) -> None:
    path = tmp_path / "tickets.csv"
    path.write_text("ItinID,ItinFare\n1,100\n", "utf-8")
    with pytest.raises(DataError) as caught:
        read_tickets(path)
    said = [problem.what for problem in caught.value.problems]
    assert said == [f"no column for {name}" for name in ("distance", "coupons", "round trip", "carrier")]


@pytest.mark.parametrize("content", [b"", b"\x00\x01", b"ItinID,ItinFare\n1\n", b"PK\x03\x04 broken"])
def test_what_is_no_table_of_tickets_is_said_to_be_none(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "tickets.zip"
    path.write_bytes(content)
    with pytest.raises(DataError):
        read_tickets(path)
    with pytest.raises(DataError, match="no such file"):
        read_tickets(tmp_path / "none.csv")


def test_itineraries_are_never_on_both_sides() -> None:
    tickets = draw_tickets(shipped(), 500, np.random.default_rng(0))
    train, test = parted(tickets, 5, (50, 15))
    assert not set(train.itinerary) & set(test.itinerary)
    assert len(train) + len(test) == 500
    assert len(train) == round(500 * 50 / 65)


def test_drawn_tickets_are_like_those_of_their_profile() -> None:
    """A profile of drawn tickets draws tickets like them: no real ones are needed to see that."""
    first = draw_tickets(shipped(), 20_000, np.random.default_rng(1))
    again = draw_tickets(profile_of(first, ("drawn",)), 20_000, np.random.default_rng(2))
    near(first, again)


@pytest.mark.skipif(not REAL.is_dir(), reason="the real tickets are not here")
def test_drawn_tickets_are_like_the_real_ones() -> None:
    real = read_tickets(REAL / "db1b_ticket_2016q1_chicago.csv")
    drawn = draw_tickets(shipped(), 40_000, np.random.default_rng(1))
    near(real, drawn.take(drawn.fare <= real.fare.max()))


@pytest.mark.skipif(not REAL.is_dir(), reason="the real tickets are not here")
def test_the_tail_of_drawn_fares_is_that_of_the_uncut_source() -> None:
    from scipy.stats import ks_2samp

    uncut = read_tickets(REAL / "db1b_coupon_fare_2011q1_skynet.csv")
    drawn = draw_tickets(shipped(), 40_000, np.random.default_rng(1))
    real = uncut.fare[uncut.fare > 1000]
    assert ks_2samp(real, drawn.fare[drawn.fare > 1000]).statistic < 0.08
    assert float((drawn.fare > 1000).mean()) == pytest.approx(
        tail_of(uncut, 1000, 101).share["round_trip"], abs=0.02
    )


@pytest.mark.skipif(not REAL.is_dir(), reason="the real tickets are not here")
def test_the_shipped_profile_is_what_the_real_tickets_give() -> None:
    real = read_tickets(REAL / "db1b_ticket_2016q1_chicago.csv")
    tail = tail_of(
        read_tickets(REAL / "db1b_coupon_fare_2011q1_skynet.csv"), real.fare.max(), real.fare.min()
    )
    assert profile_of(real, shipped().sources, tail).to_json() == shipped().to_json()


def near(one: Tickets, other: Tickets) -> None:
    """The same distribution: each column by Kolmogorov and Smirnov, pairs by rank correlation, carriers by share."""
    from scipy.stats import ks_2samp, spearmanr

    columns = [
        {
            "fare": tickets.fare,
            "distance": tickets.distance,
            "fare a mile": tickets.fare / tickets.distance,
            "coupons": tickets.coupons.astype(float),
            "round trip": tickets.round_trip.astype(float),
            "online": tickets.online.astype(float),
        }
        for tickets in (one, other)
    ]
    names = list(columns[0])
    for name in names:
        assert ks_2samp(columns[0][name], columns[1][name]).statistic < 0.03, name
    correlation = [spearmanr(np.column_stack(list(each.values()))).statistic for each in columns]
    apart = np.abs(correlation[0] - correlation[1])
    assert apart.max() < 0.12, (names, apart.round(3))
    share = [np.array([(tickets.carrier == name).mean() for name in CARRIERS]) for tickets in (one, other)]
    assert np.abs(share[0] - share[1]).max() < 0.02
