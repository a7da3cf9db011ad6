"""What `bracket` printed: seeds, games, champion, and the final ranking."""

from typing import Any

from checker.books import Event, book_of, in_table, status_of
from checker.knockout import THIRD, Game, Number, bracket_size, games_of
from checker.plan import rounds_of
from checker.ranking import cut_order, epic_order, order_for_cut, order_of
from checker.records import swiss_rounds


def bracket_complaints(event: Event, printed: dict[str, Any]) -> list[str]:
    """After at least one elimination round."""
    played = rounds_of(event, "elimination")
    size = bracket_size(event)
    found = [] if printed["size"] == size else [f"size {printed['size']}, should be {size}"]
    rounds = [games_of(event, p) for p in played]
    found += _seeds(event, printed, rounds[0])
    found += _games(printed, rounds, size)
    found += _cut_table(event, printed)
    final = rounds[-1].get(1) if 2 ** len(rounds) == size else None
    # Disqualified is disqualified in every view: then whom the winner beat is the first.
    out = {c["id"] for c in event["competitors"] if status_of(c) == "disqualified"}
    first = [who for who in [final.winner, *final.losers] if who not in out] if final and final.winner else []
    champion = first[0] if first else None
    if printed["champion"] != champion:
        found.append(f"champion {printed['champion']}, should be {champion}")
    return found + (_ranking(event, printed, rounds, size) if printed["ranking"] else [])


def _seeds(event: Event, printed: dict[str, Any], first: dict[Number, Game]) -> list[str]:
    began = {who for game in first.values() for who in game.sides}
    seeds = [who for who in cut_order(event) if who in began] if swiss_rounds(event) else []
    said = [seed["competitor"] for seed in printed["seeds"]]
    # Who did not appear in the first round has a seed, but sits in no game.
    return [] if [who for who in said if who in began] == seeds else [f"seeds {said}, should be {seeds}"]


def _cut_table(event: Event, printed: dict[str, Any]) -> list[str]:
    """Epic shows the order of the cut apart: points, then the opponents' points."""
    if book_of(event).family != "epic":
        return ["a cut table of its own"] if "cut_table" in printed else []
    order = epic_order(event) if swiss_rounds(event) else []
    said = [(row["competitor"], row["decided_by"]) for row in printed.get("cut_table", [])]
    # Who was put out since has no place in it.
    kept = [who for who in cut_order(event) if who in dict(order)] if order else []
    if kept != [who for who, _ in order]:
        # A result was put right since: the order stays, and its figures tell it no longer.
        return [] if [who for who, _ in said] == kept else [f"cut table {said}, should be {kept}"]
    return [] if said == order else [f"cut table {said}, should be {order}"]


def _games(printed: dict[str, Any], rounds: list[dict[Number, Game]], size: int) -> list[str]:
    found = []
    said = _by_round(printed, size)
    for r, games in enumerate(rounds, start=1):
        for number, game in games.items():
            shown = said.get((r, number)) or said.get((len(rounds), number), {})
            sides = {
                seat["competitor"]
                for seat in (shown.get("a", {}), shown.get("b", {}))
                if "competitor" in seat and not seat.get("gone")
            }
            if not set(game.sides) <= sides or (game.winner != shown.get("winner")):
                found.append(f"round {r} game {number}: {shown}, should be {game}")
    return found


def _by_round(printed: dict[str, Any], size: int) -> dict[tuple[int, Number], dict[str, Any]]:
    """Games run through the rounds; the match for third place belongs to the last."""
    said: dict[tuple[int, Number], dict[str, Any]] = {}
    rounds = size.bit_length() - 1
    counting = [(r, g) for r in range(1, rounds + 1) for g in range(1, (size >> r) + 1)]
    ordinary = [game for game in printed["games"] if game["game"] != THIRD]
    for place, game in zip(counting, ordinary, strict=True):
        assert place[1] == game["game"]
        said[place] = game
    for game in printed["games"]:
        if game["game"] == THIRD:
            said[rounds, THIRD] = game
    return said


def _ranking(event: Event, printed: dict[str, Any], rounds: list[dict[Number, Game]], size: int) -> list[str]:
    """By the round reached, the match for third place, then the Swiss rank; without one, equals share a place. The
    disqualified come last and have no place."""
    won: dict[str, int] = {}
    for r, games in enumerate(rounds, start=1):
        for number, game in games.items():
            if number != THIRD:
                for who in game.sides:
                    won[who] = max(won.get(who, 0), r if who == game.winner else r - 1)
    for seat in printed["seeds"]:
        won.setdefault(seat["competitor"], 0)
    third = rounds[-1].get(THIRD)
    best_third = third.winner if third else None
    swiss = {who: n for n, (who, _) in enumerate(order_of(event), start=1)} if swiss_rounds(event) else {}

    # Those who made the cut rank among each other as they did then.
    then = {who: n for n, (who, _) in enumerate(order_for_cut(event))} if swiss else {}

    def place(who: str) -> tuple[int, bool, int]:
        return -won.get(who, -1), who != best_third, (then if who in won else swiss).get(who, 0)

    ranked, out = in_table(event)
    order = sorted(ranked, key=place)
    status = {c["id"]: status_of(c) for c in event["competitors"]}
    found = [
        f"{row['competitor']}: status {row.get('status')}, should be {status[row['competitor']]}"
        for row in printed["ranking"]
        if row.get("status") != status[row["competitor"]]
    ]
    found += [
        f"{row['competitor']}: Swiss rank {row['swiss_rank']}"
        for row in printed["ranking"]
        if row["swiss_rank"] != (swiss.get(row["competitor"]) if swiss else None)
    ]
    said = [(row["rank"], row["competitor"]) for row in printed["ranking"]]
    if {who for rank, who in said if rank is None} != set(out) or any(rank is None for rank, _ in said[: len(order)]):
        found.append(f"not ranked in {said}, should be {out}, last")
    said = [line for line in said if line[0] is not None]
    if swiss:
        right = list(enumerate(order, start=1))
        return found if said == right else [*found, f"final ranking {said}, should be {right}"]
    right_ranks = {who: 1 + sum(place(o) < place(who) for o in order) for who in order}
    return found + [
        f"final rank {rank} for {who}, should be {right_ranks.get(who)}"
        for rank, who in said
        if rank != right_ranks.get(who)
    ]
