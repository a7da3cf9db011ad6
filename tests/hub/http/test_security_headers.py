"""Nothing is written into a page: no style, no script; and every answer says that to browsers."""

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from asgi_client import AsgiClient
from pages_kit import House, open_house

import roundtap.demo
import roundtap_hub
from patience import GUARD_S
from roundtap_hub.app.asgi import HubApplication
from roundtap_hub.http.http_answers import PAGE_CSP
from roundtap_hub.http.requester import framing_origin

TEMPLATES = [
    *Path(roundtap_hub.__file__).parent.glob("*/templates/*.html"),
    *(Path(roundtap.demo.__file__).parent / "templates").glob("*.html"),
]
WRITTEN_IN = re.compile(r"<style|\sstyle\s*=|\son[a-z]+\s*=\s*[\"']|<script(?![^>]*\ssrc=)|javascript:", re.IGNORECASE)


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_no_template_has_styles_or_scripts_written_into_it(template: Path):
    text = re.sub(r"{#.*?#}", "", template.read_text(encoding="utf-8"), flags=re.S)
    # The one that the policy names by its hash.
    text = text.replace("<script>{{ plain_script }}</script>", "")
    assert [found[0] for found in WRITTEN_IN.finditer(text)] == []


@pytest.mark.parametrize(
    "text",
    [
        '<p style="color: red">',
        "<style>",
        "<a href='javascript:x'>",
        '<b onclick="x()">',
        "<script>x()</script>",
        '<svg style = "x">',
    ],
)
def test_what_is_written_in_would_be_found(text: str):
    assert WRITTEN_IN.search(text)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path) as opened:
        yield opened


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/time"),
        ("GET", "/nothing"),
        ("GET", "/static/nothing.css"),
        ("POST", "/static/live.js"),
        ("GET", "/device/nothing"),
        ("PUT", "/device/report"),
        ("POST", "/device/report"),
        ("POST", "/device/feed"),
        ("DELETE", "/e/e1"),
        ("OPTIONS", "/console"),
        ("GET", "/console/nothing/at/all"),
        ("GET", "/%00"),
    ],
)
def test_answers_to_what_is_asked_wrongly_are_sealed_too(house: House, method: str, path: str):
    with closing(AsgiClient(HubApplication(house.hub), lifespan=True)) as client:
        answer = client.begin(method, path).result(GUARD_S)
        for name in ("content-security-policy", "x-content-type-options", "referrer-policy", "permissions-policy"):
            assert name in answer.headers, name


def test_a_page_that_a_browser_has_kept_keeps_its_policy(house: House):
    """A 304 that said another one would put that on the page."""
    house.with_event()
    with closing(AsgiClient(HubApplication(house.hub), lifespan=True)) as client:
        first = client.get("/e/e1")
        again = client.get("/e/e1", if_none_match=first.headers["etag"])
        assert again.status_code == 304
        assert again.headers.get("content-security-policy", PAGE_CSP.decode()) == PAGE_CSP.decode()


@pytest.mark.parametrize(
    ("bench_url", "host", "framed_by"),
    [
        ("http://127.0.0.1:8081/", "127.0.0.1", "http://127.0.0.1:8081"),
        ("http://127.0.0.1:8081/", "::1", "http://127.0.0.1:8081"),
        (None, "127.0.0.1", ""),
        ("http://127.0.0.1:8081/", "0.0.0.0", ""),
        ("http://127.0.0.1:8081/", "::", ""),
        ("http://127.0.0.1:8081/", "10.42.0.1", ""),
        ("http://127.0.0.1:8081/", "localhost", ""),
        ("http://10.42.0.7:8081/", "127.0.0.1", ""),
        ("https://evil.example/", "127.0.0.1", ""),
        ("http://127.0.0.1:8081.evil.example/", "127.0.0.1", ""),
        ("http://127.0.0.1:8081/ *", "127.0.0.1", ""),
        ("http://127.0.0.1:8081/\n", "127.0.0.1", ""),
        ("*", "127.0.0.1", ""),
    ],
)
def test_only_the_demo_on_this_machine_may_frame_a_hub_of_this_machine_alone(
    bench_url: str | None, host: str, framed_by: str
):
    assert framing_origin(bench_url, host) == framed_by


def test_a_framed_hub_lets_only_its_pages_be_framed_and_only_by_that_one(house: House):
    house.with_event()
    house.hub.host.framed_by = "http://127.0.0.1:8081"
    with closing(AsgiClient(HubApplication(house.hub), lifespan=True)) as client:
        page, other = client.get("/e/e1"), client.get("/time")
        assert page.headers["content-security-policy"] == PAGE_CSP.decode().replace(
            "frame-ancestors 'none'", "frame-ancestors http://127.0.0.1:8081"
        )
        assert other.headers["content-security-policy"].endswith("frame-ancestors 'none'")
