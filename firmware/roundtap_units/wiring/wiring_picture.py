"""A board's wiring as SVG: the header with its 40 pins, and a coloured wire from each part's terminal to its pin.

One A4 page upright, in millimetres. Parts stand beside the column of the header that most of their wires go to, in the
order of their pins; ground and supply run from part to part along the page's edge, as one wires them, and each ends on
one pin. Every wire bears its words at both ends, so that it can be followed on a black-and-white print.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from xml.sax.saxutils import escape

from roundtap_core.words import Words
from roundtap_devices.boards import Board
from roundtap_units.wiring.board_parts import (
    BLACK,
    COLOURS,
    GROUND,
    HEADER,
    HEADER_PIN,
    RED,
    V5,
    V33,
    Part,
    Terminal,
    parts,
)

WIDTH, HEIGHT = 210.0, 297.0
TOP, PITCH = 46.0, 10.4
COLUMN_X = (100.0, 110.0)
RADIUS = 3.1
PART_W, TERMINAL_H, HEAD_H, GAP = 42.0, 6.2, 7.2, 3.2
PART_X = (20.0, WIDTH - 20.0 - PART_W)
RAIL_X = {(0, GROUND): 7.0, (0, V33): 13.0, (1, GROUND): WIDTH - 7.0, (1, V33): WIDTH - 13.0}
LANES = ((66.0, 82.0), (WIDTH - 66.0, WIDTH - 82.0))
"""Where wires turn, from the part's side to the header's."""
LETTER = 0.64
"""How wide a bold letter of DejaVu Sans is on average, as a part of its size."""
GREY, PAPER = "#6B6B6B", "#FFFFFF"


@dataclass(frozen=True, slots=True)
class _Placed:
    part: Part
    side: int
    y: float

    @property
    def height(self) -> float:
        return HEAD_H + TERMINAL_H * len(self.part.terminals)

    def terminal_y(self, number: int) -> float:
        return self.y + HEAD_H + TERMINAL_H * (number + 0.5)


def wiring_svg(board: Board, words: Words) -> str:
    """The picture, in the language of `words`."""
    placed = _placed([_wired(part, board.ready_made) for part in parts(board)])
    drawn = [
        _line(16, words("wiring.title", board=board.name), 7, bold=True),
        _line(23, words("wiring.seen"), 3.6),
        _line(29, words("wiring.ready_made" if board.ready_made else "wiring.unplug"), 4.2, bold=True),
        _header(),
        *([] if board.ready_made else _rails(placed)),
        *_wires(placed, board.ready_made),
        *_pins(placed, board.ready_made),
        *(line for each in placed for line in _box(each, words)),
        *_notes(board, words),
    ]
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH:g}mm" height="{HEIGHT:g}mm" '
        f'viewBox="0 0 {WIDTH:g} {HEIGHT:g}" font-family="DejaVu Sans, Verdana, sans-serif">',
        f"<title>{escape(words('wiring.title', board=board.name))}</title>",
        f'<rect width="{WIDTH:g}" height="{HEIGHT:g}" fill="{PAPER}"/>', *drawn, "</svg>", ""])


def part_name(part: Part, words: Words) -> str:
    """What a part is called for people: "Button ● (orange)"."""
    return words(f"wiring.part.{part.name}")


# --- where things stand ---


def _wired(part: Part, ready_made: bool) -> Part:
    """The part with its wires in the order of their pins; without ground and supply, where a ready-made board has them.
    """
    own = sorted((each for each in part.terminals if isinstance(each.to, int)),
                 key=lambda each: HEADER_PIN[each.to] if isinstance(each.to, int) else 0)
    if ready_made:
        return replace(part, terminals=tuple(own))
    if part.kind == "screen":
        return replace(part, terminals=(part.terminals[0], *own, part.terminals[-1]))
    return part


def _placed(listed: list[Part]) -> list[_Placed]:
    found = []
    for side in (0, 1):
        mine = sorted((part for part in listed if _side(part) == side), key=lambda part: _middle(part))
        heights = [HEAD_H + TERMINAL_H * len(part.terminals) for part in mine]
        ys: list[float] = []
        for part, height in zip(mine, heights, strict=True):
            wished = _middle(part) - height / 2
            ys.append(max(wished, ys[-1] + heights[len(ys) - 1] + GAP if ys else TOP - 6))
        bottom = TOP + 20 * PITCH + 2
        for number in reversed(range(len(ys))):
            ys[number] = min(ys[number], bottom - heights[number])
            bottom = ys[number] - GAP
        found += [_Placed(part, side, y) for part, y in zip(mine, ys, strict=True)]
    return found


def _side(part: Part) -> int:
    pins = part.pins()
    return 0 if 2 * sum(pin % 2 for pin in pins) >= len(pins) else 1


def _middle(part: Part) -> float:
    rows = [_pin_at(pin)[1] for pin in part.pins()]
    return sum(rows) / len(rows)


def _pin_at(pin: int) -> tuple[float, float]:
    return COLUMN_X[(pin - 1) % 2], TOP + PITCH * ((pin - 1) // 2) + PITCH / 2


# --- wires ---


def _wires(placed: list[_Placed], dashed: bool) -> list[str]:
    """The parts' own wires: out of the part, down or up a lane, and straight into the pin."""
    drawn = []
    for side in (0, 1):
        ends = []
        for each in placed:
            if each.side == side:
                for number, terminal in enumerate(each.part.terminals):
                    if isinstance(terminal.to, int):
                        ends.append((each.terminal_y(number), HEADER_PIN[terminal.to], terminal.colour))
        ends.sort()
        inner = PART_X[0] + PART_W if side == 0 else PART_X[1]
        first, last = LANES[side]
        step = (last - first) / max(1, len(ends) - 1)
        down = [end for end in ends if _crossed_y(end[1], side) > end[0]]
        up = [end for end in ends if end not in down]
        # Of wires that go down the upper one turns nearer to the header, of those that go up the lower one:
        # so none crosses its neighbour.
        order = [*reversed(down), *up]
        for lane, (y, pin, colour) in enumerate(order):
            x, pin_y = first + step * lane, _crossed_y(pin, side)
            pin_x, end_y = _pin_at(pin)
            path = f"M{inner:g} {y:g}H{x:g}V{pin_y:g}H{pin_x:g}" + ("" if pin_y == end_y else f"V{end_y:g}")
            drawn += _wire(path, colour, dashed)
    return drawn


def _crossed_y(pin: int, side: int) -> float:
    """The height at which a wire from this side comes to the pin: between two rows where the other column is passed."""
    y = _pin_at(pin)[1]
    return y if (pin - 1) % 2 == side else y + PITCH / 2


def _wire(path: str, colour: str, dashed: bool = False) -> list[str]:
    dash = ' stroke-dasharray="2 1"' if dashed else ""
    return [f'<path d="{path}" fill="none" stroke="{PAPER}" stroke-width="2.2"/>',
            f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1"{dash}/>']


def _rails(placed: list[_Placed]) -> list[str]:
    """Ground and supply, from part to part, ending on one pin each."""
    drawn: list[str] = []
    for side in (0, 1):
        for what, colour in ((GROUND, BLACK), (V33, RED)):
            ys = [each.terminal_y(number) for each in placed if each.side == side
                  for number, terminal in enumerate(each.part.terminals) if terminal.to == what]
            if not ys:
                continue
            rail_x, edge = RAIL_X[side, what], PART_X[0] if side == 0 else PART_X[1] + PART_W
            # The supply comes to the top pin, ground to the last row: over and under everything else.
            pin = _rail_pin(side, what)
            pin_x, pin_y = _pin_at(pin)
            turn_y = TOP - 9 - 2.5 * side if what == V33 else TOP + 20 * PITCH + 6 + 2.5 * side
            if what == V33:
                path = f"M{rail_x:g} {max(ys):g}V{turn_y:g}H{pin_x - (1.2 if side == 0 else -1.2):g}"
                path += f"V{pin_y:g}" if side == 0 else f"H{pin_x + 0.6:g}V{pin_y:g}"
            elif side == 0:
                path = f"M{rail_x:g} {min(ys):g}V{turn_y:g}H{pin_x:g}V{pin_y:g}"
            else:
                # Up inside the header's edge, past the pins below.
                path = f"M{rail_x:g} {min(ys):g}V{turn_y:g}H{COLUMN_X[1] + 4.4:g}V{pin_y:g}H{pin_x:g}"
            drawn += _wire(path, colour)
            for y in ys:
                drawn += _wire(f"M{rail_x:g} {y:g}H{edge:g}", colour)
                drawn.append(f'<circle cx="{rail_x:g}" cy="{y:g}" r="1.1" fill="{colour}"/>')
    return drawn


def _rail_pin(side: int, what: str) -> int:
    """Ground: pin 39 from the left, 34 from the right; 3.3 V: pin 1."""
    return 1 if what == V33 else 39 if side == 0 else 34


# --- what is drawn ---


def _header() -> str:
    left, right = COLUMN_X[0] - 5.2, COLUMN_X[1] + 5.2
    return (f'<rect x="{left:g}" y="{TOP - 1:g}" width="{right - left:g}" height="{20 * PITCH + 2:g}" rx="1.5" '
            f'fill="#E8E8E8" stroke="{BLACK}" stroke-width="0.5"/>')


def _pins(placed: list[_Placed], ready_made: bool) -> list[str]:
    used = {pin for each in placed for pin in each.part.pins()}
    grounds = set() if ready_made else {
        _rail_pin(each.side, terminal.to) for each in placed for terminal in each.part.terminals
        if isinstance(terminal.to, str)}
    drawn = []
    for pin, what in HEADER.items():
        x, y = _pin_at(pin)
        fill, ink = PAPER, GREY
        if pin in used:
            terminal = next(terminal for each in placed for terminal in each.part.terminals if terminal.to == what)
            fill, ink = terminal.colour, PAPER
        elif pin in grounds:
            fill, ink = (BLACK if what == GROUND else RED), PAPER
        square = f'<rect x="{x - RADIUS:g}" y="{y - RADIUS:g}" width="{2 * RADIUS:g}" height="{2 * RADIUS:g}"'
        shape = square if pin == 1 else f'<circle cx="{x:g}" cy="{y:g}" r="{RADIUS:g}"'
        drawn.append(f'{shape} fill="{fill}" stroke="{BLACK}" stroke-width="0.35"/>')
        drawn.append(_text(x, y + 1.1, str(pin), 3.1, ink, weight="bold" if ink == PAPER else "normal"))
        name = f"GPIO{what}" if isinstance(what, int) else what
        if pin in used or pin in grounds or what in (V5, GROUND, V33):
            away = -1 if pin % 2 else 1
            drawn.append(_text(x + away * 6.4, y - 1.3, name, 2.9, BLACK if pin in used or pin in grounds else GREY,
                               anchor="end" if away < 0 else "start", weight="bold" if pin in used else "normal"))
    return drawn


def _box(each: _Placed, words: Words) -> list[str]:
    x = PART_X[each.side]
    colour = COLOURS.get(each.part.name, BLACK)
    drawn = [
        f'<rect x="{x:g}" y="{each.y:g}" width="{PART_W:g}" height="{each.height:g}" rx="2" fill="{PAPER}" '
        f'stroke="{colour}" stroke-width="0.8"/>',
        _text(x + PART_W / 2, each.y + 5, part_name(each.part, words), _fitting(part_name(each.part, words)), BLACK,
              weight="bold"),
    ]
    for number, terminal in enumerate(each.part.terminals):
        drawn += _terminal(each, number, terminal, x)
    return drawn


def _terminal(each: _Placed, number: int, terminal: Terminal, x: float) -> list[str]:
    y = each.terminal_y(number)
    pin = HEADER_PIN[terminal.to] if isinstance(terminal.to, int) else None
    inward = pin is not None
    at_right = inward == (each.side == 0)
    dot_x = x + PART_W if at_right else x
    text = terminal.name if pin is None else f"{terminal.name} → {pin}"
    return [
        f'<circle cx="{dot_x:g}" cy="{y:g}" r="1.3" fill="{terminal.colour}"/>',
        _text(dot_x + (-2.6 if at_right else 2.6), y + 1.2, text, 3.2, terminal.colour,
              anchor="end" if at_right else "start"),
    ]


def _notes(board: Board, words: Words) -> list[str]:
    keys = ["wiring.note.on_board"] if board.ready_made else ["wiring.note.ground", "wiring.note.supply"]
    if not board.ready_made and any(part.kind == "lamp" for part in parts(board)):
        keys.append("wiring.note.resistor")
    if board.screen.bus == "spi":
        keys.append("wiring.note.spi")
    return [_text(20, 270 + 5.2 * number, words(key), 3.5, anchor="start") for number, key in enumerate(keys)]


def _line(y: float, text: str, size: float, bold: bool = False) -> str:
    """A line across the page, as large as it fits."""
    return _text(WIDTH / 2, y, text, min(size, (WIDTH - 20) / (LETTER * len(text))), BLACK if bold else GREY,
                 weight="bold" if bold else "normal")


def _fitting(text: str) -> float:
    """A size at which the text fits a part's head."""
    return min(4.0, (PART_W - 3) / (LETTER * len(text)))


def _text(x: float, y: float, text: str, size: float, colour: str = BLACK, anchor: str = "middle",
          weight: str = "normal") -> str:
    bold = ' font-weight="bold"' if weight == "bold" else ""
    return (f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{colour}" text-anchor="{anchor}"{bold}>'
            f"{escape(text)}</text>")
