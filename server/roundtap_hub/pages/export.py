"""What leaves the hub: the event file, the standings for a spreadsheet, X-Wing events for List Fortress."""

from __future__ import annotations

import json
import re
import unicodedata

from flask import Response, abort
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.event.whole import whole_tournament
from roundtap_core.eventfile.list_fortress import RULEBOOKS as LIST_FORTRESS
from roundtap_core.eventfile.list_fortress import list_fortress
from roundtap_core.eventfile.standings_csv import standings_csv as csv_of
from roundtap_core.eventfile.write import tournament_to_json
from roundtap_hub.pages.base import the_moment
from roundtap_hub.policy import SEEN, STAFF, route
from roundtap_hub.views.event_at import settled_round, tournament


@route("GET /console/<event_id>/export.json", STAFF, SEEN)
def export_file(event_id: str) -> AnyResponse:
    """The event file: everything of the tournament, nothing of the hall."""
    moment = the_moment(event_id)
    whole = whole_tournament(moment.state, moment.people)
    text = json.dumps(tournament_to_json(whole), ensure_ascii=False, indent=2) + "\n"
    return _download(text, "application/json", file_name(moment.state.name, "json"))


@route("GET /console/<event_id>/standings.csv", STAFF, SEEN)
def export_standings(event_id: str) -> AnyResponse:
    """The standings after the last settled round, with the final places of an elimination: the same table that
    `roundtap standings --format csv` makes of the event file."""
    moment = the_moment(event_id)
    text = csv_of(tournament(moment), settled_round(moment.state))
    # Spreadsheets take a file without this mark for another alphabet.
    return _download("\ufeff" + text, "text/csv", file_name(moment.state.name, "csv"))


@route("GET /console/<event_id>/list-fortress.json", STAFF, SEEN)
def export_list_fortress(event_id: str) -> AnyResponse:
    """What List Fortress takes as the export of a tournament; another game has none."""
    moment = the_moment(event_id)
    if moment.state.rulebook_id not in LIST_FORTRESS:
        abort(404)
    text = json.dumps(list_fortress(tournament(moment)), ensure_ascii=False, indent=2) + "\n"
    return _download(text, "application/json", file_name(f"{moment.state.name} list fortress", "json"))


def file_name(event_name: str, ending: str) -> str:
    """The event's name in plain letters: "Liga Żyto 3" → "liga-zyto-3.json"."""
    plain = unicodedata.normalize("NFKD", event_name.casefold().replace("ł", "l")).encode("ascii", "ignore").decode()
    return f"{re.sub('[^a-z0-9]+', '-', plain).strip('-')[:60] or 'event'}.{ending}"


def _download(text: str, kind: str, name: str) -> Response:
    response = Response(text, content_type=f"{kind}; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
