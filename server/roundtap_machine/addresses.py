"""This machine's addresses, as Linux lists them."""

from ipaddress import IPv4Address, IPv6Address, ip_address
from itertools import pairwise
from pathlib import Path

Address = IPv4Address | IPv6Address


def local_addresses(proc: Path = Path("/proc/net")) -> list[Address]:
    """All of them, loopback too."""
    found: list[Address] = [
        ip_address(above.split()[-1])
        for above, line in pairwise(read_lines(proc / "fib_trie"))
        if line.strip() == "/32 host LOCAL"
    ]
    found += (IPv6Address(int(line.split()[0], 16)) for line in read_lines(proc / "if_inet6"))
    return list(dict.fromkeys(found))


def read_lines(path: Path) -> list[str]:
    """The lines of a kernel file; none where it does not exist."""
    try:
        return path.read_text(encoding="ascii").splitlines()
    except OSError:
        return []
