"""A kit with a second machine: hub and standby as processes, and a network between them that can be cut."""

import http.client
import json
import secrets
import signal
import socket
import subprocess
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from kit import WAIT_S, Kit, end, free_port, read_until, wait_until
from roundtap.kit.virtual_kit import start_roundtap
from roundtap.main import main
from roundtap_core.event.entries import Entry
from roundtap_hub.store.journal import Journal

STANDBY = "standby-1"


class Network:
    """A TCP proxy: what connects to `port` reaches `to` on this machine, until it is cut."""

    def __init__(self, to: int) -> None:
        self.to = to
        self._cut = False
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Nothing that was open says anything any more, and nothing new is answered."""
        self._cut = True

    def mend(self) -> None:
        """What was open is found dead, as after the silence of a cable; new connections come through."""
        self._cut = False
        with self._lock:
            for each in self._open:
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)
            self._open.clear()

    def close(self) -> None:
        self._cut = True
        self._listener.close()
        self.mend()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                threading.Thread(target=self._join, args=(near,), daemon=True).start()

    def _join(self, near: socket.socket) -> None:
        with self._lock:
            self._open.add(near)
        if self._cut:
            return
        try:
            far = socket.create_connection(("127.0.0.1", self.to))
        except OSError:
            near.close()
            return
        with self._lock:
            self._open.add(far)
        for one, other in ((near, far), (far, near)):
            threading.Thread(target=self._carry, args=(one, other), daemon=True).start()

    def _carry(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while data := one.recv(65536):
                while self._cut:
                    # What was sent into the cut is gone.
                    return
                other.sendall(data)
        if not self._cut:
            for each in (one, other):
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)


class StandbyKit(Kit):
    """Tables reach the hub by `tables_net`, the standby by `standby_net`; `second_port` is the standby's, promoted."""

    def __init__(self, folder: Path, tables: int = 1, players: int = 4) -> None:
        self.port = free_port()
        self.standby_folder = folder / "second"
        self.second_port = free_port()
        self.standby: subprocess.Popen[Any] | None = None
        super().__init__(folder, tables, players)
        self.tables_net, self.standby_net = Network(self.port), Network(self.port)
        self.standby_key = secrets.token_bytes(32)
        keys = json.loads((self.hub_folder / "keys.json").read_text())
        keys[STANDBY] = {"key": self.standby_key.hex(), "role": "standby"}
        (self.hub_folder / "keys.json").write_text(json.dumps(keys))
        for number in range(1, tables + 1):
            config = folder / f"table-{number}.toml"
            config.write_text(config.read_text().replace(f":{self.port}", f":{self.tables_net.port}"))

    def start_standby(self, *more: str) -> None:
        """Started, and level: it holds everything that the hub has saved."""
        config = self.folder / "standby.toml"
        config.write_text(
            f'hub = "http://127.0.0.1:{self.standby_net.port}"\nunit = "{STANDBY}"\nkey = "{self.standby_key.hex()}"\n'
        )
        self.standby = start_roundtap(
            "standby",
            "--data",
            str(self.standby_folder),
            "--config",
            str(config),
            "--host",
            "127.0.0.1",
            "--port",
            str(self.second_port),
            *more,
            stdout=subprocess.PIPE,
            text=True,
        )
        read_until(self.standby, "has everything")

    def kill_hub(self) -> None:
        self.stop_hub(signal.SIGKILL)

    def promote(self) -> None:
        """Turn the key, as a person does; the tables' network leads to the new hub from now on."""
        assert main(["standby", "promote", "--data", str(self.standby_folder)]) == 0
        wait_until(lambda: answers(self.second_port), "the standby to serve as the hub")

    def entries_of(self, folder: Path, event: str = "") -> list[Entry]:
        journal = Journal(f"sqlite:///{folder / 'roundtap.db'}", read_only=True)
        try:
            return list(journal.entries(event or self.event))
        finally:
            journal.close()

    def stop(self) -> None:
        try:
            super().stop()
        finally:
            if self.standby is not None:
                end(self.standby)
            self.tables_net.close()
            self.standby_net.close()


def answers(port: int) -> bool:
    return ask(port, "/time")[0] == 200


def ask(port: int, path: str) -> tuple[int, bytes]:
    """GET: status and body; status 0 where nobody answers."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=WAIT_S)
    try:
        connection.request("GET", path, headers={"Accept-Language": "en"})
        answer = connection.getresponse()
        return answer.status, answer.read()
    except (OSError, http.client.HTTPException):
        return 0, b""
    finally:
        connection.close()
