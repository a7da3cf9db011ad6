"""Enrolment of units without a key: the waiting units, the key exchange by a typed code, and the new unit's name."""

import hashlib
import hmac
import logging
import secrets
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from roundtap_core import enrol_keys
from roundtap_core.errors import Invalid, Problem
from roundtap_hub.access.unit_keys import NAME, TABLE, RequestRefused, UnitKeys
from roundtap_hub.http.requester import UNLIMITED_ADDRESSES, Rate, RateLimiter
from roundtap_hub.store.service import Service
from roundtap_hub.views.unit_presence import Presence

ENROLMENT = "roundtap_enrolment"  # the application's extension key for its EnrolDesk

log = logging.getLogger(__name__)

NUMBER_DIGITS = 2
RECONFIRM_MS = 300_000  # how long a unit whose answer was lost may confirm again
STORE_TIMEOUT_S = 15.0

EXCHANGE_TTL_MS = 10_000  # from the typed code to the unit's confirmation
TAKE_UP_S, WAIT_S = 4.0, EXCHANGE_TTL_MS / 1000
"""How long the organizer's request waits for the unit to take up the offer, as it asks once a second; and in all."""
AT_ONCE = 2
"""How many codes are tried at once: each takes a thread of the console's, and a stranger's unit never answers."""

OFFERED, CHECKED, STORING, STORED, UNSAVED, WRONG, LATE, MALFORMED = (
    "offered",
    "checked",
    "storing",
    "stored",
    "unsaved",
    "wrong",
    "late",
    "malformed",
)
ENDED = (STORED, UNSAVED, WRONG, LATE, MALFORMED)

WAITING_MAX = 44  # each unit needs at most two of the NUMBERS
ADDRESS_MAX = 8  # waiting units of one address; a router may hide several
PENDING_TTL_MS = 10_000  # a unit without contact for this long is no longer waiting
GRACE_MS = 20_000  # how long a replaced code may still be typed: an organizer reads it, walks to the keyboard and types
NUMBERS = range(10, 100)  # the two digits before a code, which identify the waiting unit and the code
IDENTIFY_MS = 6_000
RATE, TOTAL_RATE = Rate(40, 4), Rate(600, 120)
"""Requests of one address, and of all together: a unit sends one a second."""


@dataclass(slots=True)
class ShownCode:
    """A code on a unit's screen, after its `number`; `commit`: hash of the unit's message in an exchange about it;
    `until_ms`: until when it may be typed, None: it is shown now. Valid once: `tried` when typed, right or wrong."""

    number: int
    commit: str
    until_ms: int | None = None
    tried: bool = False

    def may_be_typed(self, now_ms: int) -> bool:
        return self.until_ms is None or now_ms <= self.until_ms


@dataclass(slots=True)
class PendingUnit:
    """One waiting unit. `unit_id`: permanent, and not secret; `token`: random for each wait, sent unencrypted, and so
    valid only from `place`, the whole address it first came from (`address` is for counting). `mark`: its id on pages.
    `serial` counts its codes; `codes`: the current and the previous one, by serial."""

    unit_id: str
    token: str
    kind: str
    address: str
    place: str
    since_ms: int
    heard_ms: int
    serial: int = 0
    wants: str = ""
    codes: dict[int, ShownCode] = field(default_factory=dict)
    identify_until_ms: int = 0
    stopped: bool = False  # it waits for a press, after too many wrong codes

    @property
    def mark(self) -> str:
        return hashlib.sha256(f"{self.token} {self.place}".encode()).hexdigest()[:12]

    @property
    def number(self) -> int | None:
        """The number before its current code."""
        return self.codes[self.serial].number if self.serial in self.codes else None


class EnrolBusy(RequestRefused):
    """No place, or too many requests: the unit retries later."""

    def __init__(self) -> None:
        super().__init__(429, "too many ask; try again later")


class PendingUnits:
    """The waiting units, in memory: bounded, rate-limited, forgotten soon after they fall silent. Thread-safe. Times
    are the hub's monotonic milliseconds."""

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self._lock = threading.RLock()
        self._asking: dict[tuple[str, str], PendingUnit] = {}
        self._rates = RateLimiter(now_ms)
        self._next = NUMBERS.start

    def ask(
        self,
        unit_id: str,
        token: str,
        kind: str,
        address: str,
        serial: int,
        commit: str = "",
        wants: str = "",
        stopped: bool = False,
        place: str = "",
    ) -> PendingUnit:
        """Record a unit's request, once a second. Raises `EnrolBusy`. Two that claim to be the same unit are listed as
        two: people tell them apart by their codes. `place`: the whole address; "": `address`."""
        with self._lock:
            now_ms = self._now_ms()
            if address not in UNLIMITED_ADDRESSES and not self._rates.admit(((address,), RATE), ((), TOTAL_RATE)):
                raise EnrolBusy
            self._expire(now_ms)
            key = token, place or address
            unit = self._asking.get(key)
            if unit is None:
                # An eavesdropper with the token at another place is another unit, and cannot announce this one's codes.
                self._make_room(address)
                unit = self._asking[key] = PendingUnit(unit_id, token, kind, address, key[1], now_ms, now_ms)
            unit.heard_ms, unit.wants, unit.stopped = now_ms, wants, stopped
            self._update_code(unit, serial, commit, now_ms)
            return unit

    def listed(self) -> list[PendingUnit]:
        """The waiting units, in the order of their arrival."""
        with self._lock:
            self._expire(self._now_ms())
            return sorted(self._asking.values(), key=lambda each: each.since_ms)

    def find_by_number(self, number: int) -> tuple[PendingUnit, int] | None:
        """(unit, serial of its code) with this number before the code, now or a moment ago."""
        with self._lock:
            now_ms = self._now_ms()
            self._expire(now_ms)
            return next(
                (
                    (each, serial)
                    for each in self._asking.values()
                    for serial, code in each.codes.items()
                    if code.number == number and code.may_be_typed(now_ms)
                ),
                None,
            )

    def use_code(self, asking: PendingUnit, serial: int) -> str | None:
        """Use up one of its codes; returns the `commit`, or None where it was used before."""
        with self._lock:
            code = asking.codes.get(serial)
            if code is None or code.tried:
                return None
            code.tried = True
            return code.commit

    def identify(self, mark: str) -> bool:
        """Make it blink for some seconds; False where it is no longer waiting."""
        with self._lock:
            self._expire(self._now_ms())
            unit = next((each for each in self._asking.values() if each.mark == mark), None)
            if unit is not None:
                unit.identify_until_ms = self._now_ms() + IDENTIFY_MS
            return unit is not None

    def is_identifying(self, asking: PendingUnit) -> bool:
        return self._now_ms() < asking.identify_until_ms

    def remove(self, asking: PendingUnit) -> None:
        """Remove an enrolled unit."""
        with self._lock:
            self._asking.pop((asking.token, asking.place), None)

    def _expire(self, now_ms: int) -> None:
        for key in [key for key, each in self._asking.items() if now_ms - each.heard_ms > PENDING_TTL_MS]:
            del self._asking[key]

    def _make_room(self, address: str) -> None:
        """If all places are taken, remove the youngest unit of the address with most, for an address with few."""
        counts = Counter(each.address for each in self._asking.values())
        if counts[address] >= ADDRESS_MAX and address not in UNLIMITED_ADDRESSES:
            raise EnrolBusy
        if len(self._asking) < WAITING_MAX:
            return
        most, many = counts.most_common(1)[0]
        if many <= counts[address] + 1:
            raise EnrolBusy
        youngest = max((each for each in self._asking.values() if each.address == most), key=lambda each: each.since_ms)
        del self._asking[youngest.token, youngest.place]

    def _update_code(self, asking: PendingUnit, serial: int, commit: str, now_ms: int) -> None:
        """Record a shown code. Its first `commit` counts: the code is shown only once it has a number."""
        if serial in asking.codes or serial < asking.serial:
            # Known, delayed or replayed.
            return
        before = asking.codes.get(asking.serial)
        asking.codes = {}
        if before is not None:
            before.until_ms = now_ms + GRACE_MS
            asking.codes[asking.serial] = before
        asking.serial = serial
        if serial:
            asking.codes[serial] = ShownCode(self._free_number(now_ms), commit)

    def _free_number(self, now_ms: int) -> int:
        """A free number, in turn, so that each returns as late as possible."""
        taken = {
            code.number for each in self._asking.values() for code in each.codes.values() if code.may_be_typed(now_ms)
        }
        turn = self._next - NUMBERS.start
        free: list[int] = [number for number in (*NUMBERS[turn:], *NUMBERS[:turn]) if number not in taken]
        if not free:
            raise EnrolBusy
        self._next = free[0] + 1 if free[0] + 1 in NUMBERS else NUMBERS.start
        return free[0]


@dataclass(frozen=True, slots=True)
class EnrolPlan:
    """The unit's future, once both sides have confirmed. `table`: where it stands; None: nowhere, or unchanged.
    `actor`: who typed the code. `replaces`: whether the name has a key already, which then becomes invalid."""

    unit: str
    role: str
    table: int | None
    actor: str
    replaces: bool = False


class KeyExchange:
    """The hub's side of one exchange: begun when an organizer types a code, answered by the unit, confirmed by both.
    Each step of arithmetic takes some ten milliseconds on a Pi, and never runs on the event loop. `state` moves from
    OFFERED over CHECKED and STORING to one of ENDED. Thread-safe; `done` is set at the end, which is STORED only once
    both sides have confirmed and the key is on the disk."""

    def __init__(
        self,
        asking: PendingUnit,
        about: enrol_keys.ExchangeContext,
        code: str,
        commit: str,
        wish: EnrolPlan,
        begun_ms: int,
    ) -> None:
        # Imported here: it takes 50 ms, and most evenings do without it.
        from spake2 import SPAKE2_A

        self.asking = asking
        self.about = about
        self.plan = wish
        self._commit = commit
        self.begun_ms = begun_ms
        self.state = OFFERED
        self.error: Exception | None = None  # why the agreed key could not be stored
        self.done = threading.Event()
        self._lock = threading.Lock()
        self._answered = ""
        self._agreed: enrol_keys.ExchangeKeys | None = None
        self._side: Any = SPAKE2_A(enrol_keys.code_password(code), idA=enrol_keys.HUB_IDENTITY, idB=about.unit_identity)
        self.message: str = self._side.start().hex()  # the offer to the unit, in hex

    def belongs_to(self, token: object, place: str) -> bool:
        """Whether it belongs to the unit with this token at this place."""
        return (self.asking.token, self.asking.place) == (token, place)

    def answer(self, unit_message: object) -> str | None:
        """The hub's confirmation for the unit's message, or None. Only the message that the unit committed to before
        its code was shown is accepted, and always answered the same."""
        with self._lock:
            if self._agreed is not None:
                return self._agreed.hub_confirms if unit_message == self._answered else None
            try:
                theirs = enrol_keys.parse_hex_message(unit_message)
            except ValueError:
                return None
            if self.state != OFFERED or not hmac.compare_digest(enrol_keys.commitment(theirs), self._commit):
                return None
            try:
                self._agreed = enrol_keys.derive_keys(
                    self._side.finish(theirs), self.about, bytes.fromhex(self.message), theirs
                )
            except Exception:
                # Refused by the group: no element of it, the identity, or our own message.
                self._end(MALFORMED)
                return None
            self._answered = str(unit_message)
            self._side = None
            self.state = CHECKED
            return self._agreed.hub_confirms

    def confirm(self, confirmation: object) -> bytes | None:
        """The unit's key, if its confirmation is right; the first time, `state` becomes STORING. A wrong one ends the
        exchange."""
        with self._lock:
            if self._agreed is None or self.state not in (CHECKED, STORING, STORED):
                return None
            if (
                not isinstance(confirmation, str)
                or not confirmation.isascii()
                or not hmac.compare_digest(confirmation, self._agreed.unit_confirms)
            ):
                if self.state == CHECKED:
                    self._end(WRONG)
                return None
            if self.state == CHECKED:
                self.state = STORING
            return self._agreed.key

    def end(self, state: str, error: Exception | None = None) -> None:
        """End the exchange, if it has not ended yet; one in STORING ends only with STORED or UNSAVED."""
        with self._lock:
            if self.state in ENDED or (self.state == STORING and state not in (STORED, UNSAVED)):
                return
            self.error = error
            self._end(state)

    def _end(self, state: str) -> None:
        self.state = state
        if state != STORED:
            self._agreed = self._side = None
        self.done.set()


@dataclass(frozen=True, slots=True)
class TypedCode:
    """A typed code: its six digits, and the number before them on the unit's screen, if that was typed too."""

    number: int | None
    code: str


@dataclass(frozen=True, slots=True)
class EnrolResult:
    """An enrolled unit. `table`: where it stands now."""

    unit: str
    table: int | None


def parse_typed_code(text: str) -> TypedCode:
    """ "17 345 678", "17345678" or "345 678". Problem "enrol_digits"."""
    digits = "".join(letter for letter in text if letter not in " .-·\u00a0\u2009\t")
    if (
        not digits.isascii()
        or not digits.isdigit()
        or len(digits) not in (enrol_keys.CODE_DIGITS, NUMBER_DIGITS + enrol_keys.CODE_DIGITS)
    ):
        raise Invalid("enrol_digits")
    number = digits[: -enrol_keys.CODE_DIGITS]
    return TypedCode(int(number) if number else None, digits[-enrol_keys.CODE_DIGITS :])


class EnrolDesk:
    """Thread-safe. `room`: the waiting units; their messages come by `EnrolApi` (enrol_api.py)."""

    def __init__(self, service: Service, presence: Presence, keys: UnitKeys, now_ms: Callable[[], int]) -> None:
        self.room = PendingUnits(now_ms)
        self._service = service
        self._presence = presence
        self._keys = keys
        self._now_ms = now_ms
        self._lock = threading.Lock()
        self._exchanges: dict[str, KeyExchange] = {}

    # The organizer's side.

    def enrol(
        self, typed: TypedCode, actor: str, table: int | None = None, replace: str = "", mark: str = ""
    ) -> EnrolResult:
        """Try the code with the one unit that shows it, and wait for the outcome, some seconds at most. table: where it
        is to stand. replace: the unit whose name and place it takes over. mark: the unit that the code was typed for,
        where it was chosen on the page. Problem "enrol_nobody", "enrol_which", "enrol_used", "enrol_wrong",
        "enrol_silent", "enrol_under_way", "enrol_kind", and those of `UnitKeys.enrol`."""
        asking, serial = self._find_unit(typed, mark)
        with self._lock:
            self._expire()
            wish = self._plan(asking, actor, table, replace)
            tried = self._enrolling()
            if wish.unit in tried or len(tried) >= AT_ONCE:
                raise Problem("enrol_under_way", unit=", ".join(sorted(tried)))
            commit = self.room.use_code(asking, serial)
            if commit is None:
                raise Problem("enrol_used")
            venue = self._service.snapshot.venue
            about = enrol_keys.ExchangeContext(
                (venue.epochs or (venue.epoch,))[0],
                venue.epoch,
                asking.unit_id,
                asking.kind,
                serial,
                secrets.token_hex(8),
            )
            exchange = KeyExchange(asking, about, typed.code, commit, wish, self._now_ms())
            self._exchanges[about.exchange] = exchange
        return self._outcome(exchange)

    def _outcome(self, exchange: KeyExchange) -> EnrolResult:
        taken_up = exchange.done.wait(TAKE_UP_S) or exchange.state != OFFERED
        if not taken_up or not exchange.done.wait(WAIT_S - TAKE_UP_S):
            exchange.end(LATE)
            # Wait for a key that is being stored: the answer must not contradict the outcome.
            exchange.done.wait(STORE_TIMEOUT_S)
        if exchange.state == STORED:
            return EnrolResult(exchange.plan.unit, exchange.plan.table)
        if isinstance(exchange.error, Problem):
            raise exchange.error
        if exchange.state in (LATE, STORING):
            raise Problem("enrol_silent")
        raise Invalid("enrol_wrong")

    def _find_unit(self, typed: TypedCode, mark: str) -> tuple[PendingUnit, int]:
        """The one unit that shows this code, by the number before the code; never by trial."""
        waiting = [each for each in self.room.listed() if each.number is not None and (not mark or each.mark == mark)]
        if typed.number is not None:
            unit_and_serial = self.room.find_by_number(typed.number)
            if unit_and_serial is None or (mark and unit_and_serial[0].mark != mark):
                raise Invalid("enrol_nobody", number=typed.number)
            return unit_and_serial
        if not waiting:
            raise Problem("enrol_none_waits")
        if len(waiting) > 1:
            raise Invalid("enrol_which", n=len(waiting))
        return waiting[0], waiting[0].serial

    def _plan(self, asking: PendingUnit, actor: str, table: int | None, replace: str) -> EnrolPlan:
        role, tables = asking.kind, self._service.snapshot.venue.tables
        if replace:
            if self._keys.require(replace).role != role:
                raise Problem("enrol_kind", unit=replace)
            return EnrolPlan(replace, role, tables.get(replace), actor, True)
        before = self._service.snapshot.venue.unit_ids.get(asking.unit_id)
        if (
            before is not None
            and self._keys.role(before) in (role, None)
            and not self._in_contact(before)
            and before not in self._enrolling()
        ):
            stands = table if table is not None or role != TABLE else tables.get(before)
            return EnrolPlan(before, role, stands, actor, before in self._keys)
        return EnrolPlan(self._free_name(asking, role, table), role, table if role == TABLE else None, actor)

    def _in_contact(self, unit: str) -> bool:
        """Whether the named unit is connected now; then the waiting one is another."""
        status = self._presence.status_of(unit)
        return unit in self._keys and status is not None and status.connected

    def _free_name(self, asking: PendingUnit, role: str, table: int | None) -> str:
        taken = {*self._keys, *self._enrolling(), *self._service.snapshot.venue.tables}
        if asking.wants not in taken and NAME.fullmatch(asking.wants):
            return asking.wants
        wanted = f"{role}-{table}"
        # The name of a revoked unit that stood there is free.
        if table is not None and role == TABLE and wanted not in {*self._keys, *self._enrolling()}:
            return wanted
        return next(name for name in (f"{role}-{number}" for number in range(1, len(taken) + 2)) if name not in taken)

    def _enrolling(self) -> set[str]:
        return {each.plan.unit for each in self._exchanges.values() if each.state not in ENDED}

    # The unit's side.

    def offer_for(self, asking: PendingUnit) -> KeyExchange | None:
        """The open exchange that the unit has to answer."""
        with self._lock:
            self._expire()
            return next(
                (
                    each
                    for each in self._exchanges.values()
                    if each.belongs_to(asking.token, asking.place) and each.state not in ENDED
                ),
                None,
            )

    def exchange_of(self, name: object, token: object, place: str) -> KeyExchange | None:
        """The exchange with this name, if it belongs to the unit with this token at this place."""
        with self._lock:
            self._expire()
            exchange = self._exchanges.get(name) if isinstance(name, str) else None
        return exchange if exchange is not None and exchange.belongs_to(token, place) else None

    def store(self, exchange: KeyExchange, key: bytes) -> None:
        """Store a confirmed key: valid, and on the disk, when this returns. Blocks; once for each exchange."""
        wish = exchange.plan
        try:
            self._keys.enrol(wish.unit, wish.role, key, wish.replaces, exchange.about.unit_id, wish.actor, wish.table)
        except Exception as error:
            log.error("%s was agreed with and could not be stored: %s", wish.unit, error)
            exchange.end(UNSAVED, error)
            return
        self.room.remove(exchange.asking)
        exchange.end(STORED)

    def _expire(self) -> None:
        now_ms = self._now_ms()
        for name, exchange in list(self._exchanges.items()):
            age_ms = now_ms - exchange.begun_ms
            if age_ms > EXCHANGE_TTL_MS:
                exchange.end(LATE)
            if age_ms > (RECONFIRM_MS if exchange.state in (STORED, STORING) else EXCHANGE_TTL_MS):
                del self._exchanges[name]
