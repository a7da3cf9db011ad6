"""Somebody who presses whatever there is, while hub, standby and stick do what they like: what must never happen."""

import random

from panel_kit import HOTSPOT, HUB, STANDBY, Played

from roundtap_core.messages import UsbStick
from roundtap_core.words import LANGUAGES
from roundtap_devices.input.gestures import HOLD, TAP, Gesture
from roundtap_units.panel import panel_dialogue as d
from roundtap_units.panel.panel_dialogue import draw_panel, make_scene

SEEDS, PRESSES = 8, 900
PAGES = {
    (d.HOME, False),
    (d.PLAYERS_QR, False),
    (d.CONSOLE_QR, False),
    (d.HOTSPOT, False),
    (d.HOTSPOT_QR, False),
    (d.TRUST, False),
    (d.EJECT_ASK, False),
    (d.PIN_ASK, False),
    (d.TURN_ASK, False),
    (d.TURN_ASK, True),
    (d.OFF_ASK, False),
    (d.OFF_ASK, True),
    (d.WAITING, False),
    (d.NOTICE, False),
    (d.OFF, False),
}
ASKED_TWICE = (d.TURN, d.POWER_OFF)
STEPS = {d.EJECT_ASK: d.EJECT, d.PIN_ASK: d.NEW_PIN, d.TURN_ASK: d.TURN, d.OFF_ASK: d.POWER_OFF}


class Monkey:
    """Keeps what the screen said before each press, and checks each press against it."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.switch_on()

    def switch_on(self) -> None:
        self.played = Played(None, self.chance.choice(LANGUAGES))
        self.read: list[tuple[str, bool, str, int]] = []
        """(page, whether it asks once more, key, how long it had stood there) of each of the last presses."""
        self.stood: tuple[str, str, bool] = ("", "", False)
        self.since_ms = 0

    def look(self) -> None:
        played = self.played
        if self.chance.random() < 0.05:
            assert draw_panel(make_scene(played.panel)).size == (128, 64)
        stands = (played.panel.page, played.panel.stick, played.panel.sure)
        if stands != self.stood:
            self.stood, self.since_ms = stands, played.now_ms

    def go_on(self) -> None:
        chance, played = self.chance, self.played
        self.look()
        what = chance.random()
        if what < 0.10:
            self.hall()
        elif what < 0.15:
            played.wait(chance.choice((200, 1000, 7000, 40_000, 200_000)), hub=chance.random() < 0.8)
        elif what < 0.30:
            played.now_ms += chance.choice((30, 300, 500, 1000))
            played.panel.tick(played.now_ms)
            played.answered(chance.choice(("", "", "No.")), chance.choice(("", "12345678")))
        else:
            played.now_ms += chance.choice((30, 200, 400, 950, 1500))
            played.panel.tick(played.now_ms)
            self.look()
            self.press(chance.choice(("a", "a", "a", "b", "up", "down")), chance.random() < 0.4)
        self.look()

    def hall(self) -> None:
        chance, played = self.chance, self.played
        if chance.random() < 0.3:
            played.stand_by(
                STANDBY.replace(
                    state=chance.choice(("following", "away", "behind", "new word")), level=chance.random() < 0.7
                )
            )
            return
        played.tell(
            HUB.replace(
                sticks=chance.choice(((), HUB.sticks, (UsbStick("/mnt/other", "current"), *HUB.sticks))),
                console=chance.choice(("", HUB.console)),
                running=chance.random() < 0.5,
                trouble=chance.random() < 0.5,
            )
        )
        played.panel.hotspot = chance.choice((None, HOTSPOT))

    def press(self, key: str, held: bool) -> None:
        played, panel = self.played, self.played.panel
        (page, stick, sure), stood_ms = self.stood, played.now_ms - self.since_ms
        hub, standby = panel.hub, panel.standby
        kind = HOLD if held and key in ("a", "b") else TAP
        panel.on_gesture(Gesture(kind, key, played.now_ms), played.now_ms)
        self.read = [*self.read[-80:], (page, sure, key, stood_ms)]
        presses = played.presses()
        assert len(presses) <= 1, "one press, one step"
        for press in presses:
            assert (key, kind) == ("a", HOLD), "nothing is done but by ● held"
            assert STEPS[page] == press.step, "what is shown is what is done"
            assert stood_ms >= d.UNREAD_MS
            assert sure == (press.step in ASKED_TWICE)
            if press.step in (d.EJECT, d.NEW_PIN):
                assert hub is not None, "nothing is asked of a hub that is not there"
                assert press.stick == stick
                assert press.step == d.NEW_PIN or stick in hub.ejectable_sticks
            else:
                assert self.first_yes(page), "it was asked twice, one after the other"
                assert press.step == d.POWER_OFF or (standby is not None and standby.level)

    def first_yes(self, asked: str) -> bool:
        """Whether the question before was answered with ●, by a press that had been read before."""
        page, _, key, stood_ms = [each for each in self.read if not each[1]][-1]
        return (page, key) == (asked, "a") and stood_ms >= d.UNREAD_MS


def test_a_monkey_at_the_panel():
    """And it comes everywhere: else it would prove nothing."""
    seen: set[tuple[str, bool]] = set()
    for seed in range(SEEDS):
        monkey = Monkey(seed)
        for _ in range(PRESSES):
            monkey.go_on()
            seen.add((monkey.played.panel.page, monkey.played.panel.sure))
            if monkey.played.panel.page == d.OFF:
                monkey.switch_on()
    assert seen == PAGES
