"""Forms: the guard before them, a Problem shown on its page again, typed fields, commands."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import wraps
from typing import Any, cast
from urllib.parse import urlencode, urlsplit

from flask import Blueprint, abort, current_app, g, redirect, request, url_for
from werkzeug.datastructures import ImmutableMultiDict, MultiDict
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.commands import Command
from roundtap_core.event.entries import VENUE, Entry, NewEntry
from roundtap_core.event.judging import EXTENSION_MAX
from roundtap_core.event.stale_check import refuse_stale
from roundtap_core.forms.questions import SQUADS_MAX, parse_squad_ticks
from roundtap_core.typed import fits_prose, typed_number
from roundtap_hub.access.policy import NotYourRole, refuse_in_state
from roundtap_hub.access.policy import is_allowed as may_ask
from roundtap_hub.access.staff import HUB_PIN_IDENTITY
from roundtap_hub.http.http_answers import problem_status
from roundtap_hub.http.routes import HEAD_JUDGE, JUDGE, find_route
from roundtap_hub.live import current, render
from roundtap_hub.store.journal import PersonRecord
from roundtap_hub.store.service import START_TIMEOUT_S, Step
from roundtap_hub.views import places
from roundtap_hub.views.judging_view import official_of
from roundtap_hub.views.saved_event import SavedEvent, full_names, saved_event

NAME_LETTERS, REASON_LETTERS = 80, 500


MOST_TABLES = 999


LONG_EXTENSION = 15  # minutes; more have to be confirmed, since a second key press makes 55 of 5


View = Callable[..., AnyResponse]


Form = Callable[..., AnyResponse | None]
EVENTS_PAGE, EVENT_PAGE, MATCH_PAGE = "console.events_page", "console.event_page", "console.match_page"
"""Pages that show the Problems of several subjects' forms, by their names in Flask's map, as `url_for` takes them."""


ID_LETTERS_MAX = 64


SANITIZED_FORMS = frozenset(
    {"console.save_list", "me.save_list", "console.import_preview_page", "console.add_competitors", "pages.log_in"}
)
"""Forms for pasted lists, tables and names, which remove invisible characters (people/raw_table.py,
people/registration_desk.py); and the login, which carries them."""


CARRIED = "typed."  # before the name of a field that the login page carries


CARRIED_MAX = 48_000  # letters of all of them as they are sent: a stranger may send no longer form than 64 kB


COMPETITOR_PARAMS = ("competitor", "comes", "goes", "names")  # parameters of a Problem that hold competitors' ids


CLICK_DEBOUNCE_MS = 1000
"""How long a next step has to be on the page before it accepts a click: an earlier one was meant for the step before.
"""


def guard_forms(blueprint: Blueprint, organizer_only: bool = False) -> None:
    """Every POST must come from a form of this hub; with `organizer_only`, every page requires a login."""

    @blueprint.before_request
    def check() -> AnyResponse | None:
        if organizer_only and current.current_staff() is None:
            return _ask_login()
        if request.method == "POST" and not current.is_form_token_valid(request.form.get("csrf", "")):
            # Of a page from before the last login, or from elsewhere.
            return (current.is_own_form() and show_again(request.path, request.form)) or abort(403)
        if organizer_only:
            render.check_role(render.reader_role())
        if organizer_only and "since" not in request.args:
            # A page that polls by itself is no activity.
            current.touch_session()
        return None


def _ask_login() -> AnyResponse:
    """The login; for a form of this hub's own pages, with what was typed in it."""
    if request.method != "POST" or not current.is_own_form():
        target = request.full_path.rstrip("?") if request.method == "GET" else "/console"
        return redirect(url_for("pages.login_page", next=target))
    typed = [(CARRIED + name, text) for name, text in request.form.items(multi=True) if name not in ("csrf", "pin")]
    came_from = urlsplit(request.referrer or "").path
    g.status, around = 401, [("form", request.path), ("next", came_from if find_route("GET", came_from) else "")]
    g.address = url_for("pages.login_page", next=around[1][1] or None)
    fields = MultiDict([*around, *(typed if len(urlencode(typed)) < CARRIED_MAX else ())])
    return view_of(_answer_for("/login", fields).again)()


def show_again(form: str, typed: Mapping[str, str]) -> AnyResponse | None:
    """The page of a form of this address as it was typed, of which nothing was done, for the reader to press again.
    None: there is no such form, or not for them."""
    is_theirs = may_ask(current.snapshot(), render.reader_role(), f"POST {form}")
    if not is_theirs or (again := getattr(_answer_for(form, typed), "again", None)) is None:
        return None
    current.drop_request_cache()
    where = request.view_args or {}
    g.problem, g.status, g.address = Problem("form_again"), 403, _address_of(again, where)
    return view_of(again)(**where)


def _answer_for(path: str, typed: Mapping[str, str]) -> Any:
    """From now on this request is answered as if this form had been sent; the function that does it."""
    rule, where = current_app.url_map.bind("").match(path, method="POST", return_rule=True)
    request.url_rule, request.view_args, request.form = rule, dict(where), ImmutableMultiDict(typed)
    return cast(View, current_app.view_functions[rule.endpoint])


def signing_official(event_id: str) -> str:
    """The official behind this request, as the event knows its officials (`official_of`). With the hub's own PIN the
    form names the official. A personal PIN stands for the official tied to that person, or of the same name; in an
    event without officials, the role. Raises Problem("no_official_here")."""
    who = current.current_staff() or HUB_PIN_IDENTITY
    if not who.id:
        return field("by")[:NAME_LETTERS] or current.ORGANIZER
    event = current.event(event_id)
    official = official_of(event, who)
    if official is None and who.role != current.ORGANIZER and event.state.officials:
        raise Problem("no_official_here", name=who.name)
    return official or who.role


def refuse_unfit_fields() -> None:
    """Raise Problem("unfit_text") for a form field or a part of the address that could disturb its surroundings where
    it is shown."""
    for name, text in request.form.items(multi=True) if request.endpoint not in SANITIZED_FORMS else ():
        if not (fits_prose(text) and fits_prose(name)):
            raise Invalid("unfit_text", where="/" + "".join(c for c in name if c.isprintable())[:ID_LETTERS_MAX])
    for name, part in (request.view_args or {}).items():
        if isinstance(part, str) and not fits_prose(part):
            raise Invalid("unfit_text", where=f"/{name}")


def shows_problem_on(page: View | str, anchor: str = "") -> Callable[[Form], View]:
    """For POST handlers: a Problem shows `page` (a name: see EVENT_PAGE) with its message and the typed fields; a
    handler that answers nothing leads to that page, at `anchor` ("display-{display}"), or to the place of an event
    where the form stood. A button with a "step" is refused in any state other than the one it was shown for."""

    def wrap(handler: Form) -> View:
        @wraps(handler)
        def handled(**where: Any) -> AnyResponse:
            try:
                refuse_unfit_fields()
                if "event_id" in where:
                    refuse_in_state(current.snapshot(), current.route(), where["event_id"])
                _refuse_stale_step(where.get("event_id", ""))
                answer = handler(**where)
                if answer is None and "did" not in g:
                    note_act("saved")
                return _with_message(answer or _lead_to(page, where, anchor.format(**where)))
            except NotYourRole:
                # It has a page of its own (app/error_pages.py).
                raise
            except Problem as problem:
                g.problem = with_competitor_names(problem, where.get("event_id", ""))
                g.status = problem_status(problem)
                current.drop_request_cache()
                # Keeps the page live, and a reload from pressing the button again.
                g.address = _address_of(page, where)
                return view_of(page)(**where)

        handled.again = page  # type: ignore[attr-defined]
        return handled

    return wrap


def _refuse_stale_step(event_id: str) -> None:
    """A button acts only in the state it was shown for, named by `step`; `shown_at`: when a next step appeared in its
    place (the hub's monotonic ms)."""
    state = current.snapshot().event(event_id)
    if state is not None and (seen := field("step")):
        refuse_stale(state, seen)
    shown_at = form_number("shown_at")
    if shown_at is not None and 0 <= current.now_ms() - shown_at < CLICK_DEBOUNCE_MS:
        raise Problem("step_too_soon")


def submit_command(event_id: str, command: Command, people: Sequence[PersonRecord] = ()) -> None:
    """Execute a command, only in the state that its button was shown for."""
    submit_steps([Step(event_id, command, field("step"))], people)


def submit_steps(
    steps: Sequence[Step], people: Sequence[PersonRecord] = (), timeout_s: float = START_TIMEOUT_S
) -> list[Entry]:
    """Execute steps together; the page that follows says what was done in an event, else that it is saved."""
    made = current.hub().service.execute(steps, current.actor(), people, timeout_s)
    last = next((entry for entry in reversed(made) if entry.stream != VENUE), None)
    note_act(last.stream if last else "saved" if made else "unchanged", last.number if last else None)
    return made


def add_venue_entry(new: NewEntry) -> None:
    """Add an entry to the venue's stream."""
    submit_steps([Step(VENUE, new)])


def note_act(what: str, number: int | None = None) -> None:
    """Let the page that follows say what was done: an event's entry, or a text "did.{what}" of an act without one."""
    g.did = f"{what}.{current.now_ms() if number is None else number}"


def _with_message(answer: AnyResponse) -> AnyResponse:
    """A redirect to a page of the staff's, which then says what was done (app/acts.py)."""
    if "did" in g and answer.location and request.blueprint == "console":
        address, mark, anchor = answer.location.partition("#")
        answer.location = f"{address}{'&' if '?' in address else '?'}did={g.did}{mark}{anchor}"
    return answer


def with_competitor_names(
    problem: Problem, event_id: str, read: Callable[[SavedEvent], Mapping[str, str]] = full_names
) -> Problem:
    """The Problem with names for the competitors' ids, as the reader may see them."""
    event = saved_event(current.snapshot(), event_id)
    names = read(event) if event else {}
    named = {
        key: ", ".join(names.get(who, who) for who in str(problem.params[key]).split(", "))
        for key in COMPETITOR_PARAMS
        if problem.params.get(key)
    }
    return problem.replace(problem.where, **named)


def view_of(page: View | str) -> View:
    """The function that answers with this page."""
    return cast(View, current_app.view_functions[page]) if isinstance(page, str) else page


def _address_of(page: View | str, where: Mapping[str, Any]) -> str:
    endpoint = (
        page
        if isinstance(page, str)
        else next(name for name, view in current_app.view_functions.items() if view is page)
    )
    takes = next(current_app.url_map.iter_rules(endpoint)).arguments
    return url_for(endpoint, **{name: where[name] for name in takes})


def _lead_to(page: View | str, where: Mapping[str, Any], anchor: str) -> AnyResponse:
    address = _address_of(page, where)
    if address == places.PLAY.path(where.get("event_id", "")):
        return back_to_event(where["event_id"], anchor)
    return redirect(f"{address}{anchor and '#'}{anchor}", 303)


def back_to_event(event_id: str, anchor: str = "", **shown: object) -> AnyResponse:
    """Redirect to the place of this request's form, `shown`: with that round's tab open, or with what it says of the
    form; to the judge's page for readers who came from there, and for judges unless they came from the console."""
    came_from, who = urlsplit(request.referrer or "").path, current.current_staff() or HUB_PIN_IDENTITY
    if came_from in ("/console/judge", f"/console/{event_id}/judge"):
        return redirect(came_from, 303)
    if who.role in (HEAD_JUDGE, JUDGE) and came_from and places.place_at(came_from, event_id) is None:
        return redirect(url_for("console.judge_hall_page"), 303)
    place = render.current_place() if "event_id" in (request.view_args or {}) else places.PLAY
    query = urlencode({name: value for name, value in shown.items() if value})
    return redirect(f"{place.path(event_id)}{query and '?'}{query}{anchor and '#'}{anchor}", 303)


def sent_fields() -> MultiDict[str, str]:
    """The fields of the posted form, else of the address."""
    return request.form if request.method == "POST" else request.args


def field(name: str, default: str = "") -> str:
    """A form field, stripped."""
    return request.form.get(name, default).strip()


def form_choice(name: str, allowed: Collection[str], default: str = "") -> str:
    """A form field with one of the `allowed` values, else Problem("not_one_of")."""
    value = field(name, default)
    if value not in allowed:
        raise Invalid("not_one_of", value=value[:20], options=", ".join(filter(None, allowed)), where=f"/{name}")
    return value


def typed_reason(name: str = "reason") -> str:
    """The reason typed for a decision."""
    return field(name)[:REASON_LETTERS]


def read_number(text: str, limits: tuple[int, int] | None = None, wrong: str = "", where: str = "") -> int | None:
    """A typed whole number, None where nothing is typed; Problem(`wrong`), by default what is wrong with it, for
    anything else and for a number beyond the limits."""
    low, high = limits or (0, 0)
    if not text:
        return None
    try:
        number = typed_number(text)
    except Problem:
        raise Invalid(wrong or "not_a_number", where=where, value=text[:20], maximum=high) from None
    if limits and not low <= number <= high:
        raise Invalid(wrong or "figure_out_of_range", where=where, value=number, minimum=low, maximum=high)
    return number


def form_number(name: str, limits: tuple[int, int] | None = None, wrong: str = "") -> int | None:
    """A field's whole number (`read_number`)."""
    return read_number(field(name), limits, wrong)


def confirmed_minutes(name: str, sure: str) -> int | None:
    """The minutes of an extension, or None; many have to be confirmed."""
    minutes = form_number(name, (1, EXTENSION_MAX), "extension_minutes")
    if minutes is not None and minutes > LONG_EXTENSION and field(sure).lstrip("0") != str(minutes):
        raise Invalid("extension_is_long", minutes=minutes)
    return minutes


def uploaded_text(name: str) -> str:
    """The text of a sent file. Raises Problem("no_file", "file_not_text", "file_not_utf8")."""
    upload = request.files.get(name)
    if not (raw := upload.read() if upload else b""):
        raise Invalid("no_file")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # No program's text has such a byte.
        raise Invalid(
            "file_not_text" if b"\0" in raw else "file_not_utf8", line=raw.count(b"\n", 0, error.start) + 1
        ) from None


def typed_table(name: str) -> int | None:
    """A field's table number; None where it is empty."""
    return form_number(name, (1, MOST_TABLES), "table_number")


def ticked_squads(name: str) -> tuple[int, ...]:
    return tuple(parse_squad_ticks(request.form.getlist(name)[:SQUADS_MAX]))
