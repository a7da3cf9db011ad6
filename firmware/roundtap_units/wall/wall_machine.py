"""What the wall's own machine has, as the kernel says it: a screen, and an address on the network."""

from __future__ import annotations

import socket
from ipaddress import ip_address
from itertools import pairwise
from pathlib import Path

CONNECTORS = Path("/sys/class/drm")
TRIE = Path("/proc/net/fib_trie")
FAR_AWAY = ("198.51.100.1", 9)
"""A network of examples: nothing is sent, the kernel is only asked which way it would go."""


def screens(folder: Path = CONNECTORS) -> tuple[str, ...]:
    """The connectors with a screen: ("HDMI-A-1",); none where there is no screen, or no graphics at all."""
    found = []
    for connector in sorted(folder.glob("card*-*")):
        try:
            if (connector / "status").read_text(encoding="ascii").strip() == "connected":
                found.append(connector.name.partition("-")[2])
        except (OSError, ValueError):
            continue
    # What is drawn for nobody is no screen.
    return tuple(name for name in found if not name.startswith("Writeback"))


def own_address(trie: Path = TRIE) -> str:
    """The address by which it would go out; where there is no way out (a cable between two machines), any that it has;
    "" where it is on no network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        try:
            asking.connect(FAR_AWAY)
            return str(asking.getsockname()[0])
        except OSError:
            return next(iter(local_ipv4(trie)), "")


def local_ipv4(trie: Path = TRIE) -> list[str]:
    """Every address of this machine's as Linux lists them, but those within itself."""
    try:
        lines = trie.read_text(encoding="ascii").splitlines()
    except (OSError, ValueError):
        return []
    found = [above.split()[-1] for above, line in pairwise(lines) if line.strip() == "/32 host LOCAL"]
    return [each for each in dict.fromkeys(found) if not ip_address(each).is_loopback]
