"""A hub whose journal cannot be opened: it says why in the reader's language, reveals nothing, and looks again."""

import asyncio
import errno
import os
import re
import socket
import threading
import urllib.error
import urllib.request
from contextlib import ExitStack
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from patience import GUARD_S
from roundtap_core.words import LANGUAGES, catalogue
from roundtap_hub.app import server
from roundtap_hub.app import server as hub_server
from roundtap_hub.app.main import open_folder
from roundtap_hub.app.server import MendedCheck, WaitingPage, wait_until_mended
from roundtap_hub.http.connection_limits import ConnectionLimits, Listeners, open_listener

FAULTS = ("full", "read-only", "failing", "damaged")


def answer(
    fault: str, path: str, method: str = "GET", language: str = "", of_service: bool = True
) -> tuple[int, dict[str, str], str]:
    """(status, headers, body) of one request."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "path": path,
        "method": method,
        "query_string": b"",
        "headers": [(b"accept-language", language.encode())] if language else [],
    }
    asyncio.run(WaitingPage(fault, "en", of_service)(scope, asyncio.Queue().get, send))
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], headers, unescape(b"".join(part["body"] for part in sent[1:]).decode())


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_has_words_of_its_own_in_the_reader_s_language(fault: str, language: str) -> None:
    status, headers, page = answer(fault, "/wall", language=language)
    t = catalogue("roundtap_hub", language)
    assert (status, headers["content-language"], headers["cache-control"]) == (503, language, "no-store")
    assert t(f"waits.{fault}") in page
    assert not any(t(f"waits.{other}") in page for other in FAULTS if other != fault)
    assert ("roundtap recover --from" in page) == (fault != "full")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/"),
        ("POST", "/login"),
        ("GET", "//console"),
        ("GET", "/me/a-personal-link"),
        ("DELETE", "/nowhere"),
    ],
)
def test_every_address_gets_the_page_and_none_of_it_is_secret(method: str, path: str) -> None:
    status, headers, page = answer("damaged", path, method)
    assert (status, headers["connection"]) == (503, "close")
    assert "<h1>" in page
    assert re.findall(r"(?<![\w/])/[a-z/]+(?= )", page) in ([], ["/media/roundtap", *2 * ["/var/lib/roundtap"]]), (
        "the documents' line"
    )
    assert "roundtap.db" not in page


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("fault", FAULTS)
def test_of_another_folder_than_the_service_s_nobody_is_sent_to_the_service_s(fault: str, language: str) -> None:
    """Nor does the hall see that folder: the hub's log names it."""
    page = answer(fault, "/wall", language=language, of_service=False)[2]
    assert not re.search(r"(?<![\w/])/(var|media)|{", page)
    assert ("roundtap recover" in page) == (fault != "full")


def test_units_hear_that_the_hub_is_not_ready_and_why() -> None:
    for path in ("/device/challenge", "/device/report", "/station/work", "/standby/hello", "/time"):
        status, headers, body = answer("full", path, "POST")
        assert (status, headers["content-type"]) == (503, "application/json")
        assert body == '{"error":"the hub is not ready","storage":"full"}'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "hub").mkdir()
    open_folder(tmp_path / "hub", lambda _: None).close()
    return tmp_path / "hub"


def test_a_disk_is_mended_when_it_takes_writes_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    is_mended = MendedCheck(folder, "full")
    with monkeypatch.context() as patch:
        patch.setattr(server, "probe_folder", lambda _: OSError(errno.ENOSPC, "full"))
        assert not is_mended()
    assert is_mended()


def test_a_damaged_journal_is_mended_when_another_one_lies_there(folder: Path) -> None:
    """As long as nobody put other files there the next start would only fail again."""
    whole = (folder / "roundtap.db").read_bytes()
    is_mended = MendedCheck(folder, "damaged")
    assert not is_mended()
    (folder / "roundtap.db").unlink()
    assert not is_mended(), "and an empty folder is no place to begin a new journal"
    (folder / "roundtap.db").write_bytes(b"not yet")
    assert not is_mended()
    (folder / "roundtap.db").write_bytes(whole)
    assert is_mended()


class Turns:
    """The pause between two looks, which ends when the test says so."""

    def __init__(self) -> None:
        self.looks = threading.Semaphore(0)

    async def pause(self, seconds: float) -> None:
        assert seconds == server.RETRY_S
        await asyncio.to_thread(self.looks.acquire)


def test_the_page_is_served_until_a_look_finds_it_mended(monkeypatch: pytest.MonkeyPatch) -> None:
    found, turns, looked = iter([False, False, True]), Turns(), threading.Semaphore(0)
    monkeypatch.setattr(hub_server, "keep_stop_signals", list)
    limits = ConnectionLimits(100, lambda: 0.0, 50)
    ended: list[bool] = []

    def is_mended() -> bool:
        looked.release()
        return next(found)

    with ExitStack() as stack:
        listener = stack.enter_context(open_listener("127.0.0.1", 0, limits))
        secure = stack.enter_context(socket.socket())
        port = listener.getsockname()[1]
        server = threading.Thread(
            target=lambda: ended.append(
                wait_until_mended(
                    WaitingPage("full", "en", True),
                    Listeners(limits, [listener], [secure]),
                    None,
                    is_mended,
                    turns.pause,
                )
            )
        )
        server.start()
        for _ in range(2):
            turns.looks.release()
            assert looked.acquire(timeout=GUARD_S)
            with pytest.raises(urllib.error.HTTPError, match="503"):
                urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=GUARD_S)
        turns.looks.release()
        server.join(GUARD_S)
    assert ended == [True]
    assert secure.fileno() == -1, "a port without its certificate refuses, instead of letting people wait"


def test_a_disk_without_room_is_found_out_without_a_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from roundtap_machine import disk

    monkeypatch.setattr("tempfile.TemporaryFile", None)
    free = os.statvfs(tmp_path)
    with pytest.raises(OSError, match="No space") as caught:
        disk.try_writing(tmp_path, free.f_bavail * free.f_frsize * 2)
    assert caught.value.errno == errno.ENOSPC
