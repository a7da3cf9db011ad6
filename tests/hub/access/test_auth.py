"""The limits of guesses, the token of forms, who is at the hub itself, and where login leads."""

from contextlib import suppress

import pytest

from roundtap_core.errors import Problem
from roundtap_hub.http.requester import GuessLimiter, is_csrf_valid, is_local_request, safe_redirect_path


def wrong() -> None:
    return None


def right() -> str:
    return "Eva"


class Clock:
    ms = 0

    def __call__(self) -> int:
        return self.ms


def guesses(clock: Clock | None = None) -> GuessLimiter:
    return GuessLimiter(clock or Clock(), "pin_wait")


def wait_s(limiter: GuessLimiter, address: str, device: str = "") -> int:
    """How long this address has to wait; 0: it need not, and the guess was wrong."""
    try:
        limiter.check(wrong, address, device)
    except Problem as refused:
        return int(refused.params["n"])
    return 0


def test_five_wrong_tries_are_free_then_there_is_one_every_half_a_minute():
    clock = Clock()
    limiter = guesses(clock)
    assert [wait_s(limiter, "phone") for _ in range(6)] == [0, 0, 0, 0, 0, 30]
    clock.ms += 29_000
    assert wait_s(limiter, "phone") == 1
    clock.ms += 1000
    assert [wait_s(limiter, "phone") for _ in range(2)] == [0, 30]


def test_during_the_wait_even_the_right_pin_is_not_looked_at():
    clock = Clock()
    limiter = guesses(clock)
    for _ in range(5):
        limiter.check(wrong, "phone")
    with pytest.raises(Problem, match="Wait 30 seconds"):
        limiter.check(right, "phone")
    clock.ms += 30_000
    assert limiter.check(right, "phone") == "Eva"


def test_one_address_waits_alone():
    limiter = guesses()
    for _ in range(5):
        limiter.check(wrong, "guesser")
    assert limiter.check(right, "organizer")


def test_many_tries_at_once_are_all_counted_before_the_first_is_checked():
    """Whoever checks while another check runs gains no free try."""
    limiter = guesses()

    def slow_and_wrong() -> None:
        for _ in range(4):
            limiter.check(wrong, "phone")

    limiter.check(slow_and_wrong, "phone")
    assert wait_s(limiter, "phone") == 30


def test_a_right_pin_that_is_checked_meanwhile_ends_no_wait():
    """A judge's own PIN, sent together with guesses at the organizer's, buys no more of them."""
    limiter, looked_at = guesses(), 0

    def slow_and_right() -> str:
        nonlocal looked_at
        looked_at += sum(not wait_s(limiter, "phone") for _ in range(9))
        return "Eva"

    for _ in range(10):
        with suppress(Problem):
            limiter.check(slow_and_right, "phone")
    assert looked_at <= 5


def test_guessing_from_many_addresses_is_slow_for_all_of_them_together():
    """In a night, from as many addresses as there are: 15,000 of 100,000,000, two for each of a /24 first."""
    clock, looked = Clock(), []
    limiter = guesses(clock)

    def looked_at() -> None:
        looked.append(clock.ms)

    def guess(n: int) -> None:
        with suppress(Problem):
            limiter.check(looked_at, f"10.{n // 62_500}.{n // 250 % 250}.{n % 250}")

    for n in range(3000):
        guess(n)
    assert len(looked) <= 512 + 20
    while clock.ms < 12 * 3600_000:
        clock.ms += 2000
        guess(clock.ms // 2000)
    assert 14_000 < len(looked) <= 15_000


def test_each_address_of_a_small_network_has_its_tries_whatever_all_others_do():
    clock = Clock()
    limiter = guesses(clock)
    for _ in range(24):
        for n in range(1, 254):
            for _ in range(3):
                with suppress(Problem):
                    limiter.check(wrong, f"10.42.0.{n}")
        assert limiter.check(right, "10.42.0.254")
        clock.ms += 1800_000


def test_an_address_in_the_same_slash_64_is_the_same_guesser():
    limiter = guesses()
    for number in range(5):
        limiter.check(wrong, f"fd00:1:2:3::{number + 1:x}")
    assert wait_s(limiter, "fd00:1:2:3:ffff::9") == 30
    assert wait_s(limiter, "fd00:1:2:4::1") == 0


def test_a_device_that_was_in_and_the_hub_itself_have_tries_of_their_own():
    clock = Clock()
    limiter = guesses(clock)
    for n in range(2000):
        with suppress(Problem):
            limiter.check(wrong, f"10.9.{n // 250}.{n % 250}")
    for address, device in (("10.9.0.1", "the desk"), ("10.9.0.1", "a phone"), ("127.0.0.1", "")):
        assert [wait_s(limiter, address, device) for _ in range(6)] == [0, 0, 0, 0, 0, 30]
    clock.ms += 30_000
    assert limiter.check(right, "10.9.0.1", "the desk")


def test_the_right_pin_costs_the_others_nothing():
    limiter = guesses()
    for number in range(2000):
        assert limiter.check(right, f"10.0.{number // 250}.{number % 250}")


def test_a_form_needs_the_token_of_its_own_browser():
    assert is_csrf_valid("mine", "mine", None, "http://hub")
    assert not is_csrf_valid("mine", "", None, "http://hub")
    assert not is_csrf_valid("mine", "another", None, "http://hub")
    assert not is_csrf_valid("", "", None, "http://hub")


@pytest.mark.parametrize(
    ("origin", "ours"),
    [
        ("https://10.42.0.1:8443", True),
        ("http://10.42.0.1:8443", False),
        ("https://10.42.0.1", False),
        ("http://evil.example", False),
        ("null", False),
        ("", False),
    ],
)
def test_a_form_from_another_page_is_refused_whatever_its_token(origin: str, ours: bool):
    assert is_csrf_valid("t", "t", origin, "https://10.42.0.1:8443") is ours


@pytest.mark.parametrize(
    ("address", "host", "here"),
    [
        ("127.0.0.1", "localhost:8080", True),
        ("127.8.9.1", "127.0.0.1", True),
        ("::1", "[::1]:8080", True),
        ("::ffff:127.0.0.1", "localhost", True),
        ("127.0.0.1", "hub.example", False),
        ("127.0.0.1", "localhost.evil.example", False),
        ("127.0.0.1", "", False),
        ("10.42.0.9", "localhost", False),
        ("", "localhost", False),
        ("unix:", "localhost", False),
    ],
)
def test_at_the_hub_itself_is_who_comes_from_there_and_asks_for_it(address: str, host: str, here: bool):
    """A proxy on the hub's machine, or a page whose name was made to lead here, asks by another name."""
    assert is_local_request(address, host) is here


@pytest.mark.parametrize(
    "target",
    [
        "//evil.example",
        "///evil.example",
        "https://evil.example",
        "http:evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "/%09/evil.example",
        "/\t/evil.example",
        "/\n/evil.example",
        "/\r\n/evil.example",
        "/%0a/evil.example",
        "/%0d%0aLocation:%20https://evil.example",
        "/%5cevil.example",
        "/%5C%5Cevil.example",
        "/%2f/evil.example",
        "/%2fevil.example",
        "/.//evil.example",
        "/x//evil.example",
        "//evil.example/%2f..",
        "\t//evil.example",
        " //evil.example",
        "/ /evil.example",
        "javascript:alert(1)",
        "data:text/html,x",
        "console",
        "",
        "//[::1]",
        "///",
        "/\x00/evil.example",
        "/%00/evil",
        "/\u2028/evil.example",
        "/\uff0fevil.example",
        None,
        "/%e3%80%82/../\\evil",
        "@evil.example",
        "/\u202eevil",
        "?next=//evil",
        "#//evil",
        "/#//evil",
        "/%7f/x",
    ],
)
def test_login_leads_nowhere_else(target: str | None):
    assert safe_redirect_path(target, "/here") == "/here"


@pytest.mark.parametrize(
    "target",
    [
        "/console/e1",
        "/console/e1?round=2",
        "/",
        "/console/e1/match/3.7",
        "/e/e1?q=a%20b",
    ],
)
def test_login_leads_to_pages_of_this_hub(target: str):
    assert safe_redirect_path(target, "/here") == target
