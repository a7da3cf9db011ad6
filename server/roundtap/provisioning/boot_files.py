"""Changes the Pi's own boot files, `config.txt` and `cmdline.txt`, idempotently."""

import re
from collections.abc import Iterable
from pathlib import Path

from roundtap.provisioning.roles import own_or_known
from roundtap.provisioning.settings_file import USED_BY, Settings
from roundtap_devices.boards import RECOMMENDED, Board, BoardError, load_board
from roundtap_devices.printing.header_port import TAKEN_FOR_IT, UNKNOWN, HeaderPort
from roundtap_machine.disk import write_atomically

BEGIN = "# --- Roundtap: made from roundtap.txt; write nothing between these two lines"
END = "# --- Roundtap: end"
WATCHDOG = "dtparam=watchdog=on"
BUSES = {
    # At 400 kHz a picture takes 25 ms, at the default 100 kHz 100 ms.
    "i2c": "dtparam=i2c_arm=on,i2c_arm_baudrate=400000",
    "spi": "dtparam=spi=on",
}
# A printer on the header's pins has them to itself. On a Pi 5 serial0 is another port, until the card is moved, or
# dtparam=uart0_console brings the console to the pins.
SERIAL_CONSOLE = re.compile(r"console=(serial0|ttyAMA0|ttyS0)(,\S*)?")


def write_boot_files(boot: Path, settings: Settings, own_boards: Path, header: HeaderPort = UNKNOWN) -> list[str]:
    """Apply the settings to both files; returns the names of those that changed. `own_boards`: a folder; `header`: the
    serial port on this machine's pins."""
    changed = []
    board = settings_board(settings, own_boards)
    serial = settings.port in TAKEN_FOR_IT and settings.role in USED_BY["port"]
    wanted = [WATCHDOG, BUSES[board.screen.bus], *(header.config if serial else ())]
    # The firmware does this some seconds after power-on, and long before the unit starts.
    wanted += [f"gpio={pin}=op,{'dh' if board.low_is_on(name) else 'dl'}" for name, pin, _ in board.on_at_reset()]
    for name in ("config.txt", "cmdline.txt"):
        path = boot / name
        if not path.is_file():
            continue
        old = path.read_bytes().decode("utf-8", errors="surrogateescape")
        new = with_config_lines(old, wanted) if name == "config.txt" else cmdline(old, settings.country, serial)
        if new != old:
            write_atomically(path, new.encode(errors="surrogateescape"), on_fat=True)
            changed.append(name)
    return changed


def settings_board(settings: Settings, own_boards: Path) -> Board:
    """The board; the recommended one in place of one that cannot be read (the unit itself reports why)."""
    try:
        return load_board(own_or_known(settings.board or RECOMMENDED.name, own_boards))
    except (BoardError, OSError):
        return RECOMMENDED


def with_config_lines(text: str, lines: Iterable[str]) -> str:
    """`config.txt` with our lines for all models of the Pi, in their old place or at its end; all others unchanged."""
    ends = "\r\n" if "\r\n" in text else "\n"
    before, mark, rest = text.partition(BEGIN)
    after = rest.partition(END)[2].lstrip("\r\n") if mark else ""
    # What somebody wrote behind them is below our [all], and stays there.
    return (before.rstrip("\r\n") + ends if before.strip() else "") + ends.join([BEGIN, "[all]", *lines, END, after])


def cmdline(text: str, country: str = "", serial: bool = False) -> str:
    """The kernel's command line with the radio's country, and without a console on a printer's serial port."""
    words = text.split()
    if country:
        words = with_kernel_word(words, "cfg80211.ieee80211_regdom=", country)
    if serial:
        words = [word for word in words if not SERIAL_CONSOLE.fullmatch(word)]
    return " ".join(words) + "\n" if words != text.split() else text


def with_kernel_word(words: list[str], name: str, value: str) -> list[str]:
    """The words with NAME=VALUE in its old place, or at the end; `value` "" removes it."""
    new = f"{name}{value}"
    if not value:
        return [word for word in words if not word.startswith(name)]
    if any(word.startswith(name) for word in words):
        return [new if word.startswith(name) else word for word in words]
    return [*words, new]
