"""The text of a kernel as Python itself runs it: what the compiler is given, without waiting for the compiler."""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence
from dataclasses import fields
from types import CodeType, FrameType
from typing import Any

import numpy as np

from racl import Model, elementary
from racl.decide import encoded
from racl.engines.kernel import kernel_text
from racl.engines.kernel_source import column_types
from racl.engines.outputs import Outputs, allocate
from racl.frames import Table, read_rows
from strategies.rows import Row

FILE = "<text of a kernel>"


class Wide(ast.NodeTransformer):
    """Makes numbers those of NumPy, which divide by zero as machine code does."""

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if not isinstance(node.value, float):
            return node
        return ast.Call(ast.Name("wide", ast.Load()), [node], [])


def code_of(text: str) -> CodeType:
    """The text of a kernel, ready to run."""
    return compile(ast.fix_missing_locations(Wide().visit(ast.parse(text))), FILE, "exec")


def by_text(model: Model, rows: Sequence[Row] | Table) -> Outputs:
    """What the text of a model's kernel writes for the rows."""
    table = rows if isinstance(rows, Table) else read_rows(rows)
    text = kernel_text(model.program, other=model.taste.default is not None, tame=model.tame)
    out = allocate(model.program, table.rows)
    interpreted(text, model, table, out)
    for row in table.faults:
        out.refused[row] = True
    return out


def lines_run(model: Model, rows: Sequence[Row], change: tuple[str, str] = ("", "")) -> int:
    """How many lines of a kernel's text run to decide the rows, where something in it is changed for something else."""
    text = kernel_text(model.program, other=model.taste.default is not None, tame=model.tame)
    lines = 0

    def counted(frame: FrameType, event: str, _: object) -> Any:
        nonlocal lines
        if frame.f_code.co_filename != FILE:
            return None
        lines += event == "line"
        return counted

    before = sys.gettrace()
    sys.settrace(counted)
    try:
        interpreted(text.replace(*change), model, read_rows(rows), allocate(model.program, len(rows)))
    finally:
        sys.settrace(before)
    return lines


def interpreted(text: str, model: Model, table: Table, out: Outputs) -> None:
    """Run the text of a kernel on a table."""
    namespace: dict[str, Any] = {
        "np": np,
        "wide": np.float64,
        "array": lambda array, shape: array.reshape(shape),
        "select": lambda test, then, other: then if test else other,
        "pick": lambda number, *choices: choices[number],
        "power_of_two": lambda power: np.float64(2.0**power),
        **{name: getattr(np, name) for name in ("floor", "ceil", "sqrt")},
        **{name: getattr(elementary, name) for name in ("log", "exp")},
    }
    exec(code_of(text), namespace)  # noqa: S102 - the library's own text
    columns = encoded(model, table, 0, table.rows)
    given = [columns[name].astype(type_) for name, type_ in column_types(model.program).items()]
    written = [getattr(out, one.name) for one in fields(out)]
    with np.errstate(all="ignore"):
        namespace["kernel"](table.rows, len(model.weights), model.weights, *given, *written)
