"""What is true of air tickets: what travellers like, and how they ask. Frozen: see the pages on decisions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from racl.bench.air import Injection, Request
from racl.domain.model import Domain
from racl.model import Model

FEATURES = ("price", "stops", "wait", "online", "lowcost", "legroom", "bag", "seat", "flexible")
BIAS = 1.0
TASTES: Mapping[str, tuple[float, ...]] = {  # weights in the order of FEATURES
    "business": (-0.22, -0.14, -0.03, 0.04, -0.05, 0.12, 0.0, 0.01, 0.02),
    "leisure": (-0.34, -0.02, -0.01, 0.02, 0.0, 0.02, 0.01, 0.0, 0.0),
    "family": (-0.30, -0.12, -0.03, 0.05, -0.02, 0.10, 0.01, 0.01, 0.01),
    "student": (-0.42, -0.04, 0.0, 0.0, 0.04, 0.0, 0.0, 0.0, 0.01),
}
HAS = {"bag": 0.34, "seat": 0.34, "refundable": 0.28, "legroom": 0.35, "right_date": 0.93}

DIST = Injection(
    {
        "business": Request(0.30, 0.715, 242),
        "leisure": Request(0.35, 0.545, 202),
        "family": Request(0.20, 0.615, 208),
        "student": Request(0.15, 0.450, 174),
    },
    HAS,
)


def linear(domain: Domain) -> Model:
    """The truth that is linear in the declared features."""
    return Model.of(
        domain,
        {
            name: {"bias": BIAS, "weights": dict(zip(FEATURES, taste, strict=True))}
            for name, taste in TASTES.items()
        },
    )


SCHEMA = replace(
    DIST,
    has={"bag": 0.45, "seat": 0.45, "refundable": 0.4, "legroom": 0.35, "right_date": 0.97},
    requests={
        name: replace(one, level=one.level + 0.08, budget=1.1 * one.budget)
        for name, one in DIST.requests.items()
    },
    band=0.4,
    zero_budget=0.1,
)

# DB1B-curved ------------------------------------------------------------------------------------------

CURVED_FEATURES = (
    *("dear", "stops", "wait", "online", "lowcost", "legroom", "far_room", "dear_stop", "near_stop"),
    *("bag", "seat", "flexible"),
)
CURVED_TASTES: Mapping[str, tuple[float, ...]] = {
    "business": (-0.55, -0.12, -0.06, 0.04, -0.05, 0.04, 0.15, -0.02, -0.06, 0.0, 0.01, 0.02),
    "leisure": (-0.75, -0.03, -0.02, 0.02, 0.0, 0.01, 0.04, -0.02, -0.02, 0.01, 0.0, 0.0),
    "family": (-0.68, -0.12, -0.05, 0.05, -0.02, 0.04, 0.12, -0.03, -0.05, 0.01, 0.01, 0.01),
    "student": (-0.90, -0.04, 0.0, 0.0, 0.04, 0.0, 0.0, -0.02, 0.0, 0.0, 0.0, 0.01),
}
CURVED_BIAS = 1.25
CURVED_NOISE = 0.02
CURVED = replace(
    DIST,
    requests={
        "business": Request(0.30, 0.735, 242),
        "leisure": Request(0.35, 0.590, 202),
        "family": Request(0.20, 0.640, 208),
        "student": Request(0.15, 0.520, 174),
    },
)


def curved(domain: Domain) -> Model:
    """The truth with diminishing returns and interactions, in a domain of its own."""
    return Model.of(
        domain,
        {
            name: {"bias": CURVED_BIAS, "weights": dict(zip(CURVED_FEATURES, taste, strict=True))}
            for name, taste in CURVED_TASTES.items()
        },
    )


# DB1B-sparse ------------------------------------------------------------------------------------------

PERSONAS = 200
SHARED = (-0.30, -0.10, -0.02, 0.03, -0.01, 0.07, 0.01, 0.01, 0.01)
SPREAD = (0.08, 0.05, 0.015, 0.02, 0.03, 0.04, 0.008, 0.008, 0.008)  # of the personas about what they share
SPREAD_OF_BIAS = 0.06
SPARSE_NOISE = 0.015
SPARSE_SEED = 200


def names_of_personas() -> list[str]:
    """The names of the two hundred."""
    return [f"p{number:03d}" for number in range(1, PERSONAS + 1)]


def sparse(domain: Domain) -> Model:
    """Two hundred tastes about a shared one."""
    rng = np.random.default_rng(SPARSE_SEED)
    taste = np.array(SHARED) + np.array(SPREAD) * rng.standard_normal((PERSONAS, len(SHARED)))
    bias = BIAS + SPREAD_OF_BIAS * rng.standard_normal(PERSONAS)
    return Model.of(
        domain,
        {
            name: {
                "bias": round(float(bias[number]), 4),
                "weights": dict(zip(FEATURES, np.round(taste[number], 4).tolist(), strict=True)),
            }
            for number, name in enumerate(names_of_personas())
        },
    )


def sparse_injection() -> Injection:
    """Personas whose sizes fall by a power law, from thousands of rows to a handful."""
    share = 1.0 / (np.arange(PERSONAS) + 4.0) ** 1.2
    share /= share.sum()
    requests = {
        name: Request(float(one), 0.615, 205) for name, one in zip(names_of_personas(), share, strict=True)
    }
    return replace(DIST, requests=requests)
