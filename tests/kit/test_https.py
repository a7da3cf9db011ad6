"""A real hub's encrypted port: login, console, restart, a new PIN, and a stop while somebody is connected."""

import http.client
import re
import socket
import ssl
import subprocess
import sys
import threading
from contextlib import closing, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from kit import PIN, WAIT_S, Kit, end, free_port, refused_start, wait_until
from roundtap.kit.virtual_kit import start_roundtap
from roundtap.main import main
from roundtap_hub.access.personal_links import link_token
from roundtap_hub.http.tls import https_port
from roundtap_hub.store.venue import NO_LINK
from standby_kit import answers

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def KIT(folder: Path) -> Kit:
    made = Kit(folder)
    made.secure = ("--secure-port", str(https_port(made.port)))
    return made


class Browser:
    """One that trusts the hub's authority, and keeps its cookies."""

    def __init__(self, kit: Kit) -> None:
        self.port = int(kit.secure[1])
        self.context = ssl.create_default_context(cafile=str(kit.hub_folder / "tls" / "ca.crt"))
        self.cookies: dict[str, str] = {}
        self.said: list[str] = []

    def ask(self, method: str, path: str, form: dict[str, str] | None = None) -> tuple[int, Any, str]:
        with closing(http.client.HTTPSConnection("localhost", self.port, context=self.context, timeout=WAIT_S)) as line:
            cookies = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
            line.request(method, path, urlencode(form or {}), {**cookies, **(FORM if form else {})})
            answer = line.getresponse()
            text = answer.read().decode()
            for cookie in answer.headers.get_all("Set-Cookie") or ():
                self.said.append(cookie)
                name, _, value = cookie.partition(";")[0].partition("=")
                self.cookies[name] = value
            return answer.status, answer.headers, text

    def token(self, path: str) -> str:
        found = re.search(r'name="csrf" value="([^"]+)"', self.ask("GET", path)[2])
        assert found, path
        return found[1]

    def log_in(self, pin: str = PIN) -> int:
        return self.ask("POST", "/login", {"csrf": self.token("/login"), "pin": pin, "next": "/console"})[0]


def test_an_organizer_works_encrypted_through_a_restart_until_there_is_a_new_pin(
    kit: Kit, capsys: pytest.CaptureFixture[str]
) -> None:
    kit.start_hub()
    browser = Browser(kit)
    assert browser.ask("GET", "/console")[1]["Location"] == "/login?next=/console"
    assert browser.log_in("00000000") == 400
    assert browser.log_in() == 303
    status, headers, text = browser.ask("GET", "/console")
    assert (status, "Friday night" in text) == (200, True)
    assert 'id="hall-time"' in text, "a clock that is wrong is set from here"
    assert headers["Content-Security-Policy"].startswith("default-src 'none'")
    [session] = [said for said in browser.said if said.startswith("__Host-roundtap=")]
    assert {"Secure", "HttpOnly", "Path=/", "SameSite=Lax"} <= set(session.split("; "))
    assert "Expires" not in session, "the hub's date may be wrong"

    assert kit.stop_hub() == 0
    kit.start_hub()
    assert browser.ask("GET", "/console")[0] == 200, "a restart in mid-event keeps them logged in"

    capsys.readouterr()
    assert main(["pin", "--data", str(kit.hub_folder), "--phrase"]) == 0
    phrase = capsys.readouterr().out.strip()
    assert browser.ask("GET", "/console")[1]["Location"].startswith("/login")
    assert browser.log_in() == 400
    assert browser.log_in(phrase.replace("-", " ").upper()) == 303
    assert browser.ask("POST", "/logout", {"csrf": browser.token("/console")})[0] == 303
    assert browser.ask("GET", "/console")[0] == 302


def test_what_a_thief_read_on_the_hub_s_card_opens_nothing_after_the_first_step_of_the_guide(kit: Kit) -> None:
    """Its PIN, its sessions, its authority, and the secret that signs players' links."""
    kit.start_hub()
    browser = Browser(kit)
    assert browser.log_in() == 303
    assert kit.stop_hub() == 0
    stolen = {name: (kit.hub_folder / name).read_text() for name in ("pin", "secret", "tls/ca.crt", "tls/ca.key")}
    link = link_token(bytes.fromhex(stolen["secret"]), (kit.event, "p1"), NO_LINK)

    guide = (Path(__file__).parents[2] / "systemd/ADMIN.md").read_text().split("## After a stolen card")[1]
    [step] = re.findall(r"^ +sudo (rm -rf .*)$", guide, flags=re.MULTILINE)
    subprocess.run(["bash", "-c", step.replace("/var/lib/roundtap", str(kit.hub_folder))], check=True)
    kit.start_hub()

    now = {name: (kit.hub_folder / name).read_text() for name in stolen}
    assert not {name for name in stolen if now[name] == stolen[name]}
    with pytest.raises(ssl.SSLCertVerificationError):
        browser.ask("GET", "/console")
    again = Browser(kit)
    again.cookies = browser.cookies
    assert again.ask("GET", "/console")[0] == 302
    assert again.log_in() == 400
    assert [
        again.ask("GET", f"/me/{each}")[0]
        for each in (link, link_token(bytes.fromhex(now["secret"]), (kit.event, "p1"), NO_LINK))
    ] == [404, 200]


def test_the_plain_port_sends_organizers_to_the_encrypted_one_and_takes_nothing(
    kit: Kit, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who asks by another name than this machine's own is not at this machine, whatever the connection says."""
    kit.start_hub()
    with closing(http.client.HTTPConnection("127.0.0.1", kit.port, timeout=WAIT_S)) as line:

        def ask(method: str, path: str, host: str = "10.42.0.1:8080") -> Any:
            line.request(method, path, "pin=1" if method == "POST" else None, {"Host": host, **FORM})
            answer = line.getresponse()
            answer.text = answer.read().decode()  # type: ignore[attr-defined]
            return answer

        there = f"https://10.42.0.1:{kit.secure[1]}"
        assert ask("GET", "/console/e1?round=2").headers["Location"] == f"{there}/console/e1?round=2"
        assert ask("GET", "/login").headers["Location"] == f"{there}/login"
        assert ask("GET", "/login", 'evil"><x').headers["Location"].startswith(f"https://127.0.0.1:{kit.secure[1]}")
        refused = ask("POST", "/login")
        assert (refused.status, "Nothing was done" in refused.text) == (403, True)
        assert ask("GET", f"/e/{kit.event}").status == 200
        assert ask("GET", "/login", f"localhost:{kit.port}").status == 200
        authority = ask("GET", "/ca.crt")
        assert authority.headers["Content-Type"] == "application/x-x509-ca-cert"
        assert authority.text == (kit.hub_folder / "tls" / "ca.crt").read_text()
        assert main(["fingerprint", "--data", str(kit.hub_folder)]) == 0
        assert capsys.readouterr().out.strip() in ask("GET", "/trust").text


def say_goodbye(phone: ssl.SSLSocket) -> None:
    """Read to the end, and close, as a browser does."""
    with phone, suppress(OSError):
        while phone.recv(65536):
            pass


@pytest.mark.long
@pytest.mark.parametrize("hears_it", [True, False], ids=["a browser", "a phone out of reach"])
def test_open_encrypted_connections_do_not_keep_a_hub_from_stopping(kit: Kit, hears_it: bool) -> None:
    """For one that does not hear it the hub waits a while, and no longer."""
    kit.start_hub()
    context = ssl.create_default_context(cafile=str(kit.hub_folder / "tls" / "ca.crt"))
    port = int(kit.secure[1])
    with (
        socket.create_connection(("127.0.0.1", port)),
        socket.create_connection(("127.0.0.1", port)) as plain,
        context.wrap_socket(plain, server_hostname="localhost") as phone,
    ):
        phone.sendall(b"GET /feed?page=door HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert phone.recv(64).startswith(b"HTTP/1.1 200")
        reader = threading.Thread(target=say_goodbye, args=(phone,))
        if hears_it:
            reader.start()
        assert kit.stop_hub() == 0
        if hears_it:
            reader.join()


def test_the_first_start_tells_pin_and_fingerprint_and_leaves_nothing_open(tmp_path: Path) -> None:
    folder, port = tmp_path / "hub", free_port()
    folder.mkdir()
    folder.chmod(0o755)
    hub = start_roundtap(
        "hub",
        "--data",
        str(folder),
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
        "--secure-port",
        str(https_port(port)),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert hub.stdout is not None
        said = [hub.stdout.readline() for _ in range(3)]
        assert re.fullmatch(r"PIN for the organizer \(shown once\): \d{8}\n", said[0])
        assert re.fullmatch(r"([0-9A-F]{4} ){15}[0-9A-F]{4}\n", said[2])

        wait_until(lambda: answers(port), "the hub")
        modes = {path.relative_to(tmp_path).as_posix(): path.stat().st_mode & 0o777 for path in tmp_path.rglob("*")}
        assert {mode for path, mode in modes.items() if (tmp_path / path).is_dir()} == {0o700}
        assert {mode for path, mode in modes.items() if (tmp_path / path).is_file()} == {0o600}
        assert {"hub/roundtap.db", "hub/pin", "hub/secret", "hub/tls/ca.key"} <= set(modes)
    finally:
        end(hub)


@pytest.mark.usefixtures("hub_here")
@pytest.mark.parametrize("name", ["secret", "pin"])
def test_an_emptied_secret_or_pin_stops_the_start_with_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    (tmp_path / name).write_text("")
    said = refused_start(capsys, "--data", str(tmp_path))
    assert said.startswith(f"roundtap hub: {tmp_path / name}: ")
    assert "file" in said


@pytest.mark.parametrize("command", ["pin", "fingerprint"])
def test_a_folder_that_is_no_hub_s_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    assert main([command, "--data", str(tmp_path)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert str(tmp_path) in said.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("taken", ["--port", "--secure-port"])
def test_a_hub_whose_port_is_taken_shows_no_pin_and_makes_another_next_time(tmp_path: Path, taken: str) -> None:
    ports = {"--port": free_port(), "--secure-port": free_port()}
    with socket.create_server(("127.0.0.1", ports[taken])):
        hub = subprocess.run(
            [sys.executable, "-m", "roundtap.main", "hub", "--data", str(tmp_path), "--host", "127.0.0.1"]
            + [str(word) for pair in ports.items() for word in pair],
            capture_output=True,
            text=True,
            check=False,
            timeout=WAIT_S,
        )
    assert hub.returncode == 2
    assert f"cannot listen on 127.0.0.1:{ports[taken]}" in hub.stderr
    assert hub.stdout == ""
    assert not (tmp_path / "pin").exists()
