"""What people say of matches of a store's own game, in the words of the format: made up by chance, and written down.

It knows the file of rules and the words on the screens, and nothing of the product. What is written here is what was
pressed and typed; the calculation is fed from it, and from nothing that a hub has kept.
"""

import random
from dataclasses import dataclass, field
from typing import Any

Rules = dict[str, Any]
Said = dict[str, Any]
"""A result in the words of an event file, as somebody meant it."""

SIDES = ("a", "b")
PLAYED, TIME, CONCESSION, RULING = "played", "time", "concession", "ruling"


def other(side: str) -> str:
    return "b" if side == "a" else "a"


def report_of(rules: Rules) -> str:
    return str(rules["match"]["report"])


def figures_of(rules: Rules) -> list[str]:
    """The numbers that are asked for: games won are one of them."""
    return ["score"] if report_of(rules) == "games" else [each["key"] for each in rules["match"].get("figure", [])]


def deciding(rules: Rules) -> list[str]:
    if report_of(rules) == "games":
        return ["score"]
    return [each["key"] for each in rules["match"].get("figure", []) if each.get("decides", True)]


def leads(rules: Rules, said: Said) -> str | None:
    """Who is ahead in what decides; None: level."""
    for key in deciding(rules):
        pair = said.get(key, {"a": 0, "b": 0})
        if pair["a"] != pair["b"]:
            return "a" if pair["a"] > pair["b"] else "b"
    return None


def winner_told(rules: Rules, said: Said) -> str | None:
    """Whom somebody names who says this: the winner, of a concession the one who stays."""
    if said["ended"] == CONCESSION:
        return other(said["conceded_by"])
    return said.get("winner") or leads(rules, said)


@dataclass(frozen=True)
class Moment:
    """When a result is told: `best_of` so many games; `time_up` None: the round is untimed."""

    rules: Rules
    best_of: int
    knockout: bool
    time_up: bool | None

    @property
    def need(self) -> int:
        return self.best_of // 2 + 1

    @property
    def one_game(self) -> bool:
        return report_of(self.rules) == "winner" or (report_of(self.rules) == "games" and self.need == 1)

    @property
    def draws(self) -> str:
        return str(self.rules["match"].get("draws", "at_time"))

    def asks_who_won(self, ended: str) -> bool:
        """Whether the table says who won a level match."""
        time = self.rules.get("time", {})
        if self.knockout:
            return bool(time.get("knockout", "ask") == "ask")
        undecided = time.get("undecided", "draw")
        asked = undecided == "ask" or (undecided == "draw" and self.draws == "never")
        return bool(asked and (ended == TIME or self.draws == "never"))

    def may_end_level(self, ended: str) -> bool:
        if self.knockout or self.asks_who_won(ended):
            return True
        return ended == TIME or self.draws == "any_time"


def any_told(at: Moment, chance: random.Random, official: bool = False) -> Said:
    """Anything that these rules let somebody say now."""
    if official and chance.random() < 0.15:
        return _ruling(at, chance)
    if chance.random() < 0.1:
        return _concession(at, chance)
    ended = TIME if at.time_up and chance.random() < 0.8 else PLAYED
    if at.one_game:
        return _one_game(at, ended, chance)
    said: Said = {"ended": ended}
    if report_of(at.rules) == "games":
        if ended == PLAYED and at.draws == "any_time" and not at.knockout and chance.random() < 0.2:
            # Who is ahead has won: a draw is agreed on by as many games each.
            said |= {"winner": "draw", "score": dict.fromkeys(SIDES, chance.randrange(at.need))}
            return said | _drawn_games(at, chance)
        ahead = chance.choice(SIDES)
        most = at.need if ended == PLAYED else chance.randrange(at.need)
        said["score"] = {ahead: most, other(ahead): chance.randrange(at.need)}
        said |= _drawn_games(at, chance)
    else:
        said |= any_figures(at, chance)
        while leads(at.rules, said) is None and not at.may_end_level(ended):
            said |= any_figures(at, chance)
    if leads(at.rules, said) is None and at.asks_who_won(ended):
        said["winner"] = chance.choice(SIDES)
    return said


def _one_game(at: Moment, ended: str, chance: random.Random) -> Said:
    """Who won, or that nobody has: then no number is told."""
    level = ended == TIME and not at.asks_who_won(TIME)
    agreed = ended == PLAYED and at.draws == "any_time"
    if not at.knockout and (level or agreed) and chance.random() < 0.35:
        return {"ended": ended, "winner": "draw"}
    won = chance.choice(SIDES)
    counts_time = any(bonus.get("ended") == TIME for bonus in at.rules["points"].get("bonus", []))
    score = {"score": {won: 1, other(won): 0}} if report_of(at.rules) == "games" else {}
    return {"ended": ended if counts_time else PLAYED, "winner": won, **score}


def _concession(at: Moment, chance: random.Random) -> Said:
    first = chance.choice(SIDES)
    said: Said = {"ended": CONCESSION, "conceded_by": first}
    if at.one_game:
        return said
    if report_of(at.rules) == "games":
        return {**said, "score": {first: chance.randrange(at.need), other(first): at.need}, **_drawn_games(at, chance)}
    return {**said, **any_figures(at, chance)}


def _ruling(at: Moment, chance: random.Random) -> Said:
    words = [*SIDES, "none", "none"]
    better = at.knockout and at.rules.get("time", {}).get("knockout", "ask") == "better_rank"
    if at.draws != "never" and (better or not at.knockout):
        words.append("draw")
    said: Said = {"ended": RULING, "winner": chance.choice(words)}
    if report_of(at.rules) == "points" and chance.random() < 0.3:
        said |= any_figures(at, chance)
    return said


def _drawn_games(at: Moment, chance: random.Random) -> Said:
    if not at.rules["match"].get("drawn_games"):
        return {}
    return {"timeout": {"drawn_games": str(chance.choice((0, 0, 1, 2)))}}


def any_figures(at: Moment, chance: random.Random) -> Said:
    """Near the start of the dial, near each other, or anything."""
    said: Said = {}
    for each in at.rules["match"]["figure"]:
        highest, default = each.get("maximum", 99), each.get("default", 0)
        kind, near = chance.random(), chance.randint(0, highest)
        if kind < 0.3:
            pair = [chance.randint(0, highest) for _ in SIDES]
        elif kind < 0.6:
            pair = [min(highest, max(0, near + chance.randint(-6, 6))) for _ in SIDES]
        elif kind < 0.75:
            pair = [near, near]
        else:
            pair = [min(highest, max(0, default + chance.randint(-3, 12))) for _ in SIDES]
        said[each["key"]] = dict(zip(SIDES, pair, strict=True))
    return said


# --- in the words that stand on screens, in English ---


def ending_word(at: Moment, said: Said) -> str:
    """What is pressed for how it ended."""
    ended, winner = said["ended"], said.get("winner")
    if ended == CONCESSION:
        return "Conceded"
    if ended == RULING:
        return "Judge’s ruling"
    if winner == "draw" and ended == PLAYED and report_of(at.rules) != "points":
        return "Draw agreed"
    if at.one_game and winner == "draw":
        return "Tie: both lose" if at.rules.get("time", {}).get("undecided") == "both_lose" else "Draw"
    return "Time" if ended == TIME else "Played to the end"


def has_figures(said: Said) -> bool:
    """Whether it says more than who won."""
    return "score" in said or "second" in said


def figure_names(rules: Rules) -> dict[str, str]:
    """The number behind each heading."""
    if report_of(rules) == "games":
        return {"Games won": "score"}
    plain = {"score": "Points", "second": "Second number"}
    return {
        each.get("label", {}).get("en", plain[each["key"]]): each["key"] for each in rules["match"].get("figure", [])
    }


def line_of(at: Moment, said: Said) -> str | None:
    """As an official types it: who won or conceded by a letter, then the numbers of both sides. None: no line can."""
    ended, winner = said["ended"], said.get("winner")
    if ended == RULING:
        return None
    drawn = [said["timeout"]["drawn_games"]] if "timeout" in said else []
    numbers = [str(said[key][side]) for key in figures_of(at.rules) if key in said for side in SIDES]
    if ended == CONCESSION:
        if report_of(at.rules) == "games" and not at.one_game:
            numbers = [str(said["score"][side]) for side in SIDES]
        return " ".join([f"c{said['conceded_by']}", *([] if at.one_game else numbers), *drawn])
    if at.one_game:
        return {"draw": "="}.get(str(winner), str(winner))
    head = ["="] if winner == "draw" else [str(winner)] if winner else []
    return " ".join([*head, *numbers, *drawn])


# --- written down ---


@dataclass
class Heard:
    """One match: who met, or who had which bye, and what was said of it."""

    a: str
    b: str | None = None
    bye: str | None = None
    game: int | str | None = None
    said: Said | None = None
    came: str | None = None
    """Of a no-show: who was there."""

    def lines(self) -> list[dict[str, Any]]:
        """As a round of the calculation has it."""
        if self.bye is not None:
            return [{"a": self.a, "bye": self.bye}]
        assert self.b is not None
        if self.came is not None:
            absent = self.b if self.came == self.a else self.a
            return [{"a": self.came, "bye": "no-show"}, {"a": absent, "bye": "unpaired-loss"}]
        return [{"a": self.a, "b": self.b, **({"result": self.said} if self.said else {})}]


@dataclass
class Round:
    number: int
    stage: str
    matches: dict[str, Heard] = field(default_factory=dict)
    missed: list[str] = field(default_factory=list)
    """Who was not there, and has lost the round."""


@dataclass
class Ledger:
    """All that was said of an event."""

    rules: Rules
    options: dict[str, Any]
    names: dict[str, str] = field(default_factory=dict)
    left: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Who has left, how ("dropped_after", "disqualified_after"), and after which round."""
    rounds: list[Round] = field(default_factory=list)
    out: set[str] = field(default_factory=set)
    """Who was asked for a free place in the cut, and did not want it."""

    @property
    def here(self) -> list[str]:
        return [who for who in self.names if who not in self.left and who not in self.out]

    def of_stage(self, stage: str) -> list[Round]:
        return [one for one in self.rounds if one.stage == stage]

    def best_of(self, stage: str) -> int:
        """`best_of`: "a stage may differ by the event's option `stages`"."""
        asked = self.options.get("stages", {}).get(stage, {})
        return int(asked.get("best_of", self.rules["match"].get("best_of", 1)))

    def event(self) -> dict[str, Any]:
        """As the calculation is asked."""
        rounds = [
            {
                "number": one.number,
                "stage": one.stage,
                "matches": [
                    *(line for heard in one.matches.values() for line in heard.lines()),
                    *({"a": who, "bye": "unpaired-loss"} for who in one.missed),
                ],
            }
            for one in self.rounds
        ]
        people = [
            {"id": who, "name": name, **dict([self.left[who]] if who in self.left else [])}
            for who, name in self.names.items()
        ]
        return {"options": self.options, "competitors": people, "rounds": rounds}
