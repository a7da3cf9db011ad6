"""What a table's unit and a print station get, as parsed JSON."""

import json
from typing import Any

from roundtap_core.wire import struct_json
from roundtap_hub.paper.print_jobs import job_content
from roundtap_hub.units.table_view import table_view


def table_json(*asked: Any, **more: Any) -> Any:
    return json.loads(struct_json(table_view(*asked, **more)))


def job_json(*asked: Any, **more: Any) -> Any:
    content = job_content(*asked, **more)
    return None if content is None else json.loads(struct_json(content))
