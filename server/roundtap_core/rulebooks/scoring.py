"""What matches and byes are worth, and what breaks ties, as data: the same types for a file of rules and for the
rulebooks that are written out."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, ClassVar, Final, Literal

from msgspec import Meta, Struct

from roundtap_core.records import BYE, NO_SHOW, WON_BYE

WIN, LOSS = "win", "loss"
DRAW: Final = "draw"

OWN, DIFFERENCE, AGAINST = "own", "difference", "against"
OPPONENTS_OWN, OPPONENTS_DIFFERENCE = "opponents_own", "opponents_difference"

ANY = "any"
WON_GAMES, DRAWN_GAMES, ALL_GAMES = "games.won", "games.drawn", "games.all"
"""Sums of the games of all matches, for rates; no sum that is shown has a dot in its key."""

FREE_WINS = (BYE, WON_BYE, NO_SHOW)

FigureKey = str
"""Where a number stands in a result: "score", "second", "wounds"."""

Percent = Annotated[int, Meta(ge=0, le=100)]
Worth = Annotated[int, Meta(ge=-99, le=999)]
FigureValue = Annotated[int, Meta(ge=0, le=9999)]
Cut = Annotated[int, Meta(ge=0, le=3)]

Figures = Mapping[FigureKey, tuple[int, int]]
"""Each figure as one side sees it: its own, and the other's."""


class Tally(Struct, frozen=True):
    """What one match gives one side: tournament points, the outcome, and figures summed for tiebreakers. `helpers` are
    summed as well, but never shown: they serve tiebreakers of opponents, and rates."""

    points: int
    outcome: str
    figures: Mapping[str, int] = {}
    helpers: Mapping[str, int] = {}


class _Part(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A part of a file of rules."""


class DifferenceTable(_Part, frozen=True):
    """Points by the difference of a figure: from each step's first number on, the side ahead gets the second, the other
    the third; level, both get the third where they are not equal."""

    of: Literal["score", "second"]
    steps: Annotated[tuple[tuple[FigureValue, Worth, Worth], ...], Meta(min_length=1, max_length=64)]

    def points(self, own: int, other: int) -> int:
        lead = own - other
        step = next((step for step in reversed(self.steps) if step[0] <= abs(lead)), (0, 0, 0))
        return step[1] if lead > 0 else step[2]


class Bonus(_Part, frozen=True):
    """Points that are added where all that is said holds. Who is behind has no lead, who is ahead no gap; level, both
    are 0."""

    points: Worth
    of: Literal["score", "second"] | None = None
    at_least: FigureValue | None = None
    ahead_at_least: FigureValue | None = None
    ahead_at_most: FigureValue | None = None
    behind_at_most: FigureValue | None = None
    outcome: Literal["win", "draw", "loss", "any"] = "any"
    ended: Literal["played", "time", "concession", "any"] = "any"

    ASKS: ClassVar[tuple[str, ...]] = ("at_least", "ahead_at_least", "ahead_at_most", "behind_at_most")

    @property
    def asks_figure(self) -> bool:
        return any(getattr(self, name) is not None for name in self.ASKS)

    def holds(self, outcome: str, ended: str, figures: Figures) -> bool:
        if self.outcome not in (ANY, outcome) or self.ended not in (ANY, ended):
            return False
        if self.of is None:
            return True
        own, other = figures.get(self.of, (0, 0))
        lead = own - other
        return (
            (self.at_least is None or own >= self.at_least)
            and (self.ahead_at_least is None or lead >= self.ahead_at_least)
            and (self.ahead_at_most is None or 0 <= lead <= self.ahead_at_most)
            and (self.behind_at_most is None or 0 <= -lead <= self.behind_at_most)
        )


class Points(_Part, frozen=True):
    """What a match is worth. `unit`: "half" where they are counted in halves, so that 2 is shown as 1."""

    win: Worth
    draw: Worth = 0
    loss: Worth = 0
    unit: Literal["whole", "half"] = "whole"
    table: Annotated[tuple[DifferenceTable, ...], Meta(max_length=4)] = ()
    bonus: Annotated[tuple[Bonus, ...], Meta(max_length=8)] = ()

    def of(self, outcome: str, ended: str, figures: Figures) -> int:
        """Tournament points of a played match, the figures as they count."""
        points = self.win if outcome == WIN else self.draw if outcome == DRAW else self.loss
        for table in self.table:
            points += table.points(*figures.get(table.of, (0, 0)))
        for bonus in self.bonus:
            if bonus.holds(outcome, ended, figures):
                points += bonus.points
        return points


def points_text(points: int, unit: str = "whole") -> str:
    """Tournament points as people read them; counted in halves, 3 is "1½"."""
    if unit == "whole":
        return str(points).replace("-", "−")
    whole, half = divmod(abs(points), 2)
    return ("−" if points < 0 else "") + (f"{whole or ''}½" if half else str(whole))


RATES = ("match_win", "game_win", "opponents_match_win", "opponents_opponents_match_win", "opponents_game_win")
OF_POINTS = (*("opponents_points", "sonneborn_berger", "cumulative", "opponents_cumulative", "sos", "extended_sos"),)
"""Ways of breaking ties whose values are percentages, or sums and means of tournament points."""


def value_text(by: str, value: int | Fraction, unit: str = "whole") -> str:
    """A tiebreaker's value as people read it, rounded; the exact fraction is in the export."""
    if by in RATES:
        return f"{float(100 * value):.1f}%"
    if by in OF_POINTS and unit == "half":
        if isinstance(value, int):
            return points_text(value, unit)
        value /= 2
    return f"{float(value):.3f}" if isinstance(value, Fraction) else points_text(value)


class TiebreakRule(_Part, frozen=True):
    """How a tie is broken: `by` names the way, the rest are its parameters (standings/tiebreakers.py). `floor` and
    `dropped_ceiling`, in percent, bound a rate; `counts` says a rate of what; `cut_lowest` and `cut_highest` leave out
    so many opponents; `base` is added to each played match's difference; with `decay` each earlier round weighs so much
    more than the next."""

    by: str
    of: FigureKey | None = None
    floor: Percent = 0
    dropped_ceiling: Percent | None = None
    counts: Literal["points", "wins", "half_draws"] = "points"
    cut_lowest: Cut = 0
    cut_highest: Cut = 0
    base: FigureValue = 0
    decay: Annotated[int, Meta(ge=1, le=10)] = 1


class Tiebreaker(TiebreakRule, frozen=True, kw_only=True):
    """A tiebreaker of a rulebook, by its key in event files and tables."""

    key: str


SOS, EXTENDED_SOS = Tiebreaker(key="sos", by="sos"), Tiebreaker(key="extended_sos", by="extended_sos")
OPPONENTS_POINTS = Tiebreaker(key="opponents_points", by="opponents_points")
LOT = Tiebreaker(key="random", by="random")


class Scoring(Struct, frozen=True):
    """What counts for the standings. `bye` and `won_bye` are the figures of both kinds of bye, as whoever has it sees
    them."""

    points: Points
    tiebreakers: tuple[Tiebreaker, ...] = ()
    bye_points: int | None = None
    bye: Figures = {}
    won_bye: Figures | None = None
    both_lose: int = 0
    bye_games: tuple[int, int] | None = None

    def match(self, outcome: str, ended: str, figures: Figures, games: Mapping[str, int] | None = None) -> Tally:
        """A played match, as one side sees it."""
        shown, helpers = self._sums(figures, True)
        return Tally(self.points.of(outcome, ended, figures), outcome, shown, {**helpers, **(games or {})})

    def free_round(self, bye: str) -> Tally:
        """A bye of this kind: a win, or the loss of a round that was missed."""
        if bye not in FREE_WINS:
            return self.nothing(0)
        shown, helpers = self._sums(self.won_bye if bye == WON_BYE and self.won_bye is not None else self.bye, False)
        if self.bye_games is not None:
            helpers = {**helpers, WON_GAMES: self.bye_games[0], DRAWN_GAMES: 0, ALL_GAMES: sum(self.bye_games)}
        points = self.points.win if self.bye_points is None else self.bye_points
        return Tally(points, WIN, shown, helpers)

    def nothing(self, points: int) -> Tally:
        """A loss in which no figure counts."""
        return Tally(points, LOSS, {each.key: 0 for each in self.tiebreakers if each.by in (OWN, DIFFERENCE, AGAINST)})

    def _sums(self, figures: Figures, played: bool) -> tuple[dict[str, int], dict[str, int]]:
        shown: dict[str, int] = {}
        helpers: dict[str, int] = {}
        for each in self.tiebreakers:
            own, other = figures.get(each.of or "", (0, 0))
            if each.by == OWN:
                shown[each.key] = own
            elif each.by == DIFFERENCE:
                shown[each.key] = own - other + (each.base if played else 0)
            elif each.by == AGAINST:
                shown[each.key] = other
            elif each.by == OPPONENTS_OWN:
                helpers[helper_key(each)] = own
            elif each.by == OPPONENTS_DIFFERENCE:
                helpers[helper_key(each)] = own - other
        return shown, helpers


def helper_key(tiebreaker: TiebreakRule) -> str:
    """Where the sum of an opponent is kept that this tiebreaker adds up."""
    return f"{tiebreaker.by}.{tiebreaker.of}"
