"""What a result has to be, by RULEBOOKS.md, from what the console asked and what a person answered; no code of the kit.

`Said` is what was read off the pages: which way was picked, who was named, which figure was typed under which heading
beside whose name. `expected` answers with the result it makes, or with why there is none.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

WINS, BOTH_LOSE, DRAWN = ("a", "b"), "none", "draw"


@dataclass
class Said:
    """`figures`: (heading, side) → number; `choices`: heading → answer, (heading, side) where each side makes its own;
    `squads`: side → letters; `lots`: name → side, as the kit drew them. `named` is who was said to have won,
    `conceded` who was said to have conceded."""

    way: str = ""
    named: str = ""
    conceded: str = ""
    figures: dict[tuple[str, str], int] = field(default_factory=dict)
    choices: dict[object, str] = field(default_factory=dict)
    squads: dict[str, tuple[int, ...]] = field(default_factory=dict)
    lots: dict[str, str] = field(default_factory=dict)

    def both(self, heading: str) -> tuple[int, int]:
        return self.of(heading, "a"), self.of(heading, "b")

    def of(self, heading: str, side: str) -> int:
        if (heading, side) not in self.figures:
            raise Unsaid(f"{heading} of {side}")
        return self.figures[heading, side]

    def choice(self, heading: str) -> str:
        if not self.choices.get(heading):
            raise Unsaid(heading)
        return self.choices[heading]

    def lot(self, name: str) -> str:
        if name not in self.lots:
            raise Unsaid(f"lot {name}")
        return self.lots[name]


class Unsaid(Exception):
    """Nobody said what the result would need."""


@dataclass(frozen=True)
class Expected:
    """`score` are a's and b's figures as they are recorded; `goes_on` who goes on where the match is of an
    elimination."""

    ended: str
    winner: str
    score: tuple[int, int]
    wounds: tuple[int, int] | None = None
    conceded_by: str | None = None
    squads: Mapping[str, tuple[int, ...]] | None = None
    decided_by: str | None = None


@dataclass(frozen=True)
class Table:
    """The match that is walked through: its rulebook, whether somebody has to go on, how many games end it, and what
    the two lists cost, where that is known."""

    rulebook: str
    knockout: bool = False
    games: int = 1
    totals: tuple[int, int] | None = None


def other(side: str) -> str:
    return "b" if side == "a" else "a"


def more(a: int, b: int) -> str:
    return "a" if a > b else "b" if b > a else ""


def at(side: str, own: int, others: int) -> tuple[int, int]:
    return (own, others) if side == "a" else (others, own)


def expected(table: Table, said: Said) -> Expected:
    """The result. Raises Unsaid where an answer is missing that it needs."""
    return OF[table.rulebook](table, said)


def xwing_standard(table: Table, said: Said) -> Expected:
    """Section 2: more victory points win, the final salvo where they are equal; everything destroyed is 100; so is a
    concession."""
    heading = "Victory points"
    if said.way == "Conceded":
        won = other(conceder(said))
        return Expected("concession", won, _conceded(said, heading, won, 100), conceded_by=other(won))
    if said.way == "Played to the end":
        a, b = (said.figures.get((heading, side)) for side in WINS)
        opener = said.named or more(-1 if a is None else a, -1 if b is None else b)
        if not opener:
            # Both lists are destroyed: 100 each, and the salvo has to tell.
            opener = "a"
        a, b = at(opener, 100, said.of(heading, other(opener)))
    else:
        a, b = said.both(heading)
    salvo = said.choices.get("Final salvo") or said.named
    winner = more(a, b) or salvo
    if not winner:
        raise Unsaid("Final salvo")
    return Expected("time" if said.way == "Time" else "played", winner, (a, b))


def _conceded(said: Said, heading: str, won: str, top: int) -> tuple[int, int]:
    """The conceder's figure as it stood; the winner's as it stood, where somebody said it, else everything: what it
    counts for is the core's business."""
    return at(won, said.figures.get((heading, won), top), said.of(heading, other(won)))


def xwing_epic(table: Table, said: Said) -> Expected:
    """Section 3 and 8: destroyed whole is a win at any clock and any points, both whole a draw (elimination: whoever
    had initiative); a list whose total is known is worth that total when it is destroyed, or conceded."""
    heading = "Points destroyed"
    whole = {"a": table.totals[1], "b": table.totals[0]} if table.totals else {}
    if said.way == "Conceded":
        won = other(conceder(said))
        top = whole.get(won, 400 if table.rulebook == "xwing-epic-team" else 300)
        return Expected("concession", won, _conceded(said, heading, won, top), conceded_by=other(won))
    if said.way == "All destroyed":
        won = who_won(said)
        top = whole[won] if whole else said.of(heading, won)
        return Expected("played", won, at(won, top, said.of(heading, other(won))))
    if said.way == "Both destroyed":
        a, b = (whole["a"], whole["b"]) if whole else said.both(heading)
        return Expected("played", _level(table, said), (a, b))
    a, b = said.both(heading)
    if whole and (a == whole["a"]) != (b == whole["b"]):
        return Expected("time", "a" if a == whole["a"] else "b", (a, b))
    if whole and a == whole["a"]:
        return Expected("time", _level(table, said), (a, b))
    return Expected("time", more(a, b) or _level(table, said), (a, b))


def _level(table: Table, said: Said) -> str:
    return said.choice("Who had initiative?") if table.knockout else DRAWN


def keyforge(table: Table, said: Said) -> Expected:
    """Section 4: the active player's turn and one of the opponent; then forging, keys, æmber, potential æmber, first
    player. Best of three at time: whoever is ahead; level with no third game begun: a lot."""
    if said.way == "Conceded":
        won = other(conceder(said))
        return Expected("concession", won, _games_won(table, said, won), conceded_by=other(won))
    if said.way == "Played to the end":
        heading = "Games won"
        typed = {side: said.figures.get((heading, side)) for side in WINS}
        won = said.named or more(typed["a"] or 0, typed["b"] or 0)
        if not won:
            raise Unsaid("Who won?")
        return Expected("played", won, _games_won(table, said, won))
    a = b = 0
    if table.games > 1:
        a, b = said.both("Games won")
        if a != b:
            return Expected("time", more(a, b), (a, b))
        if a + b == 2 and said.choice("Game 3 begun?") == "no":
            return _awarded(said.lot("lot"), a, b, "lot")
    said.choice("Whose turn?")
    if "Last turns" not in said.choices:
        raise Unsaid("Last turns")
    if said.choices["Last turns"]:
        return _awarded(said.choices["Last turns"], a, b, "last_turns")
    keys, aember = list(said.both("Forged keys")), list(said.both("Æmber"))
    for n in (0, 1):
        if aember[n] >= 6:
            keys[n], aember[n] = keys[n] + 1, aember[n] - 6
    if keys[0] != keys[1]:
        return _awarded(more(*keys), a, b, "keys")
    if aember[0] != aember[1]:
        return _awarded(more(*aember), a, b, "aember")
    creatures, bonus = said.both("Creatures of the house"), said.both("Bonus æmber in hand")
    potential = [creatures[n] + bonus[n] for n in (0, 1)]
    if potential[0] != potential[1]:
        return _awarded(more(*potential), a, b, "potential")
    first = said.choice("Who was first player?")
    return _awarded(first if first in WINS else said.lot("first_player_lot"), a, b, "first_player")


def _games_won(table: Table, said: Said, won: str) -> tuple[int, int]:
    need = said.figures.get(("Games won", won), 2 if table.games > 1 else 1)
    return at(won, need, said.of("Games won", other(won)) if table.games > 1 else 0)


def _awarded(won: str, a: int, b: int, by: str) -> Expected:
    return Expected("time", won, (a + (won == "a"), b + (won == "b")), decided_by=by)


def warlords(table: Table, said: Said) -> Expected:
    """Section 5 and 8: life totals as they stand; 0 or fewer has lost, also at time; nobody wins with it unless both
    are there at once, then it is a draw. Best of three counts no lives."""
    if said.way == "Conceded":
        won = other(conceder(said))
        if table.games > 1:
            return Expected("concession", won, (0, 0), conceded_by=other(won))
        lost = said.figures.get(("Life", other(won)), 0)
        return Expected("concession", won, at(won, said.of("Life", won), lost), conceded_by=other(won))
    if said.way == "Both at 0 life":
        # The ending says 0 for both; who typed what lay on the table, below 0 too, is taken at their word.
        return Expected("played", DRAWN, (said.figures.get(("Life", "a"), 0), said.figures.get(("Life", "b"), 0)))
    if said.way == "Draw":
        return Expected("time", DRAWN, said.both("Life"))
    if table.games > 1:
        return Expected("played", who_won(said), (0, 0))
    if said.way == "Played to the end":
        won = who_won(said)
        return Expected("played", won, at(won, said.of("Life", won), said.figures.get(("Life", other(won)), 0)))
    if said.way == "Cards/foreign realm":
        return Expected("played", who_won(said), said.both("Life"))
    said.choice("Whose turn?")
    if "Last turns" not in said.choices:
        raise Unsaid("Last turns")
    a, b = said.both("Life")
    return Expected("time", said.choices["Last turns"] or DRAWN, (a, b))


def shatterpoint(table: Table, said: Said) -> Expected:
    """Section 6 and 8: two struggles win; at time the struggle just won, else the objectives, then struggles, wounds;
    a concession gives 2 and 3 at least; both sides' squads are recorded."""
    squads = {side: said.squads[side] for side in WINS if len(said.squads.get(side, ())) == 2}
    if set(squads) != set(WINS):
        raise Unsaid("Squads")
    struggles, wounds = list(said.both("Struggles won")), said.both("Wounds inflicted")
    if said.way == "Conceded":
        lost = conceder(said)
        return Expected("concession", other(lost), (struggles[0], struggles[1]), wounds, lost, squads)
    if said.way == "Time":
        now = said.both("Struggle won now")
        ahead = more(*now) or more(*said.both("Objectives held"))
        if ahead:
            struggles[WINS.index(ahead)] += 1
    winner = more(*struggles) or more(*wounds) or DRAWN
    ended = "time" if said.way == "Time" else "played"
    return Expected(ended, winner, (struggles[0], struggles[1]), wounds, None, squads)


def conceder(said: Said) -> str:
    if said.conceded not in WINS:
        raise Unsaid("Who conceded?")
    return said.conceded


def who_won(said: Said) -> str:
    if said.named not in WINS:
        raise Unsaid("Who won?")
    return said.named


OF = {
    "xwing-standard": xwing_standard,
    "xwing-epic-duel": xwing_epic,
    "xwing-epic-team": xwing_epic,
    "keyforge-archon": keyforge,
    "keyforge-sealed": keyforge,
    "warlords-of-terra": warlords,
    "shatterpoint-premier": shatterpoint,
}
