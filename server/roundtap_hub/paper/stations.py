"""The print stations' page: each printer's state, and what each event has waiting."""

from werkzeug.wrappers import Response as AnyResponse

from roundtap_hub.http.routes import STAFF, PageKey, route
from roundtap_hub.live import current
from roundtap_hub.live.hall_pages import hall_checks, place_page
from roundtap_hub.paper.paper import asking_jobs
from roundtap_machine import checks as machine_checks


@route("GET /console/printer", STAFF)
def printer_page() -> AnyResponse:
    """The print stations, and what each event that is not over has waiting."""
    states = [state for state in current.snapshot().events.values() if not state.finished]
    return place_page(
        "printer.html",
        "printer",
        PageKey("before-doors"),
        jobs=[(state, asking_jobs(state, waiting=True)) for state in states],
        checks=[check for check in hall_checks() if check.group == machine_checks.PRINTER],
    )
