"""What a page would show, as a short text: the feed sends it, and the page looks again when it differs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from roundtap_core.records import ELIMINATION
from roundtap_hub.journal.service import Snapshot
from roundtap_hub.presence import UnitStatus
from roundtap_hub.views.console_version import HallNow, asked_version, console_version
from roundtap_hub.views.event_at import (
    EventAt,
    decided_version,
    entrants_version,
    event_at,
    newest_round,
    played_by,
    results_version,
    seats,
    short_hash,
)
from roundtap_hub.views.event_list import known, listed
from roundtap_hub.views.knockout import newest_name, winner_of
from roundtap_hub.views.tables import out_of_contact

Units = Mapping[str, UnitStatus]


def page_version(snapshot: Snapshot, units: Units, page: str, hall: HallNow | None = None) -> str:
    """The version of a page ("door", "wall", "console", "judge", "console/e1", "wall/e1", "e/e1", "p/e1/p3",
    "standings/e1", "pairings/e1", "bracket/e1", "rules/e1").

    Nothing is rendered. An address that is no page has the version "none". `hall`: without it, what time alone brings
    about is left out.
    """
    version = _version(snapshot, units, page, hall)
    walls = snapshot.venue.walls
    if walls.said and version != "none":
        event = page.split("/")[1] if "/" in page else None
        version = short_hash(version, [said.id for said in walls.for_event(event)])
    # Every page says that a hub was restored, until that is settled.
    return version if snapshot.venue.afresh is None or version == "none" else short_hash(version, "restored")


def _version(snapshot: Snapshot, units: Units, page: str, hall: HallNow | None) -> str:
    kind, *rest = page.split("/")
    if page == "console":
        return short_hash([(line.id, line.number) for line in known(snapshot)], snapshot.venue.shown,
                          hall.storage if hall else "")
    if page == "displays":
        return short_hash(snapshot.venue.shown, [(line.id, line.name) for line in listed(snapshot)])
    if page == "before-doors":
        return short_hash(snapshot.venue.shown, _of_units(units, hall), hall.storage if hall else "")
    if page == "judge":
        found = (event_at(snapshot, event_id) for event_id, state in snapshot.events.items() if not state.finished)
        return short_hash([console_version(snapshot, units, each, hall) for each in found if each is not None])
    if page in ("door", "wall"):
        return short_hash([(line.id, line.name, line.rulebook_id, line.finished, *_in_play(snapshot, line.id))
                           for line in listed(snapshot)])
    if rest and rest[0] in snapshot.shelf and rest[0] not in snapshot.venue.deleted:
        # Nobody opens an event at rest to see that nothing in it has changed.
        return short_hash(page, snapshot.shelf[rest[0]].head)
    moment = event_at(snapshot, rest[0]) if rest else None
    if moment is None:
        return "none"
    if kind == "p" and len(rest) == 2:
        shown = _player_version(snapshot, units, moment, rest[1])
    elif len(rest) == 1 and kind == "console":
        return console_version(snapshot, units, moment, hall)
    elif len(rest) == 1 and kind in _VERSIONS:
        shown = _VERSIONS[kind](snapshot, units, moment)
    else:
        shown = "none"
    return shown if shown == "none" else short_hash(moment.state.id, decided_version(moment), shown)


def _of_units(units: Units, hall: HallNow | None) -> list[tuple[Any, ...]]:
    """What is said of units before the doors open; that one has fallen silent comes by time alone."""
    return [(unit, status.connected, status.core, status.health, bool(status.waiting), sorted(status.troubles),
             hall is not None and out_of_contact(status, hall.now.mono_ms)) for unit, status in sorted(units.items())]


def _in_play(snapshot: Snapshot, event_id: str) -> tuple[Any, ...]:
    """What the door says of how far an event is; of one at rest it says nothing."""
    state = snapshot.events.get(event_id)
    return () if state is None else (state.live is not None, len(state.public_rounds), newest_name(state))


def _wall_version(snapshot: Snapshot, units: Units, moment: EventAt) -> str:
    said = [(unit, sorted(status.seated), status.match, status.call_since_ms, status.call_taken_by)
            for unit, status in sorted(units.items())]
    return short_hash(moment.state.id, moment.state.number, snapshot.venue.tables, said,
                      asked_version(units, moment.state.id))


def _names_version(snapshot: Snapshot, units: Units, moment: EventAt) -> str:
    state = moment.state
    newest = newest_round(state)
    return short_hash(entrants_version(moment), state.live is None, newest and newest.number)


def _standings_version(snapshot: Snapshot, units: Units, moment: EventAt) -> str:
    return short_hash(entrants_version(moment), results_version(moment))


def _pairings_version(snapshot: Snapshot, units: Units, moment: EventAt) -> str:
    newest = newest_round(moment.state)
    matches = [(m.id, m.match.table, m.match.a, m.match.b, m.state, m.number, m.revision) for m in newest.matches] \
        if newest else []
    return short_hash(entrants_version(moment), results_version(moment), moment.state.clock.state, matches)


def _bracket_version(snapshot: Snapshot, units: Units, moment: EventAt) -> str:
    newest = newest_round(moment.state)
    published = [[(m.id, m.match.table, m.number, m.revision, m.state) for m in r.matches]
                 for r in moment.state.public_rounds if r.stage == ELIMINATION]
    return short_hash(entrants_version(moment), results_version(moment), newest and (newest.number, newest.stage),
                      published)


def _rules_version(snapshot: Snapshot, units: Units, moment: EventAt) -> str:
    """What is announced may change until round 1 is drawn; and mended rounds stand here."""
    return short_hash(entrants_version(moment), [
        (r.number, r.mends, [m.match.table for m in r.matches] if r.mends else ()) for r in moment.state.public_rounds])


def _player_version(snapshot: Snapshot, units: Units, moment: EventAt, competitor: str) -> str:
    """A phone looks again when its own table changes, or somebody's standing: not for each result of the hall."""
    state = moment.state
    entrant = state.entrants.get(competitor)
    if entrant is None:
        return "none"
    newest, played = newest_round(state), played_by(moment).get(competitor, [])
    named = [state.entrants.get(who or "") for m in played for who in (m.match.a, m.match.b)]
    named.append(state.entrants.get(winner_of(moment) or ""))
    match = seats(moment).get(competitor)
    sitting: tuple[Any, ...] = ()
    if match is not None:
        unit = snapshot.venue.unit_at(match.match.table) if match.match.table is not None else None
        status = units.get(unit) if unit else None
        sitting = (
            match.match.table, match.match.bye, match.match.extension_minutes, dict(match.lots),
            status and (status.match == match.id, sorted(status.seated), status.call_since_ms, status.call_taken_by,
                        status.draft),
            asked_version(units, state.id, match.id),
        )
    return short_hash(entrant, [each and (each.id, each.digest, each.list_total) for each in named],
                      [(m.id, m.state, m.number, m.revision, m.match.picks) for m in played],
                      newest and (newest.number, newest.status), state.clock.state, results_version(moment), sitting)


_VERSIONS = {
    "wall": _wall_version,
    "e": _names_version,
    "standings": _standings_version,
    "pairings": _pairings_version,
    "bracket": _bracket_version,
    "rules": _rules_version,
}
