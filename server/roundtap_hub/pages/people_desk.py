"""What the desk does about people: who is here, and at their table; what is known of somebody, their personal link;
entries taken out, late arrivals."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flask import abort, redirect, request, url_for
from msgspec.structs import replace
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.commands import (
    ChangePerson,
    CheckIn,
    Command,
    ConfirmEntry,
    RemoveCompetitor,
    SetCameWith,
    SetCheckIn,
    SetFixedTable,
)
from roundtap_core.event.person import Person
from roundtap_core.event.state import TO_CONFIRM, awaited
from roundtap_core.limits import PROSE_LETTERS
from roundtap_core.lists.parts import fold, sought
from roundtap_core.names import fit_name
from roundtap_hub.hub import hall_address
from roundtap_hub.journal.journal import PersonRecord
from roundtap_hub.journal.person_rows import is_damaged
from roundtap_hub.journal.service import Step
from roundtap_hub.pages.base import (
    actor,
    back_to_event,
    field,
    mended_on,
    now_ms,
    page,
    tell,
    the_hub,
    the_moment,
    the_snapshot,
    the_units,
    typed_table,
    words,
)
from roundtap_hub.pages.console import event
from roundtap_hub.personal_links import CODE_LIFE_MS
from roundtap_hub.policy import DESK, HEADS_AND_DESK, NOT_ARCHIVED, OPEN, ORGANIZERS, SEEN, STAFF, route
from roundtap_hub.presence import TAKEN
from roundtap_hub.qr_svg import qr_svg
from roundtap_hub.views.event_at import EventAt, full_names
from roundtap_hub.views.judging import desk_of
from roundtap_hub.views.not_there import not_there_view
from roundtap_hub.views.page_versions import played_ms
from roundtap_hub.views.tables import cells
from roundtap_hub.views.wall import sort_key

NUMBERED = re.compile(r" \(\d+\)$")
"""What tells namesakes apart, and nobody types."""


@dataclass(frozen=True, slots=True)
class Expected:
    """One competitor at the check-in. `to_confirm`: signed up by phone and not known at the desk yet; `ticked`: said to
    be here, which alone is not enough for who is to be confirmed."""

    id: str
    name: str
    club: str
    to_confirm: bool
    ticked: bool


@dataclass(frozen=True, slots=True)
class CheckInView:
    """`late`: round 1 is played, so that whoever comes now comes late; `over`: nobody can come any more."""

    used: bool
    missing: tuple[Expected, ...]
    here: tuple[Expected, ...]
    late: bool
    over: bool

    @property
    def entered(self) -> int:
        return len(self.missing) + len(self.here)


def check_in_view(moment: EventAt) -> CheckInView:
    """Everybody who has not left, by name."""
    state, names, waiting = moment.state, full_names(moment), awaited(moment.state)
    both: tuple[list[Expected], list[Expected]] = ([], [])
    for entrant in state.entrants.values():
        if entrant.active:
            person = moment.people.get(entrant.id)
            both[entrant.id not in waiting].append(Expected(
                entrant.id, names[entrant.id], (person.club if person else None) or "",
                entrant.sign_up == TO_CONFIRM, entrant.checked_in))
    missing, here = (tuple(sorted(some, key=lambda each: sort_key(each.name))) for some in both)
    return CheckInView(state.check_in, missing, here, len(state.public_rounds) == 1,
                       len(state.public_rounds) > 1 or state.cut is not None)


def meant(typed: str, some: Sequence[Expected]) -> list[Expected]:
    """Whom a few letters mean: the very name, be it of two, else those of whom every word begins a part of the name."""
    words = fold(typed).split()
    same = [each for each in some if fold(NUMBERED.sub("", each.name)) == " ".join(words)]
    if same or not words:
        return same
    return [each for each in some
            if all(any(part.startswith(word) for part in sought(each.name).split()) for word in words)]


SIGN_UP = "sign-up"
"""What a form says that stands on the page of sign-up by phone."""


@route("GET /console/<event_id>/check-in", STAFF, SEEN)
def check_in(event_id: str, competitor: str = "") -> AnyResponse:
    """Who is not here yet, and who is; a name, enter, the next one."""
    moment = the_moment(event_id)
    view = check_in_view(moment)
    typed = request.args.get("q", "").strip()
    return page("check_in.html", feed=f"console/{event_id}", state=moment.state, rulebook=moment.state.rulebook,
                check=view, q=typed, found=meant(typed, view.missing) if typed else (), desk=desk_of(moment))


@route("POST /console/<event_id>/check-in", ORGANIZERS, OPEN)
@mended_on(event)
def use_check_in(event_id: str) -> AnyResponse:
    """Whether only who has checked in is paired."""
    used = field("used") == "1"
    tell(event_id, SetCheckIn(used))
    return redirect(url_for("console.check_in", event_id=event_id), 303) if used else back_to_event(event_id)


@route("POST /console/<event_id>/check-in/name", HEADS_AND_DESK, OPEN)
@mended_on(check_in)
def check_in_name(event_id: str) -> AnyResponse:
    """Typed at the desk: the one who is meant is here. Where several may be, they are shown to choose from."""
    view = check_in_view(the_moment(event_id))
    typed = fit_name(field("name"))
    found = meant(typed, view.missing)
    if not typed:
        raise Invalid("no_names")
    if not found:
        already = meant(typed, view.here)
        raise Problem("check_in_already", name=already[0].name) if already else Problem("check_in_nobody", name=typed)
    if len(found) > 1 or view.late:
        return redirect(url_for("console.check_in", event_id=event_id, q=typed), 303)
    the_hub().service.ask([Step(event_id, command) for command in _arriving(event_id, found[0].id, None)], actor())
    return redirect(url_for("console.check_in", event_id=event_id), 303)


@route("POST /console/<event_id>/competitors/<competitor>/here", HEADS_AND_DESK, OPEN)
@mended_on(check_in)
def person_here(event_id: str, competitor: str) -> AnyResponse:
    """Somebody is here (`on` 1), or is not after all; once round 1 is played `meets` says against whom."""
    if field("on", "1") == "1":
        commands = _arriving(event_id, competitor, field("meets") or None)
        the_hub().service.ask([Step(event_id, command) for command in commands], actor())
    else:
        tell(event_id, CheckIn(competitor, on=False))
    return redirect(url_for("console.check_in", event_id=event_id), 303)


@route("POST /console/<event_id>/competitors/<competitor>/confirm", HEADS_AND_DESK, OPEN)
@mended_on(check_in)
def person_confirm(event_id: str, competitor: str) -> AnyResponse:
    """Who signed up by phone is known at the desk; whether they are here is another matter."""
    tell(event_id, ConfirmEntry(competitor, field("meets") or None))
    return redirect(url_for(f"console.{_back()}", event_id=event_id), 303)


def _back() -> str:
    """The page that a form was on."""
    return "sign_up" if field("back") == SIGN_UP else "check_in"


def _arriving(event_id: str, competitor: str, meets: str | None) -> list[Command]:
    """Whoever stands at the desk is known there, too: what was to be confirmed is."""
    state = the_moment(event_id).state
    commands: list[Command] = []
    if state.check_in:
        commands.append(CheckIn(competitor, meets=meets))
    commands.append(ConfirmEntry(competitor, meets=meets))
    return commands


@route("POST /console/<event_id>/competitors/<competitor>/remove", HEADS_AND_DESK, OPEN)
@mended_on(event)
def person_remove(event_id: str, competitor: str) -> AnyResponse:
    """An entry that never played, without a trace."""
    tell(event_id, RemoveCompetitor(competitor))
    if field("back"):
        return redirect(url_for(f"console.{_back()}", event_id=event_id), 303)
    return back_to_event(event_id, "competitors")


@route("POST /console/<event_id>/competitors/<competitor>/details", HEADS_AND_DESK, NOT_ARCHIVED)
@mended_on(event)
def person_details(event_id: str, competitor: str) -> AnyResponse:
    """Club, id, list link, paid and note; who they came with and where they always sit. All of the form at once."""
    moment = the_moment(event_id)
    before = moment.people.get(competitor)
    entrant = moment.state.entrants.get(competitor)
    if before is None or entrant is None:
        raise Problem("unknown_competitor", competitor=competitor)
    if is_damaged(competitor, before):
        raise Problem("person_damaged", competitor=competitor)
    person = _person(before)
    steps: list[Command] = []
    people: list[PersonRecord] = []
    if person != before:
        salt = secrets.token_hex(16)
        steps.append(ChangePerson(competitor, person.digest(salt)))
        people.append(PersonRecord(event_id, competitor, salt, person))
    if not moment.state.finished:
        table, group = typed_table("fixed_table"), fit_name(field("came_with")) or None
        if table != entrant.fixed_table and "fixed_table" in request.form:
            steps.append(SetFixedTable(competitor, table))
        if group != entrant.came_with and "came_with" in request.form:
            steps.append(SetCameWith(competitor, group))
    if steps:
        the_hub().service.ask([Step(event_id, step) for step in steps], actor(), people)
    return back_to_event(event_id, "competitors")


def _person(before: Person) -> Person:
    note = "\n".join(line.rstrip() for line in field("note")[:PROSE_LETTERS].splitlines())
    return replace(before, club=fit_name(field("club")) or None,
                   external_id=" ".join(field("external_id").split()) or None,
                   list_link=field("list_link") or None, paid=bool(field("paid")), note=note or None)


@route("GET /console/<event_id>/competitors/<competitor>/link", DESK, SEEN)
def person_link(event_id: str, competitor: str) -> AnyResponse:
    """Whether somebody has the link. The link itself is shown only when it is asked for: whoever sees it has it."""
    return _page(event_id, competitor)


def _page(event_id: str, competitor: str, shown: bool = False) -> AnyResponse:
    moment, links = the_moment(event_id), the_hub().access.links
    if competitor not in moment.state.entrants:
        abort(404)
    name = full_names(moment)[competitor]
    hall = hall_address(the_hub(), request.host_url)
    context: dict[str, Any] = {}
    if shown:
        address = hall + links.give(event_id, competitor, actor())
        the_hub().presence.settle((TAKEN, event_id, competitor))
        context = {"qr": qr_svg(address, words()("link.qr", name=name)), "code": links.code(event_id, competitor),
                   "minutes": CODE_LIFE_MS // 60_000}
    return page("person_link.html", state=moment.state, competitor=competitor, name=name, door=f"{hall}/me",
                given=links.is_given(event_id, competitor), **context)


@route("POST /console/<event_id>/competitors/<competitor>/link", DESK, SEEN)
@mended_on(person_link)
def show_link(event_id: str, competitor: str) -> AnyResponse:
    return _page(event_id, competitor, shown=True)


@route("POST /console/<event_id>/competitors/<competitor>/link/revoke", DESK, SEEN)
@mended_on(person_link)
def revoke_link(event_id: str, competitor: str) -> AnyResponse:
    """The phone that has it shows nothing any more; the next one that is shown is another."""
    if competitor not in the_moment(event_id).state.entrants:
        abort(404)
    the_hub().access.links.revoke(event_id, competitor, actor())
    return redirect(url_for("console.person_link", event_id=event_id, competitor=competitor), 303)


@route("GET /console/<event_id>/absent", STAFF, SEEN)
def absent(event_id: str) -> AnyResponse:
    """From the publishing of a round on; that somebody did not appear is said once the announced minutes are over."""
    moment, hub, units = the_moment(event_id), the_hub(), the_units()
    state = moment.state
    grid = cells(the_snapshot(), units, state, state.live, full_names(moment), now_ms())
    view = not_there_view(units, state, grid, played_ms(state, hub.clocks.now()), hub.presence.here)
    return page("absent.html", feed=f"console/{event_id}", state=state, rulebook=state.rulebook, view=view)
