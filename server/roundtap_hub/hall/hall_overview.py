"""The hall's overview on the console: each place with what is wrong there."""

from werkzeug.wrappers import Response as AnyResponse

from roundtap_hub.http.routes import STAFF, PageKey, route
from roundtap_hub.live import current
from roundtap_hub.live.hall_pages import hall_checks, place_page
from roundtap_hub.views import places
from roundtap_hub.views.announcements import announcement_lines
from roundtap_machine import checks as machine_checks


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
    said = announcement_lines(
        current.snapshot().venue.display_plan.announcements, current.instant(), current.hub().clocks.wall()
    )
    return place_page("hall_overview.html", "overview", PageKey("before-doors"), rows=rows, said=said)
