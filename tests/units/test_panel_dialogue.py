"""The front panel: ▲ ▼ choose, ● is yes, ■ is back; what ends something asks first, what is shown is what is done."""

from __future__ import annotations

from dataclasses import replace

import pytest
from panel_kit import COUNTING, HOTSPOT, HUB, IDLE, NEW_CALL, OLD_CALL, OTHER, PAUSED, RUNNING, STANDBY, Played

from roundtap_units.panel import panel_dialogue as d
from roundtap_units.panel.panel_dialogue import PowerOff, TurnKey


def test_at_first_the_round_and_its_clock():
    played = Played()
    assert played.said == "⚑2 14:32 | Winter Open | 42:00 | Round 3 · 7 open | ● clock   ▲▼ more"
    played.wait(61_000)
    assert "| 40:59 |" in played.said


def test_what_goes_around():
    played = Played()
    played.panel.hotspot = HOTSPOT
    seen = [played.panel.page]
    for _ in range(6):
        played.press("▼")
        seen.append(played.panel.page)
    assert seen == ["home", "calls", "address", "hotspot", "trust", "machine", "home"]
    played.press("▲")
    assert played.panel.page == "machine"


@pytest.mark.parametrize(("event", "keys", "action"), [
    (IDLE, "●●", "start"), (RUNNING, "●●", "pause"), (PAUSED, "●●", "resume"), (RUNNING, "●▼●", "minute"),
    (COUNTING, "●●", "continue"), (COUNTING, "●▼●", "hold"),
])
def test_the_clock_s_buttons(event, keys, action):
    played = Played(replace(HUB, events=(event,)))
    played.press(keys)
    assert played.steps() == [{"step": "clock", "event": "e1", "action": action, "seen": event.step}]
    assert played.panel.page == d.WAITING
    played.answered()
    assert played.panel.page == d.CLOCK


def test_a_refusal_stands_there_in_the_hub_s_words():
    played = Played()
    played.press("●●")
    played.answered("The clock is already running; pause it first.")
    assert "The clock is already running" in played.said
    played.press("■")
    assert played.panel.page == d.HOME


def test_a_minute_more_again_and_again_without_looking_for_it_anew():
    played = Played()
    played.press("●▼")
    for _ in range(3):
        played.press("●")
        played.answered()
    assert [step["action"] for step in played.steps()] == ["minute"] * 3


def test_a_press_that_comes_just_when_the_list_has_changed_does_nothing():
    played = Played(replace(HUB, events=(PAUSED,)))
    played.press("●")
    played.wait(2000)
    played.tell(replace(HUB, events=(RUNNING,)))
    played.press("●", read_ms=100)
    assert played.steps() == []
    played.press("●")
    assert [step["action"] for step in played.steps()] == ["pause"]


def test_a_press_of_before_the_page_is_not_one_of_the_page():
    """Held up for a second, the panel hears of a press that was made before."""
    played = Played()
    played.go(d.MACHINE)
    played.press("●▼▼●")
    assert played.panel.page == d.OFF_ASK
    played.press("●", read_ms=200)
    assert played.panel.page == d.OFF_ASK


def test_another_event_is_chosen():
    played = Played()
    played.press("●▼▼●")
    assert played.panel.page == d.EVENTS
    played.press("▼●")
    assert played.panel.event == OTHER
    assert "Side event" in played.said
    played.tell(replace(HUB, events=(RUNNING,)))
    assert played.panel.event == RUNNING, "what was chosen is over"


def test_a_call_is_seen():
    played = Played()
    played.go(d.CALLS)
    assert "Table 12 · 2:11" in played.said
    played.press("●▼●")
    assert [(step["match"], step["since_ms"]) for step in played.steps()] == [("3.1", NEW_CALL.since_ms)]


def test_a_call_of_59_seconds_has_not_waited_a_minute():
    played = Played(replace(HUB, calls=(replace(OLD_CALL, since_ms=OLD_CALL.since_ms + 72_000),)))
    played.go(d.CALLS)
    assert "Table 12 · 0:59" in played.said


@pytest.mark.parametrize("taken", [True, False])
def test_a_call_has_its_tick_only_once_somebody_is_on_the_way(taken: bool):
    played = Played(replace(HUB, calls=(replace(OLD_CALL, taken=taken),)))
    played.go(d.CALLS)
    assert ("Table 12 · 2:11 ✓" in played.said) is taken


def test_a_call_that_goes_does_not_hand_its_press_to_the_next():
    played = Played()
    played.go(d.CALLS)
    played.press("●")
    played.tell(replace(HUB, calls=(NEW_CALL,)))
    played.press("●", read_ms=50)
    assert played.steps() == []


def test_a_call_that_comes_moves_the_cursor_with_what_was_chosen():
    played = Played(replace(HUB, calls=(NEW_CALL,)))
    played.go(d.CALLS)
    played.press("●")
    played.wait(1000)
    played.tell(replace(HUB, calls=(OLD_CALL, NEW_CALL)))
    played.press("●", read_ms=50)
    assert [step["match"] for step in played.steps()] == ["3.1"]


def test_addresses_and_their_codes():
    played = Played()
    played.go(d.ADDRESS)
    assert "10.42.0.1:8080" in played.said
    assert "roundtap.local" in played.said
    played.press("●")
    assert "[QR HTTP://10.42.0.1:8080]" in played.said
    played.press("●")
    assert "[QR HTTPS://10.42.0.1:8443]" in played.said


def test_the_hotspot_with_its_password_letter_by_letter():
    played = Played()
    played.panel.hotspot = ("Halle; 1", "drei-Wege 2026 und noch mehr")
    played.go(d.HOTSPOT)
    assert "drei‑Wege␣2026␣u | nd␣noch␣mehr" in played.said
    played.press("●")
    assert "[QR WIFI:T:WPA;S:Halle\\; 1;P:drei-Wege 2026 und noch mehr;;]" in played.said


def test_the_fingerprint_whole():
    played = Played()
    played.go(d.TRUST)
    assert played.said.replace(" | ", " ") == f"Fingerprint {HUB.fingerprint}"


def to_new_pin(played):
    played.go(d.MACHINE)
    played.press("●▼●")
    assert played.panel.page == d.PIN_ASK


def test_a_new_pin_wants_the_button_held_and_is_shown_once():
    played = Played()
    to_new_pin(played)
    played.press("●")
    assert (played.steps(), played.panel.page) == ([], d.PIN_ASK)
    played.press("◉")
    assert played.steps() == [{"step": "pin"}]
    played.answered(pin="12345678")
    assert "1234 5678" in played.said
    played.press("■")
    assert played.panel.pin == ""
    played.press("●●◉")
    assert "1234" not in played.said


def test_a_new_pin_that_comes_late_is_shown_all_the_same():
    played = Played()
    to_new_pin(played)
    played.press("◉")
    played.wait(40_000)
    assert "has not said" in played.said
    played.answered(pin="12345678")
    assert "1234 5678" in played.said


def test_a_pin_does_not_stand_there_for_ever():
    played = Played()
    to_new_pin(played)
    played.press("◉")
    played.answered(pin="12345678")
    played.wait(100_000)
    assert "1234 5678" in played.said
    played.wait(100_000)
    assert (played.panel.page, played.panel.pin) == (d.HOME, "")


def test_power_off_asks_twice_and_is_held_the_second_time():
    played = Played()
    played.go(d.MACHINE)
    played.press("●▼▼●")
    assert "A round is running." in played.said
    played.press("●●")
    assert (played.effects(), played.panel.page) == ([], d.OFF_SURE)
    played.press("◉")
    assert played.effects() == [PowerOff(1)]
    played.answered()
    assert played.panel.page == d.OFF
    played.press("■●▲")
    assert played.panel.page == d.OFF


@pytest.mark.parametrize("keys", ["■", "●■", "●●■"])
def test_power_off_can_be_left_at_any_time(keys):
    played = Played()
    played.go(d.MACHINE)
    played.press("●▼▼●" + keys)
    assert played.panel.page == d.TASKS
    assert played.effects() == []


def test_power_off_works_without_the_hub():
    played = Played(None)
    played.wait(1000)
    assert "No contact" in played.said
    played.go(d.MACHINE)
    played.press("●●●◉")
    assert played.effects() == [PowerOff(1)]


def test_a_stick_is_let_go_of_and_may_be_pulled_out():
    played = Played()
    played.go(d.MACHINE)
    played.press("●●")
    assert "results are on the hub's card only" in played.said
    played.press("●")
    assert played.steps() == [{"step": "eject", "name": "/media/stick"}]
    played.answered()
    assert "Pull it out now: /media/stick" in played.said


def test_a_stick_that_cannot_be_let_go_of_is_not_pulled_out():
    played = Played()
    played.go(d.MACHINE)
    played.press("●●●")
    played.answered("Another program has it open.")
    assert "Pull it out" not in played.said
    assert "Another program" in played.said


def test_a_stick_that_is_gone_is_not_asked_for():
    played = Played()
    played.go(d.MACHINE)
    played.press("●●")
    played.tell(replace(HUB, sticks=()))
    played.press("●")
    assert played.steps() == []


def test_without_an_answer_nobody_is_told_that_it_was_done():
    played = Played()
    played.press("●●")
    played.wait(40_000)
    assert "has not said whether" in played.said


def test_without_the_hub_nothing_of_its_is_pressed():
    played = Played()
    played.press("●")
    played.wait(10_000, hub=False)
    assert "✕" in played.said
    played.press("●", read_ms=0)
    assert played.steps() == []


def test_without_anybody_it_goes_back_to_the_clock():
    played = Played()
    played.go(d.ADDRESS)
    played.wait(120_000)
    assert played.panel.page == d.HOME


def test_before_any_event_it_says_where_to_go():
    assert "No event yet. | 10.42.0.1:8080" in Played(replace(HUB, events=())).said


def test_a_standby_s_key_is_turned_with_two_questions():
    played = Played(None)
    played.stand_by()
    assert "Holds everything of" in played.said
    played.go(d.MACHINE)
    played.press("●●")
    assert "It still answers." in played.said
    played.press("●●")
    assert played.effects() == []
    played.press("◉")
    assert played.effects() == [TurnKey(1)]
    played.answered()
    assert "The key is turned" in played.said


def test_a_standby_that_never_held_everything_is_not_turned_here():
    played = Played(None)
    played.stand_by(replace(STANDBY, state="away", level=False))
    played.go(d.MACHINE)
    played.press("●●")
    assert "never held everything" in played.said
    played.press("●◉●◉")
    assert played.effects() == []
