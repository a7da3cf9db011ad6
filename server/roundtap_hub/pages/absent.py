"""Not at their table: everybody who has not sat down, with one button each; for the desk and for judges' phones."""

from __future__ import annotations

from werkzeug.wrappers import Response as AnyResponse

from roundtap_hub.pages.base import now_ms, page, the_hub, the_moment, the_snapshot, the_units
from roundtap_hub.policy import SEEN, STAFF, route
from roundtap_hub.views.event_at import full_names
from roundtap_hub.views.not_there import not_there_view
from roundtap_hub.views.page_versions import played_ms
from roundtap_hub.views.tables import cells


@route("GET /console/<event_id>/absent", STAFF, SEEN)
def absent(event_id: str) -> AnyResponse:
    """From the publishing of a round on; that somebody did not appear is said once the announced minutes are over."""
    moment, hub, units = the_moment(event_id), the_hub(), the_units()
    state = moment.state
    grid = cells(the_snapshot(), units, state, state.live, full_names(moment), now_ms())
    view = not_there_view(units, state, grid, played_ms(state, hub.clocks.now()), hub.presence.here)
    return page("absent.html", feed=f"console/{event_id}", state=state, rulebook=state.rulebook, view=view)
