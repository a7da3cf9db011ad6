"""What leaves the hub: the event file, and the standings for a spreadsheet."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from fractions import Fraction

from flask import Blueprint, Response
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.event.state import tournament_of
from roundtap_core.eventfile.write import tournament_to_json
from roundtap_hub.pages.base import the_moment
from roundtap_hub.views.event_at import full_names, ranking
from roundtap_hub.views.knockout import table_rows


def routes(bp: Blueprint) -> None:
    bp.add_url_rule("/<event_id>/export.json", "export_file", event_file)
    bp.add_url_rule("/<event_id>/standings.csv", "export_standings", standings_csv)


def event_file(event_id: str) -> AnyResponse:
    """The event file: everything of the tournament, nothing of the hall."""
    moment = the_moment(event_id)
    held = tournament_of(moment.state, moment.people, as_file=True)
    text = json.dumps(tournament_to_json(held), ensure_ascii=False, indent=2) + "\n"
    return _download(text, "application/json", file_name(moment.state.name, "json"))


def standings_csv(event_id: str) -> AnyResponse:
    """The final ranking, before it the standings after the last settled round."""
    moment = the_moment(event_id)
    rows, names = table_rows(moment), full_names(moment)
    keys = tuple(ranking(moment)[0].tiebreakers) if ranking(moment) else ()
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["rank", "name", "points", "rounds", "wins", "losses", "draws", "byes", *keys, "decided_by",
                     "by_chance", "status", "reached"])
    for placed, row in rows:
        if row is None:
            continue
        writer.writerow([
            "" if placed.rank is None else placed.rank, harmless(names.get(row.competitor, row.competitor)),
            row.points, row.rounds, row.wins, row.losses, row.draws, row.byes,
            *(_cell(row.tiebreakers.get(key, "")) for key in keys), row.decided_by, "yes" if row.by_chance else "",
            placed.status or "", placed.reached or "",
        ])
    # Spreadsheets take a file without this mark for another alphabet.
    return _download("\ufeff" + out.getvalue(), "text/csv", file_name(moment.state.name, "csv"))


def harmless(text: str) -> str:
    """A name that a spreadsheet would take for a formula, as text."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def file_name(event_name: str, ending: str) -> str:
    """The event's name in plain letters: "Liga Żyto 3" → "liga-zyto-3.json"."""
    plain = unicodedata.normalize("NFKD", event_name.casefold().replace("ł", "l")).encode("ascii", "ignore").decode()
    return f"{re.sub('[^a-z0-9]+', '-', plain).strip('-')[:60] or 'event'}.{ending}"


def _download(text: str, kind: str, name: str) -> Response:
    response = Response(text, content_type=f"{kind}; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _cell(value: object) -> str:
    """A spreadsheet would take 4/9 for a date: fractions become decimals here. The exact ones are in the event file's
    standings."""
    return f"{float(value):.4f}" if isinstance(value, Fraction) else str(value)
