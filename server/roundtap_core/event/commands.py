"""What people and devices may ask of an event. Plain data; `decide` answers with entries, or refuses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from roundtap_core.event.judging.commands import PeopleCommand
from roundtap_core.event.state import Entrant
from roundtap_core.records import SWISS, Result, Side
from roundtap_core.rulebooks.base import ORGANIZER


@dataclass(frozen=True, slots=True)
class CreateEvent:
    name: str
    rulebook: str
    level: str | None
    options: Mapping[str, Any]
    color: str
    seed: int


@dataclass(frozen=True, slots=True)
class SetOptions:
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class EnterCompetitor:
    """`imported`: as an event file has it, with its drops and without unpaired losses made up here.

    `meets`: the match id of a bye, or of another latecomer's unpaired loss, of round 1 while it is played: the two
    meet, at the lowest table that is neither taken nor among `busy_tables`.
    """

    entrant: Entrant
    imported: bool = False
    meets: str | None = None
    busy_tables: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class ChangePerson:
    """A name was corrected: only its digest is the event's business. `total`: what the list costs, where known."""

    competitor: str
    digest: str
    total: int | None = None


@dataclass(frozen=True, slots=True)
class DropCompetitor:
    competitor: str


@dataclass(frozen=True, slots=True)
class ReturnCompetitor:
    competitor: str


@dataclass(frozen=True, slots=True)
class Disqualify:
    """`by`: who decides, an official of the event or a role (see commands_people)."""

    competitor: str
    reason: str
    by: str = ORGANIZER


@dataclass(frozen=True, slots=True)
class ImportRound:
    """One round of an event file, in the file's JSON."""

    round: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class DrawRound:
    """Draw the next round, or draw it anew. `seed` comes fresh from the system's randomness.

    `tiebreak_form`: how a tie of three or more is played out, where such a round follows ("each" or "knockout").
    """

    seed: int
    busy_tables: frozenset[int] = frozenset()
    tiebreak_form: str = "each"


@dataclass(frozen=True, slots=True)
class ImposeRound:
    """The next round as somebody wants it, whatever the draw would say: knowingly forced, and recorded as that.

    `matches` are the event file's, without results; `stage` and `tiebreak_form` as there.
    """

    matches: tuple[Mapping[str, Any], ...]
    stage: str = SWISS
    tiebreak_form: str | None = None


@dataclass(frozen=True, slots=True)
class MakeCut:
    """The Swiss rounds are over: note who goes on."""


@dataclass(frozen=True, slots=True)
class WithdrawCut:
    """Back to the standings, while no elimination round is published."""


@dataclass(frozen=True, slots=True)
class AcceptPlace:
    """Who was offered a place that became free in the cut takes it."""

    competitor: str


@dataclass(frozen=True, slots=True)
class DeclinePlace:
    """Who was offered a place does not want it."""

    competitor: str


@dataclass(frozen=True, slots=True)
class DiscardDraft:
    pass


@dataclass(frozen=True, slots=True)
class PublishRound:
    """`number` and `attempt` are what the organizer looked at: another draft is never published by mistake."""

    number: int
    attempt: int


@dataclass(frozen=True, slots=True)
class SetClock:
    """`action`: "start", "pause", "adjust" (by `delta_ms`), or "set" (to `delta_ms`)."""

    action: str
    delta_ms: int = 0


@dataclass(frozen=True, slots=True)
class Report:
    """What one side says, as it came from a device whose signature holds. `body` is the digest of all of it.

    `draw` is the mark of the draw it speaks of (RoundState.mark); None: an older unit, which does not say.
    """

    report_id: str
    match: str
    side: Side
    revision: int
    result: Mapping[str, Any]
    body: str
    draw: str | None = None


@dataclass(frozen=True, slots=True)
class EnterResult:
    """An official's word. `revision` is the one they saw, `result` None takes a result back.

    `seen` is the number of the entry whose result they saw standing, 0 for none; None does not say.
    """

    match: str
    revision: int
    result: Result | None
    seen: int | None = None


@dataclass(frozen=True, slots=True)
class NoShow:
    match: str
    absent: str


@dataclass(frozen=True, slots=True)
class FinishEvent:
    pass


Command = (
    CreateEvent | SetOptions | EnterCompetitor | ChangePerson | DropCompetitor | ReturnCompetitor | Disqualify
    | ImportRound | DrawRound | ImposeRound | DiscardDraft | PublishRound | SetClock | Report | EnterResult | NoShow
    | FinishEvent
    | MakeCut | WithdrawCut | AcceptPlace | DeclinePlace
    | PeopleCommand
)
