"""Reports from devices: one entry each, and an echo that says what became of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from roundtap_core.errors import Problem
from roundtap_core.event.commands import NoteLot, Report
from roundtap_core.event.entries import VENUE, Entry, NewEntry
from roundtap_core.event.state import Fate
from roundtap_core.messages import Lot
from roundtap_core.messages import Report as SentReport
from roundtap_core.typed import Malformed, read
from roundtap_core.wire import digest
from roundtap_hub.journal.beyond_copy import NO_PLACE
from roundtap_hub.journal.service import Service, Snapshot, Step

BODY_BYTES_MAX = 4096
SAVE_S = 10.0
"""So long a report waits for its commit, before the unit is told to try again."""
NOBODYS = frozenset({"unknown_event", NO_PLACE})
"""Why a report is left to the venue: nobody knows its event, or its round since this journal was restored."""

Echo = dict[str, Any]


def well_formed(report: object) -> dict[str, Any]:
    """The report, if it is one. Malformed."""
    read(SentReport, report)
    assert isinstance(report, dict)
    return report


def take_report(service: Service, report: Mapping[str, Any]) -> Echo:
    """Record an authenticated, well-formed report, wait for its commit, and answer with its fate: the same for every
    repetition. What waits on the event loop instead is device_api.py.
    """
    body = digest(dict(report))
    known = known_echo(service.snapshot, report, body)
    if known is None:
        try:
            submit_report(service, report, body).result(SAVE_S)
        except Problem as problem:
            if problem.key not in NOBODYS:
                raise
            submit_stray(service, report, body).result(SAVE_S)
        known = known_echo(service.snapshot, report, body)
    assert known is not None
    return known


def known_echo(snapshot: Snapshot, report: Mapping[str, Any], body: str) -> Echo | None:
    """The answer to a report that is on record; None where it is not. `body`: its digest.

    The same id with another body is refused without a trace in the event: the first one stands.
    """
    known = find_fate(snapshot, report["event"], report["report_id"])
    if known is None:
        return None
    if known.body != body:
        known = Fate("refused", known.number, known.hash, body, "altered")
    return echo(snapshot, report["report_id"], known)


def submit_report(service: Service, report: Mapping[str, Any], body: str) -> Future[list[Entry]]:
    """Ask the writer to record it; Problem with a key in NOBODYS leaves it to `submit_stray`."""
    return service.submit([report_step(report, body)], f"unit:{report['unit']}")


def report_step(report: Mapping[str, Any], body: str, earlier: bool = False) -> Step:
    """The command that a well-formed report amounts to, as its unit's word; `earlier`: as in Report."""
    command = Report(report["report_id"], report["match"], report["side"], report["revision"], report["result"], body,
                     report.get("draw"), report.get("serial", 0), report.get("agrees_to"), report.get("a"),
                     report.get("b"), time_up=report.get("time_up"), earlier=earlier)
    return Step(report["event"], command, actor=f"unit:{report['unit']}")


def submit_stray(service: Service, report: Mapping[str, Any], body: str) -> Future[list[Entry]]:
    """Record in the venue that a report for an event nobody knows was refused; a journal that was restored, and is not
    settled, keeps it instead."""
    refused = NewEntry("report-refused", {"report_id": report["report_id"], "event": report["event"], "body": body,
                                          "report": dict(report)})
    return service.submit([Step(VENUE, refused)], f"unit:{report['unit']}")


def submit_lot(service: Service, unit: str, said: object) -> Future[list[Entry]] | None:
    """A lot that a table says was drawn there. The first one stands, and the table is shown it with its view; what is
    no lot of this match is passed over: None."""
    try:
        lot = read(Lot, said)
    except Malformed:
        return None
    state = service.snapshot.events.get(lot.event)
    found = state.find_match(lot.match) if state is not None else None
    if state is None or found is None or lot.about in found[1].lots:
        return None
    return service.submit([Step(state.id, NoteLot(lot.match, lot.about, lot.side, lot.draw))], f"unit:{unit}")


def find_fate(snapshot: Snapshot, event_id: str, report_id: str) -> Fate | None:
    """What became of a report, in its event or (for an event nobody knows) in the venue."""
    try:
        state = snapshot.event(event_id)
    except Problem:
        # An event at rest that cannot be read: nobody knows, and the unit asks again.
        return None
    if state is not None and report_id in state.fates:
        return state.fates[report_id]
    if report_id in snapshot.venue.refused:
        return snapshot.venue.refused[report_id]
    waiting = snapshot.venue.afresh.pending.get(report_id) if snapshot.venue.afresh is not None else None
    return waiting.fate if waiting is not None else None


def fates_of(snapshot: Snapshot, reports: Iterable[Sequence[str]]) -> list[Echo]:
    """What became of many reports, [event, report id] each. Events at rest are opened, each once: not on the loop."""
    asked = [(event, report_id) for event, report_id in reports]
    by_event = {pair: echo(snapshot, pair[1], find_fate(snapshot, *pair)) for pair in sorted(set(asked))}
    return [by_event[pair] for pair in asked]


def is_at_rest(snapshot: Snapshot, events: Iterable[str]) -> bool:
    """Whether one of them has to be read from the disk before anything can be said of it."""
    return any(event in snapshot.shelf for event in events)


def echo(snapshot: Snapshot, report_id: str, fate: Fate | None) -> Echo:
    """What a device is told of a report; "unknown" makes it send the report again."""
    if fate is None:
        return {"report_id": report_id, "fate": "unknown", "epoch": snapshot.venue.epoch}
    return {"report_id": report_id, "fate": fate.fate, "reason": fate.reason, "number": fate.number,
            "hash": fate.hash, "epoch": snapshot.venue.epoch}
