"""What the template of every page may use."""

from __future__ import annotations

from typing import Any

from roundtap_core.clock import show
from roundtap_core.elimination.bracket_picture import say_round
from roundtap_core.errors import Problem
from roundtap_core.event.state import EventState
from roundtap_core.records import TIEBREAK
from roundtap_core.version import version
from roundtap_core.words import LANGUAGES, Words
from roundtap_hub.hub import Hub
from roundtap_hub.views.knockout import newest_name, title_key
from roundtap_hub.views.round_clock import age_text
from roundtap_hub.views.row_texts import RowTexts
from roundtap_hub.views.said import SaidLine, said_lines
from roundtap_hub.views.schedule import Schedule, schedule


def common_context(hub: Hub, t: Words, rows: RowTexts) -> dict[str, Any]:
    """By name."""
    return {"t": t, "lang": t.language, "languages": LANGUAGES, "hub": hub, "clock_text": show, "age_text": age_text,
            "knockout_name": lambda what: knockout_name(t, what),
            "round_named": lambda state, number: round_named(t, state, number),
            "restored": hub.service.snapshot.venue.afresh is not None,
            "schedule_of": lambda state: schedule_of(hub, state),
            "said_to": lambda event_id: said_to(hub, event_id),
            "row_texts": lambda *of: rows.rows(t.language, *of), "build": version()}


def schedule_of(hub: Hub, state: EventState) -> Schedule | None:
    """The event's schedule as of now; None where its journal cannot be read."""
    try:
        return schedule(state, hub.times.of(state), hub.clocks.now(), hub.clocks.wall())
    except Problem:
        return None


def said_to(hub: Hub, event_id: str | None) -> tuple[SaidLine, ...]:
    """What is announced to an event (None: to all) now."""
    return said_lines(hub.service.snapshot.venue.walls, event_id, hub.clocks.now(), hub.clocks.wall())


def knockout_name(t: Words, what: EventState | str | None) -> str:
    """A round's name in one language: of an event's newest round, or of a name's key; "" where none."""
    key = newest_name(what) if isinstance(what, EventState) else what
    if key == TIEBREAK:
        return t("round.tiebreak")
    return say_round(t, key) if key else ""


def round_named(t: Words, state: EventState, number: int) -> str:
    """ "Round 3", or what that round is called: "Final"."""
    played = next((played for played in state.rounds if played.number == number), None)
    return (knockout_name(t, title_key(state, played)) if played is not None else "") or t("round", number=number)
