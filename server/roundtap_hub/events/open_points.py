"""What is missing before round 1, by name and with the place where it is mended; and what was played on with."""

from __future__ import annotations

from dataclasses import dataclass

from roundtap_core.event.closing import unfinished_parts
from roundtap_core.event.event_flow import upcoming_stage
from roundtap_core.event.played_on import OpenPoint, PlayedOn
from roundtap_core.event.setup import DECK_TWICE, KINDS, LIST_MISSING, LIST_WRONG, list_points, open_points
from roundtap_core.records import FINISHED_EARLY
from roundtap_hub.events.event_at import EventAt, full_names, shown_names
from roundtap_hub.judging.judging_view import official_name
from roundtap_hub.serving.memoized import memoized

ABOUT_LISTS = (LIST_MISSING, LIST_WRONG, DECK_TWICE)


@dataclass(frozen=True, slots=True)
class PointLine:
    """One open point, which the form sends back. `list_of`: the competitor whose list is to be mended, "" where the
    officials are."""

    point: OpenPoint
    name: str
    list_of: str


@dataclass(frozen=True, slots=True)
class PlayedOnLine:
    """What was missing when round 1 was published, or open when the event `ended`: (kind, name) of each, with the note
    that says so, and by whom."""

    note: PlayedOn
    points: list[tuple[str, str]]
    by: str
    ended: bool


@memoized
def points_before_round_1(moment: EventAt) -> tuple[PointLine, ...]:
    """What is missing while round 1 is not published; nothing once it is."""
    state = moment.state
    if state.public_rounds or state.finished:
        return ()
    names = full_names(moment)
    return tuple(PointLine(point, names.get(point.who, point.who), point.who if point.kind in ABOUT_LISTS else "")
                 for point in open_points(state, list_points(state, moment.people)))


@memoized
def cut_short_lines(moment: EventAt) -> tuple[tuple[str, str], ...]:
    """What finishing now would cut short: (key of the sentence, name) of each."""
    state, names = moment.state, full_names(moment)
    if state.finished:
        return ()
    return tuple((f"finish.left.{upcoming_stage(state)}" if point.kind == FINISHED_EARLY else f"points.{point.kind}",
             names.get(point.who, point.who)) for point in unfinished_parts(state))


def played_on_lines(moment: EventAt) -> tuple[PlayedOnLine, ...]:
    """For everybody to read, with the names that the hall may read."""
    names = shown_names(moment)
    return tuple(
        PlayedOnLine(note, [(point.kind, names.get(point.who, point.who)) for point in note.points],
                     official_name(moment, note.by), any(point.kind not in KINDS for point in note.points))
        for note in moment.state.played_on)
