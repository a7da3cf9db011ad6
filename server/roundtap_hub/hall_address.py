"""Where the hall's phones reach this hub: its plain port, by what was asked for, or else by its best address."""

from __future__ import annotations

from urllib.parse import urlsplit

from roundtap_hub.auth import is_loopback
from roundtap_hub.hub import Hub
from roundtap_hub.reached_at import HTTP, url_at


def hall_address(hub: Hub, host_url: str = "") -> str:
    """"http://10.42.0.1:8080", without a slash. `host_url`: the address that somebody asked ("https://hub:8443/"); "":
    nobody did, then "" as long as this machine is on no network.

    A name that many phones cannot look up (`roundtap.local`) becomes an address, as far as there is one.
    """
    reached = hub.host.reached_at
    if not host_url:
        return reached.url
    asked = urlsplit(host_url)
    host, port = asked.hostname or "localhost", asked.port or HTTP
    port = hub.host.plain_port or port if asked.scheme == "https" else reached.port_for(port)
    if host == "localhost" or is_loopback(host) or host.endswith(".local"):
        if not reached.addresses:
            reached.look()
        # The desk may be the hub itself; a phone is not.
        host = next((str(each) for each in reached.addresses), host)
    return url_at(host, port)
