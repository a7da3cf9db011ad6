"""What an organizer does about units that ask: type a code, once; what the unit is called and where it stands then."""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass

from roundtap_core.enrol_keys import CODE_DIGITS, About
from roundtap_core.errors import Invalid, Problem
from roundtap_hub.devices.unit_keys import NAME, STATION, TABLE, UnitKeys
from roundtap_hub.enrolment.exchange import ENDED, LATE, LIVES_MS, STORED, STORING, UNSAVED, Exchange, Wish
from roundtap_hub.enrolment.waiting_room import Asking, WaitingRoom
from roundtap_hub.journal.service import Service
from roundtap_hub.presence import Presence

log = logging.getLogger(__name__)

KINDS = (TABLE, STATION)
NUMBER_DIGITS = 2
KEPT_MS = 300_000
"""So long a unit whose answer was lost may confirm once more."""
STORE_WITHIN_S = 15.0
EXCHANGES_MAX = 64


@dataclass(frozen=True, slots=True)
class Typed:
    """What somebody typed: the six digits, and what stands before them on the unit's screen, if it was typed too."""

    number: int | None
    code: str


@dataclass(frozen=True, slots=True)
class Enrolled:
    """What came of it. `table`: where it stands now."""

    unit: str
    table: int | None


def read_typed(text: str) -> Typed:
    """"17 345 678", "17345678" or "345 678". Problem "enrol_digits"."""
    digits = "".join(letter for letter in text if letter not in " .-·\u00a0\u2009\t")
    if not digits.isascii() or not digits.isdigit() or len(digits) not in (CODE_DIGITS, NUMBER_DIGITS + CODE_DIGITS):
        raise Invalid("enrol_digits")
    number = digits[:-CODE_DIGITS]
    return Typed(int(number) if number else None, digits[-CODE_DIGITS:])


class EnrolDesk:
    """Any thread may ask. `room`: who waits; the units' side is enrol_api.py."""

    def __init__(self, service: Service, presence: Presence, keys: UnitKeys,
                 now_ms: Callable[[], int], wait_s: float = LIVES_MS / 1000,
                 new_name: Callable[[], str] = lambda: secrets.token_hex(8)) -> None:
        self.room = WaitingRoom(now_ms)
        self._service = service
        self._presence = presence
        self._keys = keys
        self._now_ms = now_ms
        self._wait_s = wait_s
        self._new_name = new_name
        self._lock = threading.Lock()
        self._exchanges: dict[str, tuple[Asking, Exchange]] = {}

    # The organizer's side.

    def enrol(self, typed: Typed, actor: str, table: int | None = None, replace: str = "", mark: str = "") -> Enrolled:
        """Try the code with the one unit that shows it, and wait for what comes of it: some seconds at the most.

        table: where it is to stand. replace: the unit whose name and place it takes over. mark: the unit that the code
        was typed for, where it was chosen on the page. Problem "enrol_nobody", "enrol_which", "enrol_used",
        "enrol_wrong", "enrol_silent", "enrol_under_way", "enrol_kind", and those of `UnitKeys.enrol`.
        """
        asking, serial = self._shown_by(typed, mark)
        with self._lock:
            self._tidy()
            wish = self._wish(asking, actor, table, replace)
            if any(each.state not in ENDED and each.wish.unit == wish.unit for _, each in self._exchanges.values()):
                raise Problem("enrol_under_way", unit=wish.unit)
            if len(self._exchanges) >= EXCHANGES_MAX:
                raise Problem("enrol_under_way", unit=wish.unit)
            if not self.room.take(asking, serial):
                raise Problem("enrol_used")
            venue = self._service.snapshot.venue
            about = About((venue.epochs or (venue.epoch,))[0], venue.epoch, asking.unit_id, asking.kind, serial,
                          self._new_name())
            exchange = Exchange(about, typed.code, asking.commits.get(serial, ""), wish, self._now_ms())
            self._exchanges[about.exchange] = asking, exchange
        return self._outcome(exchange)

    def _outcome(self, exchange: Exchange) -> Enrolled:
        if not exchange.done.wait(self._wait_s):
            exchange.end(LATE)
            # What is being stored just now is waited for: somebody would otherwise be told the opposite.
            exchange.done.wait(STORE_WITHIN_S)
        if exchange.state == STORED:
            return Enrolled(exchange.wish.unit, exchange.wish.table)
        if isinstance(exchange.error, Problem):
            raise exchange.error
        if exchange.state in (LATE, STORING):
            raise Problem("enrol_silent")
        raise Invalid("enrol_wrong")

    def _shown_by(self, typed: Typed, mark: str) -> tuple[Asking, int]:
        """The one unit that shows this code, as far as what stands before the code says; never one by trying."""
        waiting = [each for each in self.room.listed() if each.number is not None and (not mark or each.mark == mark)]
        if typed.number is not None:
            found = self.room.behind(typed.number)
            if found is None or (mark and found[0].mark != mark):
                raise Invalid("enrol_nobody", number=typed.number)
            return found
        if not waiting:
            raise Problem("enrol_none_waits")
        if len(waiting) > 1:
            raise Invalid("enrol_which", n=len(waiting))
        return waiting[0], waiting[0].serial

    def _wish(self, asking: Asking, actor: str, table: int | None, replace: str) -> Wish:
        role, tables = asking.kind, self._service.snapshot.venue.tables
        if replace:
            if self._keys.known(replace).role != role:
                raise Problem("enrol_kind", unit=replace)
            return Wish(replace, role, tables.get(replace), actor, True)
        before = self._service.snapshot.venue.unit_ids.get(asking.unit_id)
        if before is not None and self._keys.role(before) in (role, None) and not self._in_contact(before) \
                and before not in self._under_way():
            stands = table if table is not None or role != TABLE else tables.get(before)
            return Wish(before, role, stands, actor, before in self._keys)
        return Wish(self._free_name(asking, role, table), role, table if role == TABLE else None, actor)

    def _in_contact(self, unit: str) -> bool:
        """Who is heard just now is another one, whatever this one says of itself."""
        status = self._presence.status_of(unit)
        return unit in self._keys and status is not None and status.connected

    def _free_name(self, asking: Asking, role: str, table: int | None) -> str:
        taken = {*self._keys, *self._under_way(), *self._service.snapshot.venue.tables}
        if asking.wants not in taken and NAME.fullmatch(asking.wants):
            return asking.wants
        wanted = f"{role}-{table}"
        # Where a unit of that name stood whose key was taken away, its name is free.
        if table is not None and role == TABLE and wanted not in {*self._keys, *self._under_way()}:
            return wanted
        return next(name for name in (f"{role}-{number}" for number in range(1, len(taken) + 2)) if name not in taken)

    def _under_way(self) -> set[str]:
        return {each.wish.unit for _, each in self._exchanges.values() if each.state not in ENDED}

    # The unit's side.

    def offer_for(self, asking: Asking) -> Exchange | None:
        """What the unit is to answer."""
        with self._lock:
            self._tidy()
            return next((exchange for each, exchange in self._exchanges.values()
                         if (each.token, each.place) == (asking.token, asking.place)
                         and exchange.state not in ENDED), None)

    def exchange_of(self, name: object, token: object, place: str) -> Exchange | None:
        """The exchange of this name, for the unit whose it is, from where that asks."""
        with self._lock:
            self._tidy()
            found = self._exchanges.get(name) if isinstance(name, str) else None
        return found[1] if found is not None and (found[0].token, found[0].place) == (token, place) else None

    def store(self, exchange: Exchange, key: bytes) -> None:
        """Both have confirmed: the key is on the disk when this returns, and counts. Blocks; once for each exchange."""
        wish = exchange.wish
        try:
            self._keys.enrol(wish.unit, wish.role, key, wish.replaces, exchange.about.unit_id, wish.actor, wish.table)
        except Exception as error:
            log.error("%s was agreed with and could not be stored: %s", wish.unit, error)
            exchange.end(UNSAVED, error)
            return
        with self._lock:
            asking = self._exchanges[exchange.about.exchange][0]
        self.room.enrolled(asking)
        exchange.end(STORED)

    def _tidy(self) -> None:
        now_ms = self._now_ms()
        for name, (_, exchange) in list(self._exchanges.items()):
            age_ms = now_ms - exchange.begun_ms
            if age_ms > LIVES_MS:
                exchange.end(LATE)
            if age_ms > (KEPT_MS if exchange.state in (STORED, STORING) else LIVES_MS):
                del self._exchanges[name]
