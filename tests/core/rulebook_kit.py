"""For tests of the rulebooks: results by hand, both sides' tallies, walks through a way of a form."""

from typing import Any

import pytest

from form_kit import next_step
from roundtap_core.errors import Problem
from roundtap_core.forms.form import Form, WayToEnd, compose_result, walk_way
from roundtap_core.forms.questions import LOSER, WINNER, Figure
from roundtap_core.records import (
    CONCESSION,
    RULING,
    TIEBREAK,
    TIME,
    Competitor,
    Match,
    Result,
    Round,
    Side,
    SidePair,
    StandingsRow,
    Tournament,
)
from roundtap_core.rulebooks.base import MatchSituation, Rulebook
from roundtap_core.rulebooks.scoring import Tally
from roundtap_core.standings.standings import standings

SWISS, KNOCKOUT, FINAL = MatchSituation("swiss"), MatchSituation("elimination"), MatchSituation("final")


def played(a: int, b: int, winner: str | None = None, **more: Any) -> Result:
    return Result(score=SidePair(a, b), winner=winner, **more)


def at_time(a: int, b: int, winner: str | None = None, **more: Any) -> Result:
    return Result(ended=TIME, score=SidePair(a, b), winner=winner, **more)


def conceded(by: Side, a: int = 0, b: int = 0, **more: Any) -> Result:
    return Result(ended=CONCESSION, conceded_by=by, score=SidePair(a, b), **more)


def ruling(winner: str, a: int = 0, b: int = 0) -> Result:
    return Result(ended=RULING, winner=winner, score=SidePair(a, b))


def tallies(book: Rulebook, result: Result, totals: dict[str, int] | None = None, **options: Any) -> list[Tally]:
    """What a match of Ana against Bruno gives each of them; `totals` are what their lists cost."""
    match = Match("Ana", "Bruno", result=result)
    return [book.tally(match, side, book.options(options), totals or {}) for side in ("a", "b")]


def points(book: Rulebook, result: Result) -> tuple[int, int]:
    a, b = tallies(book, result)
    return a.points, b.points


def figures(
    book: Rulebook, result: Result, key: str, totals: dict[str, int] | None = None, **options: Any
) -> tuple[int, int]:
    a, b = tallies(book, result, totals, **options)
    return a.figures[key], b.figures[key]


def bye(book: Rulebook, kind: str = "bye", **options: Any) -> tuple[Any, ...]:
    """(points, figure, …) of a bye, in the order in which the rulebook names its figures."""
    tally = book.tally(Match("Ana", bye=kind), "a", book.options(options))
    return tally.points, *tally.figures.values()


def refused_new(book: Rulebook, result: Result, situation: MatchSituation = SWISS, **options: Any) -> tuple[str, str]:
    """(key, place) of the Problem with which a newly entered result is refused."""
    with pytest.raises(Problem) as caught:
        book.check_new(result, book.options(options), situation)
    assert caught.value.say()
    return caught.value.key, caught.value.where


def taken_new(book: Rulebook, result: Result, situation: MatchSituation = SWISS, **options: Any) -> None:
    book.check_new(result, book.options(options), situation)


# Events and their standings.


def game(a: str, b: str, result: Result) -> Match:
    return Match(a, b, result=result)


def event(
    rulebook: str,
    rounds: list[list[Match]],
    *names: str,
    seed: int = 7,
    ties: tuple[list[Match], ...] = (),
    tiebreak_form: str = "each",
    **options: Any,
) -> Tournament:
    """An event of these Swiss rounds, then of these tie-break rounds."""
    numbered = [Round(n, matches=tuple(matches)) for n, matches in enumerate(rounds, start=1)]
    numbered += [
        Round(n, TIEBREAK, tuple(matches), tiebreak_form=tiebreak_form)
        for n, matches in enumerate(ties, start=len(rounds) + 1)
    ]
    given = {"structure": "own", "swiss_rounds": len(rounds), **options}
    return Tournament(
        "Winter Open",
        rulebook,
        options=given,
        seed=seed,
        rounds=tuple(numbered),
        competitors=tuple(Competitor(name, name) for name in names),
    )


def order(tournament: Tournament) -> str:
    """The standings from the best on: "Ana Bruno Eva"."""
    return " ".join(row.competitor for row in standings(tournament))


def rows(tournament: Tournament) -> dict[str, StandingsRow]:
    return {row.competitor: row for row in standings(tournament)}


def decided(tournament: Tournament) -> list[str]:
    return [row.decided_by for row in standings(tournament)]


# Walks through a form.


def form_of(book: Rulebook, situation: MatchSituation = SWISS, **options: Any) -> Form:
    return book.form(book.options(options), situation)


def way_of(book: Rulebook, way_id: str, situation: MatchSituation = SWISS, **options: Any) -> WayToEnd:
    way = form_of(book, situation, **options).way(way_id)
    assert way is not None, way_id
    return way


def asked(way: WayToEnd, answers: dict[str, Any], opener: Side = "a") -> list[str]:
    """The names of the questions a table meets that answers so; every answer has to be needed."""
    way, given, names = way.opened_by(opener), {}, []
    while (question := next_step(way, given)) is not None:
        names.append(question.name)
        given[question.name] = answers[question.name]
    assert given == answers, "an answer that nobody asked for"
    return names


def decided_by(way: WayToEnd, answers: dict[str, Any], opener: Side = "a") -> str | None:
    found = walk_way(way.opened_by(opener), answers, opener)
    assert found.question is None, "a question is left"
    return found.decided_by


def both(key: str, winner: int, loser: int) -> dict[str, int]:
    """A figure of both: {"keys.winner": 1, "keys.loser": 2}."""
    return {f"{key}.{WINNER}": winner, f"{key}.{LOSER}": loser}


def made(
    book: Rulebook,
    way: WayToEnd,
    answers: dict[str, Any],
    opener: Side = "a",
    situation: MatchSituation = SWISS,
    **options: Any,
) -> Result:
    """The result of these answers, which the rulebook takes."""
    result = compose_result(way, opener, answers)
    book.check_new(result, book.options(options), situation)
    return result


def limits(way: WayToEnd, opener: Side = "a") -> dict[str, tuple[int, int, int]]:
    """Figure → (minimum, maximum, default)."""
    return {f.name: (f.minimum, f.maximum, f.default) for f in way.opened_by(opener).steps if isinstance(f, Figure)}
