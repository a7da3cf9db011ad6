"""What the current request is about: its hub, event, time, reader's language and words."""

from collections.abc import Mapping

from flask import abort, current_app, g, request

from roundtap_core.clock import Instant
from roundtap_core.event.states import EventState, RoundState
from roundtap_core.words import LANGUAGES, Words
from roundtap_hub.access import visit
from roundtap_hub.access.staff import HUB_PIN_IDENTITY
from roundtap_hub.http.host import hall_address
from roundtap_hub.http.reader_language import reader_language, words_in
from roundtap_hub.http.routes import ROUTES, Route
from roundtap_hub.store.service import Snapshot
from roundtap_hub.views.running_hub import RunningHub
from roundtap_hub.views.saved_event import SavedEvent, newest_round, saved_event
from roundtap_hub.views.unit_presence import UnitStatus

HUB = "roundtap"  # the application's extension key for its RunningHub


def hub() -> RunningHub:
    """The hub of this request."""
    hub: RunningHub = current_app.extensions[HUB]
    return hub


ORGANIZER = "organizer"  # the actor in entries for a login with the hub's own PIN; see `actor`


def snapshot() -> Snapshot:
    """The snapshot from when this request first read it, so that a page shows one state."""
    snapshot: Snapshot = g.setdefault("snapshot", hub().service.snapshot)
    return snapshot


def event(event_id: str) -> SavedEvent:
    """The event, else 404; 410 where it was deleted."""
    if event_id in snapshot().venue.deleted:
        abort(410)
    moment = saved_event(snapshot(), event_id)
    if moment is None:
        abort(404)
    return moment


def hub_address() -> str:
    """The plain port's address as the hall reaches it, for phones and on paper."""
    return hall_address(hub().host, request.host_url)


def now_ms() -> int:
    """The hub's monotonic ms from when this request first read them: all ages on a page refer to one time."""
    now: int = g.setdefault("now_ms", hub().clocks.mono_ms())
    return now


def instant() -> Instant:
    """`now_ms` with this machine's boot id."""
    return Instant(hub().clocks.boot_id, now_ms())


def drop_request_cache() -> None:
    """Read snapshot, units and clock again: something has changed during this request."""
    for name in ("snapshot", "units", "now_ms", "tasks"):
        g.pop(name, None)


def units() -> Mapping[str, UnitStatus]:
    """The units' statuses from when this request first read them."""
    if "units" not in g:
        g.units = hub().presence.units
    units: Mapping[str, UnitStatus] = g.units
    return units


def route() -> Route:
    """The route of this request (http/routes.py)."""
    assert request.url_rule is not None
    method = "GET" if request.method == "HEAD" else request.method
    return ROUTES[f"{method} {request.url_rule.rule}"]


def actor() -> str:
    """The actor of this request in entries: the role, with the person's id for a personal PIN."""
    who = visit.current_staff()
    return who.actor if who is not None else ORGANIZER


def staff_name() -> str:
    """The name shown to others for who took something on: the person's, or the role."""
    who = visit.current_staff() or HUB_PIN_IDENTITY
    return who.name or words()(f"role.{who.role}")


def language() -> str:
    """The reader's language (reader_language.py); one in the address is remembered."""
    chosen = request.args.get("lang", "")
    if chosen in LANGUAGES:
        visit.remember_language(chosen)
    return reader_language(
        chosen, visit.current_visit().language, request.headers.get("Accept-Language", ""), hub().language
    )


def words() -> Words:
    """The texts in this request's language."""
    if "words" not in g:
        g.words = words_in(language())
    found: Words = g.words
    return found


def shown_round(state: EventState) -> RoundState | None:
    """The round whose tables are on the page: the newest, or the one whose tab was chosen ("?round=2")."""
    wanted = request.values.get("round", "")
    return next((played for played in state.public_rounds if str(played.number) == wanted), newest_round(state))
