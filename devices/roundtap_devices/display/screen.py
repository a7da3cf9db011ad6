"""The screen: redraws on change, renews its display regularly, and retries while the display is gone. The real display:
through luma.oled on I2C or SPI; its errors become `HardwareMissing`."""

import contextlib
import errno
import importlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

from roundtap_devices.boards import ScreenWiring
from roundtap_devices.hardware_errors import HardwareMissing, as_hardware_missing

WIDTH, HEIGHT = 128, 64
FRAME_BYTES = WIDTH * HEIGHT // 8
RETRY_MS = 3000
RENEW_MS = 5000
"""How often the display is set up again: one that lost its supply cannot answer (SPI), or has lost its setup."""
FULL, DIMMED, OFF = 0xCF, 0x08, 0
"""Contrast, as SSD1306, SSD1309 and SH1106 take it (their datasheets: command 81h, 256 steps); 0 is display off."""
UNKNOWN = -1
SHIFT_OFFSETS = ((0, 0), (1, 0), (1, 1), (0, 1))  # the picture's places in turn, so that no pixel is lit all day
# Understood by SSD1306, SSD1309 and SH1106 alike: the command tables of their datasheets (Solomon Systech SSD1306
# rev. 1.1 and SSD1309 rev. 1.1, section 9; Sino Wealth SH1106 v2.3, "Commands").
NOP, DISPLAY_OFF, DISPLAY_ON, CONTRAST = 0xE3, 0xAE, 0xAF, 0x81

RESET_EVERY = 12
"""On SPI, every twelfth renewal also pulls the reset line: a chip that lost its supply may ignore commands."""
SHIFT_MS = 120_000


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
        beat_ms: int = RENEW_MS,
        shift_ms: int | None = None,
    ) -> None:
        self._open = open_glass
        self._beat_ms, self._shift_ms = beat_ms, shift_ms
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
        self._retry_at_ms = now_ms + RETRY_MS

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
        # Each is called with every new frame, in the thread that draws.
        self.listeners: list[Callable[[bytes], None]] = []

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
        for listener in self.listeners:
            listener(frame)


class VirtualScreen(Screen):
    """The virtual screen: the same logic over a `VirtualDisplay`, in `glass`."""

    def __init__(self) -> None:
        self.glass = VirtualDisplay()
        super().__init__(self._open_virtual)

    def _open_virtual(self) -> DisplayDevice:
        self.glass.check()
        return self.glass


def oled_screen(wiring: ScreenWiring, pins: Any = None) -> Screen:
    """The screen of a board, on its real display, which is opened when something is shown. `Screen` has an example.

    pins: the pin factory, needed on SPI (data and reset lines are pins), or a callable such as `Controls.pins` that
    returns it or raises HardwareMissing.
    """

    def open_glass() -> Oled:
        return Oled(wiring, None if wiring.bus == "i2c" else pins() if callable(pins) else pins)

    return Screen(open_glass, shift_ms=SHIFT_MS)


class Oled:
    """One opened display. Raises HardwareMissing when it is missing, at the start or later."""

    def __init__(self, wiring: ScreenWiring, pin_factory: Any = None) -> None:
        self._lost: tuple[type[BaseException], ...] = (OSError, ImportError)
        self._wiring = wiring
        self._renewals = 0
        self._level = FULL
        self._bus: Any = None
        try:
            importlib.invalidate_caches()
            import luma.core.error

            self._lost = (luma.core.error.Error, OSError, ImportError)
            try:
                self._open(wiring, pin_factory)
            except luma.core.error.DeviceNotFoundError as error:
                missing = self._as_missing(error)
                self.close()
                try:
                    self._open(replace(wiring, i2c_address=wiring.i2c_address ^ 1), pin_factory)
                except self._lost:
                    raise missing from error
        except self._lost as error:
            self.close()
            raise self._as_missing(error) from error

    def _open(self, wiring: ScreenWiring, pin_factory: Any) -> None:
        import luma.oled.device

        self._bus = _SetupRecorder(_serial(wiring, pin_factory))
        # Each luma device adds a permanent exit hook: test the bus before making one, or retries pile them up.
        self._bus.command(NOP)
        self._device = getattr(luma.oled.device, wiring.driver)(self._bus, rotate=wiring.rotation // 90)
        self._setup = self._bus.setup()

    def display(self, image: Any) -> None:
        self._guarded(lambda: self._device.display(image))

    def renew(self, image: Any) -> None:
        """Set the display up again under an unchanged picture: invisible, except on one that lost its supply."""

        def send() -> None:
            self._renewals += 1
            if self._wiring.bus == "spi" and self._renewals % RESET_EVERY == 0:
                self._bus.reset()
            for commands in self._setup:
                self._bus.command(*commands)
            self._bus.command(CONTRAST, max(1, self._level))
            self._device.display(image)
            self._bus.command(DISPLAY_ON if self._level else DISPLAY_OFF)

        self._guarded(send)

    def set_brightness(self, level: int) -> None:
        self._level = level

        def send() -> None:
            if level:
                self._bus.command(CONTRAST, level)
            self._bus.command(DISPLAY_ON if level else DISPLAY_OFF)

        self._guarded(send)

    def close(self) -> None:
        if self._bus is not None:
            with contextlib.suppress(*self._lost):
                self._bus.cleanup()

    def _guarded(self, send: Callable[[], None]) -> None:
        try:
            send()
        except self._lost as error:
            raise self._as_missing(error) from error

    def _as_missing(self, error: BaseException) -> HardwareMissing:
        code = getattr(error, "errno", None) or getattr(error.__context__, "errno", None)
        return as_hardware_missing(
            error, self._wiring.bus if code in (errno.ENOENT, errno.ENODEV, errno.ENXIO) else "display"
        )


class _SetupRecorder:
    """A bus that records the commands luma sends to set the display up."""

    def __init__(self, serial: Any) -> None:
        self._serial = serial
        self._recorded: list[tuple[int, ...]] | None = []

    def command(self, *values: int) -> None:
        if self._recorded is not None:
            self._recorded.append(values)
        self._serial.command(*values)

    def data(self, values: Any) -> None:
        self._serial.data(values)

    def cleanup(self) -> None:
        self._serial.cleanup()

    def reset(self) -> None:
        """Pulse the reset line, on SPI."""
        if hasattr(self._serial, "pull_reset"):
            self._serial.pull_reset()

    def setup(self) -> list[tuple[int, ...]]:
        """The setup commands, without the initial display-off; ends the recording."""
        recorded, self._recorded = self._recorded or [], None
        long = [values for values in recorded if len(values) > 6]
        return [values[1:] if values[0] == DISPLAY_OFF else values for values in long]


def _serial(wiring: ScreenWiring, pin_factory: Any) -> Any:
    from luma.core.interface.serial import i2c, spi

    if wiring.bus == "i2c":
        return i2c(port=wiring.i2c_port, address=wiring.i2c_address)
    import spidev

    lines = _GpioAdapter(pin_factory)
    try:
        made = spi(
            spidev.SpiDev(),
            gpio=lines,
            port=wiring.spi_port,
            device=wiring.spi_device,
            gpio_DC=wiring.dc,
            gpio_RST=wiring.reset,
        )
    except BaseException:
        lines.close()
        raise
    closing = contextlib.ExitStack()
    closing.callback(lines.close)
    closing.callback(made.cleanup)
    made.cleanup = closing.close
    made.pull_reset = lambda: lines.pulse(wiring.reset)
    return made


class _GpioAdapter:
    """The few RPi.GPIO calls that luma makes, on gpiozero's pins: RPi.GPIO does not work on a Pi 5."""

    OUT, LOW, HIGH = "out", 0, 1

    def __init__(self, pin_factory: Any) -> None:
        self._factory = pin_factory
        self._lines: dict[int, Any] = {}

    def setup(self, pin: int, _mode: str) -> None:
        from gpiozero import OutputDevice

        try:
            self._lines[pin] = OutputDevice(pin, pin_factory=self._factory)
        except Exception as error:
            # Another program holds it; lgpio and gpiozero have their own error classes.
            raise as_hardware_missing(error, "pins") from error

    def output(self, pin: int, level: int) -> None:
        self._lines[pin].value = 1 if level else 0

    def pulse(self, pin: int) -> None:
        """Low for some microseconds: 3 are enough (SSD1306 datasheet, 8.9; SH1106, "Reset timing": 10)."""
        self.output(pin, self.LOW)
        self.output(pin, self.HIGH)

    def close(self) -> None:
        for line in self._lines.values():
            line.close()
        self._lines.clear()
