"""The sessions of units' open feeds: a status counts in an open one only, and only once."""

import threading


class FeedSessions:
    """All open sessions that this process serves. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sessions: dict[str, dict[str, int]] = {}

    def open(self, unit: str, session: str) -> None:
        """A feed was opened: statuses of this session count, with rising numbers."""
        with self._lock:
            self._sessions.setdefault(unit, {})[session] = 0

    def close(self, unit: str, session: str) -> bool:
        """A feed was closed; True if it was the unit's last."""
        with self._lock:
            sessions = self._sessions.get(unit, {})
            sessions.pop(session, None)
            if not sessions:
                self._sessions.pop(unit, None)
            return not sessions

    def advances(self, unit: str, session: str, number: int) -> bool:
        """Whether this status is newer than all before it, so not a replayed packet."""
        with self._lock:
            last = self._sessions.get(unit, {}).get(session)
            if last is None or number <= last:
                return False
            self._sessions[unit][session] = number
            return True

    @property
    def units(self) -> frozenset[str]:
        """The units whose feeds this process serves."""
        with self._lock:
            return frozenset(self._sessions)
