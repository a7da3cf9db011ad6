"""What the hub tells its front panel, looked at before it is believed: shapes, lengths, numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

MS_MAX = 2**53
EVENTS_MAX, CALLS_MAX, STICKS_MAX = 12, 12, 4
COUNTING, RUNNING = "counting", "running"
OFFERS = ("start", "pause", "resume", "minute", "continue", "hold")


@dataclass(frozen=True, slots=True)
class ClockSaid:
    """A round's clock. `deadline_ms`: on the hub's monotonic clock, while it runs; `left_ms`: what it holds."""

    state: str
    deadline_ms: int | None
    left_ms: int | None
    total_ms: int | None

    def left_at(self, hub_ms: int) -> int | None:
        return self.deadline_ms - hub_ms if self.deadline_ms is not None else self.left_ms


@dataclass(frozen=True, slots=True)
class EventSaid:
    """One event. `round`: what its newest is called, "" before the first; `open`: matches without a result; `offers`:
    what may be pressed at its clock; `step`: the mark of the state in which that is so."""

    id: str
    name: str
    round: str
    open: int
    clock: ClockSaid | None
    offers: tuple[str, ...]
    step: str


@dataclass(frozen=True, slots=True)
class CallSaid:
    """Somebody wants a judge: at a match, or (`unit`) where nobody plays."""

    event: str
    match: str
    unit: str
    table: int | None
    since_ms: int
    taken: bool

    @property
    def key(self) -> tuple[str, str, str, int]:
        return self.event, self.match, self.unit, self.since_ms


@dataclass(frozen=True, slots=True)
class Stick:
    name: str
    state: str


@dataclass(frozen=True, slots=True)
class HubSaid:
    """Everything at one moment. `wall`: the time of day, "" where nobody knows it; `name`: the machine's on the
    network; `trouble`: the hub's disk refuses."""

    wall: str
    players: str
    console: str
    name: str
    fingerprint: str
    events: tuple[EventSaid, ...]
    calls: tuple[CallSaid, ...]
    sticks: tuple[Stick, ...]
    trouble: bool


@dataclass(frozen=True, slots=True)
class StandbySaid:
    """A standby on this machine. `state`: of `server/roundtap_hub/standby/following.py`; `level`: it held everything
    once, so that its key may be turned."""

    state: str
    hub: str
    level: bool


def hub_said(raw: object) -> HubSaid:
    """ValueError, KeyError or TypeError for what no hub says."""
    view = _object(raw)
    return HubSaid(
        _text(view["wall"]), _text(view["players"]), _text(view["console"]), _text(view["name"]),
        _text(view["fingerprint"]), tuple(map(_event, _list(view["events"], EVENTS_MAX))),
        tuple(map(_call, _list(view["calls"], CALLS_MAX))),
        tuple(Stick(_text(each["name"]), _text(each["state"])) for each in map(_object, _list(view["sticks"],
                                                                                              STICKS_MAX))),
        view["trouble"] is True)


def standby_said(raw: object) -> StandbySaid:
    """ValueError, KeyError or TypeError for what no standby says."""
    said = _object(raw)
    return StandbySaid(_text(said["state"]), _text(said["hub"]), said["level"] is True)


def _event(raw: object) -> EventSaid:
    said = _object(raw)
    offers = tuple(_text(each) for each in _list(said["offers"], len(OFFERS)))
    # What another version offers besides is not for this panel.
    return EventSaid(_text(said["id"]), _text(said["name"]), _text(said["round"]), _number(said["open"]),
                     None if said["clock"] is None else _clock(said["clock"]),
                     tuple(each for each in offers if each in OFFERS), _text(said["step"]))


def _clock(raw: object) -> ClockSaid:
    said = _object(raw)
    return ClockSaid(_text(said["state"]), *(_may_be_number(said[name])
                                             for name in ("deadline_ms", "left_ms", "total_ms")))


def _call(raw: object) -> CallSaid:
    said = _object(raw)
    return CallSaid(_text(said["event"]), _text(said["match"]), _text(said["unit"]), _may_be_number(said["table"]),
                    _number(said["since_ms"]), said["taken"] is True)


def _object(raw: object) -> dict[str, Any]:
    if not isinstance(raw, dict):
        raise TypeError("no object")
    return raw


def _list(raw: object, longest: int) -> list[Any]:
    if not isinstance(raw, list):
        raise TypeError("no list")
    return raw[:longest]


def _text(raw: object) -> str:
    if not isinstance(raw, str) or len(raw) > 400:
        raise ValueError("no text")
    return "".join(letter if letter.isprintable() else " " for letter in raw)


def _number(raw: object) -> int:
    if not isinstance(raw, int) or isinstance(raw, bool) or abs(raw) > MS_MAX:
        raise ValueError("no number")
    return raw


def _may_be_number(raw: object) -> int | None:
    return None if raw is None else _number(raw)
