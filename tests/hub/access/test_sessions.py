"""Sessions live on the monotonic clock and on the disk; a new PIN, a logout and an organizer's word end them."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hub_kit import Service, running

from faults import fails
from roundtap_core.errors import Problem
from roundtap_hub.access.staff import Sessions, Staff, StaffLogin, token_hash
from roundtap_hub.app.hub import read_or_make_secret
from roundtap_hub.store.clocks import Clocks
from roundtap_hub.store.login_pins import (
    PinFile,
    hash_pin,
    new_phrase,
    new_pin,
    normalize_pin,
    read_or_make_pin,
    verify_pin,
    write_pin,
)
from roundtap_hub.store.secure_files import make_private_folder, write_private

HOUR = 3600_000


class Machine:
    """A machine's clocks, by hand: its monotonic clock, its boot, and a system's time that is anything."""

    def __init__(self) -> None:
        self.boot, self.ms, self.wall = "boot-1", 1_000_000, "2026-11-22T10:00:00+00:00"

    @property
    def clocks(self) -> Clocks:
        return Clocks(self.boot, lambda: self.ms, lambda: self.wall)


@pytest.fixture
def machine() -> Machine:
    return Machine()


def sessions(machine: Machine, path: Path | None = None) -> Sessions:
    return Sessions(machine.clocks, path)


def test_only_the_hash_of_a_token_is_kept(machine: Machine, tmp_path: Path):
    path = tmp_path / "sessions.json"
    token = sessions(machine, path).begin("10.0.0.7", "Firefox")
    assert len(token) >= 43
    assert token not in path.read_text()
    assert token_hash(token) in path.read_text()
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_session_ends_after_four_hours_without_use(machine: Machine):
    kept = sessions(machine)
    token = kept.begin("10.0.0.7", "")
    machine.ms += 4 * HOUR - 1
    assert kept.find(token)
    machine.ms += 1
    assert kept.find(token) is None


def test_use_renews_it_until_a_day_is_over(machine: Machine):
    kept = sessions(machine)
    token, hours = kept.begin("10.0.0.7", ""), 0
    while (found := kept.find(token)) is not None:
        kept.use(found)
        machine.ms += HOUR
        hours += 1
    assert hours == 24


@pytest.mark.parametrize(
    "wall", ["2026-11-23T10:00:00+00:00", "2026-11-21T10:00:00+00:00", "2016-11-22T10:00:00+00:00", None]
)
def test_whatever_happens_to_the_system_s_time_nobody_is_thrown_out(machine: Machine, tmp_path: Path, wall: str | None):
    kept = sessions(machine, tmp_path / "s")
    token = kept.begin("10.0.0.7", "")
    machine.wall = wall
    assert kept.find(token)
    assert sessions(machine, tmp_path / "s").find(token)


def test_a_hub_that_is_started_again_knows_its_organizers_and_their_age(machine: Machine, tmp_path: Path):
    token = sessions(machine, tmp_path / "s").begin("10.0.0.7", "")
    machine.ms += 3 * HOUR
    again = sessions(machine, tmp_path / "s")
    assert again.find(token)
    machine.ms += HOUR
    assert again.find(token) is None


def test_a_machine_that_is_started_again_gives_them_what_was_left(machine: Machine, tmp_path: Path):
    """Its monotonic clock begins anew, and nobody knows for how long the power was out."""
    first = sessions(machine, tmp_path / "s")
    token = first.begin("10.0.0.7", "")
    machine.ms += 3 * HOUR
    first.save()
    machine.boot, machine.ms, machine.wall = "boot-2", 20_000, None
    again = sessions(machine, tmp_path / "s")
    assert again.find(token)
    machine.ms += HOUR
    assert again.find(token) is None


def test_a_power_cut_gives_back_a_minute_of_life_at_the_most(machine: Machine, tmp_path: Path):
    first = sessions(machine, tmp_path / "s")
    token = first.begin("10.0.0.7", "")
    for _ in range(240):
        machine.ms += 59_000
        found = first.find(token)
        assert found
        first.use(found)
    machine.boot, machine.ms = "boot-2", 0
    [(_, lasted, idle)] = sessions(machine, tmp_path / "s").listed()
    assert 240 * 59_000 - 120_000 <= lasted <= 240 * 59_000
    assert idle <= 60_000


def test_one_is_ended_or_all_others_and_stays_ended(machine: Machine, tmp_path: Path):
    kept = sessions(machine, tmp_path / "s")
    mine, phone, tablet = (kept.begin(f"10.0.0.{n}", "") for n in range(3))
    found = kept.find(phone)
    assert found
    kept.end(found.id)
    own = kept.find(mine)
    assert own
    for each in (kept, sessions(machine, tmp_path / "s")):
        assert each.find(phone) is None
        assert each.find(tablet)
    kept.end_others(own)
    for each in (kept, sessions(machine, tmp_path / "s")):
        assert each.find(tablet) is None
        assert each.find(mine)


def test_a_session_that_was_ended_on_a_full_disk_does_not_come_back(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = tmp_path / "s"
    kept = sessions(machine, path)
    token = kept.begin("10.0.0.7", "")

    monkeypatch.setattr("roundtap_hub.access.staff.write_private", fails(OSError(28, "No space left on device")))
    assert kept.find(kept.begin("10.0.0.8", "")), "a full disk keeps nobody out"
    found = kept.find(token)
    assert found
    kept.end(found.id)
    assert kept.find(token) is None
    assert sessions(machine, path).find(token) is None


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"pin": 3}', '{"pin": "x", "sessions": [{}]}'])
def test_a_file_that_cannot_be_read_logs_everybody_out_and_no_more(machine: Machine, tmp_path: Path, text: str):
    (tmp_path / "s").write_text(text)
    kept = sessions(machine, tmp_path / "s")
    assert kept.listed() == []
    assert kept.find(kept.begin("10.0.0.7", ""))


def test_a_flood_of_logins_is_bounded_and_the_ones_in_use_stay(machine: Machine):
    kept = sessions(machine)
    mine = kept.begin("10.0.0.7", "")
    for _ in range(500):
        machine.ms += 1
        found = kept.find(mine)
        assert found
        kept.use(found)
        kept.begin("10.0.0.8", "x" * 10_000)
    assert len(kept.listed()) == 16
    assert all(len(session.agent) <= 200 for session, _, _ in kept.listed())


# --- the PIN --------------------------------------------------------------------------------------------------------


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    with running(tmp_path / "hub.db") as started:
        yield started


def organizers(machine: Machine, folder: Path, service: Service) -> StaffLogin:
    hashed, _ = read_or_make_pin(folder / "pin")
    return StaffLogin(
        PinFile(hashed, folder / "pin"),
        Sessions(machine.clocks, folder / "sessions.json"),
        Staff(service),
        b"s" * 32,
        machine.clocks.mono_ms,
    )


def test_a_new_pin_is_noticed_at_once_and_ends_all_sessions(machine: Machine, tmp_path: Path, service: Service):
    write_pin(tmp_path / "pin", "11112222")
    ours = organizers(machine, tmp_path, service)
    token = ours.log_in("1111 2222", "10.0.0.7", "")
    assert token
    assert ours.session(token)
    write_pin(tmp_path / "pin", "33334444")
    assert ours.session(token) is None
    assert ours.log_in("11112222", "10.0.0.7", "") is None
    assert ours.log_in("33334444", "10.0.0.7", "")
    write_pin(tmp_path / "pin", "11112222")
    assert ours.session(token) is None, "the old PIN again is a new one"


def test_a_pin_that_was_made_while_the_hub_was_off_ends_them_too(machine: Machine, tmp_path: Path, service: Service):
    write_pin(tmp_path / "pin", "11112222")
    token = organizers(machine, tmp_path, service).log_in("11112222", "10.0.0.7", "")
    assert token
    assert organizers(machine, tmp_path, service).session(token)
    write_pin(tmp_path / "pin", "11112222")
    assert organizers(machine, tmp_path, service).session(token) is None


def test_a_pin_file_that_is_gone_or_emptied_changes_nothing_while_the_hub_runs(
    machine: Machine, tmp_path: Path, service: Service
):
    write_pin(tmp_path / "pin", "11112222")
    ours = organizers(machine, tmp_path, service)
    token = ours.log_in("11112222", "10.0.0.7", "")
    assert token
    (tmp_path / "pin").write_text("")
    assert ours.session(token)
    (tmp_path / "pin").unlink()
    assert ours.session(token)
    assert ours.log_in("", "10.0.0.7", "") is None


@pytest.mark.parametrize("text", ["", " ", "$", "salt$", "salt$00", "\0" * 40])
def test_a_pin_file_without_a_pin_is_refused_at_the_start(tmp_path: Path, text: str):
    (tmp_path / "pin").write_text(text)
    with pytest.raises(Problem, match="This file has no PIN"):
        read_or_make_pin(tmp_path / "pin")
    assert not verify_pin("", text)


def test_a_pin_has_eight_digits_and_a_phrase_four_words():
    assert new_pin(lambda letters: letters[-1]) == "99999999"
    assert new_phrase(lambda letters: letters[0]) == "baba-baba-baba-baba"
    assert len({new_pin() for _ in range(50)}) > 40


def test_a_phrase_may_be_typed_with_spaces_and_capitals():
    hashed = hash_pin("bado-remi-kuso-tafi")
    for typed in ("bado-remi-kuso-tafi", " Bado Remi Kuso TAFI", "badoremikusotafi"):
        assert verify_pin(typed, hashed), typed
    assert not verify_pin("bado-remi-kuso", hashed)
    assert normalize_pin("x" * 5000) == "x" * 64


def test_an_old_pin_of_six_digits_goes_on_opening_its_hub():
    """As the version before wrote it: scrypt of the digits."""
    digest = hashlib.scrypt(b"246810", salt=b"0011223344556677", n=2**13, r=8, p=1).hex()
    assert verify_pin("246810", f"0011223344556677${digest}")
    assert not verify_pin("246810", f"0011223344556677${digest[:40]}"), "cut short, it opens nothing"


@pytest.mark.parametrize("text", ["", "\n", "00", "zz" * 32, "ab" * 31])
def test_an_empty_or_short_secret_is_refused(tmp_path: Path, text: str):
    (tmp_path / "secret").write_text(text)
    with pytest.raises(Problem, match="64 hexadecimal digits"):
        read_or_make_secret(tmp_path / "secret")
    assert (tmp_path / "secret").read_text() == text


def test_a_folder_made_by_hand_is_narrowed(tmp_path: Path):
    folder = tmp_path / "data"
    folder.mkdir(mode=0o755)
    folder.chmod(0o755)
    (folder / "roundtap.db").write_text("x")
    (folder / "roundtap.db").chmod(0o644)
    (tmp_path / "elsewhere").write_text("x")
    (tmp_path / "elsewhere").chmod(0o644)
    (folder / "link").symlink_to(tmp_path / "elsewhere")
    assert make_private_folder(folder) == []
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / "roundtap.db").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "elsewhere").stat().st_mode & 0o777 == 0o644, "what a link leads to is not the hub's"


def test_a_private_file_is_private_whatever_the_umask(tmp_path: Path):
    (tmp_path / "pin").write_text("old")
    (tmp_path / "pin").chmod(0o666)
    write_private(tmp_path / "pin", "new")
    assert (tmp_path / "pin").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["pin"]


def test_what_is_listed_is_who_lives(machine: Machine, tmp_path: Path):
    kept = sessions(machine, tmp_path / "s")
    kept.begin("10.0.0.7", "old")
    machine.ms += 3 * HOUR
    kept.begin("10.0.0.8", "new")
    machine.ms += 2 * HOUR
    assert [(each.address, began, used) for each, began, used in kept.listed()] == [("10.0.0.8", 2 * HOUR, 2 * HOUR)]
    assert [row["address"] for row in json.loads((tmp_path / "s").read_text())["sessions"]] == ["10.0.0.7", "10.0.0.8"]
    assert replace(kept.listed()[0][0], address="").wall == machine.wall
