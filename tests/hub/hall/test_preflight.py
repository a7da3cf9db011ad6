"""Before the doors open: what the page says of hub and hall, to whom, and that the console leads there."""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from pages_kit import House, text_of

import roundtap_core
from roundtap.doctor import doctor
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_core.version import version
from roundtap_core.words import LANGUAGES, core_words
from roundtap_devices.hardware_errors import HardwareMissing
from roundtap_hub.hall.this_hub import group_checks
from roundtap_hub.store.own_machine import HallTime, OwnMachine
from roundtap_hub.store.service import Step
from roundtap_hub.views.preflight_checks import DISPLAY, HARDWARE_REASONS, all_checks, table_units, unit_rows
from roundtap_hub.views.unit_presence import encode_health
from roundtap_machine.health import FINE, NETWORK, NOTE, WRONG, Check, MachineProbe
from roundtap_machine.services import SystemdService, machine_checks
from roundtap_units.link.hub_address import Endpoint

HEALTH: dict[str, Any] = {
    "version": version(),
    "throttled": 0,
    "celsius": 45,
    "free_mb": 4096,
    "read_only": False,
    "screen": True,
    "printer": "",
    "keys": ["a", "b"],
    "pressed": ["a", "b"],
}

OF_ITS_CLOCK = {
    "none": Check("clock", NOTE, kind="guessed"),
    "rtc": Check("clock", FINE, kind="rtc"),
    "empty": Check("clock", WRONG, kind="rtc_empty"),
    "network": Check("clock", FINE, kind="network"),
}

BROKEN = [
    SystemdService("hub", True, "active", "success", 0),
    SystemdService("station", True, "activating", "exit-code", 3, "station.toml: baud: 1234"),
    SystemdService("first-boot", True, "active", "success", 0, "Line 3: wfi is no setting."),
]


def units(house: House, count: int, **health: Any) -> None:
    """So many table units in contact, each at its table."""
    hub = house.hub
    for n in range(1, count + 1):
        unit = f"table-{n}"
        if unit not in hub.units.keys:
            hub.units.keys.add(unit)
            hub.service.execute([Step(VENUE, NewEntry("unit-placed", {"unit": unit, "table": n}))], "organizer")
        hub.presence.update(
            unit, house.time(), connected=True, core=version(), health=encode_health({**HEALTH, **health})
        )


def found(house: House) -> dict[str, list[Check]]:
    checks = all_checks(house.hub, house.service.snapshot, house.hub.presence.units, house.time())
    by_key: dict[str, list[Check]] = {}
    for check in checks:
        by_key.setdefault(check.key, []).append(check)
    return by_key


def only(house: House, key: str) -> Check:
    [check] = found(house)[key]
    return check


def without_spares(house: House) -> None:
    for unit in ("unit-1", "unit-2"):
        house.hub.units.keys.revoke(unit)


# --- the hall's tables


def test_sixty_four_tables_that_are_well_are_a_handful_of_lines(house: House) -> None:
    without_spares(house)
    units(house, 64)
    checks = [check for checks in found(house).values() for check in checks]
    tables = next(group for group in group_checks(checks) if group.name == "tables")
    assert tables.findings == ()
    assert only(house, "contact").args["n"] == 64


def test_who_is_silent_is_named_by_its_table(house: House) -> None:
    without_spares(house)
    units(house, 3)
    house.time.ms += 60_000
    house.hub.presence.update("table-2", house.time())
    contact = only(house, "contact")
    assert (contact.state, contact.args["names"], contact.args["n"]) == (WRONG, "1, 3", 2)


@pytest.mark.parametrize(
    ("health", "key", "state"),
    [
        ({"throttled": 1}, "power", WRONG),
        ({"throttled": 0x10000}, "power", NOTE),
        ({"screen": False}, "screens", WRONG),
        ({"read_only": True}, "unit_cards", WRONG),
        ({"free_mb": 0}, "unit_cards", WRONG),
        ({"pressed": ["a"]}, "buttons", NOTE),
    ],
)
def test_what_is_wrong_with_one_table_of_three_is_one_line(
    house: House, health: dict[str, Any], key: str, state: str
) -> None:
    without_spares(house)
    units(house, 3)
    house.hub.presence.update("table-2", house.time(), health=encode_health({**HEALTH, **health}))
    check = only(house, key)
    assert (check.state, check.args["names"]) == (state, "2")


@pytest.mark.parametrize(
    ("deaf", "blind", "told"),
    [
        ("lgpio", "", {"lgpio": "2"}),
        ("", "i2c", {"i2c": "2"}),
        ("chip", "spi", {"chip": "2", "spi": "2"}),
        ("lgpio", "lgpio", {"lgpio": "2"}),
        ("", "display", {}),
        ("flux", "", {"other": "2"}),
    ],
)
def test_why_a_table_is_deaf_or_dark_is_told_with_what_to_do(
    house: House, deaf: str, blind: str, told: dict[str, str]
) -> None:
    without_spares(house)
    units(house, 3)
    health = {**HEALTH, "deaf": deaf, "blind": blind, "screen": not blind, "pressed": []}
    house.hub.presence.update("table-2", house.time(), health=encode_health(health))
    checks = found(house).get("lacks", [])
    assert {check.kind: check.args["names"] for check in checks} == told
    for language in LANGUAGES:
        words = core_words(language)
        assert all(check.state == WRONG and "2" in check.finding(words) and check.to_do(words) for check in checks)
    # Told once: a screen of which the reason is known is not also one that gives no answer, and keys that cannot be
    # heard are not keys that nobody pressed.
    assert (only(house, "screens").state == WRONG) == (blind == "display")
    assert (only(house, "buttons").state == NOTE) == (not deaf)


def test_every_reason_of_the_unit_s_own_is_known_here() -> None:
    assert {*HARDWARE_REASONS, DISPLAY} == set(HardwareMissing.TEXTS)


def test_another_build_than_the_hub_s_is_told(house: House) -> None:
    without_spares(house)
    units(house, 2)
    house.hub.presence.update("table-2", house.time(), core="0.1.0.dev1+g0000000")
    assert (only(house, "builds").state, only(house, "builds").args["names"]) == (WRONG, "2")


def test_a_unit_without_a_table_is_a_note_and_one_that_is_odd_is_more(house: House) -> None:
    house.hub.presence.update("unit-1", house.time(), connected=True)
    house.hub.presence.update("unit-2", house.time(), connected=True, troubles=frozenset({"twin"}))
    assert (only(house, "places").state, only(house, "places").kind) == (NOTE, "spare")
    assert (only(house, "troubles").state, only(house, "troubles").args["names"]) == (WRONG, "unit-2")


def test_where_people_play_and_no_unit_stands_is_said(house: House) -> None:
    house.with_event()
    without_spares(house)
    units(house, 1)
    house.organizer()
    kinds = {check.kind for check in found(house)["places"]}
    assert kinds <= {"bare", ""}


def test_a_hall_without_units_is_told_how_it_reports(house: House) -> None:
    without_spares(house)
    assert (only(house, "contact").state, only(house, "contact").kind) == (NOTE, "none")


def test_a_unit_that_says_nothing_of_itself_is_no_trouble(house: House) -> None:
    for unit in ("unit-1", "unit-2"):
        house.hub.presence.update(unit, house.time(), connected=True)
    assert not {"power", "screens", "unit_cards", "buttons", "builds"} & set(found(house))
    assert [
        line.health
        for line in unit_rows(
            house.service.snapshot,
            table_units(house.hub, house.service.snapshot, house.hub.presence.units),
            house.hub.presence.units,
            0,
        )
    ] == [None, None]


# --- printer, walls, network


@pytest.mark.parametrize(
    ("word", "state", "kind"),
    [
        ("ready", FINE, "ready"),
        ("unasked", FINE, "unasked"),
        ("", FINE, "there"),
        ("no-paper", WRONG, "no-paper"),
        ("offline", WRONG, "offline"),
        ("silent", WRONG, "silent"),
        ("no-port", WRONG, "no-port"),
        ("something-new", FINE, "there"),
    ],
)
def test_the_printer_is_told_as_its_station_says(house: House, word: str, state: str, kind: str) -> None:
    house.hub.units.keys.add("station-1", "station")
    house.hub.presence.update("station-1", house.time(), health=encode_health({**HEALTH, "printer": word}))
    assert (only(house, "printer").state, only(house, "printer").kind) == (state, kind)


def test_a_station_that_is_silent_is_wrong_and_none_is_a_note(house: House) -> None:
    assert (only(house, "printer").state, only(house, "printer").kind) == (NOTE, "none")
    house.hub.units.keys.add("station-1", "station")
    assert (only(house, "printer").state, only(house, "printer").kind) == (WRONG, "away")


def test_walls_new_and_none(house: House) -> None:
    assert (only(house, "walls").state, only(house, "walls").kind) == (NOTE, "none")
    display, _ = house.hub.hall.displays.register("", "10.42.0.9", {})
    house.hub.hall.displays.count_feed(display, 1)
    assert (only(house, "walls").kind, only(house, "walls").args["names"]) == ("new", "A")


def test_a_hub_on_no_network_is_told(house: House) -> None:
    assert only(house, "address").state in (WRONG, FINE)
    assert only(house, "encrypted").state == NOTE


# --- who may see it


def test_the_page_says_it_all_and_follows(house: House) -> None:
    without_spares(house)
    units(house, 2)
    house.hub.presence.update("table-2", house.time(), health=encode_health({**HEALTH, "screen": False}))
    page = house.organizer().get("/console/before-doors")
    assert 'data-feed="/feed?page=before-doors"' in page.text
    assert "The screen does not respond at 2." in text_of(page)
    assert "Push its plug in firmly" in text_of(page)


@pytest.mark.parametrize("role", ["judge", "head_judge", "scorekeeper"])
def test_all_of_the_staff_may_read(house: House, role: str) -> None:
    browser = house.staff(role)
    assert browser.get("/console/before-doors").status_code == 200


def test_strangers_see_nothing(house: House) -> None:
    assert house.browser().get("/console/before-doors").status_code in (302, 303)


@pytest.mark.parametrize("language", LANGUAGES)
def test_whatever_is_wrong_is_said_in_every_language(house: House, language: str) -> None:
    """Every text of a check of the page: title, what was seen, and what to do where it is wrong."""
    words = core_words(language)
    texts = json.loads((Path(roundtap_core.__file__).parent / "words/en.json").read_text(encoding="utf-8"))
    keys = {key for key in texts if key.startswith("check.") and not key.startswith(("check.state", "check.group"))}
    assert {key for key in keys if key not in words} == set()
    assert {key for key in keys if key.endswith(".wrong") and f"{key}.do" not in words} == set()


# --- the console leads there


def test_the_console_s_navigation_counts_what_is_wrong_in_the_hall(house: House, tmp_path: Path) -> None:
    without_spares(house)
    units(house, 2)
    house.hub.host.hall_addresses._addresses = lambda: ()
    browser = house.organizer()

    def leads() -> bool:
        house.hub.host.machine._cache.clear()
        return re.search(r'<a href="/console/hall"[^>]*><span>Hall</span> <b', browser.get("/console").text) is not None

    expected = bool(sum(check.state == WRONG for checks in found(house).values() for check in checks))
    assert leads() == expected
    house.hub.presence.update("table-2", house.time(), health=encode_health({**HEALTH, "read_only": True}))
    assert leads()


# --- the machine


@pytest.mark.parametrize(
    ("machine_has", "system_s", "asked", "state", "kind"),
    [
        ("none", 1.8e9, False, NOTE, "doubted"),
        ("none", 1.8e9, True, FINE, "browser"),
        ("rtc", 1.8e9, False, FINE, "rtc"),
        ("rtc", 1.8e9, True, FINE, "browser"),
        ("empty", 12.0, False, WRONG, "unset"),
        ("empty", 12.0, True, NOTE, "rtc_empty"),
        ("network", 1.8e9, True, FINE, "network"),
    ],
)
def test_the_clock_is_as_the_hub_knows_it(
    house: House, monkeypatch: pytest.MonkeyPatch, machine_has: str, system_s: float, asked: bool, state: str, kind: str
) -> None:
    """`asked`: an organizer's browser has set it; the machine may have a clock of its own, a dead one, or none."""

    def no_root(step: str, seconds: int) -> dict[str, bool]:
        raise FileNotFoundError(step)

    monkeypatch.setattr(house.hub.host.machine, "checks", lambda: (OF_ITS_CLOCK[machine_has],))
    hall_time = HallTime(
        None,
        "boot",
        house.time,
        lambda: system_s,
        lambda: machine_has == "network",
        lambda: machine_has == "rtc",
        no_root,
    )
    house.hub.host.hall_time = hall_time
    if asked:
        hall_time.set_to(1_800_000_000_000)
    check = only(house, "clock")
    assert (check.state, check.kind) == (state, kind)
    assert all(check.finding(core_words(language)) for language in LANGUAGES)


def test_the_hub_s_machine_is_looked_at_now_and_then(tmp_path: Path) -> None:
    now = [0]
    for name, text in (("proc/meminfo", "MemAvailable: 900000 kB\n"),):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="ascii")
    machine = OwnMachine(tmp_path, MachineProbe(tmp_path, root=tmp_path), lambda: now[0], lambda: 1.8e9)
    assert {check.key: check.state for check in machine.checks()}["memory"] == FINE
    (tmp_path / "proc/meminfo").write_text("MemAvailable: 9000 kB\n", encoding="ascii")
    assert {check.key: check.state for check in machine.checks()}["memory"] == FINE
    now[0] = 5000
    assert {check.key: check.state for check in machine.checks()}["memory"] == WRONG


@pytest.mark.parametrize(("days", "state"), [(0, FINE), (179, FINE), (180, NOTE)])
def test_an_old_pin_is_a_note(house: House, tmp_path: Path, days: int, state: str) -> None:
    (tmp_path / "pin").write_text("x", encoding="ascii")
    made_s = (tmp_path / "pin").stat().st_mtime
    house.hub.host.machine = OwnMachine(tmp_path, wall_s=lambda: made_s + days * 86_400 + 10)
    assert only(house, "pin").state == state


def test_a_machine_in_the_past_says_nothing_of_the_pin(tmp_path: Path) -> None:
    (tmp_path / "pin").write_text("x", encoding="ascii")
    assert OwnMachine(tmp_path, wall_s=lambda: 0.0).pin_age_days() is None


def test_the_hotspot_that_was_set_up_is_among_the_checks(house: House, tmp_path: Path) -> None:
    down = Check("hotspot", "wrong", {"name": "Hall"}, "down", "network")
    house.hub.host.machine = OwnMachine(tmp_path, hotspot=lambda: [down])
    assert down in house.hub.host.machine.checks()
    assert down.finding(core_words("en")) == "Hall is set up but not on."
    assert "Wi-Fi is on" in down.to_do(core_words("en"))


# --- the same list on the command line


def to_do(checks: Iterable[Check]) -> set[str]:
    """As the page marks its lines: key, kind and unit."""
    return {
        f"{check.key}-{check.kind or check.state}-{check.args.get('unit', '')}"
        for check in checks
        if check.state == WRONG
    }


def test_what_doctor_calls_to_do_is_on_the_page_and_the_other_way_round(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_spares(house)
    units(house, 2, read_only=True)
    house.hub.host.hall_addresses._addresses = lambda: ()
    house.hub.host.machine = OwnMachine(
        tmp_path,
        MachineProbe(tmp_path, root=tmp_path),
        services=lambda: BROKEN,
        hotspot=lambda: [Check("hotspot", WRONG, {"name": "Hall"}, "down", NETWORK)],
    )
    at_the_hub = house.app.test_client()

    def ask_hub(place: Endpoint, path: str) -> dict[str, Any]:
        return {"now_ms": 1} if path == "/time" else at_the_hub.get(path, base_url="http://127.0.0.1:8080").json

    monkeypatch.setattr(doctor, "ask_hub", ask_hub)
    page = house.organizer().get("/console/before-doors").get_data(as_text=True)
    on_page = set(re.findall(r'check-wrong" data-key="([^"]*)"', page))
    assert on_page >= {"service-wrong-", "settings-says-", "hotspot-down-", "unit_cards-wrong-", "address-wrong-"}
    assert to_do(doctor.all_checks(None, tmp_path, None, "hub", BROKEN)) == on_page
    # A hub that does not answer: what the machine knows is the same, and that it does not answer.
    monkeypatch.setattr(doctor, "ask_hub", lambda *_: {})
    of_machine = to_do(machine_checks(MachineProbe(tmp_path, root=tmp_path), 1.8e9, BROKEN, list))
    assert of_machine <= on_page
    assert to_do(doctor.all_checks(tmp_path, tmp_path, None, "hub", BROKEN)) >= {"hub-here-", "service-wrong-"}


def test_the_list_is_for_the_hub_s_own_machine(house: House) -> None:
    browser = house.app.test_client()
    assert browser.get("/checks", base_url="http://127.0.0.1:8080").status_code == 200
    assert browser.get("/checks", base_url="http://roundtap.local").status_code == 404
    assert (
        browser.get("/checks", base_url="http://localhost", environ_base={"REMOTE_ADDR": "10.42.0.7"}).status_code
        == 404
    )
