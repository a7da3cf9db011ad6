"""One file a form, as Alembic reads them; each says what changes from the form before."""
