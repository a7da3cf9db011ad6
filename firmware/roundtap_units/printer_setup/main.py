"""`roundtap printer`: which ports there are, and `--setup`, which finds a printer's speed and model with its owner."""

from __future__ import annotations

import argparse
import locale
import logging
import time
from pathlib import Path

from roundtap_core.words import LANGUAGES
from roundtap_units.station.printer_settings import PrinterSettings

FOLDER = Path("/var/lib/roundtap-station")
CONFIG = Path("/etc/roundtap/station.toml")
STEP_S = 0.02


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("config", type=Path, nargs="?", default=None,
                        help=f"the station's TOML file (default: {CONFIG}, where there is one)")
    parser.add_argument("--setup", action="store_true",
                        help="find out the printer's speed and model: it prints, you answer")
    parser.add_argument("--language", choices=LANGUAGES, default=None, help="of questions and test prints")


def run(args: argparse.Namespace) -> int:
    """List the ports, or set the printer up. 0: done; 1: not found, or broken off; 2: a file that has to be mended."""
    from roundtap_devices.printing.printer_profiles import ProfileError
    from roundtap_units.printer_setup.asking import Setup, list_ports
    from roundtap_units.unit_config import ConfigError
    from roundtap_units.unit_words import unit_words

    logging.basicConfig(level=logging.ERROR, format="%(levelname)s %(name)s: %(message)s")
    words = unit_words(args.language or spoken())
    try:
        folder, written, language = _station(args.config)
        if args.language is None and language:
            words = unit_words(language)
        if not args.setup:
            list_ports(words, print, folder, written)
            return 0
        return 0 if Setup(words, print, input, mono_ms, _sleep, folder, written).run() else 1
    except (ConfigError, ProfileError) as error:
        print(f"roundtap printer: {error}")
        return 2
    except EOFError:
        print(words("printer.setup.broken_off"))
        return 1


def spoken() -> str:
    """The language of this machine, if it is one of ours."""
    name = (locale.getlocale()[0] or "en")[:2]
    return name if name in LANGUAGES else "en"


def mono_ms() -> int:
    return time.monotonic_ns() // 1_000_000


def _sleep() -> None:
    time.sleep(STEP_S)


def _station(path: Path | None) -> tuple[Path, PrinterSettings, str]:
    """(its folder, what its file says of the printer, its language); the usual ones where there is no file."""
    from roundtap_units.station.main import read_config

    if path is None and not CONFIG.exists():
        return FOLDER, PrinterSettings(), ""
    config = read_config(path or CONFIG)
    return config.folder, config.written, config.language
