"""Sitting down, waiting, and a table without a match."""

from tableplay import Table, score

from roundtap_core.typed import parse_message
from roundtap_core.view_types import TableView
from roundtap_units.table.dialogue.dialogue import Dialogue
from roundtap_units.unit_config import unit_words


def test_each_presses_their_own_and_the_grid_hears_it():
    table = Table(seated=False)
    table.hub_says(clock="idle")
    assert table.says == "Ana R. | ● | press button | Bruno M. | ■ | press button"
    table.presses("ana")
    assert table.scene.a.head == "✓ Ana R."
    assert table.scene.b.small == "press button"
    table.presses("bruno")
    assert table.kind == "idle"
    assert [status.seated for status in table.statuses] == [("a",), ("a", "b")]


def test_idle_shows_each_their_own_name_the_opponent_and_the_clock():
    table = Table(clock_ms=74 * 60_000 + 3000)
    assert (table.scene.a.head, table.scene.a.small, table.scene.a.big) == ("● Ana R.", "■ Bruno M.", "74:03")
    assert (table.scene.b.head, table.scene.b.small, table.scene.b.big) == ("■ Bruno M.", "● Ana R.", "74:03")


def test_who_skipped_the_seat_in_is_asked_with_the_first_report():
    table = Table(seated=False)
    table.presses("ana")
    assert table.says == "Are you ●? | ● Ana R. | ● yes   ▼ no"
    table.presses("ana")
    assert table.kind == "entry"
    assert table.status.seated == ("a",)


def test_who_says_no_to_the_name_is_told_who_sits_here():
    table = Table(seated=False)
    table.presses("bruno ▼")
    assert table.says == "Table 12 | ● Ana R. | ■ Bruno M. | ▲+▼ judge"
    assert table.reports == []


def test_one_empty_chair_does_not_block_the_other():
    table = Table(seated=False)
    table.hub_says(clock="idle")
    table.presses("ana ana")
    assert table.kind == "entry"


def test_after_a_new_pairing_everybody_sits_down_again():
    table = Table()
    table.hub_says(match="4.2", clock="idle")
    assert table.kind == "seating"
    assert table.status.seated == ()


def test_no_match_and_a_closed_round_say_so():
    table = Table()
    table.hub_says(match=None)
    assert "no match at this table" in table.says
    table.hub_says(match="3.7", status="closed", state="closed")
    assert "Unit stays at 12" in table.says
    table.hub_says(next={"table": 5})
    assert "table\u00a05" in table.says
    table.presses("ana ana")
    assert table.reports == []


def test_a_hub_is_waited_for_only_while_it_says_nothing():
    """A table that had just been enrolled, and one without a table, waited for the hub that had answered them."""
    unit = Dialogue(unit_words("en"))

    def shown():
        return unit.scene(0, None).all_text()

    assert shown() == "Waiting for the hub | No answer from it yet."
    unit.on_contact(0)
    assert shown() == "Hub found | One moment …"
    unit.on_view(parse_message(TableView, {"event": None, "table": None}), 0)
    assert shown() == "No table yet | Assign one on the console, under Table units."
    unit.on_contact(6000)
    assert shown() == "Waiting for the hub | No answer from it yet."


def test_old_news_carries_its_age():
    table = Table()
    table.dialogue.on_contact(5000)
    assert table.scene.mark == ""
    table.dialogue.on_contact(42_000)
    assert table.scene.mark == "⌁ 0:42"
    table.dialogue.on_contact(None)
    assert table.scene.mark == "⌁"


def test_another_core_at_the_hub_means_no_new_report_but_a_judge_still_comes():
    table = Table()
    table.dialogue.on_mismatch()
    assert "UPDATE" in table.says
    table.presses("ana ana ana")
    assert table.reports == []
    table.calls()
    assert table.status.call


def test_a_unit_restarted_after_one_report_asks_the_other():
    table = Table(seated=False)
    table.hub_says(state="one-sided", a=score(100, 24))
    assert table.scene.turn == "b"
    table.presses("bruno")
    assert table.reports == [("b", score(100, 24))]


def test_a_unit_restarted_while_offline_knows_what_was_pressed():
    before = Table()
    before.presses("ana ana bruno")
    after = Table(seated=False)
    for report_id, effect in zip(before.ids, before.effects, strict=True):
        after.dialogue.restore(report_id, effect)
    assert after.kind == "sending"
    after.ids = before.ids
    after.hub_saves(7, report=0)
    after.hub_saves(8, report=1)
    assert "SAVED #8" in after.says


def test_who_is_swapped_to_this_table_sits_down_anew_and_nobody_is_seated_for_them():
    table = Table(seated=False)
    table.hub_says(clock="idle", a_id="p1", b_id="p2")
    table.presses("ana bruno")
    assert table.status.seated == ("a", "b")
    table.hub_says(a_id="p9", a_name="Eva L.", revision=1)
    assert table.status.seated == ()
    assert "Eva L." in table.says


def test_what_the_others_had_begun_to_enter_is_nobodys_after_a_swap():
    table = Table()
    table.hub_says(a_id="p1", b_id="p2")
    table.presses("ana ▲▲")
    table.hub_says(a_id="p1", b_id="p8", revision=1)
    assert table.says.startswith("Discarded")
