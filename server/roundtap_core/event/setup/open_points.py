"""What is missing before round 1: lists, decks, a judge, a second official; settled, or played on with, knowingly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from roundtap_core.errors import Problem
from roundtap_core.event.entries import NewEntry
from roundtap_core.event.judging.officials import roles_of
from roundtap_core.event.official import Official
from roundtap_core.event.person import Person
from roundtap_core.event.played_on import OpenPoint
from roundtap_core.event.state import EventState, active_ids, tournament_of
from roundtap_core.rulebooks.base import NO, ORGANIZER, may_play

LIST_MISSING, LIST_WRONG, DECK_TWICE = "list_missing", "list_wrong", "deck_twice"
JUDGE_MISSING, SECOND_MISSING, MAY_NOT_PLAY = "judge_missing", "second_missing", "may_not_play"
KINDS = (JUDGE_MISSING, MAY_NOT_PLAY, SECOND_MISSING, LIST_MISSING, LIST_WRONG, DECK_TWICE)


def list_points(state: EventState, people: Mapping[str, Person]) -> tuple[OpenPoint, ...]:
    """What the lists of those who play lack; no two decks of the world bear one name. Entries hold digests of lists, so
    whoever keeps the people has to look."""
    tournament, check, options = tournament_of(state, people), state.rulebook.lists, state.options
    active, found = active_ids(state), []
    for competitor in tournament.competitors if check.required(options, state.level) else ():
        if competitor.id in active and check.competitor_problems(competitor, options, state.level):
            there = bool(check.of_competitor(competitor))
            found.append(OpenPoint(LIST_WRONG if there else LIST_MISSING, competitor.id))
    playing = [competitor for competitor in tournament.competitors if competitor.id in active]
    for problem in check.event_warnings(playing, options):
        if problem.key == "list_deck_twice":
            found.append(OpenPoint(DECK_TWICE, playing[int(problem.where.split("/")[1])].id))
    return tuple(found)


def official_points(state: EventState) -> Iterator[OpenPoint]:
    """A judge, where the rulebook wants one (the organizer can be it, but not while playing), and for every official
    who plays a second one on duty."""
    on_duty = [official for official in state.officials.values() if official.on_duty]
    if state.rulebook.judge_required and all(official.plays is not None for official in on_duty):
        yield OpenPoint(JUDGE_MISSING)
    playing = [entrant.id for entrant in state.entrants.values() if entrant.active and entrant.officials_role]
    policy = may_play(state.rulebook, state.level)
    for who in playing:
        if policy == NO:
            yield OpenPoint(MAY_NOT_PLAY, who)
        elif not _ruled_by_another(on_duty, who):
            yield OpenPoint(SECOND_MISSING, who)


def _ruled_by_another(on_duty: Iterable[Official], who: str) -> bool:
    """Whether a second official is there for this one's games; for a second official's own, anybody else."""
    others = [official for official in on_duty if official.plays != who]
    is_second = any(official.second for official in on_duty if official.plays == who)
    return any(official.second or is_second for official in others)


def open_points(state: EventState, lists: Iterable[OpenPoint] = ()) -> tuple[OpenPoint, ...]:
    """Everything that is missing and that nobody has knowingly played on with; `lists` are `list_points`."""
    noted = {point for line in state.played_on for point in line.points}
    found = [point for point in (*official_points(state), *lists) if point not in noted]
    return tuple(sorted(found, key=lambda point: KINDS.index(point.kind)))


def play_on(
    state: EventState, lists: Iterable[OpenPoint], reason: str, seen: Iterable[str] | None = None, by: str = ORGANIZER
) -> list[NewEntry]:
    """The entry that notes what was missing when round 1 was published; none where nothing was.

    Raises Problem("points_open") where nobody says why it is played on, and Problem("points_changed_meanwhile") where
    other points are open than those `seen` (as text, each).
    """
    points = open_points(state, lists)
    if not points:
        return []
    if not reason.strip():
        raise Problem("points_open", n=len(points), points=", ".join(map(str, points)))
    if seen is not None and set(map(str, points)) - set(seen):
        raise Problem("points_changed_meanwhile")
    roles_of(state, by)
    return [NewEntry("played-on", {
        "points": [{"kind": point.kind, "who": point.who} for point in points], "reason": reason.strip(), "by": by,
    })]
