"""Somebody who presses whatever there is, while hall, hub and stick do what they like: what must never happen."""

from __future__ import annotations

import random
from dataclasses import replace

from panel_kit import COUNTING, HOTSPOT, HUB, IDLE, NEW_CALL, OLD_CALL, OTHER, PAUSED, RUNNING, STANDBY, Played

from roundtap_core.words import LANGUAGES
from roundtap_devices.input.gestures import HOLD, TAP, Gesture
from roundtap_units.panel import panel_dialogue as d
from roundtap_units.panel.hub_says import Stick
from roundtap_units.panel.pages import scene_of
from roundtap_units.panel.panel_dialogue import AskHub, PowerOff, TurnKey
from roundtap_units.panel.panel_drawing import draw_panel

SEEDS, PRESSES = 8, 900


class Monkey:
    """Keeps what the screen said before each press, and checks each effect against it."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.switch_on()

    def switch_on(self) -> None:
        self.played = Played(None, self.chance.choice(LANGUAGES))
        self.read: list[tuple[str, str, int]] = []
        """(page, what stood at the cursor, since when it has stood there) before each of the last presses."""
        self.stood: tuple[str, str] = ("", "")
        self.since_ms = 0
        self.moved = False
        """Whether the last thing was an arrow: whoever steps through a list knows where they are."""

    def look(self) -> None:
        played = self.played
        scene = scene_of(played.panel, played.now_ms)
        if self.chance.random() < 0.05:
            assert draw_panel(scene).size == (128, 64)
        chosen = scene.items[scene.cursor] if scene.items else ""
        stands = (scene.kind, chosen if scene.kind != d.CALL_LIST else chosen.partition(" · ")[0])
        if stands != self.stood:
            by_hand = self.moved and stands[0] == self.stood[0]
            self.stood, self.since_ms = stands, self.since_ms if by_hand else played.now_ms
        self.moved = False

    def go_on(self) -> None:
        chance, played = self.chance, self.played
        self.look()
        what = chance.random()
        if what < 0.15:
            self.hall()
        elif what < 0.25:
            played.wait(chance.choice((200, 1000, 7000, 40_000, 200_000)), hub=chance.random() < 0.8)
        elif what < 0.40:
            played.now_ms += chance.choice((30, 300, 500, 1000))
            played.panel.tick(played.now_ms)
            played.answered(chance.choice(("", "", "No.")), **chance.choice(({}, {"pin": "12345678"})))
        else:
            played.now_ms += chance.choice((30, 200, 400, 950, 1500))
            played.panel.tick(played.now_ms)
            self.look()
            self.press(chance.choice(("a", "a", "a", "b", "up", "down")), chance.random() < 0.4)
        self.look()

    def hall(self) -> None:
        chance, played = self.chance, self.played
        if chance.random() < 0.15:
            played.stand_by(replace(STANDBY, state=chance.choice(("following", "away", "behind", "new word")),
                                    level=chance.random() < 0.7))
            return
        events = [each for each in (chance.choice((RUNNING, PAUSED, IDLE, COUNTING, None)),
                                    chance.choice((OTHER, None))) if each is not None]
        calls = chance.sample((OLD_CALL, NEW_CALL, replace(NEW_CALL, unit="table-9", match="", table=None)),
                              chance.randint(0, 3))
        sticks = chance.choice(((), HUB.sticks, (Stick("/media/stick", "let-go"),)))
        played.tell(replace(HUB, events=tuple(events), calls=tuple(calls), sticks=sticks))
        played.panel.hotspot = chance.choice((None, HOTSPOT))

    def press(self, key: str, held: bool) -> None:
        played = self.played
        page, chosen = self.stood
        stood_ms = played.now_ms - self.since_ms
        panel = played.panel
        hub, standby, stick, event = panel.hub, panel.standby, panel.stick, panel.event
        away = panel.away(played.now_ms)
        kind = HOLD if held and key in ("a", "b") else TAP
        panel.on_gesture(Gesture(kind, key, played.now_ms), played.now_ms)
        self.moved = key in ("up", "down")
        self.read = [*self.read[-80:], (page, key, stood_ms)]
        effects = played.effects()
        assert len(effects) <= 1, "one press, one step"
        for effect in effects:
            assert key == "a", "nothing is done but by ●"
            if isinstance(effect, PowerOff | TurnKey):
                asked = (d.OFF_ASK, d.OFF_SURE) if isinstance(effect, PowerOff) else (d.TURN_ASK, d.TURN_SURE)
                assert (page, kind) == (asked[1], HOLD)
                assert stood_ms >= d.UNREAD_MS
                assert self.first_yes(asked), "it was asked twice, one after the other"
                assert isinstance(effect, PowerOff) or (standby is not None and standby.level)
                continue
            self.asked_of_hub(effect, page, chosen, kind, stood_ms)
            assert hub is not None
            assert not away, "nothing is asked of a hub that is not there"
            if effect.step["step"] == "eject":
                assert effect.step["name"] == stick
                assert stick in {each.name for each in hub.sticks}
            if effect.step["step"] == "clock":
                assert event is not None
                assert (effect.step["event"], effect.step["seen"]) == (event.id, event.step)
                assert effect.step["action"] in event.offers

    def asked_of_hub(self, effect: AskHub, page: str, chosen: str, kind: str, stood_ms: int) -> None:
        words, step = self.played.panel.words, effect.step
        if step["step"] == "pin":
            assert (page, kind) == (d.PIN_ASK, HOLD)
            assert stood_ms >= d.UNREAD_MS
        elif step["step"] == "eject":
            assert page == d.EJECT_ASK
            assert stood_ms >= d.UNREAD_MS
        elif step["step"] == "clock":
            assert page == d.CLOCK
            assert stood_ms >= d.SETTLED_MS
            assert chosen == words(f"panel.clock.{step['action']}"), "what is shown is what is done"
        else:
            assert page == d.CALL_LIST
            assert stood_ms >= d.SETTLED_MS
            tables = {OLD_CALL.match: "12", NEW_CALL.match: "1", "": "table-9"}
            assert chosen.endswith(tables[step["match"]])

    def first_yes(self, asked: tuple[str, str]) -> bool:
        """Whether the page before was answered with ●, by a press that had been read before."""
        return any(page == asked[0] and key == "a" and stood_ms >= d.UNREAD_MS for page, key, stood_ms in
                   self.before(asked[1]))

    def before(self, page: str) -> list[tuple[str, str, int]]:
        return [each for each in self.read if each[0] != page][-1:]


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
    assert seen >= {*d.AROUND, *d.ABOVE, d.WAITING, d.OFF}
