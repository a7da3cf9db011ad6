"""The hall's places on the console: what they share, the overview, and the printer."""

from collections import Counter
from typing import Any

from werkzeug.wrappers import Response as AnyResponse

from roundtap_hub.http.routes import STAFF, route
from roundtap_hub.live import current, render
from roundtap_hub.paper.paper import asking_jobs
from roundtap_hub.views import places
from roundtap_hub.views.announcements import announcement_lines
from roundtap_hub.views.preflight_checks import all_checks, failed_checks
from roundtap_machine import checks as machine_checks


def place_page(template: str, place: str, feed: str = "", **context: Any) -> AnyResponse:
    """A page of the hall, with the places' navigation and the number of failed checks of each."""
    return render.page(
        template,
        feed,
        hall_place=place,
        hall_places=places.OF_HALL,
        failed=Counter(check.group for check in failed_checks(_checks())),
        **context,
    )


def _checks() -> list[machine_checks.Check]:
    return all_checks(current.hub(), current.snapshot(), current.units(), current.now_ms())


@route("GET /console/hall", STAFF)
def hall_page() -> AnyResponse:
    """Each place with what is wrong or noted there, the worst first."""
    checks = [check for check in _checks() if check.state in (machine_checks.WRONG, machine_checks.NOTE)]
    rows = [
        (place, machine_checks.worst_first(check for check in checks if check.group in place.counts))
        for place in places.OF_HALL
        if place.key not in ("overview", "preflight")
    ]
    rows.sort(key=lambda row: machine_checks.STATES.index(machine_checks.worst(row[1])))
    said = announcement_lines(
        current.snapshot().venue.display_plan.announcements, current.instant(), current.hub().clocks.wall()
    )
    return place_page("hall_overview.html", "overview", "before-doors", rows=rows, said=said)


@route("GET /console/printer", STAFF)
def printer_page() -> AnyResponse:
    """The print stations, and what each event that is not over has waiting."""
    states = [state for state in current.snapshot().events.values() if not state.finished]
    return place_page(
        "printer.html",
        "printer",
        "before-doors",
        jobs=[(state, asking_jobs(state, waiting=True)) for state in states],
        checks=[check for check in _checks() if check.group == machine_checks.PRINTER],
    )
