"""What the commands of units and of the print station may be told; help asks here, and no package of an extra is
imported."""

from argparse import SUPPRESS
from collections.abc import Mapping
from pathlib import Path

from roundtap_core.command_arguments import Argument, argument
from roundtap_core.words import LANGUAGES
from roundtap_devices.boards import BOARDS

PANEL_FOLDER = Path("/var/lib/roundtap-panel")
STATION_FILE = Path("/etc/roundtap/station.toml")

_ON_A_SOCKET = (
    argument(
        "--panel",
        type=Path,
        default=None,
        metavar="SOCKET",
        help="run on mock pins and a drawn screen, and serve both on this Unix socket",
    ),
    argument("--say", action="store_true", help="print the text of each new screen"),
)

ARGUMENTS: Mapping[str, tuple[Argument, ...]] = {
    "table": (
        argument(
            "config",
            type=Path,
            nargs="?",
            default=Path("/etc/roundtap/table.toml"),
            help="TOML file, which may be missing: board, facing, language; hub; unit, key; folder "
            "(default: %(default)s)",
        ),
        *_ON_A_SOCKET,
        argument("--crash-at", default=None, help=SUPPRESS),
    ),
    "panel": (
        argument(
            "--config",
            type=Path,
            default=Path("/etc/roundtap/panel.toml"),
            help="TOML file: board, language, folder; may be missing (default: %(default)s)",
        ),
        argument(
            "--folder",
            type=Path,
            default=None,
            help=f"where the pins' library keeps its files (default: {PANEL_FOLDER})",
        ),
        *_ON_A_SOCKET,
    ),
    "board": (
        argument(
            "name",
            nargs="?",
            default="recommended",
            metavar="NAME",
            help=f"{', '.join(BOARDS)}, or a board's TOML file (default: recommended)",
        ),
        argument("--parts", action="store_true", help="what to buy, and what it draws"),
        argument("--test", action="store_true", help="try every button, light, buzzer and the screen"),
        argument("--language", choices=LANGUAGES, default="en"),
    ),
    "station": (
        argument(
            "config",
            type=Path,
            nargs="?",
            default=STATION_FILE,
            help="TOML file, which may be missing: printer, device, baud, flow, language; hub; unit, key; "
            "folder (default: %(default)s)",
        ),
        argument(
            "--virtual",
            type=Path,
            default=None,
            metavar="SOCKET",
            help="print on a virtual printer, and serve its paper and its faults on this Unix socket",
        ),
    ),
    "printer": (
        argument(
            "config",
            type=Path,
            nargs="?",
            default=None,
            help=f"the station's TOML file (default: {STATION_FILE}, where there is one)",
        ),
        argument("--setup", action="store_true", help="find out the printer's speed and model: it prints, you answer"),
        argument("--language", choices=LANGUAGES, default=None, help="of questions and test prints"),
    ),
}
