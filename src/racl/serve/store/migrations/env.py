"""How the steps of the schema are taken: on the connection that is given, in its transaction."""

from alembic import context

context.configure(connection=context.config.attributes["connection"], transactional_ddl=False)
context.run_migrations()
