"""Who may ask for what, and in which state of an event: one row for each address. The guards ask here, and only here.

`tests/hub/test_policy.py` walks the hub's addresses, tries every refusal, and fails where one has no row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from roundtap_core.errors import Problem
from roundtap_hub.journal.snapshot import Snapshot

EVERYBODY, ORGANIZER, LOGIN, TABLE, STATION, STANDBY, KIN = (
    "everybody", "organizer", "login", "table", "station", "standby", "kin")
"""Who may ask: anybody; a browser with a living session; anybody, but encrypted; a table unit's key; a station's; a
second Pi's; another hub of this journal's lineage."""

NO_EVENT, BEFORE, IN_PLAY, FINISHED, ARCHIVED, DELETED = (
    "no event", "before play", "in play", "finished", "archived", "deleted")
"""The states of the event that an address names."""
STATES = (NO_EVENT, BEFORE, IN_PLAY, FINISHED, ARCHIVED, DELETED)


@dataclass(frozen=True, slots=True)
class Row:
    """`states`: those in which an address of an event may be asked; the others are refused, and change nothing."""

    who: str
    states: frozenset[str] = frozenset(STATES)


@dataclass(frozen=True, slots=True)
class Asker:
    """What is certain of who asks: the connection's own, never what a header says of it."""

    encrypted: bool
    here: bool
    """Not encrypted, but from the hub's own machine and by its own name."""
    organizer: bool = False


ENCRYPT, LOG_IN = "encrypt", "log in"

SEEN = frozenset({BEFORE, IN_PLAY, FINISHED, ARCHIVED})
OPEN = frozenset({BEFORE, IN_PLAY})
PLAYING = frozenset({IN_PLAY})
PLAYED = frozenset({IN_PLAY, FINISHED, ARCHIVED})


def _rows(row: Row, *addresses: str) -> dict[str, Row]:
    return dict.fromkeys(addresses, row)


def _of_event(states: frozenset[str], *addresses: str) -> dict[str, Row]:
    return _rows(Row(ORGANIZER, states), *(
        address.replace(" ", " /console/<event_id>", 1) for address in addresses))


POLICY: Mapping[str, Row] = {
    **_rows(Row(EVERYBODY),
            "GET /", "GET /wall", "GET /colours.css", "GET /static/<name>", "GET /feed", "GET /time", "GET /trust",
            "GET /ca.crt", "GET /device/challenge", "GET /standby/lineage"),
    **_rows(Row(EVERYBODY, SEEN),
            "GET /wall/<event_id>", "GET /e/<event_id>", "GET /e/<event_id>/p/<competitor>",
            "GET /e/<event_id>/standings", "GET /e/<event_id>/pairings", "GET /e/<event_id>/bracket",
            "GET /rules/<event_id>"),
    **_rows(Row(TABLE), "POST /device/report", "POST /device/status", "POST /device/time", "POST /device/feed"),
    **_rows(Row(STATION), "POST /station/jobs"),
    **_rows(Row(STANDBY), "POST /standby/feed", "POST /standby/ack"),
    **_rows(Row(KIN), "POST /standby/who"),
    **_rows(Row(LOGIN), "GET /login", "POST /login", "POST /logout"),
    **_rows(Row(ORGANIZER),
            "GET /console", "POST /console", "POST /console/import", "GET /console/archived", "GET /console/hub",
            "POST /console/hub/sessions/<session_id>/end", "POST /console/hub/sessions/end",
            "GET /console/outcome/<word>", "GET /console/units", "POST /console/units/add",
            "POST /console/units/replace",
            "POST /console/units/revoke", "POST /console/units/seen",
            "GET /console/restored", "POST /console/restored/without", "POST /console/restored/adopt",
            "POST /console/restored/anew", "POST /console/restored/point", "POST /console/restored/settled"),
    # Looking at an event, whatever became of it, and what is the hall's more than the event's.
    **_of_event(SEEN,
                "GET ", "GET /person/<competitor>", "GET /officials", "GET /units", "GET /export.json",
                "GET /standings.csv", "GET /competitor/<competitor>/list", "POST /units", "POST /call",
                "POST /call/settled", "POST /leave/refused", "GET /paper", "POST /restore"),
    **_of_event(frozenset({BEFORE, FINISHED, ARCHIVED}), "POST /archive"),
    **_of_event(frozenset({FINISHED, ARCHIVED}), "GET /delete", "POST /delete"),
    **_of_event(frozenset({FINISHED}), "POST /reopen"),
    **_of_event(frozenset({BEFORE, IN_PLAY, FINISHED}),
                "POST /competitors/<competitor>/rename", "POST /paper", "POST /paper/proxy", "POST /paper/again",
                "POST /paper/go-on", "POST /paper/there"),
    # Setting up, and people: as long as it is not over.
    **_of_event(OPEN,
                "POST /about", "POST /options", "POST /structure", "POST /draw", "POST /discard", "POST /tables",
                "POST /publish", "POST /play-on", "POST /impose", "POST /competitors",
                "POST /competitors/<competitor>/drop", "POST /competitors/<competitor>/return",
                "POST /competitors/<competitor>/disqualify", "POST /competitors/<competitor>/warn",
                "POST /competitors/<competitor>/propose", "POST /competitors/<competitor>/decline",
                "POST /competitors/<competitor>/tick", "POST /competitors/<competitor>/came-with",
                "POST /competitor/<competitor>/list", "POST /officials", "POST /officials/<official>/change",
                "POST /officials/<official>/remove", "POST /officials/<official>/duty"),
    # Rounds and matches: once there are any.
    **_of_event(PLAYING,
                "POST /clock", "POST /extra", "POST /finish", "POST /cut", "POST /cut/back", "POST /cut/accepted",
                "POST /cut/declined", "POST /cut/present", "POST /accept", "POST /keep", "POST /elsewhere",
                "POST /match/<match_id>",
                "POST /match/<match_id>/clear", "POST /match/<match_id>/before-play", "POST /match/<match_id>/no-show",
                "POST /match/<match_id>/nobody-came", "POST /match/<match_id>/here-after-all",
                "POST /match/<match_id>/here", "POST /match/<match_id>/walk", "POST /match/<match_id>/walk/lot",
                "POST /match/<match_id>/ruling", "POST /match/<match_id>/appeal",
                "POST /match/<match_id>/appeal-decided", "POST /match/<match_id>/extension",
                "POST /match/<match_id>/picks"),
    **_of_event(PLAYED, "GET /match/<match_id>", "GET /match/<match_id>/walk"),
}
"""Address, as the routes have it → its row."""

UNLISTED = {"console": Row(ORGANIZER)}
"""What has no address is an organizer's to learn, where it would be an organizer's page."""
NOBODY = Row(EVERYBODY)


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
    """What this asker lacks: ENCRYPT, LOG_IN, or "": nothing. Units are asked for their keys where they get answers."""
    if row.who not in (ORGANIZER, LOGIN):
        return ""
    if not (asker.encrypted or asker.here):
        return ENCRYPT
    return LOG_IN if row.who == ORGANIZER and not asker.organizer else ""


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
