"""The virtual kit's front: a Unix socket that takes presses and faults, and gives the screen, as JSON lines.

In:  {"pin": "a", "down": true}   {"fault": "screen", "on": true}
Out: {"frame": BASE64, "width": 128, "height": 64, "lamp": false, "lamp_a": false, "lamp_b": false, "buzzer": false,
      "text": "…", "virtual": true}
     at once on connecting, and at each change; the frame is 1,024 bytes, row by row, leftmost pixel in the highest
     bit. To a line it cannot use: {"error": TEXT}.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import selectors
import socket
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from roundtap_devices.boards import SIGNALS, Board
from roundtap_devices.display.screen import HEIGHT, WIDTH, VirtualGlass

LONGEST_LINE = 4096
SHORTEST_S = 0.025
"""Between two movements of one virtual button: longer than any debounce."""


@dataclass(slots=True, eq=False)
class _Client:
    connection: socket.socket
    received: bytearray = field(default_factory=bytearray)
    sending: bytes = b""
    stale: bool = True  # has not been sent the latest picture; a slow reader skips pictures, never lines
    answers: list[bytes] = field(default_factory=list)


class Panel:
    """Serves one virtual unit's front on `path`, in a thread of its own.

    pin_factory: the unit's mock factory; presses drive its pins, so they pass through gpiozero like a finger's.
    """

    def __init__(self, path: Path, board: Board, pin_factory: Any, glass: VirtualGlass) -> None:
        self._path = path
        self._board = board
        self._factory = pin_factory
        self._glass = glass
        self._on: Mapping[str, bool] = dict.fromkeys(SIGNALS, False)
        self._text = ""
        self._moved_at_s: dict[str, float] = {}
        self._clients: dict[int, _Client] = {}
        self._waker, self._woken = socket.socketpair()
        self._waker.setblocking(False)
        self._woken.setblocking(False)
        self._stopping = False
        self._selector = selectors.DefaultSelector()
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
        self._server = socket.socket(socket.AF_UNIX)
        self._server.bind(os.fspath(path))
        self._server.listen()
        self._server.setblocking(False)
        glass.listen(lambda _frame: self._changed())
        self._thread = threading.Thread(target=self._serve, name=f"panel {path.name}", daemon=True)
        self._thread.start()

    def signals(self, on: Mapping[str, bool]) -> None:
        """Lights and buzzer as they are now; fits `Signals(heard=…)`."""
        self._on = on
        self._changed()

    def words(self, text: str) -> None:
        """What the screen is about to say, for those who cannot see its pixels."""
        self._text = text

    def close(self) -> None:
        """Hang up, and take the socket away."""
        self._stopping = True
        self._changed()
        self._thread.join()
        with contextlib.suppress(FileNotFoundError):
            self._path.unlink()

    def _changed(self) -> None:
        # A full pipe already wakes the thread.
        with contextlib.suppress(BlockingIOError, OSError):
            self._waker.send(b"!")

    def _serve(self) -> None:
        self._selector.register(self._server, selectors.EVENT_READ)
        self._selector.register(self._woken, selectors.EVENT_READ)
        while not self._stopping:
            for key, events in self._selector.select():
                self._ready(key.fileobj, events)
        for client in list(self._clients.values()):
            self._drop(client)
        for open_socket in (self._server, self._waker, self._woken):
            open_socket.close()
        self._selector.close()

    def _ready(self, what: Any, events: int) -> None:
        if what is self._server:
            self._accept()
        elif what is self._woken:
            with contextlib.suppress(BlockingIOError):
                self._woken.recv(4096)
            for client in [] if self._stopping else list(self._clients.values()):
                client.stale = True
                self._send(client)
        elif (talking := self._clients.get(what.fileno())) is not None:
            if events & selectors.EVENT_READ and not self._receive(talking):
                return
            self._send(talking)

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            connection, _ = self._server.accept()
            connection.setblocking(False)
            client = self._clients[connection.fileno()] = _Client(connection)
            self._selector.register(connection, selectors.EVENT_READ)
            self._send(client)

    def _receive(self, client: _Client) -> bool:
        try:
            data = client.connection.recv(4096)
        except BlockingIOError:
            return True
        except OSError:
            data = b""
        if not data or len(client.received) > LONGEST_LINE:
            self._drop(client)
            return False
        client.received += data
        *lines, rest = bytes(client.received).split(b"\n")
        client.received = bytearray(rest)
        for line in lines:
            if error := self._take(line):
                client.answers.append(json.dumps({"error": error}).encode() + b"\n")
        return True

    def _take(self, line: bytes) -> str | None:
        """Do what a line asks; what is wrong with it, if anything."""
        try:
            asked = json.loads(line)
        except ValueError:
            return "a line is one JSON object"
        if not isinstance(asked, dict):
            return "a line is one JSON object"
        if "pin" in asked:
            return self._press(asked["pin"], asked.get("down"))
        if asked.get("fault") == "screen" and isinstance(asked.get("on"), bool):
            self._glass.unplug(asked["on"])
            return None
        return 'known are {"pin": …, "down": …} and {"fault": "screen", "on": …}'

    def _press(self, key: Any, down: Any) -> str | None:
        pins = self._board.pins.keys()
        if not isinstance(key, str) or key not in pins or not isinstance(down, bool):
            return f'"pin" is one of {", ".join(pins)}, "down" is true or false'
        # A busy machine may hand over press and release in one go; a finger that short would pass for a bounce.
        too_soon_s = self._moved_at_s.get(key, 0.0) + SHORTEST_S - time.monotonic()
        if too_soon_s > 0:
            time.sleep(too_soon_s)
        pin = self._factory.pin(pins[key])
        if down == self._board.active_low:
            pin.drive_low()
        else:
            pin.drive_high()
        # Read afterwards: this thread may have had to wait before the pin moved.
        self._moved_at_s[key] = time.monotonic()
        return None

    def _picture(self) -> bytes:
        picture = {
            "frame": base64.b64encode(self._glass.frame).decode("ascii"), "width": WIDTH, "height": HEIGHT,
            "lamp": self._on["lamp"], "lamp_a": self._on["lamp_a"], "lamp_b": self._on["lamp_b"],
            "buzzer": self._on["buzzer"], "text": self._text, "virtual": True,
        }
        return json.dumps(picture).encode() + b"\n"

    def _send(self, client: _Client) -> None:
        try:
            while True:
                if not client.sending:
                    client.sending = self._next(client)
                if not client.sending:
                    break
                client.sending = client.sending[client.connection.send(client.sending):]
        except BlockingIOError:
            pass
        except OSError:
            self._drop(client)
            return
        wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if client.sending else 0)
        self._selector.modify(client.connection, wanted)

    def _next(self, client: _Client) -> bytes:
        if client.answers:
            return client.answers.pop(0)
        if client.stale:
            client.stale = False
            return self._picture()
        return b""

    def _drop(self, client: _Client) -> None:
        number = client.connection.fileno()
        if self._clients.pop(number, None) is not None:
            self._selector.unregister(client.connection)
            client.connection.close()
