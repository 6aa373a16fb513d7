"""Indexes by which the log is looked through."""

from alembic import op

from racl.serve.store.schema import statements

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make them."""
    for statement in statements("postgresql", 1):
        op.execute(statement)
