"""Which buttons a reader's role may press, and a page without those it may not."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from html import unescape

from flask import request

from roundtap_hub.access import visit
from roundtap_hub.access.policy import is_allowed as may_ask
from roundtap_hub.access.policy import refuse_role
from roundtap_hub.http.routes import STAFF_ROLES
from roundtap_hub.live import current, regions

_MARK = re.compile(rf"({regions.MAY}[^>]*?:>|{regions.ELSE}|{regions.MAYBE}|{regions.ENDS})")

Allowed = Callable[[str], bool]  # whether "POST /console/e1/draw" may be requested


def check_role(role: str) -> None:
    where = request.view_args or {}
    refuse_role(current.snapshot(), current.route(), role, where.get("event_id", ""), where.get("match_id", ""))


def may_request(address: str) -> bool:
    """Whether this reader may request "POST /console/<event_id>/draw" (or "…/e1/draw") now (policy.py). For
    templates of pages that are drawn for one reader; the places of an event's console are shared (`{% may
    address %}`, app/flask_app.py)."""
    where = (request.view_args or {}).get("event_id", "")
    return may_ask(current.snapshot(), reader_role(), address.replace("<event_id>", where))


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
    name = "" if role in (current.ORGANIZER, "") else f'<span class="quiet">{current.words()(f"role.{role}")}</span>'
    # Organizers see every form: what an event's state refuses is also where its data stand.
    allowed = may_request if role != current.ORGANIZER else lambda _: True
    return for_reader(html, allowed).replace(regions.ROLE, name)


@dataclass(slots=True)
class _Block:
    """A marked piece of a page, as far as it was read. `may`: whether its reader may; None: it is shown by what it
    holds, `found` pieces that the reader may see, and `gone` ones. `shown`: the half that is being read."""

    may: bool | None = True
    shown: bool = True
    parts: list[str] = field(default_factory=list)
    found: bool = False
    gone: bool = False

    def close(self, around: "_Block") -> None:
        """Add it to the one around it."""
        may = self.found or not self.gone if self.may is None else self.may
        around.found |= may
        around.gone |= not may
        if around.shown and (may or self.may is not None):
            around.parts += self.parts


def for_reader(html: str, allowed: Allowed) -> str:
    """The page for a reader who may request what is `allowed`, its marks taken out."""
    known: dict[str, bool] = {}
    blocks = [_Block()]
    for number, part in enumerate(_MARK.split(html)):
        block = blocks[-1]
        if number % 2 == 0:
            if block.shown:
                block.parts.append(part)
        elif part.startswith(regions.MAY):
            address = _path(part[len(regions.MAY) : -2])
            if address not in known:
                known[address] = allowed(address)
            blocks.append(_Block(known[address], known[address]))
        elif part == regions.MAYBE:
            blocks.append(_Block(None))
        elif part == regions.ELSE:
            block.shown = not block.shown
        else:
            blocks.pop().close(blocks[-1])
    return "".join(blocks[0].parts)


def _path(address: str) -> str:
    return re.split(r"[?#]", unescape(address), maxsplit=1)[0]
