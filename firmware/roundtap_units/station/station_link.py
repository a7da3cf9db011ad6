"""The station's link to the hub: states out, jobs in, one signed request every two seconds, in its own thread."""

import http.client
import logging
import threading
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from dataclasses import replace
from typing import Any

from roundtap_core.messages import Job, JobRef, StationResponse
from roundtap_core.typed import MalformedMessage, parse_message
from roundtap_machine.deadline_http import DeadlineConnection
from roundtap_units.link.hub_address import HubAddress
from roundtap_units.link.hub_choice import SILENT_MS
from roundtap_units.link.hub_connection import KeyRefused, send_signed
from roundtap_units.link.hub_time import mono_ms
from roundtap_units.link.own_health import OwnHealth

log = logging.getLogger(__name__)

POLL_S = 2.0
ANSWER_TIMEOUT_S = 5.0
ANSWER_BYTES_MAX = 512 * 1024
STATES_AT_ONCE = 40
JOBS_MAX = 100
REFUSE_AGAIN_MS = 30_000
PATH = "/station/jobs"
REFUSED_TIMES = 15
"""A hub has to refuse this key so often in a row, for half a minute: a lost challenge is refused once, and a hub that
is being restored refuses for some seconds."""


class HubStationLink:
    """`next_jobs` and `report` never wait; `exchange` is one round with the hub, called by the link's own thread. A
    state is sent until the hub has answered a request with it. Each answer brings the next request's challenge; where
    one is lost, another is fetched. renew: called before each round for the station's new identity; None: unchanged.
    printer: the printer's part of the hub's console; None: nothing."""

    def __init__(
        self,
        address: HubAddress,
        connect: Callable[[str, int, float], http.client.HTTPConnection] = DeadlineConnection,
        mono_ms: Callable[[], int] = mono_ms,
        renew: Callable[[], HubAddress | None] = lambda: None,
        health: OwnHealth | None = None,
        printer: Callable[[], Mapping[str, Any] | None] = lambda: None,
    ) -> None:
        self.address = address
        self._renew = renew
        self._health = health
        self._printer = printer
        self._printer_order: object = None
        self._connect = connect
        self._challenge: str | None = None
        self._mono_ms = mono_ms
        self._places = address.endpoints
        self._silent_since_ms: int | None = None
        self._refused: dict[str, int] = {}
        self._lock = threading.Lock()
        self._jobs: list[Job] = []
        self._unsent: dict[str, tuple[str, str]] = {}
        self._work = threading.Event()
        self._stopping = threading.Event()
        self.in_contact = False
        self._times_refused = 0

    def start(self) -> None:
        threading.Thread(target=self._run, name="station-link", daemon=True).start()

    def stop(self) -> None:
        self._stopping.set()
        self._work.set()

    def next_jobs(self) -> list[Job]:
        with self._lock:
            return list(self._jobs)

    def report(self, job_id: str, state: str, detail: str) -> None:
        with self._lock:
            self._unsent[job_id] = (state, detail)
        self._work.set()

    @property
    def is_key_rejected(self) -> bool:
        """Whether everything signed with this key has been refused for long."""
        return self._times_refused >= REFUSED_TIMES

    def printer_order(self) -> object:
        with self._lock:
            return self._printer_order

    def exchange(self) -> bool:
        """One round; whether the hub was reached. Without the hub, its last jobs are still printed."""
        if (here := self._renew()) is not None:
            # The hub on this machine has restarted.
            self.address, self._places, self._challenge = here, here.endpoints, None
        with self._lock:
            states = dict(list(self._unsent.items())[:STATES_AT_ONCE])
        # Good once: whatever happens to this request, the next one has another.
        challenge, self._challenge = self._challenge, None
        try:
            payload: dict[str, Any] = {
                "states": [[job_id, state, detail] for job_id, (state, detail) in states.items()]
            }
            health = self._health.changes(self._mono_ms()) if self._health is not None else None
            if health is not None:
                payload["health"] = health
            if (printer := self._printer()) is not None:
                payload["printer"] = dict(printer)
            here = self.address
            with closing(self._connect(here.host, here.port, ANSWER_TIMEOUT_S)) as connection:
                response = parse_message(
                    StationResponse,
                    send_signed(connection, PATH, here.unit, here.key, challenge, payload, ANSWER_BYTES_MAX),
                )
            self._challenge = response.challenge
        except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError, RecursionError) as error:
            log.info("the hub was not reached: %s", error)
            self.in_contact = False
            self._times_refused = self._times_refused + 1 if isinstance(error, KeyRefused) else 0
            self._switch_hub()
            return False
        if not self.in_contact and self._health is not None:
            # A restarted hub has forgotten it.
            self._health.reset()
        elif self._health is not None and health is not None:
            self._health.acknowledge(health)
        self._silent_since_ms, self._times_refused = None, 0
        jobs = self._jobs_of(response.jobs)
        with self._lock:
            self._jobs = jobs
            self._printer_order = response.printer
            for job_id, state in states.items():
                if self._unsent.get(job_id) == state:
                    del self._unsent[job_id]
        self.in_contact = True
        return True

    def _jobs_of(self, rows: list[Any]) -> list[Job]:
        """Each row by itself: an invalid one is reported as failed, where it has a name, and stops no others."""
        jobs = []
        for row in rows[:JOBS_MAX]:
            try:
                jobs.append(parse_message(Job, row))
            except MalformedMessage as error:
                log.info("a row of the hub's that is no job is passed over: %s", error)
                with suppress(MalformedMessage):
                    self._reject_row(parse_message(JobRef, row).id)
        return jobs

    def _reject_row(self, name: str) -> None:
        """A row that the hub keeps repeating is answered only now and then: each answer costs a request."""
        now_ms = self._mono_ms()
        if now_ms >= self._refused.get(name, now_ms):
            if len(self._refused) > JOBS_MAX:
                self._refused.clear()
            self._refused[name] = now_ms + REFUSE_AGAIN_MS
            self.report(name, "failed", "unprintable")

    def _switch_hub(self) -> None:
        """A hub that has been silent for long may have been replaced by a standby: try the next address."""
        now_ms = self._mono_ms()
        if self._silent_since_ms is None:
            self._silent_since_ms = now_ms
        elif now_ms - self._silent_since_ms >= SILENT_MS and len(self._places) > 1:
            at = self._places.index((self.address.host, self.address.port))
            host, port = self._places[(at + 1) % len(self._places)]
            self.address = replace(self.address, host=host, port=port)

    @property
    def has_unsent(self) -> bool:
        with self._lock:
            return bool(self._unsent)

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._work.clear()
            reached = self.exchange()
            # News is sent at once; to an absent hub, only at the regular rate.
            if reached and self.has_unsent:
                continue
            if reached:
                self._work.wait(POLL_S)
            else:
                self._stopping.wait(POLL_S)
