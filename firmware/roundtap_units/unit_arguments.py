"""What the commands of units and of the print station may be told; help asks here, and no package of an extra is
imported."""

from argparse import SUPPRESS, ArgumentParser
from pathlib import Path

from roundtap_core.words import LANGUAGES
from roundtap_devices.boards import BOARDS

PANEL_FOLDER = Path("/var/lib/roundtap-panel")
STATION_FILE = Path("/etc/roundtap/station.toml")


def table(parser: ArgumentParser) -> None:
    parser.add_argument(
        "config",
        type=Path,
        nargs="?",
        default=Path("/etc/roundtap/table.toml"),
        help="TOML file, which may be missing: board, facing, language; hub; unit, key; folder (default: %(default)s)",
    )
    parser.add_argument(
        "--panel",
        type=Path,
        default=None,
        metavar="SOCKET",
        help="run on mock pins and a drawn screen, and serve both on this Unix socket",
    )
    parser.add_argument("--say", action="store_true", help="print the text of each new screen")
    parser.add_argument("--crash-at", default=None, help=SUPPRESS)


def panel(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--config",
        type=Path,
        default=Path("/etc/roundtap/panel.toml"),
        help="TOML file: board, language, folder; may be missing (default: %(default)s)",
    )
    parser.add_argument(
        "--folder", type=Path, default=None, help=f"where the pins' library keeps its files (default: {PANEL_FOLDER})"
    )
    parser.add_argument(
        "--panel",
        type=Path,
        default=None,
        metavar="SOCKET",
        help="run on mock pins and a drawn screen, and serve both on this Unix socket",
    )
    parser.add_argument("--say", action="store_true", help="print the text of each new screen")


def board(parser: ArgumentParser) -> None:
    parser.add_argument(
        "name",
        nargs="?",
        default="recommended",
        metavar="NAME",
        help=f"{', '.join(BOARDS)}, or a board's TOML file (default: recommended)",
    )
    parser.add_argument("--parts", action="store_true", help="what to buy, and what it draws")
    parser.add_argument("--test", action="store_true", help="try every button, light, buzzer and the screen")
    parser.add_argument("--language", choices=LANGUAGES, default="en")


def station(parser: ArgumentParser) -> None:
    parser.add_argument(
        "config",
        type=Path,
        nargs="?",
        default=STATION_FILE,
        help="TOML file, which may be missing: printer, device, baud, flow, language; hub; unit, key; "
        "folder (default: %(default)s)",
    )
    parser.add_argument(
        "--virtual",
        type=Path,
        default=None,
        metavar="SOCKET",
        help="print on a virtual printer, and serve its paper and its faults on this Unix socket",
    )


def printer(parser: ArgumentParser) -> None:
    parser.add_argument(
        "config",
        type=Path,
        nargs="?",
        default=None,
        help=f"the station's TOML file (default: {STATION_FILE}, where there is one)",
    )
    parser.add_argument(
        "--setup", action="store_true", help="find out the printer's speed and model: it prints, you answer"
    )
    parser.add_argument("--language", choices=LANGUAGES, default=None, help="of questions and test prints")
