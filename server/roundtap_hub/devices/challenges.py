"""Challenges: what a unit signs with its hello, so that a packet that somebody kept opens nothing again."""

from __future__ import annotations

import hmac
import secrets
import threading
from collections import deque
from collections.abc import Callable

LIVES_MS = 30_000
"""From the question to the hello: time enough for a hall that comes back at once."""
RANDOM_LETTERS, MAC_LETTERS = 16, 24
LENGTH_MAX = 64


class Challenges:
    """Made and taken back by one process. Nothing is kept of those that were given out: whoever asks for many costs
    no memory. Those that were used are kept until they would be too old anyway. Any thread may ask.
    """

    def __init__(self, now_ms: Callable[[], int], secret: bytes | None = None,
                 new_random: Callable[[], str] = lambda: secrets.token_hex(RANDOM_LETTERS // 2)) -> None:
        self._now_ms = now_ms
        self._secret = secret or secrets.token_bytes(32)
        self._new_random = new_random
        self._lock = threading.Lock()
        self._used: set[str] = set()
        self._used_in_order: deque[tuple[int, str]] = deque()
        """When each used one was made, and which it is; in the order of use, which is nearly that of their age."""

    def issue(self) -> str:
        """A new one."""
        said = f"{self._new_random()}.{self._now_ms():x}"
        return f"{said}.{self._mac(said)}"

    def take(self, challenge: object) -> bool:
        """Whether this is one of ours, made in the last 30 s and not used before; now it is used.

        Only to be asked once the signature over it holds: strangers use nothing up.
        """
        made_ms = self._made_ms(challenge)
        now_ms = self._now_ms()
        if made_ms is None or not 0 <= now_ms - made_ms <= LIVES_MS:
            return False
        assert isinstance(challenge, str)
        with self._lock:
            self._forget(now_ms)
            if challenge in self._used:
                return False
            self._used.add(challenge)
            self._used_in_order.append((now_ms, challenge))
        return True

    @property
    def kept(self) -> int:
        """How many used ones are remembered."""
        with self._lock:
            return len(self._used)

    def _forget(self, now_ms: int) -> None:
        # By the moment of use: what was used so long ago was made before, and is too old to come again.
        while self._used_in_order and now_ms - self._used_in_order[0][0] > LIVES_MS:
            self._used.discard(self._used_in_order.popleft()[1])

    def _made_ms(self, challenge: object) -> int | None:
        if not isinstance(challenge, str) or len(challenge) > LENGTH_MAX or not challenge.isascii():
            return None
        said, _, mac = challenge.rpartition(".")
        if not hmac.compare_digest(mac, self._mac(said)):
            return None
        # What we have signed is well formed.
        return int(said.partition(".")[2], 16)

    def _mac(self, said: str) -> str:
        return hmac.digest(self._secret, said.encode(), "sha256").hex()[:MAC_LETTERS]
