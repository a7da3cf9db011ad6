"""A diagnostics bundle lets through what is known to be harmless: secrets and names of every kind are planted in a hub,
and none of them is in its bytes, however it is written there."""

import base64
import json
import re
from pathlib import Path
from urllib.parse import quote

import pytest
from pages_kit import PEOPLE, PIN, House

from roundtap_core.version import version
from roundtap_hub.hall.diagnostics import diagnostics_text, is_safe_setting, redact_args, redact_line
from roundtap_hub.store.login_pins import hash_pin, new_phrase
from roundtap_hub.store.own_machine import OwnMachine
from roundtap_machine.health import FINE, WRONG, Check
from roundtap_machine.services import SystemdService, list_services, log_lines

KEY, WIFI, PHRASE = "7f3a" * 16, "Gut3 Stube! 42", "bado-remi-kuso-tafi"
UNIT, CARD, EVENT = "anas-table", "Vader's Fist", "Friday night at Ana's"


def forms_of(secret: str) -> set[str]:
    """As it may be written somewhere: as it is, in other letters, by its bytes, in an address, its parts alone."""
    raw = secret.encode()
    found = {
        secret,
        secret.upper(),
        secret.lower(),
        raw.hex(),
        quote(secret),
        quote(secret, safe=""),
        base64.b64encode(raw).decode().rstrip("="),
        base64.urlsafe_b64encode(raw).decode().rstrip("="),
        json.dumps(secret)[1:-1],
        secret[::-1],
    }
    found |= {part for part in re.split(r"[\s'’.-]+", secret) if len(part) >= 3 and not part.islower()}
    return {form for form in found if len(form) >= 3}


def leaks(text: str, secrets: set[str]) -> set[str]:
    return {form for secret in secrets for form in forms_of(secret) if form in text}


def planted(house: House, folder: Path) -> set[str]:
    """Secrets and names of every kind, in the hub's folder, its memory and its state; what must not come out."""
    hub = house.hub
    secrets = {PIN, hash_pin(PIN, "salt").partition("$")[2], KEY, WIFI, PHRASE, UNIT, CARD, EVENT, *PEOPLE}
    _, staff_pin = hub.access.organizers.staff.add("Zdenka Novotná", "judge")
    secrets |= {staff_pin, "Zdenka Novotná", "Novotná"}
    secrets |= {hub.access.secret.hex(), hub.access.links.give("e1", "p1").removeprefix("/me/")}
    hub.units.keys.add(UNIT)
    secrets.add(hub.units.keys[UNIT].hex())
    hub.presence.update(UNIT, house.time(), troubles=frozenset({"twin"}))
    for name, text in (
        ("pin", hash_pin(PIN)),
        ("secret", hub.access.secret.hex()),
        ("keys.json", json.dumps({UNIT: KEY})),
        ("hotspot.json", json.dumps({"password": WIFI})),
    ):
        (folder / name).write_text(text, encoding="utf-8")
    return secrets


def log_with(secrets: set[str]) -> str:
    """A log in which everything that must not come out was said, in several ways."""
    lines = [
        f"2026-11-22T10:00:0{n % 10}+0000 raspberrypi roundtap[812]: {said}"
        for n, said in enumerate(
            part
            for secret in sorted(secrets)
            for part in (
                secret,
                f"PIN for the organizer (shown once): {secret}",
                f"WARNING roundtap_hub.app.hub: unit {secret}: lost",
                f"ValueError: {secret!r}",
                f"http://10.42.0.7:8080/me/{quote(secret, safe='')}",
                f"psk={secret}",
                f'key = "{secret}"',
                f"{secret.encode().hex()}",
                base64.b64encode(secret.encode()).decode(),
            )
        )
    ]
    return "\n".join(lines)


def test_nothing_that_was_planted_comes_out_of_a_hub_s_bundle(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = house.with_event()
    house.hub.host.machine = OwnMachine(tmp_path)
    secrets = planted(house, tmp_path)
    monkeypatch.setattr("roundtap_hub.hall.this_hub.log_lines", lambda: log_with(secrets).splitlines())
    monkeypatch.setattr(
        "roundtap_hub.hall.this_hub.list_services", lambda: [SystemdService("hub", True, "active", WIFI, 0)]
    )
    answer = browser.get("/console/before-doors/diagnostics.txt")
    assert answer.status_code == 200
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert f"version {version()}" in answer.text
    assert "[log]" in answer.text
    assert leaks(answer.text, secrets) == set()
    assert leaks(log_with(secrets), secrets), "the oracle sees what is there"


def test_only_organizers_may_have_it(house: House) -> None:
    house.with_event()
    assert house.staff("head_judge").get("/console/before-doors/diagnostics.txt").status_code == 403


@pytest.mark.parametrize(
    "line",
    [
        "2026-11-22T10:00:00+0000 systemd[1]: roundtap-hub.service: Main process exited, code=exited, status=1",
        'File "/roundtap_hub/store/service.py", line 212, in commit',
        "sqlite3.OperationalError: disk I/O error",
        "OSError: [28] No space left on device",
    ],
)
def test_what_helps_stays(line: str) -> None:
    told = redact_line(line)
    assert [word for word in re.findall(r"[A-Za-z]{4,}", line) if word not in told] in ([], ["sqlite"])


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("12345678", "▮"),
        ("1234 5678", "▮ ▮"),
        ("12-34-56-78", "▮"),
        ("in 1200 ms", "in 1200 ▮"),
        ("Ana Ruiz", "▮ ▮"),
        ("7f3a9c", "▮"),
        ("at 10.42.0.1", "at ▮"),
        ("", ""),
        ("▮", "▮"),
        ("\x00\ue000", "▮"),
        ("\x07 /opt/x/roundtap_hub/app/hub.py", "▮ roundtap_hub/app/hub.py"),
        ("roundtap_hub/ana.py", "roundtap_hub/▮"),
        ("ZdenkaError", "▮"),
    ],
)
def test_words_that_nobody_knows_are_struck(line: str, told: str) -> None:
    assert redact_line(line) == told


def test_a_line_of_any_kind_is_short_and_harmless() -> None:
    for line in ("x" * 100_000, "\x00" * 500, "\ue000" * 500, "9" * 1000, "\u202e\ud83c"[:1] * 300, "a\nb\r\0c"):
        assert len(redact_line(line)) <= 450
        assert "9999" not in redact_line(line) or line[0] != "9"


@pytest.mark.parametrize(
    ("args", "told"),
    [
        ({"n": 3, "mb": 12}, {"n": 3, "mb": 12}),
        ({"names": "3, 7, table-12, anas-table"}, {"names": "3, 7, table-12, ▮"}),
        ({"url": "http://10.0.0.1"}, {"url": "▮"}),
        ({"model": "Raspberry Pi 4 Model B Rev 1.4"},) * 2,
        ({"model": "<Ana>"}, {"model": "▮"}),
        ({"name": "/media/ana/stick"}, {"name": "▮"}),
        ({"unit": "eva"}, {"unit": "▮"}),
        ({"service": "roundtap-hub"},) * 2,
        ({"service": "roundtap-eva"}, {"service": "▮"}),
        (
            {"says": "PermissionError: [Errno 13] Permission denied: '/home/ana'"},
            {"says": "PermissionError: [▮ 13] Permission denied: '/▮'"},
        ),
    ],
)
def test_of_a_check_s_texts_only_harmless_ones_are_told(args: dict[str, str | int], told: dict[str, str | int]) -> None:
    assert redact_args(args) == told


def test_of_the_configuration_only_known_settings_with_known_values_are_told() -> None:
    text = diagnostics_text(
        [],
        [],
        [],
        {},
        {
            "language": "de",
            "board": "recommended",
            "key": KEY,
            "wifi_password": WIFI,
            "unit": UNIT,
            "role": "Ana",
            "hub": "http://10.42.0.1",
            "country": "DE; rm",
        },
    )
    assert "language = de\n" in text
    assert "board = recommended\n" in text
    assert leaks(text, {KEY, WIFI, UNIT, "Ana", "10.42.0.1", "rm"}) == set()
    assert not is_safe_setting("password", "de")


def test_checks_and_services_are_told_in_words_that_everybody_reads() -> None:
    checks = [Check("heat", FINE, {"celsius": 48}), Check("walls", WRONG, {"n": 1, "names": "A"}, group="walls")]
    text = diagnostics_text(checks, [SystemdService("table", True, "failed", "exit-code", 7)], [], {"events": 2}, {})
    for line in (
        "hub heat fine: 48\u00a0°C.",
        "walls walls wrong: Not connected: A.",
        "table failed exit-code restarts=7",
        "events = 2",
    ):
        assert line in text


def test_systemd_s_answers_are_read_and_a_machine_without_it_has_no_services() -> None:
    said = (
        "Id=roundtap-hub.service\nLoadState=loaded\nUnitFileState=enabled\nActiveState=active\nResult=success\n"
        "NRestarts=2\nActiveEnterTimestampMonotonic=5000000\n\n"
        "Id=roundtap-table.service\nLoadState=not-found\n"
    )
    assert list_services(lambda words: said, lambda: 25.0) == [
        SystemdService("hub", True, "active", "success", 2, active_s=20)
    ]
    assert list_services(lambda _: "") == []
    assert log_lines(lambda _: "a\nb\n") == ["a", "b"]
    assert new_phrase() not in "".join(log_lines(lambda _: ""))
