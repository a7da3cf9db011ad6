"""A QR code as SVG for a page: dark squares on white, whatever the page's colours."""

import re
from functools import lru_cache

from markupsafe import Markup

QUIET_ZONE = 4  # empty modules around it, which the standard requires
KEPT = 512  # codes cached: a page of slips has one for each table, and is drawn again on every change


@lru_cache(maxsize=KEPT)
def qr_svg(text: str, label: str = "") -> Markup:
    """A QR code without a size of its own. `label`: for screen readers; "" where the text beside it says what it is."""
    # Late: a slow import, which reports do not need.
    from qrcode.constants import ERROR_CORRECT_M
    from qrcode.main import QRCode

    code = QRCode(error_correction=ERROR_CORRECT_M, border=0)
    code.add_data(text)
    code.make(fit=True)
    rows = ["".join("1" if dark else "0" for dark in row) for row in code.get_matrix()]
    size = len(rows) + 2 * QUIET_ZONE
    drawn = "".join(
        f"M{run.start() + QUIET_ZONE} {y + QUIET_ZONE}h{len(run[0])}v1h-{len(run[0])}z"
        for y, row in enumerate(rows)
        for run in re.finditer("1+", row)
    )
    heard = Markup('role="img" aria-label="{}"').format(label) if label else Markup('aria-hidden="true"')
    return Markup(
        '<svg class="qr" viewBox="0 0 {0} {0}" {1} shape-rendering="crispEdges">'
        '<rect width="{0}" height="{0}" fill="#fff"/><path fill="#000" d="{2}"/></svg>'
    ).format(size, heard, drawn)
