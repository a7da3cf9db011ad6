"""The addresses by which the hall reaches this machine, best first, watched while the hub runs."""

import socket
import threading
from collections.abc import Callable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, ip_address, ip_network
from pathlib import Path

from roundtap_machine.addresses import Address, local_addresses, read_lines

HTTP = 80
MDNS_NAME = "roundtap.local"  # the name of a hub made by a card, on its network (mDNS) and on its hotspot
HOTSPOT_NETWORK = ip_network("10.42.0.0/16")
"""NetworkManager's choice for shared connections: the hub is .1 of one of these networks."""
VIRTUAL_DEVICES = (
    "docker",
    "br-",
    "veth",
    "virbr",
    "vnet",
    "lxc",
    "lxd",
    "podman",
    "cni",
    "tun",
    "tap",
    "wg",
    "tailscale",
    "zt",
    "ppp",
    "dummy",
    "ifb",
)
"""Devices of containers, virtual machines and VPNs: no phone of a hall comes that way."""

CABLE_OR_WIFI, HOTSPOT, OTHER, NEWER, UNASSIGNED, PROGRAMS = range(6)


def hall_addresses(proc: Path = Path("/proc/net"), devices: Path = Path("/sys/class/net")) -> list[Address]:
    """This machine's addresses as a hall may reach them, best first; empty without a network. A network's address comes
    before the hotspot's: clients of the hotspot reach it, too, but not the reverse. Then those without a device of
    their own (a bridge), then IPv6, then self-assigned ones (a cable between two machines)."""
    device_of = _devices_by_network(proc / "route")
    ranked = [(rank, each) for each in local_addresses(proc) if (rank := _rank(each, device_of, devices)) != PROGRAMS]
    # A stable order, so that the address on the wall does not jump.
    return [each for _, each in sorted(ranked, key=lambda pair: (pair[0], pair[1].version, int(pair[1])))]


def addresses_of_socket(listening: str) -> list[Address]:
    """`hall_addresses` for a hub that listens on all of them; else the single one it listens on (a demo)."""
    bound = ip_address(listening.partition("%")[0])
    return hall_addresses() if bound.is_unspecified else [bound]


def _rank(address: Address, device_of: Sequence[tuple[IPv4Network, str]], devices: Path) -> int:
    device = next((device for network, device in device_of if address in network), "")
    if address.is_loopback or address.is_unspecified or address.is_multicast or device.startswith(VIRTUAL_DEVICES):
        return PROGRAMS
    if isinstance(address, IPv6Address):
        # Link-local ones need a zone, which differs on each machine.
        return PROGRAMS if address.is_link_local else NEWER
    if address.is_link_local:
        return UNASSIGNED
    if is_hotspot(address):
        return HOTSPOT
    return CABLE_OR_WIFI if device and (devices / device / "device").exists() else OTHER


def is_hotspot(address: Address) -> bool:
    """Whether this is the hub's address on its own hotspot."""
    return isinstance(address, IPv4Address) and address in HOTSPOT_NETWORK and int(address) & 0xFF == 1


def _devices_by_network(route: Path) -> list[tuple[IPv4Network, str]]:
    """The networks this machine is directly on, with their devices, smallest first."""
    rows = [line.split()[:8] for line in read_lines(route)[1:]]
    networks = [
        (IPv4Network((_parse_kernel_ip(network), str(_parse_kernel_ip(mask)))), device)
        for device, network, gateway, *_, mask in rows
        if int(gateway, 16) == 0 and int(mask, 16) != 0
    ]
    return sorted(networks, key=lambda pair: -pair[0].prefixlen)


def _parse_kernel_ip(digits: str) -> IPv4Address:
    """An address from the kernel's hexadecimal, which is in this machine's byte order: little-endian."""
    return IPv4Address(bytes.fromhex(digits)[::-1])


def mdns_name(
    host_name: Callable[[], str] = socket.gethostname, announcer: Path = Path("/run/avahi-daemon/socket")
) -> str:
    """MDNS_NAME where this machine has that name and announces it (as on every card); else ""."""
    return MDNS_NAME if host_name().partition(".")[0] == MDNS_NAME.partition(".")[0] and announcer.exists() else ""


class HallAddresses:
    """How the hall reaches this hub now; thread-safe. `port`: of the public pages; `short_port`: 80 where the hub
    answers there as well, so that no port needs typing; `names`: its other names; `local_name`: see `mdns_name`."""

    def __init__(
        self,
        port: int = 0,
        short_port: int = 0,
        names: Sequence[str] = (),
        addresses: Callable[[], Sequence[Address]] = hall_addresses,
        local_name: Callable[[], str] = mdns_name,
    ) -> None:
        self.port = port
        self.short_port = short_port
        self.names = frozenset(name.lower() for name in names)
        self._addresses = addresses
        self._local_name = local_name
        self.by_name = ""
        """"http://roundtap.local", for devices that can look it up; "" without that name or without a network."""
        self.addresses: tuple[Address, ...] = ()  # as of the last `refresh`, best first
        self._lock = threading.Lock()
        self.listeners: list[Callable[[], None]] = []
        """Called when the addresses have changed, in the thread that looked; must only enqueue."""

    def refresh(self) -> bool:
        """Read the machine's addresses; return whether they have changed."""
        addresses, name = tuple(self._addresses()), self._local_name()
        elsewhere = any(not each.is_loopback for each in addresses)
        by_name = http_url(name, self.short_port or self.port) if elsewhere and name else ""
        with self._lock:
            if (addresses, by_name) == (self.addresses, self.by_name):
                return False
            self.addresses, self.by_name = addresses, by_name
        for listener in self.listeners:
            listener()
        return True

    @property
    def url(self) -> str:
        """The address for wall and paper ("http://192.168.1.20"); "" without a network."""
        return self.urls[0] if self.addresses else ""

    @property
    def urls(self) -> tuple[str, ...]:
        return tuple(http_url(str(each), self.short_port or self.port) for each in self.addresses)

    def port_for(self, port: int) -> int:
        """The port to show a client that came by `port`: the short one where both are this hub's."""
        return self.short_port if self.short_port and port == self.port else port


def http_url(host: str, port: int) -> str:
    """ "http://10.42.0.1:8080"; without the port where it is the default."""
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}" if port in (0, HTTP) else f"http://{shown}:{port}"


def is_address(host: str) -> bool:
    try:
        ip_address(host.strip("[]").partition("%")[0])
    except ValueError:
        return False
    return True
