"""Sign-up by phone, as the organizer opens it: the QR code for the hall, and who has come by it."""

from __future__ import annotations

from urllib.parse import urlsplit

from flask import redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Problem
from roundtap_core.event.commands import RemoveCompetitor, SetSignUp
from roundtap_core.event.seen import marked
from roundtap_hub.hub import hall_address
from roundtap_hub.journal.service import Step
from roundtap_hub.pages.base import actor, field, mended_on, page, tell, the_hub, the_moment, words
from roundtap_hub.phone_reports import PHONE
from roundtap_hub.policy import HEADS_AND_DESK, OPEN, ORGANIZERS, SEEN, route
from roundtap_hub.qr_svg import qr_svg
from roundtap_hub.views.competitors import roster
from roundtap_hub.views.event_at import EventAt, full_names

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
NAMED = 24
"""So many are named in a question that is asked beside each of some hundred entries."""


@route("GET /console/<event_id>/sign-up", HEADS_AND_DESK, SEEN)
def sign_up(event_id: str) -> AnyResponse:
    """The code, large and to be printed; whether it is open; who signed up."""
    moment = the_moment(event_id)
    state = moment.state
    address = f"{hall_address(the_hub(), request.host_url)}/join/{event_id}"
    people, together = {each.id: each for each in roster(moment)}, _together(moment)
    return page("sign_up_desk.html", feed=f"console/{event_id}", state=state, rulebook=state.rulebook,
                address=address, qr=qr_svg(address, words()("join.qr", name=state.name)),
                only_here=urlsplit(address).hostname in LOOPBACK, came=[people[who] for who in together],
                together=together, stay=_staying(moment), phones=the_hub().hall.sign_ups.phones(event_id),
                names=full_names(moment), named=NAMED, mark=_mark)


def _together(moment: EventAt) -> dict[str, dict[str, list[str]]]:
    """Who signed up, newest first, each with all who came by the same "phone", from the same "address", and "since"."""
    came = [who for who, entrant in moment.state.entrants.items() if entrant.sign_up is not None][::-1]
    marks, same = the_hub().hall.sign_ups.phones(moment.event_id), dict[tuple[str, object], list[str]]()
    groups = {who: dict(zip(("phone", "address"), marks.get(who, (who, who)), strict=True)) for who in came}
    for who in came:
        for each in groups[who].items():
            same.setdefault(each, []).append(who)
    return {who: {**{each[0]: same[each] for each in groups[who].items()}, "since": came[:n]}
            for n, who in enumerate(came, start=1)}


def _mark(gone: list[str]) -> str:
    """Of those whom a button would delete."""
    return marked("sign-ups", gone)


def _staying(moment: EventAt) -> set[str]:
    """Who is known at the desk: confirmed or checked in there, not by the own phone; or officials noted something."""
    seen = {(entry.data["competitor"], entry.kind): entry.data.get("on", True)
            for entry in the_hub().service.entries(moment.event_id)
            if entry.kind in ("entry-confirmed", "checked-in") and not entry.actor.startswith(PHONE)}
    noted = {each.id for each in roster(moment) if not each.removable}
    return noted | {who for (who, _), stands in seen.items() if stands}


@route("POST /console/<event_id>/sign-up", ORGANIZERS, OPEN)
@mended_on(sign_up)
def set_sign_up(event_id: str) -> AnyResponse:
    """Open, open but to be confirmed at the desk, or closed."""
    chosen = field("sign_up")
    tell(event_id, SetSignUp(chosen in ("open", "confirm"), confirm=chosen == "confirm"))
    return redirect(url_for("console.sign_up", event_id=event_id), 303)


@route("POST /console/<event_id>/sign-up/remove", HEADS_AND_DESK, OPEN)
@mended_on(sign_up)
def remove_sign_ups(event_id: str) -> AnyResponse:
    """Somebody's entry, and with it all of the same phone, of the same address, or all since, whom nobody at the desk
    knows: one step, or none."""
    moment, competitor = the_moment(event_id), field("competitor")
    together = _together(moment)
    if competitor not in together:
        raise Problem("unknown_competitor", competitor=competitor)
    stay = _staying(moment)
    gone = [who for who in together[competitor].get(field("by"), ()) if who not in stay]
    if _mark(gone) != field("gone"):
        # Somebody has come, gone, or been confirmed since the page was made: nobody is deleted unseen.
        raise Problem("step_changed_meanwhile")
    the_hub().service.ask([Step(event_id, RemoveCompetitor(who)) for who in gone], actor())
    return redirect(url_for("console.sign_up", event_id=event_id), 303)
