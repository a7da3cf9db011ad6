"""A competitor's list: looked at any time, typed before round 1, corrected on record afterwards."""

from __future__ import annotations

import secrets
from dataclasses import replace

from flask import Blueprint, abort, g, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Problem
from roundtap_core.event.commands import CorrectList, SubmitList
from roundtap_core.event.person import Person
from roundtap_core.lists.list_form import ListCheck, list_digest
from roundtap_core.records import Competitor
from roundtap_hub.journal.journal import PersonRecord
from roundtap_hub.pages.base import actor, field, mended_on, page, the_hub, the_moment, words
from roundtap_hub.views.event_at import EventAt, everybody, full_names
from roundtap_hub.views.lists import ROWS_ADDED, flags_of, lines_shown, list_states, list_view, read_list

REASON_LETTERS = 500


def routes(bp: Blueprint) -> None:
    at = "/<event_id>/competitor/<competitor>/list"
    bp.add_url_rule(at, "list", list_page)
    bp.add_url_rule(at, "save_list", save_list, methods=["POST"])


def list_page(event_id: str, competitor: str) -> AnyResponse:
    """The list as it stands, or as it was just typed, with each problem beside its line."""
    moment = the_moment(event_id)
    who = _competitor(moment, competitor)
    state, check = moment.state, moment.state.rulebook.lists
    form, typed = check.form(state.options), request.form if request.method == "POST" else None
    list_, lines = check.spelled(check.of_competitor(who), state.options), {}
    if typed is not None:
        list_, lines = read_list(form, typed), lines_shown(form, typed)
        if (more := field("more")) in lines:
            lines[more] += ROWS_ADDED
        problems = _problems(moment, check.into(who, list_)) if list_ else []
    else:
        problems = _problems(moment, who) if list_ else []
        list_ = list_ or dict(check.begun(who))
    flags = flags_of(moment, who) if typed is None else []
    entrant = state.entrants[competitor]
    return page(
        "list.html", state=state, who=who, name=full_names(moment)[competitor], entrant=entrant,
        view=list_view(form, list_, problems, words(), lines), flags=[flag.say(words()) for flag in flags],
        standing=list_states(moment)[competitor] if typed is None else None, count=len(problems),
        fixed=bool(state.public_rounds), required=check.required(state.options, state.level),
        looked_at=_seen(check, who), reason=field("reason"),
    )


@mended_on(list_page)
def save_list(event_id: str, competitor: str) -> AnyResponse:
    """What can be read is saved, also where it breaks a rule: the judge decides what follows from that."""
    if field("more"):
        return list_page(event_id, competitor)
    moment = the_moment(event_id)
    who, state = _competitor(moment, competitor), moment.state
    check = state.rulebook.lists
    before = check.of_competitor(who)
    list_ = check.spelled(read_list(check.form(state.options), request.form), state.options)
    if check.malformed(list_, state.options):
        raise Problem("list_not_saved")
    if field("seen") != _version(check, who):
        raise Problem("list_changed_meanwhile")
    list_ = check.completed(list_)
    if list_ != before:
        _save(moment, check.into(who, list_), check.total(list_))
    return redirect(url_for("console.list", event_id=event_id, competitor=competitor), 303)


def _save(moment: EventAt, who: Competitor, total: int | None) -> None:
    """Free until round 1 is published; then a list is the same all day, and only corrected, with a reason."""
    known = moment.people.get(who.id) or Person(who.name)
    person, salt = replace(known, list=who.list, identity=who.identity, houses=who.houses), secrets.token_hex(16)
    digest = person.digest(salt)
    command: CorrectList | SubmitList
    if moment.state.public_rounds:
        command = CorrectList(who.id, digest, total, field("reason")[:REASON_LETTERS])
    else:
        command = SubmitList(who.id, digest, total)
    the_hub().service.tell(moment.state.id, command, actor(),
                           [PersonRecord(moment.state.id, who.id, salt, person)])


def _competitor(moment: EventAt, competitor: str) -> Competitor:
    found = next((c for c in everybody(moment) if c.id == competitor), None)
    if found is None:
        abort(404)
    return found


def _seen(check: ListCheck, who: Competitor) -> str:
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
    return [Problem(p.key, where=p.where.removeprefix("/list"), **p.params) for p in found]
