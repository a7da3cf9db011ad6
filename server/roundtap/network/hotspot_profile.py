"""The hub's hotspot as NetworkManager is told of it: the words for `nmcli`, the password, what may be asked for."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable

from roundtap_core.errors import Problem
from roundtap_systemd.wifi import Hotspot

PROFILE = "roundtap-hotspot"
ADDRESS = "10.42.0.1/24"
"""NetworkManager's own choice, said so that it stays: paper says it."""
NAME, CHANNEL = "Roundtap", 6
CHANNELS = range(1, 14)
EVERYWHERE = range(1, 12)
"""What phones of every country look for."""
LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""Those that nobody takes for another one, on a screen of the hub or on paper."""
GROUPS, GROUP = 3, 4
PASSWORD = re.compile(r"[ -~]{8,63}")
NAME_BYTES_MAX = 32


def new_password(choose: Callable[[str], str] = secrets.choice) -> str:
    """ "kmwp-4hd7-xqre": as good as 59 bits of chance, and typed without asking back."""
    return "-".join("".join(choose(LETTERS) for _ in range(GROUP)) for _ in range(GROUPS))


def checked(hotspot: Hotspot) -> Hotspot:
    """The hotspot, if a Wi-Fi may be so; Problem says what is wrong and what would be right."""
    if not hotspot.name.strip() or len(hotspot.name.encode()) > NAME_BYTES_MAX or not hotspot.name.isprintable():
        raise Problem("hotspot_name", most=NAME_BYTES_MAX)
    if not PASSWORD.fullmatch(hotspot.password):
        raise Problem("hotspot_password")
    if not re.fullmatch(r"[A-Z]{2}|", hotspot.country):
        raise Problem("hotspot_country", said=hotspot.country)
    if hotspot.channel not in CHANNELS:
        raise Problem("hotspot_channel", said=hotspot.channel)
    return hotspot


def profile_words(hotspot: Hotspot) -> list[str]:
    """`nmcli` and all that makes the profile. Plain WPA2 on purpose: mixed with WPA3 it drops Zero 2 W units, and
    `pmf 1` (disable) keeps NetworkManager from offering that by itself."""
    return ["nmcli", "connection", "add", "type", "wifi", "con-name", PROFILE, "ifname", hotspot.device or "*",
            "ssid", hotspot.name, "connection.autoconnect", "yes", "connection.autoconnect-priority", "50",
            "connection.autoconnect-retries", "0", "802-11-wireless.mode", "ap", "802-11-wireless.band", "bg",
            "802-11-wireless.channel", str(hotspot.channel), "802-11-wireless.hidden",
            "yes" if hotspot.hidden else "no", "802-11-wireless-security.key-mgmt", "wpa-psk",
            "802-11-wireless-security.proto", "rsn", "802-11-wireless-security.pairwise", "ccmp",
            "802-11-wireless-security.group", "ccmp", "802-11-wireless-security.pmf", "1",
            "802-11-wireless-security.psk", hotspot.password, "ipv4.method", "shared", "ipv4.addresses", ADDRESS,
            "ipv6.method", "disabled"]


def forget_words() -> list[str]:
    return ["nmcli", "connection", "delete", PROFILE]


def up_words() -> list[str]:
    return ["nmcli", "--wait", "20", "connection", "up", PROFILE]
