"""`roundtap board`: a board's wiring as a table, what to buy for it, and a walk through everything that is on it."""

from __future__ import annotations

import argparse
import queue
import sys
import tempfile
import time

from roundtap_core.words import LANGUAGES, Words
from roundtap_devices.boards import BOARDS, Board, BoardError, board
from roundtap_units.unit_words import unit_words
from roundtap_units.wiring.board_parts import (
    BANK_SLEEPS_MA,
    HEADER_PIN,
    LAMP_MA,
    PI_MA,
    PRICES_EUR,
    PRICES_OF,
    cost_eur,
    draws_ma,
    hours_on,
    needed,
    packages,
    parts,
)

DONE, SILENT, BAD_INPUT = 0, 1, 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", default="recommended", metavar="NAME",
                        help=f"{', '.join(BOARDS)}, or a board's TOML file (default: recommended)")
    parser.add_argument("--parts", action="store_true", help="what to buy, and what it draws")
    parser.add_argument("--test", action="store_true", help="try every button, light, buzzer and the screen")
    parser.add_argument("--language", choices=LANGUAGES, default="en")


def run(args: argparse.Namespace) -> int:
    """Exit code 1: something on the board did not answer."""
    words = unit_words(args.language)
    try:
        made = board(args.name)
    except (BoardError, OSError) as error:
        text = words(f"board.{error.key}", **error.params) if isinstance(error, BoardError) else str(error)
        print(f"roundtap board: {text}", file=sys.stderr)
        return BAD_INPUT
    if args.test:
        return _test(made, words)
    print(parts_text(made, words) if args.parts else pins_text(made, words))
    return DONE


def pins_text(made: Board, words: Words) -> str:
    """The wires as a table for a terminal: part, BCM number, header pin."""
    rows = [(words(f"wiring.part.{part.name}"), name, f"GPIO{pin}", f"{HEADER_PIN[pin]:>2}")
            for part in parts(made) for name, pin in part.wires]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    return "\n".join([words("wiring.title", board=made.name),
                      *("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
                        for row in rows)])


def parts_text(made: Board, words: Words) -> str:
    """What to buy, a line a part, then what it costs and draws."""
    lines = [words("parts.title", board=made.name), ""]
    for count, key in needed(made):
        low, high = PRICES_EUR[key]
        lines.append(f"{count:>2} × {words(f'parts.{key}')}  ({low}–{high} €)")
    low, high = cost_eur(made)
    lines += ["", words("parts.cost", low=low, high=high, month=PRICES_OF),
              words("parts.packages", packages=" ".join(packages(made))),
              words("parts.draws", ma=draws_ma(made), pi=PI_MA, lamp=LAMP_MA),
              words("parts.bank", ma=BANK_SLEEPS_MA, hours=hours_on(made, 10_000))]
    return "\n".join(lines)


def _test(made: Board, words: Words) -> int:
    from roundtap_devices.display.oled import oled_screen
    from roundtap_devices.front import Front
    from roundtap_devices.input.edges import Edge
    from roundtap_devices.input.pin_factory import real_factory
    from roundtap_units.wiring.board_walk import Walk

    edges: queue.SimpleQueue[Edge] = queue.SimpleQueue()

    def mono_ms() -> int:
        return time.monotonic_ns() // 1_000_000

    front = Front(made, lambda: real_factory(tempfile.gettempdir()), edges, mono_ms)
    screen = oled_screen(made.screen, front.pins)
    try:
        silent = Walk(made, front, screen, edges, _AtTerminal(words), words, mono_ms,
                      lambda ms: time.sleep(ms / 1000)).run()
    finally:
        screen.close()
        front.close()
    return SILENT if silent else DONE


class _AtTerminal:
    """A person at a terminal; an empty answer is a yes."""

    def __init__(self, words: Words) -> None:
        self._words = words

    def say(self, text: str) -> None:
        print(text, flush=True)

    def sees(self, question: str) -> bool:
        try:
            answer = input(f"{question} {self._words('walk.yes_no')} ")
        except EOFError:
            return False
        return not answer.strip().lower().startswith(self._words("walk.no"))
