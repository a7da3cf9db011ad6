"""Random results of every kind that a rulebook allows, figures at the edges included."""

from random import Random
from typing import Any

from checker.books import Event, base_of, book_of

Result = dict[str, Any]


def random_result(event: Event, match: dict[str, Any], stage: str, rand: Random, coarse: bool) -> Result:
    """`coarse`: few different figures, so that ties are frequent. In elimination and tie-breaks somebody goes on."""
    family = book_of(event).family
    knockout = stage != "swiss"
    kind = rand.choices(("played", "time", "concession", "ruling"), (50, 30, 10, 10))[0]
    maker = {
        "xwing": _xwing,
        "epic": _epic,
        "keyforge": _keyforge,
        "warlords": _warlords,
        "shatterpoint": _shatterpoint,
    }[family]
    result: Result = {} if kind == "played" else {"ended": kind}
    if kind == "concession":
        result["conceded_by"] = rand.choice("ab")
    if kind == "ruling":
        draws = ["draw"] if family in ("epic", "warlords", "shatterpoint") and not knockout else []
        lost = ["none"] if stage != "tiebreak" else []
        result["winner"] = rand.choices(["a", "b", *draws, *lost], [4, 4, *[2 for _ in draws], *[1 for _ in lost]])[0]
    maker(event, match, stage, rand, coarse, result)
    order = ("ended", "winner", "conceded_by", "initiative", "first_player", "picks", "timeout", "score", "wounds")
    return {key: result[key] for key in order if key in result}


def _two(rand: Random, values: list[int]) -> dict[str, int]:
    return {"a": rand.choice(values), "b": rand.choice(values)}


def _xwing(event: Event, match: dict[str, Any], stage: str, rand: Random, coarse: bool, result: Result) -> None:
    top = base_of(event)
    values = [0, top // 2, top] if coarse else [0, 1, top - 1, top, *(rand.randint(0, top) for _ in range(4))]
    result["score"] = score = _two(rand, values)
    if result.get("ended") == "ruling":
        if rand.random() < 0.4:
            result["score"] = {"a": 0, "b": 0}
        return
    if "ended" not in result:
        score[rand.choice("ab")] = top
    _has_not_won(result, {"a": top, "b": top}, rand)
    if result.get("ended") != "concession" and (score["a"] == score["b"] or rand.random() < 0.1):
        ahead = "a" if score["a"] > score["b"] else "b"
        result["winner"] = rand.choice("ab") if score["a"] == score["b"] else ahead


def _has_not_won(result: Result, tops: dict[str, int], rand: Random) -> None:
    """Who concedes has not destroyed everything."""
    side = result.get("conceded_by")
    if side is not None and result["score"][side] >= tops[side]:
        result["score"][side] = rand.choice((0, tops[side] // 2, tops[side] - 1))


def _epic(event: Event, match: dict[str, Any], stage: str, rand: Random, coarse: bool, result: Result) -> None:
    totals = {c["id"]: (c.get("list") or {}).get("total", base_of(event)) for c in event["competitors"]}
    tops = {"a": totals[match["b"]], "b": totals[match["a"]]}
    edge = rand.choice((0, 1, 11, 12, 13))
    low = rand.randint(0, min(tops.values()) - 20)
    result["score"] = score = {
        side: rand.choice([0, 24, 48] if coarse else [0, 1, top - 1, top, low, low + edge, rand.randint(0, top)])
        for side, top in tops.items()
    }
    if result.get("ended") == "ruling":
        if rand.random() < 0.4:
            result["score"] = {"a": 0, "b": 0}
        return
    _has_not_won(result, tops, rand)
    if "ended" not in result:
        # A list is gone: whoever has a ship left has won whatever the points; nobody left is a draw.
        won = result["winner"] = rand.choices(("a", "b", "draw"), (5, 5, 2))[0]
        result["score"] = score = {
            side: tops[side] if won in (side, "draw") else min(score[side], tops[side] - 1) for side in "ab"
        }
    elif result["ended"] == "time":
        _still_flying(score, tops, rand)
    drawn = result.get("winner") == "draw" or (result.get("ended") == "time" and score["a"] == score["b"])
    if stage != "swiss" and drawn:
        result["initiative"] = rand.choice("ab")


def _still_flying(score: dict[str, int], tops: dict[str, int], rand: Random) -> None:
    """At time: a list that is gone decides against the points too, so then it is no result of time. At most one list
    is, and its owner is behind."""
    for side, opponent in (("a", "b"), ("b", "a")):
        if score[side] == tops[side] and score[opponent] >= score[side]:
            score[opponent] = max(0, score[side] - rand.choice((1, 11, 12)))


def _keyforge(event: Event, match: dict[str, Any], stage: str, rand: Random, coarse: bool, result: Result) -> None:
    stages = event.get("options", {}).get("stages", {})
    if stage == "elimination" and match.get("final"):
        stage = "final"
    best_of = stages.get(stage, {}).get("best_of", 1)
    wins = best_of // 2 + 1
    won = rand.choice("ab")
    lost = "b" if won == "a" else "a"
    result["score"] = {"a": 0, "b": 0}
    if result.get("ended") in ("concession", "ruling"):
        if wins == 2 and rand.random() < 0.5:
            result["score"][rand.choice("ab")] = 1
        return
    if rand.random() < 0.2:
        result["winner"] = won
        if wins == 1 and rand.random() < 0.5:
            return
    if result.get("ended") == "time":
        # Whoever leads, or wins the game in progress, has one game more.
        ahead = rand.randint(1, wins)
        result["score"] = {won: ahead, lost: ahead - 1}
    else:
        result["score"] = {won: wins, lost: rand.randint(0, wins - 1)}
    result["score"] = {side: result["score"][side] for side in "ab"}
    if rand.random() < 0.3:
        result["first_player"] = rand.choice("ab")


def _warlords(event: Event, match: dict[str, Any], stage: str, rand: Random, coarse: bool, result: Result) -> None:
    # Where all end with the same lives, only opponents and tie-break rounds are left to decide.
    few = ([0], [20, 20, 0], [0, 20])[event["seed"] % 3]
    values = few if coarse else [-15, -5, -1, 0, 1, 15, 19, 20, 21, 30, 42, rand.randint(-10, 50)]
    result["score"] = lives = _two(rand, values)
    if result.get("ended") == "ruling":
        return
    if event.get("options", {}).get("stages", {}).get(stage, {}).get("best_of") == 3:
        result["score"] = {"a": 0, "b": 0}
        result.setdefault("winner", rand.choice("ab"))
        return
    gone = [side for side in "ab" if lives[side] <= 0]
    if result.get("ended") == "concession":
        # Whoever is conceded to has life left.
        winner = "b" if result["conceded_by"] == "a" else "a"
        lives[winner] = max(1, lives[winner])
        return
    if len(gone) == 2 and stage == "swiss":
        # Both at 0 or below at once share the game, at any time.
        result["winner"] = "draw"
    elif not gone and result.get("ended") == "time" and stage == "swiss" and rand.random() < 0.6:
        result["winner"] = "draw"
    else:
        result["winner"] = winner = rand.choice("ab") if len(gone) != 1 else "b" if gone == ["a"] else "a"
        lives[winner] = max(1, lives[winner])
        if lives["b" if winner == "a" else "a"] > 0:
            result["timeout"] = {"reason": rand.choice(("no_card", "foreign_card"))}


def _shatterpoint(event: Event, match: dict[str, Any], stage: str, rand: Random, coarse: bool, result: Result) -> None:
    wounds = [0, 3] if coarse else [0, 1, 2, 3, 4, rand.randint(0, 30)]
    result["score"] = score = _two(rand, [0, 1])
    result["wounds"] = _two(rand, wounds)
    if "ended" not in result:
        score[rand.choice("ab")] = 2
    elif result["ended"] == "time" and not any(r["stage"] == "swiss" for r in event["rounds"]):
        # A drawn game goes to the better Swiss rank: without Swiss rounds there is none.
        score.update({"a": 1, "b": 0})
    elif result["ended"] == "ruling" and rand.random() < 0.4:
        result["score"], result["wounds"] = {"a": 0, "b": 0}, {"a": 0, "b": 0}
    if rand.random() < 0.05:
        del result["wounds"]
    result["picks"] = {side: squads_for(event, match[side], rand) for side in "ab"}


def squads_for(event: Event, who: str, rand: Random) -> list[int]:
    """Two of the four squads: those not fielded before the round in play come first, so that all of them are in the
    end. What was said of that round before is said anew."""
    used: set[int] = set()
    for played in event["rounds"][:-1]:
        for match in played["matches"]:
            if match["a"] == who and "picks" in match:
                used |= set(match["picks"])
            for side in "ab":
                if match.get(side) == who:
                    used |= set(match.get("result", {}).get("picks", {}).get(side, []))
    fresh = [squad for squad in (1, 2, 3, 4) if squad not in used]
    rand.shuffle(fresh)
    rest = sorted(used)
    rand.shuffle(rest)
    return sorted([*fresh, *rest][:2])
