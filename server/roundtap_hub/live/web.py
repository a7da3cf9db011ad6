"""What pages are made with: the hub, event and form of a request, its language, rendering, a Problem as a message."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial, wraps
from html import unescape
from types import MappingProxyType
from typing import Any, cast
from urllib.parse import urlencode, urlsplit

from flask import Blueprint, Response, abort, current_app, g, redirect, render_template, request, url_for
from markupsafe import Markup
from werkzeug.datastructures import ImmutableMultiDict, MultiDict
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.clock import Instant, format_clock
from roundtap_core.elimination.bracket_picture import round_label
from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.commands import Command
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_core.event.event_flow import second_stage_begun
from roundtap_core.event.judging import EXTENSION_MAX
from roundtap_core.event.stale_check import refuse_stale
from roundtap_core.event.states import EventState
from roundtap_core.limits import fits_prose, sanitize_text
from roundtap_core.numbers import typed_number
from roundtap_core.records import TIEBREAK
from roundtap_core.rulebooks.result_gate import NEEDS_REASON
from roundtap_core.version import version
from roundtap_core.words import LANGUAGES, Words
from roundtap_hub.access import visit
from roundtap_hub.access.policy import (
    HEAD_JUDGE,
    JUDGE,
    ROUTES,
    STAFF_ROLES,
    Route,
    find_route,
    refuse_in_state,
    refuse_role,
)
from roundtap_hub.access.policy import is_allowed as may_ask
from roundtap_hub.access.staff import HUB_PIN_IDENTITY
from roundtap_hub.hall.preflight_checks import count_failed
from roundtap_hub.http.host import hall_address
from roundtap_hub.http.http_answers import gzip_bytes, problem_status
from roundtap_hub.http.reader_language import reader_language, words_in
from roundtap_hub.live import regions
from roundtap_hub.live.page_versions import HallNow, version_at
from roundtap_hub.live.regions import CSRF, NOW, SEEN, PagePatch, RenderedPage, split_regions
from roundtap_hub.live.renderings import ROW_CACHE, RowCache
from roundtap_hub.store.journal import PersonRecord
from roundtap_hub.store.service import Snapshot, Step
from roundtap_hub.views import places
from roundtap_hub.views.announcements import announcement_lines
from roundtap_hub.views.judging_view import official_of
from roundtap_hub.views.knockout import newest_round_key, title_key
from roundtap_hub.views.round_clock import time_of_day
from roundtap_hub.views.running_hub import RunningHub, current_hub
from roundtap_hub.views.saved_event import SavedEvent, StepMarks, full_names, saved_event
from roundtap_hub.views.schedule import Schedule, schedule
from roundtap_hub.views.unit_presence import UnitStatus

ORGANIZER = "organizer"  # the actor in entries for a login with the hub's own PIN; see `actor`

NAME_LETTERS, REASON_LETTERS = 80, 500
MOST_TABLES = 999
LONG_EXTENSION = 15  # minutes; more have to be confirmed, since a second key press makes 55 of 5

NAVIGATION = "roundtap_navigation"
"""The app's extension that tells a console page's navigation (app/console.py)."""

GZIP_MIN_BYTES, GZIP_LEVEL = 1000, 2
"""The shortest console answer that is compressed, and the level: a higher one saves little."""

View = Callable[..., AnyResponse]
Form = Callable[..., AnyResponse | None]

_ONLY = re.compile(rf"({regions.ONLY}|{regions.UNLESS})(.*?):>(.*?){regions.ENDS}", re.DOTALL)

_FORM = re.compile(r'<form\b(?=[^>]*\bmethod="post")[^>]*\baction="([^"]*)"[^>]*>.*?</form>', re.DOTALL)
_LINK = re.compile(r'<a\b([^>]*)\bhref="(/console[^"]*)"([^>]*)>(.*?)</a>', re.DOTALL)
_GONE = "<:gone:>"
_EMPTY_DETAILS = re.compile(
    rf"<details\b[^>]*>(?:(?!</?details\b|<form\b|<a\b|{_GONE}).)*(?:{_GONE}(?:(?!</?details\b|<form\b|<a\b|{_GONE}).)*)+"
    r"</details>",
    re.DOTALL,
)
_ROW = re.compile(rf'<(div|span) class="row">\s*(?:{_GONE}\s*)+</\1>')

ID_LETTERS_MAX = 64
SANITIZED_FORMS = frozenset(
    {"console.save_list", "me.save_list", "console.import_preview_page", "console.add_competitors", "pages.log_in"}
)
"""Forms for pasted lists, tables and names, which remove invisible characters (people/lists.py, people/raw_table.py,
people/registration_desk.py); and the login, which carries them."""

CARRIED = "typed."  # before the name of a field that the login page carries
CARRIED_MAX = 48_000  # letters of all of them as they are sent: a stranger may send no longer form than 64 kB

COMPETITOR_PARAMS = ("competitor", "comes", "goes", "names")  # parameters of a Problem that hold competitors' ids

CUT_CHOICES = MappingProxyType(
    {
        "cut_would_change": ("cut.anew", "cut.keep"),
        "cut_would_tie": ("cut.anew", "cut.keep"),
        "seeds_would_change": ("cut.anew", "cut.keep"),
        "tiebreak_would_change": ("tie.anew", "tie.keep"),
        "tiebreak_would_end": ("tie.anew", "tie.keep"),
        "tiebreak_has_word": ("tie.keep",),
    }
)
"""The choices that an official has about the cut or the tie-break round: the form comes back with these buttons."""

CLICK_DEBOUNCE_MS = 1000
"""How long a next step has to be on the page before it accepts a click: an earlier one was meant for the step before.
"""


def current_snapshot() -> Snapshot:
    """The snapshot from when this request first read it, so that a page shows one state."""
    snapshot: Snapshot = g.setdefault("snapshot", current_hub().service.snapshot)
    return snapshot


def current_event(event_id: str) -> SavedEvent:
    """The event, else 404; 410 where it was deleted."""
    if event_id in current_snapshot().venue.deleted:
        abort(410)
    moment = saved_event(current_snapshot(), event_id)
    if moment is None:
        abort(404)
    return moment


def hub_address() -> str:
    """The plain port's address as the hall reaches it, for phones and on paper."""
    return hall_address(current_hub().host, request.host_url)


def now_ms() -> int:
    """The hub's monotonic ms from when this request first read them: all ages on a page refer to one time."""
    now: int = g.setdefault("now_ms", current_hub().clocks.mono_ms())
    return now


def current_instant() -> Instant:
    """`now_ms` with this machine's boot id."""
    return Instant(current_hub().clocks.boot_id, now_ms())


def drop_request_cache() -> None:
    """Read snapshot, units and clock again: something has changed during this request."""
    for name in ("snapshot", "units", "now_ms", "tasks"):
        g.pop(name, None)


def current_units() -> Mapping[str, UnitStatus]:
    """The units' statuses from when this request first read them."""
    if "units" not in g:
        g.units = current_hub().presence.units
    units: Mapping[str, UnitStatus] = g.units
    return units


def current_version(feed: str) -> str:
    """The version of this request's page; "" where it does not change."""
    if "version" in g:
        return str(g.version)
    hub = current_hub()
    hall = HallNow(current_instant(), hub.presence.seen_at_table, _banner_version(hub))
    return version_at(hub, current_snapshot(), current_units(), feed, hall) if feed else ""


def _banner_version(hub: RunningHub) -> str:
    """The version of the banner on every console page."""
    paper = (hub.paper.mute_units, hub.paper.asking_jobs) if hub.paper else ""
    return f"{hub.service.storage.version}|{paper}|{todo_count(False)}|{todo_count(True)}"


def todo_count(playing: bool) -> int:
    """The number of failed checks; `playing`: only of the hub's own machine (preflight_checks.py)."""
    return count_failed(current_hub(), current_snapshot(), current_units(), now_ms(), playing)


def guard_forms(blueprint: Blueprint, organizer_only: bool = False) -> None:
    """Every POST must come from a form of this hub; with `organizer_only`, every page requires a login."""

    @blueprint.before_request
    def check() -> AnyResponse | None:
        if organizer_only and visit.current_staff() is None:
            return _ask_login()
        if request.method == "POST" and not visit.is_form_token_valid(request.form.get("csrf", "")):
            # Of a page from before the last login, or from elsewhere.
            return (visit.is_own_form() and show_again(request.path, request.form)) or abort(403)
        if organizer_only:
            _check_role(_role())
        if organizer_only and "since" not in request.args:
            # A page that polls by itself is no activity.
            visit.touch_session()
        return None


def _ask_login() -> AnyResponse:
    """The login; for a form of this hub's own pages, with what was typed in it."""
    if request.method != "POST" or not visit.is_own_form():
        target = request.full_path.rstrip("?") if request.method == "GET" else "/console"
        return redirect(url_for("pages.login_page", next=target))
    typed = [(CARRIED + name, text) for name, text in request.form.items(multi=True) if name not in ("csrf", "pin")]
    came_from = urlsplit(request.referrer or "").path
    g.status, around = 401, [("form", request.path), ("next", came_from if find_route("GET", came_from) else "")]
    g.address = url_for("pages.login_page", next=around[1][1] or None)
    fields = MultiDict([*around, *(typed if len(urlencode(typed)) < CARRIED_MAX else ())])
    return cast("AnyResponse", _answer_for("/login", fields).again())


def show_again(form: str, typed: Mapping[str, str]) -> AnyResponse | None:
    """The page of a form of this address as it was typed, of which nothing was done, for the reader to press again.
    None: there is no such form, or not for them."""
    is_theirs = may_ask(current_snapshot(), _role(), f"POST {form}")
    if not is_theirs or (again := getattr(_answer_for(form, typed), "again", None)) is None:
        return None
    drop_request_cache()
    where = request.view_args or {}
    g.problem, g.status, g.address = Problem("form_again"), 403, _address_of(again, where)
    answer: AnyResponse = again(**where)
    return answer


def _answer_for(path: str, typed: Mapping[str, str]) -> Any:
    """From now on this request is answered as if this form had been sent; the function that does it."""
    rule, where = current_app.url_map.bind("").match(path, method="POST", return_rule=True)
    request.url_rule, request.view_args, request.form = rule, dict(where), ImmutableMultiDict(typed)
    return cast(View, current_app.view_functions[rule.endpoint])


def finish_response(response: Response) -> Response:
    """Add cookies and headers to every answer of Flask's; compress the console's longer ones."""
    visit.set_cookies(response)
    response.headers.setdefault("Cache-Control", "no-store")
    return _compress(response) if request.blueprint == "console" else response


def current_route() -> Route:
    """The route of this request (policy.py)."""
    assert request.url_rule is not None
    method = "GET" if request.method == "HEAD" else request.method
    return ROUTES[f"{method} {request.url_rule.rule}"]


def _check_role(role: str) -> None:
    where = request.view_args or {}
    refuse_role(current_snapshot(), current_route(), role, where.get("event_id", ""), where.get("match_id", ""))


def actor() -> str:
    """The actor of this request in entries: the role, with the person's id for a personal PIN."""
    who = visit.current_staff()
    return who.actor if who is not None else ORGANIZER


def signing_official(event_id: str) -> str:
    """The official behind this request, as the event knows its officials (`official_of`). With the hub's own PIN the
    form names the official. A personal PIN stands for the official tied to that person, or of the same name; in an
    event without officials, the role. Raises Problem("no_official_here")."""
    who = visit.current_staff() or HUB_PIN_IDENTITY
    if not who.id:
        return field("by")[:NAME_LETTERS] or ORGANIZER
    moment = current_event(event_id)
    official = official_of(moment, who)
    if official is None and who.role != ORGANIZER and moment.state.officials:
        raise Problem("no_official_here", name=who.name)
    return official or who.role


def staff_name() -> str:
    """The name shown to others for who took something on: the person's, or the role."""
    who = visit.current_staff() or HUB_PIN_IDENTITY
    return who.name or words()(f"role.{who.role}")


def may_request(address: str) -> bool:
    """Whether this reader may request "POST /console/<event_id>/draw" (or "…/e1/draw") now (policy.py). For
    templates of pages that are drawn for one reader; the places of an event's console are shared (`{% only address %}`,
    routes.py). Forms need no check: `remove_forbidden` removes those that the role may not use."""
    who = visit.current_staff()
    where = (request.view_args or {}).get("event_id", "")
    return who is not None and may_ask(current_snapshot(), who.role, address.replace("<event_id>", where))


def roles_allowed(address: str) -> str:
    """The names of the roles that may request this now."""
    where = (request.view_args or {}).get("event_id", "")
    roles = [
        role
        for role in reversed(STAFF_ROLES)
        if may_ask(current_snapshot(), role, address.replace("<event_id>", where))
    ]
    return ", ".join(words()(f"role.{role}") for role in roles)


def _compress(response: Response) -> Response:
    """Compress a longer answer where the browser accepts gzip."""
    if (
        response.direct_passthrough
        or response.content_length is None
        or response.content_length < GZIP_MIN_BYTES
        or request.accept_encodings["gzip"] <= 0
        or "Content-Encoding" in response.headers
    ):
        return response
    response.set_data(gzip_bytes(response.get_data(), GZIP_LEVEL))
    response.headers["Content-Encoding"] = "gzip"
    response.vary.add("Accept-Encoding")
    return response


def language() -> str:
    """The reader's language (reader_language.py); one in the address is remembered."""
    chosen = request.args.get("lang", "")
    if chosen in LANGUAGES:
        visit.remember_language(chosen)
    return reader_language(
        chosen, visit.current_visit().language, request.headers.get("Accept-Language", ""), current_hub().language
    )


def words() -> Words:
    """The texts in this request's language."""
    if "words" not in g:
        g.words = words_in(language())
    found: Words = g.words
    return found


def common_context(hub: RunningHub, t: Words, rows: RowCache) -> dict[str, Any]:
    """The names that every page's template may use."""
    return {
        "t": t,
        "lang": t.language,
        "languages": LANGUAGES,
        "hub": hub,
        "clock_text": format_clock,
        "age_text": regions.age_text,
        "time_now": lambda: time_of_day(hub.clocks.wall()),
        "knockout_name": lambda what: knockout_name(t, what),
        "round_named": lambda state, number: round_title(t, state, number),
        "restored": hub.service.snapshot.venue.restore_state is not None,
        "schedule_of": lambda state: schedule_of(hub, state),
        "said_to": lambda event_id: announcement_lines(
            hub.service.snapshot.venue.display_plan.for_event(event_id), hub.clocks.now(), hub.clocks.wall()
        ),
        "worth_label": lambda key: t.first(f"worth.{key}", f"column.{key}"),
        "row_texts": lambda *of: rows.rows(t.language, *of),
        "build": version(),
    }


def schedule_of(hub: RunningHub, state: EventState) -> Schedule | None:
    """The event's schedule as of now; None where its journal cannot be read."""
    try:
        return schedule(state, hub.times.of(state), hub.clocks.now(), hub.clocks.wall())
    except Problem:
        return None


def knockout_name(t: Words, what: EventState | str | None) -> str:
    """The name of an event's newest round, or of a round name's key; "" for none."""
    key = newest_round_key(what) if isinstance(what, EventState) else what
    if key == TIEBREAK:
        return t("round.tiebreak")
    return round_label(t, key) if key else ""


def round_title(t: Words, state: EventState, number: int) -> str:
    """ "Round 3", or the round's own name: "Final"."""
    played = next((played for played in state.rounds if played.number == number), None)
    return (knockout_name(t, title_key(state, played)) if played is not None else "") or t("round", number=number)


def page(template: str, feed: str = "", status: int = 200, **context: Any) -> Response:
    """A page as HTML. `feed`: the page's key in the live feed; empty: the page does not change."""
    return page_response(render_page(template, feed, **context), status)


def render_page(template: str, feed: str = "", **context: Any) -> RenderedPage:
    """A page in this request's language. In templates `csrf()` and `sent_ms` (the hub's clock when it is sent) are
    placeholders, as they differ between readers of one rendering; `now_ms` is the time that the page shows."""
    hub, t = current_hub(), words()
    problem: Problem | None = g.get("problem")
    asks = problem if problem is not None and problem.key in NEEDS_REASON else g.get("asks_reason")
    state = context.get("state")
    version = current_version(feed)
    common = {
        **common_context(hub, t, current_app.extensions[ROW_CACHE]),
        "feed": feed,
        "seen": Markup(SEEN),
        "address": g.get("address", ""),
        "now_ms": now_ms(),
        "sent_ms": Markup(NOW),
        "organizer": visit.is_organizer(),
        "console": visit.is_organizer() and request.blueprint == "console",
        "reader": visit.current_staff(),
        "role_name": Markup(regions.ROLE),
        "may": may_request,
        "roles_allowed": roles_allowed,
        "csrf": lambda: Markup(CSRF),
        "problem": sanitize_text(problem.named(context.get("names", {})).say(t)) if problem else "",
        "problem_key": problem.key if problem else "",
        "lost_squads": problem.params.get("lost", "") if problem else "",
        "problem_where": sanitize_text(problem.where) if problem else "",
        "typed": request.form if problem else {},
        "wants_reason": asks.say(t) if asks is not None else "",
        "changes_cut": _choices(problem, state) if problem else (),
        "steps": StepMarks(state) if state is not None else None,
    }
    if request.blueprint == "console":
        # All its answers are filled in for their reader: a rendering has no age yet.
        common |= {
            "age_text": lambda ms: Markup(regions.AGE.format(now_ms() - ms)),
            **current_app.extensions[NAVIGATION](state),
        }
    return split_regions(render_template(template, **{**common, **context}), version)


def current_place() -> places.Place:
    """The place of this console page; for a form, the place it was sent from, else its own."""
    came_from = urlsplit(request.referrer or "").path if request.method == "POST" else ""
    sent_from = places.place_at(came_from, (request.view_args or {}).get("event_id", ""))
    return sent_from or places.place_of(request.url_rule.rule if request.url_rule is not None else "")


def page_response(page: RenderedPage, status: int = 200) -> Response:
    """A rendered page as this request's response."""
    g.rendered, role = page, _role()
    html = page.by_role.get(role) or page.html
    if role not in page.by_role and (role or request.blueprint == "console"):
        html = page.by_role[role] = for_role(html, role)
    response = Response(_fill(html), g.get("status", status), content_type="text/html; charset=utf-8")
    response.headers["Content-Language"] = words().language
    response.headers["Vary"] = "Accept-Language, Cookie"
    return response


def download(content: str | bytes, kind: str, name: str) -> Response:
    """A file to be saved. `kind`: its media type."""
    response = Response(content, content_type=kind)
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def patch_response(patch: PagePatch) -> Response:
    """A patch as this request's JSON response."""
    if request.blueprint == "console":
        patch = patch.changed(partial(for_role, role=_role()))
    return Response(_fill(patch.text), content_type="application/json")


def _role() -> str:
    """This reader's role; "" for somebody whose session has ended during this request, who may do nothing."""
    who = visit.current_staff()
    return who.role if who is not None else ""


def _fill(text: str) -> str:
    token = visit.csrf_token() if CSRF in text else ""
    return regions.fill_placeholders(text, token, current_hub().clocks.mono_ms())


def cached_page(template: str, variant: str = "", feed: str = "", **context: Any) -> Response:
    """A page that all readers of one language share, drawn once and cached (page_cache.py). Its content depends only on
    the state, `variant`, and `feed`, by default the route's."""
    return page(template, feed or page_cache_key(), **{"variant": variant, "sent_ms": "", **context})


def page_cache_key() -> str:
    """This request's page key, as its route declares it."""
    return current_route().page_key(request.view_args or {})


def cached_variant() -> str | None:
    """The variant of a page drawn for the cache (routes.py); None: the address has it."""
    variant: str | None = g.get("variant")
    return variant


def for_role(html: str, role: str) -> str:
    """What all roles share, as this reader's role may see it: neither its forms nor its words for others."""
    html = _ONLY.sub(lambda found: found[3] if may_request(found[2]) == (found[1] == regions.ONLY) else "", html)
    name = "" if role in (ORGANIZER, "") else f'<span class="quiet">{words()(f"role.{role}")}</span>'
    html = html.replace(regions.ROLE, name)
    return html if role == ORGANIZER else remove_forbidden(html, may_request)


Allowed = Callable[[str], bool]  # whether "POST /console/e1/draw" may be requested


def remove_forbidden(page: str, allowed: Allowed) -> str:
    """The page without forms that would be refused, folds that held nothing else, and links to pages of other roles."""

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


def refuse_unfit_fields() -> None:
    """Raise Problem("unfit_text") for a form field or a part of the address that could disturb its surroundings where
    it is shown."""
    for name, text in request.form.items(multi=True) if request.endpoint not in SANITIZED_FORMS else ():
        if not (fits_prose(text) and fits_prose(name)):
            raise Invalid("unfit_text", where="/" + "".join(c for c in name if c.isprintable())[:ID_LETTERS_MAX])
    for name, part in (request.view_args or {}).items():
        if isinstance(part, str) and not fits_prose(part):
            raise Invalid("unfit_text", where=f"/{name}")


def _choices(problem: Problem, state: EventState | None) -> tuple[str, ...]:
    """The buttons for this Problem; a label warns where a published round would be removed."""
    found = CUT_CHOICES.get(problem.key, ())
    gone = state is not None and "cut.anew" in found and second_stage_begun(state)
    return ("cut.anew.round", *found[1:]) if gone else found


def shows_problem_on(again: View, anchor: str = "") -> Callable[[Form], View]:
    """For POST handlers: a Problem shows the page `again`, with its message and the typed fields; a handler that
    answers nothing leads to that page, at `anchor` ("display-{display}"), or to the place of an event where the form
    stood. A button with a "step" is refused in any state other than the one it was shown for."""

    def wrap(handler: Form) -> View:
        @wraps(handler)
        def handled(**where: Any) -> AnyResponse:
            try:
                refuse_unfit_fields()
                if "event_id" in where:
                    refuse_in_state(current_snapshot(), current_route(), where["event_id"])
                _refuse_stale_step(where.get("event_id", ""))
                return handler(**where) or _lead_to(again, where, anchor.format(**where))
            except Problem as problem:
                g.problem = with_competitor_names(problem, where.get("event_id", ""))
                g.status = problem_status(problem)
                drop_request_cache()
                # Keeps the page live, and a reload from pressing the button again.
                g.address = _address_of(again, where)
                return again(**where)

        handled.again = again  # type: ignore[attr-defined]
        return handled

    return wrap


def _refuse_stale_step(event_id: str) -> None:
    """A button acts only in the state it was shown for, named by `step`; `shown_at`: when a next step appeared in its
    place (the hub's monotonic ms)."""
    state = current_snapshot().event(event_id)
    if state is not None:
        refuse_stale(state, field("step"))
    shown_at = form_number("shown_at")
    if shown_at is not None and 0 <= now_ms() - shown_at < CLICK_DEBOUNCE_MS:
        raise Problem("step_too_soon")


def submit_command(event_id: str, command: Command, people: Sequence[PersonRecord] = ()) -> None:
    """Execute a command, only in the state that its button was shown for."""
    current_hub().service.execute_one(event_id, command, actor(), people, field("step"))


def add_venue_entry(new: NewEntry) -> None:
    """Add an entry to the venue's stream."""
    current_hub().service.execute([Step(VENUE, new)], actor())


def with_competitor_names(
    problem: Problem, event_id: str, read: Callable[[SavedEvent], Mapping[str, str]] = full_names
) -> Problem:
    """The Problem with names for the competitors' ids, as the reader may see them."""
    moment = saved_event(current_snapshot(), event_id)
    names = read(moment) if moment else {}
    named = {
        key: ", ".join(names.get(who, who) for who in str(problem.params[key]).split(", "))
        for key in COMPETITOR_PARAMS
        if problem.params.get(key)
    }
    return problem.replace(problem.where, **named)


def _address_of(view: View, where: Mapping[str, Any]) -> str:
    endpoint = next(name for name, known in current_app.view_functions.items() if known is view)
    takes = next(current_app.url_map.iter_rules(endpoint)).arguments
    return url_for(endpoint, **{name: where[name] for name in takes})


def _lead_to(view: View, where: Mapping[str, Any], anchor: str) -> AnyResponse:
    address = _address_of(view, where)
    if address == places.PLAY.path(where.get("event_id", "")):
        return back_to_event(where["event_id"], anchor)
    return redirect(f"{address}{anchor and '#'}{anchor}", 303)


def back_to_event(event_id: str, anchor: str = "", **shown: object) -> AnyResponse:
    """Redirect to the place of this request's form, `shown`: with that round's tab open, or with what it says of the
    form; to the judge's page for readers who came from there, and for judges unless they came from the console."""
    came_from, who = urlsplit(request.referrer or "").path, visit.current_staff() or HUB_PIN_IDENTITY
    if came_from in ("/console/judge", f"/console/{event_id}/judge"):
        return redirect(came_from, 303)
    if who.role in (HEAD_JUDGE, JUDGE) and came_from and places.place_at(came_from, event_id) is None:
        return redirect(url_for("console.judge_hall_page"), 303)
    place = current_place() if "event_id" in (request.view_args or {}) else places.PLAY
    query = urlencode({name: value for name, value in shown.items() if value})
    return redirect(f"{place.path(event_id)}{query and '?'}{query}{anchor and '#'}{anchor}", 303)


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


def form_number(name: str, wrong: str = "not_a_number", maximum: int = 0) -> int | None:
    """A field's whole number, None where it is empty; Problem(`wrong`) for anything else."""
    text = field(name)
    if not text:
        return None
    try:
        return typed_number(text)
    except Problem:
        raise Invalid(wrong, value=text[:20], maximum=maximum) from None


def confirmed_minutes(name: str, sure: str) -> int | None:
    """The minutes of an extension, or None; many have to be confirmed."""
    minutes = form_number(name, "extension_minutes", EXTENSION_MAX)
    if minutes is not None and not 1 <= minutes <= EXTENSION_MAX:
        raise Invalid("extension_minutes", maximum=EXTENSION_MAX)
    if minutes is not None and minutes > LONG_EXTENSION and field(sure).lstrip("0") != str(minutes):
        raise Invalid("extension_is_long", minutes=minutes)
    return minutes


def typed_table(name: str) -> int | None:
    """A field's table number; None where it is empty."""
    table = form_number(name, "table_number", MOST_TABLES)
    if table is not None and not 1 <= table <= MOST_TABLES:
        raise Invalid("table_number", value=table, maximum=MOST_TABLES)
    return table
