"""One hall for all events: what a command has to know of the others' tables, as they are when it is decided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from roundtap_core.event.commands import (
    Command,
    DrawRound,
    EnterCompetitor,
    ImportRound,
    ImposeRound,
    MoveTables,
    NoShowUndone,
    PublishRound,
)
from roundtap_core.event.rounds.tables_held import tables_drafted, tables_in_play
from roundtap_core.event.state import EventState

Events = Mapping[str, EventState]

LOOK_FOR_FREE_TABLES = (DrawRound, EnterCompetitor, ImposeRound, ImportRound, MoveTables, NoShowUndone)
HALL_COMMANDS = (PublishRound, *LOOK_FOR_FREE_TABLES)
"""Commands that stand on what all events have of the hall."""


def in_the_hall(events: Events, event_id: str, command: Command) -> Command:
    """`command` with the other events' tables: only the writer, which decides one command after the other, sees them
    as they really are."""
    if isinstance(command, PublishRound):
        return replace(command, taken_tables=taken_tables(events, event_id))
    if isinstance(command, LOOK_FOR_FREE_TABLES):
        return replace(command, busy_tables=command.busy_tables | busy_tables(events, event_id))
    return command


def taken_tables(events: Events, event_id: str) -> dict[int, str]:
    """Tables at which other events play, with the names of these events."""
    return {table: state.name for state in _others(events, event_id) for table in tables_in_play(state)}


def busy_tables(events: Events, event_id: str) -> frozenset[int]:
    """Tables at which other events play, or for which they have drawn a round."""
    return frozenset().union(*(tables_in_play(state) | tables_drafted(state) for state in _others(events, event_id)))


def _others(events: Events, event_id: str) -> list[EventState]:
    return [state for state in events.values() if state.id != event_id and not state.finished]
