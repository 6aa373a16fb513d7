"""Weights that are given: nothing is learned."""

from __future__ import annotations

from racl.domain.model import Domain
from racl.errors import DataError, Problem
from racl.learn.asked import Recipe
from racl.model import Model
from racl.options import Floats
from racl.rebase import rebase


def known_weights(domain: Domain, recipe: Recipe) -> Floats:
    """(personas + 1, p + 1) the weights of a recipe, in the order of the domain; raises ModelError where they do not fit."""
    given = recipe.known
    if given is None:
        raise AssertionError("the recipe has been checked")
    model = rebase(given, domain)[0] if isinstance(given, Model) else Model.of(domain, given)
    if recipe.default_persona and model.taste.default is None:
        what, hint = "there are no weights for personas that are not declared", "add `preference_default`"
        raise DataError([Problem("known", what, hint)])
    return model.weights.copy()
