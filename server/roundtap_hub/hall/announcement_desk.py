"""Console page for announcements on all walls and phones: what is announced, with its countdown, and a form."""

import re
import secrets
from datetime import datetime, timedelta

from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.entries import NewEntry
from roundtap_hub.http.routes import HEADS_AND_DESK, PageKey, route
from roundtap_hub.live import current, forms
from roundtap_hub.live.hall_pages import place_page
from roundtap_hub.store import display_plan
from roundtap_hub.views.announcements import announcement_lines
from roundtap_hub.views.saved_event import listed_events

UNTIL = re.compile(r"(?P<lasts>\d{1,4})|(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)")
REPEAT_PRESS_MS = 10_000  # the same announcement again within this time is a double press


@route("GET /console/announcements", HEADS_AND_DESK)
def announcements_page(**_: str) -> AnyResponse:
    hub, snapshot = current.hub(), current.snapshot()
    lines = announcement_lines(snapshot.venue.display_plan.announcements, current.instant(), hub.clocks.wall())
    events = listed_events(snapshot)
    return place_page(
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
    """Milliseconds until "25" (minutes) or "13:30" (today, or after midnight); None where nothing was typed."""
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
    return int((then - now).total_seconds() * 1000)


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
