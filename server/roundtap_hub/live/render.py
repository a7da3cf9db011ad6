"""Pages as HTML: a template with what all pages use, cached, filled in for its reader, compressed."""

from functools import partial
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from flask import Response, current_app, g, render_template, request
from markupsafe import Markup

from roundtap_core.clock import format_clock
from roundtap_core.elimination.bracket_picture import round_label
from roundtap_core.errors import Problem
from roundtap_core.event.event_flow import second_stage_begun
from roundtap_core.event.states import EventState
from roundtap_core.limits import sanitize_text
from roundtap_core.records import TIEBREAK
from roundtap_core.rulebooks.result_gate import NEEDS_REASON
from roundtap_core.version import version
from roundtap_core.words import LANGUAGES, Words
from roundtap_hub.access import visit
from roundtap_hub.http.http_answers import gzip_bytes
from roundtap_hub.http.routes import PageKey
from roundtap_hub.live import current, regions, role_view
from roundtap_hub.live.page_versions import PageSource, version_of
from roundtap_hub.live.regions import CSRF, NOW, SEEN, PagePatch, RenderedPage, split_regions
from roundtap_hub.live.renderings import RENDER_CACHE, ROW_CACHE, RenderCache, RowCache
from roundtap_hub.views import places
from roundtap_hub.views.announcements import announcement_lines
from roundtap_hub.views.knockout import newest_round_key, title_key
from roundtap_hub.views.preflight_checks import count_failed
from roundtap_hub.views.round_clock import time_of_day
from roundtap_hub.views.running_hub import RunningHub
from roundtap_hub.views.saved_event import StepMarks
from roundtap_hub.views.schedule import Schedule, schedule

# The app's extension that counts the open things of a console page's navigation, for an event or the hub
# (app/console.py).
OPEN_THINGS = "roundtap_open_things"


GZIP_MIN_BYTES, GZIP_LEVEL = 1000, 2
"""The shortest console answer that is compressed, and the level: a higher one saves little."""


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


def current_version(feed: PageKey | None) -> str:
    """The version of this request's page; "" where it does not change."""
    if "version" in g:
        return str(g.version)
    hub = current.hub()
    now, here = current.instant(), hub.presence.seen_at_table
    source = PageSource(hub, current.snapshot(), current.units(), now, here, _banner_version(hub))
    return version_of(source, feed) if feed else ""


def _banner_version(hub: RunningHub) -> str:
    """The version of the banner on every console page."""
    paper = (hub.paper.mute_units, hub.paper.asking_jobs) if hub.paper else ""
    return f"{hub.service.storage.version}|{paper}|{todo_count(False)}|{todo_count(True)}"


def todo_count(playing: bool) -> int:
    """The number of failed checks; `playing`: only of the hub's own machine (preflight_checks.py)."""
    return count_failed(current.hub(), current.snapshot(), current.units(), current.now_ms(), playing)


def finish_response(response: Response) -> Response:
    """Add cookies and headers to every answer of Flask's; compress the console's longer ones."""
    visit.set_cookies(response)
    response.headers.setdefault("Cache-Control", "no-store")
    return _compress(response) if request.blueprint == "console" else response


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


def common_context(hub: RunningHub, t: Words, rows: RowCache) -> dict[str, object]:
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


def page(template: str, feed: PageKey | None = None, status: int = 200, **context: Any) -> Response:
    """A page as HTML. `feed`: the page's key in the live feed; None: the page does not change."""
    return page_response(render_page(template, feed, **context), status)


def render_page(template: str, feed: PageKey | None = None, **context: Any) -> RenderedPage:
    """A page in this request's language. In templates `csrf()` and `sent_ms` (the hub's clock when it is sent) are
    placeholders, as they differ between readers of one rendering; `now_ms` is the time that the page shows."""
    hub, t = current.hub(), current.words()
    problem: Problem | None = g.get("problem")
    asks = problem if problem is not None and problem.key in NEEDS_REASON else g.get("asks_reason")
    state = context.get("state")
    version = current_version(feed)
    common = {
        **common_context(hub, t, current_app.extensions[ROW_CACHE]),
        "feed": feed,
        "seen": Markup(SEEN),
        "address": g.get("address", ""),
        "now_ms": current.now_ms(),
        "sent_ms": Markup(NOW),
        "organizer": visit.is_organizer(),
        "console": visit.is_organizer() and request.blueprint == "console",
        "reader": visit.current_staff(),
        "role_name": Markup(regions.ROLE),
        "may": role_view.may_request,
        "roles_allowed": role_view.roles_allowed,
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
            "age_text": lambda ms: Markup(regions.AGE.format(current.now_ms() - ms)),
            "this_place": current_place(),
            "places": places.OF_EVENT if state is not None else places.OF_HUB,
            "home": places.HOME,
            "open_things": current_app.extensions[OPEN_THINGS](state),
            "running": []
            if state is not None
            else [each for each in current.snapshot().events.values() if each.public_rounds and not each.finished],
        }
    return split_regions(render_template(template, **{**common, **context}), version)


def current_place() -> places.Place:
    """The place of this console page; for a form, the place it was sent from, else its own."""
    came_from = urlsplit(request.referrer or "").path if request.method == "POST" else ""
    sent_from = places.place_at(came_from, (request.view_args or {}).get("event_id", ""))
    return sent_from or places.place_of(request.url_rule.rule if request.url_rule is not None else "")


def page_response(page: RenderedPage, status: int = 200) -> Response:
    """A rendered page as this request's response."""
    g.rendered, role = page, role_view.reader_role()
    html = page.by_role.get(role) or page.html
    if role not in page.by_role and (role or request.blueprint == "console" or regions.MAY in html):
        html = page.by_role[role] = role_view.for_role(html, role)
    response = Response(_fill(html), g.get("status", status), content_type="text/html; charset=utf-8")
    response.headers["Content-Language"] = current.words().language
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
        patch = patch.changed(partial(role_view.for_role, role=role_view.reader_role()))
    return Response(_fill(patch.text), content_type="application/json")


def _fill(text: str) -> str:
    token = visit.csrf_token() if CSRF in text else ""
    return regions.fill_placeholders(text, token, current.hub().clocks.mono_ms())


def cached_page(template: str, variant: str = "", feed: PageKey | None = None, **context: Any) -> Response:
    """A page that all readers of one language share, drawn once and cached (page_cache.py). Its content depends only on
    the state, `variant`, and `feed`, by default the route's."""
    return page(template, feed or page_cache_key(), **{"variant": variant, "sent_ms": "", **context})


def page_cache_key() -> PageKey | None:
    """This request's page key, as its route declares it."""
    return (kept := current.route().kept) and kept.filled(request.view_args or {})


def cached_variant() -> str | None:
    """The variant of a page drawn for the cache (routes.py); None: the address has it."""
    variant: str | None = g.get("variant")
    return variant


def _choices(problem: Problem, state: EventState | None) -> tuple[str, ...]:
    """The buttons for this Problem; a label warns where a published round would be removed."""
    found = CUT_CHOICES.get(problem.key, ())
    gone = state is not None and "cut.anew" in found and second_stage_begun(state)
    return ("cut.anew.round", *found[1:]) if gone else found


def render_cache() -> RenderCache:
    kept: RenderCache = current_app.extensions[RENDER_CACHE]
    return kept
