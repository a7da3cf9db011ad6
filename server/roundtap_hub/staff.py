"""The staff of a hub: people with a name, a role and a PIN of their own."""

from __future__ import annotations

import hmac
import secrets
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_hub.journal.service import Service, Step
from roundtap_hub.journal.staff_roll import FORGOTTEN, SET, TIED, Roll, pin_digest
from roundtap_hub.models import StaffLoginRow, StaffRow
from roundtap_hub.pin import hash_pin, new_pin
from roundtap_hub.policy import ORGANIZER, STAFF_ROLES

PEOPLE_MOST = 200
NAME_LETTERS = 80
ID_BYTES = 5


@dataclass(frozen=True, slots=True)
class Who:
    """Who asks: somebody of the staff. `id` and `name` are empty for whoever typed the hub's one PIN."""

    role: str
    name: str = ""
    id: str = ""
    officials: Mapping[str, str] = field(default_factory=dict)
    """Event → the official of it that this person was said to be."""

    @property
    def actor(self) -> str:
        """How entries name who pressed a button. No name: an entry outlives the right to know one."""
        return f"{self.role}:{self.id}" if self.id else self.role

    def official(self, event_id: str) -> str | None:
        """The id of the official of an event that this person is; None where nobody has said so."""
        return self.officials.get(event_id)


@dataclass(frozen=True, slots=True)
class StaffPerson:
    """One of the staff. `hashed`: of the PIN; "" for who was revoked. `last_login`: wall time, "" where there was none.
    """

    id: str
    name: str
    role: str
    officials: Mapping[str, str] = field(default_factory=dict)
    last_login: str = ""
    hashed: str = ""

    @property
    def active(self) -> bool:
        return bool(self.hashed)


class Staff:
    """All of the staff, as the journal of `service` has them; any thread may ask.

    All PINs have one salt, so that a guess costs the hub the same however many people there are.
    """

    def __init__(self, service: Service, make_pin: Callable[[], str] = new_pin,
                 chance: Callable[[int], str] = secrets.token_hex) -> None:
        self._service, self._make_pin, self._chance, self._salt = service, make_pin, chance, chance(8)
        self._changing = threading.Lock()
        self._lock = threading.Lock()
        """Never held by who waits for the writer: that one takes it to tell what is new."""
        self._rows: dict[str, StaffRow] = {}
        self._people: dict[str, StaffPerson] = {}
        self._followed: Roll = {}
        service.listen(self._follow)
        self._follow()

    @property
    def people(self) -> tuple[StaffPerson, ...]:
        """Everybody, in the order they were added; the revoked too."""
        return tuple(self._people.values())

    def who(self, person_id: str) -> Who | None:
        """A person as of now; None for who is not of the staff any more."""
        found = self._people.get(person_id)
        return Who(found.role, found.name, found.id, found.officials) if found is not None and found.active else None

    def name_of(self, actor: str) -> str:
        """The name behind an entry's actor ("judge:1f2e3d4c5b"); "" where it is nobody's of this hub."""
        found = self._people.get(actor.partition(":")[2])
        return found.name if found is not None else ""

    def person_of(self, pin: str) -> StaffPerson | None:
        """Whose PIN this is."""
        hashed, found = hash_pin(pin, self._salt), None
        for each in self.people:
            if each.active and hmac.compare_digest(each.hashed, hashed):
                found = each
        return found

    def add(self, name: str, role: str, taken: Callable[[str], bool] = lambda pin: False,
            actor: str = ORGANIZER) -> tuple[StaffPerson, str]:
        """One more person, and the PIN, which is nowhere else. `taken`: whether a PIN is another's already.

        Raises Problem("no_names"), ("name_too_long"), ("staff_name_twice"), ("not_one_of"), ("staff_full"), and what
        `Service.ask` raises, as all of these do.
        """
        with self._changing:
            name = " ".join(name.split())
            self._check(name, role)
            gone = [NewEntry(FORGOTTEN, {"person": person}) for person in self._making_place()]
            pin, person = self._new_pin(taken), self._chance(ID_BYTES)
            row = StaffRow(person=person, name=name, hashed=hash_pin(pin, self._salt))
            self._say(actor, *gone, NewEntry(SET, {"person": person, "role": role, "pin": pin_digest(row.hashed)}),
                      row=row)
            return self._people[person], pin

    def replace_pin(self, person_id: str, taken: Callable[[str], bool] = lambda pin: False,
                    actor: str = ORGANIZER) -> tuple[StaffPerson, str]:
        """Another PIN for a person, also for one who was revoked. Raises Problem("unknown_person")."""
        with self._changing:
            self._known(person_id)
            pin = self._new_pin(taken)
            self._set_pin(person_id, hash_pin(pin, self._salt), actor)
            return self._people[person_id], pin

    def change_role(self, person_id: str, role: str, actor: str = ORGANIZER) -> None:
        """From the next request on. Raises Problem("unknown_person"), ("not_one_of")."""
        self._known(person_id)
        _check_role(role)
        self._say(actor, NewEntry(SET, {"person": person_id, "role": role}))

    def revoke(self, person_id: str, actor: str = ORGANIZER) -> None:
        """The PIN opens nothing any more. Raises Problem("unknown_person")."""
        self._known(person_id)
        self._set_pin(person_id, "", actor)

    def tie(self, person_id: str, event_id: str, official: str, actor: str = ORGANIZER) -> None:
        """Say which official of an event somebody is; "": nobody of the staff is this one. One official is one person.
        """
        if person_id:
            self._known(person_id)
        self._say(actor, NewEntry(TIED, {"person": person_id, "event": event_id, "official": official}))

    def logged_in(self, person_id: str, wall: str) -> None:
        """Somebody typed their PIN; a full disk keeps nobody out, and is not waited for."""
        with self._lock:
            known = self._people.get(person_id)
            if known is not None and wall:
                self._people[person_id] = replace(known, last_login=wall)
                self._service.submit([], ORGANIZER, beside=[StaffLoginRow(person=person_id, wall=wall)])

    def _set_pin(self, person_id: str, hashed: str, actor: str) -> None:
        self._say(actor, NewEntry(SET, {"person": person_id, "pin": pin_digest(hashed)}),
                  row=self._rows[person_id].model_copy(update={"hashed": hashed}))

    def _say(self, actor: str, *new: NewEntry, row: StaffRow | None = None) -> None:
        self._service.ask([Step(VENUE, each) for each in new], actor, beside=[row] if row else [])
        self._follow()

    def _follow(self, *_: object) -> None:
        """Take over what the journal says of the staff, whoever said it."""
        with self._lock:
            roll = self._service.snapshot.venue.staff
            if roll is self._followed:
                return
            # What was revoked counts no more even while nothing can be read.
            here = {person: each.last_login for person, each in self._people.items()}
            with suppress(Problem):
                self._rows = {row.person: row for row in self._service.rows(StaffRow)}
                here = {row.person: row.wall for row in self._service.rows(StaffLoginRow)} | here
            self._salt = next((row.hashed.split("$")[0] for row in self._rows.values() if row.hashed), self._salt)
            self._followed, self._people = roll, {
                person: StaffPerson(person, row.name, member.role, member.officials, here.get(person, ""),
                                    row.hashed if pin_digest(row.hashed) == member.pin else "")
                for person, member in roll.items() if (row := self._rows.get(person))}

    def _check(self, name: str, role: str) -> None:
        if not name:
            raise Invalid("no_names")
        if len(name) > NAME_LETTERS:
            raise Invalid("name_too_long", name=f"{name[:20]}…", maximum=NAME_LETTERS)
        if any(each.active and each.name.casefold() == name.casefold() for each in self._people.values()):
            raise Problem("staff_name_twice", name=name)
        _check_role(role)

    def _new_pin(self, taken: Callable[[str], bool]) -> str:
        known = {each.hashed for each in self._people.values()}
        while True:
            pin = self._make_pin()
            if hash_pin(pin, self._salt) not in known and not taken(pin):
                return pin

    def _known(self, person_id: str) -> StaffPerson:
        found = self._people.get(person_id)
        if found is None:
            raise Problem("unknown_person")
        return found

    def _making_place(self) -> list[str]:
        """Of those who were revoked the one who was added first makes place. Raises Problem("staff_full")."""
        if len(self._people) < PEOPLE_MOST:
            return []
        gone = [each.id for each in self._people.values() if not each.active][:1]
        if not gone:
            raise Problem("staff_full", maximum=PEOPLE_MOST)
        return gone


def _check_role(role: str) -> None:
    if role not in STAFF_ROLES:
        raise Invalid("not_one_of", value=role[:40], options=", ".join(STAFF_ROLES))


THE_ORGANIZER = Who(ORGANIZER)
"""Whoever typed the hub's one PIN."""
