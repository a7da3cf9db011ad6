"""Before the doors open: every check of hub and hall on one page, and what to send to who helps."""

from __future__ import annotations

from flask import Response
from werkzeug.wrappers import Response as AnyResponse

from roundtap_hub.diagnostics import bundle
from roundtap_hub.pages.base import now_ms, page, the_hub, the_snapshot, the_units
from roundtap_hub.policy import ORGANIZERS, STAFF, route
from roundtap_hub.views.before_doors import all_checks, grouped, here_text, wrong
from roundtap_hub.views.units import table_units, unit_rows
from roundtap_systemd.services import log_lines, services


@route("GET /console/before-doors", STAFF)
def before_doors() -> AnyResponse:
    """One line a check with what to do, part by part, the worst first; what is fine is one line."""
    hub, snapshot, units = the_hub(), the_snapshot(), the_units()
    checks = all_checks(hub, snapshot, units, now_ms())
    return page("before_doors.html", feed="before-doors", groups=grouped(checks), wrong=wrong(checks),
                noted=[check for check in checks if check.state == "note"],
                unit_rows=unit_rows(snapshot, table_units(hub, snapshot, units), units, now_ms()),
                wall=here_text(hub.clocks.wall() or ""))


@route("GET /console/before-doors/diagnostics.txt", ORGANIZERS)
def diagnostics() -> AnyResponse:
    """For who helps from afar: what is known to be harmless, and nothing else."""
    hub, snapshot = the_hub(), the_snapshot()
    states = list(snapshot.events.values())
    counts = {"events": len(snapshot.ids), "events_open": sum(not state.finished for state in states),
              "players": sum(len(state.entrants) for state in states), "units": len(hub.units.keys),
              "units_heard": len(the_units()), "venue_entries": snapshot.venue.number}
    copies = hub.service.copies
    settings = {"role": "hub", "language": hub.language, "on_database": "yes" if hub.host.on_database else "no",
                "encrypted": "yes" if hub.access.encrypted is not None else "no",
                "copies": str(len(copies.states) if copies is not None else 0)}
    text = bundle(all_checks(hub, snapshot, the_units(), now_ms()), services(), log_lines(), counts, settings)
    answer = Response(text, content_type="text/plain; charset=utf-8")
    answer.headers["Content-Disposition"] = 'attachment; filename="roundtap-diagnostics.txt"'
    return answer
