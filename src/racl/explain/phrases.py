"""Phrases of an explanation: what was read, what came out, what changed."""

from __future__ import annotations

from collections.abc import Iterable

from racl.explain.explanation import Change, Check, Formula, Reading
from racl.explain.layout import glued
from racl.explain.numbers import amount, shown


def read(reads: Iterable[Reading]) -> str:
    """Columns and their values."""
    return ", ".join(glued(f"{one.column} = {shown(one.value, one.unit)}") for one in reads)


def given(formula: Formula) -> str:
    """A number and the expression that gave it."""
    value = amount(float(formula.value), formula.unit)
    plain = [one.column for one in formula.reads] == [formula.text]
    return f"{value} = {formula.text}" + ("" if plain or not formula.reads else f" ({read(formula.reads)})")


def worked_out(formula: Formula) -> str:
    """How a number came about; nothing for a plain number."""
    return f"= {formula.text} ({read(formula.reads)})" if formula.reads else ""


def applies(formula: Formula) -> str:
    """Whether a repair applies, and what that was read from."""
    reads = f" ({read(formula.reads)})" if formula.reads else ""
    return f"{'yes' if formula.value else 'no'}: {formula.text}{reads}"


def failed(failing: Iterable[Check]) -> str:
    """Requirements that fail, with what they read."""
    return "; ".join(f"`{one.requirement}` fails ({read(one.reads)})" for one in failing)


def change(one: Change) -> str:
    """A column that is set."""
    if one.before is None:
        return f"{glued(f'{one.column} -> {shown(one.after, one.unit)}')} (read by nothing)"
    if one.before == one.after:
        return glued(f"{one.column} stays {shown(one.after, one.unit)}")
    return glued(f"{one.column} {shown(one.before)} -> {shown(one.after, one.unit)}")
