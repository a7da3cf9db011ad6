"""Leaving in mid-game at the console: what the match still has to say is asked before anybody is dropped."""

from __future__ import annotations

from collections.abc import Callable

from flask import g, request
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Problem
from roundtap_core.event.course import situation_of
from roundtap_core.event.people.decide import free_place
from roundtap_core.event.people.leave import SCORE, open_match, waits_for
from roundtap_core.event.state import EventState, MatchState, RoundState
from roundtap_core.records import CONCESSION, SIDES, Result, other
from roundtap_hub.pages.base import back_to_event, field, page, the_moment
from roundtap_hub.pages.results import MARKS_A_SIDE
from roundtap_hub.views.event_at import full_names
from roundtap_hub.views.result_form import form_view, read_result
from roundtap_hub.views.result_text import figure_label
from roundtap_hub.views.tables import side_names

SAID, UNKNOWN = "1", "0"
"""The form's two buttons: with the figures as they stand, or nobody knows them now."""

Tell = Callable[[Result | None], None]


def leaves(event_id: str, competitor: str, action: str, tell: Tell) -> AnyResponse:
    """Somebody drops, or is disqualified (`action`): at once, or with what their open match has to say."""
    state = the_moment(event_id).state
    found = open_match(state, competitor)
    if found is None or free_place(state, competitor) or not _asks(state, *found):
        tell(None)
        return back_to_event(event_id, "competitors")
    said = field("known")
    if said not in (SAID, UNKNOWN):
        return _ask(event_id, competitor, action, state, *found)
    try:
        tell(_stood(state, *found, competitor) if said == SAID else None)
    except Problem as problem:
        g.problem, g.status = problem, 400
        return _ask(event_id, competitor, action, state, *found)
    return back_to_event(event_id, "competitors")


def _asks(state: EventState, played: RoundState, match: MatchState) -> bool:
    """Nothing where the opponent has gone as well: then nobody wins."""
    here = all(state.entrants[who].active for who in (match.match.a, match.match.b) if who)
    return here and bool(waits_for(state, played, match))


def _stood(state: EventState, played: RoundState, match: MatchState, competitor: str) -> Result:
    side = "a" if match.match.a == competitor else "b"
    squads = {f"picks.{each}": request.form.getlist(f"picks.{each}")[:MARKS_A_SIDE] for each in SIDES}
    typed: dict[str, str | list[str]] = {
        **request.form.to_dict(), **squads, "ended": CONCESSION, "conceded_by": side, "winner": ""}
    for key in waits_for(state, played, match):
        if key == SCORE and not all(str(typed.get(f"{SCORE}.{each}", "")).strip() for each in SIDES):
            raise Problem("figure_missing", where="/score")
    return read_result(state.rulebook, state.options, typed, situation_of(state, played, match))


def _ask(event_id: str, competitor: str, action: str, state: EventState, played: RoundState,
         match: MatchState) -> AnyResponse:
    names = side_names(match, full_names(the_moment(event_id)))
    side = "a" if match.match.a == competitor else "b"
    form = form_view(state.rulebook.form(state.options, situation_of(state, played, match)))
    return page(
        "leave.html", state=state, match=match, names=names, competitor=competitor, action=action, form=form,
        carried={name: field(name) for name in ("reason", "by") if field(name)}, leaver=names[side],
        winner=names[other("a" if side == "a" else "b")], figure_label=figure_label,
        stays_open=SCORE in waits_for(state, played, match),
    )
