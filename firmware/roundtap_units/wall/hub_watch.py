"""Which hub answers now: asked every few seconds, and looked for where it does not; in a thread of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from roundtap_units.link.find_hub import FoundHub, ask_hub, find_hub
from roundtap_units.link.hub_choice import Place

HERE: tuple[Place, ...] = (("127.0.0.1", 8080), ("127.0.0.1", 80))
"""A hub on this very machine."""
ASK_EVERY_S, LOOK_EVERY_S = 4.0, 2.0
MISSES = 3
"""A hub that restarts is away for some seconds; one that was asked so often in vain is looked for elsewhere."""
ANOTHER_AFTER_S = 30.0
"""So long the hub of before is looked for, until another one is taken for the wall's."""

Find = Callable[[Sequence[Place]], FoundHub | None]
Ask = Callable[[Place], FoundHub | None]


class HubWatch:
    """`configured`: the hub that the machine was told of; none: whichever is found. `known`: of the hub whose wall was
    shown last (FoundHub.hub), that it is to be again. Times are monotonic seconds."""

    def __init__(self, configured: Sequence[Place], known: str = "", find: Find = find_hub, ask: Ask = ask_hub,
                 now_s: Callable[[], float] = time.monotonic) -> None:
        self._configured = tuple(configured)
        self._find, self._ask, self._now_s = find, ask, now_s
        self.hub: FoundHub | None = None
        """The hub that answers now."""
        self.standbys: Sequence[Place] = ()
        """Where that hub says to look when it is silent. Set by whoever hears it."""
        self._known = known
        self._misses = 0
        self._missed_s = now_s()
        self._last: Place | None = None
        self._stopping = threading.Event()

    def start(self) -> None:
        threading.Thread(target=self._run, name="hub-watch", daemon=True).start()

    def stop(self) -> None:
        self._stopping.set()

    def look(self) -> float:
        """Ask or look once; the seconds until it is to be done again."""
        if self.hub is not None:
            if self._ask(self.hub.place) is not None:
                self._misses = 0
                return ASK_EVERY_S
            self._misses += 1
            if self._misses < MISSES:
                return LOOK_EVERY_S
            self._missed_s = self._now_s()
            self.hub = None
        last = () if self._last is None else (self._last,)
        found = self._find((*last, *self.standbys, *self._configured, *HERE))
        if found is None or not self._is_ours(found):
            return LOOK_EVERY_S
        self.hub, self._known, self._last, self._misses = found, found.hub, found.place, 0
        return ASK_EVERY_S

    def _is_ours(self, found: FoundHub) -> bool:
        if not self._known or found.hub == self._known or found.place in self._configured:
            return True
        # With two hubs in one house, the wall does not go over to the other one while its own restarts.
        return not self._configured and self._now_s() - self._missed_s >= ANOTHER_AFTER_S

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                pause_s = self.look()
            except OSError:
                pause_s = LOOK_EVERY_S
            self._stopping.wait(pause_s)
