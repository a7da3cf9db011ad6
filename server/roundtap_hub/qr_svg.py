"""A QR code as SVG: black squares as one path, white border included; for screens and paper."""

from __future__ import annotations

from markupsafe import Markup, escape

BORDER = 4
"""White squares around it: readers need them."""


def qr_svg(text: str, label: str) -> Markup:
    """The code of a text, as wide as the place it is put. `label`: what it leads to, for who cannot see it."""
    # Taken in only by the pages that draw one: it costs memory.
    import qrcode
    from qrcode.constants import ERROR_CORRECT_M

    code = qrcode.QRCode(error_correction=ERROR_CORRECT_M, border=BORDER)
    code.add_data(text)
    code.make(fit=True)
    rows: list[list[bool]] = code.get_matrix()
    path = "".join(f"M{start} {y}h{length}v1h-{length}z" for y, row in enumerate(rows) for start, length in _runs(row))
    size = len(rows)
    return Markup(
        f'<svg class="qr" viewBox="0 0 {size} {size}" role="img" aria-label="{escape(label)}" '
        f'shape-rendering="crispEdges"><rect width="{size}" height="{size}" fill="#fff"/>'
        f'<path fill="#000" d="{path}"/></svg>')


def _runs(row: list[bool]) -> list[tuple[int, int]]:
    """Where black begins in a row, and how long it stays."""
    runs: list[tuple[int, int]] = []
    for x, dark in enumerate(row):
        if dark and runs and sum(runs[-1]) == x:
            runs[-1] = (runs[-1][0], runs[-1][1] + 1)
        elif dark:
            runs.append((x, 1))
    return runs
