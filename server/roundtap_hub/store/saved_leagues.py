"""The venue's leagues: a name, rules, and the events that are added up. Who is who is the book's (store/book.py)."""

from collections.abc import Mapping

from msgspec import structs

from roundtap_core.event.entries import Entry, NewEntry
from roundtap_core.standings.league import LeagueRules

LEAGUE_KINDS = LEAGUE_SAVED, LEAGUE_REMOVED = ("league-saved", "league-removed")


class League(LeagueRules, frozen=True, kw_only=True):
    """`events` in the order in which they began."""

    id: str = ""
    name: str = ""
    events: tuple[str, ...] = ()


def league_saved(league: League) -> NewEntry:
    """The entry that makes the league, or changes it."""
    return NewEntry(LEAGUE_SAVED, {**structs.asdict(league), "events": list(league.events)})


Leagues = Mapping[str, League]  # by id, in the order in which they were made


def with_league(leagues: Leagues, entry: Entry | NewEntry) -> Leagues:
    """The leagues after one of LEAGUE_KINDS: what was saved last holds."""
    data = entry.data
    if entry.kind == LEAGUE_REMOVED:
        return {id: each for id, each in leagues.items() if id != data["id"]}
    return {**leagues, data["id"]: League(**{**data, "events": tuple(data["events"])})}
