"""One rule for the language of all pages: asked for, chosen before, accepted by the browser, the hub's own."""

import pytest

from roundtap_hub.http.requester import language_of


@pytest.mark.parametrize(
    ("query", "cookie", "accepted", "language"),
    [
        (b"lang=pl", b"roundtap_lang=es", b"de", "pl"),
        (b"part=1/2&lang=pl", b"", b"", "pl"),
        (b"lang=xx", b"roundtap_lang=es", b"de", "es"),
        (b"", b"a=b; roundtap_lang=es", b"de", "es"),
        (b"", b"roundtap_lang=xx", b"xx,de;q=0.5", "de"),
        (b"", b"", b"pl;q=0.4, es;q=0.8", "es"),
        (b"", b"", b"xx", "en"),
        (b"", b"", b"", "de"),
        (b"lang=\xff", b"roundtap_lang=\xff", b"\xff", "en"),
        (b"", b"", b"xx," * 1000 + b"pl", "en"),
    ],
)
def test_the_first_word_that_counts(query: bytes, cookie: bytes, accepted: bytes, language: str) -> None:
    sent = [(b"cookie", cookie), (b"accept-language", accepted)]
    scope = {"query_string": query, "headers": [each for each in sent if each[1]]}
    assert language_of(scope, "de") == language
