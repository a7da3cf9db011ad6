"""The screen: redraws on change, renews its display regularly, and retries while the display is gone."""

import contextlib
from collections.abc import Callable
from typing import Any, Protocol

from roundtap_devices.hardware_errors import as_hardware_missing

WIDTH, HEIGHT = 128, 64
FRAME_BYTES = WIDTH * HEIGHT // 8
RETRY_MS = 3000
RENEW_MS = 5000
"""How often the display is set up again: one that lost its supply cannot answer (SPI), or has lost its setup."""
FULL, DIMMED, OFF = 0xCF, 0x08, 0
"""Contrast, as SSD1306, SSD1309 and SH1106 take it (their datasheets: command 81h, 256 steps); 0 is display off."""
UNKNOWN = -1
SHIFT_OFFSETS = ((0, 0), (1, 0), (1, 1), (0, 1))  # the picture's places in turn, so that no pixel is lit all day


class DisplayDevice(Protocol):
    """What shows a picture: a display on a bus, or a virtual one. Each call raises OSError when it is gone."""

    def display(self, image: Any) -> None: ...

    def renew(self, image: Any) -> None: ...

    def set_brightness(self, level: int) -> None: ...

    def close(self) -> None: ...


class Screen:
    """A 128x64 1-bit screen that survives the loss of its display.

    >>> from PIL import Image, ImageDraw
    >>> screen = VirtualScreen()  # on a Pi: oled_screen(load_board("recommended").screen)
    >>> image = Image.new("1", (WIDTH, HEIGHT))
    >>> ImageDraw.Draw(image).text((0, 0), "Table 7", fill=1)
    >>> screen.set_brightness(DIMMED)
    >>> screen.show(image, 1000)  # whether a frame was sent
    True
    >>> screen.said  # else why not, in English
    ''

    open_glass: makes a NEW display object; raises OSError where there is none. Called again after each failure.
    shift_ms: how long the picture stays at one place, where the display can burn in; None: it never moves.
    """

    def __init__(
        self,
        open_glass: Callable[[], DisplayDevice],
        retry_ms: int = RETRY_MS,
        beat_ms: int = RENEW_MS,
        shift_ms: int | None = None,
    ) -> None:
        self._open = open_glass
        self._retry_ms, self._beat_ms, self._shift_ms = retry_ms, beat_ms, shift_ms
        self._device: DisplayDevice | None = None
        self._shown: bytes | None = None
        self._retry_at_ms: int | None = None
        self._renewed_ms = 0
        self._level, self._lit = FULL, UNKNOWN
        self.reason = ""
        self.said = ""

    @property
    def blind(self) -> bool:
        """Whether the last attempt to reach the display failed; the unit continues with light and buzzer. `reason`: a
        kind of `HardwareMissing`; `said`: the same as an English sentence; both "" while all is well."""
        return self._retry_at_ms is not None

    def set_brightness(self, level: int) -> None:
        """Brightness from the next `show` on: FULL, DIMMED or OFF."""
        self._level = level

    def show(self, image: Any, now_ms: int) -> bool:
        """Show a PIL image of mode "1", 128x64; may be called at any rate. True if a frame was sent."""
        if self._retry_at_ms is not None and now_ms < self._retry_at_ms:
            return False
        image = self._shifted(image, now_ms)
        frame = image.tobytes()
        try:
            fresh = self._device is None
            if self._device is None:
                self._device = self._open()
                self._lit, self._renewed_ms = UNKNOWN, now_ms
            if self._level != self._lit:
                self._device.set_brightness(self._level)
                self._lit = self._level
            if now_ms - self._renewed_ms >= self._beat_ms:
                self._device.renew(image)
                self._renewed_ms = now_ms
            elif fresh or frame != self._shown:
                self._device.display(image)
            else:
                return False
        except OSError as error:
            self._mark_lost(now_ms, error)
            return False
        self._shown, self._retry_at_ms = frame, None
        self.reason = self.said = ""
        return True

    def _shifted(self, image: Any, now_ms: int) -> Any:
        if self._shift_ms is None or (box := image.getbbox()) is None:
            return image
        right, down = SHIFT_OFFSETS[now_ms // self._shift_ms % len(SHIFT_OFFSETS)]
        x, y = (right if box[2] < WIDTH else 0), (down if box[3] < HEIGHT else 0)
        if (x, y) == (0, 0):
            return image
        moved = image.copy()
        moved.paste(0, (0, 0, WIDTH, HEIGHT))
        moved.paste(image, (x, y))
        return moved

    def _mark_lost(self, now_ms: int, error: OSError) -> None:
        self.close()
        why = as_hardware_missing(error, "display")
        self.reason, self.said = why.kind, str(why)
        self._retry_at_ms = now_ms + self._retry_ms

    def close(self) -> None:
        glass, self._device, self._shown = self._device, None, None
        if glass is not None:
            with contextlib.suppress(OSError):
                glass.close()


class VirtualDisplay:
    """A display that only stores its last frame: 1,024 bytes, row by row, leftmost pixel in the highest bit.
    `unplug(True)` makes it dark, and its calls raise OSError, until `unplug(False)`."""

    def __init__(self) -> None:
        self.frame = bytes(FRAME_BYTES)
        self.unplugged = False
        self.level = FULL
        self._listeners: list[Callable[[bytes], None]] = []

    def add_listener(self, listener: Callable[[bytes], None]) -> None:
        """Call `listener` with each new frame, in the thread that draws."""
        self._listeners.append(listener)

    def check(self) -> None:
        if self.unplugged:
            raise OSError("the virtual display is unplugged")

    def display(self, image: Any) -> None:
        self.check()
        self._store(image.tobytes())

    def renew(self, image: Any) -> None:
        self.display(image)

    def set_brightness(self, level: int) -> None:
        self.check()
        self.level = level

    def unplug(self, on: bool) -> None:
        self.unplugged = on
        if on:
            self._store(bytes(FRAME_BYTES))

    def close(self) -> None:
        """Nothing to release."""

    def _store(self, frame: bytes) -> None:
        if frame == self.frame:
            return
        self.frame = frame
        for listener in self._listeners:
            listener(frame)


class VirtualScreen(Screen):
    """The virtual screen: the same logic over a `VirtualDisplay`, in `glass`."""

    def __init__(self) -> None:
        self.glass = VirtualDisplay()
        super().__init__(self._open_virtual)

    def _open_virtual(self) -> DisplayDevice:
        self.glass.check()
        return self.glass
