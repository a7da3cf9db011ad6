"""The event file's JSON Schema as it is published."""

import json
from pathlib import Path
from typing import Any

from roundtap_core.eventfile import file_schema

EVENT_SCHEMA: dict[str, Any] = json.loads(
    Path(file_schema.__file__).with_name("event.schema.json").read_text(encoding="utf-8")
)
