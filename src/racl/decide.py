"""Frames to decisions: picks an engine by size, feeds it block by block, and finds the refused rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice
from typing import Any, Literal, overload

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from racl import semantics
from racl.domain.effects import plans_per_row
from racl.engines import arrays
from racl.engines.outputs import CREDIT_NUMBER, CREDITS, Outputs, allocate, plan_name
from racl.errors import DataError, KernelWarning, Problem, Refusal, RowError
from racl.frames import DECISION, Table, arrow, check_columns, check_new_names, read_frame, with_columns
from racl.model import Engine, Model
from racl.program import OTHER
from racl.semantics import Decision, Refused
from racl.threads import Block, available, run_blocks
from racl.values import Fault

BLOCK = 1 << 17  # rows that one thread takes at a time
LARGER = 4  # times as many for the kernel, which needs no memory for what is in between
COMPILE_AT = 1_000_000  # rows times plans from which compiling pays, of a kernel that is small
SMALL = 600  # repairs times steps, squared, from which a kernel takes twice as long to compile
ROW_BY_ROW = 50  # rows up to which plans of several steps are searched faster for one row after the other
THREADS_AT = 500_000  # rows times plans below which waking other threads costs more than it saves
SHOWN = 10
NAMES = tuple(DECISION.names)


@dataclass(frozen=True, eq=False)
class Decisions:
    """Decisions in the order of the rows; where rows were set aside, of the others."""

    model: Model
    table: Table
    outputs: Outputs
    prefix: str = ""

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        counts = ", ".join(f"{count:,} {credit}" for credit, count in self.counts().items() if count)
        return f"<Decisions on {len(self):,} rows: {counts or 'none'}>"

    @cached_property
    def rows(self) -> NDArray[np.intp]:
        """The numbers of the rows that were decided."""
        return np.flatnonzero(~self.outputs.refused)

    def _kept(self, array: NDArray[Any]) -> NDArray[Any]:
        return array if not self.outputs.refused.any() else array[~self.outputs.refused]

    @cached_property
    def accepted(self) -> NDArray[np.bool_]:
        """Whether each row is accepted."""
        return self._kept(self.outputs.accepted)

    @cached_property
    def credit(self) -> NDArray[np.object_]:
        """The credit of each row, as text."""
        names = np.array([credit.value for credit in CREDITS], object)
        return np.asarray(names[self._kept(self.outputs.credit)], object)

    @cached_property
    def plan(self) -> NDArray[np.object_]:
        """The plan of each row, `None` on rejection."""
        names, codes = self.plans
        return np.asarray(np.array([*names, None], object)[codes], object)

    @cached_property
    def plans(self) -> tuple[list[str], NDArray[np.signedinteger]]:
        """The names of the plans that occur, and each row's number among them, -1 for none."""
        numbers = self._kept(self.outputs.plan)
        if self.model.domain.rule.steps == 1:
            return list(self.model.program.names), numbers
        occurring, codes = np.unique(numbers, return_inverse=True)
        first = int(len(occurring) > 0 and occurring[0] < 0)
        return [plan_name(self.model.program, int(number)) for number in occurring[first:]], codes - first

    @cached_property
    def value(self) -> NDArray[np.float64]:
        """The value of the plan, or of the best repair on rejection; NaN where nothing is admissible."""
        return self._kept(self.outputs.value)

    @cached_property
    def margin(self) -> NDArray[np.float64]:
        """The value less the threshold; NaN where nothing is admissible."""
        return self._kept(self.outputs.margin)

    @cached_property
    def cost(self) -> NDArray[np.float64]:
        """The cost of the plan, or of the best repair on rejection; NaN where nothing is admissible."""
        return self._kept(self.outputs.cost)

    def columns(self) -> dict[str, pa.Array]:
        """The six columns as Arrow has them; credit and plan as dictionaries, null for none."""
        names, codes = self.plans
        credits_ = [credit.value for credit in CREDITS]
        columns = {
            "accepted": arrow.truths(self.accepted),
            "credit": _dictionary(self._kept(self.outputs.credit), credits_),
            "plan": _dictionary(codes, names),
            **{name: _nullable(getattr(self, name)) for name in ("value", "margin", "cost")},
        }
        return {self.prefix + name: column for name, column in columns.items()}

    def to_native(self) -> Any:
        """The kind of frame that came in: its own columns first, then the six of the decision."""
        problems = check_new_names(self.table.names, [self.prefix + name for name in NAMES])
        if problems:
            raise DataError(problems)
        keep = ~self.outputs.refused if self.outputs.refused.any() else None
        return with_columns(self.table, self.columns(), keep)

    def counts(self) -> dict[str, int]:
        """How many rows have each credit, all six in their order."""
        found = np.bincount(self._kept(self.outputs.credit), minlength=len(CREDITS))
        return {credit.value: int(count) for credit, count in zip(CREDITS, found, strict=True)}


def _dictionary(codes: NDArray[Any], names: list[str]) -> pa.DictionaryArray:
    small, type_ = (np.int8, pa.int8()) if len(names) < np.iinfo(np.int8).max else (np.int32, pa.int32())
    indices = arrow.nullable(np.ascontiguousarray(codes, small), type_, codes < 0)
    return pa.DictionaryArray.from_arrays(indices, arrow.texts(tuple(names), pa.string()))


def _nullable(values: NDArray[np.float64]) -> pa.Array:
    return arrow.nullable(np.ascontiguousarray(values), pa.float64(), np.isnan(values))


@overload
def decide(
    model: Model,
    frame: object,
    *,
    refused: Literal["raise"] = ...,
    engine: Engine = ...,
    threads: int | None = ...,
    prefix: str = ...,
) -> Decisions: ...
@overload
def decide(
    model: Model,
    frame: object,
    *,
    refused: Literal["collect"],
    engine: Engine = ...,
    threads: int | None = ...,
    prefix: str = ...,
) -> tuple[Decisions, tuple[Refusal, ...]]: ...
@overload
def decide(
    model: Model,
    frame: object,
    *,
    refused: Literal["raise", "collect"],
    engine: Engine = ...,
    threads: int | None = ...,
    prefix: str = ...,
) -> Decisions | tuple[Decisions, tuple[Refusal, ...]]: ...
def decide(
    model: Model,
    frame: object,
    *,
    refused: Literal["raise", "collect"] = "raise",
    engine: Engine = "auto",
    threads: int | None = None,
    prefix: str = "",
) -> Decisions | tuple[Decisions, tuple[Refusal, ...]]:
    """The decisions on a frame, and with refused="collect" the refusals beside them."""
    if refused not in ("raise", "collect"):
        raise ValueError(f"refused is {refused!r}; it may be 'raise' or 'collect'")
    decisions = decide_table(model, read_frame(frame), engine=engine, threads=threads, prefix=prefix)
    if refused == "collect":
        return decisions, tuple(refusals(decisions))
    raise_refused(decisions)
    return decisions


def decide_table(
    model: Model,
    table: Table,
    *,
    engine: Engine = "auto",
    threads: int | None = None,
    prefix: str = "",
    outputs: Outputs | None = None,
) -> Decisions:
    """The decisions on a table, in memory that is given or new; refused rows are marked."""
    problems = check_columns(table, model.domain.columns_read)
    if problems:
        raise DataError(problems)
    outputs = outputs or allocate(model.program, table.rows)
    name = chosen_engine(model, table.rows) if engine == "auto" else engine
    if name not in ENGINES:
        raise ValueError(f"no engine {name!r}; there are {', '.join(['auto', *ENGINES])}")
    run = ENGINES[name](model, table, outputs)
    for row in table.faults:
        outputs.refused[row] = True
    size = BLOCK * LARGER if name == "kernel" else BLOCK
    run_blocks(run, table.rows, workers=workers(model, table.rows, threads), size=size)
    for row in table.faults:
        _mark_refused(outputs, row)
    return Decisions(model, table, outputs, prefix)


def chosen_engine(model: Model, rows: int) -> str:
    """The kernel for what is large enough to pay for compiling, else NumPy, or closures for a few long searches."""
    domain = model.domain
    if rows * plans_per_row(domain) >= compile_at(len(domain.repairs), domain.rule.steps):
        return "kernel"
    return "rows" if domain.rule.steps > 1 and rows <= ROW_BY_ROW else "arrays"


def compile_at(repairs: int, steps: int) -> int:
    """Rows times plans from which compiling pays."""
    return COMPILE_AT + (COMPILE_AT * (repairs * steps) ** 2 // SMALL if steps > 1 else 0)


def workers(model: Model, rows: int, threads: int | None) -> int:
    """How many threads to use."""
    if threads is not None:
        if threads < 1:
            raise ValueError(f"threads is {threads}; it must be at least 1")
        return threads
    return available() if rows * plans_per_row(model.domain) >= THREADS_AT else 1


# engines ---------------------------------------------------------------------------------------------


def encoded(model: Model, table: Table, start: int, stop: int) -> dict[str, NDArray[Any]]:
    """The columns that are read, as arrays, from one row to another."""
    codes, persona = model.program.terms.codes, model.domain.rule.persona
    other = codes[OTHER] if model.taste.default is not None else -1
    return {
        column.name: table.encode(column, codes, start, stop, other if column.name == persona else -1)
        for column in model.domain.columns_read
    }


def by_arrays(model: Model, table: Table, outputs: Outputs) -> Block:
    """NumPy columns."""

    def run(start: int, stop: int) -> None:
        arrays.decide(
            model.program, encoded(model, table, start, stop), model.weights, outputs.part(start, stop)
        )

    return run


def by_kernel(model: Model, table: Table, outputs: Outputs) -> Block:
    """The compiled kernel, or NumPy where it cannot be had."""
    try:
        compiled = model.kernel
    except Exception as fault:  # noqa: BLE001 - whatever the compiler raises, the answers are to be had without it
        _warn_once(fault)
        return by_arrays(model, table, outputs)

    def run(start: int, stop: int) -> None:
        compiled(encoded(model, table, start, stop), model.weights, outputs.part(start, stop))

    return run


def _warn_once(fault: Exception) -> None:
    reason = str(fault).strip().splitlines()[:1] or [type(fault).__name__]
    message = f"the kernel cannot be compiled ({reason[0]}); NumPy decides instead: the same answers, tens of times slower"
    warnings.warn(message, KernelWarning, stacklevel=6)


def by_definition(model: Model, table: Table, outputs: Outputs) -> Block:
    """The definition, row by row."""
    return _by_row(model, table, outputs, partial(semantics.decide, model.domain, model.taste))


def by_rows(model: Model, table: Table, outputs: Outputs) -> Block:
    """The generated closure, row by row."""
    return _by_row(model, table, outputs, model._closure)  # noqa: SLF001 - of this package


def _by_row(
    model: Model,
    table: Table,
    outputs: Outputs,
    decide_row: Callable[[dict[str, object]], Decision | Refused],
) -> Block:
    numbers = {name: number for number, name in enumerate(model.program.names)}
    base = len(model.program.names)

    def run(start: int, stop: int) -> None:
        for row in range(start, stop):
            found = decide_row(raw_row(model, table, row))
            if isinstance(found, Refused):
                _mark_refused(outputs, row)
                continue
            steps = [numbers[name] for name in found.plan.split(" + ")] if found.plan is not None else []
            plan = (
                sum(step * base**place for place, step in enumerate(steps)) if found.plan is not None else -1
            )
            outputs.refused[row], outputs.accepted[row] = False, found.accepted
            outputs.credit[row], outputs.plan[row] = CREDIT_NUMBER[found.credit], plan
            for name in ("value", "margin", "cost"):
                given = getattr(found, name)
                getattr(outputs, name)[row] = np.nan if given is None else given

    return run


def _mark_refused(outputs: Outputs, row: int) -> None:
    outputs.refused[row], outputs.accepted[row] = True, False
    outputs.credit[row], outputs.plan[row] = -1, -1
    outputs.value[row] = outputs.margin[row] = outputs.cost[row] = np.nan


def raw_row(model: Model, table: Table, row: int) -> dict[str, object]:
    """One row as the definition reads it; of a table of text, each cell already typed by its column."""
    if not table.text:
        return {column.name: table.raw(column.name, row) for column in model.domain.columns_read}
    values = {column.name: table.read(column, row) for column in model.domain.columns_read}
    return {
        name: table.raw(name, row) if isinstance(value, Fault) else value for name, value in values.items()
    }


ENGINES: dict[str, Callable[[Model, Table, Outputs], Block]] = {
    "definition": by_definition,
    "rows": by_rows,
    "arrays": by_arrays,
    "kernel": by_kernel,
}


# refused rows ----------------------------------------------------------------------------------------


def refusals(decisions: Decisions) -> Iterator[Refusal]:
    """Why each refused row was refused, in the words of the definition."""
    model, table = decisions.model, decisions.table
    for row in map(int, np.flatnonzero(decisions.outputs.refused)):
        yield refusal(model, table, row)


def refusal(model: Model, table: Table, row: int) -> Refusal:
    """Why one row was refused."""
    if row in table.faults:
        return Refusal(table.offset + row, "", table.faults[row])
    found = fault_of_text(model, table, row) or semantics.decide(
        model.domain, model.taste, raw_row(model, table, row)
    )
    if isinstance(found, Decision):
        where = f"row {table.offset + row}"
        raise DataError(
            [Problem(where, "an engine refused a row that the definition decides", "please report this")]
        )
    return Refusal(table.offset + row, found.column, found.reason)


def fault_of_text(model: Model, table: Table, row: int) -> Refused | None:
    """The first cell of text that its column refuses, in the words for text."""
    for column in model.domain.columns_read if table.text else ():
        found = table.read(column, row)
        stands_in = column.name == model.domain.rule.persona and model.taste.default is not None
        if isinstance(found, Fault) and not stands_in:
            return Refused(column.name, found.reason)
    return None


def raise_refused(decisions: Decisions) -> None:
    """Raise with the first ten refusals and the count, if any row was refused."""
    count = int(np.count_nonzero(decisions.outputs.refused))
    if count:
        raise RowError(islice(refusals(decisions), SHOWN), count)
