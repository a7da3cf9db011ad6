"""The order of the standings, and what put each competitor above the next."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from checker.books import Event, before_knockout, book_of, in_table
from checker.lot import by_lot
from checker.records import Records, gather, tiebreaker
from checker.restarts import warlords_order

Order = list[tuple[str, str]]
"""Best first: (competitor, what decided against the next one)."""


def order_of(event: Event, after: int | None = None) -> Order:
    """Of everybody who is ranked: the disqualified are not."""
    records = gather(event, after)
    ranked = in_table(event, after)[0]
    if book_of(event).family == "warlords":
        return warlords_order(event, records, ranked, after)
    return plain_order(event, records, ranked, book_of(event).keys)


def order_for_cut(event: Event) -> Order:
    """The standings as they stood when the cut was made: as it was kept, whatever was put right since."""
    if "cut" in event and book_of(event).family != "epic":
        return [(who, "") for who in event["cut"]["order"]]
    begun = before_knockout(event)
    return order_of(event if begun is None else as_seen_by(event, begun + 1), begun)


def as_seen_by(event: Event, number: int) -> Event:
    """The event with the results that stood when this round was there."""
    rounds = []
    for played in event["rounds"]:
        matches = []
        for match in played["matches"]:
            was = [each["was"] for each in match.get("corrections", ()) if each.get("after_round", 0) >= number]
            matches.append({**match, "result": was[0]} if was and played["number"] < number else match)
        rounds.append({**played, "matches": matches})
    return {**event, "rounds": rounds}


def plain_order(event: Event, records: Records, ranked: Sequence[str], keys: Sequence[str]) -> Order:
    """By points, then by each key in turn, then by lot: nothing depends on who is tied with whom."""
    steps: list[tuple[str, Callable[[str], Any]]] = [("points", lambda who: -records[who].points)]
    steps += [(key, lambda who, key=key: -tiebreaker(records, who, key)) for key in keys]  # type: ignore[misc]
    steps.append(("random", lambda who: by_lot(event, who)))
    keyed = sorted((tuple(value(who) for _, value in steps), who) for who in ranked)
    decided = ["last"] * len(keyed)
    for i in range(len(keyed) - 1):
        differs = next(n for n in range(len(steps)) if keyed[i][0][n] != keyed[i + 1][0][n])
        decided[i] = steps[differs][0]
    return [(who, why) for (_, who), why in zip(keyed, decided, strict=True)]


def cut_order(event: Event) -> list[str]:
    """Who makes the cut, and the seeds: the standings; in Epic by points and the opponents' points, without MoV."""
    if "cut" in event:
        return list(event["cut"]["order"])
    if book_of(event).family == "epic":
        return [who for who, _ in epic_order(event)]
    return [who for who, _ in order_for_cut(event)]


def epic_order(event: Event) -> Order:
    """Epic's order of the cut, with what decided."""
    ranked = in_table(event, before_knockout(event))[0]
    return plain_order(event, gather(event, before_knockout(event)), ranked, ("opponents_points",))


def split(group: Sequence[str], value: Callable[[str], Hashable]) -> list[list[str]]:
    """The group in parts of equal value, the greatest first."""
    values: dict[Any, list[str]] = {}
    for who in group:
        values.setdefault(value(who), []).append(who)
    return [values[key] for key in sorted(values, reverse=True)]
