"""`roundtap printer`: lists the ports; `--setup` finds a printer's speed and model together with its owner."""

import argparse
import locale
import logging
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from roundtap_core.words import Words, choose_language
from roundtap_devices.printing import printer_profiles
from roundtap_devices.printing.escpos_job import compose_job
from roundtap_devices.printing.ports import PINS, USB, FoundPort, Port, PortUnavailable, find_ports, open_port
from roundtap_devices.printing.print_lines import PrintLine
from roundtap_devices.printing.printer import HELD, Printer
from roundtap_units.documents.notices import speed_test_lines, width_test_lines
from roundtap_units.link.hub_time import mono_ms
from roundtap_units.station.printer_desk import FILE, SPEEDS, PrinterSettings, read_settings, write_settings
from roundtap_units.unit_arguments import STATION_FILE
from roundtap_units.unit_config import ConfigError, unit_words

FOLDER = Path("/var/lib/roundtap-station")
STEP_S = 0.02
STATUS_QUERY = b"\x10\x04\x01"
ANSWER_MS, QUESTIONS = 400, 3
FAST_ENOUGH = 19200  # baud at which a hall's slips come out within a minute or so

Say = Callable[[str], None]
Find = Callable[[], list[FoundPort]]


def run(args: argparse.Namespace) -> int:
    """List the ports, or set the printer up. 0: done; 1: not found, or cancelled; 2: a faulty file."""
    logging.basicConfig(level=logging.ERROR, format="%(levelname)s %(name)s: %(message)s")
    words = unit_words(args.language or choose_language(locale.getlocale()[0] or ""))
    try:
        folder, written, language = _station_config(args.config)
        if args.language is None and language:
            words = unit_words(language)
        if not args.setup:
            list_ports(words, print, folder, written)
            return 0
        return 0 if PrinterSetup(words, print, input, mono_ms, lambda: time.sleep(STEP_S), folder, written).run() else 1
    except (ConfigError, printer_profiles.ProfileError) as error:
        print(f"roundtap printer: {error}")
        return 2
    except EOFError:
        print(words("printer.setup.broken_off"))
        return 1


def _station_config(path: Path | None) -> tuple[Path, PrinterSettings, str]:
    """(the station's folder, its file's printer settings, its language); the defaults where there is no file."""
    from roundtap_units.station.main import read_station_config

    if path is None and not STATION_FILE.exists():
        return FOLDER, PrinterSettings(), ""
    config = read_station_config(path or STATION_FILE)
    return config.folder, config.file_settings, config.language


def list_ports(words: Words, say: Say, folder: Path, written: PrinterSettings, find: Find = find_ports) -> None:
    """Print what is plugged in, what cannot be used and why, and the station's settings."""
    ports = find()
    say(words("printer.ports" if ports else "printer.ports.none"))
    for port in ports:
        say(_row(words, port))
    settings = read_settings(folder, written)
    profile = printer_profiles.load_profile(settings.printer)
    key = "printer.kept.confirmed" if settings.confirmed else "printer.kept.unconfirmed"
    say(words(key, printer=settings.printer, port=settings.port or "auto", baud=settings.speed(profile)))


def _row(words: Words, port: FoundPort, number: int | None = None) -> str:
    reason = f" – {words(f'printer.refused.{port.refused}', path=port.id)}" if port.refused else ""
    return f"{f'{number}: ' if number else '  '}{words(f'printer.port.{port.kind}')}: {port.id}{reason}"


class PrinterSetup:
    """One setup. say, ask: print to the person, and get an answer; mono_ms, pause: the clock, and a short wait."""

    def __init__(
        self,
        words: Words,
        say: Say,
        ask: Callable[[str], str],
        mono_ms: Callable[[], int],
        pause: Callable[[], None],
        folder: Path,
        written: PrinterSettings,
        find: Find = find_ports,
        open_found: Callable[[FoundPort, int, str], Port] = open_port,
    ) -> None:
        self._words = words
        self._say = say
        self._ask = ask
        self._mono_ms = mono_ms
        self._pause = pause
        self._folder = folder
        self._written = written
        self._find = find
        self._open = open_found

    def run(self) -> bool:
        """Whether a printer was found and its settings are on the disk."""
        port = self._port()
        if port is None:
            return False
        if port.kind == PINS:
            self._say(self._words("printer.setup.pins"))
        try:
            baud = 0 if port.kind == USB else self._speed(port)
            if baud is None:
                self._say(self._words("printer.setup.no_speed"))
                return False
            profile = self._model(port, baud)
        except PortUnavailable as gone:
            self._say(
                self._words(
                    "printer.setup.gone",
                    port=port.id,
                    reason=(self._words(f"printer.refused.{gone.reason}", path=port.id) if gone.reason else str(gone)),
                )
            )
            return False
        if profile is None:
            return False
        settings = PrinterSettings(port.id, profile.name, baud, self._written.flow, True)
        try:
            write_settings(self._folder, settings)
        except OSError as error:
            self._say(
                self._words("printer.setup.not_written", file=str(self._folder / FILE), reason=error.strerror or error)
            )
            return False
        self._say(self._words("printer.setup.done", printer=profile.name, port=port.id, file=str(self._folder / FILE)))
        if not read_settings(self._folder, self._written).confirmed:
            self._say(self._words("printer.setup.file_differs"))
        return True

    def _port(self) -> FoundPort | None:
        ports = self._find()
        self._say(self._words("printer.ports" if ports else "printer.ports.none"))
        for number, port in enumerate(ports, start=1):
            self._say(_row(self._words, port, number))
        usable = [port for port in ports if not port.refused]
        if not usable:
            return None
        if len(ports) == 1:
            return usable[0]
        while True:
            choice = self._number("printer.setup.which_port", len(ports))
            if choice == 0:
                return None
            if not ports[choice - 1].refused:
                return ports[choice - 1]

    def _speed(self, port: FoundPort) -> int | None:
        """The fastest speed at which it answers; else the one whose sheet is legible."""
        for baud in SPEEDS:
            if self._answers(port, baud):
                self._say(self._words("printer.setup.answers", baud=baud))
                if baud < FAST_ENOUGH:
                    self._say(self._words("printer.setup.slow", baud=FAST_ENOUGH))
                return baud
        self._say(self._words("printer.setup.speeds", n=len(SPEEDS)))
        for number, baud in enumerate(SPEEDS, start=1):
            # The slowest printer, the narrowest paper: right for all.
            self._print(port, baud, printer_profiles.PLAIN_58, speed_test_lines(number, baud))
        choice = self._number("printer.setup.which_speed", len(SPEEDS))
        return SPEEDS[choice - 1] if choice else None

    def _answers(self, port: FoundPort, baud: int) -> bool:
        """Two answers to three questions: at a wrong speed one may look like an answer, or be lost after the noise."""
        line = self._open(port, baud, "none")
        try:
            line.read_some()
            return sum(self._answers_once(line) for _ in range(QUESTIONS)) >= QUESTIONS - 1
        finally:
            line.close()

    def _answers_once(self, line: Port) -> bool:
        line.write_some(STATUS_QUERY)
        until_ms = self._mono_ms() + ANSWER_MS
        while self._mono_ms() < until_ms:
            if any(byte & 0x93 == 0x12 for byte in line.read_some()):
                return True
            self._pause()
        return False

    def _model(self, port: FoundPort, baud: int) -> printer_profiles.PrinterProfile | None:
        names = list(printer_profiles.PROFILES)
        if self._written.printer not in names:
            names.append(self._written.printer)
        while True:
            for number, name in enumerate(names, start=1):
                self._say(f"{number}: {name} ({printer_profiles.SOLD_AS.get(name, name)})")
            choice = self._number("printer.setup.which_model", len(names))
            if choice == 0:
                return None
            profile = replace(printer_profiles.load_profile(names[choice - 1]), name=names[choice - 1])
            self._print(port, baud, profile, width_test_lines(profile, self._words))
            if self._confirm("printer.setup.right"):
                return profile
            self._say(self._words("printer.setup.another"))

    def _print(
        self, port: FoundPort, baud: int, profile: printer_profiles.PrinterProfile, lines: list[PrintLine]
    ) -> None:
        # Interrupted: what came before at another speed may have been half a command to it.
        printer = Printer(
            lambda: self._open(port, baud or profile.baud, profile.flow), profile, interrupted=True, confirmed=True
        )
        printer.begin(compose_job(lines, profile), lambda: None, self._mono_ms())
        try:
            while (outcome := printer.step(self._mono_ms())) is None:
                self._pause()
            if outcome.state == HELD and outcome.detail not in ("offline", "no-paper"):
                raise PortUnavailable(outcome.detail)
            if outcome.detail:
                self._say(self._words(f"printer.trouble.{outcome.detail}"))
        finally:
            printer.close()

    def _number(self, key: str, most: int) -> int:
        while True:
            answer = self._ask(self._words(key) + " ").strip()
            if answer.isdecimal() and int(answer) <= most:
                return int(answer)
            self._say(self._words("printer.setup.number", most=most))

    def _confirm(self, key: str) -> bool:
        yes, no = self._words("printer.setup.yes"), self._words("printer.setup.no")
        while True:
            answer = self._ask(f"{self._words(key)} ({yes}/{no}) ").strip().casefold()
            if answer and (yes.startswith(answer) or no.startswith(answer)):
                return yes.startswith(answer)
