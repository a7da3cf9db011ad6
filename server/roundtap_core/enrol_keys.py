"""Enrolment keys: what hub and unit derive, to the byte, from six digits and a SPAKE2 exchange.

A unit shows eight: two say which unit it is, six are the code.
The hub is side A and the unit side B; both run the exchange itself by the package spake2, outside the core.
"""

import hashlib
import hmac

from msgspec import Struct

CODE_DIGITS = 6
MESSAGE_BYTES = 33  # of SPAKE2: the side's letter and a group element
FIELD, FIELD_BITS = 2**255 - 19, 2**255 - 1
"""Elements are points of Ed25519: a coordinate below the field's prime, and one bit for the other's sign."""
LABEL = b"roundtap/enrol/1"
HUB_IDENTITY = LABEL + b" hub"  # side A in SPAKE2; the confirmations cover which hub it is


class ExchangeContext(Struct, frozen=True):
    """What both sides must agree on: hub and journal epoch, unit and kind, the code, and the exchange's random name."""

    hub: str
    epoch: str
    unit_id: str
    kind: str
    serial: int
    exchange: str

    @property
    def unit_identity(self) -> bytes:
        return unit_identity(self.unit_id, self.kind, self.serial)

    @property
    def whole(self) -> bytes:
        return _length_prefixed(b"hub", self.hub, self.epoch, self.exchange, self.unit_identity)


class ExchangeKeys(Struct, frozen=True):
    """The keys of one exchange. `key`: the unit's from then on. Confirmations are in hex: the hub sends its own first,
    and the unit answers only if it is right; a wrong one means other digits."""

    hub_confirms: str
    unit_confirms: str
    key: bytes


def unit_identity(unit_id: str, kind: str, serial: int) -> bytes:
    """Side B in SPAKE2, known before any hub is."""
    return _length_prefixed(b"unit", unit_id, kind, str(serial))


def commitment(unit_message: bytes) -> str:
    """In hex, sent before the code can be read: a party who learns the code later has no message that fits."""
    return hashlib.sha256(_length_prefixed(LABEL, b"commits", unit_message)).hexdigest()


def code_password(code: str) -> bytes:
    """The password of the exchange. ValueError for anything but six digits."""
    if len(code) != CODE_DIGITS or not (code.isascii() and code.isdigit()):
        raise ValueError("six digits are wanted")
    return LABEL + b"\n" + code.encode()


def derive_keys(shared: bytes, about: ExchangeContext, hub_message: bytes, unit_message: bytes) -> ExchangeKeys:
    """Three independent keys by HKDF-SHA256 from SPAKE2's result, bound to all messages. ValueError for a non-canonical
    element."""
    for message in (hub_message, unit_message):
        if int.from_bytes(message[1:], "little") & FIELD_BITS >= FIELD:
            # The package refuses only the usual encoding of the identity; there are others.
            raise ValueError("an element that is not reduced")
    transcript = hashlib.sha256(_length_prefixed(LABEL, about.whole, hub_message, unit_message)).digest()
    secret = hmac.digest(transcript, shared, "sha256")

    def expanded(purpose: bytes) -> bytes:
        return hmac.digest(secret, LABEL + b" " + purpose + b"\x01", "sha256")

    def confirmation(side: bytes) -> str:
        return hmac.digest(expanded(side + b" confirms"), transcript, "sha256").hex()

    return ExchangeKeys(confirmation(b"hub"), confirmation(b"unit"), expanded(b"unit key"))


def parse_hex_message(digits: object) -> bytes:
    """A side's message from hex digits. ValueError for another shape; the group's own checks follow."""
    if not isinstance(digits, str) or len(digits) != 2 * MESSAGE_BYTES or not digits.isascii():
        raise ValueError("not a message of an exchange")
    return bytes.fromhex(digits)


def _length_prefixed(*parts: bytes | str) -> bytes:
    """All parts with length prefixes: no two lists give the same bytes."""
    encoded = [part.encode() if isinstance(part, str) else part for part in parts]
    return b"".join(len(part).to_bytes(4, "big") + part for part in encoded)
