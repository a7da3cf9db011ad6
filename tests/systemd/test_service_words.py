"""What each service says of itself when it is broken, and what the checks make of that: real processes with a systemd
that is not there, but for the socket to which they speak. `doctor_container.py` is the same with a real one."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from patience import GUARD_S
from roundtap_core.words import LANGUAGES, core_words
from roundtap_machine.health import FINE, NOTE, WRONG, Check
from roundtap_machine.services import (
    STEADY_S,
    SystemdService,
    data_folder,
    last_words,
    list_services,
    role_of,
    service_checks,
)

WITHIN_S = GUARD_S
KEY = "7f3a" * 16
UNIT = f'hub = "http://127.0.0.1:9"\nunit = "table-1"\nkey = "{KEY}"\n'
NOT_READABLE = "/proc/sys/vm/drop_caches"  # not even by root
SERVICE = {"hub": "hub", "table": "table", "printer": "station", "wall": "wall", "standby": "standby"}


class Systemd:
    """Systemd at its boundaries: the socket that services notify, `systemctl show` and `journalctl`."""

    def __init__(self, folder: Path) -> None:
        self.address = str(folder / "notify")
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.address)
        self.socket.settimeout(WITHIN_S)
        self.status = ""
        self.ready = False

    def hear(self) -> None:
        for line in self.socket.recv(4096).decode().splitlines():
            self.status = line.removeprefix("STATUS=") if line.startswith("STATUS=") else self.status
            self.ready |= line == "READY=1"

    def shown(
        self, role: str, active: str, restarts: int = 0, result: str = "success", log: str = "", active_s: float = 100.0
    ) -> list[SystemdService]:
        """The machine's services: this role's as given, the others installed and not wanted."""

        def run(words: Sequence[str]) -> str:
            unit = f"roundtap-{SERVICE[role]}.service"
            if words[0] == "journalctl":
                return "\n".join(reversed(log.splitlines())) if unit in words and "-r" in words else ""
            ours = [
                "UnitFileState=enabled",
                f"ActiveState={active}",
                f"Result={result}",
                f"NRestarts={restarts}",
                "ExecMainStatus=203",
                f"StatusText={self.status}",
                f"ActiveEnterTimestampMonotonic={round((1000 - active_s) * 1e6)}",
            ]
            others = ["UnitFileState=disabled", "ActiveState=inactive", "Result=success", "NRestarts=0"]
            return "\n\n".join(
                "\n".join([f"Id={each}", "LoadState=loaded", *(ours if each == unit else others)])
                for each in words
                if each.endswith(".service")
            )

        return list_services(run, lambda: 1000.0)


@pytest.fixture
def systemd(tmp_path: Path) -> Iterator[Systemd]:
    there = Systemd(tmp_path)
    with closing(there.socket):
        yield there


@contextmanager
def started(systemd: Systemd, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    environment = {**os.environ, "NOTIFY_SOCKET": systemd.address, "LANG": "C.UTF-8"}
    process = subprocess.Popen(
        [sys.executable, "-m", "roundtap.main", *words],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def said_of(checks: Sequence[Check]) -> str:
    [check] = [check for check in checks if check.state == WRONG]
    return check.finding(core_words("en"))


def config(folder: Path, text: str) -> str:
    path = folder / "own.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


# --- what a person has to mend: the process ends with 2, and its last word is why


@pytest.mark.parametrize(
    ("role", "text", "told"),
    [
        ("table", f'{UNIT}board = "bonnet"\n', "bonnet"),
        ("table", f'{UNIT}board = "/nowhere/mine.toml"\n', "/nowhere/mine.toml"),
        ("printer", f"{UNIT}baud = 1234\n", "baud"),
        ("printer", f'{UNIT}printer = "/nowhere/mine.toml"\n', "/nowhere/mine.toml"),
        ("standby", UNIT.replace("7f3a", "zzzz"), "hex"),
        ("standby", None, "No such file"),
        ("table", NOT_READABLE, "Permission denied"),
        ("printer", NOT_READABLE, "Permission denied"),
        ("standby", NOT_READABLE, "Permission denied"),
    ],
)
def test_a_wrong_value_and_a_file_that_is_missing_or_forbidden_are_named(
    systemd: Systemd, tmp_path: Path, role: str, text: str | None, told: str
) -> None:
    if role == "printer" and text != NOT_READABLE:
        # Its log of prints comes before its printer, and its usual folder is not for everybody.
        text = f'folder = "{tmp_path}"\n{text}'
    path = str(tmp_path / "none.toml") if text is None else text if text == NOT_READABLE else config(tmp_path, text)
    words = (
        ["standby", "--data", str(tmp_path / "data"), "--config", path] if role == "standby" else [SERVICE[role], path]
    )
    with started(systemd, *words) as process:
        systemd.hear()
        assert process.wait(WITHIN_S) == 2
    finding = said_of(service_checks(systemd.shown(role, "activating", 1, "exit-code")))
    assert f"roundtap-{SERVICE[role]} is not running" in finding
    assert told in finding
    assert KEY not in finding


def test_the_hub_names_the_port_that_is_taken_and_the_folder_it_may_not_use(systemd: Systemd, tmp_path: Path) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = str(taken.getsockname()[1])
        with started(
            systemd,
            "hub",
            "--data",
            str(tmp_path / "data"),
            "--host",
            "127.0.0.1",
            "--port",
            port,
            "--secure-port",
            "0",
        ) as process:
            systemd.hear()
            assert process.wait(WITHIN_S) == 2
    assert f":{port}: Address already in use" in said_of(service_checks(systemd.shown("hub", "activating", 1)))
    with started(systemd, "hub", "--data", "/proc/sys/vm/hub", "--port", "0", "--secure-port", "0") as process:
        systemd.hear()
        assert process.wait(WITHIN_S) == 2
    assert "/proc/sys/vm/hub" in said_of(service_checks(systemd.shown("hub", "activating", 2)))


def test_a_hub_whose_journal_is_gone_serves_a_page_and_says_so(systemd: Systemd, tmp_path: Path) -> None:
    words = ("hub", "--data", str(tmp_path / "data"), "--host", "127.0.0.1", "--port", "0", "--secure-port", "0")
    with started(systemd, *words):
        while not systemd.ready:
            systemd.hear()
    assert said_of_nothing(service_checks(systemd.shown("hub", "active")))
    (tmp_path / "data/roundtap.db").unlink()
    systemd.ready = False
    with started(systemd, *words):
        while not systemd.ready:
            systemd.hear()
    finding = said_of(service_checks(systemd.shown("hub", "active")))
    assert finding.startswith("roundtap-hub runs, but reports: ")
    assert "roundtap.db" in finding


def said_of_nothing(checks: Sequence[Check]) -> bool:
    return all(check.state == FINE for check in checks)


def test_a_wall_names_a_wrong_address_and_the_programs_that_are_missing(
    systemd: Systemd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with started(systemd, "wall", "--hub", "ftp://x", "--folder", str(tmp_path)) as process:
        systemd.hear()
        assert process.wait(WITHIN_S) == 2
    assert "ftp://x" in said_of(service_checks(systemd.shown("wall", "activating", 1)))
    monkeypatch.setenv("PATH", str(tmp_path))
    with started(systemd, "wall", "--hub", "http://127.0.0.1:9", "--folder", str(tmp_path)):
        systemd.status = ""
        while not systemd.status:
            systemd.hear()
    assert "no cage and no chromium" in said_of(service_checks(systemd.shown("wall", "active")))


def test_a_standby_without_its_hub_and_a_printer_without_its_cable_run_and_say_so(
    systemd: Systemd, tmp_path: Path
) -> None:
    with started(systemd, "standby", "--data", str(tmp_path / "data"), "--config", config(tmp_path, UNIT)):
        while "no contact" not in systemd.status:
            systemd.hear()
    assert "no contact with the hub" in said_of(service_checks(systemd.shown("standby", "active")))
    file = config(tmp_path, f'{UNIT}device = "/dev/none"\nfolder = "{tmp_path}"\n')
    with started(systemd, "station", file):
        while "port" not in systemd.status:
            systemd.hear()
    [check] = service_checks(systemd.shown("printer", "active"))
    # The same check as on the hub's page, with its text and what to do.
    assert (check.key, check.state, check.kind) == ("printer", WRONG, "no-port")
    assert "no printer connected" in check.finding(core_words("en"))


# --- what ends of itself: systemd and the journal are asked


@pytest.mark.parametrize("role", SERVICE)
def test_what_is_killed_again_and_again_is_named_though_it_runs_at_the_moment(systemd: Systemd, role: str) -> None:
    unit = f"roundtap-{SERVICE[role]}.service"
    log = (
        f"WARNING roundtap_units: something long ago\n{unit}: Main process exited, code=killed, status=9/KILL\n"
        f"{unit}: Failed with result 'signal'.\n{unit}: Scheduled restart job, restart counter is at 7.\n"
    )
    finding = said_of(service_checks(systemd.shown(role, "active", 7, log=log, active_s=3)))
    assert "keeps restarting (so far: 7)" in finding
    assert "code=killed, status=9/KILL" in finding
    [check] = service_checks(systemd.shown(role, "active", 7, log=log, active_s=STEADY_S + 1))
    assert (check.state, check.kind) == (NOTE, "restarted")


@pytest.mark.parametrize("role", SERVICE)
def test_a_program_that_may_not_be_run_is_named_by_systemd(systemd: Systemd, role: str) -> None:
    unit = f"roundtap-{SERVICE[role]}.service"
    log = (
        f"{unit}: Failed to execute /opt/roundtap/bin/roundtap: Permission denied\n"
        f"{unit}: Main process exited, code=exited, status=203/EXEC\n"
    )
    shown = service_checks(systemd.shown(role, "activating", 4, "exit-code", log))
    assert "Failed to execute /opt/roundtap/bin/roundtap: Permission denied" in said_of(shown)
    # Who may not read the journal is told what systemd knows.
    assert "exit-code, 203" in said_of(service_checks(systemd.shown(role, "activating", 4, "exit-code")))


def test_a_bug_is_named_by_its_last_line() -> None:
    assert last_words(
        [
            "PermissionError: [Errno 13] Permission denied: '/x'",
            '  File "x.py", line 3',
            "Traceback (most recent call last):",
            "roundtap hub: an old one",
        ]
    ).startswith("PermissionError")


def test_what_a_new_start_warns_of_is_not_why_the_last_one_ended() -> None:
    killed = "roundtap-table.service: Main process exited, code=killed, status=9/KILL"
    exited = "roundtap-table.service: Main process exited, code=exited, status=2/INVALIDARGUMENT"
    assert last_words(["WARNING x: no screen", killed, "ERROR x: older"]).endswith("code=killed, status=9/KILL")
    assert last_words(["WARNING x: no screen", exited, "roundtap table: board: bonnet: no such board"]) == (
        "roundtap table: board: bonnet: no such board"
    )


def test_what_is_no_error_is_not_repeated_as_a_pin_may_be_in_it() -> None:
    assert last_words(["PIN for the organizer (shown once): 87654321", "3 874 231 (http://10.42.0.1)", ""]) == ""


# --- what the checks make of it


@pytest.mark.parametrize(
    ("service", "state", "kind"),
    [
        (SystemdService("hub", True, "active", "success", 0), FINE, ""),
        (SystemdService("hub", True, "active", "success", 5), NOTE, "restarted"),
        (SystemdService("hub", True, "active", "success", 5, active_s=20), WRONG, "looping"),
        (SystemdService("table", True, "failed", "exit-code", 9), WRONG, "looping"),
        (SystemdService("wall", True, "inactive", "", 0), WRONG, ""),
        (SystemdService("table", True, "activating", "success", 0), NOTE, "starting"),
        (SystemdService("table", True, "activating", "exit-code", 3), WRONG, ""),
        (SystemdService("table", True, "active", "success", 0, "lgpio is missing"), WRONG, "says"),
        (SystemdService("first-boot", True, "active", "success", 0, "line 3: wfi"), WRONG, "says"),
        (SystemdService("first-boot", True, "active", "success", 0), FINE, ""),
        (SystemdService("first-boot", True, "failed", "timeout", 0), WRONG, ""),
    ],
)
def test_a_service_that_should_run_and_does_not_is_wrong(service: SystemdService, state: str, kind: str) -> None:
    [check] = service_checks([service])
    assert (check.state, check.kind) == (state, kind)
    for language in LANGUAGES:
        words = core_words(language)
        assert check.title(words)
        assert service.says in check.finding(words)
        assert state != WRONG or check.to_do(words)


def test_a_service_that_nobody_wants_is_nobody_s_matter() -> None:
    assert (
        service_checks(
            [
                SystemdService("standby", False, "inactive", "success", 0),
                SystemdService("hub", False, "failed", "signal", 7, "from the role before"),
                SystemdService("first-boot", True, "inactive", "success", 0),
            ]
        )
        == []
    )


def test_a_hub_need_not_have_a_screen_and_a_wall_must() -> None:
    wall = SystemdService("wall", True, "active", "success", 0, "waiting: no screen is connected")
    assert [check.state for check in service_checks([wall])] == [WRONG]
    of_hub = service_checks([SystemdService("hub", True, "active", "success", 0), wall])
    assert [(check.state, check.kind) for check in of_hub] == [(FINE, ""), (FINE, "waits")]
    ends = SystemdService("wall", True, "active", "success", 0, "the browser ends as soon as it is started")
    assert service_checks([SystemdService("hub", True, "active", "success", 0), ends])[1].state == WRONG


def test_what_roundtap_txt_makes_of_a_machine_is_its_role_and_its_service_must_run(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run/roundtap-settings").write_text("hub\nroundtap.txt, line 3: wfi is unknown")
    shown = "\n\n".join(
        f"Id=roundtap-{name}.service\nLoadState=loaded\nUnitFileState={state}\nActiveState=inactive\n"
        "Result=success\nNRestarts=0"
        for name, state in (("first-boot", "enabled"), ("hub", "disabled"), ("station", "enabled"))
    )
    known = list_services(lambda words: shown if words[0] == "systemctl" else "", lambda: 100.0, tmp_path)
    assert role_of(known) == "hub"
    found = service_checks(known)
    assert [(check.key, check.state) for check in found if "hub" in str(check.args)] == [("service", WRONG)]
    assert "wfi" in str(next(check.args for check in found if check.key == "settings"))


@pytest.mark.parametrize(
    ("running", "role"),
    [
        (("hub", "panel", "station", "wall"), "hub"),
        (("table",), "table"),
        (("station",), "printer"),
        (("wall",), "wall"),
        (("standby", "panel"), "standby"),
        ((), ""),
    ],
)
def test_the_role_is_what_runs(running: tuple[str, ...], role: str) -> None:
    known = [SystemdService(name, name in running, "inactive", "success", 0) for name in (*SERVICE.values(), "panel")]
    assert role_of(known) == role


def test_each_role_has_its_own_folder_which_has_to_take_data(tmp_path: Path) -> None:
    for name in ("roundtap", "roundtap-station"):
        (tmp_path / "var/lib" / name).mkdir(parents=True)
    assert [data_folder(role, tmp_path) for role in ("hub", "printer", "table")] == [
        tmp_path / "var/lib/roundtap",
        tmp_path / "var/lib/roundtap-station",
        None,
    ]
