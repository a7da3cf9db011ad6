"""The records of a tournament: competitors, matches, results, rounds. Frozen structs; results and matches also as JSON,
with the checks that need no rulebook."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from roundtap_core.errors import Invalid, Problem
from roundtap_core.typed import FIGURE, MalformedMessage, parse_message, refuse_out_of_range, refuse_over_limits

if TYPE_CHECKING:
    from fractions import Fraction

Side = Literal["a", "b"]
SIDES: tuple[Side, Side] = ("a", "b")

SWISS, ELIMINATION, TIEBREAK, SECOND_SWISS = "swiss", "elimination", "tiebreak", "second-swiss"
STAGES = (SWISS, ELIMINATION, TIEBREAK, SECOND_SWISS)
SWISS_STAGES = (SWISS, SECOND_SWISS)
"""Stages whose results add points; the second is for those who made the cut, in place of an elimination."""

# Byes. "no-show": the opponent did not appear. "unpaired-loss": a round missed through absence or late entry.
BYE, WON_BYE, NO_SHOW, UNPAIRED_LOSS = "bye", "won", "no-show", "unpaired-loss"
BYES = (BYE, WON_BYE, NO_SHOW, UNPAIRED_LOSS)

Ending = Literal["played", "time", "concession", "ruling"]
PLAYED: Final = "played"
TIME: Final = "time"
CONCESSION: Final = "concession"
RULING: Final = "ruling"
Winner = Literal["a", "b", "draw", "none"]

FINISHED_EARLY, TIE_OPEN, SQUADS_UNFIELDED = "finished_early", "tie_open", "squads_unfielded"
"""Kinds of recorded deviation: ended before all was played, with a tie at a place that counts, or unfielded squads."""

DROPPED, DISQUALIFIED = "dropped", "disqualified"
"""A departed competitor's status in the standings: dropped is ranked, disqualified is not."""

SECOND_FIGURES = ("wounds", "second")
"""Where a second number of each side stands: in a game that counts wounds, or in a store's own."""

_WRITTEN = (
    *("ended", "winner", "conceded_by", "initiative", "first_player", "picks", "timeout", "score"),
    *SECOND_FIGURES,
)
"""The keys in their established order."""


def other_side(side: Side) -> Side:
    return "b" if side == "a" else "a"


class SidePair(Struct, frozen=True):
    """One figure per side of a table."""

    a: int = 0
    b: int = 0

    def of(self, side: Side) -> int:
        return self.a if side == "a" else self.b


class Result(Struct, frozen=True):
    """How a match ended, with the figures on the table at that moment ("result" in the event file). `winner` is None
    where the figures decide; `timeout` holds the answers given to a time-out resolver."""

    ended: Ending = PLAYED
    winner: Winner | None = None
    conceded_by: Side | None = None
    score: SidePair = SidePair()
    wounds: SidePair | None = None
    second: SidePair | None = None
    initiative: Side | None = None
    first_player: Side | None = None
    picks: dict[str, list[int]] | None = None
    timeout: dict[str, Any] | None = None

    @property
    def figures(self) -> dict[str, SidePair]:
        """The numbers of both sides, by their keys: the score, and a second one where there is one."""
        more = {key: pair for key in SECOND_FIGURES if (pair := getattr(self, key)) is not None}
        return {"score": self.score, **more}


class Competitor(Struct, frozen=True):
    """A player or a team, as in the event file."""

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
    person: str | None = None
    record: dict[str, Any] | None = None  # further keys from the event file; of them only `declined_place` is looked at

    @property
    def active(self) -> bool:
        return self.dropped_after is None and self.disqualified_after is None

    @property
    def left_after(self) -> int | None:
        """The last round the competitor was present for; None while still in the event."""
        lasts = [last for last in (self.dropped_after, self.disqualified_after) if last is not None]
        return min(lasts, default=None)

    def status(self, after: int | None = None) -> str | None:
        """DISQUALIFIED, DROPPED, or None if still in the event after round `after` (None: now)."""
        for status, last in ((DISQUALIFIED, self.disqualified_after), (DROPPED, self.dropped_after)):
            if last is not None and (after is None or last <= after):
                # Who did not want a place in the cut has not left.
                return None if status == DROPPED and (self.record or {}).get("declined_place") else status
        return None


class Match(Struct, frozen=True):
    """Two competitors at a table, or one competitor and the kind of bye. A match without `result` is open."""

    a: str
    b: str | None = None
    table: int | None = None
    bye: str | None = None
    result: Result | None = None
    game: int | str | None = None
    extension_minutes: int | None = None
    picks: tuple[int, ...] | None = None  # the squads fielded by a bye; those of a played match are in its result
    absent: str | None = None  # in a no-show, the opponent who did not appear
    record: dict[str, Any] | None = None

    def competitor(self, side: Side) -> str | None:
        return self.a if side == "a" else self.b


def present_count(matches: Iterable[Match]) -> int:
    """How many were present when a round was drawn: includes no-shows, excludes later entries (unpaired losses). A
    no-show is two entries: the present player's, and the absent player's unpaired loss."""
    return sum(0 if m.bye == UNPAIRED_LOSS else 2 if m.b is not None or m.bye == NO_SHOW else 1 for m in matches)


class Draw(Struct, frozen=True):
    """How a round was drawn: the same `seed` and `attempt` reproduce it."""

    seed: int
    attempt: int = 1
    method: str = ""


class Round(Struct, frozen=True):
    number: int
    stage: str = SWISS
    matches: tuple[Match, ...] = ()
    draw: Draw | None = None
    tiebreak_form: str | None = None
    """How three or more play out a tie in this round: "each" or "knockout" (standings/tiebreakers.py)."""
    record: dict[str, Any] | None = None


class Tournament(Struct, frozen=True):
    """The content of one event file. Competitors keep the file's order, on which draws depend."""

    name: str
    rulebook: str
    level: str | None = None
    options: dict[str, Any] = {}
    seed: int = 0
    competitors: tuple[Competitor, ...] = ()
    rounds: tuple[Round, ...] = ()
    record: dict[str, Any] | None = None
    rules: str | None = None
    """The rules of a store's own game, as canonical JSON (rulebooks/own_rules.py)."""
    cut_order: tuple[str, ...] = ()
    """All competitors in the order used for the cut, as it stood then; empty without a cut or a recorded order."""

    def after(self, number: int) -> Tournament:
        """The tournament as it stood after round `number`."""
        return replace(self, rounds=tuple(r for r in self.rounds if r.number <= number))

    def seated(self, after: int | None = None) -> set[str]:
        """Competitors with an entry in any round up to `after`, including byes and missed rounds."""
        return {
            who
            for played in self.rounds
            if after is None or played.number <= after
            for match in played.matches
            for who in (match.a, match.b)
            if who is not None
        }

    def stage_rounds(self, stage: str) -> tuple[Round, ...]:
        return tuple(r for r in self.rounds if r.stage == stage)


class StandingsRow(Struct, frozen=True):
    """One line of the standings. `decided_by` names the tiebreaker that put it above the next row. `by_chance` marks
    both neighbours of a tie that only the lot decided. `status`: DROPPED, DISQUALIFIED (`rank` None, last) or None."""

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


def result_to_json(result: Result) -> dict[str, Any]:
    """The event file's `result`; only what differs from the defaults, but always `score`."""
    data = to_builtins(result)
    return {key: data[key] for key in _WRITTEN if key == "score" or data[key] not in (None, PLAYED)}


def match_to_json(match: Match) -> dict[str, Any]:
    """A match or a bye by the event file's keys, in documented order, without unset ones."""
    data = {
        "table": match.table,
        "a": match.a,
        "b": match.b,
        "bye": match.bye,
        "absent": match.absent,
        "game": match.game,
        "picks": None if match.picks is None else list(match.picks),
        "result": None if match.result is None else result_to_json(match.result),
        "extension_minutes": match.extension_minutes,
    }
    return {key: value for key, value in data.items() if value is not None}


def result_from_json(data: object) -> Result:
    """A Result from JSON; null counts as absent. Unknown keys, wrong types and contradictions are Problems with their
    place. Figures are not limited here, so that entries from before the limits can be read."""
    if not isinstance(data, Mapping):
        raise Problem("wrong_type", expected="object")
    _refuse_unknown(data, Result, "")
    for key in ("score", *SECOND_FIGURES):
        if isinstance(data.get(key), Mapping):
            _refuse_unknown(data[key], SidePair, f"/{key}")
    try:
        result = parse_message(Result, {key: value for key, value in data.items() if value is not None})
    except MalformedMessage as error:
        raise error.reasons[0] from None
    refuse_contradictory(result)
    return result


def _refuse_unknown(data: Mapping[str, Any], kind: type[Struct], where: str) -> None:
    for key in data:
        if key not in kind.__struct_fields__:
            raise Problem("unknown_key", where=f"{where}/{key}", key=key, known=", ".join(kind.__struct_fields__))


def refuse_contradictory(result: Result) -> None:
    """Raise Problem for a result that contradicts itself under any rulebook."""
    if result.ended == CONCESSION and result.conceded_by is None:
        raise Invalid("concession_by_whom", where="/conceded_by")
    if result.ended != CONCESSION and result.conceded_by is not None:
        raise Problem("conceded_without_concession", where="/conceded_by")
    if result.ended == RULING and result.winner is None:
        raise Invalid("ruling_for_whom", where="/winner")
    if result.ended != RULING and result.winner == "none":
        raise Invalid("none_without_ruling", where="/winner")
    for side in result.picks or {}:
        if side not in SIDES:
            raise Problem("unknown_key", where=f"/picks/{side}", key=side, known=", ".join(SIDES))


def refuse_result_limits(result: Result) -> None:
    """Raise Problem for a figure or text beyond the event file's limits."""
    for key, pair in result.figures.items():
        for side in SIDES:
            refuse_out_of_range(pair.of(side), FIGURE, f"/{key}/{side}")
    refuse_over_limits(result.picks, "/picks")
    refuse_over_limits(result.timeout, "/timeout")
