"""How many of the product's modules a request enters between its arrival and its answer, in all threads.

PYTHONPATH=tests/hub:tests/tools python tests/tools/entered.py            # with --names: which

A report of a table unit, a page of the console and a typed line each come twice, and the second one is counted: what is
made once for all is made by then. The page is drawn anew, after the second report. The count says how many files a
reader needs to follow one request.
"""

import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import FrameType
from typing import Any

from asgi_client import AsgiClient
from hub_kit import KEYS, HandClock, hub_of, make_event, running

from roundtap_core.wire import REPORT, sign
from roundtap_hub.access.staff import csrf_token_of
from roundtap_hub.app.asgi import HubApplication
from roundtap_hub.http.requester import LOCAL_SESSION

PRODUCT = ("roundtap_core", "roundtap_hub", "roundtap_machine")


class Entered:
    """Notes the modules whose functions are called, while `counting`."""

    def __init__(self) -> None:
        self.counting = False
        self.files: set[str] = set()

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        if self.counting and event == "call" and frame.f_code.co_filename.endswith(".py"):
            self.files.add(frame.f_code.co_filename)

    def names(self) -> list[str]:
        parts = (Path(file).with_suffix("").parts for file in self.files)
        return sorted(
            ".".join(found[at:])
            for found in parts
            for at in (next((n for n, part in enumerate(found) if part in PRODUCT), None),)
            if at is not None
        )


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


def main() -> None:
    noted = Entered()
    threading.setprofile(noted)
    sys.setprofile(noted)
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "journal.db", HandClock()) as service:
        make_event(service)
        hub = hub_of(service, HandClock())
        with closing(AsgiClient(HubApplication(hub), lifespan=True)) as client:
            token = hub.access.organizers.begin("127.0.0.1", "")
            desk = {"host": "localhost", "cookie": f"{LOCAL_SESSION}={token}"}
            form = {"csrf": csrf_token_of(token, hub.access.secret), "table": "2", "text": "a24"}
            asked: dict[str, Callable[[int], int]] = {
                "a report": lambda number: report(client, number),
                "a console page": lambda _: client.get("/console/e1", **desk).status_code,
                "a typed line": lambda _: (
                    client.get(f"/console/e1/entry?table=2&text={form['text']}", **desk).status_code
                ),
            }
            for ask in asked.values():
                ask(1)
            for what, ask in asked.items():
                noted.files.clear()
                noted.counting = True
                status = ask(2)
                noted.counting = False
                print(f"{len(noted.names()):4} modules: {what} ({status})")
                if "--names" in sys.argv:
                    print("  " + "\n  ".join(noted.names()))


if __name__ == "__main__":
    main()
