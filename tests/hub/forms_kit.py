"""Forms that there are not yet, made up for tests: a column for a mood, and a form that fails half way."""

from collections.abc import Iterator
from contextlib import contextmanager

from roundtap_hub.store.models import CURRENT, Migrations

LATER = "0.9.dev900+gfeedbeef0"
"""The version that knows the made-up forms."""

MOOD = (
    "ALTER TABLE person ADD COLUMN mood VARCHAR NOT NULL DEFAULT 'calm'",
    "CREATE TABLE weather (day VARCHAR NOT NULL PRIMARY KEY)",
)
FAILS = (MOOD[0], "INSERT INTO nowhere VALUES (1)", MOOD[1])


def later_forms(step: tuple[str, ...] = MOOD) -> Migrations:
    """The forms of a later program: today's, and 0003."""
    return Migrations({**CURRENT.steps, "0003": step}, lambda: LATER)


@contextmanager
def later_program() -> Iterator[None]:
    """Meanwhile this program is the later one: whatever opens a journal knows its forms."""
    later, today = later_forms(), Migrations(CURRENT.steps, CURRENT.running, CURRENT.readable)

    def know(forms: Migrations) -> None:
        for name in ("steps", "running", "readable"):
            object.__setattr__(CURRENT, name, getattr(forms, name))

    know(later)
    try:
        yield
    finally:
        know(today)
