"""Sign-up by phone, as the organizer opens it: the QR code for the hall, and who has come by it."""

from __future__ import annotations

from urllib.parse import urlsplit

from flask import Blueprint, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Problem
from roundtap_core.event.commands import RemoveCompetitor, SetSignUp
from roundtap_hub.hall_address import hall_address
from roundtap_hub.journal.service import Step
from roundtap_hub.pages.base import actor, field, mended_on, page, tell, the_hub, the_moment, words
from roundtap_hub.qr_svg import qr_svg
from roundtap_hub.views.competitors import roster
from roundtap_hub.views.event_at import EventAt, full_names

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def routes(bp: Blueprint) -> None:
    bp.add_url_rule("/<event_id>/sign-up", "sign_up", sign_up)
    bp.add_url_rule("/<event_id>/sign-up", "set_sign_up", set_sign_up, methods=["POST"])
    bp.add_url_rule("/<event_id>/sign-up/remove", "remove_sign_ups", remove_sign_ups, methods=["POST"])


def sign_up(event_id: str) -> AnyResponse:
    """The code, large and to be printed; whether it is open; who signed up."""
    moment = the_moment(event_id)
    state = moment.state
    address = f"{hall_address(the_hub(), request.host_url)}/join/{event_id}"
    return page("sign_up_desk.html", feed=f"console/{event_id}", state=state, rulebook=state.rulebook,
                address=address, qr=qr_svg(address, words()("join.qr", name=state.name)),
                only_here=urlsplit(address).hostname in LOOPBACK,
                came=[each for each in roster(moment) if state.entrants[each.id].sign_up is not None],
                together=_by_phone(moment), phones=the_hub().sign_ups.phones(event_id), names=full_names(moment))


def _by_phone(moment: EventAt) -> dict[str, list[str]]:
    """Who signed up, in their order, each with all who came by the same phone."""
    phones = the_hub().sign_ups.phones(moment.event_id)
    came = [who for who, entrant in moment.state.entrants.items() if entrant.sign_up is not None]
    return {who: [each for each in came if phones.get(each, each) == phones.get(who, who)] for who in came}


@mended_on(sign_up)
def set_sign_up(event_id: str) -> AnyResponse:
    """Open, open but to be confirmed at the desk, or closed."""
    chosen = field("sign_up")
    tell(event_id, SetSignUp(chosen in ("open", "confirm"), confirm=chosen == "confirm"))
    return redirect(url_for("console.sign_up", event_id=event_id), 303)


@mended_on(sign_up)
def remove_sign_ups(event_id: str) -> AnyResponse:
    """Somebody's entry, and with it all of the same phone, or all `since`, by whatever phone: one step, or none."""
    together, competitor = _by_phone(the_moment(event_id)), field("competitor")
    if competitor not in together:
        raise Problem("unknown_competitor", competitor=competitor)
    came = list(together)
    gone = came[came.index(competitor):] if field("since") else together[competitor]
    if str(len(gone)) != field("count"):
        # Somebody has come, or gone, since the page was made: nobody is deleted unseen.
        raise Problem("step_changed_meanwhile")
    the_hub().service.ask([Step(event_id, RemoveCompetitor(who)) for who in gone], actor())
    return redirect(url_for("console.sign_up", event_id=event_id), 303)
