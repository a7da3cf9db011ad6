"""What other hubs tell through the database: a thread that listens, for ever, and after a silence reads everything."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Mapping
from typing import Any

import psycopg
from sqlalchemy.engine import URL

from roundtap_hub.journal.database_url import libpq_arguments
from roundtap_hub.journal.postgres import CHANNEL, reason_of
from roundtap_hub.journal.shared_service import News

log = logging.getLogger(__name__)

LOOK_UP_S = 0.5
"""How long one wait for a notification lasts: a hub that stops waits no longer for its follower."""
RECONNECT_S = 1.0

Hear = Callable[[Mapping[str, Any]], None]


class Follower:
    """Listens on a connection of its own.

    `commits` hears what another hub committed, and None whenever anything may have been missed: after each connecting.
    `others` are further channels, each with who hears its messages (JSON objects). Messages of `name` are our own echo.
    """

    def __init__(self, url: URL, name: str, commits: Callable[[News | None], None],
                 others: Mapping[str, Hear] | None = None) -> None:
        self._url = url
        self._name = name
        self._commits = commits
        self._others = dict(others or {})
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="follower", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(timeout=10)

    def _run(self) -> None:
        reachable = True
        while not self._stop.is_set():
            try:
                with psycopg.connect(**libpq_arguments(self._url), autocommit=True) as connection:
                    for channel in (CHANNEL, *self._others):
                        connection.execute(psycopg.sql.SQL("LISTEN {}").format(psycopg.sql.Identifier(channel)))
                    reachable = True
                    self._commits(None)
                    self._listen(connection)
            except psycopg.Error as lost:
                if reachable:
                    log.error("what other hubs write is not heard at the moment: %s", reason_of(lost))
                reachable = False
                self._stop.wait(RECONNECT_S)

    def _listen(self, connection: psycopg.Connection[Any]) -> None:
        while not self._stop.is_set():
            for notice in connection.notifies(timeout=LOOK_UP_S):
                self._hear(notice.channel, notice.payload)
                if self._stop.is_set():
                    return

    def _hear(self, channel: str, payload: str) -> None:
        try:
            said = json.loads(payload)
            if said["from"] == self._name:
                return
            if channel == CHANNEL:
                self._commits(News(said["streams"], said["people"]) if "streams" in said else None)
            else:
                self._others[channel](said)
        except Exception:
            # Anybody with the database's password can notify; a listener that dies would miss what is meant.
            log.exception("a notification could not be read: %s %.200s", channel, payload)
