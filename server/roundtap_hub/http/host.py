"""Where a hub runs: its name, ports and clock, and the address the hall reaches it by."""

import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from roundtap_hub.http.hall_addresses import HTTP, HallAddresses, http_url
from roundtap_hub.http.requester import is_loopback
from roundtap_hub.store.own_machine import HallTime, OwnMachine

NAME_LETTERS = 40


def printable_name(name: str) -> str:
    """A machine's name as a screen can show it."""
    return "".join(letter for letter in name if letter.isprintable())[:NAME_LETTERS]


@dataclass(slots=True)
class Host:
    """Where a hub runs, and how it is reached."""

    hall_addresses: HallAddresses = field(default_factory=lambda: HallAddresses(addresses=tuple))
    """The addresses shown on walls and paper."""
    plain_port: int = 0  # the port of the public pages; 0: the one of the request
    other_addresses: Callable[[], Sequence[str]] = tuple
    """Hubs with copies of the journal, "http://host:port" each: units try them when this hub is silent."""
    on_database: bool = False  # whether other hubs may share the journal
    hall_time: HallTime | None = None
    """The time of day, which an organizer may set; None: not this hub's to set (a database's, a test's)."""
    machine: OwnMachine = field(default_factory=OwnMachine)
    name: str = field(default_factory=lambda: printable_name(socket.gethostname()))
    """This hub's name on the screens of units that look for a hub."""
    bench_url: str | None = None  # set by demo and practice: the address of the virtual tables
    framed_by: str = ""  # the origin whose page may frame this hub's pages (`requester.framing_origin`); "": none
    is_practice: bool = False  # whether this is a practice hub


def hall_address(host: Host, host_url: str = "") -> str:
    """The hub's address for the hall ("http://10.42.0.1:8080"); "" without `host_url` on a machine without a network.
    `host_url`: the address of the request ("https://hub:8443/"). A name that many phones cannot look up
    (`roundtap.local`) becomes an address if there is one."""
    reached = host.hall_addresses
    if not host_url:
        return reached.url
    url = urlsplit(host_url)
    name, port = url.hostname or "localhost", url.port or HTTP
    port = host.plain_port or port if url.scheme == "https" else reached.port_for(port)
    if name == "localhost" or is_loopback(name) or name.endswith(".local"):
        if not reached.addresses:
            reached.refresh()
        # The desk may be the hub itself; a phone is not.
        name = next((str(each) for each in reached.addresses), name)
    return http_url(name, port)
