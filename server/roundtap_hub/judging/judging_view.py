"""What officials do, as the console shows it: who may say what, a match's log, and what may be done there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from roundtap_core.event.judging import (
    EXTENSION_MAX,
    head_judge_proposed,
    is_final,
    open_appeal,
    ruling_official,
)
from roundtap_core.event.match_log import APPEAL, EXTENSION
from roundtap_core.event.official import ROLES, Official
from roundtap_core.event.people import latecomer_opponents
from roundtap_core.event.state import PUBLISHED, MatchState, RoundState
from roundtap_core.records import SWISS_STAGES, UNPAIRED_LOSS
from roundtap_core.rulebooks.base import HEAD_JUDGE, NO, ORGANIZER, may_play
from roundtap_hub.access.staff import StaffIdentity
from roundtap_hub.events.event_at import EventAt, current_matches, full_names, newest_round
from roundtap_hub.people.squads import OwedSquads, owed_squads


@dataclass(frozen=True, slots=True)
class Signer:
    """An official by name: somebody who can be named as who said so."""

    official: Official
    name: str


def official_name(moment: EventAt, official_id: str) -> str:
    """The name by which an official is known to the others; "" where the id is none's, or the person is forgotten."""
    person = moment.people.get(official_id) if official_id in moment.state.officials else None
    return person.name if person else ""


def official_of(moment: EventAt, who: StaffIdentity) -> str | None:
    """Which official of an event somebody of the staff is: the one it was said of, else the one of that name."""
    officials = moment.state.officials
    said = who.official(moment.state.id)
    if said in officials:
        return said
    same = [each for each in officials if official_name(moment, each).casefold() == who.name.casefold()]
    return same[0] if len(same) == 1 and who.name else None


def officials(moment: EventAt) -> list[Signer]:
    """All officials in the order they were named."""
    return [Signer(official, official_name(moment, official.id)) for official in moment.state.officials.values()]


def signers(moment: EventAt) -> list[Signer]:
    """Everybody on duty, the organizer first. Empty where no officials are named: then whoever is logged in signs."""
    found = [signer for signer in officials(moment) if signer.official.on_duty]
    return sorted(found, key=lambda signer: signer.official.role != ORGANIZER)


MINUTE_MS = 60_000


@dataclass(frozen=True, slots=True)
class ByePicks:
    """A bye that fields squads. `owed`: the letters of those not fielded yet, and whether every pick has to be of
    them."""

    match: MatchState
    name: str
    round: int
    owed: OwedSquads


def people_forms_view(moment: EventAt) -> dict[str, Any]:
    """What the console's forms about people offer. `proposers`: head judges who may propose a disqualification;
    `may_play`: the level lets officials play at all; `meets`: (match id, name) of whom a latecomer could meet at
    once."""
    state, names, signed = moment.state, full_names(moment), signers(moment)
    book = state.rulebook
    return {
        "officials": officials(moment), "names": names, "may_play": may_play(book, state.level) != NO,
        "head_judge_proposed": head_judge_proposed(state), "signers": signed,
        "disqualifiers": [each for each in signed if each.official.role in book.disqualified_by],
        "proposers": [each for each in signed if each.official.role in book.disqualification_proposed_by],
        "byes": bye_picks(moment), "ticks": required_checks(moment),
        "meets": [(m.id, names.get(m.match.a, m.match.a)) for m in latecomer_opponents(state)],
    }


def judge_view(moment: EventAt, played: RoundState, match: MatchState, call_age_ms: int | None) -> dict[str, Any]:
    """One match as a judge needs it; the time since the table called stands beside its extension. `log`: (line, name,
    role) of each; `rules`: who rules here because an official plays; `extension_left` is 0 where no minutes can be
    given."""
    state, names = moment.state, full_names(moment)
    appeal, ruling, signed = open_appeal(match), ruling_official(state, match), signers(moment)
    minutes = match.match.extension_minutes or 0
    timed = played.status == PUBLISHED and not match.done and state.clock.total_ms is not None
    given = [line.minutes or 0 for line in match.log if line.kind == EXTENSION] or [minutes]
    return {
        "log": [(line, *author_of(moment, line.kind, line.by)) for line in match.log],
        "appealed_by": names.get(appeal.by, appeal.by) if appeal else "", "final": is_final(match),
        "extension_minutes": minutes, "extension_left": EXTENSION_MAX - minutes if timed else 0,
        "last_extension": given[-1] if timed and minutes else 0, "waited_minutes": -(-(call_age_ms or 0) // MINUTE_MS),
        "official_plays": any(o.plays in (match.match.a, match.match.b) for o in state.officials.values() if o.plays),
        "rules": official_name(moment, ruling.id) if ruling else "", "signers": signed,
        "head_judges": [each for each in signed if each.official.role == HEAD_JUDGE] or signed[:1],
    }


def author_of(moment: EventAt, kind: str, by: str) -> tuple[str, str]:
    """(name, role) of who said a line."""
    if kind == APPEAL:
        return full_names(moment).get(by, by), ""
    official = moment.state.officials.get(by)
    if official is None:
        # Somebody who has been taken off the list since: the entry knows the id, nobody the name.
        return "", by if by in ROLES else ""
    return official_name(moment, by), official.role


def bye_picks(moment: EventAt) -> list[ByePicks]:
    """The byes of the newest round, and earlier ones whose squads nobody has noted, where the rulebook has squads."""
    newest = newest_round(moment.state)
    if newest is None or moment.state.rulebook.squads is None:
        return []
    names = full_names(moment)
    return [
        ByePicks(m, names.get(m.match.a, m.match.a), played.number, owed_squads(moment.state, m.match.a))
        for played in moment.state.public_rounds if played.stage in SWISS_STAGES for m in played.matches
        if m.match.bye not in (None, UNPAIRED_LOSS) and (played.number == newest.number or not m.match.picks)
    ]


def my_bye(moment: EventAt, competitor: str) -> ByePicks | None:
    """The bye that somebody has in the newest round, where it fields squads."""
    match = current_matches(moment).get(competitor)
    return next((bye for bye in bye_picks(moment) if match is not None and bye.match.id == match.id), None)


def required_checks(moment: EventAt) -> tuple[str, ...]:
    """What this rulebook wants looked at or declared, at the event's level; at every level where none is set."""
    ticks, level = moment.state.rulebook.ticks, moment.state.level
    wanted = [what for at, names in ticks.items() if level is None or at in (level, "*") for what in names]
    return tuple(dict.fromkeys(wanted))
