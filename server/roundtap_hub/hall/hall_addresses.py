"""The addresses by which a hall reaches this machine, the best one first, followed while the hub runs."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, ip_address, ip_network
from pathlib import Path

from roundtap_hub.access.tls import Address, lines_of, local_addresses

HTTP = 80
MDNS_NAME = "roundtap.local"
"""What a hub made by a card is called on its network (mDNS), and on its hotspot."""
HOTSPOT_NETWORK = ip_network("10.42.0.0/16")
"""NetworkManager's own choice for what it shares: the hub is .1 of one of its networks."""
VIRTUAL_DEVICES = ("docker", "br-", "veth", "virbr", "vnet", "lxc", "lxd", "podman", "cni", "tun", "tap", "wg",
                   "tailscale",
               "zt", "ppp", "dummy", "ifb")
"""Devices by which programs of this machine reach each other, and its owner the world: no phone of a hall comes that
way."""

CABLE_OR_WIFI, HOTSPOT, OTHER, NEWER, UNASSIGNED, PROGRAMS = range(6)


def hall_addresses(proc: Path = Path("/proc/net"), devices: Path = Path("/sys/class/net")) -> list[Address]:
    """This machine's addresses as a hall may reach them, the best first; none where it is on no network yet.

    A network's address goes before the hotspot's: whoever is on the hotspot reaches it, too, but not the other way
    round. Then what has no device of its own (a bridge), then IPv6, then an address that nobody gave out (a single
    cable between two machines).
    """
    device_of = _devices_by_network(proc / "route")
    found = [(rank, each) for each in local_addresses(proc)
             if (rank := _rank(each, device_of, devices)) != PROGRAMS]
    # Their order stays as it is as long as nothing changes: what stands on the wall does not jump.
    return [each for _, each in sorted(found, key=lambda one: (one[0], one[1].version, int(one[1])))]


def addresses_of_socket(listening: str) -> list[Address]:
    """`hall_addresses` of a hub that listens at all of them; of one that listens at a single address (a demo, on this
    machine alone), that one."""
    bound = ip_address(listening.partition("%")[0])
    return hall_addresses() if bound.is_unspecified else [bound]


def _rank(address: Address, device_of: Sequence[tuple[IPv4Network, str]], devices: Path) -> int:
    device = next((device for network, device in device_of if address in network), "")
    if address.is_loopback or address.is_unspecified or address.is_multicast or device.startswith(VIRTUAL_DEVICES):
        return PROGRAMS
    if isinstance(address, IPv6Address):
        # With a zone that is another one on each machine.
        return PROGRAMS if address.is_link_local else NEWER
    if address.is_link_local:
        return UNASSIGNED
    if is_hotspot(address):
        return HOTSPOT
    return CABLE_OR_WIFI if device and (devices / device / "device").exists() else OTHER


def is_hotspot(address: Address) -> bool:
    """Whether this is the hub's address on its own hotspot."""
    return isinstance(address, IPv4Address) and address in HOTSPOT_NETWORK and int(address) & 0xff == 1


def _devices_by_network(route: Path) -> list[tuple[IPv4Network, str]]:
    """Networks that this machine is on itself, and by which device; the smallest first."""
    rows = [line.split()[:8] for line in lines_of(route)[1:]]
    found = [(IPv4Network((_parse_kernel_ip(network), str(_parse_kernel_ip(mask)))), device)
             for device, network, gateway, *_, mask in rows if int(gateway, 16) == 0 and int(mask, 16) != 0]
    return sorted(found, key=lambda one: -one[0].prefixlen)


def _parse_kernel_ip(digits: str) -> IPv4Address:
    """The kernel writes an address as a number in this machine's own order of bytes: all Pis and PCs have one."""
    return IPv4Address(bytes.fromhex(digits)[::-1])


def mdns_name(host_name: Callable[[], str] = socket.gethostname,
                   announcer: Path = Path("/run/avahi-daemon/socket")) -> str:
    """LOCAL_NAME where this machine is called so and somebody announces it (mDNS, as on every card); else ""."""
    return MDNS_NAME if host_name().partition(".")[0] == MDNS_NAME.partition(".")[0] and announcer.exists() else ""


class HallAddresses:
    """How the hall reaches this hub just now. `port`: of everybody's pages; `short_port`: 80, where the hub answers
    there as well, so that nobody types a port; `names`: what else it is called;
    `local_name`: see `mdns_name`.

    Any thread may ask; `look` is called again and again by who follows it.
    """

    def __init__(self, port: int = 0, short_port: int = 0, names: Sequence[str] = (),
                 addresses: Callable[[], Sequence[Address]] = hall_addresses,
                 local_name: Callable[[], str] = mdns_name) -> None:
        self.port = port
        self.short_port = short_port
        self.names = frozenset(name.lower() for name in names)
        self._addresses = addresses
        self._local_name = local_name
        self.by_name = ""
        """"http://roundtap.local" beside `url`, for who can look it up; "" where this machine is not called so, or
        reached by nobody else."""
        self.addresses: tuple[Address, ...] = ()
        """As they were looked at last, the best first."""
        self._lock = threading.Lock()
        self.listeners: list[Callable[[], None]] = []
        """Told, in whatever thread looked, that there are other addresses now; must only enqueue."""

    def look(self) -> bool:
        """Look at the machine's addresses; whether they are others than before."""
        found, name = tuple(self._addresses()), self._local_name()
        elsewhere = any(not each.is_loopback for each in found)
        by_name = http_url(name, self.short_port or self.port) if elsewhere and name else ""
        with self._lock:
            if (found, by_name) == (self.addresses, self.by_name):
                return False
            self.addresses, self.by_name = found, by_name
        for listener in self.listeners:
            listener()
        return True

    @property
    def url(self) -> str:
        """"http://192.168.1.20", without a slash: what stands on wall and paper; "" as long as there is no network."""
        return self.urls[0] if self.addresses else ""

    @property
    def urls(self) -> tuple[str, ...]:
        """One for each address, the best first."""
        return tuple(http_url(str(each), self.short_port or self.port) for each in self.addresses)

    def port_for(self, asked: int) -> int:
        """The port to say where somebody asked at `asked`: the short one where both are this hub's."""
        return self.short_port if self.short_port and asked == self.port else asked


def http_url(host: str, port: int) -> str:
    """"http://10.42.0.1:8080"; a port that browsers take by themselves is not said."""
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}" if port in (0, HTTP) else f"http://{shown}:{port}"


def is_address(host: str) -> bool:
    """Whether a host is an address and no name."""
    try:
        ip_address(host.strip("[]").partition("%")[0])
    except ValueError:
        return False
    return True
