"""Personal pages without Flask: live, nobody else's, not kept by anybody, and a report's echo from the hub alone."""

import html
import logging
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from asgi_client import AsgiClient
from feed_listener import Listener
from pages_kit import House, open_house, page_fails

from patience import GUARD_S
from roundtap_core.event.states import MatchState
from roundtap_hub.app.asgi import HubApplication
from roundtap_hub.http.requester import OWN_LINK
from roundtap_hub.http.routes import PageKey
from roundtap_hub.live import browser_feed
from roundtap_hub.live.page_cache import RenderingKey

PHONE = "10.42.0.31"


class Hall:
    def __init__(self, house: House) -> None:
        self.house = house
        self.application = HubApplication(house.hub)
        self.client = AsgiClient(self.application, lifespan=True)
        self.client.seen_as = {"client": (PHONE, 50000)}

    @property
    def match(self) -> MatchState:
        return self.house.event.live.matches[0]

    def me(self, side: str) -> str:
        who = self.match.match.a if side == "a" else self.match.match.b
        assert who is not None
        return self.house.hub.access.links.path("e1", who)

    def fields(self, side: str, a: int = 90, b: int = 60) -> dict[str, str]:
        """What the end of the walk sends."""
        page = self.client.get(f"{self.me(side)}/report?way=time&q.score.winner={a}&q.score.loser={b}")
        form = re.search(r'<form method="post".*?</form>', page.text, re.S)
        assert form
        return {
            html.unescape(name): html.unescape(value)
            for name, value in re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form[0])
        }


@pytest.fixture
def hall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hall]:
    monkeypatch.setattr(browser_feed, "COALESCE_S", 0.01)
    with open_house(tmp_path) as house:
        house.with_event()
        house.publish()
        house.time_is_up()
        opened = Hall(house)
        yield opened
        opened.client.close()


def test_a_page_is_drawn_once_and_kept_by_its_player_alone(hall: Hall) -> None:
    drawn = hall.house.drawn()
    application = HubApplication(hall.house.hub)
    with closing(AsgiClient(application, lifespan=True)) as client:
        for _ in range(5):
            answer = client.get(hall.me("a"))
            assert answer.status_code == 200
            assert answer.headers["cache-control"] == "private, no-cache"
            assert answer.headers["referrer-policy"] == "no-referrer"
        assert client.get(hall.me("a"), if_none_match=answer.headers["etag"]).status_code == 304
        assert len(drawn) == 1


def test_own_page_gives_the_phone_its_cookie(hall: Hall) -> None:
    """By which next week's sign-up knows it, and no other."""
    answer = hall.client.get(hall.me("a"), cookie="roundtap_phone=a-phone-that-was-here-before")
    first, *rest = answer.headers["set-cookie"].split("; ")
    assert first == f"{OWN_LINK}={hall.me('a').removeprefix('/me/')}"
    assert {"HttpOnly", "SameSite=Lax", f"Max-Age={9 * 7 * 86_400}"} <= set(rest)
    assert OWN_LINK not in hall.client.get("/me/made.up").headers.get("set-cookie", "")


def test_flask_would_say_the_same(hall: Hall) -> None:
    native = hall.client.get(hall.me("a"), accept_language="de").text
    flask = hall.house.browser("de").get(hall.me("a")).text
    plain = [re.sub(r"\s+", " ", text) for text in (native, flask)]
    assert plain[0] == plain[1]


def test_both_phones_see_what_the_other_says_without_asking(hall: Hall) -> None:
    ana, bruno = Listener(hall.client, hall.me("a")), Listener(hall.client, hall.me("b"))
    said = hall.client.post(f"{hall.me('a')}/report", data=hall.fields("a"), accept="application/json")
    assert said.get_json()["fate"] == "accepted"
    for phone, words in ((ana, "has to confirm"), (bruno, "reported this. Correct?")):
        phone.until(lambda phone=phone: phone.named("patch") or phone.named("view"), "news")  # type: ignore[misc]
        phone.show()
        assert words in hall.client.get(phone.path).text
    ana.close()
    bruno.close()


def test_the_echo_names_the_very_report_and_its_entry(hall: Hall) -> None:
    fields = hall.fields("a")
    answer = hall.client.post(f"{hall.me('a')}/report", data=fields, accept="application/json")
    assert answer.headers["cache-control"] == "no-store"
    said = answer.get_json()
    assert (said["report_id"], said["fate"], said["number"]) == (
        fields["report_id"],
        "accepted",
        hall.house.event.number,
    )
    again = hall.client.post(f"{hall.me('a')}/report", data=fields, accept="application/json")
    assert again.get_json() == said


def test_without_a_script_the_answer_is_a_page(hall: Hall) -> None:
    answer = hall.client.post(f"{hall.me('a')}/report", data=hall.fields("a"))
    assert answer.status_code == 303
    assert "Saved #" in hall.client.get(answer.headers["location"]).text


def test_what_cannot_be_is_told_either_way(hall: Hall) -> None:
    fields = {**hall.fields("a"), "match": "1.2"}
    told = hall.client.post(f"{hall.me('a')}/report", data=fields, accept="application/json")
    assert told.status_code == 409
    assert "no longer yours" in told.get_json()["error"]
    page = hall.client.post(f"{hall.me('a')}/report", data=fields)
    assert page.status_code == 409
    assert "no longer yours" in page.text


def test_two_at_the_same_moment_are_one_report(hall: Hall) -> None:
    from urllib.parse import urlencode

    body = urlencode(hall.fields("a")).encode()
    headers = {"content_type": "application/x-www-form-urlencoded", "accept": "application/json"}
    before = hall.house.event.number
    both = [hall.client.begin("POST", f"{hall.me('a')}/report", body, headers=headers) for _ in range(8)]
    assert {answer.result(GUARD_S).body for answer in both} == {both[0].result(GUARD_S).body}
    assert hall.house.event.number == before + 1


# --- nobody else's --------------------------------------------------------------------------------------------------


def test_the_feed_tells_nobody_of_another_s_page(hall: Hall) -> None:
    """Neither who makes a link up, nor who puts another event before it, nor who has a revoked one."""
    token = hall.me("a").removeprefix("/me/")
    store = hall.application.browsers._cache
    hall.house.hub.access.links.revoke("e1", "p6")
    revoked_before = hall.house.hub.access.links.token("e1", "p5")
    hall.house.hub.access.links.revoke("e1", "p5")
    for page in (f"me/e1/{token}x", f"me/e2/{token}", f"me/e1/{revoked_before}", "me/e1/", "me/e1", "me/", "me"):
        key = PageKey.parse(page)
        assert store.version(key) == "none", page
        assert hall.client.run(store.full_page(RenderingKey(key, "", "en"))) is None, page


def test_an_open_page_ends_with_its_link(hall: Hall) -> None:
    with closing(Listener(hall.client, hall.me("a"))) as ana:
        ana.until(lambda: ana.events, "a greeting")
        path = ana.path
        assert hall.match.match.a
        hall.house.hub.access.links.revoke("e1", hall.match.match.a)
        ana.until(lambda: ana.named("view") == ["none"], "to be told")
        answer = hall.client.get(path)
        assert answer.status_code == 404
        assert "Ask the desk for a new one" in answer.text


def test_no_log_holds_a_link(hall: Hall, caplog: pytest.LogCaptureFixture) -> None:
    with page_fails("my_page.html"), caplog.at_level(logging.DEBUG):
        assert hall.client.get(hall.me("a")).status_code == 500
    assert "failed" in caplog.text
    assert hall.me("a").removeprefix("/me/") not in caplog.text
    assert "/me/…" in caplog.text


def test_a_body_that_is_no_form_changes_nothing(hall: Hall) -> None:
    head = hall.house.event.head
    for body in (b"", b"&" * 200, b"\xff\xfe" * 100, b"report_id=" + b"x" * 5000, b"x" * 20_000):
        answer = hall.client.post(
            f"{hall.me('a')}/report",
            data=body,
            accept="application/json",
            content_type="application/x-www-form-urlencoded",
        )
        assert answer.status_code in (400, 409), body[:20]
    assert hall.house.event.head == head


def test_only_a_page_that_was_asked_for_looks_again_for_its_link(hall: Hall) -> None:
    """To look again after a form would send the form again, or ask the player whether to."""
    for path in ("/me/made.up", "/me/made.up/report", "/me"):
        looked, sent = hall.client.get(path), hall.client.post(path, {"code": "nobody"})
        assert [("reload-ms" in text, 'http-equiv="refresh"' in text) for text in (looked.text, sent.text)] == [
            (path != "/me", path != "/me"),
            (False, False),
        ], path
