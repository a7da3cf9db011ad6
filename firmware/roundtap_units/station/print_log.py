"""What the print station remembers: which jobs may be on paper. Noted on the disk before the first byte leaves."""

from __future__ import annotations

import json
import logging
import os
from pathlib import Path
from typing import Any

from roundtap_systemd.atomic_write import write_atomically

log = logging.getLogger(__name__)

KEPT_JOBS = 4000
"""Of a few events: a hub that comes back from an old backup must still not have its jobs printed again."""


class PrintLog:
    """An append-only file of JSON lines [job id, state, detail], synced line by line.

    The last line of a job counts. A torn last line was never acted upon, and is cut off.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.jobs: dict[str, tuple[str, str]] = {}
        self.printer_answers = False
        path.parent.mkdir(parents=True, exist_ok=True)
        self._read()
        self._rewrite()
        self._file = open(path, "ab")  # noqa: SIM115 — held open for the station's life.

    def close(self) -> None:
        self._file.close()

    def note(self, job_id: str, state: str, detail: str = "") -> None:
        """On return it is on the disk. Raises OSError; a job that could not be noted as begun is forgotten again."""
        if len(self.jobs) >= 2 * KEPT_JOBS:
            self._shorten()
        before = self.jobs.pop(job_id, None)
        self.jobs[job_id] = (state, detail)
        try:
            self._append([job_id, state, detail])
        except OSError:
            if before is None:
                del self.jobs[job_id]
            raise

    def note_printer_answers(self) -> None:
        """This printer answers: from now on its silence means something."""
        self._note_answers(True)

    def note_printer_is_mute(self) -> None:
        """A person's word that this printer answers no more. Raises OSError."""
        self._note_answers(False)

    def _note_answers(self, answers: bool) -> None:
        if self.printer_answers != answers:
            self._append({"printer_answers": answers})
            self.printer_answers = answers

    def in_state(self, state: str) -> list[str]:
        return [job_id for job_id, (known, _) in self.jobs.items() if known == state]

    def _shorten(self) -> None:
        """A station that is never started again does not grow either. OSError: it is as long as before."""
        self._rewrite()
        self._file.close()
        self._file = open(self._path, "ab")  # noqa: SIM115

    def _append(self, line: Any) -> None:
        self._file.write(_line(line))
        self._file.flush()
        os.fsync(self._file.fileno())

    def _read(self) -> None:
        if not self._path.exists():
            return
        for raw in self._path.read_bytes().split(b"\n")[:-1]:
            try:
                line = json.loads(raw)
                if isinstance(line, dict):
                    self.printer_answers = line["printer_answers"]
                else:
                    job_id, state, detail = line
                    self.jobs.pop(job_id, None)
                    self.jobs[job_id] = (state, detail)
            except (ValueError, KeyError, TypeError):
                log.error("a line of %s cannot be read and is passed over", self._path)

    def _rewrite(self) -> None:
        """One line a job, the newest KEPT_JOBS, in one atomic step: the file does not grow from start to start."""
        self.jobs = dict(list(self.jobs.items())[-KEPT_JOBS:])
        answers = [{"printer_answers": True}] if self.printer_answers else []
        jobs = [[job_id, state, detail] for job_id, (state, detail) in self.jobs.items()]
        write_atomically(self._path, b"".join(_line(line) for line in (*answers, *jobs)))


def _line(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
