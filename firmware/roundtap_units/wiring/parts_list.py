"""What to buy for one table with a board, and what it draws: lines of text for a terminal and for a shop."""

from __future__ import annotations

from collections import Counter

from roundtap_core.words import Words
from roundtap_devices.boards import Board
from roundtap_units.wiring.board_parts import BANK_SLEEPS_MA, LAMP_MA, PI_MA, draws_ma, parts

PRICES_OF = "2026-11"
PRICES_EUR = {
    "pi": (18, 25), "card": (5, 10), "supply": (8, 15), "screen.ssd1309": (12, 25), "screen.ssd1306": (4, 8),
    "screen.sh1106": (5, 10), "buttons": (6, 16), "lamps": (1, 2), "buzzer": (1, 3), "wires": (4, 8), "case": (5, 20),
    "adafruit-oled-bonnet": (22, 30), "waveshare-oled-hat": (14, 22),
}
"""Approximate, in euros for one, as European shops asked in the month above; taxes in, shipping out."""


def needed(board: Board) -> list[tuple[int, str]]:
    """(how many, which part: a key of PRICES_EUR), for one table."""
    listed = [(1, "pi"), (1, "card"), (1, "supply")]
    if board.ready_made:
        return [*listed, (1, board.name if board.name in PRICES_EUR else f"screen.{board.screen.driver}"), (1, "case")]
    kinds = Counter(part.kind for part in parts(board))
    listed += [(1, f"screen.{board.screen.driver}"), (kinds["button"], "buttons")]
    listed += [(kinds[kind], name) for kind, name in (("lamp", "lamps"), ("buzzer", "buzzer")) if kinds[kind]]
    return [*listed, (1, "wires"), (1, "case")]


def cost_eur(board: Board) -> tuple[int, int]:
    """What one table costs, from and to; "buttons" and "lamps" are prices of a set."""
    prices = [PRICES_EUR[key] for _, key in needed(board)]
    return sum(low for low, _ in prices), sum(high for _, high in prices)


def parts_text(board: Board, words: Words) -> str:
    """The list, in the language of `words`; one line a part, then what it costs and draws."""
    lines = [words("parts.title", board=board.name), ""]
    for count, key in needed(board):
        low, high = PRICES_EUR[key]
        lines.append(f"{count:>2} × {words(f'parts.{key}')}  ({low}–{high} €)")
    low, high = cost_eur(board)
    total_ma = draws_ma(board)
    lines += ["", words("parts.cost", low=low, high=high, month=PRICES_OF),
              words("parts.packages", packages=" ".join(packages(board))),
              words("parts.draws", ma=total_ma, pi=PI_MA, lamp=LAMP_MA),
              words("parts.bank", ma=BANK_SLEEPS_MA, hours=hours_on(board, 10_000))]
    return "\n".join(lines)


def packages(board: Board) -> tuple[str, ...]:
    """The Debian packages that the board's libraries come from."""
    return ("python3-lgpio", *(["python3-spidev"] if board.screen.bus == "spi" else []))


def hours_on(board: Board, bank_mah: int) -> int:
    """How long a power bank lasts: its mAh are counted at 3.7 V, and a tenth is lost on the way to 5 V."""
    return int(bank_mah * 3.7 / 5 * 0.9 / draws_ma(board))
