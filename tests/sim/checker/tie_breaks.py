"""Warlords' tie-break rounds: what they say about a tied group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import combinations
from typing import Any

from checker.books import Event, book_of, left_after
from checker.outcomes import winner
from checker.plan import rounds_of


def has_left(event: Event, who: str, after: int | None = None) -> bool:
    """Whether somebody left before anything else began; who leaves during elimination keeps a place won before."""
    last = next(left_after(c) for c in event["competitors"] if c["id"] == who)
    started = min((r["number"] for r in rounds_of(event, "elimination")), default=None)
    if last is None or (after is not None and last > after):
        return False
    return started is None or last < started


class Meetings:
    """The decided matches of the tie-break rounds, as (round, form, winner, loser) in the order of the rounds."""

    def __init__(self, matches: list[tuple[int, str, str, str]]) -> None:
        self.matches = matches

    def values(self, tied: Sequence[str], meeting: int, gone: Collection[str] = ()) -> dict[str, Any] | None:
        """What the group's tie-break number `meeting` (from 0) gives each, more is better; None: not played out.

        Who left without having played stands below those who did, and is nobody's match to come.
        """
        names = {who for match in self.matches if {match[2], match[3]} <= set(tied) for who in match[2:]}
        idle = set(gone) - names
        if names and idle:
            values = self.values([who for who in tied if who not in idle], meeting, set(gone) - idle)
            return values and {**values, **dict.fromkeys(idle, -1)}
        group = set(tied)
        among = [m for m in self.matches if {m[2], m[3]} <= group]
        if among and among[0][1] == "knockout":
            return self._knockout(tied, among, meeting)
        wins: Counter[str] = Counter(dict.fromkeys(tied, 0))
        for pair in combinations(tied, 2):
            theirs = [m for m in among if {m[2], m[3]} == set(pair)]
            if len(theirs) <= meeting:
                return None
            wins[theirs[meeting][2]] += 1
        return dict(wins)

    def all_met(self, tied: Sequence[str], gone: Collection[str]) -> set[str]:
        """Who has nobody left to meet: those who went without a match are nobody's match to come."""
        pairs = {frozenset(match[2:]) for match in self.matches}
        group = {who for who in tied if who not in gone or any({who} < pair <= set(tied) for pair in pairs)}
        return {who for who in group if all({who, other} in pairs for other in group - {who})}

    @staticmethod
    def _knockout(tied: Sequence[str], among: list[tuple[int, str, str, str]], meeting: int) -> dict[str, Any] | None:
        """By the round of the first loss, at once: whoever has not lost yet will lose later, or never."""
        lost: dict[str, int] = {}
        for number, _, _, loser in among:
            lost.setdefault(loser, number)
        if meeting:
            return None
        return {who: lost.get(who, 10**9) for who in tied}


def tie_break_meetings(event: Event, after: int | None = None) -> Meetings:
    found = []
    for played in rounds_of(event, "tiebreak"):
        if after is not None and played["number"] > after:
            continue
        for match in played["matches"]:
            if "result" in match:
                won = winner(book_of(event), match["result"])
                if won in ("a", "b"):
                    lost = "b" if won == "a" else "a"
                    found.append((played["number"], played.get("tiebreak_form", "each"), match[won], match[lost]))
    return Meetings(found)
