"""New units in threads of their own, over HTTP, and an organizer who walks from one to the next with a keyboard."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from enrol_kit import patient_desk
from hall_kit import Hall
from screen_kit import Screen
from selenium.webdriver.common.keys import Keys

from patience import GUARD_S
from roundtap_units.link.enrolling import CODE, EnrolClient, EnrolledIdentity, EnrolProgress


@dataclass
class NewUnit:
    """One unit out of its box: asks, and keeps what it gets in memory."""

    asking: EnrolClient
    kept: list[EnrolledIdentity] = field(default_factory=list)

    def shown(self) -> EnrolProgress:
        """What its screen says, once that is a code with some seconds left."""
        until_s = time.monotonic() + GUARD_S
        while time.monotonic() < until_s:
            showing = self.asking.showing
            if showing.state == CODE and showing.until_ms - time.monotonic_ns() // 1_000_000 > 2000:
                return showing
            time.sleep(0.02)
        raise AssertionError(f"no code on the screen: {self.asking.showing}")


@contextmanager
def new_units(hall: Hall, count: int) -> Iterator[list[NewUnit]]:
    """So many, all of them switched on and asking."""
    at = urlsplit(hall.url)
    made = []
    for number in range(count):
        kept: list[EnrolledIdentity] = []
        made.append(
            NewUnit(
                EnrolClient(
                    "table",
                    f"m-{number}",
                    kept.append,
                    lambda: time.monotonic_ns() // 1_000_000,
                    [(at.hostname or "", at.port or 80)],
                ),
                kept,
            )
        )
    threads = [threading.Thread(target=unit.asking.run, daemon=True) for unit in made]
    for thread in threads:
        thread.start()
    try:
        with patient_desk():
            yield made
    finally:
        for unit in made:
            unit.asking.stop()
        for thread in threads:
            thread.join(GUARD_S)


def said(screen: Screen) -> str:
    """What the page tells of the unit before."""
    return " ".join(each.text for each in screen.all("p.said[role=status]")) + " "


def walk(screen: Screen, hall: Hall, units: list[NewUnit]) -> float:
    """From table 1 to the last; seconds from the first page to the last unit's name on it. Nothing but keys."""
    begun_s = time.monotonic()
    screen.open(f"{hall.url}/console/units/enrol")
    first = hall.house.service.snapshot.venue.tables.values()
    tables = [table for table in range(1, 999) if table not in set(first)]
    for table, unit in zip(tables, units, strict=False):
        showing = unit.shown()
        screen.press(f"{showing.number}{showing.code}", Keys.ENTER)
        screen.until(
            lambda table=table: f"table-{table} " in said(screen),  # type: ignore[misc]
            f"table-{table} to be there",
        )
    return time.monotonic() - begun_s
