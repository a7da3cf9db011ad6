"""How the hall reaches this hub, for organizers: its addresses, and the hotspot with its password and who is on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from roundtap_hub.reached_at import LOCAL_NAME, ReachedAt, is_hotspot, url_at
from roundtap_systemd.wifi import OFTEN_BOARD, AccessPoint, Hotspot


@dataclass(frozen=True, slots=True)
class Way:
    """One address of the hub; `hotspot`: only who is on its own Wi-Fi comes in by it."""

    url: str
    hotspot: bool


@dataclass(frozen=True, slots=True)
class HallNetwork:
    """`ways`: the best first; none where the hub is on no network. `by_name`: for those that can look it up."""

    ways: tuple[Way, ...]
    by_name: str
    hotspot: Hotspot | None
    point: AccessPoint | None
    """The hotspot as it is just now; None: it is not up."""
    most: int = OFTEN_BOARD
    """How many devices it bears, as far as anybody knows."""


def hall_network(reached: ReachedAt, hotspot: Hotspot | None, points: Sequence[AccessPoint]) -> HallNetwork:
    ways = tuple(Way(url, is_hotspot(ip_address(urlsplit(url).hostname or ""))) for url in reached.urls)
    point = next((each for each in points if hotspot is not None and each.name == hotspot.name), None)
    most = point.limit if point is not None and point.limit is not None else OFTEN_BOARD
    return HallNetwork(ways, url_at(LOCAL_NAME, reached.short_port or reached.port), hotspot, point, most)
