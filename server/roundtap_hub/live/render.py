"""Pages as HTML: a template with what all pages use, its renderings kept, and one for its reader: without the buttons
that the role may not press, filled in, compressed."""

import re
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from html import unescape
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

import msgspec
from flask import Response, current_app, g, render_template, request
from markupsafe import Markup
from werkzeug.local import LocalProxy
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.elimination.bracket_picture import round_label
from roundtap_core.errors import Problem
from roundtap_core.event.event_flow import second_stage_begun
from roundtap_core.event.states import EventState
from roundtap_core.records import TIEBREAK
from roundtap_core.rulebooks.result_gate import NEEDS_REASON
from roundtap_core.rulebooks.result_words import figure_label, option_label, way_label
from roundtap_core.typed import sanitize_text
from roundtap_core.version import version
from roundtap_core.words import LANGUAGES, Words
from roundtap_hub.access.policy import is_allowed as may_ask
from roundtap_hub.access.policy import refuse_role
from roundtap_hub.http.http_answers import gzip_bytes
from roundtap_hub.http.routes import STAFF_ROLES, PageKey
from roundtap_hub.live import current, regions
from roundtap_hub.live.page_cache import HubNow, version_of
from roundtap_hub.views import places
from roundtap_hub.views.knockout import newest_round_key, title_key
from roundtap_hub.views.preflight_checks import all_checks, count_failed, failed_checks
from roundtap_hub.views.round_clock import AnnouncementLine, announcement_lines, clock_text, time_of_day
from roundtap_hub.views.running_hub import RunningHub
from roundtap_hub.views.saved_event import StepMarks, open_sign_ups
from roundtap_hub.views.schedule import Schedule, schedule
from roundtap_machine import health as machine_checks

PART_ALONE = "Roundtap-Part"
"""The header of a script that asks for what belongs into the page that is open: `alone`, without its frame."""

OPEN_THINGS = "roundtap_open_things"
"""The app's extension that counts the open things of all places (app/console.py), with the hub's `state` None."""

ACT_MESSAGE = "roundtap_act_message"  # the app's extension that writes what the press before has done (app/acts.py)

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
        "pairings_would_change": ("mend.keep", "mend.anew"),
        "correction_round_begun": ("mend.keep",),
    }
)
"""The choices that an official has about the cut, the tie-break round or pairings: buttons that save the result."""

Allowed = Callable[[str], bool]  # whether "POST /console/e1/draw" may be requested

RowSource = tuple[str, Hashable, object]
"""A row's key, all that it shows (None: more than can be said; it is never cached), and its macro's argument."""

RENDER_CACHE = "roundtap-console"  # the application's extension key for the console's pages

# What all pages give their templates.
_SHARED: Mapping[str, Any] = {
    "languages": LANGUAGES,
    "clock_text": clock_text,
    "age_text": regions.age_text,
    "time_now": lambda: time_of_day(current.hub().clocks.wall()),
    "now_ms": LocalProxy(current.now_ms),
    "csrf": lambda: Markup(regions.CSRF),
    "figure_label": figure_label,
    "game_words": current.game_words,
    "way_label": way_label,
    "option_label": option_label,
    "typed": {},
}
# All the console's answers are filled in for their reader: a rendering has no age yet.
_ON_CONSOLE: Mapping[str, Any] = {"age_text": lambda ms: Markup(regions.AGE.format(current.now_ms() - ms))}

FRESH_MS = 1000  # how long a rendering is sent as a whole page: an age on it is no older than that

MAX_PAGES, MAX_VERSIONS = 48, 24
"""Pages (place, event, language, round), and earlier versions of each; a browser with an older one loads the
page."""

ROWS_MAX = 2000  # rows that are kept; some of 700 bytes


@dataclass(slots=True)
class _Page:
    """The newest rendering, and earlier ones by version."""

    newest: regions.RenderedPage
    earlier: OrderedDict[str, regions.RenderedPage] = field(default_factory=OrderedDict)


class RenderCache:
    """A small, thread-safe cache of rendered pages."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pages: OrderedDict[Hashable, _Page] = OrderedDict()
        self._rows: OrderedDict[Hashable, tuple[Hashable, regions.Row]] = OrderedDict()
        self._kept: dict[Hashable, tuple[object, dict[Any, Any]]] = {}

    def page(
        self,
        key: Hashable,
        version: str,
        now_ms: int,
        draw: Callable[[regions.RenderedPage | None, bool], regions.RenderedPage],
        since: str | None = None,
    ) -> tuple[regions.RenderedPage, regions.RenderedPage | None]:
        """The page of this version, and the one of version `since` or None. `draw` is called, with the newest
        one so far and whether that is too old to be sent whole, where the rendering is missing, or too old."""
        # Held while drawing, so that a page is drawn once.
        with self._lock:
            cached = self._pages.get(key)
            newest = cached.newest if cached is not None and cached.newest.version == version else None
            old = self._earlier(cached, since)
            aged = cached is not None and old is None and now_ms - cached.newest.at_ms >= FRESH_MS
            if newest is None or aged:
                newest = self._keep(key, draw(cached.newest if cached else None, aged))
            return newest, old

    def kept(self, key: Hashable, of: object) -> dict[Any, Any]:
        """A dict for what is found out once: the same one as long as `of` is equal."""
        was, found = self._kept.get(key, (None, {}))
        self._kept[key] = of, (found := found if was == of else {})
        return found

    def rows(self, *of: Hashable) -> Callable[[Iterable[RowSource], Callable[[object], str]], Markup]:
        """For templates, `rows(sources, macro)`: rows, each rendered again only where it shows something else. `of`:
        what every row depends on beside what it shows: page, event, language."""

        def written(sources: Iterable[RowSource], macro: Callable[[object], str]) -> Markup:
            rows = []
            for key, shown, thing in sources:
                kept = self._rows.get((of, key))
                if kept is None or shown is None or kept[0] != shown:
                    kept = self._rows[of, key] = shown, regions.make_row(key, str(macro(thing)))
                rows.append(kept[1])
            while len(self._rows) > ROWS_MAX:
                self._rows.popitem(last=False)
            made: list[list[regions.Row]] = g.setdefault("row_groups", [])
            made.append(rows)
            mark = regions.region_mark(regions.ROW, len(made) - 1) + regions.region_mark(regions.ROW_END)
            return Markup(mark if rows else "")

        return written

    @staticmethod
    def _earlier(cached: _Page | None, since: str | None) -> regions.RenderedPage | None:
        if cached is None or since is None:
            return None
        return cached.newest if cached.newest.version == since else cached.earlier.get(since)

    def _keep(self, key: Hashable, drawn: regions.RenderedPage) -> regions.RenderedPage:
        cached = self._pages.pop(key, None)
        if cached is None:
            cached = _Page(drawn)
        else:
            cached.earlier.pop(drawn.version, None)
            if cached.newest.version != drawn.version:
                cached.earlier[cached.newest.version] = replace(cached.newest, for_readers={}, source={})
            cached.newest = drawn
        while len(cached.earlier) > MAX_VERSIONS:
            cached.earlier.popitem(last=False)
        self._pages[key] = cached
        while len(self._pages) > MAX_PAGES:
            self._pages.popitem(last=False)
        return drawn


def current_version(feed: PageKey | None) -> str:
    """The version of this request's page; "" where it does not change."""
    if "version" in g:
        return str(g.version)
    if not feed:
        return ""
    hub = current.hub()
    now, here = current.instant(), hub.presence.seen_at_table
    source = HubNow(hub, current.snapshot(), current.units(), now, here, _banner_version(hub))
    return version_of(source, feed)


def _banner_version(hub: RunningHub) -> str:
    """The version of the banner on every console page."""
    paper = (hub.paper.mute_units, hub.paper.asking_jobs) if hub.paper else ""
    return f"{hub.service.storage.version}|{paper}|{todo_count(False)}|{todo_count(True)}"


def todo_count(playing: bool) -> int:
    """The number of failed checks; `playing`: only of the hub's own machine (preflight_checks.py)."""
    return count_failed(current.hub(), current.snapshot(), current.units(), current.now_ms(), playing)


def finish_response(response: Response) -> Response:
    """Add cookies and headers to every answer of Flask's; compress the console's longer ones."""
    current.set_cookies(response)
    response.headers.setdefault("Cache-Control", "no-store")
    if request.path.endswith("/event.json"):
        # Another site's program may also read that there is no such event.
        response.headers["Access-Control-Allow-Origin"] = "*"
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


def common_context(hub: RunningHub, t: Words) -> dict[str, object]:
    """The names that every page's template may use."""
    return {
        **_SHARED,
        "t": t,
        "lang": t.language,
        "hub": hub,
        "knockout_name": lambda what: knockout_name(t, what),
        "sign_ups": lambda: open_sign_ups(hub.service.snapshot),
        "round_named": lambda state, number: round_title(t, state, number),
        "restored": hub.service.snapshot.venue.restore_state is not None,
        "schedule_of": lambda state: schedule_of(hub, state),
        "said_to": said_to,
        "worth_label": lambda key: t.first(f"worth.{key}", f"column.{key}"),
        "row_texts": lambda *of: render_cache().rows(t.language, *of),
        "build": version(),
    }


def said_to(event_id: str | None) -> tuple[AnnouncementLine, ...]:
    """What is announced to an event's readers now; None: to those of none."""
    hub = current.hub()
    said = hub.service.snapshot.venue.display_plan.for_event(event_id)
    return announcement_lines(said, hub.clocks.now(), hub.clocks.wall())


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


def render_page(template: str, feed: PageKey | None = None, **context: Any) -> regions.RenderedPage:
    """A page in this request's language. In templates `csrf()` and `sent_ms` (the hub's clock when it is sent) are
    placeholders, as they differ between readers of one rendering; `now_ms` is the time that the page shows."""
    hub, state = current.hub(), context.get("state")
    t = current.words() if state is None else current.game_words(state)
    problem: Problem | None = g.get("problem")
    asks = problem if problem is not None and problem.key in NEEDS_REASON else g.get("asks_reason")
    version = current_version(feed)
    common = {
        **common_context(hub, t),
        "feed": feed,
        "alone": False,
        "seen": Markup(regions.SEEN),
        "address": g.get("address", ""),
        "sent_ms": Markup(regions.NOW),
        "organizer": current.is_organizer(),
        "console": current.is_organizer() and request.blueprint == "console",
        "reader": current.current_staff(),
        "role_name": Markup(regions.ROLE),
        "may": may_request,
        "roles_allowed": roles_allowed,
        "did": Markup(regions.DID),
        "problem": sanitize_text(problem.named(context.get("names", {})).say(t)) if problem else "",
        "problem_key": problem.key if problem else "",
        "lost_squads": problem.params.get("lost", "") if problem else "",
        "problem_where": sanitize_text(problem.where) if problem else "",
        **({"typed": request.form} if problem else {}),
        "wants_reason": asks.say(t) if asks is not None else "",
        "choices_of": partial(_choices, state is not None and bool(second_stage_begun(state))),
        "asks": problem if problem and problem.key in CUT_CHOICES else None,
        "steps": StepMarks(state) if state is not None else None,
    }
    if request.blueprint == "console":
        common |= _ON_CONSOLE
    if request.blueprint == "console" and not context.get("alone"):
        # Counted once for a version of the event's console.
        counts: dict[str, int] = (
            render_cache().kept(("open", state.id), version)
            if state is not None and feed == PageKey("console", state.id)
            else {}
        )
        if not counts:
            counts |= current_app.extensions[OPEN_THINGS](state)
        common |= {
            "this_place": current_place(),
            "places": places.OF_EVENT if state is not None else places.OF_HUB,
            "home": places.HOME,
            "open_things": counts,
            "running": []
            if state is not None
            else [each for each in current.snapshot().events.values() if each.public_rounds and not each.finished],
        }
    text = render_template(template, **{**common, **context})
    return replace(regions.split_regions(text, version, g.get("row_groups", ())), at_ms=current.now_ms())


def current_place() -> places.Place:
    """The place of this console page; for a form, the place it was sent from, else its own."""
    came_from = urlsplit(request.referrer or "").path if request.method == "POST" else ""
    sent_from = places.place_at(came_from, (request.view_args or {}).get("event_id", ""))
    return sent_from or places.place_of(request.url_rule.rule if request.url_rule is not None else "")


def page_response(page: regions.RenderedPage, status: int = 200) -> Response:
    """A rendered page as this request's response."""
    g.rendered = page
    if cached_variant() is not None:
        # The cache makes the answer.
        return Response(status=g.get("status", status))
    role = reader_role()
    parts = page.for_readers.get(("", role))
    if parts is None:
        parts = page.for_readers["", role] = for_role(page.parts(), role)
    filled = (
        (_fill(part) if regions.MARK in part else part).encode() if isinstance(part, str) else part for part in parts
    )
    response = Response(b"".join(filled), g.get("status", status), content_type="text/html; charset=utf-8")
    response.headers["Content-Language"] = current.words().language
    response.headers["Vary"] = "Accept-Language, Cookie"
    return response


def download(content: str | bytes, kind: str, name: str) -> Response:
    """A file to be saved. `kind`: its media type."""
    response = Response(content, content_type=kind)
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def patch_response(old: regions.RenderedPage, new: regions.RenderedPage) -> Response:
    """What has changed between two renderings of a console page, as this request's JSON response. Found once for all
    readers, and once for each role."""
    role, made = reader_role(), new.for_readers
    if old.version not in made:
        made[old.version] = regions.diff_pages(old, new)
    if (old.version, role) not in made:
        made[old.version, role] = made[old.version].changed(partial(text_for_role, role=role)).text
    return Response(_fill(made[old.version, role]), content_type="application/json")


def _fill(text: str) -> str:
    if regions.DID in text:
        text = text.replace(regions.DID, current_app.extensions[ACT_MESSAGE]())
    token = current.csrf_token() if regions.CSRF in text else ""
    return regions.fill_placeholders(text, token, current.hub().clocks.mono_ms())


def cached_page(template: str, variant: str = "", feed: PageKey | None = None, **context: Any) -> Response:
    """A page that all readers of one language share, drawn once and cached (page_cache.py). Its content depends only on
    the state, `variant`, and `feed`, by default the route's."""
    return page(template, feed or page_cache_key(), **{"variant": variant, "sent_ms": "", **context})


def cached_data(data: object, moves: bool) -> Response:
    """JSON for other programs, cached as a page is. `moves`: it also changes with time alone."""
    # In a name, a page's placeholder is text.
    text = msgspec.json.encode(data).decode().replace("<", "\\u003c")
    g.rendered = regions.RenderedPage("", (text,), moves=moves)
    return Response(text, content_type="application/json")


def page_cache_key() -> PageKey | None:
    """This request's page key, as its route declares it."""
    return (page_key := current.route().kept) and page_key.filled(request.view_args or {})


def cached_variant() -> str | None:
    """The variant of a page drawn for the cache (routes.py); None: the address has it."""
    variant: str | None = g.get("variant")
    return variant


def _choices(begun: bool, problem: Problem) -> tuple[str, ...]:
    """The buttons for this Problem; a label warns where a published round would be removed (`begun`)."""
    choices = CUT_CHOICES.get(problem.key, ())
    return ("cut.anew.round", *choices[1:]) if begun and "cut.anew" in choices else choices


def render_cache() -> RenderCache:
    cache: RenderCache = current_app.extensions[RENDER_CACHE]
    return cache


def check_role(role: str) -> None:
    where = request.view_args or {}
    refuse_role(current.snapshot(), current.route(), role, where.get("event_id", ""), where.get("match_id", ""))


def may_request(address: str) -> bool:
    """Whether this reader may request "POST /console/<event_id>/draw" (or "…/e1/draw") now (policy.py). For
    templates of pages that are drawn for one reader; the places of an event's console are shared (`{% may
    address %}`, app/flask_app.py)."""
    where = (request.view_args or {}).get("event_id", "")
    return may_ask(current.snapshot(), reader_role(), address.replace("<event_id>", where))


def roles_allowed(address: str) -> str:
    """The names of the roles that may request this now."""
    where = (request.view_args or {}).get("event_id", "")
    roles = [
        role
        for role in reversed(STAFF_ROLES)
        if may_ask(current.snapshot(), role, address.replace("<event_id>", where))
    ]
    return ", ".join(current.words()(f"role.{role}") for role in roles)


def reader_role() -> str:
    """This reader's role; "" for somebody whose session has ended during this request, who may do nothing."""
    who = current.current_staff()
    return who.role if who is not None else ""


def for_role(parts: Iterable[str | bytes], role: str) -> list[str | bytes]:
    """What all roles share, as this reader's role may see it: neither its forms nor its words for others."""
    name = "" if role in (current.ORGANIZER, "") else f'<span class="quiet">{current.words()(f"role.{role}")}</span>'
    # Organizers see every form: what an event's state refuses is also where its data stand.
    return for_reader(parts, may_request if role != current.ORGANIZER else lambda _: True, name)


def text_for_role(html: str, role: str) -> str:
    return "".join(map(str, for_role([html], role)))


@dataclass(slots=True)
class _Block:
    """A marked piece of a page, as far as it was read. `may`: whether its reader may; None: it is shown by what it
    holds, `found` pieces that the reader may see, and `gone` ones. `shown`: the half that is being read."""

    may: bool | None = True
    shown: bool = True
    parts: list[str | bytes] = field(default_factory=list)
    found: bool = False
    gone: bool = False

    def close(self, around: "_Block") -> None:
        """Add it to the one around it."""
        may = self.found or not self.gone if self.may is None else self.may
        around.found |= may
        around.gone |= not may
        if around.shown and (may or self.may is not None):
            around.parts += self.parts


@lru_cache(ROWS_MAX)
def _address(mark: str) -> str:
    """The address that a mark names."""
    return re.split("[?#]", unescape(mark[len(regions.MAY) : -len(regions.MARK_END)]), maxsplit=1)[0]


def for_reader(parts: Iterable[str | bytes], allowed: Allowed, name: str = "") -> list[str | bytes]:
    """The page's parts for a reader who may request what is `allowed` and whose role is shown as `name`. The role's
    marks are taken out."""
    allowed_by_mark: dict[str, bool] = {}
    blocks = [_Block()]
    for part in parts:
        pieces: list[Any] = [part] if isinstance(part, bytes) else part.split(regions.MARK)
        for number, piece in enumerate(pieces):
            begun, ended, text = piece.partition(regions.MARK_END) if number else ("", "", piece)
            mark = f"{regions.MARK}{begun}{ended}"
            if mark.startswith(regions.MAY):
                if mark not in allowed_by_mark:
                    allowed_by_mark[mark] = allowed(_address(mark))
                blocks.append(_Block(allowed_by_mark[mark], allowed_by_mark[mark]))
            elif mark == regions.MAYBE:
                blocks.append(_Block(None))
            elif mark == regions.ELSE:
                blocks[-1].shown = not blocks[-1].shown
            elif mark == regions.ENDS:
                blocks.pop().close(blocks[-1])
            elif number:
                text = name + text if mark == regions.ROLE else mark + text
            if blocks[-1].shown:
                blocks[-1].parts.append(text)
    return blocks[0].parts


def place_page(template: str, place: str, feed: PageKey | None = None, **context: Any) -> AnyResponse:
    """A page of the hall, with the places' navigation and the number of failed checks of each."""
    return page(
        template,
        feed,
        hall_place=place,
        hall_places=places.OF_HALL,
        failed=Counter(check.group for check in failed_checks(hall_checks())),
        **context,
    )


def hall_checks() -> list[machine_checks.Check]:
    return all_checks(current.hub(), current.snapshot(), current.units(), current.now_ms())
