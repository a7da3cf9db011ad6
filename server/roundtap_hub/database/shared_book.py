"""The print book of several hubs on one database: a job is claimed there, once, for all of them."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import SQLModel

from roundtap_core.errors import Problem
from roundtap_hub.database.postgres import HALL_LOCK, NOTICE_BYTES_MAX, postgres_engine, unusable_database
from roundtap_hub.models import PrintOrderRow, PrintStateRow, upsert
from roundtap_hub.paper.job_book import PrintBook
from roundtap_hub.paper.print_jobs import PrintJob, PrintState

BOOK_CHANNEL = "roundtap_paper"
"""Changes are announced here: {"from": hub, "jobs": [id, …], "orders": whether there are new ones}; without "jobs",
anything may have changed."""
BOOK_LOCK = HALL_LOCK + 2


class SharedPrintBook(PrintBook):
    """Reads come from memory, as elsewhere; every write is decided on what is stored."""

    def __init__(self, address: str, name: str) -> None:
        self._name = name
        self._turns = threading.Lock()
        self._connection: Connection | None = None
        self._written: list[SQLModel] = []
        super().__init__(address)

    def _connected(self, url: str) -> Engine:
        return postgres_engine(url)

    def _unreadable(self, error: SQLAlchemyError) -> Problem:
        return unusable_database(self._engine.url, error)

    def update_states(self, news: Iterable[tuple[str, PrintState]]) -> None:
        changes = list(news)
        if changes:
            with self._exclusive([job_id for job_id, _ in changes]):
                super().update_states(changes)

    def claim(self, job_ids: Iterable[str], unit: str) -> set[str]:
        wanted = list(job_ids)
        if not wanted:
            return set()
        with self._exclusive(wanted):
            return super().claim(wanted, unit)

    def order(self, job: PrintJob, instead_of: str | None = None, word: str = "") -> None:
        with self._exclusive([] if instead_of is None else [instead_of]):
            super().order(job, instead_of, word)

    def handle_notice(self, message: Mapping[str, Any] | None) -> None:
        """Another hub has written; None: anything may have changed. From the follower's thread."""
        jobs = None if message is None else message.get("jobs")
        orders = message is None or message.get("orders") is True or jobs is None
        with self._engine.connect() as connection:
            self._read(connection, None if jobs is None else [str(job) for job in jobs], orders)

    @contextmanager
    def _exclusive(self, jobs: Sequence[str]) -> Iterator[None]:
        """One hub at a time, on what is stored of these jobs. Raises Problem("not_saved") if the database is out of
        reach."""
        with self._turns, self._transaction() as connection:
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": BOOK_LOCK})
            self._read(connection, jobs, False)
            self._connection, self._written = connection, []
            yield
            if self._written:
                connection.execute(text("SELECT pg_notify(:channel, :told)"),
                                   {"channel": BOOK_CHANNEL, "told": self._news()})

    def _put(self, rows: Sequence[SQLModel]) -> None:
        assert self._connection is not None
        upsert(self._connection, *rows)
        self._written += rows

    def _news(self) -> str:
        jobs = [row.job for row in self._written if isinstance(row, PrintStateRow)]
        ordered = any(isinstance(row, PrintOrderRow) for row in self._written)
        news = json.dumps({"from": self._name, "jobs": jobs, "orders": ordered})
        return news if len(news) <= NOTICE_BYTES_MAX else json.dumps({"from": self._name})
