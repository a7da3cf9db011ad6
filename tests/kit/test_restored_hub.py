"""The hub's card died and a backup was restored into another folder: the tables bring back what it lacks."""

from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from console_client import ConsoleClient
from kit import PIN, Kit, Table, wait_until
from roundtap.main import main
from roundtap_hub.store.backups import make_backup
from roundtap_hub.store.head_file import HEAD_FILE, read_head_file
from roundtap_hub.store.journal import Journal
from roundtap_hub.store.read_model import read_venue
from roundtap_hub.store.venue import Venue
from test_power_cuts import one_entry_for_each_press, report_100_to_0, take_seats

KIT = partial(Kit, tables=2)


def backup_of(kit: Kit) -> Path:
    """A backup of a hub that runs, as it makes one itself."""
    named = read_head_file(kit.hub_folder / HEAD_FILE)
    assert named is not None
    return make_backup(kit.hub_folder, kit.folder / "stick", named, "2026-11-22T04:00")


def restore(kit: Kit, backup: Path) -> None:
    """One command, into another folder: the first one's card is dead."""
    assert kit.stop_hub() == 0
    again = kit.folder / "another machine"
    assert main(["recover", "--from", str(backup), "--data", str(again)]) == 0
    kit.hub_folder = again


def venue_of(kit: Kit) -> Venue:
    with closing(Journal(f"sqlite:///{kit.hub_folder / 'roundtap.db'}", read_only=True)) as journal:
        return read_venue(journal, Venue())


def results(kit: Kit, console: ConsoleClient) -> list[list[object]]:
    """Everything that stands, as the event file has it."""
    file = console.export(kit.event)
    return [
        [match.get("a"), match.get("b"), match.get("table"), match.get("result")]
        for played in file["rounds"]
        for match in played["matches"]
    ]


def play_100_to_0(kit: Kit) -> None:
    """At both tables, each while the other one's players read."""
    tables = [kit.tables.get(number) or kit.start_table(number) for number in (1, 2)]
    for table in tables:
        take_seats(table)
    for table in tables:
        report_100_to_0(table)
    for table in tables:
        table.tap("b")
    for table in tables:
        table.wait_for("SAVED")


def read(table: Table, page: str) -> None:
    """A page is read, and a button that answers nothing ends it."""
    wait_until(lambda: page not in table.text or table.tap("up"), f"{page} to go")


def reported(kit: Kit) -> list[dict[str, object]]:
    """Every report, in an order of its own: each table sends again when it likes."""
    return sorted((entry.data for entry in kit.reports()), key=lambda data: str(data["report_id"]))


def test_a_restored_hub_takes_from_its_tables_what_it_lacks(kit: Kit) -> None:
    """Table 2 is off when the hub comes back, and brings its reports later."""
    kit.start_hub()
    backup = backup_of(kit)
    play_100_to_0(kit)
    before = reported(kit)
    kit.stop_table(2)
    restore(kit, backup)
    assert kit.reports() == []

    kit.start_hub()

    wait_until(lambda: len(kit.reports()) == 2, "both reports of table 1 to come again")
    one_entry_for_each_press(kit)
    afresh = venue_of(kit).restore_state
    assert set(afresh.heard) == {"table-1"}

    kit.start_table(2)

    wait_until(lambda: len(kit.reports()) == 4, "those of table 2 as well")
    one_entry_for_each_press(kit, presses=4)
    assert reported(kit) == before


@pytest.mark.long
def test_a_round_that_the_backup_lacks_is_adopted_and_everything_stands_as_before(kit: Kit) -> None:
    kit.start_hub()
    console = ConsoleClient(kit.url, PIN)
    play_100_to_0(kit)
    backup = backup_of(kit)
    console.post(f"/console/{kit.event}/draw", attempt=0)
    console.post(f"/console/{kit.event}/publish", number=2, attempt=1)
    play_100_to_0(kit)
    before = results(kit, console)
    assert len([line for line in before if line[3]]) == 4
    restore(kit, backup)

    kit.start_hub()

    console = ConsoleClient(kit.url, PIN)
    wait_until(
        lambda: (
            (afresh := venue_of(kit).restore_state) is not None and len(afresh.heard) == 2 and len(afresh.pending) == 4
        ),
        "both tables to be heard, and their reports of round 2 to wait",
    )
    assert len(results(kit, console)) == 2
    mark = next(iter(venue_of(kit).restore_state.pending.values())).report["draw"]  # type: ignore[union-attr]
    console.post("/console/restored/adopt", event=kit.event, number=2, mark=mark)
    console.post("/console/restored/settled")

    assert results(kit, console) == before
    assert venue_of(kit).restore_state is None
    refused = [entry.data["fate"] for entry in kit.reports() if entry.data["fate"] != "accepted"]
    assert refused == []
    assert len(kit.reports()) == 8
    console.post(f"/console/{kit.event}/draw", attempt=0)


def test_tables_play_on_while_the_hub_lacks_their_round_and_follow_it_once_it_is_adopted(kit: Kit) -> None:
    """The round's results come by button in the meantime. One table loses its power as well."""
    kit.start_hub()
    console = ConsoleClient(kit.url, PIN)
    play_100_to_0(kit)
    backup = backup_of(kit)
    console.post(f"/console/{kit.event}/draw", attempt=0)
    console.post(f"/console/{kit.event}/publish", number=2, attempt=1)
    for table in kit.tables.values():
        take_seats(table)
    console.post(f"/console/{kit.event}/clock", action="start")
    for table in kit.tables.values():
        table.wait_for_match(r"\b7\d:\d\d\b")
    restore(kit, backup)
    seen = {number: len(table.texts) for number, table in kit.tables.items()}

    kit.start_hub()

    for table in kit.tables.values():
        table.wait_for("Play on")
    kit.stop_table(2)
    table_2 = kit.start_table(2)
    table_2.wait_for("Play on")
    for table in (kit.tables[1], table_2):
        read(table, "Play on")
        table.wait_for_match(r"\b7\d:\d\d \| Hub restored")
    kit.tables[1].tap("a", "a")
    kit.tables[1].wait_for("RESULT KEPT")
    read(kit.tables[1], "RESULT KEPT")
    kit.tables[1].wait_for("yes")
    kit.tables[1].tap("b")
    kit.tables[1].wait_for("being checked")
    assert not any("SAVED" in text or "#" in text for text in kit.tables[1].texts[seen[1] :]), "of the last round"

    console = ConsoleClient(kit.url, PIN)
    pending = venue_of(kit).restore_state
    console.post(
        "/console/restored/adopt", event=kit.event, number=2, mark=next(iter(pending.pending.values())).report["draw"]
    )
    console.post("/console/restored/settled")

    kit.tables[1].wait_for("SAVED")
    # The clock counts on where the tables had it: who sits where is asked at the first press.
    table_2.tap("a")
    table_2.wait_for("Are you")
    table_2.tap("a", "a")
    table_2.wait_for("Right?")
    table_2.tap("b")
    table_2.wait_for("SAVED")
    assert [line[3] is not None for line in results(kit, console)] == [True] * 4
