"""Who had to get the bye of an odd field."""

from collections import Counter

from checker.books import LAST, Event, book_of
from checker.ranking import order_of
from checker.records import gather
from checker.repeats import fewest_repeats, met_in_swiss


def byes_received(event: Event) -> Counter[str]:
    """A bye won beforehand counts as one received; a round won because the opponent did not appear is none."""
    return Counter(m["a"] for r in event.get("rounds", []) for m in r["matches"] if m.get("bye") in ("bye", "won"))


def bye_complaints(event: Event, field: list[str], holder: str) -> list[str]:
    """`field`: everybody there. Fewest byes first, then no needless repeat, then the rulebook's order."""
    received = byes_received(event)
    fewest = min(received[who] for who in field)
    if received[holder] > fewest:
        return [f"{holder} has a bye already, others have not"]
    met = met_in_swiss(event)
    cost = {who: fewest_repeats([w for w in field if w != who], met) for who in field if received[who] == fewest}
    if cost[holder] > min(cost.values()):
        return [f"{holder}'s bye costs {cost[holder]} repeats, another's {min(cost.values())}"]
    entitled = [who for who in cost if cost[who] == cost[holder]]
    if book_of(event).bye == LAST:
        place = {who: n for n, (who, _) in enumerate(order_of(event))}
        right = max(entitled, key=place.__getitem__)
        return [] if holder == right else [f"bye for {holder}, should be {right}, the last without one"]
    records = gather(event)
    least = min(records[who].points for who in entitled)
    return [] if records[holder].points == least else [f"bye for {holder}, somebody has {least} points only"]
