"""The rules of a store's own game: one TOML file, read once and checked as a whole.

It is only data: what a table asks, what that is worth, how ties are broken, how many rounds there are.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise, product
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct, to_builtins
from msgspec.structs import replace

from roundtap_core.errors import Invalid, Problem
from roundtap_core.reasons import type_problems
from roundtap_core.records import CONCESSION
from roundtap_core.rulebooks import scoring
from roundtap_core.rulebooks.scoring import (
    FigureValue,
    Points,
    TiebreakRule,
    Worth,
)
from roundtap_core.typed import LINE, PROSE, parse_message
from roundtap_core.wire import canonical_json, digest
from roundtap_core.words import LANGUAGES, Words

T = TypeVar("T")

FORMAT = "roundtap-rules/1"
MOST_BYTES = 64 * 1024
LONGEST_LINE = 3500
"""Python reads and writes no number of thousands of digits, and no brackets within hundreds of others."""
ID_BEGIN, ID_DIGITS = "own-", 12

NEVER, AT_TIME, ANY_TIME = "never", "at_time", "any_time"
WINNER_ONLY, GAMES, POINTS = "winner", "games", "points"
ASK, BOTH_LOSE, BETTER_RANK, DRAWN = "ask", "both_lose", "better_rank", "draw"
EVERYBODY = "everybody"
SCORE, SECOND = "score", "second"

BROKEN: Mapping[str, str] = MappingProxyType(
    {
        "broken_toml.twice": r"overwrite|twice|Duplicate|redefine|mutate",
        "broken_toml.word": r"Invalid value.*\n(yes|no|on|off|true|false)\b",
        "broken_toml.quotes": r"\n[“”„‟«»‘’‚]|Invalid value.*\n[^\W\d]",
        "broken_toml.open": r"Expected [^n]|Unclosed|Unterminated|'\\n'|Invalid value.*\n$",
    }
)
"""What is not TOML, by what its parser says of it, and by the text that it stopped before."""

SCREEN_PX = 128
LETTERS_BY_PX: Mapping[int, str] = MappingProxyType(
    {
        2: "Iil.,:;'!Íí",
        3: "Jfjt ()ł",
        4: "r-/?",
        6: "CDGHKNRUXYdegoqvy4&ÜöÚÑéóęĆŁŃ",
        7: "AMOQTVZ+ÄÖÁÓĄŹŻ",
        8: "mw½",
        9: "W%",
    }
)
"""Letters by their width on a table's screen, in its smallest and narrowest style; all others have 5 pixels."""

Key = Literal["score", "second"]
Minutes = Annotated[int, Meta(ge=0, le=600)]
RoundCount = Annotated[int, Meta(ge=1, le=30)]
Players = Annotated[int, Meta(ge=0, le=4096)]
Short = Annotated[str, Meta(max_length=24, pattern=LINE)]
Asked = Annotated[str, Meta(max_length=40, pattern=LINE)]
Own = tuple[FigureValue, FigureValue]
ByFigure = Annotated[dict[Key, Own], Meta(max_length=2)]
"""The figures of a bye: its own, and those of the opponent that there is not."""


class _Part(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A part of the file: every other key in it is refused by name."""


class Label(_Part, frozen=True, kw_only=True):
    """A short text in each language; a missing one reads English, or the first there is."""

    en: Short = ""
    es: Short = ""
    de: Short = ""
    pl: Short = ""

    EXPECTED: ClassVar[str] = "label"

    def text(self, language: str) -> str:
        return str(getattr(self, language, "") or self.en or self.es or self.de or self.pl)


class AskedLabel(Label, frozen=True, kw_only=True):
    en: Asked = ""
    es: Asked = ""
    de: Asked = ""
    pl: Asked = ""


class FigureRule(_Part, frozen=True, kw_only=True):
    """A number that each side is asked for."""

    key: Key
    label: Label | None = None
    maximum: FigureValue = 99
    default: FigureValue = 0
    decides: bool = True


class MatchRules(_Part, frozen=True, kw_only=True):
    """What a table asks."""

    report: Literal["winner", "games", "points"]
    best_of: Literal[1, 3, 5] = 1
    drawn_games: bool = False
    draws: Literal["never", "at_time", "any_time"] = "at_time"
    figure: Annotated[tuple[FigureRule, ...], Meta(max_length=2)] = ()

    @property
    def wins(self) -> int:
        """Won games that end a match."""
        return self.best_of // 2 + 1

    @property
    def figures(self) -> tuple[str, ...]:
        """Where the numbers of a result stand; games won are a figure, too."""
        return (SCORE,) if self.report == GAMES else tuple(each.key for each in self.figure)


class TimeRules(_Part, frozen=True, kw_only=True):
    """Minutes, 0 for an untimed round; a stage that is not named has those of the one before."""

    swiss: Minutes = 0
    elimination: Minutes | None = None
    final: Minutes | None = None
    third_place: Minutes | None = None
    extra: tuple[Minutes, Minutes] | None = None
    undecided: Literal["draw", "ask", "both_lose"] = "draw"
    knockout: Literal["ask", "better_rank"] = "ask"
    knockout_asks: AskedLabel | None = None

    @property
    def stage_minutes(self) -> dict[str, int | None]:
        elimination = self.swiss if self.elimination is None else self.elimination
        final = elimination if self.final is None else self.final
        third = final if self.third_place is None else self.third_place
        stages = {"swiss": self.swiss, "elimination": elimination, "final": final, "third_place": third}
        return {stage: minutes or None for stage, minutes in stages.items()}


class ByeRules(_Part, frozen=True, kw_only=True):
    points: Worth | None = None
    score: Own | None = None
    figures: ByFigure = {}
    won_figures: ByFigure = {}
    order: Literal["last", "random-lowest"] = "random-lowest"


class ConcessionRules(_Part, frozen=True, kw_only=True):
    winner_at_least: Annotated[dict[Key, FigureValue], Meta(max_length=2)] = {}


class BothLoseRules(_Part, frozen=True, kw_only=True):
    points: Worth = 0


class TiebreakRules(TiebreakRule, frozen=True, kw_only=True):
    """One way of breaking ties, with the heading of its column."""

    by: Literal[
        "own",
        "difference",
        "against",
        "opponents_own",
        "wins",
        "fewest_losses",
        "cumulative",
        "match_win",
        "game_win",
        "opponents_match_win",
        "opponents_opponents_match_win",
        "opponents_game_win",
        "opponents_points",
        "sonneborn_berger",
        "sos",
        "extended_sos",
        "opponents_fewest_losses",
        "opponents_cumulative",
        "head_to_head",
    ]
    of: Key | None = None
    label: Label | None = None


class SideRules(_Part, frozen=True, kw_only=True):
    names: tuple[Label, Label]
    balance: bool = True


class PairingRules(_Part, frozen=True, kw_only=True):
    rounds: Literal["swiss", "everybody"] = "swiss"


class FieldRule(_Part, frozen=True, kw_only=True):
    key: Annotated[str, Meta(max_length=24, pattern=r"^[a-z][a-z0-9_]*(?![\s\S])")]
    label: Label | None = None
    kind: Literal["text", "number", "names", "tick"] = "text"
    maximum: FigureValue | None = None


class ListRules(_Part, frozen=True, kw_only=True):
    asked: Literal["no", "optional", "required"] = "no"
    fields: Annotated[tuple[FieldRule, ...], Meta(max_length=8)] = ()


class StructureRules(_Part, frozen=True, kw_only=True):
    """Lines of players from and to (0: open), Swiss rounds, and the cut."""

    lines: Annotated[
        tuple[tuple[Players, Players, RoundCount, Literal[0, 2, 4, 8, 16, 32]], ...], Meta(max_length=64)
    ] = ()


class Rules(_Part, frozen=True, kw_only=True):
    """The whole file."""

    format: Literal["roundtap-rules/1"]
    name: Annotated[str, Meta(min_length=1, max_length=40, pattern=LINE)]
    note: Annotated[str, Meta(max_length=500, pattern=PROSE)] = ""
    match: MatchRules
    points: Points
    time: TimeRules = TimeRules()
    bye: ByeRules = ByeRules()
    concession: ConcessionRules = ConcessionRules()
    both_lose: BothLoseRules = BothLoseRules()
    tiebreakers: Annotated[tuple[TiebreakRules, ...], Meta(max_length=8)] = ()
    sides: SideRules | None = None
    pairing: PairingRules = PairingRules()
    list: ListRules = ListRules()
    structure: StructureRules = StructureRules()

    NEEDS_FIGURE: ClassVar[tuple[str, ...]] = ("own", "difference", "against", "opponents_own")
    TAKEN: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "floor": scoring.RATES,
        "dropped_ceiling": scoring.RATES,
        "counts": scoring.RATES,
        "cut_lowest": ("opponents_points",),
        "cut_highest": ("opponents_points",),
        "base": ("difference",),
        "decay": ("cumulative", "opponents_cumulative"),
    }
    """Which ways of breaking ties take a parameter."""

    @property
    def undecided(self) -> str:
        """What a match level at time is in the Swiss rounds: where nothing may be drawn, the table is asked."""
        return ASK if self.time.undecided == DRAWN and self.match.draws == NEVER else self.time.undecided

    @property
    def names_winner(self) -> bool:
        """Whether a table says who won in any case, so that it is never asked who won what is level."""
        return self.match.report == WINNER_ONLY or (self.match.report == GAMES and self.match.wins == 1)


class RulesProblem(Invalid):
    """A fault or a warning about a TOML file that people write, at its place."""

    @property
    def line(self) -> int | None:
        """Of the file, from 1; None where it is the file as a whole."""
        line = self.params.get("line")
        return line if isinstance(line, int) else None

    def placed(self, words: Words) -> str:
        """ "line 5, match.best_of: text"."""
        line = words("own.line", n=self.line) if self.line else ""
        steps = [f"[{int(step) + 1}]" if step.isdecimal() else f".{step}" for step in self.where.split("/")[1:]]
        place = ", ".join(part for part in (line, "".join(steps).removeprefix(".")) if part)
        return ": ".join(part for part in (place, self.say(words)) if part)


def rules_data(rules: Rules) -> dict[str, Any]:
    """The rules as plain JSON, without what has its default: equal for two files that say the same."""
    return dict(_without_empty(to_builtins(rules)))


def _without_empty(part: Any) -> Any:
    # A part of which every key has its default is no default to msgspec.
    if not isinstance(part, dict):
        return part
    kept = {key: _without_empty(value) for key, value in part.items()}
    return {key: value for key, value in kept.items() if value not in ({}, [], ())}


def rules_json(rules: Rules) -> str:
    """The same as canonical JSON."""
    return canonical_json(rules_data(rules)).decode()


def rules_id(rules: Rules) -> str:
    """The id of the rulebook that these rules are: changed rules are another one."""
    return ID_BEGIN + digest(rules_data(rules))[:ID_DIGITS]


def rules_from_json(text: str) -> Rules:
    """Rules from an event's first entry, an event file or a table's view. Raises MalformedMessage."""
    return parse_message(Rules, msgspec.json.decode(text))


def read_rules(text: str) -> tuple[Rules | None, list[RulesProblem], list[RulesProblem]]:
    """The rules of a TOML file, with every fault and every warning in the order of its lines; None with a fault."""
    text = text.encode(errors="replace").decode().removeprefix("\ufeff")
    if len(text.encode()) > MOST_BYTES:
        return None, [RulesProblem("rules_too_long", maximum=MOST_BYTES // 1024)], []
    if text.lstrip().startswith("{"):
        return None, [RulesProblem("rules_are_json")], []
    return read_checked(text, problems_of)


def read_checked(
    text: str, check: Callable[[dict[str, Any]], tuple[T, list[Problem], list[Problem]]]
) -> tuple[T | None, list[RulesProblem], list[RulesProblem]]:
    """What `check` makes of a TOML file, with its faults and its warnings in the order of its lines. None if it cannot
    be read, which is a fault, too."""
    # Most commands read no rules.
    import tomllib

    from roundtap_core.rulebooks.toml_lines import read_toml

    try:
        data, lines = read_toml(text)
        if max(map(len, text.split("\n"))) > LONGEST_LINE:
            raise RecursionError
    except tomllib.TOMLDecodeError as error:
        return None, [_broken(text, str(error))], []
    except (ValueError, RecursionError):
        # The longest line, else the innermost bracket's.
        lengths = ((len(line) // 300, "[" in line, number) for number, line in enumerate(text.split("\n"), start=1))
        return None, [RulesProblem("rules_line_long", line=max(lengths)[2])], []
    checked, faults, warnings = check(data)
    return checked, _placed(faults, lines), _placed(warnings, lines)


def _broken(text: str, reason: str) -> RulesProblem:
    """What the parser says in English; it stops at the first fault."""
    place = re.search(r"at line (\d+), column (\d+)", reason)
    line, column = map(int, place.groups()) if place else (text.rstrip().count("\n") + 1, MOST_BYTES)
    near = text.split("\n")[line - 1][column - 1 :].strip()
    keys = (key for key, sign in BROKEN.items() if re.search(sign, f"{reason}\n{near}", re.I))
    return RulesProblem(next(keys, "broken_toml"), near=near[:24], line=line)


def problems_of(data: Mapping[str, Any]) -> tuple[Rules | None, list[Problem], list[Problem]]:
    """The rules that a file's content is, with every fault and every warning at its place; None with a fault."""
    if faults := list(type_problems(dict(data), Rules)):
        # Only the keys of a list's fields are letters of a certain kind.
        letters = re.compile(r"unfit_text/list/fields/\d+/key")
        named = {fault: Invalid("rules_key_letters", where=fault.where) for fault in faults}
        return None, [named[each] if letters.match(each.key + each.where) else each for each in faults], []
    rules = parse_message(Rules, dict(data))
    faults = list(contradictions(rules))
    # What is said is told from what nobody thought of.
    drawn = data.get("time", {}).get("undecided") == DRAWN and rules.undecided == ASK
    asked = [Problem("rules_level_asked", where="/time/undecided")] if drawn else []
    return (None if faults else rules), faults, [*doubts(rules), *_found(_doubtful(rules)), *asked]


def _placed(problems: Iterable[Problem], lines: Mapping[str, int]) -> list[RulesProblem]:
    """In the order of their lines, each at its own or at that of the part which it is missing in."""
    placed = []
    for problem in problems:
        steps = problem.where.split("/")
        around = ("/".join(steps[:n]) for n in range(len(steps), 1, -1))
        line = next((lines[where] for where in around if where in lines), None)
        placed.append(RulesProblem(problem.key, where=problem.where, **{**problem.params, "line": line}))
    return sorted(placed, key=lambda problem: problem.line or 0)


BOTH_FIGURES: Mapping[str, tuple[str, ...]] = MappingProxyType({POINTS: (SCORE, SECOND), GAMES: (), WINNER_ONLY: ()})
"""What might be asked for; where a number is yet to be named, that is the fault, and not each use of it."""

Check = tuple[object, str, str, Mapping[str, object]]
"""Whether it is so, and the problem that it then is: its key, place and parameters."""


def contradictions(rules: Rules) -> Iterator[Problem]:
    """What no game can be played by, though every value is of its kind."""
    return _found([*_match_checks(rules), *_worth_checks(rules), *_tie_checks(rules), *_structure_checks(rules)])


def _found(checks: Iterable[Check]) -> Iterator[Problem]:
    return (Problem(key, where=where, **params) for wrong, key, where, params in checks if wrong)


def _match_checks(rules: Rules) -> list[Check]:
    match, keys = rules.match, [each.key for each in rules.match.figure]
    names = rules.sides.names if rules.sides else ()
    texts = [{name.text(language).casefold() for name in names} for language in LANGUAGES]
    fields = [field.key for field in rules.list.fields]
    labels = {
        **{f"/match/figure/{at}/label": each.label for at, each in enumerate(match.figure)},
        **{f"/tiebreakers/{at}/label": each.label for at, each in enumerate(rules.tiebreakers)},
        **{f"/list/fields/{at}/label": each.label for at, each in enumerate(rules.list.fields)},
        **{f"/sides/names/{at}": name for at, name in enumerate(names)},
        "/time/knockout_asks": rules.time.knockout_asks,
    }
    low, high = rules.time.extra or (0, 0)
    return [
        (match.report != GAMES and match.best_of > 1, "rules_without_games", "/match/best_of", {}),
        (match.report != GAMES and match.drawn_games, "rules_without_games", "/match/drawn_games", {}),
        (match.report == POINTS and not keys, "rules_figure_missing", "/match/report", {}),
        (match.report != POINTS and keys, "rules_without_points", "/match/figure", {}),
        (len(set(keys)) < len(keys), "rules_key_twice", "/match/figure/1/key", {"key": "".join(keys[1:])}),
        (keys == [SECOND], "rules_score_first", "/match/figure/0/key", {}),
        (keys and not any(f.decides for f in match.figure), "rules_nothing_decides", "/match/figure/0/decides", {}),
        *(_over(each.default, each.maximum, f"/match/figure/{at}/default") for at, each in enumerate(match.figure)),
        *(
            (not each.maximum, "rules_maximum_nothing", f"/match/figure/{at}/maximum", {})
            for at, each in enumerate(match.figure)
        ),
        *(
            (key in fields[:at], "rules_key_twice", f"/list/fields/{at}/key", {"key": key})
            for at, key in enumerate(fields)
        ),
        *((label and not label.text("en"), "rules_label_empty", where, {}) for where, label in labels.items()),
        (any(len(each) < len(names) for each in texts), "rules_sides_same", "/sides/names", {}),
        (low > high, "rules_from_above_to", "/time/extra", {"low": low, "high": high}),
    ]


def _over(value: int, most: int, where: str) -> Check:
    return value > most, "figure_out_of_range", where, {"value": value, "minimum": 0, "maximum": most}


def _unasked(key: str | None, asked: Iterable[str], where: str) -> Check:
    options = list(dict.fromkeys(asked))
    if not options:
        return True, "rules_without_points", where, {}
    if key is None:
        return True, "rules_of_missing", where, {"options": ", ".join(options)}
    return key not in options, "rules_figure_unasked", where, {"key": key, "options": ", ".join(options)}


def _worth_checks(rules: Rules) -> list[Check]:
    points, bye, wins = rules.points, rules.bye, rules.match.wins
    asked = rules.match.figures or BOTH_FIGURES[rules.match.report]
    most = {each.key: each.maximum for each in rules.match.figure if rules.match.report == POINTS}
    given = {
        **{f"/bye/figures/{key}": (key, pair) for key, pair in bye.figures.items()},
        **{f"/bye/won_figures/{key}": (key, pair) for key, pair in bye.won_figures.items()},
        **{f"/concession/winner_at_least/{key}": (key, (n,)) for key, n in rules.concession.winner_at_least.items()},
    }
    starts = [[step[0] for step in table.steps] for table in points.table]
    least, (own, other) = max(points.draw, points.loss), bye.score or (wins, 0)
    return [
        (points.win < least, "rules_win_too_low", "/points/win", {"value": points.win, "least": least}),
        *(_unasked(table.of, asked, f"/points/table/{at}/of") for at, table in enumerate(points.table)),
        *(
            (each[0] or each != sorted(set(each)), "rules_steps", f"/points/table/{at}/steps", {})
            for at, each in enumerate(starts)
        ),
        *(
            _unasked(bonus.of, asked, f"/points/bonus/{at}" + ("/of" if bonus.of else ""))
            for at, bonus in enumerate(points.bonus)
            if bonus.of or bonus.asks_figure
        ),
        *(_unasked(key, most or BOTH_FIGURES[rules.match.report], where) for where, (key, _) in given.items()),
        *(_over(max(pair), most[key], where) for where, (key, pair) in given.items() if most.get(key)),
        (bye.score and rules.match.report != GAMES, "rules_without_games", "/bye/score", {}),
        (
            rules.match.report == GAMES and not min(wins - 1, own) >= other <= own <= wins,
            "rules_bye_score",
            "/bye/score",
            {"n": wins},
        ),
    ]


def _tie_checks(rules: Rules) -> Iterator[Check]:
    asked = rules.match.figures or BOTH_FIGURES[rules.match.report]
    for at, tie in enumerate(rules.tiebreakers):
        where = f"/tiebreakers/{at}"
        if tie.by in rules.NEEDS_FIGURE:
            yield _unasked(tie.of, asked, f"{where}/of" if tie.of else where)
        elif tie.of is not None:
            yield True, "rules_of_needless", f"{where}/of", {"by": tie.by}
        of_games = tie.by in ("game_win", "opponents_game_win") and rules.match.report == POINTS
        yield of_games, "rules_without_games", f"{where}/by", {}
        of_points = tie.by in scoring.RATES and tie.counts == "points" and rules.points.win <= 0
        yield of_points, "rules_rate_of_nothing", f"{where}/by", {"win": rules.points.win}
        low, high = tie.floor, 100 if tie.dropped_ceiling is None else tie.dropped_ceiling
        yield low > high, "rules_from_above_to", f"{where}/floor", {"low": low, "high": high}


def _structure_checks(rules: Rules) -> list[Check]:
    lines = rules.structure.lines
    everybody = rules.pairing.rounds == EVERYBODY
    rows = [(f"/structure/lines/{at}", line, lines[:at]) for at, line in enumerate(lines)]
    return [
        *(
            (0 < high < low, "rules_from_above_to", where, {"low": low, "high": high})
            for where, (low, high, *_), _ in rows
        ),
        *(
            (any(low <= max(line[:2]) or not line[1] for line in before), "rules_lines_overlap", where, {"n": low})
            for where, (low, *_), before in rows
        ),
        *((everybody and line[3], "rules_cut_after_everybody", where, {}) for where, line, _ in rows),
    ]


def _doubtful(rules: Rules) -> list[Check]:
    points, lines, ties = (
        rules.points,
        rules.structure.lines,
        [replace(effective(tie), label=None) for tie in rules.tiebreakers],
    )
    gaps = [(at, line[0], before[1] + 1) for at, (before, line) in enumerate(pairwise(lines), start=1) if before[1]]
    plain = not points.table and not points.bonus
    return [
        *(
            (low > free, "rules_lines_gap", f"/structure/lines/{at}", {"low": free, "high": low - 1})
            for at, low, free in gaps
        ),
        *(
            (cut > max(low, 2), "rules_cut_above_players", f"/structure/lines/{at}", {"cut": cut, "n": low})
            for at, (low, _, _, cut) in enumerate(lines)
        ),
        *((tie in ties[:at], "rules_tie_twice", f"/tiebreakers/{at}", {"by": tie.by}) for at, tie in enumerate(ties)),
        (plain and points.win == points.loss, "rules_win_is_loss", "/points/win", {"win": points.win}),
        (rules.list.asked == "no" and rules.list.fields, "rules_list_unasked", "/list/fields", {}),
        (
            rules.match.drawn_games and rules.match.best_of == 1,
            "rules_without_effect",
            "/match/drawn_games",
            {"key": "drawn_games", "by": "best_of = 1"},
        ),
        (
            rules.time.knockout_asks and rules.names_winner,
            "rules_without_effect",
            "/time/knockout_asks",
            {"key": "knockout_asks", "by": rules.match.report},
        ),
        *(
            (
                field.maximum is not None and field.kind != "number",
                "rules_without_effect",
                f"/list/fields/{at}/maximum",
                {"key": "maximum", "by": field.kind},
            )
            for at, field in enumerate(rules.list.fields)
        ),
    ]


def doubts(rules: Rules) -> Iterator[Problem]:
    """What is possible, but probably not meant: warnings, which hinder nothing."""
    points = rules.points
    if rules.match.draws == ANY_TIME and not points.table and 2 * points.draw > points.win + points.loss:
        yield Problem("rules_draws_pay", where="/points/draw", two=2 * points.draw, both=points.win + points.loss)
    for part, value, key in (
        ("bye", rules.bye.points, "rules_bye_above_win"),
        ("both_lose", rules.both_lose.points, "rules_both_lose_above_win"),
    ):
        if value is not None and not points.table and value > points.win:
            yield Problem(key, where=f"/{part}/points", value=value, win=points.win)
    yield from _conceding_pays(rules)
    for where, label in _labels(rules):
        for language in LANGUAGES:
            text = str(getattr(label, language, ""))
            if label_px(text) > SCREEN_PX:
                shown = next(text[:n] for n in range(len(text), -1, -1) if label_px(text[:n]) <= SCREEN_PX)
                yield Problem("rules_label_wide", where=f"{where}/{language}", text=shown, lost=text[len(shown) :])
    for at, tie in enumerate(rules.tiebreakers):
        for key, ways in rules.TAKEN.items():
            if getattr(tie, key) != getattr(PLAIN, key) and tie.by not in ways:
                yield Problem("rules_without_effect", where=f"/tiebreakers/{at}/{key}", key=key, by=tie.by)


def _conceding_pays(rules: Rules) -> Iterator[Problem]:
    """Who concedes while well ahead may be given more than the side that they concede to."""
    figures, points, least = rules.match.figure, rules.points, rules.concession.winner_at_least
    for own in product(*((each.maximum, 0) for each in figures)) if figures else ():
        pairs: dict[str, tuple[int, int]] = {
            each.key: (value, least.get(each.key, 0)) for each, value in zip(figures, own, strict=True)
        }
        conceded = points.of(scoring.LOSS, CONCESSION, pairs)
        given = points.of(scoring.WIN, CONCESSION, {key: (b, a) for key, (a, b) in pairs.items()})
        if conceded > given:
            low = next((each for each in figures if least.get(each.key, 0) < each.maximum), figures[0])
            yield Problem(
                "rules_concession_pays",
                where=f"/concession/winner_at_least/{low.key}",
                conceded=conceded,
                given=given,
                maximum=low.maximum,
            )
            return


def label_px(text: str) -> int:
    """How wide it is on a table's screen."""
    widths = {letter: px for px, letters in LETTERS_BY_PX.items() for letter in letters}
    return sum(widths.get(letter, 5) for letter in text)


def _labels(rules: Rules) -> Iterator[tuple[str, Label]]:
    """What a table's screen shows of this game's own words."""
    for at, figure in enumerate(rules.match.figure):
        if figure.label is not None:
            yield f"/match/figure/{at}/label", figure.label
    yield from ((f"/sides/names/{at}", name) for at, name in enumerate(rules.sides.names if rules.sides else ()))


PLAIN = TiebreakRules(by="wins")


def effective(tie: TiebreakRules) -> TiebreakRules:
    """With its default for what has no effect on this way."""
    return replace(tie, **{key: getattr(PLAIN, key) for key, ways in Rules.TAKEN.items() if tie.by not in ways})
