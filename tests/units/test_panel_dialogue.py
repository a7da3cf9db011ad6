"""The front panel: ▲ ▼ turn its pages, ● is yes, ■ is back; what is done was read, asked for and held."""

import pytest
from panel_kit import HOTSPOT, HUB, STANDBY, Played

from roundtap_core.messages import ContinueOffer, UsbStick
from roundtap_units.panel import panel_dialogue as d
from roundtap_units.panel.panel_dialogue import CONTINUE, EJECT, NEW_PIN, POWER_OFF, TURN, PanelAction

OFF_PRESS, TURN_PRESS = PanelAction(1, POWER_OFF), PanelAction(1, TURN)


def test_at_first_where_the_hub_is_reached():
    assert Played().said == ("14:32 | Hub | 10.42.0.1:8080 | roundtap.local | https://10.42.0.1:8443 | ▲▼ more")


def test_what_goes_around():
    played = Played(HUB.replace(sticks=(*HUB.sticks, UsbStick("/mnt/other", "current"))))
    played.panel.hotspot = HOTSPOT
    seen = [(played.panel.page, played.panel.stick)]
    for _ in range(10):
        played.press("▼")
        seen.append((played.panel.page, played.panel.stick))
    assert seen == [
        ("home", ""),
        ("players-qr", ""),
        ("console-qr", ""),
        ("hotspot", ""),
        ("hotspot-qr", ""),
        ("trust", ""),
        ("eject-ask", "/media/stick"),
        ("eject-ask", "/mnt/other"),
        ("pin-ask", ""),
        ("off-ask", ""),
        ("home", ""),
    ]
    played.press("▲")
    assert played.panel.page == d.OFF_ASK


def test_addresses_and_their_codes():
    played = Played()
    played.press("▼")
    assert played.said == "For players | [QR HTTP://10.42.0.1:8080] | ▲▼ more"
    played.press("▼")
    assert played.said == "Console | [QR HTTPS://10.42.0.1:8443] | ▲▼ more"
    played.press("●◉")
    assert (played.panel.page, played.presses()) == (d.CONSOLE_QR, [])


def test_without_encryption_there_is_one_code():
    played = Played(HUB.replace(console="", fingerprint=""))
    played.press("▼▼")
    assert played.panel.page == d.EJECT_ASK


def test_a_disk_in_trouble_has_its_sign():
    assert Played(HUB.replace(trouble=True)).said.startswith("⚠ 14:32 | Hub")


def test_the_hotspot_with_its_password_letter_by_letter():
    played = Played()
    played.panel.hotspot = ("Halle; 1", "drei-Wege 2026 und noch mehr")
    played.go(d.HOTSPOT)
    assert "drei‑Wege␣2026␣u | nd␣noch␣mehr" in played.said
    played.press("▼")
    assert "[QR WIFI:T:WPA;S:Halle\\; 1;P:drei-Wege 2026 und noch mehr;;]" in played.said


def test_the_fingerprint_whole():
    played = Played()
    played.go(d.TRUST)
    assert played.said.replace(" | ", " ") == f"Fingerprint {HUB.fingerprint}"


def test_a_new_pin_wants_the_button_held_and_is_shown_once():
    played = Played()
    played.go(d.PIN_ASK)
    played.press("●")
    assert (played.steps(), played.panel.page) == ([], d.PIN_ASK)
    played.press("◉")
    assert played.steps() == [(NEW_PIN, "")]
    played.answered(pin="12345678")
    assert "1234 5678" in played.said
    played.press("■")
    assert (played.panel.page, played.panel.notice) == (d.HOME, None)
    played.go(d.PIN_ASK)
    played.press("◉")
    assert "1234" not in played.said


def test_a_new_pin_that_comes_late_is_shown_all_the_same():
    played = Played()
    played.go(d.PIN_ASK)
    played.press("◉")
    played.wait(40_000)
    assert "did not confirm" in played.said
    played.answered(pin="12345678")
    assert "1234 5678" in played.said


def test_a_pin_does_not_stand_there_for_ever():
    played = Played()
    played.go(d.PIN_ASK)
    played.press("◉")
    played.answered(pin="12345678")
    played.wait(100_000)
    assert "1234 5678" in played.said
    played.wait(100_000)
    assert (played.panel.page, played.panel.notice) == (d.HOME, None)


def test_a_press_of_before_the_page_is_not_one_of_the_page():
    """Held up for a second, the panel hears of a press that was made before."""
    played = Played()
    played.press("▲")
    played.press("●", read_ms=200)
    assert (played.panel.page, played.panel.sure) == (d.OFF_ASK, False)
    played.press("●")
    played.press("◉", read_ms=200)
    assert (played.presses(), played.panel.page, played.panel.sure) == ([], d.OFF_ASK, True)


def test_power_off_asks_twice_and_is_held_the_second_time():
    played = Played()
    played.press("▲")
    assert "A round is running." in played.said
    played.press("●●")
    assert (played.presses(), played.panel.page, played.panel.sure) == ([], d.OFF_ASK, True)
    played.press("◉")
    assert played.presses() == [OFF_PRESS]
    played.answered()
    assert played.panel.page == d.OFF
    played.press("■●▲")
    played.wait(100_000)
    assert played.panel.page == d.OFF


@pytest.mark.parametrize(("keys", "page"), [("▲■", d.HOME), ("▲●■", d.OFF_ASK), ("▲●●■", d.OFF_ASK)])
def test_power_off_can_be_left_at_any_time(keys, page):
    played = Played()
    played.press(keys)
    assert (played.panel.page, played.panel.sure, played.presses()) == (page, False, [])


def test_while_it_asks_once_more_the_pages_do_not_turn():
    played = Played()
    played.press("▲●▼▲")
    assert (played.panel.page, played.panel.sure) == (d.OFF_ASK, True)


def test_power_off_works_without_the_hub():
    played = Played(None)
    played.wait(1000)
    assert played.said.startswith("✕ | Hub | No contact with the hub.")
    played.press("▼●◉")
    assert played.presses() == [OFF_PRESS]


def test_a_stick_is_let_go_of_and_may_be_pulled_out():
    played = Played()
    played.go(d.EJECT_ASK)
    assert "results are on one memory card only" in played.said
    played.press("●")
    assert played.steps() == []
    played.press("◉")
    assert played.steps() == [(EJECT, "/media/stick")]
    played.answered()
    assert "Remove it now: /media/stick" in played.said


def test_a_stick_that_cannot_be_let_go_of_is_not_pulled_out():
    played = Played()
    played.go(d.EJECT_ASK)
    played.press("◉")
    played.answered("Another program has it open.")
    assert "Remove it now" not in played.said
    assert "Another program" in played.said
    played.press("■")
    assert played.panel.page == d.HOME


def test_a_stick_that_is_gone_is_not_asked_for():
    played = Played()
    played.go(d.EJECT_ASK)
    played.tell(HUB.replace(sticks=(UsbStick("/mnt/other", "current"),)))
    assert played.panel.page == d.HOME
    played.press("◉")
    assert played.steps() == []


def test_without_an_answer_nobody_is_told_that_it_was_done():
    played = Played()
    played.go(d.EJECT_ASK)
    played.press("◉")
    played.wait(40_000)
    assert "did not confirm" in played.said


def test_without_the_hub_nothing_of_its_is_pressed():
    played = Played()
    played.go(d.PIN_ASK)
    played.wait(10_000, hub=False)
    assert "No contact with the hub." in played.said
    played.press("◉", read_ms=0)
    assert played.steps() == []


def test_without_anybody_it_goes_back_to_the_addresses():
    played = Played()
    played.go(d.TRUST)
    played.wait(120_000)
    assert played.panel.page == d.HOME


def test_another_hubs_event_is_continued_with_two_questions():
    played = Played(
        HUB.replace(offer=ContinueOffer("a mark", "/media/stick", "Winter Open", 66, "17:05", False, "Practice"))
    )
    played.go(d.CONTINUE_ASK)
    assert "Continue? | Winter Open | 66 entries until 17:05 | ● yes" in played.said
    played.press("◉")
    assert "Old hub is off? | Its own event is kept aside: Practice | hold ●: yes   ■ no" in played.said
    played.press("■")
    assert (played.panel.page, played.panel.stick, played.panel.sure) == (d.CONTINUE_ASK, "a mark", False)
    played.press("●◉")
    assert played.presses() == [PanelAction(1, CONTINUE, "a mark")]


def test_an_offer_that_is_gone_asks_no_more():
    played = Played(HUB.replace(offer=ContinueOffer("a mark", "/media/stick", "Winter Open", 66, "17:05", False, "")))
    played.go(d.CONTINUE_ASK)
    played.press("●")
    assert "This hub starts again with that event." in played.said
    played.tell(HUB)
    assert played.panel.page == d.HOME


def test_a_standby_s_key_is_turned_with_two_questions():
    played = Played(None)
    played.stand_by()
    assert "Up to date with" in played.said
    played.go(d.TURN_ASK)
    assert "The hub is still on." in played.said
    played.press("●●")
    assert (played.presses(), played.panel.page, played.panel.sure) == ([], d.TURN_ASK, True)
    played.press("◉")
    assert played.presses() == [TURN_PRESS]
    played.answered()
    assert "Done." in played.said
    played.tell(HUB)
    played.press("■")
    assert "10.42.0.1:8080" in played.said


def test_a_standby_that_never_held_everything_is_not_turned_here():
    played = Played(None)
    played.stand_by(STANDBY.replace(state="away", level=False))
    played.go(d.TURN_ASK)
    assert "This standby is not up to date" in played.said
    played.press("●◉●◉")
    assert played.presses() == []
