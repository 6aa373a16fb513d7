"""The first tables."""

from alembic import op

from racl.serve.store.schema import statements

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make them."""
    for statement in statements("postgresql", 0):
        op.execute(statement)
