"""The bracket as SVG: columns of games joined by lines, readable on a wall and on paper, in the text's colour.

Only presentation attributes and `currentColor`: it can stand in a page whose policy allows no styles.
"""

from collections.abc import Mapping
from html import escape
from unicodedata import east_asian_width

from msgspec import Struct

from roundtap_core.elimination.bracket import (
    CHAMPION,
    THIRD,
    THIRD_PLACE,
    Bracket,
    BracketGame,
    BracketSeat,
    drawing_order,
    game_count,
    round_key,
)
from roundtap_core.words import Words

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif"
NAME_PX, SMALL_PX, TITLE_PX = 17, 13, 15
ROW, ROW_OF_TWO, LINE = 29, 45, 18  # height of a name on one line, of one on two, and of a line

GAP, BETWEEN, HEAD, MARGIN, LEFT = 18, 52, 40, 8, 28
"""The space between two games, between two columns, above the first game, around all, and left
of the first column, where the games' numbers stand."""

SEED_WIDTH, SCORE_WIDTH, PAD = 28, 46, 10
NARROWEST, WIDEST = 130, 320  # limits of a name's width; one that is wider still is set closer, never cut

PAGE = (16.0, 8.2)  # width and height of what it is mostly shown on, in proportion

WALL, PORTRAIT_WALL = (768.0, 376.0), (420.0, 690.0)
"""A wall below its head, so measured that a name of NAME_PX has the smallest letters that a hall can read."""
WALL_ROW, WALL_GAP, WALL_BETWEEN, WALL_HEAD = 20, 4, 26, 24
CLOSEST = 0.76  # how much closer a name's letters may stand on a wall before another layout is chosen
WORTH = 1.1  # how much larger all letters must become for a name to be broken
INITIAL = 3  # so few letters at a name's end do not stand on a line of their own

BOLD = 1.13  # how much wider bold letters are
NARROW_LETTERS, WIDE_LETTERS = "ijlftrI.,-'() ", "mwMWÆŒ@"


def round_label(words: Words, key: str) -> str:
    """A round's name for people: "Semi-final"; "Round of 128" beyond those that have names."""
    if f"bracket.{key}" in words:
        return words(f"bracket.{key}")
    return words("bracket.round-of", size=key.rpartition("-")[2])


def marked_names(bracket: Bracket, names: Mapping[str, str], words: Words) -> dict[str, str]:
    """All names; after those of the disqualified it says so: their seeds and games stay in the bracket."""
    out = {who: f"{names.get(who, who)} ({words('status.disqualified')})" for who in bracket.out}
    return {**names, **out}


def text_width(text: str, size_px: float) -> float:
    """About how wide a text is in a sans serif of that size, in pixels; rather more than less."""
    units = sum(
        0.36
        if c in NARROW_LETTERS
        else 0.92
        if c in WIDE_LETTERS
        else 0.71
        if c.isupper()
        else 1
        if east_asian_width(c) in "WF"
        else 0.59
        for c in text
    )
    return units * size_px


class _Position(Struct, frozen=True):
    """Where a game stands: left edge and the line between its two names."""

    x: float
    y: float


def bracket_svg(bracket: Bracket, names: Mapping[str, str], words: Words) -> str:
    """A whole SVG document without an XML head. Long names stand on two lines only where that makes all letters clearly
    larger on a screen."""
    names = marked_names(bracket, names, words)
    whole, broken = (_BracketSvg(bracket, names, words, two_lines) for two_lines in (False, True))
    return (broken if broken.scale() > whole.scale() * WORTH else whole).svg()


def wall_bracket(bracket: Bracket, names: Mapping[str, str], words: Words, box: tuple[float, float]) -> list[str]:
    """The bracket as pages of a wall, each an SVG document that fills `box`. Where the whole is too small to be read
    across a hall: without past rounds, then the current round and the next, then these in several pages."""
    current = next((g.round for g in bracket.games if not g.decided and g.game != THIRD), bracket.rounds)
    games = game_count(bracket.size, current)
    names = marked_names(bracket, names, words)
    layouts = [(first, bracket.rounds, 1) for first in (1, max(1, current - 1), current)]
    for halved in range(games.bit_length()):
        layouts.append((current, min(current + 1, bracket.rounds), games // (games >> halved)))
    pages: list[_WallBracket] = []
    for first, last, parts in layouts:
        pages = []
        for part in range(parts):
            one, two = (
                _WallBracket(bracket, names, words, two_lines, (first, last), (part, parts), box)
                for two_lines in (False, True)
            )
            pages.append(one if one.scale() >= 1 else max(one, two, key=_WallBracket.scale))
        if min(page.scale() for page in pages) >= 1:
            break
    return [page.svg() for page in pages]


def _width(name: str) -> float:
    """A name's width, bold: a winner keeps the space."""
    return text_width(name, NAME_PX) * BOLD


def _halves(name: str) -> list[str]:
    breaks = [i for i, letter in enumerate(name[: -INITIAL - 1]) if letter == " "]
    if not breaks:
        return [name]
    middle = min(breaks, key=lambda i: abs(len(name) - 1 - 2 * i))
    return [name[:middle], name[middle + 1 :]]


class _BracketSvg:
    row, row_of_two, gap, between, head = ROW, ROW_OF_TWO, GAP, BETWEEN, HEAD
    seed_gap = 8
    small_px: float = SMALL_PX
    title_px: float = TITLE_PX
    whole = True  # with the games' numbers, who comes in from where, and the champion

    def __init__(
        self,
        bracket: Bracket,
        names: Mapping[str, str],
        words: Words,
        two_lines: bool,
        rounds: tuple[int, int] = (1, 0),
        part: tuple[int, int] = (0, 1),
    ) -> None:
        """`rounds`: the first and the last one shown, 0: to the final; `part` (i, n): the i-th of n equal parts, from
        top to bottom."""
        self._bracket, self._names, self._words, self._part = bracket, names, words, part
        last = max(r for r in range(1, bracket.rounds + 1) if game_count(bracket.size, r) >= part[1])
        self._rounds = range(rounds[0], min(rounds[1] or last, last) + 1)
        orders = {r: self._order(r) for r in self._rounds}
        self._games = [
            g for g in bracket.games if g.game in (*orders.get(g.round, ()), THIRD) and g.round in self._rounds
        ]
        texts = [self._text(game, seat) for game in self._games for seat in (game.a, game.b)]
        self._wanted = max(
            (_width(line) for text in texts for line in (_halves(text) if two_lines else [text])), default=0
        )
        self._name_width = min(max(self._wanted, NARROWEST), WIDEST)
        self._two_lines = two_lines
        self._row: float = self.row_of_two if any(len(self._split(text)) > 1 for text in texts) else self.row
        self._slot: float = 2 * self._row + self.gap
        self._parts: list[str] = []

    @property
    def _width(self) -> float:
        return SEED_WIDTH + self._name_width + SCORE_WIDTH + PAD

    def _order(self, bracket_round: int) -> list[int]:
        order, (part, parts) = drawing_order(self._bracket.size, bracket_round), self._part
        return order[len(order) * part // parts : len(order) * (part + 1) // parts]

    def scale(self) -> float:
        """How large it can be shown on a page."""
        width, height = self._extent(self._places())
        return min(PAGE[0] / width, PAGE[1] / height)

    def _extent(self, places: Mapping[int, _Position]) -> tuple[float, float]:
        width = self._x(self._bracket.rounds + 1) + self._champion_width() + MARGIN
        return width, max(place.y for place in places.values()) + self._row + MARGIN

    def _split(self, name: str) -> list[str]:
        return _halves(name) if self._two_lines and _width(name) > self._name_width else [name]

    def svg(self) -> str:
        places = self._places()
        for bracket_round in self._rounds:
            self._title(bracket_round)
        for game in self._games:
            self._lines(game, places)
        for game in self._games:
            self._game(game, places[game.number])
        if self.whole:
            self._champion(places[self._bracket.final.number])
        width, height = self._extent(places)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" role="img" '
            f'aria-label="{escape(self._words("bracket.ranking"))}" font-family="{FONT}" '
            f'font-size="{NAME_PX}" fill="currentColor">\n' + "\n".join(self._parts) + "\n</svg>\n"
        )

    def _x(self, bracket_round: int) -> float:
        return (LEFT if self.whole else 1) + (bracket_round - self._rounds[0]) * (self._width + self.between)

    def _places(self) -> dict[int, _Position]:
        """The first column evenly, each later game midway between the two that feed it, third place below."""
        by_game = {(game.round, game.game): game for game in self._games}
        places: dict[int, _Position] = {}
        middle: dict[tuple[int, int], float] = {}
        for bracket_round in self._rounds:
            for i, number in enumerate(self._order(bracket_round)):
                if bracket_round == self._rounds[0]:
                    y = self._first_y() + i * self._slot
                else:
                    before = self._order(bracket_round - 1)
                    y = sum(middle[bracket_round - 1, feeder] for feeder in before[2 * i : 2 * i + 2]) / 2
                middle[bracket_round, number] = y
                places[by_game[bracket_round, number].number] = _Position(self._x(bracket_round), y)
        if (third := by_game.get((self._bracket.rounds, THIRD))) is not None:
            final = places[self._bracket.final.number]
            places[third.number] = _Position(final.x, final.y + 2 * self._row + self._above_third())
        return places

    def _first_y(self) -> float:
        return self.head + MARGIN + self._row

    def _above_third(self) -> float:
        """The space between the final and the match for third place, with its title."""
        return 2 * self.row + self.gap

    def _title(self, bracket_round: int) -> None:
        title = round_label(self._words, round_key(game_count(self._bracket.size, bracket_round)))
        self._append(
            self._x(bracket_round), (MARGIN if self.whole else 0) + self.title_px, title, self.title_px, bold=True
        )

    def _lines(self, game: BracketGame, places: Mapping[int, _Position]) -> None:
        here = places[game.number]
        for seat in (game.a, game.b):
            there = places.get(seat.winner_of or 0)
            if there is None or game.game == THIRD:
                continue
            x = there.x + self._width
            middle = x + self.between / 2
            self._parts.append(
                f'<path d="M{x:.1f} {there.y:.1f}H{middle:.1f}V{here.y:.1f}H{here.x:.1f}" fill="none" '
                'stroke="currentColor" stroke-opacity="0.45" stroke-width="1.5"/>'
            )

    def _game(self, game: BracketGame, place: _Position) -> None:
        if game.game == THIRD:
            title = round_label(self._words, THIRD_PLACE)
            self._append(place.x, place.y - self._row - 9, title, self.title_px, bold=True)
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
        if self.whole:
            self._append(place.x - 6, place.y - 5, str(game.number), 12, quiet=True, anchor="end")
        self._side(game, game.a, place.x, place.y - self._row / 2)
        self._side(game, game.b, place.x, place.y + self._row / 2)

    def _side(self, game: BracketGame, seat: BracketSeat, x: float, middle: float) -> None:
        y = middle + 6
        won = game.winner is not None and seat.competitor == game.winner
        out = game.decided and not won
        if seat.seed is not None:
            self._append(x + SEED_WIDTH - self.seed_gap, y, str(seat.seed), self.small_px, quiet=True, anchor="end")
        unknown = seat.competitor is None
        lines = self._split(self._text(game, seat))
        size = self.small_px if unknown else NAME_PX
        for i, line in enumerate(lines):
            shift = (i - (len(lines) - 1) / 2) * LINE
            self._append(x + SEED_WIDTH, y + shift, line, size, bold=won, quiet=unknown or out, fit=self._name_width)
        if score := self._score(game, seat):
            self._append(x + self._width - PAD, y, score, NAME_PX, bold=won, quiet=not won, anchor="end")

    def _text(self, game: BracketGame, seat: BracketSeat) -> str:
        words = self._words
        if seat.competitor is not None:
            return self._names.get(seat.competitor, seat.competitor)
        if seat.empty:
            # Before the round is drawn a player may still come in.
            return words("bracket.bye") if game.match is not None or game.round > 1 else "–"
        if not self.whole:
            return ""
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
        self._append(
            x, final.y + 10, self._names.get(who, who) if who else "–", NAME_PX + 4, bold=True, fit=WIDEST * 1.2
        )

    def _champion_width(self) -> float:
        who = self._bracket.champion
        name = self._names.get(who, who) if who else ""
        label = text_width(round_label(self._words, CHAMPION), SMALL_PX)
        return MARGIN + max(label, min(text_width(name, NAME_PX + 4) * BOLD, WIDEST * 1.2))

    def _append(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        bold: bool = False,
        quiet: bool = False,
        anchor: str = "",
        fit: float = 0,
    ) -> None:
        attributes = (
            (f'x="{x:.1f}" y="{y:.1f}"', True),
            (f'font-size="{size}"', size != NAME_PX),
            ('font-weight="600"', bold),
            ('fill-opacity="0.7"', quiet),
            (f'text-anchor="{anchor}"', anchor),
            (
                f'textLength="{fit:.0f}" lengthAdjust="spacingAndGlyphs"',
                fit and text_width(text, size) * (BOLD if bold else 1) > fit,
            ),
        )
        self._parts.append(f"<text {' '.join(each for each, holds in attributes if holds)}>{escape(text)}</text>")


class _WallBracket(_BracketSvg):
    """A bracket, or a part of it, that fills a box of a wall."""

    row, row_of_two, gap, between, head = WALL_ROW, WALL_ROW + LINE, WALL_GAP, WALL_BETWEEN, WALL_HEAD
    seed_gap = 5
    small_px = title_px = NAME_PX
    whole = False

    def __init__(
        self,
        bracket: Bracket,
        names: Mapping[str, str],
        words: Words,
        two_lines: bool,
        rounds: tuple[int, int],
        part: tuple[int, int],
        box: tuple[float, float],
    ) -> None:
        super().__init__(bracket, names, words, two_lines, rounds, part)
        columns, games = len(self._rounds), len(self._order(self._rounds[0]))
        beside = 2 + columns * (SEED_WIDTH + SCORE_WIDTH + PAD) + (columns - 1) * self.between
        high = games * self._slot
        if any(game.game == THIRD for game in self._games):
            high = max(high, 2 * (3 * self._row + self._above_third()))
        natural, closest = (
            box[0] / (beside + columns * share * max(self._wanted, NARROWEST)) for share in (1, CLOSEST)
        )
        self._scale = min(box[1] / (self.head + high), max(natural, min(closest, 1)))
        self._box = box[0] / self._scale, box[1] / self._scale
        self._name_width = (self._box[0] - beside) / columns
        self._slot = (self._box[1] - self.head) / games
        # Room to spare makes the rows higher.
        room = (self._box[1] - self.head) / 2 - self._above_third()
        self._row = max(self._row, min(1.5 * self.row, self._slot / 2 - self.gap, room / 3))

    def scale(self) -> float:
        """Of its letters, to the smallest that a hall can read."""
        return self._scale

    def _extent(self, places: Mapping[int, _Position]) -> tuple[float, float]:
        return self._box

    def _first_y(self) -> float:
        return self.head + self._slot / 2

    def _above_third(self) -> float:
        return NAME_PX + 3 * WALL_GAP
