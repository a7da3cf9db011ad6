"""How many of the product's modules a request enters between its arrival and its answer, in all threads.

PYTHONPATH=tests:tests/hub:tests/tools python tests/tools/entered.py            # with --names: which

A report of a table unit, a page of the console, a line as it is typed at the console's foot, and the page of a typed
line come several times, and all but the first are counted: what is made once for all is made by then. The page is drawn
anew, after another report. Counted is what each of them enters: what a timer does meanwhile is there by chance. Each
begins when the one before has nothing left to do, as publishing its commit. The count says how many files a reader
needs to follow one request.
"""

import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from asgi_client import AsgiClient
from hub_kit import KEYS, HandClock, hub_of, make_event, running

from roundtap_core.wire import REPORT, sign
from roundtap_hub.app.asgi import HubApplication
from roundtap_hub.http.requester import LOCAL_SESSION

PRODUCT = ("roundtap_core", "roundtap_hub", "roundtap_machine")
TIMES = 8
QUIET_S = 0.03

Ask = Callable[[int], int]  # asks for the nth time; returns the answer's status


class Entered:
    """Notes the modules whose functions are called, while `counting`."""

    def __init__(self) -> None:
        self.counting = False
        self.files: set[str] = set()
        self.events = 0

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        self.events += threading.current_thread() is not threading.main_thread()
        if self.counting and event == "call" and frame.f_code.co_filename.endswith(".py"):
            self.files.add(frame.f_code.co_filename)

    def until_quiet(self) -> None:
        """Wait for the threads that still have to do with the request before."""
        for _ in range(100):
            before = self.events
            time.sleep(QUIET_S)
            if self.events == before:
                return

    def names(self) -> set[str]:
        parts = (Path(file).with_suffix("").parts for file in self.files)
        return {
            ".".join(found[at:])
            for found in parts
            for at in (next((n for n, part in enumerate(found) if part in PRODUCT), None),)
            if at is not None
        }


def report(client: AsgiClient, number: int) -> int:
    said = {
        "report_id": f"table-1-{number}",
        "unit": "table-1",
        "event": "e1",
        "match": "1.1",
        "side": "ab"[number % 2],
        "revision": 0,
        "result": {"score": {"a": 100, "b": 24}},
    }
    body = {"report": said, "mac": sign(KEYS["table-1"], REPORT, said)}
    return client.post("/device/report", json=body).status_code


@contextmanager
def asking() -> Iterator[dict[str, tuple[Ask, Ask]]]:
    """What may be asked of a hub with one round in play, and what is done before, uncounted."""
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "journal.db", HandClock()) as service:
        make_event(service)
        hub = hub_of(service, HandClock())
        with closing(AsgiClient(HubApplication(hub), lifespan=True)) as client:
            token = hub.access.organizers.begin("127.0.0.1", "")
            desk = {"host": "localhost", "cookie": f"{LOCAL_SESSION}={token}"}
            line = "/console/e1/entry?table=2&text=a24"
            yield {
                "a report": (lambda _: 0, lambda n: report(client, n)),
                "a console page": (
                    lambda n: report(client, 100 + n),
                    lambda _: client.get("/console/e1", **desk).status_code,
                ),
                "a typed line": (lambda _: 0, lambda _: client.get(line, **desk, **{"roundtap-part": "1"}).status_code),
                "a typed line's page": (lambda _: 0, lambda _: client.get(line, **desk).status_code),
            }


def modules_entered() -> dict[str, list[str]]:
    """What each request enters every time."""
    noted, found = Entered(), {}
    threading.setprofile(noted)
    sys.setprofile(noted)
    try:
        with asking() as asked:
            for what, (prepare, ask) in asked.items():
                for number in range(1 + TIMES):
                    prepare(number)
                    noted.until_quiet()
                    noted.files.clear()
                    noted.counting = True
                    status = ask(number)
                    noted.counting = False
                    assert status == 200, (what, status)
                    if number:
                        found[what] = found.get(what, noted.names()) & noted.names()
    finally:
        threading.setprofile(None)  # type: ignore[arg-type]
        sys.setprofile(None)
    return {what: sorted(names) for what, names in found.items()}


def main() -> None:
    for what, names in modules_entered().items():
        print(f"{len(names):4} modules: {what}")
        if "--names" in sys.argv:
            print("  " + "\n  ".join(names))


if __name__ == "__main__":
    main()
