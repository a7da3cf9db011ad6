"""Enrolment: what hub and unit make of six digits and the exchange between them, to the byte. The exchange itself is
SPAKE2, the hub its side A and the unit its side B (package `spake2`), which neither imports before somebody enrols.
"""

from __future__ import annotations

import hashlib
import hmac

from msgspec import Struct

CODE_DIGITS = 6
KEY_BYTES = 32
MESSAGE_BYTES = 33
"""Of SPAKE2: the side's letter, and an element of the group."""
FIELD, FIELD_BITS = 2**255 - 19, 2**255 - 1
"""Elements are points of Ed25519: their coordinate is below the field's prime, and one bit says the other's sign."""
LABEL = b"roundtap/enrol/1"
HUB_IDENTITY = LABEL + b" hub"
"""Of side A in SPAKE2; which hub it is stands in what both confirm."""


class ExchangeContext(Struct, frozen=True):
    """What both sides must mean by one exchange: which hub and which epoch of its journal, which unit and what kind,
    which of its codes, and the exchange's own random name. Another hub, unit or code makes another key."""

    hub: str
    epoch: str
    unit_id: str
    kind: str
    serial: int
    exchange: str

    @property
    def unit_identity(self) -> bytes:
        """Of side B in SPAKE2."""
        return unit_identity(self.unit_id, self.kind, self.serial)

    @property
    def whole(self) -> bytes:
        """All of it."""
        return _length_prefixed(b"hub", self.hub, self.epoch, self.exchange, self.unit_identity)


class ExchangeKeys(Struct, frozen=True):
    """What follows from one exchange. The confirmations are in hex: the hub says its first, the unit answers with its
    own only if that is right; who says a wrong one had other digits. `key`: the unit's from then on."""

    hub_confirms: str
    unit_confirms: str
    key: bytes


def unit_identity(unit_id: str, kind: str, serial: int) -> bytes:
    """Of side B in SPAKE2, known before any hub is."""
    return _length_prefixed(b"unit", unit_id, kind, str(serial))


def commitment(unit_message: bytes) -> str:
    """What a unit says of its message before anybody can read the code that this is made for: who learns the code later
    has no message that fits. In hex."""
    return hashlib.sha256(_length_prefixed(LABEL, b"commits", unit_message)).hexdigest()


def password(code: str) -> bytes:
    """What both put into the exchange. ValueError for anything but six digits."""
    if len(code) != CODE_DIGITS or not (code.isascii() and code.isdigit()):
        raise ValueError("six digits are wanted")
    return LABEL + b"\n" + code.encode()


def derive_keys(shared: bytes, about: ExchangeContext, hub_message: bytes, unit_message: bytes) -> ExchangeKeys:
    """By HKDF-SHA256 from what SPAKE2 gave, bound to everything that was said; three keys that tell nothing of each
    other. ValueError where an element was written in a way that no side writes it."""
    for message in (hub_message, unit_message):
        if int.from_bytes(message[1:], "little") & FIELD_BITS >= FIELD:
            # The package refuses the identity by its usual bytes only; it has others.
            raise ValueError("an element that is not reduced")
    transcript = hashlib.sha256(_length_prefixed(LABEL, about.whole, hub_message, unit_message)).digest()
    secret = hmac.digest(transcript, shared, "sha256")

    def expanded(purpose: bytes) -> bytes:
        return hmac.digest(secret, LABEL + b" " + purpose + b"\x01", "sha256")

    def confirmation(side: bytes) -> str:
        return hmac.digest(expanded(side + b" confirms"), transcript, "sha256").hex()

    return ExchangeKeys(confirmation(b"hub"), confirmation(b"unit"), expanded(b"unit key"))


def parse_hex_message(said: object) -> bytes:
    """A side's message from its hex digits. ValueError for anything of another shape; the group's own checks follow."""
    if not isinstance(said, str) or len(said) != 2 * MESSAGE_BYTES or not said.isascii():
        raise ValueError("not a message of an exchange")
    return bytes.fromhex(said)


def _length_prefixed(*parts: bytes | str) -> bytes:
    """One text of many, each with its length before it: no two lists make the same."""
    encoded = [part.encode() if isinstance(part, str) else part for part in parts]
    return b"".join(len(part).to_bytes(4, "big") + part for part in encoded)
