"""Practice on the console: start it, open it, end it."""

from urllib.parse import urlsplit

from flask import current_app, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Problem
from roundtap_core.rulebooks.own_rules import rules_data
from roundtap_hub.app.home import events_page
from roundtap_hub.app.hub import Hub
from roundtap_hub.app.practice_hub import FAILED, PAGES, READY, STARTING, UNITS, PracticeHub, units_in_play
from roundtap_hub.events.own_games import own_games_page, toml_text, typed_game
from roundtap_hub.http.routes import ORGANIZERS, route
from roundtap_hub.live import current, forms, render
from roundtap_hub.views.preflight_checks import table_units, unit_rows


@route("POST /console/practice", ORGANIZERS)
@forms.shows_problem_on(events_page)
def start_practice() -> AnyResponse:
    """Start the practice hub, and wait for it on a page: a start takes longer than a form may."""
    return _begin()


@route("POST /console/games/try", ORGANIZERS)
@forms.shows_problem_on(own_games_page)
def try_game() -> AnyResponse:
    """Practice with the rules that the form says, saved or not. `anew`: also where others practise something else."""
    return _begin(toml_text(rules_data(typed_game())), bool(forms.field("anew")))


def _begin(rules: str = "", anew: bool = False) -> AnyResponse:
    session = current.current_visit().session
    _practice().start(current.words().language, session.hash if session else "", rules, anew)
    return redirect(url_for("console.practice_page"), 303)


@route("GET /console/practice", ORGANIZERS)
@forms.shows_problem_on(events_page)
def practice_page() -> AnyResponse:
    """Leads to the practice hub's pages once they answer; this browser is logged in there."""
    practice, session = _practice(), current.current_visit().session
    if practice.state == FAILED:
        raise Problem("practice_failed")
    if practice.state not in (STARTING, READY) or session is None:
        return redirect(url_for("console.events_page"))
    practice.admit(session)
    # No redirect: a browser would take it for the form's, which may lead to this hub alone.
    return render.page(
        "practice.html",
        to=_address(practice) if practice.state == READY else "",
        lent=practice.lent,
        free=_free_units(practice),
        tables=current.snapshot().venue.tables,
    )


@route("POST /console/practice/units", ORGANIZERS)
@forms.shows_problem_on(practice_page)
def lend_unit() -> None:
    """Let a table unit play at the practice hub, or call it back."""
    practice, unit = _practice(), forms.field("unit")
    if forms.field("back"):
        practice.recall([unit])
    elif unit not in _free_units(practice):
        raise Problem("practice_unit", unit=unit[:40])
    else:
        hub = current.hub()
        hub.presence.send(unit, practice.lend(unit, hub.units.keys[unit]))
        # A round may have been published since the unit was found free.
        practice.recall(units_in_play(hub.service.snapshot))


@route("POST /console/practice/end", ORGANIZERS)
@forms.shows_problem_on(events_page)
def end_practice() -> None:
    """End the practice hub."""
    _practice().end()


def _practice() -> PracticeHub:
    hub: Hub = current_app.extensions[current.HUB]
    practice = hub.practice
    if practice is None:
        raise Problem("practice_none")
    return practice


def _free_units(practice: PracticeHub) -> list[str]:
    """The connected table units of this version that no player needs, and that have nothing to send; none where there
    is no room for them."""
    hub, snapshot, units = current.hub(), current.snapshot(), current.units()
    rows = unit_rows(snapshot, table_units(hub, snapshot, units), units, current.now_ms())
    return [
        row.unit
        for row in rows
        if practice.state == READY
        and len(practice.lent) < len(UNITS)
        and row.status.connected
        and row.same_version
        and not row.status.waiting
        and row.unit not in {*practice.lent, *units_in_play(snapshot)}
    ]


def _address(practice: PracticeHub) -> str:
    """By the name by which this hub was asked: the browser trusts that, and has its cookie for it."""
    port = practice.secure_port if request.is_secure else practice.port
    host = urlsplit(request.host_url).hostname or "localhost"
    return f"{request.scheme}://{f'[{host}]' if ':' in host else host}:{port}{PAGES}"
