"""A standby as a copy of the journal (store/copies.py): answers are sealed; a write returns once it is on its disk."""

import base64
import errno
import hmac
import json
import secrets
import threading
import time
from collections.abc import Collection, Mapping
from typing import Any

from roundtap_hub.store.copies import CURRENT, CommitBatch, Copies
from roundtap_hub.store.journal import Head

LABEL = b"roundtap/standby/2"

WITHIN_S = 1.5  # how long a commit waits for a connected standby before it counts as away
MANY_WITHIN_S = 15.0  # how long a catch-up batch may take on a slow card; no commit waits for it
FEW = 64  # most entries and people in a batch that a commit may wait for
SILENT_S = 5.0  # a standby acknowledges each beat, every 2 s
RETRY_S = 1.0


class DecryptionFailed(ValueError):
    """An answer not written by the other side, or not to this request."""


Message = dict[str, Any]


def seal(key: bytes, nonce: str, message: Mapping[str, Any]) -> dict[str, str]:
    """The answer to the request with this nonce. Key and cipher are new for each, by a nonce of either side.
    ChaCha20-Poly1305: a Pi has no AES instructions."""
    salt = secrets.token_hex(16)
    plain = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
    return {
        "salt": salt,
        "sealed": base64.b64encode(_cipher(key, nonce, salt).encrypt(bytes(12), plain, LABEL)).decode(),
    }


def unseal(key: bytes, nonce: str, answer: Mapping[str, Any]) -> Message:
    """The message in the hub's answer to the request with this nonce. Raises DecryptionFailed."""
    from cryptography.exceptions import InvalidTag

    try:
        sealed = base64.b64decode(answer["sealed"], validate=True)
        message: Message = json.loads(_cipher(key, nonce, str(answer["salt"])).decrypt(bytes(12), sealed, LABEL))
    except (InvalidTag, KeyError, TypeError, ValueError) as error:
        raise DecryptionFailed("key") from error
    return message


def _cipher(key: bytes, nonce: str, salt: str) -> Any:
    # Imported here: a hub without a standby does not need it.
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    once = hmac.digest(f"{nonce}\n{salt}".encode(), key, "sha256")
    return ChaCha20Poly1305(hmac.digest(once, LABEL, "sha256"))


class StandbyCopy:
    """What one standby has asked for since its hello. `open`, `write` and `close` run in the copy's thread, `take` in
    one of each request, which may wait, `acknowledge` on the loop. `address`: where it will serve as the hub;
    `challenge`: goes with the next answer, and whoever says it has taken that one; `told`, `due_s`: what it knows
    besides the entries, and when it is told again."""

    def __init__(self, unit: str, heads: Mapping[str, Head], address: str | None) -> None:
        self.name = unit
        self.address = address
        self.challenge = secrets.token_hex(16)
        self.told: dict[str, Any] = {}
        self.due_s = 0.0
        self.ended = False
        self.was_level = False
        self._changed = threading.Condition()
        self._heads = dict(heads)  # what it reports to have on its disk
        self._batch: Message | None = None  # until it has reported to have it
        self._taken = False
        self._heard_s = time.monotonic()

    def open(self, lineage: str, epoch: str) -> Mapping[str, Head]:
        self.verify_place()
        return dict(self._heads)

    def write(self, batch: CommitBatch) -> None:
        self.verify_place()
        few = len(batch.entries) + len(batch.people) <= FEW
        with self._changed:
            self._batch, self._taken = {"type": "batch", **batch.rows()}, False
            self._changed.notify_all()
            stored = self._changed.wait_for(
                lambda: self.ended or self._batch is None, WITHIN_S if few else MANY_WITHIN_S
            )
        if self.ended or not stored:
            raise OSError(errno.ETIMEDOUT, "no answer")
        self._heads.update(batch.heads)

    def verify_place(self) -> None:
        if self.ended or time.monotonic() - self._heard_s > SILENT_S:
            raise OSError(errno.ENOTCONN, "no contact")

    def close(self) -> None:
        pass

    def take(self, within_s: float) -> Message | None:
        """The batch for the next answer, as soon as there is one; None: nothing came, or it has ended."""
        with self._changed:
            self._changed.wait_for(lambda: self.ended or self._batch is not None, within_s)
            self._taken = self._batch is not None
            return self._batch

    def acknowledge(self, challenge: str | None) -> bool:
        """The standby has all that it took on its disk; False for another challenge than that of the last answer."""
        with self._changed:
            if self.ended or challenge != self.challenge:
                return False
            self.challenge, self._heard_s = secrets.token_hex(16), time.monotonic()
            if self._taken:
                self._batch = None
            self._changed.notify_all()
        return True

    def end(self) -> None:
        """Nothing more is answered."""
        with self._changed:
            self.ended = True
            self._changed.notify_all()


class Standbys:
    """All standbys of a hub, and which of them are complete. Thread-safe."""

    def __init__(self, copies: Copies) -> None:
        self._copies = copies
        self.journal = copies.journal

    def join(self, copy: StandbyCopy) -> None:
        """Add a standby; once it has caught up, every commit waits for it. What it asked before its hello ends."""
        self.disconnect({copy.name})
        self._copies.add(copy, RETRY_S)

    def acknowledged(self, unit: str, challenge: str | None) -> StandbyCopy | None:
        """The standby that has all of the answer with this challenge on its disk."""
        return next((copy for copy in self._known() if copy.name == unit and copy.acknowledge(challenge)), None)

    def is_level(self, copy: StandbyCopy) -> bool:
        """Whether it is complete, and every commit waits for it."""
        return any(state.name == copy.name and state.state == CURRENT for state in self._copies.states)

    def addresses(self) -> list[str]:
        """Where the standbys that were complete once will serve as the hub."""
        return sorted({each.address for each in self._known() if each.was_level and each.address})

    def disconnect(self, names: Collection[str]) -> None:
        """These standbys are answered no more: their keys were revoked."""
        for copy in self._known():
            if copy.name in names:
                copy.end()
                self._copies.remove(copy.name)

    def close_all(self) -> None:
        """Answer none any more: the hub stops, or another one continues."""
        for copy in self._known():
            copy.end()

    def _known(self) -> list[StandbyCopy]:
        return [copy for copy in self._copies.copies if isinstance(copy, StandbyCopy)]
