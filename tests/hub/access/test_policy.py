"""One table says who may ask for what: every address has a row, every refusal is one and changes nothing."""

import hashlib
import json
import random
import re
from base64 import b64encode
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from asgi_client import Answer, AsgiClient
from hub_kit import HandClock, event_steps, hub_of, people, running
from pages_kit import PIN
from policy_table import (
    ARCHIVED,
    BEFORE,
    CLOSED,
    DELETED,
    DESK,
    DRAFTED,
    EVERYBODY,
    FINISHED,
    HEAD_JUDGE,
    HEADS,
    IN_PLAY,
    JUDGE,
    JUDGES,
    KIN,
    LOGIN,
    NO_EVENT,
    NO_ROUND,
    ORGANIZER,
    ORGANIZERS,
    PLAYER,
    PUBLISHED,
    RUNNING,
    SCOREKEEPER,
    STAFF,
    STAFF_ROLES,
    STANDBY,
    STATES,
    STATION,
    TABLE,
    policy,
)

from patience import GUARD_S
from roundtap_core.event import commands as c
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_core.records import Result, SidePair
from roundtap_core.wire import REPORT, REQUEST, envelope
from roundtap_hub.app.asgi import HubApplication
from roundtap_hub.app.flask_app import create_app
from roundtap_hub.app.hub import Hub
from roundtap_hub.http.http_answers import PLAIN_SCRIPT
from roundtap_hub.http.routes import ROUTES, find_route, route
from roundtap_hub.http.static_files import PREFIX
from roundtap_hub.http.tls import HttpsInfo
from roundtap_hub.store.book import League, league_saved
from roundtap_hub.store.login_pins import hash_pin
from roundtap_hub.store.print_book import PrintBook
from roundtap_hub.store.service import Service, Step

ROOT = Path(__file__).parents[3]
POLICY = policy(ROUTES)
EVENTS = {NO_EVENT: "nothing", BEFORE: "soon", IN_PLAY: "now", FINISHED: "over", ARCHIVED: "away", DELETED: "gone"}
ROUNDS = {
    (NO_ROUND, NO_ROUND): "soon",
    (PUBLISHED, PUBLISHED): "now",
    (RUNNING, RUNNING): "runs",
    (CLOSED, DRAFTED): "later",
}
"""State of the round of match 1.1, and of the newest → an event before or in play."""
KEYS = {"table-1": bytes(range(32)), "station-1": bytes(range(32, 64))}

ASKERS = (
    "a stranger here",
    "a stranger elsewhere",
    "a stranger encrypted",
    "an organizer here",
    "an organizer encrypted",
    "an organizer elsewhere, not encrypted",
    "one whose session has ended",
    "one whose session is another hub's",
    "a proxy's word",
)
LET_IN = {"an organizer here", "an organizer encrypted"}
OF_ROLE = {HEAD_JUDGE: "a head judge encrypted", JUDGE: "a judge here", SCOREKEEPER: "a scorekeeper encrypted"}
"""With a PIN of their own."""
REVOKED = "a judge here, revoked"
AT_THE_DOOR = {
    "a stranger here",
    "a stranger encrypted",
    *LET_IN,
    "one whose session has ended",
    "one whose session is another hub's",
    *OF_ROLE.values(),
    REVOKED,
}
"""Who may see the login: all but those whose words everybody in the hall could read."""

WRITTEN_IN = re.compile(
    r"<style|<[^>]*\s(style|on[a-z]+)\s*=|<script(?![^>]*\ssrc=)|javascript:|<iframe|<base\b", re.IGNORECASE
)

RESULT = Result(score=SidePair(100, 24))

WITH_A_KEY = (TABLE, STATION, STANDBY, KIN)

OF_EVENTS = [address for address in POLICY if "<event_id>" in address]


@dataclass
class Hall:
    """A hub with an event in each state, and all that may be held against a change."""

    client: AsgiClient
    service: Service
    hub: Hub
    tokens: dict[str, str]

    def heads(self) -> Any:
        saved = self.service.snapshot
        return (
            saved.venue.head,
            {event: state.head for event, state in saved.events.items()},
            {event: summary.head for event, summary in saved.dormant.items()},
            saved.people,
            dict(self.hub.paper.states),
            list(self.hub.paper.orders),
            dict(self.hub.presence.units),
        )

    def ask(self, who: str, method: str, path: str, data: dict[str, str] | None = None) -> Answer:
        encrypted = ("encrypted" in who and "not encrypted" not in who) or "ended" in who
        elsewhere = "elsewhere" in who or "proxy" in who
        name = "__Host-roundtap" if encrypted else "roundtap_here"
        token = self.tokens.get(who, "")
        headers = {"host": "10.42.0.1:8080" if elsewhere else "localhost"}
        if token:
            # Whoever has another's token tries all names for it.
            names = (name,) if who in LET_IN or who in OF_ROLE.values() else ("__Host-roundtap", "roundtap_here")
            headers["cookie"] = "; ".join(f"{each}={token}" for each in names)
        if "proxy" in who:
            headers |= {
                "x-forwarded-for": "127.0.0.1",
                "x-forwarded-proto": "https",
                "x-forwarded-host": "localhost",
                "forwarded": "for=127.0.0.1;proto=https;host=localhost",
                "x-real-ip": "127.0.0.1",
            }
        self.client.seen_as = {
            "scheme": "https" if encrypted else "http",
            "client": ("10.42.0.77" if elsewhere or encrypted else "127.0.0.1", 50000),
        }
        try:
            if method == "GET":
                answer = self.client.get(path, **headers)
            else:
                answer = self.client.post(path, data={"csrf": self.csrf(who), **(data or {})}, **headers)
            is_sealed(answer)
            return answer
        finally:
            self.client.seen_as = {}

    def csrf(self, who: str) -> str:
        from roundtap_hub.access.staff import csrf_token_of

        return csrf_token_of(self.tokens.get(who, ""), self.hub.access.secret)


def is_sealed(answer: Answer) -> None:
    """Whatever is answered, and by whom: it is held to what it is, and no page has anything written into it."""
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; ")
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] in ("same-origin", "no-referrer")
    assert "camera=()" in answer.headers["permissions-policy"]
    if answer.headers.get("content-type", "").startswith("text/html"):
        scripts = f"script-src 'self' 'sha256-{b64encode(hashlib.sha256(PLAIN_SCRIPT).digest()).decode()}'"
        assert {"base-uri 'none'", "form-action 'self'", scripts, "style-src 'self'"} <= set(policy.split("; "))
        found = WRITTEN_IN.search(answer.text.replace(f"<script>{PLAIN_SCRIPT.decode()}</script>", ""))
        assert found is None, found


def prepared(service: Service, paper: PrintBook) -> None:
    """An event in each state, the units at their tables."""
    for event in (*(EVENTS[state] for state in (BEFORE, IN_PLAY, FINISHED, ARCHIVED, DELETED)), "runs", "later"):
        service.execute(event_steps(event), "organizer", people(event))
    for event in (*(EVENTS[state] for state in (IN_PLAY, FINISHED, ARCHIVED, DELETED)), "runs", "later"):
        service.execute([Step(event, c.DrawRound(11)), Step(event, c.PublishRound(1, 1, noted="so"))], "organizer")
    service.execute_one("runs", c.SetClock("start"), "organizer")
    live = service.snapshot.events["later"].live
    for match in live.matches if live else ():
        service.execute_one("later", c.EnterResult(match.id, match.revision, RESULT), "organizer")
    service.execute_one("later", c.DrawRound(12), "organizer")
    for event in (EVENTS[state] for state in (FINISHED, ARCHIVED, DELETED)):
        state = service.snapshot.events[event]
        for match in state.live.matches if state.live else ():
            service.execute_one(event, c.EnterResult(match.id, match.revision, RESULT), "organizer")
        service.execute_one(event, c.FinishEvent("the hall closes"), "organizer")
    for kind, state in (("event-archived", ARCHIVED), ("event-deleted", DELETED)):
        service.execute([Step(VENUE, NewEntry(kind, {"event": EVENTS[state]}))], "organizer")
    autumn = League(id="5ea50a", name="Autumn", by_place="3,2,1", events=tuple(EVENTS.values()))
    service.execute([Step(VENUE, league_saved(autumn))], "organizer")


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    folder = tmp_path_factory.mktemp("policy")
    clock = HandClock()
    with (
        running(folder / "roundtap.db", clock) as service,
        closing(PrintBook(f"sqlite:///{folder / 'roundtap.db'}")) as paper,
    ):
        prepared(service, paper)
        hub = hub_of(
            service,
            clock,
            paper,
            keys=KEYS,
            pin_hash=hash_pin(PIN, "salt"),
            encrypted=HttpsInfo(8443, b"-----BEGIN CERTIFICATE-----", "AAAA BBBB"),
        )
        begin = hub.access.organizers.begin
        tokens = {who: begin("10.42.0.77", "") for who in ASKERS if "organizer" in who or "proxy" in who}
        for who, role in (*((who, role) for role, who in OF_ROLE.items()), (REVOKED, JUDGE)):
            person, _ = hub.access.organizers.staff.add(f"Eva, {who}", role)
            tokens[who] = begin("10.42.0.77", "", person)
        hub.access.organizers.staff.revoke(person.id)
        ended = tokens["one whose session has ended"] = begin("10.42.0.77", "")
        found = hub.access.organizers.session(ended)
        assert found
        hub.access.organizers.sessions.end(found.id)
        tokens["one whose session is another hub's"] = "A" * 43
        with closing(AsgiClient(HubApplication(hub), lifespan=True)) as client:
            yield Hall(client, service, hub, tokens)


def path_of(address: str, state: str) -> tuple[str, str]:
    method, _, path = address.partition(" ")
    for mark, value in {
        "event_id": EVENTS[state],
        "match_id": "1.1",
        "competitor": "p1",
        "official": "o1",
        "league": "5ea50a",
        "session_id": "000000000000",
        "word": "nothing",
        "name": "roundtap.css",
        "rulebook": "xwing-standard",
        "token": "bm93CnAx.AAAAAAAAAAAAAAAAAAAAAAAA",
    }.items():
        path = path.replace(f"<{mark}>", value)
    return method, path


def states_of(address: str) -> tuple[str, ...]:
    return STATES if "<event_id>" in address else (BEFORE,)


# --- every address is declared --------------------------------------------------------------------------------------


def test_the_routes_are_those_of_the_table() -> None:
    """Address by address, who and when: whatever is added or let go is written down twice, here by hand,
    but for pages of the console that are the organizers' alone."""
    declared = {
        address: (one.who, one.states, one.rounds, dict(one.only))
        for address, one in ROUTES.items()
        if not address.startswith("HEAD ")
    }
    assert declared == {address: (*row[:3], dict(row.only)) for address, row in POLICY.items()}


def test_nothing_is_answered_that_was_not_declared(hall: Hall) -> None:
    app, native = create_app(hall.hub), HubApplication(hall.hub).native
    flask = {
        f"{method} {rule.rule}": app.view_functions[rule.endpoint]
        for rule in app.url_map.iter_rules()
        for method in rule.methods or ()
        if method != "HEAD"
    }
    asked = {f"{method} {path}" for path, methods in native.items() for method in methods}
    assert flask.keys() | asked | {f"GET {PREFIX}<name>"} == ROUTES.keys()
    for address, view in flask.items():
        assert view is ROUTES[address].answer, address


@pytest.mark.parametrize("address", POLICY)
def test_a_request_finds_its_route(address: str) -> None:
    method, path = path_of(address, IN_PLAY)
    for asked in (method, "HEAD") if method == "GET" else (method,):
        found = find_route(asked, path)
        assert (found[0].address == address) or (asked == "HEAD" and found[0].address == f"HEAD {path}")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/console/now/nonsense"),
        ("GET", "/console/now/draw"),
        ("DELETE", "/console/now"),
        ("OPTIONS", "/console"),
        ("PUT", "/console/hub/staff"),
        ("GET", "/console//now"),
        ("GET", "/console/now/"),
        ("PATCH", "/e/now"),
        ("GET", "/nonsense"),
        ("POST", "/e/now"),
        ("GET", "/device/nonsense"),
        ("POST", "/station/nonsense"),
        ("GET", "/print/now/other"),
        ("OPTIONS", "/station/jobs"),
    ],
)
def test_what_was_not_declared_is_refused_to_everybody(hall: Hall, method: str, path: str) -> None:
    """Where it would be the staff's, a stranger does not even learn that there is nothing."""
    before = hall.heads()
    assert find_route(method, path) is None
    for who in ("a stranger elsewhere", "a stranger encrypted", "an organizer here"):
        hall.client.seen_as = {}
        answer = hall.ask(who, method, path) if method in ("GET", "POST") else as_it_is(hall, who, method, path)
        if path.startswith("/console") and "stranger" in who:
            assert was_sent_away(answer), (who, answer.status_code)
        else:
            # The path as it is declared, to be asked for again; or nothing.
            assert answer.status_code in (308, 400, 403, 404, 405), (who, answer.status_code)
    assert hall.heads() == before


def as_it_is(hall: Hall, who: str, method: str, path: str) -> Answer:
    headers = {"host": "localhost"}
    if "organizer" in who:
        headers["cookie"] = f"roundtap_here={hall.tokens[who]}"
    elif "elsewhere" in who:
        headers["host"] = "10.42.0.1:8080"
    hall.client.seen_as = {
        "scheme": "https" if "encrypted" in who else "http",
        "client": ("127.0.0.1" if "here" in who else "10.42.0.77", 50000),
    }
    try:
        answer: Answer = hall.client.begin(method, path, headers=headers).result(GUARD_S)
        return answer
    finally:
        hall.client.seen_as = {}


@pytest.mark.parametrize(
    ("address", "who"),
    [
        ("GET /console/<event_id>", STAFF),
        ("GET /somewhere", STAFF),
        ("POST /console/somewhere", frozenset({EVERYBODY})),
        ("POST /somewhere", frozenset()),
    ],
)
def test_a_wrong_declaration_stops_the_hub(address: str, who: frozenset[str]) -> None:
    """Twice; the staff's where no guard of theirs stands; everybody's where one does; nobody's."""
    with pytest.raises(ValueError, match=address.split()[1]):
        route(address, who)(lambda: "")


# --- who ------------------------------------------------------------------------------------------------------------


def was_sent_away(answer: Answer) -> bool:
    """To the login, to the encrypted port, or with words."""
    where = answer.headers.get("location", "")
    return answer.status_code == 403 or where.startswith(("/login", "https://10.42.0.1:8443/"))


def whose(*roles: str) -> list[str]:
    """The addresses that are only for these."""
    return [address for address, row in POLICY.items() if row.who <= set(roles)]


OF_STAFF = whose(*STAFF_ROLES)


@pytest.mark.parametrize("address", OF_STAFF + whose(LOGIN))
def test_whoever_may_not_ask_is_sent_away_and_nothing_changes(hall: Hall, address: str) -> None:
    """In every state of the event: nobody learns which it is in."""
    allowed = LET_IN if address in OF_STAFF else AT_THE_DOOR
    before = hall.heads()
    for who in (*ASKERS, REVOKED):
        if who in allowed:
            continue
        for state in states_of(address):
            method, path = path_of(address, state)
            answer = hall.ask(who, method, path)
            assert was_sent_away(answer), (who, state, answer.status_code)
            if method == "POST":
                assert not answer.headers.get("location", "").startswith("https:"), "what was pressed is refused here"
    assert hall.heads() == before


def expected(address: str, role: str, state: str, of_match: str, newest: str) -> bool:
    """Whether the table lets `role` ask: read here by hand, not by the code that the guards use."""
    row, round_state = POLICY[address], of_match if "<match_id>" in address else newest
    if role not in row.who:
        return False
    if state not in row.states or role not in row.only:
        return True
    states, rounds = row.only[role]
    return state in states and round_state in rounds


@pytest.mark.parametrize("most", [3, pytest.param(99, marks=pytest.mark.long)])
@pytest.mark.parametrize("role", OF_ROLE)
@pytest.mark.parametrize("address", OF_STAFF)
def test_every_role_is_answered_by_the_table_and_a_refusal_says_who_may(
    hall: Hall, address: str, role: str, most: int, chance: random.Random
) -> None:
    """In `most` states of the event and of the round, others in each run; whoever may is told no more than that the
    page was another one."""
    before = hall.heads()
    cases = [(state, NO_ROUND, NO_ROUND, EVENTS[state]) for state in states_of(address) if state != IN_PLAY]
    if "<event_id>" in address:
        cases += [(BEFORE if event == "soon" else IN_PLAY, *rounds, event) for rounds, event in ROUNDS.items()]
    for state, of_match, newest, event in chance.sample(cases, min(most, len(cases))):
        method, path = path_of(address, state)
        answer = hall.ask(OF_ROLE[role], method, path.replace(EVENTS[state], event), {"step": "course.another"})
        case = (state, of_match, newest, answer.status_code, answer.text[:300])
        if expected(address, role, state, of_match, newest):
            assert answer.status_code != 403, case
            assert not was_sent_away(answer), case
        else:
            assert answer.status_code == 403, case
            assert "This action needs: " in said(answer), case
            assert f"You are logged in as {role.replace('_', ' ')}" in said(answer), case
    assert hall.heads() == before


def test_what_each_role_is_for() -> None:
    """By hand, as the issue asks for it: nobody's duty slips into another's by an oversight."""
    at, match = "POST /console/<event_id>", "POST /console/<event_id>/match/<match_id>"

    def may(role: str, address: str, state: str = IN_PLAY, round_state: str = RUNNING) -> bool:
        return ROUTES[address].allows(role, state, round_state)

    for address in (
        f"{at}/publish",
        f"{at}/draw",
        f"{at}/finish",
        f"{at}/cut",
        "POST /console",
        "POST /console/units/add",
        "GET /console/hub",
    ):
        assert {role for role in STAFF_ROLES if may(role, address)} == ORGANIZERS, address
    assert {role for role in STAFF_ROLES if may(role, f"{match}/walk")} == STAFF
    assert {role for role in STAFF_ROLES if may(role, f"{match}/walk", round_state=CLOSED)} == JUDGES
    for address in (
        f"{match}/extension",
        f"{match}/ruling",
        f"{at}/call",
        f"{at}/call/settled",
        f"{at}/competitors/<competitor>/warn",
        f"{at}/accept",
    ):
        assert {role for role in STAFF_ROLES if may(role, address)} == JUDGES, address
    for address in (f"{match}/appeal-decided", f"{at}/competitors/<competitor>/propose"):
        assert {role for role in STAFF_ROLES if may(role, address)} == HEADS, address
    for address in (f"{at}/competitors", f"{at}/competitors/<competitor>/drop"):
        assert may(SCOREKEEPER, address, BEFORE, NO_ROUND)
        assert not may(SCOREKEEPER, address, IN_PLAY, PUBLISHED)
    assert {role for role in STAFF_ROLES if may(role, f"{at}/paper")} == DESK


@pytest.mark.parametrize("address", whose(EVERYBODY))
def test_what_is_everybody_s_is_refused_to_nobody(hall: Hall, address: str) -> None:
    if address in ("GET /feed", "GET /standby/lineage", "GET /checks", "POST /join/<event_id>"):
        # The last one is closed unless an organizer has opened it (test_pages_sign_up.py); the checks are for those at
        # the hub's own machine (test_preflight.py).
        return  # One stays open (test_browser_feed.py), the other is there where a hub has kin (test_standby_feed.py).
    for who in ASKERS:
        for state in states_of(address):
            if state in POLICY[address].states:
                answer = hall.ask(who, *path_of(address, state))
                assert answer.status_code in (200, 302), (who, state)
                assert not was_sent_away(answer)


def as_player(hall: Hall, address: str, token: str) -> Answer:
    method, path = path_of(address, IN_PLAY)
    made_up = path_of("GET /me/<token>", IN_PLAY)[1].rpartition("/")[2]
    return hall.ask("a stranger elsewhere", method, path.replace(made_up, token), {"code": "ZZZZZZ"})


@pytest.mark.parametrize("address", whose(PLAYER))
def test_what_is_a_player_s_takes_the_link_and_no_other_s(hall: Hall, address: str) -> None:
    """Neither one that was made up, nor one that was revoked, nor a deleted event's, nor an organizer's session; and
    nothing is done for them."""
    links = hall.hub.access.links
    revoked = links.token("now", "p2")
    links.revoke("now", "p2")
    before = hall.heads()
    good = links.token("now", "p1")
    for token in ("x", "bm93CnAx.AAAAAAAAAAAAAAAAAAAAAAAA", revoked, good[:-1], good + "A", links.token("gone", "p1")):
        answer = as_player(hall, address, token)
        assert answer.status_code in ((404, 410) if "<token>" in address else (400,)), (token, answer.status_code)
    assert hall.ask("an organizer here", *path_of(address, IN_PLAY)).status_code in (400, 404)
    assert hall.heads() == before


@pytest.mark.parametrize("address", [address for address in whose(PLAYER) if address.startswith("GET ")])
def test_whoever_has_the_link_is_let_in(hall: Hall, address: str) -> None:
    # Lists are handed in before round 1, and looked at by nobody's phone later.
    answer = as_player(hall, address, hall.hub.access.links.token("soon" if address.endswith("/list") else "now", "p1"))
    assert answer.status_code == (404 if "/said/" in address else 200), "nobody has said anything"
    # The player's browser alone may keep the own page, for the way back to it without contact.
    assert answer.headers["cache-control"] == ("private, no-cache" if address == "GET /me/<token>" else "no-store")
    assert answer.headers["referrer-policy"] == "no-referrer"


def asks_as_a_unit(hall: Hall, path: str, unit: str, key: bytes) -> Answer:
    """With a fresh challenge, and an organizer's session beside it, which is worth nothing here."""
    payload = {
        "unit": unit,
        "nonce": "n",
        "core": "0",
        "reports": [],
        "states": [],
        "session": "s",
        "seq": 1,
        "instance": "i",
        "epoch": None,
        "heads": {},
        "holds": None,
        "damaged": 0,
        "report_id": "r1",
        "event": "now",
        "match": "1.1",
        "side": "a",
        "revision": 0,
        "serial": 1,
        "agrees_to": None,
        "round": 1,
        "a": "p1",
        "b": "p2",
        "result": {"score": {"a": 100, "b": 0}},
    }
    if not path.endswith("report"):
        payload["challenge"] = hall.client.get("/device/challenge").get_json()["challenge"]
    signed = envelope(key, REPORT if path.endswith("report") else REQUEST, payload)
    if path.endswith("report"):
        signed = {"report": signed["payload"], "mac": signed["mac"]}
    return hall.client.post(
        path,
        data=json.dumps(signed).encode(),
        roundtap_unit=unit,
        cookie=f"roundtap_here={hall.tokens['an organizer here']}",
    )


@pytest.mark.parametrize("address", whose(*WITH_A_KEY))
def test_what_is_a_unit_s_takes_its_key_and_no_other_s(hall: Hall, address: str) -> None:
    """Neither one that nobody knows, nor one of another role, nor one that was revoked; no session of organizers."""
    _, path = path_of(address, IN_PLAY)
    (who,) = POLICY[address].who
    revoked = hall.hub.units.keys.add("table-3", TABLE if who == KIN else who)
    hall.hub.units.keys.revoke("table-3")
    before = hall.heads()
    other = "station-1" if who == TABLE else "table-1"
    for unit, key in (
        ("table-1", b"r" * 32),
        ("station-1", b"r" * 32),
        ("table-9", KEYS["table-1"]),
        ("table-3", revoked),
        (other, KEYS[other]),
    ):
        answer = asks_as_a_unit(hall, path, unit, key)
        # A hub without kin has none of these addresses; one with kin: test_standby_feed.py.
        refused = (403, 404) if who in (STANDBY, KIN) else (403,)
        assert answer.status_code in refused, (unit, answer.status_code, answer.text)
    assert hall.heads() == before


@pytest.mark.parametrize(("path", "unit"), [("/device/time", "table-1"), ("/station/jobs", "station-1")])
def test_the_right_key_is_let_in(hall: Hall, path: str, unit: str) -> None:
    assert asks_as_a_unit(hall, path, unit, KEYS[unit]).status_code == 200


# --- in which state -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("address", OF_EVENTS)
def test_what_a_state_does_not_allow_is_refused_and_changes_nothing(hall: Hall, address: str) -> None:
    before = hall.heads()
    for state in STATES:
        if state in POLICY[address].states:
            continue
        answer = hall.ask("an organizer here", *path_of(address, state))
        assert answer.status_code in (400, 404, 409, 410), (state, answer.status_code)
        if answer.status_code == 400:
            assert state in (BEFORE, IN_PLAY), "left to the event itself"
    assert hall.heads() == before


@pytest.mark.parametrize("address", OF_EVENTS)
def test_what_a_state_allows_is_not_refused(hall: Hall, address: str) -> None:
    """A button that was shown for another state gets as far as being told just that: nothing stood in its way."""
    before = hall.heads()
    for state in (state for state in STATES if state in POLICY[address].states):
        for who in LET_IN:
            method, path = path_of(address, state)
            answer = hall.ask(who, method, path, {"step": "course.another"})
            if method == "GET":
                assert answer.status_code == 200 or (answer.status_code == 302 and not was_sent_away(answer)), (
                    state,
                    who,
                    answer.status_code,
                )
            else:
                assert answer.status_code == 409, (state, who, answer.status_code)
                assert "The event has changed since" in said(answer), (state, who)
    assert hall.heads() == before


def said(answer: Answer) -> str:
    found = re.search(r'<p class="problem".*?</p>', answer.text, flags=re.S)
    return re.sub(r"<[^>]+>", " ", found[0]) if found else ""


# --- what is told of it ---------------------------------------------------------------------------------------------


def test_the_page_on_security_says_what_the_table_says() -> None:
    """Whatever changes something is an organizer's or a unit's; all of the console is the organizers'."""
    for address, row in POLICY.items():
        assert (row.who <= STAFF) == ("/console" in address), address
        assert not row.who <= STAFF or ORGANIZER in row.who, address
        assert EVERYBODY not in row.who or address.startswith(("GET ", "POST /join/")), address
    page = " ".join((ROOT / "SECURITY.md").read_text(encoding="utf-8").split())
    assert (
        "see pairings, standings, rules, the wall and each player's public page; sign up, once opened, before round 1"
        in page
    )
    assert "server/roundtap_hub/http/routes.py" in page
