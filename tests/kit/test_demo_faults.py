"""The bench's switches do what they say to real processes: power is cut, a network carries nothing, the hub's plug."""

import http.client
import json
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from typing import Any

import pytest

from kit import WAIT_S, end, free_port, read_until, wait_until
from roundtap.kit.virtual_kit import start_roundtap

TABLES = (1, 2)


class Hall:
    """A demo, with what its bench shows: each table's last picture (None: it is off), and the switches."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.pictures: dict[int, dict[str, Any] | None] = {}
        self.switches: dict[str, Any] = {}
        self.calm: dict[int, str] = {}
        """Each table's picture while it asks for its seats, in contact with the hub."""
        self._stream = http.client.HTTPConnection("127.0.0.1", port + 1, timeout=WAIT_S)
        self._stream.request("GET", "/pictures")
        threading.Thread(target=self._read, args=(self._stream.getresponse(),), daemon=True).start()

    def _read(self, answer: http.client.HTTPResponse) -> None:
        with suppress(OSError, ValueError, http.client.HTTPException, AttributeError):
            for line in answer:
                news = json.loads(line[6:]) if line.startswith(b"data: ") else {}
                self.switches = news.get("switches", self.switches)
                if "table" in news:
                    self.pictures[news["table"]] = news["picture"]

    def text(self, table: int) -> str:
        return str((self.pictures.get(table) or {}).get("text", ""))

    def frame(self, table: int) -> str:
        return str((self.pictures.get(table) or {}).get("frame", ""))

    @property
    def all_calm(self) -> bool:
        return all(self.frame(table) == self.calm[table] for table in TABLES)

    def switch(self, of: str, part: str, on: bool) -> int:
        order = json.dumps({"of": of, "part": part, "on": on})
        with closing(http.client.HTTPConnection("127.0.0.1", self.port + 1, timeout=WAIT_S)) as line_to:
            line_to.request("POST", "/switch", order, {"Content-Type": "application/json"})
            return line_to.getresponse().status

    def hub_answers(self) -> bool:
        try:
            with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT_S)) as line_to:
                line_to.request("GET", "/time")
                return line_to.getresponse().status == 200
        except OSError:
            return False

    def wait_for(self, table: int, words: str) -> None:
        wait_until(lambda: words in self.text(table), words)

    def wait_for_switches(self, of: str, **parts: bool) -> None:
        wait_until(lambda: self.switches.get(of) == parts, f"the page to show {parts} of {of}")

    def restore(self) -> None:
        """Everything is on and in contact, whatever a test before has left."""
        for of, parts in self.switches.items():
            for part, on in parts.items():
                assert on or self.switch(of, part, True) == 204
        wait_until(lambda: self.all_calm, "the tables in contact")


@pytest.fixture(scope="module")
def open_hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    port, log = free_port(), tmp_path_factory.mktemp("demo") / "complaints"
    with log.open("w") as complaints:
        process = start_roundtap(
            "demo",
            "--port",
            str(port),
            "--rulebook",
            "xwing-standard",
            stdout=subprocess.PIPE,
            stderr=complaints,
            text=True,
        )
    read_until(process, "Ctrl-C")
    made = Hall(port)
    for table in TABLES:
        made.wait_for(table, "press")
        made.calm[table] = made.frame(table)
    yield made
    assert end(process) == 0
    assert "Traceback" not in log.read_text(), "tables were open when it was stopped"


@pytest.fixture
def hall(open_hall: Hall) -> Hall:
    open_hall.restore()
    return open_hall


def test_a_table_whose_power_is_cut_is_dark_and_comes_back(hall: Hall) -> None:
    assert hall.switch("table-1", "power", False) == 204
    wait_until(lambda: hall.pictures[1] is None, "the dark table")
    hall.wait_for_switches("table-1", power=False, network=True)
    assert hall.text(2), "the other table is as it was"
    assert hall.switch("table-1", "power", True) == 204
    hall.wait_for(1, "press")


def test_a_table_without_network_says_so_until_it_is_back(hall: Hall) -> None:
    assert hall.switch("table-2", "network", False) == 204
    wait_until(lambda: hall.frame(2) != hall.calm[2], "the sign of lost contact")
    assert "press" in hall.text(2)
    hall.wait_for_switches("table-2", power=True, network=False)
    assert hall.switch("table-2", "network", True) == 204
    wait_until(lambda: hall.frame(2) == hall.calm[2], "the table to be in contact again")


def test_a_hub_whose_plug_is_pulled_starts_again_with_all_it_had(hall: Hall) -> None:
    assert hall.switch("hub", "power", False) == 204
    assert not hall.hub_answers()
    hall.wait_for_switches("hub", power=False)
    wait_until(lambda: all(hall.frame(table) != hall.calm[table] for table in TABLES), "the sign of lost contact")
    assert hall.switch("hub", "power", True) == 204
    wait_until(lambda: hall.all_calm, "the tables in contact again")


@pytest.mark.parametrize(
    "order",
    [
        ("hub", "network", False),
        ("table-9", "power", False),
        ("table-1", "screen", False),
        ("table-1", "power", 0),
    ],
)
def test_what_is_no_switch_switches_nothing(hall: Hall, order: tuple[str, str, bool]) -> None:
    assert hall.switch(*order) == 400
