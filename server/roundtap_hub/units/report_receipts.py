"""A report's receipt: what became of it, as its table is told."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from roundtap_core.errors import Problem
from roundtap_core.event.states import ReportFate
from roundtap_core.messages import ReportReceipt
from roundtap_hub.store.service import Snapshot


class UnknownReport(Struct, frozen=True):
    """The receipt of a report that this hub does not have: the unit sends it again."""

    report_id: str
    epoch: str
    fate: str = "unknown"


def recorded_receipt(snapshot: Snapshot, report: Mapping[str, Any], body: str) -> ReportReceipt | None:
    """The answer to a recorded report, or None. `body`: its digest. The same id with another body is refused without a
    trace in the event: the first one stands."""
    known = find_fate(snapshot, report["event"], report["report_id"])
    if known is None:
        return None
    if known.body != body:
        known = ReportFate("refused", known.number, known.hash, body, "altered")
    return ReportReceipt(report["report_id"], known.fate, known.reason, known.number, known.hash, snapshot.venue.epoch)


def find_fate(snapshot: Snapshot, event_id: str, report_id: str) -> ReportFate | None:
    """What became of a report, in its event or (for an unknown event) in the venue."""
    try:
        state = snapshot.event(event_id)
    except Problem:
        # An event at rest that cannot be read: the fate is unknown, and the unit asks again.
        return None
    known = (state.fates.get(report_id) if state is not None else None) or snapshot.venue.refused.get(report_id)
    waiting = snapshot.venue.restore_state.pending.get(report_id) if snapshot.venue.restore_state is not None else None
    return known or (waiting.fate if waiting is not None else None)


def fates_of(snapshot: Snapshot, reports: Iterable[Sequence[str]]) -> list[ReportReceipt | UnknownReport]:
    """The echoes of many reports, [event, report id] each. Opens each event at rest once: not for the event loop."""
    pairs = [(event, report_id) for event, report_id in reports]
    by_event = {pair: any_receipt(snapshot, *pair) for pair in sorted(set(pairs))}
    return [by_event[pair] for pair in pairs]


def any_receipt(snapshot: Snapshot, event: str, report_id: str) -> ReportReceipt | UnknownReport:
    known, epoch = find_fate(snapshot, event, report_id), snapshot.venue.epoch
    return (
        UnknownReport(report_id, epoch)
        if known is None
        else ReportReceipt(report_id, known.fate, known.reason, known.number, known.hash, epoch)
    )
