"""The columns that a decision adds to a row, and their types."""

import pyarrow as pa

DECISION = pa.schema(
    [
        ("accepted", pa.bool_()),
        ("credit", pa.string()),
        ("plan", pa.string()),
        ("value", pa.float64()),
        ("margin", pa.float64()),
        ("cost", pa.float64()),
    ]
)


def decision_schema(prefix: str = "", decision: pa.Schema = DECISION) -> pa.Schema:
    """The columns of a decision, their names after a prefix."""
    return pa.schema([field.with_name(prefix + field.name) for field in decision])
