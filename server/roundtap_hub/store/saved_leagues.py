"""The venue's leagues: a name, rules, and the events that are added up. Who is who is the book's (store/book.py)."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

from roundtap_core.event.entries import Entry, NewEntry
from roundtap_core.standings.league import LeagueRules, by_place_of

LEAGUE_SAVED, LEAGUE_REMOVED = "league-saved", "league-removed"
LEAGUE_KINDS = frozenset({LEAGUE_SAVED, LEAGUE_REMOVED})


@dataclass(frozen=True, slots=True)
class League:
    """`by_place`: the points by place as they were typed, "10,8,6.5"; `events` in the order in which they began."""

    id: str
    name: str
    points: str
    by_place: str
    best: int
    coming: int
    ties: str
    events: tuple[str, ...]

    @property
    def rules(self) -> LeagueRules:
        """Raises Problem("league_places_unfit") for points by place that are none."""
        return LeagueRules(
            points="own" if self.points == "own" else "place",
            by_place=by_place_of(self.by_place),
            best=self.best,
            coming=self.coming,
            ties="best" if self.ties == "best" else "latest" if self.ties == "latest" else "places",
        )

    def with_event(self, event_id: str) -> "League":
        return replace(self, events=(*self.events, event_id))


def league_saved(league: League) -> NewEntry:
    """The entry that makes the league, or changes it."""
    return NewEntry(LEAGUE_SAVED, {**asdict(league), "events": list(league.events)})


Leagues = Mapping[str, League]  # by id, in the order in which they were made


def with_league(leagues: Leagues, entry: Entry | NewEntry) -> Leagues:
    """The leagues after one of LEAGUE_KINDS: what was saved last holds."""
    data = entry.data
    if entry.kind == LEAGUE_REMOVED:
        return {id: each for id, each in leagues.items() if id != data["id"]}
    return {**leagues, data["id"]: League(**{**data, "events": tuple(data["events"])})}
