"""Sheets for any printer, A4 or A5: a browser prints them. Pairings, standings and bracket are everybody's to print."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from flask import request
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.elimination.bracket_picture import bracket_svg
from roundtap_hub.hall_address import hall_address
from roundtap_hub.pages.base import page, the_hub, the_moment, words
from roundtap_hub.policy import EVERYBODY, HEADS_AND_DESK, SEEN, STAFF, route
from roundtap_hub.printing.job_content import (
    HEAD_LETTERS,
    pairings_by_name,
    pairings_by_table,
    rounds_planned,
    standings_content,
)
from roundtap_hub.views.emergency import emergency_view
from roundtap_hub.views.event_at import EventAt, newest_round, planned_rounds, shown_names
from roundtap_hub.views.knockout import bracket, bracket_lines, title_key
from roundtap_hub.views.print_pages import A4, SIZES, desk_rows, printed_at, printed_slips, slips_round

EVERYBODYS = ("pairings-table", "pairings-name", "standings", "bracket")
DESKS = ("slips", "players", "emergency")
"""How the addresses of these sheets end."""


@route("GET /print/<event_id>/pairings-table", EVERYBODY, SEEN)
def print_pairings_table(event_id: str) -> AnyResponse:
    """Pairings by table. Of every sheet: `?size=a5`; all else is A4."""
    return _pairings(event_id, "pairings-table", pairings_by_table)


@route("GET /print/<event_id>/pairings-name", EVERYBODY, SEEN)
def print_pairings_name(event_id: str) -> AnyResponse:
    """Pairings by name."""
    return _pairings(event_id, "pairings-name", pairings_by_name)


def _pairings(event_id: str, what: str, by: Callable[..., list[dict[str, Any]]]) -> AnyResponse:
    moment = the_moment(event_id)
    newest = newest_round(moment.state)
    return _sheet(moment, what, rows=by(moment, newest, shown_names(moment)) if newest else [])


@route("GET /print/<event_id>/standings", EVERYBODY, SEEN)
def print_standings(event_id: str) -> AnyResponse:
    moment = the_moment(event_id)
    return _sheet(moment, "standings", standings=standings_content(moment, shown_names(moment)))


@route("GET /print/<event_id>/bracket", EVERYBODY, SEEN)
def print_bracket(event_id: str) -> AnyResponse:
    moment = the_moment(event_id)
    found, names = bracket(moment), shown_names(moment)
    return _sheet(moment, "bracket", drawing=bracket_svg(found, names, words()) if found else "",
                  bracket_rounds=sorted_rounds(found, names) if found else [],
                  champion=names.get(found.champion, "") if found and found.champion else "")


def sorted_rounds(found: Any, names: Any) -> list[Any]:
    """All rounds of the bracket, the first one first: paper is read from its beginning."""
    lines = bracket_lines(found, names)
    return sorted(lines, key=lambda one: min(game.number for game in one.games))


@route("GET /console/<event_id>/print/slips", STAFF, SEEN)
def print_slips(event_id: str) -> AnyResponse:
    """Slips of the matches that have no result yet; `?all=1`: of all."""
    moment = the_moment(event_id)
    played = slips_round(moment.state)
    secret, of_all = the_hub().access.secret, request.args.get("all") == "1"
    return _sheet(moment, "slips", slips=printed_slips(
        moment, played, hub_address(), secret, words(), of_all) if played else [])


@route("GET /console/<event_id>/print/players", HEADS_AND_DESK, SEEN)
def print_players(event_id: str) -> AnyResponse:
    """Who plays, with what the desk knows of them."""
    moment = the_moment(event_id)
    return _sheet(moment, "players", people=desk_rows(moment))


@route("GET /console/<event_id>/print/emergency", STAFF, SEEN)
def print_emergency(event_id: str) -> AnyResponse:
    """All that it takes to go on by hand without the hub."""
    moment, hub = the_moment(event_id), the_hub()
    return _sheet(moment, "emergency", view=emergency_view(moment, hub.clocks.now()), hub_address=hub_address(),
                  fingerprint=hub.access.encrypted.fingerprint if hub.access.encrypted else "",
                  console_address=f"https://{urlsplit(hub_address()).hostname}:{hub.access.encrypted.port}/"
                  if hub.access.encrypted else f"{hub_address()}/console")


def _sheet(moment: EventAt, what: str, **shown: Any) -> AnyResponse:
    state, hub = moment.state, the_hub()
    size = request.args.get("size", "")
    newest, by_name = newest_round(state), hub.host.reached_at.by_name
    return page(f"print_{what.partition('-')[0]}.html", state=state, what=what, size=size if size in SIZES else A4,
                sizes=SIZES, print_address=request.path, printed_at=printed_at(hub.clocks.wall()), newest=newest,
                newest_name=title_key(state, newest) if newest else None,
                planned=rounds_planned(state, newest) if newest and planned_rounds(state) else None,
                head=f"#{state.number} {state.head[:HEAD_LETTERS]}", event_url=f"{hub_address()}/e/{state.id}",
                event_by_name=f"{by_name}/e/{state.id}" if by_name else "", **shown)


def hub_address() -> str:
    """The plain port's address as the hall reaches it: what stands on paper for phones."""
    return hall_address(the_hub(), request.host_url)
