"""What the venue's stream says of a journal that was restored: whom it has heard, what waits to be settled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from roundtap_core.event.entries import Entry
from roundtap_core.event.state import Fate

UNIT_HEARD, REPORT_PENDING, UNIT_WAIVED = "unit-heard", "report-pending", "restored-without"
REDRAW_APPROVED, COPY_KEPT, RESTORE_SETTLED = "restored-anew", "restored-kept", "restored-settled"
REPORT_REFUSED = "report-refused"

PENDING_FATE = "pending"


@dataclass(frozen=True, slots=True)
class UnitHoldings:
    """What a unit still held of the old epoch when it was first heard in the new one. `holds`: its match as the last
    view had it, or None; `heads`: the newest entry that it was told of each event, {event: (number, hash)}."""

    holds: Mapping[str, Any] | None
    heads: Mapping[str, tuple[int, str]]


@dataclass(frozen=True, slots=True)
class PendingReport:
    """A report about a match that the copy does not know, whole, and what its unit was told of it."""

    report: Mapping[str, Any]
    fate: Fate

    @property
    def unit(self) -> str:
        return str(self.report["unit"])


@dataclass(frozen=True, slots=True)
class RestoreState:
    """A journal that was restored from a copy, until an organizer has settled what the copy lacked."""

    copy: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    """The copy's last entry in each stream: number and hash."""
    at: str | None = None
    """When it was restored, by the machine's clock; None where that had no time."""
    heard: Mapping[str, UnitHoldings] = field(default_factory=dict)
    without: frozenset[str] = frozenset()
    """Units that the organizer goes on without."""
    anew: frozenset[tuple[str, int, str]] = frozenset()
    """Rounds that the tables hold and that are drawn anew all the same: event, number, mark."""
    kept: frozenset[str] = frozenset()
    """Points in which the copy's word stands, by their keys."""
    pending: Mapping[str, PendingReport] = field(default_factory=dict)
    """By the report's id, in the order in which they came."""


def begin_restore(data: Mapping[str, Any], before: RestoreState | None) -> RestoreState | None:
    """What an epoch begins with; None: with a journal that lacks nothing. Reports that waited go on waiting."""
    told = data.get("restored")
    if told is None:
        # A second Pi that took over lacks what its hub lacked.
        return before
    copy = {stream: (int(head[0]), str(head[1])) for stream, head in told["from"].items()}
    return RestoreState(copy, told.get("at"), pending=before.pending if before else {})


def apply_restore_entry(afresh: RestoreState, entry: Entry) -> RestoreState | None:
    """After one of its entries; None once all is settled."""
    data = entry.data
    if entry.kind == UNIT_HEARD:
        heads = {event: (int(head[0]), str(head[1])) for event, head in data["heads"].items()}
        return replace(afresh, heard={**afresh.heard, data["unit"]: UnitHoldings(data["holds"], heads)},
                       without=afresh.without - {data["unit"]})
    if entry.kind == REPORT_PENDING:
        fate = Fate(PENDING_FATE, entry.number, entry.hash, data["body"], match=data["report"]["match"])
        return replace(afresh, pending={**afresh.pending, data["report_id"]: PendingReport(data["report"], fate)})
    if entry.kind == REPORT_REFUSED:
        return replace(afresh, pending={id: each for id, each in afresh.pending.items() if id != data["report_id"]})
    if entry.kind == UNIT_WAIVED:
        return replace(afresh, without=afresh.without | {data["unit"]})
    if entry.kind == REDRAW_APPROVED:
        return replace(afresh, anew=afresh.anew | {(data["event"], data["round"], data["mark"])})
    if entry.kind == COPY_KEPT:
        return replace(afresh, kept=afresh.kept | {data["point"]})
    return None


RESTORE_KINDS = frozenset({UNIT_HEARD, REPORT_PENDING, UNIT_WAIVED, REDRAW_APPROVED, COPY_KEPT, RESTORE_SETTLED})
"""Entries that only such a journal takes."""
