"""What is asked of learning: the recipe."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from racl.errors import Problem, RaclError, quoted
from racl.learn.certify import ALPHA, DELTA
from racl.learn.curves import Curves, faults
from racl.learn.guards import FALLBACKS, FIXED
from racl.learn.learners import LEARNERS, RIDGE
from racl.model import Model

KNOWN = "known"
SHARES: Mapping[str, float] = {"none": 0.1, "fixed": 0.1, "validated": 0.1, "certified": 0.2}
ANCHORS = ("feasible", "zero-budget")


class RecipeError(RaclError, ValueError):
    """A recipe that nothing can be learned by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How to learn: the learner, the guard, and their settings."""

    learner: str = "latent"  # or `anchors`, `known`
    guard: str = "certified"  # or `none`, `fixed`, `validated`
    cap: float = FIXED.cap  # A of the fixed guard
    span: float = FIXED.span  # S of the fixed guard
    alpha: float = ALPHA  # most false vetoes that the certified guard lets pass
    delta: float = DELTA  # chance at which it may fail
    fallback: str = "spread"  # what becomes of log odds whose beta is too small to divide by
    ridge: float = RIDGE
    pull: float | None = None  # towards the pooled fit; chosen on held-out rows where not given
    curves: bool | Mapping[str, Any] | Curves = False  # shapes beyond straight lines
    held_out: float | None = None  # share of the choice sets held out; None for the guard's own
    anchors_from: str = "feasible"  # or `zero-budget`: which rows are anchors
    default_persona: bool = False  # whether personas not declared are learned from, and decided
    known: Mapping[str, Any] | Model | None = None  # weights by persona, for the learner `known`
    floor: float = 0.0  # of the scale of a truth model, for regret
    seed: int = 0
    threads: int | None = None

    def __post_init__(self) -> None:
        problems = list(_problems(self))
        if problems:
            raise RecipeError(problems)

    @property
    def share(self) -> float:
        """The share of the choice sets that is held out."""
        return SHARES[self.guard] if self.held_out is None else self.held_out


def _problems(recipe: Recipe) -> Iterator[Problem]:
    words = {
        "learner": (*LEARNERS, KNOWN),
        "guard": tuple(SHARES),
        "fallback": tuple(FALLBACKS),
        "anchors_from": ANCHORS,
    }
    for name, known in words.items():
        if getattr(recipe, name) not in known:
            yield Problem(name, f"{quoted(getattr(recipe, name))} is not known", f"one of {', '.join(known)}")
    ranges = {
        "cap": (recipe.cap > 0, "above 0"),
        "span": (recipe.span > 0, "above 0"),
        "alpha": (0 < recipe.alpha < 1, "between 0 and 1"),
        "delta": (0 < recipe.delta < 1, "between 0 and 1"),
        "ridge": (0 <= recipe.ridge < np.inf, "at least 0"),
        "pull": (recipe.pull is None or recipe.pull >= 0, "at least 0"),
        "held_out": (recipe.held_out is None or 0 <= recipe.held_out < 1, "from 0 to below 1"),
    }
    for name, (good, wanted) in ranges.items():
        if not good:
            yield Problem(name, f"{getattr(recipe, name):g} is not {wanted}")
    if (recipe.known is not None) != (recipe.learner == KNOWN):
        yield Problem("known", "weights are given with the learner `known`, and only with it")
    yield from faults(recipe.curves)
    if recipe.learner == KNOWN and recipe.curves:
        yield Problem("curves", "weights that are given have their shape", "leave out `curves`")
