"""The staff: a PIN each, of which only a slow hash is kept; a role; revoked at once; and guesses at all PINs together
are counted as those at one."""

from __future__ import annotations

import json
import secrets
from pathlib import Path

import pytest

from roundtap_core.errors import Problem
from roundtap_hub.auth import PinGate
from roundtap_hub.journal.backups import LEFT_OUT
from roundtap_hub.journal.clocks import Clocks
from roundtap_hub.organizers import Organizers
from roundtap_hub.pin import PinFile, read_or_make_pin, write_pin
from roundtap_hub.policy import HEAD_JUDGE, JUDGE, ORGANIZER, SCOREKEEPER
from roundtap_hub.sessions import Sessions
from roundtap_hub.staff import PEOPLE_MOST, STAFF_FILE, Staff, Who
from roundtap_hub.standby.standby_feed import FILES

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


def door(machine: Machine, folder: Path) -> Organizers:
    """A hub's, as it is found when it starts; with a salt of its own, unlike those of other tests."""
    if not (folder / "pin").exists():
        write_pin(folder / "pin", HUBS_PIN)
    hashed, _ = read_or_make_pin(folder / "pin")
    return Organizers(PinFile(hashed, folder / "pin"), Sessions(machine.clocks, folder / "sessions.json"),
                      PinGate(machine.clocks.mono_ms), Staff(folder / STAFF_FILE, chance=secrets.token_hex))


def who_of(ours: Organizers, token: str | None) -> Who | None:
    return ours.who(ours.session(token or ""))


def test_a_pin_of_one_s_own_logs_in_in_one_s_role(machine: Machine, tmp_path: Path):
    ours = door(machine, tmp_path)
    person, pin = ours.add_person("Eva  Luz", JUDGE)
    token = ours.log_in(f"{pin[:4]} {pin[4:]}", PHONE, "")
    who = who_of(ours, token)
    assert who is not None
    assert (who.role, who.name, who.actor) == (JUDGE, "Eva Luz", f"judge:{person.id}")
    assert [each.last_login for each in ours.staff.people] == [machine.wall]
    the_hub_s = who_of(ours, ours.log_in(HUBS_PIN, PHONE, ""))
    assert the_hub_s is not None
    assert (the_hub_s.role, the_hub_s.name, the_hub_s.actor) == (ORGANIZER, "", "organizer")


def test_only_a_slow_hash_of_it_is_kept_in_a_private_file(machine: Machine, tmp_path: Path):
    _, pin = door(machine, tmp_path).add_person("Eva", JUDGE)
    path = tmp_path / STAFF_FILE
    assert pin not in path.read_text()
    assert path.stat().st_mode & 0o777 == 0o600


def test_people_and_their_sessions_outlive_the_process(machine: Machine, tmp_path: Path):
    ours = door(machine, tmp_path)
    _, pin = ours.add_person("Eva", HEAD_JUDGE)
    token = ours.log_in(pin, PHONE, "")
    again = door(machine, tmp_path)
    who = who_of(again, token)
    assert who is not None
    assert who.role == HEAD_JUDGE
    assert again.log_in(pin, PHONE, "")


def test_whoever_is_revoked_is_out_with_the_next_request(machine: Machine, tmp_path: Path):
    ours = door(machine, tmp_path)
    person, pin = ours.add_person("Eva", JUDGE)
    _, other_pin = ours.add_person("Kai", JUDGE)
    token, other = ours.log_in(pin, PHONE, ""), ours.log_in(other_pin, "10.0.0.8", "")
    ours.revoke(person.id)
    assert ours.session(token or "") is None
    assert ours.log_in(pin, PHONE, "") is None
    assert ours.session(other or ""), "nobody else is logged out"
    assert door(machine, tmp_path).session(token or "") is None, "nor after the hub was started again"
    assert ours.staff.name_of(person.id) == ""
    assert ours.staff.name_of(f"judge:{person.id}") == "Eva", "what she did goes on having a name"


def test_a_new_pin_ends_the_sessions_of_the_one_before(machine: Machine, tmp_path: Path):
    ours = door(machine, tmp_path)
    person, pin = ours.add_person("Eva", JUDGE)
    token = ours.log_in(pin, PHONE, "")
    _, new = ours.replace_pin(person.id)
    assert ours.session(token or "") is None
    assert ours.log_in(pin, PHONE, "") is None
    assert ours.log_in(new, PHONE, "")


def test_nobody_is_listed_who_came_by_a_hub_s_pin_that_was_replaced(machine: Machine, tmp_path: Path):
    ours = door(machine, tmp_path)
    _, own = ours.add_person("Eva", JUDGE)
    assert ours.log_in(HUBS_PIN, PHONE, "")
    assert ours.log_in(own, PHONE, "")
    ours.replace_hub_pin()
    assert ours.sessions.listed() == []


def test_another_role_counts_from_the_next_request(machine: Machine, tmp_path: Path):
    ours = door(machine, tmp_path)
    person, pin = ours.add_person("Eva", JUDGE)
    token = ours.log_in(pin, PHONE, "")
    ours.staff.change_role(person.id, SCOREKEEPER)
    who = who_of(ours, token)
    assert who is not None
    assert who.role == SCOREKEEPER


def test_no_two_pins_are_the_same(machine: Machine, tmp_path: Path):
    made = iter([HUBS_PIN, "33334444", "33334444", "55556666"])
    write_pin(tmp_path / "pin", HUBS_PIN)
    staff = Staff(None, lambda: next(made))
    ours = Organizers(PinFile(read_or_make_pin(tmp_path / "pin")[0]), Sessions(machine.clocks),
                      PinGate(machine.clocks.mono_ms), staff)
    assert ours.add_person("Eva", JUDGE)[1] == "33334444", "the hub's is the organizer's alone"
    assert ours.add_person("Kai", JUDGE)[1] == "55556666"


def test_who_may_be_added(machine: Machine, tmp_path: Path):
    ours = door(machine, tmp_path)
    person, _ = ours.add_person("Eva", JUDGE)
    for name, role, key in (("", JUDGE, "no_names"), ("x" * 81, JUDGE, "name_too_long"),
                            ("eva", JUDGE, "staff_name_twice"), ("Kai", "player", "not_one_of")):
        with pytest.raises(Problem) as refused:
            ours.add_person(name, role)
        assert refused.value.key == key
    ours.revoke(person.id)
    assert ours.add_person("Eva", JUDGE)
    assert len(ours.staff.people) == 2


def test_a_full_staff_forgets_whoever_was_revoked_first_and_nobody_else():
    number = iter(range(10_000_000, 99_999_999))
    staff = Staff(None, lambda: str(next(number)))
    staff._people = {f"{n}": staff.add(f"n{n}", JUDGE)[0] for n in range(2)}
    for n in range(2, PEOPLE_MOST):
        staff._people[f"{n}"] = staff._people["0"]
    with pytest.raises(Problem, match="revoke somebody"):
        staff.add("one more", JUDGE)
    staff._people["7"] = type(staff._people["0"])("7", "gone", JUDGE)
    staff.add("one more", JUDGE)
    assert "7" not in staff._people


# --- guessing ---------------------------------------------------------------------------------------------------------


def test_a_pin_of_one_s_own_buys_no_guesses_at_another_s(machine: Machine, tmp_path: Path):
    """A judge who guesses at the organizer's PIN, and logs in with her own in between, waits like everybody else."""
    ours = door(machine, tmp_path)
    _, pin = ours.add_person("Eva", JUDGE)
    looked_at = 0
    for _ in range(40):
        looked_at += ours.gate.wait_ms(PHONE) == 0
        ours.log_in("00000000", PHONE, "")
        ours.log_in(pin, PHONE, "")
        machine.ms += 1000
    assert looked_at <= 6


def test_the_right_pin_of_the_hub_forgives_what_was_mistyped_before(machine: Machine, tmp_path: Path):
    ours = door(machine, tmp_path)
    for _ in range(3):
        for _ in range(4):
            assert ours.log_in("00000000", PHONE, "") is None
        assert ours.log_in(HUBS_PIN, PHONE, "")


# --- the file -------------------------------------------------------------------------------------------------------


ONE = ('{"salt": "s", "people": [{"id": "a", "name": "Eva", "role": "%s", "hashed": "%s", "last_login": "",'
       ' "officials": {}}]}')


@pytest.mark.parametrize("text", [
    "", "[]", "{}", '{"salt": "", "people": []}',
    ONE % ("king", ""), ONE % ("judge", "x"),
])
def test_a_spoilt_file_is_refused_at_the_start(tmp_path: Path, text: str):
    (tmp_path / STAFF_FILE).write_text(text)
    with pytest.raises(Problem, match="not the list of staff"):
        Staff(tmp_path / STAFF_FILE)


def test_a_full_disk_lets_nobody_in_who_would_be_out_after_a_power_cut(machine: Machine, tmp_path: Path,
                                                                       monkeypatch: pytest.MonkeyPatch):
    ours = door(machine, tmp_path)
    person, pin = ours.add_person("Eva", JUDGE)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("roundtap_hub.staff.write_private", full)
    with pytest.raises(OSError, match="No space"):
        ours.add_person("Kai", JUDGE)
    assert [each.name for each in ours.staff.people] == ["Eva"]
    assert ours.log_in(pin, PHONE, ""), "a login is no reason to keep her out"
    with pytest.raises(OSError, match="No space"):
        ours.revoke(person.id)


def test_it_goes_into_backups_and_to_standbys_like_the_pin():
    assert STAFF_FILE not in LEFT_OUT
    assert {STAFF_FILE, "pin"} <= set(FILES)


def test_an_official_of_an_event_is_one_person(tmp_path: Path):
    staff = Staff(tmp_path / STAFF_FILE)
    eva, kai = (staff.add(name, JUDGE)[0] for name in ("Eva", "Kai"))
    staff.tie(eva.id, "e1", "o1")
    staff.tie(eva.id, "e2", "o4")
    staff.tie(kai.id, "e1", "o1")
    found = {each.name: dict(each.officials) for each in Staff(tmp_path / STAFF_FILE).people}
    assert found == {"Eva": {"e2": "o4"}, "Kai": {"e1": "o1"}}
    staff.tie(kai.id, "e1", None)
    assert json.loads((tmp_path / STAFF_FILE).read_text())["people"][1]["officials"] == {}
