"""The result that a table was told, by RULEBOOKS.md and the screens alone: no form, no walk, no rulebook is asked."""

import random
from collections.abc import Callable
from typing import Any

from monkey_own import own_game, phoned_own
from monkey_reader import Facts, Reader, side_in
from monkey_table import Place

from own_games.shelf import rules_behind
from roundtap_core.records import Result, SidePair, other_side

LABELS: dict[str, dict[str, str]] = {
    "xwing-standard": {"score": ""},
    "xwing-epic-duel": {"score": ""},
    "xwing-epic-team": {"score": ""},
    "warlords-of-terra": {"score": ""},
    "shatterpoint-premier": {"score": "", "wounds": "wounds", "objectives": "objectives"},
    **{
        book: {"score": "", "keys": "keys", "aember": "æmber", "creatures": "creatures", "bonus": "bonus"}
        for book in ("keyforge-archon", "keyforge-sealed")
    },
}
"""How a short line calls a figure; score stands under the names."""

STEPS = {
    "final_salvo": "Final salvo",
    "last_turns": "last turns",
    "games": "",
    "lot": "random draw",
    "keys": "forged keys",
    "aember": "remaining æmber",
    "potential": "potential æmber",
    "first_player": "first player",
}


class Unsaid(Exception):
    """Something in the result was asked of nobody."""


def said(facts: Facts, title: str, side: str) -> int:
    if (title, side) not in facts.figures:
        raise Unsaid(f"nobody said the figure {title or 'score'} of {side}; said was {facts}")
    return facts.figures[title, side]


def chosen(facts: Facts, title: str) -> str:
    if title not in facts.choices:
        raise Unsaid(f"nobody answered {title!r}; said was {facts}")
    return facts.choices[title]


def drawn(reader: Reader, lot: str) -> str:
    if lot not in reader.lots:
        raise Unsaid(f"nobody saw the lot being drawn ({lot}); said was {reader.facts}")
    return reader.lots[lot]


def expected(place: Place, reader: Reader, like: Result | None) -> tuple[Result, str]:
    """The result and its winner ("a", "b", "draw") that `reader` saw being entered. Raises Unsaid."""
    facts = reader.facts
    if facts is None:
        raise Unsaid("a report without an entry")
    return BOOKS.get(place.book, own_game)(place, reader, facts, like)


def _pair(facts: Facts, value_opener: int, value_other: int) -> SidePair:
    return SidePair(value_opener, value_other) if facts.opener == "a" else SidePair(value_other, value_opener)


def _both(facts: Facts, title: str) -> SidePair:
    return SidePair(said(facts, title, "a"), said(facts, title, "b"))


def _more(pair: SidePair) -> str | None:
    return None if pair.a == pair.b else "a" if pair.a > pair.b else "b"


def xwing(place: Place, reader: Reader, facts: Facts, like: Result | None) -> tuple[Result, str]:
    """Section 2: before time the winner has destroyed all (100); at time both are counted; equal: final salvo."""
    loser = other_side(facts.opener)
    timed = facts.ending == "Time" or (facts.time_up if like is None else like.ended == "time")
    if facts.ending == "Conceded" or (facts.ending is None and like is not None and like.ended == "concession"):
        score = _pair(facts, 100, said(facts, "", loser))
        return Result(ended="concession", conceded_by=loser, score=score), facts.opener
    if timed:
        score, ended = _both(facts, ""), "time"
    else:
        score, ended = _pair(facts, 100, said(facts, "", loser)), "played"
    winner = _more(score)
    salvo = chosen(facts, "Final salvo") if winner is None else None
    return Result(ended=ended, score=score, winner=salvo), winner or salvo or ""


def epic(place: Place, reader: Reader, facts: Facts, like: Result | None) -> tuple[Result, str]:
    """Section 3: destroying all wins whatever the points, both gone is a draw, at time the points decide."""
    loser, ending = other_side(facts.opener), facts.ending
    if ending is None and like is not None:
        ending = {"time": "Time", "concession": "Conceded"}.get(
            like.ended, "Both destroyed" if like.winner == "draw" else "All destroyed"
        )
    initiative = None
    knockout = place.stage not in ("swiss", "second-swiss")
    # All of a list is what it costs, where anybody knows.
    destroys = {other_side("b" if at else "a"): cost for at, cost in enumerate(place.totals) if cost is not None}
    if ending == "Conceded":
        whole = destroys.get(facts.opener, {"xwing-epic-duel": 300, "xwing-epic-team": 400}[place.book])
        return Result(
            ended="concession", conceded_by=loser, score=_pair(facts, whole, said(facts, "", loser))
        ), facts.opener
    title = "Draw" if ending == "Both destroyed" else ""
    if ending == "Both destroyed":
        score = SidePair(*(destroys[side] if side in destroys else said(facts, title, side) for side in ("a", "b")))
    elif ending == "All destroyed" and facts.opener in destroys:
        score = _pair(facts, destroys[facts.opener], said(facts, "", loser))
    else:
        score = _both(facts, title)
    if ending == "All destroyed":
        return Result(winner=facts.opener, score=score), facts.opener
    winner = _more(score) if ending == "Time" else None
    if winner is None and knockout:
        initiative = chosen(facts, "Who had initiative?")
    if ending == "Both destroyed":
        return Result(winner="draw", score=score, initiative=initiative), "draw"
    if ending != "Time":
        raise Unsaid(f"nobody said how it ended: {facts}")
    return Result(ended="time", score=score, initiative=initiative), winner or "draw"


def _turns(facts: Facts, allowed: int) -> str | None:
    """Who won in the last turns; None when all were played. Raises Unsaid while some are open."""
    active = chosen(facts, "Whose turn?")
    if facts.turn_won is not None:
        return facts.turn_won
    if not {"Last turn", *(f"{left} turns left" for left in range(2, allowed + 1))} <= facts.turns:
        raise Unsaid(f"turns are still to be played ({sorted(facts.turns)} of {allowed}, first {active})")
    return None


def warlords(place: Place, reader: Reader, facts: Facts, like: Result | None) -> tuple[Result, str]:
    """Section 5: the winner is stated; at time four turns, then a draw; lives as they stand."""
    loser, ending = other_side(facts.opener), facts.ending
    if place.games > 1:
        if ending == "Conceded" or (ending is None and like is not None and like.ended == "concession"):
            return Result(ended="concession", conceded_by=loser), facts.opener
        return Result(winner=facts.opener), facts.opener
    knockout = place.stage not in ("swiss", "second-swiss")
    if ending is None and like is not None:
        if like.ended == "time":
            ending = "Time" if (like.timeout or {}).get("active") else "Draw"
        elif like.ended == "concession":
            ending = "Conceded"
        elif like.winner == "draw":
            ending = "Both at 0 life"
    if ending in ("Conceded", "No card left"):
        score = _pair(facts, said(facts, "", facts.opener), 0 if ending == "Conceded" else said(facts, "", loser))
        if ending == "Conceded":
            return Result(ended="concession", conceded_by=loser, score=score), facts.opener
        return Result(winner=facts.opener, score=score), facts.opener
    if ending == "Both at 0 life":
        # The ending that was chosen says both figures.
        return Result(winner="draw", score=SidePair(0, 0)), "draw"
    if ending == "Draw":
        return Result(ended="time", winner="draw", score=_both(facts, "Draw")), "draw"
    if ending == "Time" or (ending is None and facts.time_up and not knockout and like is None):
        winner = _turns(facts, 4)
        told: dict[str, Any] = {"active": chosen(facts, "Whose turn?")}
        if winner:
            told |= {"turns": winner, "decided_by": "last_turns"}
        return Result(ended="time", winner=winner or "draw", score=_both(facts, ""), timeout=told), winner or "draw"
    lost = facts.figures.get(("", loser), 0)
    return Result(winner=facts.opener, score=_pair(facts, said(facts, "", facts.opener), lost)), facts.opener


def keyforge(place: Place, reader: Reader, facts: Facts, like: Result | None) -> tuple[Result, str]:
    """Section 4: a won game; at time the turns, one forged key each, keys, æmber, potential, the first player."""
    loser, ending, wins = other_side(facts.opener), facts.ending, place.games // 2 + 1
    games = {side: reader.games.count(side) for side in ("a", "b")}  # type: ignore[arg-type]
    first = (like.first_player if like else None) or reader.first_player
    if ending is None and like is not None:
        ending = {"time": "Time", "concession": "Conceded"}.get(like.ended, "Played to the end")
    timed = ending == "Time" or (ending is None and facts.time_up and like is None)
    if not timed:
        if wins == 1:
            others = 0
        elif (
            games[facts.opener] + 1 == wins
            and ("", loser) not in facts.figures
            and (ending is None or (ending == "Played to the end" and like is None))
        ):
            others = games[loser]
        else:
            others = said(facts, "", loser)
        score = _pair(facts, wins, others)
        if ending == "Conceded":
            return Result(ended="concession", conceded_by=loser, score=score, first_player=first), facts.opener
        return Result(score=score, first_player=first), facts.opener
    told: dict[str, Any] = {}
    so_far = SidePair()
    if wins > 1:
        so_far = _both(facts, "Games won")
        if _more(so_far):
            return Result(ended="time", winner=_more(so_far), score=so_far, first_player=first), _more(so_far) or ""
        if so_far.a + so_far.b == 2:
            told["game_begun"] = chosen(facts, "Game 3 begun?")
            if told["game_begun"] == "no":
                told["lot"] = drawn(reader, "lot")
                return _won(so_far, told["lot"], {**told, "decided_by": "lot"}, first)
    winner = _turns(facts, 2)
    told["active"] = chosen(facts, "Whose turn?")
    if winner:
        return _won(so_far, winner, {**told, "turns": winner, "decided_by": "last_turns"}, first)
    keys, aember = _both(facts, "Forged keys"), _both(facts, "Æmber")
    told |= {"keys": _plain(keys), "aember": _plain(aember)}
    forged = SidePair(keys.a + (aember.a >= 6), keys.b + (aember.b >= 6))
    left = SidePair(aember.a - 6 * (aember.a >= 6), aember.b - 6 * (aember.b >= 6))
    for name, pair in (("keys", forged), ("aember", left)):
        if winner := _more(pair):
            return _won(so_far, winner, {**told, "decided_by": name}, first)
    creatures, bonus = _both(facts, "Creatures of the house"), _both(facts, "Bonus æmber in hand")
    told |= {"creatures": _plain(creatures), "bonus": _plain(bonus)}
    if winner := _more(SidePair(creatures.a + bonus.a, creatures.b + bonus.b)):
        return _won(so_far, winner, {**told, "decided_by": "potential"}, first)
    if first is None:
        answer = chosen(facts, "Who was first player?")
        first = answer if answer in ("a", "b") else side_in(answer)
    if first is None:
        # Nobody knows: a lot, and recorded as one.
        first, told = drawn(reader, "first_player_lot"), {**told, "first_player_by": "lot"}
    return _won(so_far, first, {**told, "decided_by": "first_player"}, first)


def _plain(pair: SidePair) -> dict[str, int]:
    return {"a": pair.a, "b": pair.b}


def _won(so_far: SidePair, winner: str, told: dict[str, Any], first: str | None) -> tuple[Result, str]:
    score = SidePair(so_far.a + (winner == "a"), so_far.b + (winner == "b"))
    return Result(ended="time", winner=winner, score=score, timeout=told, first_player=first), winner


BOOKS: dict[str, Callable[..., tuple[Result, str]]] = {
    "xwing-standard": xwing,
    "xwing-epic-duel": epic,
    "xwing-epic-team": epic,
    "warlords-of-terra": warlords,
    "keyforge-archon": keyforge,
    "keyforge-sealed": keyforge,
}


def phoned(place: Place, chance: random.Random) -> Result:
    """A result that somebody may have typed on a phone."""
    if rules_behind(place.book) is not None:
        return phoned_own(place, chance)
    a = chance.choice(("a", "b"))
    low, high = chance.randint(0, 60), chance.randint(61, 99)
    figures = SidePair(high, low) if a == "a" else SidePair(low, high)
    if place.book == "xwing-standard" or place.book.startswith("xwing-epic"):
        return Result(ended="time", score=figures)
    if place.book == "warlords-of-terra":
        if place.games > 1:
            return Result(winner=a)
        return Result(winner=a, score=SidePair(12, 0) if a == "a" else SidePair(0, 12))
    if place.book == "shatterpoint-premier":
        score = SidePair(2, 1) if a == "a" else SidePair(1, 2)
        return Result(score=score, wounds=figures, picks={"a": [1, 2], "b": [3, 4]})
    wins = place.games // 2 + 1
    if wins == 1 and chance.random() < 0.5:
        told = {
            "active": "a",
            "keys": {"a": 2, "b": 1} if a == "a" else {"a": 0, "b": 1},
            "aember": {"a": 0, "b": 3},
            "decided_by": "keys",
        }
        return Result(ended="time", winner=a, score=SidePair(1, 0) if a == "a" else SidePair(0, 1), timeout=told)
    return Result(
        score=SidePair(wins, 0) if a == "a" else SidePair(0, wins), first_player=chance.choice(("a", "b", None))
    )
