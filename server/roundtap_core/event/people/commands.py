"""What is asked about who plays: entering, leaving, coming back, lists, ticks. Plain data."""

from __future__ import annotations

from dataclasses import dataclass

from roundtap_core.event.state import Entrant
from roundtap_core.records import Result
from roundtap_core.rulebooks.base import ORGANIZER


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
    """`stood`: score, wounds and squads of the match that is left, as they stood; None: nobody said."""

    competitor: str
    stood: Result | None = None


@dataclass(frozen=True, slots=True)
class ReturnCompetitor:
    competitor: str


@dataclass(frozen=True, slots=True)
class SubmitList:
    """A list is handed in, or changed while that is free. `digest` is the person's, with the list; `total` its cost."""

    competitor: str
    digest: str
    total: int | None = None


@dataclass(frozen=True, slots=True)
class CorrectList:
    """An official corrects a list, on record."""

    competitor: str
    digest: str
    total: int | None
    reason: str
    by: str = ORGANIZER


@dataclass(frozen=True, slots=True)
class Tick:
    """Something about a competitor was looked at or declared ("sleeves", "replacement_rulers"), or no longer holds."""

    competitor: str
    what: str
    on: bool = True


@dataclass(frozen=True, slots=True)
class SetCameWith:
    """Who came together, as a word that they share; None: came alone."""

    competitor: str
    group: str | None
