"""What every competitor has gathered in the Swiss rounds, and the tiebreakers that follow from it."""

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from checker.books import Event
from checker.outcomes import DRAW, LOSS, WIN, Given, lone, met


@dataclass
class Record:
    """`meetings`: each opponent met and what that match gave, in the order of the rounds; `known`: tiebreakers."""

    points: int = 0
    rounds: int = 0
    byes: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    figures: Counter[str] = field(default_factory=Counter)
    meetings: list[tuple[str, Given]] = field(default_factory=list)
    known: dict[str, Fraction] = field(default_factory=dict)

    def add(self, given: Given) -> None:
        assert given.outcome in (WIN, LOSS, DRAW)
        self.points += given.points
        self.rounds += 1
        self.outcomes[given.outcome] += 1
        for key, value in given.figures.items():
            self.figures[key] += value


Records = dict[str, Record]


def swiss_rounds(event: Event, after: int | None = None) -> list[dict[str, Any]]:
    return [
        r
        for r in event.get("rounds", [])
        if r.get("stage", "swiss") == "swiss" and (after is None or r["number"] <= after)
    ]


def gather(event: Event, after: int | None = None) -> Records:
    """Of everybody in the file, after round `after` (None: all). Open matches give nothing yet."""
    records = {competitor["id"]: Record() for competitor in event["competitors"]}
    for played in swiss_rounds(event, after):
        for match in played["matches"]:
            if "bye" in match:
                records[match["a"]].add(lone(event, match["bye"]))
                records[match["a"]].byes += match["bye"] in ("bye", "won")
            elif "result" in match:
                given = met(event, match)
                for side, opponent in (("a", "b"), ("b", "a")):
                    record = records[match[side]]
                    record.add(given[side])
                    record.meetings.append((match[opponent], given[side]))
    return records


def tiebreaker(records: Records, who: str, key: str) -> Fraction:
    """One figure of one competitor, exact."""
    known = records[who].known
    if key not in known:
        known[key] = _tiebreaker(records, who, key)
    return known[key]


def _tiebreaker(records: Records, who: str, key: str) -> Fraction:
    opponents = [opponent for opponent, _ in records[who].meetings]
    if key == "sos":
        return _mean([Fraction(records[o].points, records[o].rounds) for o in opponents])
    if key == "extended_sos":
        return _mean([tiebreaker(records, o, "sos") for o in opponents])
    if key == "opponents_points":
        return Fraction(sum(records[o].points for o in opponents))
    if key == "opponents_score":
        return Fraction(sum(records[o].figures["score"] for o in opponents))
    return Fraction(records[who].figures[key])


def _mean(values: list[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values) if values else Fraction(0)
