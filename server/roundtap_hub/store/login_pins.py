"""The organizer's PIN: eight digits or a phrase, kept as a slow hash in a file that may be replaced at any time."""

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from roundtap_core.errors import Problem
from roundtap_hub.store.secure_files import write_private

PIN_DIGITS = 8
PHRASE_WORDS = 4
CONSONANTS, VOWELS = "bdfgklmnprstvz", "aeiou"
"""A phrase sounds alike in all four languages: "bado-remi-kuso-tafi", 49 bits."""
PIN_LETTERS_MAX = 64
HASH_PATTERN = re.compile(r"[^$\s]{1,64}\$[0-9a-f]{128}")

Choice = Callable[[Sequence[str]], str]


def new_pin(choice: Choice = secrets.choice) -> str:
    return "".join(choice("0123456789") for _ in range(PIN_DIGITS))


def new_phrase(choice: Choice = secrets.choice) -> str:
    return "-".join("".join(choice(letters) for letters in (CONSONANTS, VOWELS) * 2) for _ in range(PHRASE_WORDS))


def normalize_pin(pin: str) -> str:
    """A PIN or phrase without spaces, hyphens and capitals, which people type or leave out."""
    return "".join(pin.split()).replace("-", "").casefold()[:PIN_LETTERS_MAX]


def hash_pin(pin: str, salt: str | None = None) -> str:
    """scrypt of a PIN: slow on purpose, so that a stolen file is not a PIN."""
    salt = salt or secrets.token_hex(8)
    digest = hashlib.scrypt(normalize_pin(pin).encode(), salt=salt.encode(), n=2**13, r=8, p=1).hex()
    return f"{salt}${digest}"


def salt_of(hashed: str) -> str:
    """The salt of a PIN's hash; "" for an invalid one."""
    return hashed.partition("$")[0] if HASH_PATTERN.fullmatch(hashed) else ""


def verify_pin(pin: str, hashed: str) -> bool:
    """Whether `pin` is the hashed one; False for an invalid hash."""
    return bool(HASH_PATTERN.fullmatch(hashed)) and hmac.compare_digest(hash_pin(pin, salt_of(hashed)), hashed)


def write_pin(path: Path, pin: str, salt: str = "") -> str:
    """Write a PIN's file, which a running hub notices; returns the hash. `salt`: by default a new one, with which even
    the same PIN ends all sessions."""
    hashed = hash_pin(pin, salt)
    write_private(path, hashed)
    return hashed


def salt_in(path: Path) -> str:
    """The salt of a PIN's file, for another made by chance: the staff's PINs have it, too (`Staff.salt`). "": none."""
    with suppress(OSError, Problem):
        return salt_of(_read(path))
    return ""


def read_or_make_pin(path: Path) -> tuple[str, str | None]:
    """(hash of the organizer's PIN, the PIN itself if it was made now: the only time it can be shown). Raises
    Problem("pin_unreadable") for a file without a PIN: emptying it must neither open nor lock the hub unnoticed."""
    if path.exists():
        return _read(path), None
    pin = new_pin()
    return write_pin(path, pin), pin


def _read(path: Path) -> str:
    try:
        hashed = path.read_text(encoding="ascii").strip()
    except UnicodeDecodeError:
        hashed = ""
    if not HASH_PATTERN.fullmatch(hashed):
        raise Problem("pin_unreadable", where=str(path))
    return hashed


class PinFile:
    """The hash as the file has it now; a fixed one without a path. Thread-safe; costs one `stat`."""

    def __init__(self, hashed: str, path: Path | None = None) -> None:
        self._hashed = hashed
        self._path = path
        self._seen = self._look()

    @property
    def hashed(self) -> str:
        """The current hash; a file that is gone or holds no PIN changes nothing until the hub is restarted."""
        look = self._look()
        if look != self._seen and self._path is not None and look is not None:
            try:
                self._hashed = _read(self._path)
                self._seen = look
            except (OSError, Problem):
                pass
        return self._hashed

    def verify(self, pin: str) -> bool:
        """Whether this is the PIN."""
        return verify_pin(pin, self.hashed)

    def replace(self, pin: str, salt: str) -> None:
        """Set another PIN. OSError where the file cannot be written: then nothing has changed."""
        self._hashed = write_pin(self._path, pin, salt) if self._path is not None else hash_pin(pin, salt)
        self._seen = self._look()

    def _look(self) -> tuple[int, int, int] | None:
        if self._path is None:
            return None
        try:
            status = self._path.stat()
        except OSError:
            return None
        return status.st_ino, status.st_mtime_ns, status.st_size
