"""The bracket as SVG: columns of games joined by lines, readable on a wall and on paper, in the text's colour.

Only presentation attributes and `currentColor`: it can stand in a page whose policy allows no styles.
"""

from collections.abc import Mapping
from html import escape
from unicodedata import east_asian_width

from msgspec import Struct

from roundtap_core.elimination.bracket import Bracket, BracketGame, BracketSeat
from roundtap_core.elimination.cut import CHAMPION, THIRD, THIRD_PLACE, drawing_order, game_count, round_key
from roundtap_core.words import Words

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif"
NAME_PX, SMALL_PX, TITLE_PX = 17, 13, 15
ROW, ROW_OF_TWO, LINE = 29, 45, 18  # height of a name on one line, of one on two, and of a line

GAP, BETWEEN, HEAD, MARGIN, LEFT = 18, 52, 40, 8, 28
"""The space between two games, between two columns, above the first game, around all, and left
of the first column, where the games' numbers stand."""

SEED_WIDTH, SCORE_WIDTH, PAD = 28, 46, 10
NARROWEST, WIDEST = 130, 320  # limits of a name's width; one that is wider still is set closer, never cut

SCREEN = (16.0, 8.2)  # width and height of where it is mostly shown, in proportion: a wall below its strip

NARROW_LETTERS, WIDE_LETTERS = "ijlftrI.,-'() ", "mwMWÆŒ@"


def round_label(words: Words, key: str) -> str:
    """A round's name for people: "Semi-final"; "Round of 128" beyond those that have names."""
    if f"bracket.{key}" in words:
        return words(f"bracket.{key}")
    return words("bracket.round-of", size=key.rpartition("-")[2])


def text_width(text: str, size_px: float) -> float:
    """About how wide a text is in a sans serif of that size, in pixels; rather more than less."""
    units = sum(0.36 if c in NARROW_LETTERS else 0.92 if c in WIDE_LETTERS else 0.71 if c.isupper()
                else 1 if east_asian_width(c) in "WF" else 0.59 for c in text)
    return units * size_px


class _Position(Struct, frozen=True):
    """Where a game stands: left edge and the line between its two names."""
    x: float
    y: float


def bracket_svg(bracket: Bracket, names: Mapping[str, str], words: Words, first_round: int = 1) -> str:
    """A whole SVG document without an XML head. `first_round`: leave out the rounds before it. Long names stand on two
    lines where that makes all letters larger on a screen."""
    first = min(max(1, first_round), bracket.rounds)
    drawings = [_BracketSvg(bracket, names, words, first, two_lines) for two_lines in (False, True)]
    return max(drawings, key=_BracketSvg.scale).svg()


def _width(name: str) -> float:
    """A name's width, bold: a winner keeps the space."""
    return text_width(name, NAME_PX) * 1.07


def _halves(name: str) -> list[str]:
    breaks = [i for i, letter in enumerate(name) if letter == " "]
    if not breaks:
        return [name]
    middle = min(breaks, key=lambda i: abs(len(name) - 1 - 2 * i))
    return [name[:middle], name[middle + 1 :]]


class _BracketSvg:
    def __init__(
        self, bracket: Bracket, names: Mapping[str, str], words: Words, first_round: int, two_lines: bool
    ) -> None:
        self._bracket, self._names, self._words, self._first = bracket, names, words, first_round
        shown = [g for g in bracket.games if g.round >= first_round]
        texts = [self._text(game, seat) for game in shown for seat in (game.a, game.b)]
        wanted = max((_width(line) for text in texts for line in (_halves(text) if two_lines else [text])), default=0)
        self._name_width = min(max(wanted, NARROWEST), WIDEST)
        self._two_lines = two_lines
        self._row = ROW_OF_TWO if any(len(self._split(text)) > 1 for text in texts) else ROW
        self._width = SEED_WIDTH + self._name_width + SCORE_WIDTH + PAD
        self._parts: list[str] = []

    def scale(self) -> float:
        """How large it can be shown on a screen."""
        width, height = self._extent(self._places())
        return min(SCREEN[0] / width, SCREEN[1] / height)

    def _extent(self, places: Mapping[int, _Position]) -> tuple[float, float]:
        width = self._x(self._bracket.rounds + 1) + self._champion_width() + MARGIN
        return width, max(place.y for place in places.values()) + self._row + MARGIN

    def _split(self, name: str) -> list[str]:
        return _halves(name) if self._two_lines and _width(name) > self._name_width else [name]

    def svg(self) -> str:
        places = self._places()
        for bracket_round in range(self._first, self._bracket.rounds + 1):
            self._title(bracket_round)
        for game in self._bracket.games:
            if game.number in places:
                self._lines(game, places)
        for game in self._bracket.games:
            if game.number in places:
                self._game(game, places[game.number])
        self._champion(places[self._bracket.final.number])
        width, height = self._extent(places)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" role="img" '
            f'aria-label="{escape(self._words("bracket.ranking"))}" font-family="{FONT}" '
            f'font-size="{NAME_PX}" fill="currentColor">\n' + "\n".join(self._parts) + "\n</svg>\n"
        )

    def _x(self, bracket_round: int) -> float:
        return LEFT + (bracket_round - self._first) * (self._width + BETWEEN)

    def _places(self) -> dict[int, _Position]:
        """The first column evenly, each later game midway between the two that feed it, third place below."""
        by_game = {(game.round, game.game): game for game in self._bracket.games}
        places: dict[int, _Position] = {}
        middle: dict[tuple[int, int], float] = {}
        for bracket_round in range(self._first, self._bracket.rounds + 1):
            order = drawing_order(self._bracket.size, bracket_round)
            for i, number in enumerate(order):
                if bracket_round == self._first:
                    y: float = HEAD + MARGIN + self._row + i * (2 * self._row + GAP)
                else:
                    before = drawing_order(self._bracket.size, bracket_round - 1)
                    y = sum(middle[bracket_round - 1, feeder] for feeder in before[2 * i : 2 * i + 2]) / 2
                middle[bracket_round, number] = y
                places[by_game[bracket_round, number].number] = _Position(self._x(bracket_round), y)
        third = self._bracket.third
        if third is not None:
            final = places[self._bracket.final.number]
            places[third.number] = _Position(final.x, final.y + 2 * self._row + 2 * ROW + GAP)
        return places

    def _title(self, bracket_round: int) -> None:
        title = round_label(self._words, round_key(game_count(self._bracket.size, bracket_round)))
        self._append(self._x(bracket_round), MARGIN + TITLE_PX, title, TITLE_PX, bold=True)

    def _lines(self, game: BracketGame, places: Mapping[int, _Position]) -> None:
        here = places[game.number]
        for seat in (game.a, game.b):
            there = places.get(seat.winner_of or 0)
            if there is None or game.game == THIRD:
                continue
            x = there.x + self._width
            middle = x + BETWEEN / 2
            self._parts.append(
                f'<path d="M{x:.1f} {there.y:.1f}H{middle:.1f}V{here.y:.1f}H{here.x:.1f}" fill="none" '
                'stroke="currentColor" stroke-opacity="0.45" stroke-width="1.5"/>'
            )

    def _game(self, game: BracketGame, place: _Position) -> None:
        if game.game == THIRD:
            title = round_label(self._words, THIRD_PLACE)
            self._append(place.x, place.y - self._row - 9, title, TITLE_PX, bold=True)
        open_now = game.match is not None and not game.decided
        self._parts.append(
            f'<rect x="{place.x:.1f}" y="{place.y - self._row:.1f}" width="{self._width:.1f}" '
            f'height="{2 * self._row}" rx="4" '
            f'fill="currentColor" fill-opacity="{0.1 if open_now else 0.04}" stroke="currentColor" '
            f'stroke-opacity="{0.9 if open_now else 0.35}" stroke-width="{2 if open_now else 1}"/>'
        )
        self._parts.append(
            f'<path d="M{place.x:.1f} {place.y:.1f}h{self._width:.1f}" stroke="currentColor" stroke-opacity="0.25"/>'
        )
        self._append(place.x - 6, place.y - 5, str(game.number), 12, quiet=True, anchor="end")
        self._side(game, game.a, place.x, place.y - self._row / 2)
        self._side(game, game.b, place.x, place.y + self._row / 2)

    def _side(self, game: BracketGame, seat: BracketSeat, x: float, middle: float) -> None:
        y = middle + 6
        won = game.winner is not None and seat.competitor == game.winner
        out = game.decided and not won
        if seat.seed is not None:
            self._append(x + SEED_WIDTH - 8, y, str(seat.seed), SMALL_PX, quiet=True, anchor="end")
        unknown = seat.competitor is None
        lines = self._split(self._text(game, seat))
        size = SMALL_PX if unknown else NAME_PX
        for i, line in enumerate(lines):
            shift = (i - (len(lines) - 1) / 2) * LINE
            self._append(x + SEED_WIDTH, y + shift, line, size, bold=won, quiet=unknown or out, fit=self._name_width)
        score = self._score(game, seat)
        if score:
            self._append(x + self._width - PAD, y, score, NAME_PX, bold=won, quiet=not won, anchor="end")

    def _text(self, game: BracketGame, seat: BracketSeat) -> str:
        words = self._words
        if seat.competitor is not None:
            return self._names.get(seat.competitor, seat.competitor)
        if seat.empty:
            # Before the round is drawn a player may still come in.
            return words("bracket.bye") if game.match is not None or game.round > 1 else "–"
        if seat.loser_of is not None:
            return words("bracket.loser_of", game=seat.loser_of)
        return words("bracket.winner_of", game=seat.winner_of) if seat.winner_of is not None else ""

    def _score(self, game: BracketGame, seat: BracketSeat) -> str:
        match = game.match
        if match is None or seat.competitor is None:
            return ""
        if match.b is None:
            # The empty seat opposite, where there is one, says "bye" already.
            alone = seat.competitor == match.a and not (game.a.empty or game.b.empty)
            return self._words("bracket.bye") if alone else ""
        return game.figure(seat.competitor)

    def _champion(self, final: _Position) -> None:
        who = self._bracket.champion
        x = self._x(self._bracket.rounds + 1)
        colour = 'stroke="currentColor" stroke-opacity="0.45" stroke-width="1.5"'
        self._parts.append(f'<path d="M{final.x + self._width:.1f} {final.y:.1f}H{x - 8:.1f}" fill="none" {colour}/>')
        self._append(x, final.y - 14, round_label(self._words, CHAMPION), SMALL_PX, quiet=True)
        self._append(x, final.y + 10, self._names.get(who, who) if who else "–", NAME_PX + 4, bold=True,
                  fit=WIDEST * 1.2)

    def _champion_width(self) -> float:
        who = self._bracket.champion
        name = self._names.get(who, who) if who else ""
        label = text_width(round_label(self._words, CHAMPION), SMALL_PX)
        return MARGIN + max(label, min(text_width(name, NAME_PX + 4) * 1.07, WIDEST * 1.2))

    def _append(self, x: float, y: float, text: str, size: float, bold: bool = False, quiet: bool = False,
             anchor: str = "", fit: float = 0) -> None:
        attributes = f'x="{x:.1f}" y="{y:.1f}"'
        if size != NAME_PX:
            attributes += f' font-size="{size}"'
        if bold:
            attributes += ' font-weight="600"'
        if quiet:
            attributes += ' fill-opacity="0.7"'
        if anchor:
            attributes += f' text-anchor="{anchor}"'
        if fit and text_width(text, size) * (1.07 if bold else 1) > fit:
            attributes += f' textLength="{fit:.0f}" lengthAdjust="spacingAndGlyphs"'
        self._parts.append(f"<text {attributes}>{escape(text)}</text>")
