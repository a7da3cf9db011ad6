"""The lines of a unit's files, each with a checksum of its content."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from roundtap_core.wire import canonical_json, digest

UNREADABLE = (ValueError, KeyError, TypeError, RecursionError)
"""What reading strange bytes as one of these lines may raise."""


def checksum_line(content: Mapping[str, Any]) -> bytes:
    """One line of JSON with `sum`, the SHA-256 of the canonical JSON of the rest, and a line feed."""
    return canonical_json({**content, "sum": digest(content)}) + b"\n"


def read_checksum_line(raw: bytes) -> tuple[dict[str, Any], bool]:
    """(the content of a line without its sum, whether it had one). ValueError where it is none, or its sum is wrong."""
    line = json.loads(raw)
    if not isinstance(line, dict):
        raise ValueError("a line that is no object")
    claimed = line.pop("sum", None)
    if claimed is not None and claimed != digest(line):
        raise ValueError("the checksum is wrong")
    return line, claimed is not None


def key_fingerprint(key: bytes) -> str:
    """Distinguishes two keys and reveals neither."""
    return hashlib.sha256(b"roundtap/key-mark/1\n" + key).hexdigest()[:16]
