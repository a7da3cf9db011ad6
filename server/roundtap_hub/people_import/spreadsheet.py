"""Spreadsheets, read by a process of its own with little memory and time: what breaks it breaks nothing here."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Sequence
from typing import Any

from roundtap_core.errors import Problem

ZIP, OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""How .xlsx, .xlsm, .xlsb and .ods begin; and .xls."""
UNPACKED_BYTES = 24 * 1024 * 1024
"""More than that is no list of players, however well it was packed."""
MOST_PARTS = 400
WITHIN_S = 20.0
ANSWER_BYTES = 8 * 1024 * 1024


def is_spreadsheet(raw: bytes) -> bool:
    return raw.startswith((ZIP, OLE))


def spreadsheet_rows(raw: bytes, rows: int, columns: int) -> list[Sequence[Any]]:
    """The first sheet that has anything in it, at most so many rows and one more, and columns and one more.

    Raises Problem("sheet_damaged", "sheet_locked", "sheet_too_big").
    """
    if raw.startswith(ZIP):
        raw = _repacked(raw)
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-m", "roundtap_hub.people_import.spreadsheet_process", str(rows), str(columns)],
            input=raw, capture_output=True, timeout=WITHIN_S, check=False, env={"PYTHONIOENCODING": "utf-8"})
    except subprocess.TimeoutExpired:
        raise Problem("sheet_too_big") from None
    except OSError:
        raise Problem("sheet_damaged") from None
    if done.returncode != 0 or len(done.stdout) > ANSWER_BYTES:
        raise Problem("sheet_too_big" if done.returncode < 0 else "sheet_damaged")
    said = json.loads(done.stdout)
    if "problem" in said:
        raise Problem(said["problem"])
    found: list[Sequence[Any]] = said["rows"]
    return found


def _repacked(raw: bytes) -> bytes:
    """The same parts, unpacked here within bounds: what a part says of its own length is not believed, and pictures
    are left out."""
    made, left = io.BytesIO(), UNPACKED_BYTES
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as packed, zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as plain:
            if len(packed.infolist()) > MOST_PARTS:
                raise Problem("sheet_too_big")
            for part in packed.infolist():
                if part.is_dir() or "media/" in part.filename or "Pictures/" in part.filename:
                    continue
                with packed.open(part) as file:
                    data = file.read(left + 1)
                left -= len(data)
                if left < 0:
                    raise Problem("sheet_too_big")
                plain.writestr(part.filename, data)
    except RuntimeError:
        raise Problem("sheet_locked") from None
    except (zipfile.BadZipFile, zlib.error, OSError, ValueError, KeyError, EOFError, NotImplementedError):
        raise Problem("sheet_damaged") from None
    return made.getvalue()
