"""What all pages of the hall share: its places, each with the number of its failed checks."""

from collections import Counter
from typing import Any

from werkzeug.wrappers import Response as AnyResponse

from roundtap_hub.http.routes import PageKey
from roundtap_hub.live import current, render
from roundtap_hub.views import places
from roundtap_hub.views.preflight_checks import all_checks, failed_checks
from roundtap_machine import checks as machine_checks


def place_page(template: str, place: str, feed: PageKey | None = None, **context: Any) -> AnyResponse:
    """A page of the hall, with the places' navigation and the number of failed checks of each."""
    return render.page(
        template,
        feed,
        hall_place=place,
        hall_places=places.OF_HALL,
        failed=Counter(check.group for check in failed_checks(hall_checks())),
        **context,
    )


def hall_checks() -> list[machine_checks.Check]:
    return all_checks(current.hub(), current.snapshot(), current.units(), current.now_ms())
