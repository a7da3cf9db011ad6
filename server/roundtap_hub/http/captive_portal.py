"""Phones' connectivity checks, answered so that they stay on the Wi-Fi; and requests for foreign host names.

A phone on a Wi-Fi without internet requests a page from its maker's server. The expected answer keeps it quiet, on this
Wi-Fi, and sending the hub's addresses to the hub. A captive portal's "sign in" page would open once, in a window that
loses everything when it closes: the language, a player's own link, a result that waits. A form sent to a foreign name
is never answered with success: a phone could take that for a saved result. Units believe only signed answers anyway.

This concerns only requests for foreign names on port 80: on the hub's hotspot (`systemd/roundtap-dnsmasq.conf` resolves
the names to it), or behind a router that resolves every name to the hub.
"""

from collections.abc import Mapping

from roundtap_hub.http import http_answers
from roundtap_hub.http.hall_addresses import HallAddresses, http_url, is_address
from roundtap_hub.http.requester import is_loopback
from roundtap_hub.http.tls import LOCAL_DOMAINS

DEVICE_PATHS = ("/device/", "/station/", "/standby/", "/enrol/")
"""Served under any name: a unit's own file may name the hub freely, and each answer is signed."""

TEXT, HTML = b"text/plain", b"text/html"
ONLINE = b"NetworkManager is online\n"
SUCCESS = b"<HTML><HEAD><TITLE>Success</TITLE></HEAD><BODY>Success</BODY></HTML>"

PROBES_BY_PATH: Mapping[str, tuple[int, bytes, bytes]] = {
    # Android and ChromeOS, whichever server the phone's maker uses; Steam.
    "/generate_204": (204, TEXT, b""),
    "/gen_204": (204, TEXT, b""),
    "/204": (204, TEXT, b""),
    # iPhone, iPad, Mac.
    "/hotspot-detect.html": (200, HTML, SUCCESS),
    "/library/test/success.html": (200, HTML, SUCCESS),
    # Windows 10 and 11; earlier ones.
    "/connecttest.txt": (200, TEXT, b"Microsoft Connect Test"),
    "/ncsi.txt": (200, TEXT, b"Microsoft NCSI"),
    # Firefox.
    "/success.txt": (200, TEXT, b"success\n"),
    "/canonical.html": (
        200,
        HTML,
        b'<meta http-equiv="refresh" content="0;url=https://support.mozilla.org/kb/captive-portal"/>',
    ),
    # NetworkManager on GNOME, Arch, Fedora and KDE.
    "/check_network_status.txt": (200, TEXT, ONLINE),
    "/nm-check.txt": (200, TEXT, ONLINE),
    "/static/hotspot.txt": (200, TEXT, b"OK"),
    # Kindle and Fire.
    "/kindle-wifi/wifistub.html": (
        200,
        HTML,
        b"<html><head><title>Kindle Reachability Probe Page</title></head><body>"
        b"81ce4465-7167-4dcb-835b-dcc9e44c112a</body></html>",
    ),
}
"""Path → status, content type, body: by the path alone, as makers change their hosts."""
PROBES_BY_HOST: Mapping[tuple[str, str], tuple[int, bytes, bytes]] = {
    # Debian and Raspberry Pi OS, Ubuntu, KDE.
    ("network-test.debian.org", "/nm"): (200, TEXT, ONLINE),
    ("connectivity-check.ubuntu.com", "/"): (204, TEXT, b""),
    ("networkcheck.kde.org", "/"): (200, TEXT, b"OK\n"),
}
"""For paths that are too common."""
LOCAL_SUFFIXES = tuple(f".{name}" for name in LOCAL_DOMAINS)
ONLINE_HEADER = [(b"x-networkmanager-status", b"online")]


async def answer_foreign_host(reached: HallAddresses, scope: http_answers.Scope, send: http_answers.Send) -> bool:
    """Whether a request at the short port was for a foreign host, and was answered."""
    host = _host(scope)
    if _is_own_host(reached, host) or scope["path"].startswith(DEVICE_PATHS):
        return False
    if scope["method"] not in http_answers.SAFE_METHODS:
        await http_answers.send_json(
            send,
            http_answers.MISDIRECTED,
            {"error": "nothing was sent: this is no machine of that name"},
            http_answers.CLOSE,
        )
        return True
    path: str = scope["path"]
    wanted = PROBES_BY_PATH.get(path) or PROBES_BY_HOST.get((host, path))
    if wanted is not None:
        await _probe(scope, send, *wanted)
    else:
        await _redirect_here(reached, scope, send)
    return True


def _is_own_host(reached: HallAddresses, host: str) -> bool:
    # A name without a dot belongs to this network; a missing one is not foreign.
    return not host or "." not in host or is_address(host) or host in reached.names or host.endswith(LOCAL_SUFFIXES)


async def _redirect_here(reached: HallAddresses, scope: http_answers.Scope, send: http_answers.Send) -> None:
    """To the home page, by the address that this phone used: it certainly reaches that one."""
    address = str(scope["server"][0])
    where = reached.url if is_loopback(address) else http_url(address, int(scope["server"][1]))
    await http_answers.send_answer(send, 302, TEXT, b"", [(b"location", f"{where}/".encode()), *http_answers.NO_STORE])


def _host(scope: http_answers.Scope) -> str:
    """The requested host without its port: "example.org"; an IPv6 address in its brackets."""
    host = http_answers.get_header(scope, b"host").decode("latin-1").strip().lower()
    name = host.rpartition("]")[0] + "]" if host.startswith("[") else host.partition(":")[0]
    return name.rstrip(".")


async def _probe(scope: http_answers.Scope, send: http_answers.Send, status: int, kind: bytes, body: bytes) -> None:
    headers = (
        [(b"content-type", kind), *http_answers.NO_STORE, *ONLINE_HEADER]
        if body
        else [*http_answers.NO_STORE, *ONLINE_HEADER]
    )
    if status != 204:
        headers.append((b"content-length", b"%d" % len(body)))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})
