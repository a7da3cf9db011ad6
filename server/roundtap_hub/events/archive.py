"""An event's exports (file, standings, List Fortress), and archiving, restoring and deleting it."""

import io
import json
from zipfile import ZIP_DEFLATED, ZipFile

from flask import abort, g, redirect, url_for
from msgspec.structs import replace
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.entries import NewEntry
from roundtap_core.event.event_flow import whole_tournament
from roundtap_core.eventfile.exports import file_stem, list_fortress, tournament_to_json
from roundtap_core.eventfile.exports import standings_csv as csv_of
from roundtap_core.eventfile.site import site_pages
from roundtap_hub.http.http_answers import problem_status
from roundtap_hub.http.routes import NOT_IN_PLAY, ORGANIZERS, OVER, STAFF, VISIBLE, PageKey, route
from roundtap_hub.live import current, forms, render
from roundtap_hub.store.command_pipeline import refuse_event_change
from roundtap_hub.store.venue import EVENT_ARCHIVED, EVENT_DELETED, EVENT_UNARCHIVED
from roundtap_hub.views.league_tables import league_view
from roundtap_hub.views.saved_event import archived_list, known_events, settled_round, tournament


@route("GET /console/archived", ORGANIZERS)
def archived_events(**_: str) -> AnyResponse:
    """The archived events, each with a button that restores it."""
    return render.page("archived.html", feed=PageKey("console"), events=archived_list(current.snapshot()))


@route("POST /console/<event_id>/archive", ORGANIZERS, NOT_IN_PLAY)
@forms.shows_problem_on(forms.EVENTS_PAGE)
def archive_event(event_id: str) -> None:
    forms.add_venue_entry(NewEntry(EVENT_ARCHIVED, {"event": event_id}))


@route("POST /console/<event_id>/restore", ORGANIZERS, VISIBLE)
@forms.shows_problem_on(archived_events)
def restore_event(event_id: str) -> AnyResponse:
    forms.add_venue_entry(NewEntry(EVENT_UNARCHIVED, {"event": event_id}))
    return redirect(url_for("console.events_page"), 303)


@route("GET /console/<event_id>/delete", ORGANIZERS, OVER)
def confirm_delete(event_id: str) -> AnyResponse:
    """What deleting the event will do; the organizer confirms by typing its name."""
    state, may = current.event(event_id).state, True
    try:
        refuse_event_change(current.snapshot(), NewEntry(EVENT_DELETED, {"event": event_id}))
    except Problem as problem:
        # Shown before the name is typed, and without a button.
        may = False
        if "problem" not in g:
            g.problem, g.status = problem, problem_status(problem)
    return render.page("delete_event.html", state=state, may_delete=may)


@route("POST /console/<event_id>/delete", ORGANIZERS, OVER)
@forms.shows_problem_on(confirm_delete)
def delete_event(event_id: str) -> AnyResponse:
    """People, lists and papers are gone when this answers; the entries stay, and hold no names."""
    name = current.event(event_id).state.name
    if forms.field("name").casefold() != name.strip().casefold():
        raise Invalid("name_not_typed", where="/name", typed=forms.field("name")[:80], name=name)
    entry = NewEntry(EVENT_DELETED, {"event": event_id})
    refuse_event_change(current.snapshot(), entry)
    if (paper := current.hub().paper) is not None:
        # First: should the hub die in between, print orders are lost, but no name stays on one.
        paper.forget(event_id)
    forms.add_venue_entry(entry)
    return redirect(url_for("console.events_page"), 303)


@route("GET /console/<event_id>/export.json", STAFF, VISIBLE)
def export_file(event_id: str) -> AnyResponse:
    """The event file: the whole tournament, nothing of the hall."""
    event, persons = current.event(event_id), current.snapshot().venue.book.persons
    whole = whole_tournament(event.state, event.people)
    known = tuple(replace(each, person=persons.get((event_id, each.id))) for each in whole.competitors)
    text = json.dumps(tournament_to_json(replace(whole, competitors=known)), ensure_ascii=False, indent=2) + "\n"
    return render.download(text, "application/json; charset=utf-8", f"{file_stem(event.state.name)}.json")


@route("GET /console/<event_id>/standings.csv", STAFF, VISIBLE)
def export_standings(event_id: str) -> AnyResponse:
    """The standings after the last settled round, with final places, as `roundtap standings --format csv` has it."""
    event = current.event(event_id)
    text = csv_of(tournament(event), settled_round(event.state), now=True)
    # Without a byte order mark, spreadsheets guess another encoding.
    return render.download("\ufeff" + text, "text/csv; charset=utf-8", f"{file_stem(event.state.name)}.csv")


@route("GET /console/<event_id>/list-fortress.json", STAFF, VISIBLE)
def export_list_fortress(event_id: str) -> AnyResponse:
    """The tournament as List Fortress imports it; 404 for games that it does not know."""
    event = current.event(event_id)
    if not event.state.rulebook.list_fortress:
        abort(404)
    text = json.dumps(list_fortress(tournament(event)), ensure_ascii=False, indent=2) + "\n"
    return render.download(
        text, "application/json; charset=utf-8", f"{file_stem(f'{event.state.name} list fortress')}.json"
    )


@route("GET /console/results.zip", ORGANIZERS)
@forms.shows_problem_on(forms.EVENTS_PAGE)
def export_results() -> AnyResponse:
    """All finished events as plain pages, by the names of today; those at rest are opened one after the other."""
    snapshot, packed = current.snapshot(), io.BytesIO()
    over = (current.event(line.id) for line in known_events(snapshot) if line.finished)
    views = [league_view(snapshot, current.hub().hall.evenings, league) for league in snapshot.venue.leagues.values()]
    pages = site_pages(
        (whole_tournament(event.state, event.people) for event in over),
        current.words(),
        [(view.league.name, view.rows, view.dates) for view in views if view.rows],
    )
    with ZipFile(packed, "w", ZIP_DEFLATED) as folder:
        for name, page in pages.items():
            folder.writestr(name, page)
    return render.download(packed.getvalue(), "application/zip", "results.zip")
