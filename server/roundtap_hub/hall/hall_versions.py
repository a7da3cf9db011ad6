"""What the hall's live pages show that may change: walls, displays, and the page before the doors open."""

from roundtap_hub.http.routes import PageKey
from roundtap_hub.live.page_cache import HubNow, event_page, page_kind
from roundtap_hub.views.knockout import events_progress
from roundtap_hub.views.known_displays import events_in_play
from roundtap_hub.views.league_tables import league_version, leagues_of
from roundtap_hub.views.saved_event import SavedEvent, decided_version, listed_events
from roundtap_hub.views.tables import out_of_contact

page_kind("displays")(
    lambda source, _: (source.snapshot.venue.shown, [(line.id, line.name) for line in listed_events(source.snapshot)])
)


@page_kind("before-doors")
def _before_doors(source: HubNow, _: PageKey) -> object:
    now = source.now  # a unit falls silent by time alone
    units = [
        (
            unit,
            status.connected,
            status.core,
            status.health,
            bool(status.waiting),
            sorted(status.troubles),
            now is not None and out_of_contact(status, now.mono_ms),
        )
        for unit, status in sorted(source.units.items())
    ]
    return source.snapshot.venue.shown, units, source.storage


page_kind("wall")(lambda source, _: (events_progress(source.snapshot), _addresses(source)))


@event_page("wall/<event_id>")
def _wall(source: HubNow, event: SavedEvent, _: PageKey) -> object:
    return (
        event.state.number,
        source.snapshot.venue.tables,
        [(other.id, other.name) for other in events_in_play(source.snapshot)],
        [(unit, sorted(status.seated), status.match) for unit, status in sorted(source.units.items())],
        decided_version(event),
        _addresses(source),
        [league_version(source.snapshot, each) for each in leagues_of(source.snapshot, event.event_id)],
    )


def _addresses(source: HubNow) -> tuple[str, str]:
    return source.hub.host.hall_addresses.url, source.hub.host.hall_addresses.by_name
