"""Officials as the console shows them: who may sign what, a match's log, and what a judge may do there."""

from collections.abc import Mapping
from dataclasses import dataclass

from roundtap_core.event import judging
from roundtap_core.event.people import latecomer_opponents
from roundtap_core.event.setup import KINDS
from roundtap_core.event.states import (
    APPEAL,
    EXTENSION,
    PUBLISHED,
    ROLES,
    LogLine,
    MatchState,
    Official,
    PlayOnDecision,
    RoundState,
)
from roundtap_core.records import SWISS_STAGES, UNPAIRED_LOSS
from roundtap_core.rulebooks.base import HEAD_JUDGE, NO, ORGANIZER, may_play
from roundtap_hub.access.staff import StaffIdentity
from roundtap_hub.views.competitors import OwedSquads, owed_squads
from roundtap_hub.views.saved_event import SavedEvent, current_matches, full_names, newest_round, shown_names

MINUTE_MS = 60_000


@dataclass(frozen=True, slots=True)
class Signer:
    """An official with a name, who can sign a decision."""

    official: Official
    name: str


def official_name(event: SavedEvent, official_id: str) -> str:
    """An official's name; "" where the id is unknown or the person forgotten."""
    person = event.people.get(official_id) if official_id in event.state.officials else None
    return person.name if person else ""


def official_of(event: SavedEvent, who: StaffIdentity) -> str | None:
    """The official of an event that a member of staff is: the one they are tied to, else the only one of that name."""
    officials = event.state.officials
    tied = who.official(event.state.id)
    if tied in officials:
        return tied
    same = [each for each in officials if official_name(event, each).casefold() == who.name.casefold()]
    return same[0] if len(same) == 1 and who.name else None


def officials(event: SavedEvent) -> list[Signer]:
    return [Signer(official, official_name(event, official.id)) for official in event.state.officials.values()]


def officials_on_duty(event: SavedEvent) -> list[Signer]:
    """Officials on duty, the organizer first. Empty where none are named: then the logged-in user signs."""
    on_duty = [signer for signer in officials(event) if signer.official.on_duty]
    return sorted(on_duty, key=lambda signer: signer.official.role != ORGANIZER)


@dataclass(frozen=True, slots=True)
class ByePicks:
    """A bye that fields squads. `owed`: letters of those not fielded yet, and whether every pick must be one."""

    match: MatchState
    name: str
    round: int
    owed: OwedSquads


@dataclass(frozen=True, slots=True)
class PeopleForms:
    """What the console's forms about people offer. `proposers`: officials who may propose a disqualification;
    `may_play`: whether the level lets officials play; `meets`: (match id, name) of opponents free for a latecomer."""

    officials: list[Signer]
    names: Mapping[str, str]
    may_play: bool
    head_judge_proposed: bool
    officials_on_duty: list[Signer]
    disqualifiers: list[Signer]
    proposers: list[Signer]
    byes: list[ByePicks]
    ticks: tuple[str, ...]
    meets: list[tuple[str, str]]


def people_forms_view(event: SavedEvent) -> PeopleForms:
    state, names, signed = event.state, full_names(event), officials_on_duty(event)
    book = state.rulebook
    return PeopleForms(
        officials(event),
        names,
        may_play(book, state.level) != NO,
        judging.head_judge_proposed(state),
        signed,
        disqualifiers=[each for each in signed if each.official.role in book.disqualified_by],
        proposers=[each for each in signed if each.official.role in book.disqualification_proposed_by],
        byes=bye_picks(event),
        ticks=required_checks(event),
        meets=[(m.id, names.get(m.match.a, m.match.a)) for m in latecomer_opponents(state)],
    )


@dataclass(frozen=True, slots=True)
class JudgeView:
    """One match as a judge needs it. `log`: (line, name, role) of each; `rules`: who rules because an official plays;
    `extension_left`: 0 where no minutes can be given; `waited_minutes`: since the table called."""

    log: list[tuple[LogLine, str, str]]
    appealed_by: str
    final: bool
    extension_minutes: int
    extension_left: int
    last_extension: int
    waited_minutes: int
    official_plays: bool
    rules: str
    officials_on_duty: list[Signer]
    head_judges: list[Signer]


def judge_view(event: SavedEvent, played: RoundState, match: MatchState, call_age_ms: int | None) -> JudgeView:
    state, names = event.state, full_names(event)
    appeal, ruling = judging.open_appeal(match), judging.ruling_official(state, match)
    signed = officials_on_duty(event)
    minutes = match.match.extension_minutes or 0
    timed = played.status == PUBLISHED and not match.done and state.clock.total_ms is not None
    given = [line.minutes or 0 for line in match.log if line.kind == EXTENSION] or [minutes]
    return JudgeView(
        log=[(line, *author_of(event, line.kind, line.by)) for line in match.log],
        appealed_by=names.get(appeal.by, appeal.by) if appeal else "",
        final=judging.is_ruling_final(state, match),
        extension_minutes=minutes,
        extension_left=judging.EXTENSION_MAX - minutes if timed else 0,
        last_extension=given[-1] if timed and minutes else 0,
        waited_minutes=-(-(call_age_ms or 0) // MINUTE_MS),
        official_plays=any(o.plays in (match.match.a, match.match.b) for o in state.officials.values() if o.plays),
        rules=official_name(event, ruling.id) if ruling else "",
        officials_on_duty=signed,
        head_judges=[each for each in signed if each.official.role == HEAD_JUDGE] or signed[:1],
    )


def author_of(event: SavedEvent, kind: str, by: str) -> tuple[str, str]:
    """(name, role) of the author of a log line."""
    if kind == APPEAL:
        return full_names(event).get(by, by), ""
    official = event.state.officials.get(by)
    if official is None:
        # Removed from the list since: the entry has the id, the name is gone.
        return "", by if by in ROLES else ""
    return official_name(event, by), official.role


def bye_picks(event: SavedEvent) -> list[ByePicks]:
    """The newest round's byes, and earlier ones without squads noted, where the rulebook has squads."""
    newest = newest_round(event.state)
    if newest is None or event.state.rulebook.squads is None:
        return []
    names = full_names(event)
    return [
        ByePicks(m, names.get(m.match.a, m.match.a), played.number, owed_squads(event.state, m.match.a))
        for played in event.state.public_rounds
        if played.stage in SWISS_STAGES
        for m in played.matches
        if m.match.bye not in (None, UNPAIRED_LOSS) and (played.number == newest.number or not m.match.picks)
    ]


def my_bye(event: SavedEvent, competitor: str) -> ByePicks | None:
    """A competitor's bye in the newest round, where it fields squads."""
    match = current_matches(event).get(competitor)
    return next((bye for bye in bye_picks(event) if match is not None and bye.match.id == match.id), None)


def required_checks(event: SavedEvent) -> tuple[str, ...]:
    """What this rulebook requires checked or declared at the event's level; at any level where none is set."""
    ticks, level = event.state.rulebook.ticks, event.state.level
    wanted = [what for at, names in ticks.items() if level is None or at in (level, "*") for what in names]
    return tuple(dict.fromkeys(wanted))


@dataclass(frozen=True, slots=True)
class PlayedOnLine:
    """What was missing when round 1 was published, or open when the event `ended`: (kind, name) each, with the note."""

    note: PlayOnDecision
    points: list[tuple[str, str]]
    by: str
    ended: bool


def played_on_lines(event: SavedEvent) -> tuple[PlayedOnLine, ...]:
    """For public pages, with public names."""
    names = shown_names(event)
    return tuple(
        PlayedOnLine(
            note,
            [(point.kind, names.get(point.who, point.who)) for point in note.points],
            official_name(event, note.by),
            any(point.kind not in KINDS for point in note.points),
        )
        for note in event.state.played_on
    )
