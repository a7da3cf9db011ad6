"""A store's own game in words: its rules in sentences, three worked matches, and the texts that are its own."""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any

from msgspec.structs import replace

from roundtap_core.errors import Problem
from roundtap_core.records import CONCESSION, PLAYED, SIDES, TIME, Ending, Match, Result, SidePair
from roundtap_core.rulebooks.base import Rulebook
from roundtap_core.rulebooks.own import TIE_KEY, OwnRulebook, own_rulebook
from roundtap_core.rulebooks.own_rules import (
    ANY_TIME,
    ASK,
    AT_TIME,
    DRAWN,
    EVERYBODY,
    GAMES,
    POINTS,
    WINNER_ONLY,
    FigureRule,
    Rules,
    TiebreakRules,
    effective,
    rules_json,
)
from roundtap_core.rulebooks.scoring import ANY, Bonus, points_text
from roundtap_core.words import Words, core_words

FIRST_SENTENCE = re.compile(r".+?(?:[.!?](?=\s)|$)", re.S)
WINNERS = {"none": "result.none", "draw": "outcome.draw", "b": "outcome.loss"}
ENDED = {TIME: "ended.time", CONCESSION: "own.conceded"}
PARAMETERS = ("floor", "dropped_ceiling", "cut_lowest", "cut_highest", "base")


def figure_text(rules: Rules, key: str, words: Words) -> str:
    """What a number of this game is called."""
    named = next((each.label for each in rules.match.figure if each.key == key and each.label), None)
    if named is not None:
        return named.text(words.language)
    return words("own.games") if rules.match.report == GAMES else words(f"form.figure.{key}")


def tiebreaker_text(rules: Rules, tie: TiebreakRules, words: Words, kind: str = "tiebreaker") -> str:
    """A way of breaking ties with its parameters; `kind` "column" is the heading of its column."""
    if kind == "column" and tie.label is not None:
        return tie.label.text(words.language)
    tie = effective(tie)
    number = figure_text(rules, tie.of, words) if tie.of is not None else ""
    text = number if (tie.by, kind) == ("own", "column") else words(f"{kind}.{tie.by}", number=number)
    if kind == "column":
        cuts = (f"(−{n})" for n in (tie.cut_lowest, tie.cut_highest) if n)
        return " ".join((text, *cuts))
    text = ", ".join((text, *_parameters(tie, words)))
    return text if tie.label is None else f"{tie.label.text(words.language)} ({text})"


def _parameters(tie: TiebreakRules, words: Words) -> Iterator[str]:
    if tie.counts != "points":
        yield words(f"tie.counts.{tie.counts}")
    for key in PARAMETERS:
        if (value := getattr(tie, key)) not in (None, 0):
            yield words(f"tie.{key}", n=value)
    if tie.decay > 1:
        yield words("tie.decay", n=tie.decay)


@lru_cache(maxsize=64)
def words_of(book: Rulebook, words: Words) -> Words:
    """The words in which a game is told: a store's own game brings its own for what tables and lists call it,
    and teams are called teams."""
    if not isinstance(book, OwnRulebook):
        return words.variant("teams") if book.team_size > 1 else words
    return _told_for(book.rules, words).with_texts(_labels(book, core_words(words.language)))


def _told_for(rules: Rules, words: Words) -> Words:
    """Where all players meet, no round is a Swiss one."""
    return words.variant("round_robin") if rules.pairing.rounds == EVERYBODY else words


def _labels(book: OwnRulebook, words: Words) -> dict[str, str]:
    """By the keys under which every front looks for them."""
    rules, language = book.rules, words.language
    labels: dict[str, str] = {}
    for each in rules.match.figures:
        name = figure_text(rules, each, words)
        labels |= dict.fromkeys((f"form.figure.{each}.{book.id}", f"step.{each}", f"form.dialled.{each}"), name)
        labels[f"paper.figure.{each}.{book.id}"] = name + "".join(
            f" (0–{rule.maximum})" for rule in rules.match.figure if rule.key == each
        )
    for tie, tiebreaker in zip(rules.tiebreakers, book.tiebreakers, strict=False):
        labels[f"tiebreaker.{tiebreaker.key}"] = tiebreaker_text(rules, tie, words)
        labels[f"column.{tiebreaker.key}"] = tiebreaker_text(rules, tie, words, "column")
    if note := FIRST_SENTENCE.match(rules.note.strip()):
        labels[f"at_time.{book.id}"] = " ".join(note[0].split())
    if rules.time.knockout_asks is not None:
        labels[f"form.{TIE_KEY}"] = rules.time.knockout_asks.text(language)
    for field in rules.list.fields:
        known = f"list.{field.key}" in words
        if field.label is not None or not known:
            labels[f"list.{field.key}"] = field.label.text(language) if field.label else field.key
    if rules.sides is not None:
        labels |= {
            f"side.name.{side}": name.text(language) for side, name in zip(SIDES, rules.sides.names, strict=True)
        }
    return labels


# --- the rules in sentences ---

Said = tuple[object, str, Mapping[str, object]]
"""Whether it is said, and the sentence: its key and what fills it."""


def rules_in_words(rules: Rules, words: Words, planned: bool = True) -> list[str]:
    """What the kit computes for this game, sentence by sentence, in the order of the form. `planned`: with rounds and
    minutes, which an event may have changed."""
    told, parts = _told_for(rules, words), (_asked, _drawn, _worth, _byes, *((_rounds,) if planned else ()), _besides)
    said = [told(key, **params) for part in parts for so, key, params in part(rules, told) if so]
    return [sentence[:1].upper() + sentence[1:] for sentence in said]


def _asked(rules: Rules, words: Words) -> list[Said]:
    match = rules.match
    numbers = [(each, figure_text(rules, each.key, words)) for each in match.figure]
    deciding = [number for each, number in numbers if each.decides]
    report = "own.report.game" if (match.report, match.best_of) == (GAMES, 1) else f"own.report.{match.report}"
    return [
        (match.report != POINTS, report, {"n": match.best_of, "wins": match.wins}),
        *((True, "own.report.points", {"number": number, "n": each.maximum}) for each, number in numbers),
        *((not each.decides, "own.not_deciding", {"number": number}) for each, number in numbers),
        (len(deciding) > 1, "own.then_decides", {"first": "".join(deciding[:1]), "second": "".join(deciding[1:])}),
        (match.drawn_games and not rules.names_winner, "own.drawn_games", {}),
    ]


def _drawn(rules: Rules, words: Words) -> list[Said]:
    question = rules.time.knockout_asks
    asked = {"question": question.text(words.language) if question else words(f"form.{TIE_KEY}")}
    drawn = "never" if not _may_be_drawn(rules) else "early" if rules.undecided != DRAWN else rules.match.draws
    # Who reports a winner, or a single game, is asked nothing more.
    level = "names" if rules.undecided == ASK and rules.names_winner else rules.undecided
    knockout = "names" if rules.time.knockout == ASK and rules.names_winner else rules.time.knockout
    return [
        (True, f"own.draws.{drawn}", {}),
        (rules.undecided != DRAWN, f"own.level.{level}", asked),
        (rules.pairing.rounds != EVERYBODY, f"own.knockout.{knockout}", asked),
    ]


def _may_be_drawn(rules: Rules) -> bool:
    return rules.match.draws == ANY_TIME or (rules.match.draws, rules.undecided) == (AT_TIME, DRAWN)


def _worth(rules: Rules, words: Words) -> list[Said]:
    points, unit = rules.points, rules.points.unit
    worth = {key: points_text(getattr(points, key), unit) for key in ("win", "draw", "loss")}
    steps = [
        "; ".join(
            f"{start}{'' if end == f'–{start}' else end}: {_paired((ahead, behind), unit)}"
            for (start, ahead, behind), end in zip(
                table.steps, (*(f"–{step[0] - 1}" for step in table.steps[1:]), "+"), strict=True
            )
        )
        for table in points.table
    ]
    bonuses = [(bonus, ", ".join(_conditions(rules, bonus, words))) for bonus in points.bonus]
    return [
        (
            points.win or points.draw or points.loss,
            "own.points" if _may_be_drawn(rules) else "own.points.no_draw",
            worth,
        ),
        *(
            (True, "own.table", {"number": figure_text(rules, table.of, words), "steps": each})
            for table, each in zip(points.table, steps, strict=True)
        ),
        *(
            (
                True,
                "own.bonus" if conditions else "own.bonus.always",
                {"points": "+" * (bonus.points >= 0) + points_text(bonus.points, unit), "conditions": conditions},
            )
            for bonus, conditions in bonuses
        ),
    ]


def _paired(points: Iterable[int], unit: str) -> str:
    return ":".join(points_text(n, unit) for n in points)


def _conditions(rules: Rules, bonus: Bonus, words: Words) -> Iterator[str]:
    yield from (words(f"own.if.{value}") for value in (bonus.outcome, bonus.ended) if value != ANY)
    for key in bonus.ASKS:
        if (value := getattr(bonus, key)) is not None and bonus.of is not None:
            yield words(f"own.if.{key}", number=figure_text(rules, bonus.of, words), n=value)


def _byes(rules: Rules, words: Words) -> list[Said]:
    bye, unit, games = rules.bye, rules.points.unit, rules.match.report == GAMES
    scoring = own_rulebook(rules_json(rules)).counted_by[rules.match.wins]
    points = points_text(scoring.points.win if scoring.bye_points is None else scoring.bye_points, unit)
    score, won = _numbers(rules, scoring.bye, words), _numbers(rules, bye.won_figures, words)
    least = _numbers(rules, {key: (n,) for key, n in rules.concession.winner_at_least.items()}, words)
    ways = [*(tiebreaker_text(rules, tie, words) for tie in rules.tiebreakers), words("tiebreaker.random")]
    return [
        (True, "own.bye.games" if score else "own.bye", {"points": points, "score": score}),
        (won, "own.bye.won", {"score": won}),
        (rules.pairing.rounds != EVERYBODY, f"bye_order.{bye.order}", {}),
        (True, "own.missed", {"points": points_text(0, unit)}),
        (games, "own.concession.games", {}),
        (least, "own.concession.points", {"figures": least}),
        (True, "own.both_lose", {"points": points_text(rules.both_lose.points, unit)}),
        *((True, "own.tie", {"n": n, "text": text}) for n, text in enumerate(ways, start=1)),
    ]


def _rounds(rules: Rules, words: Words) -> list[Said]:
    everybody, lines, extra = rules.pairing.rounds == EVERYBODY, rules.structure.lines, rules.time.extra or (0, 0)
    stages = list(rules.time.stage_minutes.items())[: 1 if everybody else None]
    told = [-1, *(minutes for _, minutes in stages)]
    cuts = [words("own.cut" if size else "own.cut.none", size=size) for *_, size in lines]
    return [
        (everybody, "own.rounds.everybody", {}),
        (not everybody and not lines, "own.rounds.enough", {}),
        *(
            (not everybody, "own.rounds.line", {"span": f"{low}–{high}" if high else f"{low}+", "n": n, "cut": cut})
            for (low, high, n, _), cut in zip(lines, cuts, strict=True)
        ),
        *(
            (
                minutes != before,
                "own.minutes.none" if minutes is None else "own.minutes",
                {"stage": words(f"stage.{stage}"), "n": minutes},
            )
            for (stage, minutes), before in zip(stages, told, strict=False)
        ),
        (any(extra), "own.extra", {"low": extra[0], "high": extra[1]}),
    ]


def _besides(rules: Rules, words: Words) -> list[Said]:
    sides, own = rules.sides, words_of(own_rulebook(rules_json(rules)), words)
    a, b = (name.text(words.language) for name in sides.names) if sides else ("", "")
    listed = [(each, own(f"list.{each.key}")) for each in rules.list.fields if rules.list.asked != "no"]
    asked = rules.list.asked if listed else f"{rules.list.asked}.bare"
    kinds = [
        (name, f"own.kind.{each.kind}{'.most' * (each.kind == 'number' and each.maximum is not None)}", each.maximum)
        for each, name in listed
        if each.kind != "text"
    ]
    return [
        (sides, "own.sides" if sides and sides.balance else "own.sides.as_paired", {"a": a, "b": b}),
        (rules.list.asked != "no", f"own.list.{asked}", {"fields": ", ".join(name for _, name in listed)}),
        *((True, "own.list.kind", {"field": name, "kind": words(kind, n=most)}) for name, kind, most in kinds),
    ]


# --- worked matches ---


def worked_matches(rules: Rules, words: Words) -> list[str]:
    """Three matches with what they are worth: "2:1 → 3:0"."""
    return [worked_match(rules, result, words) for result in valid_examples(rules)]


def valid_examples(rules: Rules) -> list[Result]:
    """Results that a table of this game may report: a plain one; a level one, else a narrow one, else the other side's;
    a concession."""
    book = own_rulebook(rules_json(rules))
    valid = []
    for kind in _examples(rules):
        for result in kind:
            with suppress(Problem):
                book.check_new(result, book.options({}))
                valid.append(result)
                break
    return valid


def _examples(rules: Rules) -> list[list[Result]]:
    match, wins = rules.match, rules.match.wins
    level_ended: Ending = PLAYED if match.draws == ANY_TIME else TIME
    if match.report == WINNER_ONLY:
        others = [Result(level_ended, winner="draw"), Result(winner="b")]
        return [[Result(winner="a")], others, [Result(CONCESSION, conceded_by="a")]]
    high, low = _typical(match.figure[0]) if match.report == POINTS else (wins, wins - 1)
    behind, narrow = (low, low + 1) if match.report == POINTS else (0, low)
    second = SidePair(*_typical(match.figure[1])) if len(match.figure) > 1 else None
    level = Result(level_ended, score=SidePair(low, low), second=second and SidePair(0, 0))
    return [
        [Result(score=SidePair(high, low), second=second)],
        [
            replace(level, winner="draw") if rules.names_winner else level,
            *([] if rules.names_winner else [replace(level, ended=TIME, winner="a")]),
            Result(TIME, score=SidePair(narrow, narrow - 1), second=second),
            Result(score=SidePair(low, high), second=second and SidePair(second.b, second.a)),
        ],
        [Result(CONCESSION, conceded_by="a", score=SidePair(behind, low), second=second)],
    ]


def _typical(figure: FigureRule) -> tuple[int, int]:
    """A score well ahead, and one behind it: around where the dial starts."""
    low = max(0, min(figure.default or figure.maximum * 2 // 5, figure.maximum - 1))
    return min(figure.maximum, max(low + 1, figure.default * 3 // 2 or figure.maximum * 3 // 4)), low


def worked_match(rules: Rules, result: Result, words: Words) -> str:
    book = own_rulebook(rules_json(rules))
    options, counted = book.options({}), book.counted(result)
    worth = [book.tally(Match("a", "b", result=result), side, options).points for side in SIDES]
    told = {key: (pair.a, pair.b) for key, pair in result.figures.items()}
    winner, texts = book.winner(result, options), [_numbers(rules, told, words)] if rules.match.figures else []
    if winner == "none" or result.winner is not None:
        texts.append(words(WINNERS.get(winner, "outcome.win")))
    texts += [words(ENDED[result.ended])] if result.ended in ENDED else []
    text = f"{', '.join(texts)} → {_paired(worth, rules.points.unit)}"
    score = ", ".join(f"{pair.a}:{pair.b}" for pair in counted.figures.values())
    return f"{text} ({words('own.counted', score=score)})" if rules.match.figures and counted != result else text


def _numbers(rules: Rules, figures: Mapping[Any, Iterable[int]], words: Words) -> str:
    """ "70:40"; where a game counts two, which is which: "6:4 (Goals), 3:1 (Cards)"."""
    told = {key: ":".join(map(str, pair)) for key, pair in figures.items()}
    named = len(rules.match.figure) > 1
    return ", ".join(f"{text} ({figure_text(rules, key, words)})" if named else text for key, text in told.items())
