"""How the hall reaches this hub, for organizers: its addresses, and the hotspot with its password."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from roundtap_hub.reached_at import ReachedAt, is_hotspot
from roundtap_systemd.wifi import AT_MOST, Hotspot


@dataclass(frozen=True, slots=True)
class Way:
    """One address of the hub; `hotspot`: only who is on its own Wi-Fi comes in by it."""

    url: str
    hotspot: bool


@dataclass(frozen=True, slots=True)
class HallNetwork:
    """`ways`: the best first; none where the hub is on no network. `by_name`: for those that can look it up; "" where
    there is no such name."""

    ways: tuple[Way, ...]
    by_name: str
    hotspot: Hotspot | None
    most: int = AT_MOST
    """How many devices a hotspot bears."""

    @property
    def up(self) -> bool:
        """Whether the hotspot is there just now."""
        return any(way.hotspot for way in self.ways)


def hall_network(reached: ReachedAt, hotspot: Hotspot | None) -> HallNetwork:
    ways = tuple(Way(url, is_hotspot(ip_address(urlsplit(url).hostname or ""))) for url in reached.urls)
    return HallNetwork(ways, reached.by_name, hotspot)
