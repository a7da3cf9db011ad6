"""MESSAGES.md says what hubs on one database tell each other: somebody listens, and compares."""

import json
import re
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
from hub_kit import make_event

from kit import wait_until
from roundtap_hub.app.main import open_database
from roundtap_hub.app.presence_relay import BOOK_CHANNEL, PRESENCE_CHANNEL
from roundtap_hub.store.postgres import CHANNEL
from roundtap_hub.store.print_book import PrintJob

DOCUMENT = (Path(__file__).parents[2] / "server/MESSAGES.md").read_text(encoding="utf-8")
CHANNELS = {"Hubs: commits": CHANNEL, "Hubs: presence": PRESENCE_CHANNEL, "Hubs: paper": BOOK_CHANNEL}


def test_notifications_are_as_they_are_told(url: str) -> None:
    said: dict[str, list[dict[str, Any]]] = {channel: [] for channel in CHANNELS.values()}
    with psycopg.connect(url, autocommit=True) as ear:
        for channel in said:
            ear.execute(f"LISTEN {channel}")  # type: ignore[call-overload]
        with closing(open_database(url, lambda _: None)) as hub:
            make_event(hub.service)
            hub.paper.order(PrintJob("slip/e1/1.1", "e1", "slip", 1, "1.1"))
            hub.presence.sessions.open("table-1", "s")
            hub.presence.update("table-1", 1, connected=True, match="1.1")
            hub.presence.mark_at_table("e1", "1.1", "p1")
            hub.presence.add_request(("taken", "e1", "p1"), "slip", 5)

            def heard(field: str) -> bool:
                for notice in ear.notifies(timeout=0.05):
                    said[notice.channel].append(json.loads(notice.payload))
                return any(field in message for message in said[PRESENCE_CHANNEL])

            for field in ("said", "alive", "ask"):
                wait_until(lambda field=field: heard(field), field)
            hub.presence.sessions.close("table-1", "s")
            hub.presence.update("table-1", 1, connected=False)
            wait_until(lambda: heard("gone"), "gone")
    for heading, channel in CHANNELS.items():
        text = DOCUMENT.partition(f"### {heading}\n")[2].partition("\n#")[0]
        told = set(re.findall(r"^\| `(\w+)` \|", text, flags=re.MULTILINE))
        assert f"`{channel}`" in text
        assert {key for message in said[channel] for key in message} == told
        example = json.loads(re.findall(r"```json\n(.*?)```", text, flags=re.DOTALL)[0])
        assert set(example) <= told
