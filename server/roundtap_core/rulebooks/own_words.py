"""A store's own game in words: its rules in sentences, three worked matches, and the texts that are its own."""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any

from roundtap_core.errors import Problem
from roundtap_core.records import CONCESSION, PLAYED, SIDES, TIME, Ending, Match, Result, SidePair
from roundtap_core.rulebooks.base import Rulebook
from roundtap_core.rulebooks.own import TIE_KEY, OwnRulebook, own_rulebook
from roundtap_core.rulebooks.own_rules import (
    ANY_TIME,
    ASK,
    BOTH_LOSE,
    EVERYBODY,
    GAMES,
    NEVER,
    POINTS,
    WINNER_ONLY,
    FigureRule,
    Rules,
    TiebreakRules,
    rules_json,
)
from roundtap_core.rulebooks.scoring import ANY, Bonus, points_text
from roundtap_core.words import Words, core_words

FIRST_SENTENCE = re.compile(r".+?(?:[.!?](?=\s)|$)", re.S)
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
    number = figure_text(rules, tie.of, words) if tie.of is not None else ""
    text = number if tie.by == "own" else words(f"{kind}.{tie.by}", number=number)
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
    """The words in which a game is told: a store's own game brings its own for what tables and lists call it."""
    if not isinstance(book, OwnRulebook):
        return words
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


def rules_in_words(rules: Rules, words: Words, planned: bool = True) -> list[str]:
    """What the kit computes for this game, sentence by sentence, in the order of the form. `planned`: with rounds and
    minutes, which an event may have changed."""
    parts = (_asked, _drawn, _worth, _byes, _ties, *((_rounds,) if planned else ()), _besides)
    return [said[:1].upper() + said[1:] for part in parts for said in part(rules, _told_for(rules, words))]


def _asked(rules: Rules, words: Words) -> Iterator[str]:
    match = rules.match
    if match.report != POINTS:
        yield words(f"own.report.{match.report}", n=match.best_of)
    names = {each: figure_text(rules, each.key, words) for each in match.figure}
    yield from (words("own.report.points", number=name, n=each.maximum) for each, name in names.items())
    yield from (words("own.not_deciding", number=name) for each, name in names.items() if not each.decides)
    if len(names) > 1 and all(each.decides for each in names):
        yield words("own.then_decides", **dict(zip(("first", "second"), names.values(), strict=True)))
    if match.drawn_games:
        yield words("own.drawn_games")


def _drawn(rules: Rules, words: Words) -> Iterator[str]:
    question = rules.time.knockout_asks
    asked = question.text(words.language) if question else words(f"form.{TIE_KEY}")
    yield words(f"own.draws.{rules.match.draws}")
    named = rules.match.report == WINNER_ONLY
    if rules.undecided == BOTH_LOSE or (rules.undecided == ASK and not named):
        yield words(f"own.level.{rules.undecided}", question=asked)
    if rules.pairing.rounds != EVERYBODY and (rules.time.knockout != ASK or not named):
        yield words(f"own.knockout.{rules.time.knockout}", question=asked)


def _worth(rules: Rules, words: Words) -> Iterator[str]:
    points = rules.points
    win, draw, loss = (points_text(n, points.unit) for n in (points.win, points.draw, points.loss))
    if (points.win, points.draw, points.loss) != (0, 0, 0):
        yield words("own.points.no_draw" if rules.match.draws == NEVER else "own.points", win=win, draw=draw, loss=loss)
    for table in points.table:
        steps = "; ".join(
            f"{start}{'' if end == f'–{start}' else end}: {_paired((ahead, behind), points.unit)}"
            for (start, ahead, behind), end in zip(
                table.steps, (*(f"–{step[0] - 1}" for step in table.steps[1:]), "+"), strict=True
            )
        )
        yield words("own.table", number=figure_text(rules, table.of, words), steps=steps)
    for bonus in points.bonus:
        yield words(
            "own.bonus",
            points="+" * (bonus.points >= 0) + points_text(bonus.points, points.unit),
            conditions=", ".join(_conditions(rules, bonus, words)),
        )


def _paired(points: Iterable[int], unit: str) -> str:
    return ":".join(points_text(n, unit) for n in points)


def _conditions(rules: Rules, bonus: Bonus, words: Words) -> Iterator[str]:
    yield from (words(f"own.if.{value}") for value in (bonus.outcome, bonus.ended) if value != ANY)
    for key in bonus.ASKS:
        if (value := getattr(bonus, key)) is not None and bonus.of is not None:
            yield words(f"own.if.{key}", number=figure_text(rules, bonus.of, words), n=value)


def _byes(rules: Rules, words: Words) -> Iterator[str]:
    bye, scoring = rules.bye, own_rulebook(rules_json(rules)).counted_by[rules.match.wins]
    points = points_text(scoring.points.win if scoring.bye_points is None else scoring.bye_points, rules.points.unit)
    score = _numbers(rules, scoring.bye, words)
    yield words("own.bye.games" if score else "own.bye", points=points, score=score)
    if bye.won_figures:
        yield words("own.bye.won", score=_numbers(rules, bye.won_figures, words))
    if rules.pairing.rounds != EVERYBODY:
        yield words(f"bye_order.{bye.order}")
    if rules.match.report == GAMES:
        yield words("own.concession.games")
    elif least := rules.concession.winner_at_least:
        yield words("own.concession.points", figures=_numbers(rules, {key: (n,) for key, n in least.items()}, words))
    if rules.undecided == BOTH_LOSE or rules.both_lose.points:
        yield words("own.both_lose", points=points_text(rules.both_lose.points, rules.points.unit))


def _ties(rules: Rules, words: Words) -> Iterator[str]:
    ways = [*(tiebreaker_text(rules, tie, words) for tie in rules.tiebreakers), words("tiebreaker.random")]
    yield from (words("own.tie", n=n, text=text) for n, text in enumerate(ways, start=1))


def _rounds(rules: Rules, words: Words) -> Iterator[str]:
    if rules.pairing.rounds == EVERYBODY:
        yield words("own.rounds.everybody")
    elif not rules.structure.lines:
        yield words("own.rounds.enough")
    else:
        for low, high, rounds, size in rules.structure.lines:
            cut = words("own.cut" if size else "own.cut.none", size=size)
            yield words("own.rounds.line", span=f"{low}–{high}" if high else f"{low}+", n=rounds, cut=cut)
    minutes = rules.time.stage_minutes
    for (stage, n), before in zip(minutes.items(), (-1, *minutes.values()), strict=False):
        if n != before:
            yield words("own.minutes.none" if n is None else "own.minutes", stage=words(f"stage.{stage}"), n=n)
    if rules.time.extra:
        yield words("own.extra", low=rules.time.extra[0], high=rules.time.extra[1])


def _besides(rules: Rules, words: Words) -> Iterator[str]:
    if rules.sides is not None:
        a, b = (name.text(words.language) for name in rules.sides.names)
        yield words("own.sides" if rules.sides.balance else "own.sides.as_paired", a=a, b=b)
    if rules.list.asked != "no":
        own = words_of(own_rulebook(rules_json(rules)), words)
        fields = ", ".join(own(f"list.{each.key}") for each in rules.list.fields)
        yield words(f"own.list.{rules.list.asked}", fields=fields or "–")


# --- worked matches ---


def worked_matches(rules: Rules, words: Words) -> list[str]:
    """Up to three matches with what they are worth: "2:1 → 3:0"."""
    return [_worked(own_rulebook(rules_json(rules)), result, words) for result in valid_examples(rules)]


def valid_examples(rules: Rules) -> list[Result]:
    """Results that a table of this game may report: a plain one, a level one where there may be one, a concession."""
    book = own_rulebook(rules_json(rules))
    valid = []
    for result in _examples(rules):
        with suppress(Problem):
            book.check_new(result, book.options({}))
            valid.append(result)
    return valid


def _examples(rules: Rules) -> Iterator[Result]:
    match, wins = rules.match, rules.match.wins
    level_ended: Ending = PLAYED if match.draws == ANY_TIME else TIME
    if match.report == POINTS:
        first, *more = match.figure
        high, low = _typical(first)
        second = SidePair(*_typical(more[0])) if more else None
        yield Result(score=SidePair(high, low), second=second)
        yield Result(level_ended, score=SidePair(low, low), second=(more and SidePair(0, 0)) or None)
        yield Result(CONCESSION, conceded_by="a", score=SidePair(low, low), second=second)
    elif match.report == GAMES:
        yield Result(score=SidePair(wins, wins - 1))
        yield Result(level_ended, score=SidePair(wins - 1, wins - 1))
        yield Result(CONCESSION, conceded_by="a", score=SidePair(0, wins - 1))
    else:
        yield Result(winner="a")
        yield Result(level_ended, winner="draw")
        yield Result(CONCESSION, conceded_by="a")


def _typical(figure: FigureRule) -> tuple[int, int]:
    """A score well ahead, and one behind it: around where the dial starts."""
    low = max(0, min(figure.default or figure.maximum * 2 // 5, figure.maximum - 1))
    return min(figure.maximum, max(low + 1, figure.default * 3 // 2 or figure.maximum * 3 // 4)), low


def _worked(book: OwnRulebook, result: Result, words: Words) -> str:
    options, rules, counted = book.options({}), book.rules, book.counted(result)
    worth = [book.tally(Match("a", "b", result=result), side, options).points for side in SIDES]
    told = {key: (pair.a, pair.b) for key, pair in result.figures.items()}
    texts = [_numbers(rules, told, words)] if rules.match.figures else []
    if (winner := book.winner(result, options)) == "none" or result.winner is not None:
        texts.append(words({"none": "result.none", "draw": "outcome.draw"}.get(winner, "outcome.win")))
    texts += [words(ENDED[result.ended])] if result.ended in ENDED else []
    text = f"{', '.join(texts)} → {_paired(worth, rules.points.unit)}"
    if counted == result or not rules.match.figures:
        return text
    return (
        f"{text} ({words('own.counted', score=', '.join(f'{pair.a}:{pair.b}' for pair in counted.figures.values()))})"
    )


def _numbers(rules: Rules, figures: Mapping[Any, Iterable[int]], words: Words) -> str:
    """ "70:40"; where a game counts two, which is which: "6:4 (Goals), 3:1 (Cards)"."""
    told = {key: ":".join(map(str, pair)) for key, pair in figures.items()}
    named = len(rules.match.figure) > 1
    return ", ".join(f"{text} ({figure_text(rules, key, words)})" if named else text for key, text in told.items())
