"""A recorded event as a script: the rounds to impose, what to type at each table, and the expected outcome."""

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from roundtap.kit.player_names import made_up_people
from roundtap_core import records
from roundtap_core.elimination.cut import THIRD, THIRD_STAGE, stages_of
from roundtap_core.errors import Problem
from roundtap_core.forms.form import WayToEnd
from roundtap_core.forms.questions import FIRST_PLAYER_BY
from roundtap_core.forms.walk import compose_result, next_step
from roundtap_core.lists.squads import fielded_squads, to_field
from roundtap_core.result_json import match_to_json
from roundtap_core.rounds.next_round import next_round, next_stage
from roundtap_core.rulebooks.base import MatchSituation, Rulebook
from roundtap_core.rulebooks.registry import rulebook
from roundtap_core.rulebooks.result_gate import OFFICIAL, PLAYER, ResultSource, result_problems
from roundtap_core.standings.totals import list_totals
from roundtap_units.table.press_script import Press, report_presses

SWISS_ROUNDS, CUT = 4, 4

Progress = Callable[[int, int, int], None]  # called per match with its round, the matches done, and all of the round


@dataclass(frozen=True, slots=True)
class MatchTyping:
    """One match as typed: `keys` in order, before or after time was called. `ruling`: no table can enter it, so an
    official does at the console."""

    table: int
    a: str
    b: str
    result: records.Result
    after_time: bool
    keys: tuple[Press, ...]
    ruling: bool = False


@dataclass(frozen=True, slots=True)
class ScriptRound:
    """One round: its matches as imposed, whether it has a clock, what is typed, and who leaves after it."""

    number: int
    stage: str
    timed: bool
    tiebreak_form: str | None
    matches: tuple[Mapping[str, Any], ...]
    typing: tuple[MatchTyping, ...]
    leaving: tuple[str, ...]
    disqualified: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RehearsalScript:
    """A whole rehearsal of `tournament`, the recorded event."""

    tournament: records.Tournament
    rounds: tuple[ScriptRound, ...]
    tables: int


def script_of(tournament: records.Tournament) -> RehearsalScript:
    """The script of a recorded event. Raises Problem with round, table and players where a result cannot be typed."""
    names = {c.id: c.name for c in tournament.competitors}
    stages = stages_of(tournament)
    rounds = tuple(_round(tournament, played, stages[played.number], names) for played in tournament.rounds)
    if not rounds:
        raise Problem("nothing_to_rehearse", where="/rounds")
    return RehearsalScript(tournament, rounds, max((t.table for r in rounds for t in r.typing), default=1))


def _round(tournament: records.Tournament, played: records.Round, stage: str, names: Mapping[str, str]) -> ScriptRound:
    taken = {match.table for match in played.matches if match.table is not None}
    free = iter(number for number in range(1, 2000) if number not in taken)
    book = rulebook(tournament.rulebook)
    matches: list[Mapping[str, Any]] = []
    typing: list[MatchTyping] = []
    for match in played.matches:
        seated = replace(match, table=next(free)) if match.b is not None and match.table is None else match
        matches.append(match_to_json(replace(seated, result=None, extension_minutes=None)))
        if seated.result is not None:
            typing.append(_typing(tournament, played.number, stage, seated, names))
    return ScriptRound(
        played.number,
        played.stage,
        book.minutes(stage, book.options(tournament.options)) is not None,
        played.tiebreak_form,
        tuple(matches),
        tuple(typing),
        tuple(c.id for c in tournament.competitors if c.dropped_after == played.number),
        tuple(c.id for c in tournament.competitors if c.disqualified_after == played.number),
    )


def _typing(
    tournament: records.Tournament, number: int, stage: str, match: records.Match, names: Mapping[str, str]
) -> MatchTyping:
    """How a match is typed. A recorded "played" that the form takes only after time is typed then."""
    assert match.result is not None
    assert match.table is not None
    assert match.b is not None
    ruling = MatchTyping(match.table, match.a, match.b, match.result, False, (), ruling=True)
    if match.result.ended == records.RULING:
        return ruling
    book = rulebook(tournament.rulebook)
    options = book.options(tournament.options)
    totals = list_totals(tournament)
    stage = THIRD_STAGE if match.game == THIRD else stage
    situation = MatchSituation(stage, (totals.get(match.a), totals.get(match.b)))
    if any(
        problem.key == "winner_concedes"
        for problem in result_problems(book, match.result, options, situation, ResultSource(PLAYER))
    ):
        return ruling
    form = book.form(options, situation)
    if form.lots & (match.result.timeout or {}).keys() or FIRST_PLAYER_BY in (match.result.timeout or {}):
        # The table would draw a lot of its own.
        return ruling
    winner = book.winner(match.result, options)
    side: records.Side = "b" if winner == "b" else "a"
    for after_time, ended in ((False, match.result.ended), (True, match.result.ended), (True, records.TIME)):
        if ended == records.TIME and match.result.ended not in (records.TIME, records.PLAYED):
            continue
        result = replace(match.result, ended=ended)
        try:
            keys = report_presses(form, result, side, after_time)
        except ValueError:
            continue
        return MatchTyping(match.table, match.a, match.b, result, after_time, tuple(keys))
    raise Problem(
        "cannot_be_typed",
        where=f"/rounds/{number - 1}",
        number=number,
        table=match.table,
        a=names[match.a],
        b=names[match.b],
        score=f"{match.result.score.a}:{match.result.score.b}",
    )


def made_up_event(rulebook_id: str, players: int, seed: int) -> records.Tournament:
    """A made-up event: Swiss rounds with a leaver, tie-breaks by the rulebook, cut, elimination with third place."""
    book = rulebook(rulebook_id)
    rand = random.Random(seed)
    options: dict[str, Any] = {"structure": "own", "swiss_rounds": SWISS_ROUNDS, "cut": CUT, "third_place_match": True}
    if book.tiebreak_rounds:
        options["prize_places"] = 1
    if 3 in book.best_of:
        options["stages"] = {"final": {"best_of": 3}}
    book.check_options(options)
    event = records.Tournament(
        f"Made up: {book.title}", rulebook_id, None, options, seed, tuple(_competitors(book, players, options))
    )
    while (following := _draw_next(event)) is not None:
        event = _play_round(replace(event, rounds=(*event.rounds, following)), book, rand)
        if len(event.rounds) == 2 and players % 2 == 0:
            leaver = replace(event.competitors[-1], dropped_after=2)
            event = replace(event, competitors=(*event.competitors[:-1], leaver))
    return event


def _competitors(book: Rulebook, players: int, options: dict[str, Any]) -> Iterator[records.Competitor]:
    whole = book.options(options).get("squad_points")
    for n, person in enumerate(made_up_people(players, book.team_size)):
        yield records.Competitor(
            f"p{n + 1}",
            person.name,
            members=person.members,
            captain=person.captain,
            list={"total": whole - n % 4} if whole else None,
        )


def _draw_next(event: records.Tournament) -> records.Round | None:
    stage = next_stage(event)
    if stage == records.SWISS and len(event.stage_rounds(records.SWISS)) >= SWISS_ROUNDS:
        return None
    try:
        pairing = next_round(event)
    except Problem as problem:
        if problem.key in ("bracket_decided", "nobody_left"):
            return None
        raise
    form = pairing.notes.get("form") if stage == records.TIEBREAK else None
    return records.Round(pairing.number, pairing.stage, pairing.matches, pairing.draw, form)


def _play_round(event: records.Tournament, book: Rulebook, rand: random.Random) -> records.Tournament:
    *before, last = event.rounds
    stage = stages_of(event)[last.number]
    totals = list_totals(event)
    used = fielded_squads(before)
    rounds_left = max(1, SWISS_ROUNDS + 1 - last.number)

    def squads(who: str) -> list[int]:
        assert book.squads is not None
        owed = to_field(book.squads.listed, book.squads.taken, used.get(who, ()), rounds_left).squads
        first = rand.sample(owed, min(len(owed), book.squads.taken))
        rest = [n for n in range(1, book.squads.listed + 1) if n not in first]
        return sorted(first + rand.sample(rest, book.squads.taken - len(first)))

    matches = []
    for match in last.matches:
        if match.b is None:
            fields = book.squads and match.bye == records.BYE and last.stage != records.ELIMINATION
            picks = tuple(squads(match.a)) if fields else None
            matches.append(replace(match, picks=picks))
            continue
        situation = MatchSituation(
            THIRD_STAGE if match.game == THIRD else stage, (totals.get(match.a), totals.get(match.b))
        )
        known = {"picks.winner": squads(match.a), "picks.loser": squads(match.b)} if book.squads else {}
        matches.append(replace(match, result=_result(book, event, situation, known, rand)))
    return replace(event, rounds=(*before, replace(last, matches=tuple(matches))))


def _result(
    book: Rulebook, event: records.Tournament, situation: MatchSituation, known: dict[str, Any], rand: random.Random
) -> records.Result:
    """A random walk through the form, repeated until the rulebook accepts the result."""
    options = book.options(event.options)
    form = book.form(options, situation)
    while True:
        way = rand.choice(form.ways)
        opener: records.Side = "a" if form.parallel else rand.choice(("a", "b"))
        answers = dict(known)
        seen = way.opened_by(opener)
        while (question := next_step(seen, answers)) is not None:
            answers[question.name] = question.drawn(rand)
        result = compose_result(way, opener, answers)
        fits = not any(result_problems(book, result, options, situation, ResultSource(OFFICIAL)))
        if fits and not _lost_by_the_opener(book, result, way, opener, options):
            return result


def _lost_by_the_opener(
    book: Rulebook, result: records.Result, way: WayToEnd, opener: records.Side, options: dict[str, Any]
) -> bool:
    """Whether the side that opens has lost, which only the other side would report."""
    winner = book.winner(result, options)
    return way.winner != "decided" and winner in ("a", "b") and winner != opener and result.winner is None
