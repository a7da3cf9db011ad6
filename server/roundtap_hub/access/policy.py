"""Which routes a client and a role may request now, by its session and the event's state; refusals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from roundtap_core.clock import IDLE
from roundtap_core.errors import Problem
from roundtap_core.event.states import CLOSED as ROUND_CLOSED
from roundtap_core.event.states import DRAFT as ROUND_DRAFT
from roundtap_core.event.states import EventState
from roundtap_hub.http.routes import (
    ARCHIVED,
    BEFORE,
    CLOSED,
    DELETED,
    DRAFTED,
    FINISHED,
    IN_PLAY,
    LOGIN,
    NO_EVENT,
    NO_ROUND,
    PUBLISHED,
    RUNNING,
    STAFF,
    Route,
    find_route,
)
from roundtap_hub.store.read_model import Snapshot

if TYPE_CHECKING:
    pass


ENCRYPT, LOG_IN = "encrypt", "log in"


@dataclass(frozen=True, slots=True)
class Requester:
    """What is certain of a client: taken from the connection and the session, never from other headers."""

    encrypted: bool
    here: bool  # not encrypted, but from the hub's own machine and by its own name
    role: str = ""
    token: str = ""  # the session's; "" for none


def missing_access(who: frozenset[str], requester: Requester) -> str:
    """What this client lacks to be one of `who`: ENCRYPT, LOG_IN, or "" for nothing. Units' keys are checked by their
    handlers, a session's role where the refusal can be explained (live/forms.py)."""
    if not (who & STAFF or LOGIN in who):
        return ""
    if not (requester.encrypted or requester.here):
        return ENCRYPT
    return LOG_IN if LOGIN not in who and not requester.role else ""


def state_of(snapshot: Snapshot, event_id: str) -> str:
    """The state of an event."""
    if event_id in snapshot.venue.deleted:
        return DELETED
    known = snapshot.dormant.get(event_id) or snapshot.events.get(event_id)
    if known is None:
        return NO_EVENT
    if event_id in snapshot.venue.archived:
        return ARCHIVED
    if known.finished:
        return FINISHED
    state = snapshot.event(event_id)
    return IN_PLAY if state is not None and state.public_rounds else BEFORE


def round_state_of(state: EventState | None, match_id: str = "") -> str:
    """The state of this match's round; without one, of the event's newest."""
    if state is None:
        return NO_ROUND
    found = state.find_match(match_id) if match_id else None
    played = found[0] if found is not None else state.rounds[-1] if state.rounds else None
    if played is None:
        return NO_ROUND
    if played.status == ROUND_DRAFT:
        return DRAFTED
    if played.status == ROUND_CLOSED:
        return CLOSED
    return PUBLISHED if state.clock.state == IDLE else RUNNING


def refuse_role(snapshot: Snapshot, asked: Route, role: str, event_id: str = "", match_id: str = "") -> None:
    """Raises NotYourRole for a logged-in role that may not request this now, with the roles that may."""
    if not asked.who & STAFF or (role in asked.who and role not in asked.only):
        return
    state = state_of(snapshot, event_id) if event_id else NO_EVENT
    if role in asked.who and state not in asked.states:
        return  # No role may: refuse_in_state reports why.
    may = asked.roles_in(state, round_state_of(snapshot.event(event_id), match_id) if asked.only else NO_ROUND)
    if role not in may:
        raise NotYourRole(role, may)


def is_allowed(snapshot: Snapshot, role: str, address: str) -> bool:
    """Whether `role` may request "POST /console/e1/match/1.1/ruling" now, by its route."""
    method, _, path = address.partition(" ")
    found = find_route(method, path)
    if found is None:
        return False
    asked, named = found
    event_id = named.get("event_id", "")
    if not asked.who & STAFF:
        return True
    if not event_id:
        return role in asked.who
    state = state_of(snapshot, event_id)
    shown = snapshot.events.get(event_id)
    return asked.allows(role, state, round_state_of(shown, named.get("match_id", "")) if shown is not None else CLOSED)


class NotYourRole(Problem):
    """The reader is logged in, but not in one of `roles`."""

    def __init__(self, role: str, roles: tuple[str, ...]) -> None:
        super().__init__("not_your_role")
        self.role, self.roles = role, roles


def refuse_in_state(snapshot: Snapshot, asked: Route, event_id: str) -> None:
    """Raises the Problem of an event state that the route does not allow; before and in play the event itself refuses,
    as it knows what is missing."""
    state = state_of(snapshot, event_id)
    if state in asked.states or state in (BEFORE, IN_PLAY):
        return
    named: Any = snapshot.dormant.get(event_id) or snapshot.events.get(event_id)
    name = named.name if named is not None else event_id
    raise {
        NO_EVENT: Problem("unknown_event", event=event_id),
        DELETED: Problem("event_deleted"),
        ARCHIVED: Problem("event_archived", name=name),
        FINISHED: Problem("event_finished", name=name),
    }[state]
