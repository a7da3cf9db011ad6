"""A hub that is told to stop ends its feeds, closes its journal, and says that all went well."""

import http.client
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from kit import WAIT_S, Kit, free_port, wait_until
from roundtap_hub.app.server import KEEP_ALIVE_S
from roundtap_units.link.link import STATUS_EVERY_S
from standby_kit import answers

TOLD_AT_ONCE = """
import os, signal, sys, uvicorn
from roundtap.main import main

run = uvicorn.Server.run

def told_first(*arguments, **options):
    os.kill(os.getpid(), signal.SIGTERM)
    return run(*arguments, **options)

uvicorn.Server.run = told_first
sys.exit(main(["hub", "--data", sys.argv[1], "--host", "127.0.0.1", "--port", sys.argv[2]]))
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.long)])
def test_open_feeds_do_not_keep_a_hub_from_stopping(kit: Kit, number: signal.Signals) -> None:
    kit.start_hub()
    table = kit.start_table()
    table.wait_for("press")
    with socket.create_connection(("127.0.0.1", kit.port)) as phone:
        phone.sendall(b"GET /feed?page=wall HTTP/1.1\r\nHost: hub\r\n\r\n")
        assert phone.recv(64).startswith(b"HTTP/1.1 200")
        assert kit.stop_hub(number) == 0
    assert journal_closed(kit)


def test_idle_connections_and_a_request_that_never_ends_do_so_only_so_long(kit: Kit) -> None:
    kit.start_hub()
    with ExitStack() as stack:
        phones = [
            stack.enter_context(closing(http.client.HTTPConnection("127.0.0.1", kit.port, timeout=WAIT_S)))
            for _ in range(20)
        ]
        for path in ("/time", f"/e/{kit.event}", "/static/roundtap.css"):
            for phone in phones:
                phone.request("GET", path)
                answer = phone.getresponse()
                answer.read()
                assert (answer.status, answer.will_close) == (200, False)
        slow = stack.enter_context(socket.create_connection(("127.0.0.1", kit.port)))
        slow.sendall(b"POST /login HTTP/1.1\r\nHost: hub\r\nContent-Length: 1000\r\n\r\npin=")
        assert kit.stop_hub() == 0
    assert journal_closed(kit)


def test_a_connection_outlives_three_of_a_unit_s_statuses() -> None:
    assert 3 * STATUS_EVERY_S < KEEP_ALIVE_S


def journal_closed(kit: Kit) -> bool:
    """Whether the journal's log was written back: a hub that was killed leaves it beside the journal."""
    left = {path.name for path in kit.hub_folder.glob("roundtap.db*")}
    return left == {"roundtap.db"}


def test_a_hub_that_is_told_to_stop_before_it_serves_does_not_miss_it(tmp_path: Path) -> None:
    hub = subprocess.run(
        [sys.executable, "-c", TOLD_AT_ONCE, str(tmp_path / "hub"), str(free_port())],
        timeout=WAIT_S,
        check=False,
        stdout=subprocess.DEVNULL,
    )
    assert hub.returncode == 0


HELD = """
import sys, time
from roundtap_hub.app.asgi import HubApplication
from roundtap.main import main

HubApplication._build_pages = lambda self: time.sleep(7)
sys.argv[1:] = ["hub", "--data", sys.argv[1], "--host", "127.0.0.1", "--port", sys.argv[2], "--secure-port", "0"]
sys.exit(main())
"""


def test_a_hub_that_is_told_to_stop_while_it_still_makes_its_pages_ends_without_a_traceback(tmp_path: Path) -> None:
    """Whoever asks for a page then waits longer than the server waits for its answers."""
    port = free_port()
    hub = subprocess.Popen(
        [sys.executable, "-c", HELD, str(tmp_path), str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    with ExitStack() as stack:
        wait_until(lambda: answers(port), "the hub")
        for page in ("/login", "/console", "/"):
            phone = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
            phone.sendall(f"GET {page} HTTP/1.1\r\nHost: hub\r\n\r\n".encode())
        hub.send_signal(signal.SIGTERM)
        _, said = hub.communicate(timeout=WAIT_S)
    assert hub.returncode == 0
    assert b"Traceback" not in said


DAEMON = """
import atexit, sys, threading, time
from roundtap import main as module

def busy():
    while True:
        time.sleep(0)

for _ in range(20):
    threading.Thread(target=busy, daemon=True).start()
module._run = lambda words: 0
sys.argv[1:] = [sys.argv[1]]
atexit.register(print, "the interpreter is taken down", file=sys.stderr, flush=True)
sys.exit(module.main())
"""


@pytest.mark.parametrize("service", ["hub", "table", "station", "wall"])
def test_a_service_that_has_closed_everything_takes_no_interpreter_down(service: str) -> None:
    """Its daemon threads would run into that, and libc has said that libgcc_s.so.1 must be installed."""
    ended = subprocess.run(
        [sys.executable, "-c", DAEMON, service], capture_output=True, text=True, check=False, timeout=WAIT_S
    )
    assert (ended.returncode, ended.stderr) == (0, "")
