"""What one match or bye gives either side: tournament points, the outcome, and figures for tiebreakers."""

from dataclasses import dataclass, field
from typing import Any

from checker.books import Book, Event, base_of, book_of, option

WIN, LOSS, DRAW = "wins", "losses", "draws"


@dataclass(frozen=True)
class Given:
    points: int
    outcome: str
    figures: dict[str, int] = field(default_factory=dict)


def other(side: str) -> str:
    return "b" if side == "a" else "a"


def figures_of(result: dict[str, Any], key: str) -> dict[str, int]:
    stated = result.get(key) or {}
    return {"a": stated.get("a", 0), "b": stated.get("b", 0)}


def winner(book: Book, result: dict[str, Any]) -> str:
    """ "a", "b", "draw" or "none", by what is recorded and nothing else."""
    ended = result.get("ended", "played")
    if ended == "ruling":
        return str(result["winner"])
    if ended == "concession":
        return other(result["conceded_by"])
    score = figures_of(result, "score")
    ahead = "a" if score["a"] > score["b"] else "b" if score["b"] > score["a"] else None
    if book.family == "warlords" or (book.family == "epic" and ended != "time"):
        return str(result["winner"])
    if book.family == "epic":
        return ahead or "draw"
    if book.family == "shatterpoint" and ahead is None:
        wounds = figures_of(result, "wounds")
        return "a" if wounds["a"] > wounds["b"] else "b" if wounds["b"] > wounds["a"] else "draw"
    return ahead or str(result["winner"])


def lone(event: Event, bye: str) -> Given:
    """A bye of any kind. An unpaired loss is a lost round without figures."""
    book = book_of(event)
    nothing = dict.fromkeys(_figure_keys(book), 0)
    if bye == "unpaired-loss":
        return Given(0, LOSS, nothing)
    if book.family in ("xwing", "epic"):
        base = base_of(event)
        usual = option(event, "bye_mov", base * 3 // 2)
        return Given(book.win, WIN, {"mov": 2 * base if bye == "won" else usual})
    if book.family == "shatterpoint":
        return Given(book.win, WIN, {"struggles": 2, "wounds": 3})
    if book.family == "warlords":
        return Given(book.win, WIN, {"score": option(event, "bye_score", 0)})
    return Given(book.win, WIN, nothing)


def met(event: Event, match: dict[str, Any]) -> dict[str, Given]:
    """What a match with a result gives sides "a" and "b"."""
    book, result = book_of(event), match["result"]
    won = winner(book, result)
    if won == "none":
        return {side: Given(0, LOSS, dict.fromkeys(_figure_keys(book), 0)) for side in "ab"}
    alone = _with_ships_left(event, match) if book.family == "epic" and result.get("ended") == "time" else None
    figures = _figures(event, match, alone or won)
    if alone is not None:
        # "Fin de partida": everything of a list is destroyed, and no margin matters.
        return {
            side: Given({"draw": book.draw, side: book.win}.get(alone, 0), _outcome(alone, side), figures[side])
            for side in "ab"
        }
    return {side: Given(_points(book, result, won, side), _outcome(won, side), figures[side]) for side in "ab"}


def _with_ships_left(event: Event, match: dict[str, Any]) -> str | None:
    """The side that has destroyed the other's whole list, whose total is known, "draw" where both have; else None."""
    cost = {c["id"]: (c.get("list") or {}).get("total") for c in event["competitors"]}
    lists = {side: cost[match[side]] for side in "ab"}
    score = figures_of(match["result"], "score")
    lost = [side for side, total in lists.items() if total is not None and score[other(side)] >= total]
    if len(lost) == 2:
        return "draw"
    return other(lost[0]) if lost else None


def _outcome(won: str, side: str) -> str:
    return DRAW if won == "draw" else WIN if won == side else LOSS


def _points(book: Book, result: dict[str, Any], won: str, side: str) -> int:
    if won == "draw":
        return book.draw
    if won != side:
        return 0
    if book.family == "epic" and result.get("ended") == "time":
        score = figures_of(result, "score")
        return 5 if abs(score["a"] - score["b"]) >= 12 else 3
    return book.win


def _figure_keys(book: Book) -> tuple[str, ...]:
    return {
        "xwing": ("mov",),
        "epic": ("mov",),
        "keyforge": (),
        "warlords": ("score",),
        "shatterpoint": ("struggles", "wounds"),
    }[book.family]


def _figures(event: Event, match: dict[str, Any], won: str) -> dict[str, dict[str, int]]:
    book, result = book_of(event), match["result"]
    score = figures_of(result, "score")
    conceded = result.get("conceded_by") if result.get("ended") == "concession" else None
    if book.family in ("xwing", "epic"):
        base = base_of(event)
        if conceded:
            score[other(conceded)] = _destroyed(event, book, match[conceded], base)
        return {side: {"mov": base + score[side] - score[other(side)]} for side in "ab"}
    if book.family == "warlords":
        if conceded:
            score[conceded] = 0
        life = {side: min(20, max(0, score[side])) for side in "ab"}
        return {side: {"score": life[side] - life[other(side)]} for side in "ab"}
    if book.family == "shatterpoint":
        wounds = figures_of(result, "wounds")
        if conceded:
            better = other(conceded)
            score[better], wounds[better] = max(2, score[better]), max(3, wounds[better])
        return {side: {"struggles": score[side], "wounds": wounds[side]} for side in "ab"}
    return {"a": {}, "b": {}}


def _destroyed(event: Event, book: Book, conceder: str, base: int) -> int:
    """What whoever wins by a concession has destroyed: everything; in Epic the total of the list, where it is known."""
    if book.family == "epic":
        for competitor in event["competitors"]:
            if competitor["id"] == conceder:
                total: int | None = (competitor.get("list") or {}).get("total")
                return base if total is None else total
    return base
