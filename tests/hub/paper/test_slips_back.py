"""Paper comes back in: codes typed or read, both names before anything counts, contradictions asked, old slips told."""

import re
from dataclasses import replace

import pytest
from msgspec import structs
from pages_kit import open_house, problem_of, text_of

from faults import fails
from roundtap_core.event.commands import DrawRound, PublishRound, SetClock
from roundtap_core.words import LANGUAGES
from roundtap_hub.access.slip_codes import slip_codes, slip_token
from roundtap_hub.http.tls import HttpsInfo
from roundtap_hub.store.journal import JournalConflict


@pytest.fixture
def house(tmp_path):
    with open_house(tmp_path) as made:
        made.desk = made.with_event(swiss_rounds=3)
        made.publish()
        yield made


def code_of(house, match, number=1):
    played = house.event.rounds[number - 1]
    return slip_codes(house.event, played)[match]


def typed(house, what):
    """The page after a code was typed, or read, at the desk."""
    answer = house.desk.get("/console/e1/slip")
    answer = house.desk.client.get(
        "/console/e1/slip", query_string={"code": what}, headers=house.desk.headers, follow_redirects=True
    )
    token = re.search(r'name="csrf" value="([^"]+)"', answer.text)
    house.desk.token = token[1]
    return answer


def enter(house, match, line, **extra):
    """A slip typed as one short line; the answer to its last button, or the last page where it asks what counts."""
    form = hidden_in(typed(house, code_of(house, match, int(match[0]))).text)
    end = house.desk.client.get(
        f"/console/e1/match/{match}/walk",
        headers=house.desk.headers,
        follow_redirects=True,
        query_string={**{name: form[name] for name in ("revision", "seen", "slip")}, "text": line},
    )
    return end if problem_of(end) or 'id="slip-differs"' in end.text else resend(house, end, **extra)


def hidden_in(page):
    form = re.findall(r'<form (?:method="post"|method="get")[^>]*action="[^"]*/walk".*?</form>', page, flags=re.S)[-1]
    return dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form))


def resend(house, answer, **more):
    """Press a button of the last page: what was typed before travels with it."""
    fields = hidden_in(answer.text)
    house.desk.token = fields.pop("csrf")
    match = re.search(r'action="/console/e1/match/([^/]+)/walk"', answer.text)[1]
    return house.desk.post(f"/console/e1/match/{match}/walk", **{**fields, **more})


def stands(house, match):
    result = house.event.find_match(match)[1].match.result
    return (result.score.a, result.score.b) if result else None


def names_at(house, match):
    seat = house.event.find_match(match)[1].match
    people = house.service.snapshot.people_of("e1")
    return people[seat.a].name, people[seat.b].name


@pytest.mark.parametrize("how", ["{}", " {} ", "{}\r\n"])
@pytest.mark.parametrize(
    "change",
    [
        str,
        str.lower,
        lambda code: code.replace("-", " "),
        lambda code: code.replace("-", ""),
        lambda code: code.replace("-", "ß"),
    ],
)
def test_a_code_opens_its_match_with_both_names_table_and_round_before_anything_counts(house, how, change):
    page = text_of(typed(house, how.format(change(code_of(house, "1.2")))))
    for name in names_at(house, "1.2"):
        assert name in page
    assert "Table 2" in page
    assert "Round 1" in page
    assert stands(house, "1.2") is None


def test_figures_and_enter_lead_back_to_the_code_field_which_says_what_was_saved(house):
    house.time.ms += 60_000
    answer = enter(house, "1.1", "100 24")
    assert answer.status_code == 303
    assert stands(house, "1.1") == (100, 24)
    page = house.desk.get(f"{answer.location}&did={house.desk.did}")
    one, two = names_at(house, "1.1")
    assert "Result of table 1 saved. 100 : 24 Undo" in text_of(page)
    assert f"{one} – {two}" in re.sub(r"[●■] ", "", text_of(page))
    assert "Saved. Table 1" not in text_of(page), "it is said once"
    assert re.search(r'<input name="code" autofocus', page.text)
    assert "2 slips missing" in text_of(page)


def test_what_cannot_be_is_refused_and_what_was_typed_is_kept(house):
    answer = enter(house, "1.1", "50 120")
    assert answer.status_code == 400
    assert problem_of(answer)
    assert 'name="text" value="50 120"' in answer.text
    assert 'name="slip"' in answer.text
    assert stands(house, "1.1") is None


def test_a_wrong_code_is_told(house):
    page = typed(house, "QQQ-1")
    assert "No slip has the code “QQQ-1”" in problem_of(page)
    for strange in ("K7F", "<b>", "12", "http://hub/e/e1", "A" * 300):
        assert "No slip has the code" in problem_of(typed(house, strange))


# --- QR codes, read by a reader that acts as a keyboard


def test_a_round_that_was_not_drawn_here_has_codes_of_its_own(house):
    """An imported round has no draw; its slips are told from those of a round with the same people that was drawn."""
    played = house.event.rounds[0]
    imported = structs.replace(played, draw=None)
    codes = [set(slip_codes(house.event, each).values()) for each in (played, imported)]
    assert [len(each) for each in codes] == [len(played.matches)] * 2
    assert not codes[0] & codes[1]


def token_of(house, match):
    played, found = house.event.find_match(match)
    return slip_token(house.hub.access.secret, house.event, played, found)


@pytest.mark.parametrize(
    "wedge", ["http://10.42.0.1:8080/s/{}", "httpÖ--10.42.0.1Ö8080-s-{}", "HTTPÑ--10.42.0.1Ñ8080-S-{}", "{}"]
)
def test_a_barcode_reader_types_the_address_whatever_keyboard_it_takes_itself_for(house, wedge):
    for token in (token_of(house, "1.3"), token_of(house, "1.3").lower()):
        page = text_of(typed(house, wedge.format(token)))
        assert all(name in page for name in names_at(house, "1.3"))


def test_a_token_holds_no_letter_that_a_german_keyboard_swaps(house):
    for match in house.event.live.matches:
        assert re.fullmatch("[0-9A-V]{32}", token_of(house, match.id))


# --- slips that contradict


def test_a_second_slip_of_the_same_match_with_another_result_shows_both_and_asks(house):
    enter(house, "1.1", "100 24")
    answer = enter(house, "1.1", "80 100")
    page = text_of(answer)
    assert "Two different results" in page
    assert "Saved: 100 : 24" in page
    assert "Slip: 80 : 100" in page
    assert stands(house, "1.1") == (100, 24)


def test_the_slip_counts_with_a_reason_that_is_kept(house):
    enter(house, "1.1", "100 24")
    asked = enter(house, "1.1", "80 100")
    again = resend(house, asked, counts="slip")
    assert again.status_code == 400
    assert stands(house, "1.1") == (100, 24)
    done = resend(house, again, counts="slip", reason="both signed this one")
    assert done.status_code == 303
    assert stands(house, "1.1") == (80, 100)
    assert "both signed this one" in [line.text for line in house.event.find_match("1.1")[1].log]


def test_what_is_on_record_stays_and_nothing_is_written(house):
    enter(house, "1.1", "100 24")
    head = house.event.head
    assert resend(house, enter(house, "1.1", "80 100"), counts="record").status_code == 303
    assert house.event.head == head


def test_the_same_slip_twice_writes_nothing_twice(house):
    enter(house, "1.1", "100 24")
    head = house.event.head
    assert enter(house, "1.1", "100 24").status_code == 303
    assert house.event.head == head


def test_a_slip_against_one_sides_report_asks_as_well(house):
    house.report("1.1", "a", 100, 50)
    asked = enter(house, "1.1", "60 100")
    assert "Slip: 60 : 100" in text_of(asked)
    assert stands(house, "1.1") is None


def test_what_changed_between_the_page_and_the_press_is_not_overwritten(house):
    page = hidden_in(typed(house, code_of(house, "1.1")).text)
    house.report("1.1", "a", 100, 50)
    house.report("1.1", "b", 100, 50)
    said = {**page, "way": "played", "opener": "b", "q.score.loser": "60"}
    blind = house.desk.post("/console/e1/match/1.1/walk", **said)
    assert blind.status_code == 409
    assert 'id="slip-differs"' in blind.text
    answer = house.desk.post("/console/e1/match/1.1/walk", **said, counts="slip", reason="in a hurry")
    assert answer.status_code == 409
    assert stands(house, "1.1") == (100, 50)


# --- who leaves, and minutes


def test_who_ticked_that_they_leave_is_dropped_with_the_result(house):
    one, _ = names_at(house, "1.2")
    seat = house.event.find_match("1.2")[1].match
    answer = enter(house, "1.2", "10 100", leaves="a")
    assert house.event.entrants[seat.a].dropped_after == 1
    assert house.event.entrants[seat.b].active
    assert f"Dropped: {one}" in text_of(house.desk.get(answer.location))


def test_minutes_on_the_slip_are_on_record_before_its_result(house):
    house.service.execute_one("e1", SetClock("start"), "test")
    enter(house, "1.2", "10 100", minutes="4")
    match = house.event.find_match("1.2")[1]
    assert match.match.extension_minutes == 4
    assert stands(house, "1.2") == (10, 100)


def test_a_late_slip_with_a_tick_drops_nobody_out_of_the_next_match(house):
    house.play()
    house.publish()
    seat = house.event.find_match("1.1")[1].match
    page = text_of(typed(house, code_of(house, "1.1")))
    assert "This round is closed" in page
    answer = enter(house, "1.1", "100 24", leaves="a")
    assert house.event.entrants[seat.a].active
    assert "could not be dropped from here" in text_of(house.desk.get(answer.location))


# --- slips of other rounds, draws and events


def test_a_slip_of_a_closed_round_corrects_it_with_a_reason(house):
    house.play()
    house.publish()
    asked = enter(house, "1.1", "100 30")
    assert "Two different results" in text_of(asked)
    resend(house, asked, counts="slip", reason="misread")
    assert stands(house, "1.1") == (100, 30)


def test_a_page_with_another_slip_s_code_says_so_before_anything_is_answered(house):
    other = code_of(house, "1.2")
    for line in ("", "&text=100+30"):
        page = house.desk.get(f"/console/e1/match/1.1/walk?slip={other}{line}")
        assert page.status_code == 400
        assert f"“{other}” is not the code of this match" in problem_of(page)
        assert 'name="slip"' not in page.text
    refused = house.desk.post("/console/e1/match/1.1/walk", slip=other, way="played")
    assert f"“{other}” is not the code of this match" in problem_of(refused)


def test_a_slip_of_another_event_of_the_hall_is_found_and_says_so(house):
    house.desk.post(
        "/console", name="Side Event", color="#882255", rulebook="xwing-standard", structure="own", swiss_rounds=2
    )
    house.desk.post("/console/e2/competitors", names="Ana Ruiz\nBruno Maier\nEva Luz\nKai Eich")
    house.service.execute_one("e2", DrawRound(5), "test")
    draft = house.service.snapshot.events["e2"].draft
    house.service.execute_one("e2", PublishRound(1, draft.draw.attempt, noted="test"), "test")
    other = house.service.snapshot.events["e2"]
    code = slip_codes(other, other.live)["1.1"]
    page = typed(house, code)
    assert "This slip belongs to Side Event" in problem_of(page)
    assert f"/console/e2/slip?code={code}" in page.text
    token = slip_token(house.hub.access.secret, other, other.live, other.live.matches[0])
    assert "belongs to Side Event" in problem_of(typed(house, f"http://hub/s/{token}"))


def redrawn(house):
    """Round 2 as it was published, taken back by a cut that was made and whose first place left; here: a fresh hub's
    round of the same number by another draw."""
    from roundtap_core.event.states import EventState

    state: EventState = house.event
    live = state.live
    swapped = tuple(
        structs.replace(m, match=structs.replace(m.match, a=other.match.a))
        for m, other in zip(live.matches, (*live.matches[1:], live.matches[0]), strict=True)
    )
    return structs.replace(state, rounds=(*state.rounds[:-1], structs.replace(live, matches=swapped)))


def test_a_slip_of_a_round_that_was_changed_since_is_refused_and_says_why(house):
    """Two were swapped after the slips were printed: the old codes and QR codes name nobody any more."""
    code, token = code_of(house, "1.1"), token_of(house, "1.1")
    one, two = names_at(house, "1.1")
    snapshot = house.service.snapshot
    house.service.snapshot = replace(snapshot, events={**snapshot.events, "e1": redrawn(house)})
    for what in (code, f"http://10.42.0.1/s/{token}"):
        said = text_of(typed(house, what))
        assert "This slip is void. Round 1 has changed since" in said, what
        assert f"Table 1: {one} – {two}" in said
        assert "Current pairings: Table" in said
    public = house.browser().get(f"/s/{token}")
    assert public.status_code == 410
    assert "is void" in text_of(public)


# --- the door that a QR code opens


def test_a_judges_phone_comes_to_the_match_step_by_step(house):
    answer = house.desk.get(f"/s/{token_of(house, '1.1')}")
    assert answer.status_code == 303
    assert answer.location == "/console/e1/match/1.1/walk"
    enter(house, "1.1", "100 24")
    assert house.desk.get(f"/s/{token_of(house, '1.1')}").location == "/console/e1/match/1.1"


def test_anybody_else_is_asked_who_of_the_two_they_are(house):
    phone = house.browser()
    page = phone.get(f"/s/{token_of(house, '1.1')}")
    assert "Which of the two are you?" in text_of(page)
    seat = house.event.find_match("1.1")[1].match
    for who in (seat.a, seat.b):
        assert house.service.snapshot.names_of("e1")[who] in text_of(page)
    answer = phone.post(f"/s/{token_of(house, '1.1')}", side="b")
    assert answer.status_code == 303
    assert answer.location == house.hub.access.links.path("e1", seat.b)
    assert phone.post(f"/s/{token_of(house, '1.1')}", side="c").status_code == 400


def test_the_first_phone_gets_the_personal_page_and_a_second_one_asks_at_the_desk(house):
    seat = house.event.find_match("1.1")[1].match
    first, second = house.browser(), house.browser()
    door = f"/s/{token_of(house, '1.1')}"
    for phone in (first, second):
        phone.get(door)
    for _ in range(2):
        assert first.post(door, side="a").location == house.hub.access.links.path("e1", seat.a)
    refused = second.post(door, side="a")
    assert refused.status_code == 200
    assert "Ask the desk for a code" in problem_of(refused)
    name = names_at(house, "1.1")[0]
    told = f"{name} scanned a slip, but another phone has this player's page"
    assert told in text_of(house.desk.console())
    house.desk.post(f"/console/e1/competitors/{seat.a}/link")
    assert told not in text_of(house.desk.console())
    assert second.post(door, side="b").location == house.hub.access.links.path("e1", seat.b)
    # Whom the desk gave the page has it already: nobody has to look at that.
    assert "Ask the desk for a code" in problem_of(first.post(door, side="a"))
    assert told not in text_of(house.desk.console())


def test_a_slip_gives_a_page_until_its_round_is_over_and_then_the_desk_does(house):
    """Round 1's slips opened six of eight players' pages in round 2, "leave" included, and nobody was told."""
    door, seat = f"/s/{token_of(house, '1.1')}", house.event.find_match("1.1")[1].match
    owner, stranger = house.browser(), house.browser()
    owner.get(door)
    mine = owner.post(door, side="a").location
    house.play()
    house.publish()
    stranger.get(door)
    assert "The first phone gets it" not in text_of(stranger.get(door))
    refused = stranger.post(door, side="b")
    assert refused.status_code == 200
    assert "This round is over" in problem_of(refused)
    assert not house.hub.access.links.is_given("e1", seat.b)
    assert owner.post(door, side="a").location == mine, "its own page goes on opening"
    told = f"{names_at(house, '1.1')[1]}: a slip from a past round was scanned"
    assert told in text_of(house.desk.console())
    house.desk.post(f"/console/e1/competitors/{seat.b}/link")
    assert told not in text_of(house.desk.console())
    code = slip_codes(house.event, house.event.rounds[0])["1.1"]
    assert "Round 1" in text_of(typed(house, code)), "a late result is still entered by the code"


def test_on_a_full_disk_a_slip_gives_nobody_a_page_and_says_so_and_then_the_first_phone_gets_it(house, monkeypatch):
    door, seat = f"/s/{token_of(house, '1.1')}", house.event.find_match("1.1")[1].match
    first, second = house.browser(), house.browser()
    for phone in (first, second):
        phone.get(door)

    with monkeypatch.context() as patch:
        patch.setattr("roundtap_hub.store.journal.Journal.append", fails(JournalConflict("full", "SQLITE_FULL")))
        answer = first.post(door, side="a")
    assert answer.status_code == 409
    assert "Saving failed. Nothing changed" in text_of(answer)
    assert not house.hub.access.links.is_given("e1", seat.a)
    assert second.post(door, side="a").location == house.hub.access.links.path("e1", seat.a)


def test_a_made_up_token_opens_nothing_and_a_forged_one_claims_nothing(house):
    right = token_of(house, "1.1")
    assert house.browser().get(f"/s/{'0' * 32}").status_code == 404
    assert house.browser().get("/s/whatever").status_code == 404
    forged = right[:-16] + "0" * 16
    phone = house.browser()
    phone.get(f"/s/{forged}")
    assert "Ask the desk" in problem_of(phone.post(f"/s/{forged}", side="a"))
    seat = house.event.find_match("1.1")[1].match
    assert not house.hub.access.links.is_given("e1", seat.a)


def test_who_sends_no_cookie_back_claims_nothing(house):
    """Another site's form would send none."""
    door = f"/s/{token_of(house, '1.1')}"
    assert "Ask the desk" in problem_of(house.browser().post(door, side="a"))
    assert not house.hub.access.links.is_given("e1", house.event.find_match("1.1")[1].match.a)


def test_an_officials_phone_is_sent_to_the_encrypted_door_at_once_after_the_first_time(house):
    """Slips bear the plain address, as players' phones do not trust the hub's authority; sessions live at the other."""
    encrypted = HttpsInfo(8443, b"", "A1B2")
    house.hub.access.encrypted = encrypted
    house.app.extensions["roundtap"] = house.hub
    door = f"/s/{token_of(house, '1.1')}"
    client = house.app.test_client()
    plain, secure = "http://10.42.0.1:8080", "https://10.42.0.1:8443"
    page = client.get(door, base_url=plain)
    assert "Judges: " in text_of(page)
    sent = client.get(f"{door}?official=1", base_url=plain)
    assert sent.location == f"{secure}{door}?official=1"
    assert client.get(f"{door}?official=1", base_url=secure).location == f"/login?next={door}"
    login = client.get("/login", base_url=secure)
    token = re.search(r'name="csrf" value="([^"]+)"', login.text)[1]
    client.post("/login", data={"csrf": token, "pin": "246810"}, base_url=secure)
    assert client.get(door, base_url=secure).location == "/console/e1/match/1.1/walk"
    assert client.get(door, base_url=plain).location == f"{secure}{door}?official=1"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_of_slips_is_there_in_every_language(house, language):
    house.desk.headers["Accept-Language"] = language
    code = code_of(house, "1.1")
    for path in (
        "/console/e1/slip",
        "/console/e1/slip?code=XXX-9",
        f"/console/e1/match/1.1/walk?slip={code}",
        f"/console/e1/match/1.1/walk?slip={code}&way=played&opener=a&q.score.loser=5",
    ):
        answer = house.desk.get(path)
        assert answer.status_code == 200
        assert "slip." not in text_of(answer)


def test_a_match_that_is_not_there_is_not_found(house):
    assert house.desk.get("/console/e1/match/9.9/walk?slip=A-1").status_code == 404


def test_a_slip_of_the_running_round_has_its_clock(house):
    """No slip makes it later: at minute 0 a game that time has ended wants a reason, as at the desk."""
    refused = enter(house, "1.1", "60 24")
    assert problem_of(refused).startswith("Time is not up at this table. To enter this result anyway, give a reason.")
    assert stands(house, "1.1") is None
    assert enter(house, "1.1", "60 24", reason="The hall's clock failed").status_code == 303
    assert stands(house, "1.1") == (60, 24)
    house.service.execute_one("e1", SetClock("start"), "test")
    house.service.execute_one("e1", SetClock("set", -60_000), "test")
    assert enter(house, "1.2", "60 24").status_code == 303
    assert stands(house, "1.2") == (60, 24)


@pytest.mark.parametrize("code", ["x", "ABC-1", "of another match"])
def test_only_its_own_code_makes_a_result_a_slip_s(house, code):
    """Sent by hand: anything but the code of this match's slip is no slip."""
    fields = {
        **hidden_in(typed(house, code_of(house, "1.1")).text),
        "way": "played",
        "opener": "a",
        "q.score.loser": "24",
        "slip": code_of(house, "1.2") if code == "of another match" else code,
    }
    house.desk.token = fields.pop("csrf", house.desk.token)
    answer = house.desk.post("/console/e1/match/1.1/walk", **fields)
    assert answer.status_code == 409
    assert f"“{fields['slip']}” is not the code of this match's slip." in problem_of(answer)
    assert stands(house, "1.1") is None
