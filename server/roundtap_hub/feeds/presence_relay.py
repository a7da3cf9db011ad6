"""What the units at one hub's feeds say, told to the other hubs on its database: in memory only, and it expires."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import psycopg
from sqlalchemy.engine import URL

from roundtap_hub.journal.database_url import libpq_arguments
from roundtap_hub.journal.postgres import TOLD_BYTES_MAX, reason_of
from roundtap_hub.presence import Asked, AskedFor, Heard, Presence, UnitStatus

log = logging.getLogger(__name__)

PRESENCE_CHANNEL = "roundtap_presence"
COALESCE_S = 0.2
"""However much is pressed, the others hear of it five times a second at the most."""
BEAT_S = 5.0
"""How often a hub says which units it is in contact with, if nothing else happens."""
SILENT_MS = 20_000
"""A hub that has said nothing for so long is gone, and its units' contact with it."""
SETS = frozenset({"seated", "leave", "leave_refused", "troubles"})
TOLD = tuple(each.name for each in fields(UnitStatus) if each.name not in ("unit", "contact_ms", "connected"))
"""What of a status is told field by field: two hubs that each change one do not undo each other's. Contact is told
apart."""

Message = dict[str, Any]


@dataclass(slots=True)
class OtherHub:
    """When another hub was last heard (milliseconds of the shared clock), and whom it is in contact with."""

    heard_ms: int
    units: set[str] = field(default_factory=set)


class PresenceNews:
    """What is to be told, and what is heard: plain messages, without a thread or a database.

    {"units": {unit: {field: value}}}: what changed; {"alive": {unit: contact_ms}, "gone": [unit, …]}: contact;
    {"here": [[event, match, competitor], …]}: seen by an official; {"asked": [[kind, event, what, asked], …]}: what
    phones ask for, null where it is settled; {"ask": true}: tell everything again.
    """

    def __init__(self, presence: Presence, now_ms: Callable[[], int], speaks: bool = True) -> None:
        self._presence = presence
        self._now_ms = now_ms
        self._speaks = speaks
        self._lock = threading.Lock()
        self._known: dict[str, dict[str, Any]] = {}
        self._known_here: frozenset[tuple[str, str, str]] = frozenset()
        self._known_asked: dict[AskedFor, Asked] = {}
        self._alive: set[str] = set()
        self._others: dict[str, OtherHub] = {}
        self._asked = True
        self._repeat = False

    def to_tell(self, beat: bool) -> list[Message]:
        """What the others do not know yet, in messages that PostgreSQL takes; `beat`: contact is told in any case."""
        with self._lock:
            asked, self._asked = self._asked, False
            said: list[Message] = [{"ask": True}] if asked else []
            if not self._speaks:
                return said
            units = self._presence.units
            alive = {unit: units[unit].contact_ms for unit in self._presence.connected_here if unit in units}
            repeat, self._repeat = self._repeat, False
            if repeat:
                self._known = {unit: known for unit, known in self._known.items() if unit not in alive}
                self._known_here = frozenset()
                self._known_asked = {}
            changed = {unit: news for unit, status in units.items() if (news := self._changed(unit, status))}
            here = sorted(self._presence.here - self._known_here)
            self._known_here |= frozenset(here)
            asked_for = self._asked_for(units)
            said += ({"asked": asked_for[n : n + 20]} for n in range(0, len(asked_for), 20))
            said += ({"units": dict(some)} for some in _parted(changed))
            said += ({"here": [list(item) for item in here[n : n + 50]]} for n in range(0, len(here), 50))
            if beat or asked or repeat or alive.keys() != self._alive:
                gone = sorted(self._alive - alive.keys())
                self._alive = set(alive)
                said += ({"alive": dict(some)} for some in _parted(alive))
                said += [{"gone": gone}] if gone else [] if alive else [{"alive": {}}]
            return said

    def hear(self, message: Mapping[str, Any]) -> None:
        """Another hub's message ("from" names it)."""
        with self._lock:
            other = self._others.setdefault(str(message["from"]), OtherHub(0))
            other.heard_ms = self._now_ms()
            self._repeat = self._repeat or "ask" in message
            for unit, said in message.get("units", {}).items():
                told = {name: said[name] for name in TOLD if name in said}
                self._known.setdefault(unit, {}).update(told)
                self._presence.told(unit, **{name: _back(name, value) for name, value in told.items()})
            for kind, event, what, now in message.get("asked", ()):
                key = (str(kind), str(event), str(what))
                asked = None if now is None else Asked(int(now["since_ms"]), frozenset(map(str, now["sources"])),
                                                       now["taken_by"], bool(now["refused"]))
                self._noted(key, asked)
                self._presence.told_asked(key, asked)
            here = frozenset((str(event), str(match), str(who)) for event, match, who in message.get("here", ()))
            self._known_here |= here
            for contact_ms, unit in ((int(ms), str(unit)) for unit, ms in message.get("alive", {}).items()):
                other.units.add(unit)
                self._presence.told(unit, contact_ms=contact_ms)
            other.units -= set(message.get("gone", ()))
        for item in here:
            self._presence.seen_here(*item)
        self.reconcile()

    def reconcile(self) -> None:
        """A unit is in contact if it is with any hub that lives."""
        with self._lock:
            now_ms = self._now_ms()
            self._others = {name: other for name, other in self._others.items()
                            if now_ms - other.heard_ms < SILENT_MS}
            elsewhere = set[str]().union(*(other.units for other in self._others.values()))
            here = self._presence.connected_here
            for unit, status in self._presence.units.items():
                connected = unit in elsewhere or unit in here
                if status.connected != connected:
                    self._presence.told(unit, connected=connected)

    def forget_what_was_told(self) -> None:
        """Nobody knows which messages arrived, ours and theirs: everything is told again, and asked for again."""
        with self._lock:
            self._repeat = self._asked = True

    def _asked_for(self, units: Heard) -> list[list[Any]]:
        """What of `units.asked` the others do not know, or do not know to be settled."""
        told: list[list[Any]] = []
        for key in sorted({*units.asked, *self._known_asked}):
            asked = units.asked.get(key)
            if asked != self._known_asked.get(key):
                told.append([*key, None if asked is None else {**asdict(asked), "sources": sorted(asked.sources)}])
                self._noted(key, asked)
        return told

    def _noted(self, key: AskedFor, asked: Asked | None) -> None:
        if asked is None:
            self._known_asked.pop(key, None)
        else:
            self._known_asked[key] = asked

    def _changed(self, unit: str, status: UnitStatus) -> dict[str, Any]:
        known = self._known.setdefault(unit, {})
        news = {name: value for name in TOLD if known.get(name, _DEFAULTS[name]) != (value := _said(status, name))}
        known.update(news)
        return news


class PresenceRelay:
    """A thread that tells, on a connection of its own; what is heard comes by the follower's."""

    def __init__(self, url: URL, name: str, news: PresenceNews, presence: Presence) -> None:
        self._url = url
        self._name = name
        self._news = news
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="presence-relay", daemon=True)
        presence.listen(lambda _: self._wake.set())

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._wake.set()
        self._thread.join(timeout=10)

    def tell_all_again(self) -> None:
        """Something may have been missed, here or there."""
        self._news.forget_what_was_told()
        self._wake.set()

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                with psycopg.connect(**libpq_arguments(self._url), autocommit=True) as connection:
                    # What is only told need not be on the disk, and commits must not wait for it.
                    connection.execute("SET synchronous_commit = off")
                    self._news.forget_what_was_told()
                    self._tell(connection)
            except psycopg.Error as lost:
                log.warning("what the units say is not told to other hubs at the moment: %s", reason_of(lost))
                self._stop.wait(BEAT_S)

    def _tell(self, connection: psycopg.Connection[Any]) -> None:
        beat = True
        while not self._stop.is_set():
            self._wake.clear()
            for message in self._news.to_tell(beat):
                said = json.dumps({"from": self._name, **message})
                connection.execute("SELECT pg_notify(%s, %s)", [PRESENCE_CHANNEL, said])
            self._news.reconcile()
            self._stop.wait(COALESCE_S)
            beat = not self._wake.wait(BEAT_S)


def _said(status: UnitStatus, name: str) -> Any:
    value = getattr(status, name)
    return sorted(value) if name in SETS else value


def _back(name: str, value: Any) -> Any:
    return frozenset(value) if name in SETS else value


_DEFAULTS = {name: _said(UnitStatus("", 0), name) for name in TOLD}


def _parted(items: Mapping[str, Any]) -> Iterator[list[tuple[str, Any]]]:
    """The items in groups that fit into one notification each."""
    group: list[tuple[str, Any]] = []
    size = 0
    for item in items.items():
        length = len(json.dumps(item)) + 2
        if group and size + length > TOLD_BYTES_MAX:
            yield group
            group, size = [], 0
        group.append(item)
        size += length
    if group:
        yield group
