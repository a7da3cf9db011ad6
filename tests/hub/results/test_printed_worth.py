"""What a result is worth, as every page and paper prints it, against `tally` over all figures: each rulebook, each
language. Where a win at time is worth less than a win, both are said, with the lead that parts them."""

import contextlib
import html
import io
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from pages_kit import House, open_house

from roundtap import main as command_line
from roundtap_core.errors import Problem
from roundtap_core.records import CONCESSION, PLAYED, TIME, Match, Result, SidePair
from roundtap_core.rulebooks.registry import RULEBOOKS, rulebook
from roundtap_core.words import LANGUAGES, core_words

EPIC_LEAD = 12
""" "Puntuaciones": at time a lead of 12 points or more is a full win."""

OUTCOMES = ("win", "win_at_time_lead", "win_at_time", "draw", "loss")


def results(book_id: str) -> Iterator[tuple[str, Result]]:
    """(the outcome for side a, as the document calls it; the result): all figures there are, or every few of them."""
    if book_id.startswith("xwing-epic"):
        top = rulebook(book_id).options({})["squad_points"]
        for a in range(top):
            for b in {*range(0, top, 40), *range(max(0, a - 14), min(top, a + 15))}:
                score, won = SidePair(a, b), "draw" if a == b else "win" if a > b else "loss"
                narrow = won == "win" and a - b < EPIC_LEAD
                yield (
                    "win_at_time" if narrow else "win_at_time_lead" if won == "win" else won,
                    Result(TIME, score=score),
                )
        for winner, outcome in (("a", "win"), ("b", "loss"), ("draw", "draw")):
            yield outcome, Result(PLAYED, winner, score=SidePair(top, top))
        yield "win", Result(CONCESSION, conceded_by="b", score=SidePair(0, 90))
        return
    most = {"xwing-standard": 100, "warlords-of-terra": 20}.get(book_id, 2)
    for ended in (PLAYED, TIME):
        for a in range(most + 1):
            for b in range(most + 1):
                for winner, outcome in (("a", "win"), ("b", "loss"), ("draw", "draw")):
                    yield outcome, Result(ended, winner, score=SidePair(a, b), wounds=SidePair(a, b))
                    yield outcome, Result(ended, winner, score=SidePair(a, b))


@cache
def computed(book_id: str) -> dict[str, set[int]]:
    """By outcome: every number of points that some figures give for it."""
    book, found = rulebook(book_id), dict[str, set[int]]()
    for outcome, result in results(book_id):
        with contextlib.suppress(Problem):  # Figures that this rulebook does not have, or that exclude that winner.
            tally = book.tally(Match("a", "b", result=result), "a", book.options({}))
            if outcome.startswith(tally.outcome):
                found.setdefault(outcome, set()).add(tally.points)
    return found


def claims(text: str, language: str) -> dict[str, int]:
    """The points printed after each outcome's name; `text` has one claim a line."""
    words, found = core_words(language), {}
    for outcome in OUTCOMES:
        name = words(f"outcome.{outcome}", lead=EPIC_LEAD)
        match = re.search(rf"^\s*{re.escape(name)}:?\s+(\d+)\b", text, flags=re.M | re.I)
        if match:
            found[outcome] = int(match[1])
    return found


def lines_of(page: str) -> str:
    """A page's text, with a line for each definition, and for each part of a list of claims."""
    page = re.sub(r"</dd>|</td>|<td>|<dt>| · |\.", "\n", page)
    return html.unescape(re.sub(r"[ \t]+", " ", re.sub(r"<[^>]+>", " ", page)))


@pytest.fixture(scope="module")
def houses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, House]]:
    with contextlib.ExitStack() as open_until_the_end:
        made: dict[str, House] = {}
        for book in RULEBOOKS:
            folder: Path = tmp_path_factory.mktemp(book)
            made[book] = open_until_the_end.enter_context(open_house(folder))
            more = {"legendary_limit": 3, "prize_places": 0} if book == "warlords-of-terra" else {}
            made[book].with_event(["Ana Ruiz"], rulebook=book, **more)
        yield made


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("book", RULEBOOKS)
def test_every_printed_worth_is_the_computed_one(
    houses: dict[str, House],
    book: str,
    language: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    right = computed(book)
    assert all(len(points) == 1 for points in right.values()), right
    wanted = {outcome: points.pop() for outcome, points in ((o, set(p)) for o, p in right.items())}
    house = houses[book]
    organizer = house.browser(language)
    organizer.enter(house.hub)
    monkeypatch.setenv("ROUNDTAP_LANG", language)
    out = io.TextIOWrapper(io.BytesIO(), "utf-8")
    monkeypatch.setattr("sys.stdout", out)
    command_line.main(["rulebook", book])
    out.flush()
    printed = {
        "emergency sheet": lines_of(organizer.get("/console/e1/print/emergency").text),
        "rules page": lines_of(house.browser(language).get("/rules/e1").text),
        "roundtap rulebook": out.buffer.getvalue().decode(),  # type: ignore[attr-defined]
    }
    for where, text in printed.items():
        assert claims(text, language) == wanted, where


@pytest.mark.parametrize("book", RULEBOOKS)
def test_the_same_as_json(book: str, monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.TextIOWrapper(io.BytesIO(), "utf-8")
    monkeypatch.setattr("sys.stdout", out)
    command_line.main(["rulebook", book, "--format", "json"])
    out.flush()
    data = json.loads(out.buffer.getvalue())  # type: ignore[attr-defined]
    assert {outcome: {points} for outcome, points in data["points"].items()} == computed(book)
    assert data["full_win_lead"] == (EPIC_LEAD if book.startswith("xwing-epic") else None)
