"""The demo: a hub, virtual tables, a small event, and the bench page to press their buttons."""

RULEBOOK, PLAYERS, TABLES = "keyforge-archon", 4, 2  # of the demo that is guided
