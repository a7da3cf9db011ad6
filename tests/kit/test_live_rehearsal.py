"""A live rehearsal of rounds without a clock: seats are taken where no time is shown, and no clock is started."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from roundtap.rehearsal.live import LiveRehearsal, PanelClient, PanelTyper
from roundtap.rehearsal.script import MatchTyping, RehearsalScript, made_up_event, script_of
from roundtap_core.eventfile.write import tournament_to_json


@pytest.fixture
def untimed_table(tmp_path: Path) -> Iterator[Path]:
    """The socket of a table in a round without a clock: "press button" for each player until both have."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(tmp_path / "panel"))
    listener.listen()

    def play() -> None:
        connection = listener.accept()[0]
        seated: set[str] = set()

        def show() -> None:
            halves = [name if side in seated else f"{name} press button" for side, name in (("a", "Ana"), ("b", "Eva"))]
            connection.sendall(json.dumps({"text": " | ".join(halves)}).encode() + b"\n")

        show()
        for line in connection.makefile("rb"):
            move = json.loads(line)
            if not move["down"]:
                seated.add(move["pin"])
                show()

    threading.Thread(target=play, daemon=True).start()
    yield tmp_path / "panel"
    listener.close()


def test_seats_are_taken_at_a_table_that_shows_no_time(untimed_table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roundtap.rehearsal.live.WAIT_S", 2.0)
    panel = PanelClient(untimed_table)
    PanelTyper({1: panel}).seat(1)
    panel.close()


class Console:
    """An organizer's session that notes what is sent, and shows every result as recorded."""

    address = "/console/eabc"

    def __init__(self, script: RehearsalScript) -> None:
        self.record = tournament_to_json(script.tournament)
        self.clocks: list[int] = []
        self._round = 0

    def upload(self, path: str, content: bytes) -> str:
        return ""

    def post(self, path: str, **fields: object) -> str:
        self._round += path.endswith("/impose")
        if path.endswith("/clock") and fields["action"] == "start":
            self.clocks.append(self._round)
        return ""

    def export(self, event: str) -> dict[str, Any]:
        return self.record


class Hands:
    """Type nothing."""

    def seat(self, table: int) -> None: ...

    def all_seated(self) -> None: ...

    def type(self, typing: MatchTyping) -> None: ...


def test_the_clock_is_started_where_the_round_has_one() -> None:
    """Warlords plays the final without a limit."""
    script = script_of(made_up_event("warlords-of-terra", 8, 1))
    console = Console(script)
    LiveRehearsal(console, Hands(), lambda number, done, of: None).play(script)  # type: ignore[arg-type]
    timed = [played.number for played in script.rounds if played.timed]
    assert console.clocks == timed
    assert timed != [played.number for played in script.rounds]
