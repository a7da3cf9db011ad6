"""The virtual printer's front: a Unix socket that takes faults and gives the paper as pictures, as JSON lines.

In:  {"fault": "mute", "on": true}   {"fault": "no-paper", "on": true, "after_bytes": 800}   {"tear": true}
Out: {"sheet": BASE64 PNG, "number": 3, "faults": ["mute"], "virtual": true}
     at once on connecting, and with each sheet or fault; `sheet` is null before the first one.
     To a line it cannot use: {"error": TEXT}.
"""

from __future__ import annotations

import base64
import contextlib
import io
import json
import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

from roundtap_devices.printing.drawing import font
from roundtap_devices.virtual.virtual_printer import FAULTS, VirtualPrinter

TICK_S = 0.01
LONGEST_LINE = 4096


class PrinterPanel:
    """Runs one virtual printer and serves its front on `path`, in a thread of its own.

    mono_ms: the monotonic clock that the printer's line speed follows.
    """

    def __init__(self, path: Path, twin: VirtualPrinter, mono_ms: Callable[[], int]) -> None:
        self._path = path
        self._twin = twin
        self._mono_ms = mono_ms
        self._clients: dict[socket.socket, bytearray] = {}
        self._stopping = threading.Event()
        self._marks = 0
        self._shown: tuple[object, ...] = (0, twin.faults)
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
        self._server = socket.socket(socket.AF_UNIX)
        self._server.bind(os.fspath(path))
        self._server.listen()
        self._server.setblocking(False)
        self._thread = threading.Thread(target=self._serve, name=f"printer panel {path.name}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """Hang up, and take the socket away."""
        self._stopping.set()
        if self._thread.ident is not None:
            self._thread.join()
        for connection in [*self._clients, self._server]:
            connection.close()
        self._twin.close()
        with contextlib.suppress(FileNotFoundError):
            self._path.unlink()

    def _serve(self) -> None:
        while not self._stopping.wait(TICK_S):
            self.step(self._mono_ms())

    def step(self, now_ms: int) -> None:
        """One round: the printer, whoever knocks, whoever says something."""
        self._twin.step(now_ms)
        self._tear_off()
        with contextlib.suppress(BlockingIOError):
            connection, _ = self._server.accept()
            connection.setblocking(False)
            self._clients[connection] = bytearray()
            self._send(connection, self._picture())
        for connection in list(self._clients):
            self._receive(connection)
        shown = (len(self._twin.paper.sheets), self._twin.faults)
        if shown != self._shown:
            self._shown = shown
            for connection in list(self._clients):
                self._send(connection, self._picture())

    def _tear_off(self) -> None:
        """Where no cutter does it, somebody tears each job off."""
        paper = self._twin.paper
        if paper.marks != self._marks:
            self._marks = paper.marks
            if not paper.profile.cutter and paper.roll.height > 2 * paper.profile.tear_dots:
                paper.tear()

    def _receive(self, connection: socket.socket) -> None:
        try:
            data = connection.recv(4096)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        received = self._clients[connection]
        if not data or len(received) > LONGEST_LINE:
            self._drop(connection)
            return
        received += data
        *lines, rest = bytes(received).split(b"\n")
        self._clients[connection] = bytearray(rest)
        for line in lines:
            if error := self._take(line):
                self._send(connection, {"error": error})

    def _take(self, line: bytes) -> str | None:
        """Do what a line asks; what is wrong with it, if anything."""
        known = f'known are {{"fault": {" | ".join(FAULTS)}, "on": …, "after_bytes": …}} and {{"tear": true}}'
        try:
            asked = json.loads(line)
        except ValueError:
            return "a line is one JSON object"
        if asked == {"tear": True}:
            self._twin.paper.tear()
            return None
        if not isinstance(asked, dict) or asked.get("fault") not in FAULTS or not isinstance(asked.get("on"), bool):
            return known
        after = asked.get("after_bytes", 0)
        if not isinstance(after, int) or isinstance(after, bool) or after < 0:
            return known
        self._twin.fault(asked["fault"], asked["on"], after)
        return None

    def _picture(self) -> dict[str, Any]:
        sheets = self._twin.paper.sheets
        return {"sheet": base64.b64encode(as_png(sheets[-1])).decode("ascii") if sheets else None,
                "number": len(sheets), "faults": sorted(self._twin.faults), "virtual": True}

    def _send(self, connection: socket.socket, message: dict[str, Any]) -> None:
        # A reader that does not keep up with a few pictures is let go: it gets the latest when it comes back.
        try:
            connection.setblocking(True)
            connection.settimeout(0.5)
            connection.sendall(json.dumps(message).encode() + b"\n")
            connection.setblocking(False)
        except OSError:
            self._drop(connection)

    def _drop(self, connection: socket.socket) -> None:
        self._clients.pop(connection, None)
        connection.close()


def as_png(sheet: Image.Image) -> bytes:
    """A sheet as PNG, marked as what it is: no paper."""
    marked = sheet.convert("L")
    ImageDraw.Draw(marked).text((4, 4), "VIRTUAL", font=font(20, bold=True), fill=150)
    out = io.BytesIO()
    marked.save(out, "PNG")
    return out.getvalue()
