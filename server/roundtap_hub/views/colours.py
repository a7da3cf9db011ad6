"""Each event's colour as a style sheet: the pages' policy allows no styles written into them."""

from __future__ import annotations

import re

from roundtap_hub.journal.snapshot import Snapshot
from roundtap_hub.views.event_list import known

COLOURS = "GET /colours.css"
KIND = "text/css; charset=utf-8"
COLOR = re.compile(r"#[0-9A-Fa-f]{6}")


def colours(snapshot: Snapshot) -> str:
    """A rule for each event whose pages can be looked at."""
    rules = [
        f'[data-event="{event.id}"]{{--event:{event.color}}}'
        for event in known(snapshot) if COLOR.fullmatch(event.color) and event.id.isalnum()
    ]
    return "\n".join(rules) + "\n"
