"""Result forms as data: the questions of a rulebook, their order and limits. All fronts use them.

A form has *ways* a match can end. A way begins with a side's own button (the winner's, if there is one), then takes its
steps in order: questions, and rules between them that may decide, so that no needless question follows.
`walk_way` tells what to ask next; `compose_result` makes the `Result`, and `result_readings` reads one back.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any

from msgspec import Meta, Struct
from msgspec.structs import replace

from roundtap_core.errors import Invalid, Problem
from roundtap_core.forms import questions
from roundtap_core.forms.questions import (
    LOSER,
    SCORE_KEYS,
    WINNER,
    BaseQuestion,
    Bonus,
    Choice,
    Figure,
    Picks,
    Question,
    Rule,
    Step,
)
from roundtap_core.records import (
    CONCESSION,
    PLAYED,
    RULING,
    SECOND_FIGURES,
    SIDES,
    TIME,
    Ending,
    Result,
    Side,
    SidePair,
    Winner,
    other_side,
)
from roundtap_core.typed import Message, Word
from roundtap_core.words import Words

BEFORE_TIME, AT_TIME, ANY_TIME = "before_time", "at_time", "any"

BY_FIGURES, OPENER, DRAWN, DECIDED = "figures", "opener", "draw", "decided"
"""What determines a way's winner: the figures (or the answer to "winner"), its opener, no one, or the deciding step (a
draw without one)."""

RECORDED = ("winner", "initiative", "first_player")
"""Choices that a result keeps. All others are asked by steps that few matches ever come to."""

ReadAnswers = dict[str, Any]


class WayToEnd(Message, frozen=True):
    """One way to end: `when` it is offered, what `ended` it records, and its steps in order."""

    id: Word
    when: Word
    ended: Ending
    steps: Annotated[tuple[Step, ...], Meta(max_length=64)]
    winner: Word = BY_FIGURES

    @property
    def questions(self) -> tuple[Question, ...]:
        return tuple(step for step in self.steps if isinstance(step, BaseQuestion))

    @property
    def rules(self) -> tuple[Rule, ...]:
        return tuple(step for step in self.steps if not isinstance(step, BaseQuestion))

    def figures(self) -> tuple[Figure, ...]:
        return tuple(step for step in self.steps if isinstance(step, Figure))

    def picks(self) -> tuple[Picks, ...]:
        return tuple(step for step in self.steps if isinstance(step, Picks))

    def choice(self, name: str) -> Choice | None:
        return next((step for step in self.steps if isinstance(step, Choice) and step.name == name), None)

    @property
    def lots(self) -> frozenset[str]:
        """The choices that the kit draws."""
        return frozenset(step.name for step in self.steps if isinstance(step, Choice) and step.lot)

    @property
    def bonus(self) -> frozenset[str]:
        """Figures that a rule adds one to, on behalf of another."""
        return frozenset(step.gives for step in self.steps if isinstance(step, Bonus))

    def opened_by(self, opener: Side) -> "WayToEnd":
        """The way with every question as addressed to its side."""
        sides: dict[str | None, Side] = {WINNER: opener, LOSER: other_side(opener)}
        return self.replace(
            steps=tuple(
                step.for_side(sides[step.whose]) if isinstance(step, BaseQuestion) and step.whose in sides else step
                for step in self.steps
            )
        )

    def for_one_side(self, side: Side, opener: Side) -> "WayToEnd":
        """The way as addressed to one side alone: the other picks its own squads."""
        theirs = LOSER if side == opener else WINNER
        return self.replace(
            steps=tuple(step for step in self.steps if not (isinstance(step, Picks) and step.whose == theirs))
        )


class Form(Message, frozen=True):
    """All ways of one rulebook in one situation; `worth` names the derived values shown before confirming. `direct`:
    the first way offered begins at once, the others behind it. `parallel`: no opener, each side answers for itself ("a"
    stands for the winner). `games`: won games that end the match. `look_s`: seconds to read the other's list."""

    rulebook: Word
    ways: Annotated[tuple[WayToEnd, ...], Meta(min_length=1, max_length=16)]
    worth: Annotated[tuple[Word, ...], Meta(max_length=8)] = ()
    direct: bool = False
    parallel: bool = False
    games: Annotated[int, Meta(ge=1, le=9)] = 1
    look_s: Annotated[int, Meta(ge=1, le=3600)] | None = None

    def offered(self, time_is_up: bool) -> tuple[WayToEnd, ...]:
        """The ways a table is offered before or after time was called."""
        wanted = AT_TIME if time_is_up else BEFORE_TIME
        return tuple(way for way in self.ways if way.when in (wanted, ANY_TIME))

    @property
    def scored(self) -> bool:
        """Whether any way has a score; without one, 0:0 says nothing."""
        return any(figure.key == questions.SCORE for way in self.ways for figure in way.figures())

    @property
    def lots(self) -> frozenset[str]:
        """The choices of any way that the kit draws."""
        return frozenset(name for way in self.ways for name in way.lots)

    def way(self, way_id: str) -> WayToEnd | None:
        return next((way for way in self.ways if way.id == way_id), None)


def with_rulings(form: Form, outcomes: tuple[str, ...]) -> Form:
    """The form for officials: with a ruling, one of `outcomes`, alone or with figures in the widest limits."""
    by_key: dict[str, list[Figure]] = {}
    for way in form.ways:
        for figure in (each for side in SIDES for each in way.opened_by(side).figures() if each.key in SCORE_KEYS):
            by_key.setdefault(figure.key, []).append(figure)
    named = Choice("winner", "form.ruled", outcomes)
    figures = [
        Figure(key, whose, low, max(each.maximum for each in group), low, beyond=any(each.beyond for each in group))
        for key, group in by_key.items()
        for low in [min(each.minimum for each in group)]
        for whose in (WINNER, LOSER)
    ]
    rulings = [WayToEnd("ruling", ANY_TIME, RULING, (named,))]
    if figures:
        rulings.append(WayToEnd("ruling_figures", ANY_TIME, RULING, (named, *figures)))
    return form.replace(ways=(*form.ways, *rulings))


class SlipTicks(Struct, frozen=True):
    """A question, and what may be ticked: "a" and "b" are the sides, all else are keys of texts. `label`: a key of a
    text, or "" where the options say it."""

    label: str
    options: tuple[str, ...]


class SlipFigure(Struct, frozen=True):
    """A number that each side writes; `label` is a key of a text. `lost`: the text of what one's own losses are called,
    where they lead to the other's points; else ""."""

    key: str
    label: str
    lost: str


def slip_figures(form: Form, words: Words) -> list[SlipFigure]:
    """What is written as a number: figures with a place of their own in a result, if anybody is asked for them."""
    keys = (figure.key for way in form.ways for figure in way.figures() if figure.asked)
    figures = []
    for key in (key for key in dict.fromkeys(keys) if key in SCORE_KEYS):
        own, lost = f"paper.figure.{key}.{form.rulebook}", f"paper.lost.{key}.{form.rulebook}"
        figures.append(SlipFigure(key, own if own in words else f"paper.figure.{key}", lost if lost in words else ""))
    return figures


def slip_ticks(form: Form) -> list[SlipTicks]:
    """Everything to tick, from the winner to leaving the event."""
    return [*_winner_ticks(form), *_ending_ticks(form), *_choices(form), SlipTicks("paper.leave", SIDES)]


def slip_picks(form: Form) -> Picks | None:
    """What each side picks for a match, where lists have squads."""
    return next((picks for way in form.ways for picks in way.picks()), None)


def margin_label(form: Form, words: Words) -> str:
    """The key of what players note as their margin, "" where the rulebook has them note none."""
    key = f"paper.margin.{form.rulebook}"
    return key if key in words else ""


def _winner_ticks(form: Form) -> Iterator[SlipTicks]:
    """The winner, where figures may not decide it; a draw, where it must be stated."""
    if form.parallel or not any(way.winner in (OPENER, DECIDED) for way in form.ways):
        return
    draw = ("paper.draw",) if any(way.winner == DRAWN for way in form.ways) else ()
    yield SlipTicks("paper.won", (*SIDES, *draw))


def _ending_ticks(form: Form) -> Iterator[SlipTicks]:
    """How it ended, where that changes what the result is worth. That is so for every way where points decide at time
    and do not decide before it; else for a concession."""
    ways = [way for way in form.ways if way.winner != DRAWN]
    conceded = [way for way in ways if way.ended == CONCESSION]
    if not form.parallel and any(map(_decided_by_figures, ways)) and any(way.winner == OPENER for way in ways):
        yield SlipTicks("", tuple(f"form.way.{way.id}" for way in ways))
    elif conceded and form.worth and (form.parallel or not _as_destroyed(conceded[0], ways)):
        played = [way.steps for way in ways if way.ended == PLAYED]
        alike = [way for way in ways if way.ended == TIME and way.steps in played]
        # Who is ahead may concede: where nobody ticks who won, the figures do not say who did.
        named = any(_winner_ticks(form))
        told = () if form.parallel else (*alike, *conceded[:named])
        if told:
            yield SlipTicks("", tuple(f"form.way.{way.id}" for way in told))
        if not named:
            yield SlipTicks("paper.concedes", SIDES)


def _as_destroyed(conceded: WayToEnd, ways: Sequence[WayToEnd]) -> bool:
    """Whether the figures equal those of another ending: the conceding side has lost everything, and the other's figure
    is fixed."""
    figures = conceded.figures()
    sides = {figure.whose for figure in figures if figure.asked}
    return sides == {LOSER} and any(way is not conceded and way.figures() == figures for way in ways)


def _decided_by_figures(way: WayToEnd) -> bool:
    figures = way.figures()
    return (
        way.winner == BY_FIGURES
        and way.ended != CONCESSION
        and bool(figures)
        and all(figure.asked for figure in figures)
    )


def _choices(form: Form) -> Iterator[SlipTicks]:
    choices = [choice for way in form.ways for name in RECORDED if (choice := way.choice(name)) is not None]
    for step in {step.label: step for step in choices}.values():
        # An unknown answer is not ticked: the row stays empty.
        sides = tuple(option for option in step.options if option in SIDES)
        yield SlipTicks(step.label, sides or tuple(f"form.option.{option}" for option in step.options))
    asked = (step for way in form.ways for step in way.steps if isinstance(step, questions.Choice))
    yield from (SlipTicks(label, ()) for label in dict.fromkeys(step.label for step in asked if step.counts))


class WalkState(Struct, frozen=True):
    """How far the answers lead. `question`: what is asked next, None at the end. `decided_by`: the id of the step that
    decided, and for whom ("winner" and "loser" as in forms, or a side); None while nothing did. `figures`: every figure
    met so far, after exchanges: {("keys", "winner"): 2}."""

    question: questions.Question | None
    decided_by: str | None
    decided_for: str | None
    figures: Mapping[tuple[str, str], int]
    met: tuple[questions.Question, ...]


def walk_way(way: WayToEnd, answers: questions.Answers, opener: Side = "a", fill: bool = False) -> WalkState:
    """Follow the steps as far as the answers go; with `fill`, what is not answered yet counts at its default."""
    figures: questions.Figures = {}
    reached: list[questions.Question] = []
    # Only answers to questions on the way: a correction may have left others behind.
    given: dict[str, object] = {}
    for step in way.steps:
        if isinstance(step, questions.BaseQuestion):
            if not step.wanted(figures, given):
                continue
            if step.asked and step.name not in answers and not fill:
                return WalkState(step, None, None, figures, tuple(reached))
            step.note(answers, figures)
            given[step.name] = answers.get(step.name)
            reached.append(step)
        elif (decided_for := step.apply(figures, given)) is not None:
            if step.award is not None:
                whose = _whose(decided_for, opener)
                figures[step.award, whose] = figures.get((step.award, whose), 0) + 1
            return WalkState(None, step.id, decided_for, figures, tuple(reached))
    return WalkState(None, None, None, figures, tuple(reached))


def _whose(decided_for: str, opener: Side) -> str:
    if decided_for in SIDES:
        return questions.WINNER if decided_for == opener else questions.LOSER
    return decided_for


def compose_complete(way: WayToEnd, opener: Side, answers: questions.Answers) -> Result:
    """The result of `answers`, as `compose_result`, but for the record, without defaults. Raises
    Problem("question_open") while one is open."""
    if (question := walk_way(way.opened_by(opener), answers, opener).question) is not None:
        raise Problem("question_open", where=f"/result/{question.name}", question=question.name)
    return compose_result(way, opener, answers)


def compose_result(way: WayToEnd, opener: Side, answers: questions.Answers) -> Result:
    """The result of `answers`, when `opener` pressed its own button first. Missing answers count at their defaults, to
    show the worth meanwhile; answers that a correction made needless are left out. Raises
    Problem("figure_out_of_range", "not_one_of", "picks_wrong")."""
    way = way.opened_by(opener)
    sides: dict[str | None, Side] = {
        questions.WINNER: opener,
        questions.LOSER: other_side(opener),
        None: opener,
        "a": "a",
        "b": "b",
    }
    _check(way, sides, answers)
    walked = walk_way(way, answers, opener, fill=True)
    draft = questions.ResultDraft(way.bonus)
    for question in walked.met:
        question.record(answers, sides[question.whose], draft)
    chosen, timeout = draft.chosen, {**draft.figures, **draft.timeout}
    if timeout and walked.decided_by is not None:
        timeout["decided_by"] = walked.decided_by
    figures = {(key, sides[whose]): value for (key, whose), value in walked.figures.items()}
    decided = sides[walked.decided_for] if walked.decided_for else None
    began = chosen.get(questions.FIRST_PLAYER) or answers.get(questions.FIRST_PLAYER)
    return Result(
        ended=way.ended,
        winner=_winner(way, opener, decided, chosen.get("winner")),
        conceded_by=other_side(opener) if way.ended == CONCESSION else None,
        score=_pair(questions.SCORE, figures) or SidePair(),
        wounds=_pair("wounds", figures),
        second=_pair("second", figures),
        initiative=chosen.get("initiative"),
        first_player=chosen.get(questions.FIRST_PLAYER_LOT) if began == questions.BY_LOT else began,
        picks={side: draft.picks[side] for side in SIDES if side in draft.picks} or None,
        timeout=timeout or None,
    )


def _winner(way: WayToEnd, opener: Side, decided: Side | None, chosen: Side | None) -> Winner | None:
    """What is recorded as `winner`: nothing where the figures tell."""
    return {BY_FIGURES: chosen, OPENER: opener, DRAWN: "draw", DECIDED: decided or "draw"}[way.winner]


def _pair(key: str, figures: Mapping[tuple[str, Side], int]) -> SidePair | None:
    if all((key, side) not in figures for side in SIDES):
        return None
    return SidePair(*(figures.get((key, side), 0) for side in SIDES))


def _check(way: WayToEnd, sides: Mapping[str | None, Side], answers: questions.Answers) -> None:
    if way.choice(questions.FIRST_PLAYER) is None and answers.get(questions.FIRST_PLAYER) not in (None, *SIDES):
        raise Invalid(
            "not_one_of",
            where=f"/result/{questions.FIRST_PLAYER}",
            value=answers[questions.FIRST_PLAYER],
            options=", ".join(SIDES),
        )
    for question in way.questions:
        if question.name in answers:
            question.check(answers[question.name], sides[question.whose])


class RecordReading(Struct, frozen=True):
    """One way to read a record. `walked` stops at a missing figure; `supposed`: assumed answers that the record does
    not hold."""

    answers: ReadAnswers
    walked: WalkState
    supposed: frozenset[str]


def result_readings(way: WayToEnd, opener: Side, result: Result, figures: bool = False) -> Iterator[RecordReading]:
    """Every way to read `result` as answers to `way`, which `opener` opened: what the record leaves open may have been
    any of its options, and a score may hold a game that the last step gave. With `figures`, a missing figure may have
    been any as well; without, the reading stops there."""
    way = way.opened_by(opener)
    sides: dict[str | None, Side] = {questions.WINNER: opener, questions.LOSER: other_side(opener), None: opener}
    answers: ReadAnswers = {
        question.name: answer
        for question in way.questions
        if (answer := question.recorded(result, sides[question.whose])) is not None
    }
    if way.choice(questions.FIRST_PLAYER) is None and result.first_player is not None:
        answers[questions.FIRST_PLAYER] = result.first_player
    for score in _scores_before(way, opener, result):
        scores = {
            figure.name: score.of(sides[figure.whose]) for figure in way.figures() if figure.key == questions.SCORE
        }
        yield from _completed(way, opener, result, {**answers, **scores}, frozenset(), figures)


def _completed(
    way: WayToEnd, opener: Side, result: Result, answers: ReadAnswers, supposed: frozenset[str], figures: bool
) -> Iterator[RecordReading]:
    walked = walk_way(way, answers, opener)
    question = walked.question
    winner: Side = "b" if result.winner == "b" else "a" if result.winner == "a" else opener
    possible: Sequence[Any] = question.possible(winner) if question is not None else ()
    if figures and isinstance(question, questions.Figure):
        possible = _telling_values(way, question, walked.figures)
    if question is None or not possible:
        yield RecordReading(answers, walked, supposed)
    for answer in possible:
        assert question is not None
        yield from _completed(
            way, opener, result, {**answers, question.name: answer}, supposed | {question.name}, figures
        )


def _telling_values(way: WayToEnd, question: questions.Figure, figures: Mapping[tuple[str, str], int]) -> Sequence[int]:
    """The values of a missing figure that can make a difference: its limits, and around each price, around 0 and around
    what makes the sides equal, as far as the other figures are known."""
    own, key = question.whose, question.key
    other = questions.LOSER if own == questions.WINNER else questions.WINNER
    counted = ((key,), *(rule.added for rule in way.rules if key in rule.added))
    level = {sum(figures.get((each, other), 0) - figures.get((each, own), 0) for each in keys) for keys in counted}
    prices = {rule.price for rule in way.rules if isinstance(rule, questions.Exchange) and rule.costs == key}
    near = {at + shift + step for at in (0, *level) for p in (0, *prices) for shift in (-p, p) for step in (-1, 0, 1)}
    return sorted(n for n in near | {question.minimum, question.maximum} if question.minimum <= n <= question.maximum)


def _scores_before(way: WayToEnd, opener: Side, result: Result) -> list[SidePair]:
    """The scores there may have been before the last step gave a game or a struggle; the recorded one comes first."""
    timeout = (result.timeout or {}).get(questions.SCORE)
    if isinstance(timeout, Mapping):
        return [SidePair(timeout.get("a", 0), timeout.get("b", 0))]
    score, gives = (
        result.score,
        questions.SCORE in way.bonus or any(rule.award == questions.SCORE for rule in way.rules),
    )
    if not gives:
        return [score]
    tops = {
        opener if figure.whose == questions.WINNER else other_side(opener): figure.maximum
        for figure in way.figures()
        if figure.key == questions.SCORE
    }
    before = (score, SidePair(score.a - 1, score.b), SidePair(score.a, score.b - 1))
    return [pair for pair in before if all(0 <= pair.of(side) <= tops.get(side, pair.of(side)) for side in SIDES)]


def needs_opener(way: WayToEnd) -> bool:
    """Whether the questions depend on who opened the way: a side's figures are fixed, or no answer names the winner."""
    if way.ended == CONCESSION or way.winner == OPENER:
        return True
    limits: dict[str, set[tuple[Any, ...]]] = {}
    for figure in way.figures():
        limits.setdefault(figure.key, set()).add((figure.asked, figure.minimum, figure.maximum))
    return any(len(kinds) > 1 for kinds in limits.values())


def answers_on_record(
    ways: Iterable[WayToEnd], result: Result, winner: str
) -> tuple[WayToEnd, Side, ReadAnswers] | None:
    """The way, its opener and the answers that make this very result, none of them assumed; None if no way does."""
    openers: tuple[Side, ...] = ("b", "a") if winner == "b" else ("a", "b")
    for way in ways:
        if way.ended != result.ended:
            continue
        for opener in openers if needs_opener(way) else ("a",):
            for answers in _plausible(way, opener, result):
                made = _composed(way, opener, answers)
                # A winner that the figures decide may be stated or omitted.
                if made is not None and (
                    made == result or (made.winner is None and replace(result, winner=None) == made)
                ):
                    return way, opener, answers
    return None


def _plausible(way: WayToEnd, opener: Side, result: Result) -> Iterator[ReadAnswers]:
    """The recorded answers without assumptions; missing ones count at their defaults."""
    seen: list[ReadAnswers] = []
    for reading in result_readings(way, opener, result):
        answers = {name: answer for name, answer in reading.answers.items() if name not in reading.supposed}
        if answers not in seen:
            seen.append(answers)
            yield answers


def way_and_answers(ways: Iterable[WayToEnd], opener: Side, result: Result) -> tuple[WayToEnd, ReadAnswers] | None:
    """The first way that makes exactly this result when `opener` opens, else the first compatible one, with its
    answers; None if there is none. For buttons: missing answers are chosen so that the winner is right, and figures are
    clamped where buttons show "20+"."""
    candidates: list[tuple[WayToEnd, ReadAnswers]] = []
    for way in ways:
        if way.ended != result.ended or (answers := _on_buttons(way, opener, result)) is None:
            continue
        made = compose_result(way, opener, answers)
        if replace(made, first_player=result.first_player) == result:
            return way, answers
        candidates.append((way, answers))
    return candidates[0] if candidates else None


def _on_buttons(way: WayToEnd, opener: Side, result: Result) -> ReadAnswers | None:
    result = _clamp_score(way, opener, result)
    figures = way.opened_by(opener).figures()
    for reading in result_readings(way, opener, result):
        answers = {
            **{q.name: q.possible("a")[0] for q in way.questions if isinstance(q, questions.Picks)},
            **reading.answers,
        }
        for figure in figures:
            if not figure.asked:
                answers.pop(figure.name, None)
        made = _composed(way, opener, answers)
        if (
            made is not None
            and _same(made, result)
            and all(figure.minimum <= answers.get(figure.name, figure.default) <= figure.maximum for figure in figures)
        ):
            return answers
    return None


def _clamp_score(way: WayToEnd, opener: Side, result: Result) -> Result:
    score = result.score
    for figure in way.opened_by(opener).figures():
        if figure.beyond and figure.key == questions.SCORE:
            side = opener if figure.whose == questions.WINNER else other_side(opener)
            most = figure.maximum if figure.asked else score.of(side)
            score = replace(score, **{side: max(figure.minimum, min(most, score.of(side)))})
    return replace(result, score=score)


def _composed(way: WayToEnd, opener: Side, answers: ReadAnswers) -> Result | None:
    try:
        return compose_result(way, opener, answers)
    except Problem:
        return None


def _same(made: Result, result: Result) -> bool:
    timeout = made.timeout or {}
    return bool(
        (made.ended, made.score, made.conceded_by) == (result.ended, result.score, result.conceded_by)
        and all((getattr(made, key) or SidePair()) == (getattr(result, key) or SidePair()) for key in SECOND_FIGURES)
        and (result.winner == made.winner or None in (result.winner, made.winner))
        and result.initiative in (None, made.initiative)
        and all((made.picks or {}).get(side) == sorted(picks) for side, picks in (result.picks or {}).items())
        and all(timeout.get(key) == value for key, value in (result.timeout or {}).items())
    )
