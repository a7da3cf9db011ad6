"""How often people may enter themselves by phone: bounded for one address and for all; the same form sent twice is
one, and who came by the same phone is known.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable

from roundtap_hub.auth import network_of
from roundtap_hub.cookies import phone_mark
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
        self._from: OrderedDict[tuple[str, str], tuple[str, str]] = OrderedDict()

    def admits(self, address: str) -> bool:
        """Whether one more may come from there now; it counts as come."""
        return self._rates.admit((network_of(address), OF_ONE), ((), OF_ALL))

    def answered(self, event_id: str, form: str) -> str | None:
        """Whom this very form entered before: a phone that got no answer sends it again."""
        with self._lock:
            return self._answered.get((event_id, form)) if form else None

    def entered(self, event_id: str, form: str, competitor: str, phone: str, address: str) -> None:
        """`phone`: the browser's own cookie; without one, all of an address are one phone."""
        network = network_of(address)
        with self._lock:
            self._from[event_id, competitor] = phone_mark(phone) or network, network
            if form:
                self._answered[event_id, form] = competitor
            for kept in (self._answered, self._from):
                while len(kept) > KEPT:
                    kept.popitem(last=False)

    def phones(self, event_id: str) -> dict[str, tuple[int, int]]:
        """Who came by which phone from which address, as this hub has seen it since it started: both numbered in their
        order. No address is kept on a disk, nor shown."""
        with self._lock:
            came = {who: marks for (event, who), marks in self._from.items() if event == event_id}
        phones, addresses = ({mark: number for number, mark in enumerate(dict.fromkeys(each), start=1)}
                             for each in ([marks[at] for marks in came.values()] for at in (0, 1)))
        return {who: (phones[phone], addresses[address]) for who, (phone, address) in came.items()}
