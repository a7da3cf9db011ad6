"""The units' keys and roles; and units' requests: key, role, rate and signature, troubles with units, challenges.

Keys and roles come from the venue's stream and rows beside it; those of local units are made anew at each start. Keys
made elsewhere come from `keys.json` in the hub's folder when it starts.

Units on the hub's own machine find their keys in files under /run that only they may read.
"""

import grp
import hmac
import json
import logging
import os
import re
import secrets
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Container, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_core.messages import UnitRequest
from roundtap_core.typed import MalformedMessage, parse_message
from roundtap_core.wire import REPORT, REQUEST, open_envelope, verify_signature
from roundtap_hub.http.connection_limits import FROM_UNIT
from roundtap_hub.http.http_answers import NO_STORE, Receive, Scope, Send, read_message, send_json
from roundtap_hub.http.requester import Rate, RateLimiter, is_loopback, throttle_key
from roundtap_hub.http.routes import ORGANIZER
from roundtap_hub.store.models import UnitKeyRow
from roundtap_hub.store.service import HubStopped, OutcomeUnknown, Service, Step
from roundtap_hub.store.venue import (
    NO_KEY,
    UNIT_REVOKED,
    UNITS_MAX,
    UnitKeyRecord,
    is_valid_key,
    key_digest,
    unit_keyed_entry,
    unit_placed_entry,
)
from roundtap_machine.disk import write_atomically

log = logging.getLogger(__name__)

TABLE, STATION, STANDBY = "table", "station", "standby"
ROLES = (TABLE, STATION, STANDBY)  # the roles of enrolled keys
PANEL = "panel"  # the front panel's role: on the hub's machine only (`make_local_units`)
KEY_BYTES = 32
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
"""A unit's name stands in a header, on labels and in four languages' sentences."""

KEYS_FILE = "keys.json"
UNREAD = ".unread"  # suffix of a file of which only a part could be taken
KEYS_ENTRY = re.compile(r'"(?P<unit>[A-Za-z0-9][A-Za-z0-9._-]{0,39})"\s*:\s*(?P<value>"[0-9A-Fa-f]{64,}"|\{[^{}]*\})')
"""A unit and its key, anywhere in the text."""

Listener = Callable[[frozenset[str]], None]  # receives the units whose key or role changed or was revoked

LOCAL_ROLES = (PANEL, STATION, TABLE)
"""Roles on the hub's own machine: each key is in a file of this name, for the unit "hub-" and this name."""
GROUP = "roundtap-local"
"""The group that may read the files; if the hub is in a group "roundtap-panel", only that one reads the panel's."""
FILE_MODE, FOLDER_MODE = 0o640, 0o755
FOLDER_NAME = "local"

HELLO, REPORTS, STATUS, TIME, JOBS, COPY, PANEL_ASKS, ASKS = (
    "hello",
    "report",
    "status",
    "time",
    "station",
    "standby",
    "panel",
    "asks",
)
"""The kinds of requests."""
ROLE_FOR: Mapping[str, str] = {
    HELLO: TABLE,
    REPORTS: TABLE,
    STATUS: TABLE,
    TIME: TABLE,
    JOBS: STATION,
    COPY: STANDBY,
    PANEL_ASKS: PANEL,
}
RATES: Mapping[str, Rate] = {
    # A whole outbox at once after an outage, twice over; then one every half second.
    REPORTS: Rate(400, 2),
    STATUS: Rate(60, 6),
    TIME: Rate(72, 3),
    HELLO: Rate(20, 0.5),
    JOBS: Rate(60, 4),
    # One request for each commit.
    COPY: Rate(4000, 1000),
    # One request a second, and one for each press.
    PANEL_ASKS: Rate(60, 5),
    # Calls and wishes in statuses, as of one phone: what is too much waits for a later status.
    ASKS: Rate(12, 0.1),
}
"""For each key. Real units stay far below: hellos 0.2-3 s apart while the feed breaks at once, a status for each press,
24 time requests after connecting, a station's request for each state of a job."""
FORGERY_RATE = Rate(10, 0.2)
"""Wrong signatures of one address in one unit's name; beyond that its messages in this name are refused unchecked."""

A = TypeVar("A", bound=UnitRequest)

log = logging.getLogger(__name__)

FORGED, FLOOD, ELSEWHERE, TWIN, DAMAGED = "forged", "flood", "elsewhere", "twin", "damaged"
"""Kinds of troubles with a unit, described in TROUBLE_TEXTS."""
TROUBLE_TEXTS: Mapping[str, str] = {
    FORGED: "somebody signs wrongly in its name",
    FLOOD: "its key asks for more than any unit does",
    ELSEWHERE: "it reports matches where it did not stand",
    TWIN: "a second unit has its name",
    DAMAGED: "lines of its disk cannot be read",
}
ALERT_FROM: Mapping[str, int] = {FORGED: 10, FLOOD: 20}
"""How many until the organizer sees an alert; 1 for other kinds. A unit without its new key signs wrongly for a while,
and players may hammer on a button."""

AlertListener = Callable[[str, frozenset[str]], None]  # receives a unit and all its current alerts

CHALLENGE_TTL_MS = 30_000  # from the challenge to the hello: enough time for a hall that reconnects all at once
RANDOM_LETTERS, MAC_LETTERS = 16, 24
LENGTH_MAX = 64

BODY_WITHIN_S = 5.0  # as a unit's own timeout
UnitAnswer = tuple[int, Mapping[str, Any] | bytes]  # a status code and the answer, perhaps as JSON already


@dataclass(frozen=True, slots=True)
class UnitKey:
    """One unit's key and its role."""

    key: bytes
    role: str


class UnitKeys(Mapping[str, bytes]):
    """Key by unit, as the journal of `service` has them. Thread-safe; a change is saved before it takes effect.
    `keys`: units that are valid while the journal has none of their name (tests, a hall in one process)."""

    def __init__(self, service: Service, keys: Mapping[str, bytes] | None = None) -> None:
        self._service = service
        self._known = {unit: UnitKey(key, usual_role(unit)) for unit, key in (keys or {}).items()}
        self._lock, self._telling = threading.Lock(), threading.Lock()
        # Each runs in the thread of the change or the journal's, and must only enqueue; then the change is answered.
        self.listeners: list[Listener] = []
        self._local: Mapping[str, UnitKey] = {}
        self._seen_local: frozenset[str] = frozenset()
        self._last_journaled = self._journaled
        service.listen(self._notify)

    @property
    def _journaled(self) -> Mapping[str, UnitKeyRecord]:
        return self._service.snapshot.venue.units

    def find(self, unit: str) -> UnitKey | None:
        """The unit's key and role; None for an unknown unit."""
        snapshot = self._service.snapshot
        record, key = snapshot.venue.units.get(unit), snapshot.keys.get(unit, "")
        if record is not None and is_valid_key(snapshot.venue, unit, key):
            return UnitKey(bytes.fromhex(key), record.role)
        return (self._known.get(unit) if record is None else None) or self._local.get(unit)

    def __getitem__(self, unit: str) -> bytes:
        unit_key = self.find(unit)
        if unit_key is None:
            raise KeyError(unit)
        return unit_key.key

    def __iter__(self) -> Iterator[str]:
        """All units with a key; local ones only once they were in contact, as each has a key."""
        units = dict.fromkeys((*self._journaled, *self._known, *self._seen_local))
        return iter([unit for unit in units if self.find(unit) is not None])

    def __len__(self) -> int:
        return len(tuple(iter(self)))

    def role(self, unit: str) -> str | None:
        """The role of the unit's key; None for an unknown unit."""
        unit_key = self.find(unit)
        return unit_key.role if unit_key is not None else None

    def set_local(self, units: Mapping[str, UnitKey]) -> None:
        """Set the local units (`make_local_units`): their keys are not in the journal, and valid only from loopback."""
        with self._lock:
            changed = frozenset(unit for unit in {*self._local, *units} if self._local.get(unit) != units.get(unit))
            self._local, self._seen_local = dict(units), frozenset()
        for listener in self.listeners if changed else ():
            listener(changed)

    def is_local(self, unit: str) -> bool:
        """Whether the unit is on this machine, and its key valid only from there."""
        return unit in self._local and self.find(unit) is self._local[unit]

    def mark_seen(self, unit: str) -> None:
        """A signature of the unit was valid: it exists."""
        if unit in self._local and unit not in self._seen_local:
            with self._lock:
                self._seen_local |= {unit}

    def add(self, unit: str, role: str = TABLE, actor: str = ORGANIZER) -> bytes:
        """Add a unit; returns its new key. Problem "unit_name", "unit_known", "unit_role", "too_many_units", and what
        `Service.execute` raises."""
        key = secrets.token_bytes(KEY_BYTES)
        self.enrol(unit, role, key, actor=actor)
        return key

    def replace(self, unit: str, actor: str = ORGANIZER) -> bytes:
        """A new key for a unit; the previous one becomes invalid. Problem "unknown_unit", "unit_local", as `add`."""
        record, key = self._journaled.get(unit, NO_KEY), secrets.token_bytes(KEY_BYTES)
        self._record(unit_keyed_entry(unit, self.require(unit).role, key.hex(), record), actor, key)
        return key

    def enrol(
        self,
        unit: str,
        role: str,
        key: bytes,
        replaces: bool = False,
        unit_id: str = "",
        actor: str = ORGANIZER,
        table: int | None = None,
    ) -> None:
        """Store the key that a unit has agreed on with the hub; repeating that changes nothing. `replaces`: the key of
        this name's previous unit becomes invalid; `unit_id`: the device's own id; `table`: where it stands from now on,
        None: unchanged. Problem as `add`."""
        check_unit(unit, role)
        # Read the record first: if another key is stored meanwhile, the journal refuses this one.
        record, before = self._journaled.get(unit, NO_KEY), self.find(unit)
        if before == UnitKey(key, role):
            return
        if before is not None and not replaces:
            raise Invalid("unit_known", unit=unit)
        new = unit_keyed_entry(unit, role, key.hex(), record, unit_id)
        self._record(new, actor, key, [] if table is None else [unit_placed_entry(unit, table)])

    def revoke(self, unit: str, actor: str = ORGANIZER) -> None:
        """The unit's key counts no more, and it stands nowhere. Problem "unknown_unit", "unit_local" and as `add`."""
        self.require(unit)
        stands = unit in self._service.snapshot.venue.tables
        self._record(
            NewEntry(UNIT_REVOKED, {"unit": unit}), actor, b"", [unit_placed_entry(unit, None)] if stands else []
        )

    def require(self, unit: str) -> UnitKey:
        """A unit whose key may be replaced. Raises Problem("unknown_unit"), ("unit_local")."""
        unit_key = self.find(unit)
        if unit_key is None:
            raise Problem("unknown_unit", unit=unit[:40])
        if self.is_local(unit):
            raise Problem("unit_local", unit=unit)
        return unit_key

    def _record(self, new: NewEntry, actor: str, key: bytes, more: Sequence[NewEntry] = ()) -> None:
        self._service.execute(
            [Step(VENUE, each) for each in (new, *more)],
            actor,
            beside=[UnitKeyRow(unit=new.data["unit"], key=key.hex())],
        )
        self._notify()

    def _notify(self, *_: object) -> None:
        # The journal's thread and that of the change come here: neither goes on before all were told.
        with self._telling:
            before, now = self._last_journaled, self._journaled
            self._last_journaled = now
            changed = frozenset(unit for unit in {*before, *self._known} if before.get(unit) != now.get(unit))
            for listener in self.listeners if changed else ():
                listener(changed)


def usual_role(unit: str) -> str:
    """The role of a unit of which only the key is known."""
    return STATION if unit.startswith(STATION) else TABLE


def check_unit(unit: str, role: str) -> None:
    """Raise Problem "unit_name" or "unit_role" for what no unit may have."""
    if NAME.fullmatch(unit) is None:
        raise Invalid("unit_name", unit=unit[:40])
    if role not in ROLES:
        raise Invalid("unit_role", role=role[:40])


def take_key_file(folder: Path, service: Service) -> bool:
    """Put its keys in the journal, except where the journal has newer entries, and take the file away. False: they
    cannot be saved just now, and it stays where it is."""
    path = folder / KEYS_FILE
    if not path.is_file():
        return True
    try:
        wrong = _take_keys(path, service)
    except Invalid as error:
        wrong = [str(error)]
    except (OSError, Problem, OutcomeUnknown, HubStopped) as error:
        log.error("%s is not taken over yet: %s", path, error)
        return False
    try:
        if wrong:
            log.error("%s: not all of it counts (%s); it is kept as %s", path, "; ".join(wrong), KEYS_FILE + UNREAD)
            path.replace(path.with_name(KEYS_FILE + UNREAD))
        else:
            path.unlink()
    except OSError as error:
        log.error("%s was taken over and has to be taken away: %s", path, error)
    return True


def _take_keys(path: Path, service: Service) -> list[str]:
    """{"unit": "64 hex digits" or {"key": "64 hex digits", "role": one of ROLES}}, perhaps edited manually. Returns
    what was invalid."""
    units = service.snapshot.venue.units
    entries, wrong = _read_keys(path.read_text(encoding="utf-8", errors="replace"))
    times = Counter(unit for unit, _ in entries)
    steps: list[Step] = []
    rows: list[UnitKeyRow] = []
    for unit, value in entries:
        try:
            fields = dict(value) if isinstance(value, tuple) else {"key": value}
            key, role = bytes.fromhex(fields["key"]).hex(), fields.get("role", usual_role(unit))
            check_unit(unit, role)
            # Of two keys under one name, neither can be trusted.
            if (
                len(key) < 2 * KEY_BYTES
                or times[unit] > 1
                or len(units) + len(rows) >= UNITS_MAX
                or units.get(unit, same := UnitKeyRecord(role, key_digest(unit, key))) != same
            ):
                raise ValueError(unit)
        except (KeyError, TypeError, ValueError, Problem):
            wrong.append(unit[:40])
            continue
        if unit not in units:
            steps.append(Step(VENUE, unit_keyed_entry(unit, role, key)))
        if unit not in service.snapshot.keys:
            # In a hub restored from a backup the entry may exist already (`journal_identity.latest_rights_entries`).
            rows.append(UnitKeyRow(unit=unit, key=key))
    service.execute(steps, "hub", beside=rows)
    return wrong


def _read_keys(text: str) -> tuple[list[tuple[str, Any]], list[str]]:
    """Each (unit, value) as often as it occurs, objects as their pairs, and what is wrong with the text. In broken JSON
    (a missing comma, a truncated file) every complete entry still counts."""
    try:
        value = json.loads(text, object_pairs_hook=tuple)
        if isinstance(value, tuple):
            return list(value), []
        wrong = ["no object"]
    except (ValueError, RecursionError) as error:
        wrong = [str(error)]
    entries = []
    for match in KEYS_ENTRY.finditer(text):
        with suppress(ValueError, RecursionError):
            entries.append((match["unit"], json.loads(match["value"], object_pairs_hook=tuple)))
    return entries, wrong


def unit_name(kind: str) -> str:
    """The name of the local unit of this kind: "hub-panel"."""
    return f"hub-{kind}"


def local_folder(given: Path | None, runtime: str | None) -> Path | None:
    """The folder for the files: the command line's, else "local" in RUNTIME_DIRECTORY (systemd), else None."""
    if given is not None:
        return given
    return next((path for path in map(Path, (runtime or "").split(":")) if path.name == FOLDER_NAME), None)


def loopback_address(host: str, port: int) -> str | None:
    """The loopback URL of a hub that listens on `host`; None where there is none: local units are then like others."""
    if host in ("", "0.0.0.0", "::") or host == "localhost":
        return f"http://127.0.0.1:{port}"
    if is_loopback(host):
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    return None


def make_local_units(
    folder: Path,
    address: str,
    taken: Container[str],
    new_key: Callable[[], bytes] = lambda: secrets.token_bytes(KEY_BYTES),
    kinds: Sequence[str] = LOCAL_ROLES,
) -> dict[str, UnitKey]:
    """New keys by unit, each in `folder`/NAME.json as {"unit", "key" (hex), "hub" (address)}: mode 0640, of the group
    that may read it where there is one. `taken`: names that have a key in the journal, which takes precedence. `kinds`:
    of LOCAL_ROLES. Where the folder cannot be written, that is logged, and there are no local units."""
    made: dict[str, UnitKey] = {}
    try:
        if not folder.is_dir():
            folder.mkdir(parents=True)
            # Independent of the hub's umask: units have to read it.
            folder.chmod(FOLDER_MODE)
    except OSError as error:
        log.warning("units on this machine get no keys: %s", error)
        return made
    for kind in kinds:
        unit = unit_name(kind)
        if unit in taken:
            log.warning("%s has a key on the console: on this machine it gets no other", unit)
            continue
        key = UnitKey(new_key(), kind)
        try:
            text = json.dumps({"unit": unit, "key": key.key.hex(), "hub": address}) + "\n"
            write_atomically(folder / f"{kind}.json", text.encode(), FILE_MODE, (-1, _group(f"roundtap-{kind}", GROUP)))
        except OSError as error:
            log.warning("%s gets no key: %s", unit, error)
            continue
        made[unit] = key
    return made


def _group(*names: str) -> int:
    """The id of the first existing group that this process may give a file to; -1: none."""
    for name in names:
        with suppress(KeyError):
            number = grp.getgrnam(name).gr_gid
            if os.geteuid() == 0 or number in (os.getegid(), *os.getgroups()):
                return number
    return -1


class RequestRefused(Exception):
    """A refused request: the status code, and an error text for people."""

    def __init__(self, status: int, error: str) -> None:
        super().__init__(status, error)
        self.status = status
        self.body = {"error": error}  # the answer's body


async def answer_unit(
    scope: Scope,
    receive: Receive,
    send: Send,
    bytes_max: int,
    answered: Callable[[dict[str, Any], str], Awaitable[UnitAnswer]],
    too_large: tuple[int, str] = (403, "unknown unit"),
    stranger: bool = False,
) -> None:
    """Answer one message of a unit. `too_large`: the answer to a message longer than a real unit's. `stranger`: it has
    no key yet; of others, a message that is answered was signed."""
    message = await read_message(scope, receive, send, bytes_max, BODY_WITHIN_S, too_large)
    if message is None:
        return
    try:
        status, answer = await answered(message, address_of(scope))
        if not stranger:
            scope[FROM_UNIT] = True
    except RequestRefused as refusal:
        status, answer = refusal.status, refusal.body
    except MalformedMessage as error:
        status, answer = 400, {"error": str(error)}
    await send_json(send, status, answer, NO_STORE)


class UnitAuth:
    """Checks key, role, rate and signature, in this order, so that neither a stranger nor a flood costs much. A key's
    rate is charged only for what only the unit can have sent: a valid signature over something new. What could be a
    replayed packet is charged to its address. So no stranger uses up a unit's rate by captured or forged messages.
    `generous`: a factor for the usual rates. Thread-safe."""

    def __init__(self, keys: UnitKeys, troubles: "UnitTroubles", now_ms: Callable[[], int], generous: int = 1) -> None:
        self._keys = keys
        self._troubles = troubles
        self._wrong_rate = Rate(FORGERY_RATE.burst * generous, FORGERY_RATE.per_second * generous)
        self._rates = {kind: Rate(rate.burst * generous, rate.per_second * generous) for kind, rate in RATES.items()}
        self._by_key = RateLimiter(now_ms)
        self._by_address = RateLimiter(now_ms)
        self._wrong = RateLimiter(now_ms)

    def key_for(self, kind: str, unit: object, address: str) -> bytes:
        """The key of the unit that a message claims to come from; nothing is trusted before its signature."""
        unit_key = self._keys.find(unit) if isinstance(unit, str) else None
        if unit_key is None or not isinstance(unit, str) or (self._keys.is_local(unit) and not is_loopback(address)):
            raise RequestRefused(403, "unknown unit")
        if unit_key.role != ROLE_FOR[kind]:
            raise RequestRefused(403, f"this key is for a {unit_key.role} and opens nothing here")
        if not self._wrong.has((address, unit)):
            raise RequestRefused(429, "too many wrong signatures; try again later")
        if not (self._by_key.has((unit, kind)) and self._by_address.has((address, unit, kind))):
            self._troubles.note(unit, FLOOD)
            raise RequestRefused(429, "too much at once; try again later")
        return unit_key.key

    def verify_report(self, message: Mapping[str, Any], address: str) -> tuple[str, bytes, dict[str, Any]]:
        """(unit, its key, the report) of a message with a valid signature."""
        report = message.get("report")
        unit, key = self._claimed_key(REPORTS, report, address)
        self._check_signature(REPORTS, unit, address, verify_signature(key, REPORT, report, message.get("mac")))
        assert isinstance(report, dict)
        return unit, key, report

    def verify_request(
        self, kind: str, message: Mapping[str, Any], address: str, message_type: type[A]
    ) -> tuple[bytes, A]:
        """(the unit's key, its request) of a message with a valid signature."""
        unit, key = self._claimed_key(kind, message.get("payload"), address)
        payload = open_envelope(key, REQUEST, message)
        self._check_signature(kind, unit, address, payload is not None)
        try:
            return key, parse_message(message_type, payload)
        except MalformedMessage as error:
            raise RequestRefused(400, str(error)) from None

    def charge(self, kind: str, unit: str) -> None:
        """Charge the unit's key for a request that is new, and therefore its own."""
        self._by_key.take((unit, kind), self._rates[kind])

    def admits(self, kind: str, unit: str) -> bool:
        """Charge the unit's key for more than its request; False, and nothing charged, where that is too much."""
        return self._by_key.admit(((unit, kind), self._rates[kind]))

    def _claimed_key(self, kind: str, inside: object, address: str) -> tuple[str, bytes]:
        unit = inside.get("unit") if isinstance(inside, dict) else None
        return str(unit), self.key_for(kind, unit, address)

    def _check_signature(self, kind: str, unit: str, address: str, holds: bool) -> None:
        if not holds:
            self._wrong.take((address, unit), self._wrong_rate)
            self._troubles.note(unit, FORGED)
            raise RequestRefused(403, "the signature does not fit")
        self._keys.mark_seen(unit)
        self._by_address.take((address, unit, kind), self._rates[kind])


def address_of(scope: Scope) -> str:
    """The client's address for counting."""
    client = scope.get("client")
    return throttle_key(str(client[0])) if client else ""


class UnitTroubles:
    """Counts troubles by unit and kind; of enrolled units only, so that strangers cannot fill it. Thread-safe."""

    def __init__(self, tell: AlertListener) -> None:
        self._alert = tell
        self._lock = threading.Lock()
        self._counts: dict[str, Counter[str]] = {}

    def note(self, unit: str, kind: str) -> None:
        """Count one more."""
        with self._lock:
            counts = self._counts.setdefault(unit, Counter())
            counts[kind] += 1
            count, alerts = counts[kind], _to_alert(counts)
        if count & (count - 1) == 0:
            # Each time the count has doubled, so that a flood logs few lines.
            log.warning("unit %s: %s (%d so far)", unit, TROUBLE_TEXTS[kind], count)
        if count == ALERT_FROM.get(kind, 1):
            self._alert(unit, alerts)

    def count(self, unit: str, kind: str) -> int:
        """The count since the start of the hub, or since `acknowledge`."""
        return self._counts.get(unit, Counter())[kind]

    def acknowledge(self, *units: str) -> None:
        """Reset these units' counts: an organizer has looked, or their keys have changed."""
        for unit in units:
            with self._lock:
                counts = self._counts.pop(unit, Counter())
            if _to_alert(counts):
                self._alert(unit, frozenset())


def _to_alert(counts: Mapping[str, int]) -> frozenset[str]:
    return frozenset(kind for kind, count in counts.items() if count >= ALERT_FROM.get(kind, 1))


class Challenges:
    """Challenges of one process. Issued ones take no memory; used ones are kept until they expire. Thread-safe."""

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self._secret = secrets.token_bytes(32)
        self._lock = threading.Lock()
        self._used: dict[str, int] = {}  # when each was used, in that order

    def issue(self) -> str:
        """A new challenge."""
        body = f"{secrets.token_hex(RANDOM_LETTERS // 2)}.{self._now_ms():x}"
        return f"{body}.{self._mac(body)}"

    def take(self, challenge: object) -> bool:
        """Whether this is one of ours, made in the last 30 s and unused; if so, it is used now. Only after its
        signature was verified, so that strangers use none up."""
        made_ms = self._made_ms(challenge)
        now_ms = self._now_ms()
        if made_ms is None or not 0 <= now_ms - made_ms <= CHALLENGE_TTL_MS:
            return False
        assert isinstance(challenge, str)
        with self._lock:
            # By time of use: one used that long ago was made earlier, and has expired.
            while self._used and now_ms - next(iter(self._used.values())) > CHALLENGE_TTL_MS:
                del self._used[next(iter(self._used))]
            if challenge in self._used:
                return False
            self._used[challenge] = now_ms
        return True

    def _made_ms(self, challenge: object) -> int | None:
        if not isinstance(challenge, str) or len(challenge) > LENGTH_MAX or not challenge.isascii():
            return None
        body, _, mac = challenge.rpartition(".")
        # Signed by us, so well-formed.
        return int(body.partition(".")[2], 16) if hmac.compare_digest(mac, self._mac(body)) else None

    def _mac(self, body: str) -> str:
        return hmac.digest(self._secret, body.encode(), "sha256").hex()[:MAC_LETTERS]
