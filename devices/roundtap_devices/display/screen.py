"""The screen: redraws only on change, goes blind when the display is gone, and tries a new device every few seconds."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any, Protocol

WIDTH, HEIGHT = 128, 64
FRAME_BYTES = WIDTH * HEIGHT // 8
RETRY_MS = 3000


class Glass(Protocol):
    """What shows a picture: a display on a bus, or a drawn one. `display` raises OSError when it is gone."""

    def display(self, image: Any) -> None: ...

    def close(self) -> None: ...


class Screen:
    """A 128x64 1-bit screen that survives its display.

    open_glass: makes a NEW display object; raises OSError where there is none. Called again after each failure.
    """

    def __init__(self, open_glass: Callable[[], Glass], retry_ms: int = RETRY_MS) -> None:
        self._open = open_glass
        self._retry_ms = retry_ms
        self._glass: Glass | None = None
        self._shown: bytes | None = None
        self._retry_at_ms: int | None = None

    @property
    def blind(self) -> bool:
        """Whether the last try to reach the display failed; the unit works on with light and buzzer."""
        return self._retry_at_ms is not None

    def show(self, image: Any, now_ms: int) -> bool:
        """Show a PIL image of mode "1", 128x64; call it as often as you like. True if a frame was sent."""
        frame = image.tobytes()
        if frame == self._shown:
            return False
        if self._retry_at_ms is not None and now_ms < self._retry_at_ms:
            return False
        try:
            if self._glass is None:
                self._glass = self._open()
            self._glass.display(image)
        except OSError:
            self._gone(now_ms)
            return False
        self._shown, self._retry_at_ms = frame, None
        return True

    def refresh(self) -> None:
        """Send the next frame even if nothing changed: a display that lost power and came back is blank."""
        self._shown = None

    def _gone(self, now_ms: int) -> None:
        self.close()
        self._retry_at_ms = now_ms + self._retry_ms

    def close(self) -> None:
        glass, self._glass, self._shown = self._glass, None, None
        if glass is not None:
            with contextlib.suppress(OSError):
                glass.close()


class VirtualGlass:
    """A display that only keeps its last frame: 1,024 bytes, row by row, leftmost pixel in the highest bit.

    `unplug(True)` is the fault: it goes dark and raises OSError until plugged in again.
    """

    def __init__(self) -> None:
        self.frame = bytes(FRAME_BYTES)
        self.unplugged = False
        self._listeners: list[Callable[[bytes], None]] = []

    def listen(self, listener: Callable[[bytes], None]) -> None:
        """Call `listener` with each new frame, in the thread that draws."""
        self._listeners.append(listener)

    def display(self, image: Any) -> None:
        if self.unplugged:
            raise OSError("the virtual display is unplugged")
        self._keep(image.tobytes())

    def unplug(self, on: bool) -> None:
        self.unplugged = on
        if on:
            self._keep(bytes(FRAME_BYTES))

    def close(self) -> None:
        """Nothing to give back."""

    def _keep(self, frame: bytes) -> None:
        self.frame = frame
        for listener in self._listeners:
            listener(frame)


class VirtualScreen(Screen):
    """The screen's twin: the same logic over a `VirtualGlass`, kept as `glass`."""

    def __init__(self, retry_ms: int = RETRY_MS) -> None:
        self.glass = VirtualGlass()
        super().__init__(self._open_virtual, retry_ms)

    def _open_virtual(self) -> Glass:
        if self.glass.unplugged:
            raise OSError("the virtual display is unplugged")
        return self.glass
