"""Paper: what was printed, what is uncertain, and what the organizer wants printed."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from flask import abort, redirect, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Invalid
from roundtap_core.event.state import PUBLISHED, EventState
from roundtap_hub.devices.unit_keys import STATION
from roundtap_hub.pages.base import field, mended_on, page, the_hub, the_moment
from roundtap_hub.pages.print_pages import DESKS, EVERYBODYS, last_closed
from roundtap_hub.policy import DESK, NOT_ARCHIVED, SEEN, STAFF, route
from roundtap_hub.printing.job_book import PrintBook
from roundtap_hub.printing.jobs import (
    AGAIN,
    BY_HAND,
    CANCELLED,
    FAILED,
    GO_ON,
    MUTE,
    OF_THE_HUB,
    PRINTED,
    PROXY,
    QUEUED,
    SENDING,
    SENT,
    SLIP,
    SLIPS,
    SPEED,
    TEST,
    THERE,
    TRUST,
    UNCERTAIN,
    PrintJob,
    PrintState,
    derived_jobs,
    order,
    order_printer_test,
    order_proxy,
    order_slips,
    ordered,
)
from roundtap_hub.views.knockout import bracket

ORDER = {UNCERTAIN: 0, FAILED: 1, SENDING: 2, QUEUED: 3, SENT: 4, PRINTED: 5, THERE: 5, CANCELLED: 6}


@dataclass(frozen=True, slots=True)
class PaperRow:
    """One job. `asks`: a person should say whether it lies there; `waits_for`: why a queued one does not start."""

    job: PrintJob
    kind: str
    round: int
    table: int | None
    state: str
    detail: str
    unit: str
    asks: bool
    again: bool
    mute: bool = False
    """It waits for a printer that answered before: somebody has to look whether it prints."""
    about: str = ""
    """What somebody typed for it: the card of a proxy, the printer or the speed that a test print tries."""


@dataclass(frozen=True, slots=True)
class PaperView:
    """`asking` need a person; `waiting` are on their way; `done` lie on the table."""

    asking: tuple[PaperRow, ...]
    waiting: tuple[PaperRow, ...]
    done: tuple[PaperRow, ...]


def event_jobs(state: EventState, orders: Iterable[PrintJob], states: Mapping[str, PrintState],
               with_units: Collection[int]) -> list[PrintJob]:
    """What the event wants on paper now, and everything that was ordered for it by hand. `with_units`: tables where a
    unit stands, whose slips are named only if they were printed before it came there."""
    wanted = {job.id for job in derived_jobs(state, with_units)}
    derived = [job for job in derived_jobs(state)
               if job.id in wanted or states.get(job.id, PrintState()).state != QUEUED]
    return [*derived, *(job for job in orders if job.event == state.id)]


def paper_view(state: EventState, orders: Iterable[PrintJob], states: Mapping[str, PrintState],
               with_units: Collection[int] = ()) -> PaperView:
    """All jobs of the event but those that were ordered anew."""
    rows = sorted(
        (_row(state, job, states.get(job.id, PrintState())) for job in event_jobs(state, orders, states, with_units)),
        key=lambda row: (ORDER.get(row.state, 9), row.kind == SLIP, row.table or 0),
    )
    shown = [row for row in rows if row.state != AGAIN]
    return PaperView(
        tuple(row for row in shown if row.asks),
        tuple(row for row in shown if row.state in (QUEUED, SENDING) and not row.asks),
        tuple(row for row in shown if not row.asks and row.state not in (QUEUED, SENDING)),
    )


def _mute(known: PrintState) -> bool:
    return known.state == QUEUED and known.detail == MUTE


def _row(state: EventState, job: PrintJob, known: PrintState) -> PaperRow:
    found = state.find_match(job.match) if job.match else None
    return PaperRow(job, job.kind, job.round, found[1].match.table if found else None, known.state, known.detail,
                    known.unit, asks=known.state in (UNCERTAIN, FAILED) or _mute(known), mute=_mute(known),
                    again=known.state not in (SENDING,) and bool(known.unit),
                    about=_about(job))


def _about(job: PrintJob) -> str:
    said = json.loads(job.text) if job.text else {}
    if job.kind == SPEED:
        return f"{said['number']}: {said['at']['baud']}"
    return str(said["card"] if job.kind == PROXY else said["at"]["printer"]) if said else ""


CARD_LETTERS, NAME_LETTERS = 60, 60
DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
DETAILS = ("offline", "no-paper", "silent", "stalled", "unplugged", "no-port", "restarted", "not-noted",
           "unprintable", "unconfirmed", "login-console", "no-access", "busy", MUTE, GO_ON)
"""What a station may say of a job; anything else is shown without a word."""


def the_book() -> PrintBook:
    book = the_hub().paper
    if book is None:
        abort(404)
    return book


@route("GET /console/<event_id>/paper", STAFF, SEEN)
def paper(event_id: str) -> AnyResponse:
    """The list of an event's paper, and the sheets that a browser prints: those without any print station, too."""
    moment, book = the_moment(event_id), the_hub().paper
    kinds = [kind for kind in BY_HAND if kind in OF_THE_HUB or moment.state.public_rounds]
    if the_hub().access.encrypted is None:
        kinds.remove(TRUST)
    # A hub without a clock of its own leaves the date to whoever types.
    today = (the_hub().clocks.wall() or "")[:10]
    return page("console_paper.html", state=moment.state, kinds=kinds, details=DETAILS, today=today,
                card_letters=CARD_LETTERS, name_letters=NAME_LETTERS,
                sheets=EVERYBODYS, desk_sheets=DESKS, hub_paper=book is not None, printers=_printers(),
                has_bracket=bracket(moment) is not None, closed=last_closed(moment.state),
                paper=paper_view(moment.state, book.orders, book.states, _tables()) if book is not None else None,
                stations=sorted(book.printers.items()) if book is not None else (),
                slips_left_out=_slips_left_out(moment.state))


def _tables() -> frozenset[int]:
    """Where a unit asks for results: those tables need no slips."""
    return frozenset(the_hub().service.snapshot.venue.tables.values())


def _slips_left_out(state: EventState) -> int:
    """How many open matches of the newest round have a unit instead of a slip."""
    tables = _tables()
    played = state.public_rounds[-1] if state.public_rounds else None
    if played is None or played.status != PUBLISHED:
        return 0
    return sum(m.match.bye is None and not m.done and m.match.table in tables for m in played.matches)


def _printers() -> bool:
    """Whether a print station is enrolled: without one all waits in vain."""
    keys = the_hub().units.keys
    return any(keys.role(unit) == STATION for unit in keys)


@route("POST /console/<event_id>/paper", DESK, NOT_ARCHIVED)
@mended_on(paper)
def order_paper(event_id: str) -> AnyResponse:
    """Print the newest pairings or standings, the hub's fingerprint, or the test print."""
    state, kind = the_moment(event_id).state, field("kind")
    if kind == SLIPS:
        for job in order_slips(state, _token()):
            the_book().order(job)
        return _back(event_id)
    if kind not in BY_HAND or (kind not in OF_THE_HUB and not state.public_rounds) or (
            kind == TRUST and the_hub().access.encrypted is None):
        raise Invalid("not_one_of", value=kind[:40], options=", ".join(BY_HAND))
    the_book().order(order(state, kind, _token()))
    return _back(event_id)


@route("POST /console/<event_id>/paper/proxy", DESK, NOT_ARCHIVED)
@mended_on(paper)
def order_card_proxy(event_id: str) -> AnyResponse:
    """A slip that stands for a damaged card: its name, whose word it is, and the date."""
    card, official, date = (" ".join(field(name).split()) for name in ("card", "official", "date"))
    if not card or not official or not DATE.fullmatch(date):
        raise Invalid("proxy_incomplete")
    if len(card) > CARD_LETTERS or len(official) > NAME_LETTERS:
        raise Invalid("proxy_too_long", card=CARD_LETTERS, name=NAME_LETTERS)
    the_book().order(order_proxy(the_moment(event_id).state, card, official, date, _token()))
    return _back(event_id)


@route("POST /console/<event_id>/paper/again", DESK, NOT_ARCHIVED)
@mended_on(paper)
def paper_again(event_id: str) -> AnyResponse:
    """Print it once more; what was queued at a station that is away is not waited for any longer."""
    job, book = _job(event_id), the_book()
    if job is not None and book.states.get(job.id, PrintState()).state != SENDING:
        book.order(ordered(job, _token()), instead_of=job.id, word=AGAIN)
    return _back(event_id)


@route("POST /console/<event_id>/paper/cancel", DESK, NOT_ARCHIVED)
@mended_on(paper)
def paper_cancel(event_id: str) -> AnyResponse:
    """One job, or with `all` every one that waits, is not wanted any more; what is begun already is finished."""
    book = the_book()
    if field("all"):
        view = paper_view(the_moment(event_id).state, book.orders, book.states, _tables())
        book.cancel(row.job.id for row in (*view.waiting, *view.asking) if row.state == QUEUED)
    elif (job := _job(event_id)) is not None:
        book.cancel([job.id])
    return _back(event_id)


@route("POST /console/<event_id>/paper/printer", DESK, NOT_ARCHIVED)
@mended_on(paper)
def paper_printer(event_id: str) -> AnyResponse:
    """A station's printer, without a terminal: sheets at every speed, a test page of a model, and then "so it is"."""
    book, state, unit = the_book(), the_moment(event_id).state, field("unit")
    known = book.printers.get(unit)
    if known is None:
        return _back(event_id)
    models = [name for name, _ in known.models]
    model, port = field("model", known.model), field("port", known.port)
    if model not in models:
        raise Invalid("not_one_of", value=model[:40], options=", ".join(models))
    if port not in ("", known.port, *known.ports):
        raise Invalid("not_one_of", value=port[:40], options=", ".join(known.ports))
    said = field("baud", "0")
    if said not in ("0", *map(str, known.bauds)):
        raise Invalid("not_one_of", value=said[:40], options=", ".join(map(str, known.bauds)))
    at = {"port": port, "printer": model, "baud": int(said)}
    what = field("what")
    if what == "speeds":
        for number, baud in enumerate(known.bauds, start=1):
            book.order(order_printer_test(state, SPEED, _token(), {
                "unit": unit, "number": number, "at": {**at, "baud": baud}}))
    elif what == "test":
        book.order(order_printer_test(state, TEST, _token(), {"unit": unit, "at": at}))
    elif what == "right":
        book.settle_printer(unit, {"id": _token(), **at, "confirmed": True})
    else:
        raise Invalid("not_one_of", value=what[:40], options="speeds, test, right")
    return _back(event_id)


@route("POST /console/<event_id>/paper/there", DESK, NOT_ARCHIVED)
@mended_on(paper)
def paper_there(event_id: str) -> AnyResponse:
    """Somebody looked: it lies there."""
    job, book = _job(event_id), the_book()
    if job is not None:
        known = book.states.get(job.id, PrintState())
        book.told([(job.id, PrintState(THERE, "", known.unit))])
    return _back(event_id)


@route("POST /console/<event_id>/paper/go-on", DESK, NOT_ARCHIVED)
@mended_on(paper)
def paper_go_on(event_id: str) -> AnyResponse:
    """Somebody looked: the printer prints, though it answers no more. Its jobs go on as sent."""
    job, book = _job(event_id), the_book()
    known = book.states.get(job.id) if job is not None else None
    if job is not None and known is not None and (known.state, known.detail) == (QUEUED, MUTE):
        book.told([(job.id, PrintState(QUEUED, GO_ON, known.unit))])
    return _back(event_id)


def _job(event_id: str) -> PrintJob | None:
    """The job the button stood beside; None where the list went on meanwhile, and the new list says it best."""
    wanted = field("job")
    jobs = event_jobs(the_moment(event_id).state, the_book().orders, the_book().states, _tables())
    return next((job for job in jobs if job.id == wanted), None)


def _token() -> str:
    """Random, not counted: after a restore a count would name what a station has printed already."""
    return secrets.token_hex(4)


def _back(event_id: str) -> AnyResponse:
    return redirect(url_for("console.paper", event_id=event_id), 303)
