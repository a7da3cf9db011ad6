"""People imported from a table: upload or paste, columns, a preview of each row; then all ticked rows or none."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

from flask import g, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Problem
from roundtap_core.event.commands import ChangePerson, Command, EnterCompetitor, SetCameWith, SetFixedTable
from roundtap_core.event.state import EventState
from roundtap_core.numbers import next_number
from roundtap_hub.access.policy import BEFORE_ROUND_1, HEADS_AND_DESK, OPEN, VISIBLE, route
from roundtap_hub.events.event_at import EventAt
from roundtap_hub.events.new_event import IMPORT_TIMEOUT_S, person_and_entrant
from roundtap_hub.people import import_plan
from roundtap_hub.people.raw_table import Rows, from_form, table_of_file, table_of_text, to_form
from roundtap_hub.serving import web
from roundtap_hub.serving.http_answers import problem_status
from roundtap_hub.store.journal import PersonRecord
from roundtap_hub.store.person_rows import is_damaged
from roundtap_hub.store.service import Step

SAMPLE_ROWS = 4


@route("GET /console/<event_id>/import", HEADS_AND_DESK, VISIBLE)
def import_people(event_id: str) -> AnyResponse:
    moment = web.current_event(event_id)
    if "pasted" in request.form:
        # The paste could not be read; a reload sends it again, so that it is not lost.
        g.address = ""
    return web.page("import_people.html", state=moment.state, rulebook=moment.state.rulebook)


@route("POST /console/<event_id>/import/table", HEADS_AND_DESK, OPEN, only=BEFORE_ROUND_1)
@web.shows_problem_on(import_people)
def import_table(event_id: str) -> AnyResponse:
    """Preview the table with its columns as guessed, or as the form has them; nothing is saved."""
    moment = web.current_event(event_id)
    if "table" in request.form:
        rows = _rows_of_form()
        heading, columns = _heading_and_columns(rows)
    else:
        rows = _rows_uploaded()
        heading = import_plan.guess_heading(rows)
        columns = import_plan.guess_columns(rows, heading, moment.state.rulebook.team_size > 1)
    return _preview(moment, rows, heading, columns)


@route("POST /console/<event_id>/import/people", HEADS_AND_DESK, OPEN, only=BEFORE_ROUND_1)
@web.shows_problem_on(import_people)
def import_rows(event_id: str) -> AnyResponse:
    """Enter and change the ticked rows in one request; if the event changed since the preview, show it again."""
    moment = web.current_event(event_id)
    rows = _rows_of_form()
    heading, columns = _heading_and_columns(rows)
    planned = _planned(moment, rows, heading, columns)
    ticked = {number for text in request.form.getlist("take") if (number := _number(text)) is not None}
    try:
        if web.field("mark") != planned.mark:
            raise Problem("import_changed_meanwhile")
        taken = [row for row in planned.rows if row.row in ticked and row.may]
        if not taken:
            raise Problem("import_nothing_taken")
        steps, people = _steps(moment.state, event_id, taken)
        web.current_hub().service.execute(steps, web.actor(), people, IMPORT_TIMEOUT_S)
    except Problem as problem:
        g.problem, g.status = problem, problem_status(problem)
        # A reload begins anew, so that the form is not sent twice.
        g.address = url_for("console.import_people", event_id=event_id)
        web.drop_request_cache()
        return _preview(web.current_event(event_id), rows, heading, columns, ticked)
    return web.back_to_event(event_id, "competitors")


def _steps(state: EventState, event_id: str, taken: Sequence[import_plan.PlannedRow]) -> tuple[list[Step],
                                                                                               list[PersonRecord]]:
    first = next_number((*state.entrants, *state.removed), "p")
    commands: list[Command] = []
    people: list[PersonRecord] = []
    for row in taken:
        if row.known is None:
            record, entrant = person_and_entrant(event_id, import_plan.competitor_of(row, f"p{first}"),
                                                 person=row.person)
            first += 1
            commands.append(EnterCompetitor(entrant))
            people.append(record)
            continue
        entrant, salt = state.entrants[row.known], secrets.token_hex(16)
        commands.append(ChangePerson(row.known, row.person.digest(salt)))
        people.append(PersonRecord(event_id, row.known, salt, row.person))
        if row.came_with and row.came_with != entrant.came_with:
            commands.append(SetCameWith(row.known, row.came_with))
        if row.fixed_table is not None:
            commands.append(SetFixedTable(row.known, row.fixed_table))
    return [Step(event_id, command) for command in commands], people


def _rows_uploaded() -> Rows:
    upload = request.files.get("file")
    raw = upload.read() if upload else b""
    pasted = request.form.get("pasted", "")
    if raw:
        return table_of_file(raw, web.words().language)
    if not pasted.strip():
        raise Problem("import_nothing")
    return table_of_text(pasted)


def _rows_of_form() -> Rows:
    return from_form(request.form.get("table", ""))


def _heading_and_columns(rows: Rows) -> tuple[int, tuple[str, ...]]:
    """The heading row and each column's meaning, from the form."""
    heading = min(max(0, web.whole_number("heading") or 0), len(rows))
    columns = tuple(said if (said := web.field(f"column_{number}")) in (*import_plan.MEANINGS, *import_plan.OF_TEAMS)
                    else import_plan.SKIP
                    for number in range(len(rows[0])))
    return heading, columns


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) <= 6 else None


def _planned(moment: EventAt, rows: Rows, heading: int, columns: Sequence[str]) -> import_plan.ImportPlan:
    people = {who: person for who, person in moment.people.items() if not is_damaged(who, person)}
    return import_plan.plan_import(rows, heading, columns, moment.state.entrants, people,
                                   moment.state.rulebook.team_size)


def _preview(
    moment: EventAt, rows: Rows, heading: int, columns: Sequence[str], ticked: set[int] | None = None,
) -> AnyResponse:
    """The columns over a few sample rows, and below them every row with its effect."""
    state, planned = moment.state, None
    try:
        planned = _planned(moment, rows, heading, columns)
    except Problem as problem:
        g.problem = g.get("problem") or problem
        g.status = 400
    said: dict[str, Any] = {"new": import_plan.NEW, "here": import_plan.EXISTING, "twice": import_plan.DUPLICATE,
                            "wrong": import_plan.INVALID}
    counts = {name: planned.count(kind) for name, kind in said.items()} if planned else {}
    return web.page(
        "import_people.html", state=state, rulebook=state.rulebook, table=to_form(rows), heading=heading,
        headings=rows[heading - 1] if heading else [""] * len(rows[0]), columns=columns,
        sample=rows[heading:heading + SAMPLE_ROWS], n_rows=len(rows),
        meanings=(*import_plan.MEANINGS, *(import_plan.OF_TEAMS if state.rulebook.team_size > 1 else ())),
        plan=planned, counts=counts,
        taken={row.row for row in planned.rows if row.may and (row.usual if ticked is None else row.row in ticked)}
        if planned else set(),
        changed=lambda row: ", ".join(web.words()(f"import.is.{what}") for what in row.changes),
        said=lambda row: Problem(row.problem.key, **row.problem.params).say(web.words()) if row.problem else "",
    )
