"""Somebody who presses whatever there is, while hub, standby and stick do what they like: what must never happen."""

from __future__ import annotations

import random

from panel_kit import HOTSPOT, HUB, STANDBY, Played

from roundtap_core.messages import UsbStick
from roundtap_core.words import LANGUAGES
from roundtap_devices.input.gestures import HOLD, TAP, Gesture
from roundtap_units.panel import panel_dialogue as d
from roundtap_units.panel.panel_dialogue import draw_panel, make_scene

SEEDS, PRESSES = 8, 900
PAGES = {
    d.NOBODY,
    d.ADDRESS,
    d.STANDBY,
    d.HOTSPOT,
    d.TRUST,
    d.EJECT_ASK,
    d.PIN_ASK,
    d.TURN_ASK,
    d.OFF_ASK,
    d.PLAYERS_QR,
    d.CONSOLE_QR,
    d.HOTSPOT_QR,
    d.TURN_SURE,
    d.OFF_SURE,
    d.WAITING,
    d.PIN_SHOWN,
    d.SAID,
    d.OFF,
}


class Monkey:
    """Keeps what the screen said before each press, and checks each press against it."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.switch_on()

    def switch_on(self) -> None:
        self.played = Played(None, self.chance.choice(LANGUAGES))
        self.read: list[tuple[str, str, int]] = []
        """(page, key, how long the page had stood there) of each of the last presses."""
        self.stood: tuple[str, str] = ("", "")
        self.since_ms = 0

    def look(self) -> None:
        played = self.played
        if self.chance.random() < 0.05:
            assert draw_panel(make_scene(played.panel)).size == (128, 64)
        stands = (played.panel.page, played.panel.stick)
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
        (page, stick), stood_ms = self.stood, played.now_ms - self.since_ms
        hub, standby = panel.hub, panel.standby
        kind = HOLD if held and key in ("a", "b") else TAP
        panel.on_gesture(Gesture(kind, key, played.now_ms), played.now_ms)
        self.read = [*self.read[-80:], (page, key, stood_ms)]
        presses = played.presses()
        assert len(presses) <= 1, "one press, one step"
        for press in presses:
            assert (key, kind) == ("a", HOLD), "nothing is done but by ● held"
            assert d.PAGE_STEPS[page] == press.step, "what is shown is what is done"
            assert stood_ms >= d.UNREAD_MS
            if press.step in (d.EJECT, d.NEW_PIN):
                assert hub is not None, "nothing is asked of a hub that is not there"
                assert press.stick == stick
                assert press.step == d.NEW_PIN or stick in hub.ejectable_sticks
            else:
                assert self.first_yes(d.PARENT_PAGE[page], page), "it was asked twice, one after the other"
                assert press.step == d.POWER_OFF or (standby is not None and standby.level)

    def first_yes(self, first: str, second: str) -> bool:
        """Whether the page before was answered with ●, by a press that had been read before."""
        page, key, stood_ms = [each for each in self.read if each[0] != second][-1]
        return (page, key) == (first, "a") and stood_ms >= d.UNREAD_MS


def test_a_monkey_at_the_panel():
    """And it comes everywhere: else it would prove nothing."""
    seen: set[str] = set()
    for seed in range(SEEDS):
        monkey = Monkey(seed)
        for _ in range(PRESSES):
            monkey.go_on()
            seen.add(monkey.played.panel.page)
            if monkey.played.panel.page == d.OFF:
                monkey.switch_on()
    assert seen == PAGES
