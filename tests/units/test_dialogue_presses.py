"""How many presses a report takes: played through the dialogue, and counted over published tournaments."""

import json
import lzma
import os
from pathlib import Path

import pytest
from msgspec.structs import replace
from tableplay import BOOK, Table, score

from press_script import Press, report_presses
from roundtap_core.records import Result, SidePair, result_from_json
from roundtap_core.rulebooks.registry import rulebook


def play(result: Result) -> tuple[Table, list[Press]]:
    """A table at which `result` was entered and agreed, and the presses it took."""
    winner = BOOK.winner(result, BOOK.options({}))
    time_is_up = result.ended == "time"
    made = report_presses(BOOK.form(BOOK.options({})), result, winner, time_is_up)
    table = Table(clock_ms=-1000 if time_is_up else 60_000)
    for press in made:
        table.gesture(press.kind, press.key)
    return table, made


@pytest.mark.parametrize(
    ("result", "count"),
    [
        (score(100, 0), 3),
        (score(100, 24), 10),
        (score(24, 100), 10),
        (score(100, 5), 9),
        (score(100, 50), 9),
        (score(77, 49, "time"), 17),
        (score(100, 100, winner="b"), 15),
    ],
)
def test_presses_of_some_results(result, count):
    table, made = play(result)
    assert len(made) == count
    assert [said for _, said in table.reports] == [result, result]
    assert table.kind == "sending"


def test_every_figure_a_player_can_lose_with_is_entered_as_counted():
    for points in range(101):
        result = score(100, points) if points < 100 else score(100, 100, winner="a")
        assert [said for _, said in play(result)[0].reports] == [result, result], points


def test_a_result_above_the_limit_cannot_be_said():
    with pytest.raises(ValueError, match="cannot say"):
        report_presses(BOOK.form(BOOK.options({})), score(104, 0, "time"), "a", True)


@pytest.mark.published
@pytest.mark.skipif("ROUNDTAP_PUBLISHED" not in os.environ, reason="needs the published tournaments")
def test_the_mean_over_the_published_results_is_under_ten():
    """Each arrow step counts as a press of its own, though a player may hold. Figures above the limit are entered as
    the limit; a winner below 100 was ended by time."""
    counted, enterable = [], []
    path = Path(os.environ["ROUNDTAP_PUBLISHED"])
    with lzma.open(path / "published-standings.jsonl.xz" if path.is_dir() else path, "rt") as lines:
        events = [json.loads(line)["event"] for line in lines]
    for event in events:
        if event["rulebook"] != BOOK.id or event["options"].get("squad_points", 100) != 100:
            continue
        book = rulebook(event["rulebook"])
        options = book.options(event["options"])
        form = book.form(options)
        results = [match["result"] for round_ in event["rounds"] for match in round_["matches"] if "result" in match]
        for recorded in map(result_from_json, results):
            winner = book.winner(recorded, options)
            top = SidePair(min(100, recorded.score.a), min(100, recorded.score.b))
            stated = winner if top.a == top.b else None
            time_is_up = max(top.a, top.b) < 100
            entered = replace(recorded, score=top, winner=stated, ended="time" if time_is_up else "played")
            counted.append(len(report_presses(form, entered, winner, time_is_up)))
            if top == recorded.score:
                enterable.append(counted[-1])
    assert len(counted) == 7405
    print(
        f"\nmean presses: {sum(counted) / 7405:.3f}; "
        f"{len(enterable)} within the limits: {sum(enterable) / len(enterable):.3f}"
    )
    assert sum(counted) / 7405 < 10
