"""Static files: kept for ever under a name made of their content, and never older than the page that names them."""

import gzip
import hashlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from asgi_client import AsgiClient

from roundtap_hub.http.static_files import FOLDER, StaticFiles


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "look.css").write_text("body { color: teal }\n" * 40)
    (tmp_path / "live.js").write_text("'use strict';")
    (tmp_path / "icon.svg").write_text("<svg/>")
    (tmp_path / "notes.txt").write_text("no part of the site")
    return tmp_path


def client_of(folder: Path) -> AsgiClient:
    files = StaticFiles(folder, {})

    async def application(scope, receive, send):
        await files.answer(scope, send)

    return AsgiClient(application)


@pytest.fixture
def client(folder: Path) -> Iterator[AsgiClient]:
    with closing(client_of(folder)) as made:
        yield made


def test_the_name_that_pages_use_is_the_content_s_and_is_kept_for_ever(folder: Path, client: AsgiClient) -> None:
    mark = hashlib.sha256((folder / "look.css").read_bytes()).hexdigest()[:12]
    url = StaticFiles(folder, {}).url("look.css")
    assert url == f"/static/look.{mark}.css"

    answer = client.get(url)

    assert (answer.status_code, answer.body) == (200, (folder / "look.css").read_bytes())
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["content-type"] == "text/css; charset=utf-8"
    assert answer.headers["content-length"] == str(len(answer.body))


def test_another_content_has_another_name(folder: Path) -> None:
    before = StaticFiles(folder, {}).url("look.css")
    (folder / "look.css").write_text("body { color: black }")
    assert StaticFiles(folder, {}).url("look.css") != before


def test_a_bundle_is_its_files_in_order_and_changes_with_each_of_them(folder: Path) -> None:
    (folder / "more.css").write_text("p { margin: 0 }")
    bundles = {"all.css": ("more.css", "look.css")}
    files = StaticFiles(folder, bundles)
    found = files.find(files.url("all.css"))
    assert found
    assert found.body == (folder / "more.css").read_bytes() + (folder / "look.css").read_bytes()
    (folder / "look.css").write_text("body { color: black }")
    assert StaticFiles(folder, bundles).url("all.css") != files.url("all.css")


@pytest.mark.parametrize("path", ["/static/look.css", "/static/look.000000000000.css"])
def test_its_own_name_and_that_of_an_older_hub_lead_to_what_is_there_now(client: AsgiClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-cache"
    again = client.get(path, if_none_match=answer.headers["etag"])
    assert (again.status_code, again.body) == (304, b"")


def test_who_unpacks_gzip_gets_it_packed_and_nobody_else(folder: Path, client: AsgiClient) -> None:
    whole = (folder / "look.css").read_bytes()
    packed = client.get("/static/look.css", accept_encoding="br, GZIP;q=0.5")
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.headers["vary"] == "Accept-Encoding"
    assert gzip.decompress(packed.body) == whole
    assert len(packed.body) < len(whole) / 2
    for refusing in ("", "br", "gzip;q=0", "gzip ; q=0"):
        plain = client.get("/static/look.css", accept_encoding=refusing)
        assert "content-encoding" not in plain.headers
        assert plain.body == whole
        assert plain.headers["etag"] != packed.headers["etag"]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("live.js", "text/javascript; charset=utf-8"),
        ("icon.svg", "image/svg+xml"),
    ],
)
def test_each_kind_is_named_and_no_browser_guesses(client: AsgiClient, name: str, kind: str) -> None:
    answer = client.get(f"/static/{name}")
    assert answer.headers["content-type"] == kind


@pytest.mark.parametrize(
    "path",
    [
        "/static/",
        "/static/notes.txt",
        "/static/../notes.txt",
        "/static/..%2fmain.py",
        "/static/nowhere.css",
        "/static//etc/passwd",
        "/static/look",
        "/static/look.css/",
        "/static/\x00",
    ],
)
def test_nothing_else_is_there(client: AsgiClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_nothing_is_written_there(client: AsgiClient) -> None:
    assert client.post("/static/look.css", data=b"x").status_code == 405


def test_every_file_of_the_hub_has_a_kind() -> None:
    files = StaticFiles()
    for path in FOLDER.iterdir():
        assert files.url(path.name).startswith(f"/static/{path.stem}.")


def test_a_script_comes_without_its_lines_of_comment(tmp_path: Path) -> None:
    (tmp_path / "do.js").write_text('// What it is.\n"use strict";\n  // Why.\nconst at = "http://there"; // beside\n')
    found = StaticFiles(tmp_path, {}).find("/static/do.js")
    assert found
    assert found.body == b'"use strict";\nconst at = "http://there"; // beside\n'
