"""Console pages *Hall* and *Before the doors open*: what is wrong at each place, what is checked, and the bundle for
whoever helps."""

from collections.abc import Collection
from dataclasses import dataclass

from flask import abort, jsonify, request
from werkzeug.wrappers import Response as AnyResponse

from roundtap_hub.hall.diagnostics import diagnostics_text
from roundtap_hub.http.requester import is_local_request
from roundtap_hub.http.routes import EVERYBODY, ORGANIZERS, STAFF, PageKey, route
from roundtap_hub.live import current, render
from roundtap_hub.live.hall_pages import hall_checks, place_page
from roundtap_hub.views import places
from roundtap_hub.views.preflight_checks import all_checks, failed_checks, table_units, unit_rows
from roundtap_hub.views.round_clock import DATE_AND_TIME, announcement_lines, time_of_day
from roundtap_machine import checks as machine_checks
from roundtap_machine.services import list_services, log_lines


@route("GET /console/hall", STAFF)
def hall_page() -> AnyResponse:
    """Each place with what is wrong or noted there, the worst first."""
    checks = [check for check in hall_checks() if check.state in (machine_checks.WRONG, machine_checks.NOTE)]
    rows = [
        (place, machine_checks.worst_first(check for check in checks if check.group in place.counts))
        for place in places.OF_HALL
        if place.key not in ("overview", "preflight")
    ]
    rows.sort(key=lambda row: machine_checks.STATES.index(machine_checks.worst(row[1])))
    lines = announcement_lines(
        current.snapshot().venue.display_plan.announcements, current.instant(), current.hub().clocks.wall()
    )
    return place_page("hall_overview.html", "overview", PageKey("before-doors"), rows=rows, said=lines)


@dataclass(frozen=True, slots=True)
class CheckGroup:
    """A part of the hall: `findings` are the checks that are wrong or notes, worst first; `fine` the others."""

    name: str
    findings: tuple[machine_checks.Check, ...]
    fine: tuple[machine_checks.Check, ...]

    @property
    def wrong(self) -> int:
        return sum(check.state == machine_checks.WRONG for check in self.findings)


def group_checks(checks: Collection[machine_checks.Check]) -> list[CheckGroup]:
    """The checks by part of the hall, in the order of GROUPS."""
    groups = [
        CheckGroup(
            name,
            tuple(
                machine_checks.worst_first(
                    c for c in checks if c.group == name and c.state in (machine_checks.WRONG, machine_checks.NOTE)
                )
            ),
            tuple(c for c in checks if c.group == name and c.state not in (machine_checks.WRONG, machine_checks.NOTE)),
        )
        for name in machine_checks.GROUPS
    ]
    return [group for group in groups if group.findings or group.fine]


@route("GET /console/before-doors", STAFF)
def preflight_page() -> AnyResponse:
    """One line per check with what to do, by part of the hall, worst first; checks that are fine share one line."""
    hub, snapshot, units = current.hub(), current.snapshot(), current.units()
    checks = all_checks(hub, snapshot, units, current.now_ms())
    return place_page(
        "preflight.html",
        "preflight",
        PageKey("before-doors"),
        groups=group_checks(checks),
        wrong=failed_checks(checks),
        noted=[check for check in checks if check.state == machine_checks.NOTE],
        unit_rows=unit_rows(snapshot, table_units(hub, snapshot, units), units, current.now_ms()),
        wall=time_of_day(hub.clocks.wall(), form=f"{DATE_AND_TIME} %Z"),
    )


@route("GET /checks", EVERYBODY)
def checks_for_doctor() -> AnyResponse:
    """All checks of that page as JSON, for `roundtap doctor` on the hub's own machine; for nobody else."""
    if not is_local_request(request.remote_addr or "", request.host):
        abort(404)
    return jsonify(
        checks=[
            each.as_json() for each in all_checks(current.hub(), current.snapshot(), current.units(), current.now_ms())
        ]
    )


@route("GET /console/before-doors/diagnostics.txt", ORGANIZERS)
def diagnostics() -> AnyResponse:
    """Diagnostics for a remote helper, without anything confidential."""
    hub, snapshot = current.hub(), current.snapshot()
    states = list(snapshot.events.values())
    counts = {
        "events": len(snapshot.ids),
        "events_open": sum(not state.finished for state in states),
        "players": sum(len(state.entrants) for state in states),
        "units": len(hub.units.keys),
        "units_heard": len(current.units()),
        "venue_entries": snapshot.venue.number,
    }
    copies = hub.service.copies
    settings = {
        "role": "hub",
        "language": hub.language,
        "on_database": "yes" if hub.host.on_database else "no",
        "encrypted": "yes" if hub.access.encrypted is not None else "no",
        "copies": str(len(copies.states) if copies is not None else 0),
    }
    text = diagnostics_text(
        all_checks(hub, snapshot, current.units(), current.now_ms()), list_services(), log_lines(), counts, settings
    )
    return render.download(text, "text/plain; charset=utf-8", "roundtap-diagnostics.txt")
