"""The start pages of players and of staff, help, login and logout."""

from functools import partial

from flask import redirect, request, url_for
from werkzeug.datastructures import MultiDict
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Invalid
from roundtap_core.event.states import EventState
from roundtap_hub.http.requester import safe_redirect_path
from roundtap_hub.http.routes import EVERYBODY, JUDGE, LOGIN, ORGANIZER, ORGANIZERS, STAFF, PageKey, route
from roundtap_hub.live import current, forms, render
from roundtap_hub.paper.paper import asking_jobs
from roundtap_hub.store import continuing
from roundtap_hub.store.command_pipeline import may_archive
from roundtap_hub.views.preflight_checks import count_failed, failed_checks, printer_checks
from roundtap_hub.views.round_clock import DATE_AND_TIME, clock_face, time_of_day
from roundtap_hub.views.saved_event import EventLine, archived_list, known_events, listed_events

HELP = (
    ("late", "console.players_place", ""),
    ("no_show", "console.absentees_page", ""),
    ("drop", "console.players_place", ""),
    ("wrong_result", "console.event_page", ""),
    ("dispute", "console.event_page", ""),
    ("pairing", "console.mend_page", ""),
    ("paper", "console.printer_page", "hall.printer"),
    ("unit", "console.units_page", "keys.title"),
    ("power", "console.preflight_page", "doors.title"),
    ("network", "console.this_hub_page", "hub.title"),
)
"""What may go wrong ("help.…") and the page where it is put right, with its title; one without is the event's own."""


@route("GET /", EVERYBODY, kept="door")
def home_page() -> AnyResponse:
    """With one event a redirect to it (unless `?lang=` is given); with several, a choice; with none, how to begin."""
    stay = "lang" in request.args or render.cached_variant() == "stay"
    events = listed_events(current.snapshot())
    in_play = [event for event in events if not event.finished] or events
    if len(in_play) == 1 and not stay:
        return redirect(url_for("pages.players_page", event_id=in_play[0].id))
    return render.cached_page("door.html", "stay" if stay else "", events=events)


@route("GET /console", STAFF)
def events_page(**_: str) -> AnyResponse:
    """The console's start page: what nobody would find in an event, then those in play, each with its clock, then those
    before play and the finished."""
    hub, snapshot = current.hub(), current.snapshot()
    lines = listed_events(snapshot)
    playing = [line for line in lines if isinstance(line, EventState) and line.public_rounds and not line.finished]
    playing_ids = {state.id for state in playing}
    silent = bool(failed_checks(printer_checks(hub, current.units(), current.now_ms())))
    needs: list[tuple[str, EventLine, int]] = [
        ("paper", state, asking_jobs(state, waiting=silent)) for state in snapshot.events.values()
    ]
    needs += [
        ("late", line, len(line.late_matches) if isinstance(line, EventState) else line.late)
        for line in known_events(snapshot)
        if line.finished
    ]
    return render.page(
        "home.html",
        feed=PageKey("console"),
        events=lines,
        playing=playing,
        archived=archived_list(snapshot),
        upcoming=[line for line in lines if not line.finished and line.id not in playing_ids],
        finished=[line for line in lines if line.finished],
        faces={state.id: clock_face(state, current.instant(), current.words()) for state in playing},
        may_archive=[line.id for line in lines if may_archive(snapshot, line.id)],
        open_checks=count_failed(hub, snapshot, current.units(), current.now_ms(), False),
        needs=[need for need in needs if need[2]],
        offers=continuing.offers(hub.service),
        until=partial(time_of_day, form=DATE_AND_TIME),
    )


@route("POST /console/continue", ORGANIZERS)
@forms.shows_problem_on(events_page)
def continue_event() -> None:
    """Continue another hub's event (`mark`: the offer); this hub's PIN is typed again. `sure`: its own may go aside."""
    hub, who = current.hub(), current.person_with(forms.field("pin"))
    if who is None or who.role != ORGANIZER:
        raise Invalid("wrong_pin")
    if hub.host.machine.folder is not None:
        continuing.press(hub.service, hub.host.machine.folder, forms.field("mark"), bool(forms.field("sure")))


@route("GET /console/help", STAFF)
def help_page() -> AnyResponse:
    """What to do when something goes wrong, and the rules of every event that is not over. `event`: the one to link."""
    states = [state for state in current.snapshot().events.values() if not state.finished]
    states.sort(key=lambda state: (state.id != request.args.get("event"), state.live is None))
    return render.page("help.html", lines=HELP, states=states)


@route("GET /login", LOGIN)
def login_page() -> AnyResponse:
    if current.is_organizer():
        return redirect(safe_redirect_path(request.args.get("next"), "/console"))
    return render.page("login.html", target=safe_redirect_path(request.values.get("next"), "/console"))


@route("POST /login", LOGIN)
@forms.shows_problem_on(login_page)
def log_in() -> AnyResponse:
    if not current.begin_session(forms.field("pin")):
        raise Invalid("wrong_pin")
    # Another person does not see what the one before has typed.
    form = safe_redirect_path(forms.field("form"), "") if current.current_visit().returned else ""
    typed = MultiDict(
        (name.removeprefix(forms.CARRIED), text)
        for name, text in request.form.items(multi=True)
        if name.startswith(forms.CARRIED)
    )
    again = forms.show_again(form, typed) if form else None
    return again or redirect(_after_login(safe_redirect_path(forms.field("next"), "/console")), 303)


def _after_login(target: str) -> str:
    """Judges have a page of their own for a console."""
    who = current.current_staff()
    return (
        url_for("console.judge_hall_page") if target == "/console" and who is not None and who.role == JUDGE else target
    )


@route("POST /logout", LOGIN)
def log_out() -> AnyResponse:
    current.end_session()
    return redirect(url_for("pages.home_page"), 303)
