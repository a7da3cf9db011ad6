"""Leagues: the page that makes and changes them, what everybody sees of one, and its table as CSV."""

import secrets

from flask import abort, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.entries import NewEntry
from roundtap_core.eventfile.exports import file_stem, league_csv
from roundtap_hub.http.routes import EVERYBODY, ORGANIZERS, PageKey, route
from roundtap_hub.live import current, forms, render
from roundtap_hub.live.page_cache import HubNow, page_kind
from roundtap_hub.store.book import LEAGUE_REMOVED, League, league_saved
from roundtap_hub.views.league_tables import LeagueView, league_version, league_view
from roundtap_hub.views.saved_event import known_events

NEW = League()
MOST = 999  # events that count, and points for coming


@route("GET /console/leagues", ORGANIZERS)
def leagues_page() -> AnyResponse:
    """All leagues; with `league` the form of one, with `new` that of a new one."""
    leagues, wanted = current.snapshot().venue.leagues, forms.sent_fields().get("league", "")
    form = leagues.get(wanted) or (NEW if "new" in request.args or request.method == "POST" else None)
    return render.place_page(
        "leagues.html",
        "leagues",
        leagues=leagues.values(),
        league=form,
        typed=request.form,
        chosen=request.form.getlist("event") if request.method == "POST" else form and form.events,
        events=known_events(current.snapshot())[::-1] if form else (),
    )


@route("POST /console/leagues", ORGANIZERS)
@forms.shows_problem_on(leagues_page)
def save_league() -> AnyResponse:
    """`league`: the one that is changed; a new one without it. `offered`: each event that the page had; `event`: those
    that count. What came to the league meanwhile stays in it."""
    snapshot, id = current.snapshot(), forms.field("league")
    if id and id not in snapshot.venue.leagues:
        raise Problem("step_changed_meanwhile")
    name = " ".join(forms.field("name").split())[: forms.NAME_LETTERS]
    kept = {*snapshot.venue.leagues.get(id, NEW).events}.difference(request.form.getlist("offered"))
    chosen = kept.union(request.form.getlist("event"))
    if not name:
        raise Invalid("league_name_missing", where="/name")
    league = League(
        id=id or secrets.token_hex(6),
        name=name,
        points=forms.form_choice("points", ("place", "own"), NEW.points),
        by_place="".join(forms.field("by_place").split()) or NEW.by_place,
        best=forms.form_number("best", (0, MOST)) or 0,
        coming=forms.form_number("coming", (0, MOST)) or 0,
        ties=forms.form_choice("ties", ("places", "best", "latest"), NEW.ties),
        events=tuple(line.id for line in known_events(snapshot) if line.id in chosen),
    )
    # What cannot be added up is not saved.
    _view(league)
    forms.add_venue_entry(league_saved(league))
    return redirect(url_for("console.leagues_page", _anchor=f"league-{league.id}"), 303)


@route("POST /console/leagues/remove", ORGANIZERS)
@forms.shows_problem_on(leagues_page)
def remove_league() -> None:
    forms.add_venue_entry(NewEntry(LEAGUE_REMOVED, {"id": forms.field("league")[:40]}))


@route("GET /console/leagues/<league>/table.csv", ORGANIZERS)
def export_league(league: str) -> AnyResponse:
    """With whole names: for the organizer alone."""
    view = _view(_known(league))
    return render.download(
        "\ufeff" + league_csv(view.rows, len(view.dates)),
        "text/csv; charset=utf-8",
        f"{file_stem(view.league.name)}.csv",
    )


@route("GET /league/<league>", EVERYBODY, kept="league/<league>")
def league_page(league: str) -> AnyResponse:
    """The table for phones, for paper, and for a wall's own browser."""
    return render.cached_page("league.html", view=_view(_known(league)))


@page_kind("league/<league>")
def _league(source: HubNow, page: PageKey) -> object | None:
    league = source.snapshot.venue.leagues.get(page.event)
    return None if league is None else league_version(source.snapshot, league)


def _view(league: League) -> LeagueView:
    return league_view(current.snapshot(), current.hub().hall.evenings, league)


def _known(league: str) -> League:
    return current.snapshot().venue.leagues.get(league) or abort(404)
