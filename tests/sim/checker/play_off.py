"""Warlords' tie-break rounds as drawn: among the tied at a prize or cut place, and only as far as still needed."""

from collections import Counter
from itertools import combinations
from typing import Any

from checker.books import Event, book_of, in_table, left_after
from checker.plan import swiss_is_over
from checker.records import gather
from checker.restarts import Warlords
from checker.tie_breaks import games_among


def groups_to_part(event: Event) -> list[list[str]]:
    """Who must meet before anything else begins, by tie."""
    if book_of(event).family != "warlords" or not swiss_is_over(event):
        return []
    warlords = Warlords(event, gather(event), in_table(event)[0], None)
    warlords.order()
    return warlords.unresolved


def play_off_complaints(event: Event, printed: dict[str, Any]) -> list[str]:
    """Only tied competitors of one group meet; whoever met more often than another pair waits; somebody does meet."""
    groups = groups_to_part(event)
    member = {who: n for n, group in enumerate(groups) for who in group}
    found = []
    active = set()
    played = Counter(game.pair for game in games_among(event, {c["id"] for c in event["competitors"]}))
    for match in printed["matches"]:
        if "bye" in match:
            found += [] if match["a"] in member else [f"{match['a']} has nothing to play for"]
            continue
        a, b = match["a"], match["b"]
        if a not in member or member[a] != member.get(b):
            found.append(f"{a} and {b} are not tied")
            continue
        active.add(member[a])
        group = groups[member[a]]
        fewest = min(played[frozenset(pair)] for pair in combinations(group, 2))
        if printed["notes"].get("form") != "knockout" and played[frozenset((a, b))] > fewest:
            found.append(f"{a} and {b} meet again before others of {group} have")
    found += [f"{group} do not play" for n, group in enumerate(groups) if n not in active]
    return found + [f"{who} has left" for who in member if _gone(event, who)]


def _gone(event: Event, who: str) -> bool:
    return any(c["id"] == who and left_after(c) is not None for c in event["competitors"])
