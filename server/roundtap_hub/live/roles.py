"""Which buttons a reader's role may press, and a page without those it may not."""

import re
from collections.abc import Callable
from html import unescape

from flask import request

from roundtap_hub.access import visit
from roundtap_hub.access.policy import is_allowed as may_ask
from roundtap_hub.access.policy import refuse_role
from roundtap_hub.http.routes import STAFF_ROLES
from roundtap_hub.live import current, regions

_ONLY = re.compile(rf"({regions.ONLY}|{regions.UNLESS})(.*?):>(.*?){regions.ENDS}", re.DOTALL)


_FORM = re.compile(r'<form\b(?=[^>]*\bmethod="post")[^>]*\baction="([^"]*)"[^>]*>.*?</form>', re.DOTALL)


_LINK = re.compile(r'<a\b([^>]*)\bhref="(/console[^"]*)"([^>]*)>(.*?)</a>', re.DOTALL)


_GONE = "<:gone:>"


_EMPTY_DETAILS = re.compile(
    rf"<details\b[^>]*>(?:(?!</?details\b|<form\b|<a\b|{_GONE}).)*(?:{_GONE}(?:(?!</?details\b|<form\b|<a\b|{_GONE}).)*)+"
    r"</details>",
    re.DOTALL,
)


_ROW = re.compile(rf'<(div|span) class="row">\s*(?:{_GONE}\s*)+</\1>')


def check_role(role: str) -> None:
    where = request.view_args or {}
    refuse_role(current.snapshot(), current.route(), role, where.get("event_id", ""), where.get("match_id", ""))


def may_request(address: str) -> bool:
    """Whether this reader may request "POST /console/<event_id>/draw" (or "…/e1/draw") now (policy.py). For
    templates of pages that are drawn for one reader; the places of an event's console are shared (`{% only address %}`,
    routes.py). Forms need no check: `remove_forbidden` removes those that the role may not use."""
    who = visit.current_staff()
    where = (request.view_args or {}).get("event_id", "")
    return who is not None and may_ask(current.snapshot(), who.role, address.replace("<event_id>", where))


def roles_allowed(address: str) -> str:
    """The names of the roles that may request this now."""
    where = (request.view_args or {}).get("event_id", "")
    roles = [
        role
        for role in reversed(STAFF_ROLES)
        if may_ask(current.snapshot(), role, address.replace("<event_id>", where))
    ]
    return ", ".join(current.words()(f"role.{role}") for role in roles)


def reader_role() -> str:
    """This reader's role; "" for somebody whose session has ended during this request, who may do nothing."""
    who = visit.current_staff()
    return who.role if who is not None else ""


def for_role(html: str, role: str) -> str:
    """What all roles share, as this reader's role may see it: neither its forms nor its words for others."""
    html = _ONLY.sub(lambda found: found[3] if may_request(found[2]) == (found[1] == regions.ONLY) else "", html)
    name = "" if role in (current.ORGANIZER, "") else f'<span class="quiet">{current.words()(f"role.{role}")}</span>'
    html = html.replace(regions.ROLE, name)
    return html if role == current.ORGANIZER else remove_forbidden(html, may_request)


Allowed = Callable[[str], bool]  # whether "POST /console/e1/draw" may be requested


def remove_forbidden(page: str, allowed: Allowed) -> str:
    """The page without forms that would be refused, folds that held nothing else, and links to pages of other roles."""

    def form(found: re.Match[str]) -> str:
        return found[0] if allowed(f"POST {_path(found[1])}") else _GONE

    def link(found: re.Match[str]) -> str:
        if allowed(f"GET {_path(found[2])}"):
            return found[0]
        return _GONE if 'class="button' in found[1] + found[3] else found[4]

    page = _LINK.sub(link, _FORM.sub(form, page))
    while True:
        emptied = _ROW.sub(_GONE, _EMPTY_DETAILS.sub(_GONE, page))
        if emptied == page:
            return page.replace(_GONE, "")
        page = emptied


def _path(address: str) -> str:
    return re.split(r"[?#]", unescape(address), maxsplit=1)[0]
