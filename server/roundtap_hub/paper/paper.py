"""Paper: the state of print jobs, orders for a station, and A4 or A5 sheets that any browser prints."""

import json
import re
import secrets
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, islice
from typing import Any
from urllib.parse import urlsplit

from flask import abort, request
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.clock import IDLE, Instant
from roundtap_core.elimination.bracket_picture import bracket_svg
from roundtap_core.errors import Invalid
from roundtap_core.event.states import (
    PUBLISHED,
    Entrant,
    EventState,
    MatchState,
    RoundState,
    active_ids,
    not_yet_present,
)
from roundtap_core.forms.form import SlipFigure, SlipTicks, margin_label, slip_figures, slip_picks, slip_ticks
from roundtap_core.forms.questions import Picks
from roundtap_core.lists.list_form import fielded_squads, squad_letter
from roundtap_core.print_contents import Slip
from roundtap_core.records import SWISS, UNPAIRED_LOSS
from roundtap_core.rulebooks.coverage import bye_worth, full_win_lead, outcome_points
from roundtap_core.rulebooks.scoring import Tally
from roundtap_core.words import Words
from roundtap_hub.access.slip_codes import slip_codes
from roundtap_hub.access.unit_keys import STATION
from roundtap_hub.http.qr_svg import qr_svg
from roundtap_hub.http.routes import DESK, EVERYBODY, HEADS_AND_DESK, NOT_ARCHIVED, STAFF, VISIBLE, route
from roundtap_hub.live import current, forms, render
from roundtap_hub.paper import print_jobs
from roundtap_hub.store import print_book
from roundtap_hub.store.command_pipeline import busy_tables
from roundtap_hub.views import preflight_checks, saved_event
from roundtap_hub.views.competitors import FLAGGED, GOOD, list_states, owed_squads
from roundtap_hub.views.knockout import (
    StandingsLine,
    bracket,
    bracket_lines,
    has_draws,
    next_round_key,
    standings_view,
    title_key,
)
from roundtap_hub.views.round_clock import DATE_AND_TIME, time_of_day
from roundtap_hub.views.store_games import said_rules
from roundtap_hub.views.tables import missing_slips

ORDER = {
    print_book.UNCERTAIN: 0,
    print_book.FAILED: 1,
    print_book.SENDING: 2,
    print_book.QUEUED: 3,
    print_book.SENT: 4,
    print_book.PRINTED: 5,
    print_book.THERE: 5,
    print_book.CANCELLED: 6,
}

CARD_LETTERS, NAME_LETTERS = 60, 60
DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
DETAILS = (
    "offline",
    "no-paper",
    "silent",
    "stalled",
    "unplugged",
    "no-port",
    "restarted",
    "not-noted",
    "unprintable",
    "unconfirmed",
    "login-console",
    "no-access",
    "busy",
    print_book.MUTE,
    print_book.GO_ON,
)
"""Details that a station may report of a job; any other is not shown."""

A4, A5 = "a4", "a5"
SIZES = (A4, A5)

SPARE_TABLES = 2

PUBLIC_SHEETS = ("pairings-table", "pairings-name", "standings", "bracket")
DESK_SHEETS = ("slips", "players", "emergency")  # the last parts of these sheets' addresses


@dataclass(frozen=True, slots=True)
class PaperRow:
    """One job. `about`: the card of a proxy, or the printer or speed that a test print tries."""

    job: print_book.PrintJob
    known: print_book.PrintState
    table: int | None
    about: str


def event_jobs(
    state: EventState,
    orders: Iterable[print_book.PrintJob],
    states: Mapping[str, print_book.PrintState],
    with_units: Collection[int],
) -> list[print_book.PrintJob]:
    """The event's jobs now, and all manual orders. `with_units`: tables with a unit, whose slips are listed only if
    printed before it came there. Where no print station is known, nothing waits for one."""
    printed_here = has_printer()
    wanted = {job.id for job in print_jobs.derived_jobs(state, with_units) if printed_here or job.id in states}
    derived = [
        job
        for job in print_jobs.derived_jobs(state)
        if job.id in wanted or states.get(job.id, print_book.PrintState()).state != print_book.QUEUED
    ]
    return [*derived, *(job for job in orders if job.event == state.id)]


def paper_view(
    state: EventState,
    orders: Iterable[print_book.PrintJob],
    states: Mapping[str, print_book.PrintState],
    with_units: Collection[int],
) -> dict[str, list[PaperRow]]:
    """The event's jobs, except those ordered again: `asking` need a person, `waiting` are under way, or `done`."""
    rows = sorted(
        (
            _row(state, job, states.get(job.id, print_book.PrintState()))
            for job in event_jobs(state, orders, states, with_units)
        ),
        key=lambda row: (ORDER.get(row.known.state, 9), row.job.kind == print_jobs.SLIP, row.table or 0),
    )
    quiet = [row for row in rows if row.known.state != print_book.REORDERED and not row.known.asks]
    return {
        "asking": [row for row in rows if row.known.asks],
        "waiting": [row for row in quiet if row.known.state in (print_book.QUEUED, print_book.SENDING)],
        "done": [row for row in quiet if row.known.state not in (print_book.QUEUED, print_book.SENDING)],
    }


def asking_jobs(state: EventState, waiting: bool = False) -> int:
    """How many of the event's print jobs need a person; with those `waiting` for a printer; 0 without paper."""
    book = current.hub().paper
    view = paper_view(state, book.orders, book.states, unit_tables()) if book is not None else {}
    return len(view.get("asking", ())) + (len(view.get("waiting", ())) if waiting else 0)


def _row(state: EventState, job: print_book.PrintJob, print_state: print_book.PrintState) -> PaperRow:
    round_and_match = state.find_match(job.match) if job.match else None
    return PaperRow(job, print_state, round_and_match[1].match.table if round_and_match else None, _about(job))


def _about(job: print_book.PrintJob) -> str:
    order = json.loads(job.text) if job.text else {}
    if job.kind == print_jobs.SPEED:
        return f"{order['number']}: {order['at']['baud']}"
    return str(order["card"] if job.kind == print_jobs.PROXY else order["at"]["printer"]) if order else ""


def has_printer() -> bool:
    """Whether a print station is known here, silent or not."""
    keys = current.hub().units.keys
    return any(keys.role(unit) == STATION for unit in keys)


def get_print_book() -> print_book.PrintBook:
    book = current.hub().paper
    if book is None:
        abort(404)
    return book


@route("GET /console/<event_id>/paper", STAFF, VISIBLE)
def paper_page(event_id: str) -> AnyResponse:
    """An event's print jobs, and the sheets that a browser prints, which need no print station."""
    event, hub = current.event(event_id), current.hub()
    book = hub.paper
    checks = preflight_checks.printer_checks(hub, current.units(), current.now_ms())
    return render.page(
        "console_paper.html",
        state=event.state,
        kinds=orderable_kinds(event.state),
        details=DETAILS,
        # A hub that does not know the date leaves it to be typed.
        today=(hub.clocks.wall() or "")[:10],
        card_letters=CARD_LETTERS,
        name_letters=NAME_LETTERS,
        sheets=PUBLIC_SHEETS,
        desk_sheets=DESK_SHEETS,
        hub_paper=book is not None,
        printers=has_printer(),
        has_bracket=bracket(event) is not None,
        closed=any(not played.open_matches for played in event.state.public_rounds),
        paper=paper_view(event.state, book.orders, book.states, unit_tables()) if book is not None else None,
        printer_checks={check.args.get("unit"): check for check in reversed(checks)},
        stations=sorted(book.printers.items()) if book is not None else (),
        slips_left_out=_slips_left_out(event.state),
        slips_missing=len(missing_slips(event)),
    )


def orderable_kinds(state: EventState) -> list[str]:
    return [
        kind
        for kind in print_jobs.BY_HAND
        if (kind in print_jobs.OF_THE_HUB or state.public_rounds)
        and (kind != print_jobs.TRUST or current.hub().access.encrypted is not None)
    ]


def unit_tables() -> frozenset[int]:
    return frozenset(current.hub().service.snapshot.venue.tables.values())


def _slips_left_out(state: EventState) -> int:
    tables = unit_tables()
    played = state.public_rounds[-1] if state.public_rounds else None
    if played is None or played.status != PUBLISHED:
        return 0
    return sum(m.match.bye is None and not m.done and m.match.table in tables for m in played.matches)


@route("POST /console/<event_id>/paper", DESK, NOT_ARCHIVED)
@forms.shows_problem_on(paper_page)
def order_paper(event_id: str) -> None:
    """Print the newest pairings or standings, the hub's fingerprint, or the test print."""
    state = current.event(event_id).state
    if forms.field("kind") == print_jobs.SLIPS:
        for job in print_jobs.order_slips(state, _token()):
            get_print_book().order(job)
        return
    get_print_book().order(print_jobs.order_job(state, forms.form_choice("kind", orderable_kinds(state)), _token()))


@route("POST /console/<event_id>/paper/proxy", DESK, NOT_ARCHIVED)
@forms.shows_problem_on(paper_page)
def print_card_proxy(event_id: str) -> None:
    """Print a proxy for a damaged card: its name, the official who decided, and the date."""
    card, official, date = (" ".join(forms.field(name).split()) for name in ("card", "official", "date"))
    if not card or not official or not DATE.fullmatch(date):
        raise Invalid("proxy_incomplete")
    if len(card) > CARD_LETTERS or len(official) > NAME_LETTERS:
        raise Invalid("proxy_too_long", card=CARD_LETTERS, name=NAME_LETTERS)
    get_print_book().order(print_jobs.order_proxy(current.event(event_id).state, card, official, date, _token()))


@route("POST /console/<event_id>/paper/again", DESK, NOT_ARCHIVED)
@forms.shows_problem_on(paper_page)
def print_again(event_id: str) -> None:
    """Print a job again; the first one no longer waits for a station that is away."""
    job, book = _job(event_id), get_print_book()
    if job is not None and book.states.get(job.id, print_book.PrintState()).state != print_book.SENDING:
        book.order(print_jobs.repeat_job(job, _token()), instead_of=job.id, word=print_book.REORDERED)


@route("POST /console/<event_id>/paper/cancel", DESK, NOT_ARCHIVED)
@forms.shows_problem_on(paper_page)
def cancel_printing(event_id: str) -> None:
    """Cancel one job, or with `all` every waiting one; jobs already begun are finished."""
    book = get_print_book()
    if forms.field("all"):
        view = paper_view(current.event(event_id).state, book.orders, book.states, unit_tables())
        book.cancel(row.job.id for row in (*view["waiting"], *view["asking"]) if row.known.state == print_book.QUEUED)
    elif (job := _job(event_id)) is not None:
        book.cancel([job.id])


@route("POST /console/<event_id>/paper/printer", DESK, NOT_ARCHIVED)
@forms.shows_problem_on(paper_page)
def set_up_printer(event_id: str) -> None:
    """Set up a station's printer: print sheets at every speed, a test page of a model, then confirm the settings."""
    book, state, unit = get_print_book(), current.event(event_id).state, forms.field("unit")
    printer = book.printers.get(unit)
    if printer is None:
        return
    at = {
        "port": forms.form_choice("port", ("", printer.port, *printer.ports), printer.port),
        "printer": forms.form_choice("model", [name for name, _ in printer.models], printer.model),
        "baud": int(forms.form_choice("baud", ("0", *map(str, printer.bauds)), "0")),
    }
    step = forms.form_choice("what", ("speeds", "test", "right"))
    if step == "speeds":
        for number, baud in enumerate(printer.bauds, start=1):
            book.order(
                print_jobs.order_printer_test(
                    state, print_jobs.SPEED, _token(), {"unit": unit, "number": number, "at": {**at, "baud": baud}}
                )
            )
    elif step == "test":
        book.order(print_jobs.order_printer_test(state, print_jobs.TEST, _token(), {"unit": unit, "at": at}))
    else:
        book.save_printer_order(unit, {"id": _token(), **at, "confirmed": True})


@route("POST /console/<event_id>/paper/there", DESK, NOT_ARCHIVED)
@forms.shows_problem_on(paper_page)
def confirm_printed(event_id: str) -> None:
    job, book = _job(event_id), get_print_book()
    if job is not None:
        print_state = book.states.get(job.id, print_book.PrintState())
        book.update_states([(job.id, print_book.PrintState(print_book.THERE, "", print_state.unit))])


@route("POST /console/<event_id>/paper/go-on", DESK, NOT_ARCHIVED)
@forms.shows_problem_on(paper_page)
def continue_printing(event_id: str) -> None:
    """A person saw that the printer prints although it no longer answers. Its jobs continue as sent."""
    job, book = _job(event_id), get_print_book()
    print_state = book.states.get(job.id) if job is not None else None
    if (
        job is not None
        and print_state is not None
        and (print_state.state, print_state.detail) == (print_book.QUEUED, print_book.MUTE)
    ):
        book.update_states([(job.id, print_book.PrintState(print_book.QUEUED, print_book.GO_ON, print_state.unit))])


def _job(event_id: str) -> print_book.PrintJob | None:
    """The job beside the button; None where the list has changed meanwhile, and the new list shows it."""
    wanted, book = forms.field("job"), get_print_book()
    jobs = event_jobs(current.event(event_id).state, book.orders, book.states, unit_tables())
    return next((job for job in jobs if job.id == wanted), None)


def _token() -> str:
    """Random: after a restore a counter would repeat what a station has printed already."""
    return secrets.token_hex(4)


@dataclass(frozen=True, slots=True)
class PaperSlip:
    """A slip that a browser prints: `margin` is the label of what players note, "" for none."""

    content: Slip
    figures: list[SlipFigure]
    ticks: list[SlipTicks]
    margin: str
    picks: Picks | None
    qr: str


def printed_slips(
    event: saved_event.SavedEvent,
    played: RoundState,
    base_url: str,
    secret: bytes,
    words: Words,
    all_matches: bool = False,
) -> list[PaperSlip]:
    """The slips of a round by table, of open matches only unless `all_matches`."""
    names, slips = saved_event.shown_names(event), []
    for match in sorted(played.matches, key=lambda m: (m.match.table is None, m.match.table or 0)):
        if match.match.b is None or (match.done and not all_matches):
            continue
        content = print_jobs.slip_content(event, played, match, names, base_url, secret)
        form = content.form
        slips.append(
            PaperSlip(
                content,
                slip_figures(form, words),
                slip_ticks(form),
                margin_label(form, words),
                slip_picks(form),
                qr_svg(content.url),
            )
        )
    return slips


@dataclass(frozen=True, slots=True)
class DeskRow:
    """`list` is None where the rulebook asks for none."""

    entrant: Entrant
    number: int
    name: str
    public: str
    members: Sequence[str]
    paid: bool
    list: bool | None


def desk_rows(event: saved_event.SavedEvent) -> list[DeskRow]:
    """All entrants by their entered names, for the organizer."""
    names, public = saved_event.full_names(event), saved_event.shown_names(event)
    members = saved_event.shown_members(event)
    numbers, lists = paper_numbers(event.state), list_states(event)
    asks_lists = event.state.rulebook.lists is not None
    rows = [
        DeskRow(
            e,
            numbers[e.id],
            names[e.id],
            public[e.id] if public[e.id] != names[e.id] else "",
            members.get(e.id, ()),
            bool(event.people[e.id].paid) if e.id in event.people else False,
            lists[e.id].state in (GOOD, FLAGGED) if asks_lists else None,
        )
        for e in event.state.entrants.values()
    ]
    return sorted(rows, key=lambda row: saved_event.name_sort_key(row.name))


def paper_numbers(state: EventState) -> dict[str, int]:
    """Each entrant's number on paper: the one in the id; where ids have none (an imported event), the list's order."""
    tails = {who: who.lstrip("abcdefghijklmnopqrstuvwxyz") for who in state.entrants}
    if all(tail.isdecimal() and len(tail) < 5 for tail in tails.values()) and len(set(tails.values())) == len(tails):
        return {who: int(tail) for who, tail in tails.items()}
    return {who: place for place, who in enumerate(state.entrants, start=1)}


@dataclass(frozen=True, slots=True)
class EmergencyRow:
    """`line` is None before the first match, `owed` the squads not fielded yet; those `awaited` play once they have
    come."""

    entrant: Entrant
    line: StandingsLine | None
    met: str
    byes: int
    fielded: str
    owed: str
    must: bool
    awaited: bool


@dataclass(frozen=True, slots=True)
class EmergencySheet:
    """Everything needed to pair an event's next round on paper; names as the hall may read them.

    `after`: the last round with all results. `points`, `byes`: what results and byes are worth. `minutes`: a round's
    length, None without a clock; `left_ms`: None where the clock does not run. `next_key`: of the next round's name,
    None for Swiss. `matches`: of this round, each with its code. `tables`: the event's own, without those that are busy
    with other events.
    """

    names: Mapping[str, str]
    numbers: Mapping[str, int]
    after: int
    columns: Sequence[str]
    rows: list[EmergencyRow]
    round: RoundState | None
    matches: list[tuple[MatchState, str]]
    points: Mapping[str, int]
    full_win_lead: int | None
    byes: Mapping[str, Tally]
    minutes: int | None
    left_ms: int | None
    knockout: bool
    next_key: str | None
    planned: int | None
    tables: list[int]


def emergency_sheet(event: saved_event.SavedEvent, now: Instant, busy: Collection[int]) -> EmergencySheet:
    state, names = event.state, saved_event.shown_names(event)
    numbers, view = paper_numbers(state), standings_view(event, names, every=True)
    lines = {line.competitor: line for line in view.lines}
    newest = saved_event.newest_round(state)
    ranks = saved_event.settled_rows(event)
    shown = fielded_squads(saved_event.tournament(event).rounds) if state.rulebook.squads else {}
    rows, waiting = [], not_yet_present(state)
    for who in (*lines, *(each for each in state.entrants if each not in lines)):
        entrant, row = state.entrants[who], ranks.get(who)
        owed, must = owed_squads(state, who) if entrant.active else ("", False)
        rows.append(
            EmergencyRow(
                entrant,
                lines.get(who),
                _opponents(state, who, numbers),
                (row.byes if row else 0) + (entrant.won_bye and row is None),
                " ".join(squad_letter(squad) for squad in sorted(shown.get(who, ()))),
                owed,
                must,
                who in waiting,
            )
        )
    return EmergencySheet(
        names=names,
        numbers=numbers,
        after=saved_event.settled_swiss_round(state),
        columns=view.columns,
        rows=rows,
        round=newest,
        matches=_matches(state, newest),
        points=outcome_points(state.rulebook, state.options),
        full_win_lead=full_win_lead(state.rulebook, state.options),
        byes=bye_worth(state.rulebook, state.options),
        minutes=state.rulebook.minutes(newest.stage if newest is not None else SWISS, state.options),
        left_ms=None if state.live is None or state.clock.state == IDLE else state.clock.remaining_at(now),
        knockout=bracket(event) is not None,
        next_key=next_round_key(state),
        planned=saved_event.planned_swiss(state),
        tables=_own_tables(state, busy),
    )


def _own_tables(state: EventState, busy: Collection[int]) -> list[int]:
    """The tables that the next round would get, its players' fixed ones included, and a few to spare."""
    fixed = {entrant.fixed_table for entrant in state.entrants.values() if entrant.active} - {None, *busy}
    free = (table for table in count(1) if table not in busy and table not in fixed)
    wanted = max(1, len(active_ids(state)) // 2) + SPARE_TABLES
    return sorted([*filter(None, fixed), *islice(free, max(SPARE_TABLES, wanted - len(fixed)))])


def _opponents(state: EventState, who: str, numbers: Mapping[str, int]) -> str:
    """Per round, the opponent's number, in brackets if the match is open; "–" for a bye, "×" for a missed round."""
    opponents = []
    for played in state.public_rounds:
        for match in played.matches:
            if who in (match.match.a, match.match.b):
                number = numbers.get((match.match.b if match.match.a == who else match.match.a) or "")
                if number is None:
                    opponents.append("×" if match.match.bye == UNPAIRED_LOSS else "–")
                else:
                    opponents.append(str(number) if match.done else f"({number})")
    return " ".join(opponents)


def _matches(state: EventState, newest: RoundState | None) -> list[tuple[MatchState, str]]:
    codes = slip_codes(state, newest) if newest is not None else {}
    matches = [(m, codes[m.id]) for m in (newest.matches if newest is not None else ()) if m.match.b is not None]
    return sorted(matches, key=lambda pair: (pair[0].match.table is None, pair[0].match.table or 0))


@route("GET /print/<event_id>/pairings-table", EVERYBODY, VISIBLE)
def print_pairings_table(event_id: str) -> AnyResponse:
    """Pairings by table. Every sheet takes `?size=a5`; else it is A4."""
    return _pairings(event_id, "pairings-table", print_jobs.pairings_by_table)


@route("GET /print/<event_id>/pairings-name", EVERYBODY, VISIBLE)
def print_pairings_name(event_id: str) -> AnyResponse:
    return _pairings(event_id, "pairings-name", print_jobs.pairings_by_name)


def _pairings(event_id: str, what: str, by: Callable[..., Sequence[object]]) -> AnyResponse:
    event = current.event(event_id)
    newest = saved_event.newest_round(event.state)
    return _sheet(event, what, rows=by(event, newest, saved_event.shown_names(event)) if newest else [])


@route("GET /print/<event_id>/standings", EVERYBODY, VISIBLE)
def print_standings(event_id: str) -> AnyResponse:
    event = current.event(event_id)
    names, header = saved_event.shown_names(event), print_jobs.print_header(event.state, "")
    return _sheet(event, "standings", standings=print_jobs.standings_content(event, names, header))


@route("GET /print/<event_id>/bracket", EVERYBODY, VISIBLE)
def print_bracket(event_id: str) -> AnyResponse:
    event = current.event(event_id)
    drawn_bracket, names = bracket(event), saved_event.shown_names(event)
    return _sheet(
        event,
        "bracket",
        drawing=bracket_svg(drawn_bracket, names, current.words()) if drawn_bracket else "",
        # On paper the first round comes first.
        names=names,
        bracket=drawn_bracket,
        bracket_rounds=sorted(bracket_lines(drawn_bracket), key=lambda line: min(game.number for game in line.games))
        if drawn_bracket
        else [],
        champion=names.get(drawn_bracket.champion, "") if drawn_bracket and drawn_bracket.champion else "",
    )


@route("GET /console/<event_id>/print/slips", STAFF, VISIBLE)
def print_slips(event_id: str) -> AnyResponse:
    """Slips of the matches without a result; `?all=1`: of all."""
    event = current.event(event_id)
    played = None if event.state.finished else saved_event.newest_round(event.state)
    secret, of_all = current.hub().access.secret, request.args.get("all") == "1"
    return _sheet(
        event,
        "slips",
        slips=printed_slips(event, played, current.hub_address(), secret, current.game_words(event.state), of_all)
        if played
        else [],
    )


@route("GET /console/<event_id>/print/players", HEADS_AND_DESK, VISIBLE)
def print_players(event_id: str) -> AnyResponse:
    event = current.event(event_id)
    return _sheet(event, "players", people=desk_rows(event))


@route("GET /console/<event_id>/print/emergency", STAFF, VISIBLE)
def print_emergency(event_id: str) -> AnyResponse:
    """Everything needed to continue manually without the hub."""
    event, hub = current.event(event_id), current.hub()
    return _sheet(
        event,
        "emergency",
        view=emergency_sheet(event, hub.clocks.now(), busy_tables(current.snapshot().events, event_id)),
        own_rules=said_rules(event.state.rulebook, current.words()),
        hub_address=current.hub_address(),
        fingerprint=hub.access.encrypted.fingerprint if hub.access.encrypted else "",
        console_address=f"https://{urlsplit(current.hub_address()).hostname}:{hub.access.encrypted.port}/"
        if hub.access.encrypted
        else f"{current.hub_address()}/console",
    )


def _sheet(event: saved_event.SavedEvent, what: str, **shown: Any) -> AnyResponse:
    state, hub = event.state, current.hub()
    size = request.args.get("size", "")
    newest, by_name = saved_event.newest_round(state), hub.host.hall_addresses.by_name
    return render.page(
        f"print_{what.partition('-')[0]}.html",
        state=state,
        what=what,
        size=size if size in SIZES else A4,
        sizes=SIZES,
        print_address=request.path,
        printed_at=time_of_day(hub.clocks.wall(), form=DATE_AND_TIME),
        newest=newest,
        draws=has_draws(event),
        newest_name=title_key(state, newest) if newest else None,
        planned=print_jobs.rounds_planned(state, newest) if newest and saved_event.planned_swiss(state) else None,
        head=print_jobs.print_header(state, "").head,
        event_url=f"{current.hub_address()}/e/{state.id}",
        event_by_name=f"{by_name}/e/{state.id}" if by_name else "",
        **shown,
    )
