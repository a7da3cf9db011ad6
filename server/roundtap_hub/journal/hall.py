"""One hall for all events: what a command has to know of the others' tables, as they are when it is decided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from roundtap_core.event.commands import (
    AdoptRound,
    CheckIn,
    Command,
    ConfirmEntry,
    DrawRound,
    EnterCompetitor,
    ImportRound,
    ImposeRound,
    MoveTables,
    MoveToTable,
    NoShowUndone,
    NoteLot,
    PairAgain,
    PairWaiting,
    PublishRound,
    Report,
)
from roundtap_core.event.rounds.tables_held import tables_drafted, tables_in_play
from roundtap_core.event.state import EventState
from roundtap_hub.journal.venue import Venue

Events = Mapping[str, EventState]

LOOK_FOR_FREE_TABLES = (AdoptRound, CheckIn, ConfirmEntry, DrawRound, EnterCompetitor, ImposeRound, ImportRound,
                        MoveTables, MoveToTable, NoShowUndone, PairAgain, PairWaiting)
HALL_COMMANDS = (PublishRound, *LOOK_FOR_FREE_TABLES)
"""Commands that stand on what all events have of the hall."""
UNIT = "unit:"
"""What the actor of an entry begins with that a device made."""


def in_the_hall(events: Events, venue: Venue, state: EventState, command: Command, actor: str) -> Command:
    """`command` on `state` with the other events' tables and with what `actor`, if it is a unit, may say: only the
    writer, which decides one command after the other, sees both as they really are."""
    if isinstance(command, PublishRound):
        return replace(command, taken_tables=taken_tables(events, state.id), venue_number=venue.number)
    if isinstance(command, LOOK_FOR_FREE_TABLES):
        command = replace(command, busy_tables=command.busy_tables | busy_tables(events, state.id))
        return replace(command, venue_number=venue.number) if isinstance(command, ImportRound) else command
    if isinstance(command, Report | NoteLot) and actor.startswith(UNIT):
        return replace(command, stood_there=stood_there(venue, state, command.match, actor.removeprefix(UNIT)))
    return command


def stood_there(venue: Venue, state: EventState, match_id: str, unit: str) -> bool:
    """Whether the unit stood at the match's table at any time since its round was published: who was moved away in
    the middle of it may still deliver. Whoever stands alone, as drawn or because the other one did not appear, has no
    table: what the core says of that is said to everybody."""
    found = state.find_match(match_id)
    if found is None or found[1].match.b is None:
        return True
    return venue.stood_at(unit, found[1].match.table, found[0].venue_number)


def taken_tables(events: Events, event_id: str) -> dict[int, str]:
    """Tables at which other events play, with the names of these events."""
    return {table: state.name for state in _others(events, event_id) for table in tables_in_play(state)}


def busy_tables(events: Events, event_id: str) -> frozenset[int]:
    """Tables at which other events play, or for which they have drawn a round."""
    return frozenset().union(*(tables_in_play(state) | tables_drafted(state) for state in _others(events, event_id)))


def _others(events: Events, event_id: str) -> list[EventState]:
    return [state for state in events.values() if state.id != event_id and not state.finished]
