"""What a start does not load: libraries that a hub or a unit needs later, rarely, or never."""

import subprocess
import sys

import pytest

LATER = {"spake2", "python_calamine", "cryptography"}
PAGES = {"flask", "jinja2"}  # reports are answered before there are pages
TABLES = {"sqlmodel", "sqlalchemy", "pydantic"}


@pytest.mark.parametrize(
    ("modules", "later"),
    [
        ("roundtap_hub.app.main", LATER | PAGES),
        ("roundtap_units.table.main, roundtap_units.table.unit", LATER | TABLES),
        ("roundtap_units.station.main", LATER | TABLES),
    ],
)
def test_what_is_needed_later_is_loaded_later(modules: str, later: set[str]) -> None:
    """Half a second of a Pi's start, each of them (README, what it stands on)."""
    told = subprocess.run(
        [sys.executable, "-c", f"import sys, {modules}; print(*sorted({{m.split('.')[0] for m in sys.modules}}))"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert later & set(told.split()) == set()
