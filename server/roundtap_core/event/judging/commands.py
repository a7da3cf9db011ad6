"""What is asked of officials: naming them, warnings, disqualification, rulings, appeals, extensions. Plain data.

`by` is the id of an official of this event, or a role ("organizer", "head_judge", "judge") where no officials are
named. What an official may do depends on the role; see officials.roles_of.
"""

from __future__ import annotations

from msgspec import Struct

from roundtap_core.event.official import Official
from roundtap_core.records import Result
from roundtap_core.rulebooks.base import ORGANIZER
from roundtap_core.typed import Id, IdOrEmpty, Minutes, Prose, Text


class SetOfficials(Struct, frozen=True):
    """All officials of the event, in place of those before. None at all: whoever is logged in is the organizer."""

    officials: tuple[Official, ...]


class OfficialDuty(Struct, frozen=True):
    """An official goes off duty, and counts as a spectator from then on, or comes back."""

    official: IdOrEmpty
    on: bool


class Warn(Struct, frozen=True):
    competitor: Text
    reason: Prose
    by: Id = ORGANIZER


class ProposeDisqualification(Struct, frozen=True):
    """The head judge proposes, somebody else decides."""

    competitor: Text
    reason: Prose
    by: Id


class DeclineProposal(Struct, frozen=True):
    """No disqualification for what was proposed so far; another warning may propose it again."""

    competitor: Text
    by: Id = ORGANIZER


class NoteRuling(Struct, frozen=True):
    match: IdOrEmpty
    text: Prose
    by: Id = ORGANIZER


class Appeal(Struct, frozen=True):
    """A player wants the head judge to look at the latest ruling."""

    match: IdOrEmpty
    by_competitor: Text


class DecideAppeal(Struct, frozen=True):
    """The head judge's word, which is final. `upheld`: the ruling stands."""

    match: IdOrEmpty
    text: Prose
    upheld: bool
    by: Id = ORGANIZER


class GrantExtension(Struct, frozen=True):
    """So many minutes more for one match, on top of those it has."""

    match: IdOrEmpty
    minutes: Minutes
    by: Id = ORGANIZER


class TakeBackExtension(Struct, frozen=True):
    """The last minutes that a match was given were too many, or another match's: as if they had not been given."""

    match: IdOrEmpty
    by: Id = ORGANIZER


class Disqualify(Struct, frozen=True):
    """`by`: who decides, an official of the event or a role. `stood`: as when somebody drops."""

    competitor: Text
    reason: Prose
    by: Id = ORGANIZER
    stood: Result | None = None
