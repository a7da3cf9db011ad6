"""The store: the journal and its one writer, copies, backups, and how it is restored."""
