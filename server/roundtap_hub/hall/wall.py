"""Walls of events and displays; on the console the displays' assignments, the hub's sound, and the announcements on all
walls and phones: what is announced, with its countdown, and a form."""

import re
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlencode

from flask import current_app, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.clock import RUNNING
from roundtap_core.elimination.bracket_picture import PORTRAIT_WALL, WALL, wall_bracket
from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.entries import NewEntry
from roundtap_core.event.states import EventState
from roundtap_hub.hall import wall_picture
from roundtap_hub.hall.hub_sound import SOUND
from roundtap_hub.http.qr_svg import qr_svg
from roundtap_hub.http.routes import EVERYBODY, HEADS_AND_DESK, VISIBLE, PageKey, route
from roundtap_hub.live import current, forms, render
from roundtap_hub.store import display_plan
from roundtap_hub.views import known_displays
from roundtap_hub.views.knockout import bracket
from roundtap_hub.views.league_tables import league_view, leagues_of
from roundtap_hub.views.round_clock import announcement_lines, clock_face, time_of_day
from roundtap_hub.views.saved_event import SavedEvent, listed_events, planned_swiss, shown_names

UNTIL = re.compile(r"(?P<lasts>\d{1,4})|(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)")
AHEAD_MAX = timedelta(hours=6)  # a time of day past midnight is meant only for the night that comes
REPEAT_PRESS_MS = 10_000  # the same announcement again within this time is a double press


@route("GET /console/announcements", HEADS_AND_DESK)
def announcements_page(**_: str) -> AnyResponse:
    hub, snapshot = current.hub(), current.snapshot()
    lines = announcement_lines(snapshot.venue.display_plan.announcements, current.instant(), hub.clocks.wall())
    events = listed_events(snapshot)
    return render.place_page(
        "announcements.html",
        "announcements",
        PageKey("displays"),
        said=lines,
        kinds=display_plan.KINDS,
        counted=display_plan.COUNTED,
        events=events,
        names={line.id: line.name for line in events},
        knows_time=hub.clocks.wall() is not None,
    )


@route("POST /console/announcements/say", HEADS_AND_DESK)
@forms.shows_problem_on(announcements_page)
def announce() -> None:
    """Announce on all walls and phones of one event or of all: a line of text, or lunch or the next start with a
    countdown in minutes or to a time of day."""
    kind, text = (
        forms.form_choice("kind", display_plan.KINDS, display_plan.KINDS[0]),
        " ".join(forms.field("text").split()),
    )
    lasts_ms = _duration_ms(forms.field("until"))
    if kind in display_plan.COUNTED and lasts_ms is None:
        raise Invalid("said_until_missing", where="/until")
    if kind not in display_plan.COUNTED and not text:
        raise Invalid("said_nothing", where="/text")
    if len(text) > display_plan.TEXT_MAX:
        raise Invalid("said_too_long", letters=len(text), maximum=display_plan.TEXT_MAX, where="/text")
    hub, event = current.hub(), event_field()
    with hub.hall.displays.announcing:
        current.drop_request_cache()
        if _is_repeat(event, kind, text):
            return
        if (
            len(
                announcement_lines(
                    current.snapshot().venue.display_plan.announcements, current.instant(), hub.clocks.wall()
                )
            )
            >= display_plan.ANNOUNCEMENTS_MAX
        ):
            raise Problem("said_too_many", maximum=display_plan.ANNOUNCEMENTS_MAX)
        forms.add_venue_entry(
            NewEntry(
                display_plan.ANNOUNCED,
                {"id": secrets.token_hex(6), "event": event, "kind": kind, "text": text, "lasts_ms": lasts_ms},
            )
        )


def _is_repeat(event: str | None, kind: str, text: str) -> bool:
    now = current.instant()
    return any(
        (each.event, each.kind, each.text) == (event, kind, text)
        and each.at.boot_id == now.boot_id
        and now.mono_ms - each.at.mono_ms < REPEAT_PRESS_MS
        for each in current.snapshot().venue.display_plan.announcements
    )


def _duration_ms(typed: str) -> int | None:
    """Milliseconds until "25" (minutes) or "13:30" (today, or in the night to come); None where nothing was typed."""
    if not typed:
        return None
    until = UNTIL.fullmatch(typed)
    if until is None or (until["lasts"] and not 1 <= int(until["lasts"]) <= display_plan.LASTS_MAX_MINUTES):
        raise Invalid("said_until", value=typed[:20], where="/until")
    if until["lasts"]:
        return int(until["lasts"]) * 60_000
    wall = current.hub().clocks.wall()
    if wall is None:
        raise Invalid("said_time_unknown", where="/until")
    now = datetime.fromisoformat(wall).astimezone()
    then = now.replace(hour=int(until["hour"]), minute=int(until["minute"]), second=0, microsecond=0)
    if then <= now:
        then += timedelta(days=1)
        if then - now > AHEAD_MAX:
            raise Invalid("said_past", time=typed, minutes=round((then - now) / timedelta(minutes=1)), where="/until")
    return (then - now) // timedelta(milliseconds=1)


@route("POST /console/announcements/unsay", HEADS_AND_DESK)
@forms.shows_problem_on(announcements_page)
def revoke_announcement() -> None:
    forms.add_venue_entry(NewEntry(display_plan.ANNOUNCEMENT_REVOKED, {"id": forms.field("id")[:40]}))


def event_field() -> str | None:
    """The event that a form names; None for all. Raises Problem for one that is not listed."""
    chosen = forms.field("event")
    if chosen and chosen not in {line.id for line in listed_events(current.snapshot())}:
        raise Problem("unknown_event", event=chosen[:40])
    return chosen or None


BOXES = {"wide": WALL, "tall": PORTRAIT_WALL}  # where a bracket is drawn, by the screen's shape
ANNOUNCED = 40  # how much of a box's height a line of an announcement takes
LETTERS_A_LINE = 50

SCREENS_MAX = 64


@route("GET /wall", EVERYBODY, kept="wall")
def wall_of_display() -> AnyResponse:
    """A display's page: its assignment, else the event in play, with its name. With a field of WALL_PARAMS in the
    address: the wall of the event in play, for no display."""
    variant = render.cached_variant()
    if variant is None and not any(name in request.args for name in known_displays.WALL_PARAMS):
        snapshot = current.snapshot()
        screens = snapshot.venue.display_plan.screens
        display, name = current.hub().hall.displays.register(
            request.cookies.get(known_displays.DISPLAY, ""), request.remote_addr or "", screens, current.is_organizer()
        )
        if name:
            current.current_visit().new_cookies[known_displays.DISPLAY] = (
                f"{display}.{name}",
                known_displays.DISPLAY_S,
            )
        place = known_displays.display_page(snapshot, screens.get(display), name, current.now_ms())
        if place.page.event:
            return _wall(current.event(place.page.event), place.variant)
        variant = place.variant
    options = known_displays.wall_options(known_displays.wall_variant(request.args) if variant is None else variant)
    chosen = known_displays.played_event(current.snapshot(), current.now_ms())
    if chosen is None or options.display:
        # A display stays at its address and is updated as soon as there is an event.
        return render.cached_page(
            "wall_waiting.html",
            known_displays.variant_of(options),
            PageKey("wall"),
            theme=options.theme,
            way=options,
            reached=join_address(),
        )
    query = urlencode(
        {
            name: value
            for name, value in (
                ("theme", options.theme),
                ("part", options.part),
                ("show", options.show),
                ("sound", "1" if options.sound else ""),
            )
            if value
        }
    )
    return redirect(f"/wall/{chosen}{'?' if query else ''}{query}")


@route("GET /wall/<event_id>", EVERYBODY, VISIBLE, kept="wall/<event_id>")
def wall_page(event_id: str) -> AnyResponse:
    """`?theme=dark` or `?theme=light`; `?part=1/2`: the first of two walls that share the alphabet; `?show=standings`:
    only that picture; `?sound=1`: with sound at the start, at five minutes and at time."""
    variant = render.cached_variant()
    return _wall(current.event(event_id), known_displays.wall_variant(request.args) if variant is None else variant)


def _wall(event: SavedEvent, variant: str) -> AnyResponse:
    state, options = event.state, known_displays.wall_options(variant)
    share = (int(options.part[0]), int(options.part[2])) if options.part else (1, 1)
    view = wall_picture.wall_view(current.snapshot(), current.units(), event, current.now_ms(), share, options.show)
    wanted = next(leagues_of(current.snapshot(), state.id), None) if options.show == display_plan.LEAGUE else None
    if wanted is not None:
        view = wall_picture.league_on_wall(league_view(current.snapshot(), current.hub().hall.evenings, wanted))
    drawings = _bracket_drawings(event) if view.mode == wall_picture.BRACKET else []
    listed = (*view.standings_pages, *view.cut_pages, *view.final_pages, *view.league_pages)
    pages = len(view.pages) or bool(view.champion and not options.show) + len(drawings) + len(listed)
    return render.cached_page(
        "wall.html",
        known_displays.variant_of(options),
        PageKey("wall", state.id),
        state=state,
        view=view,
        current=current.now_ms() // known_displays.PAGE_MS % max(1, pages),
        theme=options.theme,
        page_ms=known_displays.PAGE_MS,
        way=options,
        clock=state.clock,
        face=clock_face(state, current.instant(), current.words()),
        time_up_ms=known_displays.TIME_UP_MS,
        in_turn=known_displays.events_in_play(current.snapshot()) if options.turns else (),
        reached=join_address() if view.mode == wall_picture.WELCOME else None,
        drawings=drawings,
        ends=end_time(state) if view.mode == wall_picture.CLOCK else "",
        planned=planned_swiss(state),
    )


def _bracket_drawings(event: SavedEvent) -> list[tuple[str, str]]:
    """(shape of the screen, SVG) of each page. Announcements stand under them."""
    drawn_bracket = bracket(event)
    lines = announcement_lines(
        current.snapshot().venue.display_plan.for_event(event.event_id),
        current.instant(),
        current.hub().clocks.wall(),
    )
    taken = sum(ANNOUNCED * (1 + len(line.said.text) // LETTERS_A_LINE) for line in lines)
    return [
        (shape, svg)
        for shape, (width, height) in BOXES.items()
        if drawn_bracket
        for svg in wall_bracket(
            drawn_bracket, shown_names(event), current.words(), (width, max(width / 4, height - taken))
        )
    ]


@dataclass(frozen=True, slots=True)
class JoinAddress:
    """The players' address on walls. `url`: "" without a network; `name`: what most may type instead, if any."""

    url: str
    qr: str
    name: str = ""

    @property
    def shown(self) -> str:
        return self.url.removeprefix("http://")


def join_address() -> JoinAddress | None:
    """None where this hub does not know its own port (in tests)."""
    reached = current.hub().host.hall_addresses
    if not reached.port:
        return None
    return JoinAddress(
        reached.url, qr_svg(f"{reached.url}/") if reached.url else "", reached.by_name.removeprefix("http://")
    )


def end_time(state: EventState) -> str:
    """When the running round ends, in local time; "" where the time is unknown, and once it has ended."""
    remaining_ms = state.clock.remaining_at(current.instant()) if state.clock.state == RUNNING else None
    if remaining_ms is None or remaining_ms <= 0:
        return ""
    return time_of_day(current.hub().clocks.wall(), remaining_ms)


@route("GET /console/displays", HEADS_AND_DESK)
def displays_page(**_: str) -> AnyResponse:
    hub, snapshot = current.hub(), current.snapshot()
    walls = snapshot.venue.display_plan
    rows = known_displays.display_rows(hub.hall.displays.contacts, walls.screens, current.now_ms())
    return render.place_page(
        "displays.html",
        "walls",
        PageKey("displays"),
        rows=rows,
        events=listed_events(snapshot),
        shows=display_plan.SHOWS,
        parts=known_displays.PARTS,
        themes=("", *known_displays.THEMES),
        walls=walls,
        sound=current_app.extensions[SOUND](),
    )


@route("POST /console/displays/sound", HEADS_AND_DESK)
@forms.shows_problem_on(displays_page, "sound")
def set_hub_sound() -> None:
    _add_entry(display_plan.HUB_SOUND, on=forms.form_choice("on", ("0", "1")) == "1")


@route("POST /console/displays/<display>/set", HEADS_AND_DESK)
@forms.shows_problem_on(displays_page, "display-{display}")
def set_display(display: str) -> None:
    """Assign what a display shows; it changes at once. One that waits is confirmed by it."""
    hub, screens = current.hub(), current.snapshot().venue.display_plan.screens
    name = screens[display].name if display in screens else hub.hall.displays.name_of(display)
    if name not in known_displays.NAMES:
        raise Problem("unknown_display")
    if display not in screens and len(screens) >= SCREENS_MAX:
        raise Problem("too_many_displays", maximum=SCREENS_MAX)
    hub.hall.displays.confirmed.add(display)
    _add_entry(
        display_plan.DISPLAY_SET,
        display=display,
        name=name,
        show=forms.form_choice("show", display_plan.SHOWS, display_plan.SHOWS[0]),
        part=forms.form_choice("part", known_displays.PARTS),
        theme=forms.form_choice("theme", ("", *known_displays.THEMES)),
        event=event_field(),
        sound=forms.field("sound") == "1",
    )


@route("POST /console/displays/<display>/identify", HEADS_AND_DESK)
@forms.shows_problem_on(displays_page, "display-{display}")
def identify_display(display: str) -> None:
    hub, screen = current.hub(), current.snapshot().venue.display_plan.screens.get(display)
    name = screen.name if screen else hub.hall.displays.name_of(display)
    if not name:
        raise Problem("unknown_display")
    hub.hall.displays.identify(display, name)
    forms.note_act("identify")


@route("POST /console/displays/<display>/forget", HEADS_AND_DESK)
@forms.shows_problem_on(displays_page)
def forget_display(display: str) -> None:
    """Forget a display; should it come back, it is a new one."""
    if display in current.snapshot().venue.display_plan.screens:
        _add_entry(display_plan.DISPLAY_FORGOTTEN, display=display)
    current.hub().hall.displays.forget(display)


def _add_entry(entry: str, **data: object) -> None:
    forms.add_venue_entry(NewEntry(entry, data))
