"""What is to be mended in `roundtap.txt`, on the display of the board for a moment, before the unit takes it over."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from roundtap.machine.roles import ETC
from roundtap.machine.settings_file import Settings

SIZES = (14, 12, 10, 9)
"""The largest letters in which the whole text has room; the last one, cut, where none has."""
HELD_S = 8.0


def show(settings: Settings, text: str, root: Path, hold: Callable[[float], None] = time.sleep) -> bool:
    """Show a text and leave it for HELD_S; whether there was a display. Nothing that is missing is an error here."""
    try:
        from roundtap_devices.boards import board
        from roundtap_devices.display.oled import oled_screen

        own = settings.board.endswith(".toml")
        wiring = board(str(root / ETC / settings.board) if own else settings.board or "recommended").screen
        if wiring.bus != "i2c":
            # On SPI the display needs two pins, which are the unit's.
            return False
        screen = oled_screen(wiring)
        if not screen.show(picture(text), 0):
            return False
    except Exception:
        # Whatever a half-wired board comes up with: the machine starts.
        return False
    hold(HELD_S)
    screen.close()
    return True


def picture(text: str) -> Any:
    """The text as a PIL image for the screen, 128x64, in letters as large as all of it allows."""
    from PIL import Image, ImageDraw, ImageFont

    import roundtap_devices
    from roundtap_devices.display.screen import HEIGHT, WIDTH

    image = Image.new("1", (WIDTH, HEIGHT))
    draw = ImageDraw.Draw(image)
    file = str(Path(str(roundtap_devices.__file__)).with_name("fonts") / "DejaVuSans.ttf")
    for size in SIZES:
        font = ImageFont.truetype(file, size)
        lines = wrapped(text, lambda line, font=font: draw.textlength(line, font=font) <= WIDTH)  # type: ignore[misc]
        step = size + 2
        if len(lines) * step <= HEIGHT or size == SIZES[-1]:
            for number, line in enumerate(lines[:HEIGHT // step]):
                draw.text((0, number * step), line, font=font, fill=1)
            return image
    return image


def wrapped(text: str, fits: Callable[[str], bool]) -> list[str]:
    """Lines that fit, broken between words; a word that is too long by itself is broken within."""
    lines: list[str] = []
    for word in text.split():
        if lines and fits(f"{lines[-1]} {word}"):
            lines[-1] += f" {word}"
            continue
        rest = word
        while len(rest) > 1 and not fits(rest):
            cut = next((n for n in range(len(rest) - 1, 1, -1) if fits(rest[:n])), 1)
            lines.append(rest[:cut])
            rest = rest[cut:]
        lines.append(rest)
    return lines
