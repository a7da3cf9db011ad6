"""The hub's card has died: a new hub finds the event on the stick, and one press goes on with it."""

import re
import signal
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from console_client import ConsoleClient, HubRefused
from kit import PIN, Kit, wait_until
from roundtap_hub.store.backups import COPIES_FOLDER, FOLDER, SET_ASIDE, backups_in
from roundtap_hub.store.folder_copy import COPY_FILE
from roundtap_hub.store.login_pins import hash_pin
from test_power_cuts import report_100_to_0, take_seats

NEW_PIN = "864209"
MARK = re.compile(r'name="mark" value="([0-9a-f]+)"')


@pytest.fixture
def disks() -> Iterator[tuple[Path, Path]]:
    """A folder on the machine's own disk and one on another, as a stick is."""
    with (
        tempfile.TemporaryDirectory(prefix="roundtap-", dir="/var/tmp") as own,
        tempfile.TemporaryDirectory(prefix="roundtap-stick-", dir="/dev/shm") as stick,
    ):
        if Path(own).stat().st_dev == Path(stick).stat().st_dev:
            pytest.skip("there is no second disk here")
        yield Path(own), Path(stick)


@pytest.fixture
def kit(disks: tuple[Path, Path]) -> Iterator[Kit]:
    """A hub with a stick, and two tables; table 1 has reported, table 2 has not."""
    folder, stick = disks
    made = Kit(folder, tables=2)
    made.secure = ("--copy", str(stick))
    try:
        made.start_hub()
        for number in (1, 2):
            take_seats(made.start_table(number))
        wait_until((stick / COPY_FILE).exists, "the copy on the stick")
        wait_until(lambda: backups_in(stick / COPIES_FOLDER), "a backup on the stick")
        report_100_to_0(made.tables[1])
        made.tables[1].tap("b")
        made.tables[1].wait_for("SAVED")
        yield made
    finally:
        made.stop()


def new_card(kit: Kit) -> None:
    """Another card: an empty folder, with a PIN that its roundtap.txt named."""
    kit.hub_folder = kit.folder / "new card"
    kit.hub_folder.mkdir()
    (kit.hub_folder / "pin").write_text(hash_pin(NEW_PIN, "salt"))
    kit.start_hub()


def offered(console: ConsoleClient) -> str:
    """The mark of the one offer on the start page, once it stands there."""
    return wait_until(lambda: MARK.findall(console.page("/console")), "the offer")[0]


def organizer_of(kit: Kit, pin: str) -> ConsoleClient:
    def log_in() -> ConsoleClient | None:
        with suppress(HubRefused):
            return ConsoleClient(kit.url, pin)
        return None

    console: ConsoleClient = wait_until(log_in, "the hub to let in")
    return console


def test_from_a_dead_hub_to_a_running_round_on_another_card(kit: Kit, disks: tuple[Path, Path]) -> None:
    """Nobody types a command: the stick is in the new hub, its start page offers the event, and one press does it."""
    kit.stop_hub(signal.SIGKILL)
    on_stick = backups_in(disks[1] / COPIES_FOLDER)
    authority = (kit.hub_folder / "tls" / "ca.crt").read_bytes()
    new_card(kit)
    assert (kit.hub_folder / "tls" / "ca.crt").read_bytes() != authority
    console = organizer_of(kit, NEW_PIN)
    mark = offered(console)
    page = console.page("/console")
    assert "Continue “Friday night”" in page
    assert re.search(r"\d+ entries in all until \d{4}-\d\d-\d\d \d\d:\d\d", page)

    wait_until(lambda: backups_in(kit.hub_folder / FOLDER), "the new hub's own backup")
    assert backups_in(disks[1] / COPIES_FOLDER) == on_stick, "the stick stays as it was until the press"

    with pytest.raises(HubRefused, match="PIN"):
        console.post("/console/continue", mark=mark, pin=PIN)
    assert "fingerprint" in console.post("/console/continue", mark=mark, pin=NEW_PIN)

    console = organizer_of(kit, PIN)
    with urllib.request.urlopen(f"{kit.url}/login?next=/console") as door:
        assert "Use the PIN of that event" in door.read().decode()
    assert (kit.hub_folder / "tls" / "ca.crt").read_bytes() == authority, "staff's browsers trust it already"
    # The new card knew no key of the tables: one that met it says so until this hub has let it in.
    wait_until(lambda: "REFUSED" not in kit.tables[2].text, "the table to be let in")
    report_100_to_0(kit.tables[2])
    kit.tables[2].tap("b")
    kit.tables[2].wait_for("SAVED")
    assert sorted(entry.data["fate"] for entry in kit.reports()) == ["accepted"] * 4
    assert "Friday night" in console.page("/console")
    wait_until(lambda: backups_in(disks[1] / COPIES_FOLDER) != on_stick, "its next backup on the stick")
    [aside] = (kit.hub_folder / FOLDER / SET_ASIDE).iterdir()
    assert (aside / "roundtap.db").is_file()
    assert (aside / "pin").is_file()
