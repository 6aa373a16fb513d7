"""Columns that stand in the names of folders: `year=2024/carrier=AA/part.parquet`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pyarrow as pa

from racl.domain.model import Column, Type
from racl.errors import quoted
from racl.scale.paths import fault
from racl.values import DECIMAL, TRUTHS

NULL = "__HIVE_DEFAULT_PARTITION__"
WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,17})")

Values = Mapping[str, str | None]


def partition(file: Path, root: Path) -> Values:
    """What the names of the folders between the root and a file say."""
    between = file.relative_to(root).parts[:-1] if file.is_relative_to(root) else ()
    pairs = [part.split("=", 1) for part in between if "=" in part]
    return {unquote(name): None if text == NULL else unquote(text) for name, text in pairs}


def partition_schema(
    files: Sequence[Path], found: Sequence[Values], own: pa.Schema, typed: Sequence[Column]
) -> pa.Schema:
    """The columns that folders name, each of the type that the domain gives it, or that all its texts have."""
    names = list(found[0])
    for file, values in zip(files, found, strict=True):
        if list(values) != names:
            told, first = (", ".join(map(quoted, one)) or "none" for one in (values, names))
            raise fault(file, f"its folders name {told} where those of {quoted(files[0].name)} name {first}")
    for name in names:
        if name in own.names:
            raise fault(files[0], f"column {quoted(name)} stands in the file and in the name of a folder")
    declared = {column.name: column for column in typed}
    texts = {name: [values[name] for values in found] for name in names}
    return pa.schema([(name, _type(texts[name], declared.get(name))) for name in names])


def _type(texts: Sequence[str | None], declared: Column | None) -> pa.DataType:
    known = [text for text in texts if text is not None]
    if declared is not None and declared.type is Type.CATEGORY:
        return pa.string()
    if known and all(WHOLE.fullmatch(text) for text in known):
        return pa.int64()
    if known and all(text in TRUTHS for text in known):
        return pa.bool_()
    numbers = known and all(DECIMAL.fullmatch(text) for text in known)
    return pa.float64() if numbers and declared is not None else pa.string()


def partition_columns(values: Values, schema: pa.Schema, rows: int) -> list[pa.Array]:
    """The columns of a stretch of one file's rows: the same value in every row."""
    columns = []
    for field in schema:
        value = _value(values[field.name], field.type)
        if field.type == pa.string():
            codes = pa.array(np.zeros(rows, np.int8), mask=np.full(rows, value is None))
            columns.append(pa.DictionaryArray.from_arrays(codes, pa.array([value or ""], pa.string())))
        else:
            columns.append(pa.repeat(pa.scalar(value, field.type), rows))
    return columns


def _value(text: str | None, type_: pa.DataType) -> object:
    if text is None or type_ == pa.string():
        return text
    if type_ == pa.bool_():
        return TRUTHS[text]
    return int(text) if type_ == pa.int64() else float(text)
