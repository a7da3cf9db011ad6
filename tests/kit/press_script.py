"""The button presses that report a result: for tests, and for counting presses."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from roundtap_core.forms.form import DECIDED, Form, WayToEnd, walk_way, way_and_answers
from roundtap_core.forms.questions import WINNER, Choice, Figure, Picks, Turns
from roundtap_core.records import CONCESSION, PLAYED, SIDES, Result, Side, other_side
from roundtap_units.table.dialogue.digit_wheels import FigureDial, starting_value
from roundtap_units.table.dialogue.parallel_entry import SideSheet, side_questions

MOST_TURNS = 100


class Press(NamedTuple):
    """One press: a key, tapped or held. An arrow is always tapped, one step a press: never the best case. The one arrow
    that is held opens the list of other endings."""

    key: str
    kind: str = "tap"


def report_presses(form: Form, result: Result, winner: Side, time_is_up: bool, fielded: bool = False) -> list[Press]:
    """Every press from the opening to the other's agreement, both seated and the table idle. winner: who opens (at time
    it may be the other, whose turn it is); of a draw either. fielded: squads were entered when they were shown. What
    the result does not record (whose turn it was) is invented. Raises ValueError where this form cannot express this
    result (recorded figures above the limit, a judge's ruling)."""
    if form.parallel:
        return list(_parallel(form, result, time_is_up, fielded))
    way, answers = _way_and_answers(form, result, winner, time_is_up)
    asked = walk_way(way, {}, winner).question
    if way.winner == DECIDED and isinstance(asked, Choice) and answers[asked.name] == other_side(winner):
        # The player whose turn it is opens: presses of both buttons at once are ignored.
        winner = other_side(winner)
        way, answers = _way_and_answers(form, result, winner, time_is_up)
    at = form.offered(time_is_up).index(way)
    first = form.direct and at == 0
    if first and form.games > 1 and not time_is_up:
        return list(_games(form, way, answers, result, winner))
    # From the list of endings the report has no opener yet: the player who takes "I concede" is it.
    own = other_side(winner) if form.direct and not first and way.ended == CONCESSION else winner
    return [
        *_opening(form, at, time_is_up, own),
        *_steps(way, answers, winner, own, confirmed=first),
        Press(other_side(own)),
    ]


def _way_and_answers(form: Form, result: Result, opener: Side, time_is_up: bool) -> tuple[WayToEnd, dict[str, Any]]:
    told = way_and_answers(form.offered(time_is_up), opener, result)
    if told is None:
        raise ValueError(f"the form of {form.rulebook} cannot say {result}")
    return told


def _opening(form: Form, at: int, time_is_up: bool, own: Side) -> Iterator[Press]:
    """The own button; then, or first behind ▼ held, the line of a list."""
    if form.direct and at > 0:
        yield Press("down", "hold")
        yield from [Press("down")] * (at - (1 if form.games == 1 else 0))
    elif not form.direct and len(form.offered(time_is_up)) > 1:
        yield Press(own)
        yield from [Press("down")] * at
    yield Press(own)


def _games(form: Form, way: WayToEnd, answers: dict[str, Any], result: Result, winner: Side) -> Iterator[Press]:
    """Game by game, the loser agreeing to each; the loser begins the next, where that is asked. After the last one what
    else the way asks."""
    loser = other_side(winner)
    won = [winner] * (form.games - 1)
    played = [*won[:1], *[loser] * result.score.of(loser), *won[1:]]
    asks = any(way.choice("first_player") for way in form.ways)
    for number, side in enumerate(played):
        yield from (Press(side), Press(other_side(side)))
        if asks:
            last = number == len(played) - 1
            chosen = result.first_player if last and result.first_player in SIDES else other_side(side)
            yield Press(str(chosen))
    yield Press(winner)
    for choice in (step for step in way.steps if isinstance(step, Choice) and step.name != "first_player"):
        yield from (*_choice_presses(choice, answers[choice.name], winner), Press(winner))
    yield Press(loser)


def _steps(way: WayToEnd, answers: dict[str, Any], opener: Side, own: Side, confirmed: bool) -> Iterator[Press]:
    """The presses of every question the walk reaches. `confirmed`: opening a way without any reports it."""
    way = way.opened_by(opener)
    given: dict[str, Any] = {}
    while (step := walk_way(way, given, opener).question) is not None:
        if isinstance(step, Figure):
            side = opener if step.whose == WINNER else other_side(opener)
            yield from _dial_presses(FigureDial(step, starting_value(way, step, side, given)), answers[step.name], own)
        elif isinstance(step, Turns):
            yield from _turn_presses(step, answers[step.name], answers[step.first])
        elif isinstance(step, Choice):
            yield from _choice_presses(step, answers[step.name], own)
        given[step.name] = answers[step.name]
        confirmed = isinstance(step, Figure) and way.winner != DECIDED
    if not confirmed:
        yield Press(own)


def _turn_presses(step: Turns, answer: str, first: Side) -> Iterator[Press]:
    if answer in SIDES:
        yield Press(answer, "hold")
        return
    for turn in range(step.turns):
        yield Press(first if turn % 2 == 0 else other_side(first))


def _choice_presses(choice: Choice, answer: Any, own: Side) -> Iterator[Press]:
    if choice.lot:
        # Drawn; then any button, once it was read.
        yield from (Press("up"), Press(own))
        return
    if choice.by_button:
        yield Press(answer)
        return
    yield from [Press("down")] * choice.options.index(answer)
    yield Press(own)


def _dial_presses(dial: FigureDial | None, target: int, own: Side) -> Iterator[Press]:
    while dial is not None and (dial.value != target or dial.touched):
        key, turns = min(
            (("up", _wheel(dial, target, 1)), ("down", _wheel(dial, target, -1))), key=lambda turned: len(turned[1])
        )
        yield from [Press(key)] * len(turns)
        last = turns[-1] if turns else dial
        if turns or dial.touched:
            yield Press(own)
            dial = last.confirmed()
        else:
            yield Press(own, "hold")
            dial = dial.stepped_in()
    if dial is not None:
        yield Press(own)


def _wheel(dial: FigureDial, target: int, by: int) -> list[FigureDial]:
    """The dial after each press until this wheel stands as in `target`; once around and one more where it never does
    this way: a whole 100 is above the nines."""
    wanted = FigureDial(dial.figure, target).digits()[dial.at]
    turned: list[FigureDial] = []
    while (turned[-1] if turned else dial).digits()[dial.at] != wanted and len(turned) < MOST_TURNS:
        turned.append((turned[-1] if turned else dial).turned(by))
    return turned


# --- both enter their own ---


def _parallel(form: Form, result: Result, time_is_up: bool, fielded: bool) -> Iterator[Press]:
    opener: Side = other_side("a" if result.conceded_by == "a" else "b") if result.ended == CONCESSION else "a"
    way, answers = _way_and_answers(form, result, opener, time_is_up)
    whose = {side: "winner" if side == opener else "loser" for side in SIDES}
    for side in SIDES:
        squads = [page for page in side_questions(way, whose[side]) if isinstance(page, Picks)]
        for picks in squads if not fielded else ():
            yield from squad_presses(picks, answers[picks.name], side)
    entered: dict[tuple[str, str], int] = {}
    first = _first_to_enter(result, opener)
    for side in (first, other_side(first)):
        yield Press(side)
        if result.ended == CONCESSION and side != opener:
            yield from (Press("down"), Press(side))
        for page in side_questions(way, whose[side]):
            # The first to act is asked before the other has entered anything.
            if isinstance(page, Figure) and page.wanted(entered, {}):
                entered[page.key, page.whose] = answers.get(page.name, page.default)
                yield from _counted(page, answers.get(page.name, page.default), side)
                yield Press("up")
    yield from (Press("a"), Press("b"))


def _first_to_enter(result: Result, opener: Side) -> Side:
    """Who enters first: the one who conceded, or won more struggles. At time the first one is asked about the last
    struggle, unless it has ended the game."""
    if result.ended == CONCESSION:
        return other_side(opener)
    return "b" if result.ended == PLAYED and result.score.b > result.score.a else "a"


def squad_presses(picks: Picks, squads: list[int], side: Side) -> Iterator[Press]:
    """The reveal: the own button steps, ▲ marks, and once more when all are marked."""
    yield Press(side)
    sheet = SideSheet()
    for squad in squads:
        while sheet.cursor != squad:
            yield Press(side)
            sheet.step(picks)
        yield Press("up")
    yield Press("up")


def _counted(figure: Figure, value: int, side: Side) -> Iterator[Press]:
    large = figure.wheels[0] if len(figure.wheels) > 1 else value + 1
    yield from [Press(side, "hold")] * ((value - figure.default) // large)
    yield from [Press(side)] * ((value - figure.default) % large)
