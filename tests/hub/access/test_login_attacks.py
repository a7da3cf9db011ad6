"""Attacks on the limits of guesses: strangers who lock others out, a judge after another's rights, a stolen cookie."""

import re
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from pages_kit import PIN, Browser, House, open_house, problem_of
from werkzeug.test import TestResponse

from roundtap.main import main
from roundtap_core.errors import Problem
from roundtap_core.words import LANGUAGES, catalogue
from roundtap_hub.access.staff import make_staff_login
from roundtap_hub.http.requester import DEVICE, FORM, SECURE_SESSION
from roundtap_hub.http.routes import HEAD_JUDGE, JUDGE
from roundtap_hub.store.login_pins import write_pin

MINUTE_MS = 60_000
HTTPS = "https://10.42.0.1:8443"


class Device(Browser):
    """A browser in the hall, at an address of its own, over HTTPS."""

    def __init__(self, house: House, address: str, language: str = "en") -> None:
        super().__init__(Client(house.app), language)
        self.client.environ_base["REMOTE_ADDR"] = self.address = address

    def comes_in(self, pin: str = PIN) -> bool:
        """Whether this PIN opens the console; then it is logged out again, as at the end of an evening."""
        self.get("/login")
        answer = self.post("/login", pin=pin)
        if answer.status_code == 303:
            self.get("/console")
            self.post("/logout")
        return answer.status_code == 303


class Client(FlaskClient):
    def open(self, *args: object, **more: object) -> TestResponse:
        return super().open(*args, **{"base_url": HTTPS, **more})  # type: ignore[arg-type]


def guess(house: House, address: str, pin: str = "00000000", times: int = 1) -> None:
    """Wrong PINs from one address, each of them as fast as the hub answers."""
    for _ in range(times):
        with suppress(Problem):
            house.hub.access.organizers.log_in(pin, address, "")


def strangers(n: int) -> list[str]:
    return [f"10.{n // 250}.{n % 250}.66" for n in range(n)]


def flood(house: House, n: int = 120, times: int = 3) -> None:
    """120 addresses guess as much as they like; 600 are more than there are tries for."""
    for address in strangers(n):
        guess(house, address, times=times)


# --- strangers who lock others out -----------------------------------------------------------------------------------


def test_a_hundred_and_twenty_addresses_keep_nobody_out_who_has_a_pin(house: House) -> None:
    """26 of 26 right PINs were refused."""
    _, own = house.hub.access.organizers.staff.add("Eva Luz", JUDGE)
    for minute in range(13):
        flood(house)
        assert Device(house, f"10.9.9.{2 * minute + 1}").comes_in(), minute
        assert Device(house, f"10.9.9.{2 * minute + 2}").comes_in(own), minute
        house.time.ms += MINUTE_MS


def test_a_device_that_was_in_keeps_its_tries_however_many_others_guess(house: House) -> None:
    desk = Device(house, "10.9.9.1")
    assert desk.comes_in()
    flood(house, 600)
    guess(house, desk.address, times=20)
    assert not Device(house, desk.address).comes_in(), "this much is enough to lock a new device out"
    assert [desk.comes_in("00000000"), desk.comes_in()] == [False, True]


def test_it_keeps_them_when_the_hub_is_started_again(tmp_path: Path) -> None:
    with open_house(tmp_path) as before:
        desk = Device(before, "10.9.9.1")
        assert desk.comes_in()
    with open_house(tmp_path) as house:
        flood(house, 600)
        desk.client.application = house.app
        assert desk.comes_in()


def test_a_judge_s_device_keeps_its_tries_when_the_hub_s_pin_is_another(house: House) -> None:
    _, own = house.hub.access.organizers.staff.add("Eva Luz", JUDGE)
    phone = Device(house, "10.9.9.1")
    assert phone.comes_in(own)
    house.hub.access.organizers.replace_hub_pin()
    house.time.ms += 10 * MINUTE_MS
    flood(house, 600)
    assert phone.comes_in(own)


@pytest.mark.parametrize("addresses", [6, 120])
def test_a_player_with_the_right_letters_does_not_wait_for_others(house: House, addresses: int) -> None:
    """Six addresses were enough."""
    house.with_event()
    links = house.hub.access.links
    for address in strangers(addresses):
        for _ in range(6):
            with suppress(Problem):
                links.claim_code("ZZZZZZ", address)
    phone = Device(house, "10.9.9.1")
    assert phone.post("/me", code=links.code("e1", "p1")).location == links.path("e1", "p1")


def test_five_addresses_keep_nobody_from_signing_up(house: House) -> None:
    for address in strangers(5):
        for _ in range(70):
            house.hub.hall.sign_ups.admits(address)
    assert house.hub.hall.sign_ups.admits("10.9.9.1")


def test_who_mistypes_now_and_then_is_not_taken_for_a_guesser(house: House) -> None:
    desk = Device(house, "10.9.9.1")
    for _ in range(3):
        assert [desk.comes_in(pin) for pin in ("1", "2", "3", "4", PIN)] == [False] * 4 + [True]


# --- a new PIN lets in whoever is locked out --------------------------------------------------------------------------


def locked_out(house: House, address: str = "10.9.9.1") -> Device:
    """A new device that strangers in a network of thousands of addresses keep out, with the right PIN."""
    flood(house, 600)
    device = Device(house, address)
    guess(house, device.address, times=20)
    assert not device.comes_in()
    return device


@pytest.mark.parametrize("at", ["the panel", "the machine"])
def test_a_new_pin_made_at_the_hub_itself_lets_in_at_once(
    house: House, tmp_path: Path, at: str, capsys: pytest.CaptureFixture[str]
) -> None:
    access = house.hub.access
    access.organizers = make_staff_login(
        write_pin(tmp_path / "pin", PIN), access.secret, house.hub.clocks, house.service, tmp_path
    )
    device = locked_out(house)
    if at == "the panel":
        pin = access.organizers.replace_hub_pin()
    else:
        assert main(["pin", "--data", str(tmp_path)]) == 0
        pin = capsys.readouterr().out.strip()
    assert [device.comes_in("00000000"), device.comes_in(pin)] == [False, True]


def test_an_organizer_who_is_in_lets_a_judge_in_by_a_new_pin_and_nobody_is_thrown_out(house: House) -> None:
    organizers = house.hub.access.organizers
    eva, _ = organizers.staff.add("Eva Luz", JUDGE)
    desk, phone = organizers.log_in(PIN, "10.9.9.2", ""), locked_out(house)
    _, new = organizers.staff.replace_pin(eva.id)
    assert phone.comes_in(new)
    assert organizers.session(desk or "")


def test_a_new_pin_does_so_once_and_for_five_minutes(house: House) -> None:
    organizers = house.hub.access.organizers
    device, pin = locked_out(house), organizers.replace_hub_pin()
    assert device.comes_in(pin)
    assert not Device(house, device.address).comes_in(pin), "it was used"
    pin = organizers.replace_hub_pin()
    guess(house, "10.9.9.66")
    house.time.ms += 5 * MINUTE_MS
    flood(house, 600)
    guess(house, device.address, times=20)
    assert not Device(house, device.address).comes_in(pin), "it is not new any more"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_says_how_long_to_wait_and_what_lets_in_at_once(house: House, language: str) -> None:
    device = locked_out(house)
    device.headers["Accept-Language"] = language
    device.get("/login")
    said, ours = problem_of(device.post("/login", pin=PIN)), catalogue("roundtap_hub", language)
    assert re.search(r"\b\d+ [Ss]", said)
    assert "roundtap pin" in said
    assert ours("hub.title") in said
    assert catalogue("roundtap_units", language)("panel.pin-ask") in said
    assert device.post("/login", pin=PIN).status_code == 400


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_player_who_has_to_wait_is_sent_to_the_code_at_the_desk(house: House, language: str) -> None:
    phone = Device(house, "10.9.9.1", language)
    for _ in range(6):
        answer = phone.post("/me", code="ZZZZZZ")
    assert re.search(r"\b30 [Ss].*\bQR\b", problem_of(answer))


# --- somebody who has stolen the cookie of a device -------------------------------------------------------------------


def stolen_from(device: Device) -> str:
    cookie = device.client.get_cookie(SECURE_SESSION + DEVICE, "10.42.0.1")
    return cookie.value


def test_a_device_s_cookie_opens_nothing(house: House) -> None:
    desk = Device(house, "10.9.9.1")
    desk.comes_in()
    thief = Device(house, "10.9.9.66")
    thief.client.set_cookie(SECURE_SESSION + DEVICE, stolen_from(desk), domain="10.42.0.1", secure=True)
    assert thief.get("/console").location.startswith("/login")
    for name in (SECURE_SESSION, SECURE_SESSION + FORM):
        thief.client.set_cookie(name, stolen_from(desk), domain="10.42.0.1", secure=True)
        assert thief.get("/console").location.startswith("/login")


def test_a_thief_of_it_has_a_device_s_tries_and_takes_nobody_else_s(house: House) -> None:
    """Five, and one each half a minute: of the organizer's PIN in a night, 1,445 of 100,000,000."""
    organizers = house.hub.access.organizers

    def steals_in(pin: str) -> bool:
        with suppress(Problem):
            return organizers.log_in(pin, "10.9.9.66", "", stolen) is not None
        return False

    desk, tablet = Device(house, "10.9.9.1"), Device(house, "10.9.9.2")
    assert desk.comes_in()
    assert tablet.comes_in()
    stolen = stolen_from(desk)
    guess(house, "10.9.9.66", times=20)
    assert [steals_in(pin) for pin in ("00000000",) * 5 + (PIN,)] == [False] * 6, "even the right one, by then"
    assert desk.comes_in(), "at its address, as any new device"
    flood(house, 600)
    house.time.ms += 29_999
    assert not steals_in(PIN)
    house.time.ms += 1
    assert [steals_in(pin) for pin in ("00000000", PIN)] == [False, False]
    flood(house, 600)
    assert tablet.comes_in(), "with the tries of its own"


@pytest.mark.parametrize(
    "change",
    [
        lambda it: it[:-1] + ("0" if it[-1] != "0" else "1"),
        lambda it: it[:-1],
        lambda it: it + "0",
        lambda it: "",
        lambda it: "x" + it,
        lambda it: it.replace(".", ".x", 1),
        lambda it: it.upper(),
        lambda it: it.rpartition(".")[0],
        lambda it: it.rpartition(".")[0] + ".",
        lambda it: "..",
        lambda it: "\x00.é.ü",
    ],
)
def test_a_cookie_of_somebody_s_making_gives_nothing(house: House, change: Callable[[str], str]) -> None:
    organizers = house.hub.access.organizers
    desk = Device(house, "10.9.9.1")
    desk.comes_in()
    made = change(stolen_from(desk))
    locked_out(house, "10.9.9.66")
    with pytest.raises(Problem):
        organizers.log_in(PIN, "10.9.9.66", "", made)


def test_a_device_s_cookie_ends_with_the_pin_that_it_was_given_for(house: House) -> None:
    """Who knew the PIN that was replaced guesses at the new one like a stranger, with a thousand cookies or none."""
    organizers = house.hub.access.organizers
    eva, own = organizers.staff.add("Eva Luz", JUDGE)
    desk, phone = Device(house, "10.9.9.1"), Device(house, "10.9.9.2")
    assert desk.comes_in()
    assert phone.comes_in(own)
    organizers.staff.revoke(eva.id)
    organizers.replace_hub_pin()
    flood(house, 600)
    guess(house, "10.9.9.66", times=20)
    for device in (desk, phone):
        with pytest.raises(Problem):
            organizers.log_in("00000000", "10.9.9.66", "", stolen_from(device))


# --- a judge who wants more ------------------------------------------------------------------------------------------


def wrong_ones_looked_at(house: House, tries: Callable[[str], object]) -> int:
    """How many guesses at the organizer's PIN are looked at from 16 addresses in nine seconds."""
    looked_at = 0
    for _ in range(90):
        for address in strangers(16):
            with suppress(Problem):
                tries(address)
            with suppress(Problem):
                looked_at += house.hub.access.organizers.log_in("00000000", address, "") is None
        house.time.ms += 100
    return looked_at


def test_a_pin_of_one_s_own_buys_no_guesses_at_others(tmp_path: Path) -> None:
    """80 in 9 seconds: an address where it had been typed did not count with all others any more."""
    found = []
    for name in ("judge", "stranger"):
        (tmp_path / name).mkdir()
        with open_house(tmp_path / name) as house:
            organizers = house.hub.access.organizers
            _, own = organizers.staff.add("Eva Luz", JUDGE)
            between = partial(organizers.log_in, own, agent="") if name == "judge" else len
            found.append(wrong_ones_looked_at(house, between))
    assert found[0] <= found[1] == 16 * 2 + 20 + 1


def test_a_judge_s_devices_have_tries_at_her_own_pin_only(house: House) -> None:
    organizers = house.hub.access.organizers
    _, own = organizers.staff.add("Eva Luz", JUDGE)
    _, other = organizers.staff.add("Kai Eich", HEAD_JUDGE)
    house.time.ms += 10 * MINUTE_MS
    cookies = []
    for _ in range(50):
        token = organizers.log_in(own, "10.9.9.2", "")
        session = organizers.session(token or "")
        assert session is not None
        cookies.append(organizers.device_cookie(session))
    locked_out(house, "10.9.9.3")
    assert organizers.log_in(other, "10.9.9.4", "") is not None, "his PIN is right, where there are tries"
    for cookie in cookies:
        for pin in (PIN, other):
            with pytest.raises(Problem, match="A device that was logged in before"):
                organizers.log_in(pin, "10.9.9.3", "", cookie)
    assert organizers.log_in(own, "10.9.9.3", "", cookies[0])


def test_logins_of_a_judge_end_no_session_but_her_own(house: House) -> None:
    """66 of them ended the organizer's."""
    organizers = house.hub.access.organizers
    desk, (eva, own) = organizers.log_in(PIN, "10.9.9.1", ""), organizers.staff.add("Eva Luz", JUDGE)
    house.time.ms += 1
    for _ in range(66):
        assert organizers.log_in(own, "10.9.9.2", "")
    assert organizers.session(desk or "") is not None
    assert sum(session.person == eva.id for session, _, _ in organizers.listed()) == 16
