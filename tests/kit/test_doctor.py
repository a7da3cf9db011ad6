"""`roundtap doctor` on a machine that is not there: its services, files and hub, in words, as JSON, and as a bundle."""

import json
import threading
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from roundtap.doctor import doctor
from roundtap.doctor.doctor import ask_hub, hub_checks, shareable_settings
from roundtap.headless.cli_io import cli_words
from roundtap.main import main
from roundtap_core.words import LANGUAGES
from roundtap_machine import services
from roundtap_machine.health import FINE, WRONG, Check
from roundtap_machine.services import SystemdService
from roundtap_units.link.hub_address import Endpoint

SECRET = "7f3a" * 16


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without systemd, and nothing wrong with it."""
    monkeypatch.setattr("roundtap_machine.services.program_output", lambda _: "")
    monkeypatch.setattr(services, "check_health", lambda *_: [Check("heat", FINE, {"celsius": 40})])
    monkeypatch.setattr(doctor, "own_address", lambda: "10.0.0.9")
    monkeypatch.setenv("LANG", "de_DE.UTF-8")


class Answers:
    """Somebody at a port who says one thing to whoever asks."""

    def __init__(self, body: bytes) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def hub() -> Iterator[Answers]:
    with closing(Answers(b'{"now_ms": 5}')) as there:
        yield there


@pytest.mark.usefixtures("quiet")
def test_a_machine_that_is_well_says_so_and_ends_with_0(
    tmp_path: Path, hub: Answers, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor", "--config", str(tmp_path), "--hub", f"http://127.0.0.1:{hub.port}"]) == 0
    said = capsys.readouterr().out
    assert "✓ Temperatur: 40\u00a0°C." in said
    assert "Alles in Ordnung." in said


@pytest.mark.usefixtures("quiet")
def test_what_is_wrong_comes_with_what_to_do_under_the_machine_s_role_and_ends_with_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        "roundtap_machine.services.list_services",
        lambda _: [
            SystemdService("table", True, "activating", "exit-code", 2, f"{tmp_path}/table.toml: board: bonnet")
        ],
    )
    assert main(["doctor", "--config", str(tmp_path)]) == 1
    said = capsys.readouterr().out
    assert said.startswith("Dieses Gerät ist ein Tischgerät.\n")
    assert f"✗ Dienst: roundtap-table läuft nicht. Letzter Fehler: {tmp_path}/table.toml: board: bonnet" in said
    assert "→ Behebe diesen Fehler" in said


@pytest.mark.usefixtures("quiet")
def test_a_machine_without_a_network_is_told_what_its_wi_fi_may_lack(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor, "own_address", lambda: "")
    monkeypatch.setenv("LANG", "en_GB.UTF-8")
    assert main(["doctor", "--config", str(tmp_path)]) == 1
    said = capsys.readouterr().out
    assert "✗ Address: This machine has no network." in said
    assert "A Zero 2 W needs 2.4 GHz. A hidden Wi-Fi needs wifi_hidden = yes." in said


@pytest.mark.usefixtures("quiet")
def test_programs_get_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--config", str(tmp_path), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "role": "",
        "checks": [{"key": "heat", "state": "fine", "kind": "fine", "group": "hub", "args": {"celsius": 40}}],
        "worst": "fine",
    }


@pytest.mark.usefixtures("quiet")
def test_a_bundle_has_no_key_of_the_configuration_in_it(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text(f'unit = "anas-table"\nkey = "{SECRET}"\nlanguage = "pl"\nbroken', "utf-8")
    (tmp_path / "station.toml").write_text(f'unit = "x"\nkey = "{SECRET}"\nlanguage = "pl"\n', "utf-8")
    file = tmp_path / "out.txt"
    assert main(["doctor", "--config", str(tmp_path), "--bundle", str(file)]) == 0
    said = file.read_text(encoding="utf-8")
    assert "language = pl" in said
    assert SECRET not in said
    assert "anas" not in said
    assert file.stat().st_mode & 0o077 == 0


@pytest.mark.usefixtures("quiet")
def test_a_bundle_that_cannot_be_written_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--config", str(tmp_path), "--bundle", str(tmp_path / "none/out.txt")]) == 2
    assert "none/out.txt" in capsys.readouterr().err


class Hubs:
    """The hubs of a network by their place, and what each answers; every question is kept."""

    def __init__(self, *places: Endpoint, checks: object = ()) -> None:
        self.places, self.checks = places, checks
        self.asked: list[tuple[Endpoint, str]] = []

    def __call__(self, place: Endpoint, path: str) -> dict[str, Any]:
        self.asked.append((place, path))
        if place not in self.places:
            return {}
        return {"now_ms": 5} if path == "/time" else {"checks": self.checks}


def test_the_hub_is_asked_where_the_configuration_of_the_role_says_it_is(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text('hub = ["http://10.42.0.1:8080", "http://10.0.0.2"]\n', encoding="utf-8")
    ask = Hubs(("10.0.0.2", 80))
    [check] = hub_checks(None, tmp_path, "table", None, ask)
    assert (check.state, check.args["url"]) == (FINE, "http://10.0.0.2:80")
    assert [place for place, _ in ask.asked] == [("10.42.0.1", 8080), ("10.0.0.2", 80)]
    # What is left of another role is nobody's hub.
    assert hub_checks(None, tmp_path, "printer", None, Hubs()) == []


def test_a_unit_that_finds_its_hub_by_itself_has_none_to_be_asked(tmp_path: Path) -> None:
    assert hub_checks(None, tmp_path, "table", None, Hubs()) == []
    assert hub_checks(None, tmp_path, "hub", None, Hubs())[0].kind == "here"
    assert hub_checks("ftp://x", tmp_path, "hub", None, Hubs())[0].kind == "address"


def test_a_standby_asks_the_hub_that_it_follows_until_it_is_one_itself(tmp_path: Path) -> None:
    (tmp_path / "standby.toml").write_text('hub = "http://10.42.0.1:8080"\n', encoding="utf-8")
    for ask in (Hubs(("10.42.0.1", 8080)), Hubs(("127.0.0.1", 8080))):
        [check] = hub_checks(None, tmp_path, "standby", None, ask)
        assert (check.state, check.args["url"]) == (FINE, f"http://{ask.places[0][0]}:8080")
    [check] = hub_checks(None, tmp_path, "standby", None, Hubs())
    assert (check.state, check.kind, check.args["url"]) == (WRONG, "", "http://10.42.0.1:8080")


def test_an_enrolled_unit_s_hub_is_asked_where_the_unit_knows_it(tmp_path: Path) -> None:
    kept, ask = tmp_path / "enrolled.json", Hubs()
    kept.write_text('{"unit": "table-1", "hubs": ["http://192.168.77.1:8080"]}', encoding="utf-8")
    [check] = hub_checks(None, tmp_path, "table", tmp_path, ask)
    assert (ask.asked, check.state, check.kind) == ([(("192.168.77.1", 8080), "/time")], WRONG, "")
    kept.write_text('{"hubs": 7}', encoding="utf-8")
    assert hub_checks(None, tmp_path, "table", tmp_path, Hubs()) == []


@pytest.mark.usefixtures("quiet")
def test_a_hub_s_checks_are_those_of_its_page_and_each_is_there_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_page = [Check("heat", WRONG, {"celsius": 85}), Check("address", WRONG, group="network")]
    ask = Hubs(("127.0.0.1", 80), checks=[each.as_json() for each in of_page])
    monkeypatch.setattr(doctor, "ask_hub", ask)
    found = doctor.all_checks(None, tmp_path, None, "hub", [])
    assert [each.as_json() for each in found if each.key != "hub"] == [each.as_json() for each in of_page]
    assert [each.state for each in found if each.key == "hub"] == [FINE]
    # A hub that does not answer: what the machine knows without it.
    monkeypatch.setattr(doctor, "ask_hub", Hubs())
    found = doctor.all_checks(None, tmp_path, None, "hub", [])
    assert [(each.key, each.state) for each in found] == [("heat", FINE), ("hub", WRONG)]


def test_a_stranger_s_page_is_no_hub(hub: Answers) -> None:
    with closing(Answers(b"<html>Welcome to the hall's Wi-Fi</html>")) as stranger:
        assert ask_hub(("127.0.0.1", hub.port), "/time") == {"now_ms": 5}
        assert ask_hub(("127.0.0.1", stranger.port), "/time") == {}


def test_settings_of_files_that_cannot_be_read_are_none(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_bytes(b"\xff\xfe")
    assert shareable_settings(tmp_path) == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_check_of_the_command_has_its_texts(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROUNDTAP_LANG", language)
    words = cli_words()
    (tmp_path / "table.toml").write_text('hub = "http://10.42.0.1"', encoding="utf-8")
    found = [
        *hub_checks("x:y:z", tmp_path, "", None),
        *hub_checks(None, tmp_path, "hub", None, Hubs()),
        *hub_checks("http://a", tmp_path, "", None, Hubs(("a", 80))),
        *hub_checks(None, tmp_path, "table", None, Hubs()),
    ]
    for check in found:
        assert check.finding(words)
        assert check.state != WRONG or check.to_do(words)
        assert Check(**check.as_json()).as_json() == check.as_json()
    for role in ("", "hub", "table", "printer", "wall", "standby"):
        lines = doctor.report_lines([Check("heat", FINE, {"celsius": 40}), *found], words, role)
        assert not any("role." in line or "check." in line for line in lines)
