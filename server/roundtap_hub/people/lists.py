"""A competitor's list: looked at any time, typed before round 1, corrected on record afterwards."""

from __future__ import annotations

import secrets
from typing import Any

from flask import abort, g, redirect, request, url_for
from msgspec.structs import replace
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.commands import CorrectList, SubmitList
from roundtap_core.event.person import Person
from roundtap_core.lists.list_form import ListCheck, list_digest
from roundtap_core.records import Competitor
from roundtap_hub.access.policy import BEFORE_ROUND_1, HEADS_AND_DESK, OPEN, STAFF, VISIBLE, route
from roundtap_hub.events.event_at import EventAt, all_competitors, full_names
from roundtap_hub.people.list_forms import ROWS_ADDED, flags_of, list_states, list_view, read_list, shown_line_counts
from roundtap_hub.serving.page_helpers import (
    current_event,
    field,
    page,
    shows_problem_on,
    submit,
    typed_reason,
    words,
)
from roundtap_hub.store.journal import PersonRecord


@route("GET /console/<event_id>/competitor/<competitor>/list", STAFF, VISIBLE)
def list_page(event_id: str, competitor: str) -> AnyResponse:
    """The list as it stands, or as it was just typed, with each problem beside its line."""
    moment = current_event(event_id)
    entrant = moment.state.entrants.get(competitor)
    save_at = url_for("console.save_list", event_id=event_id, competitor=competitor)
    return page("list.html", entrant=entrant, name=full_names(moment).get(competitor), save_at=save_at,
                fixed=bool(moment.state.public_rounds), reason=field("reason"), **list_context(moment, competitor))


def list_context(moment: EventAt, competitor: str) -> dict[str, Any]:
    """What the form of a list is drawn from, as it stands or as this request has it; 404 for nobody's."""
    who = competitor_of(moment, competitor)
    state, check = moment.state, moment.state.rulebook.lists
    form, typed = check.form(state.options), request.form if request.method == "POST" else None
    list_, lines = check.spelled(check.of_competitor(who), state.options), {}
    if typed is not None:
        list_, lines = read_list(form, typed), shown_line_counts(form, typed)
        if (more := field("more")) in lines:
            lines[more] += ROWS_ADDED
        problems = _problems(moment, check.into(who, list_)) if list_ else []
    else:
        problems = _problems(moment, who) if list_ else []
        list_ = list_ or dict(check.begun(who))
    flags = flags_of(moment, who) if typed is None else []
    return {
        "state": state, "who": who, "view": list_view(form, list_, problems, words(), lines),
        "flags": [flag.say(words()) for flag in flags], "count": len(problems),
        "standing": list_states(moment)[competitor] if typed is None else None, "looked_at": _seen_version(check, who),
    }


@route("POST /console/<event_id>/competitor/<competitor>/list", HEADS_AND_DESK, OPEN, only=BEFORE_ROUND_1)
@shows_problem_on(list_page)
def save_list(event_id: str, competitor: str) -> AnyResponse:
    """Free until round 1 is published; then a list is the same all day, and only corrected, with a reason."""
    if field("more"):
        return list_page(event_id, competitor)
    moment = current_event(event_id)
    typed = typed_list(moment, competitor)
    if typed is not None:
        record, digest, total = typed
        command = CorrectList(competitor, digest, total, typed_reason()) if moment.state.public_rounds \
            else SubmitList(competitor, digest, total)
        submit(event_id, command, [record])
    return redirect(url_for("console.list_page", event_id=event_id, competitor=competitor), 303)


def typed_list(moment: EventAt, competitor: str) -> tuple[PersonRecord, str, int | None] | None:
    """What this request's form holds: the person with the list, and what the entry says of it (digest, total); None
    where nothing was changed. What can be read is saved, also where it breaks a rule: the judge decides what follows
    from that. Raises Problem for what cannot, and where another list was seen."""
    found, check = competitor_of(moment, competitor), moment.state.rulebook.lists
    list_ = check.spelled(read_list(check.form(moment.state.options), request.form), moment.state.options)
    if check.malformed(list_, moment.state.options):
        raise Invalid("list_not_saved")
    if field("seen") != _version(check, found):
        raise Problem("list_changed_meanwhile")
    list_ = check.completed(list_)
    if list_ == check.of_competitor(found):
        return None
    who = check.into(found, list_)
    known = moment.people.get(who.id) or Person(who.name)
    person, salt = replace(known, list=who.list, identity=who.identity, houses=who.houses), secrets.token_hex(16)
    return PersonRecord(moment.state.id, who.id, salt, person), person.digest(salt), check.total(list_)


def competitor_of(moment: EventAt, competitor: str) -> Competitor:
    found = next((c for c in all_competitors(moment) if c.id == competitor), None)
    if found is None:
        abort(404)
    return found


def _seen_version(check: ListCheck, who: Competitor) -> str:
    """Which list the official looked at. Once told that it changed meanwhile, they save over the new one knowingly."""
    problem: Problem | None = g.get("problem")
    told = problem is not None and problem.key == "list_changed_meanwhile"
    return _version(check, who) if told else field("seen") or _version(check, who)


def _version(check: ListCheck, who: Competitor) -> str:
    return list_digest(check.normal(check.of_competitor(who)), "")


def _problems(moment: EventAt, who: Competitor) -> list[Problem]:
    """Of the competitor's list, with places in the list."""
    state = moment.state
    found = state.rulebook.lists.competitor_problems(who, state.options, state.level)
    return [p.but(p.where.removeprefix("/list")) for p in found]
