"""The last acts of the staff: what was asked for together is one of them, also where requests share a commit."""

from pathlib import Path

from hub_kit import HandClock, make_event, running
from test_service import Gate

from patience import GUARD_S
from roundtap_core.event import commands as c
from roundtap_hub.store.event_times import EventTimesCache
from roundtap_hub.store.service import Service, Step


def last_acts(service: Service) -> list[list[int]]:
    acts = EventTimesCache(service).of(service.snapshot.events["e1"]).acts
    return [[past.entry.data["minutes"] for past in act] for act in acts[-4:]]


def test_each_request_of_one_commit_is_an_act_also_after_a_restart(tmp_path: Path) -> None:
    clock, gate, path = HandClock(), Gate(), tmp_path / "journal.db"
    with running(path, clock, gate) as service:
        make_event(service)
        gate.shut()
        first = service.submit([Step("e1", c.GrantExtension("1.1", 1))], "judge:1f")
        assert gate.reached.wait(GUARD_S)
        clock.ms += 1000
        waiting = [
            service.submit([Step("e1", c.GrantExtension("1.1", minutes)) for minutes in each], who)
            for each, who in (((2, 3), "judge:1f"), ((4,), "judge:1f"), ((5,), "organizer"))
        ]
        gate.opened.set()
        for answer in (first, *waiting):
            answer.result(GUARD_S)
        acts = last_acts(service)
    assert acts == [[1], [2, 3], [4], [5]]
    with running(path, clock) as service:
        assert last_acts(service) == acts
