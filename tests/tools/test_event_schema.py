"""The published JSON Schema of the event file is the one that its types make."""

import json

from event_schema import DOCUMENT, schema, written


def test_the_schema_is_made_from_the_types() -> None:
    """Written anew by `python tests/tools/event_schema.py`."""
    text = DOCUMENT.read_text(encoding="utf-8")
    assert text == written(schema(json.loads(text))) + "\n"
