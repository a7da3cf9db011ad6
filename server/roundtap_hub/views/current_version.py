"""The version of any page, a player's own among them: never without asking whether its link is good."""

from __future__ import annotations

from collections.abc import Mapping

from roundtap_hub.hub import Hub
from roundtap_hub.journal.given_links import Person
from roundtap_hub.journal.service import Snapshot
from roundtap_hub.presence import LEAVE, UnitStatus, asked_of
from roundtap_hub.views.console_version import HallNow
from roundtap_hub.views.event_at import EventAt, event_at, seats, short_hash
from roundtap_hub.views.page_versions import page_version

KIND = "me"


def page_key(event_id: str, token: str) -> str:
    """The key of a personal page: with the link in it, so that no page is another person's, nor outlives its link."""
    return f"{KIND}/{event_id}/{token}"


def owner(hub: Hub, page: str) -> Person | None:
    """Whose page a key is; None for keys of other pages, and of links that are not good."""
    kind, _, rest = page.partition("/")
    event_id, _, token = rest.partition("/")
    who = hub.access.links.who(token) if kind == KIND else None
    return who if who is not None and who[0] == event_id else None


def version_at(hub: Hub, snapshot: Snapshot, units: Mapping[str, UnitStatus], page: str,
               hall: HallNow | None = None) -> str:
    """What a page would show now, as a short text."""
    kind = page.split("/")[0]
    if kind == KIND:
        return _personal_version(hub, snapshot, units, page)
    version = page_version(snapshot, units, page, hall)
    # Where the hub is reached stands on walls alone.
    shown = f"{hub.host.reached_at.url} {hub.host.reached_at.by_name}".strip() if kind == "wall" else ""
    return short_hash(version, shown) if shown and version != "none" else version


def _personal_version(hub: Hub, snapshot: Snapshot, units: Mapping[str, UnitStatus], page: str) -> str:
    who = owner(hub, page)
    if who is None:
        return "none"
    event_id, competitor = who
    as_public = page_version(snapshot, units, f"p/{event_id}/{competitor}")
    moment = event_at(snapshot, event_id) if event_id in snapshot.events else None
    if as_public == "none" or moment is None:
        return as_public
    return short_hash(page, as_public, _of_match(snapshot, units, moment, competitor))


def _of_match(snapshot: Snapshot, units: Mapping[str, UnitStatus], moment: EventAt, competitor: str) -> object:
    """What of the match is shown to its two players only: what either said, and whether a unit is there."""
    match, entrant = seats(moment).get(competitor), moment.state.entrants[competitor]
    wish = asked_of(units).get((LEAVE, moment.state.id, competitor)), moment.state.check_in, entrant.checked_in
    if match is None:
        return wish
    unit = snapshot.venue.unit_at(match.match.table) if match.match.table is not None else None
    status = units.get(unit) if unit else None
    return (moment.state.public_rounds[-1].mark, match.match.picks,
            sorted((side, said.number) for side, said in match.reports.items()),
            sorted(match.heard.items()),
            unit is not None, status is not None and (status.connected, sorted(status.leave),
                                                      sorted(status.leave_refused)),
            moment.state.clock.total_ms, wish)
