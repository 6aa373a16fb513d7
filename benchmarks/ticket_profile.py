"""Derive the shipped profile of tickets: `python benchmarks/ticket_profile.py TICKETS COUPONS`.

TICKETS is a file of the Bureau's ticket table; its fares are taken to be cut off at the highest. COUPONS is another
file, with fares that are not, for the tail above.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from racl.bench.profile import profile_of, tail_of
from racl.bench.tickets import read_tickets

WHERE = Path(__file__).parents[1] / "src" / "racl" / "bench" / "profile.json"


def main() -> None:
    """Write the profile."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tickets", type=Path)
    parser.add_argument("coupons", type=Path)
    parser.add_argument("--out", type=Path, default=WHERE)
    asked = parser.parse_args()
    tickets = read_tickets(asked.tickets)
    tail = tail_of(read_tickets(asked.coupons), tickets.fare.max(), tickets.fare.min())
    profile = profile_of(tickets, (asked.tickets.stem, asked.coupons.stem), tail)
    asked.out.write_text(profile.to_json() + "\n", "utf-8")
    print(f"{asked.out}: {len(profile.cells)} cells of {profile.tickets:,} tickets")


if __name__ == "__main__":
    main()
