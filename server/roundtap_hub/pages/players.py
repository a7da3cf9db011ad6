"""The players' pages: find my name, my table, the pairings, the standings, the bracket. Public names only."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flask import abort, request
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.elimination.bracket_picture import bracket_svg
from roundtap_hub.pages.base import (
    kept_as,
    kept_page,
    now_ms,
    page,
    the_instant,
    the_moment,
    the_snapshot,
    the_units,
    words,
)
from roundtap_hub.policy import EVERYBODY, SEEN, route
from roundtap_hub.views.event_at import EventAt, newest_round, planned_rounds, ranking_by_id, shown_names
from roundtap_hub.views.knockout import bracket, bracket_lines, cut_rows, final_lines, standing_of, winner_of
from roundtap_hub.views.players import everybody, player_view
from roundtap_hub.views.round_clock import face_of
from roundtap_hub.views.row_texts import RowOf
from roundtap_hub.views.standings_table import has_draws, record_text, standings_view
from roundtap_hub.views.tables import cells


@route("GET /e/<event_id>", EVERYBODY, SEEN, kept="e/<event_id>")
def find_me(event_id: str) -> AnyResponse:
    """Everybody by name. `?q=`: those whose name holds it; the search works without scripts too."""
    moment, query = the_moment(event_id), request.args.get("q", "")[:60]
    state = moment.state
    shown: dict[str, Any] = {"state": state, "people": everybody(moment, query), "query": query,
                             "planned": planned_rounds(state), "newest": newest_round(state)}
    return page("find_me.html", kept_as(), **shown) if query else kept_page("find_me.html", **shown)


@route("GET /e/<event_id>/p/<competitor>", EVERYBODY, SEEN, kept="p/<event_id>/<competitor>")
def player(event_id: str, competitor: str) -> AnyResponse:
    return kept_page("player.html", **player_context(the_moment(event_id), competitor))


def player_context(moment: EventAt, competitor: str) -> dict[str, Any]:
    """What a page shows of one player; 404 for nobody."""
    state = moment.state
    view = player_view(the_snapshot(), the_units(), moment, competitor, now_ms())
    if view is None:
        abort(404)
    winner = winner_of(moment)
    return {"state": state, "view": view, "clock": state.clock, "standing": standing_of(moment, competitor),
            "has_bracket": bracket(moment) is not None, "planned": planned_rounds(state),
            "face": face_of(state, the_instant(), words()), "won": winner == competitor,
            "winner": shown_names(moment)[winner] if winner is not None else ""}


@route("GET /e/<event_id>/standings", EVERYBODY, SEEN, kept="standings/<event_id>")
def standings(event_id: str) -> AnyResponse:
    moment = the_moment(event_id)
    found, names = bracket(moment), shown_names(moment)
    return kept_page(
        "standings.html", state=moment.state, view=standings_view(moment, names),
        planned=planned_rounds(moment.state), final=final_lines(moment, names) if found else (),
        has_bracket=found is not None, cut_rows=cut_rows(moment), names=names)


@route("GET /e/<event_id>/bracket", EVERYBODY, SEEN, kept="bracket/<event_id>")
def bracket_page(event_id: str) -> AnyResponse:
    """The bracket: drawn where there is room, as lists on a phone."""
    moment = the_moment(event_id)
    found, names = bracket(moment), shown_names(moment)
    return kept_page(
        "bracket.html", state=moment.state, bracket=found,
        drawing=bracket_svg(found, names, words()) if found else "",
        rounds=bracket_lines(found, names) if found else [], planned=planned_rounds(moment.state),
        champion=names.get(found.champion, "") if found and found.champion else "", cut_rows=cut_rows(moment),
        names=names)


@route("GET /e/<event_id>/pairings", EVERYBODY, SEEN, kept="pairings/<event_id>")
def pairings(event_id: str) -> AnyResponse:
    """The newest round by table."""
    moment = the_moment(event_id)
    state, newest = moment.state, newest_round(moment.state)
    grid = cells(the_snapshot(), {}, state, newest, shown_names(moment), now_ms())
    ranked, draws = ranking_by_id(moment), has_draws(state)

    def rows() -> Iterator[RowOf]:
        for c in grid:
            a, b = record_text(ranked.get(c.a_id), draws), record_text(ranked.get(c.b_id or ""), draws)
            yield c.match_id, (c.table, c.a_id, c.a, c.b_id, c.b, c.bye, c.result, c.by_hand, a, b), (c, a, b)

    return kept_page("pairings.html", state=state, newest=newest, rows=rows,
                     planned=planned_rounds(state))
