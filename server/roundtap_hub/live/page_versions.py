"""Page versions: a short hash of what a page would show; the feed sends it, and a page with another one reloads.

Each room registers the kinds of its live pages, and what a page of that kind shows, above the function that tells it:
`page_kind("judge")`, `event_page("standings/<event_id>")`. A page whose kind is not registered has no version.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from roundtap_core.clock import Instant
from roundtap_hub.http.routes import PageKey
from roundtap_hub.store.service import Snapshot
from roundtap_hub.views.running_hub import RunningHub
from roundtap_hub.views.saved_event import SavedEvent, saved_event, short_hash
from roundtap_hub.views.unit_presence import UnitStatus


@dataclass(frozen=True, slots=True)
class HubNow:
    """What pages are drawn from. `now`: of a request; without it, changes by time alone are left out. `here`: whom
    officials saw at their tables (`Presence.seen_at_table`); `storage`: the version of the hub's storage state."""

    hub: RunningHub
    snapshot: Snapshot
    units: Mapping[str, UnitStatus]
    now: Instant | None = None
    here: Collection[tuple[str, str, str]] = ()
    storage: str = ""

    def shown(self, page: PageKey) -> object | None:
        """What the page would show, as far as it may change; None: there is no such page. Nothing is rendered."""
        return PAGE_KINDS[page.pattern](self, page) if page.pattern in PAGE_KINDS else None


Shown = Callable[[HubNow, PageKey], object | None]
EventShown = Callable[[HubNow, SavedEvent, PageKey], object | None]

# What pages of each kind show, by their keys' pattern; rooms fill it as they are imported.
PAGE_KINDS: dict[tuple[str, bool, bool], Shown] = {}


def page_kind(key: str) -> Callable[[Shown], Shown]:
    """Register what pages with such keys ("wall/<event_id>") show. Raises ValueError for a kind registered twice."""

    def register(shown: Shown) -> Shown:
        if PAGE_KINDS.setdefault(PageKey.parse(key).pattern, shown) is not shown:
            raise ValueError(key)
        return shown

    return register


def event_page(key: str) -> Callable[[EventShown], EventShown]:
    """`page_kind` for pages of one event. An event at rest is not opened to find that nothing has changed."""

    def register(shown: EventShown) -> EventShown:
        @page_kind(key)
        def of_event(source: HubNow, page: PageKey) -> object | None:
            snapshot = source.snapshot
            if page.event in snapshot.dormant and page.event not in snapshot.venue.deleted:
                return page, snapshot.dormant[page.event].head
            event = saved_event(snapshot, page.event)
            return None if event is None else shown(source, event, page)

        return shown

    return register


def version_of(source: HubNow, page: PageKey) -> str:
    """The version of a page; "none" where there is no such page."""
    shown, venue, plan = source.shown(page), source.snapshot.venue, source.snapshot.venue.display_plan
    # Every page shows announcements, and that the hub was restored, until that is settled.
    announced = [each.id for each in plan.for_event(page.event or None)] if plan.announcements else []
    return "none" if shown is None else short_hash(page, shown, announced, venue.restore_state is not None)
