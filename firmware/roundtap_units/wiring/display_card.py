"""A picture that shows whether a display is the right way up, whole, and driven by its own driver."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from roundtap_devices.display.screen import HEIGHT, WIDTH


def display_card(name: str) -> Any:
    """A frame on the outermost pixels, its corners, the signs at their sides, and the board's name."""
    from importlib.resources import files

    from PIL import Image, ImageDraw, ImageFont

    image = Image.new("1", (WIDTH, HEIGHT))
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, WIDTH - 1, HEIGHT - 1), outline=1)
    draw.rectangle((2, 2, 9, 9), fill=1)
    letters = files("roundtap_devices").joinpath("fonts/DejaVuSans.ttf").read_bytes()
    font, small = (ImageFont.truetype(BytesIO(letters), size) for size in (14, 10))
    draw.text((8, 24), "●", font=font, fill=1)
    draw.text((WIDTH - 20, 24), "■", font=font, fill=1)
    draw.text((WIDTH // 2, 14), "▲", font=font, fill=1, anchor="mm")
    draw.text((WIDTH // 2, 32), name[:16], font=small, fill=1, anchor="mm")
    draw.text((WIDTH // 2, 50), "▼", font=font, fill=1, anchor="mm")
    return image
