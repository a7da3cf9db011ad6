"""The pictures in the documents, cut out of what `make pictures` made: PYTHONPATH=tests .venv/bin/python -m
gallery.for_documents pictures"""

import sys
from pathlib import Path

from PIL import Image, ImageOps

ROOT = Path(__file__).parents[2]
MOST_BYTES = 120_000
PICTURES = {
    "server/pictures/console.png": ("pages/en-playing-console.png", (0, 0, 1280, 1100), 1000),
    "server/pictures/check-in.png": ("pages/en-day-check-in.png", (0, 0, 1366, 660), 900),
    "server/pictures/draft.png": ("pages/en-draft-console.png", (0, 0, 1280, 640), 900),
    "server/pictures/match.png": ("pages/en-playing-match.png", (0, 0, 1280, 800), 900),
    "server/pictures/slips.png": ("pages/en-day-slip-desk.png", (0, 0, 1366, 620), 900),
    "server/pictures/bracket.png": ("pages/en-champion-bracket.png", (0, 0, 1280, 760), 900),
    "server/pictures/phone.png": ("pages/en-day-me-confirm.png", (0, 0, 390, 862), 300),
    "firmware/pictures/table.png": ("screens/en-edge-short-ask.png", (0, 0, 512, 256), 512),
    "firmware/pictures/slip.png": ("paper/epson-80-en-slip-xwing-standard-short.png", (0, 96, 576, 512), 400),
    "systemd/pictures/preflight.png": ("pages/en-doors-to-do.png", (0, 0, 1280, 900), 1000),
}
"""Document's picture → its file in the gallery, what is cut out of it, and how wide it stands there."""


def main(gallery: Path) -> int:
    for name, (source, box, width) in PICTURES.items():
        cut = Image.open(gallery / source).convert("RGB").crop(box)
        if source.startswith("paper/"):
            # What is printed, on its roll: a printer's own margin is no part of the picture.
            cut = ImageOps.expand(ImageOps.expand(cut, 28, "white"), 2, "#c8c8c8")
        small = cut.resize((width, round(cut.height * width / cut.width)), Image.Resampling.LANCZOS)
        small.quantize(96, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(ROOT / name, optimize=True)
        assert (ROOT / name).stat().st_size < MOST_BYTES, name
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
