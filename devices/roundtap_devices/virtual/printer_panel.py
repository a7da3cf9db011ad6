"""The virtual printer's panel: a Unix socket that takes faults and sends the paper as pictures, as JSON lines.

In:  {"fault": "mute", "on": true}   {"fault": "no-paper", "on": true, "after_bytes": 800}   {"tear": true}
Out: {"sheet": BASE64 PNG, "number": 3, "faults": ["mute"], "virtual": true}
     on connecting, and with each sheet or fault; `sheet` is null before the first one.
     To an unusable line: {"error": TEXT}.
"""

from __future__ import annotations

import base64
import io
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

from roundtap_devices.printing.drawing import font
from roundtap_devices.virtual.panel_socket import PanelSocket
from roundtap_devices.virtual.virtual_printer import FAULTS, VirtualPrinter

TICK_S = 0.01


class PrinterPanel:
    """Runs one virtual printer, in its own thread, and serves its panel on `path`.

    mono_ms: the monotonic clock that the printer's line speed follows.
    """

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
        """Without a cutter, tear each job off as a person would."""
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
        return {"sheet": base64.b64encode(as_png(sheets[-1])).decode("ascii") if sheets else None,
                "number": len(sheets), "faults": sorted(self._twin.faults), "virtual": True}


def as_png(sheet: Image.Image) -> bytes:
    """A sheet as PNG, marked "VIRTUAL"."""
    marked = sheet.convert("L")
    ImageDraw.Draw(marked).text((4, 4), "VIRTUAL", font=font(20, bold=True), fill=150)
    out = io.BytesIO()
    marked.save(out, "PNG")
    return out.getvalue()
