"""A table's report as what the writer is asked to record: in its event, or in the venue where it has no place yet."""

from collections.abc import Mapping
from typing import Any

from roundtap_core.event.commands import RecordReport
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_core.messages import Report
from roundtap_core.typed import parse_message
from roundtap_hub.store.restore_gap import NO_PLACE
from roundtap_hub.store.service import Step

STRAY_REASONS = frozenset({"unknown_event", NO_PLACE})
"""Reports left to the venue's stream: of an unknown event, or of a round that a restored journal lacks."""


def validate_report(report: object) -> dict[str, Any]:
    """The report, if it is well-formed. Raises MalformedMessage."""
    parse_message(Report, report)
    assert isinstance(report, dict)
    return report


def report_step(report: Mapping[str, Any], body: str, earlier: bool = False) -> Step:
    """A well-formed report as its unit's command; `earlier`: as in RecordReport."""
    command = RecordReport(
        report["report_id"],
        report["match"],
        report["side"],
        report["revision"],
        report["result"],
        body,
        report.get("draw"),
        report.get("serial", 0),
        report.get("agrees_to"),
        report.get("a"),
        report.get("b"),
        time_up=report.get("time_up"),
        earlier=earlier,
    )
    return Step(report["event"], command, actor=f"unit:{report['unit']}")


def stray_step(report: Mapping[str, Any], body: str) -> Step:
    """Note in the venue that a report of an unknown event is refused; a restored journal that is not settled yet keeps
    it instead."""
    return Step(
        VENUE,
        NewEntry(
            "report-refused",
            {"report_id": report["report_id"], "event": report["event"], "body": body, "report": dict(report)},
        ),
        actor=f"unit:{report['unit']}",
    )
