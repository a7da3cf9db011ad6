"""Reports recorded from a test's own thread, as the table units' API records them on its event loop."""

from collections.abc import Mapping
from typing import Any

from msgspec import to_builtins

from roundtap_core.errors import Problem
from roundtap_core.wire import digest
from roundtap_hub.store.command_pipeline import STRAY_REASONS, report_step, stray_step
from roundtap_hub.store.service import Service
from roundtap_hub.units.table_api import SAVE_S, recorded_receipt


def record_report(service: Service, report: Mapping[str, Any]) -> dict[str, Any]:
    """Record an authenticated, well-formed report, wait for its commit, and return its fate: the same for every
    repetition. `TableApi` does this on the event loop."""
    body = digest(dict(report))
    known = recorded_receipt(service.snapshot, report, body)
    if known is None:
        try:
            service.submit([step := report_step(report, body)], step.actor).result(SAVE_S)
        except Problem as problem:
            if problem.key not in STRAY_REASONS:
                raise
            service.submit([step := stray_step(report, body)], step.actor).result(SAVE_S)
        known = recorded_receipt(service.snapshot, report, body)
    assert known is not None
    return to_builtins(known)  # type: ignore[no-any-return]
