"""The steps of a way to end: questions for people, and rules between them that change figures or decide.

Each kind defines when it is asked, its valid answers, and its part in a result: fronts and checks need not know the
kind.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Self

from msgspec import Meta, Struct

from roundtap_core.errors import Invalid, Problem
from roundtap_core.records import SECOND_FIGURES, SIDES, Result, Side
from roundtap_core.typed import Count, Message, Word, typed_number

WINNER, LOSER = "winner", "loser"
"""Whose a figure is: of the side that opened the way (its winner, if any), or of the other."""

BY_LOT, FIRST_PLAYER, FIRST_PLAYER_BY, FIRST_PLAYER_LOT = "lot", "first_player", "first_player_by", "first_player_lot"
"""If no one knows who began, a lot decides who counts as first player, and `timeout` records it."""

LOT_LABEL = "form.lot"  # choices of this label are drawn by the kit, at every front; any dice are thrown by people

SCORE = "score"
SCORE_KEYS = (
    SCORE,
    *SECOND_FIGURES,
)  # figures with a place of their own in a result; all others go to the time-out resolver

FEW = 4  # up to so many possible figures are buttons, more are typed

SQUADS_MAX = 26  # they are called A to Z

Options = Annotated[tuple[Word, ...], Meta(max_length=64)]
Answers = Mapping[str, Any]
"""Question name → answer: a number, an option of a choice, "" or a side for turns, a list of squads."""
Figures = dict[tuple[str, str], int]  # (key, WINNER or LOSER) → figure, as it stands at some step


class ResultDraft(Struct):
    """The recorded part of the answers: squads by side, choices with a place of their own, and resolver answers by key.
    `bonus`: keys that a rule adds to, recorded as before the addition."""

    bonus: frozenset[str]
    picks: dict[Side, list[int]] = {}
    chosen: dict[str, Any] = {}
    figures: dict[str, dict[Side, int]] = {}
    timeout: dict[str, Any] = {}


class _Step(Message, frozen=True, tag_field="step", tag=str.lower):
    """Its kind is sent as `step`, by the name of its class where that gives no tag."""

    def sound(self) -> bool:
        """Whether its parts fit each other: a hostile hub may send anything."""
        return True


class BaseQuestion(_Step, frozen=True):
    """What all questions have in common. `whose` is None for a question to both sides."""

    by_side: ClassVar[bool] = False  # whether it is put to each side, so that both are asked on one page

    def wanted(self, figures: Mapping[tuple[str, str], int], answers: Answers) -> bool:
        """Whether it is asked, after these figures of both sides and these answers."""
        name, value = getattr(self, "only_if", None) or ("", "")
        if not name:
            return True
        if isinstance(value, str):
            return bool(answers.get(name) == value)
        return bool(sum(figures.get((name, whose), 0) for whose in (WINNER, LOSER)) == value)

    def note(self, answers: Answers, figures: Figures) -> None:
        """What passing it adds to the figures."""

    @property
    def few(self) -> tuple[int, ...]:
        """The figures it may be, where they are so few that each has a button."""
        return ()

    def for_side(self, side: Side) -> Self:
        """The question as it is put to this side."""
        return self

    def read(self, typed: Sequence[str]) -> int | str | list[int]:
        """The answer as it was typed."""
        return "".join(typed[:1]).strip()

    def missing_problem(self) -> Problem:
        """The problem of a missing answer."""
        return Invalid("figure_missing")


class Figure(BaseQuestion, frozen=True):
    """A whole number, minimum <= n <= maximum, of the winner or the loser.

    `wheels` are the place values it is dialled by, largest first: (10, 1) dials tens, then units; the first wheel
    runs to maximum // 10, so that 100 needs no third wheel. A figure that is not `asked` keeps its default.
    `per_side`: maximum and default where it is a's, and where it is b's; None: nobody knows it, and where it may be
    this or that it is asked all the same. `beyond`: the real figure may lie outside the limits, which then mean "or
    less", "or more"; buttons stop there, a keyboard does not. `only_if` (a name, a number): asked only if the sides'
    figures of that key come to that sum, as for a choice.
    """

    key: Word
    whose: Word
    minimum: Count
    maximum: Count
    default: Count
    wheels: Annotated[tuple[Count, ...], Meta(min_length=1, max_length=5)] = (10, 1)
    asked: bool = True
    per_side: tuple[Count | None, Count | None] | None = None
    beyond: bool = False
    only_if: tuple[Word, Count | Word] | None = None
    label: ClassVar[str] = ""
    by_side: ClassVar[bool] = True

    @property
    def name(self) -> str:
        """What its answer is filed under: "score.loser"."""
        return f"{self.key}.{self.whose}"

    def for_side(self, side: Side) -> Self:
        if self.per_side is None:
            return self
        top = self.per_side[0 if side == "a" else 1]
        if top is None:
            return self.replace(asked=self.asked or self.minimum < self.maximum, per_side=None)
        # What is not asked is what it is.
        minimum = self.minimum if self.asked else top
        return self.replace(minimum=minimum, maximum=top, default=min(self.default, top), per_side=None)

    @property
    def few(self) -> tuple[int, ...]:
        numbers = tuple(range(self.minimum, self.maximum + 1))
        return () if self.beyond or len(numbers) > FEW else numbers

    def note(self, answers: Answers, figures: Figures) -> None:
        figures[self.key, self.whose] = answers.get(self.name, self.default)

    def check(self, value: object, side: Side) -> None:
        """Raise Problem("figure_out_of_range")."""
        if type(value) is not int or not (self.beyond or self.minimum <= value <= self.maximum):
            raise Invalid(
                "figure_out_of_range",
                where=f"/result/{self.key}/{side}",
                value=value,
                minimum=self.minimum,
                maximum=self.maximum,
            )

    def read(self, typed: Sequence[str]) -> int:
        """The answer as it was typed. Raises Problem("figure_missing", "not_a_number")."""
        text = "".join(typed[:1]).strip()
        if not text:
            raise Invalid("figure_missing")
        return typed_number(text)

    def record(self, answers: Answers, side: Side, draft: ResultDraft) -> None:
        if self.key not in SCORE_KEYS or self.key in draft.bonus:
            draft.figures.setdefault(self.key, {})[side] = answers.get(self.name, self.default)

    def recorded(self, result: Result, side: Side) -> int | None:
        """The recorded figure, None if absent."""
        timeout = (result.timeout or {}).get(self.key)
        if isinstance(timeout, Mapping):
            value = timeout.get(side, 0)
            return value if type(value) is int else None
        pair = result.figures.get(self.key)
        return None if pair is None else pair.of(side)

    def possible(self, winner: Side) -> tuple[int, ...]:
        """Any figure is possible where none is recorded: nothing is assumed."""
        return ()

    def record_problems(self, value: object, where: str) -> Iterator[Problem]:
        """What is wrong with the figures of both sides as a record holds them."""
        if not isinstance(value, dict):
            yield Problem("wrong_type", where=where, expected="object")
            return
        for side, n in value.items():
            if side not in SIDES:
                yield Problem("unknown_key", where=f"{where}/{side}", key=side, known=", ".join(SIDES))
            elif type(n) is not int:
                yield Problem("wrong_type", where=f"{where}/{side}", expected="integer")
            elif not self.beyond and not self.minimum <= n <= self.maximum:
                yield Invalid(
                    "figure_out_of_range", where=f"{where}/{side}", value=n, minimum=self.minimum, maximum=self.maximum
                )

    def sound(self) -> bool:
        """Whether buttons can answer it at all."""
        return (
            self.wheels[-1] > 0
            and list(self.wheels) == sorted(set(self.wheels), reverse=True)
            and self.minimum <= self.default <= self.maximum
        )


class Choice(BaseQuestion, frozen=True):
    """One of a few answers, by button. `label` is a key of the core's catalogue ("form.final_salvo").

    A choice between the sides ("a", "b") is answered with the side's own button. `only_if` (a name, a value): asked
    only if an earlier choice was answered so, or the sides' figures of that key come to that sum.

    `whose`: the side that makes it, where each makes its own: its name is then "KEY.winner" or "KEY.loser", and what
    was chosen is recorded by side under KEY. `per_side`: the options where it is a's, and where it is b's.
    """

    name: Word
    label: Word
    options: Options
    only_if: tuple[Word, Count | Word] | None = None
    whose: Word | None = None
    per_side: tuple[Options, Options] | None = None
    asked: ClassVar[bool] = True

    @property
    def key(self) -> str:
        """What both sides' choices have in common: "house" of "house.winner"."""
        return self.name.partition(".")[0]

    def for_side(self, side: Side) -> Self:
        if self.per_side is None:
            return self
        return self.replace(options=self.per_side[0 if side == "a" else 1], per_side=None)

    @property
    def lot(self) -> bool:
        """Whether the kit draws it: nobody chooses."""
        return self.label == LOT_LABEL

    @property
    def counts(self) -> bool:
        """Whether the answer is a number."""
        return all(map(str.isdecimal, self.options))

    @property
    def by_button(self) -> bool:
        return set(self.options) == {"a", "b"}

    def check(self, value: object, side: Side) -> None:
        """Raise Problem("not_one_of")."""
        _refuse_other(self.name, value, self.options)

    def record(self, answers: Answers, side: Side, draft: ResultDraft) -> None:
        answer = answers.get(self.name)
        if self.name in ("winner", "initiative", FIRST_PLAYER, FIRST_PLAYER_LOT):
            draft.chosen[self.name] = answer
            if self.name == FIRST_PLAYER and answer == BY_LOT:
                draft.timeout[FIRST_PLAYER_BY] = BY_LOT
        elif answer and self.whose is not None:
            draft.timeout.setdefault(self.key, {})[side] = answer
        elif answer:
            draft.timeout[self.name] = answer

    def recorded(self, result: Result, side: Side) -> str | None:
        """The recorded choice, None if absent."""
        timeout = result.timeout or {}
        if self.whose is not None:
            by_side = timeout.get(self.key)
            return by_side.get(side) if isinstance(by_side, Mapping) else None
        if self.name == FIRST_PLAYER and timeout.get(FIRST_PLAYER_BY) == BY_LOT:
            answer: object = BY_LOT
        else:
            answer = timeout.get(
                self.name,
                {
                    "winner": result.winner,
                    "initiative": result.initiative,
                    FIRST_PLAYER: result.first_player,
                    FIRST_PLAYER_LOT: result.first_player,
                }.get(self.name),
            )
        return answer if answer in self.options else None

    def possible(self, winner: Side) -> tuple[str, ...]:
        """Possible answers where none is recorded, the likeliest first; each side's own choice decides nothing."""
        if self.whose is not None:
            return self.options[:1]
        return tuple(sorted(self.options, key=lambda option: option != winner)) if self.by_button else self.options

    def record_problems(self, value: object, where: str) -> Iterator[Problem]:
        """What is wrong with the answer as a record holds it; of a side's own, more may be picked than is offered."""
        if self.whose is None:
            if value not in self.options:
                yield Invalid("not_one_of", where=where, value=value, options=", ".join(self.options))
            return
        if not isinstance(value, dict):
            yield Problem("wrong_type", where=where, expected="object")
            return
        for side, picked in value.items():
            if side not in SIDES:
                yield Problem("unknown_key", where=f"{where}/{side}", key=side, known=", ".join(SIDES))
            elif not isinstance(picked, str):
                yield Problem("wrong_type", where=f"{where}/{side}", expected="string")

    def sound(self) -> bool:
        return all(self.per_side or (self.options,))


class Turns(BaseQuestion, frozen=True):
    """Turns that are played after time is called: so many, beginning with the side that answered `first`. The answer is
    "" when all are over, or the side that won meanwhile."""

    name: Word
    label: Word
    turns: Annotated[int, Meta(ge=1, le=99)]
    first: Word
    asked: ClassVar[bool] = True
    whose: ClassVar[str | None] = None

    @property
    def key(self) -> str:
        return self.name

    def check(self, value: object, side: Side) -> None:
        """Raise Problem("not_one_of")."""
        _refuse_other(self.name, value, ("", *SIDES))

    def record(self, answers: Answers, side: Side, draft: ResultDraft) -> None:
        if answers.get(self.name):
            draft.timeout[self.name] = answers[self.name]

    def recorded(self, result: Result, side: Side) -> str | None:
        """No one won in them if figures were counted afterwards or the match was a draw."""
        timeout = result.timeout or {}
        if self.name in timeout:
            return str(timeout[self.name])
        counted = any(
            key != SCORE and isinstance(value, Mapping) and all(type(n) is int for n in value.values())
            for key, value in timeout.items()
        )
        return "" if counted or result.winner == "draw" else None

    def possible(self, winner: Side) -> tuple[str, ...]:
        return tuple(dict.fromkeys((winner, "", *SIDES)))

    def record_problems(self, value: object, where: str) -> Iterator[Problem]:
        if value not in SIDES:
            yield Invalid("not_one_of", where=where, value=value, options=", ".join(SIDES))


class Picks(BaseQuestion, frozen=True):
    """Which squads a side fields: `take` of 1..`of`. The answer is a sorted list of numbers."""

    key: Word
    whose: Word
    of: Annotated[int, Meta(ge=1, le=SQUADS_MAX)]
    take: Annotated[int, Meta(ge=1, le=SQUADS_MAX)]
    label: ClassVar[str] = ""
    asked: ClassVar[bool] = True
    by_side: ClassVar[bool] = True

    @property
    def name(self) -> str:
        return f"{self.key}.{self.whose}"

    def check(self, value: object, side: Side) -> None:
        """Raise Problem("picks_wrong")."""
        good = (
            isinstance(value, list | tuple)
            and all(type(squad) is int and 1 <= squad <= self.of for squad in value)
            and len(set(value)) == len(value) == self.take
        )
        if not good:
            raise Invalid("picks_wrong", where=f"/result/picks/{side}", take=self.take, of=self.of)

    def read(self, typed: Sequence[str]) -> list[int]:
        return parse_squad_ticks(typed)

    def missing_problem(self) -> Problem:
        return Invalid("picks_wrong", take=self.take, of=self.of)

    def record(self, answers: Answers, side: Side, draft: ResultDraft) -> None:
        if answers.get(self.name):
            draft.picks[side] = sorted(answers[self.name])

    def recorded(self, result: Result, side: Side) -> list[int] | None:
        return list((result.picks or {}).get(side, ())) or None

    def possible(self, winner: Side) -> tuple[list[int], ...]:
        return (list(range(1, self.take + 1)),)

    def record_problems(self, value: object, where: str) -> Iterator[Problem]:
        """Squads are not part of a resolver's answers."""
        yield from ()

    def sound(self) -> bool:
        return self.take <= self.of


class BaseRule(_Step, frozen=True):
    """What all rules have in common: they ask nothing, and may decide."""

    @property
    def added(self) -> tuple[str, ...]:
        """The figures of which a side's sum counts."""
        return ()

    def changes(self, key: str, figures: Mapping[tuple[str, str], int]) -> bool:
        """Whether it has made another figure of this one: `figures` as they stand at the end."""
        return False


class Exchange(BaseRule, frozen=True):
    """Each side with at least `price` of one figure turns that much of it into one of another, at most once."""

    id: Word
    costs: Word
    price: Annotated[int, Meta(ge=1, le=99_999)]
    gives: Word
    award: ClassVar[str | None] = None

    def apply(self, figures: Figures, answers: Answers) -> str | None:
        for whose in (WINNER, LOSER):
            if figures.get((self.costs, whose), 0) >= self.price:
                figures[self.costs, whose] -= self.price
                figures[self.gives, whose] = figures.get((self.gives, whose), 0) + 1
        return None

    def changes(self, key: str, figures: Mapping[tuple[str, str], int]) -> bool:
        return key in (self.costs, self.gives)


class Bonus(BaseRule, frozen=True):
    """The side with more of `counts` gets one more of `gives`; equal: nobody."""

    id: Word
    counts: Word
    gives: Word
    award: ClassVar[str | None] = None

    def apply(self, figures: Figures, answers: Answers) -> str | None:
        if (ahead := _ahead(figures, (self.counts,))) is not None:
            figures[self.gives, ahead] = figures.get((self.gives, ahead), 0) + 1
        return None

    def changes(self, key: str, figures: Mapping[tuple[str, str], int]) -> bool:
        return key == self.gives and _ahead(figures, (self.counts,)) is not None


class Comparison(BaseRule, frozen=True, tag="test"):
    """The side with more, over all its figures, has won; equal: the walk continues. `award`: a figure of which the
    winner gets one more, where the step decides a game of several."""

    id: Word
    counts: Annotated[tuple[Word, ...], Meta(max_length=16)]
    award: Word | None = None

    @property
    def added(self) -> tuple[str, ...]:
        return self.counts

    def apply(self, figures: Figures, answers: Answers) -> str | None:
        """WINNER or LOSER, None where the walk continues."""
        return _ahead(figures, self.counts)


class WinnerByAnswer(BaseRule, frozen=True, tag="decide"):
    """The side named by the answer `by` has won; without one the walk continues. `award`: as for Comparison."""

    id: Word
    by: Word
    award: Word | None = None

    def apply(self, figures: Figures, answers: Answers) -> str | None:
        """A side, None where the walk continues."""
        named = answers.get(self.by)
        return named if named in SIDES else None


Question = Figure | Choice | Turns | Picks
Rule = Exchange | Bonus | Comparison | WinnerByAnswer
Step = Question | Rule


def parse_squad_ticks(marks: Iterable[str]) -> list[int]:
    """The squads whose boxes were ticked, in order."""
    return sorted(int(mark) for mark in marks if mark.isdecimal() and len(mark) < 3)


def _ahead(figures: Mapping[tuple[str, str], int], counted: Iterable[str]) -> str | None:
    keys = tuple(counted)
    one, two = (sum(figures.get((key, whose), 0) for key in keys) for whose in (WINNER, LOSER))
    return None if one == two else WINNER if one > two else LOSER


def _refuse_other(name: str, value: object, options: tuple[str, ...]) -> None:
    if value not in options:
        raise Invalid(
            "not_one_of",
            where=f"/result/{name}",
            value=value,
            options=", ".join(option for option in options if option),
        )
