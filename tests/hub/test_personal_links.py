"""Personal links: signed for one person, revocable for good; six letters from the desk; a slip gives one once."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from roundtap_core.errors import Problem
from roundtap_hub.personal_links import CODE_LENGTH, CODE_LETTERS, CODE_LIFE_MS, LINKS_FILE, PersonalLinks


class Clock:
    ms = 1_000_000

    def __call__(self) -> int:
        return self.ms


def links_of(folder: Path | None = None, secret: bytes = b"s" * 32, clock: Clock | None = None) -> PersonalLinks:
    return PersonalLinks(secret, clock or Clock(), folder / LINKS_FILE if folder else None)


def test_a_link_leads_to_its_person_and_to_nobody_else() -> None:
    links = links_of()
    tokens = {links.token(event, who): (event, who) for event in ("e1", "e2") for who in ("p1", "p2", "p12")}
    assert len(tokens) == 6
    for token, person in tokens.items():
        assert links.who(token) == person
        assert links.path(*person) == f"/me/{token}"


@pytest.mark.parametrize("letter", range(0, 40, 3))
def test_one_other_letter_makes_it_nobody_s(letter: int) -> None:
    links = links_of()
    token = links.token("e1", "p1")
    for other in "AZaz09-_.":
        forged = token[:letter] + other + token[letter + 1 :]
        assert forged == token or links.who(forged) is None


@pytest.mark.parametrize("made_up", [
    "", ".", "..", "a.b", "e1.p1", "%00", "\n", "ż" * 50, "=" * 8, "A" * 10_000, ".".join("abc")])
def test_what_was_made_up_is_nobody_s(made_up: str) -> None:
    assert links_of().who(made_up) is None


def test_a_signature_serves_for_no_other_ids() -> None:
    links = links_of()
    mine, theirs = links.token("e1", "p1"), links.token("e1", "p2")
    named, _, _ = theirs.partition(".")
    _, _, mac = mine.partition(".")
    assert links.who(f"{named}.{mac}") is None
    # The ids could be cut elsewhere.
    shifted = base64.urlsafe_b64encode(b"e\n1p1").decode().rstrip("=")
    assert links.who(f"{shifted}.{mac}") is None


def test_another_hub_s_link_is_none_here() -> None:
    assert links_of(secret=b"t" * 32).who(links_of().token("e1", "p1")) is None


def test_a_revoked_link_stays_revoked_when_the_hub_is_started_anew(tmp_path: Path) -> None:
    links = links_of(tmp_path)
    mine, other = links.token("e1", "p1"), links.token("e1", "p2")
    links.revoke("e1", "p1")
    assert links.who(mine) is None
    again = links_of(tmp_path)
    assert again.who(mine) is None
    assert again.who(other) == ("e1", "p2")
    assert again.who(links.token("e1", "p1")) == ("e1", "p1"), "the next one"
    again.revoke("e1", "p1")
    assert links_of(tmp_path).who(links.token("e1", "p1")) is None


def test_a_file_that_is_lost_or_spoilt_lets_no_revoked_link_in_again(tmp_path: Path) -> None:
    links = links_of(tmp_path)
    mine = links.token("e1", "p1")
    links.revoke("e1", "p1")
    (tmp_path / LINKS_FILE).unlink()
    assert links_of(tmp_path).who(mine) is None
    (tmp_path / LINKS_FILE).write_text('{"era": 7, "people": [[1]]}')
    assert links_of(tmp_path).who(mine) is None


def test_a_disk_that_refuses_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    links = links_of(tmp_path)
    token = links.token("e1", "p1")

    def full(path: Path, text: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("roundtap_hub.personal_links.write_private", full)
    with pytest.raises(Problem, match="It could not be saved, nothing has changed"):
        links.revoke("e1", "p1")
    assert links.who(token) == ("e1", "p1")


def test_whoever_shows_a_page_is_told_of_a_revocation() -> None:
    links, heard = links_of(), []
    links.listen(lambda: heard.append(links.who(token)))
    token = links.token("e1", "p1")
    links.revoke("e1", "p1")
    assert heard == [None]


def test_a_code_is_six_letters_that_nobody_reads_as_figures() -> None:
    links = links_of()
    code = links.code("e1", "p1")
    assert len(code) == CODE_LENGTH
    assert set(code) <= set(CODE_LETTERS)
    assert not set(CODE_LETTERS) & set("IO01")
    assert links.code("e1", "p1") == code, "the same while it lives"


def test_no_two_people_have_one_code() -> None:
    turns = iter("AAAAAA" "AAAAAA" "BBBBBB")
    links = PersonalLinks(b"s", Clock(), choice=lambda _: next(turns))
    assert (links.code("e1", "p1"), links.code("e1", "p2")) == ("AAAAAA", "BBBBBB")


def test_a_code_leads_to_the_link_once_however_it_is_typed() -> None:
    links = links_of()
    code = links.code("e1", "p1").lower()
    assert links.claim_code(f" {code[:3]} - {code[3:]}", "10.0.0.5") == links.path("e1", "p1")
    assert links.claim_code(code, "10.0.0.5") is None


def test_a_code_lives_for_a_limited_time() -> None:
    clock = Clock()
    links = links_of(clock=clock)
    code, in_time = links.code("e1", "p1"), links.code("e1", "p2")
    clock.ms += CODE_LIFE_MS - 1
    assert links.claim_code(in_time, "10.0.0.5") == links.path("e1", "p2")
    clock.ms += 1
    assert links.claim_code(code, "10.0.0.5") is None
    assert links.code("e1", "p1") != code


def test_guessing_is_slowed_down_and_a_right_code_then_waits_too() -> None:
    links = links_of()
    code = links.code("e1", "p1")
    for _ in range(5):
        assert links.claim_code("ZZZZZZ", "10.0.0.66") is None
    assert links.gate.wait_ms("10.0.0.66") > 0
    assert links.claim_code(code, "10.0.0.66") is None
    assert links.claim_code(code, "10.0.0.5") == links.path("e1", "p1"), "nobody else waits for that"


def test_a_revoked_link_takes_its_code_with_it() -> None:
    links = links_of()
    code = links.code("e1", "p1")
    links.revoke("e1", "p1")
    assert links.claim_code(code, "10.0.0.5") is None


def test_a_slip_gives_the_link_to_the_first_phone_only(tmp_path: Path) -> None:
    links = links_of(tmp_path)
    assert links.claim_by_slip("e1", "p1", "phone of Ana, long enough") == links.path("e1", "p1")
    assert links.claim_by_slip("e1", "p1", "phone of Ana, long enough") == links.path("e1", "p1")
    assert links.claim_by_slip("e1", "p1", "phone of somebody else") is None
    assert links_of(tmp_path).claim_by_slip("e1", "p1", "phone of somebody else") is None
    assert links.claim_by_slip("e1", "p2", "phone of somebody else") == links.path("e1", "p2")


def test_what_the_desk_gave_or_took_back_no_slip_gives_again() -> None:
    links = links_of()
    assert not links.is_given("e1", "p1")
    links.give("e1", "p1")
    assert links.is_given("e1", "p1")
    assert links.claim_by_slip("e1", "p1", "phone of somebody else") is None
    links.revoke("e1", "p1")
    assert not links.is_given("e1", "p1")
    assert links.claim_by_slip("e1", "p1", "phone of Ana, long enough") is None
    assert links.give("e1", "p1") == links.path("e1", "p1")


def test_the_desk_gives_no_link_that_a_slip_has_given(tmp_path: Path) -> None:
    """Somebody else scanned it: the honest player's is a new one, and the other ends."""
    links = links_of(tmp_path)
    stolen = links.claim_by_slip("e1", "p1", "phone of somebody else")
    shown = links.give("e1", "p1")
    assert shown != stolen
    assert links.who(str(stolen).removeprefix("/me/")) is None
    assert links.claim_by_slip("e1", "p1", "phone of somebody else") is None
    # Shown twice, it is the same: the desk's own end by no look at them.
    assert links.give("e1", "p1") == shown


def test_the_file_stays_small_and_forgets_no_revocation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roundtap_hub.personal_links.KEPT_MAX", 3)
    links = links_of(tmp_path)
    mine = links.token("e1", "p1")
    links.revoke("e1", "p1")
    for number in range(2, 8):
        links.give("e1", f"p{number}")
    assert links_of(tmp_path).who(mine) is None
    assert [links.is_given("e1", f"p{number}") for number in (2, 7)] == [False, True]
