"""Every admissible state of every row, and how a state is judged: the waist between rows and learning."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from racl.decide import encoded, workers
from racl.domain.model import Choose, Domain
from racl.engines.gather import Gathered, gather
from racl.engines.outputs import plan_name
from racl.errors import DataError
from racl.frames import Table, check_columns, read_frame
from racl.model import Model
from racl.program import Program
from racl.semantics import Preference, Taste

Floats = NDArray[np.float64]
Truths = NDArray[np.bool_]
Whole = NDArray[np.int64]
NONE = -1  # no state, no plan


@dataclass(frozen=True, eq=False)
class Options:
    """What may become of n rows: m admissible states in all, p features each.

    The states stand row by row, in a row by the number of steps and then as declared, so that of equal states the
    first is the one to take. A refused row has no states.
    """

    program: Program
    start: Whole  # (n + 1,) the states of row i are those from start[i] up to start[i + 1]
    plan: Whole  # (m,) number of the plan; 0 is `keep`
    cost: Floats  # (m,)
    features: Floats  # (m, p)
    given: Floats  # (n, p) features of the candidate as it came, feasible or not
    violated: Truths  # (n, requirements) of the candidate as it came
    repairable: Truths  # (n,) feasible after some plan, at whatever cost
    persona: NDArray[np.intp]  # (n,) number of the persona; one past the last for any that is not declared
    budget: Floats  # (n,)
    threshold: Floats  # (n,)
    refused: Truths  # (n,)

    def __len__(self) -> int:
        return len(self.threshold)

    @cached_property
    def row(self) -> NDArray[np.intp]:
        """(m,) the row of each state."""
        return np.repeat(np.arange(len(self)), self.count)

    @cached_property
    def count(self) -> NDArray[np.intp]:
        """(n,) how many states each row has."""
        return np.diff(self.start)

    @property
    def admissible(self) -> Truths:
        """(n,) rows with a state at all."""
        return self.count > 0

    @cached_property
    def feasible(self) -> Truths:
        """(n,) candidates that violate nothing as they came."""
        return ~self.violated.any(axis=1) & ~self.refused

    @property
    def personas(self) -> tuple[str, ...]:
        """The declared personas."""
        return self.program.domain.personas

    @property
    def tradeoff(self) -> float:
        """Lambda: what a unit of cost takes off a value."""
        return self.program.domain.rule.tradeoff

    def take(self, rows: NDArray[np.intp] | Truths) -> Options:
        """Some of the rows, in the order given."""
        rows = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
        start, states = states_of(self.start, np.asarray(rows, np.intp))
        by_state = {name: getattr(self, name)[states] for name in BY_STATE}
        by_row = {name: getattr(self, name)[rows] for name in BY_ROW}
        return Options(self.program, start, **by_state, **by_row)

    def kept(self) -> NDArray[np.intp]:
        """(n,) the state that leaves the candidate as it is; -1 where that is not feasible, or not among the states."""
        first = at(self.plan, np.where(self.admissible, self.start[:-1], NONE), nothing=NONE)
        return np.where(self.feasible & (first == 0), self.start[:-1], NONE)


def states_of(start: Whole, rows: NDArray[np.intp]) -> tuple[Whole, NDArray[np.intp]]:
    """Where the states of some rows would start if they stood one after the other, and which states they are."""
    count = np.diff(start)[rows]
    taken = np.concatenate([[0], np.cumsum(count)])
    return taken, np.arange(taken[-1]) + np.repeat(start[rows] - taken[:-1], count)


BLOCK = 1 << 17  # rows whose options are gathered at a time
BY_STATE = ("plan", "cost", "features")
BY_ROW = ("given", "violated", "repairable", "persona", "budget", "threshold", "refused")


def expand(domain: Domain, frame: object, *, other: bool = False, threads: int | None = None) -> Options:
    """The options of a frame's rows; `other` where a persona need not be a declared one."""
    return expand_table(blank(domain, other=other), read_frame(frame), threads=threads)


def expand_table(model: Model, table: Table, *, threads: int | None = None) -> Options:
    """The options of a table's rows; what the model prefers does not matter, only whether any persona will do."""
    problems = check_columns(table, model.domain.columns_read)
    if problems:
        raise DataError(problems)
    starts = range(0, max(table.rows, 1), BLOCK)

    def part(start: int) -> Gathered:
        stop = min(start + BLOCK, table.rows)
        return gather(model.program, encoded(model, table, start, stop), stop - start)

    with ThreadPoolExecutor(workers(model, table.rows, threads)) as pool:
        parts = list(pool.map(part, starts))
    return collected(model.program, parts)


def collected(program: Program, parts: Sequence[Gathered]) -> Options:
    """The options of several stretches of rows, one after the other."""
    counts = [np.bincount(part.row, minlength=len(part.threshold)) for part in parts]
    whole: dict[str, Any] = {
        one.name: np.concatenate([getattr(part, one.name) for part in parts])
        for one in fields(Gathered)
        if one.name != "row"
    }
    return Options(program, np.concatenate([[0], np.cumsum(np.concatenate(counts))]), **whole)


def joined(parts: Sequence[Options]) -> Options:
    """The options of several stretches of rows, already made, one after the other."""
    if len(parts) == 1:
        return parts[0]
    start = np.concatenate([[0], np.cumsum(np.concatenate([part.count for part in parts]))])
    whole = {name: np.concatenate([getattr(part, name) for part in parts]) for name in (*BY_STATE, *BY_ROW)}
    return Options(parts[0].program, start, **whole)


def blank(domain: Domain, *, other: bool = False) -> Model:
    """A model that prefers nothing."""
    nothing = Preference(0.0, (0.0,) * len(domain.features))
    return Model(domain, Taste(dict.fromkeys(domain.personas, nothing), nothing if other else None))


# judging ---------------------------------------------------------------------------------------------


def values(options: Options, weights: Floats) -> Floats:
    """(m,) the value of every state under weights (personas + 1, p + 1), to the bit as the engines have it."""
    persona = options.persona[options.row]
    total: Floats = weights[persona, 0]
    with np.errstate(over="ignore", invalid="ignore"):
        for number in range(options.features.shape[1]):
            total = total + weights[persona, number + 1] * options.features[:, number]
        return total - options.tradeoff * options.cost if options.tradeoff else total


def best(options: Options, values: Floats, among: Truths | None = None) -> NDArray[np.intp]:
    """(n,) of the states that may be taken the first of the highest value; -1 where none may.

    A state whose value is not finite may never be taken.
    """
    free = np.isfinite(values) if among is None else among & np.isfinite(values)
    level = np.where(free, values, -np.inf)
    top = np.full(len(options), -np.inf)
    some = np.flatnonzero(options.admissible)
    if len(some):
        top[some] = np.maximum.reduceat(level, options.start[some])
    reached = np.flatnonzero(free & (level == top[options.row]))
    found = np.full(len(options), NONE)
    found[options.row[reached[::-1]]] = reached[::-1]
    return found


def cheapest(options: Options, values: Floats) -> NDArray[np.intp]:
    """(n,) of the states whose value reaches the threshold the cheapest, then the best, then the first; -1 where none."""
    reaching = values >= options.threshold[options.row]
    least = at(options.cost, best(options, -options.cost, reaching), nothing=np.nan)
    return best(options, values, reaching & (options.cost == least[options.row]))


def at(array: NDArray[Any], states: NDArray[np.intp], *, nothing: float) -> NDArray[Any]:
    """(n,) what an array (m,) holds for these states; `nothing` where there is no state."""
    return np.append(array, np.asarray(nothing, array.dtype))[states]


def chosen(options: Options, values: Floats) -> NDArray[np.intp]:
    """(n,) the state that a decision is about: of the plan, or of the best repair on rejection; -1 where there is none."""
    top = best(options, values)
    if options.program.domain.rule.choose is Choose.BEST:
        return top
    found = cheapest(options, values)
    return np.where(found >= 0, found, top)


def plan_names(program: Program, plans: Whole) -> NDArray[np.object_]:
    """The names of plans by their numbers; `None` for -1."""
    numbers, codes = np.unique(plans, return_inverse=True)
    names = [None if number < 0 else plan_name(program, int(number)) for number in numbers]
    return np.array(names, object)[codes]
