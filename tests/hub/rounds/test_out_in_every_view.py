"""Somebody is disqualified, or drops, at each point of an event: every view that shows a place or a state says so."""

import contextlib
import csv
import io
import json
import re

import pytest
from pages_kit import Browser, House, text_of
from wire_json import job_json

from roundtap import main as command_line
from roundtap_core.event.commands import Disqualify, DropCompetitor, EnterResult, FinishEvent, SetClock, SetPrizes
from roundtap_core.event.states import Prize
from roundtap_core.records import Result, SidePair
from roundtap_hub.paper.print_jobs import STANDINGS
from roundtap_hub.store.print_book import PrintJob
from roundtap_hub.views.saved_event import SavedEvent, shown_names

NAMES = ["Ana Ruiz", "Bruno Maier", "Cira Vega", "Dora Lang", "Eva Luz", "Fritz Kern", "Gil Soto", "Hana Nowak"]

WHEN = ("in round 2", "after round 2", "in the semi-final", "after the semi-final", "in the final", "after the final")
WORDS = ("disqualified", "dropped")
CASES = [(when, how) for when in WHEN for how in WORDS]


DESKS: dict[House, Browser] = {}


def desk(house: House) -> Browser:
    """One organizer's browser: who logs in too often has to wait."""
    if house not in DESKS:
        DESKS.clear()
        DESKS[house] = house.organizer()
    return DESKS[house]


def roundtap(house: House, *arguments: str) -> str:
    """What a headless command prints of the event as the hub exports it; "" where it refuses."""
    text = desk(house).get("/console/e1/export.json").text
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    with pytest.MonkeyPatch.context() as patch, contextlib.suppress(SystemExit):
        patch.setenv("ROUNDTAP_LANG", "en")
        patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode()), "utf-8"))
        patch.setattr("sys.stdout", out)
        patch.setattr("sys.stderr", err)
        command_line.main([arguments[0], "-", *arguments[1:]])
    out.flush()
    return out.buffer.getvalue().decode()  # type: ignore[attr-defined]


def table(house: House, *more: str) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = json.loads(roundtap(house, "standings", *more))["standings"]
    return rows


def at_the_point(house: House, when: str) -> tuple[str, str]:
    """Play until then. (Who won all so far, the opponent of that match; "" between rounds and cut)."""
    browser = house.with_event(NAMES, cut=4)
    house.service.execute_one("e1", SetPrizes((Prize("trophy", 1, 1), Prize("booster", 2, 4))), "test")
    for stage in ("round 1", "round 2", "the semi-final", "the final"):
        if stage == "the semi-final":
            browser.post("/console/e1/cut")
        house.publish()
        first = house.event.live.matches[0].match
        if when == f"in {stage}":
            house.service.execute_one("e1", SetClock("start"), "test")
            return first.a, first.b or ""
        house.play()
        if when == f"after {stage}":
            return (str(table(house)[0]["competitor"]), "") if stage == "round 2" else (first.a, first.b or "")
    raise AssertionError(when)


def to_the_end(house: House) -> None:
    """Play what is left, and finish."""
    if house.event.cut is None:
        play_open(house)
        desk(house).post("/console/e1/cut")
    while json.loads(roundtap(house, "bracket") or '{"ranking": []}')["ranking"] == []:
        if house.event.live is None or not house.event.live.open_matches:
            house.publish()
        play_open(house)
    house.service.execute_one("e1", FinishEvent("the hall closes"), "test")


def play_open(house: House) -> None:
    """Side a wins every match that is still open."""
    for match in house.event.live.open_matches if house.event.live else ():
        entered = EnterResult(match.id, match.revision, Result(score=SidePair(100, 24)))
        house.service.execute_one("e1", entered, "test")


def says(text: str, how: str) -> bool:
    """It says that of somebody, and nothing else of anybody."""
    return how in text and all(word not in text for word in WORDS if word != how)


def every_view(house: House, who: str, how: str, over: bool) -> None:
    """Each by what a reader finds there; the standings and the final ranking list the same people in the same order."""
    browser, organizer = house.browser(), desk(house)
    name, full = (
        shown_names(SavedEvent(house.event, house.service.snapshot.people["e1"]))[who],
        house.service.snapshot.people["e1"][who].name,
    )
    out, bracket = how == "disqualified", json.loads(roundtap(house, "bracket") or "{}")
    in_bracket = any(game[side].get("competitor") == who for game in bracket.get("games", ()) for side in "ab")

    rows = table(house)
    row = next(row for row in rows if row["competitor"] == who)
    assert row["status"] == how
    assert (row["rank"] is None, row is rows[-1]) == (out, out) or not out
    sheet = list(csv.DictReader(io.StringIO(roundtap(house, "standings", "--format", "csv"))))
    line = next(line for line in sheet if line["competitor"] == who)
    assert line["status"] == how
    assert (line["rank"], line["place"]) == ("", "") if out else line["rank"]
    assert (line is sheet[-1]) or not out
    text = roundtap(house, "standings", "--format", "text")
    assert says(text, how)
    assert f"{name} ({how})" in text
    assert not out or f"{name} (" in text.splitlines()[-1]

    if bracket.get("ranking"):
        last = bracket["ranking"][-1]
        assert not out or (last["competitor"], last["rank"], last["status"]) == (who, None, how)
        assert bracket["champion"] == next(r["competitor"] for r in bracket["ranking"] if r["rank"] == 1)
        assert "None" not in roundtap(house, "bracket", "--format", "text")
        assert says(roundtap(house, "bracket", "--format", "text"), how)
    if in_bracket and out:
        for form in ("text", "svg"):
            assert says(roundtap(house, "bracket", "--format", form), how), form
        for path in ("/e/e1/bracket", "/print/e1/bracket"):
            assert says(browser.get(path).text.partition("<main")[2], how), path
        assert json.dumps(bracket["games"]).count('"status": "disqualified"')

    for path in ("/e/e1", "/e/e1/standings", "/print/e1/standings"):
        assert re.search(rf"{name}[^|]{{0,12}}{how}", text_of(browser.get(path))), path
        assert says(text_of(browser.get(path)), how), path
    if out:
        assert f"– {name} disqualified" in text_of(browser.get("/e/e1/standings"))
    for path in (f"/e/e1/p/{who}", house.hub.access.links.path("e1", who)):
        page = text_of(browser.get(path))
        assert ("You are disqualified. You are listed last" in page) == out
        assert "champion" not in page.lower() or not out
    for path in ("/console/e1/players", f"/console/find?q={full.split()[0]}", "/console/e1/print/players"):
        assert says(text_of(organizer.get(path)).partition(full)[2][:80], how), path
    assert says(text_of(organizer.get("/console/e1/print/emergency")), how)
    assert f"{full} {how}" in text_of(organizer.get("/console/e1/standings"))
    assert line["status"] == how
    assert f",{how}," in organizer.get("/console/e1/standings.csv").text
    competitor = next(
        c for c in json.loads(organizer.get("/console/e1/export.json").text)["competitors"] if c["id"] == who
    )
    assert f"{how}_after" in competitor
    paper = job_json(PrintJob("job", "e1", STANDINGS, 0), house.service.snapshot, "http://hub")
    printed = next(row for row in paper["rows"] if row["name"] == name)
    assert printed["status"] == how
    assert not out or (printed["rank"], printed is paper["rows"][-1]) == (None, True)
    if over:
        assert says(re.sub(r"<svg.*?</svg>", "", browser.get("/wall/e1").text, flags=re.S), how)
        prizes = text_of(organizer.get("/console/e1/prizes")).partition("trophy")[2].partition("booster")[0]
        assert full not in prizes or not out


@pytest.mark.parametrize(("when", "how"), CASES, ids=[f"{how} {when}" for when, how in CASES])
def test_who_left_is_said_to_have_left_in_every_view(house: House, when: str, how: str) -> None:
    who, across = at_the_point(house, when)
    rounds = len(house.event.rounds)
    stood = table(house, "--after", "1")
    stood_at = Result(score=SidePair(40, 30)) if when.startswith("in") else None
    leaving = (
        Disqualify(who, "weighted dice", stood=stood_at) if how == "disqualified" else DropCompetitor(who, stood_at)
    )
    house.service.execute_one("e1", leaving, "test")
    if when.startswith("in"):
        match = house.event.rounds[-1].matches[0].match
        assert match.result.conceded_by == ("a" if match.a == who else "b")
    every_view(house, who, how, over=False)
    # The table as it stood, and the seeds of a bracket that has begun, stay.
    assert table(house, "--after", "1") == stood
    if rounds > 2:
        assert table(house, "--after", "2")[0]["competitor"] == who
        assert who in [seed["competitor"] for seed in json.loads(roundtap(house, "bracket"))["seeds"]]
    to_the_end(house)
    every_view(house, who, how, over=True)
    ranking = json.loads(roundtap(house, "bracket"))["ranking"]
    if when in ("in the final", "after the final") and how == "disqualified":
        assert ranking[0]["competitor"] == across
    if when == "in the semi-final":
        assert across in [placed["competitor"] for placed in ranking[:2]]
    assert [placed["rank"] for placed in ranking] == [*range(1, 8), None if how == "disqualified" else 8]
