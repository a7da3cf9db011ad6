"""Fixtures of the hub's tests: a hub with its pages, alone or with a round in play."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pages_kit import Browser, House, open_house

from roundtap_hub.access import staff
from roundtap_hub.store import login_pins
from roundtap_hub.store.backups import Maintenance


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """A hub of its own, without any event."""
    with open_house(tmp_path) as opened:
        yield opened


@pytest.fixture
def browser(house: House) -> Browser:
    """An organizer's browser at an event whose round 1 is published."""
    browser = house.with_event()
    house.publish()
    return browser


@pytest.fixture
def no_upkeep(monkeypatch: pytest.MonkeyPatch) -> None:
    """Backups are made, and copies looked after, by the test itself."""
    monkeypatch.setattr(Maintenance, "start", lambda _: None)


@pytest.fixture
def slow_pins(monkeypatch: pytest.MonkeyPatch) -> None:
    """The staff's PINs are hashed as in a hall, not quickly as for most tests (made_once.py)."""
    monkeypatch.setattr(staff, "hash_pin", login_pins.hash_pin)
