"""What officials do, as the console shows it: a match's log, what may be done there, and proposals that wait."""

from __future__ import annotations

from dataclasses import dataclass

from roundtap_core.event.judging.decide import (
    EXTENSION_MAX,
    head_judge_proposed,
    is_final,
    open_appeal,
    proposed_disqualifications,
    rules_at,
)
from roundtap_core.event.match_log import APPEAL, EXTENSION
from roundtap_core.event.official import ROLES
from roundtap_core.event.people.decide import meetable
from roundtap_core.event.state import PUBLISHED, MatchState, RoundState
from roundtap_core.records import SWISS_STAGES, UNPAIRED_LOSS
from roundtap_core.rulebooks.base import HEAD_JUDGE, NO, ORGANIZER, may_play
from roundtap_hub.staff import Who
from roundtap_hub.views.event_at import EventAt, full_names, newest_round, seats
from roundtap_hub.views.squads import told_squads


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


MINUTE_MS = 60_000


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the log. `who` is a name, or empty where only a `role` is known."""

    kind: str
    number: int
    who: str
    role: str
    text: str
    upheld: bool | None
    minutes: int | None


@dataclass(frozen=True, slots=True)
class JudgeView:
    """`rules`: who rules here because an official plays; `extension_left` is 0 where no minutes can be given."""

    log: tuple[Line, ...]
    appealed_by: str
    final: bool
    extension_minutes: int
    extension_left: int
    last_extension: int
    waited_minutes: int
    official_plays: bool
    rules: str
    signers: tuple[Signer, ...]
    head_judges: tuple[Signer, ...]


@dataclass(frozen=True, slots=True)
class Proposed:
    """A disqualification that waits for a decision; without `reason` it is the number of warnings that proposes it."""

    competitor: str
    name: str
    warnings: int
    reason: str
    by: str


@dataclass(frozen=True, slots=True)
class ByePicks:
    """A bye that fields squads. `owed`: the letters of those not fielded yet; `must`: every pick has to be of them."""

    match_id: str
    name: str
    picks: tuple[int, ...]
    round: int
    owed: str = ""
    must: bool = False


@dataclass(frozen=True, slots=True)
class Desk:
    """What the console's forms about people offer. `proposers`: head judges who may propose a disqualification;
    `meets`: (match id, name) of whom a latecomer could meet at once."""

    officials: OfficialsView
    signers: tuple[Signer, ...]
    disqualifiers: tuple[Signer, ...]
    proposers: tuple[Signer, ...]
    byes: list[ByePicks]
    ticks: tuple[str, ...]
    meets: list[tuple[str, str]]


def desk_of(moment: EventAt) -> Desk:
    """The judge's business of one event."""
    book, names, signed = moment.state.rulebook, full_names(moment), signers(moment)
    return Desk(
        officials_view(moment), signed, tuple(s for s in signed if s.role in book.disqualified_by),
        tuple(s for s in signed if s.role in book.disqualification_proposed_by), bye_picks(moment), ticks_of(moment),
        [(m.id, names.get(m.match.a, m.match.a)) for m in meetable(moment.state)],
    )


def judge_view(moment: EventAt, played: RoundState, match: MatchState, call_age_ms: int | None) -> JudgeView:
    """One match as a judge needs it. The time since the table called stands beside its extension."""
    state, names = moment.state, full_names(moment)
    sides = (match.match.a, match.match.b)
    appeal = open_appeal(match)
    ruling = rules_at(state, match)
    minutes = match.match.extension_minutes or 0
    timed = played.status == PUBLISHED and not match.done and state.clock.total_ms is not None
    left = EXTENSION_MAX - minutes if timed else 0
    given = [line.minutes or 0 for line in match.log if line.kind == EXTENSION] or [minutes]
    signed = signers(moment)
    heads = tuple(s for s in signed if s.role == HEAD_JUDGE)
    return JudgeView(
        tuple(Line(line.kind, line.number, *who_said(moment, line.kind, line.by), line.text, line.upheld, line.minutes)
              for line in match.log),
        names.get(appeal.by, appeal.by) if appeal else "", is_final(match), minutes, left,
        given[-1] if timed and minutes else 0, -(-(call_age_ms or 0) // MINUTE_MS),
        any(o.plays in sides for o in state.officials.values() if o.plays),
        official_name(moment, ruling.id) if ruling else "", signed, heads or signed[:1],
    )


def who_said(moment: EventAt, kind: str, by: str) -> tuple[str, str]:
    """(name, role) of who said a line."""
    if kind == APPEAL:
        return full_names(moment).get(by, by), ""
    official = moment.state.officials.get(by)
    if official is None:
        # Somebody who has been taken off the list since: the entry knows the id, nobody the name.
        return "", by if by in ROLES else ""
    return official_name(moment, by), official.role


def proposals(moment: EventAt) -> list[Proposed]:
    """All disqualifications that wait for a decision."""
    names = full_names(moment)
    return [Proposed(p.competitor, names.get(p.competitor, p.competitor), p.warnings, p.reason or "",
                     official_name(moment, p.by) if p.by else "")
            for p in proposed_disqualifications(moment.state)]


def bye_picks(moment: EventAt) -> list[ByePicks]:
    """The byes of the newest round, and earlier ones whose squads nobody has noted, where the rulebook has squads."""
    newest = newest_round(moment.state)
    if newest is None or moment.state.rulebook.squads is None:
        return []
    names = full_names(moment)
    return [
        ByePicks(m.id, names.get(m.match.a, m.match.a), m.match.picks or (), played.number,
                 *told_squads(moment.state, m.match.a))
        for played in moment.state.public_rounds if played.stage in SWISS_STAGES for m in played.matches
        if m.match.bye not in (None, UNPAIRED_LOSS) and (played.number == newest.number or not m.match.picks)
    ]


def my_bye(moment: EventAt, competitor: str) -> ByePicks | None:
    """The bye that somebody has in the newest round, where it fields squads."""
    match = seats(moment).get(competitor)
    return next((bye for bye in bye_picks(moment) if match is not None and bye.match_id == match.id), None)


def ticks_of(moment: EventAt) -> tuple[str, ...]:
    """What this rulebook wants looked at or declared, at the event's level; at every level where none is set."""
    ticks, level = moment.state.rulebook.ticks, moment.state.level
    wanted = [what for at, names in ticks.items() if level is None or at in (level, "*") for what in names]
    return tuple(dict.fromkeys(wanted))
