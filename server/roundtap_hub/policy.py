"""Who may ask for what, and in which state of an event and its round: one row for each address. Guards, console, pages
and tests ask here, and only here.

`tests/hub/test_policy.py` walks the hub's addresses, tries every refusal, and fails where one has no row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from roundtap_core.clock import IDLE
from roundtap_core.errors import Problem
from roundtap_core.event.state import CLOSED as ROUND_CLOSED
from roundtap_core.event.state import DRAFT as ROUND_DRAFT
from roundtap_core.event.state import EventState
from roundtap_hub.journal.snapshot import Snapshot

EVERYBODY, LOGIN, TABLE, STATION, STANDBY, PANEL, KIN, PLAYER, SLIP, NEW_UNIT = (
    "everybody", "login", "table", "station", "standby", "panel", "kin", "player", "slip", "new unit")
"""Who may ask beside the staff: anybody; anybody, but encrypted; a table unit's key; a station's; a second Pi's; the
front panel's, from the hub's own machine; another hub of this journal's lineage; whoever has a player's personal link,
or holds a slip: the address has it; a unit without a key: it gets one only with an organizer who types its digits."""

ORGANIZER, HEAD_JUDGE, JUDGE, SCOREKEEPER = "organizer", "head_judge", "judge", "scorekeeper"
"""The staff: a browser with a living session, in the role of the PIN that was typed."""
STAFF_ROLES = (ORGANIZER, HEAD_JUDGE, JUDGE, SCOREKEEPER)

STAFF = frozenset(STAFF_ROLES)
JUDGES = frozenset({ORGANIZER, HEAD_JUDGE, JUDGE})
HEADS = frozenset({ORGANIZER, HEAD_JUDGE})
DESK = frozenset({ORGANIZER, SCOREKEEPER})
ORGANIZERS = frozenset({ORGANIZER})
HEADS_AND_DESK = HEADS | DESK

NO_EVENT, BEFORE, IN_PLAY, FINISHED, ARCHIVED, DELETED = (
    "no event", "before play", "in play", "finished", "archived", "deleted")
"""The states of the event that an address names."""
STATES = (NO_EVENT, BEFORE, IN_PLAY, FINISHED, ARCHIVED, DELETED)

NO_ROUND, DRAFTED, PUBLISHED, RUNNING, CLOSED = "no round", "drafted", "published", "running", "closed"
"""The states of the round that an address is about: its match's, else the event's newest. Published: its clock has
not been started; closed: the next one was drawn, or the event is over."""
ROUND_STATES = (NO_ROUND, DRAFTED, PUBLISHED, RUNNING, CLOSED)
OPEN_ROUND = frozenset({PUBLISHED, RUNNING})
SHOWN_ROUND = OPEN_ROUND | {CLOSED}


@dataclass(frozen=True, slots=True)
class Row:
    """`who` may ask; `states` of the event, and `rounds`, in which an address of an event may be asked: the others are
    refused, and change nothing."""

    who: frozenset[str]
    states: frozenset[str] = frozenset(STATES)
    rounds: frozenset[str] = frozenset(ROUND_STATES)
    only: Mapping[str, tuple[frozenset[str], frozenset[str]]] = field(default_factory=dict)
    """Of `who`, those who may in fewer states: role → (of the event, of the round)."""

    def __post_init__(self) -> None:
        if isinstance(self.who, str):  # One alone.
            object.__setattr__(self, "who", frozenset({self.who}))

    def allows(self, role: str, state: str, round_state: str) -> bool:
        """Whether `role` may ask this now."""
        if role not in self.who or state not in self.states or round_state not in self.rounds:
            return False
        return self._not_narrower(role, state, round_state)

    def _not_narrower(self, role: str, state: str, round_state: str) -> bool:
        states, rounds = self.only.get(role, (self.states, self.rounds))
        return state in states and round_state in rounds

    def roles_in(self, state: str, round_state: str) -> tuple[str, ...]:
        """The staff that may ask this in a state of event and round, the least of them first."""
        return tuple(role for role in reversed(STAFF_ROLES)
                     if role in self.who and self._not_narrower(role, state, round_state))


@dataclass(frozen=True, slots=True)
class Asker:
    """What is certain of who asks: the connection's own, never what a header says of it."""

    encrypted: bool
    here: bool
    """Not encrypted, but from the hub's own machine and by its own name."""
    role: str = ""
    """Of the session; "" for who has none."""


ENCRYPT, LOG_IN = "encrypt", "log in"

SEEN = frozenset({BEFORE, IN_PLAY, FINISHED, ARCHIVED})
OPEN = frozenset({BEFORE, IN_PLAY})
PLAYING = frozenset({IN_PLAY})
PLAYED = frozenset({IN_PLAY, FINISHED, ARCHIVED})

_BEFORE_ROUND_1 = {SCOREKEEPER: (frozenset({BEFORE}), frozenset(ROUND_STATES))}
_IN_OPEN_ROUNDS = {SCOREKEEPER: (PLAYING, OPEN_ROUND)}


def _rows(row: Row, *addresses: str) -> dict[str, Row]:
    return dict.fromkeys(addresses, row)


def _of_event(who: frozenset[str], states: frozenset[str], *addresses: str, rounds: frozenset[str] | None = None,
              only: Mapping[str, tuple[frozenset[str], frozenset[str]]] | None = None) -> dict[str, Row]:
    row = Row(who, states, rounds or frozenset(ROUND_STATES), only or {})
    return _rows(row, *(address.replace(" ", " /console/<event_id>", 1) for address in addresses))


POLICY: Mapping[str, Row] = {
    **_rows(Row(frozenset({EVERYBODY})),
            "GET /", "GET /wall", "GET /colours.css", "GET /static/<name>", "GET /feed", "GET /time", "GET /trust",
            "GET /aid/<rulebook>", "GET /ca.crt", "GET /device/challenge", "GET /device/hub",
            "GET /standby/lineage"),
    **_rows(Row(frozenset({SLIP})), "GET /s/<token>", "POST /s/<token>"),
    **_rows(Row(frozenset({EVERYBODY}), SEEN),
            "GET /wall/<event_id>", "GET /e/<event_id>", "GET /e/<event_id>/p/<competitor>",
            "GET /e/<event_id>/standings", "GET /e/<event_id>/pairings", "GET /e/<event_id>/bracket",
            "GET /rules/<event_id>", "GET /join/<event_id>", "GET /print/<event_id>/pairings-table",
            "GET /print/<event_id>/pairings-name", "GET /print/<event_id>/standings", "GET /print/<event_id>/bracket"),
    **_rows(Row(frozenset({EVERYBODY}), OPEN), "POST /join/<event_id>"),
    **_rows(Row(frozenset({EVERYBODY})), "GET /me"),
    **_rows(Row(frozenset({PLAYER})),
            "POST /me", "GET /me/<token>", "GET /me/<token>/report", "POST /me/<token>/report",
            "POST /me/<token>/report/lot", "GET /me/<token>/said/<name>", "POST /me/<token>/lot",
            "POST /me/<token>/picks", "POST /me/<token>/call", "POST /me/<token>/here", "GET /me/<token>/leave",
            "POST /me/<token>/leave", "GET /me/<token>/list",
            "POST /me/<token>/list"),
    **_rows(Row(frozenset({TABLE})), "POST /device/report", "POST /device/status", "POST /device/time",
            "POST /device/feed"),
    **_rows(Row(frozenset({NEW_UNIT})), "POST /device/enrol"),
    **_rows(Row(frozenset({STATION})), "POST /station/jobs"),
    **_rows(Row(frozenset({PANEL})), "POST /device/panel"),
    **_rows(Row(frozenset({STANDBY})), "POST /standby/feed", "POST /standby/ack"),
    **_rows(Row(frozenset({KIN})), "POST /standby/who"),
    **_rows(Row(frozenset({LOGIN})), "GET /login", "POST /login", "POST /logout"),
    **_rows(Row(STAFF), "GET /console", "GET /console/find", "GET /console/outcome/<word>"),
    **_rows(Row(ORGANIZERS),
            "POST /console", "POST /console/import", "GET /console/archived", "GET /console/hub",
            "POST /console/hub/time", "POST /console/hub/sessions/<session_id>/end", "POST /console/hub/sessions/end",
            "POST /console/hub/staff", "POST /console/hub/staff/<person>/pin",
            "POST /console/hub/staff/<person>/role", "POST /console/hub/staff/<person>/revoke",
            "GET /console/units", "POST /console/units/add", "POST /console/units/replace",
            "POST /console/units/revoke", "POST /console/units/seen", "POST /console/units/identify",
            "GET /console/units/enrol", "POST /console/units/enrol", "POST /console/units/enrol/identify",
            "POST /console/units/enrol/place",
            "GET /console/restored", "POST /console/restored/without", "POST /console/restored/adopt",
            "POST /console/restored/anew", "POST /console/restored/point", "POST /console/restored/settled"),
    # Looking at an event, whatever became of it, and what is the hall's more than the event's.
    **_of_event(STAFF, SEEN,
                "GET ", "GET /person/<competitor>", "GET /officials", "GET /units", "GET /export.json",
                "GET /standings.csv", "GET /competitor/<competitor>/list", "GET /paper", "GET /slip",
                "GET /entry", "GET /find", "GET /list-fortress.json", "GET /prizes",
                "GET /print/slips", "GET /print/emergency"),
    **_of_event(HEADS_AND_DESK, SEEN, "GET /print/players"),
    **_of_event(HEADS, SEEN, "GET /mend"),
    **_of_event(ORGANIZERS, SEEN, "GET /pair"),
    **_rows(Row(HEADS_AND_DESK),
            "GET /console/displays", "POST /console/displays/say", "POST /console/displays/unsay",
            "POST /console/displays/sound", "POST /console/displays/<display>/set",
            "POST /console/displays/<display>/identify", "POST /console/displays/<display>/forget"),
    **_rows(Row(STAFF), "GET /console/before-doors"),
    **_rows(Row(ORGANIZERS), "GET /console/before-doors/diagnostics.txt"),
    **_rows(Row(JUDGES), "GET /console/judge"),
    **_of_event(JUDGES, SEEN, "GET /judge", "POST /call", "POST /call/settled"),
    **_of_event(HEADS, SEEN, "POST /units", "POST /leave/refused"),
    **_of_event(ORGANIZERS, frozenset({BEFORE, IN_PLAY, FINISHED}),
                "POST /prizes", "POST /prizes/winner", "POST /prizes/draw"),
    **_of_event(ORGANIZERS, SEEN, "POST /restore"),
    **_of_event(DESK, SEEN,
                "GET /competitors/<competitor>/link", "POST /competitors/<competitor>/link",
                "POST /competitors/<competitor>/link/revoke"),
    **_of_event(ORGANIZERS, frozenset({BEFORE, FINISHED, ARCHIVED}), "POST /archive"),
    **_of_event(ORGANIZERS, frozenset({FINISHED, ARCHIVED}), "GET /delete", "POST /delete"),
    **_of_event(ORGANIZERS, frozenset({FINISHED}), "POST /reopen"),
    **_of_event(DESK, frozenset({BEFORE, IN_PLAY, FINISHED}),
                "POST /paper", "POST /paper/proxy", "POST /paper/again", "POST /paper/go-on", "POST /paper/there",
                "POST /paper/cancel", "POST /paper/printer"),
    **_of_event(HEADS_AND_DESK, frozenset({BEFORE, IN_PLAY, FINISHED}), "POST /competitors/<competitor>/rename"),
    # Setting up, and people: as long as it is not over.
    **_of_event(ORGANIZERS, OPEN,
                "POST /about", "POST /options", "POST /structure", "POST /draw", "POST /discard", "POST /tables",
                "POST /publish", "POST /play-on", "POST /impose", "POST /pair", "POST /officials",
                "POST /officials/<official>/change", "POST /officials/<official>/remove",
                "POST /officials/<official>/person"),
    **_of_event(HEADS, OPEN, "POST /officials/<official>/duty", "POST /mend"),
    **_of_event(HEADS_AND_DESK, OPEN,
                "POST /competitors", "POST /competitors/<competitor>/drop", "POST /competitors/<competitor>/return",
                "POST /competitors/<competitor>/came-with", "POST /competitor/<competitor>/list",
                only=_BEFORE_ROUND_1),
    **_of_event(STAFF, OPEN, "POST /competitors/<competitor>/tick", only=_BEFORE_ROUND_1),
    # People from a table; what is seen of it is what is known of everybody.
    **_of_event(HEADS_AND_DESK, SEEN, "GET /import"),
    **_of_event(HEADS_AND_DESK, OPEN, "POST /import/table", "POST /import/people", only=_BEFORE_ROUND_1),
    **_of_event(STAFF, SEEN, "GET /check-in", "GET /absent"),
    **_of_event(ORGANIZERS, OPEN, "POST /check-in"),
    **_of_event(HEADS_AND_DESK, OPEN, "POST /check-in/name", "POST /competitors/<competitor>/here",
                "POST /competitors/<competitor>/confirm", "POST /competitors/<competitor>/remove",
                "POST /sign-up/remove"),
    **_of_event(HEADS_AND_DESK, frozenset({BEFORE, IN_PLAY, FINISHED}), "POST /competitors/<competitor>/details"),
    **_of_event(HEADS_AND_DESK, SEEN, "GET /sign-up"),
    **_of_event(ORGANIZERS, OPEN, "POST /sign-up"),
    # Who of the judges may disqualify, or propose it, is the rulebook's and the event's officials': the core says.
    **_of_event(JUDGES, OPEN,
                "POST /competitors/<competitor>/disqualify", "POST /competitors/<competitor>/warn",
                "POST /competitors/<competitor>/decline"),
    **_of_event(HEADS, OPEN, "POST /competitors/<competitor>/propose"),
    # Rounds and matches: once there are any.
    **_of_event(ORGANIZERS, PLAYING,
                "POST /finish", "POST /cut", "POST /cut/back", "POST /cut/accepted", "POST /cut/declined",
                "POST /cut/present"),
    **_of_event(HEADS, PLAYING, "POST /clock", "POST /extra"),
    **_of_event(STAFF, PLAYING,
                "POST /match/<match_id>/walk", "POST /match/<match_id>/walk/lot",
                "POST /match/<match_id>/before-play", "POST /match/<match_id>/here", "POST /match/<match_id>/picks",
                "POST /match/<match_id>/entry",
                rounds=SHOWN_ROUND, only=_IN_OPEN_ROUNDS),
    **_of_event(JUDGES, PLAYING, "POST /accept", "POST /keep", "POST /elsewhere"),
    **_of_event(JUDGES, PLAYING,
                "POST /match/<match_id>/clear", "POST /match/<match_id>/no-show", "POST /match/<match_id>/nobody-came",
                "POST /match/<match_id>/here-after-all", "POST /match/<match_id>/ruling",
                "POST /match/<match_id>/appeal", "POST /match/<match_id>/extension", rounds=SHOWN_ROUND),
    **_of_event(HEADS, PLAYING, "POST /match/<match_id>/appeal-decided", rounds=SHOWN_ROUND),
    **_of_event(STAFF, PLAYED, "GET /match/<match_id>", "GET /match/<match_id>/walk"),
}
"""Address, as the routes have it → its row."""

UNLISTED = {"console": Row(STAFF)}
"""What has no address is the staff's to learn, where it would be a page of theirs."""
NOBODY = Row(frozenset({EVERYBODY}))


@dataclass(slots=True)
class _Way:
    """The next parts of an address: by name, or any."""

    named: dict[str, _Way] = field(default_factory=dict)
    any: _Way | None = None
    rows: dict[str, str] = field(default_factory=dict)
    """Method → address."""


def _ways() -> _Way:
    root = _Way()
    for address in POLICY:
        method, _, path = address.partition(" ")
        way = root
        for part in path.split("/")[1:]:
            if part.startswith("<"):
                way.any = way = way.any or _Way()
            else:
                way = way.named.setdefault(part, _Way())
        way.rows[method] = address
    return root


_WAYS = _ways()


def address_of(method: str, path: str) -> str:
    """The address in POLICY that a request asks for; "" where there is none."""
    parts = path.split("/")[1:]
    method = "GET" if method == "HEAD" else method
    return _found(_WAYS, parts, method)


def _found(way: _Way, parts: list[str], method: str) -> str:
    if not parts:
        return way.rows.get(method, "")
    for next_way in (way.named.get(parts[0]), way.any):
        if next_way is not None and (found := _found(next_way, parts[1:], method)):
            return found
    return ""


def row_of(method: str, path: str) -> Row:
    """Who may ask this; what has no address is refused to everybody elsewhere."""
    address = address_of(method, path)
    return POLICY[address] if address else UNLISTED.get(path.split("/")[1:][0] if "/" in path else "", NOBODY)


def refusal(row: Row, asker: Asker) -> str:
    """What this asker lacks: ENCRYPT, LOG_IN, or "": nothing. Units are asked for their keys where they get answers;
    the role of a session, where words can be said about it (pages/base.py)."""
    if not (row.who & STAFF or LOGIN in row.who):
        return ""
    if not (asker.encrypted or asker.here):
        return ENCRYPT
    return LOG_IN if LOGIN not in row.who and not asker.role else ""


def state_of(snapshot: Snapshot, event_id: str) -> str:
    """In which state an event is."""
    if event_id in snapshot.venue.deleted:
        return DELETED
    known = snapshot.shelf.get(event_id) or snapshot.events.get(event_id)
    if known is None:
        return NO_EVENT
    if event_id in snapshot.venue.archived:
        return ARCHIVED
    if known.finished:
        return FINISHED
    state = snapshot.event(event_id)
    return IN_PLAY if state is not None and state.public_rounds else BEFORE


def round_state_of(state: EventState | None, match_id: str = "") -> str:
    """In which state the round of this match is; without one, the newest of the event."""
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


def refuse_role(snapshot: Snapshot, row: Row, role: str, event_id: str = "", match_id: str = "") -> None:
    """Raises Problem("not_your_role") for who is logged in, but in a role that may not ask this now; `roles` names
    who may."""
    if not row.who & STAFF or (role in row.who and role not in row.only):
        return
    state = state_of(snapshot, event_id) if event_id else NO_EVENT
    if role in row.who and state not in row.states:
        return  # Nobody may: refuse_in_state says why.
    may = row.roles_in(state, round_state_of(snapshot.event(event_id), match_id) if row.only else NO_ROUND)
    if role not in may:
        raise NotYourRole(role, may)


def may(snapshot: Snapshot, role: str, address: str) -> bool:
    """Whether `role` may ask "POST /console/e1/match/1.1/ruling" now, as far as this table says."""
    method, _, path = address.partition(" ")
    found = address_of(method, path)
    if not found:
        return False
    named = {part[1:-1]: said for part, said in zip(found.partition(" ")[2].split("/"), path.split("/"), strict=True)
             if part.startswith("<")}
    row, event_id = POLICY[found], named.get("event_id", "")
    if not row.who & STAFF:
        return True
    if not event_id:
        return role in row.who
    state = state_of(snapshot, event_id)
    shown = snapshot.events.get(event_id)
    return row.allows(role, state, round_state_of(shown, named.get("match_id", "")) if shown is not None else CLOSED)


class NotYourRole(Problem):
    """Who asked is logged in, but not as one of `roles`."""

    def __init__(self, role: str, roles: tuple[str, ...]) -> None:
        super().__init__("not_your_role")
        self.role, self.roles = role, roles


def refuse_in_state(snapshot: Snapshot, row: Row, event_id: str) -> None:
    """Raises the Problem of a state that the row does not allow. Before play it is left to the event itself, which
    knows what is missing."""
    state = state_of(snapshot, event_id)
    if state in row.states or state in (BEFORE, IN_PLAY):
        return
    named: Any = snapshot.shelf.get(event_id) or snapshot.events.get(event_id)
    name = named.name if named is not None else event_id
    raise {
        NO_EVENT: Problem("unknown_event", event=event_id), DELETED: Problem("event_deleted"),
        ARCHIVED: Problem("event_archived", name=name), FINISHED: Problem("event_finished", name=name),
    }[state]
