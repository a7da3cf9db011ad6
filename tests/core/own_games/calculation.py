"""A tournament of a store's own game worked out by hand, so to speak: from the text of the format alone, for tests.

It knows nothing of the product and imports nothing of it: what agrees with it has been reckoned twice. It is as plain
and as slow as the text. The sentences quoted are those of the format.

Decided beforehand, where the text is silent:

- An unpaired loss is worth 0 whatever a loss is; it counts as a match, not as games. A no-show counts as a bye.
- A ruling "none" and a double loss at time are both worth [both_lose].points; only the latter's figures count.
- Tables and bonuses are reckoned from the figures as counted, also after a concession or a ruling: who conceded while
  ahead has what is for the one ahead.
- Level, both have a table's points for behind; a lead or a gap of 0 is within "at most".
- Byes are no opponents, so a cut takes a real one's points. Every meeting counts. Without an opponent a mean is 0.
- `dropped_ceiling` comes before `floor`. `decay` is added for each round that is earlier. The lot is not drawn here.

Where the text is open, these readings are this file's own:

- A bye (a won one, and a no-show's opponent's, too) is a win in `wins`; an unpaired loss is a loss in every count.
- `won_figures` that is not said is 0:0, as the table of keys has it; it does not fall back to `figures`.
- Where both lose, a match is worth [both_lose].points and nothing else: no table and no bonus is reckoned.
- A ruling "none" leaves no figures, so `difference` has no base there either; every other match is a match played.
- `own`, `difference` and `against` of "score" are of games won where a table is asked for games.
- `game_win` without games (report "winner" or "points"): no game was played, so the rate is 0, raised to the floor.
- `match_win` by points where a win is worth 0: there is nothing to divide by, so the rate is 0, raised to the floor.
- Rates and strength of schedule are means over opponents; all else of opponents is a sum (SUMS below says which).
- Cuts are for `opponents_points` only; with no more opponents than cuts nothing is left.
- Who has left: `dropped_after` or `disqualified_after` not later than the last Swiss round looked at, itself included.
- `head_to_head` is asked once of all who are tied there; who then still are go on to the next tie.
- Both having lost is a meeting, with [both_lose].points each.
- A match without a result does not exist yet; a competitor without any entry in a Swiss round has no row.
- The disqualified are ordered among themselves like all others, behind all others.
"""

from dataclasses import dataclass, field
from fractions import Fraction

WIN, DRAW, LOSS = "win", "draw", "loss"
BOTH_LOSE = "both lose"
"""The outcome of a match that neither won and that is no draw; it is a loss in every count."""

FEWER_IS_BETTER = ("fewest_losses", "opponents_fewest_losses", "against")
SUMS = ("opponents_own", "opponents_points", "opponents_cumulative", "opponents_fewest_losses")
"""What is added up over opponents; the other ties of opponents are means. The text does not say it of the last two."""


@dataclass
class Entry:
    """What one competitor has of one Swiss round."""

    round: int
    opponent: str | None
    outcome: str
    points: int
    own: dict = field(default_factory=dict)
    other: dict = field(default_factory=dict)
    games: tuple = (0, 0, 0)
    is_bye: bool = False
    has_figures: bool = True

    @property
    def is_match(self) -> bool:
        """Whether it counts in match rates: every round but a bye, so an unpaired loss, too."""
        return not self.is_bye


@dataclass
class Row:
    """One line of the standings; who are tied to the last are ranked alike, for the lot is not drawn here."""

    rank: int | None
    competitor: str
    points: int
    rounds: int
    wins: int
    losses: int
    draws: int
    values: list
    tied_with: frozenset = frozenset()


# ------------------------------------------------------------------ what a match is worth


def best_of(rules: dict, event: dict) -> int:
    """`best_of` | 1, 3, 5 | 1 | "a stage may differ by the event's option `stages` as today"."""
    stage = event.get("options", {}).get("stages", {}).get("swiss", {})
    return stage.get("best_of", rules["match"].get("best_of", 1))


def games_needed(rules: dict, event: dict) -> int:
    """A full win: more than half of `best_of`."""
    return best_of(rules, event) // 2 + 1


def both(result: dict, key: str) -> dict:
    """The two sides' numbers of one figure. "Figures are the real ones as they stood; left out: 0"."""
    said = result.get(key) or {}
    return {"a": said.get("a", 0), "b": said.get("b", 0)}


def other_side(side: str) -> str:
    return "b" if side == "a" else "a"


def counted_figures(rules: dict, event: dict, result: dict) -> dict:
    """The figures that count, {"score": {"a", "b"}, "second": {"a", "b"}}.

    `winner_at_least`: "figures that the other side has at least; with `games` always a full win".
    """
    figures = {"score": both(result, "score"), "second": both(result, "second")}
    if result.get("ended") != "concession":
        return figures
    winner = other_side(result["conceded_by"])
    if rules["match"]["report"] == "games":
        figures["score"][winner] = games_needed(rules, event)
        return figures
    for key, least in rules.get("concession", {}).get("winner_at_least", {}).items():
        figures[key][winner] = max(figures[key][winner], least)
    return figures


def deciding_figures(rules: dict) -> list:
    """`[[match.figure]]`: "in this order they decide"; `decides` "no: it only counts for points and ties"."""
    if rules["match"]["report"] == "games":
        return ["score"]
    return [figure["key"] for figure in rules["match"].get("figure", []) if figure.get("decides", True)]


def ahead(rules: dict, figures: dict) -> str | None:
    """Who won by the figures, or None where they are level (or nobody is asked for any)."""
    for key in deciding_figures(rules):
        pair = figures[key]
        if pair["a"] != pair["b"]:
            return "a" if pair["a"] > pair["b"] else "b"
    return None


def level(rules: dict, result: dict) -> str:
    """`undecided`: level at time: "draw; the table asks who won by the game's own rule; a double loss"."""
    if result.get("winner") in ("a", "b"):
        return result["winner"]
    if result.get("winner") == "none":
        return BOTH_LOSE
    if result.get("ended") == "time" and rules.get("time", {}).get("undecided", "draw") == "both_lose":
        return BOTH_LOSE
    return DRAW


def decided(rules: dict, event: dict, result: dict) -> str:
    """Who won: "a", "b", DRAW or BOTH_LOSE."""
    ended = result.get("ended", "played")
    if ended == "concession":
        return other_side(result["conceded_by"])
    if ended == "ruling":
        return {"a": "a", "b": "b", "draw": DRAW, "none": BOTH_LOSE}[result["winner"]]
    by_figures = ahead(rules, counted_figures(rules, event, result))
    if by_figures is None:
        return level(rules, result)
    if result.get("winner", by_figures) != by_figures:
        raise ValueError(f"the figures say {by_figures}, the result {result['winner']}")
    return by_figures


def outcome_for(side: str, winner: str) -> str:
    if winner in (DRAW, BOTH_LOSE):
        return winner
    return WIN if winner == side else LOSS


def table_points(table: dict, own: int, other: int) -> int:
    """`[[points.table]]`: "adds points by the difference of a figure", `[[from, ahead, behind], …]`."""
    difference = abs(own - other)
    reached = [step for step in table["steps"] if step[0] <= difference][-1]
    return reached[1] if own > other else reached[2]


def bonus_holds(bonus: dict, own: dict, other: dict, outcome: str, ended: str) -> bool:
    """`[[points.bonus]]`: "adds `points` where all that is said holds": "own figure; its lead; its gap"."""
    if bonus.get("outcome", "any") not in ("any", outcome):
        return False
    if bonus.get("ended", "any") not in ("any", ended):
        return False
    if "of" not in bonus:
        return True
    mine, theirs = own[bonus["of"]], other[bonus["of"]]
    lead, gap = mine - theirs, theirs - mine
    return all(
        (
            "at_least" not in bonus or mine >= bonus["at_least"],
            "ahead_at_least" not in bonus or (lead >= 0 and lead >= bonus["ahead_at_least"]),
            "ahead_at_most" not in bonus or 0 <= lead <= bonus["ahead_at_most"],
            "behind_at_most" not in bonus or 0 <= gap <= bonus["behind_at_most"],
        )
    )


def match_points(rules: dict, own: dict, other: dict, outcome: str, ended: str) -> int:
    """`[points]`: "what a match is worth": by outcome, and what tables and bonuses add.

    `[both_lose] points`: "a ruling against both", and a "double loss" where a match is level at time.
    """
    if outcome == BOTH_LOSE:
        return rules.get("both_lose", {}).get("points", 0)
    worth = rules["points"].get(outcome, 0)
    for table in rules["points"].get("table", []):
        worth += table_points(table, own[table["of"]], other[table["of"]])
    for bonus in rules["points"].get("bonus", []):
        if bonus_holds(bonus, own, other, outcome, ended):
            worth += bonus["points"]
    return worth


def match_entry(rules: dict, event: dict, number: int, match: dict, side: str) -> Entry:
    """What a match is for one of its sides."""
    result = match["result"]
    ended = result.get("ended", "played")
    winner = decided(rules, event, result)
    figures = counted_figures(rules, event, result)
    nothing = ended == "ruling" and winner == BOTH_LOSE
    if nothing:
        figures = {"score": {"a": 0, "b": 0}, "second": {"a": 0, "b": 0}}
    own = {key: pair[side] for key, pair in figures.items()}
    other = {key: pair[other_side(side)] for key, pair in figures.items()}
    outcome = outcome_for(side, winner)
    games = (0, 0, 0)
    if rules["match"]["report"] == "games" and not nothing:
        games = own["score"], other["score"], int(result.get("timeout", {}).get("drawn_games", "0"))
    return Entry(
        round=number,
        opponent=match[other_side(side)],
        outcome=outcome,
        points=match_points(rules, own, other, outcome, ended),
        own=own,
        other=other,
        games=games,
        has_figures=not nothing,
    )


# ------------------------------------------------------------------ byes


def bye_points(rules: dict) -> int:
    """`[bye] points` | default `points.win`."""
    return rules.get("bye", {}).get("points", rules["points"]["win"])


def bye_games(rules: dict, event: dict) -> tuple:
    """`[bye] score`: `[own, other]` games | default "full win to 0"; no games are asked for, none are counted."""
    if rules["match"]["report"] != "games":
        return 0, 0, 0
    own, other = rules.get("bye", {}).get("score", [games_needed(rules, event), 0])
    return own, other, 0


def bye_figures(rules: dict, event: dict, kind: str) -> tuple[dict, dict]:
    """`figures`, `won_figures` | default 0:0 | "for the bye; for a bye won beforehand"."""
    said = rules.get("bye", {}).get("won_figures" if kind == "won" else "figures", {})
    own = {key: said.get(key, [0, 0])[0] for key in ("score", "second")}
    other = {key: said.get(key, [0, 0])[1] for key in ("score", "second")}
    if rules["match"]["report"] == "games":
        own["score"], other["score"], _ = bye_games(rules, event)
    return own, other


def bye_entry(rules: dict, event: dict, number: int, kind: str) -> Entry:
    """A round without an opponent. [bye] is "also what the opponent of a no-show gets (the kit's rule)"."""
    if kind == "unpaired-loss":
        zero = {"score": 0, "second": 0}
        return Entry(number, None, LOSS, 0, dict(zero), dict(zero), has_figures=False)
    own, other = bye_figures(rules, event, kind)
    return Entry(number, None, WIN, bye_points(rules), own, other, games=bye_games(rules, event), is_bye=True)


# ------------------------------------------------------------------ the tournament


class Tournament:
    """Everybody's Swiss rounds, up to one of them."""

    def __init__(self, rules: dict, event: dict, after: int | None = None):
        self.rules, self.event = rules, event
        self.swiss = [r for r in event["rounds"] if r.get("stage", "swiss") == "swiss"]
        if after is not None:
            self.swiss = [r for r in self.swiss if r["number"] <= after]
        self.last = max((r["number"] for r in self.swiss), default=0)
        self.people = {c["id"]: c for c in event["competitors"]}
        self.entries: dict[str, list[Entry]] = {who: [] for who in self.people}
        for number, one in enumerate(self.swiss, 1):
            for match in one["matches"]:
                self.add(number, match)

    def add(self, number: int, match: dict) -> None:
        if "bye" in match:
            self.entries[match["a"]].append(bye_entry(self.rules, self.event, number, match["bye"]))
        elif match.get("result"):
            for side in ("a", "b"):
                self.entries[match[side]].append(match_entry(self.rules, self.event, number, match, side))

    def disqualified(self, who: str) -> bool:
        return "disqualified_after" in self.people[who] and self.people[who]["disqualified_after"] <= self.last

    def has_left(self, who: str) -> bool:
        """For `dropped_ceiling`: who left, or was disqualified, by the last round looked at."""
        dropped = self.people[who].get("dropped_after")
        return self.disqualified(who) or (dropped is not None and dropped <= self.last)

    def points(self, who: str) -> int:
        return sum(entry.points for entry in self.entries[who])

    def count(self, who: str, outcome: str) -> int:
        """Wins, draws or losses; to lose both is to lose."""
        wanted = (LOSS, BOTH_LOSE) if outcome == LOSS else (outcome,)
        return sum(entry.outcome in wanted for entry in self.entries[who])

    def opponents(self, who: str) -> list[str]:
        """Whom somebody met, once for each meeting; byes and unpaired losses are no opponents."""
        return [entry.opponent for entry in self.entries[who] if entry.opponent is not None]


# ------------------------------------------------------------------ ties: of a figure


def own(t: Tournament, tie: dict, who: str) -> int:
    """Of a figure: what somebody has of it in all Swiss rounds."""
    return sum(entry.own[tie["of"]] for entry in t.entries[who])


def against(t: Tournament, tie: dict, who: str) -> int:
    """Of a figure: what the other sides had of it."""
    return sum(entry.other[tie["of"]] for entry in t.entries[who])


def difference(t: Tournament, tie: dict, who: str) -> int:
    """`base`: "margin of victory: base + difference in every match played"; a bye's own − other has no base."""
    total = 0
    for entry in t.entries[who]:
        if entry.has_figures:
            total += entry.own[tie["of"]] - entry.other[tie["of"]]
            total += 0 if entry.is_bye else tie.get("base", 0)
    return total


def opponents_own(t: Tournament, tie: dict, who: str) -> int | Fraction:
    return over_opponents(t, who, tie["by"], [own(t, tie, opponent) for opponent in t.opponents(who)])


# ------------------------------------------------------------------ ties: of the record


def wins(t: Tournament, tie: dict, who: str) -> int:
    return t.count(who, WIN)


def fewest_losses(t: Tournament, tie: dict, who: str) -> int:
    return t.count(who, LOSS)


def cumulative(t: Tournament, tie: dict, who: str) -> int:
    """The running total after each Swiss round, added up; `decay` weighs each earlier round that much more.

    The last round's points weigh 1, the one before 1 + decay, the one before that 1 + 2 × decay, and so on.
    """
    decay, rounds = tie.get("decay", 1), len(t.swiss)
    return sum(entry.points * (1 + decay * (rounds - entry.round)) for entry in t.entries[who])


# ------------------------------------------------------------------ ties: rates


def limited(t: Tournament, tie: dict, who: str, rate: Fraction) -> Fraction:
    """`floor`, `dropped_ceiling` | percent: "33 is 33/100 as printed, not a third"."""
    if "dropped_ceiling" in tie and t.has_left(who):
        rate = min(rate, Fraction(tie["dropped_ceiling"], 100))
    return max(rate, Fraction(tie.get("floor", 0), 100))


def share(got: int, possible: int) -> Fraction:
    return Fraction(got, possible) if possible else Fraction(0)


def match_win(t: Tournament, tie: dict, who: str) -> Fraction:
    """`counts`: "a rate of points (Magic), of wins, or with a draw as half a win (Pokémon)".

    "Byes: left out of match rates, counted in game rates (MTR app. C)".
    """
    matches = [entry for entry in t.entries[who] if entry.is_match]
    won = sum(entry.outcome == WIN for entry in matches)
    drawn = sum(entry.outcome == DRAW for entry in matches)
    counts = tie.get("counts", "points")
    if counts == "points":
        rate = share(sum(entry.points for entry in matches), t.rules["points"]["win"] * len(matches))
    elif counts == "wins":
        rate = share(won, len(matches))
    else:
        rate = share(2 * won + drawn, 2 * len(matches))
    return limited(t, tie, who, rate)


def game_win(t: Tournament, tie: dict, who: str) -> Fraction:
    """The same of games: a won game is worth `points.win`, a drawn one `points.draw`, of `points.win` a game."""
    won, lost, drawn = (sum(entry.games[i] for entry in t.entries[who]) for i in range(3))
    games = won + lost + drawn
    win, draw = t.rules["points"]["win"], t.rules["points"].get("draw", 0)
    counts = tie.get("counts", "points")
    if counts == "points":
        rate = share(win * won + draw * drawn, win * games)
    elif counts == "wins":
        rate = share(won, games)
    else:
        rate = share(2 * won + drawn, 2 * games)
    return limited(t, tie, who, rate)


# ------------------------------------------------------------------ ties: of opponents


def mean(numbers: list) -> Fraction:
    """Every meeting counts; without an opponent it is 0."""
    return sum(numbers, Fraction(0)) / len(numbers) if numbers else Fraction(0)


def over_opponents(t: Tournament, who: str, by: str, numbers: list) -> int | Fraction:
    return sum(numbers) if by in SUMS else mean(numbers)


def opponents_match_win(t: Tournament, tie: dict, who: str) -> Fraction:
    return mean([match_win(t, tie, opponent) for opponent in t.opponents(who)])


def opponents_opponents_match_win(t: Tournament, tie: dict, who: str) -> Fraction:
    return mean([opponents_match_win(t, tie, opponent) for opponent in t.opponents(who)])


def opponents_game_win(t: Tournament, tie: dict, who: str) -> Fraction:
    return mean([game_win(t, tie, opponent) for opponent in t.opponents(who)])


def opponents_points(t: Tournament, tie: dict, who: str) -> int | Fraction:
    """Buchholz, SOS. `cut_lowest`, `cut_highest`: "Buchholz cut 1; median: 1 and 1". Byes "add nothing"."""
    points = sorted(t.points(opponent) for opponent in t.opponents(who))
    low, high = tie.get("cut_lowest", 0), tie.get("cut_highest", 0)
    if low + high >= len(points):
        points = []
    return over_opponents(t, who, tie["by"], points[low : len(points) - high])


def sonneborn_berger(t: Tournament, tie: dict, who: str) -> Fraction:
    """SODOS: the points of those beaten, and half of the points of those drawn with."""
    worth = {WIN: Fraction(1), DRAW: Fraction(1, 2)}
    met = [entry for entry in t.entries[who] if entry.opponent is not None]
    return sum((t.points(entry.opponent) * worth.get(entry.outcome, 0) for entry in met), Fraction(0))


def points_a_round(t: Tournament, who: str) -> Fraction:
    return share(t.points(who), len(t.entries[who]))


def sos(t: Tournament, tie: dict, who: str) -> Fraction:
    """FFG/AMG: each opponent's points divided by that opponent's rounds (byes, too), and the mean of these.

    Byes: "in `sos` as the seven have it".
    """
    return mean([points_a_round(t, opponent) for opponent in t.opponents(who)])


def extended_sos(t: Tournament, tie: dict, who: str) -> Fraction:
    """The mean of the opponents' own `sos`."""
    return mean([sos(t, tie, opponent) for opponent in t.opponents(who)])


def opponents_fewest_losses(t: Tournament, tie: dict, who: str) -> int | Fraction:
    return over_opponents(t, who, tie["by"], [fewest_losses(t, tie, opponent) for opponent in t.opponents(who)])


def opponents_cumulative(t: Tournament, tie: dict, who: str) -> int | Fraction:
    return over_opponents(t, who, tie["by"], [cumulative(t, tie, opponent) for opponent in t.opponents(who)])


FIGURES = {
    "own": own,
    "difference": difference,
    "against": against,
    "opponents_own": opponents_own,
    "wins": wins,
    "fewest_losses": fewest_losses,
    "cumulative": cumulative,
    "match_win": match_win,
    "game_win": game_win,
    "opponents_match_win": opponents_match_win,
    "opponents_opponents_match_win": opponents_opponents_match_win,
    "opponents_game_win": opponents_game_win,
    "opponents_points": opponents_points,
    "sonneborn_berger": sonneborn_berger,
    "sos": sos,
    "extended_sos": extended_sos,
    "opponents_fewest_losses": opponents_fewest_losses,
    "opponents_cumulative": opponents_cumulative,
}


# ------------------------------------------------------------------ the order


def head_to_head(t: Tournament, tied: list[str]) -> dict[str, int]:
    """ "Between the tied": the points of the matches among them, if every two of them have met; else nothing."""
    for who in tied:
        if any(other != who and other not in t.opponents(who) for other in tied):
            return dict.fromkeys(tied, 0)
    return {who: sum(entry.points for entry in t.entries[who] if entry.opponent in tied) for who in tied}


def split(tied: list[str], figure: dict, fewer: bool = False) -> list[list[str]]:
    """Those tied so far, in groups that are still tied, the best first."""
    levels = sorted({figure[who] for who in tied}, reverse=not fewer)
    return [[who for who in tied if figure[who] == one] for one in levels]


def ordered(t: Tournament, people: list[str]) -> list[list[str]]:
    """`[[tiebreakers]]`: "in order; the lot is always last": groups that only the lot could part, the best first."""
    groups = split(people, {who: t.points(who) for who in people})
    for tie in t.rules.get("tiebreakers", []):
        parted = []
        for group in groups:
            if tie["by"] == "head_to_head":
                figure = head_to_head(t, group)
            else:
                figure = {who: FIGURES[tie["by"]](t, tie, who) for who in group}
            parted += split(group, figure, tie["by"] in FEWER_IS_BETTER)
        groups = parted
    return groups


def values(t: Tournament, who: str) -> list:
    """One figure for each tie in the order of the file; `head_to_head` shows none."""
    ties = t.rules.get("tiebreakers", [])
    return [None if tie["by"] == "head_to_head" else FIGURES[tie["by"]](t, tie, who) for tie in ties]


def row(t: Tournament, who: str, rank: int | None, group: list[str]) -> Row:
    return Row(
        rank=rank,
        competitor=who,
        points=t.points(who),
        rounds=len(t.entries[who]),
        wins=t.count(who, WIN),
        losses=t.count(who, LOSS),
        draws=t.count(who, DRAW),
        values=values(t, who),
        tied_with=frozenset(group) - {who},
    )


def standings(rules: dict, event: dict, after: int | None = None) -> list[Row]:
    """The standings after the Swiss rounds (or after one of them).

    Who are tied to the last share the best of their places and name each other in `tied_with`. "A disqualified
    competitor's row has `"rank": null` and stands last; who never played has no row".
    """
    t = Tournament(rules, event, after)
    played = [who for who in t.people if t.entries[who]]
    rows: list[Row] = []
    for group in ordered(t, [who for who in played if not t.disqualified(who)]):
        place = len(rows) + 1
        rows += [row(t, who, place, group) for who in group]
    for group in ordered(t, [who for who in played if t.disqualified(who)]):
        rows += [row(t, who, None, group) for who in group]
    return rows
