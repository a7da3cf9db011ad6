"""Events of a store's own game made up by chance: every kind of result, byes, no-shows, and people who leave."""

import random

from own_games.calculation import games_needed
from own_games.tables import bye, event_file, people


def made_up_result(rules: dict, event: dict, chance: random.Random) -> dict:
    """Any result that these rules allow, and now and then one of an official."""
    ended = chance.choice(["played"] * 6 + ["time"] * 3 + ["concession", "ruling"])
    never = rules["match"].get("draws") == "never"
    result: dict = {"ended": ended}
    if ended == "concession":
        result["conceded_by"] = chance.choice("ab")
    elif ended == "ruling":
        result["winner"] = chance.choice(["a", "b", "none"] if never else ["a", "b", "draw", "none"])
    if rules["match"]["report"] == "winner":
        if ended in ("played", "time"):
            level_at_time = not never or rules.get("time", {}).get("undecided") == "both_lose"
            level_allowed = (ended == "time" and level_at_time) or rules["match"].get("draws") == "any_time"
            result["winner"] = chance.choice(["a", "b", "draw"] if level_allowed else ["a", "b"])
        return result
    if rules["match"]["report"] == "games":
        need = games_needed(rules, event)
        a, b = (need, chance.randrange(need)) if ended == "played" else (chance.randrange(need), chance.randrange(need))
        result["score"] = dict(zip("ab", chance.sample([a, b], 2), strict=True))
        if rules["match"].get("drawn_games") and chance.random() < 0.3:
            result["timeout"] = {"drawn_games": str(chance.randrange(1, 3))}
    else:
        for figure in rules["match"]["figure"]:
            highest = min(figure.get("maximum", 99), chance.choice([3, 120]))
            result[figure["key"]] = {side: chance.randint(0, highest) for side in "ab"}
    deciding = [f["key"] for f in rules["match"].get("figure", [{"key": "score"}]) if f.get("decides", True)]
    if ended in ("played", "time") and all(result[key]["a"] == result[key]["b"] for key in deciding):
        undecided = rules.get("time", {}).get("undecided", "draw")
        if never:
            # Nothing ends level before time where no match is drawn.
            result["ended"] = ended = "time"
        if ended == "time" and (undecided == "ask" or (never and undecided == "draw")):
            result["winner"] = chance.choice("ab")
    return result


def made_up_event(rules: dict, chance: random.Random) -> dict:
    """Paired by nothing but chance: the calculation does not ask who should have met whom."""
    size, count = chance.randint(4, 9), chance.randint(2, 5)
    competitors = people(*(f"p{i}" for i in range(size)))
    event = event_file(competitors, [])
    rounds = []
    for number in range(1, count + 1):
        here = [c["id"] for c in competitors if c.get("dropped_after", c.get("disqualified_after", 99)) >= number]
        chance.shuffle(here)
        matches = []
        while len(here) > 1:
            a, b = here.pop(), here.pop()
            if chance.random() < 0.05:
                matches += [bye(a, "no-show"), bye(b, "unpaired-loss")]
            else:
                matches.append({"a": a, "b": b, "result": made_up_result(rules, event, chance)})
        matches += [bye(one, "won" if number == 1 and chance.random() < 0.3 else "bye") for one in here]
        rounds.append(matches)
        if chance.random() < 0.3:
            leaver = chance.choice(competitors)
            if len([c for c in competitors if len(c) == 2]) > 3 and len(leaver) == 2:
                leaver[chance.choice(["dropped_after", "dropped_after", "disqualified_after"])] = number
    return event_file(competitors, rounds)
