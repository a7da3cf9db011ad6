"""Checks the places that `roundtap.txt` names: where the hub is, and where the printer is plugged in."""

import ipaddress
import re
from urllib.parse import urlsplit

from roundtap_devices.printing.header_port import TAKEN_FOR_IT, HeaderPort

HUB_PORT = 8080
# A hub may be told any port from 1024 on, but its encrypted one is for browsers.
PLAIN_PORT, FIRST_FREE_PORT, TLS_PORT = 80, 1024, 8443
# Also by one's own udev rule.
PRINTER_PORT = re.compile(
    # Not disks, cards, null devices, consoles, keyboards, screens, nor what else a Pi's /dev has; nor a folder, half a
    # name, or one in small letters.
    r"(?!.*\.\.)/dev/(?!(sd[a-z]|[hv]d[a-z]|mmcblk|nvme|loop|ram|dm-|md\d|mapper/|disk/|sr\d|null|zero|full|u?random"
    r"|k?mem|kmsg|console|tty\d*$|pt[mys]|input/|hidraw|fb\d|dri/|snd/|i2c|spi|gpio|net/|bus/"
    r"|std(in|out|err)$|fd(/|$)|(shm|block|char|mqueue|dma_heap|vfio|v4l)(/|\b)|usb/hid|(video|media|cec|sg|zram)\d"
    r"|watchdog\d*$|rtc\d*$|ttyprintk$|u?input$|uhid$|vcs[au]?\d*$|vc-mem$|vc(hiq|io|sm)|vhost-|vga_arbiter$"
    r"|(hwrng|fuse|cuse|log|rfkill|port|ppp|kvm|autofs|tpm\d*|initctl|btrfs-control|cpu_dma_latency|usbmon\d*)$"
    r"|(usb|serial(/by-(id|path))?|tty(USB|ACM|AMA|S))/?$|tty(usb|acm|ama))"
    r")[A-Za-z][\w./:@+-]*"
    r"|(?!.*\.\.)usb-[\w./:@+-]+"
)
# Everybody's, and those of the hotspot's own network as a whole.
OF_NOBODY = ("255.255.255.255", "10.42.0.0", "10.42.0.255")
# A machine's name: no address with a slip in it, and no answer to a question; 3.local may be one.
HOST_NAME = re.compile(
    r"(?!\d+\.\d+(\.|$)|(.*\.)?\d+\.?$|[\d-]+$|(yes|no|on|off|https?)$)[a-z\d]([a-z\d-]*[a-z\d])?(\.[a-z\d]([a-z\d-]*[a-z\d])?)*\.?",
    re.IGNORECASE | re.ASCII,
)


class InvalidValue(Exception):
    """An invalid value: the key of its text, and its parameters."""

    def __init__(self, key: str, /, **params: object) -> None:
        super().__init__(key)
        self.key, self.params = key, params


def shortened(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"


def printer_port(value: str, header: HeaderPort) -> str:
    """The port, by the one name that it has on this model where it is the header's."""
    if not PRINTER_PORT.fullmatch(value):
        raise InvalidValue("port", text=shortened(value))
    if value in TAKEN_FOR_IT and value not in header.names:
        raise InvalidValue("port_elsewhere", text=value, model=header.model, right=header.path)
    return (header.path or value) if value in header.names else value


def hub_url(value: str) -> str:
    """As the units read it; without a port it is the hub's own."""
    from roundtap_units.link.hub_address import endpoint_url, parse_endpoint

    url = value if re.match("[a-z]+:/", value, re.IGNORECASE) else f"http://{value}"
    try:
        host, port = parse_endpoint(url)[0], urlsplit(url).port or HUB_PORT
    except ValueError:
        raise InvalidValue("hub", text=shortened(value)) from None
    # A network is written so: 10.42.0.0/24; a person at a machine with @; and http//… lacks its colon.
    if not _may_be_hub(host) or re.search(r"^[^/]*\d/\d+$|@|^[^:]*//", value):
        raise InvalidValue("hub_place", text=shortened(value))
    if port == TLS_PORT or PLAIN_PORT != port < FIRST_FREE_PORT:
        raise InvalidValue("hub_port", port=port, right=HUB_PORT)
    return endpoint_url((host, port))


def _may_be_hub(host: str) -> bool:
    """A name, or an address that one machine may have; not this machine's own, nor those of nobody and of many."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return HOST_NAME.fullmatch(host) is not None and "localhost" not in host
    return not (address.is_unspecified or address.is_loopback or address.is_multicast or host in OF_NOBODY)
