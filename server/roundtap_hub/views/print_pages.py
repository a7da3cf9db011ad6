"""What stands on printed sheets beside what screens show: slips, the desk's list, and the line above each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from roundtap_core.event.course import situation_of
from roundtap_core.event.state import EventState, RoundState
from roundtap_core.forms.slip_form import SlipFigure, Ticks, margin_label, slip_figures, slip_picks, slip_ticks
from roundtap_core.words import Words
from roundtap_hub.printing.job_content import HEAD_LETTERS, slip_content
from roundtap_hub.qr_svg import qr_svg
from roundtap_hub.views.event_at import EventAt, full_names, newest_round, shown_members, shown_names
from roundtap_hub.views.knockout import title_key
from roundtap_hub.views.lists import FLAGGED, GOOD, list_states
from roundtap_hub.views.wall import sort_key

A4, A5 = "a4", "a5"
SIZES = (A4, A5)


@dataclass(frozen=True, slots=True)
class PrintedSlip:
    """One match's slip as a page shows it. `content`: as the thermal printer's (printing/job_content.py)."""

    content: Mapping[str, Any]
    figures: Sequence[SlipFigure]
    ticks: Sequence[Ticks]
    margin: str
    squads: int
    take: int
    qr: str


def printed_slips(moment: EventAt, played: RoundState, base_url: str, secret: bytes, words: Words,
                  all_matches: bool = False) -> list[PrintedSlip]:
    """The slips of a round by table, of its open matches alone unless `all_matches`."""
    state, names = moment.state, shown_names(moment)
    found = []
    for match in sorted(played.matches, key=lambda one: (one.match.table is None, one.match.table or 0)):
        if match.match.b is None or (match.done and not all_matches):
            continue
        content = {"event": state.name, "round": played.number, "name": title_key(state, played),
                   "head": f"#{state.number} {state.head[:HEAD_LETTERS]}",
                   **slip_content(moment, played, match, names, base_url, secret)}
        form = state.rulebook.form(state.options, situation_of(state, played, match))
        picks = slip_picks(form)
        found.append(PrintedSlip(content, slip_figures(form, words), slip_ticks(form), margin_label(form, words),
                                 picks.of if picks else 0, picks.take if picks else 0, qr_svg(str(content["url"]))))
    return found


@dataclass(frozen=True, slots=True)
class DeskRow:
    """One line of the list for the desk. What is known already is ticked: None where nobody asks."""

    number: int
    name: str
    public: str
    members: tuple[str, ...]
    here: bool
    paid: bool
    list: bool | None
    fixed_table: int | None
    came_with: str | None
    active: bool


def desk_rows(moment: EventAt) -> list[DeskRow]:
    """Everybody by name, as they were entered: for the organizer."""
    names, public, members = full_names(moment), shown_names(moment), shown_members(moment)
    numbers, lists = numbers_of(moment.state), list_states(moment)
    asked = moment.state.rulebook.lists is not None
    rows = [
        DeskRow(numbers[e.id], names[e.id], public[e.id] if public[e.id] != names[e.id] else "", members.get(e.id, ()),
                e.checked_in, bool(moment.people[e.id].paid) if e.id in moment.people else False,
                lists[e.id].state in (GOOD, FLAGGED) if asked else None, e.fixed_table, e.came_with, e.active)
        for e in moment.state.entrants.values()
    ]
    return sorted(rows, key=lambda row: sort_key(row.name))


def numbers_of(state: EventState) -> dict[str, int]:
    """Everybody's number on paper: that of their entry, which never changes; where ids have no numbers of their own
    (an imported event), their place in the list."""
    tails = {who: who.lstrip("abcdefghijklmnopqrstuvwxyz") for who in state.entrants}
    if all(tail.isdecimal() and len(tail) < 5 for tail in tails.values()) and len(set(tails.values())) == len(tails):
        return {who: int(tail) for who, tail in tails.items()}
    return {who: place for place, who in enumerate(state.entrants, start=1)}


def printed_at(wall: str | None) -> str:
    """When a sheet was made, on the clock of this place: "2026-11-21 14:25"; "" where nobody knows the time."""
    return "" if wall is None else datetime.fromisoformat(wall).astimezone().strftime("%Y-%m-%d %H:%M")


def last_closed(state: EventState) -> RoundState | None:
    """The last round of which all results stand on record."""
    return next((played for played in reversed(state.public_rounds) if not played.open_matches), None)


def slips_round(state: EventState) -> RoundState | None:
    """The round that slips are printed of."""
    newest = newest_round(state)
    return None if newest is None or state.finished else newest
