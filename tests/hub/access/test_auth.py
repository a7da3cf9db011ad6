"""The PIN's gate, the token of forms, who is at the hub itself, and where login leads."""

from __future__ import annotations

import pytest

from roundtap_hub.access.auth import PinThrottle, is_csrf_valid, is_local_request, safe_next


def wrong() -> bool:
    return False


def right() -> bool:
    return True


class Clock:
    ms = 0

    def __call__(self) -> int:
        return self.ms


def test_five_wrong_tries_are_free_then_the_wait_doubles():
    clock = Clock()
    gate = PinThrottle(clock)
    for _ in range(4):
        gate.admit("phone", wrong)
        assert gate.wait_ms("phone") == 0
    gate.admit("phone", wrong)
    assert gate.wait_ms("phone") == 30_000
    clock.ms += 30_000
    gate.admit("phone", wrong)
    assert gate.wait_ms("phone") == 60_000


def test_during_the_wait_even_the_right_pin_is_not_looked_at():
    clock = Clock()
    gate = PinThrottle(clock)
    for _ in range(5):
        gate.admit("phone", wrong)
    assert not gate.admit("phone", right)
    clock.ms += 30_000
    assert gate.admit("phone", right)
    assert gate.wait_ms("phone") == 0


def test_one_address_waits_alone():
    gate = PinThrottle(Clock())
    for _ in range(5):
        gate.admit("guesser", wrong)
    assert gate.admit("organizer", right)


def test_the_wait_never_grows_beyond_a_quarter_of_an_hour():
    clock = Clock()
    gate = PinThrottle(clock)
    for _ in range(40):
        gate.admit("phone", wrong)
        clock.ms += gate.wait_ms("phone")
    gate.admit("phone", wrong)
    assert gate.wait_ms("phone") == 15 * 60_000


def test_many_tries_at_once_are_all_counted_before_the_first_is_checked():
    """Whoever checks while another check runs gains no free try."""
    gate = PinThrottle(Clock())

    def slow_and_wrong() -> bool:
        for _ in range(4):
            gate.admit("phone", wrong)
        return False

    gate.admit("phone", slow_and_wrong)
    assert gate.wait_ms("phone") > 0


def test_guessing_from_many_addresses_is_slow_for_all_of_them_together():
    """A thousand addresses have five free tries each; all of them together have twenty, and ten more a minute."""
    clock = Clock()
    gate, looked = PinThrottle(clock), []

    def looked_at() -> bool:
        looked.append(clock.ms)
        return False

    for number in range(1000):
        gate.admit(f"10.0.{number // 250}.{number % 250}", looked_at)
    assert len(looked) == 20
    for _ in range(600):
        clock.ms += 100
        gate.admit(f"10.1.0.{clock.ms % 251}", looked_at)
    assert len(looked) == 30


def test_an_address_in_the_same_slash_64_is_the_same_guesser():
    gate = PinThrottle(Clock())
    for number in range(5):
        gate.admit(f"fd00:1:2:3::{number + 1:x}", wrong)
    assert gate.wait_ms("fd00:1:2:3:ffff::9") == 30_000
    assert gate.wait_ms("fd00:1:2:4::1") == 0


def test_guesses_of_others_keep_out_neither_who_was_right_before_nor_who_sits_at_the_hub():
    gate = PinThrottle(Clock())
    assert gate.admit("10.0.0.7", right)
    for number in range(100):
        gate.admit(f"10.9.0.{number}", wrong)
    assert gate.wait_ms("10.0.0.8") > 0
    assert gate.admit("10.0.0.7", right)
    assert gate.admit("127.0.0.1", right)


def test_the_right_pin_costs_the_others_nothing():
    gate = PinThrottle(Clock())
    for number in range(50):
        assert gate.admit(f"10.0.0.{number}", right)


def test_a_form_needs_the_token_of_its_own_browser():
    assert is_csrf_valid("mine", "mine", None, "http://hub")
    assert not is_csrf_valid("mine", "", None, "http://hub")
    assert not is_csrf_valid("mine", "another", None, "http://hub")
    assert not is_csrf_valid("", "", None, "http://hub")


@pytest.mark.parametrize(("origin", "ours"), [
    ("https://10.42.0.1:8443", True), ("http://10.42.0.1:8443", False), ("https://10.42.0.1", False),
    ("http://evil.example", False), ("null", False), ("", False),
])
def test_a_form_from_another_page_is_refused_whatever_its_token(origin: str, ours: bool):
    assert is_csrf_valid("t", "t", origin, "https://10.42.0.1:8443") is ours


@pytest.mark.parametrize(("address", "host", "here"), [
    ("127.0.0.1", "localhost:8080", True), ("127.8.9.1", "127.0.0.1", True), ("::1", "[::1]:8080", True),
    ("::ffff:127.0.0.1", "localhost", True),
    ("127.0.0.1", "hub.example", False), ("127.0.0.1", "localhost.evil.example", False), ("127.0.0.1", "", False),
    ("10.42.0.9", "localhost", False), ("", "localhost", False), ("unix:", "localhost", False),
])
def test_at_the_hub_itself_is_who_comes_from_there_and_asks_for_it(address: str, host: str, here: bool):
    """A proxy on the hub's machine, or a page whose name was made to lead here, asks by another name."""
    assert is_local_request(address, host) is here


@pytest.mark.parametrize("target", [
    "//evil.example", "///evil.example", "https://evil.example", "http:evil.example", "/\\evil.example",
    "\\\\evil.example", "/%09/evil.example", "/\t/evil.example", "/\n/evil.example", "/\r\n/evil.example",
    "/%0a/evil.example", "/%0d%0aLocation:%20https://evil.example", "/%5cevil.example", "/%5C%5Cevil.example",
    "/%2f/evil.example", "/%2fevil.example", "/.//evil.example", "/x//evil.example", "//evil.example/%2f..",
    "\t//evil.example", " //evil.example", "/ /evil.example", "javascript:alert(1)", "data:text/html,x", "console", "",
    "//[::1]", "///", "/\x00/evil.example", "/%00/evil", "/\u2028/evil.example", "/\uff0fevil.example", None,
    "/%e3%80%82/../\\evil", "@evil.example", "/\u202eevil", "?next=//evil", "#//evil", "/#//evil", "/%7f/x",
])
def test_login_leads_nowhere_else(target: str | None):
    assert safe_next(target, "/here") == "/here"


@pytest.mark.parametrize("target", [
    "/console/e1", "/console/e1?round=2", "/", "/console/e1/match/3.7", "/e/e1?q=a%20b",
])
def test_login_leads_to_pages_of_this_hub(target: str):
    assert safe_next(target, "/here") == target
