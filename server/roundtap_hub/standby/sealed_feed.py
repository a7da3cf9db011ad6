"""The feed to a standby, encrypted and signed: people's names and keys cross the venue's Wi-Fi."""

from __future__ import annotations

import base64
import hmac
import json
import zlib
from collections.abc import Mapping
from typing import Any

LABEL = b"roundtap/standby/1"
PLAIN_BYTES_MAX = 64 * 1024 * 1024
"""Far more than one message holds: a fake hub must not fill the memory."""


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
            packed = self._cipher.decrypt(self._next(), base64.b64decode(line.removeprefix(b"data: "), validate=False),
                                          LABEL)
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
