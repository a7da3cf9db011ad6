"""How many Swiss rounds are planned, the size of the cut, and which stage comes next."""

from typing import Any

from checker.books import Event, book_of, option, still_there
from checker.records import swiss_rounds


def stage(played: dict[str, Any]) -> str:
    return str(played.get("stage", "swiss"))


def rounds_of(event: Event, which: str) -> list[dict[str, Any]]:
    return [played for played in event.get("rounds", []) if stage(played) == which]


def players(event: Event) -> int:
    """Who was there when round 1 was drawn: latecomers' unpaired losses do not count, but who failed to appear does."""
    first = swiss_rounds(event)
    if not first:
        return len(still_there(event))
    if "checked_in" in event:
        return int(event["checked_in"])
    count = 0
    for match in first[0]["matches"]:
        count += {"unpaired-loss": 0, "no-show": 2}.get(match.get("bye", ""), 2 if "b" in match else 1)
    return count


def planned(event: Event) -> tuple[int, int] | None:
    """(Swiss rounds, cut); None where neither the event nor a table says."""
    given_rounds, given_cut = option(event, "swiss_rounds", None), option(event, "cut", None)
    tables = dict(book_of(event).structures)
    name = option(event, "structure", "basic" if tables else "own")
    here = players(event)
    for at_least, at_most, rounds, cut in tables.get(name, ()):
        if at_least <= here <= at_most:
            return rounds if given_rounds is None else given_rounds, cut if given_cut is None else given_cut
    return None if given_rounds is None else (given_rounds, given_cut or 0)


def places_at_stake(event: Event) -> tuple[int, int]:
    """(prizes, places in the cut): a Warlords tie for one of them is worth a tie-break round."""
    plan = planned(event)
    return option(event, "prize_places", 0), plan[1] if plan else 0


def swiss_is_over(event: Event, after: int | None = None) -> bool:
    """Whether all that were planned are played; without any, all places are the lot's and nothing was played for."""
    plan = planned(event)
    done = [p for p in swiss_rounds(event, after) if all("bye" in m or "result" in m for m in p["matches"])]
    return plan is not None and len(done) >= max(plan[0], 1) and len(done) == len(swiss_rounds(event, after))


def stage_due(event: Event) -> str:
    """Swiss rounds as planned; in Warlords the tie-break rounds needed; then elimination, if there is a cut."""
    from checker.play_off import groups_to_part

    if rounds_of(event, "elimination"):
        return "elimination"
    plan = planned(event)
    if plan is None or len(swiss_rounds(event)) < plan[0]:
        return "swiss"
    # A cut that was made stands: whoever leaves or declines then parts no ties.
    if plan[0] and "cut" not in event and groups_to_part(event):
        return "tiebreak"
    return "elimination" if plan[1] or not plan[0] else "swiss"
