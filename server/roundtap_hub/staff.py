"""The staff of a hub: people with a name, a role and a PIN of their own, kept in a private file of its folder."""

from __future__ import annotations

import hmac
import json
import secrets
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from roundtap_core.errors import Invalid, Problem
from roundtap_hub.pin import HASHED, hash_pin, new_pin
from roundtap_hub.policy import ORGANIZER, STAFF_ROLES
from roundtap_hub.private_files import write_private

STAFF_FILE = "staff.json"
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
    """One of the staff. `hashed`: of the PIN, with the file's salt; "" for who was revoked, and is kept for the names
    in the journal. `last_login`: wall time, "" where the hub knew none or nobody came yet."""

    id: str
    name: str
    role: str
    hashed: str = ""
    last_login: str = ""
    officials: Mapping[str, str] = field(default_factory=dict)

    @property
    def active(self) -> bool:
        return bool(self.hashed)


class Staff:
    """All of the staff; any thread may ask. `path`: where they outlive the process; None: nowhere.

    All PINs have one salt, so that a guess costs the hub the same however many people there are.
    """

    def __init__(self, path: Path | None = None, make_pin: Callable[[], str] = new_pin,
                 chance: Callable[[int], str] = secrets.token_hex) -> None:
        self._path, self._make_pin, self._chance = path, make_pin, chance
        self._lock = threading.Lock()
        self._salt = chance(8)
        self._people: dict[str, StaffPerson] = {}
        if path is not None and path.exists():
            self._salt, self._people = _read(path)

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

    def add(self, name: str, role: str, taken: Callable[[str], bool] = lambda pin: False) -> tuple[StaffPerson, str]:
        """One more person, and the PIN, which is nowhere else. `taken`: whether a PIN is another's already.

        Raises Problem("no_names"), ("name_too_long"), ("staff_name_twice"), ("not_one_of"), ("staff_full").
        """
        with self._lock:
            name = " ".join(name.split())
            self._check(name, role)
            if len(self._people) >= PEOPLE_MOST:
                self._forget_one()
            pin = self._new_pin(taken)
            person = StaffPerson(self._chance(ID_BYTES), name, role, hash_pin(pin, self._salt))
            self._keep({**self._people, person.id: person})
            return person, pin

    def replace_pin(self, person_id: str, taken: Callable[[str], bool] = lambda pin: False) -> tuple[StaffPerson, str]:
        """Another PIN for a person, also for one who was revoked. Raises Problem("unknown_person")."""
        with self._lock:
            person, pin = self._known(person_id), self._new_pin(taken)
            person = replace(person, hashed=hash_pin(pin, self._salt))
            self._keep({**self._people, person.id: person})
            return person, pin

    def change_role(self, person_id: str, role: str) -> None:
        """From the next request on. Raises Problem("unknown_person"), ("not_one_of")."""
        with self._lock:
            person = self._known(person_id)
            _check_role(role)
            self._keep({**self._people, person.id: replace(person, role=role)})

    def revoke(self, person_id: str) -> None:
        """The PIN opens nothing any more. Raises Problem("unknown_person")."""
        with self._lock:
            person = self._known(person_id)
            self._keep({**self._people, person.id: replace(person, hashed="")})

    def tie(self, person_id: str, event_id: str, official: str | None) -> None:
        """Say which official of an event somebody is; None: none. One official is one person."""
        with self._lock:
            person = self._known(person_id)
            people = dict(self._people)
            for each in people.values():
                if each.officials.get(event_id) == official and official is not None:
                    people[each.id] = replace(each, officials=_without(each.officials, event_id))
            tied = _without(person.officials, event_id)
            people[person.id] = replace(person, officials={**tied, event_id: official} if official else tied)
            self._keep(people)

    def untie(self, event_id: str, official: str) -> None:
        """Nobody of the staff is this official."""
        with self._lock:
            self._keep({each.id: replace(each, officials=_without(each.officials, event_id))
                        if each.officials.get(event_id) == official else each for each in self._people.values()})

    def logged_in(self, person_id: str, wall: str) -> None:
        """Somebody typed their PIN; a full disk keeps nobody out."""
        with self._lock:
            person = self._people.get(person_id)
            if person is not None and wall:
                people = {**self._people, person_id: replace(person, last_login=wall)}
                try:
                    self._keep(people)
                except OSError:
                    self._people = people

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

    def _forget_one(self) -> None:
        """The one who was revoked first makes place."""
        gone = next((each.id for each in self._people.values() if not each.active), None)
        if gone is None:
            raise Problem("staff_full", maximum=PEOPLE_MOST)
        self._people = {id: each for id, each in self._people.items() if id != gone}

    def _keep(self, people: dict[str, StaffPerson]) -> None:
        """On the disk first: nobody is let in, or kept out, by what a power cut would take back."""
        if self._path is not None:
            rows = [asdict(each) for each in people.values()]
            write_private(self._path, json.dumps({"salt": self._salt, "people": rows}, ensure_ascii=False))
        self._people = people


def _check_role(role: str) -> None:
    if role not in STAFF_ROLES:
        raise Invalid("not_one_of", value=role[:40], options=", ".join(STAFF_ROLES))


def _without(officials: Mapping[str, str], event_id: str) -> dict[str, str]:
    return {event: official for event, official in officials.items() if event != event_id}


def _read(path: Path) -> tuple[str, dict[str, StaffPerson]]:
    """Raises Problem("staff_unreadable"): who spoils the file shall not close the hub unnoticed, nor open it."""
    try:
        found: Any = json.loads(path.read_text(encoding="utf-8"))
        people = [StaffPerson(str(row["id"]), str(row["name"]), str(row["role"]), str(row["hashed"]),
                              str(row["last_login"]), {str(k): str(v) for k, v in row["officials"].items()})
                  for row in found["people"]]
        salt = str(found["salt"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Problem("staff_unreadable", where=str(path)) from error
    if not salt or any(each.role not in STAFF_ROLES or (each.hashed and not HASHED.fullmatch(each.hashed))
                       for each in people):
        raise Problem("staff_unreadable", where=str(path))
    return salt, {each.id: each for each in people}


THE_ORGANIZER = Who(ORGANIZER)
"""Whoever typed the hub's one PIN."""
