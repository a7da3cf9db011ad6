"""Nobody holds a unit up by drops: an answer has a time for all of it, not for each byte."""

import http.client
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from patience import GUARD_S
from roundtap_machine.deadline_http import DeadlineConnection
from roundtap_units.link import hub_connection
from roundtap_units.link.hub_connection import PersistentConnection

DROP_S = 0.02

HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"


@pytest.fixture
def dripping() -> Iterator[Callable[[bytes], int]]:
    """A server on the port that the call returns: it sends its answer byte by byte and never comes to an end."""
    stop = threading.Event()
    listeners: list[socket.socket] = []

    def serve(listener: socket.socket, answer: bytes) -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(4096)
            connection.sendall(answer)
            while not stop.wait(DROP_S):
                try:
                    connection.sendall(b" ")
                except OSError:
                    return

    def begin(answer: bytes) -> int:
        listener = socket.create_server(("127.0.0.1", 0))
        listeners.append(listener)
        threading.Thread(target=serve, args=(listener, answer), daemon=True).start()
        return int(listener.getsockname()[1])

    yield begin
    stop.set()
    for listener in listeners:
        listener.close()


@pytest.mark.parametrize("begun", [HEAD, b"HTTP/1.1 200 OK\r\nX-Long: "], ids=["its body", "its head"])
def test_an_answer_that_never_ends_is_given_up(
    dripping: Callable[[bytes], int], monkeypatch: pytest.MonkeyPatch, begun: bytes
) -> None:
    monkeypatch.setattr(hub_connection, "REST_TIMEOUT_S", 0.3)
    connection = PersistentConnection("127.0.0.1", dripping(begun), lambda: 0)
    with pytest.raises((OSError, http.client.HTTPException)):
        connection.post("/device/report", {}, lambda waited_s: waited_s < 5)


def test_a_feed_that_comes_by_drops_is_given_up_unless_it_is_allowed_more(dripping: Callable[[bytes], int]) -> None:
    with closing(DeadlineConnection("127.0.0.1", dripping(HEAD), GUARD_S)) as connection:
        connection.request("GET", "/")
        answer = connection.getresponse()
        connection.extend_deadline(0.3)
        with pytest.raises(TimeoutError):
            answer.readline(4096)
