"""Which serial port is at pins 8 and 10 of the header, on each model of the Pi, and what `config.txt` needs for it.

Sources: raspberrypi/documentation, computers/configuration/uart.adoc (primary and secondary UART, `enable_uart`; for
the Pi 5 its pull request #3294), and the overlays' README of raspberrypi/linux (`uart0`, `disable-bt`, `miniuart-bt`).
"""

import re
from dataclasses import dataclass, replace

MODEL = "proc/device-tree/model"  # "Raspberry Pi 4 Model B Rev 1.5", and a zero byte
# What people take for the header's port; on each model some of them are the debug socket's or Bluetooth's.
TAKEN_FOR_IT = ("/dev/serial0", "/dev/serial1", "/dev/ttyAMA0", "/dev/ttyAMA10", "/dev/ttyS0")
ENABLE_UART, RP1_UART = "enable_uart=1", "dtparam=uart0=on"


@dataclass(frozen=True, slots=True)
class HeaderPort:
    """`path`: the port, "" for a model that is not known here; `names`: all that lead to it; `config`: the lines.
    `models` and `config_has` are patterns: of the model, and of a line in `config.txt` that moves the port."""

    models: str = ""
    path: str = ""
    names: tuple[str, ...] = TAKEN_FOR_IT
    config: tuple[str, ...] = (ENABLE_UART, RP1_UART)
    config_has: str = ""
    model: str = ""


UNKNOWN = HeaderPort()
# Below such a line `config.txt` is for some models alone, or for none.
_OF_SOME = re.compile(r"^[ \t]*\[(?:pi|cm|board-|none).*?(?=^[ \t]*\[(?:all|pi|cm|board-|none)|\Z)", re.M | re.S | re.I)
_WITH_BLUETOOTH = r"(3|4|400|Zero W|Zero 2|Compute Module 4)\b"
KNOWN = (
    # /dev/serial0 is ttyAMA10, the socket of three pins between those of HDMI; ttyS0 does not exist.
    HeaderPort(r"(5|500|Compute Module 5)\b", "/dev/ttyAMA0", ("/dev/ttyAMA0",), (RP1_UART,)),
    # Bluetooth has ttyAMA0, unless an overlay takes it away.
    HeaderPort(
        _WITH_BLUETOOTH,
        "/dev/serial0",
        ("/dev/serial0", "/dev/ttyAMA0"),
        (ENABLE_UART,),
        r"(?m)^[ \t]*dtoverlay=(pi3-)?(disable-bt|miniuart-bt)(?![\w-])",
    ),
    HeaderPort(_WITH_BLUETOOTH, "/dev/serial0", ("/dev/serial0", "/dev/ttyS0"), (ENABLE_UART,)),
    HeaderPort(
        r"(Model|2|Zero Rev|Compute Module (Rev|3|4S))\b",
        "/dev/serial0",
        ("/dev/serial0", "/dev/ttyAMA0"),
        (ENABLE_UART,),
    ),
)


def header_port(model: str, config: str = "") -> HeaderPort:
    """The port of a model, by its own name; `config`: the text of its `config.txt`, whose lines for all models count.

    >>> header_port("Raspberry Pi 5 Model B Rev 1.0").path
    '/dev/ttyAMA0'
    """
    name, counts = model.strip("\0\n "), _OF_SOME.sub("", config)
    fitting = (p for p in KNOWN if re.match(f"Raspberry Pi {p.models}", name) and re.search(p.config_has, counts))
    return replace(next(fitting, UNKNOWN), model=name)
