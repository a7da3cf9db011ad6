"""Every event file that breaks a clause, of all documents: one table for every front that takes files."""

from functools import cache
from typing import Any

from broken_events import cases, event_file
from broken_xwing import Case, by_name


@cache
def broken_files() -> dict[str, Case]:
    """ "keyforge:two-wins" → its case."""
    return {**{clause: _of(clause, case) for clause, case in sorted(cases().items())}, **by_name()}


def _of(clause: str, case: dict[str, Any]) -> Case:
    """Its result only where it holds no steps of a time-out, its list only where the level asks for one."""
    result = case.get("result", {})
    without_steps = result and "timeout" not in result and case["breaks"] != "not_one_of"
    listed = case.get("people", {}).get("p1", {}).get("list") if case.get("level") != "friendly" else None
    return Case((clause,), case["breaks"], event_file(case), case["exit"], result if without_steps else None, listed)
