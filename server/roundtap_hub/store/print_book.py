"""The print book: the state of each job and the manual orders, in small tables beside the journal.

Not entries: these are no facts of the tournament, they change a few times per slip, and the station resends its own
log, which is the better record. Losing the book loses orders, but never prints anything twice.
"""

import json
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, delete, select
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import SQLModel

from roundtap_core.errors import Problem
from roundtap_core.messages import StationPrinter
from roundtap_core.typed import MalformedMessage, parse_message
from roundtap_hub.store import models
from roundtap_hub.store.secure_files import unreadable_problem

QUEUED, SENDING, SENT, PRINTED, UNCERTAIN, FAILED = "queued", "sending", "sent", "printed", "uncertain", "failed"


THERE, REORDERED, CANCELLED = "there", "again", "cancelled"
"""Set by a person: the paper is there; it was ordered again under another id; it is not wanted any more."""


MUTE, GO_ON = "mute", "go-on"
"""Details of a queued job: its printer answered before and is silent now; a person saw that it prints all the same."""


RANK = {QUEUED: 0, CANCELLED: 0.5, SENDING: 1, SENT: 2, UNCERTAIN: 3, FAILED: 3, PRINTED: 4, THERE: 5, REORDERED: 5}
"""A job's state only ever rises: a repeated old message changes nothing, and a job begun before it was cancelled
shows its outcome."""


@dataclass(frozen=True, slots=True)
class PrintJob:
    """One thing to print. `id` is the same on every start, and differs for every other tournament and draw. `text`:
    JSON; of a proxy {"card", "official", "date"}; of a test print {"unit", "at": {"port", "printer", "baud"},
    "number"}: the station that prints it, and its settings."""

    id: str
    event: str
    kind: str
    round: int
    match: str | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class PrintState:
    """The state of a job, from the station that took it or from a person."""

    state: str = QUEUED
    detail: str = ""
    unit: str = ""

    @property
    def mute(self) -> bool:
        """Whether it waits for a printer that answered before: a person must look whether it prints."""
        return self.state == QUEUED and self.detail == MUTE

    @property
    def asks(self) -> bool:
        """Whether a person should confirm that the paper is there."""
        return self.mute or self.state in (UNCERTAIN, FAILED)


def is_newer_state(before: PrintState | None, after: PrintState) -> bool:
    """Whether `after` is newer than a job's known state."""
    if before is None:
        return True
    if after.state == before.state:
        return after.detail != before.detail
    return RANK[after.state] > RANK[before.state]


class PrintBook:
    """Thread-safe. url: the journal's database ("sqlite:////var/lib/roundtap/roundtap.db"), opened by a `Journal`."""

    def __init__(self, url: str) -> None:
        self._lock = threading.Lock()
        self._printers: dict[str, StationPrinter] = {}
        self._states: dict[str, PrintState] = {}
        self._orders: list[PrintJob] = []
        self._engine = self._connected(url)
        try:
            with self._engine.connect() as connection:
                self._read(connection)
        except SQLAlchemyError as error:
            raise self._unreadable(error) from error

    def _connected(self, url: str) -> Engine:
        return create_engine(url, hide_parameters=True)

    def _unreadable(self, error: SQLAlchemyError) -> Problem:
        return unreadable_problem(error, Path(self._engine.url.database or ""))

    def _read(self, connection: Connection, jobs: Sequence[str] | None = None, orders: bool = True) -> None:
        """Load the stored states of these jobs (None: of all), and the orders if `orders`."""
        query = select(models.PRINT_STATE)
        if jobs is not None:
            query = query.where(models.PRINT_STATE.c.job.in_(jobs))
        states = {row.job: PrintState(row.state, row.detail, row.unit) for row in connection.execute(query)}
        ordered: list[PrintJob] = []
        if orders:
            texts = {row.job: row.text for row in connection.execute(select(models.PRINT_TEXT))}
            rows = connection.execute(select(models.PRINT_ORDER).order_by(models.PRINT_ORDER.c.number))
            ordered = [PrintJob(r.job, r.event, r.kind, r.round, r.match, texts.get(r.job, "")) for r in rows]
        with self._lock:
            self._states.update(states)
            if orders:
                self._orders = ordered

    def close(self) -> None:
        self._engine.dispose()

    @property
    def states(self) -> Mapping[str, PrintState]:
        with self._lock:
            return dict(self._states)

    @property
    def mute_units(self) -> list[str]:
        """Stations whose printer answered before and is silent now: a person must look whether it prints."""
        with self._lock:
            return sorted({print_state.unit for print_state in self._states.values() if print_state.mute})

    @property
    def asking_jobs(self) -> list[str]:
        """The jobs that a person should look after: failed, uncertain, or at a silent printer."""
        with self._lock:
            return sorted(job for job, print_state in self._states.items() if print_state.asks)

    @property
    def printers(self) -> Mapping[str, StationPrinter]:
        """What each station last reported of its printer since this hub started."""
        with self._lock:
            return dict(self._printers)

    def record_printer(self, unit: str, settings: object) -> None:
        """Take a station's report of its printer's settings; a malformed one is ignored."""
        with suppress(MalformedMessage):
            printer = parse_message(StationPrinter, settings)
            with self._lock:
                self._printers[unit] = printer

    def printer_order(self, unit: str) -> dict[str, Any] | None:
        """The confirmed settings of a station's printer, if any. Problem("not_saved")."""
        with self._transaction() as connection:
            settings = connection.scalar(select(models.PRINT_SETTING.c.said).where(models.PRINT_SETTING.c.unit == unit))
        return None if settings is None else dict(json.loads(settings))

    def save_printer_order(self, unit: str, settings: Mapping[str, Any]) -> None:
        """Use a station's printer with these settings, whose test print was legible. Problem("not_saved")."""
        with self._transaction() as connection:
            models.upsert(connection, models.PrintSettingRow(unit=unit, said=json.dumps(dict(settings))))

    def cancel(self, job_ids: Iterable[str]) -> None:
        """Cancel those of these jobs that have not begun. Problem("not_saved")."""
        with self._lock:
            states = {job_id: self._states.get(job_id, PrintState()) for job_id in job_ids}
        self.update_states(
            (job_id, PrintState(CANCELLED, "", state.unit)) for job_id, state in states.items() if state.state == QUEUED
        )

    @property
    def orders(self) -> list[PrintJob]:
        with self._lock:
            return list(self._orders)

    def update_states(self, news: Iterable[tuple[str, PrintState]]) -> None:
        """Take newer states; older ones are dropped. Problem("not_saved") where the disk refuses."""
        with self._lock:
            changed: dict[str, PrintState] = {}
            for job_id, state in news:
                if is_newer_state(changed.get(job_id) or self._states.get(job_id), state):
                    changed[job_id] = state
            self._save(changed)

    def claim(self, job_ids: Iterable[str], unit: str) -> set[str]:
        """Which of these are this station's to print; unclaimed ones become its own."""
        with self._lock:
            states = {job_id: self._states.get(job_id, PrintState()) for job_id in job_ids}
            own = [job_id for job_id, state in states.items() if state.state == QUEUED and state.unit in ("", unit)]
            self._save({job_id: PrintState(QUEUED, "", unit) for job_id in own if not states[job_id].unit})
            return set(own)

    def order(self, job: PrintJob, instead_of: str | None = None, word: str = "") -> None:
        """Add a job manually; `instead_of`, a job's id, gets the state `word` in the same transaction."""
        rows: list[SQLModel] = [
            models.PrintOrderRow(job=job.id, event=job.event, kind=job.kind, round=job.round, match=job.match)
        ]
        if job.text:
            rows.append(models.PrintTextRow(job=job.id, text=job.text))
        with self._lock:
            settled = (
                {}
                if instead_of is None
                else {instead_of: PrintState(word, "", self._states.get(instead_of, PrintState()).unit)}
            )
            self._save(settled, rows)
            self._orders.append(job)

    def forget(self, event_id: str) -> None:
        """Delete an event's jobs and the texts typed for them: they hold names."""
        with self._lock:
            with self._transaction() as connection:
                if self._engine.dialect.name == "sqlite":
                    connection.exec_driver_sql("PRAGMA secure_delete=ON")
                connection.execute(delete(models.PRINT_ORDER).where(models.PRINT_ORDER.c.event == event_id))
                for table in (models.PRINT_TEXT, models.PRINT_STATE):
                    connection.execute(delete(table).where(table.c.job.startswith(f"{event_id}/", autoescape=True)))
            self._orders = [job for job in self._orders if job.event != event_id]
            self._states = {job: state for job, state in self._states.items() if not job.startswith(f"{event_id}/")}

    def _save(self, states: Mapping[str, PrintState], rows: Sequence[SQLModel] = ()) -> None:
        """Store new states and `rows`; called with the lock held."""
        state_rows = [
            models.PrintStateRow(job=job_id, state=each.state, detail=each.detail, unit=each.unit)
            for job_id, each in states.items()
        ]
        if state_rows or rows:
            self._put([*rows, *state_rows])
        self._states.update(states)

    def _put(self, rows: Sequence[SQLModel]) -> None:
        with self._transaction() as connection:
            models.upsert(connection, *rows)

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        try:
            with self._engine.begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise Problem("not_saved") from error
