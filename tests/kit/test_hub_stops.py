"""A hub that is told to stop ends its feeds, closes its journal, and says that all went well."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kit import Kit, free_port


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[Kit]:
    made = Kit(tmp_path)
    yield made
    made.stop()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_open_feeds_do_not_keep_a_hub_from_stopping(kit: Kit, number: int) -> None:
    kit.start_hub()
    table = kit.start_table()
    table.wait_for("press")
    with socket.create_connection(("127.0.0.1", kit.port)) as phone:
        phone.sendall(b"GET /feed?page=wall HTTP/1.1\r\nHost: hub\r\n\r\n")
        assert phone.recv(64).startswith(b"HTTP/1.1 200")
        assert kit.hub is not None

        kit.hub.send_signal(number)

        assert kit.hub.wait(timeout=10) == 0
    left = {path.name for path in kit.hub_folder.glob("roundtap.db*")}
    assert left == {"roundtap.db"}, "the journal was not closed: its log is still beside it"


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


def test_a_hub_that_is_told_to_stop_before_it_serves_does_not_miss_it(tmp_path: Path) -> None:
    hub = subprocess.run([sys.executable, "-c", TOLD_AT_ONCE, str(tmp_path / "hub"), str(free_port())],
                         timeout=30, check=False, stdout=subprocess.DEVNULL)
    assert hub.returncode == 0
