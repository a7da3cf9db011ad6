"""What a page weighs: at most 60 kB on the wire for a browser that comes for the first time, in a full hall."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hall_kit import Hall, open_hall
from page_table import pages_of_everybody, pages_of_organizers, paths
from pages_kit import PIN
from screen_kit import WIRE_MAX_BYTES, Screen

from roundtap.kit.player_names import player_names
from roundtap_core.event.commands import FinishEvent, MakeCut, SetClock

TABLES = 64


@pytest.fixture(scope="module")
def full_hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    """128 players: before play, drafted, in the middle of round 2, with results and troubles, in the bracket, over."""
    with open_hall(tmp_path_factory.mktemp("hall")) as hall:
        names = player_names(2 * TABLES)
        for state in ("before play", "draft", "running", "bracket", "finished"):
            event = hall.events[state] = hall.create(f"Grand Open: {state}", people=names, swiss_rounds=2, cut=16)
            if state == "before play":
                continue
            if state == "draft":
                hall.draw(event)
                continue
            hall.publish(event)
            hall.play(event)
            hall.publish(event)
            hall.tell(event, SetClock("start"))
            hall.play(event, leave_open=TABLES // 2 if state == "running" else 0)
            if state == "running":
                for match in hall.event(event).live.open_matches[:8]:  # type: ignore[union-attr]
                    hall.report(event, match.id, "a", 100, 24)
                    hall.report(event, match.id, "b", 24, 100)
                continue
            hall.tell(event, MakeCut())
            hall.publish(event)
            if state == "bracket":
                continue
            while True:
                hall.play(event)
                if hall.event(event).live is None or len(hall.event(event).live.matches) == 1:  # type: ignore[union-attr]
                    break
                hall.publish(event)
            hall.tell(event, FinishEvent())
        yield hall


def heaviest(hall: Hall, address: str, organizer: bool) -> list[str]:
    """The path of each kind that has the longest page, and nothing that leads elsewhere."""
    client = hall.house.organizer().client if organizer else hall.house.app.test_client()
    answers = {path: client.get(path, headers={"Accept-Language": "de"}) for path in paths(hall, address)}
    assert any(answer.status_code < 400 for answer in answers.values()), f"{address}: nothing there to be weighed"
    found = {path: len(answer.data) for path, answer in answers.items() if answer.status_code == 200}
    return sorted(found, key=lambda path: found[path])[-1:]


@pytest.mark.parametrize("address", [*pages_of_everybody(), *pages_of_organizers()])
def test_first_load(full_hall: Hall, screen: Screen, address: str) -> None:
    organizer = address in pages_of_organizers()
    if organizer:
        screen.log_in(full_hall.url, PIN)
    for path in heaviest(full_hall, address, organizer):
        wire, by_path = screen.wire_bytes(full_hall.url + path)
        print(f"{wire:>7} bytes on the wire: {path}")
        assert wire <= WIRE_MAX_BYTES, (path, by_path)
