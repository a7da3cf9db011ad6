"""The units that ask to be enrolled, in memory: bounded, throttled, forgotten soon after they fall silent."""

from __future__ import annotations

import hashlib
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from roundtap_hub.doors import FREE_ADDRESSES
from roundtap_hub.rate_limits import Buckets, Rate

WAITING_MAX = 44
"""Each with two numbers at the most: there are enough."""
ADDRESS_MAX = 8
"""Units of one address; a router may hide several."""
SILENT_MS = 10_000
"""After so long without a word a unit does not wait any more."""
GRACE_MS = 20_000
"""A code that was just replaced may still be typed: somebody reads, walks to the keyboard and types."""
NUMBERS = range(10, 100)
"""What stands before a code: which of the waiting units shows it, and which of its codes it is. Always two digits."""
IDENTIFY_MS = 6_000
RATE, RATE_IN_ALL = Rate(40, 4), Rate(600, 120)
"""Questions of one address, and of all together: a unit asks once a second."""
TRIED_MAX = 8


@dataclass(slots=True)
class Asking:
    """One unit that asks. `unit_id`: the same every time, and no secret; `token`: random, of this asking alone, and in
    the air: it is good from `place` only, the whole address that it came from first (`address` is for counting).
    `mark`: what pages call it.

    `serial` counts its codes; `commits`: serial → what it will say in an exchange about that code, by its hash;
    `numbers`: serial → (what stands before that code, until when it may be typed; None: it is shown now). `tried`: the
    serials whose code was typed, right or wrong: each is good once.
    """

    unit_id: str
    token: str
    kind: str
    address: str
    place: str
    since_ms: int
    heard_ms: int
    serial: int = 0
    wants: str = ""
    numbers: dict[int, tuple[int, int | None]] = field(default_factory=dict)
    commits: dict[int, str] = field(default_factory=dict)
    tried: set[int] = field(default_factory=set)
    identify_until_ms: int = 0
    stopped: bool = False
    """After too many wrong codes it waits for a press."""

    @property
    def mark(self) -> str:
        return hashlib.sha256(f"{self.token} {self.place}".encode()).hexdigest()[:12]

    @property
    def number(self) -> int | None:
        """What stands before the code that it shows now."""
        return self.numbers[self.serial][0] if self.serial in self.numbers else None


class Full(Exception):
    """No place, or too many questions: the unit asks again later."""


class WaitingRoom:
    """Any thread may ask and tell. Times are the hub's monotonic milliseconds."""

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self._lock = threading.RLock()
        self._asking: dict[tuple[str, str], Asking] = {}
        self._rates = Buckets(now_ms)
        self._next = NUMBERS.start

    def ask(self, unit_id: str, token: str, kind: str, address: str, serial: int, commit: str = "",
            wants: str = "", stopped: bool = False, place: str = "") -> Asking:
        """A unit asks, once a second. `Full` where it has to come back later. Two that say they are the same unit are
        two: which one stands at a table a person sees by its code. `place`: the address as it is; "": `address`."""
        with self._lock:
            now_ms = self._now_ms()
            if address not in FREE_ADDRESSES and not self._rates.admit(((address,), RATE), ((), RATE_IN_ALL)):
                raise Full
            self._forget(now_ms)
            whose = token, place or address
            found = self._asking.get(whose)
            if found is None:
                # Who heard the token elsewhere is another: later codes of the unit's own are not his to announce.
                self._make_room(address)
                found = self._asking[whose] = Asking(unit_id, token, kind, address, whose[1], now_ms, now_ms)
            found.heard_ms, found.wants, found.stopped = now_ms, wants, stopped
            self._shows(found, serial, commit, now_ms)
            return found

    def listed(self) -> list[Asking]:
        """Who waits, in the order of their coming."""
        with self._lock:
            self._forget(self._now_ms())
            return sorted(self._asking.values(), key=lambda each: each.since_ms)

    def behind(self, number: int) -> tuple[Asking, int] | None:
        """(the unit, the serial of its code) before whose code this number stands, or stood a moment ago."""
        with self._lock:
            now_ms = self._now_ms()
            self._forget(now_ms)
            for each in self._asking.values():
                for serial, (its_number, until_ms) in each.numbers.items():
                    if its_number == number and (until_ms is None or now_ms <= until_ms):
                        return each, serial
        return None

    def take(self, asking: Asking, serial: int) -> bool:
        """Use up one of its codes; False where that was done before."""
        with self._lock:
            if serial in asking.tried:
                return False
            asking.tried.add(serial)
            asking.tried = {each for each in asking.tried if each > serial - TRIED_MAX}
            return True

    def identify(self, mark: str) -> bool:
        """Let it blink for some seconds; False where it does not wait any more."""
        with self._lock:
            self._forget(self._now_ms())
            found = next((each for each in self._asking.values() if each.mark == mark), None)
            if found is not None:
                found.identify_until_ms = self._now_ms() + IDENTIFY_MS
            return found is not None

    def identifies(self, asking: Asking) -> bool:
        return self._now_ms() < asking.identify_until_ms

    def enrolled(self, asking: Asking) -> None:
        """It waits no more."""
        with self._lock:
            self._asking.pop((asking.token, asking.place), None)

    def _forget(self, now_ms: int) -> None:
        for whose in [whose for whose, each in self._asking.items() if now_ms - each.heard_ms > SILENT_MS]:
            del self._asking[whose]

    def _make_room(self, address: str) -> None:
        """Who has many units waiting keeps nobody out who has few: the youngest of the address that has most goes."""
        counts = Counter(each.address for each in self._asking.values())
        if counts[address] >= ADDRESS_MAX and address not in FREE_ADDRESSES:
            raise Full
        if len(self._asking) < WAITING_MAX:
            return
        most, many = counts.most_common(1)[0]
        if many <= counts[address] + 1:
            raise Full
        youngest = max((each for each in self._asking.values() if each.address == most), key=lambda each: each.since_ms)
        del self._asking[youngest.token, youngest.place]

    def _shows(self, asking: Asking, serial: int, commit: str, now_ms: int) -> None:
        """What was said first of a code counts: nobody has seen it before its number was given."""
        if serial == asking.serial and serial in asking.numbers:
            return
        if serial < asking.serial:
            # A question that was under way for long, or a kept packet.
            return
        before = asking.numbers.get(asking.serial)
        kept: dict[int, tuple[int, int | None]] = {asking.serial: (before[0], now_ms + GRACE_MS)} if before else {}
        asking.serial, asking.numbers = serial, kept
        if serial:
            asking.numbers[serial] = self._free_number(now_ms), None
            asking.commits = {each: said for each, said in asking.commits.items() if each in kept} | {serial: commit}

    def _free_number(self, now_ms: int) -> int:
        """In turn, so that a number comes back as late as can be."""
        taken = {number for each in self._asking.values() for number, until_ms in each.numbers.values()
                 if until_ms is None or now_ms <= until_ms}
        for step in range(len(NUMBERS)):
            number = NUMBERS[(self._next - NUMBERS.start + step) % len(NUMBERS)]
            if number not in taken:
                self._next = number + 1 if number + 1 in NUMBERS else NUMBERS.start
                return number
        raise Full
