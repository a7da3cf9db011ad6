"""Sheets for any printer, A4 or A5: a browser prints them. Pairings, standings and bracket are everybody's to print."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from flask import Blueprint, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.elimination.bracket_picture import bracket_svg
from roundtap_hub.hall_address import hall_address
from roundtap_hub.pages.base import page, the_hub, the_moment, words
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

Shown = dict[str, Any]
EVERYBODYS = ("pairings-table", "pairings-name", "standings", "bracket")
DESKS = ("slips", "players", "emergency")


def public_routes(bp: Blueprint) -> None:
    for what in EVERYBODYS:
        bp.add_url_rule(f"/print/<event_id>/{what}", f"print_{what}", partial(sheet, what=what, who="pages"))


def routes(bp: Blueprint) -> None:
    for what in DESKS:
        bp.add_url_rule(f"/<event_id>/print/{what}", f"print_{what}", partial(sheet, what=what, who="console"))


def sheet(event_id: str, what: str, who: str) -> AnyResponse:
    """`?size=a5`: all else is A4. `?all=1`: slips of matches that have a result, too."""
    address = url_for(f"{who}.print_{what}", event_id=event_id)
    moment, hub = the_moment(event_id), the_hub()
    state = moment.state
    size = request.args.get("size", "")
    newest = newest_round(state)
    shown = _MAKERS[what](moment)
    return page(f"print_{what.partition('-')[0]}.html", state=state, what=what, size=size if size in SIZES else A4,
                sizes=SIZES, print_address=address, printed_at=printed_at(hub.clocks.wall()), newest=newest,
                newest_name=title_key(state, newest) if newest else None,
                planned=rounds_planned(state, newest) if newest and planned_rounds(state) else None,
                head=f"#{state.number} {state.head[:HEAD_LETTERS]}", event_url=f"{hub_address()}/e/{event_id}",
                event_by_name=f"{the_hub().reached_at.by_name}/e/{event_id}" if the_hub().reached_at.by_name else "",
                **shown)


def hub_address() -> str:
    """The plain port's address as the hall reaches it: what stands on paper for phones."""
    return hall_address(the_hub(), request.host_url)


def _pairings(by: Callable[..., list[Shown]]) -> Callable[[EventAt], Shown]:
    def made(moment: EventAt) -> Shown:
        newest = newest_round(moment.state)
        return {"rows": by(moment, newest, shown_names(moment)) if newest else []}

    return made


def _standings(moment: EventAt) -> Shown:
    return {"standings": standings_content(moment, shown_names(moment))}


def _bracket(moment: EventAt) -> Shown:
    found, names = bracket(moment), shown_names(moment)
    return {"drawing": bracket_svg(found, names, words()) if found else "",
            "bracket_rounds": sorted_rounds(found, names) if found else [],
            "champion": names.get(found.champion, "") if found and found.champion else ""}


def sorted_rounds(found: Any, names: Any) -> list[Any]:
    """All rounds of the bracket, the first one first: paper is read from its beginning."""
    lines = bracket_lines(found, names)
    return sorted(lines, key=lambda one: min(game.number for game in one.games))


def _slips(moment: EventAt) -> Shown:
    played = slips_round(moment.state)
    return {"slips": printed_slips(moment, played, hub_address(), the_hub().secret, words(),
                                   request.args.get("all") == "1") if played else []}


def _players(moment: EventAt) -> Shown:
    return {"people": desk_rows(moment)}


def _emergency(moment: EventAt) -> Shown:
    hub = the_hub()
    return {"view": emergency_view(moment, hub.clocks.now()), "hub_address": hub_address(),
            "fingerprint": hub.encrypted.fingerprint if hub.encrypted else "",
            "console_address": f"https://{urlsplit(hub_address()).hostname}:{hub.encrypted.port}/"
            if hub.encrypted else f"{hub_address()}/console"}


_MAKERS: dict[str, Callable[[EventAt], Shown]] = {
    "pairings-table": _pairings(pairings_by_table), "pairings-name": _pairings(pairings_by_name),
    "standings": _standings, "bracket": _bracket, "slips": _slips, "players": _players, "emergency": _emergency,
}
