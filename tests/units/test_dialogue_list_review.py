"""Two minutes to read the other's list, before the start is called (KeyForge, "Cartas de identidad")."""

from tableplay import Table

from roundtap_core.rulebooks.registry import rulebook


def seated() -> Table:
    table = Table(book=rulebook("keyforge-archon"))
    table.hub_says(clock="idle")
    return table


def test_two_minutes_are_counted_down_for_both() -> None:
    table = seated()
    table.presses("▼")
    assert table.says == "Check lists | 2:00 | press: next"
    table.wait(59_000)
    assert "1:01" in table.says
    table.wait(61_000)
    assert "time is up" in table.says
    table.presses("ana")
    assert table.kind == "idle"


def test_the_start_call_ends_it_and_in_the_game_there_is_no_look() -> None:
    table = seated()
    table.presses("▼")
    table.hub_says(clock="running")
    assert table.kind == "idle"
    table.presses("▼")
    assert table.kind == "idle"


def test_other_rulebooks_have_no_such_look() -> None:
    table = Table()
    table.hub_says(clock="idle")
    table.presses("▼")
    assert table.kind == "idle"
