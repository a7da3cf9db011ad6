"""This machine's addresses, as Linux lists them."""

import socket
from collections.abc import Callable, Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address
from itertools import pairwise
from pathlib import Path

Address = IPv4Address | IPv6Address
PROBE_ADDRESS = ("198.51.100.1", 9)  # a documentation network: nothing is sent; the kernel is only asked for the route


def local_addresses(proc: Path = Path("/proc/net")) -> list[Address]:
    """All of them, loopback too."""
    addresses: list[Address] = [
        ip_address(above.split()[-1])
        for above, line in pairwise(read_lines(proc / "fib_trie"))
        if line.strip() == "/32 host LOCAL"
    ]
    addresses += (IPv6Address(int(line.split()[0], 16)) for line in read_lines(proc / "if_inet6"))
    return list(dict.fromkeys(addresses))


def own_address(addresses: Callable[[], Iterable[Address]] = local_addresses) -> str:
    """The address that outgoing traffic uses; without a route (a cable between two machines) any other; "" without a
    network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        try:
            asking.connect(PROBE_ADDRESS)
            return str(asking.getsockname()[0])
        except OSError:
            return next((str(each) for each in addresses() if each.version == 4 and not each.is_loopback), "")


def read_lines(path: Path) -> list[str]:
    """The lines of a kernel file; none where it does not exist."""
    try:
        return path.read_text(encoding="ascii").splitlines()
    except OSError:
        return []
