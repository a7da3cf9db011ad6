"""The figures of the seven rulebooks, as the digest states them."""

from dataclasses import dataclass
from typing import Any

Event = dict[str, Any]

LAST, LOWEST = "last in the standings", "random among the fewest points"

BASIC = (
    (4, 8, 3, 0),
    (9, 16, 4, 0),
    (17, 24, 4, 4),
    (25, 40, 5, 4),
    (41, 44, 5, 8),
    (45, 76, 6, 8),
    (77, 148, 6, 16),
    (149, 10**9, 7, 16),
)
ADVANCED = (
    (9, 12, 4, 4),
    (13, 24, 4, 8),
    (25, 40, 5, 8),
    (41, 76, 6, 8),
    (77, 148, 6, 16),
    (149, 288, 6, 32),
    (289, 512, 7, 32),
    (513, 10**9, 8, 32),
)
SHOWDOWN = ((4, 4, 3, 0), (5, 16, 4, 0), (17, 32, 4, 4), (33, 64, 4, 8), (65, 10**9, 5, 16))

_TABLES = (("basic", BASIC), ("advanced", ADVANCED))
_EPIC = ("mov", "opponents_points")
_KEYFORGE = ("sos", "extended_sos")
_WARLORDS = ("score", "head_to_head", "opponents_points", "opponents_score", "tiebreak_round")
_WARLORDS_SHOWN = ("score", "opponents_points", "opponents_score")
_SHATTERPOINT = ("struggles", "sos", "wounds")


@dataclass(frozen=True)
class Book:
    """`family` chooses the scoring; `base` is the X-Wing rulebooks' squad points; `shown` the printed tiebreakers."""

    family: str
    win: int
    draw: int
    keys: tuple[str, ...]
    shown: tuple[str, ...]
    bye: str = LOWEST
    base: int = 0
    structures: tuple[tuple[str, tuple[tuple[int, int, int, int], ...]], ...] = ()


BOOKS = {
    "xwing-standard": Book("xwing", 1, 0, ("mov", "sos"), ("mov", "sos"), bye=LAST, base=100, structures=_TABLES),
    "xwing-epic-duel": Book("epic", 5, 1, _EPIC, _EPIC, base=300),
    "xwing-epic-team": Book("epic", 5, 1, _EPIC, _EPIC, base=400),
    "keyforge-archon": Book("keyforge", 1, 0, _KEYFORGE, _KEYFORGE, structures=_TABLES),
    "keyforge-sealed": Book("keyforge", 1, 0, _KEYFORGE, _KEYFORGE, structures=_TABLES),
    "warlords-of-terra": Book("warlords", 3, 1, _WARLORDS, _WARLORDS_SHOWN),
    "shatterpoint-premier": Book("shatterpoint", 3, 1, _SHATTERPOINT, _SHATTERPOINT, structures=(("basic", SHOWDOWN),)),
}


def book_of(event: Event) -> Book:
    return BOOKS[event["rulebook"]]


def option(event: Event, key: str, default: Any) -> Any:
    return event.get("options", {}).get(key, default)


def base_of(event: Event) -> int:
    """What MoV is counted from."""
    base: int = option(event, "squad_points", book_of(event).base)
    return base


def left_after(competitor: dict[str, Any]) -> int | None:
    """The last round of somebody who left or was put out."""
    lasts = [competitor[key] for key in ("dropped_after", "disqualified_after") if key in competitor]
    return min(lasts, default=None)


def status_of(competitor: dict[str, Any], after: int | None = None) -> str | None:
    """ "disqualified", "dropped", or None for who was still there after that round."""
    for key in ("disqualified", "dropped"):
        last = competitor.get(f"{key}_after")
        if last is not None and (after is None or last <= after):
            # Who did not want a place in the cut has not left.
            return None if key == "dropped" and competitor.get("declined_place") else key
    return None


def seated(event: Event, after: int | None = None) -> set[str]:
    """Who stands in any entry of any round, a round missed included."""
    return {
        m[side]
        for r in event.get("rounds", [])
        if after is None or r["number"] <= after
        for m in r["matches"]
        for side in "ab"
        if side in m
    }


def in_table(event: Event, after: int | None = None) -> tuple[list[str], list[str]]:
    """(ranked, disqualified), both in the file's order. Who never played is in neither; before the first round of all
    that is whoever has left already."""
    played = seated(event, after)
    ranked, out = [], []
    for competitor in event["competitors"]:
        status = status_of(competitor, after)
        if competitor["id"] in played or (not played and status is None):
            (out if status == "disqualified" else ranked).append(competitor["id"])
    return ranked, out


def before_knockout(event: Event) -> int | None:
    """The number of the last round before the elimination; None while there is none."""
    numbers = [r["number"] for r in event.get("rounds", []) if r.get("stage") == "elimination"]
    return min(numbers) - 1 if numbers else None


def still_there(event: Event) -> set[str]:
    return {c["id"] for c in event["competitors"] if left_after(c) is None}
