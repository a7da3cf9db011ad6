"""A QR code as a picture on a page."""

from __future__ import annotations

from functools import lru_cache
from itertools import groupby
from typing import Any

QUIET = 4
"""Modules that stay white around it."""


@lru_cache(maxsize=64)
def qr_svg(text: str) -> str:
    """`text` as SVG, black on white with its quiet zone; its size is the page's business."""
    # Not before the first one: a hub that starts needs none.
    import qrcode

    made: Any = qrcode.QRCode(border=0)
    made.add_data(text)
    made.make(fit=True)
    modules: list[list[bool]] = made.get_matrix()
    side = len(modules) + 2 * QUIET
    path = []
    for y, row in enumerate(modules):
        x = 0
        for black, run in groupby(row):
            length = len(list(run))
            if black:
                path.append(f"M{x + QUIET} {y + QUIET}h{length}v1h-{length}z")
            x += length
    return (f'<svg class="qr" viewBox="0 0 {side} {side}" shape-rendering="crispEdges" aria-hidden="true">'
            f'<rect width="{side}" height="{side}" fill="#fff"/><path d="{"".join(path)}" fill="#000"/></svg>')
