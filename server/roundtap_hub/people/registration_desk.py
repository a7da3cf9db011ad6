"""Who plays: entered at the desk, here or not, renamed, leaving, coming back; what is known of them, and their link."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from flask import abort, g, redirect, request, url_for
from msgspec import structs
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.commands import (
    ChangePerson,
    CheckIn,
    Command,
    ConfirmEntry,
    Disqualify,
    DropCompetitor,
    EnterCompetitor,
    RemoveCompetitor,
    ReturnCompetitor,
    SetCameWith,
    SetCheckIn,
    SetFixedTable,
)
from roundtap_core.event.leaving import (
    CONCEDES,
    JUDGED,
    LEAVING,
    PLACE,
    REPORTED,
    LeaveEffect,
    frees_cut_place,
    leave_effect,
    missing_after_leaving,
    open_match,
)
from roundtap_core.event.lookups import require_reason
from roundtap_core.event.person import Person
from roundtap_core.event.state import EventState, MatchState, RoundState
from roundtap_core.limits import MOST_COMPETITORS, PROSE_LETTERS
from roundtap_core.lists.list_form import fold, search_text
from roundtap_core.names import clean_name
from roundtap_core.numbers import next_number
from roundtap_core.records import CONCESSION, Competitor, Result, Side, other
from roundtap_core.rulebooks.gate import OFFICIAL
from roundtap_core.rulebooks.result_words import figure_label
from roundtap_hub.access.personal_links import CODE_LIFE_MS
from roundtap_hub.access.policy import (
    BEFORE_ROUND_1,
    DESK,
    HEADS_AND_DESK,
    JUDGES,
    NOT_ARCHIVED,
    OPEN,
    ORGANIZERS,
    STAFF,
    VISIBLE,
    route,
)
from roundtap_hub.events.console import event
from roundtap_hub.events.event_at import EventAt, full_names
from roundtap_hub.events.new_event import person_and_entrant
from roundtap_hub.hall.qr_svg import qr_svg
from roundtap_hub.judging.judging_view import people_forms_view
from roundtap_hub.people.absentees import absentees_view
from roundtap_hub.people.competitors import IN, CompetitorRow, roster
from roundtap_hub.results.result_wizard import (
    Fields,
    MatchContext,
    Progress,
    WizardPage,
    is_last,
    match_context,
    wizard_page,
    wizard_page_at,
)
from roundtap_hub.rounds.tables import grid_cells
from roundtap_hub.serving.http_answers import problem_status
from roundtap_hub.serving.page_helpers import (
    actor,
    back_to_event,
    current_event,
    current_hub,
    current_snapshot,
    current_units,
    field,
    hub_address,
    now_ms,
    page,
    shows_problem_on,
    signing_official,
    submit,
    submit_and_redirect,
    typed_reason,
    typed_table,
    with_competitor_names,
    words,
)
from roundtap_hub.serving.page_versions import played_ms
from roundtap_hub.store.journal import PersonRecord
from roundtap_hub.store.person_rows import is_damaged
from roundtap_hub.store.service import Step
from roundtap_hub.units.unit_presence import TAKEN

NUMBERED = re.compile(r" \(\d+\)$")
"""What tells namesakes apart, and nobody types."""


def awaited_and_present(moment: EventAt) -> tuple[list[CompetitorRow], list[CompetitorRow]]:
    """Everybody who has not left, by name: who is awaited, and who is here."""
    people = [each for each in roster(moment) if each.status == IN]
    return [each for each in people if each.awaited], [each for each in people if not each.awaited]


def is_late_entry(state: EventState) -> bool:
    """Whether round 1 is played, so that whoever comes now comes late."""
    return len(state.public_rounds) == 1


def find_by_name(typed: str, some: Sequence[CompetitorRow]) -> list[CompetitorRow]:
    """Whom a few letters mean: the very name, be it of two, else those of whom every word begins a part of the name."""
    words = fold(typed).split()
    same = [each for each in some if fold(NUMBERED.sub("", each.name)) == " ".join(words)]
    if same or not words:
        return same
    return [each for each in some
            if all(any(part.startswith(word) for part in search_text(each.name).split()) for word in words)]


SIGN_UP = "sign-up"
"""What a form says that stands on the page of sign-up by phone."""


@route("GET /console/<event_id>/check-in", STAFF, VISIBLE)
def check_in(event_id: str, competitor: str = "") -> AnyResponse:
    """Who is not here yet, and who is; a name, enter, the next one."""
    moment = current_event(event_id)
    state, typed = moment.state, request.args.get("q", "").strip()
    missing, here = awaited_and_present(moment)
    return page("check_in.html", feed=f"console/{event_id}", state=state, rulebook=state.rulebook, missing=missing,
                here=here, late=is_late_entry(state), over=len(state.public_rounds) > 1 or state.cut is not None,
                q=typed, found=find_by_name(typed, missing) if typed else (), desk=people_forms_view(moment))


@route("POST /console/<event_id>/check-in", ORGANIZERS, OPEN)
@shows_problem_on(event)
def use_check_in(event_id: str) -> AnyResponse:
    """Whether only who has checked in is paired."""
    used = field("used") == "1"
    submit(event_id, SetCheckIn(used))
    return redirect(url_for("console.check_in", event_id=event_id), 303) if used else back_to_event(event_id)


@route("POST /console/<event_id>/check-in/name", HEADS_AND_DESK, OPEN)
@shows_problem_on(check_in)
def check_in_name(event_id: str) -> AnyResponse:
    """Typed at the desk: the one who is meant is here. Where several may be, they are shown to choose from."""
    moment, typed = current_event(event_id), clean_name(field("name"))
    missing, here = awaited_and_present(moment)
    found = find_by_name(typed, missing)
    if not typed:
        raise Invalid("no_names")
    if not found:
        already = find_by_name(typed, here)
        raise Problem("check_in_already", name=already[0].name) if already else Problem("check_in_nobody", name=typed)
    if len(found) > 1 or is_late_entry(moment.state):
        return redirect(url_for("console.check_in", event_id=event_id, q=typed), 303)
    current_hub().service.ask([Step(event_id, command) for command in _check_in_commands(event_id, found[0].id, None)],
                              actor())
    return redirect(url_for("console.check_in", event_id=event_id), 303)


@route("POST /console/<event_id>/competitors/<competitor>/here", HEADS_AND_DESK, OPEN)
@shows_problem_on(check_in)
def person_here(event_id: str, competitor: str) -> AnyResponse:
    """Somebody is here (`on` 1), or is not after all; once round 1 is played `meets` says against whom."""
    if field("on", "1") == "1":
        commands = _check_in_commands(event_id, competitor, field("meets") or None)
        current_hub().service.ask([Step(event_id, command) for command in commands], actor())
    else:
        submit(event_id, CheckIn(competitor, on=False))
    return redirect(url_for("console.check_in", event_id=event_id), 303)


@route("POST /console/<event_id>/competitors/<competitor>/confirm", HEADS_AND_DESK, OPEN)
@shows_problem_on(check_in)
def person_confirm(event_id: str, competitor: str) -> AnyResponse:
    """Who signed up by phone is known at the desk; whether they are here is another matter."""
    submit(event_id, ConfirmEntry(competitor, field("meets") or None))
    return redirect(url_for(f"console.{_back()}", event_id=event_id), 303)


def _back() -> str:
    """The page that a form was on."""
    return "sign_up" if field("back") == SIGN_UP else "check_in"


def _check_in_commands(event_id: str, competitor: str, meets: str | None) -> list[Command]:
    """Whoever stands at the desk is known there, too: what was to be confirmed is."""
    state = current_event(event_id).state
    commands: list[Command] = []
    if state.check_in:
        commands.append(CheckIn(competitor, meets=meets))
    commands.append(ConfirmEntry(competitor, meets=meets))
    return commands


@route("POST /console/<event_id>/competitors/<competitor>/remove", HEADS_AND_DESK, OPEN)
@shows_problem_on(event)
def person_remove(event_id: str, competitor: str) -> AnyResponse:
    """An entry that never played, without a trace."""
    submit(event_id, RemoveCompetitor(competitor))
    if field("back"):
        return redirect(url_for(f"console.{_back()}", event_id=event_id), 303)
    return back_to_event(event_id, "competitors")


@route("POST /console/<event_id>/competitors/<competitor>/details", HEADS_AND_DESK, NOT_ARCHIVED)
@shows_problem_on(event)
def person_details(event_id: str, competitor: str) -> AnyResponse:
    """Club, id, list link, paid and note; who they came with and where they always sit. All of the form at once."""
    moment = current_event(event_id)
    before = moment.people.get(competitor)
    entrant = moment.state.entrants.get(competitor)
    if before is None or entrant is None:
        raise Problem("unknown_competitor", competitor=competitor)
    if is_damaged(competitor, before):
        raise Problem("person_damaged", competitor=competitor)
    person = _with_typed_details(before)
    steps: list[Command] = []
    people: list[PersonRecord] = []
    if person != before:
        salt = secrets.token_hex(16)
        steps.append(ChangePerson(competitor, person.digest(salt)))
        people.append(PersonRecord(event_id, competitor, salt, person))
    if not moment.state.finished:
        table, group = typed_table("fixed_table"), clean_name(field("came_with")) or None
        if table != entrant.fixed_table and "fixed_table" in request.form:
            steps.append(SetFixedTable(competitor, table))
        if group != entrant.came_with and "came_with" in request.form:
            steps.append(SetCameWith(competitor, group))
    if steps:
        current_hub().service.ask([Step(event_id, step) for step in steps], actor(), people)
    return back_to_event(event_id, "competitors")


def _with_typed_details(before: Person) -> Person:
    note = "\n".join(line.rstrip() for line in field("note")[:PROSE_LETTERS].splitlines())
    return structs.replace(before, club=clean_name(field("club")) or None,
                           external_id=" ".join(field("external_id").split()) or None,
                           list_link=field("list_link") or None, paid=bool(field("paid")), note=note or None)


@route("GET /console/<event_id>/competitors/<competitor>/link", DESK, VISIBLE)
def person_link(event_id: str, competitor: str, shown: bool = False) -> AnyResponse:
    """Whether somebody has the link. The link itself is shown only when it is asked for: whoever sees it has it."""
    moment, links = current_event(event_id), current_hub().access.links
    if competitor not in moment.state.entrants:
        abort(404)
    name = full_names(moment)[competitor]
    hall = hub_address()
    context: dict[str, Any] = {}
    if shown:
        address = hall + links.give(event_id, competitor, actor())
        current_hub().presence.settle((TAKEN, event_id, competitor))
        context = {"qr": qr_svg(address, words()("link.qr", name=name)), "code": links.code(event_id, competitor),
                   "minutes": CODE_LIFE_MS // 60_000}
    return page("person_link.html", state=moment.state, competitor=competitor, name=name, door=f"{hall}/me",
                given=links.is_given(event_id, competitor), **context)


@route("POST /console/<event_id>/competitors/<competitor>/link", DESK, VISIBLE)
@shows_problem_on(person_link)
def show_link(event_id: str, competitor: str) -> AnyResponse:
    return person_link(event_id, competitor, shown=True)


@route("POST /console/<event_id>/competitors/<competitor>/link/revoke", DESK, VISIBLE)
@shows_problem_on(person_link)
def revoke_link(event_id: str, competitor: str) -> AnyResponse:
    """The phone that has it shows nothing any more; the next one that is shown is another."""
    if competitor not in current_event(event_id).state.entrants:
        abort(404)
    current_hub().access.links.revoke(event_id, competitor, actor())
    return redirect(url_for("console.person_link", event_id=event_id, competitor=competitor), 303)


@route("GET /console/<event_id>/absent", STAFF, VISIBLE)
def absent(event_id: str) -> AnyResponse:
    """From the publishing of a round on; that somebody did not appear is said once the announced minutes are over."""
    moment, hub, units = current_event(event_id), current_hub(), current_units()
    state = moment.state
    grid = grid_cells(current_snapshot(), units, state, state.live, full_names(moment), now_ms())
    view = absentees_view(units, state, grid, played_ms(state, hub.clocks.now()), hub.presence.here)
    return page("absentees.html", feed=f"console/{event_id}", state=state, rulebook=state.rulebook, view=view)


@route("POST /console/<event_id>/competitors", HEADS_AND_DESK, OPEN, only=BEFORE_ROUND_1)
@shows_problem_on(event)
def enter(event_id: str) -> AnyResponse:
    """One name a line, all of them or none. Where they came from holds for every line, a team's members for one."""
    moment = current_event(event_id)
    lines = [name for line in field("names").splitlines() if (name := " ".join(line.split()))]
    size = moment.state.rulebook.team_size
    named = [parse_team(line) if size > 1 else (line, ()) for line in lines]
    names = [name for name, _ in named]
    if not names:
        raise Invalid("no_names")
    if len(moment.state.entrants) + len(names) > MOST_COMPETITORS:
        # The writer says so as well, after a look at each of them.
        raise Problem("too_many_competitors", maximum=MOST_COMPETITORS)
    for name in (*names, field("public_name"), field("came_with")):
        clean_name(name)
    if field("same_name") and field("known") not in ("", str(len(moment.state.entrants))):
        # Who is meant to be there twice is not there three times because the form was sent twice.
        raise Problem("step_changed_meanwhile")
    if not field("same_name"):
        _refuse_duplicates(names, [moment.people[who].name for who in moment.state.entrants if who in moment.people])
    meets = field("meets") or None
    if meets and len(names) > 1:
        raise Problem("meets_one")
    table = typed_table("fixed_table")
    typed, captain = typed_team()
    if len(names) > 1 and (table is not None or typed):
        raise Invalid("fields_of_one")
    teams = [(members or typed, members[0] if members else captain) for _, members in named]
    if size > 1:
        refuse_broken_teams(moment, dict(zip(names, teams, strict=True)))
    first = next_number((*moment.state.entrants, *moment.state.removed), "p")
    steps, people = [], []
    for number, (name, (members, leader)) in enumerate(zip(names, teams, strict=True), start=first):
        competitor = Competitor(
            f"p{number}", name, public_name=clean_name(field("public_name")) or None if len(names) == 1 else None,
            came_with=clean_name(field("came_with")) or None, won_bye=bool(field("won_bye")),
            fixed_table=table, members=members, captain=leader,
        )
        record, entrant = person_and_entrant(event_id, competitor)
        people.append(record)
        entrant = structs.replace(entrant, checked_in=bool(field("here")))
        steps.append(Step(event_id, EnterCompetitor(entrant, meets=meets, reason=typed_reason())))
    current_hub().service.ask(steps, actor(), people)
    return back_to_event(event_id, "competitors")


def parse_team(line: str) -> tuple[str, tuple[str, ...]]:
    """A team as one line says it, "Falken: Ana Ruiz, Bruno Maier", the captain first; without a colon, its name."""
    name, colon, members = line.partition(":")
    if not colon or not name.strip():
        return line, ()
    return name.strip(), tuple(member for part in members.split(",") if (member := part.strip()))


def refuse_broken_teams(moment: EventAt, teams: Mapping[str, tuple[tuple[str, ...], str | None]],
                        but: str | None = None) -> None:
    """"Juego por equipos épico": two players each, and nobody in two teams. `but`: a team that is being changed.

    Raises Problem("team_members_missing", "member_twice", "name_twice").
    """
    size = moment.state.rulebook.team_size
    known = {fold(member): moment.people[who].name for who in moment.state.entrants
             if who in moment.people and who != but for member in moment.people[who].members}
    for name, (members, _) in teams.items():
        if len(members) != size:
            raise Problem("team_members_missing", team=name, size=size)
        for place, member in enumerate(members):
            clean_name(member)
            if fold(member) in map(fold, members[:place]):
                raise Invalid("name_twice", name=member)
            if fold(member) in known:
                raise Problem("member_twice", name=member, team=known[fold(member)])
        known.update((fold(member), name) for member in members)


def typed_team() -> tuple[tuple[str, ...], str | None]:
    """The members as they were typed, and which of them is captain: all of them or none."""
    members = tuple(clean_name(field(f"member_{n}")) for n in (1, 2))
    if not any(members):
        return (), None
    if not all(members):
        raise Invalid("member_missing")
    if members[0].casefold() == members[1].casefold():
        raise Invalid("name_twice", name=members[0])
    return members, members[1] if field("captain") == "2" else members[0]


def _refuse_duplicates(names: list[str], known: list[str]) -> None:
    """The same list pasted twice is likelier than two people of one name: those need a tick."""
    seen = {name.casefold() for name in known}
    for name in names:
        if name.casefold() in seen:
            raise Invalid("name_twice", name=name)
        seen.add(name.casefold())


@route("POST /console/<event_id>/competitors/<competitor>/rename", HEADS_AND_DESK, NOT_ARCHIVED)
@shows_problem_on(event)
def rename(event_id: str, competitor: str) -> AnyResponse:
    """Another name, or another public one; everything else known of the person stays."""
    moment = current_event(event_id)
    name, public = clean_name(field("name")), clean_name(field("public_name"))
    if not name:
        raise Invalid("no_names")
    before = moment.people.get(competitor) or Person(name)
    if is_damaged(competitor, before):
        # Nothing but the id is known: what stands for the rest is not carried on.
        before, public = Person(name), "" if public == before.public_name else public
    members, captain = typed_team()
    if members:
        refuse_broken_teams(moment, {name: (members, captain)}, but=competitor)
        before = structs.replace(before, members=members, captain=captain)
    person, salt = structs.replace(before, name=name, public_name=public or None), secrets.token_hex(16)
    return submit_and_redirect(event_id, ChangePerson(competitor, person.digest(salt)), "competitors",
                     [PersonRecord(event_id, competitor, salt, person)])


@route("POST /console/<event_id>/competitors/<competitor>/drop", HEADS_AND_DESK, OPEN, only=BEFORE_ROUND_1)
@shows_problem_on(event)
def drop(event_id: str, competitor: str) -> AnyResponse:
    together = both_asked_to_leave(event_id, competitor)
    return drop_or_disqualify(event_id, competitor, DROP, lambda stood, plays_on: submit(
        event_id, DropCompetitor(competitor, stood, plays_on, together, typed_reason())))


@route("POST /console/<event_id>/competitors/<competitor>/return", HEADS_AND_DESK, OPEN, only=BEFORE_ROUND_1)
@shows_problem_on(event)
def come_back(event_id: str, competitor: str) -> AnyResponse:
    return submit_and_redirect(event_id, ReturnCompetitor(competitor), "competitors")


@route("POST /console/<event_id>/competitors/<competitor>/disqualify", JUDGES, OPEN)
@shows_problem_on(event)
def disqualify(event_id: str, competitor: str) -> AnyResponse:
    """For good, with a reason that is kept."""
    by = signing_official(event_id)
    reason = require_reason(typed_reason())
    return drop_or_disqualify(event_id, competitor, "disqualify",
                  lambda stood, _: submit(event_id, Disqualify(competitor, reason, by, stood)))


NOW, UNKNOWN, AFTER = "1", "0", "after"
"""The form's buttons: they leave, and this is how it stood; nobody knows that now; they leave only after this round."""
DROP = "drop"

Submit = Callable[[Result | None, bool], None]
"""Told with the figures of the match that is left, and whether it is only after this round."""


def drop_or_disqualify(event_id: str, competitor: str, action: str, tell: Submit) -> AnyResponse:
    """Somebody drops, or is disqualified (`action`): at once where no match of theirs is open, else after a page that
    says what becomes of it and asks how it stands."""
    state = current_event(event_id).state
    found, does = open_match(state, competitor), leave_effect(state, competitor)
    asked_of = (CONCEDES, REPORTED, JUDGED, PLACE) if action == DROP or _opponent_is_here(state, does) else (PLACE,)
    if found is None or does.what not in asked_of or field("known") == UNKNOWN \
            or (field("known") == NOW and not _needs_result(state, *found, action)):
        tell(None, False)
        return back_to_event(event_id, "competitors")
    if field("known") == AFTER and action == DROP:
        tell(None, True)
        return back_to_event(event_id, "competitors")
    moment = current_event(event_id)
    seat = replace(match_context(moment, *found, full_names(moment), OFFICIAL), saying=LEAVING)
    side: Side = "a" if seat.match.match.a == competitor else "b"
    conceded = next(way for way in seat.form.ways if way.ended == CONCESSION)
    fields = Fields(request.form)
    if not _needs_result(state, *found, action):
        return _ask_for_result(seat, None, fields, competitor, action)
    fields.setlist("way", [conceded.id])
    fields.setlist("opener", [other(side)])
    at = wizard_page_at(seat, fields)
    if at.result is not None and not g.get("problem"):
        try:
            tell(at.result, False)
            return back_to_event(event_id, "competitors")
        except Problem as problem:
            g.problem, g.status = with_competitor_names(problem, event_id), problem_status(problem)
    if at.result is not None or at.trail.way is None:
        # Every question is answered, and the answers cannot stand; or one that is no answer was sent along with others
        # than those of its page: they are asked again.
        at = wizard_page(seat.form, Progress(conceded, other(side)))
    return _ask_for_result(seat, at, fields, competitor, action)


def _needs_result(state: EventState, played: RoundState, match: MatchState, action: str) -> bool:
    """Nothing where a side has said how it ended, which stays unless somebody is disqualified; nor of a match that has
    not begun."""
    return (action != DROP or not match.reports) and bool(missing_after_leaving(state, played, match)) \
        and not frees_cut_place(state, match.match.a)


def _opponent_is_here(state: EventState, does: LeaveEffect) -> bool:
    """Else the match is decided by who left it first, whatever becomes of the other one."""
    return does.opponent in state.entrants and state.entrants[does.opponent].at_the_table


def both_asked_to_leave(event_id: str, competitor: str) -> bool:
    """Whether both of an open match have asked to leave, and neither has left."""
    found = open_match(current_event(event_id).state, competitor)
    wishing = {wish.competitor for wish in current_hub().hall.wishes.of(event_id) if not wish.refused}
    return found is not None and {found[1].match.a, found[1].match.b} <= wishing


def _ask_for_result(seat: MatchContext, at: WizardPage | None, fields: Fields, competitor: str,
                    action: str) -> AnyResponse:
    leaver: Side = "a" if seat.match.match.a == competitor else "b"
    names = at.names if at is not None else ()
    carried = [*(at.trail.fields() if at is not None else ()),
               *((name, field(name)) for name in ("reason", "by") if field(name) and action != DROP)]
    return page(
        "leave.html", state=seat.state, match=seat.match, names=seat.names, competitor=competitor, action=action, at=at,
        given={name: fields.getlist(f"q.{name}") for name in names if f"q.{name}" in fields}, carried=carried,
        leaver=seat.names[leaver], to=seat.names[other(leaver)], figure_label=figure_label,
        does=leave_effect(seat.state, competitor),
        more=at is not None and not is_last(at),
        together=both_asked_to_leave(seat.state.id, competitor),
    )
