"""Whole events of a store's own games, told at table, phone, console and typed line, against the calculation."""

import copy
import csv
import io
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from whole_event import EXAMPLES, WholeEvent, whole_event
from whole_event_judge import Judge
from whole_event_said import SIDES, winner_told

FEW, MANY = 2, 200


def played(name: str, seeds: range, folder: Path) -> Counter[str]:
    """How often what was done; nothing may differ."""
    counts: Counter[str] = Counter()
    for seed in seeds:
        with whole_event(folder, name, seed) as event:
            assert event.play() == [], f"{name}, seed {seed}"
            counts += event.hall.counts
    print(name, len(seeds), "events", dict(sorted(counts.items())))
    return counts


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_few_events(name: str, tmp_path: Path) -> None:
    played(name, range(FEW), tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("name", EXAMPLES)
def test_many_events(name: str, tmp_path: Path) -> None:
    counts = played(name, range(MANY), tmp_path)
    assert all(counts[front] > MANY for front in ("table", "phone", "console", "line"))


# --- the judge itself ---


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[WholeEvent, str, str]]:
    """An evening with a cut that was played to its end, and what its hub shows."""
    with whole_event(tmp_path_factory.mktemp("hub"), "pokemon-like", 6) as event:
        assert event.play() == []
        desk = event.hall.desk.client
        yield event, desk.get("/console/e1/standings.csv").text, desk.get("/e/e1/standings").text


def judged(event: WholeEvent, table: str, page: str) -> list[str]:
    judge = Judge(event.ledger)
    judge.seeds, judge.cut_order = event.judge.seeds, event.judge.cut_order
    judge.standings(table, page)
    return judge.faults


def test_the_judge_skips_no_column(seen: tuple[WholeEvent, str, str]) -> None:
    """Any cell of the table that says something else is seen."""
    event, table, page = seen
    assert judged(event, table, page) == []
    rows = list(csv.reader(io.StringIO(table.removeprefix("\ufeff"))))
    for row in range(1, len(rows)):
        for column in range(len(rows[0])):
            other = copy.deepcopy(rows)
            other[row][column] = "7" if rows[row][column] != "7" else "8"
            text = io.StringIO()
            csv.writer(text).writerows(other)
            assert judged(event, text.getvalue(), page) != [], (rows[0][column], rows[row])


def test_the_judge_sees_every_result_that_is_the_other_way_round(seen: tuple[WholeEvent, str, str]) -> None:
    event, table, page = seen
    turned = 0
    for match in (match for played in event.ledger.of_stage("swiss") for match in played.matches.values()):
        said = match.said or {}
        if match.b is None or winner_told(event.rules, said | {"ended": said.get("ended", "")}) not in SIDES:
            continue
        match.a, match.b = match.b, match.a
        assert judged(event, table, page) != [], match
        match.a, match.b = match.b, match.a
        turned += 1
    assert turned > 3


def test_the_judge_sees_another_winner_of_the_event(seen: tuple[WholeEvent, str, str]) -> None:
    event, table, page = seen
    final = next(match for match in event.ledger.rounds[-1].matches.values() if match.game == 1)
    assert final.b is not None
    assert event.judge.champion == final.a
    final.a, final.b = final.b, final.a
    assert "the rows' order" in str(judged(event, table, page))
    final.a, final.b = final.b, final.a
