"""The pictures in the documents, cut out of what `make pictures` made: PYTHONPATH=tests .venv/bin/python -m
gallery.for_documents pictures"""

import shutil
import sys
from pathlib import Path

from PIL import Image, ImageOps

ROOT = Path(__file__).parents[2]
MOST_BYTES, MOST_MOVING_BYTES = 120_000, 2_000_000
MOVING = "server/pictures/table.gif"
PICTURES = {
    "server/pictures/check-in.png": ("pages/en-day-check-in.png", (0, 0, 1366, 660), 900),
    "server/pictures/draft.png": ("pages/en-draft-console.png", (0, 0, 1280, 640), 900),
    "server/pictures/match.png": ("pages/en-playing-match.png", (0, 0, 1280, 800), 900),
    "server/pictures/slips.png": ("pages/en-day-slip-desk.png", (0, 0, 1366, 620), 900),
    "server/pictures/bracket.png": ("pages/en-champion-bracket.png", (0, 0, 1280, 580), 900),
    "server/pictures/console.png": ("pages/en-playing-console.png", (0, 0, 1280, 1100), 1280),
    "server/pictures/hall.png": ("demo/hall.png", (0, 0, 830, 1102), 830),
    "server/pictures/phone.png": ("pages/en-day-me-confirm.png", (0, 0, 390, 722), 300),
    "server/pictures/wall.png": ("pages/en-published-wall.png", (0, 0, 1920, 1080), 1000),
    "firmware/pictures/table.png": ("screens/en-edge-short-ask.png", (0, 0, 512, 256), 512),
    "firmware/pictures/slip.png": ("paper/epson-80-en-slip-xwing-standard-short.png", (0, 96, 576, 512), 400),
    "systemd/pictures/preflight.png": ("pages/en-doors-to-do.png", (0, 0, 1280, 900), 1000),
}
"""Document's picture → its file in the gallery, what is cut out of it, and how wide it stands there."""


def own_colors(picture: Image.Image) -> Image.Image:
    """In 256 colors, those of whole areas exactly: what is mixed are the edges of letters."""
    return picture.quantize(256, Image.Quantize.MEDIANCUT, kmeans=1, dither=Image.Dither.NONE)


def main(gallery: Path) -> int:
    for name, (source, box, width) in PICTURES.items():
        cut = Image.open(gallery / source).convert("RGB").crop(box)
        if source.startswith("paper/"):
            # What is printed, on its roll: a printer's own margin is no part of the picture.
            cut = ImageOps.expand(ImageOps.expand(cut, 28, "white"), 2, "#c8c8c8")
        small = cut.resize((width, round(cut.height * width / cut.width)), Image.Resampling.LANCZOS)
        own_colors(small).save(ROOT / name, optimize=True)
        assert (ROOT / name).stat().st_size < MOST_BYTES, name
    shutil.copy(gallery / "demo/table.gif", ROOT / MOVING)
    assert (ROOT / MOVING).stat().st_size < MOST_MOVING_BYTES
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
