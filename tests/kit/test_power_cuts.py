"""The promise of the kit: whatever dies in whichever moment, a press becomes exactly one entry and one SAVED."""

from __future__ import annotations

from collections import Counter

import pytest

from kit import Kit, Table, wait_until


def take_seats(table: Table) -> None:
    table.wait_for("press")
    table.tap("a")
    table.tap("b")


def report_100_to_0(table: Table) -> None:
    """The left player's button, again for 0, up to the other's question."""
    table.tap("a", "a")
    table.wait_for("yes")


def one_entry_for_each_press(kit: Kit, presses: int = 2) -> None:
    """Both sides of a match pressed: two reports, each with one entry, and the second of them made the result stand."""
    ids = Counter(str(entry.data["report_id"]) for entry in kit.reports())
    assert len(ids) == presses
    assert set(ids.values()) == {1}
    assert [entry.data["fate"] for entry in kit.reports()] == ["accepted"] * presses


def test_a_press_becomes_saved(kit: Kit) -> None:
    kit.start_hub()
    table = kit.start_table()
    take_seats(table)
    report_100_to_0(table)

    table.tap("b")

    table.wait_for("SAVED")
    one_entry_for_each_press(kit)
    assert f"#{kit.reports()[-1].number}" in table.text
    assert table.times_shown("SAVED") == 1


def test_the_unit_dies_when_the_confirmation_is_on_its_disk(kit: Kit) -> None:
    """After its fsync and before anything was sent: the restarted unit sends it."""
    kit.start_hub()
    table = kit.start_table()
    take_seats(table)
    report_100_to_0(table)
    kit.stop_table()
    table = kit.start_table(crash_at="after-outbox-fsync")
    table.wait_for("yes")

    table.tap("b")
    kit.wait_table_died()
    table = kit.start_table()

    table.wait_for("SAVED")
    one_entry_for_each_press(kit)
    assert table.times_shown("SAVED") == 1


@pytest.mark.parametrize("moment", ["after-commit", "before-commit"])
def test_the_hub_dies_around_its_commit(kit: Kit, moment: str) -> None:
    """After the commit and before the echo: known again by its id. Before the commit: sent again, and taken."""
    kit.start_hub()
    table = kit.start_table()
    take_seats(table)
    report_100_to_0(table)
    wait_until(lambda: len(kit.reports()) == 1, "the first player's report")
    kit.stop_hub()
    kit.start_hub(crash_at=moment)

    table.tap("b")
    kit.wait_hub_died()
    assert len(kit.reports()) == (2 if moment == "after-commit" else 1)
    assert table.times_shown("SAVED") == 0
    kit.start_hub()

    table.wait_for("SAVED")
    one_entry_for_each_press(kit)
    assert table.times_shown("SAVED") == 1
