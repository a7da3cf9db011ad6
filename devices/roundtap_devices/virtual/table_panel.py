"""The virtual table's panel: a Unix socket that takes presses and faults, and sends the screen, as JSON lines.

In:  {"pin": "a", "down": true}   {"fault": "screen", "on": true}
Out: {"frame": BASE64, "width": 128, "height": 64, "lamp": false, "lamp_a": false, "lamp_b": false, "buzzer": false,
      "text": "…", "virtual": true}
     on connecting, and at each change; the frame is 1,024 bytes, row by row, leftmost pixel in the highest bit.
     To an unusable line: {"error": TEXT}.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from roundtap_devices.boards import SIGNALS, Board
from roundtap_devices.display.screen import HEIGHT, WIDTH, VirtualDisplay
from roundtap_devices.virtual.panel_socket import PanelSocket

SHORTEST_S = 0.025
"""Between two movements of one virtual button: longer than any debounce."""


class TablePanel:
    """Serves one virtual unit's panel on `path`.

    pin_factory: the unit's mock factory; presses drive its pins, so they pass through gpiozero like real ones.
    """

    def __init__(self, path: Path, board: Board, pin_factory: Any, glass: VirtualDisplay) -> None:
        self._board = board
        self._factory = pin_factory
        self._glass = glass
        self._on: Mapping[str, bool] = dict.fromkeys(SIGNALS, False)
        self._text = ""
        self._moved_at_s: dict[str, float] = {}
        self._socket = PanelSocket(path, self._picture, self._handle_order)
        self.close = self._socket.close
        glass.add_listener(lambda _frame: self._socket.changed())

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
            return f'"pin" is one of {", ".join(pins)}, "down" is true or false'
        # A busy machine may deliver press and release together; so short a press would pass for a bounce.
        too_soon_s = self._moved_at_s.get(key, 0.0) + SHORTEST_S - time.monotonic()
        if too_soon_s > 0:
            time.sleep(too_soon_s)
        pin = self._factory.pin(pins[key])
        if down == self._board.active_low:
            pin.drive_low()
        else:
            pin.drive_high()
        # Read afterwards: this thread may have waited before the pin moved.
        self._moved_at_s[key] = time.monotonic()
        return None

    def _picture(self) -> dict[str, Any]:
        return {
            "frame": base64.b64encode(self._glass.frame).decode("ascii"), "width": WIDTH, "height": HEIGHT,
            "lamp": self._on["lamp"], "lamp_a": self._on["lamp_a"], "lamp_b": self._on["lamp_b"],
            "buzzer": self._on["buzzer"], "text": self._text, "virtual": True,
        }
