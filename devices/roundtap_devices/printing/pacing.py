"""How fast a printer without flow control may be sent to, by counting what its buffer holds."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from roundtap_devices.printing.printer_profiles import PrinterProfile

RESERVE = 16
"""Bytes of the buffer left free for status requests, which this count ignores."""
BITS_A_BYTE = 10

SLOWER_PERCENT = 10
"""How much slower than its figures a printer may be (a weak supply, dark pictures): it never reports its progress, and
small errors would add up."""

Step = tuple[int, int]
"""(where it ends in a job's bytes, how many microseconds it keeps the printer busy): a line of text, a block of an
image, a feed. The bytes of a step stay in the buffer until the whole step is printed."""


class Pacer:
    """One printer on one line: `expect` a job's steps, send as much as there is `room` for, and report it with `took`.

    It continues from job to job: what is still being printed of the last one fills the buffer.
    """

    def __init__(self, profile: PrinterProfile, baud: int) -> None:
        self._limit = profile.buffer - RESERVE
        self._byte_us = -(-BITS_A_BYTE * 1_000_000 // baud)
        self._coming: deque[Step] = deque()
        self._printing: deque[Step] = deque()
        self._expected = self._handed = self._printed = 0
        self._line_free_us = self._idle_us = 0

    def expect(self, length: int, steps: Iterable[Step]) -> None:
        """Announce `length` bytes; what follows their last step takes no time."""
        self._coming.extend((self._expected + end, busy_us) for end, busy_us in steps)
        self._expected += length
        self._coming.append((self._expected, 0))

    def room(self, now_ms: int) -> int:
        while self._printing and self._printing[0][1] <= now_ms * 1000:
            self._printed = self._printing.popleft()[0]
        return max(0, self._limit - (self._handed - self._printed))

    def on_sent(self, count: int, now_ms: int) -> None:
        """Note that `count` bytes were sent: they travel one after the other, and are printed step by step."""
        begins_us = max(self._line_free_us, now_ms * 1000)
        while self._coming and self._coming[0][0] <= self._handed + count:
            end, busy_us = self._coming.popleft()
            arrives_us = begins_us + (end - self._handed) * self._byte_us
            self._idle_us = max(self._idle_us, arrives_us) + busy_us * (100 + SLOWER_PERCENT) // 100
            self._printing.append((end, self._idle_us))
        self._line_free_us = begins_us + count * self._byte_us
        self._handed += count
