"""The PIN's gate, the token of forms, and where login leads."""

from __future__ import annotations

import pytest

from roundtap_hub.auth import PinGate, csrf_token, form_is_ours, safe_next


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
    gate = PinGate(clock)
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
    gate = PinGate(clock)
    for _ in range(5):
        gate.admit("phone", wrong)
    assert not gate.admit("phone", right)
    clock.ms += 30_000
    assert gate.admit("phone", right)
    assert gate.wait_ms("phone") == 0


def test_one_address_waits_alone():
    gate = PinGate(Clock())
    for _ in range(5):
        gate.admit("guesser", wrong)
    assert gate.admit("organizer", right)


def test_the_wait_never_grows_beyond_a_quarter_of_an_hour():
    clock = Clock()
    gate = PinGate(clock)
    for _ in range(40):
        gate.admit("phone", wrong)
        clock.ms += gate.wait_ms("phone")
    gate.admit("phone", wrong)
    assert gate.wait_ms("phone") == 15 * 60_000


def test_many_tries_at_once_are_all_counted_before_the_first_is_checked():
    """Whoever checks while another check runs gains no free try."""
    gate = PinGate(Clock())

    def slow_and_wrong() -> bool:
        for _ in range(4):
            gate.admit("phone", wrong)
        return False

    gate.admit("phone", slow_and_wrong)
    assert gate.wait_ms("phone") > 0


def test_a_form_needs_the_token_of_its_own_session():
    mine: dict[str, str] = {}
    token = csrf_token(mine)
    assert form_is_ours(mine, token, None, "hub")
    assert not form_is_ours(mine, "", None, "hub")
    assert not form_is_ours({"csrf": "another"}, token, None, "hub")
    assert not form_is_ours({}, "", None, "hub")


@pytest.mark.parametrize(("origin", "ours"), [
    ("http://10.42.0.1", True), ("https://10.42.0.1", True), ("http://evil.example", False), ("null", False),
])
def test_a_form_from_another_page_is_refused_whatever_its_token(origin: str, ours: bool):
    session: dict[str, str] = {}
    assert form_is_ours(session, csrf_token(session), origin, "10.42.0.1") is ours


@pytest.mark.parametrize(("target", "where"), [
    ("/console/e1", "/console/e1"), (None, "/"), ("//evil.example", "/"), ("https://evil.example", "/"),
    ("/\\evil.example", "/"), ("console", "/"),
])
def test_login_leads_only_to_pages_of_this_hub(target: str | None, where: str):
    assert safe_next(target, "/") == where
