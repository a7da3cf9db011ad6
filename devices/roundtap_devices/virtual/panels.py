"""The panels of the virtual table and printer: a Unix socket that takes presses and faults, as JSON lines.

In:  {"pin": "a", "down": true}   {"fault": "screen", "on": true}
Out: {"frame": BASE64, "width": 128, "height": 64, "lamp": false, "lamp_a": false, "lamp_b": false, "buzzer": false,
      "text": "…", "virtual": true}
     on connecting, and at each change; the frame is 1,024 bytes, row by row, leftmost pixel in the highest bit.
     To an unusable line: {"error": TEXT}.
"""

import base64
import contextlib
import io
import json
import os
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

from roundtap_devices.boards import SIGNALS, Board
from roundtap_devices.display.screen import HEIGHT, WIDTH, VirtualDisplay
from roundtap_devices.letters import load_font
from roundtap_devices.virtual.virtual_printer import FAULTS, VirtualPrinter

LONGEST_LINE = 4096

SHORTEST_S = 0.025  # between two movements of one virtual button: longer than any debounce

TICK_S = 0.01


class PanelSocket:
    """Serves a Unix socket at `path` until `close`, in its own threads. picture: sent to every client on connecting and
    after each `changed`; a slow client misses pictures, never answers. take: executes an order, and returns an error
    text, if any; one order at a time, and none while `taking` is held."""

    def __init__(
        self, path: Path, picture: Callable[[], dict[str, Any]], take: Callable[[dict[str, Any]], str | None]
    ) -> None:
        self.taking = threading.Lock()
        self._path, self._picture, self._take = path, picture, take
        self._news = threading.Condition()
        self._version = 0
        self._clients: set[socket.socket] = set()
        path.unlink(missing_ok=True)
        self._server = socket.socket(socket.AF_UNIX)
        self._server.bind(os.fspath(path))
        self._server.listen()
        threading.Thread(target=self._accept, name=f"panel {path.name}", daemon=True).start()

    def changed(self) -> None:
        with self._news:
            self._version += 1
            self._news.notify_all()

    def close(self) -> None:
        self._path.unlink(missing_ok=True)
        for each in (self._server, *self._clients):
            # Closing alone would wake no waiting thread.
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        with self._server, contextlib.suppress(OSError):
            while True:
                connection, _ = self._server.accept()
                self._clients.add(connection)
                answers: deque[str] = deque()
                for work in (self._read, self._write):
                    threading.Thread(target=work, args=(connection, answers), daemon=True).start()

    def _read(self, connection: socket.socket, answers: deque[str]) -> None:
        with connection, connection.makefile("rb") as lines, contextlib.suppress(OSError):
            while (line := lines.readline(LONGEST_LINE)).endswith(b"\n"):
                if error := self._execute(line):
                    with self._news:
                        answers.append(error)
                        self._news.notify_all()
        with self._news:
            self._clients.discard(connection)
            self._news.notify_all()

    def _execute(self, line: bytes) -> str | None:
        try:
            order = json.loads(line)
        except ValueError:
            order = None
        if not isinstance(order, dict):
            return "each line must be one JSON object"
        with self.taking:
            return self._take(order)

    def _write(self, connection: socket.socket, answers: deque[str]) -> None:
        shown = -1
        with contextlib.suppress(OSError):
            while connection in self._clients:
                with self._news:
                    while not answers and shown == self._version and connection in self._clients:
                        self._news.wait()
                    error = answers.popleft() if answers else None
                    shown = shown if error else self._version
                message = {"error": error} if error else self._picture()
                connection.sendall(json.dumps(message).encode() + b"\n")


class TablePanel:
    """Serves one virtual unit's panel on `path`. pin_factory: the unit's mock factory; presses drive its pins, so they
    pass through gpiozero like real ones."""

    def __init__(self, path: Path, board: Board, pin_factory: Any, glass: VirtualDisplay) -> None:
        self._board = board
        self.pin_factory = pin_factory
        self._glass = glass
        self._on: Mapping[str, bool] = dict.fromkeys(SIGNALS, False)
        self._text = ""
        self._moved_at_s: dict[str, float] = {}
        self._socket = PanelSocket(path, self._picture, self._handle_order)
        self.close = self._socket.close
        glass.listeners.append(lambda _frame: self._socket.changed())

    def signals(self, on: Mapping[str, bool]) -> None:
        """The current state of lights and buzzer; fits `Signals(heard=…)`."""
        self._on = on
        self._socket.changed()

    def set_text(self, text: str) -> None:
        """The text of the next screen, for clients that cannot read its pixels."""
        self._text = text

    def _handle_order(self, order: dict[str, Any]) -> str | None:
        if "pin" in order:
            return self._press(order["pin"], order.get("down"))
        if order.get("fault") == "screen" and isinstance(order.get("on"), bool):
            self._glass.unplug(order["on"])
            return None
        return 'known are {"pin": …, "down": …} and {"fault": "screen", "on": …}'

    def _press(self, key: Any, down: Any) -> str | None:
        pins = self._board.pins.keys()
        if not isinstance(key, str) or key not in pins or not isinstance(down, bool):
            return f'"pin" must be one of {", ".join(pins)}, "down" must be true or false'
        # A busy machine may deliver press and release together; so short a press would pass for a bounce.
        too_soon_s = self._moved_at_s.get(key, 0.0) + SHORTEST_S - time.monotonic()
        if too_soon_s > 0:
            time.sleep(too_soon_s)
        pin = self.pin_factory.pin(pins[key])
        if down == self._board.active_low:
            pin.drive_low()
        else:
            pin.drive_high()
        # Read afterwards: this thread may have waited before the pin moved.
        self._moved_at_s[key] = time.monotonic()
        return None

    def _picture(self) -> dict[str, Any]:
        return {
            "frame": base64.b64encode(self._glass.frame).decode("ascii"),
            "width": WIDTH,
            "height": HEIGHT,
            "lamp": self._on["lamp"],
            "lamp_a": self._on["lamp_a"],
            "lamp_b": self._on["lamp_b"],
            "buzzer": self._on["buzzer"],
            "text": self._text,
            "virtual": True,
        }


class PrinterPanel:
    """Runs one virtual printer, in its own thread, and serves its panel on `path`. mono_ms: the monotonic clock that
    the printer's line speed follows."""

    def __init__(self, path: Path, twin: VirtualPrinter, mono_ms: Callable[[], int]) -> None:
        self._twin = twin
        self._mono_ms = mono_ms
        self._stopping = threading.Event()
        self._marks = 0
        self._shown: tuple[object, ...] = (0, twin.faults)
        self._socket = PanelSocket(path, self._picture, self._handle_order)
        self._thread = threading.Thread(target=self._run, name=f"printer of {path.name}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._stopping.set()
        if self._thread.ident is not None:
            self._thread.join()
        self._socket.close()
        self._twin.close()

    def _run(self) -> None:
        while not self._stopping.wait(TICK_S):
            self.step(self._mono_ms())

    def step(self, now_ms: int) -> None:
        with self._socket.taking:
            self._twin.step(now_ms)
            self._tear_off()
            self._show()

    def _show(self) -> None:
        shown = (len(self._twin.paper.sheets), self._twin.faults)
        if shown != self._shown:
            self._shown = shown
            self._socket.changed()

    def _tear_off(self) -> None:
        paper = self._twin.paper
        if paper.marks != self._marks:
            self._marks = paper.marks
            if not paper.profile.cutter and paper.roll.height > 2 * paper.profile.tear_dots:
                paper.tear()

    def _handle_order(self, order: dict[str, Any]) -> str | None:
        after, on = order.get("after_bytes", 0), order.get("on")
        if order == {"tear": True}:
            self._twin.paper.tear()
        elif order.get("fault") in FAULTS and type(on) is bool and type(after) is int and after >= 0:
            self._twin.set_fault(order["fault"], on, after)
        else:
            return f'known are {{"fault": {" | ".join(FAULTS)}, "on": …, "after_bytes": …}} and {{"tear": true}}'
        self._show()
        return None

    def _picture(self) -> dict[str, Any]:
        sheets = self._twin.paper.sheets
        return {
            "sheet": base64.b64encode(sheet_png(sheets[-1])).decode("ascii") if sheets else None,
            "number": len(sheets),
            "faults": sorted(self._twin.faults),
            "virtual": True,
        }


def sheet_png(sheet: Image.Image) -> bytes:
    """A sheet as PNG, marked "VIRTUAL"."""
    marked = sheet.convert("L")
    ImageDraw.Draw(marked).text((4, 4), "VIRTUAL", font=load_font(20, bold=True), fill=150)
    out = io.BytesIO()
    marked.save(out, "PNG")
    return out.getvalue()
