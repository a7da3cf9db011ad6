"""What is asked of officials: naming them, warnings, disqualification, rulings, appeals, extensions. Plain data.

`by` is the id of an official of this event, or a role ("organizer", "head_judge", "judge") where no officials are
named. What an official may do depends on the role; see officials.roles_of.
"""

from __future__ import annotations

from msgspec import Struct

from roundtap_core.event.official import Official
from roundtap_core.records import Result
from roundtap_core.rulebooks.base import ORGANIZER


class SetOfficials(Struct, frozen=True):
    """All officials of the event, in place of those before. None at all: whoever is logged in is the organizer."""

    officials: tuple[Official, ...]


class OfficialDuty(Struct, frozen=True):
    """An official goes off duty, and counts as a spectator from then on, or comes back."""

    official: str
    on: bool


class Warn(Struct, frozen=True):
    competitor: str
    reason: str
    by: str = ORGANIZER


class ProposeDisqualification(Struct, frozen=True):
    """The head judge proposes, somebody else decides."""

    competitor: str
    reason: str
    by: str


class DeclineProposal(Struct, frozen=True):
    """No disqualification for what was proposed so far; another warning may propose it again."""

    competitor: str
    by: str = ORGANIZER


class NoteRuling(Struct, frozen=True):
    match: str
    text: str
    by: str = ORGANIZER


class Appeal(Struct, frozen=True):
    """A player wants the head judge to look at the latest ruling."""

    match: str
    by_competitor: str


class DecideAppeal(Struct, frozen=True):
    """The head judge's word, which is final. `upheld`: the ruling stands."""

    match: str
    text: str
    upheld: bool
    by: str = ORGANIZER


class GrantExtension(Struct, frozen=True):
    """So many minutes more for one match, on top of those it has."""

    match: str
    minutes: int
    by: str = ORGANIZER


class TakeBackExtension(Struct, frozen=True):
    """The last minutes that a match was given were too many, or another match's: as if they had not been given."""

    match: str
    by: str = ORGANIZER


class Disqualify(Struct, frozen=True):
    """`by`: who decides, an official of the event or a role. `stood`: as when somebody drops."""

    competitor: str
    reason: str
    by: str = ORGANIZER
    stood: Result | None = None
