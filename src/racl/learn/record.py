"""What a model remembers of how it was learned, as plain data."""

from __future__ import annotations

import hashlib
import math
import platform
from collections.abc import Iterable
from dataclasses import asdict
from importlib.metadata import version
from typing import Any

import numpy as np

from racl.expr.show import show
from racl.learn.asked import Recipe
from racl.learn.certify import Certificate
from racl.learn.guards import Guard, Scaled, Scaling
from racl.learn.learners import Fitted
from racl.learn.sample import Sample
from racl.learn.select import Chosen, Tried
from racl.learn.sources import InMemory, Sources
from racl.learn.validation import validation
from racl.metrics.measure import Chance, counts, figures
from racl.options import BY_ROW, BY_STATE, Floats

LIBRARIES = ("numpy", "scipy", "numba")


def record_of(sources: Sources, recipe: Recipe, chosen: Chosen) -> dict[str, Any]:
    """How a model was learned, fit for JSON."""
    validation, margins = validation_of(sources, recipe, chosen)
    record: dict[str, Any] = {
        "learner": recipe.learner,
        "guard": guard_of(recipe, chosen),
        "settings": settings_of(recipe),
        "data": {"fingerprint": sources.fingerprint},
        "rows": rows_of(sources, recipe, chosen.fitted),
        "curves": shape_of(sources),
        "split": split_of(sources, recipe),
        "fit": fit_of(chosen.fitted),
        "personas": personas_of(sources, chosen),
        "validation": validation,
        "versions": versions(),
        "notes": [*notes_of(sources, chosen), *margins],
    }
    return {name: plain(part) for name, part in record.items()}


def fingerprint(sample: Sample) -> str:
    """The hash of the rows as a fit sees them."""
    digest = hashlib.sha256()
    held = [getattr(sample.options, name) for name in ("start", *BY_STATE, *BY_ROW)]
    for array in (*held, sample.accepted, sample.weight, sample.choice_set):
        digest.update(np.ascontiguousarray(array).data)
    return f"sha256:{digest.hexdigest()}"


def versions() -> dict[str, str]:
    """What it was learned with."""
    import racl

    found = {name: version(name) for name in LIBRARIES}
    return {"racl": racl.__version__, "python": platform.python_version(), **found}


def plain(value: Any) -> Any:
    """The value as JSON can have it: what is not finite is null."""
    match value:
        case dict():
            return {str(key): plain(one) for key, one in value.items()}
        case list() | tuple():
            return [plain(one) for one in value]
        case np.generic():
            return plain(value.item())
        case float() if not math.isfinite(value):
            return None
        case _:
            return value


# parts -----------------------------------------------------------------------------------------------


def settings_of(recipe: Recipe) -> dict[str, Any]:
    """What was asked for."""
    names = ("ridge", "pull", "fallback", "anchors_from", "default_persona", "seed", "held_out")
    found = {name: getattr(recipe, name) for name in names}
    return {**found, "held_out": recipe.share}


def guard_of(recipe: Recipe, chosen: Chosen) -> dict[str, Any]:
    """The guard, the whole grid that it was chosen from, and its certificate."""
    found: dict[str, Any] = {"name": recipe.guard, **cap_and_span(chosen.guard)}
    if chosen.grid:
        found["grid"] = [tried_as_data(one) for one in chosen.grid]
    if isinstance(chosen.certificate, Certificate):
        found["certificate"] = asdict(chosen.certificate)
    return found


def cap_and_span(guard: Guard) -> dict[str, float]:
    """A and S."""
    return {"A": guard.cap, "S": guard.span}


def tried_as_data(tried: Tried) -> dict[str, Any]:
    """A guard of the grid with the figures that it was chosen by."""
    return {**cap_and_span(tried.guard), **{one.name: one.to_dict() for one in tried.figures}}


def rows_of(sources: Sources, recipe: Recipe, fitted: Fitted | None) -> dict[str, Any]:
    """How many rows there were, how many taught something, and why the others did not."""
    found: dict[str, Any] = dict(sources.rows)
    if fitted is not None:
        found["learned_from"] = float(fitted.rows[-1])
        found["learned_from_accepted"] = float(fitted.accepted[-1])
    if isinstance(sources.whole, InMemory):
        found["left_out"] = left_out(sources.whole.sample, recipe)
    elif sources.left_out:
        found["left_out"] = dict(sources.left_out)
    return found


def left_out(sample: Sample, recipe: Recipe) -> dict[str, int]:
    """Why rows teach a learner nothing."""
    options, counted = sample.options, sample.weight > 0
    if recipe.learner == "anchors":
        anchors = options.feasible
        reasons = {"not feasible as it came": ~anchors}
        if recipe.anchors_from == "zero-budget":
            reasons["with a budget"] = anchors & (options.budget > 0)
    else:
        reasons = {
            "no repair makes it feasible": ~options.admissible & ~options.repairable,
            "repairable, but over the budget": ~options.admissible & options.repairable,
        }
    found = {why: int((rows & counted).sum()) for why, rows in reasons.items()}
    return {**found, "of weight 0": int((~counted).sum())}


def split_of(sources: Sources, recipe: Recipe) -> dict[str, Any]:
    """What was held out."""
    held_out = sources.held_out
    found: dict[str, Any] = {"by": "choice set", "seed": recipe.seed, "share": recipe.share}
    found["held_out"] = 0 if held_out is None else len(held_out)
    found["held_out_sets"] = 0 if held_out is None else len(np.unique(held_out.choice_set))
    if isinstance(sources.training, InMemory):
        found["training"] = len(sources.training.sample)
    elif "used" in sources.rows:
        fitted = sources.training is not sources.whole
        found["training"] = sources.rows["used"] - (found["held_out"] if fitted else 0)
    return found


def shape_of(sources: Sources) -> dict[str, Any] | None:
    """The knots of each feature, and what was tried."""
    shape = sources.shape
    if shape is None:
        return None
    made = {
        feature.name: show(feature.value.node)
        for feature, term in zip(sources.domain.features, shape.terms, strict=True)
        if not term.plain
    }
    tried = [dict(zip(("knots", "penalty", "loss"), one, strict=True)) for one in shape.tried]
    return {"penalty": shape.penalty, "features": made, "tried": tried}


def fit_of(fitted: Fitted | None) -> dict[str, Any] | None:
    """How the fit went."""
    if fitted is None:
        return None
    tried = [{"pull": pull, "loss": loss} for pull, loss in fitted.pulls.items()]
    return {
        "pull": "pooled" if math.isinf(fitted.pull) else fitted.pull,
        "pulls": tried,
        "rounds": len(fitted.losses) - 1,
        "loss": fitted.losses[-1],
        "settled": fitted.settled,
    }


def personas_of(sources: Sources, chosen: Chosen) -> dict[str, Any]:
    """Of each persona: its rows, whether it has the pooled weights, how its score was scaled, and how sure it is."""
    names = [*sources.domain.personas, "(others)"]
    features = [one.name for one in sources.domain.features]
    found = {}
    for number, (name, scaling) in enumerate(zip(names, chosen.scaling, strict=True)):
        entry: dict[str, Any] = {"scaling": asdict(scaling)}
        if chosen.fitted is not None:
            bias, *errors = standard_errors(
                chosen.logits.of(number), chosen.fitted.covariance[number], scaling
            )
            entry = {
                "rows": float(chosen.fitted.rows[number]),
                "accepted": float(chosen.fitted.accepted[number]),
                "pooled": bool(chosen.fitted.pooled[number]),
                **entry,
                "standard_errors": {"bias": bias, "weights": dict(zip(features, errors, strict=True))},
            }
        found[name] = entry
    return found


def standard_errors(coefficients: Floats, covariance: Floats, scaling: Scaled) -> Floats:
    """(p + 1,) of bias and weights; where the score is divided by beta, beta is as uncertain as the rest."""
    p = len(coefficients) - 2
    jacobian = np.zeros((p + 1, p + 2))
    jacobian[np.arange(p + 1), [p, *range(p)]] = scaling.factor
    if scaling.scaling is Scaling.AFFINE:
        jacobian[:, p + 1] = -(scaling.factor**2) * coefficients[[p, *range(p)]]
    variance = np.einsum("ij,jk,ik->i", jacobian, covariance, jacobian)
    return np.asarray(np.sqrt(np.maximum(variance, 0.0)))


def validation_of(
    sources: Sources, recipe: Recipe, chosen: Chosen
) -> tuple[dict[str, Any] | None, Iterable[str]]:
    """The figures on the held-out rows of a fit that did not see them."""
    held, sample = validation(sources, recipe, chosen), sources.held_out
    if held is None or sample is None:
        return None, ()
    found = {
        "against": "labels" if held.truth.value is None else "truth",
        "counts": counts(held),
        "figures": figures(held, Chance(recipe.seed))[0].to_dict(),
    }
    some = sample.options.admissible
    rejected = some & ~sample.accepted
    if rejected.any() and held.judged.accepted[some].all():
        return found, (f"every held-out row with an admissible repair is accepted ({int(some.sum()):,})",)
    return found, ()


def notes_of(sources: Sources, chosen: Chosen) -> Iterable[str]:
    """What a user should know before the model is used."""
    scalings = {one.scaling for one in chosen.scaling}
    if Scaling.LEVEL in scalings:
        yield "the thresholds do not vary: the model means something at this one threshold only"
    if Scaling.NORMALISED in scalings:
        yield "of some personas acceptance hardly depends on the threshold: their scores are normalised instead"
    if chosen.fitted is not None:
        if not chosen.fitted.settled:
            yield "the fit ran out of rounds before it settled"
        names = [
            name
            for name, pooled in zip(sources.domain.personas, chosen.fitted.pooled, strict=False)
            if pooled
        ]
        if names and len(sources.domain.personas) > 1:
            shown = ", ".join(names[:10]) + (" and more" if len(names) > 10 else "")  # noqa: PLR2004
            yield f"{len(names):,} personas have the pooled weights: {shown}"
