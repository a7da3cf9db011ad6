"""A new event, from a form or from an event file with all its records; and its details and options changed later."""

import re
import secrets
from collections.abc import Collection, Mapping
from typing import Any

from flask import redirect, request, url_for
from msgspec.structs import replace
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.check.check import violations
from roundtap_core.elimination.bracket import Cut
from roundtap_core.errors import Invalid, Problem
from roundtap_core.event import commands
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_core.event.person import Person
from roundtap_core.event.setup import ABOUT, DATE, EXTERNAL_ID, clean_details
from roundtap_core.event.states import TO_CONFIRM, Official, played_on_from_json
from roundtap_core.eventfile.read import parse_event_file
from roundtap_core.eventfile.write import round_to_json
from roundtap_core.names import MOST_LETTERS
from roundtap_core.randomness import SEED_BITS
from roundtap_core.records import Tournament
from roundtap_core.rulebooks.own_rules import ID_BEGIN, rules_from_json
from roundtap_core.rulebooks.registry import RULEBOOKS, rulebook
from roundtap_core.standings.totals import list_totals
from roundtap_hub.events import event_options
from roundtap_hub.http.routes import OPEN, ORGANIZERS, VISIBLE, route
from roundtap_hub.live import current, forms, render
from roundtap_hub.store.book import league_saved
from roundtap_hub.store.command_pipeline import IMPORT_TIMEOUT_S, known_steps, person_and_entrant
from roundtap_hub.store.journal import PersonRecord
from roundtap_hub.store.service import Step
from roundtap_hub.store.venue import EVENT_BEGUN
from roundtap_hub.views.league_tables import leagues_of
from roundtap_hub.views.round_clock import DATE_ALONE, time_of_day
from roundtap_hub.views.saved_event import COLOR, known_events, listed_events
from roundtap_hub.views.store_games import store_games

ABOUT_FIELDS = ("date", "venue", "club", "special_rules")
"""The event's details that a form has; an external id comes only with a file."""


COLORS = ("#00785A", "#882255", "#8A4B08", "#4B2E83", "#37474F", "#A3262A", "#0072B2")
"""Distinct for colour-blind eyes, after Okabe and Ito, without the two that mark the sides of a table."""


@route("GET /console/new", ORGANIZERS)
def new_event_page(**_: str) -> AnyResponse:
    """The form for a new event of one game (`rulebook`), and the one for an event file."""
    snapshot = current.snapshot()
    used = {event.color.upper() for event in listed_events(snapshot)}
    free = next((color for color in COLORS if color.upper() not in used), COLORS[0])
    wanted = forms.sent_fields().get("rulebook", "")
    own = store_games(snapshot)
    book = own.get(wanted) or RULEBOOKS.get(wanted) or next(iter(RULEBOOKS.values()))
    return render.page(
        "new_event.html",
        known=len(snapshot.ids),
        rulebooks=RULEBOOKS,
        own=own,
        colors=COLORS,
        free=free,
        book=book,
        levels=event_options.level_lines(book, current.words()),
        options=event_options.options_view(book),
        option_place=event_options.option_path,
        about_places=event_options.ABOUT_PLACES,
        # A hub that may be wrong about the day leaves it to be typed.
        today=""
        if (hall_time := current.hub().host.hall_time) is not None and hall_time.doubt()
        else time_of_day(current.hub().clocks.wall(), form=DATE_ALONE),
    )


@route("POST /console", ORGANIZERS)
@forms.shows_problem_on(new_event_page)
def create_event() -> AnyResponse:
    """`known`: the number of events on the page, so that a form sent twice creates one event. An own game's id names
    its very rules: one that was changed meanwhile is no game of the store any more."""
    wanted, own = forms.field("rulebook"), store_games(current.snapshot())
    outdated = wanted.startswith(ID_BEGIN) and wanted not in own
    if outdated or forms.field("known") not in ("", str(len(current.snapshot().ids))):
        raise Problem("step_changed_meanwhile")
    book = own.get(wanted) or rulebook(wanted)
    event_id = current.hub().new_event_id()
    level = forms.field("level") or None
    if level is None and "level" in request.form and book.levels:
        # Whether officials may play, and what is checked, depends on it.
        raise Problem("level_missing", options=", ".join(current.words()(f"level.{each}") for each in book.levels))
    options = event_options.read_options(book, forms.field)
    about = clean_details({key: forms.field(key) for key in ABOUT_FIELDS})
    command = commands.CreateEvent(
        forms.field("name"),
        book.id,
        level,
        options,
        _color(),
        secrets.randbits(SEED_BITS),
        about,
        own[wanted].rules if wanted in own else None,
    )
    forms.submit_steps([begin_event_step(event_id), Step(event_id, command)])
    return forms.back_to_event(event_id)


@route("POST /console/<event_id>/again", ORGANIZERS, VISIBLE)
@forms.shows_problem_on(forms.EVENTS_PAGE)
def same_again(event_id: str) -> AnyResponse:
    """The next event like this one, today, in its leagues, without its people; check-in shows who comes. A second press
    leads to the event that the first one made."""
    before, snapshot = current.event(event_id).state, current.snapshot()
    today = time_of_day(current.hub().clocks.wall(), form=DATE_ALONE)
    waiting = {
        each.name: each.id
        for each in snapshot.events.values()
        if (each.rulebook_id, each.rules) == (before.rulebook_id, before.rules) and not (each.rounds or each.finished)
    }
    taken = {line.name for line in known_events(snapshot)}
    made = waiting.get(next_name(before.name, today, taken - waiting.keys()), "")
    if not made:
        made = current.hub().new_event_id()
        steps: tuple[commands.Command, ...] = (
            commands.CreateEvent(
                next_name(before.name, today, taken),
                before.rulebook_id,
                before.level,
                before.given_options,
                before.color,
                secrets.randbits(SEED_BITS),
                clean_details({**before.about, DATE: today, EXTERNAL_ID: ""}),
                rules_from_json(before.rules) if before.rules else None,
            ),
            commands.SetCheckIn(before.check_in),
            commands.SetSignUp(before.sign_up is not None, before.sign_up == TO_CONFIRM),
            commands.SetPrizes(tuple(replace(prize, competitor=None) for prize in before.prizes)),
        )
        leagues = [
            Step(VENUE, league_saved(replace(each, events=(*each.events, made))))
            for each in leagues_of(snapshot, event_id)
        ]
        forms.submit_steps([begin_event_step(made), *(Step(made, step) for step in steps), *leagues])
    return redirect(url_for("console.check_in_page", event_id=made), 303)


def next_name(name: str, today: str, taken: Collection[str] = ()) -> str:
    """ "Friday 13" after "Friday 12", or the next number that no event has; else the same name with today's date."""
    # Of four digits it is a year, after a sign a part of a date.
    counted = re.search(r"(?<![\d.:/-])\d{1,3}$", name)
    if counted is None:
        dated = f" {today}" if today else ""
        return re.sub(r"\s*\d{4}-\d\d-\d\d$", "", name)[: MOST_LETTERS - len(dated)].rstrip() + dated
    number = str(int(counted[0]) + 1).zfill(len(counted[0]))
    following = name[: min(counted.start(), MOST_LETTERS - len(number))] + number
    return next_name(following, today, taken) if following in taken else following


@route("POST /console/import", ORGANIZERS)
@forms.shows_problem_on(new_event_page)
def import_event_file() -> AnyResponse:
    """Import the whole file or nothing: event, competitors and rounds are one request."""
    file = parse_event_file(forms.uploaded_text("file"))
    broken = violations(file)
    if broken and not forms.field("anyway"):
        first = broken[0]
        raise Problem("file_breaks_rules", where=first.where, n=len(broken), first=first.say(current.words()))
    event_id = current.hub().new_event_id()
    steps, people = import_steps(event_id, file, _color())
    steps = [begin_event_step(event_id), *known_steps(event_id, file.competitors), *steps]
    forms.submit_steps(steps, people, IMPORT_TIMEOUT_S)
    return forms.back_to_event(event_id)


def begin_event_step(event_id: str) -> Step:
    """The venue's entry that an event began, which adds it to the end of the list."""
    return Step(VENUE, NewEntry(EVENT_BEGUN, {"event": event_id}))


def import_steps(event_id: str, file: Tournament, color: str) -> tuple[list[Step], list[PersonRecord]]:
    """The steps that recreate a file's event, and its people."""
    record = file.record or {}
    about = {key: record[key] for key in ABOUT if key in record}
    steps = [
        Step(
            event_id,
            commands.CreateEvent(
                file.name,
                file.rulebook,
                file.level,
                file.options,
                color,
                file.seed,
                about,
                rules_from_json(file.rules) if file.rules else None,
            ),
        )
    ]
    people, totals = [], list_totals(file)
    for competitor in file.competitors:
        enrolled, entrant = person_and_entrant(event_id, competitor, totals.get(competitor.id))
        people.append(enrolled)
        steps.append(Step(event_id, commands.EnterCompetitor(entrant, imported=True)))
    for played in file.rounds:
        data = round_to_json(played)
        if data.get("draw"):
            data["draw"] = {"method": "", **data["draw"]}
        steps.append(Step(event_id, commands.ImportRound(data, record.get("checked_in"))))
    officials = []
    for item in record.get("officials", ()):
        person, salt = Person(item["name"]), secrets.token_hex(16)
        people.append(PersonRecord(event_id, item["id"], salt, person))
        officials.append(
            Official(
                item["id"],
                item["role"],
                person.digest(salt),
                item.get("second", False),
                item.get("plays"),
                not item.get("off_duty", False),
            )
        )
    imported = commands.ImportRecord(
        tuple(officials),
        _cut(record.get("cut")),
        record.get("finished", False),
        tuple(played_on_from_json(line) for line in record.get("played_on", ())),
    )
    if imported != commands.ImportRecord():
        steps.append(Step(event_id, imported))
    return steps, people


def _cut(data: Mapping[str, Any] | None) -> Cut | None:
    if data is None:
        return None
    return Cut(
        data["size"],
        tuple(data["order"]),
        tuple(data["seeds"]),
        tuple(data.get("declined", ())),
        tuple(data.get("absent", ())),
    )


@route("POST /console/<event_id>/about", ORGANIZERS, OPEN)
@forms.shows_problem_on(forms.EVENT_PAGE)
def set_event_details(event_id: str) -> None:
    """Date, venue, club, special rules; what the form left out stays as it is."""
    sent = {key: forms.field(key) for key in ABOUT_FIELDS if key in request.form}
    forms.submit_command(event_id, commands.SetEventDetails({**current.event(event_id).state.about, **sent}))


@route("POST /console/<event_id>/options", ORGANIZERS, OPEN)
@forms.shows_problem_on(forms.EVENT_PAGE)
def set_options(event_id: str) -> None:
    """Rounds and other options: until the first round is drawn."""
    state = current.event(event_id).state
    others = {k: v for k, v in state.given_options.items() if k not in event_options.OFFERED}
    read = event_options.read_options(state.rulebook, forms.field)
    forms.submit_command(event_id, commands.SetOptions({**others, **read}))


@route("POST /console/<event_id>/structure", ORGANIZERS, OPEN)
@forms.shows_problem_on(forms.EVENT_PAGE)
def set_structure(event_id: str) -> None:
    """Rounds and cut after late entries: until round 2 is published."""
    state = current.event(event_id).state
    others = {k: v for k, v in state.given_options.items() if k not in event_options.STRUCTURE}
    read = event_options.read_structure(state.rulebook, forms.field)
    forms.submit_command(event_id, commands.SetOptions({**others, **read}))


@route("POST /console/<event_id>/options/lists", ORGANIZERS, OPEN)
@forms.shows_problem_on(forms.EVENT_PAGE)
def waive_lists(event_id: str) -> None:
    """Lists are not needed tonight: until round 1 is published. The options ask for them again."""
    given = current.event(event_id).state.given_options
    forms.submit_command(event_id, commands.SetOptions({**given, event_options.YES_OR_NO: False}))


def _color() -> str:
    color = forms.field("color", "#0072B2")
    if not COLOR.fullmatch(color):
        raise Invalid("color_text", value=color[:20])
    return color
