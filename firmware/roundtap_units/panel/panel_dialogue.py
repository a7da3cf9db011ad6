"""The front panel's dialogue: a pure state machine of pages, on the caller's clock.

▲ ▼ choose, ● is yes or goes in, ■ is back. What is pressed is what is shown: a press counts only once its page has
stood there for a moment, and not where what it would do has just become something else. Whatever ends something asks
first, in pages of its own; what cannot be taken back wants ● held.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from roundtap_core.words import Words
from roundtap_devices.input.gestures import HOLD, REPEAT, TAP, Gesture
from roundtap_units.panel.hub_says import EventSaid, HubSaid, StandbySaid

HOME, CALLS, ADDRESS, HOTSPOT, TRUST, MACHINE = "home", "calls", "address", "hotspot", "trust", "machine"
AROUND = (HOME, CALLS, ADDRESS, HOTSPOT, TRUST, MACHINE)
"""What ▲ ▼ go through on top."""
CLOCK, EVENTS, CALL_LIST, PLAYERS_QR, CONSOLE_QR, HOTSPOT_QR, TASKS = (
    "clock", "events", "call-list", "players-qr", "console-qr", "hotspot-qr", "tasks")
PIN_ASK, PIN_SHOWN, EJECT_ASK, OFF_ASK, OFF_SURE, TURN_ASK, TURN_SURE = (
    "pin-ask", "pin-shown", "eject-ask", "off-ask", "off-sure", "turn-ask", "turn-sure")
WAITING, SAID, OFF = "waiting", "said", "off"
ABOVE: Mapping[str, str] = {
    CLOCK: HOME, EVENTS: CLOCK, CALL_LIST: CALLS, PLAYERS_QR: ADDRESS, CONSOLE_QR: ADDRESS, HOTSPOT_QR: HOTSPOT,
    TASKS: MACHINE, PIN_ASK: TASKS, PIN_SHOWN: TASKS, EJECT_ASK: TASKS, OFF_ASK: TASKS, OFF_SURE: TASKS,
    TURN_ASK: TASKS, TURN_SURE: TASKS, SAID: HOME,
}
"""Where ■ leads."""
ASKING = (PIN_ASK, EJECT_ASK, OFF_ASK, OFF_SURE, TURN_ASK, TURN_SURE)
HELD = (PIN_ASK, OFF_SURE, TURN_SURE)
"""Here a tap of ● does nothing: it has to be held."""

SETTLED_MS = 350
"""So long after a list has changed by itself a press may have been meant for what stood there before."""
UNREAD_MS = 900
"""Nobody has read a question that stands there for less."""
IDLE_MS, PIN_MS, SAID_MS = 90_000, 180_000, 20_000
AWAY_MS = 6000
"""So long without the hub's word: it is away."""
ANSWER_MS = 32_000
OK, BACK, UP, DOWN = "a", "b", "up", "down"


@dataclass(frozen=True, slots=True)
class Item:
    """One row of a list. `key`: what it is, however the list changes around it."""

    key: tuple[Any, ...]
    text: str


@dataclass(frozen=True, slots=True)
class AskHub:
    """To be sent to the hub, once; its answer comes back with the number."""

    number: int
    step: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PowerOff:
    number: int


@dataclass(frozen=True, slots=True)
class TurnKey:
    """This standby is to be the hub."""

    number: int


Effect = AskHub | PowerOff | TurnKey


@dataclass
class PanelDialogue:
    """`words`: the panel's texts. Times are the panel's monotonic milliseconds."""

    words: Words
    page: str = HOME
    hub: HubSaid | None = None
    standby: StandbySaid | None = None
    hotspot: tuple[str, str] | None = None
    """Name and password of the hub's own access point."""
    event_id: str = ""
    pin: str = ""
    said: str = ""
    stick: str = ""
    waits_for: str = ""
    """The page whose press has no answer yet."""
    _hub_ahead_ms: int = 0
    _contact_ms: int | None = None
    _at: dict[str, Item] = field(default_factory=dict)
    _place: dict[str, int] = field(default_factory=dict)
    _touched_ms: int = 0
    _page_ms: int = 0
    _meaning: tuple[Any, ...] = ()
    _meaning_ms: int = 0
    _number: int = 0
    _asked_ms: int = 0
    _then: str = HOME
    _pin_asked: int = 0
    _effects: list[Effect] = field(default_factory=list)

    # --- what comes in ---------------------------------------------------------------------------------------------

    def on_hub(self, said: HubSaid, hub_ms: int, now_ms: int) -> None:
        """The hub's word; `hub_ms` is its monotonic clock at that moment."""
        self.hub, self.standby = said, None
        self._hub_ahead_ms, self._contact_ms = hub_ms - now_ms, now_ms
        if self.event is None and said.events:
            self.event_id = said.events[0].id

    def on_standby(self, said: StandbySaid, now_ms: int) -> None:
        self.standby, self.hub, self._contact_ms = said, None, now_ms

    def on_done(self, number: int, refused: str, shown: Mapping[str, Any], now_ms: int) -> None:
        """What became of a press: in words where it was refused, or not answered."""
        pin = shown.get("pin")
        if number == self._pin_asked and isinstance(pin, str) and pin and not refused:
            # However late: it counts already, and stands nowhere else.
            self._pin_asked, self.pin = 0, pin
            self._go(PIN_SHOWN, now_ms)
            return
        if self.page != WAITING or number != self._number:
            return
        if refused:
            self._say(refused, now_ms)
        elif self._then == SAID:
            self._say(self.said, now_ms)
        else:
            self._go(self._then, now_ms)

    def on_gesture(self, gesture: Gesture, now_ms: int) -> None:
        """A press, at the moment it was made."""
        self._look(now_ms)
        if gesture.kind not in (TAP, HOLD, REPEAT) or self.page in (WAITING, OFF):
            return
        self._touched_ms = now_ms
        if gesture.key in (UP, DOWN):
            self._step(-1 if gesture.key == UP else 1, now_ms)
        elif gesture.kind == REPEAT:
            return
        elif gesture.key == BACK:
            self._back(now_ms)
        elif gesture.key == OK and self._may_press(now_ms):
            self._yes(gesture.kind == HOLD, now_ms)
        self._look(now_ms)

    def tick(self, now_ms: int) -> None:
        """Pages that nobody reads any more go back; an answer that does not come is told."""
        self._look(now_ms)
        if self.page == WAITING:
            if now_ms - self._asked_ms >= ANSWER_MS:
                self._say(self.words("panel.no_answer"), now_ms)
        elif self.page != OFF:
            limit_ms = PIN_MS if self.page == PIN_SHOWN else SAID_MS if self.page == SAID else IDLE_MS
            if self.page != HOME and now_ms - max(self._touched_ms, self._page_ms) >= limit_ms:
                self._go(HOME, now_ms)
        self._look(now_ms)

    def take_effects(self) -> list[Effect]:
        taken, self._effects = self._effects, []
        return taken

    # --- what is shown ---------------------------------------------------------------------------------------------

    @property
    def event(self) -> EventSaid | None:
        """The one that was chosen, or the first."""
        events = self.hub.events if self.hub is not None else ()
        return next((each for each in events if each.id == self.event_id), events[0] if events else None)

    def away(self, now_ms: int) -> bool:
        return self._contact_ms is None or now_ms - self._contact_ms >= AWAY_MS

    def hub_ms(self, now_ms: int) -> int:
        return now_ms + self._hub_ahead_ms

    def items(self, now_ms: int) -> list[Item]:
        """The rows of the page's list; empty where it has none."""
        made = _LISTS.get(self.page)
        return made(self, now_ms) if made is not None else []

    def cursor(self, items: list[Item]) -> int:
        """The place of what was chosen, wherever the list has it now."""
        chosen = self._at.get(self.page)
        keys = [item.key for item in items]
        if chosen is not None and chosen.key in keys:
            return keys.index(chosen.key)
        return max(0, min(self._place.get(self.page, 0), len(items) - 1))

    # --- presses ---------------------------------------------------------------------------------------------------

    def _may_press(self, now_ms: int) -> bool:
        if self.page in ASKING:
            return now_ms - self._page_ms >= UNREAD_MS
        return now_ms - self._meaning_ms >= SETTLED_MS

    def _step(self, by: int, now_ms: int) -> None:
        if self.page in AROUND:
            around = self._around()
            at = around.index(self.page) if self.page in around else 0
            self._go(around[(at + by) % len(around)], now_ms)
            return
        items = self.items(now_ms)
        if items:
            place = max(0, min(self.cursor(items) + by, len(items) - 1))
            self._at[self.page], self._place[self.page] = items[place], place
            # Moved by hand: it means what was chosen.
            self._meaning = self._means(now_ms)

    def _around(self) -> tuple[str, ...]:
        left_out = set()
        if self.hotspot is None:
            left_out.add(HOTSPOT)
        if self.hub is None or not self.hub.fingerprint:
            left_out.add(TRUST)
        if self.hub is None:
            left_out |= {CALLS, ADDRESS}
        return tuple(page for page in AROUND if page not in left_out)

    def _back(self, now_ms: int) -> None:
        if self.page == PIN_SHOWN:
            self.pin = ""
        self._go(ABOVE.get(self.page, HOME), now_ms)

    def _yes(self, held: bool, now_ms: int) -> None:
        if self.page in HELD and not held:
            return
        if self.page in (HOME, CALLS, ADDRESS, HOTSPOT, MACHINE):
            inner = {HOME: CLOCK, CALLS: CALL_LIST, ADDRESS: PLAYERS_QR, HOTSPOT: HOTSPOT_QR, MACHINE: TASKS}
            if self.page != HOME or (self.standby is None and self.event is not None):
                self._go(inner[self.page], now_ms)
            return
        if self.page == PLAYERS_QR:
            self._go(CONSOLE_QR if self.hub is not None and self.hub.console else ADDRESS, now_ms)
        elif self.page in (CONSOLE_QR, HOTSPOT_QR, SAID):
            self._back(now_ms)
        elif self.page == PIN_ASK:
            self._ask({"step": "pin"}, PIN_SHOWN, now_ms)
            self._pin_asked = self._number
        elif self.page == EJECT_ASK:
            self.said = self.words("panel.pull_out", stick=self.stick)
            self._ask({"step": "eject", "name": self.stick}, SAID, now_ms)
        elif self.page == TURN_ASK and (self.standby is None or not self.standby.level):
            self._back(now_ms)
        elif self.page in (OFF_ASK, TURN_ASK):
            self._go(OFF_SURE if self.page == OFF_ASK else TURN_SURE, now_ms)
        elif self.page == OFF_SURE:
            self._wait(OFF, now_ms)
            self._effects.append(PowerOff(self._number))
        elif self.page == TURN_SURE:
            self.said = self.words("panel.turned")
            self._wait(SAID, now_ms)
            self._effects.append(TurnKey(self._number))
        else:
            items = self.items(now_ms)
            if items:
                item = items[self.cursor(items)]
                self._at[self.page] = item
                self._choose(item.key, now_ms)

    def _choose(self, key: tuple[Any, ...], now_ms: int) -> None:
        if key[0] == "clock":
            _, event_id, action = key
            event = self.event
            if event is not None and event.id == event_id:
                self._ask({"step": "clock", "event": event.id, "action": action, "seen": event.step}, CLOCK, now_ms)
        elif key[0] == "call":
            event_id, match, unit, since_ms = key[1]
            self._ask({"step": "seen", "event": event_id, "match": match, "unit": unit, "since_ms": since_ms},
                      CALL_LIST, now_ms)
        elif key[0] == "event":
            self.event_id = key[1]
            self._go(HOME, now_ms)
        elif key[0] == "go":
            self.stick = key[2] if len(key) > 2 else ""
            self._go(key[1], now_ms)

    def _ask(self, step: Mapping[str, Any], then: str, now_ms: int) -> None:
        if self.hub is None or self.away(now_ms):
            self._say(self.words("panel.away.what"), now_ms)
            return
        self._wait(then, now_ms)
        self._effects.append(AskHub(self._number, step))

    def _wait(self, then: str, now_ms: int) -> None:
        self._number += 1
        self.waits_for = self.page
        self._then, self._asked_ms = then, now_ms
        self._go(WAITING, now_ms)

    def _say(self, text: str, now_ms: int) -> None:
        self.said = text
        self._go(SAID, now_ms)

    def _go(self, page: str, now_ms: int) -> None:
        if page != PIN_SHOWN:
            self.pin = ""
        if page not in (self.page, WAITING, CLOCK, CALL_LIST) or self.page in AROUND:
            self._at.pop(page, None)
            self._place.pop(page, None)
        self.page, self._page_ms = page, now_ms
        self._meaning, self._meaning_ms = self._means(now_ms), now_ms

    # --- what a press would do --------------------------------------------------------------------------------------

    def _means(self, now_ms: int) -> tuple[Any, ...]:
        items = self.items(now_ms)
        return (self.page, items[self.cursor(items)].key if items else None, self.event_id)

    def _look(self, now_ms: int) -> None:
        """Notice what has become something else by itself."""
        if self.page in (CALLS, ADDRESS, TRUST, CLOCK, EVENTS, CALL_LIST, PIN_ASK, EJECT_ASK) and self.hub is None:
            self._go(HOME, now_ms)
        if self.page in (TURN_ASK, TURN_SURE) and self.standby is None:
            self._go(HOME, now_ms)
        if self.page == EJECT_ASK and self.hub is not None and self.stick not in {
                each.name for each in self.hub.sticks}:
            self._go(TASKS, now_ms)
        meaning = self._means(now_ms)
        if meaning != self._meaning:
            self._meaning, self._meaning_ms = meaning, now_ms
        items = self.items(now_ms)
        if items and (self.page not in self._at or self._at[self.page].key not in {item.key for item in items}):
            place = self.cursor(items)
            self._at[self.page], self._place[self.page] = items[place], place


def _clock_items(panel: PanelDialogue, now_ms: int) -> list[Item]:
    event = panel.event
    if event is None or panel.hub is None:
        return []
    offers = () if panel.away(now_ms) else event.offers
    items = [Item(("clock", event.id, offer), panel.words(f"panel.clock.{offer}")) for offer in offers]
    if len(panel.hub.events) > 1:
        items.append(Item(("go", EVENTS), panel.words("panel.other_event")))
    return items


def _event_items(panel: PanelDialogue, now_ms: int) -> list[Item]:
    return [Item(("event", each.id), each.name) for each in (panel.hub.events if panel.hub is not None else ())]


def _call_items(panel: PanelDialogue, now_ms: int) -> list[Item]:
    calls = panel.hub.calls if panel.hub is not None else ()
    return [Item(("call", call.key), call_text(panel, call, now_ms)) for call in calls]


def _task_items(panel: PanelDialogue, now_ms: int) -> list[Item]:
    words, items = panel.words, []
    if panel.standby is not None:
        items.append(Item(("go", TURN_ASK), words("panel.turn")))
    if panel.hub is not None:
        items += [Item(("go", EJECT_ASK, stick.name), words("panel.eject", stick=stick.name.rpartition("/")[2]))
                  for stick in panel.hub.sticks if stick.state != "let-go"]
        items.append(Item(("go", PIN_ASK), words("panel.new_pin")))
    items.append(Item(("go", OFF_ASK), words("panel.power_off")))
    return items


def call_text(panel: PanelDialogue, call: Any, now_ms: int) -> str:
    """ "Table 12 · 2:10 ✓": where, for how long, and whether somebody is on the way."""
    seconds = max(0, panel.hub_ms(now_ms) - call.since_ms) // 1000
    where = panel.words("panel.table", table=call.table) if call.table is not None else call.unit or call.match
    return f"{where} · {seconds // 60}:{seconds % 60:02d}{' ✓' if call.taken else ''}"


_LISTS: Mapping[str, Callable[[PanelDialogue, int], list[Item]]] = {
    CLOCK: _clock_items, EVENTS: _event_items, CALL_LIST: _call_items, TASKS: _task_items}
