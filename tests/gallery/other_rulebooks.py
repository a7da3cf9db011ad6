"""The screens that other rulebooks' forms bring: lists of ways, last turns, games, two people entering at once."""

from typing import Any

from gallery.played_table import Play, Shots
from roundtap_core.records import ELIMINATION, Result, SidePair
from roundtap_core.rulebooks.base import MatchSituation, Rulebook
from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_core.view_types import ClockView, PhaseView

UP_MS = -5000

_THREE: dict[str, Any] = {"stages": {"swiss": {"best_of": 3}}}


def other_rulebooks(language: str, facing: str, names: tuple[str, str]) -> Shots:
    """A table of each rulebook but the usual one, played as its form is made."""
    for book in list(RULEBOOKS.values())[1:]:
        form = book.form(book.options({}))
        for name, scene in _played(book, language, facing, names):
            yield f"{book.id}-{name}", scene
        if form.games == 1 and 3 in book.best_of and book.form(book.options(_THREE)).games > 1:
            for name, scene in _three(Play(language, facing, names, book, options=_THREE)):
                yield f"{book.id}-three-{name}", scene


def _played(book: Rulebook, language: str, facing: str, names: tuple[str, str]) -> Shots:
    play = Play(language, facing, names, book, MatchSituation(totals=(290, 300)))
    form = play.form
    if form.parallel:
        yield from _parallel(play)
    elif form.direct:
        yield from _direct(play)
    else:
        yield from _by_list(play)
        yield from _drawn(Play(language, facing, names, book, MatchSituation(ELIMINATION, (290, 300))))


def _sit(play: Play, clock_ms: int = 1_800_000, **view: Any) -> None:
    play.start()
    play.clock_ms = clock_ms
    play.view(clock="idle", **view)
    play.shot()
    play.tap("ab")
    play.view(**view)
    play.shot()


def _by_list(play: Play) -> Shots:
    _sit(play)
    yield from play.walk(("a", "ways"), ("vva", "both"))
    _sit(play)
    yield from play.walk(("aa^^", "digits"), ("a^a^a", "loser"), ("a", "ask"))
    _sit(play)
    yield from play.walk(("bvb^^b", "ask-conceded"), ("a", "sending"))


def _drawn(play: Play) -> Shots:
    _sit(play, UP_MS)
    yield from play.walk(("aa^a^^^a^a^a^^^a^a", "drawn-choice"), ("b", "drawn-chosen"), ("a", "drawn-ask"))


def _direct(play: Play) -> Shots:
    _sit(play)
    yield from play.walk(
        ("", "idle"),
        ("^", "lot"),
        ("a", "idle-drawn"),
        ("V", "endings"),
        ("^aa", "first"),
        ("vv", "dialled"),
        ("b", "back"),
    )
    _sit(play, UP_MS)
    yield from play.walk(("a", "whose-turn"))
    play.now_ms += 2000
    yield from play.walk(("b", "turns"), ("b", "last-turn"), ("A", "turn-won"))
    _sit(play, UP_MS)
    last_turns = "ab" * (2 if play.form.games == 1 and play.form.worth else 1)
    yield from play.walk((f"aa{last_turns}", "figure-0"), *(("a", f"figure-{at}") for at in range(1, 9)), ("a", "end"))


def _three(play: Play) -> Shots:
    _sit(play)
    yield from play.walk(("a", "game"), ("b", "starter"), ("b", "idle"), ("V^^", "endings"), ("a", "taken-back"))
    _sit(play, UP_MS)
    yield from play.walk(("a", "so-far"), ("^a^a", "begun"))


def _parallel(play: Play) -> Shots:
    owed: dict[str, Any] = {"to_field": {"a": (3, 4), "b": (1, 2, 4)}, "must": {"a": True, "b": False}}
    _sit(play, **owed)
    yield from play.walk(("", "idle"), ("a", "squads-one"), ("b^bb", "squads"), ("^^aa^a^^", "fielded"))
    timed = ClockView("running", total_ms=7_200_000, phases=(PhaseView("phase.key", 5_400_000),), open_end=True)
    play.view(clock_view=timed, **owed)
    yield from play.walk(("", "phase"), clock_ms=1_200_000)
    yield from play.walk(("", "last-minutes"), clock_ms=-30_000)
    yield from play.walk(
        ("aa", "struggle"),
        ("a^Aaa", "wounds"),
        ("b", "both"),
        ("v", "concede"),
        ("bb^bbb^", "waits"),
        ("a^", "sum"),
        ("a", "sum-one"),
        ("b", "sent"),
        clock_ms=1_200_000,
    )
    play.start()
    play.view(reports={"a": Result(score=SidePair(2, 1), wounds=SidePair(14, 9))})
    yield from play.walk(("", "ask"))
    play.start()
    over = ClockView("running", total_ms=7_200_000, open_end=True, over=True)
    play.view(clock_view=over)
    play.shot(UP_MS)
    play.view(clock_view=over)
    yield from play.walk(("aa", "over"), clock_ms=UP_MS)
