"""What the tests of several hubs on one database share: hubs as services in threads, and a wire that can be cut."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass

from hub_kit import HandClock

from roundtap_core.event.entries import GENESIS, Entry, verify_entry
from roundtap_hub.store.postgres import PostgresJournal
from roundtap_hub.store.shared_service import NotificationListener, SharedService


@dataclass
class HubOnDatabase:
    """A hub's service with its journal and its follower."""

    service: SharedService
    journal: PostgresJournal
    follower: NotificationListener | None


@contextmanager
def hub_on(
    url: str,
    clock: HandClock | None = None,
    follows: bool = True,
    read_only: bool = False,
    at_point: Callable[[str], None] = lambda _: None,
) -> Iterator[HubOnDatabase]:
    """A started service on the database; `follows`: it hears what others commit."""
    journal = PostgresJournal(url, read_only)
    service = SharedService(journal, (clock or HandClock("db:1")).clocks, at_point, read_only)
    follower = NotificationListener(journal.address, journal.name, service.follow) if follows else None
    service.start()
    if follower is not None:
        follower.start()
    try:
        yield HubOnDatabase(service, journal, follower)
    finally:
        if follower is not None:
            follower.stop()
        service.stop()
        journal.close()


def stored(url: str, stream: str = "e1") -> list[Entry]:
    """The entries of a stream as a third party reads them, each link of the chain looked at."""
    with closing(PostgresJournal(url, read_only=True)) as journal:
        entries = journal.streams().get(stream, [])
    head = GENESIS
    for number, entry in enumerate(entries, start=1):
        assert entry.number == number
        assert verify_entry(entry, head)
        head = entry.hash
    return entries


class Wire:
    """Stands between a hub and its database, and breaks at the hub's COMMIT: before the server sees it, or after the
    server has answered and before the hub hears. A test says when with `cut_next`."""

    def __init__(self, url: str) -> None:
        before, _, database = url.rpartition("/")
        host, _, port = before.rpartition("@")[2].partition(":")
        self._server = (host, int(port))
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"{before.rpartition('@')[0]}@127.0.0.1:{self._listener.getsockname()[1]}/{database}"
        self._cut: str | None = None
        self._refuses = False
        self.cuts = 0
        self._pairs: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def cut_next(self, when: str) -> None:
        """`when`: "before the commit arrives" or "before the answer arrives"."""
        self._cut = when

    def refuse(self, refuses: bool) -> None:
        """Nobody gets through from now on, or everybody does again."""
        self._refuses = refuses

    def close(self) -> None:
        self._listener.close()
        self._hang_up(*self._pairs)

    def _accept(self) -> None:
        while True:
            try:
                hub, _ = self._listener.accept()
            except OSError:
                return
            if self._refuses:
                hub.close()
                continue
            server = socket.create_connection(self._server)
            self._pairs += [hub, server]
            answer_is_cut = threading.Event()
            threading.Thread(target=self._towards_server, args=(hub, server, answer_is_cut), daemon=True).start()
            threading.Thread(target=self._towards_hub, args=(server, hub, answer_is_cut), daemon=True).start()

    def _towards_server(self, hub: socket.socket, server: socket.socket, answer_is_cut: threading.Event) -> None:
        with suppress(OSError):
            while data := hub.recv(65536):
                if self._cut is not None and b"COMMIT" in data:
                    when, self._cut = self._cut, None
                    self.cuts += 1
                    if when == "before the commit arrives":
                        break
                    answer_is_cut.set()
                server.sendall(data)
        if not answer_is_cut.is_set():
            self._hang_up(hub, server)

    def _towards_hub(self, server: socket.socket, hub: socket.socket, answer_is_cut: threading.Event) -> None:
        with suppress(OSError):
            while data := server.recv(65536):
                if answer_is_cut.is_set():
                    break
                hub.sendall(data)
        self._hang_up(hub, server)

    @staticmethod
    def _hang_up(*ends: socket.socket) -> None:
        for end in ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
