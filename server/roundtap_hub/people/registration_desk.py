"""The registration desk: players entered, checked in, renamed, leaving, coming back; their details, their link, and
their lists: a rulebook's form to view, type and correct one, and the state of each.
"""

import secrets
from collections.abc import Callable
from typing import Any

from flask import abort, g, redirect, request, url_for
from msgspec import structs
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event import abandoned_match, commands
from roundtap_core.event.entries import Person
from roundtap_core.event.event_flow import require_reason
from roundtap_core.event.states import EventState, MatchState, RoundState, active_ids
from roundtap_core.names import clean_name
from roundtap_core.records import CONCESSION, Competitor, Result, Side, other_side
from roundtap_core.rulebooks.result_gate import OFFICIAL
from roundtap_core.typed import MOST_COMPETITORS, PROSE_LETTERS, fits_line, sanitize_text
from roundtap_hub.access.personal_links import CODE_LIFE_MS
from roundtap_hub.http import routes
from roundtap_hub.http.http_answers import problem_status
from roundtap_hub.http.qr_svg import qr_svg
from roundtap_hub.live import current, forms, render, result_wizard
from roundtap_hub.live.list_fields import list_view, typed_list
from roundtap_hub.people.raw_table import UNSEEN_MARKS, marked_rows, name_rows
from roundtap_hub.people.regulars import (
    SHOWN,
    Regular,
    check_in_steps,
    entering,
    find_by_name,
    from_book,
    last_evening,
    namesakes,
    regulars,
)
from roundtap_hub.store.journal import PersonRecord
from roundtap_hub.store.models import is_damaged, refuse_damaged
from roundtap_hub.store.service import Step
from roundtap_hub.views.competitors import IN, CompetitorRow, roster
from roundtap_hub.views.judging_view import people_forms_view
from roundtap_hub.views.round_clock import played_ms
from roundtap_hub.views.saved_event import SavedEvent, full_names, planned_swiss
from roundtap_hub.views.tables import absentees_view, grid_cells
from roundtap_hub.views.unit_presence import OLD_SLIP, TAKEN

SIGN_UP = "sign-up"  # the `back` field of forms on the sign-up page

NOW, UNKNOWN, AFTER = "1", "0", "after"
"""The form's buttons: leave now, with this result; leave, result unknown; leave after this round."""
DROP = "drop"


def awaited_and_present(event: SavedEvent) -> tuple[list[CompetitorRow], list[CompetitorRow], list[CompetitorRow]]:
    """All who have not left, by name: (awaited, present, all)."""
    people = [each for each in roster(event) if each.status == IN]
    return [each for each in people if each.awaited], [each for each in people if not each.awaited], people


def is_late_entry(state: EventState) -> bool:
    """Whether only round 1 is published, so that a new player is a late entry."""
    return len(state.public_rounds) == 1


@routes.route("GET /console/<event_id>/check-in", routes.STAFF, routes.VISIBLE)
def check_in_page(event_id: str, competitor: str = "") -> AnyResponse:
    """Awaited and present players, with a field to check in by name; before round 1 also people of the book: the
    regulars, or those whose names begin with the letters typed (`q`)."""
    event = current.event(event_id)
    state, typed = event.state, request.args.get("q", forms.field("name")).strip()[: forms.NAME_LETTERS]
    missing, present, people = awaited_and_present(event)
    early = not (state.public_rounds or state.finished)
    known = regulars(event) if early else []
    before, of_last = last_evening(event, known)
    found = find_by_name(typed, missing) if typed else []
    offered = find_by_name(typed, known) if typed else [row for row in known if row.evenings]
    return render.page(
        "check_in.html",
        feed=routes.PageKey("console", event_id),
        state=state,
        rulebook=state.rulebook,
        missing=missing,
        here=present,
        people=people,
        early=early,
        late=is_late_entry(state),
        over=len(state.public_rounds) > 1 or state.cut is not None,
        q=typed,
        found=found,
        regulars=offered[:SHOWN],
        of_book={row.known.id: row for row in known},
        unknown=bool(typed) and not (found or offered),
        before=before,
        of_last=[row for row in of_last if not row.here],
        may_draw=early and not state.rounds and len(active_ids(state)) > 1 and planned_swiss(state) is not None,
        desk=people_forms_view(event),
    )


@routes.route("POST /console/<event_id>/check-in", routes.ORGANIZERS, routes.OPEN)
@forms.shows_problem_on(forms.EVENT_PAGE)
def set_check_in(event_id: str) -> AnyResponse:
    """Set whether only players who have checked in are paired."""
    used = forms.field("used") == "1"
    forms.submit_command(event_id, commands.SetCheckIn(used))
    return redirect(url_for("console.check_in_page", event_id=event_id), 303) if used else forms.back_to_event(event_id)


@routes.route("POST /console/<event_id>/check-in/name", routes.HEADS_AND_DESK, routes.OPEN)
@forms.shows_problem_on(check_in_page)
def check_in_name(event_id: str) -> AnyResponse:
    """Check in the player whose name was typed: one who is awaited or, before round 1, in the book. Exactly this name
    is meant before a longer one. Of several, and of namesakes of whom one is here, the page asks which; for a name that
    fits nobody it asks whether to enter a new player."""
    event, typed = current.event(event_id), clean_name(forms.field("name"))
    missing, present, _ = awaited_and_present(event)
    if not typed:
        raise Invalid("no_names")
    early = not event.state.public_rounds
    rows = [*missing, *present, *(row for row in (regulars(event) if early else ()) if not row.competitor)]
    same = namesakes(typed, rows)
    fitting = same or find_by_name(typed, rows)
    away = [row for row in fitting if isinstance(row, Regular) or row.awaited]
    if not away and (fitting or not early):
        raise Problem("check_in_already", name=fitting[0].name) if fitting else Problem("check_in_nobody", name=typed)
    if len(away) != 1 or len(same) > 1 or is_late_entry(event.state):
        return redirect(url_for("console.check_in_page", event_id=event_id, q=typed), 303)
    steps, people = (
        entering(event.state, [from_book(away[0].known)])
        if isinstance(away[0], Regular)
        else (check_in_steps(event.state, away[0].id), [])
    )
    forms.submit_steps(steps, people)
    return redirect(url_for("console.check_in_page", event_id=event_id), 303)


@routes.route("POST /console/<event_id>/competitors/<competitor>/here", routes.HEADS_AND_DESK, routes.OPEN)
@forms.shows_problem_on(check_in_page)
def set_checked_in(event_id: str, competitor: str) -> AnyResponse | None:
    """Mark a player as present (`on` 1) or not; a late entry `meets` an opponent. `back`: to the list of players."""
    if forms.field("on", "1") == "1":
        steps = check_in_steps(current.event(event_id).state, competitor, forms.field("meets") or None)
        forms.submit_steps(steps)
    else:
        forms.submit_command(event_id, commands.CheckIn(competitor, on=False))
    return forms.back_to_event(event_id, "competitors") if forms.field("back") else None


@routes.route("POST /console/<event_id>/competitors/<competitor>/confirm", routes.HEADS_AND_DESK, routes.OPEN)
@forms.shows_problem_on(check_in_page)
def confirm_sign_up(event_id: str, competitor: str) -> AnyResponse:
    """Confirm a sign-up by phone, without checking the player in."""
    forms.submit_command(event_id, commands.ConfirmEntry(competitor, forms.field("meets") or None))
    return redirect(url_for(f"console.{_back()}", event_id=event_id), 303)


def _back() -> str:
    return "sign_up_page" if forms.field("back") == SIGN_UP else "check_in_page"


@routes.route("POST /console/<event_id>/competitors/<competitor>/remove", routes.HEADS_AND_DESK, routes.OPEN)
@forms.shows_problem_on(forms.EVENT_PAGE)
def remove_person(event_id: str, competitor: str) -> AnyResponse:
    """Remove an entry that never played, without a trace."""
    forms.submit_command(event_id, commands.RemoveCompetitor(competitor))
    if forms.field("back"):
        return redirect(url_for(f"console.{_back()}", event_id=event_id), 303)
    return forms.back_to_event(event_id, "competitors")


@routes.route("POST /console/<event_id>/competitors/<competitor>/details", routes.HEADS_AND_DESK, routes.NOT_ARCHIVED)
@forms.shows_problem_on(forms.EVENT_PAGE, "competitors")
def set_person_details(event_id: str, competitor: str) -> None:
    """Save the names, and the details with companions and fixed table: the whole form in one request, or nothing."""
    event = current.event(event_id)
    entrant = event.state.entrants.get(competitor)
    if entrant is None:
        raise Problem("unknown_competitor", competitor=competitor)
    before = event.people.get(competitor)
    person = _typed_person(competitor, before)
    steps: list[commands.Command] = []
    people: list[PersonRecord] = []
    if person != before:
        salt = secrets.token_hex(16)
        steps.append(commands.ChangePerson(competitor, person.digest(salt)))
        people.append(PersonRecord(event_id, competitor, salt, person))
    if not event.state.finished:
        table, group = forms.typed_table("fixed_table"), clean_name(forms.field("came_with")) or None
        if table != entrant.fixed_table and "fixed_table" in request.form:
            steps.append(commands.SetFixedTable(competitor, table))
        if group != entrant.came_with and "came_with" in request.form:
            steps.append(commands.SetTravelGroup(competitor, group))
    if steps:
        # The first is only taken in the state that the page showed; it changes what the others would be compared with.
        first, *more = steps
        forms.submit_steps(
            [Step(event_id, first, forms.field("step")), *(Step(event_id, step) for step in more)], people
        )
    else:
        forms.note_act("unchanged")


def _typed_person(competitor: str, before: Person | None) -> Person:
    """The person as typed; what the form does not ask stays."""
    known = before or Person("")
    name = clean_name(forms.field("name", known.name))
    public = clean_name(forms.field("public_name", known.public_name or ""))
    if not name:
        raise Invalid("no_names")
    if "club" in request.form or "name" not in request.form:
        refuse_damaged(competitor, known)
        known = _with_typed_details(known)
    elif is_damaged(competitor, before):
        # Only the id is known: placeholders for the rest are not kept.
        known, public = Person(name), "" if public == known.public_name else public
    members, captain = typed_team()
    if members or "member_1" in request.form:
        known = structs.replace(known, members=members, captain=captain)
    return structs.replace(known, name=name, public_name=public or None)


def _with_typed_details(before: Person) -> Person:
    note = "\n".join(line.rstrip() for line in forms.field("note")[:PROSE_LETTERS].splitlines())
    return structs.replace(
        before,
        club=clean_name(forms.field("club")) or None,
        external_id=" ".join(forms.field("external_id").split()) or None,
        list_link=forms.field("list_link") or None,
        paid=bool(forms.field("paid")),
        note=note or None,
    )


@routes.route("GET /console/<event_id>/competitors/<competitor>/link", routes.DESK, routes.VISIBLE)
def personal_link_page(event_id: str, competitor: str, shown: bool = False) -> AnyResponse:
    """Whether the personal link was given out; the link itself is only shown on request, as seeing it is having it."""
    event, links = current.event(event_id), current.hub().access.links
    if competitor not in event.state.entrants:
        abort(404)
    name = full_names(event)[competitor]
    hall = current.hub_address()
    context: dict[str, Any] = {}
    if shown:
        address = hall + links.give(event_id, competitor, current.actor())
        for kind in (TAKEN, OLD_SLIP):
            current.hub().presence.set_request((kind, event_id, competitor), None)
        context = {
            "qr": qr_svg(address, current.words()("link.qr", name=name)),
            "code": links.code(event_id, competitor),
            "minutes": CODE_LIFE_MS // 60_000,
        }
    return render.page(
        "person_link.html",
        state=event.state,
        competitor=competitor,
        name=name,
        door=f"{hall}/me",
        given=links.is_given(event_id, competitor),
        **context,
    )


@routes.route("POST /console/<event_id>/competitors/<competitor>/link", routes.DESK, routes.VISIBLE)
@forms.shows_problem_on(personal_link_page)
def show_link(event_id: str, competitor: str) -> AnyResponse:
    return personal_link_page(event_id, competitor, shown=True)


@routes.route("POST /console/<event_id>/competitors/<competitor>/link/revoke", routes.DESK, routes.VISIBLE)
@forms.shows_problem_on(personal_link_page)
def revoke_link(event_id: str, competitor: str) -> None:
    """Revoke the link: phones that have it lose the page, and the next link is a new one."""
    if competitor not in current.event(event_id).state.entrants:
        abort(404)
    current.hub().access.links.revoke(event_id, competitor, current.actor())


@routes.route("GET /console/<event_id>/absent", routes.STAFF, routes.VISIBLE)
def absentees_page(event_id: str) -> AnyResponse:
    """The players missing from their tables, from the publishing of a round on."""
    event, hub, snapshot = current.event(event_id), current.hub(), current.snapshot()
    state, here = event.state, hub.presence.seen_at_table
    grid = grid_cells(snapshot, current.units(), state, state.live, full_names(event), current.now_ms(), here)
    view = absentees_view(state, grid, played_ms(state, hub.clocks.now()))
    return render.page(
        "absentees.html", feed=routes.PageKey("console", event_id), state=state, rulebook=state.rulebook, view=view
    )


@routes.route("POST /console/<event_id>/competitors", routes.HEADS_AND_DESK, routes.OPEN, only=routes.BEFORE_ROUND_1)
@forms.shows_problem_on(forms.EVENT_PAGE)
def add_competitors(event_id: str) -> AnyResponse:
    """Enter one name per line, all or none. `came_with` applies to every line, a team's members to a single one."""
    event = current.event(event_id)
    typed = forms.field("names").splitlines()
    lines = [name for line in typed if (name := " ".join(UNSEEN_MARKS.sub("", line).split()))]
    size = event.state.rulebook.team_size
    named = [parse_team(line) if size > 1 else (line, ()) for line in lines]
    names = [name for name, _ in named]
    if not names:
        raise Invalid("no_names")
    if len(event.state.entrants) + len(names) > MOST_COMPETITORS:
        # The writer refuses it as well, but only after checking each of them.
        raise Problem("too_many_competitors", maximum=MOST_COMPETITORS)
    for number, name in enumerate(names, start=1):
        if not fits_line(name):
            raise Invalid("name_line_unfit", line=number, name=sanitize_text(name)[:40])
    for name in (*names, forms.field("public_name"), forms.field("came_with")):
        clean_name(name)
    if forms.field("same_name") and forms.field("known") not in ("", str(len(event.state.entrants))):
        # A form sent twice must not enter a confirmed namesake twice.
        raise Problem("step_changed_meanwhile")
    if not forms.field("same_name"):
        _refuse_duplicates(names, [event.people[who].name for who in event.state.entrants if who in event.people])
    meets = forms.field("meets") or None
    if meets and len(names) > 1:
        raise Problem("meets_one")
    table = forms.typed_table("fixed_table")
    named_apart, captain = typed_team()
    if len(names) > 1 and (table is not None or named_apart):
        raise Invalid("fields_of_one")
    teams = [(members or named_apart, members[0] if members else captain) for _, members in named]
    competitors = [
        Competitor(
            "",
            name,
            public_name=clean_name(forms.field("public_name")) or None if len(names) == 1 else None,
            came_with=clean_name(forms.field("came_with")) or None,
            won_bye=bool(forms.field("won_bye")),
            fixed_table=table,
            members=members,
            captain=leader,
        )
        for name, (members, leader) in zip(names, teams, strict=True)
    ]
    here, reason = bool(forms.field("here")), forms.typed_reason()
    steps, people = entering(event.state, competitors, here, meets=meets, reason=reason)
    forms.submit_steps(steps, people)
    if forms.field("back"):
        return redirect(url_for(f"console.{_back()}", event_id=event_id), 303)
    return forms.back_to_event(event_id, "competitors", marked=name_rows(marked_rows([line] for line in typed)))


def parse_team(line: str) -> tuple[str, tuple[str, ...]]:
    """A team's name and members from "Falken: Ana Ruiz, Bruno Maier", captain first; without a colon only the name."""
    name, colon, members = line.partition(":")
    if not colon or not name.strip():
        return line, ()
    return name.strip(), tuple(member for part in members.split(",") if (member := clean_name(part)))


def typed_team() -> tuple[tuple[str, ...], str | None]:
    """The typed members, all or none, and the captain."""
    members = tuple(clean_name(forms.field(f"member_{n}")) for n in (1, 2))
    if not any(members):
        return (), None
    if not all(members):
        raise Invalid("member_missing")
    if members[0].casefold() == members[1].casefold():
        raise Invalid("name_twice", name=members[0])
    return members, members[1] if forms.field("captain") == "2" else members[0]


def _refuse_duplicates(names: list[str], entered: list[str]) -> None:
    """Refuse known names: a list pasted twice is likelier than namesakes, who need a tick."""
    seen = {name.casefold() for name in entered}
    for name in names:
        if name.casefold() in seen:
            raise Invalid("name_twice", name=name)
        seen.add(name.casefold())


@routes.route(
    "POST /console/<event_id>/competitors/<competitor>/drop",
    routes.HEADS_AND_DESK,
    routes.OPEN,
    only=routes.BEFORE_ROUND_1,
)
@forms.shows_problem_on(forms.EVENT_PAGE)
def drop_competitor(event_id: str, competitor: str) -> AnyResponse:
    together = both_asked_to_leave(event_id, competitor)
    return drop_or_disqualify(
        event_id,
        competitor,
        DROP,
        lambda stood, plays_on: forms.submit_command(
            event_id,
            commands.DropCompetitor(
                competitor, stood, plays_on, together, forms.typed_reason(), forms.field("lets_go")
            ),
        ),
    )


@routes.route(
    "POST /console/<event_id>/competitors/<competitor>/return",
    routes.HEADS_AND_DESK,
    routes.OPEN,
    only=routes.BEFORE_ROUND_1,
)
@forms.shows_problem_on(forms.EVENT_PAGE, "competitors")
def reinstate_competitor(event_id: str, competitor: str) -> None:
    forms.submit_command(event_id, commands.ReturnCompetitor(competitor))


@routes.route("POST /console/<event_id>/competitors/<competitor>/disqualify", routes.JUDGES, routes.OPEN)
@forms.shows_problem_on(forms.EVENT_PAGE)
def disqualify_competitor(event_id: str, competitor: str) -> AnyResponse:
    """Disqualify for good, with a recorded reason."""
    by = forms.signing_official(event_id)
    reason = require_reason(forms.typed_reason())
    return drop_or_disqualify(
        event_id,
        competitor,
        "disqualify",
        lambda stood, _: forms.submit_command(
            event_id, commands.Disqualify(competitor, reason, by, stood, forms.field("lets_go"))
        ),
    )


Submit = Callable[[Result | None, bool], None]
"""Called with the result of the abandoned match, and whether the player leaves only after this round."""


def drop_or_disqualify(event_id: str, competitor: str, action: str, submit_leaving: Submit) -> AnyResponse:
    """Drop or disqualify a player (`action`): at once without an open match, else after a page on what becomes of the
    match, which asks for its result."""
    state = current.event(event_id).state
    round_and_match, effect = (
        abandoned_match.open_match(state, competitor),
        abandoned_match.leave_effect(state, competitor),
    )
    with_page: tuple[str, ...] = (abandoned_match.PLACE,)
    opponent = state.entrants.get(effect.opponent or "")
    # Where the opponent has left, too, the match is already decided by who left first.
    if action == DROP or (opponent is not None and opponent.plays_live_match):
        with_page = (abandoned_match.CONCEDES, abandoned_match.REPORTED, abandoned_match.JUDGED, abandoned_match.PLACE)
    if (
        round_and_match is None
        or effect.what not in with_page
        or forms.field("known") == UNKNOWN
        or (forms.field("known") == NOW and not _needs_result(state, *round_and_match, action))
    ):
        submit_leaving(None, False)
        return forms.back_to_event(event_id, "competitors")
    if forms.field("known") == AFTER and action == DROP:
        submit_leaving(None, True)
        return forms.back_to_event(event_id, "competitors")
    event = current.event(event_id)
    seat = structs.replace(
        result_wizard.entered_match(event, *round_and_match, full_names(event), OFFICIAL),
        saying=abandoned_match.LEAVING,
    )
    side: Side = "a" if seat.match.match.a == competitor else "b"
    conceded = next(way for way in seat.form.ways if way.ended == CONCESSION)
    fields = result_wizard.Fields(request.form)
    if not _needs_result(state, *round_and_match, action):
        return _ask_for_result(seat, None, competitor, action)
    fields.setlist("way", [conceded.id])
    fields.setlist("opener", [other_side(side)])
    at = seat.next_page(fields)
    if at.told is not None and not g.get("problem"):
        try:
            submit_leaving(at.told.result, False)
            return forms.back_to_event(event_id, "competitors")
        except Problem as problem:
            g.problem, g.status = forms.with_competitor_names(problem, event_id), problem_status(problem)
    if at.told is not None or at.trail.way is None:
        # The answers cannot stand, or came with others than those of their page: ask them again.
        at = seat.page(result_wizard.WizardProgress(conceded, other_side(side)), fields)
    return _ask_for_result(seat, at, competitor, action)


def _needs_result(state: EventState, played: RoundState, match: MatchState, action: str) -> bool:
    """Whether leaving needs the match's result: not of a match that has not begun, nor, unless for a disqualification,
    where a side has reported."""
    return (
        (action != DROP or not match.reports)
        and bool(abandoned_match.missing_after_leaving(state, played, match))
        and not abandoned_match.frees_cut_place(state, match.match.a)
    )


def both_asked_to_leave(event_id: str, competitor: str) -> bool:
    """Whether both players of an open match have asked to leave."""
    state = current.event(event_id).state
    round_and_match = abandoned_match.open_match(state, competitor)
    wishing = {who for who, wish in state.wishes.items() if not wish.refused}
    return round_and_match is not None and {round_and_match[1].match.a, round_and_match[1].match.b} <= wishing


def _ask_for_result(
    seat: result_wizard.MatchEntry,
    at: result_wizard.WizardPage | None,
    competitor: str,
    action: str,
) -> AnyResponse:
    leaver: Side = "a" if seat.match.match.a == competitor else "b"
    carried = [
        *(at.trail.fields() if at is not None else ()),
        *((name, forms.field(name)) for name in ("reason", "by") if forms.field(name) and action != DROP),
    ]
    return render.page(
        "leave.html",
        state=seat.state,
        match=seat.match,
        names=seat.names,
        competitor=competitor,
        action=action,
        at=at,
        carried=carried,
        leaver=seat.names[leaver],
        to=seat.names[other_side(leaver)],
        does=abandoned_match.leave_effect(seat.state, competitor),
        more=at is not None and not at.is_last,
        together=both_asked_to_leave(seat.state.id, competitor),
    )


@routes.route("GET /console/<event_id>/competitor/<competitor>/list", routes.STAFF, routes.VISIBLE)
def list_page(event_id: str, competitor: str) -> AnyResponse:
    """The list as saved, or as just typed, with each problem beside its line."""
    event = current.event(event_id)
    entrant = event.state.entrants.get(competitor)
    save_at = url_for("console.save_list", event_id=event_id, competitor=competitor)
    return render.page(
        "list.html",
        entrant=entrant,
        name=full_names(event).get(competitor),
        save_at=save_at,
        fixed=bool(event.state.public_rounds),
        reason=forms.field("reason"),
        state=event.state,
        view=list_view(event, competitor),
    )


@routes.route(
    "POST /console/<event_id>/competitor/<competitor>/list",
    routes.HEADS_AND_DESK,
    routes.OPEN,
    only=routes.BEFORE_ROUND_1,
)
@forms.shows_problem_on(list_page)
def save_list(event_id: str, competitor: str) -> AnyResponse:
    """Save the list: freely until round 1 is published, then only as a correction with a reason."""
    if forms.field("more"):
        return list_page(event_id, competitor)
    event = current.event(event_id)
    typed = typed_list(event, competitor)
    if typed is not None:
        record, digest, total = typed
        command = (
            commands.CorrectList(competitor, digest, total, forms.typed_reason())
            if event.state.public_rounds
            else commands.SubmitList(competitor, digest, total)
        )
        forms.submit_command(event_id, command, [record])
    else:
        forms.note_act("unchanged")
    return redirect(url_for("console.list_page", event_id=event_id, competitor=competitor), 303)
