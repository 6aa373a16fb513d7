"""Keep what the page on reproduction shows: `python benchmarks/reproduction.py RESULTS [REAL]`.

RESULTS is the results.json of `racl bench all`, REAL that of `racl bench db1b-dist --tickets FILE`.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from racl.bench import tables
from racl.bench.claims import claims

SHIFTS = (-0.1, -0.08, -0.05, -0.04, -0.02, 0.0, 0.01, 0.02, 0.05, 0.1)
WHERE = Path(__file__).parent / "results" / "reproduction.json"


def kept(results: dict[str, Any]) -> dict[str, Any]:
    """The tables and claims of a study, and where and when it ran."""
    main = results["tiers"][tables.MAIN]
    made = {
        "composition": tables.composition_table(results),
        "summary": tables.summary_table(results),
        **{f"main {name}": tables.main_table(results, name) for name in results["tiers"]},
        **{f"counts {name}": tables.counts_table(results, name) for name in results["tiers"]},
        **{
            f"differences {name} {champion}": tables.difference_table(results, name, champion)
            for name, tier in results["tiers"].items()
            for champion in tier.get("difference", {})
        },
        "seeds": tables.seeds_table(results, tables.MAIN),
        **{f"stability {one}": tables.stability_table(results, one) for one in main.get("stability", {})},
        **{f"grid {one}": tables.grid_table(results, one) for one in main.get("grid", {})},
        **({"break-even": tables.even_table(results)} if "costs" in main else {}),
        **({"ablation": tables.ablation_table(results, tables.MAIN)} if "ablation" in main else {}),
        **{
            f"{kind} {name}": tables.ablation_table(results, name, kind)
            for name, tier in results["tiers"].items()
            for kind in ("anchors", "levels", "ablation")
            if kind in tier and name != tables.MAIN
        },
    }
    if "operating" in main:
        made["operating"] = operating(main)
    if "pooling" in results["tiers"].get("db1b-sparse", {}):
        made["pooling"] = tables.pooling_table(results, "db1b-sparse")
    about = {
        name: results[name]
        for name in ("date", "machine", "seconds", "versions", "seeds", "tickets", "tier_versions")
    }
    return {
        **about,
        "claims": [asdict(one) for one in claims(results)],
        "tables": {name: asdict(one) for name, one in made.items()},
    }


def operating(main: dict[str, Any]) -> tables.Table:
    """RACL-Full with something added to its scores, some of the points of the sweep."""
    points = tables.first_seed(main["operating"]["anchors-fixed"])
    some = [one for one in points if round(one["at"], 2) in SHIFTS]
    return tables.plain_table(
        some, {"at": "Added"}, "RACL-Full on DB1B-dist with something added to every score."
    )


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path)
    parser.add_argument("real", type=Path, nargs="?")
    parser.add_argument("--out", type=Path, default=WHERE)
    asked = parser.parse_args()
    found = {"all": kept(json.loads(asked.results.read_text("utf-8")))}
    if asked.real is not None:
        found["real"] = kept(json.loads(asked.real.read_text("utf-8")))
    asked.out.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    print(asked.out)


if __name__ == "__main__":
    main()
