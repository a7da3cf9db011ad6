"""How often people may enter themselves by phone: bounded for one address and for all; the same form sent twice is
one, and who came by the same phone is known.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable

from roundtap_hub.auth import network_of
from roundtap_hub.rate_limits import Buckets, Rate

OF_ONE, OF_ALL = Rate(64, 64 / 600), Rate(300, 300 / 600)
"""Of one address as many at once as a full hall has, since a router may hide all of them behind it; each again within
ten minutes."""
KEPT = 1024
"""Addresses, and forms that were answered."""


class SignUpGate:
    """Any thread may ask. `now_ms` is a monotonic clock."""

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._lock = threading.Lock()
        self._rates = Buckets(now_ms, KEPT)
        self._answered: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._from: OrderedDict[tuple[str, str], str] = OrderedDict()

    def admits(self, address: str) -> bool:
        """Whether one more may come from there now; it counts as come."""
        return self._rates.admit((network_of(address), OF_ONE), ((), OF_ALL))

    def answered(self, event_id: str, form: str) -> str | None:
        """Whom this very form entered before: a phone that got no answer sends it again."""
        with self._lock:
            return self._answered.get((event_id, form)) if form else None

    def entered(self, event_id: str, form: str, competitor: str, address: str) -> None:
        with self._lock:
            self._from[event_id, competitor] = network_of(address)
            if form:
                self._answered[event_id, form] = competitor
            for kept in (self._answered, self._from):
                while len(kept) > KEPT:
                    kept.popitem(last=False)

    def phones(self, event_id: str) -> dict[str, int]:
        """Who came by which phone, as this hub has seen it since it started: numbered in their order. No address is
        kept on a disk, nor shown."""
        with self._lock:
            came = {who: address for (event, who), address in self._from.items() if event == event_id}
        numbers = {address: number for number, address in enumerate(dict.fromkeys(came.values()), start=1)}
        return {who: numbers[address] for who, address in came.items()}
