"""Pages that are drawn once and kept, whichever they are: the hall's, and each player's own."""

from __future__ import annotations

from collections.abc import Mapping

from roundtap_hub.hub import Hub
from roundtap_hub.journal.service import Snapshot
from roundtap_hub.presence import UnitStatus
from roundtap_hub.public.personal_sheet import KIND, personal_sheet, personal_version
from roundtap_hub.public.sheets import DOOR, Asked, Found, sheet_of
from roundtap_hub.views import HallNow, page_version
from roundtap_hub.views.event_at import short_hash


def sheet_at(asked: Asked, page: str, variant: str = "") -> Found:
    """The page of a key and a variant; None where there is none."""
    return personal_sheet(asked, page) if page.startswith(f"{KIND}/") else sheet_of(asked, page, variant)


def version_at(hub: Hub, snapshot: Snapshot, units: Mapping[str, UnitStatus], page: str,
               hall: HallNow | None = None) -> str:
    """What a page would show now, as a short text."""
    if page.startswith(f"{KIND}/"):
        return personal_version(hub, snapshot, units, page)
    version = page_version(snapshot, units, page, hall)
    # Where the hub is reached stands on walls alone, and on the waiting one.
    shown = f"{hub.reached_at.url} {hub.reached_at.by_name}".strip() if page == DOOR or page.startswith("wall/") else ""
    return short_hash(version, shown) if shown and version != "none" else version
