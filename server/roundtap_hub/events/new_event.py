"""A new event, from a form or from an event file with all its records; its details and options changed later; and the
options as a form: those that its rulebook has."""

import re
import secrets
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from flask import redirect, request, url_for
from msgspec.structs import replace
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.check.check import violations
from roundtap_core.elimination.bracket import Cut
from roundtap_core.errors import Invalid, Problem
from roundtap_core.event import commands
from roundtap_core.event.entries import VENUE, NewEntry, Person
from roundtap_core.event.setup import ABOUT, DATE, EXTERNAL_ID, clean_details
from roundtap_core.event.states import TO_CONFIRM, Official, played_on_from_json
from roundtap_core.eventfile.exports import round_to_json
from roundtap_core.eventfile.file_schema import DeckEra, SecondStage, TableOrder
from roundtap_core.eventfile.read import parse_event_file
from roundtap_core.names import MOST_LETTERS
from roundtap_core.records import Tournament
from roundtap_core.rulebooks.base import Options, Rulebook, may_play
from roundtap_core.rulebooks.coverage import games_allowed
from roundtap_core.rulebooks.own_rules import ID_BEGIN, rules_from_json
from roundtap_core.rulebooks.registry import RULEBOOKS, rulebook
from roundtap_core.standings.totals import list_totals
from roundtap_core.typed import MOST_ROUNDS, STAGE_OPTIONS
from roundtap_core.words import Words
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

STAGES = ("swiss", "elimination", "final", "third_place")
CUTS = (0, 2, 4, 8, 16, 32)
OWN = "own"
MAX_MINUTES = 600

NUMBERS = {
    "prize_places": (0, 999),
    "squad_points": (1, 9999),
    "legendary_limit": (0, 3),
    "bye_score": (-20, 20),
    "late_minutes": (0, 120),
}
"""Whole numbers with their limits, offered where the rulebook has a default."""

REQUIRED_NUMBERS = frozenset({"prize_places"})
"""Numbers without a usual value: the form must give one, be it 0, where the rulebook has them."""

TICKS = ("third_place_match", "full_names")
YES_OR_NO = "lists_required"

SECOND_STAGE = "second_stage"

CHOICE_VALUES = {SECOND_STAGE: get_args(SecondStage), "deck_era": get_args(DeckEra), "tables": get_args(TableOrder)}
"""Options with a few values, offered where the rulebook has a default."""

STRUCTURE = ("structure", "swiss_rounds", "cut")

OFFERED = (*STRUCTURE, SECOND_STAGE, "deck_era", "stages", YES_OR_NO, *NUMBERS, *TICKS)
"""The options that the form offers; others come with a file and are kept."""
ABOUT_FIELDS = ("date", "venue", "club", "special_rules")
"""The event's details that a form has; an external id comes only with a file."""


COLORS = ("#00785A", "#882255", "#8A4B08", "#4B2E83", "#37474F", "#A3262A", "#0072B2")
"""Distinct for colour-blind eyes, after Okabe and Ito, without the two that mark the sides of a table."""


@dataclass(frozen=True, slots=True)
class OptionsView:
    """What the form shows of a rulebook. `numbers`: (name, lowest, highest, default); `choices`: name and values, the
    usual one first; `stages`: each with its default minutes (None: untimed) and the games it may have."""

    structures: tuple[str, ...]
    numbers: list[tuple[str, int, int, int]]
    choices: tuple[tuple[str, tuple[str, ...]], ...]
    stages: list[tuple[str, int | None, tuple[int, ...]]]
    best_of: tuple[int, ...]
    lists_required: bool
    asked: frozenset[str] = REQUIRED_NUMBERS


def options_view(book: Rulebook) -> OptionsView:
    return OptionsView(
        structures_of(book),
        _numbers(book),
        _choices(book),
        [(stage, book.minutes(stage, {}), games_allowed(book, stage)) for stage in STAGES],
        book.best_of,
        bool(book.option_defaults.get(YES_OR_NO)),
    )


def level_lines(book: Rulebook, words: Words) -> dict[str, str]:
    """What each level of the document changes, in one line; empty where they all say the same."""
    lists = {level: book.lists.required(book.options({}), level) for level in book.levels}
    lines = {}
    for level in book.levels:
        keys = [book.level_notes[level]] if level in book.level_notes else []
        keys.append(f"level.officials.{may_play(book, level)}")
        if len(set(lists.values())) > 1:
            keys.append("level.lists" if lists[level] else "level.no_lists")
        lines[level] = " ".join(map(words, [*keys, *(f"level.tick.{tick}" for tick in book.ticks.get(level, ()))]))
    return lines if len(set(lines.values())) > 1 else {}


def _numbers(book: Rulebook) -> list[tuple[str, int, int, int]]:
    """(name, lowest, highest, default)"""
    usual = book.option_defaults
    return [(name, low, high, usual[name]) for name, (low, high) in NUMBERS.items() if name in usual]


def _choices(book: Rulebook) -> tuple[tuple[str, tuple[str, ...]], ...]:
    choices = {SECOND_STAGE: book.second_stages} if len(book.second_stages) > 1 else {}
    for name, usual in book.option_defaults.items():
        if name in CHOICE_VALUES:
            choices[name] = (usual, *(value for value in CHOICE_VALUES[name] if value != usual))
    return tuple(choices.items())


def structures_of(book: Rulebook) -> tuple[str, ...]:
    return (*book.structures, OWN)


def flatten_options(given: Options) -> dict[str, object]:
    """Options by the names of the form's fields: {"minutes.final": 120}."""
    fields: dict[str, object] = {key: value for key, value in given.items() if key != "stages"}
    for stage, values in given.get("stages", {}).items():
        if "best_of" in values:
            fields[f"best_of.{stage}"] = values["best_of"]
        if "minutes" in values:
            fields[f"minutes.{stage}" if values["minutes"] is not None else f"untimed.{stage}"] = values["minutes"] or 1
    if YES_OR_NO in given:
        fields[YES_OR_NO] = "1" if given[YES_OR_NO] else "0"
    return fields


def read_options(book: Rulebook, field: Callable[[str], str]) -> Options:
    """The options that were chosen; the rulebook decides the rest. Raises Problem with the field's place."""
    chosen = read_structure(book, field)
    for name, low, high, _ in _numbers(book):
        value = _number(field, name, low, high)
        if value is None and name in REQUIRED_NUMBERS:
            raise Invalid("option_asked", where=option_path(name))
        if value is not None:
            chosen[name] = value
    for name, values in _choices(book):
        if field(name) in values[1:]:
            chosen[name] = field(name)
    chosen.update({name: True for name in TICKS if field(name)})
    if field(YES_OR_NO) in ("0", "1"):
        chosen[YES_OR_NO] = field(YES_OR_NO) == "1"
    stages = {stage: lengths for stage in STAGES if (lengths := _stage(stage, field))}
    if stages:
        chosen["stages"] = stages
    book.check_options(chosen)
    return chosen


def read_structure(book: Rulebook, field: Callable[[str], str]) -> dict[str, object]:
    """The structure, with rounds and cut where they were chosen."""
    chosen: dict[str, object] = {}
    structure = field("structure") or str(book.option_defaults["structure"])
    if structure not in structures_of(book):
        raise Invalid("not_one_of", where="/options/structure", value=structure, options=", ".join(structures_of(book)))
    chosen["structure"] = structure
    if (rounds := _number(field, "swiss_rounds", 0, MOST_ROUNDS)) is not None:
        chosen["swiss_rounds"] = rounds
    if (cut := _number(field, "cut", 0, CUTS[-1])) is not None:
        if cut not in CUTS:
            raise Invalid("not_one_of", where="/options/cut", value=cut, options=", ".join(map(str, CUTS)))
        chosen["cut"] = cut
    return chosen


def _stage(stage: str, field: Callable[[str], str]) -> dict[str, int | None]:
    values: dict[str, int | None] = {}
    minutes = _number(field, f"minutes.{stage}", 1, MAX_MINUTES)
    if field(f"untimed.{stage}"):
        values["minutes"] = None
    elif minutes is not None:
        values["minutes"] = minutes
    if (games := _number(field, f"best_of.{stage}", *STAGE_OPTIONS["best_of"])) is not None:
        values["best_of"] = games
    return values


def option_path(name: str) -> str:
    """The place of a field's option in an event file, as a Problem names it."""
    option, _, stage = name.partition(".")
    if not stage:
        return f"/options/{name}"
    return f"/options/stages/{stage}/{'minutes' if option == 'untimed' else option}"


def _number(field: Callable[[str], str], name: str, low: int, high: int) -> int | None:
    return forms.read_number(field(name), (low, high), where=option_path(name))


ABOUT_PLACES = tuple(f"/{key}" for key in ABOUT)  # the places that a Problem with the event's own details names


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
        levels=level_lines(book, current.words()),
        options=options_view(book),
        option_place=option_path,
        about_places=ABOUT_PLACES,
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
    options = read_options(book, forms.field)
    about = clean_details({key: forms.field(key) for key in ABOUT_FIELDS})
    command = commands.CreateEvent(
        forms.field("name"),
        book.id,
        level,
        options,
        _color(),
        current.hub().new_seed(),
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
                current.hub().new_seed(),
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
    others = {k: v for k, v in state.given_options.items() if k not in OFFERED}
    read = read_options(state.rulebook, forms.field)
    forms.submit_command(event_id, commands.SetOptions({**others, **read}))


@route("POST /console/<event_id>/structure", ORGANIZERS, OPEN)
@forms.shows_problem_on(forms.EVENT_PAGE)
def set_structure(event_id: str) -> None:
    """Rounds and cut after late entries: until round 2 is published."""
    state = current.event(event_id).state
    others = {k: v for k, v in state.given_options.items() if k not in STRUCTURE}
    read = read_structure(state.rulebook, forms.field)
    forms.submit_command(event_id, commands.SetOptions({**others, **read}))


@route("POST /console/<event_id>/options/lists", ORGANIZERS, OPEN)
@forms.shows_problem_on(forms.EVENT_PAGE)
def waive_lists(event_id: str) -> None:
    """Lists are not needed tonight: until round 1 is published. The options ask for them again."""
    given = current.event(event_id).state.given_options
    forms.submit_command(event_id, commands.SetOptions({**given, YES_OR_NO: False}))


def _color() -> str:
    color = forms.field("color", "#0072B2")
    if not COLOR.fullmatch(color):
        raise Invalid("color_text", value=color[:20])
    return color
