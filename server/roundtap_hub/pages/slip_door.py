"""The door that a slip's QR code opens: the match for officials' phones, for everybody else one's own page."""

from __future__ import annotations

from urllib.parse import urlsplit

from flask import abort, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.records import SIDES
from roundtap_hub.cookies import cookies_in
from roundtap_hub.pages import visit
from roundtap_hub.pages.base import now_ms, page, the_hub, the_snapshot
from roundtap_hub.pages.slip_desk import opened_by_qr
from roundtap_hub.policy import SLIP, route
from roundtap_hub.presence import TAKEN
from roundtap_hub.printing.slip_marks import FoundSlip, OldSlip, find_slip
from roundtap_hub.views.event_at import event_at, shown_names
from roundtap_hub.views.knockout import title_key
from roundtap_hub.views.tables import side_names

OFFICIAL, OFFICIAL_S = "roundtap_official", 12 * 3600
"""A phone on which an official was logged in: slips send it to the encrypted door at once. It opens nothing."""


@route("GET /s/<token>", SLIP)
def slip_door(token: str) -> AnyResponse:
    """Officials come to the match, `?official` by way of the login; everybody else is asked who they are."""
    found = _found(token)
    official = "official" in request.args
    if visit.who() is not None:
        visit.the_visit().to_set[OFFICIAL] = ("1", OFFICIAL_S)
        return opened_by_qr(found)
    if official and request.is_secure:
        return redirect(url_for("pages.login", next=url_for("s.slip_door", token=token)), 303)
    if official or (not request.is_secure and _sent(OFFICIAL)):
        encrypted = the_hub().access.encrypted
        if encrypted is not None and not request.is_secure:
            host = urlsplit(request.host_url).hostname
            return redirect(f"https://{f'[{host}]' if host and ':' in host else host}:{encrypted.port}"
                            f"{url_for('s.slip_door', token=token, official='1')}", 303)
        return redirect(url_for("pages.login", next=url_for("s.slip_door", token=token)), 303)
    visit.phone()
    return _which_of_two(found, token)


@route("POST /s/<token>", SLIP)
def slip_mine(token: str) -> AnyResponse:
    """"That is me": the own page. No form here carries a mark: whoever asks holds the slip, and a browser sends the
    cookie to no other page's form. The first phone that says so gets the personal one, any other has to ask at the
    desk."""
    found = _found(token)
    moment = event_at(the_snapshot(), found.event_id)
    at = moment.state.find_match(found.match_id) if moment else None
    side, browser = request.form.get("side", ""), visit.phone()
    who = at[1].match.competitor("b" if side == "b" else "a") if at is not None and side in SIDES else None
    if who is None:
        abort(400)
    path = the_hub().access.links.claim_by_slip(found.event_id, who, browser) if browser and found.signed else None
    if path is not None:
        return redirect(path, 303)
    if browser and found.signed and the_hub().access.links.given_by_slip(found.event_id, who):
        # A stranger's phone, or the owner of a page that a stranger took: the desk looks.
        the_hub().presence.ask((TAKEN, found.event_id, who), "slip", now_ms())
    return _which_of_two(found, token, taken=who)


def _found(token: str) -> FoundSlip:
    """The match of a slip that stands. A page that says why, for one that does not."""
    hub = the_hub()
    found = find_slip(hub.service, hub.access.secret, token)
    if found is None:
        abort(404)
    if isinstance(found, OldSlip):
        abort(page("slip_old.html", status=410, state=the_snapshot().event(found.event_id), old=found,
                   event_id=found.event_id))
    return found


def _which_of_two(found: FoundSlip, token: str, taken: str = "") -> AnyResponse:
    moment = event_at(the_snapshot(), found.event_id)
    at = moment.state.find_match(found.match_id) if moment else None
    if moment is None or at is None:
        abort(404)
    played, match = at
    names = shown_names(moment)
    return page("slip_door.html", state=moment.state, played=played, match=match, token=token,
                played_name=title_key(moment.state, played), seats=side_names(match, names), taken=names.get(taken, ""),
                taken_id=taken)


def _sent(name: str) -> str:
    return cookies_in(request.headers.get("Cookie", "")).get(name, "")

