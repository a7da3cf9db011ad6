"""The gate for results: what a result excludes, for whom, and when (requirements, section 9).

Every front uses it, `commands.decide` for each report and entry, `check` and import for files. Most follows from the
rulebook's form: its questions at time are answered again from the result. Where the record stops before the form
decides, there is no problem.
"""

from collections.abc import Iterator, Mapping, Set

from msgspec import Struct
from msgspec.structs import replace

from roundtap_core.errors import Invalid, Problem
from roundtap_core.forms.form import (
    BY_FIGURES,
    DECIDED,
    DRAWN,
    OPENER,
    Form,
    RecordReading,
    WalkState,
    WayToEnd,
    needs_opener,
    result_readings,
)
from roundtap_core.forms.questions import (
    FIRST_PLAYER,
    FIRST_PLAYER_BY,
    LOSER,
    SCORE,
    WINNER,
    Choice,
    Exchange,
    Figure,
    Question,
    Turns,
    WinnerByAnswer,
)
from roundtap_core.records import CONCESSION, PLAYED, RULING, SIDES, TIME, Result, Side, SidePair, other_side
from roundtap_core.rulebooks.base import INITIATIVE, MatchSituation, Options, Rulebook
from roundtap_core.rulebooks.scoring import DRAW

PLAYER, OFFICIAL, RECORD = "player", "official", "record"

NEEDS_REASON = ("time_not_up_no_reason", "winner_concedes_no_reason", "correction_no_reason")
"""What an official may still enter, with a reason."""

BY = "decided_by"
LOT = "lot"


class ResultSource(Struct, frozen=True):
    """The source of a result. `side`: of the report, which may omit the other's squads. `corrects`: the replaced result
    of a closed round. `time_is_up`: whether this match's time, with extension, was up; None: unknown or irrelevant (a
    file, a closed round, a slip typed later). `reason`: why an official enters what players may not report."""

    by: str
    time_is_up: bool | None = None
    reason: str = ""
    side: Side | None = None
    corrects: Result | None = None


ON_RECORD = ResultSource(RECORD)


def refuse_result(
    book: Rulebook, result: Result, options: Options, situation: MatchSituation, saying: ResultSource
) -> None:
    """Raise the first Problem of `result_problems`."""
    for problem in result_problems(book, result, options, situation, saying):
        raise problem


def result_problems(
    book: Rulebook, result: Result, options: Options, situation: MatchSituation, saying: ResultSource = ON_RECORD
) -> Iterator[Problem]:
    """Why this result cannot stand, with places below it; nothing where it can."""
    if saying.side is not None and result.picks and saying.side in result.picks:
        # The other side's squads are still to come: any would do.
        result = replace(result, picks={other_side(saying.side): result.picks[saying.side], **result.picks})
    try:
        book.check_new(result, options, situation)
    except Problem as problem:
        yield problem
        return
    yield from _contradictions(book, result, options, situation, new=saying.by != RECORD)
    if saying.by == PLAYER and result.ended == RULING:
        yield Problem("ruling_by_a_player", where="/ended")
    if saying.by != RECORD and not saying.reason:
        yield from _with_a_reason(book, result, options, situation, saying)


def _with_a_reason(
    book: Rulebook, result: Result, options: Options, situation: MatchSituation, saying: ResultSource
) -> Iterator[Problem]:
    """What players cannot report, and officials only with a reason."""
    pairs = []
    if result.ended == TIME and saying.time_is_up is False:
        pairs.append((Problem("time_not_up", where="/ended"), Problem("time_not_up_no_reason", where="/ended")))
    conceded_by = result.conceded_by
    if (
        result.ended == CONCESSION
        and conceded_by in SIDES
        and book.has_won(result, "a" if conceded_by == "a" else "b", options, situation)
    ):
        pairs.append(
            (
                Problem("winner_concedes", where="/conceded_by"),
                Problem("winner_concedes_no_reason", where="/conceded_by"),
            )
        )
    yield from (players if saying.by == PLAYER else officials for players, officials in pairs)
    stood = saying.corrects
    # Adding squads that were missing is no correction.
    if stood is not None and result != replace(stood, picks={**(result.picks or {}), **(stood.picks or {})} or None):
        yield Problem("correction_no_reason")


def _contradictions(
    book: Rulebook, result: Result, options: Options, situation: MatchSituation, new: bool
) -> Iterator[Problem]:
    """What the answers exclude in a result that `Rulebook.check_new` accepts. `new`: it is entered now, so that it has
    what its form asks."""
    form = book.form(options, situation)
    stated = book.stated(result, options, situation)
    recorded = result.timeout is not None
    problems = (list(_unfit_values(form, result)) or list(_contradicted(form, result, stated))) if recorded else []
    if result.ended == PLAYED:
        problems += _unfinished(form, result)
        # By figures, or because both sides are destroyed.
        if stated == DRAW and not any(
            way.winner in (BY_FIGURES, DRAWN) for way in form.offered(False) if way.ended == PLAYED
        ):
            problems.append(Problem("draw_before_time", where="/winner"))
    yield from problems or (_unanswered(form, result, stated) if new and result.ended != RULING else ())


def may_be_drawn(book: Rulebook, options: Options, situation: MatchSituation) -> bool:
    """Whether a judge may rule a draw in this match without stating who had initiative."""
    drawn = Result(ended=RULING, winner=DRAW)
    try:
        if situation.knockout:
            book.elimination_winner(drawn, options, "a")
        else:
            book.winner(drawn, options)
    except Problem:
        return False
    return True


# What a game that was played out must have come to.


def _unfinished(form: Form, result: Result) -> Iterator[Problem]:
    """When played out, one side has what wins the match; 0:0 in a match of games means no score was entered."""
    needed = _games_needed(form)
    if needed is not None and result.score == SidePair() and result.winner is not None:
        return
    needed = needed if needed is not None else _needed_before_time(form)
    if needed is not None and needed not in (result.score.a, result.score.b):
        yield Problem("not_played_out", where="/score", a=result.score.a, b=result.score.b, right=needed)


def _games_needed(form: Form) -> int | None:
    """How many won games end the match, where the score counts games."""
    fixed = {(f.minimum, f.maximum) for f in _figures(form, PLAYED) if f.key == SCORE and f.whose == WINNER}
    return form.games if fixed == {(form.games, form.games)} else None


def _needed_before_time(form: Form) -> int | None:
    """The score that wins before time, where only time gives the last point, to a side ahead in something else."""
    late = any(SCORE in way.bonus for way in form.ways)
    return max(f.maximum for f in _figures(form, PLAYED) if f.key == SCORE) if late else None


def _figures(form: Form, ended: str) -> list[Figure]:
    return [figure for way in form.ways if way.ended == ended for figure in way.figures()]


# What a time-out's record is made of.


def _unfit_values(form: Form, result: Result) -> Iterator[Problem]:
    """Keys that no step of the form knows, and values that are no answer to it."""
    ways = [way for way in form.ways if way.ended == result.ended] or list(form.ways)
    # A winner of the last turns may have won by what the ways before time ask about: why life was no help.
    choices = {q.key: q for way in form.ways for q in way.questions if isinstance(q, Choice)}
    others = {q.key: q for way in ways for q in way.questions if isinstance(q, Figure | Turns)}
    questions: Mapping[str, Question] = {**others, **choices}
    options = {
        BY: tuple(rule.id for way in ways for rule in way.rules),
        **{f"{key}_by": (LOT,) for key, choice in choices.items() if LOT in getattr(choice, "options", ())},
    }
    for key, value in (result.timeout or {}).items():
        where = f"/timeout/{key}"
        if key in questions:
            yield from questions[key].record_problems(value, where)
        elif key not in options:
            yield Problem("unknown_key", where=where, key=key, known=", ".join([*questions, *options]))
        elif value not in options[key]:
            yield Invalid("not_one_of", where=where, value=value, options=", ".join(options[key]))


# What it comes to.


def _contradicted(form: Form, result: Result, stated: str) -> Iterator[Problem]:
    """A problem if every reading of the record contradicts the result. Readings that leave a recorded answer unused do
    not count, as long as others use it; nor may an answer be supposed to decide while recorded ones are left over (a
    lot for a game that had not begun, and its keys)."""
    recorded = {FIRST_PLAYER if key == FIRST_PLAYER_BY else key for key in result.timeout or ()} - {BY, SCORE}
    by_used: dict[int, list[Problem | None]] = {}
    for way in form.ways:
        if way.ended != result.ended or way.winner == OPENER or all(isinstance(rule, Exchange) for rule in way.rules):
            continue
        told = recorded & {question.key for question in way.questions}
        for reading in result_readings(way, "a", result, figures=True):
            used = len(told & {question.key for question in reading.walked.met})
            problem = _reading_problem(way, "a", reading.walked, stated, result)
            guessed = [r.id for r in way.rules if isinstance(r, WinnerByAnswer) and r.by in reading.supposed]
            if problem is None and used < len(told) and (decided := reading.walked.decided_by or "") in guessed:
                value = min(told - {question.key for question in reading.walked.met})
                problem = Problem("timeout_step", where=f"/timeout/{value}", value=value, right=decided)
            if problem is None and used == len(told):
                return
            by_used.setdefault(used, []).append(problem)
    if by_used and None not in (problems := by_used[max(by_used)]):
        # The reading with the smallest contradiction names what to correct.
        order = ("timeout_step", "timeout_score", "timeout_winner")
        yield min((p for p in problems if p is not None), key=lambda problem: order.index(problem.key))


def _reading_problem(
    way: WayToEnd, opener: Side, walked: WalkState, stated: str, result: Result, new: bool = False
) -> Problem | None:
    sides: dict[str | None, Side] = {WINNER: opener, LOSER: other_side(opener), "a": "a", "b": "b"}
    winner = {DECIDED: sides.get(walked.decided_for, DRAW), DRAWN: DRAW, OPENER: opener}.get(way.winner)
    figures = {sides[whose]: figure for (key, whose), figure in walked.figures.items() if key == SCORE}
    score = SidePair(figures.get("a", 0), figures.get("b", 0)) if figures else None
    by = (result.timeout or {}).get(BY)
    # Level may be a loss for both: the record says that it was level.
    stated = DRAW if stated == "none" and result.ended == TIME else stated
    if winner is not None and winner != stated:
        return Problem("timeout_winner", where="/winner", winner=stated, right=winner)
    if score is not None and score != result.score and (new or winner is None or result.score != SidePair()):
        return Problem(
            "timeout_score", where="/score", a=result.score.a, b=result.score.b, right_a=score.a, right_b=score.b
        )
    if by is not None and by != walked.decided_by:
        return Problem("timeout_step", where=f"/timeout/{BY}", value=by, right=walked.decided_by or "–")
    return None


# What a form asks.


def _unanswered(form: Form, result: Result, stated: str) -> Iterator[Problem]:
    """A problem if these are not the whole answers to any of the form's ways."""
    told = (result.timeout or {}).keys() - {BY, FIRST_PLAYER_BY} | ({INITIATIVE} if result.initiative else set())
    problems: list[Problem] = []
    for way in (way for way in form.ways if way.ended == result.ended):
        openers: tuple[Side, ...] = SIDES if needs_opener(way) else ("a",)
        for opener in openers:
            if way.ended == CONCESSION and opener == result.conceded_by:
                continue
            for reading in result_readings(way, opener, result):
                problem = _reading_lacks(way, opener, reading, told, stated, result)
                if problem is None:
                    return
                problems.append(problem)
    yield min(problems, key=lambda problem: problem.key.startswith("timeout_"), default=Invalid("answer_missing"))


def _reading_lacks(
    way: WayToEnd, opener: Side, reading: RecordReading, told: Set[str], stated: str, result: Result
) -> Problem | None:
    """Why a reading is no whole answer: something was not said, was said beside the limits, or is never asked."""
    questions = reading.walked.met
    half = any(isinstance(value, Mapping) and len(value) < len(SIDES) for value in (result.timeout or {}).values())
    if half or reading.supposed or reading.walked.question is not None or way.bonus - told:
        return Invalid("answer_missing")
    for question in questions:
        side = opener if question.whose == WINNER else other_side(opener)
        try:
            question.check(reading.answers.get(question.name, getattr(question, "default", None)), side)
        except Problem as problem:
            if question.asked and not (isinstance(question, Choice) and question.whose):
                return problem
            # A concession makes full what is not asked; a house may be any of the deck's.
            if way.ended == PLAYED and isinstance(question, Figure):
                a, b = result.score.a, result.score.b
                return Problem("not_played_out", where="/score", a=a, b=b, right=question.maximum)
    if needless := told - {question.key for question in questions}:
        value, right = min(needless), reading.walked.decided_by or "–"
        return Problem("timeout_step", where=f"/{value}", value=value, right=right)
    return _reading_problem(way, opener, reading.walked, stated, result, new=True)
