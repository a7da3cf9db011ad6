"""Closing the round in play: only with every result there, and undisputed."""

from __future__ import annotations

from roundtap_core.errors import Problem
from roundtap_core.event.entries import NewEntry
from roundtap_core.event.state import EventState


def close_live(state: EventState) -> list[NewEntry]:
    """The entry that closes the round in play; Problem while results are missing or disputed."""
    if state.live is None:
        return []
    missing = state.live.open_matches
    if missing:
        tables = ", ".join(str(m.match.table) for m in missing[:8])
        raise Problem("results_missing", n=len(missing), tables=tables + ("…" if len(missing) > 8 else ""))
    return [NewEntry("round-closed", {"number": state.live.number})]
