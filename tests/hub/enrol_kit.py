"""Units that ask to be enrolled and an organizer who types codes: on a hub in this process, its clock set by hand."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from asgi_client import AsgiClient
from hub_kit import HandClock, hub_of, running

from patience import GUARD_S
from roundtap_core.errors import Problem
from roundtap_hub.access.unit_keys import UnitKeys
from roundtap_hub.app.asgi import HubApplication
from roundtap_hub.app.hub import Hub
from roundtap_hub.http.host import Host
from roundtap_hub.units import enrolment
from roundtap_hub.units.enrolment import EnrolDesk, EnrolResult, parse_typed_code
from roundtap_units.link.enrolling import EnrolClient
from roundtap_units.link.enrolling import EnrolledIdentity as Kept
from roundtap_units.link.hub_choice import FoundHub

PLACE = ("hub", 8080)


@dataclass
class Hall:
    """A hub, and whoever asks it: `post` says a step as from `address`. `heard`: all that crossed the air."""

    hub: Hub
    client: AsgiClient
    clock: HandClock
    folder: Path
    heard: list[tuple[Mapping[str, Any], int, Mapping[str, Any]]] = field(default_factory=list)

    @property
    def desk(self) -> EnrolDesk:
        return self.hub.enrolment

    def post(self, message: Mapping[str, Any], address: str = "10.0.0.7") -> tuple[int, dict[str, Any]]:
        self.client.seen_as = {"client": (address, 4711)}
        answer = self.client.post("/device/enrol", json=dict(message))
        said = answer.get_json()
        self.heard.append((message, answer.status_code, said))
        return answer.status_code, said

    def unit(
        self,
        unit_id: str = "m-1",
        kind: str = "table",
        code: str = "345678",
        address: str = "10.0.0.7",
        post: Callable[[Mapping[str, Any]], tuple[int, dict[str, Any]]] | None = None,
    ) -> Unit:
        return Unit(self, unit_id, kind, code, address, post)

    def type(self, text: str, **where: Any) -> Typing:
        """An organizer types; what comes of it is there once the unit has done its part."""
        return Typing(self.desk, text, where)


class Unit:
    """A real unit's asking, step by step, which always shows the same code (tests tell units apart by their number)."""

    def __init__(
        self,
        hall: Hall,
        unit_id: str,
        kind: str,
        code: str,
        address: str,
        post: Callable[[Mapping[str, Any]], tuple[int, dict[str, Any]]] | None,
    ) -> None:
        self.kept: list[Kept] = []
        self.passed_over: list[set[str]] = []
        """What it was looking past, each time that it looked for a hub."""
        self.asking = EnrolClient(
            kind,
            unit_id,
            self.kept.append,
            lambda: hall.clock.ms,
            (),
            find=self._find,
            post=lambda _, message: (post or (lambda said: hall.post(said, address)))(message),
            new_code=lambda: code,
            wait=lambda _: False,
        )

    def _find(self, configured: Sequence[Any], passed_over: Iterable[str]) -> FoundHub:
        self.passed_over.append(set(passed_over))
        return FoundHub(PLACE, "h", "e", "roundtap")

    def step(self) -> int:
        return self.asking.step()

    @property
    def shows(self) -> str:
        """All eight digits of its screen."""
        showing = self.asking.showing
        return f"{showing.number} {showing.code}"


class Typing:
    """An organizer's press, in a thread of its own as a page's would be."""

    def __init__(self, desk: EnrolDesk, text: str, where: Mapping[str, Any]) -> None:
        self._desk = desk
        before = len(desk._exchanges)
        self._outcome: EnrolResult | Problem | None = None
        self._thread = threading.Thread(target=self._type, args=(text, where), daemon=True)
        self._thread.start()
        while self._thread.is_alive() and len(desk._exchanges) == before:
            self._thread.join(0.001)

    def _type(self, text: str, where: Mapping[str, Any]) -> None:
        try:
            self._outcome = self._desk.enrol(parse_typed_code(text), "organizer", **where)
        except Problem as problem:
            self._outcome = problem

    @property
    def outcome(self) -> EnrolResult | Problem:
        self._thread.join(GUARD_S)
        assert self._outcome is not None, "the organizer still waits"
        return self._outcome

    @property
    def problem(self) -> str:
        """The key of what went wrong."""
        assert isinstance(self.outcome, Problem), f"it went well: {self.outcome}"
        return self.outcome.key


@contextmanager
def patient_desk() -> Iterator[None]:
    """The form waits for a unit, however busy the machine is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(enrolment, "TAKE_UP_S", GUARD_S)
        yield


@contextmanager
def hall_at(folder: Path, clock: HandClock | None = None) -> Iterator[Hall]:
    """A hub on this folder; opened again on the same folder it is the hub after a restart."""
    clock = clock or HandClock()
    with patient_desk(), running(folder / "roundtap.db", clock) as service:
        hub = hub_of(service, clock, keys=UnitKeys(service), host=Host(name="roundtap"))
        with closing(AsgiClient(HubApplication(hub))) as client:
            yield Hall(hub, client, clock, folder)


def pass_time(hall: Hall, ms: int, *units: Unit) -> None:
    """Time goes by, and the units go on asking."""
    until_ms = hall.clock.ms + ms
    while hall.clock.ms < until_ms:
        hall.clock.ms = min(until_ms, hall.clock.ms + 5000)
        for unit in units:
            unit.step()
