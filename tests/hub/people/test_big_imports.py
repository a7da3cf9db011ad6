"""Files as large as the format allows, and larger ones: taken whole, or refused at the door."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from pages_kit import Browser, House, open_house, problem_of

from roundtap_core.event.commands import ImportRound


def file(players: int, **more: Any) -> dict[str, Any]:
    people = [{"id": f"p{n}", "name": f"Player Number {n}"} for n in range(players)]
    return {
        "format": "roundtap-event/1",
        "name": "Large",
        "rulebook": "xwing-standard",
        "options": {"structure": "own", "swiss_rounds": 3},
        "competitors": people,
        **more,
    }


def upload(house: House, data: Any, **fields: str) -> tuple[Browser, Any]:
    browser = house.organizer()
    raw = data if isinstance(data, bytes) else json.dumps(data).encode()
    return browser, browser.client.post(
        "/console/import",
        headers=browser.headers,
        data={"csrf": browser.token, "color": "#00785A", "file": (io.BytesIO(raw), "event.json"), **fields},
    )


def test_4096_players_with_a_round(tmp_path: Path) -> None:
    pairs = [
        {"table": n + 1, "a": f"p{2 * n}", "b": f"p{2 * n + 1}", "result": {"score": {"a": 100, "b": 24}}}
        for n in range(2048)
    ]
    with open_house(tmp_path) as house:
        _, answer = upload(house, file(4096, rounds=[{"number": 1, "matches": pairs}]))
        assert answer.status_code == 303
        assert (len(house.event.entrants), len(house.event.rounds)) == (4096, 1)
        assert len(house.service.snapshot.people["e1"]) == 4096


@pytest.mark.parametrize("players", [4097, 5000])
def test_more_are_refused_with_what_would_be_right(tmp_path: Path, players: int) -> None:
    with open_house(tmp_path) as house:
        _, answer = upload(house, file(players))
        assert answer.status_code < 500
        assert "4096" in problem_of(answer)
        assert not house.service.snapshot.events


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[" * 100_000,
        json.dumps(file(2)).encode()[:-2],
        json.dumps(file(2, rounds=7)).encode(),
        json.dumps(file(2, seed=10**400)).encode(),
    ],
)
def test_what_is_no_event_file_makes_no_event(tmp_path: Path, data: bytes) -> None:
    with open_house(tmp_path) as house:
        _, answer = upload(house, data, anyway="1")
        assert answer.status_code < 500
        assert problem_of(answer)
        assert not house.service.snapshot.events


def test_an_import_that_fails_at_its_last_step_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from roundtap_hub.events import new_event

    whole = new_event.import_steps

    def with_a_wrong_end(event_id: str, *more: Any) -> Any:
        steps, people = whole(event_id, *more)
        return [*steps, new_event.Step(event_id, ImportRound({"number": 9, "matches": []}))], people

    monkeypatch.setattr(new_event, "import_steps", with_a_wrong_end)
    with open_house(tmp_path) as house:
        _, answer = upload(house, file(3))
        assert problem_of(answer)
        assert not house.service.snapshot.events
        assert not house.service.snapshot.people


def test_an_import_that_takes_its_time_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a minute on a small computer is no failure: a page that gives up would find the event there afterwards."""
    waited: list[float] = []
    with open_house(tmp_path) as house:
        ask = house.service.execute

        def noted(steps: Any, actor: str, people: Any = (), timeout_s: float = 10) -> Any:
            waited.append(timeout_s)
            return ask(steps, actor, people, timeout_s)

        monkeypatch.setattr(house.service, "execute", noted)
        _, answer = upload(house, file(3))
        assert answer.status_code == 303
    assert waited[-1] >= 60


def test_no_form_makes_an_event_that_no_file_could_hold(tmp_path: Path) -> None:
    with open_house(tmp_path) as house:
        organizer = house.with_event()
        names = "\n".join(f"Player Number {n}" for n in range(4096))
        answer = organizer.post("/console/e1/competitors", names=names)
        assert answer.status_code < 500
        assert "4096" in problem_of(answer)
        assert len(house.event.entrants) == 6
