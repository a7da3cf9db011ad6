"""A standby as a copy of the journal (store/copies.py): its feed is sealed; a write returns once it is on its disk."""

import asyncio
import base64
import errno
import hmac
import json
import threading
import time
import zlib
from collections import deque
from collections.abc import Callable, Collection, Mapping
from typing import Any

from roundtap_hub.store.copies import CURRENT, CommitBatch, Copies
from roundtap_hub.store.journal import Head

LABEL = b"roundtap/standby/1"
PLAIN_BYTES_MAX = 64 * 1024 * 1024  # far more than one message holds: a fake hub must not fill the memory

WITHIN_S = 1.5  # how long a commit waits for a connected standby before it counts as away
MANY_WITHIN_S = 15.0  # how long a catch-up batch may take on a slow card; no commit waits for it
FEW = 64  # most entries and people in a batch that a commit may wait for
SILENT_S = 5.0  # a standby acknowledges each beat, every 2 s
RETRY_S = 1.0


class DecryptionFailed(Exception):
    """A line not written by the other side, not now, or not in this place."""


class EncryptedFeed:
    """One direction of one connection: each line is sealed with its number, so none is left out, repeated or moved.
    key: shared; nonce, salt: one from each side, new for each connection, so that its key is never reused.
    ChaCha20-Poly1305: a Pi has no AES instructions."""

    def __init__(self, key: bytes, nonce: str, salt: str) -> None:
        # Imported here: a hub without a standby does not need it.
        from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

        once = hmac.digest(f"{nonce}\n{salt}".encode(), key, "sha256")
        self._cipher = ChaCha20Poly1305(hmac.digest(once, LABEL + b"\x01", "sha256"))
        self._lines = 0

    def encrypt(self, message: Mapping[str, Any]) -> bytes:
        """The message as one line of an event stream."""
        plain = zlib.compress(json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode(), 1)
        return b"data: " + base64.b64encode(self._cipher.encrypt(self._next(), plain, LABEL)) + b"\n\n"

    def decrypt(self, line: bytes) -> dict[str, Any]:
        """The message in the next line. Raises DecryptionFailed."""
        from cryptography.exceptions import InvalidTag

        try:
            packed = self._cipher.decrypt(
                self._next(), base64.b64decode(line.removeprefix(b"data: "), validate=False), LABEL
            )
            unpacking = zlib.decompressobj()
            plain = unpacking.decompress(packed, PLAIN_BYTES_MAX)
            message = json.loads(plain)
        except (InvalidTag, ValueError, zlib.error, RecursionError) as error:
            raise DecryptionFailed from error
        if unpacking.unconsumed_tail or not isinstance(message, dict):
            raise DecryptionFailed
        return message

    def _next(self) -> bytes:
        self._lines += 1
        return self._lines.to_bytes(12, "big")


Message = dict[str, Any]


class StandbyCopy:
    """One connection of one standby. `open`, `write` and `close` run in the copy's thread, `acknowledged` on the loop.
    `heads`: what the standby reports to have on its disk; `address`: where it will serve as the hub."""

    def __init__(
        self,
        unit: str,
        session: str,
        heads: Mapping[str, Head],
        address: str | None,
        loop: asyncio.AbstractEventLoop,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = unit
        self.session = session
        self.address = address
        self.queue: deque[Message] = deque()  # messages for the feed, which takes them on the loop
        self.news = asyncio.Event()
        self.ended = False
        self.is_level_reported = False
        self._loop = loop
        self._now_s = now_s
        self._lock = threading.Condition()
        self._heads = dict(heads)
        self._number = self._acknowledged = self._seq = 0
        self._heard_s = now_s()

    def open(self, lineage: str, epoch: str) -> Mapping[str, Head]:
        with self._lock:
            self._refuse_silent()
            return dict(self._heads)

    def write(self, batch: CommitBatch) -> None:
        with self._lock:
            self._refuse_silent()
            self._number += 1
            number = self._number
            self.queue.append({"type": "batch", "number": number, **batch.rows()})
            self.wake()
            few = len(batch.entries) + len(batch.people) <= FEW
            give_up_s = self._now_s() + (WITHIN_S if few else MANY_WITHIN_S)
            while self._acknowledged < number:
                left_s = give_up_s - self._now_s()
                if self.ended or left_s <= 0:
                    raise OSError(errno.ETIMEDOUT, "no answer")
                self._lock.wait(left_s)
            self._heads.update(batch.heads)

    def close(self) -> None:
        pass

    def acknowledged(self, seq: int, number: int) -> bool:
        """The standby has all batches up to `number` on its disk; False for an outdated or invalid acknowledgement."""
        with self._lock:
            if self.ended or seq <= self._seq or not self._acknowledged <= number <= self._number:
                return False
            self._seq, self._heard_s, self._acknowledged = seq, self._now_s(), number
            self._lock.notify_all()
        return True

    def end(self) -> None:
        """Its feed has ended."""
        with self._lock:
            self.ended = True
            self.wake()
            self._lock.notify_all()

    def _refuse_silent(self) -> None:
        if self.ended or self._now_s() - self._heard_s > SILENT_S:
            raise OSError(errno.ENOTCONN, "no contact")

    def wake(self) -> None:
        """Wake the feed. From any thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self.news.set)


class Standbys:
    """All standbys of a hub, and which of them are complete. Thread-safe. `listeners` are called when one has become
    complete; from any thread, and must only enqueue."""

    def __init__(self, copies: Copies) -> None:
        self._copies = copies
        self.journal = copies.journal
        self.listeners: list[Callable[[], None]] = []

    def join(self, copy: StandbyCopy) -> None:
        """Add a standby; once it has caught up, every commit waits for it. Its older connection ends."""
        self.disconnect({copy.name})
        self._copies.add(copy, RETRY_S)

    def acknowledged(self, unit: str, session: str, seq: int, number: int) -> bool:
        return any(
            (copy.name, copy.session) == (unit, session) and copy.acknowledged(seq, number) for copy in self._known()
        )

    def is_level(self, copy: StandbyCopy) -> bool:
        """Whether it is complete, and every commit waits for it."""
        return any(state.name == copy.name and state.state == CURRENT for state in self._copies.states)

    def addresses(self) -> list[str]:
        """Where the standbys that were complete once will serve as the hub."""
        return sorted({each.address for each in self._known() if each.is_level_reported and each.address})

    def report_level(self, copy: StandbyCopy) -> None:
        copy.is_level_reported = True
        for listener in self.listeners:
            listener()

    def wake_all(self) -> None:
        """A copy's state has changed."""
        for copy in self._known():
            copy.wake()

    def disconnect(self, names: Collection[str]) -> None:
        """End the feeds of these standbys: their keys were revoked."""
        for copy in self._known():
            if copy.name in names:
                copy.end()
                self._copies.remove(copy.name)

    def close_all(self) -> None:
        """End every feed: the hub stops, or another one continues."""
        for copy in self._known():
            copy.end()

    def _known(self) -> list[StandbyCopy]:
        return [copy for copy in self._copies.copies if isinstance(copy, StandbyCopy)]
