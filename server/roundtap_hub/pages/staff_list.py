"""The staff on the page of this hub: making a PIN for somebody, another one, another role, and taking it away."""

from __future__ import annotations

from flask import g, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Problem
from roundtap_hub.auth import is_here
from roundtap_hub.pages.base import actor, back_to_event, field, mended_on, the_hub, the_moment
from roundtap_hub.pages.console import event
from roundtap_hub.pages.this_hub import this_hub
from roundtap_hub.policy import OPEN, ORGANIZERS, route
from roundtap_hub.qr_svg import qr_svg


@route("POST /console/hub/staff", ORGANIZERS)
@mended_on(this_hub)
def add_person() -> AnyResponse:
    """Somebody and their PIN, which is on this answer and nowhere else."""
    person, pin = the_hub().access.organizers.staff.add(field("name"), field("role"), actor())
    return _shown(person.name, pin)


@route("POST /console/hub/staff/<person>/pin", ORGANIZERS)
@mended_on(this_hub)
def replace_pin(person: str) -> AnyResponse:
    """Another PIN; with the one before nobody gets in any more, and whoever is in is out."""
    found, pin = the_hub().access.organizers.staff.replace_pin(person, actor())
    return _shown(found.name, pin)


@route("POST /console/hub/staff/<person>/role", ORGANIZERS)
@mended_on(this_hub)
def change_role(person: str) -> AnyResponse:
    the_hub().access.organizers.staff.change_role(person, field("role"), actor())
    return redirect(url_for("console.this_hub", _anchor="staff"), 303)


@route("POST /console/hub/staff/<person>/revoke", ORGANIZERS)
@mended_on(this_hub)
def revoke_pin(person: str) -> AnyResponse:
    """Whoever has this PIN is a stranger with the next request."""
    the_hub().access.organizers.staff.revoke(person, actor())
    return redirect(url_for("console.this_hub", _anchor="staff"), 303)


@route("POST /console/<event_id>/officials/<official>/person", ORGANIZERS, OPEN)
@mended_on(event)
def tie_official(event_id: str, official: str) -> AnyResponse:
    """Say with whose PIN this official logs in; nobody's where nobody is chosen."""
    if official not in the_moment(event_id).state.officials:
        raise Problem("unknown_official")
    the_hub().access.organizers.staff.tie(field("person"), event_id, official, actor())
    return back_to_event(event_id, "officials")


def _shown(name: str, pin: str) -> AnyResponse:
    """The page with a new PIN on it, this once; to load it again shows it no more."""
    g.address = url_for("console.this_hub")
    return this_hub(made=name, pin=f"{pin[:4]} {pin[4:]}", login=login_address(), qr=qr_svg(login_address()))


def login_address() -> str:
    """Where somebody with a PIN logs in, as other devices reach it; "" where that is not known: the hub itself asks."""
    encrypted = the_hub().access.encrypted
    if is_here(request.remote_addr or "", request.host) or encrypted is None:
        return ""
    host = request.host.rpartition(":")[0] if ":" in request.host.rpartition("]")[2] else request.host
    return f"https://{host}:{encrypted.port}/login"
