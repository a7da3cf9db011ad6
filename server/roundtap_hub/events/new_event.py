"""A new event: from a form, or from an event file with everything that was recorded."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from flask import request
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.check.check import violations
from roundtap_core.elimination.cut import Cut
from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.commands import (
    CreateEvent,
    EnterCompetitor,
    ImportRecord,
    ImportRound,
    SetAbout,
    SetOptions,
)
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_core.event.official import Official
from roundtap_core.event.person import Person
from roundtap_core.event.played_on import played_on_from_json
from roundtap_core.event.setup import ABOUT, clean_about
from roundtap_core.event.state import Entrant
from roundtap_core.eventfile.read import parse
from roundtap_core.eventfile.write import round_to_json
from roundtap_core.records import Competitor, Tournament
from roundtap_core.rulebooks.registry import rulebook
from roundtap_core.standings.totals import list_totals
from roundtap_hub.access.policy import OPEN, ORGANIZERS, route
from roundtap_hub.events.console import SEED_BITS, event, events
from roundtap_hub.events.event_list import COLOR
from roundtap_hub.events.event_options import OFFERED, STRUCTURE, read_options, read_structure
from roundtap_hub.serving.page_helpers import (
    actor,
    back_to_event,
    current_event,
    current_hub,
    current_snapshot,
    field,
    shows_problem_on,
    submit_and_redirect,
    words,
)
from roundtap_hub.store.journal import PersonRecord
from roundtap_hub.store.service import Step
from roundtap_hub.store.venue import EVENT_BEGUN

ABOUT_FIELDS = ("date", "venue", "club", "special_rules")
"""What a form asks of the event itself; only a file brings an id that others know it by."""
IMPORT_TIMEOUT_S = 180
"""For an import: who gave up on one of 4,096 players would be told that it failed, and find it there afterwards."""


@route("POST /console", ORGANIZERS)
@shows_problem_on(events)
def create() -> AnyResponse:
    """`known`: how many events there were on the page; sent twice it begins one."""
    if field("known") not in ("", str(len(current_snapshot().ids))):
        raise Problem("step_changed_meanwhile")
    book = rulebook(field("rulebook"))
    event_id = current_hub().new_event_id()
    level = field("level") or None
    if level is None and "level" in request.form and book.levels:
        # Whether officials may play, and what is looked at, depends on it.
        raise Problem("level_missing", options=", ".join(words()(f"level.{known}") for known in book.levels))
    options = read_options(book, field)
    about = clean_about({key: field(key) for key in ABOUT_FIELDS})
    command = CreateEvent(field("name"), book.id, level, options, _color(), secrets.randbits(SEED_BITS), about)
    current_hub().service.ask([begin_event_step(event_id), Step(event_id, command)], actor())
    return back_to_event(event_id)


@route("POST /console/import", ORGANIZERS)
@shows_problem_on(events)
def import_file() -> AnyResponse:
    """All of the file or nothing: its event, its competitors and its rounds are one request."""
    upload = request.files.get("file")
    raw = upload.read() if upload else b""
    if not raw:
        raise Invalid("no_file")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Invalid("file_not_text") from None
    file = parse(text)
    broken = violations(file)
    if broken and not field("anyway"):
        first = broken[0]
        raise Problem("file_breaks_rules", where=first.where, n=len(broken), first=first.say(words()))
    event_id = current_hub().new_event_id()
    steps, people = import_steps(event_id, file, _color())
    current_hub().service.ask([begin_event_step(event_id), *steps], actor(), people, IMPORT_TIMEOUT_S)
    return back_to_event(event_id)


def begin_event_step(event_id: str) -> Step:
    """The venue's note that an event began here: the list of events has it after those that were there."""
    return Step(VENUE, NewEntry(EVENT_BEGUN, {"event": event_id}))


def import_steps(event_id: str, file: Tournament, color: str) -> tuple[list[Step], list[PersonRecord]]:
    """The steps that make an event of a file's content, and the people they speak of."""
    record = file.record or {}
    about = {key: record[key] for key in ABOUT if key in record}
    steps = [Step(event_id, CreateEvent(file.name, file.rulebook, file.level, file.options, color, file.seed, about))]
    people, totals = [], list_totals(file)
    for competitor in file.competitors:
        enrolled, entrant = person_and_entrant(event_id, competitor, totals.get(competitor.id))
        people.append(enrolled)
        steps.append(Step(event_id, EnterCompetitor(entrant, imported=True)))
    for played in file.rounds:
        data = round_to_json(played)
        if data.get("draw"):
            data["draw"] = {"method": "", **data["draw"]}
        steps.append(Step(event_id, ImportRound(data, record.get("checked_in"))))
    officials = []
    for item in record.get("officials", ()):
        person, salt = Person(item["name"]), secrets.token_hex(16)
        people.append(PersonRecord(event_id, item["id"], salt, person))
        officials.append(Official(item["id"], item["role"], person.digest(salt), item.get("second", False),
                                  item.get("plays"), not item.get("off_duty", False)))
    kept = ImportRecord(tuple(officials), _cut(record.get("cut")), record.get("finished", False),
                        tuple(played_on_from_json(line) for line in record.get("played_on", ())))
    if kept != ImportRecord():
        steps.append(Step(event_id, kept))
    return steps, people


def _cut(data: Mapping[str, Any] | None) -> Cut | None:
    if data is None:
        return None
    return Cut(data["size"], tuple(data["order"]), tuple(data["seeds"]), tuple(data.get("declined", ())),
               tuple(data.get("absent", ())))


def person_and_entrant(
    event_id: str, competitor: Competitor, total: int | None = None, person: Person | None = None,
) -> tuple[PersonRecord, Entrant]:
    """The person, for the table of people, and the entrant, for the entries: they share only a salted digest.

    `total`: what the list costs, where that is known; `person`: more than a competitor tells (Person.note and alike).
    """
    person, salt, record = person or Person.of(competitor), secrets.token_hex(16), competitor.record or {}
    # Who declined a place in the cut stands in the file as somebody who left, but is still here.
    dropped_after = None if record.get("declined_place") else competitor.dropped_after
    entrant = Entrant(
        competitor.id, person.digest(salt), competitor.won_bye, competitor.came_with, competitor.fixed_table,
        dropped_after, competitor.disqualified_after, competitor.warnings, total,
        tuple(record.get("list_corrections", ())), tuple(record.get("ticks", ())), competitor.officials_role,
        record.get("proposed"), record.get("proposal_declined_at", 0), record.get("disqualification"),
    )
    return PersonRecord(event_id, competitor.id, salt, person), entrant


@route("POST /console/<event_id>/about", ORGANIZERS, OPEN)
@shows_problem_on(event)
def set_about(event_id: str) -> AnyResponse:
    """When, where, who, special rules. What the page did not ask stays as it is."""
    asked = {key: field(key) for key in ABOUT_FIELDS if key in request.form}
    return submit_and_redirect(event_id, SetAbout({**current_event(event_id).state.about, **asked}))


@route("POST /console/<event_id>/options", ORGANIZERS, OPEN)
@shows_problem_on(event)
def set_options(event_id: str) -> AnyResponse:
    """Rounds and other options, until the first round is drawn."""
    state = current_event(event_id).state
    kept = {k: v for k, v in state.given_options.items() if k not in OFFERED}
    return submit_and_redirect(event_id, SetOptions({**kept, **read_options(state.rulebook, field)}))


@route("POST /console/<event_id>/structure", ORGANIZERS, OPEN)
@shows_problem_on(event)
def set_structure(event_id: str) -> AnyResponse:
    """Rounds and cut after late entries, until round 2 is published."""
    state = current_event(event_id).state
    kept = {k: v for k, v in state.given_options.items() if k not in STRUCTURE}
    return submit_and_redirect(event_id, SetOptions({**kept, **read_structure(state.rulebook, field)}))


def _color() -> str:
    color = field("color", "#0072B2")
    if not COLOR.fullmatch(color):
        raise Invalid("color_text", value=color[:20])
    return color
