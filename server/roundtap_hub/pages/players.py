"""The players' pages: find my name, my table, the pairings, the standings. Public names only."""

from __future__ import annotations

from flask import Blueprint, abort, request
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.elimination.bracket_picture import bracket_svg
from roundtap_hub.pages.base import now_ms, page, the_hub, the_moment, the_snapshot, words
from roundtap_hub.views.event_at import newest_round, planned_rounds, shown_names
from roundtap_hub.views.knockout import bracket, bracket_lines, cut_rows, final_lines, standing_of
from roundtap_hub.views.players import everybody, player_view
from roundtap_hub.views.round_clock import face_of
from roundtap_hub.views.standings_table import record_of, standings_view
from roundtap_hub.views.tables import cells


def routes(bp: Blueprint) -> None:
    bp.add_url_rule("/e/<event_id>", "find_me", find_me)
    bp.add_url_rule("/e/<event_id>/p/<competitor>", "player", player)
    bp.add_url_rule("/e/<event_id>/standings", "standings", standings)
    bp.add_url_rule("/e/<event_id>/pairings", "pairings", pairings)
    bp.add_url_rule("/e/<event_id>/bracket", "bracket", bracket_page)


def find_me(event_id: str) -> AnyResponse:
    """Everybody by name; the search works without scripts too."""
    moment = the_moment(event_id)
    query = request.args.get("q", "")[:60]
    return page("find_me.html", feed=f"e/{event_id}", state=moment.state, people=everybody(moment, query), query=query,
                planned=planned_rounds(moment.state), newest=newest_round(moment.state))


def player(event_id: str, competitor: str) -> AnyResponse:
    moment, hub = the_moment(event_id), the_hub()
    state = moment.state
    view = player_view(the_snapshot(), hub.presence.units, moment, competitor, now_ms())
    if view is None:
        abort(404)
    return page("player.html", feed=f"p/{event_id}/{competitor}", state=state, view=view, clock=state.clock,
                standing=standing_of(moment, competitor), has_bracket=bracket(moment) is not None,
                planned=planned_rounds(state), face=face_of(state, hub.clocks.now(), words()))


def standings(event_id: str) -> AnyResponse:
    moment = the_moment(event_id)
    found = bracket(moment)
    return page("standings.html", feed=f"standings/{event_id}", state=moment.state,
                view=standings_view(moment, shown_names(moment)), planned=planned_rounds(moment.state),
                final=final_lines(moment, shown_names(moment)) if found else (), has_bracket=found is not None,
                cut_rows=cut_rows(moment), names=shown_names(moment))


def bracket_page(event_id: str) -> AnyResponse:
    """The bracket: drawn where there is room, as lists on a phone."""
    moment = the_moment(event_id)
    found, names = bracket(moment), shown_names(moment)
    return page("bracket.html", feed=f"bracket/{event_id}", state=moment.state, bracket=found,
                drawing=bracket_svg(found, names, words()) if found else "",
                rounds=bracket_lines(found, names) if found else [], planned=planned_rounds(moment.state),
                champion=names.get(found.champion, "") if found and found.champion else "", cut_rows=cut_rows(moment),
                names=names)


def pairings(event_id: str) -> AnyResponse:
    """The newest round by table."""
    moment = the_moment(event_id)
    newest = newest_round(moment.state)
    grid = cells(the_snapshot(), {}, moment.state, newest, shown_names(moment), now_ms())
    records = {entrant: record_of(moment, entrant)[0] for entrant in moment.state.entrants}
    return page("pairings.html", feed=f"pairings/{event_id}", state=moment.state, newest=newest, grid=grid,
                records=records, planned=planned_rounds(moment.state))
