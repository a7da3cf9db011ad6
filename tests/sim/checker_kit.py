"""Short events for tests of the checker: written as a person would tell them."""

from typing import Any

from checker.books import Event

Match = dict[str, Any]


def event(rulebook: str, *rounds: list[Match], players: int = 0, **options: Any) -> Event:
    """Swiss rounds of matches; everybody who sits in one signed up, p1, p2, …, and `players` at least."""
    seated = {match[side] for played in rounds for match in played for side in "ab" if side in match}
    count = max([players, *(int(who[1:]) for who in seated)])
    return {
        "format": "roundtap-event/1",
        "name": "Winter Open",
        "rulebook": rulebook,
        "options": {"structure": "own", "swiss_rounds": len(rounds), "cut": 0, "lists_required": False, **options},
        "seed": 7,
        "competitors": [{"id": f"p{n}", "name": f"Player {n}"} for n in range(1, count + 1)],
        "rounds": [
            {"number": number, "stage": "swiss", "matches": played} for number, played in enumerate(rounds, start=1)
        ],
    }


def met(a: str, b: str, score_a: int, score_b: int, **more: Any) -> Match:
    return {"a": a, "b": b, "result": {"score": {"a": score_a, "b": score_b}, **more}}


def bye(who: str, kind: str = "bye") -> Match:
    return {"a": who, "bye": kind}


def printed_round(number: int, *matches: tuple[str, ...], stage: str = "swiss", **notes: Any) -> dict[str, Any]:
    """What `pair` prints: two names are a match at the next table, one name is a bye."""
    made: list[Match] = []
    for table, names in enumerate(matches, start=1):
        made.append({"table": table, "a": names[0], "b": names[1]} if len(names) == 2 else bye(names[0]))
    rest = any("bye" in match for match in made)
    return {
        "round": number,
        "stage": stage,
        "draw": {"seed": 1, "attempt": 1, "method": "by hand"},
        "matches": made,
        "notes": {"repeats": 0, "bye": "random" if rest else None, "floats": [], **notes},
    }
