"""What is asked about rounds: drawing, publishing, the clock, the end. Plain data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from roundtap_core.event.played_on import OpenPoint
from roundtap_core.records import SWISS
from roundtap_core.rulebooks.base import ORGANIZER
from roundtap_core.typed import Count, Exact, Id, IdOrEmpty, LineOrEmpty, Minutes, Prose


class ImportRound(Struct, frozen=True):
    """One round of an event file, in the file's JSON. `players`: how many were there, where the file says. If it is
    still played, it moves away from `busy_tables`; `venue_number` as in PublishRound."""

    round: Mapping[str, Any]
    players: Count | None = None
    busy_tables: frozenset[int] = frozenset()
    venue_number: int | None = None


class DrawRound(Struct, frozen=True):
    """Draw the next round, or draw it anew. `seed` comes fresh from the system's randomness.

    `busy_tables`: where other events play or have drawn; whoever sees all events of the hall fills them in.
    `tiebreak_form`: how a tie of three or more is played out, where such a round follows ("each" or "knockout").
    """

    seed: Exact
    busy_tables: frozenset[int] = frozenset()
    tiebreak_form: Id = "each"


class ImposeRound(Struct, frozen=True):
    """The next round as somebody wants it, whatever the draw would say: knowingly forced, and recorded as that.

    `matches` are the event file's, without results; `stage` and `tiebreak_form` as there. A match without a table takes
    the lowest free one beside `busy_tables`. A person who pairs by hand gives a `reason`, and `plan`, the mark of what
    was shown to them before (mending/mend.py): its warnings have been read.
    """

    matches: tuple[Mapping[str, Any], ...]
    stage: Id = SWISS
    tiebreak_form: Id | None = None
    busy_tables: frozenset[int] = frozenset()
    reason: Prose = ""
    by: Id = ORGANIZER
    plan: IdOrEmpty = ""


class AdoptRound(Struct, frozen=True):
    """Round `number` as the tables hold it, after a hub was restored from a copy that lacks it.

    `mark` is the draw's (RoundState.mark). `matches` are the event file's, without results, each with its `id` and,
    where an official had a hand in it, its `revision`.
    """

    number: Exact
    mark: Id
    matches: tuple[Mapping[str, Any], ...]
    stage: Id = SWISS
    tiebreak_form: Id | None = None
    busy_tables: frozenset[int] = frozenset()


class DiscardDraft(Struct, frozen=True):
    pass


class MoveTables(Struct, frozen=True):
    """The drawn round leaves `busy_tables` for free ones; `number` and `attempt` are what the organizer looked at."""

    number: Exact
    attempt: Exact
    busy_tables: frozenset[int] = frozenset()


class PublishRound(Struct, frozen=True):
    """`number` and `attempt` are what the organizer looked at: another draft is never published by mistake.

    Round 1 needs what the rulebook wants before it (setup/decide.py): `noted` says why it is played without,
    `seen` which points that was said of (None: whichever there are), `by` who said so. `list_points` are filled in by
    whoever keeps the people, `taken_tables` (those at which other events play, with their names) and `venue_number`
    (RoundState.venue_number) by whoever knows the hall.
    """

    number: Exact
    attempt: Exact
    noted: Prose = ""
    seen: tuple[Prose, ...] | None = None
    by: Id = ORGANIZER
    list_points: tuple[OpenPoint, ...] = ()
    taken_tables: Mapping[int, str] = {}
    venue_number: int | None = None


class SetClock(Struct, frozen=True):
    """`action`: "start", "pause", "adjust" (by `delta_ms`), "set" (to `delta_ms`), or "reset": back to not started."""

    action: LineOrEmpty
    delta_ms: Exact = 0


class FinishEvent(Struct, frozen=True):
    """The standings are final. `reason`: why, where something is still to be played."""

    reason: Prose = ""


class ReopenEvent(Struct, frozen=True):
    """It was finished too early, or a result has to be put right."""


class SetExtraMinutes(Struct, frozen=True):
    """What chance adds to the round in play: rolled by a person, known to officials only until it runs."""

    number: Exact
    minutes: Minutes
