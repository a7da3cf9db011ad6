"""Lies about results: every answer that a form records, told otherwise, is refused to everybody and told by `check`."""

import random
from collections import Counter
from typing import Any

import pytest

from lies import Known, Truth, left_out
from roundtap_core.errors import Problem
from roundtap_core.records import CONCESSION, TIME, result_from_json
from roundtap_core.rulebooks.base import MatchSituation, Rulebook
from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_core.rulebooks.result_gate import OFFICIAL, RECORD, ResultSource, result_problems

REASON = "so it was"
AT_TIME = {
    book_id: any(
        way.ended == TIME and way.bonus | way.lots | {rule.id for rule in way.rules} - {"points", "final_salvo"}
        for way in book.form(book.options({})).ways
    )
    for book_id, book in RULEBOOKS.items()
}
"""Whose results at time keep what was answered."""
Place = tuple[str, dict[str, Any], MatchSituation]


def places() -> list[Place]:
    found: list[Place] = []
    for book_id, book in RULEBOOKS.items():
        for games in book.best_of:
            for stage in ("swiss", "elimination", "final"):
                if _asks_as_another(book, stage, games):
                    continue
                options = {"stages": {stage: {"best_of": games}}} if games > 1 else {}
                try:
                    book.check_options(options)
                except Problem:
                    continue
                totals = (290, 300) if book.tally_counts_lists else (None, None)
                found.append((book_id, options, MatchSituation(stage, totals)))
    return found


def _asks_as_another(book: Rulebook, stage: str, games: int) -> bool:
    """A stage whose form is that of the one before."""
    before = {"elimination": "swiss", "final": "elimination"}.get(stage)
    return (
        before is not None
        and games == 1
        and book.form(book.options({}), MatchSituation(stage)) == book.form(book.options({}), MatchSituation(before))
    )


def name_of(place: Place) -> str:
    return f"{place[0]}-{place[2].stage}{'-best-of-3' if place[1] else ''}"


def told_by(book: Rulebook, told: dict[str, Any], options: dict[str, Any], situation: MatchSituation, by: str) -> str:
    """The key of the first Problem, "" for none."""
    try:
        result = result_from_json(told)
    except Problem as problem:
        return problem.key
    saying = ResultSource(by, True, REASON if by == OFFICIAL else "")
    return next((problem.key for problem in result_problems(book, result, options, situation, saying)), "")


def winner_of(book: Rulebook, told: dict[str, Any], options: dict[str, Any]) -> str | None:
    try:
        return book.winner(result_from_json(told), options)
    except Problem:
        return None


def sample(known: list[Truth], most: int) -> list[Truth]:
    """As many of each way to end."""
    chance, by_end = random.Random("lies"), {}
    for truth in known:
        by_end.setdefault((truth.told.get("ended"), truth.told.get("timeout", {}).get("decided_by")), []).append(truth)
    return [truth for them in by_end.values() for truth in (chance.sample(them, most) if len(them) > most else them)]


def cases(found: list[Place]) -> list[Any]:
    """As parameters; the thousands of results of a best of three are looked at by `make test-long`."""
    marks = {True: (pytest.mark.long,), False: ()}
    return [pytest.param(place, id=name_of(place), marks=marks[bool(place[1])]) for place in found]


@pytest.mark.parametrize("place", cases(places()))
def test_whatever_a_form_makes_is_taken_and_told_otherwise_it_is_refused_where_no_answers_make_it(place: Place) -> None:
    book, options, situation = RULEBOOKS[place[0]], RULEBOOKS[place[0]].options(place[1]), place[2]
    known = Known(book, options, situation)
    counts: Counter[str] = Counter()
    for truth in sample(known.truths, 6):
        for by in (OFFICIAL, RECORD):
            assert told_by(book, truth.told, options, situation, by) == "", truth
        for what, told in known.told_otherwise(truth.told, truth.winner):
            winner = winner_of(book, told, options)
            right = winner is not None and known.can_be_entered(told, winner)
            refused = told_by(book, told, options, situation, OFFICIAL)
            counts["right" if right else "lies"] += 1
            if bool(refused) == right and truth.told.get("ended") != CONCESSION:
                raise AssertionError((what, told, refused))
    print(f"{name_of(place)}: {len(known.truths)} results, {dict(counts)}")


@pytest.mark.parametrize("place", cases([place for place in places() if AT_TIME[place[0]]]))
def test_check_tells_what_no_answers_can_have_made_also_where_some_are_left_out(place: Place) -> None:
    """Truly undetermined is only what the missing answer would have decided: `can_have_been` finds one that does."""
    book, options, situation = RULEBOOKS[place[0]], RULEBOOKS[place[0]].options(place[1]), place[2]
    known = Known(book, options, situation)
    counts: Counter[str] = Counter()
    differ: list[Any] = []
    for truth in sample([truth for truth in known.truths if truth.told.get("ended") == TIME], 3):
        for without, short in [("", truth.told), *left_out(truth)]:
            for what, told in (("", short), *known.told_otherwise(short, truth.winner)):
                winner = winner_of(book, told, options)
                possible = winner is not None and known.can_have_been(told, winner, without)
                found = told_by(book, told, options, situation, RECORD)
                counts["undetermined" if possible and what else "right" if possible else "lies"] += 1
                if bool(found) == possible:
                    differ.append((without, what, told, found))
    print(f"{name_of(place)}: {len(known.truths)} results, {dict(counts)}")
    assert not differ, f"{len(differ)} differences:\n" + "\n".join(map(str, differ[:20]))
