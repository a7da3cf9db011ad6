"""A short mark of the state that a button was shown for, so that a stale press can be refused."""

from typing import Any

from roundtap_core.errors import Problem
from roundtap_core.event.states import DRAFT, MARK_DIGITS, EventState, MatchState, active_ids
from roundtap_core.wire import canonical_json, digest

COURSE, CLOCK, PERSON, DETAILS, WARNED, LOG = "course", "clock", "person/", "details/", "warned/", "log/"
"""What a mark is of: rounds, results and the cut; the clock of the round in play; one competitor, their details, their
warnings (an id follows); a match's rulings, appeals and extensions (its id follows)."""


def state_mark(state: EventState, what: str) -> str:
    """`what` and a short digest of it ("course.0f3a…"): the same for as long as a button that belongs to it means the
    same. An unknown id gives a mark, too."""
    if what == CLOCK:
        return make_mark(what, _clock(state))
    if what.startswith(PERSON):
        who = what.removeprefix(PERSON)
        return person_mark(state, who, open_matches_by_player(state).get(who))
    if what.startswith(DETAILS):
        entrant = state.entrants.get(what.removeprefix(DETAILS))
        return make_mark(what, entrant and [entrant.digest, entrant.came_with, entrant.fixed_table])
    if what.startswith(WARNED):
        entrant = state.entrants.get(what.removeprefix(WARNED))
        return make_mark(what, entrant and [len(entrant.warnings), entrant.proposed is not None, entrant.declined_at])
    if what.startswith(LOG):
        round_and_match = state.find_match(what.removeprefix(LOG))
        return make_mark(what, round_and_match and len(round_and_match[1].log))
    return make_mark(COURSE, _course(state))


def refuse_stale(state: EventState, seen: str) -> None:
    """Problem("step_changed_meanwhile"), of details Problem("details_changed_meanwhile"), where `seen` is not what the
    state says now."""
    if seen != state_mark(state, seen.rpartition(".")[0]):
        raise Problem("details_changed_meanwhile" if seen.startswith(DETAILS) else "step_changed_meanwhile")


def person_mark(state: EventState, competitor: str, match: MatchState | None) -> str:
    """The mark of one competitor. `match`: where they sit in the round in play, while its result is missing."""
    entrant = state.entrants.get(competitor)
    return make_mark(
        PERSON + competitor,
        [
            entrant and [entrant.dropped_after, entrant.disqualified_after, len(entrant.warnings)],
            match and match.id,
            len(state.public_rounds),
            state.cut is not None,
            state.finished,
        ],
    )


def open_matches_by_player(state: EventState) -> dict[str, MatchState]:
    """All whose match in the round in play has no result yet."""
    live = state.live
    return {who: m for m in (live.open_matches if live else ()) for who in (m.match.a, m.match.b) if who is not None}


def make_mark(what: str, content: Any) -> str:
    """A mark of any plain JSON, by the name of what it is."""
    return f"{what}.{digest(content)[:MARK_DIGITS]}"


def _course(state: EventState) -> list[Any]:
    cut, active = state.cut, active_ids(state)
    return [
        state.finished,
        [
            [
                r.number,
                r.status,
                r.mark,
                [m.match.table for m in r.matches] if r.status == DRAFT else [],
                [[m.number, m.revision, m.done] for m in r.matches],
            ]
            for r in state.rounds
        ],
        cut and [cut.size, list(cut.seeds), list(cut.declined)],
        [competitor for competitor in state.entrants if competitor in active],
        canonical_json(dict(state.given_options)).decode(),
    ]


def _clock(state: EventState) -> list[Any]:
    live, clock = state.live, state.clock
    return [
        live and [live.number, live.mark, live.extra_minutes, bool(live.open_matches)],
        clock.state,
        clock.remaining_ms,
        clock.total_ms,
        clock.anchor.boot_id,
        clock.anchor.mono_ms,
    ]
