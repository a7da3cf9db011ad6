"""The hub's clock, set to what an organizer's browser says in one press, or to what somebody types."""

from __future__ import annotations

from datetime import datetime

from flask import redirect, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Problem
from roundtap_hub.pages.base import field, mended_on, the_hub
from roundtap_hub.pages.this_hub import this_hub
from roundtap_hub.policy import ORGANIZERS, route

DIGITS_MAX = 15


@route("POST /console/hub/time", ORGANIZERS)
@mended_on(this_hub)
def set_hall_time() -> AnyResponse:
    """`epoch_ms`: the browser's clock, which a script fills in; else `time`, typed as at this place."""
    hall_time, said, typed = the_hub().host.hall_time, field("epoch_ms"), field("time")
    if hall_time is None:
        raise Problem("hall_time_elsewhere")
    if said.isdecimal() and len(said) <= DIGITS_MAX:
        epoch_ms = int(said)
    else:
        try:
            epoch_ms = int(datetime.fromisoformat(typed[:19]).astimezone().timestamp() * 1000)
        except (ValueError, OverflowError, OSError):
            raise Problem("hall_time_typed", where="/time") from None
    hall_time.set_to(epoch_ms)
    return redirect(url_for("console.this_hub") + "#time", 303)
