"""Players' pages in every state, from the cache, beside Flask's."""

import re
from contextlib import closing

import pytest
from asgi_client import AsgiClient
from hall_kit import Hall

from roundtap_hub.app.asgi import HubApplication


@pytest.mark.parametrize(("language", "wall"), [("en", "2026-05-03T17:05:00+00:00"), ("pl", None)])
def test_every_player_s_pages_in_every_state_are_what_flask_would_send(
    full_hall: Hall, language: str, wall: str | None, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Flask draws them without slots. With and without the time of day."""
    monkeypatch.setattr(full_hall.time, "wall", wall)
    hub, browser = full_hall.house.hub, full_hall.house.browser(language)
    with closing(AsgiClient(HubApplication(hub), lifespan=True)) as client:
        pages = [
            path
            for event in hub.service.snapshot.events.values()
            for who in event.entrants
            for path in (f"/e/{event.id}/p/{who}", hub.access.links.path(event.id, who))
        ]
        assert len(pages) > 200
        for path in pages:
            answer = client.get(path, accept_language=language)
            # The hall's clock runs.
            cached, flask = (re.sub(r"\b\d+:\d\d\b", "", text) for text in (answer.text, browser.get(path).text))
            assert (answer.status_code, cached) == (200, flask), path
    # A page that fails would be Flask's.
    assert caplog.messages == []
