"""The demo: a hub, virtual tables, a small event, and the bench page to press their buttons."""
