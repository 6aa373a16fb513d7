"""What racl is compared with: the baselines of the paper, each learned from a sample and judging any table of options."""

from __future__ import annotations

from collections.abc import Mapping

from racl.learn.baselines.boosted import black_box, black_box_credit, black_box_repair
from racl.learn.baselines.judge import Judge, Make
from racl.learn.baselines.linear import no_repair, soft_penalty
from racl.learn.baselines.oracle import oracle

BASELINES: Mapping[str, Make] = {
    "no-repair": no_repair,
    "soft-penalty": soft_penalty,
    "black-box": black_box,
    "black-box-credit": black_box_credit,
    "black-box-repair": black_box_repair,
    "oracle": oracle,
}

__all__ = ["BASELINES", "Judge", "Make"]
