"""The screens that other rulebooks' forms bring: lists of ways, last turns, games, two people entering at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from roundtap_core.records import ELIMINATION, Pair, Result
from roundtap_core.rulebooks.base import Rulebook, Situation
from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_units.gallery.played_table import Play
from roundtap_units.table.screens.scenes import Scene
from roundtap_units.table.view import ClockView, PhaseView

Shots = Iterator[tuple[str, Scene]]
UP_MS = -5000


def other_rulebooks(language: str, facing: str, names: tuple[str, str]) -> Shots:
    """A table of each rulebook but the usual one, played as its form is made."""
    for book in list(RULEBOOKS.values())[1:]:
        form = book.form(book.options({}))
        for name, scene in _played(book, language, facing, names):
            yield f"{book.id}-{name}", scene
        if form.games == 1 and 3 in book.best_of and book.form(book.options(_THREE)).games > 1:
            for name, scene in _three(Play(language, facing, names, book, options=_THREE)):
                yield f"{book.id}-three-{name}", scene


_THREE: dict[str, Any] = {"stages": {"swiss": {"best_of": 3}}}


def _played(book: Rulebook, language: str, facing: str, names: tuple[str, str]) -> Shots:
    play = Play(language, facing, names, book, Situation(totals=Pair(290, 300)))
    form = play.form
    if form.parallel:
        yield from _parallel(play)
    elif form.direct:
        yield from _direct(play)
    else:
        yield from _by_list(play)
        yield from _drawn(Play(language, facing, names, book, Situation(ELIMINATION, Pair(290, 300))))


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
    play.tap("a")
    yield "ways", play.shot()
    play.tap("vva")
    yield "both", play.shot()
    _sit(play)
    play.tap("aa^^")
    yield "digits", play.shot()
    play.tap("a^a^a")
    yield "loser", play.shot()
    play.tap("a")
    yield "ask", play.shot()
    _sit(play)
    play.tap("bvb^^b")
    yield "ask-conceded", play.shot()
    play.tap("a")
    yield "sending", play.shot()


def _drawn(play: Play) -> Shots:
    _sit(play, UP_MS)
    play.tap("aa^a^^^a^a^a^^^a^a")
    yield "drawn-choice", play.shot()
    play.tap("b")
    yield "drawn-chosen", play.shot()
    play.tap("a")
    yield "drawn-ask", play.shot()


def _direct(play: Play) -> Shots:
    _sit(play)
    yield "idle", play.shot()
    play.tap("^")
    yield "lot", play.shot()
    play.tap("a")
    yield "idle-drawn", play.shot()
    play.hold("v")
    yield "endings", play.shot()
    play.tap("^a")
    play.tap("a")
    yield "first", play.shot()
    play.tap("vv")
    yield "dialled", play.shot()
    play.tap("b")
    yield "back", play.shot()
    _sit(play, UP_MS)
    play.tap("a")
    yield "whose-turn", play.shot()
    play.now_ms += 2000
    play.tap("b")
    yield "turns", play.shot()
    play.tap("b")
    yield "last-turn", play.shot()
    play.hold("a")
    yield "turn-won", play.shot()
    _sit(play, UP_MS)
    play.tap("aa")
    play.tap("ab" * (2 if play.form.games == 1 and play.form.worth else 1))
    for at in range(9):
        yield f"figure-{at}", play.shot()
        play.tap("a")
    yield "end", play.shot()


def _three(play: Play) -> Shots:
    _sit(play)
    play.tap("a")
    yield "game", play.shot()
    play.tap("b")
    yield "starter", play.shot()
    play.tap("b")
    yield "idle", play.shot()
    play.hold("v")
    play.tap("^^")
    yield "endings", play.shot()
    play.tap("a")
    yield "taken-back", play.shot()
    _sit(play, UP_MS)
    play.tap("a")
    yield "so-far", play.shot()
    play.tap("^a^a")
    yield "begun", play.shot()


def _parallel(play: Play) -> Shots:
    owed: dict[str, Any] = {"to_field": {"a": (3, 4), "b": (1, 2, 4)}, "must": {"a": True, "b": False}}
    _sit(play, **owed)
    yield "idle", play.shot()
    play.tap("a")
    yield "squads-one", play.shot()
    play.tap("b^bb")
    yield "squads", play.shot()
    play.tap("^^aa^a^^")
    yield "fielded", play.shot()
    timed = ClockView("running", total_ms=7_200_000, phases=(PhaseView("phase.key", 5_400_000),), open_end=True)
    play.view(clock_view=timed, **owed)
    yield "phase", play.shot(1_200_000)
    yield "last-minutes", play.shot(-30_000)
    play.tap("aa")
    yield "struggle", play.shot(1_200_000)
    play.tap("a^")
    play.hold("a")
    play.tap("aa")
    yield "wounds", play.shot(1_200_000)
    play.tap("b")
    yield "both", play.shot(1_200_000)
    play.tap("v")
    yield "concede", play.shot(1_200_000)
    play.tap("bb^bbb^")
    yield "waits", play.shot(1_200_000)
    play.tap("a^")
    yield "sum", play.shot(1_200_000)
    play.tap("a")
    yield "sum-one", play.shot(1_200_000)
    play.tap("b")
    yield "sent", play.shot(1_200_000)
    play.start()
    play.view(reports={"a": Result(score=Pair(2, 1), wounds=Pair(14, 9))})
    yield "ask", play.shot()
    play.start()
    over = ClockView("running", total_ms=7_200_000, open_end=True, over=True)
    play.view(clock_view=over)
    play.shot(UP_MS)
    play.view(clock_view=over)
    play.tap("aa")
    yield "over", play.shot(UP_MS)
