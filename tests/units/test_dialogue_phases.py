"""The round's phases beside the clock, and an end that nobody at the table knows beforehand."""

from tableplay import Table

from roundtap_core.rulebooks.registry import rulebook

BOOK = rulebook("shatterpoint-premier")
PHASES = {"phases": [{"key": "phase.key", "from_ms": 5_400_000}], "open_end": True, "total_ms": 7_200_000}


def table_at(clock_ms: int, **clock) -> Table:
    table = Table(book=BOOK, clock_ms=clock_ms)
    table.hub_says(**{**PHASES, **clock})
    return table


def test_before_its_phase_begins_nothing_stands_beside_the_clock():
    assert "Key phase" not in table_at(1_801_000).says


def test_the_phase_stands_beside_the_clock_from_its_minute():
    table = table_at(1_800_000)
    table.presses("ana ▲ ana ▲ ▲ bruno ▲ bruno ▲ ▲")
    assert table.says.startswith("● Ana R. | 30:00 | ■ Bruno M. | Key phase")


def test_at_zero_the_clock_gives_way_to_the_last_minutes():
    table = table_at(-30_000)
    table.presses("ana ▲ ana ▲ ▲ bruno ▲ bruno ▲ ▲")
    assert table.says == "● Ana R. | ■ Bruno M. | Last minutes | ■ Bruno M. | ● Ana R. | Last minutes"


def test_time_is_up_only_when_the_hub_says_over():
    assert not table_at(-30_000).dialogue.table.time_is_up
    table = table_at(-30_000, over=True)
    assert table.dialogue.table.time_is_up
    assert "time is up" in table.says


def test_without_an_open_end_time_is_up_at_zero():
    assert table_at(0, open_end=False).dialogue.table.time_is_up


def test_an_older_hub_says_nothing_of_phases():
    table = Table()
    for key in ("phases", "open_end", "over"):
        table.told.pop(key)
    table.hub_says()
    assert table.kind == "idle"
