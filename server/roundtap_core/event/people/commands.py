"""What is asked about who plays: entering, leaving, coming back, lists, ticks. Plain data."""

from __future__ import annotations

from msgspec import Struct

from roundtap_core.event.state import Entrant
from roundtap_core.records import Result
from roundtap_core.rulebooks.base import ORGANIZER
from roundtap_core.typed import Count, Id, IdOrEmpty, LineOrEmpty, Number, Prose, Text


class EnterCompetitor(Struct, frozen=True):
    """`imported`: as an event file has it, with its drops and without unpaired losses made up here.

    `meets`: the match id of a bye, or of another latecomer's unpaired loss, of round 1 while it is played: the two
    meet, at the lowest table that is neither taken nor among `busy_tables`. `reason`: why they come only now.
    """

    entrant: Entrant
    imported: bool = False
    meets: IdOrEmpty | None = None
    busy_tables: frozenset[int] = frozenset()
    signed_up: bool = False
    """By the player's own phone: only while the organizer has opened that."""
    reason: Prose = ""


class RemoveCompetitor(Struct, frozen=True):
    """An entry that never played is taken out as if it had not been: no place in standings, files or pages. Its id is
    given to nobody else."""

    competitor: Text


class SetCheckIn(Struct, frozen=True):
    """Whether only those who have checked in are paired: said before round 1 is published."""

    used: bool


class CheckIn(Struct, frozen=True):
    """Somebody is here, or is not after all. Once round 1 is published that is a late arrival: `meets` and
    `busy_tables` as in EnterCompetitor."""

    competitor: Text
    on: bool = True
    meets: IdOrEmpty | None = None
    busy_tables: frozenset[int] = frozenset()


class SetSignUp(Struct, frozen=True):
    """Whether players enter themselves by their phones before round 1; `confirm`: each has to be confirmed at the
    desk before being paired."""

    open: bool
    confirm: bool = False


class ConfirmEntry(Struct, frozen=True):
    """Who signed up by phone is known at the desk. `meets` and `busy_tables` as in EnterCompetitor."""

    competitor: Text
    meets: IdOrEmpty | None = None
    busy_tables: frozenset[int] = frozenset()


class SetFixedTable(Struct, frozen=True):
    """The table at which somebody always sits; None: any."""

    competitor: Text
    fixed_table: Number | None


class ChangePerson(Struct, frozen=True):
    """A name was corrected: only its digest is the event's business. `total`: what the list costs, where known."""

    competitor: Text
    digest: IdOrEmpty
    total: Count | None = None


class DropCompetitor(Struct, frozen=True):
    """`stood`: score, wounds and squads of the match that is left, as they stood; None: nobody said. `plays_on`: only
    after this round, the open match is played. `together`: the opponent had asked to leave as well, before either left.
    `reason`: why they leave, for the journal.
    """

    competitor: Text
    stood: Result | None = None
    plays_on: bool = False
    together: bool = False
    reason: Prose = ""


class ReturnCompetitor(Struct, frozen=True):
    competitor: Text


class SubmitList(Struct, frozen=True):
    """A list is handed in, or changed while that is free. `digest` is the person's, with the list; `total` its cost."""

    competitor: Text
    digest: IdOrEmpty
    total: Count | None = None


class CorrectList(Struct, frozen=True):
    """An official corrects a list, on record."""

    competitor: Text
    digest: IdOrEmpty
    total: Count | None
    reason: Prose
    by: Id = ORGANIZER


class Tick(Struct, frozen=True):
    """Something about a competitor was looked at or declared ("sleeves", "replacement_rulers"), or no longer holds."""

    competitor: Text
    what: Prose
    on: bool = True


class SetCameWith(Struct, frozen=True):
    """Who came together, as a word that they share; None: came alone."""

    competitor: Text
    group: LineOrEmpty | None
