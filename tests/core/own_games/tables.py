"""Tournaments whose figures somebody else published, or that were worked out by hand: rules, event, what must come out.

Each stands as an event file and as rules, so that the same table can be put to more than one calculation. The id of the
rules in an event, and the key that carries them, belong to the product: whoever runs a table there fills in both.

A published example often gives a player's record only. `cards` builds a whole tournament around such records: the rest
is played against extras (f1, f2 …) whose own figures nobody asks for.
"""

import tomllib
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

EXAMPLES = Path(__file__).parent / "examples"


@dataclass(frozen=True)
class Worked:
    """One table: what is expected of whom, by the order of the ties; and the order of those who are named."""

    name: str
    source: str
    rules: dict
    event: dict
    points: dict = field(default_factory=dict)
    values: dict = field(default_factory=dict)
    order: tuple = ()


def given(name: str) -> dict:
    """The rules of one of the examples that came with the design."""
    return example(f"given/{name}")


def example(name: str) -> dict:
    """The rules of one of our own examples."""
    return tomllib.loads((EXAMPLES / f"{name}.toml").read_text(encoding="utf-8"))


def event_file(competitors: list[dict], rounds: list[list[dict]]) -> dict:
    """A decoded event file; a match without a table gets the next one."""
    numbered = []
    for number, matches in enumerate(rounds, 1):
        tables = iter(range(1, len(matches) + 1))
        full = [one if "bye" in one else {"table": next(tables), **one} for one in matches]
        numbered.append({"number": number, "stage": "swiss", "matches": full})
    return {
        "format": "roundtap-event/1",
        "name": "Worked by hand",
        "rulebook": "own-000000000000",
        "level": "formal",
        "options": {"structure": "own", "swiss_rounds": len(rounds), "cut": 0},
        "seed": 1,
        "competitors": competitors,
        "rounds": numbered,
    }


def people(*ids: str) -> list[dict]:
    return [{"id": one, "name": one.upper()} for one in ids]


def won(a: str, b: str, **result) -> dict:
    """`a` beat `b`, where a table says who won."""
    return {"a": a, "b": b, "result": {"winner": "a", **result}}


def drawn(a: str, b: str) -> dict:
    return {"a": a, "b": b, "result": {"winner": "draw"}}


def scored(a: str, own: int, other: int, b: str, **result) -> dict:
    """`a` against `b` by figures, or by games won."""
    return {"a": a, "b": b, "result": {"score": {"a": own, "b": other}, **result}}


def bye(who: str, kind: str = "bye") -> dict:
    return {"a": who, "bye": kind}


# ------------------------------------------------------------------ tournaments around records

GAMES = {"W": (2, 0), "L": (0, 2), "D": (1, 1)}


def card_match(report: str, who: str, other: str, entry: str) -> dict:
    """One entry of a card as a match: "W", "L", "D", or with the games: "W2-1"."""
    if report == "winner":
        return {"a": who, "b": other, "result": {"winner": {"W": "a", "L": "b", "D": "draw"}[entry[0]]}}
    own, against = (int(n) for n in entry[1:].split("-")) if len(entry) > 1 else GAMES[entry[0]]
    return scored(who, own, against, other, ended="time" if entry[0] == "D" else "played")


def extras_round(report: str, idle: list[str]) -> list[dict]:
    """Extras whom no card needs this round play each other; an odd one has the bye."""
    matches = [card_match(report, idle[i], idle[i + 1], "W") for i in range(0, len(idle) - 1, 2)]
    return matches + ([bye(idle[-1])] if len(idle) % 2 else [])


def cards(report: str, **records: str) -> dict:
    """A tournament in which everybody named has the record given, round by round.

    "W L D" against extras, "W@ana" against somebody named (who has "*" in that round), "B" a bye, "-" left before.
    """
    split = {who: record.split() for who, record in records.items()}
    count = max(len(card) for card in split.values())
    extras = [f"f{i}" for i in range(1, max(count, len(split)) + 2)]
    rounds = []
    for number in range(count):
        matches, used = [], set()
        for place, (who, card) in enumerate(split.items()):
            entry = card[number] if number < len(card) else "-"
            if entry in ("*", "-"):
                continue
            if entry == "B":
                matches.append(bye(who))
            elif "@" in entry:
                said, other = entry.split("@")
                matches.append(card_match(report, who, other, said))
            else:
                extra = extras[(place + number) % len(extras)]
                used.add(extra)
                matches.append(card_match(report, who, extra, entry))
        rounds.append(matches + extras_round(report, [one for one in extras if one not in used]))
    competitors = people(*split, *extras)
    for one in competitors:
        card = [entry for entry in split.get(one["id"], []) if entry != "-"]
        if card and len(card) < count:
            one["dropped_after"] = len(card)
    return event_file(competitors, rounds)


# ------------------------------------------------------------------ Magic: opponents' match-win percentage

MAGIC = given("magic-like")
"""Ties: opponents' match wins, own game wins, opponents' game wins, each at least 33/100."""
MTR = "Magic Tournament Rules, appendix C (27 Feb 2026; the same at blogs.magicjudges.org/rules/mtr-appendix-c/)"

# "A player's record is 6–2–0. Opponents: 4–4–0, 7–1–0, 1–3–1, 3–3–1, 6–2–0, 5–2–1, 4–3–1, 6–1–1", printed as 0.62:
# 12/24 + 21/24 + 4/15 (0.27, so 0.33) + 10/21 + 18/24 + 16/24 + 13/24 + 19/24, by 8.
SEVEN = {
    "o2": "W * W W W W W W",
    "o3": "W L * L D",
    "o4": "W W W * L L D",
    "o5": "W W W W * W W L",
    "o6": "W W W W W * L D",
    "o7": "W W W L L L * D",
    "o8": "W W W W W L D *",
}
MTR_EIGHT = Worked(
    name="eight opponents",
    source=MTR,
    rules=MAGIC,
    event=cards("games", hero="W@o1 W@o2 W@o3 W@o4 W@o5 W@o6 L@o7 L@o8", o1="* W W W W L L L", **SEVEN),
    points={"hero": 18, "o1": 12, "o2": 21, "o3": 4, "o4": 10, "o5": 18, "o6": 16, "o7": 13, "o8": 19},
    values={"hero": {0: Fraction(20711, 33600)}},
)

# "Another player's record at the same tournament was 6–2–0", the first opponent a bye: printed as 0.63, by 7.
MTR_BYE = Worked(
    name="a bye and seven opponents",
    source=MTR,
    rules=MAGIC,
    event=cards("games", hero="B W@o2 W@o3 W@o4 W@o5 W@o6 L@o7 L@o8", **SEVEN),
    points={"hero": 18, "o2": 21, "o3": 4, "o4": 10, "o5": 18, "o6": 16, "o7": 13, "o8": 19},
    values={"hero": {0: Fraction(18611, 29400)}},
)

# "Jim has played Chris, Bob and Tarik": 2-1, 0-3 (0, so 0.33) and 1-2. 2/3 + 33/100 + 1/3, by 3; the others by hand.
JIM = Worked(
    name="Jim, Chris, Bob and Tarik",
    source="Double or Nothing: Breaking the Tie, articles.starcitygames.com",
    rules=MAGIC,
    event=event_file(
        people("jim", "chris", "bob", "tarik"),
        [
            [scored("jim", 2, 0, "chris"), scored("tarik", 2, 1, "bob")],
            [scored("jim", 2, 0, "bob"), scored("chris", 2, 1, "tarik")],
            [scored("jim", 2, 1, "tarik"), scored("chris", 2, 0, "bob")],
        ],
    ),
    points={"jim": 9, "chris": 6, "tarik": 3, "bob": 0},
    values={
        "jim": {0: Fraction(133, 300), 1: Fraction(6, 7)},
        "chris": {0: Fraction(499, 900), 1: Fraction(4, 7)},
        "tarik": {0: Fraction(599, 900), 1: Fraction(4, 9)},
        "bob": {0: Fraction(2, 3), 1: Fraction(33, 100)},
    },
    order=("jim", "chris", "tarik", "bob"),
)

# "Say your 2nd opponent won 2 out of 3 and the third 3 out of 3. That's 5/6 or 83.33 %", after a bye; and without the
# bye, the first opponent having gone 1-2, "6/9 or 66.67 %".
EARLY_BYE = Worked(
    name="an early bye",
    source="Filobel at reddit.com/r/magicTCG, Tutor Tuesday, 13 August 2013",
    rules=MAGIC,
    event=cards(
        "games",
        bea="B W@x1 L@y1",
        x1="W * W",
        y1="W W *",
        ned="W@w2 W@x2 L@y2",
        w2="* W L",
        x2="W * W",
        y2="W W *",
    ),
    points={"bea": 6, "ned": 6, "x1": 6, "y1": 9, "w2": 3, "x2": 6, "y2": 9},
    values={"bea": {0: Fraction(5, 6)}, "ned": {0: Fraction(2, 3)}},
    order=("bea", "ned"),
)

# ------------------------------------------------------------------ Magic: own rates

RATES = {
    **MAGIC,
    "tiebreakers": [{"by": "match_win", "floor": 33}, {"by": "game_win", "floor": 33}],
}

# 5-2-1: 16/24 = 0.667. 1-3-0, then leaves: 3/12 = 0.25, so 0.33. The third, 3-2-0 with a bye in round 1, is printed as
# 9/15 = 0.60 (byes "are ignored" there for the opponents only); the format leaves byes out of all match rates: 6/12.
MTR_RATES = Worked(
    name="match-win percentages",
    source=MTR,
    rules=RATES,
    event=cards("games", full="W W W W W L L D", left="W L L L", third="B W W L L"),
    points={"full": 16, "left": 3, "third": 9},
    values={"full": {0: Fraction(2, 3)}, "left": {0: Fraction(33, 100)}, "third": {0: Fraction(1, 2)}},
)

# "6-2-1 has 19 of 27, 70.3704 %. With two byes 13 of 21, 61.9048 %. 1-4, dropped: 20 %, raised to 33.0 %."
TWO_BYES = Worked(
    name="two byes left out",
    source="Deep dive into tiebreaker math, blog.playerlink.online, 21 October 2017",
    rules=RATES,
    event=cards("games", plain="W W W W W W L L D", byes="B B W W W W L L D", left="W L L L L"),
    points={"plain": 19, "byes": 19, "left": 3},
    values={
        "plain": {0: Fraction(19, 27)},
        "byes": {0: Fraction(13, 21)},
        "left": {0: Fraction(33, 100)},
    },
)

# 2–0, 2–1, 1–2, 2–0: 21 game points of 30 = 0.70. 1–2, 1–2, 0–2, 1–2: 9 of 33 = 0.27, so 0.33.
MTR_GAMES = Worked(
    name="game-win percentages",
    source=MTR,
    rules=RATES,
    event=cards("games", ana="W2-0 W2-1 L1-2 W2-0", ben="L1-2 L1-2 L0-2 L1-2"),
    points={"ana": 9, "ben": 0},
    values={"ana": {1: Fraction(7, 10)}, "ben": {1: Fraction(33, 100)}},
)

# By hand: 2-0, a no-show (a bye, counted 2-0), 1-0 with one game drawn, 1-1 with one drawn. Games won 6, lost 1,
# drawn 2: (6 × 3 + 2 × 1) of 27 = 20/27; matches without the bye: (3 + 3 + 1) of 9.
DRAWN_GAMES = Worked(
    name="drawn games, and a bye counted in games only",
    source="by hand",
    rules=RATES,
    event=event_file(
        people("ana", "b", "c", "d"),
        [
            [scored("ana", 2, 0, "b"), scored("c", 2, 0, "d")],
            [bye("ana", "no-show"), scored("b", 2, 0, "c"), bye("d", "unpaired-loss")],
            [scored("c", 0, 1, "ana", ended="time", timeout={"drawn_games": "1"}), scored("d", 2, 1, "b")],
            [scored("ana", 1, 1, "d", ended="time", timeout={"drawn_games": "1"}), scored("b", 2, 0, "c")],
        ],
    ),
    points={"ana": 10, "b": 6, "c": 3, "d": 4},
    values={
        "ana": {0: Fraction(7, 9), 1: Fraction(20, 27)},
        # d lost, was not there, won, drew: 4 of 12 in matches; games 0-2, none, 2-1, 1-1-1: 3 won, 4 lost, 1 drawn.
        "d": {0: Fraction(1, 3), 1: Fraction(10, 24)},
    },
    order=("ana", "b", "d", "c"),
)

# ------------------------------------------------------------------ Pokémon: resistance

# "If an opponent finished 3–1–1, their contribution is (1 + 1 + 1 + 0.5 + 0) / 5 = 70 %"; "less than 25 % defaults to
# 25 %"; "one of your opponents received a bye and finished 2-1, then they would contribute a 1-1 score (50 %)".
RESISTANCE = Worked(
    name="resistance",
    source="All about tiebreakers in the Pokémon TCG, rk9.gg, 25 May 2021",
    rules=given("pokemon-like"),
    event=cards("games", hero="W@good W@poor W@third", good="* W W W D", poor="L * L L L", third="B W *"),
    points={"hero": 9, "good": 10, "poor": 0, "third": 6},
    values={"hero": {0: Fraction(29, 60), 2: None}},
)
"""(0.70 + 0.25 + 0.50) / 3 is 29/60. The three opponents' own rates stand in the next table."""

RESISTANCE_OF_EACH = Worked(
    name="what each opponent contributes",
    source=RESISTANCE.source,
    rules={**RESISTANCE.rules, "tiebreakers": [{"by": "match_win", "counts": "half_draws", "floor": 25}]},
    event=RESISTANCE.event,
    values={"good": {0: Fraction(7, 10)}, "poor": {0: Fraction(1, 4)}, "third": {0: Fraction(1, 2)}},
)

# By hand: three wins and gone are 1, lowered to 0.75; three losses and gone are 0, raised to 0.25 all the same.
WHO_LEFT = Worked(
    name="a ceiling for who has left",
    source="by hand",
    rules={
        **RESISTANCE.rules,
        "tiebreakers": [{"by": "match_win", "counts": "half_draws", "floor": 25, "dropped_ceiling": 75}],
    },
    event=cards("games", gone="W W W", stays="W W W W", low="L L L", middle="W D L"),
    values={
        "gone": {0: Fraction(3, 4)},
        "stays": {0: Fraction(1)},
        "low": {0: Fraction(1, 4)},
        "middle": {0: Fraction(1, 2)},
    },
    order=("stays", "gone", "middle", "low"),
)

# ------------------------------------------------------------------ chess and Go: Buchholz, Sonneborn-Berger

# Every player of a club's championship of 27, six rounds: +W10 a win with White against 10, = a draw, BYE a bye. The
# cross table is complete and agrees with itself; players 9 and 18 did not play the last round.
CLUB = """
1 +W10 +B17 +W12 =W2 +B4 +B3
2 +B27 +W16 +W9 =B1 +W8 +B10
3 =BYE +W11 +B6 =W4 +B5 -W1
4 +W22 +B15 =W8 =B3 -W1 +B13
5 -W16 +B14 +W22 +B15 -W3 +B8
6 -W21 +B27 -W3 +B23 +W16 +B14
7 -W9 -B23 +W27 +B19 +W15 +B12
8 +B25 +W21 =B4 +W13 -B2 -W5
9 +B7 +W13 -B2 =BYE +W18
10 -B1 +W25 +W26 =B12 +B17 -W2
11 =BYE -B3 -W14 +B25 +W20 +W17
12 +B20 +W18 -B1 =W10 =B14 -W7
13 +W23 -B9 +W19 -B8 +W21 -W4
14 =BYE -W5 +B11 +B22 =W12 -W6
15 +B26 -W4 +B21 -W5 -B7 +W24
16 +B5 -B2 -W17 +W24 -B6 +B22
17 +B24 -W1 +B16 =BYE -W10 -B11
18 +W19 -B12 +W23 =BYE -B9
19 -B18 +W20 -B13 -W7 =B25 +W21
20 -W12 -B19 =W25 +B27 -B11 +W26
21 +B6 -B8 -W15 +W26 -B13 -B19
22 -B4 +W24 -B5 -W14 +B26 -W16
23 -B13 +W7 -B18 -W6 -B24 +W27
24 -W17 -B22 +BYE -B16 +W23 -B15
25 -W8 -B10 =B20 -W11 =W19 +BYE
26 -W15 +BYE -B10 -B21 -W22 -B20
27 -W2 -W6 -B7 -W20 +BYE -B23
"""


def club_event() -> dict:
    """The cross table as an event file. A half-point bye is no bye of the format: it is a draw with an empty chair.

    There are three in round 1 and three in round 4: the chairs were not there in between, and left after that.
    """
    rounds: list[list[dict]] = [[] for _ in range(6)]
    for line in CLUB.split("\n")[1:-1]:
        number, *card = line.split()
        for i, entry in enumerate(card):
            if entry == "+BYE":
                rounds[i].append(bye(f"p{number}"))
            elif entry == "=BYE":
                taken = sum(match.get("b", "").startswith("chair") for match in rounds[i])
                rounds[i].append(drawn(f"p{number}", f"chair{taken + 1}"))
            elif entry[1] == "W":
                winner = {"+": "a", "-": "b", "=": "draw"}[entry[0]]
                rounds[i].append({"a": f"p{number}", "b": f"p{entry[2:]}", "result": {"winner": winner}})
    chairs = [f"chair{i}" for i in (1, 2, 3)]
    for i in (1, 2):
        rounds[i] += [bye(chair, "unpaired-loss") for chair in chairs]
    left = {"p9": 5, "p18": 5, **dict.fromkeys(chairs, 4)}
    competitors = people(*(f"p{i}" for i in range(1, 28)), *chairs)
    return event_file([{**one, **gone(left, one["id"])} for one in competitors], rounds)


def gone(left: dict[str, int], who: str) -> dict:
    return {"dropped_after": left[who]} if who in left else {}


# Published for the two at the top, both 5½: direct encounter ½ and ½, cumulative 19½ and 19½, Buchholz 22½ and 20,
# Sonneborn-Berger 19¾ and 17¼, Buchholz cut 1 20 and 19½. All is in half points here. The last figure of the second is
# 19 by the format: the publisher's program counts an opponent's bye and missed round as draws (27: 1 is ½; 9: 3½ is 4),
# which happens to cancel out where nothing is cut.
CLUB_CHAMPIONSHIP = Worked(
    name="Buchholz, Buchholz cut 1, Sonneborn-Berger, cumulative",
    source="Richard on Tie Break, hamiltonchess.net, 11 April 2018",
    rules={
        **given("chess-club"),
        "tiebreakers": [
            {"by": "head_to_head"},
            {"by": "cumulative"},
            {"by": "opponents_points"},
            {"by": "sonneborn_berger"},
            {"by": "opponents_points", "cut_lowest": 1},
        ],
    },
    event=club_event(),
    points={"p1": 11, "p2": 11, "p3": 8, "p8": 7, "p9": 7, "p12": 6, "p27": 2},
    values={
        "p1": {0: None, 1: 39, 2: 45, 3: Fraction(79, 2), 4: 40},
        "p2": {0: None, 1: 39, 2: 40, 3: Fraction(69, 2), 4: 38},
    },
    order=("p1", "p2", "p3"),
)

NUMBERS = {
    "format": "roundtap-rules/1",
    "name": "Numbers",
    "match": {"report": "winner", "draws": "never"},
    "points": {"win": 1},
}
"""The least rules: who won, and 1 point for it."""

# Everybody twice: "its score is 4+3+3+1 = 11. B has 9, thus A is the winner"; C 6, D 4.
TWICE = Worked(
    name="Sonneborn-Berger of four, everybody twice",
    source="Sonneborn-Berger, Sensei's Library (senseis.xmp.net); the same table at fiveinline.com/sbps.html",
    rules={**NUMBERS, "tiebreakers": [{"by": "sonneborn_berger"}]},
    event=event_file(
        people("a", "b", "c", "d"),
        [
            [won("a", "b"), won("c", "d")],
            [won("a", "c"), won("b", "d")],
            [won("a", "d"), won("b", "c")],
            [won("b", "a"), won("c", "d")],
            [won("a", "c"), won("b", "d")],
            [won("d", "a"), won("c", "b")],
        ],
    ),
    points={"a": 4, "b": 4, "c": 3, "d": 1},
    values={"a": {0: 11}, "b": {0: 9}, "c": {0: 6}, "d": {0: 4}},
    order=("a", "b", "c", "d"),
)

# Seven rounds of four, so that the same two meet again and again: each meeting counts. Published: wins 7 4 3 0,
# SOS 18 27 22 31, SODOS 18 6 0 0.
AGAIN_AND_AGAIN = Worked(
    name="SOS and SODOS of four in seven rounds",
    source="KGS computer Go tournament 104, weddslist.com/kgs/past/104/index.html",
    rules={**NUMBERS, "tiebreakers": [{"by": "opponents_points"}, {"by": "sonneborn_berger"}]},
    event=event_file(
        people("zen", "aya", "gnu", "mark"),
        [
            [won("zen", "gnu"), won("aya", "mark")],
            [won("zen", "aya"), won("gnu", "mark")],
            [won("zen", "mark"), won("aya", "gnu")],
            [won("zen", "aya"), won("gnu", "mark")],
            [won("zen", "gnu"), won("aya", "mark")],
            [won("zen", "mark"), won("aya", "gnu")],
            [won("zen", "aya"), won("gnu", "mark")],
        ],
    ),
    points={"zen": 7, "aya": 4, "gnu": 3, "mark": 0},
    values={"zen": {0: 18, 1: 18}, "aya": {0: 27, 1: 6}, "gnu": {0: 22, 1: 0}, "mark": {0: 31, 1: 0}},
    order=("zen", "aya", "gnu", "mark"),
)

# ------------------------------------------------------------------ cumulative

# In half points. Published: win, loss, win, draw, loss: 1 1 2 2½ 2½ = 9; win, win, draw, loss, loss: 10½ (American
# Chess); W W W L L: 12, W L W L W: 9 (US Chess forum). A bye, then W L D W is 1 2 2 2½ 3½ = 11 (Renaissance Knights,
# who then take 1 off for the bye, as the US federation does; the format does not).
# With a decay of 2 five rounds weigh 9 7 5 3 1, with one of 10 41 31 21 11 1: reckoned by hand.
RUNNING_TOTALS = Worked(
    name="cumulative, also with decay",
    source="americanchess.net, Tiebreaks explained; uschess.discourse.group/t/116; renaissanceknights.org; by hand",
    rules={
        **given("chess-club"),
        "tiebreakers": [
            {"by": "cumulative"},
            {"by": "cumulative", "decay": 2},
            {"by": "cumulative", "decay": 10},
        ],
    },
    event=cards("winner", one="W L W D L", two="W W D L L", three="W W W L L", four="W L W L W", five="B W L D W"),
    points={"one": 5, "two": 5, "three": 6, "four": 6, "five": 7},
    values={
        "one": {0: 18, 1: 31, 2: 135},
        "two": {0: 21, 1: 37, 2: 165},
        "three": {0: 24, 1: 42, 2: 186},
        "four": {0: 18, 1: 30, 2: 126},
        "five": {0: 22, 1: 37, 2: 157},
    },
    order=("five", "three", "four", "two", "one"),
)

# By hand: after two rounds x has left, and the total still runs: 2 2 2 2 = 8 in four rounds (W L, then nothing).
TOTAL_RUNS_ON = Worked(
    name="a total runs on after its owner has left",
    source="by hand",
    rules={**given("chess-club"), "tiebreakers": [{"by": "cumulative"}, {"by": "fewest_losses"}]},
    event=cards("winner", x="W L", y="L W L L", z="L L L W"),
    points={"x": 2, "y": 2, "z": 2},
    values={"x": {0: 8, 1: 1}, "y": {0: 6, 1: 3}, "z": {0: 2, 1: 3}},
    order=("x", "y", "z"),
)

# ------------------------------------------------------------------ 20:0

# Four rounds of five by hand, with the table of 20:0 (0-5 10:10, 6-10 11:9, 11-15 12:8 … 51 20:0), byes of 15 points
# and 70:40, a concession counted at 51 at least. The wins in it: c by 55:50, though for 10:10; a bye is one, too.
#   round   a              b              c              d              e
#   1       80:40   17     40:80    3     55:50   10     50:55   10     bye    15
#   2       60:66    9     30:51    6     66:60   11     bye     15     51:30  14   (b concedes at 20:30)
#   3       100:49  20     40:46    9     bye     15     46:40   11     49:100  0
#   4       both lose 0    bye     15     50:30   13     both lose 0    30:50   7
#           46             33             49             36             36
TWENTY_NIL = Worked(
    name="an evening of 20:0",
    source="by hand; the table is that of germantabletopchampionships.com, GTC Compact, Framework",
    rules=given("wargame-20-0"),
    event=event_file(
        people("a", "b", "c", "d", "e"),
        [
            [scored("a", 80, 40, "b"), scored("c", 55, 50, "d"), bye("e")],
            [scored("a", 60, 66, "c"), scored("e", 20, 30, "b", ended="concession", conceded_by="b"), bye("d")],
            [scored("a", 100, 49, "e"), scored("b", 40, 46, "d"), bye("c")],
            [scored("a", 70, 20, "d", ended="ruling", winner="none"), scored("c", 50, 30, "e"), bye("b")],
        ],
    ),
    points={"a": 46, "b": 33, "c": 49, "d": 36, "e": 36},
    values={
        "a": {0: 2, 1: 154, 2: 85},
        "b": {0: 1, 1: 118, 2: -37},
        "c": {0: 4, 1: 118, 2: 61},
        "d": {0: 2, 1: 128, 2: 31},
        "e": {0: 2, 1: 128, 2: -20},
    },
    order=("c", "a", "d", "e", "b"),
)

# ------------------------------------------------------------------ bonuses, two figures

# By hand. A win is 4, a draw 2; 1 more for 5 objectives, 1 for a loss by 2 at most. The second figure decides nothing.
#   1   a 7:5 b  5 and 2 (5 objectives; a loss by 2)    c bye 4, counted 5:0 and 200:0
#   2   b 3:6 c  0 (a loss by 3) and 5                  a bye 4
#   3   c 4:4 a  2 and 2, though 100:90                 b bye 4
OBJECTIVES = Worked(
    name="objectives and bonuses",
    source="by hand; the bonuses are those of hgbts.lumberingsprocket.com/v0.3.3/rules/scoring in kind",
    rules=given("infinity"),
    event=event_file(
        people("a", "b", "c"),
        [
            [scored("a", 7, 5, "b", second={"a": 200, "b": 150}), bye("c")],
            [scored("b", 3, 6, "c", second={"a": 120, "b": 180}), bye("a")],
            [scored("c", 4, 4, "a", second={"a": 100, "b": 90}), bye("b")],
        ],
    ),
    points={"a": 11, "b": 6, "c": 11},
    values={
        "a": {0: 16, 1: 490, 2: 28},
        "b": {0: 13, 1: 470, 2: 31},
        "c": {0: 15, 1: 480, 2: 29},
    },
    order=("a", "c", "b"),
)

# ------------------------------------------------------------------ strength of schedule

# By hand, after "Divide each opponent's total tournament points by the number of rounds that opponent has played, add
# the results of each opponent played, and then divide that total by the number of opponents the player has played".
# Three rounds each, byes included: a 3/3, e and c 2/3, b and d 1/3.
SCHEDULE = Worked(
    name="strength of schedule and extended strength of schedule",
    source="by hand; legion.gameuplink.com/resources quotes the definition",
    rules=given("legion"),
    event=event_file(
        people("a", "b", "c", "d", "e"),
        [
            [scored("a", 8, 5, "b"), scored("c", 7, 6, "d"), bye("e")],
            [scored("a", 9, 2, "c"), scored("e", 6, 4, "b"), bye("d")],
            [scored("a", 7, 3, "e"), scored("b", 5, 1, "d"), bye("c")],
        ],
    ),
    points={"a": 3, "b": 1, "c": 2, "d": 1, "e": 2},
    values={
        "a": {0: Fraction(5, 9), 1: Fraction(2, 3), 2: 24},
        "b": {0: Fraction(2, 3), 1: Fraction(31, 54), 2: 14},
        "c": {0: Fraction(2, 3), 1: Fraction(19, 36), 2: 9},
        "d": {0: Fraction(1, 2), 1: Fraction(2, 3), 2: 7},
        "e": {0: Fraction(2, 3), 1: Fraction(11, 18), 2: 9},
    },
    order=("a", "e", "c", "b", "d"),
)

# ------------------------------------------------------------------ both lose

# By hand. Level at time both lose, and the games count as they stand: c 1-1 and 1-2, d 1-1 and 0-1.
DOUBLE_LOSS = Worked(
    name="both lose at time",
    source="by hand",
    rules=given("star-wars-unlimited"),
    event=event_file(
        people("a", "b", "c", "d"),
        [
            [scored("a", 2, 0, "b"), scored("c", 1, 1, "d", ended="time")],
            [scored("a", 2, 1, "c"), scored("b", 1, 0, "d", ended="time")],
        ],
    ),
    points={"a": 6, "b": 3, "c": 0, "d": 0},
    values={
        "a": {0: Fraction(83, 200), 1: Fraction(4, 5)},
        "b": {0: Fraction(133, 200), 1: Fraction(1, 3)},
        "c": {0: Fraction(133, 200), 1: Fraction(2, 5)},
        "d": {0: Fraction(83, 200), 1: Fraction(1, 3)},
    },
    order=("a", "b", "c", "d"),
)

# By hand. c and d are level at time, b and d are both ruled out: only a has points. b and c cannot be told apart.
NO_WINNER = Worked(
    name="both lose, at time and by a ruling, and two left to the lot",
    source="by hand",
    rules=given("one-piece"),
    event=event_file(
        people("a", "b", "c", "d"),
        [
            [won("a", "b"), {"a": "c", "b": "d", "result": {"ended": "time", "winner": "draw"}}],
            [won("a", "c"), {"a": "b", "b": "d", "result": {"ended": "ruling", "winner": "none"}}],
        ],
    ),
    points={"a": 6, "b": 0, "c": 0, "d": 0},
    values={
        "a": {0: Fraction(33, 100), 1: Fraction(133, 200)},
        "b": {0: Fraction(133, 200), 1: Fraction(33, 100)},
        "c": {0: Fraction(133, 200), 1: Fraction(33, 100)},
        "d": {0: Fraction(33, 100), 1: Fraction(133, 200)},
    },
)

# ------------------------------------------------------------------ between the tied

# By hand: everybody meets everybody. a and c have 2, c beat a; b and d have 1, d beat b.
BETWEEN_TWO = Worked(
    name="the match between the tied",
    source="by hand",
    rules={**NUMBERS, "tiebreakers": [{"by": "head_to_head"}]},
    event=event_file(
        people("a", "b", "c", "d"),
        [
            [won("a", "b"), won("c", "d")],
            [won("c", "a"), won("d", "b")],
            [won("a", "d"), won("b", "c")],
        ],
    ),
    points={"a": 2, "b": 1, "c": 2, "d": 1},
    values={"a": {0: None}, "b": {0: None}, "c": {0: None}, "d": {0: None}},
    order=("c", "a", "d", "b"),
)

# ------------------------------------------------------------------ our own examples, each by hand

# c and d: c has 4:4 and wins by twenties. d concedes at 4:3: b's 3 become 5, b's 2 twenties 4. d has left: a has a bye.
EVERYBODY = Worked(
    name="everybody flicks",
    source="by hand",
    rules=example("everybody-flicks"),
    event=event_file(
        [{**one, **gone({"d": 2}, one["id"])} for one in people("a", "b", "c", "d")],
        [
            [scored("a", 5, 3, "b", second={"a": 6, "b": 9}), scored("c", 4, 4, "d", second={"a": 5, "b": 4})],
            [
                scored("a", 2, 6, "c", second={"a": 3, "b": 8}),
                scored("b", 3, 4, "d", second={"a": 2, "b": 7}, ended="concession", conceded_by="b"),
            ],
            [bye("a"), scored("b", 4, 4, "c", second={"a": 7, "b": 7})],
        ],
    ),
    points={"a": 6, "b": 6, "c": 8, "d": 2},
    values={
        "a": {0: 2, 1: None, 2: -2, 3: 12, 4: 17, 5: 6},
        "b": {0: 1, 1: None, 2: -1, 3: 20, 4: 20, 5: 6},
        "c": {0: 2, 1: None, 2: 4, 3: 20, 4: 14, 5: 11},
        "d": {0: 0, 1: None, 2: -1, 3: 11, 4: 9, 5: 0},
    },
    order=("c", "a", "b", "d"),
)

# Three rounds weigh 7, 4 and 1 with a decay of 3. a has 1, 0 (a draw), 1; b 0, 1, 1; c 1, 0, 0; d nothing.
EARLY = Worked(
    name="early wins",
    source="by hand",
    rules=example("early-wins"),
    event=event_file(
        people("a", "b", "c", "d"),
        [
            [won("a", "b"), won("c", "d")],
            [{"a": "a", "b": "c", "result": {"ended": "time", "winner": "draw"}}, won("b", "d")],
            [won("a", "d"), won("b", "c")],
        ],
    ),
    points={"a": 2, "b": 2, "c": 1, "d": 0},
    values={
        "a": {0: 8, 1: 0, 2: 5, 3: 12},
        "b": {0: 5, 1: 1, 2: 4, 3: 15},
        "c": {0: 7, 1: 1, 2: 4, 3: 13},
        "d": {0: 0, 1: 3, 2: 2, 3: 20},
    },
    order=("a", "b", "c", "d"),
)

#   1  a 100:20 b  5, 1 for 100, 1 for a lead of 80     c 60:50 d at time  3     e a bye won beforehand  5
#   2  a 30:30 c at time, a by the game's own rule: 3   e concedes to d at 10:90, counted 100: 5, 1 for the lead
MODIFIED = Worked(
    name="modified win",
    source="by hand",
    rules=example("modified-win"),
    event=event_file(
        people("a", "b", "c", "d", "e"),
        [
            [scored("a", 100, 20, "b"), scored("c", 60, 50, "d", ended="time"), bye("e", "won")],
            [
                scored("a", 30, 30, "c", ended="time", winner="a"),
                scored("d", 90, 10, "e", ended="concession", conceded_by="b"),
                bye("b"),
            ],
        ],
    ),
    points={"a": 10, "b": 5, "c": 3, "d": 6, "e": 5},
    values={
        "a": {0: 280, 1: 2, 2: Fraction(9, 2), 3: 1, 4: 3},
        "b": {0: 70, 1: 5, 2: 2, 3: 0, 4: 0},
        "c": {0: 210, 1: 4, 2: 2, 3: Fraction(3, 10), 4: 6},
        "d": {0: 280, 1: 2, 2: Fraction(7, 2), 3: Fraction(3, 5), 4: 3},
        "e": {0: 110, 1: 3, 2: 2, 3: 0, 4: 0},
    },
    order=("a", "d", "e", "b", "c"),
)

# d concedes at 1:1: b's 1 becomes 2, so d is one behind: 1 for that, and 1 less for having conceded.
FOOTBALL = Worked(
    name="fantasy football",
    source="by hand",
    rules=example("fantasy-football-like"),
    event=event_file(
        people("a", "b", "c", "d"),
        [
            [scored("a", 2, 1, "b", second={"a": 3, "b": 0}), scored("c", 2, 0, "d", second={"a": 1, "b": 5})],
            [
                scored("a", 1, 1, "c", second={"a": 2, "b": 2}),
                scored("b", 1, 1, "d", second={"a": 0, "b": 4}, ended="concession", conceded_by="b"),
            ],
        ],
    ),
    points={"a": 6, "b": 5, "c": 6, "d": 0},
    values={
        "a": {0: 1, 1: 3, 2: 3, 3: 5},
        "b": {0: 0, 1: -7, 2: 3, 3: 0},
        "c": {0: 2, 1: -4, 2: 3, 3: 3},
        "d": {0: -3, 1: 8, 2: 1, 3: 9},
    },
    order=("c", "a", "b", "d"),
)

WORDS = Worked(
    name="word evening",
    source="by hand",
    rules=example("word-evening"),
    event=event_file(
        people("a", "b", "c"),
        [
            [scored("a", 400, 350, "b"), bye("c")],
            [scored("b", 380, 380, "c"), bye("a")],
            [scored("c", 420, 300, "a"), bye("b")],
        ],
    ),
    points={"a": 4, "b": 3, "c": 5},
    values={
        "a": {0: -20, 1: 750, 2: 770, 3: 1630},
        "b": {0: 0, 1: 780, 2: 780, 3: 1600},
        "c": {0: 170, 1: 850, 2: 680, 3: 1530},
    },
    order=("c", "a", "b"),
)

# Matches, a draw as half: a 2 of 2, b 1½ of 3, c 1 of 3, d ½ of 2 (and gone). Games with a's bye of 3:1: a 9-2, b 6-5
# and one drawn, c 3-8, d 4-5 and one drawn.
BEST_OF_FIVE = Worked(
    name="best of five",
    source="by hand",
    rules=example("best-of-five-like"),
    event=event_file(
        [{**one, **gone({"d": 2}, one["id"])} for one in people("a", "b", "c", "d")],
        [
            [scored("a", 3, 1, "b"), scored("c", 3, 2, "d")],
            [scored("a", 3, 0, "c"), scored("b", 2, 2, "d", ended="time", timeout={"drawn_games": "1"})],
            [bye("a"), scored("b", 3, 0, "c")],
        ],
    ),
    points={"a": 9, "b": 4, "c": 3, "d": 1},
    values={
        "a": dict(enumerate((Fraction(5, 12), Fraction(5, 9), Fraction(17, 44), Fraction(9, 11), 1, None, 0))),
        "b": dict(
            enumerate(
                (Fraction(19, 36), Fraction(17, 36), Fraction(82, 165), Fraction(13, 24), Fraction(1, 3), None, 3)
            )
        ),
        "c": dict(
            enumerate((Fraction(7, 12), Fraction(49, 108), Fraction(63, 110), Fraction(3, 11), Fraction(1, 3), None, 4))
        ),
        "d": dict(enumerate((Fraction(5, 12), Fraction(5, 9), Fraction(17, 44), Fraction(9, 20), 0, None, 0))),
    },
    order=("a", "b", "c", "d"),
)

WORKED = tuple(one for one in list(globals().values()) if isinstance(one, Worked))
