"""Which unit was called what, by its own mark: enrolled again, a unit keeps its name. `unit-ids.json` in the folder."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Mapping
from pathlib import Path

from roundtap_hub.private_files import write_private

log = logging.getLogger(__name__)

IDS_FILE = "unit-ids.json"
IDS_MAX = 999
ID_LENGTH_MAX = 64


class KnownIds:
    """Name by mark. Nothing depends on it but a name that is offered: a file that cannot be read is begun anew.
    path None: in memory."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._ids: dict[str, str] = _read(path) if path is not None else {}

    def name_of(self, unit_id: str) -> str | None:
        """What the unit of this mark was called last."""
        return self._ids.get(unit_id)

    def ids_of(self, unit: str) -> list[str]:
        return [unit_id for unit_id, name in self._ids.items() if name == unit]

    def note(self, unit_id: str, unit: str) -> None:
        """This unit has this name now, and no other has it. OSError: nothing is noted."""
        with self._lock:
            ids: dict[str, str] = {each: name for each, name in self._ids.items() if name != unit and each != unit_id}
            ids[unit_id] = unit
            while len(ids) > IDS_MAX:
                del ids[next(iter(ids))]
            if self._path is not None:
                write_private(self._path, json.dumps(ids, indent=1) + "\n")
            self._ids = ids


def _read(path: Path) -> dict[str, str]:
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        log.error("%s cannot be read; units that are enrolled again get other names: %s", path, error)
        return {}
    ids: Mapping[object, object] = raw if isinstance(raw, dict) else {}
    return {unit_id: name for unit_id, name in list(ids.items())[:IDS_MAX]
            if isinstance(unit_id, str) and isinstance(name, str) and len(unit_id) <= ID_LENGTH_MAX}
