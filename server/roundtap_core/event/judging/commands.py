"""What people may ask of an event beside its rounds: officials, warnings, rulings, extensions, lists, marks.

`by` is the id of an official of this event, or a role ("organizer", "head_judge", "judge") where no officials are
named. What an official may do depends on the role; see officials.roles_of.
"""

from __future__ import annotations

from dataclasses import dataclass

from roundtap_core.event.judging.officials import Official
from roundtap_core.rulebooks.base import ORGANIZER


@dataclass(frozen=True, slots=True)
class SetOfficials:
    """All officials of the event, in place of those before. None at all: whoever is logged in is the organizer."""

    officials: tuple[Official, ...]


@dataclass(frozen=True, slots=True)
class OfficialDuty:
    """An official goes off duty, and counts as a spectator from then on, or comes back."""

    official: str
    on: bool


@dataclass(frozen=True, slots=True)
class Warn:
    competitor: str
    reason: str
    by: str = ORGANIZER


@dataclass(frozen=True, slots=True)
class ProposeDisqualification:
    """The head judge proposes, somebody else decides."""

    competitor: str
    reason: str
    by: str


@dataclass(frozen=True, slots=True)
class DeclineProposal:
    """No disqualification for what was proposed so far; another warning may propose it again."""

    competitor: str
    by: str = ORGANIZER


@dataclass(frozen=True, slots=True)
class NoteRuling:
    match: str
    text: str
    by: str = ORGANIZER


@dataclass(frozen=True, slots=True)
class Appeal:
    """A player wants the head judge to look at the latest ruling."""

    match: str
    by_competitor: str


@dataclass(frozen=True, slots=True)
class DecideAppeal:
    """The head judge's word, which is final. `upheld`: the ruling stands."""

    match: str
    text: str
    upheld: bool
    by: str = ORGANIZER


@dataclass(frozen=True, slots=True)
class GrantExtension:
    """So many minutes more for one match, on top of those it has."""

    match: str
    minutes: int
    by: str = ORGANIZER


@dataclass(frozen=True, slots=True)
class SetExtraMinutes:
    """What chance adds to the round in play: rolled by a person, known to officials only until it runs."""

    number: int
    minutes: int


@dataclass(frozen=True, slots=True)
class SetPicks:
    """The squads that somebody fields at a bye."""

    match: str
    picks: tuple[int, ...]


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


PeopleCommand = (
    SetOfficials | OfficialDuty | Warn | ProposeDisqualification | DeclineProposal | NoteRuling | Appeal | DecideAppeal
    | GrantExtension | SetExtraMinutes | SetPicks | SubmitList | CorrectList | Tick | SetCameWith
)
