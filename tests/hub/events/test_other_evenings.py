"""Last week's outbox meets this week's hub: nothing of it gets into this week's event, whatever the ids."""

from pathlib import Path

from restored_kit import Table, evening

from roundtap_core.event.commands import DrawRound, PublishRound
from roundtap_core.event.states import OPEN

OTHERS = ["Zoe Zand", "Yan Yu", "Xaver Xu", "Wim Wit", "Vera Voss", "Uwe Ulm"]


def test_reports_of_an_event_that_nobody_knows_stay_refused_on_a_hub_that_lacks_nothing(tmp_path: Path) -> None:
    with evening(tmp_path / "last week") as night:
        night.next_round()
        night.tables[0].both(100, 20)
        outbox = [{**report, "event": "elastweek2"} for report in night.tables[0].reports]
    with evening(tmp_path / "this week") as night:
        night.next_round()
        table = night.tables[0]
        table.reports = outbox
        assert table.come_back(night.house) == ["refused", "refused"]
        venue = night.house.service.snapshot.venue
        assert {fate.reason for fate in venue.refused.values()} == {"unknown-match"}
        assert venue.restore_state is None


def test_a_colliding_old_id_does_not_fold_last_week_into_this_week(tmp_path: Path) -> None:
    """Hubs that counted their events called every first one "e1": the draw's mark tells them apart."""
    outboxes: list[Table] = []
    with evening(tmp_path / "last week") as night:
        night.next_round()
        night.play()
        outboxes = night.tables
    with evening(tmp_path / "this week", OTHERS) as night:
        # Another draw, even of as many players with the same ids.
        night.house.service.execute_one("e1", DrawRound(4711), "test")
        night.house.service.execute_one("e1", PublishRound(1, 1, noted="a test"), "test")
        assert night.house.event.id == "e1"
        for table in outboxes:
            assert set(table.come_back(night.house)) == {"refused"}

        assert all(match.state == OPEN for match in night.house.event.public_rounds[0].matches)
        assert {fate.reason for fate in night.house.event.fates.values()} == {"unknown-match"}


def test_who_met_protects_where_even_the_mark_is_the_same(tmp_path: Path) -> None:
    with evening(tmp_path / "hub") as night:
        night.next_round()
        table = night.tables[0]
        assert table.holds is not None
        table.holds = {**table.holds, "a": "p99"}
        assert table.report("a", 100, 0) == "refused"
