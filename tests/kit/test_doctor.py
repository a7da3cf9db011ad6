"""`roundtap doctor` on a machine that is not there: its services, files and hub, in words, as JSON, and as a bundle."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from roundtap.doctor import doctor
from roundtap.doctor.doctor import (
    config_checks,
    hub_checks,
    is_hub_answering,
    service_checks,
    settings_checks,
    shareable_settings,
)
from roundtap.doctor.wall_programs import wall_checks
from roundtap.main import main
from roundtap.provisioning.applying import machine_at
from roundtap_core.words import LANGUAGES, core_words
from roundtap_machine.checks import FINE, NOTE, WRONG, Check
from roundtap_machine.health import SystemdService

SECRET = "7f3a" * 16


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without systemd, and nothing wrong with it."""
    monkeypatch.setattr(doctor, "program_output", lambda _: "")
    monkeypatch.setattr(doctor, "hotspot_checks", list)
    monkeypatch.setattr(doctor, "settings_checks", list)
    monkeypatch.setattr(doctor, "check_health", lambda *_: [Check("heat", FINE, {"celsius": 40})])
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
    there = Answers(b'{"now_ms": 5}')
    yield there
    there.close()


@pytest.mark.usefixtures("quiet")
def test_a_machine_that_is_well_says_so_and_ends_with_0(
        tmp_path: Path, hub: Answers, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--config", str(tmp_path), "--hub", f"http://127.0.0.1:{hub.port}"]) == 0
    said = capsys.readouterr().out
    assert "✓ Temperatur: 40\u00a0°C." in said
    assert "Es ist nichts zu tun." in said


@pytest.mark.usefixtures("quiet")
def test_what_is_wrong_comes_with_what_to_do_and_ends_with_1(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "table.toml").write_text("unit = ", encoding="utf-8")
    assert main(["doctor", "--config", str(tmp_path)]) == 1
    said = capsys.readouterr().out
    assert f"✗ Konfiguration: {tmp_path}/table.toml ist nicht lesbar" in said
    assert "→ Bessere die Stelle aus" in said


@pytest.mark.usefixtures("quiet")
def test_programs_get_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--config", str(tmp_path), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "checks": [{"key": "heat", "state": "fine", "kind": "fine", "group": "hub", "args": {"celsius": 40}}],
        "worst": "fine"}


@pytest.mark.usefixtures("quiet")
def test_a_bundle_has_no_key_of_the_configuration_in_it(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text(f'unit = "anas-table"\nkey = "{SECRET}"\nlanguage = "pl"\nbroken', "utf-8")
    (tmp_path / "station.toml").write_text(f'unit = "x"\nkey = "{SECRET}"\nlanguage = "pl"\n', "utf-8")
    file = tmp_path / "out.txt"
    assert main(["doctor", "--config", str(tmp_path), "--bundle", str(file)]) == 1
    said = file.read_text(encoding="utf-8")
    assert "language = pl" in said
    assert SECRET not in said
    assert "anas" not in said
    assert file.stat().st_mode & 0o077 == 0


@pytest.mark.usefixtures("quiet")
def test_a_bundle_that_cannot_be_written_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--config", str(tmp_path), "--bundle", str(tmp_path / "none/out.txt")]) == 2
    assert "none/out.txt" in capsys.readouterr().err


@pytest.mark.parametrize(("service", "state", "kind"), [
    (SystemdService("hub", True, "active", "success", 0), FINE, ""),
    (SystemdService("hub", True, "active", "success", 5), NOTE, "restarted"),
    (SystemdService("table", True, "failed", "exit-code", 9), WRONG, ""),
    (SystemdService("wall", True, "inactive", "", 0), WRONG, ""),
    (SystemdService("panel", False, "activating", "exit-code", 3), WRONG, ""),
])
def test_a_service_that_should_run_and_does_not_is_wrong(service: SystemdService, state: str, kind: str) -> None:
    [check] = service_checks([service])
    assert (check.state, check.kind) == (state, kind)


def test_a_service_that_nobody_wants_is_nobody_s_matter() -> None:
    assert service_checks([SystemdService("standby", False, "inactive", "success", 0)]) == []


def test_of_a_broken_file_the_place_is_told_and_nothing_of_what_stands_there(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text(f'unit = "a"\nkey = {SECRET}"\n', encoding="utf-8")
    [check] = config_checks(tmp_path)
    assert check.state == WRONG
    assert "line 2" in str(check.args["reason"])
    assert SECRET[:8] not in str(check.args)


@pytest.mark.parametrize(("text", "state"), [
    ("role = hub\n", FINE), ("role = hub\nrole of nobody\nwfi = x\n", WRONG), (None, None)])
def test_the_card_s_file_is_looked_at(tmp_path: Path, text: str | None, state: str | None) -> None:
    (tmp_path / "etc/roundtap").mkdir(parents=True)
    if text is not None:
        (tmp_path / "etc/roundtap/roundtap.txt").write_text(text, encoding="utf-8")
    found = settings_checks(machine_at(tmp_path))
    assert [check.state for check in found] == ([] if state is None else [state])
    assert all(check.finding(core_words("pl")) for check in found)


def test_the_hub_is_asked_where_the_configuration_says_it_is(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text('hub = ["http://10.42.0.1:8080", "http://10.0.0.2"]\n', encoding="utf-8")
    asked: list[tuple[str, int]] = []

    def ask(host: str, port: int) -> bool:
        asked.append((host, port))
        return host == "10.0.0.2"

    [check] = hub_checks(None, tmp_path, False, ask)
    assert (check.state, check.args["url"]) == (FINE, "http://10.0.0.2:80")
    assert asked == [("10.42.0.1", 8080), ("10.0.0.2", 80)]


def test_a_unit_that_finds_its_hub_by_itself_has_none_to_be_asked(tmp_path: Path) -> None:
    assert hub_checks(None, tmp_path, False, lambda *_: False) == []
    assert hub_checks(None, tmp_path, True, lambda *_: False)[0].kind == "here"
    assert hub_checks("ftp://x", tmp_path, True, lambda *_: True)[0].kind == "address"


def test_an_enrolled_unit_s_hub_is_asked_where_the_unit_knows_it(tmp_path: Path) -> None:
    kept = tmp_path / "enrolled.json"
    kept.write_text('{"unit": "table-1", "hubs": ["http://192.168.77.1:8080"]}', encoding="utf-8")
    asked: list[tuple[str, int]] = []
    [check] = hub_checks(None, tmp_path, False, lambda *place: bool(asked.append(place)), [tmp_path / "none", kept])
    assert (asked, check.state, check.kind) == ([("192.168.77.1", 8080)], WRONG, "")
    kept.write_text('{"hubs": 7}', encoding="utf-8")
    assert hub_checks(None, tmp_path, False, lambda *_: False, [kept]) == []


def test_a_table_that_has_the_files_of_every_role_is_no_hub(quiet: None, monkeypatch: pytest.MonkeyPatch,
                                                            tmp_path: Path) -> None:
    given: list[object] = []
    monkeypatch.setattr(doctor, "list_services", lambda _: [SystemdService("hub", False, "inactive", "", 0),
                                                            SystemdService("table", True, "active", "", 0)])
    monkeypatch.setattr(doctor, "all_checks", lambda *args: given.append(args[3]) or [])
    main(["doctor", "--config", str(tmp_path)])
    assert given == [["table"]]


def test_a_stranger_s_page_is_no_hub(hub: Answers) -> None:
    stranger = Answers(b"<html>Welcome to the hall's Wi-Fi</html>")
    try:
        assert is_hub_answering("127.0.0.1", hub.port)
        assert not is_hub_answering("127.0.0.1", stranger.port)
    finally:
        stranger.close()


def test_settings_of_files_that_cannot_be_read_are_none(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_bytes(b"\xff\xfe")
    assert shareable_settings(tmp_path) == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_check_of_the_command_has_its_texts(language: str, tmp_path: Path) -> None:
    words = core_words(language)
    (tmp_path / "table.toml").write_text("=", encoding="utf-8")
    found = [*config_checks(tmp_path), *hub_checks("x:y:z", tmp_path, False, lambda *_: False),
             *hub_checks(None, tmp_path, True, lambda *_: False),
             *hub_checks("http://a", tmp_path, True, lambda *_: True),
             *service_checks([SystemdService("hub", True, state, "", n) for state in ("active", "failed")
                              for n in (0, 9)])]
    for check in found:
        assert check.finding(words)
        assert check.state != WRONG or check.to_do(words)
    assert doctor.report_lines(found, words)


@pytest.mark.parametrize(("roles", "screen", "told"), [
    (["wall"], False, True), (["hub", "wall"], True, True), (["hub", "wall"], False, False), (["table"], True, False)])
def test_a_wall_without_compositor_or_browser_is_told_where_it_has_a_screen(
        monkeypatch: pytest.MonkeyPatch, roles: list[str], screen: bool, told: bool) -> None:
    monkeypatch.setattr("roundtap.doctor.wall_programs.connected_screens", lambda: ("HDMI-A-1",) if screen else ())
    monkeypatch.setattr("shutil.which", lambda name, path=None: "/usr/bin/cage" if name == "cage" else None)
    assert wall_checks(roles) == ([Check("wall", WRONG, {"programs": "chromium"})] if told else [])


def test_a_wall_with_its_programs_has_nothing_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name, path=None: f"/usr/bin/{name}")
    assert wall_checks(["wall"]) == []
