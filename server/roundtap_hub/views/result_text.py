"""A result told in plain words, and the way through the form that leads to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from roundtap_core.errors import Problem
from roundtap_core.forms.form import (
    LOSER,
    OPENER,
    WINNER,
    Bonus,
    Choice,
    Decide,
    Exchange,
    Figure,
    Form,
    Picks,
    Test,
    Turns,
    Way,
)
from roundtap_core.forms.walk import BY_LOT, FIRST_PLAYER_BY, FIRST_PLAYER_LOT, Walk, compose, walk
from roundtap_core.lists.squads import letter
from roundtap_core.records import CONCESSION, RULING, SIDES, Result, Side, other
from roundtap_core.rulebooks.base import Options, Rulebook
from roundtap_core.words import Words

Names = Mapping[str, str]
"""The sides' names: {"a": …, "b": …}."""


@dataclass(frozen=True, slots=True)
class Told:
    """One line: "Keys", "1:2 → 2:2", and which step made the difference ("forging")."""

    label: str
    text: str
    by: str = ""


def first_text(words: Words, *keys: str) -> str:
    """The first of these texts that there is; the more special key comes first."""
    for key in keys:
        if key in words:
            return words(key)
    return keys[-1].rpartition(".")[2]


def figure_label(words: Words, key: str, rulebook_id: str) -> str:
    return first_text(words, f"form.figure.{key}.{rulebook_id}", f"form.figure.{key}", f"column.{key}")


def way_label(words: Words, way: str, rulebook_id: str) -> str:
    return first_text(words, f"form.way.{way}.{rulebook_id}", f"form.way.{way}", f"ended.{way}")


def option_label(words: Words, option: str, names: Names) -> str:
    return names[option] if option in SIDES else first_text(words, f"form.option.{option}")


def needs_opener(way: Way) -> bool:
    """Whether it matters for what is asked who opened the way: somebody's figures are fixed, or nobody else says
    who won."""
    if way.ended == CONCESSION or way.winner == OPENER:
        return True
    asked: dict[str, set[tuple[Any, ...]]] = {}
    for figure in way.figures():
        asked.setdefault(figure.key, set()).add((figure.asked, figure.minimum, figure.maximum))
    return any(len(kinds) > 1 for kinds in asked.values())


def remembered(way: Way, opener: Side, result: Result) -> dict[str, Any]:
    """The answers that a result tells, as far as it holds any, to fill in a correction with."""
    sides: dict[str, Side] = {WINNER: opener, LOSER: other(opener)}
    told = result.timeout or {}
    by_lot = told.get(FIRST_PLAYER_BY) == BY_LOT
    said: dict[str, Any] = {
        "winner": result.winner, "initiative": result.initiative, FIRST_PLAYER_LOT: result.first_player, **told,
        "first_player": BY_LOT if by_lot else result.first_player}
    answers: dict[str, Any] = {}
    for step in way.steps:
        if isinstance(step, Figure):
            value = _before(way, step, sides[step.whose], result, told)
            if value is not None:
                answers[step.name] = value
        elif isinstance(step, Picks) and sides[step.whose] in (result.picks or {}):
            answers[step.name] = (result.picks or {})[sides[step.whose]]
        elif isinstance(step, Turns):
            answers[step.name] = told.get(step.name, "")
        elif isinstance(step, Choice):
            by_side = told.get(step.key, {}) if step.whose is not None else {}
            answer = by_side.get(sides[step.whose]) if step.whose is not None else said.get(step.name)
            if answer in step.options:
                answers[step.name] = answer
    return answers


def _before(way: Way, figure: Figure, side: Side, result: Result, told: Mapping[str, Any]) -> int | None:
    """The figure as it was told: before an exchange, a bonus, or the game that the last step gave."""
    if isinstance(told.get(figure.key), dict):
        value = told[figure.key].get(side)
        return value if isinstance(value, int) else None
    if figure.key not in ("score", "wounds"):
        return None
    pair = result.score if figure.key == "score" else result.wounds
    if pair is None:
        return None
    decided = next((step for step in way.steps if isinstance(step, Test | Decide)
                    and step.id == told.get("decided_by") and step.award == figure.key), None)
    ahead = "a" if pair.a > pair.b else "b"
    return pair.of(side) - (1 if decided and side == ahead else 0)


def way_of(form: Form, result: Result, winner: str) -> tuple[Way, Side, dict[str, Any]] | None:
    """The way, who opened it and the answers that make this very result; None where no way does."""
    openers: tuple[Side, ...] = ("b", "a") if winner == "b" else ("a", "b")
    for way in form.ways:
        if way.ended != result.ended:
            continue
        for opener in openers if needs_opener(way) else ("a",):
            answers = remembered(way, opener, result)
            try:
                if _same(compose(way, opener, answers), result):
                    return way, opener, answers
            except Problem:
                continue
    return None


def _same(made: Result, result: Result) -> bool:
    # A winner that the figures tell may be said or left out.
    return made == result or (made.winner is None and replace(result, winner=None) == made)


def known(form: Form, way: Way, opener: Side, answers: Mapping[str, Any], walked: Walk, names: Names,
          words: Words) -> list[Told]:
    """What the answers told so far, in the order of the questions; a figure that a rule changed shows both."""
    sides: dict[str, Side] = {WINNER: opener, LOSER: other(opener)}
    lines: list[Told] = []
    done: set[str] = set()
    for question in walked.met:
        if isinstance(question, Figure):
            if question.key in done or any((question.key, whose) not in walked.figures for whose in sides):
                continue
            done.add(question.key)
            lines.append(_figure_line(form, way, question.key, sides, answers, walked, words))
        elif isinstance(question, Picks):
            squads = answers.get(question.name)
            if squads:
                label = figure_label(words, question.key, form.rulebook)
                lines.append(Told(f"{label}, {names[sides[question.whose]]}", squad_text(squads)))
        elif isinstance(question, Turns):
            lines.append(Told(first_text(words, question.label), turns_text(answers.get(question.name), names, words)))
        elif isinstance(question, Choice):
            label, option = first_text(words, question.label), str(answers.get(question.name))
            if question.whose is not None:
                label = f"{label}, {names[sides[question.whose]]}"
            lines.append(Told(label, option_label(words, option, names)))
    return lines


def _figure_line(form: Form, way: Way, key: str, sides: Mapping[str, Side], answers: Mapping[str, Any], walked: Walk,
                 words: Words) -> Told:
    whose = {side: who for who, side in sides.items()}
    defaults = {figure.name: figure.default for figure in way.figures()}
    told = [answers.get(f"{key}.{whose[side]}", defaults.get(f"{key}.{whose[side]}", 0)) for side in SIDES]
    now = [walked.figures[key, whose[side]] for side in SIDES]
    label = figure_label(words, key, form.rulebook)
    if told == now:
        return Told(label, figures_text(now))
    rules = [step.id for step in way.steps if (isinstance(step, Exchange) and key in (step.costs, step.gives))
             or (isinstance(step, Bonus) and step.gives == key and _gave(step, walked))]
    return Told(label, f"{figures_text(told)} → {figures_text(now)}",
                first_text(words, f"step.{rules[0]}") if rules else "")


def _gave(bonus: Bonus, walked: Walk) -> bool:
    """Whether somebody had more of what the bonus counts."""
    one, two = (walked.figures.get((bonus.counts, whose), 0) for whose in (WINNER, LOSER))
    return one != two


def figures_text(pair: Iterable[int]) -> str:
    return ":".join(str(n).replace("-", "−") for n in pair)


def squad_text(squads: Iterable[int]) -> str:
    return ", ".join(map(letter, squads))


def turns_text(answer: str | None, names: Names, words: Words) -> str:
    return words("told.won", name=names[answer]) if answer in SIDES else words("told.turns.nobody")


def tell(book: Rulebook, form: Form, options: Options, result: Result, names: Names, words: Words) -> list[Told]:
    """Everything that a result holds, in plain words: how it ended, who won, every figure, and what decided."""
    try:
        winner = book.winner(result, options)
    except Problem:
        winner = ""
    lines = [Told(words("match.how"), _how(form, result, winner, names, words))]
    if winner:
        lines.append(Told(words("match.winner"), outcome_text(winner, names, words)))
    found = way_of(form, result, winner)
    if found is not None:
        way, opener, answers = found
        way = way.opened_by(opener)
        walked = walk(way, answers, opener, fill=True)
        lines += known(form, way, opener, answers, walked, names, words)
        if walked.decided_by is not None:
            lines.append(Told(words("told.decided"), decided_text(way, opener, walked, words)))
        asked = {question.name for question in walked.met}
    else:
        lines += _plain_figures(form, result, names, words)
        asked = set()
    for key in ("initiative", "first_player"):
        side = getattr(result, key)
        if side in SIDES and key not in asked:
            lines.append(Told(first_text(words, f"form.{key}"), names[side]))
    return lines


def decided_text(way: Way, opener: Side, walked: Walk, words: Words) -> str:
    """The step that decided; where it added figures up, with their sums: "potential 8:7"."""
    text = first_text(words, f"step.{walked.decided_by}")
    step = next((step for step in way.steps if isinstance(step, Test) and step.id == walked.decided_by), None)
    if step is None or len(step.counts) < 2:
        return text
    whose = {opener: WINNER, other(opener): LOSER}
    sums = figures_text(sum(walked.figures.get((key, whose[side]), 0) for key in step.counts) for side in SIDES)
    return f"{text} {sums}"


def outcome_text(winner: str, names: Names, words: Words) -> str:
    if winner in SIDES:
        return names[winner]
    return words("outcome.draw") if winner == "draw" else words("result.none")


def _how(form: Form, result: Result, winner: str, names: Names, words: Words) -> str:
    if result.ended == CONCESSION and result.conceded_by in SIDES:
        return words("told.conceded", name=names[result.conceded_by])
    if result.ended == RULING:
        return words("ended.ruling")
    found = way_of(form, result, winner)
    return way_label(words, found[0].id, form.rulebook) if found else first_text(words, f"ended.{result.ended}")


def _plain_figures(form: Form, result: Result, names: Names, words: Words) -> list[Told]:
    """A result that no way of the form makes, as a ruling: its figures as they stand."""
    lines = []
    for key, pair in (("score", result.score), ("wounds", result.wounds)):
        if pair is not None and (pair.a or pair.b or result.ended != RULING):
            lines.append(Told(figure_label(words, key, form.rulebook), figures_text((pair.a, pair.b))))
    for side, squads in (result.picks or {}).items():
        lines.append(Told(f"{figure_label(words, 'picks', form.rulebook)}, {names[side]}", squad_text(squads)))
    for key, value in (result.timeout or {}).items():
        if key == "decided_by":
            lines.append(Told(words("told.decided"), first_text(words, f"step.{value}")))
        elif isinstance(value, dict) and all(isinstance(value.get(side, 0), int) for side in SIDES):
            lines.append(Told(figure_label(words, key, form.rulebook),
                              figures_text(value.get(side, 0) for side in SIDES)))
        elif isinstance(value, dict):
            label = first_text(words, f"form.{key}")
            lines += [Told(f"{label}, {names[side]}", option_label(words, str(value[side]), names))
                      for side in SIDES if side in value]
    return lines
