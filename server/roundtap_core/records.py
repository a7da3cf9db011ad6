"""What a tournament is made of: competitors, matches, results, rounds. Plain frozen records, no behaviour."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final, Literal

from msgspec import Struct
from msgspec.structs import replace

if TYPE_CHECKING:
    from fractions import Fraction

Side = Literal["a", "b"]
SIDES: tuple[Side, Side] = ("a", "b")

SWISS, ELIMINATION, TIEBREAK, SECOND_SWISS = "swiss", "elimination", "tiebreak", "second-swiss"
STAGES = (SWISS, ELIMINATION, TIEBREAK, SECOND_SWISS)
SWISS_STAGES = (SWISS, SECOND_SWISS)
"""Stages whose results add points; the second one is played by those who made the cut, where it is no elimination."""

# Byes. "no-show": the opponent did not appear. "unpaired-loss": a round missed, by absence or late entry.
BYE, WON_BYE, NO_SHOW, UNPAIRED_LOSS = "bye", "won", "no-show", "unpaired-loss"
BYES = (BYE, WON_BYE, NO_SHOW, UNPAIRED_LOSS)

Ending = Literal["played", "time", "concession", "ruling"]
PLAYED: Final = "played"
TIME: Final = "time"
CONCESSION: Final = "concession"
RULING: Final = "ruling"
Winner = Literal["a", "b", "draw", "none"]

FINISHED_EARLY, TIE_OPEN, SQUADS_UNFIELDED = "finished_early", "tie_open", "squads_unfielded"
"""Kinds of a noted deviation: the event was ended before all was played, with a tie at a place that counts, or with
squads that were never fielded."""

DROPPED, DISQUALIFIED = "dropped", "disqualified"
"""What standings say of somebody who is no longer there: who left is ranked, who was put out is not."""


def other(side: Side) -> Side:
    """The opposite side."""
    return "b" if side == "a" else "a"


class Pair(Struct, frozen=True):
    """One figure for each side of a table."""

    a: int = 0
    b: int = 0

    def of(self, side: Side) -> int:
        return self.a if side == "a" else self.b


class Result(Struct, frozen=True):
    """How a match ended, in real figures as they stood (the event file's `result`).

    `winner` is None where the figures tell; `timeout` holds what a time-out resolver was told.
    """

    ended: Ending = PLAYED
    winner: Winner | None = None
    conceded_by: Side | None = None
    score: Pair = Pair()
    wounds: Pair | None = None
    initiative: Side | None = None
    first_player: Side | None = None
    picks: dict[str, list[int]] | None = None
    timeout: dict[str, Any] | None = None


class Competitor(Struct, frozen=True):
    """A player, or a team, as the event file knows it."""

    id: str
    name: str
    public_name: str | None = None
    club: str | None = None
    external_id: str | None = None
    list: dict[str, Any] | None = None
    came_with: str | None = None
    fixed_table: int | None = None
    won_bye: bool = False
    dropped_after: int | None = None
    disqualified_after: int | None = None
    warnings: tuple[dict[str, Any], ...] = ()
    members: tuple[str, ...] = ()
    captain: str | None = None
    identity: str | None = None
    houses: tuple[str, ...] = ()
    officials_role: str | None = None
    record: dict[str, Any] | None = None
    """What else an event file has of it, in the file's keys: kept for who reads the file, no rule computes with it."""

    @property
    def active(self) -> bool:
        return self.dropped_after is None and self.disqualified_after is None

    @property
    def left_after(self) -> int | None:
        """The last round before which somebody was still there; None for who is."""
        lasts = [last for last in (self.dropped_after, self.disqualified_after) if last is not None]
        return min(lasts, default=None)

    def status(self, after: int | None = None) -> str | None:
        """DISQUALIFIED, DROPPED, or None for who was still there after round `after` (None: by now)."""
        for status, last in ((DISQUALIFIED, self.disqualified_after), (DROPPED, self.dropped_after)):
            if last is not None and (after is None or last <= after):
                return status
        return None


class Match(Struct, frozen=True):
    """Two competitors at a table, or one competitor and the kind of bye. Without `result` a match is open."""

    a: str
    b: str | None = None
    table: int | None = None
    bye: str | None = None
    result: Result | None = None
    game: int | str | None = None
    extension_minutes: int | None = None
    picks: tuple[int, ...] | None = None
    """The squads that a bye fields; those of a played match stand in its result."""
    absent: str | None = None
    """Who did not appear, at the no-show of who did."""
    record: dict[str, Any] | None = None
    """As for a competitor."""

    def competitor(self, side: Side) -> str | None:
        return self.a if side == "a" else self.b


def drawn_for(matches: Iterable[Match]) -> int:
    """How many were there when a round was drawn: not who entered later (an unpaired loss), but who did not appear.

    A no-show is two entries: the one who came, and the absent one's unpaired loss.
    """
    return sum(0 if m.bye == UNPAIRED_LOSS else 2 if m.b is not None or m.bye == NO_SHOW else 1 for m in matches)


class Draw(Struct, frozen=True):
    """Where a round's pairing came from: replaying `seed` and `attempt` draws it again."""

    seed: int
    attempt: int = 1
    method: str = ""


class Round(Struct, frozen=True):
    number: int
    stage: str = SWISS
    matches: tuple[Match, ...] = ()
    draw: Draw | None = None
    tiebreak_form: str | None = None
    """How three or more play out a tie in this round: "each" or "knockout" (see playoff)."""
    record: dict[str, Any] | None = None
    """As for a competitor."""


class Tournament(Struct, frozen=True):
    """One event file's content. Competitors keep the file's order: draws shuffle in that order."""

    name: str
    rulebook: str
    level: str | None = None
    options: dict[str, Any] = {}
    seed: int = 0
    competitors: tuple[Competitor, ...] = ()
    rounds: tuple[Round, ...] = ()
    record: dict[str, Any] | None = None
    """As for a competitor."""
    cut_order: tuple[str, ...] = ()
    """Everybody in the order that the cut was made from, as it was then; empty where none was made, or kept."""

    def after(self, number: int) -> Tournament:
        """The tournament as it stood after round `number`."""
        return replace(self, rounds=tuple(r for r in self.rounds if r.number <= number))

    def seated(self, after: int | None = None) -> set[str]:
        """Who has an entry in any round up to `after`, be it a bye or a round missed; all others never played."""
        return {
            who for played in self.rounds if after is None or played.number <= after
            for match in played.matches for who in (match.a, match.b) if who is not None
        }

    def stage_rounds(self, stage: str) -> tuple[Round, ...]:
        return tuple(r for r in self.rounds if r.stage == stage)


class StandingsRow(Struct, frozen=True):
    """One line of the standings, best first. `decided_by` names what put it above the next row.

    `by_chance` marks both neighbours of a tie that only the lot decided. `status`: DISQUALIFIED (`rank` is None then,
    and the line stands below all ranked ones), DROPPED, or None.
    """

    rank: int | None
    competitor: str
    points: int
    rounds: int
    wins: int
    losses: int
    draws: int
    byes: int
    tiebreakers: dict[str, int | Fraction]
    decided_by: str
    by_chance: bool
    status: str | None = None
