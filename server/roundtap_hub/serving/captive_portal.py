"""What phones ask of the internet to find out whether there is any, answered so that they stay; and foreign names.

A phone on a Wi-Fi without internet asks its maker's server for a page. It gets the very answer that it wants, and so
keeps quiet, stays, and sends the hub's addresses to the hub. The other way, a page to "sign in", would open by itself
once, but in a window that forgets everything when it is closed: the language, a player's own link, a result that waits.
Then there is the phone that took a portal's OK for its result saved: so no form that was sent to a foreign name is ever
answered as if it had arrived. What a unit believes is signed anyway.

All of it only where somebody asks the hub for another's name, on the port that is the web's own: that happens on the
hub's hotspot (`systemd/roundtap-dnsmasq.conf` leads the names here), or behind a router that leads every name to the
hub.
"""

from __future__ import annotations

from collections.abc import Mapping

from roundtap_hub.access.auth import is_loopback
from roundtap_hub.access.tls import LOCAL_DOMAINS
from roundtap_hub.hall.hall_addresses import HallAddresses, http_url, is_address
from roundtap_hub.serving.http_answers import (
    CLOSE,
    MISDIRECTED,
    NO_STORE,
    SAFE_METHODS,
    Scope,
    Send,
    header,
    send_answer,
    send_json,
)

DEVICE_PATHS = ("/device/", "/station/", "/standby/", "/enrol/")
"""Served by whatever name: a unit's own file may call the hub as it likes, and each answer is signed."""

TEXT, HTML = b"text/plain", b"text/html"
ONLINE = b"NetworkManager is online\n"
SUCCESS = b"<HTML><HEAD><TITLE>Success</TITLE></HEAD><BODY>Success</BODY></HTML>"

PROBES_BY_PATH: Mapping[str, tuple[int, bytes, bytes]] = {
    # Android and ChromeOS, whatever server a phone's maker has for it; Steam.
    "/generate_204": (204, TEXT, b""), "/gen_204": (204, TEXT, b""), "/204": (204, TEXT, b""),
    # iPhone, iPad, Mac.
    "/hotspot-detect.html": (200, HTML, SUCCESS), "/library/test/success.html": (200, HTML, SUCCESS),
    # Windows 10 and 11, and before.
    "/connecttest.txt": (200, TEXT, b"Microsoft Connect Test"), "/ncsi.txt": (200, TEXT, b"Microsoft NCSI"),
    # Firefox.
    "/success.txt": (200, TEXT, b"success\n"),
    "/canonical.html": (200, HTML, b'<meta http-equiv="refresh" content="0;url=https://support.mozilla.org/kb/'
                                   b'captive-portal"/>'),
    # NetworkManager as GNOME, Arch, Fedora and KDE have it.
    "/check_network_status.txt": (200, TEXT, ONLINE), "/nm-check.txt": (200, TEXT, ONLINE),
    "/static/hotspot.txt": (200, TEXT, b"OK"),
    # Kindle and Fire.
    "/kindle-wifi/wifistub.html": (200, HTML, b"<html><head><title>Kindle Reachability Probe Page</title></head><body>"
                                              b"81ce4465-7167-4dcb-835b-dcc9e44c112a</body></html>"),
}
"""Path → status, content type, body: by the path alone, for makers change their hosts."""
PROBES_BY_HOST: Mapping[tuple[str, str], tuple[int, bytes, bytes]] = {
    # Debian and Raspberry Pi OS, Ubuntu, KDE.
    ("network-test.debian.org", "/nm"): (200, TEXT, ONLINE),
    ("connectivity-check.ubuntu.com", "/"): (204, TEXT, b""), ("networkcheck.kde.org", "/"): (200, TEXT, b"OK\n"),
}
"""Where a path says too little."""
LOCAL_SUFFIXES = tuple(f".{name}" for name in LOCAL_DOMAINS)
ONLINE_HEADER = [(b"x-networkmanager-status", b"online")]


async def answer_foreign_host(reached: HallAddresses, scope: Scope, send: Send) -> bool:
    """Whether the request was for somebody else, and answered."""
    server = scope.get("server")
    short = reached.short_port
    if not short or server is None or server[1] != short or scope.get("scheme") != "http":
        return False
    host = _host(scope)
    if _is_own_host(reached, host) or scope["path"].startswith(DEVICE_PATHS):
        return False
    if scope["method"] not in SAFE_METHODS:
        await send_json(send, MISDIRECTED, {"error": "nothing was sent: this is no machine of that name"}, CLOSE)
        return True
    path: str = scope["path"]
    wanted = PROBES_BY_PATH.get(path) or PROBES_BY_HOST.get((host, path))
    if wanted is not None:
        await _probe(scope, send, *wanted)
    else:
        await _redirect_here(reached, scope, send)
    return True


def _is_own_host(reached: HallAddresses, host: str) -> bool:
    # A name without a dot is one of this very network; what is not said is no foreign name.
    return (not host or "." not in host or is_address(host) or host in reached.names
            or host.endswith(LOCAL_SUFFIXES))


async def _redirect_here(reached: HallAddresses, scope: Scope, send: Send) -> None:
    """To the front door, by the address that this phone came in by: it is sure to reach it."""
    address = str(scope["server"][0])
    where = reached.url if is_loopback(address) else http_url(address, int(scope["server"][1]))
    await send_answer(send, 302, TEXT, b"", [(b"location", f"{where}/".encode()), *NO_STORE])


def _host(scope: Scope) -> str:
    """The name that was asked for, without its port: "example.org"; an address of IPv6 in its brackets."""
    asked = header(scope, b"host").decode("latin-1").strip().lower()
    name = asked.rpartition("]")[0] + "]" if asked.startswith("[") else asked.partition(":")[0]
    return name.rstrip(".")


async def _probe(scope: Scope, send: Send, status: int, kind: bytes, body: bytes) -> None:
    headers = [(b"content-type", kind), *NO_STORE, *ONLINE_HEADER] if body else [*NO_STORE, *ONLINE_HEADER]
    if status != 204:
        headers.append((b"content-length", b"%d" % len(body)))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})
