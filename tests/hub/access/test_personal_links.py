"""Personal links: signed for one person, revocable for good; six letters from the desk; a slip gives one once."""

import base64
import hashlib
import hmac
import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hub_kit import Service, disk_fails, running

from patience import GUARD_S
from roundtap_core.errors import Problem
from roundtap_core.event.entries import VENUE
from roundtap_hub.access.personal_links import CODE_LENGTH, CODE_LETTERS, CODE_LIFE_MS, PersonalLinks
from roundtap_hub.store.service import Step
from roundtap_hub.store.venue import DESK, TAKEN_BACK, PersonalLink, link_held_entry

SECRET = b"s" * 32
ANA, OTHER = "phone of Ana, long enough", "phone of somebody else"

ERA = "00c0ffee00c0ffee"


class Clock:
    ms = 1_000_000

    def __call__(self) -> int:
        return self.ms


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    with running(tmp_path / "hub.db") as started:
        yield started


@pytest.fixture
def links(service: Service) -> PersonalLinks:
    return PersonalLinks(service, SECRET, Clock())


def test_a_link_leads_to_its_person_and_to_nobody_else(links: PersonalLinks) -> None:
    tokens = {links.token(event, who): (event, who) for event in ("e1", "e2") for who in ("p1", "p2", "p12")}
    assert len(tokens) == 6
    for token, person in tokens.items():
        assert links.owner_of(token) == person
        assert links.path(*person) == f"/me/{token}"


@pytest.mark.parametrize("letter", range(0, 40, 3))
def test_one_other_letter_makes_it_nobody_s(links: PersonalLinks, letter: int) -> None:
    token = links.token("e1", "p1")
    for other in "AZaz09-_.":
        forged = token[:letter] + other + token[letter + 1 :]
        assert forged == token or links.owner_of(forged) is None


@pytest.mark.parametrize(
    "made_up", ["", ".", "..", "a.b", "e1.p1", "%00", "\n", "ż" * 50, "=" * 8, "A" * 10_000, ".".join("abc")]
)
def test_what_was_made_up_is_nobody_s(links: PersonalLinks, made_up: str) -> None:
    assert links.owner_of(made_up) is None


def test_a_signature_serves_for_no_other_ids(links: PersonalLinks) -> None:
    mine, theirs = links.token("e1", "p1"), links.token("e1", "p2")
    named, _, _ = theirs.partition(".")
    _, _, mac = mine.partition(".")
    assert links.owner_of(f"{named}.{mac}") is None
    # The ids could be cut elsewhere.
    shifted = base64.urlsafe_b64encode(b"e\n1p1").decode().rstrip("=")
    assert links.owner_of(f"{shifted}.{mac}") is None


def test_another_hub_s_link_is_none_here(service: Service, links: PersonalLinks) -> None:
    assert PersonalLinks(service, b"t" * 32, Clock()).owner_of(links.token("e1", "p1")) is None


def test_a_revoked_link_stays_revoked_when_the_hub_is_started_anew(tmp_path: Path) -> None:
    with running(tmp_path / "hub.db") as service:
        links = PersonalLinks(service, SECRET, Clock())
        mine, other = links.token("e1", "p1"), links.token("e1", "p2")
        links.revoke("e1", "p1")
        assert links.owner_of(mine) is None
        second = links.token("e1", "p1")
    with running(tmp_path / "hub.db") as service:
        again = PersonalLinks(service, SECRET, Clock())
        assert again.owner_of(mine) is None
        assert again.owner_of(other) == ("e1", "p2")
        assert again.owner_of(second) == ("e1", "p1"), "the next one"
        again.revoke("e1", "p1")
    with running(tmp_path / "hub.db") as service:
        assert PersonalLinks(service, SECRET, Clock()).owner_of(second) is None


def test_the_stream_says_who_has_a_link_and_nothing_that_opens_its_page(service: Service, links: PersonalLinks) -> None:
    """It is on sticks, and in files that people send each other."""
    links.give("e1", "p1", "organizer:7")
    links.claim_by_slip("e1", "p2", ANA)
    links.revoke("e1", "p2", "scorekeeper:8")
    entries = [entry for entry in service.entries(VENUE) if entry.kind == "link-held"]
    assert [(entry.actor, entry.data["competitor"], entry.data["generation"]) for entry in entries] == [
        ("organizer:7", "p1", 0),
        ("phone", "p2", 0),
        ("scorekeeper:8", "p2", 1),
    ]
    text = json.dumps([entry.data for entry in entries])
    for secret in (links.token("e1", "p1").split(".")[1], ANA, SECRET.decode(), SECRET.hex()):
        assert secret not in text


def test_a_disk_that_refuses_changes_nothing(service: Service, links: PersonalLinks) -> None:
    token = links.token("e1", "p1")
    for change in (links.revoke, links.give, partial(links.claim_by_slip, browser=ANA)):
        with disk_fails(service), pytest.raises(Problem, match=r"Saving failed\. Nothing changed"):
            change("e1", "p1")
    assert links.owner_of(token) == ("e1", "p1")
    assert not links.is_given("e1", "p1")


def test_a_code_is_six_letters_that_nobody_reads_as_figures(links: PersonalLinks) -> None:
    code = links.code("e1", "p1")
    assert len(code) == CODE_LENGTH
    assert set(code) <= set(CODE_LETTERS)
    assert not set(CODE_LETTERS) & set("IO01")
    assert links.code("e1", "p1") == code, "the same while it lives"


def test_no_two_people_have_one_code(service: Service) -> None:
    turns = iter("AAAAAAAAAAAABBBBBB")
    links = PersonalLinks(service, SECRET, Clock(), choice=lambda _: next(turns))
    assert (links.code("e1", "p1"), links.code("e1", "p2")) == ("AAAAAA", "BBBBBB")


def test_a_code_leads_to_the_link_once_however_it_is_typed(links: PersonalLinks) -> None:
    code = links.code("e1", "p1").lower()
    assert links.claim_code(f" {code[:3]} - {code[3:]}", "10.0.0.5") == links.path("e1", "p1")
    assert links.claim_code(code, "10.0.0.5") is None


def test_a_code_lives_for_a_limited_time(service: Service) -> None:
    clock = Clock()
    links = PersonalLinks(service, SECRET, clock)
    code, in_time = links.code("e1", "p1"), links.code("e1", "p2")
    clock.ms += CODE_LIFE_MS - 1
    assert links.claim_code(in_time, "10.0.0.5") == links.path("e1", "p2")
    clock.ms += 1
    assert links.claim_code(code, "10.0.0.5") is None
    assert links.code("e1", "p1") != code


def test_guessing_is_slowed_down_and_a_right_code_then_waits_too(links: PersonalLinks) -> None:
    code = links.code("e1", "p1")
    for _ in range(5):
        assert links.claim_code("ZZZZZZ", "10.0.0.66") is None
    with pytest.raises(Problem, match="Wait 30 seconds"):
        links.claim_code(code, "10.0.0.66")
    assert links.claim_code(code, "10.0.0.5") == links.path("e1", "p1"), "nobody else waits for that"


def test_a_revoked_link_takes_its_code_with_it(links: PersonalLinks) -> None:
    code = links.code("e1", "p1")
    links.revoke("e1", "p1")
    assert links.claim_code(code, "10.0.0.5") is None
    assert links.code("e1", "p1") != code


def test_a_code_of_one_hub_ends_with_the_link_that_another_on_the_same_journal_takes_back(
    service: Service, links: PersonalLinks
) -> None:
    code = links.code("e1", "p1")
    PersonalLinks(service, SECRET, Clock()).revoke("e1", "p1")
    assert links.claim_code(code, "10.0.0.5") is None


def test_a_slip_gives_the_link_to_the_first_phone_only(tmp_path: Path) -> None:
    with running(tmp_path / "hub.db") as service:
        links = PersonalLinks(service, SECRET, Clock())
        assert links.claim_by_slip("e1", "p1", ANA) == links.path("e1", "p1")
        assert links.claim_by_slip("e1", "p1", ANA) == links.path("e1", "p1")
        assert links.claim_by_slip("e1", "p1", OTHER) is None
    with running(tmp_path / "hub.db") as service:
        links = PersonalLinks(service, SECRET, Clock())
        assert links.claim_by_slip("e1", "p1", OTHER) is None
        assert links.claim_by_slip("e1", "p2", OTHER) == links.path("e1", "p2")


def test_of_many_phones_at_the_same_moment_one_gets_the_link(
    service: Service, links: PersonalLinks, monkeypatch: pytest.MonkeyPatch
) -> None:
    together, ask = threading.Barrier(8), service.execute

    def asked_together(*args: Any) -> Any:
        together.wait(GUARD_S)
        return ask(*args)

    monkeypatch.setattr(service, "execute", asked_together)
    with ThreadPoolExecutor(8) as phones:
        answers = list(phones.map(lambda n: links.claim_by_slip("e1", "p1", f"phone {n}, long enough"), range(8)))
    assert sorted(filter(None, answers)) == [links.path("e1", "p1")]
    assert len([entry for entry in service.entries(VENUE) if entry.kind == "link-held"]) == 1


def test_what_the_desk_gave_or_took_back_no_slip_gives_again(links: PersonalLinks) -> None:
    assert not links.is_given("e1", "p1")
    links.give("e1", "p1")
    assert links.is_given("e1", "p1")
    assert links.claim_by_slip("e1", "p1", OTHER) is None
    links.revoke("e1", "p1")
    assert not links.is_given("e1", "p1")
    assert links.claim_by_slip("e1", "p1", ANA) is None
    assert links.give("e1", "p1") == links.path("e1", "p1")


def test_the_desk_gives_no_link_that_a_slip_has_given(links: PersonalLinks) -> None:
    """Somebody else scanned it: the honest player's is a new one, and the other ends."""
    stolen = links.claim_by_slip("e1", "p1", OTHER)
    shown = links.give("e1", "p1")
    assert shown != stolen
    assert links.owner_of(str(stolen).removeprefix("/me/")) is None
    assert links.claim_by_slip("e1", "p1", OTHER) is None
    # Shown twice, it is the same: the desk's own end by no look at them.
    assert links.give("e1", "p1") == shown


def test_the_desk_gives_no_link_that_a_slip_gives_at_the_same_moment(service: Service, links: PersonalLinks) -> None:
    stolen: list[str] = []
    service.meanwhile = lambda: stolen.append(str(links.claim_by_slip("e1", "p1", OTHER)))
    shown = links.give("e1", "p1")
    assert stolen[0] not in ("None", shown)
    assert links.owner_of(stolen[0].removeprefix("/me/")) is None
    assert links.owner_of(shown.removeprefix("/me/")) == ("e1", "p1")


def test_a_link_that_another_desk_gives_at_the_same_moment_is_taken_back_too(
    service: Service, links: PersonalLinks
) -> None:
    other, given = PersonalLinks(service, SECRET, Clock()), []
    service.meanwhile = lambda: given.append((other.revoke("e1", "p1"), other.give("e1", "p1"))[1])
    links.revoke("e1", "p1")
    assert links.owner_of(given[0].removeprefix("/me/")) is None
    assert not links.is_given("e1", "p1")


def test_a_slip_s_word_that_comes_after_the_link_was_taken_back_gives_nothing(
    service: Service, links: PersonalLinks
) -> None:
    service.meanwhile = lambda: links.revoke("e1", "p1")
    assert links.claim_by_slip("e1", "p1", OTHER) is None
    assert not links.is_given("e1", "p1")


def test_of_people_of_years_ago_it_is_forgotten_who_had_a_link_and_never_what_was_revoked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("roundtap_hub.store.venue.LINKS_MAX", 3)
    with running(tmp_path / "hub.db") as service:
        links = PersonalLinks(service, SECRET, Clock())
        mine = links.token("e1", "p1")
        links.revoke("e1", "p1")
        for event in ("e1", "e2", "e3"):
            for number in (2, 3):
                links.give(event, f"p{number}")
    with running(tmp_path / "hub.db") as service:
        links = PersonalLinks(service, SECRET, Clock())
        assert sum(map(len, service.snapshot.venue.links.values())) == 3
        assert links.owner_of(mine) is None
        given = [links.is_given(event, who) for event in ("e1", "e2", "e3") for who in ("p2", "p3")]
        assert given == [False] * 4 + [True] * 2


# --- links that earlier hubs kept in a file ---------------------------------------------------------------------------


def earlier_token(competitor: str, generation: int) -> str:
    """As hubs signed them that kept a file of links."""
    key = hmac.new(SECRET, b"roundtap/personal/1\n" + ERA.encode(), hashlib.sha256).digest()
    mac = hmac.new(key, f'["e1", "{competitor}", {generation}]'.encode(), hashlib.sha256).digest()[:18]
    named = base64.urlsafe_b64encode(f"e1\n{competitor}".encode()).decode().rstrip("=")
    return f"{named}.{base64.urlsafe_b64encode(mac).decode()}"


def test_links_that_an_earlier_hub_took_into_the_journal_open_their_pages(
    service: Service, links: PersonalLinks
) -> None:
    for who, generation, holder in (("p1", 0, DESK), ("p2", 2, TAKEN_BACK), ("p3", 0, "4a5b6c7d8e9f0a1b")):
        link = PersonalLink(generation, holder, ERA)
        service.execute([Step(VENUE, link_held_entry(("e1", who), link))], "hub")
    assert [links.owner_of(earlier_token(who, 0)) for who in ("p1", "p2", "p3")] == [("e1", "p1"), None, ("e1", "p3")]
    assert (links.is_given("e1", "p1"), links.is_given("e1", "p2")) == (True, False)
    assert links.claim_by_slip("e1", "p3", OTHER) is None, "another phone has it"
    links.revoke("e1", "p1")
    assert links.owner_of(earlier_token("p1", 0)) is None
    assert links.give("e1", "p1") == f"/me/{earlier_token('p1', 1)}"
