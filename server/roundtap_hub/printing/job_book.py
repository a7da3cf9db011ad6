"""The print book: what became of each job and what was ordered by hand, in small tables beside the journal.

Not entries: these are no facts of the tournament, they change a few times a slip, and the station's own log, which it
tells again, is the better witness. Losing the book loses orders, never makes anything print twice.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Field, Session, SQLModel, create_engine, select

from roundtap_core.errors import Problem
from roundtap_hub.printing.jobs import QUEUED, PrintJob, PrintState, goes_on


class PrintStateRow(SQLModel, table=True):
    """The last that was said of a job."""

    __tablename__ = "print_state"
    job: str = Field(primary_key=True)
    state: str
    detail: str
    unit: str


class PrintOrderRow(SQLModel, table=True):
    """Something a person wanted printed."""

    __tablename__ = "print_order"
    number: int | None = Field(default=None, primary_key=True)
    job: str
    event: str
    kind: str
    round: int
    match: str | None = None


class PrintTextRow(SQLModel, table=True):
    """What was typed for an order. A table of its own: books of older hubs have their orders without it."""

    __tablename__ = "print_text"
    job: str = Field(primary_key=True)
    text: str


class PrintBook:
    """Any thread may ask and tell. url: the journal's database ("sqlite:////var/lib/roundtap/roundtap.db")."""

    def __init__(self, url: str) -> None:
        self._lock = threading.Lock()
        self._engine: Engine = create_engine(url)
        tables = [SQLModel.metadata.tables[name] for name in ("print_state", "print_order", "print_text")]
        try:
            SQLModel.metadata.create_all(self._engine, tables=tables)
            with Session(self._engine) as session:
                self._states = {row.job: PrintState(row.state, row.detail, row.unit)
                                for row in session.exec(select(PrintStateRow))}
                texts = {row.job: row.text for row in session.exec(select(PrintTextRow))}
                rows = session.exec(select(PrintOrderRow).order_by("number"))
                self._orders = [PrintJob(r.job, r.event, r.kind, r.round, r.match, texts.get(r.job, "")) for r in rows]
        except SQLAlchemyError as error:
            raise Problem("journal_unreadable", reason=str(getattr(error, "orig", None) or error)) from error

    def close(self) -> None:
        self._engine.dispose()

    @property
    def states(self) -> Mapping[str, PrintState]:
        with self._lock:
            return dict(self._states)

    @property
    def orders(self) -> list[PrintJob]:
        with self._lock:
            return list(self._orders)

    def told(self, news: Iterable[tuple[str, PrintState]]) -> None:
        """Take what is news; older words are dropped. Problem("not_saved") where the disk refuses."""
        with self._lock:
            changed: dict[str, PrintState] = {}
            for job_id, state in news:
                if goes_on(changed.get(job_id) or self._states.get(job_id), state):
                    changed[job_id] = state
            self._save([PrintStateRow(job=job_id, state=s.state, detail=s.detail, unit=s.unit)
                        for job_id, s in changed.items()])
            self._states.update(changed)

    def claim(self, job_ids: Iterable[str], unit: str) -> set[str]:
        """Which of these are this station's to print; those that were nobody's are its own from now on."""
        with self._lock:
            free: list[str] = []
            own: set[str] = set()
            for job_id in job_ids:
                known = self._states.get(job_id, PrintState())
                if known.state == QUEUED and known.unit in ("", unit):
                    own.add(job_id)
                    if not known.unit:
                        free.append(job_id)
            if free:
                self._save([PrintStateRow(job=job_id, state=QUEUED, detail="", unit=unit) for job_id in free])
                self._states.update((job_id, PrintState(QUEUED, "", unit)) for job_id in free)
            return own

    def order(self, job: PrintJob, instead_of: str | None = None, word: str = "") -> None:
        """Put a job on the list by hand; `instead_of` is settled with a person's `word` in the same moment."""
        with self._lock:
            rows: list[SQLModel] = [
                PrintOrderRow(job=job.id, event=job.event, kind=job.kind, round=job.round, match=job.match)]
            if job.text:
                rows.append(PrintTextRow(job=job.id, text=job.text))
            settled = None
            if instead_of is not None:
                before = self._states.get(instead_of, PrintState())
                settled = PrintState(word, "", before.unit)
                rows.append(PrintStateRow(job=instead_of, state=word, detail="", unit=before.unit))
            self._save(rows)
            self._orders.append(job)
            if instead_of is not None and settled is not None:
                self._states[instead_of] = settled

    def _save(self, rows: Iterable[SQLModel]) -> None:
        try:
            with Session(self._engine) as session:
                for row in rows:
                    session.merge(row)
                session.commit()
        except SQLAlchemyError as error:
            raise Problem("not_saved") from error
