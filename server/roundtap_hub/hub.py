"""One hub: its service, its hall, its keys, and the folder it lives in."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from roundtap_core.errors import Problem
from roundtap_hub.journal.clocks import Clocks
from roundtap_hub.journal.service import Service
from roundtap_hub.presence import Presence
from roundtap_hub.printing.job_book import PrintBook

PIN_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Hub:
    """What pages, device API and feeds are handed. `unit_keys`: key by unit id, from `keys.json` in the folder."""

    service: Service
    presence: Presence
    clocks: Clocks
    unit_keys: Mapping[str, bytes]
    secret: bytes
    """Signs the browsers' sessions."""
    pin_hash: str
    language: str = "en"
    bench_url: str | None = None
    """Set by the demo: where the virtual tables are."""
    paper: PrintBook | None = None
    """What was printed; None: a hub without paper."""


def read_keys(path: Path) -> dict[str, bytes]:
    """Keys of the enrolled units: {"unit id": "64 hex digits"}. No file: no units."""
    if not path.exists():
        return {}
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        keys = {str(unit): bytes.fromhex(key) for unit, key in raw.items()}
    except (ValueError, AttributeError, TypeError) as error:
        raise Problem("keys_unreadable", where=str(path)) from error
    if any(len(key) < 32 for key in keys.values()):
        raise Problem("keys_unreadable", where=str(path))
    return keys


def read_or_make_secret(path: Path, n_bytes: int = 32) -> bytes:
    """A file of random bytes in hex that only the hub's user may read; made on the first start."""
    if path.exists():
        return bytes.fromhex(path.read_text().strip())
    secret = secrets.token_bytes(n_bytes)
    write_private(path, secret.hex())
    return secret


def read_or_make_pin(path: Path) -> tuple[str, str | None]:
    """(hash of the organizer's PIN, the PIN itself if it was made just now: the one time it can be shown)."""
    if path.exists():
        return path.read_text().strip(), None
    pin = "".join(secrets.choice("0123456789") for _ in range(PIN_DIGITS))
    hashed = hash_pin(pin)
    write_private(path, hashed)
    return hashed, pin


def hash_pin(pin: str, salt: str | None = None) -> str:
    """scrypt of a PIN: slow on purpose, so that a stolen file is not a PIN."""
    salt = salt or secrets.token_hex(8)
    digest = hashlib.scrypt(pin.encode(), salt=salt.encode(), n=2**13, r=8, p=1).hex()
    return f"{salt}${digest}"


def pin_is(pin: str, hashed: str) -> bool:
    """Whether `pin` is the one that was hashed."""
    salt = hashed.split("$")[0]
    return hmac.compare_digest(hash_pin(pin, salt), hashed)


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner may read, whole or not at all."""
    temporary = path.with_suffix(".new")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)
