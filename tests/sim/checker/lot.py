"""The last tiebreaker: drawn once, from the event's seed and the competitor's id."""

from hashlib import sha256

from checker.books import Event


def by_lot(event: Event, who: str) -> str:
    return sha256(f"{event.get('seed', 0)}|tiebreak|{who}".encode()).hexdigest()
