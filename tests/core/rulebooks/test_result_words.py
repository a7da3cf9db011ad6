"""Why a result stands as it does, in the words that every front shows beside its figures."""

import pytest

from roundtap_core.records import Result, SidePair
from roundtap_core.rulebooks.base import MatchSituation
from roundtap_core.rulebooks.registry import rulebook
from roundtap_core.rulebooks.result_words import outcome_reason, outcome_text, winner_of
from roundtap_core.rulebooks.warlords import NO_CARD
from roundtap_core.words import core_words

SEEN = {
    "a plain win": ("xwing-standard", Result(score=SidePair(100, 24)), "a", ""),
    "a final salvo": ("xwing-standard", Result(ended="time", score=SidePair(80, 80), winner="b"), "b", "final salvo"),
    "a concession of who leads": (
        "keyforge-archon",
        Result(ended="concession", conceded_by="a", score=SidePair(1, 0)),
        "b",
        "concession",
    ),
    "a judge's word": ("xwing-standard", Result(ended="ruling", winner="b"), "b", "judge's ruling"),
    "both lose by a judge's word": ("xwing-standard", Result(ended="ruling", winner="none"), "none", "judge's ruling"),
    "a lot": (
        "keyforge-archon",
        Result(
            ended="time",
            score=SidePair(1, 1),
            winner="b",
            timeout={"game_begun": "no", "lot": "b", "decided_by": "lot"},
        ),
        "b",
        "random draw",
    ),
    "more keys": (
        "keyforge-archon",
        Result(
            ended="time", score=SidePair(1, 0), winner="a", timeout={"keys": {"a": 2, "b": 1}, "decided_by": "keys"}
        ),
        "a",
        "forged keys",
    ),
    "more struggles": ("shatterpoint-premier", Result(score=SidePair(2, 1), wounds=SidePair(0, 3)), "a", ""),
    "level struggles, more wounds": (
        "shatterpoint-premier",
        Result(ended="time", score=SidePair(1, 1), wounds=SidePair(4, 9)),
        "b",
        "wounds inflicted",
    ),
    "nothing to tell them apart": (
        "shatterpoint-premier",
        Result(ended="time", score=SidePair(1, 1), wounds=SidePair(4, 4)),
        "draw",
        "",
    ),
    "a draw with other lives": (
        "warlords-of-terra",
        Result(ended="time", score=SidePair(12, 9), winner="draw"),
        "draw",
        "time",
    ),
    "no cards left": (
        "warlords-of-terra",
        Result(score=SidePair(14, 3), winner="b", timeout={"reason": NO_CARD}),
        "b",
        "Cards/foreign realm",
    ),
    "all destroyed, fewer points": (
        "xwing-epic-duel",
        Result(score=SidePair(90, 110), winner="a"),
        "a",
        "All destroyed",
    ),
}

LEVEL = Result(ended="time", score=SidePair(120, 120), initiative="b")


@pytest.mark.parametrize("case", SEEN)
def test_why_is_said_where_the_score_does_not_say_it(case: str):
    game, result, winner, why = SEEN[case]
    book = rulebook(game)
    options = book.options({})
    assert winner_of(book, options, result) == winner
    keys = outcome_reason(book, options, result)
    assert (core_words("en").first(*keys) if keys else "") == why


@pytest.mark.parametrize(
    ("stage", "result", "said"),
    [
        ("swiss", Result(score=SidePair(300, 90), winner="a"), "Eva won"),
        ("swiss", LEVEL, "Draw"),
        ("elimination", LEVEL, "Draw. Nick had initiative and advances"),
        ("elimination", Result(ended="ruling", winner="none"), "both lose"),
    ],
)
def test_how_it_ended_is_said_in_one_sentence(stage: str, result: Result, said: str):
    book = rulebook("xwing-epic-duel")
    names = {"a": "Eva", "b": "Nick"}
    told = outcome_text(book, book.options({}), MatchSituation(stage), result, names, core_words("en"))
    assert told == said
