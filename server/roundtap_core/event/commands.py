"""What people and devices may ask of an event. Plain data; `decide` answers with entries, or refuses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from roundtap_core.event.state import Entrant
from roundtap_core.records import Result, Side


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
    """`imported`: as an event file has it, with its drops and without unpaired losses made up here."""

    entrant: Entrant
    imported: bool = False


@dataclass(frozen=True, slots=True)
class ChangePerson:
    """A name or list was corrected: only its digest is the event's business."""

    competitor: str
    digest: str


@dataclass(frozen=True, slots=True)
class DropCompetitor:
    competitor: str


@dataclass(frozen=True, slots=True)
class ReturnCompetitor:
    competitor: str


@dataclass(frozen=True, slots=True)
class Disqualify:
    competitor: str
    reason: str


@dataclass(frozen=True, slots=True)
class ImportRound:
    """One round of an event file, in the file's JSON."""

    round: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class DrawRound:
    """Draw the next round, or draw it anew. `seed` comes fresh from the system's randomness."""

    seed: int
    busy_tables: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class ImposeRound:
    """The next round as somebody wants it, whatever the draw would say: knowingly forced, and recorded as that.

    `matches` are the event file's, without results.
    """

    matches: tuple[Mapping[str, Any], ...]


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
    """What one side says, as it came from a device whose signature holds. `body` is the digest of all of it."""

    report_id: str
    match: str
    side: Side
    revision: int
    result: Mapping[str, Any]
    body: str


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
)
