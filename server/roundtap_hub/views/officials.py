"""The officials of an event as the console shows them, and as whom a form can be signed."""

from __future__ import annotations

from dataclasses import dataclass

from roundtap_core.event.judging.officials import head_judge_proposed, may_play
from roundtap_core.rulebooks.base import NO, ORGANIZER
from roundtap_hub.staff import Who
from roundtap_hub.views.event_at import EventAt, full_names


@dataclass(frozen=True, slots=True)
class OfficialRow:
    """One official. `plays` is the competitor that this official also is; `called` names that one."""

    id: str
    name: str
    role: str
    second: bool
    plays: str | None
    called: str
    on_duty: bool


@dataclass(frozen=True, slots=True)
class OfficialsView:
    """`may_play`: the level lets officials play at all. `early`: second officials can still be announced."""

    rows: tuple[OfficialRow, ...]
    may_play: bool
    early: bool
    head_judge_proposed: bool


@dataclass(frozen=True, slots=True)
class Signer:
    """Somebody who can be named as who said so."""

    id: str
    name: str
    role: str


def officials_view(moment: EventAt) -> OfficialsView:
    """All officials in the order they were named."""
    state = moment.state
    return OfficialsView(
        tuple(_row(moment, official_id) for official_id in state.officials),
        may_play(state.rulebook, state.level) != NO, not state.public_rounds, head_judge_proposed(state),
    )


def _row(moment: EventAt, official_id: str) -> OfficialRow:
    official = moment.state.officials[official_id]
    called = full_names(moment).get(official.plays, "") if official.plays else ""
    return OfficialRow(official.id, official_name(moment, official.id), official.role, official.second, official.plays,
                       called, official.on_duty)


def official_name(moment: EventAt, official_id: str) -> str:
    """The name by which an official is known to the others; "" where the id is none's, or the person is forgotten."""
    person = moment.people.get(official_id) if official_id in moment.state.officials else None
    return person.name if person else ""


def official_of(moment: EventAt, who: Who) -> str | None:
    """Which official of an event somebody of the staff is: the one it was said of, else the one of that name."""
    officials = moment.state.officials
    said = who.official(moment.state.id)
    if said in officials:
        return said
    same = [each for each in officials if official_name(moment, each).casefold() == who.name.casefold()]
    return same[0] if len(same) == 1 and who.name else None


def signers(moment: EventAt) -> tuple[Signer, ...]:
    """Everybody on duty, the organizer first. Empty where no officials are named: then whoever is logged in signs."""
    found = [Signer(o.id, official_name(moment, o.id), o.role)
             for o in moment.state.officials.values() if o.on_duty]
    return tuple(sorted(found, key=lambda signer: signer.role != ORGANIZER))
