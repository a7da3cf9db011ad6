"""The form of the event file (EVENT_FILE.md): what each object may hold, and within which limits.

What types cannot say stands in `read.py`: unique ids, known competitors. `event.schema.json` tells other programs
the same; it is made from these types (`tests/tools/event_schema.py`).
"""

from collections.abc import Container, Iterator, Sequence
from typing import Annotated, Any, ClassVar, Literal

from msgspec import UNSET, Meta, UnsetType, field

from roundtap_core.errors import Problem
from roundtap_core.reasons import type_problems
from roundtap_core.records import Side
from roundtap_core.typed import (
    LINE_LETTERS,
    MINUTES,
    MOST_COMPETITORS,
    MOST_ROUNDS,
    PROSE,
    ROUND,
    Count,
    Exact,
    Figure,
    Id,
    LastRound,
    Line,
    Message,
    Minutes,
    Number,
    Prose,
    limit_violations,
    parse_message,
)

Key = Annotated[str, Meta(max_length=LINE_LETTERS, pattern=PROSE)]
RoundNumber = Annotated[int, Meta(ge=1, le=ROUND[1])]
People = Annotated[int, Meta(ge=0, le=MOST_COMPETITORS)]
Ids = Annotated[list[Id], Meta(max_length=MOST_COMPETITORS)]
Squads = Annotated[list[Number], Meta(max_length=9)]

MOST_NOTES, MOST_ENTRIES, MOST_POINTS = 99, 999, 9999


class StrictMessage(Message, frozen=True, forbid_unknown_fields=True):
    """An object of which every key is known. What is UNSET the file leaves out."""


class FreeObject(dict[str, Any]):
    """An object whose content is the rulebook's business: any JSON without fractions, within limits."""

    JSON_TYPE = "object"
    LEVEL: ClassVar = 3  # at which level of the file it stands
    KNOWN: ClassVar[type[Message]] = Message  # keys with a fixed meaning

    @classmethod
    def of(cls, data: object) -> "FreeObject":
        if not isinstance(data, dict) or any(cls.problems(data, "/" * cls.LEVEL)):
            raise ValueError("beyond the limits")
        return cls(data)

    @classmethod
    def problems(cls, data: dict[str, Any], where: str) -> Iterator[Problem]:
        if len(data) > MOST_ENTRIES:
            yield Problem("wrong_length", where=where, count=len(data), right=f"0–{MOST_ENTRIES}")
            return
        yield from type_problems(data, cls.KNOWN, where)
        others = {key: value for key, value in data.items() if key not in cls.KNOWN.__struct_fields__}
        yield from limit_violations(others, where, MOST_COMPETITORS, LINE_LETTERS)


class OwnRules(dict[str, Any]):
    """The rules of a store's own game. Most files have none, so that their types are imported only here."""

    JSON_TYPE = "object"

    @classmethod
    def of(cls, data: object) -> "OwnRules":
        own_rules_json(data)
        return cls(data if isinstance(data, dict) else {})

    @classmethod
    def problems(cls, data: dict[str, Any], where: str) -> Iterator[Problem]:
        from roundtap_core.rulebooks.own_rules import Rules

        yield from type_problems(data, Rules, where)


def own_rules_json(data: object) -> str:
    """The rules as an event keeps them: canonical JSON. Raises MalformedMessage."""
    from roundtap_core.rulebooks.own_rules import Rules, rules_json

    return rules_json(parse_message(Rules, data))


class StageOptions(StrictMessage, frozen=True):
    best_of: Literal[1, 3, 5] | UnsetType = UNSET
    minutes: Annotated[int, Meta(ge=1, le=MINUTES[1])] | UnsetType | None = UNSET


class Stages(StrictMessage, frozen=True):
    swiss: StageOptions | UnsetType = UNSET
    elimination: StageOptions | UnsetType = UNSET
    final: StageOptions | UnsetType = UNSET
    third_place: StageOptions | UnsetType = UNSET


SecondStage = Literal["elimination", "second-swiss"]
DeckEra = Literal["2017", "before-2017"]
TableOrder = Literal["leaders", "random"]


class Options(StrictMessage, frozen=True):
    """All optional, each with the rulebook's default."""

    structure: Literal["basic", "advanced", "own"] | UnsetType = UNSET
    swiss_rounds: Annotated[int, Meta(ge=0, le=MOST_ROUNDS)] | UnsetType = UNSET
    cut: Literal[0, 2, 4, 8, 16, 32] | UnsetType = UNSET
    second_stage: SecondStage | UnsetType = UNSET
    prize_places: People | UnsetType = UNSET
    third_place_match: bool | UnsetType = UNSET
    squad_points: Annotated[int, Meta(ge=1, le=9999)] | UnsetType = UNSET
    bye_mov: Count | UnsetType = UNSET
    bye_score: Figure | UnsetType = UNSET
    legendary_limit: Annotated[int, Meta(ge=0, le=3)] | UnsetType = UNSET
    deck_era: DeckEra | UnsetType = UNSET
    lists_required: bool | UnsetType = UNSET
    late_minutes: Minutes | UnsetType = UNSET
    full_names: bool | UnsetType = UNSET
    tables: TableOrder | UnsetType = UNSET
    stages: Stages | UnsetType = UNSET


class Official(StrictMessage, frozen=True):
    id: Id
    name: Line
    role: Literal["organizer", "head_judge", "judge"]
    second: bool | UnsetType = UNSET
    plays: Id | UnsetType = UNSET
    off_duty: bool | UnsetType = UNSET


class MissingPoint(StrictMessage, frozen=True):
    kind: Literal[
        "judge_missing",
        "may_not_play",
        "second_missing",
        "list_missing",
        "list_wrong",
        "deck_twice",
        "finished_early",
        "tie_open",
        "squads_owed",
        "squads_unfielded",
        "appeal_open",
    ]
    who: Id | UnsetType = UNSET


class PlayOnNote(StrictMessage, frozen=True):
    points: Annotated[list[MissingPoint], Meta(max_length=MOST_POINTS)]
    reason: Prose
    by: Id
    wall: Line | UnsetType = UNSET


class Cut(StrictMessage, frozen=True):
    size: People
    order: Ids
    seeds: Ids
    declined: Ids | UnsetType = UNSET
    absent: Ids | UnsetType = UNSET


class ReasonNote(StrictMessage, frozen=True):
    reason: Prose
    by: Id | UnsetType = UNSET


class RoundReasonNote(StrictMessage, frozen=True):
    round: LastRound
    reason: Prose
    by: Id | UnsetType = UNSET


class ListSummary(Message, frozen=True):
    faction: Line | UnsetType = UNSET
    total: Count | UnsetType = UNSET


class PlayersList(FreeObject):
    KNOWN = ListSummary


class Competitor(StrictMessage, frozen=True):
    id: Id
    name: Line
    public_name: Line | UnsetType = UNSET
    club: Line | UnsetType = UNSET
    external_id: Id | UnsetType = UNSET
    person: Id | UnsetType = UNSET
    list_: PlayersList | UnsetType = field(default=UNSET, name="list")
    came_with: Line | UnsetType = UNSET
    fixed_table: Number | UnsetType = UNSET
    won_bye: bool | UnsetType = UNSET
    dropped_after: LastRound | UnsetType = UNSET
    disqualified_after: LastRound | UnsetType = UNSET
    warnings: Annotated[list[RoundReasonNote], Meta(max_length=MOST_NOTES)] | UnsetType = UNSET
    disqualification: ReasonNote | UnsetType = UNSET
    proposed: ReasonNote | UnsetType = UNSET
    proposal_declined_at: Count | UnsetType = UNSET
    list_corrections: Annotated[list[RoundReasonNote], Meta(max_length=MOST_NOTES)] | UnsetType = UNSET
    ticks: Annotated[list[Line], Meta(max_length=MOST_NOTES)] | UnsetType = UNSET
    declined_place: bool | UnsetType = UNSET
    members: Annotated[list[Line], Meta(min_length=2, max_length=2)] | UnsetType = UNSET
    captain: Line | UnsetType = UNSET
    identity: Line | UnsetType = UNSET
    houses: Annotated[list[Line], Meta(max_length=9)] | UnsetType = UNSET
    officials_role: Line | UnsetType = UNSET


class Score(StrictMessage, frozen=True):
    a: Figure | UnsetType = UNSET
    b: Figure | UnsetType = UNSET


class Wounds(StrictMessage, frozen=True):
    a: Count | UnsetType = UNSET
    b: Count | UnsetType = UNSET


class Picks(StrictMessage, frozen=True):
    a: Squads | UnsetType = UNSET
    b: Squads | UnsetType = UNSET


class TimeOut(FreeObject):
    LEVEL = 6


class Result(StrictMessage, frozen=True):
    """Real figures as they stood; left out: 0."""

    ended: Literal["played", "time", "concession", "ruling"] | UnsetType = UNSET
    winner: Literal["a", "b", "draw", "none"] | UnsetType = UNSET
    conceded_by: Side | UnsetType = UNSET
    score: Score | UnsetType = UNSET
    wounds: Wounds | UnsetType = UNSET
    second: Score | UnsetType = UNSET
    initiative: Side | UnsetType = UNSET
    first_player: Side | UnsetType = UNSET
    picks: Picks | UnsetType = UNSET
    timeout: TimeOut | UnsetType = UNSET


class FormerTimeOut(TimeOut):
    LEVEL = 8


class FormerResult(Result, frozen=True):
    timeout: FormerTimeOut | UnsetType = UNSET


class Correction(StrictMessage, frozen=True):
    was: FormerResult
    by: Id | UnsetType = UNSET
    after_round: RoundNumber | UnsetType = UNSET
    reason: Prose | UnsetType = UNSET


class MatchLogEntry(StrictMessage, frozen=True):
    kind: Literal["ruling", "appeal", "decision", "extension"]
    by: Id
    text: Prose | UnsetType = UNSET
    upheld: bool | UnsetType = UNSET
    minutes: Minutes | UnsetType = UNSET


class Entry(StrictMessage, frozen=True, kw_only=True):
    """A match of two competitors, open without a result; or, with the key `bye`, one competitor without an opponent."""

    table: Number | UnsetType = UNSET
    a: Id
    b: Id | UnsetType = UNSET
    bye: Literal["bye", "won", "no-show", "unpaired-loss"] | UnsetType = UNSET
    game: Literal["third"] | Number | UnsetType = UNSET
    picks: Squads | UnsetType = UNSET
    absent: Id | UnsetType = UNSET
    result: Result | UnsetType = UNSET
    extension_minutes: Minutes | UnsetType = UNSET
    lots: Annotated[dict[Key, Side], Meta(max_length=MOST_NOTES)] | UnsetType = UNSET
    decided: bool | UnsetType = UNSET
    corrections: Annotated[list[Correction], Meta(max_length=MOST_ENTRIES)] | UnsetType = UNSET
    log: Annotated[list[MatchLogEntry], Meta(max_length=MOST_ENTRIES)] | UnsetType = UNSET

    @staticmethod
    def shape(keys: Container[str]) -> tuple[Sequence[str], Container[str]]:
        """Which keys it has to have, and which are not for it."""
        if "bye" in keys:
            return ("a", "bye"), ("table", "b", "result", "extension_minutes", "lots")
        return ("a", "b"), ("bye", "picks", "absent")

    def __post_init__(self) -> None:
        # As `shape` says, without a loop: there are ten thousand of these in a large file.
        right = (
            (self.b is not UNSET and self.picks is self.absent is UNSET)
            if self.bye is UNSET
            else self.table is self.b is self.result is self.extension_minutes is self.lots is UNSET
        )
        if not right:
            raise ValueError("neither a match nor a bye")


class Draw(StrictMessage, frozen=True):
    seed: Exact
    attempt: Number | UnsetType = UNSET
    method: Prose | UnsetType = UNSET


class Round(StrictMessage, frozen=True, kw_only=True):
    number: RoundNumber
    stage: Literal["swiss", "elimination", "tiebreak", "second-swiss"] | UnsetType = UNSET
    draw: Draw | UnsetType = UNSET
    tiebreak_form: Literal["each", "knockout"] | UnsetType = UNSET
    notes: FreeObject | UnsetType = UNSET
    extra_minutes: Minutes | UnsetType = UNSET
    matches: Annotated[list[Entry], Meta(max_length=MOST_COMPETITORS)]


class Event(StrictMessage, frozen=True, kw_only=True):
    format: Literal["roundtap-event/1"]
    name: Line
    rulebook: Id
    rules: OwnRules | UnsetType = UNSET
    level: Id | UnsetType = UNSET
    options: Options | UnsetType = UNSET
    seed: Exact | UnsetType = UNSET
    competitors: Annotated[list[Competitor], Meta(max_length=MOST_COMPETITORS)]
    rounds: Annotated[list[Round], Meta(max_length=ROUND[1])] | UnsetType = UNSET
    date: Annotated[str, Meta(max_length=10, pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}(?![\s\S])")] | UnsetType = UNSET
    venue: Line | UnsetType = UNSET
    club: Line | UnsetType = UNSET
    external_id: Id | UnsetType = UNSET
    special_rules: Annotated[str, Meta(max_length=500, pattern=PROSE)] | UnsetType = UNSET
    effective_options: Options | UnsetType = UNSET
    officials: Annotated[list[Official], Meta(max_length=MOST_NOTES)] | UnsetType = UNSET
    checked_in: People | UnsetType = UNSET
    played_on: Annotated[list[PlayOnNote], Meta(max_length=MOST_NOTES)] | UnsetType = UNSET
    cut: Cut | UnsetType = UNSET
    finished: bool | UnsetType = UNSET
