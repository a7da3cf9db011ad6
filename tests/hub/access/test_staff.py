"""The staff: a PIN each, of which only a slow hash is kept; a role; revoked at once. Guesses: test_login_attacks.py."""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from hub_kit import Service, disk_fails, running

import event_kit
from faults import fails
from roundtap_core.errors import Problem
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_hub.access.staff import Sessions, Staff, StaffIdentity, StaffLogin
from roundtap_hub.app.standby.standby_api import FILES
from roundtap_hub.http.routes import HEAD_JUDGE, JUDGE, ORGANIZER, SCOREKEEPER
from roundtap_hub.store.clocks import Clocks
from roundtap_hub.store.login_pins import PinFile, hash_pin, read_or_make_pin, salt_in, salt_of, verify_pin, write_pin
from roundtap_hub.store.models import SECRETS, StaffRow
from roundtap_hub.store.service import Step
from roundtap_hub.store.venue import STAFF_SET, pin_digest

HUBS_PIN = "11112222"
HERE, PHONE = "127.0.0.1", "10.0.0.7"


class Machine:
    def __init__(self) -> None:
        self.boot, self.ms, self.wall = "boot-1", 1_000_000, "2026-11-22T10:00:00+00:00"

    @property
    def clocks(self) -> Clocks:
        return Clocks(self.boot, lambda: self.ms, lambda: self.wall)


@pytest.fixture
def machine() -> Machine:
    return Machine()


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    with running(tmp_path / "hub.db") as started:
        yield started


def door(machine: Machine, folder: Path, service: Service) -> StaffLogin:
    """A hub's, as it is found when it starts; with a salt of its own, unlike those of other tests."""
    if not (folder / "pin").exists():
        write_pin(folder / "pin", HUBS_PIN)
    pin = PinFile(read_or_make_pin(folder / "pin")[0], folder / "pin")
    return StaffLogin(
        pin,
        Sessions(machine.clocks, folder / "sessions.json"),
        Staff(service, pin.verify, hub_salt=lambda: salt_of(pin.hashed)),
        b"s" * 32,
        machine.clocks.mono_ms,
    )


def rows(service: Service) -> list[StaffRow]:
    """As they lie on the disk."""
    return [row for row in service.journal.secrets() if isinstance(row, StaffRow)]


def who_of(ours: StaffLogin, token: str | None) -> StaffIdentity | None:
    return ours.identity_of(ours.session(token or ""))


def test_a_pin_of_one_s_own_logs_in_in_one_s_role(machine: Machine, tmp_path: Path, service: Service):
    ours = door(machine, tmp_path, service)
    person, pin = ours.staff.add("Eva  Luz", JUDGE)
    token = ours.log_in(f"{pin[:4]} {pin[4:]}", PHONE, "")
    who = who_of(ours, token)
    assert (who.role, who.name, who.actor) == (JUDGE, "Eva Luz", f"judge:{person.id}")
    service.execute([], "until that is saved")
    assert [each.last_login for each in ours.staff.people] == [machine.wall]
    the_hub_s = who_of(ours, ours.log_in(HUBS_PIN, PHONE, ""))
    assert (the_hub_s.role, the_hub_s.name, the_hub_s.actor) == (ORGANIZER, "", "organizer")


@pytest.mark.usefixtures("slow_pins")
def test_only_a_slow_hash_of_it_is_kept_and_no_entry_knows_a_name(machine: Machine, tmp_path: Path, service: Service):
    ours = door(machine, tmp_path, service)
    person, pin = ours.staff.add("Eva Luz", JUDGE, "organizer:7")
    (row,) = rows(service)
    assert (row.person, row.name) == (person.id, "Eva Luz")
    assert row.hashed
    assert pin not in row.hashed
    assert verify_pin(pin, row.hashed)
    entry = list(service.entries(VENUE))[-1]
    assert (entry.actor, entry.data["person"], entry.data["role"]) == ("organizer:7", person.id, JUDGE)
    salt, _, digest = row.hashed.partition("$")
    for secret in (pin, salt, digest, "Eva"):
        assert secret not in json.dumps(dict(entry.data))


def test_people_and_their_sessions_outlive_the_process(machine: Machine, tmp_path: Path, service: Service):
    ours = door(machine, tmp_path, service)
    _, pin = ours.staff.add("Eva", HEAD_JUDGE)
    token = ours.log_in(pin, PHONE, "")
    again = door(machine, tmp_path, service)
    who = who_of(again, token)
    assert who.role == HEAD_JUDGE
    assert again.log_in(pin, PHONE, "")


def test_whoever_is_revoked_is_out_with_the_next_request(machine: Machine, tmp_path: Path, service: Service):
    ours = door(machine, tmp_path, service)
    person, pin = ours.staff.add("Eva", JUDGE)
    _, other_pin = ours.staff.add("Kai", JUDGE)
    token, other = ours.log_in(pin, PHONE, ""), ours.log_in(other_pin, "10.0.0.8", "")
    ours.staff.revoke(person.id)
    assert ours.session(token or "") is None
    assert ours.log_in(pin, PHONE, "") is None
    assert ours.session(other or ""), "nobody else is logged out"
    assert door(machine, tmp_path, service).session(token or "") is None, "nor after the hub was started again"
    assert ours.staff.name_of(person.id) == ""
    assert ours.staff.name_of(f"judge:{person.id}") == "Eva", "what she did goes on having a name"


def test_a_new_pin_ends_the_sessions_of_the_one_before(machine: Machine, tmp_path: Path, service: Service):
    ours = door(machine, tmp_path, service)
    person, pin = ours.staff.add("Eva", JUDGE)
    token = ours.log_in(pin, PHONE, "")
    _, new = ours.staff.replace_pin(person.id)
    assert ours.session(token or "") is None
    assert ours.log_in(pin, PHONE, "") is None
    assert ours.log_in(new, PHONE, "")


def test_nobody_is_listed_who_came_by_a_hub_s_pin_that_was_replaced(machine: Machine, tmp_path: Path, service: Service):
    ours = door(machine, tmp_path, service)
    _, own = ours.staff.add("Eva", JUDGE)
    assert ours.log_in(HUBS_PIN, PHONE, "")
    assert ours.log_in(own, PHONE, "")
    ours.replace_hub_pin()
    assert ours.listed() == []


@pytest.mark.parametrize("change", ["replaced", "revoked", "revoked and given again", "forgotten"])
def test_at_another_hub_on_the_same_database_the_sessions_of_a_pin_end_as_well(
    machine: Machine, tmp_path: Path, service: Service, change: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("roundtap_hub.access.staff.PEOPLE_MOST", 2)
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    here, there = door(machine, tmp_path / "here", service), door(machine, tmp_path / "there", service)
    person, pin = here.staff.add("Eva", JUDGE)
    _, other_pin = here.staff.add("Kai", JUDGE)
    token, other = there.log_in(pin, PHONE, ""), there.log_in(other_pin, "10.0.0.8", "")
    assert there.session(token or "")
    if change != "replaced":
        here.staff.revoke(person.id)
    if change.startswith("re") and change != "revoked":
        here.staff.replace_pin(person.id)
    if change == "forgotten":
        here.staff.add("Ola", JUDGE)
    for each in (there, door(machine, tmp_path / "there", service)):
        assert each.session(token or "") is None
        assert each.session(other or "")
        assert [session.person for session, _, _ in each.listed()] == [who_of(there, other).id]


def test_another_role_counts_from_the_next_request(machine: Machine, tmp_path: Path, service: Service):
    ours = door(machine, tmp_path, service)
    person, pin = ours.staff.add("Eva", JUDGE)
    token = ours.log_in(pin, PHONE, "")
    ours.staff.change_role(person.id, SCOREKEEPER)
    who = who_of(ours, token)
    assert who.role == SCOREKEEPER


def test_no_two_pins_are_the_same(machine: Machine, tmp_path: Path, service: Service):
    made = iter([HUBS_PIN, "33334444", "33334444", "55556666"])
    write_pin(tmp_path / "pin", HUBS_PIN)
    pin = PinFile(read_or_make_pin(tmp_path / "pin")[0])
    ours = StaffLogin(
        pin, Sessions(machine.clocks), Staff(service, pin.verify, lambda: next(made)), b"s" * 32, machine.clocks.mono_ms
    )
    assert ours.staff.add("Eva", JUDGE)[1] == "33334444", "the hub's is the organizer's alone"
    assert ours.staff.add("Kai", JUDGE)[1] == "55556666"


def test_who_may_be_added(machine: Machine, tmp_path: Path, service: Service):
    ours = door(machine, tmp_path, service)
    person, _ = ours.staff.add("Eva", JUDGE)
    for name, role, key in (
        ("", JUDGE, "no_names"),
        ("x" * 81, JUDGE, "name_too_long"),
        ("eva", JUDGE, "staff_name_twice"),
        ("Kai", "player", "not_one_of"),
    ):
        with event_kit.refused(key):
            ours.staff.add(name, role)
    ours.staff.revoke(person.id)
    assert ours.staff.add("Eva", JUDGE)
    assert len(ours.staff.people) == 2


def test_a_full_staff_forgets_the_oldest_who_was_revoked_and_nobody_else(
    machine: Machine, service: Service, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("roundtap_hub.access.staff.PEOPLE_MOST", 4)
    staff = Staff(service)
    people = [staff.add(f"n{n}", JUDGE)[0] for n in range(4)]
    with pytest.raises(Problem, match="Revoke one"):
        staff.add("one more", JUDGE)
    staff.revoke(people[2].id)
    staff.revoke(people[1].id)
    staff.add("one more", JUDGE)
    assert [each.name for each in staff.people] == ["n0", "n2", "n3", "one more"]
    assert {row.person: row.name for row in rows(service)}[people[1].id] == "", "nobody knows the name any more"
    assert [each.name for each in Staff(service).people] == ["n0", "n2", "n3", "one more"]


def test_a_row_from_before_the_revocation_lets_nobody_in(machine: Machine, tmp_path: Path, service: Service):
    """What a backup or a slow standby still has of it."""
    ours = door(machine, tmp_path, service)
    person, pin = ours.staff.add("Eva", JUDGE)
    (before,) = rows(service)
    ours.staff.revoke(person.id)
    assert [row.hashed for row in rows(service)] == [""]
    service.execute([], "test", beside=[before])
    again = door(machine, tmp_path, service)
    assert again.log_in(pin, PHONE, "") is None
    assert [each.active for each in again.staff.people] == [False]


def test_who_logs_in_while_their_pin_is_replaced_takes_nothing_back(machine: Machine, tmp_path: Path):
    with running(tmp_path / "second.db") as service:
        ours = door(machine, tmp_path, service)
        person, _ = ours.staff.add("Eva", JUDGE)
        _, new = ours.staff.replace_pin(person.id)
        ours.staff.logged_in(person.id, machine.wall)
    with running(tmp_path / "second.db") as service:
        again = door(machine, tmp_path, service)
        assert again.log_in(new, PHONE, "")


def salts(service: Service) -> list[str]:
    return [row.hashed.partition("$")[0] for row in rows(service) if row.hashed]


def test_all_pins_have_one_salt_and_outlive_a_restart(machine: Machine, tmp_path: Path):
    """With one for each, every guess cost the hub a slow hash for each person."""
    with running(tmp_path / "second.db") as service:
        ours = door(machine, tmp_path, service)
        _, pin = ours.staff.add("Eva", JUDGE)
        ours.log_in(pin, PHONE, "")
    with running(tmp_path / "second.db") as service:
        again = door(machine, tmp_path, service)
        assert [each.last_login for each in again.staff.people] == [machine.wall]
        again.staff.add("Kai", JUDGE)
        assert again.log_in(pin, PHONE, "")
        again.replace_hub_pin()
        assert {*salts(service), salt_in(tmp_path / "pin")} == {salts(service)[0]}


def with_own_salts(service: Service, judges: int = 2) -> dict[str, str]:
    """Judges of an earlier hub, each PIN with a salt of its own: their PINs by name."""
    pins = {name: f"{n}2345678" for n, name in enumerate(("Eva", "Ola", "Ida", "Ada", "Udo", "Leo")[:judges])}
    for n, (name, pin) in enumerate(pins.items()):
        hashed = hash_pin(pin, f"own{n}")
        service.execute(
            [Step(VENUE, NewEntry(STAFF_SET, {"person": f"c{n}", "role": JUDGE, "pin": pin_digest(hashed)}))],
            "hub",
            beside=[StaffRow(person=f"c{n}", name=name, hashed=hashed)],
        )
    assert salts(service) == [f"own{n}" for n in range(judges)]
    return pins


@pytest.mark.usefixtures("slow_pins")
def test_a_pin_of_an_earlier_hub_gets_the_salt_of_all_at_the_next_login(
    machine: Machine, tmp_path: Path, service: Service
):
    pins = with_own_salts(service)
    ours = door(machine, tmp_path, service)
    for _ in range(2):
        for name, pin in pins.items():
            token = ours.log_in(pin, PHONE, "")
            identity = who_of(ours, token)
            assert identity.name == name
    assert salts(service) == [salt_in(tmp_path / "pin")] * 2
    before = [row.hashed for row in rows(service)]
    assert ours.log_in(pins["Eva"], PHONE, "")
    assert [row.hashed for row in rows(service)] == before, "it has that already"


@pytest.mark.usefixtures("slow_pins")
def test_the_salt_that_most_have_stays_that_of_all_at_a_hub_whose_pin_has_another(
    machine: Machine, tmp_path: Path, service: Service
):
    """Two hubs that share a journal would change it at each login, and end the other's sessions."""
    (tmp_path / "other").mkdir()
    here, there = door(machine, tmp_path, service), door(machine, tmp_path / "other", service)
    pins = [here.staff.add(name, JUDGE)[1] for name in ("Eva", "Kai")]
    pins.append(there.staff.add("Ola", JUDGE)[1])
    sessions = [here.log_in(pin, PHONE, "") for pin in pins]
    assert all(there.log_in(pin, PHONE, "") for pin in pins)
    assert all(here.session(token or "") for token in sessions)
    assert set(salts(service)) == {salt_in(tmp_path / "pin")}


class Hashes:
    """How many slow hashes were made."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.made = 0
        monkeypatch.setattr("roundtap_hub.access.staff.hash_pin", self)

    def __call__(self, pin: str, salt: str | None = None) -> str:
        self.made += 1
        return hash_pin(pin, salt)

    def of(self, log_in: Callable[[], object]) -> int:
        before = self.made
        with suppress(Problem):
            log_in()
        return self.made - before


@pytest.mark.usefixtures("slow_pins")
def test_a_guess_costs_one_slow_hash_however_many_the_staff_are_and_however_new_their_pins(
    machine: Machine, tmp_path: Path, service: Service, monkeypatch: pytest.MonkeyPatch
):
    """It cost 13 with twelve people, and 25 while their PINs were new."""
    ours = door(machine, tmp_path, service)
    pins = [ours.staff.add(f"n{n}", JUDGE)[1] for n in range(12)]
    hashes = Hashes(monkeypatch)
    assert hashes.of(lambda: ours.log_in("00000000", "10.0.0.1", "")) == 1
    assert hashes.of(lambda: ours.log_in(pins[3], "10.0.0.2", "")) == 1
    assert hashes.of(lambda: ours.log_in("00000000", HERE, "")) == 1


@pytest.mark.usefixtures("slow_pins")
def test_guesses_that_have_to_wait_cost_none_also_while_a_pin_is_new(
    machine: Machine, tmp_path: Path, service: Service, monkeypatch: pytest.MonkeyPatch
):
    """A new PIN could be guessed at without limit: each time the hub hashed it."""
    ours = door(machine, tmp_path, service)
    ours.staff.add("Eva", JUDGE)
    hashes = Hashes(monkeypatch)
    for _ in range(40):
        hashes.of(lambda: ours.log_in("00000000", "10.0.0.1", ""))
    assert hashes.made == 3 + 3, "an address has three tries at a new PIN, and three of those that all compete for"


@pytest.mark.usefixtures("slow_pins")
def test_salts_of_an_earlier_hub_cost_a_guesser_s_hub_little_and_their_people_one_more_hash(
    machine: Machine, tmp_path: Path, service: Service, monkeypatch: pytest.MonkeyPatch
):
    pins = with_own_salts(service, judges=6)
    ours = door(machine, tmp_path, service)
    session = ours.session(ours.log_in(pins["Eva"], PHONE, "") or "")
    assert session is not None
    known = ours.device_cookie(session)
    hashes = Hashes(monkeypatch)
    for n in range(60):
        hashes.of(lambda n=n: ours.log_in("00000000", f"10.0.1.{n}", ""))
    assert hashes.made == 60 + 5 * (8 + 8), "one each; and sixteen times the five salts beside"
    assert hashes.of(lambda: ours.log_in(pins["Eva"], PHONE, "", known)) == 1
    with pytest.raises(Problem):
        ours.log_in(pins["Ola"], "10.0.2.1", "")
    assert hashes.of(lambda: ours.log_in(pins["Ola"], HERE, "")) == 1 + 5, "at the hub itself she need not wait"
    assert hashes.of(lambda: ours.log_in(pins["Ola"], PHONE, "")) == 1
    assert salts(service).count(salt_in(tmp_path / "pin")) == 2


@pytest.mark.usefixtures("slow_pins")
def test_a_known_device_s_old_salt_is_taken_up_with_one_more_hash(
    machine: Machine, tmp_path: Path, service: Service, monkeypatch: pytest.MonkeyPatch
):
    pins = with_own_salts(service)
    ours = door(machine, tmp_path, service)
    eva = ours.staff.person_of(pins["Eva"])
    session = ours.sessions.find(ours.begin(PHONE, "", eva))
    assert session is not None
    hashes = Hashes(monkeypatch)
    assert hashes.of(lambda: ours.log_in(pins["Eva"], PHONE, "", ours.device_cookie(session))) == 2
    assert salts(service) == [salt_in(tmp_path / "pin"), "own1"]


@pytest.mark.usefixtures("slow_pins")
def test_the_salt_of_all_revives_no_pin_that_was_replaced_or_revoked_meanwhile(
    machine: Machine, tmp_path: Path, service: Service
):
    pins = with_own_salts(service)
    ours = door(machine, tmp_path, service)
    eva, ola = (ours.staff.person_of(pin) for pin in pins.values())
    _, new = ours.staff.replace_pin(eva.id)
    ours.staff.revoke(ola.id)
    for person, name in ((eva, "Eva"), (ola, "Ola")):
        assert ours.staff.with_salt_of_all(person, partial(hash_pin, pins[name])) == person
    assert [ours.log_in(pin, PHONE, "") is not None for pin in (*pins.values(), new)] == [False, False, True]


@pytest.mark.usefixtures("slow_pins")
def test_a_full_disk_keeps_nobody_out_whose_salt_is_another(machine: Machine, tmp_path: Path, service: Service):
    pins = with_own_salts(service)
    ours = door(machine, tmp_path, service)
    service.meanwhile = fails(Problem("not_saved"))
    assert who_of(ours, ours.log_in(pins["Eva"], PHONE, "")) is not None
    assert salts(service) == ["own0", "own1"]


# --- the disk ---------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("slow_pins")
def test_people_whose_pins_have_different_salts_are_all_let_in(machine: Machine, tmp_path: Path, service: Service):
    """Hubs that share a database may each have made some."""
    pins = with_own_salts(service)
    ours = door(machine, tmp_path, service)
    _, new = ours.staff.add("Bea", JUDGE)
    found = [ours.staff.person_of(pin) for pin in (*pins.values(), new, "00000000")]
    assert [person and person.name for person in found] == ["Eva", "Ola", "Bea", None]
    assert salts(service)[:2] == ["own0", "own1"]


def test_a_full_disk_lets_nobody_in_who_would_be_out_after_a_power_cut(
    machine: Machine, tmp_path: Path, service: Service
):
    ours = door(machine, tmp_path, service)
    person, pin = ours.staff.add("Eva", JUDGE)
    with disk_fails(service), pytest.raises(Problem, match="Saving failed"):
        ours.staff.add("Kai", JUDGE)
    assert [each.name for each in ours.staff.people] == ["Eva"]
    with disk_fails(service):
        assert ours.log_in(pin, PHONE, ""), "a login is no reason to keep her out"
        with pytest.raises(Problem, match="Saving failed"):
            ours.staff.revoke(person.id)


def test_it_goes_into_backups_and_to_standbys_like_the_pin():
    assert StaffRow in SECRETS
    assert "pin" in FILES


def test_an_official_of_an_event_is_one_person(service: Service):
    staff = Staff(service)
    eva, kai = (staff.add(name, JUDGE)[0] for name in ("Eva", "Kai"))
    for person, event, official in ((eva, "e1", "o1"), (eva, "e2", "o4"), (kai, "e1", "o2"), (kai, "e1", "o1")):
        staff.link_official(person.id, event, official)
    found = {each.name: dict(each.officials) for each in Staff(service).people}
    assert found == {"Eva": {"e2": "o4"}, "Kai": {"e1": "o1"}}
    staff.link_official("", "e1", "o1")
    assert [dict(each.officials) for each in staff.people] == [{"e2": "o4"}, {}]
