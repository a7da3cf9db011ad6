"""The outbox: each report is on this unit's disk before anything else happens to it, and stays until its event ends."""

from __future__ import annotations

import contextlib
import errno
import json
import logging
import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Kept:
    """A report with its signature, and what the hub said of it: None while the hub has not answered."""

    report: Mapping[str, Any]
    mac: str
    fate: str | None = None
    number: int | None = None
    hash: str | None = None
    reason: str | None = None

    @property
    def id(self) -> str:
        return str(self.report["report_id"])


class Outbox:
    """An append-only file of JSON lines, synced line by line; any thread may use it.

    A torn last line (the power went while it was written) was never acknowledged to anybody and is cut off.
    `at_point` is called with "after-outbox-fsync" once a new report is safe: tests cut the power there.
    """

    def __init__(self, path: Path, at_point: Callable[[str], None] = lambda _: None) -> None:
        self._path = path
        self._at_point = at_point
        self._lock = threading.Lock()
        self._kept: dict[str, Kept] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        self._read()
        self._file = open(path, "ab", buffering=0)  # noqa: SIM115 — for the unit's life: a report must not wait.
        _sync_folder(path.parent)

    def close(self) -> None:
        self._file.close()

    def put(self, report: Mapping[str, Any], mac: str) -> Kept:
        """Store a new report. On return it is on the disk. OSError where the disk refuses: then nothing is stored."""
        kept = Kept(report, mac)
        with self._lock:
            self._append({"report": dict(report), "mac": mac})
            self._kept[kept.id] = kept
        self._at_point("after-outbox-fsync")
        return kept

    def settle(self, echo: Mapping[str, Any]) -> Kept | None:
        """The hub's word on a report. "unknown" puts it back among the waiting: the hub has lost it, or never had it.

        Returns the report as it is kept now; None for one that is not this unit's, or whose fate was known.
        """
        with self._lock:
            kept = self._kept.get(str(echo.get("report_id")))
            if kept is None:
                return None
            fate = None if echo["fate"] == "unknown" else str(echo["fate"])
            settled = Kept(kept.report, kept.mac, fate, echo.get("number"), echo.get("hash"), echo.get("reason"))
            if settled == kept:
                return None
            self._append(_fate_line(settled))
            self._kept[kept.id] = settled
            return settled

    def waiting(self) -> list[Kept]:
        """Reports without an answer, oldest first."""
        with self._lock:
            return [kept for kept in self._kept.values() if kept.fate is None]

    def waits(self, report_id: str) -> bool:
        """Whether this report is still without an answer."""
        with self._lock:
            kept = self._kept.get(report_id)
            return kept is not None and kept.fate is None

    def all(self) -> list[Kept]:
        """Everything kept, oldest first: what a hub that was restored is offered again."""
        with self._lock:
            return list(self._kept.values())

    def forget_event(self, event: str) -> None:
        """The event has ended and its journal is the hub's: drop its answered reports, in one atomic step."""
        with self._lock:
            rest = {i: k for i, k in self._kept.items() if k.report["event"] != event or k.fate is None}
            if len(rest) == len(self._kept):
                return
            temporary = self._path.with_suffix(".new")
            with open(temporary, "wb") as file:
                for kept in rest.values():
                    file.write(_line({"report": dict(kept.report), "mac": kept.mac}))
                    if kept.fate is not None:
                        file.write(_line(_fate_line(kept)))
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, self._path)
            _sync_folder(self._path.parent)
            self._file.close()
            self._file = open(self._path, "ab", buffering=0)  # noqa: SIM115
            self._kept = rest

    def _take_line(self, line: Mapping[str, Any]) -> None:
        if "report" in line:
            kept = Kept(line["report"], line["mac"])
            if not isinstance(kept.report["event"], str):
                raise TypeError("a report without its event")
            self._kept[kept.id] = kept
            return
        fate = line["fate"]
        kept = self._kept[fate["report_id"]]
        self._kept[kept.id] = Kept(kept.report, kept.mac, fate["fate"], fate["number"], fate["hash"], fate["reason"])

    def _append(self, line: Mapping[str, Any]) -> None:
        data, length = _line(line), os.fstat(self._file.fileno()).st_size
        try:
            if self._file.write(data) != len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(self._file.fileno())
        except OSError:
            # Half a line would spoil the next one, and a whole one would come back to life at the next start.
            with contextlib.suppress(OSError):
                self._file.truncate(length)
            raise

    def _read(self) -> None:
        if not self._path.exists():
            return
        data = self._path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        for raw in whole.splitlines():
            try:
                self._take_line(json.loads(raw))
            except (ValueError, KeyError, TypeError):
                # A worn card can spoil a line; the reports on the others must still get out.
                log.error("a line of %s cannot be read and is passed over", self._path)
        if len(whole) < len(data):
            with open(self._path, "r+b") as file:
                file.truncate(len(whole))
                os.fsync(file.fileno())


def _fate_line(kept: Kept) -> dict[str, Any]:
    return {"fate": {"report_id": kept.id, "fate": kept.fate, "number": kept.number, "hash": kept.hash,
                     "reason": kept.reason}}


def _line(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _sync_folder(folder: Path) -> None:
    """A new file's name is only safe once its folder is."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
