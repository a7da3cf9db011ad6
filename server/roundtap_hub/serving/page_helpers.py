"""What all pages stand on: language, the guard of forms, rendering, and a Problem as a message on the same page."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import wraps
from html import unescape
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from flask import Blueprint, Response, abort, current_app, g, redirect, render_template, request, url_for
from markupsafe import Markup
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.clock import Instant, format_clock
from roundtap_core.elimination.bracket_picture import round_label
from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.commands import Command
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_core.event.event_flow import second_stage_begun
from roundtap_core.event.judging import EXTENSION_MAX
from roundtap_core.event.stale_check import refuse_stale
from roundtap_core.event.state import EventState
from roundtap_core.limits import fits_prose, sanitize
from roundtap_core.numbers import typed_number
from roundtap_core.records import TIEBREAK
from roundtap_core.rulebooks.gate import NEEDS_REASON
from roundtap_core.version import version
from roundtap_core.words import LANGUAGES, Words
from roundtap_hub.access import visit
from roundtap_hub.access.policy import HEAD_JUDGE, JUDGE, ROUTES, STAFF_ROLES, Route, refuse_in_state, refuse_role
from roundtap_hub.access.policy import is_allowed as may_ask
from roundtap_hub.access.staff import HUB_PIN_IDENTITY
from roundtap_hub.events.event_at import EventAt, event_at, full_names
from roundtap_hub.events.shown_state import StepMarks
from roundtap_hub.hall.announcements import AnnouncementLine, announcement_lines
from roundtap_hub.hall.preflight import count_failed
from roundtap_hub.hub import Hub, hall_address
from roundtap_hub.judging.judging_view import official_of
from roundtap_hub.rounds.knockout import newest_name, title_key
from roundtap_hub.rounds.round_clock import age_text
from roundtap_hub.rounds.schedule import Schedule, schedule
from roundtap_hub.serving.bidi import words_in
from roundtap_hub.serving.http_answers import gzip_bytes, problem_status
from roundtap_hub.serving.page_versions import HallNow, version_at
from roundtap_hub.serving.reader_language import reader_language
from roundtap_hub.serving.regions import CSRF, NOW, SEEN, Patch, Rendered, fill_placeholders, split
from roundtap_hub.serving.renderings import ROW_CACHE, RowCache
from roundtap_hub.store.journal import PersonRecord
from roundtap_hub.store.service import Snapshot, Step
from roundtap_hub.units.unit_presence import UnitStatus

ORGANIZER = "organizer"
"""How entries name whoever logged in with the hub's one PIN; see `actor`."""

NAME_LETTERS, REASON_LETTERS = 80, 500
MOST_TABLES = 999
LONG_EXTENSION = 15
"""Minutes; more are asked for twice, since 5 becomes 55 by one key."""

PREFLIGHT_LINK_PAGES = ("console.events", "console.event")
"""Pages with the one line that leads to *Before the doors open* when something is wrong."""

GZIP_MIN_BYTES, GZIP_LEVEL = 1000, 2
"""From so many bytes on an answer of the console is packed, and how hard: what takes longer saves little."""


current_hub = visit.current_hub


def current_snapshot() -> Snapshot:
    """What was saved when this request first looked: a page is drawn from one moment."""
    snapshot: Snapshot = g.setdefault("snapshot", current_hub().service.snapshot)
    return snapshot


def current_event(event_id: str) -> EventAt:
    """The event of the address, or a 404 page; 410 where it was deleted."""
    if event_id in current_snapshot().venue.deleted:
        abort(410)
    moment = event_at(current_snapshot(), event_id)
    if moment is None:
        abort(404)
    return moment


def hub_address() -> str:
    """The plain port's address as the hall reaches it: what phones are told, on paper too."""
    return hall_address(current_hub(), request.host_url)


def now_ms() -> int:
    """The hub's clock when this request first asked: all ages on a page count from one moment."""
    now: int = g.setdefault("now_ms", current_hub().clocks.mono_ms())
    return now


def current_instant() -> Instant:
    """The same moment, of this run of the machine."""
    return Instant(current_hub().clocks.boot_id, now_ms())


def drop_request_cache() -> None:
    """Something has happened since this request first asked."""
    for seen in ("snapshot", "units", "now_ms"):
        g.pop(seen, None)


def current_units() -> Mapping[str, UnitStatus]:
    """What the tables' units had said when this request first asked."""
    if "units" not in g:
        g.units = current_hub().presence.units
    units: Mapping[str, UnitStatus] = g.units
    return units


def current_version(feed: str) -> str:
    """The version of the page of this request; "" where it does not change."""
    if "version" in g:
        return str(g.version)
    hub = current_hub()
    hall = HallNow(current_instant(), hub.presence.here, _banner_version(hub))
    return version_at(hub, current_snapshot(), current_units(), feed, hall) if feed else ""


def _banner_version(hub: Hub) -> str:
    """What stands on top of every organizer's page, as a short text."""
    mute = hub.paper.mute_units if hub.paper else ""
    return f"{hub.service.storage.version}|{mute}|{_todo_count(False)}|{_todo_count(True)}"


def _todo_count(playing: bool) -> int:
    return count_failed(current_hub(), current_snapshot(), current_units(), now_ms(), playing)


def guard(blueprint: Blueprint, organizer_only: bool = False) -> None:
    """Every POST must come from a form of this hub; with `organizer_only`, every page asks for the PIN first."""

    @blueprint.before_request
    def check() -> AnyResponse | None:
        if request.method == "POST" and not visit.is_form_token_valid(request.form.get("csrf", "")):
            abort(403)
        if organizer_only:
            who = visit.current_staff()
            if who is None:
                # The guard before (page_guard.py) has let in nobody else; a session may have ended since.
                target = request.full_path.rstrip("?") if request.method == "GET" else "/console"
                return redirect(url_for("pages.login", next=target))
            _check_role(who.role)
        if organizer_only and "since" not in request.args:
            # A page that looks after itself is no use that anybody makes of it.
            visit.touch_session()
        return None


def finish_response(response: Response) -> Response:
    """What every answer of Flask's carries; an organizer's longer ones are packed."""
    visit.set_cookies(response)
    response.headers.setdefault("Cache-Control", "no-store")
    return _compress(response) if request.blueprint == "console" else response


def current_route() -> Route:
    """What was declared of this request's address (policy.py)."""
    assert request.url_rule is not None
    method = "GET" if request.method == "HEAD" else request.method
    return ROUTES[f"{method} {request.url_rule.rule}"]


def _check_role(role: str) -> None:
    where = request.view_args or {}
    refuse_role(current_snapshot(), current_route(), role, where.get("event_id", ""), where.get("match_id", ""))


def actor() -> str:
    """How entries name who presses the buttons of this request: by role, and by id where it is one person's PIN."""
    who = visit.current_staff()
    return who.actor if who is not None else ORGANIZER


def signing_official(event_id: str) -> str:
    """Who says so, as an event knows its officials (`roles_of`).

    The hub's one PIN is whoever holds it: the form names the official. A PIN of one's own is one person: the
    official that this person was said to be, or who has the same name there; in an event without officials, the role.
    Raises Problem("no_official_here").
    """
    who = visit.current_staff() or HUB_PIN_IDENTITY
    if not who.id:
        return field("by")[:NAME_LETTERS] or ORGANIZER
    moment = current_event(event_id)
    official = official_of(moment, who)
    if official is None and who.role != ORGANIZER and moment.state.officials:
        raise Problem("no_official_here", name=who.name)
    return official or who.role


def staff_name() -> str:
    """By what name others are told who took something on: one's own, or the role."""
    who = visit.current_staff() or HUB_PIN_IDENTITY
    return who.name or words()(f"role.{who.role}")


def may(address: str) -> bool:
    """Whether who reads this page may ask "POST /console/<event_id>/draw", or of "/console/e1/draw", now (policy.py).

    In templates; not in rows that are kept as text (row_texts), which all roles share. Forms need not ask: what a role
    may not do is taken off the page (`remove_forbidden`)."""
    who = visit.current_staff()
    where = (request.view_args or {}).get("event_id", "")
    return who is not None and may_ask(current_snapshot(), who.role, address.replace("<event_id>", where))


def who_may(address: str) -> str:
    """The roles that may ask this now, in words."""
    where = (request.view_args or {}).get("event_id", "")
    roles = [role for role in reversed(STAFF_ROLES)
             if may_ask(current_snapshot(), role, address.replace("<event_id>", where))]
    return ", ".join(words()(f"role.{role}") for role in roles)


def _compress(response: Response) -> Response:
    """A longer answer goes out as gzip, where the browser unpacks it; what is each one's own is not kept packed."""
    if response.direct_passthrough or response.content_length is None or response.content_length < GZIP_MIN_BYTES \
            or request.accept_encodings["gzip"] <= 0 or "Content-Encoding" in response.headers:
        return response
    response.set_data(gzip_bytes(response.get_data(), GZIP_LEVEL))
    response.headers["Content-Encoding"] = "gzip"
    response.vary.add("Accept-Encoding")
    return response


def language() -> str:
    """Of who reads the page of this request (reader_language.py); what the address asks for is remembered."""
    asked = request.args.get("lang", "")
    if asked in LANGUAGES:
        visit.remember_language(asked)
    return reader_language(
        asked, visit.current_visit().language, request.headers.get("Accept-Language", ""), current_hub().language)


def words() -> Words:
    """The hub's texts and the core's, in this request's language."""
    if "words" not in g:
        g.words = words_in(language())
    found: Words = g.words
    return found


def common_context(hub: Hub, t: Words, rows: RowCache) -> dict[str, Any]:
    """What the template of every page may use, by name."""
    return {"t": t, "lang": t.language, "languages": LANGUAGES, "hub": hub, "clock_text": format_clock,
            "age_text": age_text,
            "knockout_name": lambda what: knockout_name(t, what),
            "round_named": lambda state, number: round_title(t, state, number),
            "restored": hub.service.snapshot.venue.afresh is not None,
            "schedule_of": lambda state: schedule_of(hub, state),
            "said_to": lambda event_id: announcements_for(hub, event_id),
            "worth_label": lambda key: t.first(f"worth.{key}", f"column.{key}"),
            "row_texts": lambda *of: rows.rows(t.language, *of), "build": version()}


def schedule_of(hub: Hub, state: EventState) -> Schedule | None:
    """The event's schedule as of now; None where its journal cannot be read."""
    try:
        return schedule(state, hub.times.of(state), hub.clocks.now(), hub.clocks.wall())
    except Problem:
        return None


def announcements_for(hub: Hub, event_id: str | None) -> tuple[AnnouncementLine, ...]:
    """What is announced to an event (None: to all) now."""
    return announcement_lines(hub.service.snapshot.venue.walls.for_event(event_id), hub.clocks.now(), hub.clocks.wall())


def knockout_name(t: Words, what: EventState | str | None) -> str:
    """A round's name in one language: of an event's newest round, or of a name's key; "" where none."""
    key = newest_name(what) if isinstance(what, EventState) else what
    if key == TIEBREAK:
        return t("round.tiebreak")
    return round_label(t, key) if key else ""


def round_title(t: Words, state: EventState, number: int) -> str:
    """ "Round 3", or what that round is called: "Final"."""
    played = next((played for played in state.rounds if played.number == number), None)
    return (knockout_name(t, title_key(state, played)) if played is not None else "") or t("round", number=number)


def page(template: str, feed: str = "", status: int = 200, **context: Any) -> Response:
    """A page as HTML. `feed` is the key of the page's live feed; empty: the page does not change."""
    return page_response(render_page(template, feed, **context), status)


def render_page(template: str, feed: str = "", **context: Any) -> Rendered:
    """A page in this request's language, with stand-ins for what differs between two readers of one rendering.

    In templates `csrf()` and `sent_ms` (the hub's clock when the page is sent) are such stand-ins, `now_ms` is the
    moment that the page is drawn from.
    """
    hub, t = current_hub(), words()
    problem: Problem | None = g.get("problem")
    asks = problem if problem is not None and problem.key in NEEDS_REASON else g.get("asks_reason")
    state = context.get("state")
    version = current_version(feed)
    common = {
        **common_context(hub, t, current_app.extensions[ROW_CACHE]), "feed": feed, "seen": Markup(SEEN),
        "address": g.get("address", ""), "now_ms": now_ms(), "sent_ms": Markup(NOW),
        "organizer": visit.is_organizer(), "reader": visit.current_staff(), "may": may, "who_may": who_may,
        "csrf": lambda: Markup(CSRF),
        "problem": sanitize(problem.named(context.get("names", {})).say(t)) if problem else "",
        "problem_key": problem.key if problem else "",
        "problem_where": sanitize(problem.where) if problem else "",
        "typed": request.form if problem else {},
        "wants_reason": asks.say(t) if asks is not None else "",
        "changes_cut": _choices(problem, state) if problem else (),
        "steps": StepMarks(state) if state is not None else None,
        "to_do": _todo_count(state is not None and bool(state.public_rounds))
        if request.endpoint in PREFLIGHT_LINK_PAGES else 0,
    }
    html = render_template(template, **{**common, **context})
    who = visit.current_staff()
    if who is not None and who.role != ORGANIZER:
        html = remove_forbidden(html, may)
    return split(html, version)


def page_response(page: Rendered, status: int = 200) -> Response:
    """A rendered page for the one who asked."""
    g.rendered = page
    token = visit.csrf_token() if CSRF in page.html else ""
    html = fill_placeholders(page.html, token, current_hub().clocks.mono_ms())
    response = Response(html, g.get("status", status), content_type="text/html; charset=utf-8")
    response.headers["Content-Language"] = words().language
    response.headers["Vary"] = "Accept-Language, Cookie"
    return response


def download(content: str | bytes, kind: str, name: str) -> Response:
    """A file to be kept. `kind`: its media type."""
    response = Response(content, content_type=kind)
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def patch_response(patch: Patch) -> Response:
    """What changed on a page, as JSON, for the one who asked."""
    text = fill_placeholders(patch.text, visit.csrf_token(), current_hub().clocks.mono_ms())
    return Response(text, content_type="application/json")


def cached_page(template: str, variant: str = "", feed: str = "", **context: Any) -> Response:
    """A page that all readers of one language see alike: drawn once for them, and kept (page_cache.py). `feed` and
    `variant` say all that its content depends on beside the moment; without `feed` it is what the route declares."""
    if not visit.is_organizer():
        context = {"variant": variant, "sent_ms": "", **context}
    return page(template, feed or page_cache_key(), **context)


def page_cache_key() -> str:
    """What this request's page shows, as its route declares it."""
    return current_route().shows(request.view_args or {})


def cached_variant() -> str | None:
    """In which way the page is to be drawn, where it is drawn to be kept (app.py); else the address says it."""
    variant: str | None = g.get("variant")
    return variant


Allowed = Callable[[str], bool]
"""Whether "POST /console/e1/draw" may be asked."""

_FORM = re.compile(r'<form\b(?=[^>]*\bmethod="post")[^>]*\baction="([^"]*)"[^>]*>.*?</form>', re.DOTALL)
_LINK = re.compile(r'<a\b([^>]*)\bhref="(/console[^"]*)"([^>]*)>(.*?)</a>', re.DOTALL)
_GONE = "<:gone:>"
_EMPTY_DETAILS = re.compile(
    rf"<details\b[^>]*>(?:(?!</?details\b|<form\b|<a\b|{_GONE}).)*(?:{_GONE}(?:(?!</?details\b|<form\b|<a\b|{_GONE}).)*)+"
    r"</details>", re.DOTALL)
_ROW = re.compile(rf'<(div|span) class="row">\s*(?:{_GONE}\s*)+</\1>')


def remove_forbidden(page: str, allowed: Allowed) -> str:
    """The page without forms that would be refused, without the folds that held nothing else, and without links to
    pages that are somebody else's."""

    def form(found: re.Match[str]) -> str:
        return found[0] if allowed(f"POST {_path(found[1])}") else _GONE

    def link(found: re.Match[str]) -> str:
        if allowed(f"GET {_path(found[2])}"):
            return found[0]
        return _GONE if 'class="button' in found[1] + found[3] else found[4]

    page = _LINK.sub(link, _FORM.sub(form, page))
    while True:
        emptied = _ROW.sub(_GONE, _EMPTY_DETAILS.sub(_GONE, page))
        if emptied == page:
            return page.replace(_GONE, "")
        page = emptied


def _path(address: str) -> str:
    return re.split(r"[?#]", unescape(address), maxsplit=1)[0]


ID_LETTERS_MAX = 64
SANITIZED_FORMS = frozenset({"console.save_list", "me.save_list", "console.import_table"})
"""Forms into which people paste whole lists or tables from elsewhere: what cannot be seen is taken out there
(people/list_forms.py, people/raw_table.py)."""


def refuse_unfit_fields() -> None:
    """Raise Problem("unfit_text") for a field of this request's form, or a part of its address, that could disturb what
    stands beside it wherever it is shown."""
    for name, text in request.form.items(multi=True) if request.endpoint not in SANITIZED_FORMS else ():
        if not (fits_prose(text) and fits_prose(name)):
            raise Invalid("unfit_text", where="/" + "".join(c for c in name if c.isprintable())[:ID_LETTERS_MAX])
    for name, part in (request.view_args or {}).items():
        if isinstance(part, str) and not fits_prose(part):
            raise Invalid("unfit_text", where=f"/{name}")


View = Callable[..., AnyResponse]

COMPETITOR_PARAMS = ("competitor", "comes", "goes", "names")
"""Parameters of a Problem that are one competitor's id, or several."""

CUT_CHOICES = MappingProxyType({
    "cut_would_change": ("cut.anew", "cut.keep"), "seeds_would_change": ("cut.anew", "cut.keep"),
    "tiebreak_would_change": ("tie.anew", "tie.keep"), "tiebreak_would_end": ("tie.anew", "tie.keep"),
    "tiebreak_has_word": ("tie.keep",)})
"""What an official settles by a word on the cut, or on the tie-break round: the form comes back with it."""


def _choices(problem: Problem, state: EventState | None) -> tuple[str, ...]:
    """The buttons that this Problem leaves; they say so where a round that everybody has seen would go."""
    found = CUT_CHOICES.get(problem.key, ())
    gone = state is not None and "cut.anew" in found and second_stage_begun(state)
    return ("cut.anew.round", *found[1:]) if gone else found


CLICK_DEBOUNCE_MS = 1000
"""So long a next step has been on the page before it takes a click: who clicks sooner meant the step before it."""


def shows_problem_on(again: View) -> Callable[[View], View]:
    """For POST handlers: a Problem shows the page `again`, with the message on it and what was typed kept.

    Every button with a `step` is refused in another state than the one it was shown for, whatever the handler does.
    """

    def wrap(handler: View) -> View:
        @wraps(handler)
        def handled(**where: Any) -> AnyResponse:
            try:
                refuse_unfit_fields()
                if "event_id" in where:
                    refuse_in_state(current_snapshot(), current_route(), where["event_id"])
                _refuse_stale_step(where.get("event_id", ""))
                return handler(**where)
            except Problem as problem:
                g.problem = with_competitor_names(problem, where.get("event_id", ""))
                g.status = problem_status(problem)
                drop_request_cache()
                # The page stays live, and a reload does not press the button again.
                g.address = url_for(_endpoint_of(again), **where)
                return again(**where)

        return handled

    return wrap


def _refuse_stale_step(event_id: str) -> None:
    """A button is what it was when the finger left for it: `step` names the state it was shown for, `shown_at` when a
    next step came under the finger (the hub's monotonic milliseconds)."""
    state = current_snapshot().event(event_id)
    if state is not None:
        refuse_stale(state, field("step"))
    shown_at = whole_number("shown_at")
    if shown_at is not None and 0 <= now_ms() - shown_at < CLICK_DEBOUNCE_MS:
        raise Problem("step_too_soon")


def submit(event_id: str, command: Command, people: Sequence[PersonRecord] = ()) -> None:
    """One command of the organizer's, decided only in the state that its button was shown for."""
    current_hub().service.tell(event_id, command, actor(), people, field("step"))


def submit_and_redirect(event_id: str, command: Command, anchor: str = "",
                        people: Sequence[PersonRecord] = ()) -> AnyResponse:
    """The same, and back to the event's console."""
    submit(event_id, command, people)
    return back_to_event(event_id, anchor)


def add_venue_entry(new: NewEntry) -> None:
    """One entry of the venue's stream."""
    current_hub().service.ask([Step(VENUE, new)], actor())


def with_competitor_names(problem: Problem, event_id: str) -> Problem:
    """The core knows competitors by id; a person reads the name."""
    moment = event_at(current_snapshot(), event_id)
    names = full_names(moment) if moment else {}
    named = {key: ", ".join(names.get(who, who) for who in str(problem.params[key]).split(", "))
             for key in COMPETITOR_PARAMS if problem.params.get(key)}
    return problem.but(problem.where, **named)


def _endpoint_of(view: View) -> str:
    return next(name for name, known in current_app.view_functions.items() if known is view)


def back_to_event(event_id: str, anchor: str = "", number: int | None = None) -> AnyResponse:
    """The event's console. `number`: with the tab of that round open. To the judge's page, for who came from there, and
    for a judge from anywhere but the console."""
    came_from, who = urlsplit(request.referrer or "").path, visit.current_staff() or HUB_PIN_IDENTITY
    if came_from in ("/console/judge", f"/console/{event_id}/judge"):
        return redirect(came_from, 303)
    if who.role in (HEAD_JUDGE, JUDGE) and came_from not in ("", f"/console/{event_id}"):
        return redirect(url_for("console.judge_hall"), 303)
    return redirect(url_for("console.event", event_id=event_id, round=number, _anchor=anchor or None), 303)


def field(name: str, default: str = "") -> str:
    """What was typed in a field of the form, without the spaces around it."""
    return request.form.get(name, default).strip()


def one_of(name: str, allowed: Collection[str], default: str = "") -> str:
    """What was chosen in a field; Problem("not_one_of") for anything else."""
    value = field(name, default)
    if value not in allowed:
        raise Invalid("not_one_of", value=value[:20], options=", ".join(filter(None, allowed)), where=f"/{name}")
    return value


def typed_reason(name: str = "reason") -> str:
    """What somebody who decides writes down."""
    return field(name)[:REASON_LETTERS]


def whole_number(name: str, wrong: str = "not_a_number", maximum: int = 0) -> int | None:
    """A field's whole number, None where it is empty; Problem(`wrong`) for anything else."""
    text = field(name)
    if not text:
        return None
    try:
        return typed_number(text)
    except Problem:
        raise Invalid(wrong, value=text[:20], maximum=maximum) from None


def confirmed_minutes(name: str, sure: str) -> int | None:
    """The minutes of an extension; many have to be confirmed. None: nothing is typed."""
    minutes = whole_number(name, "extension_minutes", EXTENSION_MAX)
    if minutes is not None and not 1 <= minutes <= EXTENSION_MAX:
        raise Invalid("extension_minutes", maximum=EXTENSION_MAX)
    if minutes is not None and minutes > LONG_EXTENSION and field(sure).lstrip("0") != str(minutes):
        raise Invalid("extension_is_long", minutes=minutes)
    return minutes


def typed_table(name: str) -> int | None:
    """The number of a table, as it was typed in a field."""
    table = whole_number(name, "table_number", MOST_TABLES)
    if table is not None and not 1 <= table <= MOST_TABLES:
        raise Invalid("table_number", value=table, maximum=MOST_TABLES)
    return table
