"""Who has heard everything, knows a code, or speaks as a hub or as a unit: what each gets of an enrolment."""

import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from enrol_kit import Hall, hall_at, pass_time
from spake2 import SPAKE2_A, SPAKE2_B

from roundtap_core.enrol_keys import (
    HUB_IDENTITY,
    ExchangeContext,
    code_password,
    commitment,
    derive_keys,
    parse_hex_message,
    unit_identity,
)
from roundtap_core.wire import ENROL, envelope
from roundtap_hub.units import enrolment as waiting
from roundtap_hub.units.enrolment import CHECKED, LATE, MALFORMED, OFFERED, STORED, EnrolResult
from roundtap_units.link.enrolling import CODE, STOPPED, WRONG

CODE_SHOWN = "345678"
SIDE_B = "42"

IDENTITY, ORDER_2 = (1).to_bytes(32, "little"), (2**255 - 20).to_bytes(32, "little")
ORDER_4 = bytes(32)
ORDER_8 = bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05")
WEAK = {
    "identity": IDENTITY,
    "order 2": ORDER_2,
    "order 4": ORDER_4,
    "order 8": ORDER_8,
    "not on the curve": (2).to_bytes(32, "little"),
    "not reduced": b"\xff" * 32,
    "identity, not reduced": (2**255 - 18).to_bytes(32, "little"),
}


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    with hall_at(tmp_path) as made:
        yield made


def enrolled(hall: Hall, **where: Any) -> Any:
    """A unit that was enrolled while somebody listened."""
    unit = hall.unit()
    unit.step()
    typing = hall.type(unit.shows, **where)
    unit.step()
    assert isinstance(typing.outcome, EnrolResult)
    return unit


def last_exchange(hall: Hall) -> Any:
    return list(hall.desk._exchanges.values())[-1]


# --- the air ---


def test_every_message_of_an_exchange_said_again_gives_nothing(hall: Hall) -> None:
    unit = enrolled(hall, table=7)
    before = dict(hall.hub.units.keys)
    for message, _, _ in list(hall.heard):
        status, said = hall.post(message, "10.0.0.66")
        assert status != 200 or message["step"] in ("ask", "answer", "confirm")
        # What was said to the unit is said again at the most: signed with a key that is in nobody's ears.
        assert "key" not in said
    assert dict(hall.hub.units.keys) == before == {"table-7": unit.kept[0].key}
    pass_time(hall, 301_000)
    for message, _, _ in list(hall.heard):
        status, _ = hall.post(message, "10.0.0.67")
        assert status in (404, 200 if message["step"] == "ask" else 404)
    assert dict(hall.hub.units.keys) == before


def test_a_kept_exchange_does_not_pass_for_another_one(hall: Hall) -> None:
    """The unit's answer of yesterday, said when the same code is typed for the same unit again."""
    enrolled(hall)
    answer = next(said for said, _, _ in hall.heard if said["step"] == "answer")
    confirm = next(said for said, _, _ in hall.heard if said["step"] == "confirm")
    ask = next(said for said, _, _ in hall.heard if said["step"] == "ask")
    pass_time(hall, 301_000)
    _, said = hall.post(ask, "10.0.0.66")
    hall.type(f"{said['number']} {CODE_SHOWN}")
    exchange = last_exchange(hall)
    name = exchange.about.exchange
    status, said = hall.post({**answer, "exchange": name}, "10.0.0.66")
    assert status == 200, "it is the message that was announced"
    status, _ = hall.post({**confirm, "exchange": name}, "10.0.0.66")
    assert (status, exchange.state) == (403, "wrong")
    assert hall.hub.units.keys.keys() == {"table-1"}
    assert hall.hub.service.snapshot.venue.unit_ids["m-1"] == "table-1"


def test_who_knows_the_code_and_hears_everything_cannot_speak_for_the_unit(hall: Hall) -> None:
    """Its digits are read off the screen, its token out of the air, and the unit's very address is
    taken over: the unit had announced what it would say."""
    unit = hall.unit()
    unit.step()
    ask = hall.heard[-1][0]
    typing = hall.type(unit.shows, table=7)
    _, said = hall.post(ask, "10.0.0.7")
    offer = said["offer"]
    own = SPAKE2_B(code_password(CODE_SHOWN), HUB_IDENTITY, unit_identity("m-1", "table", offer["serial"]))
    status, _ = hall.post(
        {"step": "answer", "token": ask["token"], "exchange": offer["exchange"], "message": own.start().hex()},
        "10.0.0.7",
    )
    assert status == 403
    unit.step()
    assert typing.outcome == EnrolResult("table-7", 7)
    assert dict(hall.hub.units.keys) == {"table-7": unit.kept[0].key}


def test_what_is_announced_for_a_code_is_what_was_said_first(hall: Hall) -> None:
    """Who knows the code by now announces his own message for it."""
    unit = hall.unit()
    unit.step()
    ask = hall.heard[-1][0]
    own = SPAKE2_B(code_password(CODE_SHOWN), HUB_IDENTITY, unit_identity("m-1", "table", ask["serial"]))
    mine = own.start()
    hall.post({**ask, "commit": commitment(mine)}, "10.0.0.7")
    typing = hall.type(unit.shows)
    exchange = last_exchange(hall)
    status, _ = hall.post(
        {"step": "answer", "token": ask["token"], "exchange": exchange.about.exchange, "message": mine.hex()},
        "10.0.0.7",
    )
    assert (status, exchange.state) == (403, OFFERED)
    unit.step()
    assert typing.outcome == EnrolResult("table-1", None)


def test_who_overheard_a_code_and_asks_as_a_unit_is_never_offered_it(hall: Hall) -> None:
    unit, thief = hall.unit(), hall.unit("m-1", address="10.0.0.66")
    unit.step()
    thief.step()
    typing = hall.type(unit.shows)
    for _ in range(5):
        thief.step()
    assert (thief.kept, thief.asking.showing.state) == ([], CODE)
    unit.step()
    assert typing.outcome == EnrolResult("table-1", None)


def test_who_reads_the_code_off_the_screen_cannot_announce_a_later_one_with_the_units_token(hall: Hall) -> None:
    """The token is in the air. A question with it and a later serial would put the thief's number before the unit's
    digits, and what was announced for it knows them."""
    unit = hall.unit()
    unit.step()
    own = SPAKE2_B(code_password(CODE_SHOWN), HUB_IDENTITY, unit_identity("m-1", "table", 2**30))
    mine = own.start()
    forged = {**hall.heard[-1][0], "serial": 2**30, "commit": commitment(mine)}
    hall.post(forged, "10.0.0.66")
    pass_time(hall, 25_000, unit)
    hall.post(forged, "10.0.0.66")
    unit.step()
    typing = hall.type(unit.shows, table=7)
    _, said = hall.post(forged, "10.0.0.66")
    assert said["offer"] is None
    unit.step()
    assert typing.outcome == EnrolResult("table-7", 7)
    assert dict(hall.hub.units.keys) == {"table-7": unit.kept[0].key}


def test_who_heard_the_token_ends_no_exchange(hall: Hall) -> None:
    unit = hall.unit()
    unit.step()
    typing = hall.type(unit.shows, table=7)
    exchange, token = last_exchange(hall), hall.heard[-1][0]["token"]
    for step in ("wrong", "late", "answer", "confirm"):
        status, _ = hall.post(
            {
                "step": step,
                "token": token,
                "exchange": exchange.about.exchange,
                "message": "0" * 66,
                "confirm": "0" * 64,
            },
            "10.0.0.66",
        )
        assert (status, exchange.state) == (404, OFFERED)
    unit.step()
    assert typing.outcome == EnrolResult("table-7", 7)


def test_nobody_but_an_organizer_brings_a_code(hall: Hall) -> None:
    unit = hall.unit()
    unit.step()
    for step in ("code", "type", "enrol", "offer", None, 5, [], {}):
        status, _ = hall.post({"step": step, "code": CODE_SHOWN, "number": 10, "token": "x" * 32, "exchange": "x"})
        assert status in (400, 404)
    assert dict(hall.hub.units.keys) == {}


# --- guessing ---


def test_a_unit_that_does_not_have_the_digits_gets_one_guess_and_the_organizer_hears_of_it(hall: Hall) -> None:
    thief = hall.unit(code="111111")
    thief.step()
    number = thief.asking.showing.number
    typing = hall.type(f"{number} 222222")
    thief.step()
    assert typing.problem == "enrol_wrong"
    assert (thief.kept, dict(hall.hub.units.keys)) == ([], {})
    assert hall.type(f"{number} 111111").problem in ("enrol_used", "enrol_nobody")


def test_a_wrong_confirmation_ends_the_exchange(hall: Hall) -> None:
    """A unit whose digits are others sees the hub's confirmation, and could try again if it were let."""
    ask = {"step": "ask", "unit_id": "m-1", "token": "t" * 32, "kind": "table", "serial": 1}
    side = SPAKE2_B(code_password("111111"), HUB_IDENTITY, unit_identity("m-1", "table", 1))
    mine = side.start()
    _, said = hall.post({**ask, "commit": commitment(mine)})
    typing = hall.type(f"{said['number']} 222222")
    exchange = last_exchange(hall)
    named = {"token": "t" * 32, "exchange": exchange.about.exchange}
    status, said = hall.post({"step": "answer", **named, "message": mine.hex()})
    assert status == 200
    assert exchange.state == CHECKED
    for guess in (said["confirm"], "00" * 32):
        assert hall.post({"step": "confirm", **named, "confirm": guess})[0] in (403, 404)
    assert typing.problem == "enrol_wrong"
    assert dict(hall.hub.units.keys) == {}


def test_who_answers_as_a_hub_gets_one_guess_a_code_and_the_screen_says_so(hall: Hall) -> None:
    """A hub of the attacker's own: it offers exchanges by guessed digits, as often as the unit lets it."""
    offers = []

    def false_hub(said: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        if said["step"] == "ask":
            serial = said["serial"]
            side = SPAKE2_A(code_password("000000"), HUB_IDENTITY, unit_identity("m-1", "table", serial))
            offers.append(serial)
            return 200, {
                "hub": "h",
                "epoch": "e",
                "name": "roundtap",
                "number": 12,
                "again_ms": 200,
                "identify": False,
                "offer": {"exchange": "x", "serial": serial, "message": side.start().hex()},
            }
        return 200, {"confirm": "00" * 32}

    unit = hall.unit(post=false_hub)
    unit.step()
    assert (unit.asking.showing.state, unit.asking.showing.wrong) == (WRONG, 1)
    for _ in range(150):
        hall.clock.ms += 5000
        unit.step()
    assert (unit.kept, unit.asking.showing.state) == ([], STOPPED)
    assert sorted(set(offers) - {0}) == list(range(1, 11)), "ten in a row, then somebody has to press"


def test_a_right_guess_of_a_false_hub_is_one_in_a_million_and_bound_to_what_it_says_it_is(hall: Hall) -> None:
    """The oracle: with the right digits the exchange does go through, with everything else as it is."""
    state: dict[str, Any] = {}

    def false_hub(said: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        if said["step"] == "ask":
            side = SPAKE2_A(code_password(CODE_SHOWN), HUB_IDENTITY, unit_identity("m-1", "table", said["serial"]))
            state.update(side=side, message=side.start(), serial=said["serial"])
            return 200, {
                "hub": "h",
                "epoch": "e",
                "name": "n",
                "number": 12,
                "again_ms": 200,
                "identify": False,
                "offer": {"exchange": "x", "serial": said["serial"], "message": state["message"].hex()},
            }
        if said["step"] == "answer":
            theirs = parse_hex_message(said["message"])
            about = ExchangeContext("h", state.get("epoch", "e"), "m-1", "table", state["serial"], "x")
            state["made"] = derive_keys(state["side"].finish(theirs), about, state["message"], theirs)
            return 200, {"confirm": state["made"].hub_confirms}
        return 200, envelope(
            state["made"].key, ENROL, {"exchange": "x", "unit": "table-1", "role": "table", "hub": "h", "hubs": []}
        )

    unit = hall.unit(post=false_hub)
    unit.step()
    assert unit.kept
    state["epoch"] = "another epoch than it said"
    other = hall.unit(post=false_hub)
    other.step()
    assert other.kept == []


# --- the group ---


@pytest.mark.parametrize("element", WEAK.values(), ids=WEAK.keys())
def test_elements_that_give_everything_away_are_refused_by_the_hub(hall: Hall, element: bytes) -> None:
    message = SIDE_B + element.hex()
    ask = {
        "step": "ask",
        "unit_id": "m-1",
        "token": "t" * 32,
        "kind": "table",
        "serial": 1,
        "commit": commitment(bytes.fromhex(message)),
    }
    _, said = hall.post(ask)
    typing = hall.type(f"{said['number']} {CODE_SHOWN}")
    exchange = last_exchange(hall)
    status, _ = hall.post(
        {"step": "answer", "token": "t" * 32, "exchange": exchange.about.exchange, "message": message}
    )
    assert (status, exchange.state) == (403, MALFORMED)
    assert typing.problem == "enrol_wrong"


def test_the_hubs_own_message_and_one_of_its_side_are_refused(hall: Hall) -> None:
    """Reflected: the attacker has announced nothing that he could know, so it does not even come to arithmetic."""
    unit = hall.unit()
    unit.step()
    token = hall.heard[-1][0]["token"]
    hall.type(unit.shows)
    exchange = last_exchange(hall)
    for message in (exchange.message, SIDE_B + exchange.message[2:]):
        assert (
            hall.post({"step": "answer", "token": token, "exchange": exchange.about.exchange, "message": message})[0]
            == 403
        )
    assert exchange.state == OFFERED
    unit.step()
    assert exchange.state == STORED


@pytest.mark.parametrize("element", WEAK.values(), ids=WEAK.keys())
def test_elements_that_give_everything_away_are_refused_by_the_unit(hall: Hall, element: bytes) -> None:
    assert _offered(hall, "41" + element.hex())


@pytest.mark.parametrize("message", [None, 5, "", "41", "zz" * 33, "42" + "00" * 32, "41" * 5000, ["41"], {}, "é" * 66])
def test_what_is_no_message_is_refused_by_the_unit(hall: Hall, message: Any) -> None:
    assert _offered(hall, message)


def _offered(hall: Hall, message: Any) -> bool:
    """Whether a unit that is offered this is still without a key, and has burnt its code."""
    said_steps = []

    def false_hub(said: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        said_steps.append(said["step"])
        return 200, {
            "hub": "h",
            "epoch": "e",
            "name": "n",
            "number": 12,
            "again_ms": 200,
            "identify": False,
            "offer": {"exchange": "x", "serial": said.get("serial", 0), "message": message},
            "confirm": "",
        }

    unit = hall.unit(post=false_hub)
    unit.step()
    assert "answer" not in said_steps, "nothing of the code was said to it"
    assert all(code.used for code in unit.asking._codes)
    return unit.kept == [] and unit.asking.showing.state == WRONG


def test_the_units_own_message_is_refused_when_it_is_reflected(hall: Hall) -> None:
    seen: dict[str, Any] = {}

    def mirror(said: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        seen.update(said)
        own = unit.asking._codes[-1].own.hex()
        return 200, {
            "hub": "h",
            "epoch": "e",
            "name": "n",
            "number": 12,
            "again_ms": 200,
            "identify": False,
            "offer": {"exchange": "x", "serial": 1, "message": "41" + own[2:]},
            "confirm": "",
        }

    unit = hall.unit(post=mirror)
    unit.step()
    assert (unit.kept, seen["step"]) == ([], "wrong")


# --- bytes ---


def test_strange_questions_are_refused_and_change_nothing(hall: Hall) -> None:
    chance = random.Random(13)
    unit = hall.unit()
    unit.step()
    token = hall.heard[-1][0]["token"]
    hall.type(unit.shows)
    exchange = last_exchange(hall)
    whole = [
        hall.heard[-1][0],
        {"step": "answer", "token": token, "exchange": exchange.about.exchange, "message": SIDE_B + "00" * 32},
        {"step": "confirm", "token": token, "exchange": exchange.about.exchange, "confirm": "00" * 32},
        {"step": "again", "message": envelope(bytes(32), ENROL, {"unit_id": "m-1", "exchange": "x"})},
    ]
    odd = (None, 0, -1, 2**70, 1.5, True, "", "x", "x" * 300, "\x00", "é", [], [[]], {}, {"a": {}}, "00" * 33)
    for round_ in range(300):
        said = dict(chance.choice(whole))
        for _ in range(chance.randint(1, 2)):
            name = chance.choice([*said, "new"])
            if chance.random() < 0.3:
                said.pop(name, None)
            else:
                said[name] = chance.choice(odd)
        if said.get("step") in ("wrong", "late"):
            continue
        status, _ = hall.post(said, f"10.0.{round_ % 200}.9")
        assert status in (200, 400, 403, 404, 429)
    assert (exchange.state, dict(hall.hub.units.keys)) == (OFFERED, {})
    unit.step()
    assert exchange.state == STORED


@pytest.mark.parametrize("unit_id", ["", "m" * 65, "mé", "m\n1", 5, None, ["m-1"]])
def test_a_unit_without_a_plain_name_does_not_wait_to_be_enrolled(hall: Hall, unit_id: object) -> None:
    ask = {"step": "ask", "unit_id": unit_id, "token": "t" * 32, "kind": "table", "serial": 1, "commit": ""}
    assert hall.post(ask)[0] == 400
    assert hall.desk.room.listed() == []
    assert hall.post({**ask, "unit_id": "m" * 64})[0] == 200


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"[" * 2000, b"\xff\xfe", b'{"step": "ask"}'])
def test_what_is_no_question_at_all(hall: Hall, body: bytes) -> None:
    hall.client.seen_as = {"client": ("10.0.0.9", 1)}
    assert hall.client.post("/device/enrol", data=body).status_code == 400
    assert hall.client.post("/device/enrol", data=b"x" * 3000).status_code == 413


# --- crowds ---


def test_one_address_crowds_out_nobody(hall: Hall) -> None:
    honest = hall.unit("m-1", address="10.0.0.7")
    honest.step()
    for number in range(waiting.WAITING_MAX * 2):
        hall.unit(f"x-{number}", address="10.0.0.66").step()
    listed = hall.desk.room.listed()
    assert sum(each.address == "10.0.0.66" for each in listed) <= waiting.ADDRESS_MAX
    assert any(each.unit_id == "m-1" for each in listed)


def test_many_addresses_fill_the_places_and_a_unit_still_comes_in(hall: Hall) -> None:
    for number in range(waiting.WAITING_MAX + 20):
        hall.unit(f"x-{number}", address=f"10.0.1.{number // 8}").step()
        hall.clock.ms += 20
    assert len(hall.desk.room.listed()) <= waiting.WAITING_MAX
    honest = hall.unit("m-1", address="10.0.0.7")
    honest.step()
    assert honest.asking.showing.state == CODE


def test_an_address_that_asks_without_end_is_told_later(hall: Hall) -> None:
    ask = {"step": "ask", "unit_id": "m-1", "token": "t" * 32, "kind": "table", "serial": 1, "commit": ""}
    answers = [hall.post(ask, "10.0.0.66")[0] for _ in range(60)]
    assert answers.count(200) == waiting.RATE.burst
    assert set(answers) == {200, 429}
    assert hall.post({**ask, "token": "u" * 32}, "10.0.0.7")[0] == 200


def test_guesses_at_what_was_stored_are_slowed(hall: Hall) -> None:
    enrolled(hall)
    again = {"step": "again", "message": envelope(bytes(32), ENROL, {"unit_id": "m-1", "exchange": "x"})}
    answers = [hall.post(again, "10.0.0.66")[0] for _ in range(30)]
    assert answers == [404] * 10 + [429] * 20


# --- two at once ---


def test_two_organizers_who_type_the_same_code_use_it_once(hall: Hall) -> None:
    unit = hall.unit()
    unit.step()
    first, second = hall.type(unit.shows), hall.type(unit.shows)
    assert second.problem in ("enrol_used", "enrol_under_way")
    unit.step()
    assert first.outcome == EnrolResult("table-1", None)


def test_two_organizers_at_one_table_do_not_enrol_two_units_of_one_name(hall: Hall) -> None:
    units = [hall.unit(f"m-{n}") for n in range(2)]
    for unit in units:
        unit.step()
    first = hall.type(units[0].shows, table=7)
    second = hall.type(units[1].shows, table=7)
    for unit in units:
        unit.step()
    assert first.outcome == EnrolResult("table-7", 7)
    assert isinstance(second.outcome, EnrolResult)
    assert second.outcome.unit != "table-7"
    assert len({unit.kept[0].key for unit in units}) == 2


def test_a_stranger_who_shows_a_code_and_never_answers_does_not_keep_the_organizer(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The form waited ten seconds: so long a unit may take that has answered, and this one never does."""
    monkeypatch.setattr(waiting, "TAKE_UP_S", 0.01)
    stranger = hall.unit()
    stranger.step()
    assert hall.type(stranger.shows).problem == "enrol_silent"


def test_strangers_who_answer_and_never_confirm_take_few_places_of_organizers(hall: Hall) -> None:
    """Every form that waits for a unit holds a thread, and the console has four."""

    def post(message: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        return hall.post(message) if message["step"] in ("ask", "answer") else (503, {})

    strangers = [hall.unit(f"m-{n}", post=post) for n in range(3)]
    typings = []
    for stranger in strangers:
        stranger.step()
        typings.append(hall.type(stranger.shows))
        stranger.step()
    assert typings[2].problem == "enrol_under_way"
    for exchange in hall.desk._exchanges.values():
        exchange.end(LATE)
    assert [typing.problem for typing in typings] == ["enrol_silent", "enrol_silent", "enrol_under_way"]
