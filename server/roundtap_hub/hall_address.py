"""Where the hall's phones reach this hub: its plain port, by the name that was asked for, or else by its address."""

from __future__ import annotations

from urllib.parse import urlsplit

from roundtap_hub.auth import is_loopback
from roundtap_hub.hub import Hub
from roundtap_hub.tls import local_addresses


def hall_address(hub: Hub, host_url: str) -> str:
    """"http://10.42.0.1:8080", without a slash. `host_url`: the address that somebody asked ("https://hub:8443/")."""
    asked = urlsplit(host_url)
    host, port = asked.hostname or "localhost", asked.port or 80
    if asked.scheme == "https":
        port = hub.plain_port or port
    if host == "localhost" or is_loopback(host):
        # The desk may be the hub itself; a phone is not.
        host = next((str(each) for each in local_addresses() if not each.is_loopback and not each.is_link_local), host)
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}" if port == 80 else f"http://{shown}:{port}"
