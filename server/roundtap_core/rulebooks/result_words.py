"""A result in words, the same at every front: who has won, why where the score does not say so, and all it holds."""

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from msgspec import Struct

from roundtap_core.errors import Problem
from roundtap_core.forms import questions
from roundtap_core.forms.form import Form, WalkState, WayToEnd, answers_on_record, walk_way
from roundtap_core.lists.list_form import squad_letter
from roundtap_core.records import (
    CONCESSION,
    ELIMINATION,
    PLAYED,
    RULING,
    SIDES,
    TIME,
    Result,
    Side,
    SidePair,
    other_side,
)
from roundtap_core.rulebooks.base import MatchSituation, Options, Rulebook
from roundtap_core.rulebooks.scoring import DRAW
from roundtap_core.words import Words

KNOCKOUT = MatchSituation(ELIMINATION)
THE_SCORE = (questions.SCORE, "games", "points", "struggles")
"""Steps that count only the score: having more of it is winning, as every reader knows."""

Names = Mapping[str, str]  # the sides' names: {"a": …, "b": …}


class ResultLine(Struct, frozen=True):
    """One line: "Keys", "1:2 → 2:2", and which step made the difference ("forging")."""

    label: str
    text: str
    by: str = ""


class ShownResult(Struct, frozen=True):
    """A result in words and figures: `winner` is "a", "b", "draw", "none", or "" where unknown. `second`: the other
    figures of both, where the game counts two; `second_name`: what it calls them. `why`: what decided where the figures
    do not show it. Both as keys of which the first known one is shown. `scored`: whether the game has a score."""

    a: int
    b: int
    winner: str
    ended: str
    second: tuple[int, int] | None = None
    why: tuple[str, ...] = ()
    second_name: tuple[str, ...] = ()
    scored: bool = True

    @property
    def plain(self) -> bool:
        """Whether the figures alone show who won."""
        return {"a": self.a > self.b, "b": self.b > self.a}.get(self.winner, self.winner != "draw")

    @property
    def bare(self) -> bool:
        """Whether its 0:0 says nothing: without a score, or of a ruling."""
        return (self.ended == RULING or not self.scored) and self.a == self.b == 0


def figure_label(words: Words, key: str, rulebook_id: str) -> str:
    return words.first(*figure_keys(key, rulebook_id), f"column.{key}")


def figure_keys(key: str, rulebook_id: str) -> tuple[str, ...]:
    return f"form.figure.{key}.{rulebook_id}", f"form.figure.{key}"


def way_label(words: Words, way_id: str, rulebook_id: str) -> str:
    return words.first(*_way_keys(way_id, rulebook_id))


def _way_keys(way_id: str, rulebook_id: str) -> tuple[str, ...]:
    return (f"form.way.{way_id}.{rulebook_id}", f"form.way.{way_id}", f"ended.{way_id}")


def option_label(words: Words, option: str, names: Names) -> str:
    return names[option] if option in SIDES else words.first(f"form.option.{option}")


def answer_lines(
    form: Form, way: WayToEnd, opener: Side, answers: Mapping[str, Any], walked: WalkState, names: Names, words: Words
) -> list[ResultLine]:
    """The answers so far, in the order of the questions; a figure that a rule changed shows both values."""
    sides: dict[str, Side] = {questions.WINNER: opener, questions.LOSER: other_side(opener)}
    lines: list[ResultLine] = []
    done: set[str] = set()
    for question in walked.met:
        answer = answers.get(question.name)
        if isinstance(question, questions.Figure):
            if question.key in done or any((question.key, whose) not in walked.figures for whose in sides):
                continue
            done.add(question.key)
            lines.append(_figure_line(form, way, question.key, sides, answers, walked, words))
            continue
        label = words.first(question.label) or figure_label(words, question.key, form.rulebook)
        if question.whose is not None:
            label = f"{label}, {names[sides[question.whose]]}"
        if isinstance(question, questions.Picks):
            lines += [ResultLine(label, squad_text(answer))] if answer else []
        elif isinstance(question, questions.Turns):
            won = words("told.won", name=names[answer]) if answer in SIDES else words("told.turns.nobody")
            lines.append(ResultLine(label, won))
        else:
            lines.append(ResultLine(label, option_label(words, str(answer), names)))
    return lines


def _figure_line(
    form: Form,
    way: WayToEnd,
    key: str,
    sides: Mapping[str, Side],
    answers: Mapping[str, Any],
    walked: WalkState,
    words: Words,
) -> ResultLine:
    whose = {side: who for who, side in sides.items()}
    defaults = {figure.name: figure.default for figure in way.figures()}
    told = [answers.get(f"{key}.{whose[side]}", defaults.get(f"{key}.{whose[side]}", 0)) for side in SIDES]
    now = [walked.figures[key, whose[side]] for side in SIDES]
    label = figure_label(words, key, form.rulebook)
    if told == now:
        return ResultLine(label, figures_text(now))
    rules = [rule.id for rule in way.rules if rule.changes(key, walked.figures)]
    return ResultLine(
        label, f"{figures_text(told)} → {figures_text(now)}", words.first(f"step.{rules[0]}") if rules else ""
    )


def figures_text(pair: Iterable[int]) -> str:
    return ":".join(str(n).replace("-", "−") for n in pair)


def worth_texts(book: Rulebook, key: str, pair: tuple[int, int]) -> tuple[str, str]:
    """What a result is worth to both sides (`Rulebook.worth`), as people read it."""
    a, b = map(book.points_text if key == "points" else str, pair)
    return a, b


def squad_text(squads: Iterable[int]) -> str:
    return ", ".join(map(squad_letter, squads))


def winner_of(book: Rulebook, options: Options, result: Result) -> str:
    """ "a", "b", "draw", "none" (both lose), or "" where the rulebook cannot tell."""
    try:
        return book.winner(result, options)
    except Problem:
        return ""


def outcome_text(
    book: Rulebook, options: Options, situation: MatchSituation, result: Result, names: Names, words: Words
) -> str:
    """Who has won, in one sentence; "" if that is unknown."""
    winner = winner_of(book, options, result)
    if winner in SIDES:
        return words("told.won", name=names[winner])
    if situation.knockout and result.initiative in SIDES and winner == DRAW:
        return words("told.goes_on", name=names[result.initiative])
    return _no_winner_text(winner, words) if winner else ""


def _no_winner_text(winner: str, words: Words) -> str:
    return words("outcome.draw" if winner == DRAW else "result.none")


def outcome_reason(book: Rulebook, options: Options, result: Result) -> tuple[str, ...]:
    """Why the result stands where the score alone does not tell: keys for `Words.first`, or none."""
    if result.ended in (CONCESSION, RULING):
        return (f"ended.{result.ended}",)
    winner, score = winner_of(book, options, result), result.score
    decided_by = (result.timeout or {}).get("decided_by", questions.SCORE)
    if decided_by not in THE_SCORE:
        return (f"step.{decided_by}",)
    if winner not in (*SIDES, DRAW) or (winner == DRAW and score.a == score.b):
        return ()
    if winner in SIDES and score.of(winner) > score.of(other_side(winner)):
        return ()
    if score.a == score.b and len(result.figures) > 1:
        return (f"step.{[*result.figures][1]}",)
    on_record = answers_on_record(book.form(options).ways, result, winner)
    if on_record is None or (winner == DRAW and result.ended == TIME):
        return (f"ended.{result.ended}",) if winner == DRAW else ()
    way = on_record[0]
    if not way.steps and way.ended == PLAYED:
        return ()
    # The winner was asked, as after a final salvo; else the way itself decides.
    knocked_out = answers_on_record(book.form(options, KNOCKOUT).ways, result, winner)
    choice = way.choice("winner") or (knocked_out and knocked_out[0].choice("winner"))
    return ((choice.label.replace("form.", "step."),) if choice is not None else ()) + _way_keys(way.id, book.id)


def result_shown(book: Rulebook, options: Options, result: Result, stage: str = "") -> ShownResult:
    """The result as people read it; one that the rulebook cannot read keeps its figures. `stage`: its match's, where it
    is known: a match that was conceded has the won games that end it."""
    wins = book.games(stage, options) // 2 + 1 if stage and result.ended == CONCESSION else 0
    counted = book.counted(result, wins)
    key, second = next(islice(counted.figures.items(), 1, None), ("", None))
    return ShownResult(
        counted.score.a,
        counted.score.b,
        winner_of(book, options, result),
        result.ended,
        None if second is None else (second.a, second.b),
        outcome_reason(book, options, result),
        figure_keys(key, book.id),
        counted.score != SidePair() or book.form(options).scored,
    )


def describe_result(
    book: Rulebook, form: Form, options: Options, result: Result, names: Names, words: Words
) -> list[ResultLine]:
    """Everything in a result, in plain words: how it ended, who won, every figure, and what decided."""
    winner = winner_of(book, options, result)
    lines = [ResultLine(words("result.how"), _ending_text(form, result, winner, names, words))]
    if winner:
        lines.append(
            ResultLine(words("result.winner"), names[winner] if winner in SIDES else _no_winner_text(winner, words))
        )
    on_record = answers_on_record(form.ways, result, winner)
    if on_record is not None:
        way, opener, answers = on_record
        way = way.opened_by(opener)
        walked = walk_way(way, answers, opener, fill=True)
        lines += answer_lines(form, way, opener, answers, walked, names, words)
        if walked.decided_by is not None:
            lines.append(ResultLine(words("told.decided"), decided_text(way, opener, walked, words)))
        answered = {question.name for question in walked.met}
    else:
        lines += _plain_figures(form, result, names, words)
        answered = set()
    if (counted := book.counted(result, form.games)) != result:
        figures = (
            f"{figure_label(words, key, book.id)} {figures_text((of.a, of.b))}" for key, of in counted.figures.items()
        )
        lines.append(ResultLine(words("result.counts"), ", ".join(figures)))
    for key in ("initiative", "first_player"):
        side = getattr(result, key)
        if side in SIDES and key not in answered:
            lines.append(ResultLine(words.first(f"form.{key}"), names[side]))
    return lines


def decided_text(way: WayToEnd, opener: Side, walked: WalkState, words: Words) -> str:
    """The step that decided; where it added figures up, with their sums: "potential 8:7"."""
    text = words.first(f"step.{walked.decided_by}")
    counts = next((rule.added for rule in way.rules if rule.id == walked.decided_by), ())
    if len(counts) < 2:
        return text
    whose = {opener: questions.WINNER, other_side(opener): questions.LOSER}
    sums = figures_text(sum(walked.figures.get((key, whose[side]), 0) for key in counts) for side in SIDES)
    return f"{text} {sums}"


def _ending_text(form: Form, result: Result, winner: str, names: Names, words: Words) -> str:
    if result.ended == CONCESSION and result.conceded_by in SIDES:
        return words("told.conceded", name=names[result.conceded_by])
    if result.ended == RULING:
        return words("ended.ruling")
    on_record = answers_on_record(form.ways, result, winner)
    return way_label(words, on_record[0].id, form.rulebook) if on_record else words.first(f"ended.{result.ended}")


def _plain_figures(form: Form, result: Result, names: Names, words: Words) -> list[ResultLine]:
    """A result that no way of the form makes, as a ruling: its figures as they stand."""
    lines = [
        ResultLine(figure_label(words, key, form.rulebook), figures_text((pair.a, pair.b)))
        for key, pair in result.figures.items()
        if pair.a or pair.b or result.ended != RULING
    ]
    for side, squads in (result.picks or {}).items():
        lines.append(ResultLine(f"{figure_label(words, 'picks', form.rulebook)}, {names[side]}", squad_text(squads)))
    for key, value in (result.timeout or {}).items():
        if key == "decided_by":
            lines.append(ResultLine(words("told.decided"), words.first(f"step.{value}")))
        elif isinstance(value, dict) and all(isinstance(value.get(side, 0), int) for side in SIDES):
            lines.append(
                ResultLine(figure_label(words, key, form.rulebook), figures_text(value.get(side, 0) for side in SIDES))
            )
        elif isinstance(value, dict):
            label = words.first(f"form.{key}")
            lines += [
                ResultLine(f"{label}, {names[side]}", option_label(words, str(value[side]), names))
                for side in SIDES
                if side in value
            ]
    return lines
