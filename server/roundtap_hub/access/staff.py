"""The staff: people with a name, a role and a personal PIN; and their sessions, stored by hashes of their tokens."""

import hashlib
import hmac
import json
import logging
import secrets
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_hub.http.requester import NEW_PIN_RATES, OLD_SALT_RATES, GuessLimiter
from roundtap_hub.http.routes import ORGANIZER, STAFF_ROLES
from roundtap_hub.store.clocks import Clocks
from roundtap_hub.store.login_pins import PinFile, hash_pin, new_pin, salt_of
from roundtap_hub.store.models import StaffRow
from roundtap_hub.store.secure_files import write_private
from roundtap_hub.store.service import HubStopped, OutcomeUnknown, Service, Step
from roundtap_hub.store.venue import STAFF_SET, STAFF_TIED, is_valid_pin, pin_digest

PEOPLE_MOST = 32  # the revoked among them make room
NAME_LETTERS = 80
ID_BYTES = 5

log = logging.getLogger(__name__)

IDLE_MS = 4 * 3600_000  # how long a session lives without being used
LIFE_MS = 24 * 3600_000  # how long a session lives at most; time while the machine is off does not count
NOTED_EVERY_MS = 60_000  # how often uses are written to the disk: a power cut prolongs a session by no more than that
SESSIONS_PER_PERSON = 16  # one more ends the least used one of the same person, and nobody else's
TOKEN_BYTES = 32
AGENT_LETTERS = 200

DEVICE_BYTES = 18
NEW_PIN_MS = 5 * 60_000  # how long a new PIN has tries beside all others (`NEW_PIN_RATES`), from the first login on

TypedHash = Callable[[str], str]  # the slow hash of what was typed, by salt


@dataclass(frozen=True, slots=True)
class StaffIdentity:
    """A staff member of a request. `id` and `name` are empty for a login with the hub's own PIN."""

    role: str
    name: str = ""
    id: str = ""
    officials: Mapping[str, str] = field(default_factory=dict)  # event → its official that this person is

    @property
    def actor(self) -> str:
        """The actor in entries; without the name, as entries outlive the right to know one."""
        return f"{self.role}:{self.id}" if self.id else self.role

    def official(self, event_id: str) -> str | None:
        """The id of the event's official that this person is, or None."""
        return self.officials.get(event_id)


@dataclass(frozen=True, slots=True)
class StaffPerson(StaffIdentity):
    """A known staff member. `hashed`: the PIN's hash; "" for a revoked one. `last_login`: wall time, "" for none."""

    last_login: str = ""
    hashed: str = field(default="", repr=False)

    @property
    def active(self) -> bool:
        return bool(self.hashed)


class Staff:
    """All of the staff, as the journal of `service` has them. Thread-safe. `taken`: whether a PIN is the hub's own;
    `hub_salt`: that PIN's salt."""

    def __init__(
        self,
        service: Service,
        taken: Callable[[str], bool] = lambda pin: False,
        make_pin: Callable[[], str] = new_pin,
        hub_salt: Callable[[], str] = str,
    ) -> None:
        self._service, self._taken, self._make_pin, self._hub_salt = service, taken, make_pin, hub_salt
        self._changing = threading.Lock()

    @property
    def people(self) -> tuple[StaffPerson, ...]:
        """All people in the order they were added, the revoked too."""
        return tuple(
            staff_person for person in self._service.snapshot.venue.staff if (staff_person := self.find(person))
        )

    @property
    def salt(self) -> str:
        """The salt of all PINs, so that a guess costs one slow hash: the one that most people have, as hubs that share
        a journal may differ; where no two have the same, this hub's."""
        [(salt, people)] = Counter(salt_of(each.hashed) for each in self.people if each.active).most_common(1) or [
            ("", 0)
        ]
        return salt if people > 1 else self._hub_salt()

    def find(self, person_id: str) -> StaffPerson | None:
        """A person as of now; None for an unknown or forgotten one."""
        snapshot = self._service.snapshot
        member, row = snapshot.venue.staff.get(person_id), snapshot.staff.get(person_id)
        if member is None or row is None or not member.role:
            return None
        hashed = row.hashed if row.hashed and is_valid_pin(snapshot.venue, person_id, row.hashed) else ""
        return StaffPerson(member.role, row.name or "", person_id, member.officials, row.last_login or "", hashed)

    def identity_of(self, person_id: str) -> StaffIdentity | None:
        """A person as of now; None for one who is no longer of the staff."""
        person = self.find(person_id)
        return person if person is not None and person.active else None

    def name_of(self, actor: str) -> str:
        """The name behind an entry's actor ("judge:1f2e3d4c5b"); "" where this hub knows none."""
        person = self.find(actor.partition(":")[2])
        return person.name if person is not None else ""

    def person_of(self, pin: str) -> StaffPerson | None:
        """The person with this PIN."""
        return _person_with(_hash_once(pin), self.people)

    def add(self, name: str, role: str, actor: str = ORGANIZER) -> tuple[StaffPerson, str]:
        """A new person, and the PIN, which is not stored. Raises Problem("no_names"), ("name_too_long"),
        ("staff_name_twice"), ("not_one_of"), ("staff_full"), and what `Service.execute` raises, as all of these do."""
        with self._changing:
            name = " ".join(name.split())
            if not name:
                raise Invalid("no_names")
            if len(name) > NAME_LETTERS:
                raise Invalid("name_too_long", name=f"{name[:20]}…", maximum=NAME_LETTERS)
            if any(each.active and each.name.casefold() == name.casefold() for each in self.people):
                raise Problem("staff_name_twice", name=name)
            _check_role(role)
            self._make_place(actor)
            return self._with_new_pin(StaffRow(person=secrets.token_hex(ID_BYTES), name=name), actor, role=role)

    def replace_pin(self, person_id: str, actor: str = ORGANIZER) -> tuple[StaffPerson, str]:
        """A new PIN for a person, also for a revoked one; sessions of the previous one end. Raises
        Problem("unknown_person")."""
        with self._changing:
            self._known(person_id)
            return self._with_new_pin(StaffRow(person=person_id), actor)

    def with_salt_of_all(self, person: StaffPerson, typed: TypedHash) -> StaffPerson:
        """The person, who has just logged in with this PIN; another hub may have given it another salt. Where it cannot
        be saved, or the PIN was replaced meanwhile, nothing changes."""
        if (salt := self.salt) not in ("", salt_of(person.hashed)):
            hashed = typed(salt)
            with suppress(Problem, OutcomeUnknown, HubStopped):
                self._save(
                    STAFF_SET,
                    {"person": person.id, "pin": pin_digest(hashed), "instead_of": pin_digest(person.hashed)},
                    person.actor,
                    StaffRow(person=person.id, hashed=hashed),
                )
                return replace(person, hashed=hashed)
        return person

    def change_role(self, person_id: str, role: str, actor: str = ORGANIZER) -> None:
        """Effective from the next request on. Raises Problem("unknown_person"), ("not_one_of")."""
        self._known(person_id)
        _check_role(role)
        self._save(STAFF_SET, {"person": person_id, "role": role}, actor)

    def revoke(self, person_id: str, actor: str = ORGANIZER) -> None:
        """Make the PIN and its sessions invalid. Raises Problem("unknown_person")."""
        self._known(person_id)
        self._save(STAFF_SET, {"person": person_id, "pin": ""}, actor, StaffRow(person=person_id, hashed=""))

    def link_official(self, person_id: str, event_id: str, official: str, actor: str = ORGANIZER) -> None:
        """Tie a person to an official of an event; "": untie the official. An official has one person at most."""
        if person_id:
            self._known(person_id)
        self._save(STAFF_TIED, {"person": person_id, "event": event_id, "official": official}, actor)

    def logged_in(self, person_id: str, wall: str) -> None:
        """Record a login without waiting for the disk: a full one must not keep the staff out."""
        self._service.submit([], ORGANIZER, beside=[StaffRow(person=person_id, last_login=wall)])

    def _with_new_pin(self, row: StaffRow, actor: str, **fields: str) -> tuple[StaffPerson, str]:
        while self._taken(pin := self._make_pin()) or self.person_of(pin) is not None:
            continue
        row.hashed = hash_pin(pin, self.salt)
        self._save(STAFF_SET, {"person": row.person, **fields, "pin": pin_digest(row.hashed)}, actor, row)
        return self._known(row.person), pin

    def _save(self, kind: str, data: Mapping[str, str], actor: str, *rows: StaffRow) -> None:
        self._service.execute([Step(VENUE, NewEntry(kind, data))], actor, beside=rows)

    def _known(self, person_id: str) -> StaffPerson:
        person = self.find(person_id)
        if person is None:
            raise Problem("unknown_person")
        return person

    def _make_place(self, actor: str) -> None:
        """Forget the revoked person who was added first. Raises Problem("staff_full")."""
        people = self.people
        if len(people) < PEOPLE_MOST:
            return
        gone = next((each.id for each in people if not each.active), None)
        if gone is None:
            raise Problem("staff_full", maximum=PEOPLE_MOST)
        self._save(
            STAFF_SET, {"person": gone, "role": "", "pin": ""}, actor, StaffRow(person=gone, name="", last_login="")
        )


def _hash_once(pin: str) -> TypedHash:
    """What was typed, hashed at most once with each salt."""
    return cache(partial(hash_pin, pin))


def _person_with(typed: TypedHash, people: Iterable[StaffPerson]) -> StaffPerson | None:
    """The one of `people` with this PIN, the last of several; how long it takes does not tell who that is."""
    person = None
    for each in people:
        if each.active and hmac.compare_digest(each.hashed, typed(salt_of(each.hashed))):
            person = each
    return person


def _check_role(role: str) -> None:
    if role not in STAFF_ROLES:
        raise Invalid("not_one_of", value=role[:40], options=", ".join(STAFF_ROLES))


@dataclass(frozen=True, slots=True)
class Session:
    """One logged-in browser. `id` may be shown; `hash` is SHA-256 of its token, which only the browser has. `began_ms`
    and `used_ms` are monotonic milliseconds of this boot, and may lie before its start."""

    id: str
    hash: str
    address: str
    agent: str
    began_ms: int
    used_ms: int
    wall: str | None = None  # when it began, where the machine knew the time
    person: str = ""  # the person whose PIN opened it; "": the hub's own PIN
    pin: str = ""  # the `pin_mark` that opened it: with any other the session is over


def token_hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def csrf_token_of(token: str, secret: bytes) -> str:
    """The CSRF token for the forms of the browser with this token."""
    return hmac.new(secret, token.encode(), hashlib.sha256).hexdigest()[:32]


class Sessions:
    """All sessions of a hub. Thread-safe. `path`: the file in which they outlive it, or None. Changes of the system's
    time neither end nor prolong them, as only `clocks` count."""

    def __init__(self, clocks: Clocks, path: Path | None = None) -> None:
        self._clocks = clocks
        self._path = path
        self._lock = threading.Lock()
        self._sessions: dict[str, Session] = {}
        self._noted_ms = clocks.mono_ms()
        if path is not None:
            self._read(path)

    def _read(self, path: Path) -> None:
        """Read the sessions of the previous run; older files hold the hub's PIN mark once, for all of them."""
        try:
            saved = json.loads(path.read_text(encoding="utf-8"))
            rows = [self._restored({"pin": saved.get("pin"), **row}) for row in saved["sessions"]]
            self._sessions = {each.hash: each for each in rows}
        except FileNotFoundError:
            return
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            # The staff log in again: nothing else depends on this file.
            log.warning("the sessions in %s cannot be read; everybody has to log in again", path)

    def begin(self, address: str, agent: str, person: str = "", pin: str = "") -> str:
        """Log a browser in, for a person or with the hub's PIN. Returns its token, which is not stored."""
        token, now = secrets.token_urlsafe(TOKEN_BYTES), self._clocks.mono_ms()
        session = Session(
            token_hash(token)[:12],
            token_hash(token),
            address,
            agent[:AGENT_LETTERS],
            now,
            now,
            self._clocks.wall(),
            person,
            pin,
        )
        with self._lock:
            self._sessions = {hash: each for hash, each in self._sessions.items() if self._lives(each, now)}
            own = sorted(
                (each for each in self._sessions.values() if each.person == person),
                key=lambda each: each.used_ms,
                reverse=True,
            )
            for gone in own[SESSIONS_PER_PERSON - 1 :]:
                del self._sessions[gone.hash]
            self._sessions[session.hash] = session
            self._write(now)
        return token

    def adopt(self, session: Session) -> None:
        """Let in a browser that another hub on this machine has logged in, for as long as that session lasts."""
        with self._lock:
            self._sessions[session.hash] = session

    def find(self, token: str) -> Session | None:
        """The living session of this token."""
        session = self._sessions.get(token_hash(token)) if token else None
        return session if session is not None and self._lives(session, self._clocks.mono_ms()) else None

    def use(self, session: Session) -> None:
        """Restart its idle time."""
        now = self._clocks.mono_ms()
        with self._lock:
            if session.hash in self._sessions:
                self._sessions[session.hash] = replace(self._sessions[session.hash], used_ms=now)
                if now - self._noted_ms >= NOTED_EVERY_MS:
                    self._write(now)

    def end(self, session_id: str) -> None:
        self._keep_only(lambda each: each.id != session_id)

    def end_others(self, than: Session) -> None:
        self._keep_only(lambda each: each.hash == than.hash)

    def listed(self) -> list[tuple[Session, int, int]]:
        """(session, ms since it began, ms since it was used), the most recently used first."""
        now = self._clocks.mono_ms()
        with self._lock:
            alive = [each for each in self._sessions.values() if self._lives(each, now)]
        return [
            (each, now - each.began_ms, now - each.used_ms)
            for each in sorted(alive, key=lambda each: each.used_ms, reverse=True)
        ]

    def save(self) -> None:
        """Write the remaining lifetimes to the disk, at the end of the process."""
        with self._lock:
            if self._sessions:
                self._write(self._clocks.mono_ms())

    def _keep_only(self, stays: Callable[[Session], bool]) -> None:
        with self._lock:
            self._sessions = {hash: each for hash, each in self._sessions.items() if stays(each)}
            self._write(self._clocks.mono_ms(), ended=True)

    @staticmethod
    def _lives(session: Session, now: int) -> bool:
        return now - session.used_ms < IDLE_MS and now - session.began_ms < LIFE_MS

    def _restored(self, row: Mapping[str, Any]) -> Session:
        """A session from the file; time since then counts only within one boot, as a power cut's length is unknown."""
        now = self._clocks.mono_ms()
        passed = max(0, now - int(row["at_ms"])) if row["boot"] == self._clocks.boot_id else 0
        lasted, idle = int(row["lasted_ms"]) + passed, int(row["idle_ms"]) + passed
        return Session(
            str(row["id"]),
            str(row["hash"]),
            str(row["address"]),
            str(row["agent"]),
            now - lasted,
            now - idle,
            row["wall"],
            str(row.get("person", "")),
            str(row["pin"]),
        )

    def _write(self, now: int, ended: bool = False) -> None:
        """Write the file; on a full disk sessions live on, but if one has `ended`, the file is deleted."""
        self._noted_ms = now
        if self._path is None:
            return
        rows = [
            {
                **asdict(each),
                "boot": self._clocks.boot_id,
                "at_ms": now,
                "lasted_ms": now - each.began_ms,
                "idle_ms": now - each.used_ms,
            }
            for each in self._sessions.values()
        ]
        try:
            write_private(self._path, json.dumps({"sessions": rows}))
        except OSError as error:
            log.error("the sessions are not on the disk: %s", error)
            if ended:
                with suppress(OSError):
                    self._path.unlink()


HUB_PIN_IDENTITY = StaffIdentity(ORGANIZER)  # the identity behind the hub's own PIN


class StaffLogin:
    """Login for the staff: the hub's own PIN and personal ones, the limit on guesses, and the sessions. Thread-safe.
    Strangers' guesses keep out neither a device that was logged in before, nor whoever has a new PIN. `secret` signs
    the cookies of such devices: they open nothing, and give tries of their own at one person's present PIN."""

    def __init__(
        self, pin: PinFile, sessions: Sessions, staff: Staff, secret: bytes, now_ms: Callable[[], int]
    ) -> None:
        self._pin = pin
        self._secret = secret
        self._now_ms = now_ms
        self.sessions = sessions
        self.staff = staff
        self._guesses = GuessLimiter(now_ms, "pin_wait")
        self._new_guesses = GuessLimiter(now_ms, "pin_wait", NEW_PIN_RATES)
        self._old_guesses = GuessLimiter(now_ms, "pin_wait", OLD_SALT_RATES)
        self._lock = threading.Lock()
        self._new_until_ms = {each.hashed: now_ms() for each in self._people()}
        """By PIN hash, as far as they are current."""

    def session(self, token: str) -> Session | None:
        """The valid session of a cookie's token, or None, as for a revoked person."""
        session = self.sessions.find(token)
        return session if self.identity_of(session) is not None else None

    def identity_of(self, session: Session | None) -> StaffIdentity | None:
        """The session's person in the current role; None where a PIN that it depends on was replaced since."""
        if session is None or session.pin != pin_mark(self._pin.hashed, self.staff.find(session.person)):
            return None
        return self.staff.identity_of(session.person) if session.person else HUB_PIN_IDENTITY

    def listed(self) -> list[tuple[Session, int, int]]:
        """As `Sessions.listed`, only valid ones."""
        return [each for each in self.sessions.listed() if self.identity_of(each[0]) is not None]

    def log_in(self, pin: str, address: str, agent: str, device: str = "") -> str | None:
        """The token of a new session; None: `pin` is none. Raises as `person_with`."""
        person = self.person_with(pin, address, device)
        if person is None:
            return None
        with self._lock:
            self._new_until_ms[person.hashed] = self._now_ms()
        token = self.begin(address, agent, person if person.id else None, self._pin.hashed)
        session = self.session(token)
        if session is not None and person.id and session.wall is not None:
            self.staff.logged_in(person.id, session.wall)
        return token if session is not None else None

    def person_with(self, pin: str, address: str, device: str = "") -> StaffPerson | None:
        """Whose PIN this is. Raises Problem("pin_wait") where there were too many guesses to look at this one.
        `device`: this browser's cookie, if it was logged in before."""
        people, typed = self._people(), _hash_once(pin)
        owner, new, person = self._owner_of(device, people), self._with_new_pin(), None
        if new:
            with suppress(Problem):
                person = self._new_guesses.check(lambda: _person_with(typed, new), address)
        if person is None and owner:
            with suppress(Problem):
                person = self._guesses.check(lambda: _person_with(typed, owner), address, device)
        if person is None:
            # Another person's PIN, perhaps: that this one was looked at is no answer.
            person = self._guesses.check(lambda: self._any_with(typed, people, address), address)
        return self.staff.with_salt_of_all(person, typed) if person is not None and person.id else person

    def _any_with(self, typed: TypedHash, people: Iterable[StaffPerson], address: str) -> StaffPerson | None:
        """As `_person_with`. Salts beside that of all are looked at last, and seldom, while somebody guesses."""
        usual = {self.staff.salt, salt_of(self._pin.hashed)}
        old = [each for each in people if each.active and salt_of(each.hashed) not in usual]
        person = _person_with(typed, (each for each in people if each not in old))
        return person or (self._old_guesses.check(lambda: _person_with(typed, old), address) if old else None)

    def knows(self, device: str) -> bool:
        """Whether this is the cookie of a device that was logged in with a PIN that is still valid."""
        return bool(device and self._owner_of(device, self._people()))

    def device_cookie(self, session: Session) -> str:
        """A cookie for the browser of a session, by which it is known again when that has ended."""
        owner = next((each for each in self._people() if each.id == session.person), None)
        return self._signed_device(owner, secrets.token_urlsafe(DEVICE_BYTES)) if owner is not None else ""

    def _owner_of(self, device: str, people: Iterable[StaffPerson]) -> list[StaffPerson]:
        """Whose device this is; nobody's for an invalid cookie, and where the PIN is another one since."""
        person_id, _, rest = device.partition(".")
        nonce = rest.partition(".")[0]
        return [
            each
            for each in people
            if each.active
            and each.id == person_id
            and hmac.compare_digest(self._signed_device(each, nonce).encode(), device.encode())
        ]

    def _signed_device(self, owner: StaffPerson, nonce: str) -> str:
        signed = json.dumps(["roundtap/device/1", owner.id, nonce, owner.hashed])
        return f"{owner.id}.{nonce}.{hmac.digest(self._secret, signed.encode(), 'sha256').hex()[:32]}"

    def _people(self) -> list[StaffPerson]:
        """All that may log in; the last one stands for the hub's own PIN."""
        return [*self.staff.people, StaffPerson(ORGANIZER, hashed=self._pin.hashed)]

    def _with_new_pin(self) -> list[StaffPerson]:
        """Those whose PIN is new, and was not used yet."""
        now = self._now_ms()
        with self._lock:
            people = self._people()
            if any(each.hashed not in self._new_until_ms for each in people):
                # Tries at the new PINs before this one are not charged to it.
                self._new_guesses = GuessLimiter(self._now_ms, "pin_wait", NEW_PIN_RATES)
            self._new_until_ms = {each.hashed: self._new_until_ms.get(each.hashed, now + NEW_PIN_MS) for each in people}
            return [each for each in people if now < self._new_until_ms[each.hashed]]

    def begin(self, address: str, agent: str, person: StaffPerson | None = None, hub_pin: str = "") -> str:
        """The token of a new session for the PIN of `person`, or for the hub's (None). `hub_pin`: the hash of the hub's
        PIN at that time; by default the current one."""
        mark = pin_mark(hub_pin or self._pin.hashed, person)
        return self.sessions.begin(address, agent, person.id if person is not None else "", mark)

    def replace_hub_pin(self) -> str:
        """A new PIN for the hub, returned only this once; all sessions end, those of personal PINs too. OSError: the
        previous one stays."""
        while self.staff.person_of(pin := new_pin()) is not None:
            continue
        self._pin.replace(pin, self.staff.salt)
        return pin


def pin_mark(hub_pin: str, person: StaffPerson | None) -> str:
    """A digest of the hub's PIN hash and a person's: it changes when either is replaced."""
    return hashlib.sha256((hub_pin + (person.hashed if person is not None else "")).encode()).hexdigest()[:24]


def make_staff_login(
    pin_hash: str, secret: bytes, clocks: Clocks, service: Service, folder: Path | None = None
) -> StaffLogin:
    """`folder`: holds the PIN and the sessions; None: a hub without files."""
    pin = PinFile(pin_hash, folder and folder / "pin")
    sessions = Sessions(clocks, folder and folder / "sessions.json")
    staff = Staff(service, pin.verify, hub_salt=lambda: salt_of(pin.hashed))
    return StaffLogin(pin, sessions, staff, secret, clocks.mono_ms)
