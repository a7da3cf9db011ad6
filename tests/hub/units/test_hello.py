"""The hello that opens a feed: fresh, signed by a key that may, looked at for its size first; twins and newer ones."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from asgi_client import Answer, AsgiClient
from hub_kit import KEYS, HandClock, hello_of, hub_of, make_event, opened_hello, running

from patience import GUARD_S
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_core.wire import FEED, open_envelope
from roundtap_hub.access.unit_keys import (
    CHALLENGE_TTL_MS,
    DAMAGED,
    FORGERY_RATE,
    LENGTH_MAX,
    Challenges,
    RequestRefused,
)
from roundtap_hub.app.asgi import HubApplication
from roundtap_hub.app.hub import Hub
from roundtap_hub.http.host import Host
from roundtap_hub.store.service import Step
from roundtap_hub.units.device_feed import HELLO_BYTES_MAX, DeviceFeed


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def hub(tmp_path: Path, clock: HandClock) -> Iterator[Hub]:
    with running(tmp_path / "journal.db", clock) as service:
        make_event(service)
        yield hub_of(service, clock)


@pytest.fixture
def client(hub: Hub) -> Iterator[AsgiClient]:
    with closing(AsgiClient(HubApplication(hub), lifespan=True)) as made:
        yield made


def knock(client: AsgiClient, body: bytes, unit: str = "table-1") -> Answer:
    """A hello that is refused: a feed would never end."""
    answer: Answer = client.begin("POST", "/device/feed", body, {"roundtap-unit": unit}).result(GUARD_S)
    return answer


# --- a kept packet opens nothing ---------------------------------------------------------------------------------


def test_a_captured_hello_opens_no_second_feed(hub: Hub, client: AsgiClient) -> None:
    captured = hello_of(hub)
    first = client.begin("POST", "/device/feed", captured, {"roundtap-unit": "table-1"})
    client.until(lambda: hub.presence.units.get("table-1"))
    for _ in range(15):
        answer = knock(client, captured)
        assert (answer.status_code, "challenge" in answer.text) == (403, True)
    assert not first.done(), "the unit's own feed goes on"


def test_without_the_hub_s_own_challenge_of_now_no_feed_opens(hub: Hub, clock: HandClock) -> None:
    stranger = Challenges(clock.clocks.mono_ms)
    asked = hub.units.challenges.issue()
    for said in (
        None,
        7,
        "",
        "a.b.c",
        "ż" * 20,
        "x" * 65,
        stranger.issue(),
        asked[:-1],
        asked + "0",
        asked.replace(".", "", 1),
    ):
        with pytest.raises(RequestRefused, match="challenge"):
            opened_hello(hub.units, "table-1", hello_of(hub, challenge=said))
    assert opened_hello(hub.units, "table-1", hello_of(hub, challenge=asked))


def test_a_challenge_is_good_for_30_seconds(hub: Hub, clock: HandClock) -> None:
    asked = [hub.units.challenges.issue() for _ in range(2)]
    clock.ms += CHALLENGE_TTL_MS
    assert opened_hello(hub.units, "table-1", hello_of(hub, challenge=asked[0]))
    clock.ms += 1
    with pytest.raises(RequestRefused):
        opened_hello(hub.units, "table-1", hello_of(hub, challenge=asked[1]))


def test_who_cannot_sign_uses_no_challenge_up(hub: Hub) -> None:
    asked = hub.units.challenges.issue()
    with pytest.raises(RequestRefused):
        opened_hello(hub.units, "table-1", hello_of(hub, key=KEYS["table-2"], challenge=asked))
    assert opened_hello(hub.units, "table-1", hello_of(hub, challenge=asked))


def test_challenges_cost_memory_only_while_they_could_come_again() -> None:
    clock = HandClock()
    challenges = Challenges(clock.clocks.mono_ms)
    asked = [challenges.issue() for _ in range(1000)]
    assert len(challenges._used) == 0
    assert all(len(said) <= LENGTH_MAX for said in asked)
    assert len(set(asked)) == 1000
    assert [challenges.take(said) for said in asked for _ in range(2)] == [True, False] * 1000
    clock.ms += CHALLENGE_TTL_MS + 1
    assert challenges.take(challenges.issue())
    assert len(challenges._used) == 1
    assert not challenges.take(asked[0])


def test_a_challenge_is_asked_for_and_never_kept_on_the_way(client: AsgiClient, hub: Hub) -> None:
    answer = client.get("/device/challenge")
    assert answer.headers["cache-control"] == "no-store"
    assert hub.units.challenges.take(answer.get_json()["challenge"])


# --- size, then key, then content --------------------------------------------------------------------------------


def test_a_large_hello_a_stranger_s_and_a_station_s_are_refused_before_anything_is_parsed(
    hub: Hub, client: AsgiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[int] = []
    real = msgspec.json.decode
    monkeypatch.setattr(msgspec.json, "decode", lambda body: parsed.append(len(body)) or real(body))
    large = hello_of(hub, key=KEYS["table-2"], reports=[["e1", f"r{n}"] for n in range(8000)])
    assert len(large) > HELLO_BYTES_MAX
    unread = client.begin("POST", "/device/feed", None, {"roundtap-unit": "table-1"}, announced=HELLO_BYTES_MAX + 1)
    assert unread.result(GUARD_S).status_code == 413
    assert [knock(client, large).status_code, knock(client, large, "table-9").status_code] == [413, 413]
    for unit in ("table-9", "", "ż", "station-1"):
        assert knock(client, hello_of(hub, key=KEYS["table-2"]), unit).status_code == 403
    assert parsed == []
    assert knock(client, hello_of(hub, key=KEYS["table-2"])).status_code == 403
    assert len(parsed) == 1


def test_whoever_signs_wrongly_again_and_again_is_not_even_read(
    hub: Hub, client: AsgiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[int] = []
    real = msgspec.json.decode
    monkeypatch.setattr(msgspec.json, "decode", lambda body: parsed.append(len(body)) or real(body))
    wrong = hello_of(hub, key=KEYS["table-2"], reports=[["e1", f"r{n}"] for n in range(3000)])
    assert [knock(client, wrong).status_code for _ in range(50)] == [403] * FORGERY_RATE.burst + [429] * (
        50 - FORGERY_RATE.burst
    )
    unread = client.begin("POST", "/device/feed", None, {"roundtap-unit": "table-1"}, announced=60_000)
    assert unread.result(GUARD_S).status_code == 429
    assert len(parsed) == FORGERY_RATE.burst
    assert opened_hello(hub.units, "table-1", hello_of(hub), "10.42.0.12"), "the unit itself is not shut out"


def test_the_header_names_the_unit_that_signs(hub: Hub, client: AsgiClient) -> None:
    assert knock(client, hello_of(hub, "table-2"), "table-1").status_code == 403
    assert client.post("/device/feed", data=hello_of(hub)).status_code == 403


# --- one feed for each unit --------------------------------------------------------------------------------------


class Feed:
    """A unit's open feed, within a running loop."""

    def __init__(self, hub: Hub, feed: DeviceFeed, **changes: Any) -> None:
        key, self.hello = opened_hello(hub.units, "table-1", hello_of(hub, **changes))
        self._stream: AsyncIterator[bytes] = feed.stream(feed.new_connection(key, self.hello), self.hello)

    async def next(self) -> dict[str, Any] | None:
        """The next message; None at the feed's end."""
        async for chunk in self._stream:
            message = open_envelope(KEYS["table-1"], FEED, json.loads(chunk[len("data: ") :]))
            assert message is not None
            return message
        return None

    async def kinds(self, n: int) -> list[str]:
        return [message["type"] if message else "end" for message in [await self.next() for _ in range(n)]]

    async def close(self) -> None:
        await self._stream.aclose()  # type: ignore[attr-defined]


def play(hub: Hub, evening: Any) -> Any:
    async def whole() -> Any:
        feed = DeviceFeed(hub)
        feed.bind(asyncio.get_running_loop())
        return await evening(feed)

    return asyncio.run(whole())


def test_the_newest_feed_of_a_unit_ends_the_one_before_and_its_session(hub: Hub) -> None:
    async def evening(feed: DeviceFeed) -> None:
        first = Feed(hub, feed)
        welcome = await first.next()
        assert welcome is not None
        assert await first.kinds(2) == ["fates", "view"]
        for _ in range(15):
            second = Feed(hub, feed)
            assert await second.kinds(3) == ["welcome", "fates", "view"]
            assert len(feed._connections["table-1"]) == 1
            assert await first.kinds(1) == ["end"]
            assert not hub.presence.sessions.advances("table-1", welcome["session"], 1)
            first = second
        assert hub.presence.units["table-1"].connected
        await first.close()
        assert not hub.presence.units["table-1"].connected

    play(hub, evening)


def test_a_second_unit_of_one_name_hears_that_it_is_the_second_and_the_first_goes_on(hub: Hub) -> None:
    async def evening(feed: DeviceFeed) -> None:
        first = Feed(hub, feed, instance="a card")
        assert await first.kinds(3) == ["welcome", "fates", "view"]
        twin = Feed(hub, feed, instance="a copy of it")
        told = await twin.next()
        assert told == {"type": "twin", "nonce": "n1", "seq": 1, "now_ms": hub.clocks.mono_ms()}
        assert await twin.kinds(1) == ["end"]
        assert hub.presence.units["table-1"].instance == "a card"
        assert len(hub.presence.sessions._sessions["table-1"]) == 1
        await first.close()
        # Once the first has gone the other one is the unit.
        assert await Feed(hub, feed, instance="a copy of it").kinds(1) == ["welcome"]

    play(hub, evening)


def test_a_twin_at_another_hub_of_one_database_is_known_as_well(hub: Hub) -> None:
    async def evening(feed: DeviceFeed) -> None:
        hub.presence.merge("table-1", connected=True, instance="a card", contact_ms=hub.clocks.mono_ms())
        assert await Feed(hub, feed, instance="a copy of it").kinds(2) == ["twin", "end"]
        assert await Feed(hub, feed, instance="a card").kinds(1) == ["welcome"]

    play(hub, evening)


# --- what a hello is for -----------------------------------------------------------------------------------------


def test_listeners_hear_of_every_accepted_hello_before_the_fates_and_a_broken_one_stops_nothing(hub: Hub) -> None:
    async def evening(feed: DeviceFeed) -> None:
        heard: list[tuple[str, Any]] = []
        feed.on_hello.append(lambda unit, hello: heard.append((unit, hello.heads)))
        feed.on_hello.append(lambda unit, hello: 1 // 0)  # type: ignore[arg-type,return-value]
        first = Feed(hub, feed, instance="a card", heads={"e1": [7, "aa"]})
        assert await first.kinds(1) == ["welcome"]
        assert heard == [("table-1", {"e1": (7, "aa")})]
        assert await first.kinds(2) == ["fates", "view"]
        assert await Feed(hub, feed, instance="a copy").kinds(1) == ["twin"]
        assert len(heard) == 1

    play(hub, evening)


def test_the_welcome_names_the_other_hubs_and_says_whether_this_one_was_restored(hub: Hub) -> None:
    async def evening(feed: DeviceFeed) -> tuple[Any, Any]:
        welcome = await Feed(hub, feed).next()
        return welcome["hubs"], welcome["restored"]

    assert play(hub, evening) == ([], False)
    hub = replace(hub, host=Host(other_addresses=lambda: ("http://10.42.0.2:8080",)))
    begun = {"epoch": "new", "restored": {"from": {}, "at": None}}
    hub.service.execute([Step(VENUE, NewEntry("epoch-begun", begun))], "test")
    assert play(hub, evening) == (["http://10.42.0.2:8080"], True)


def test_what_a_hello_says_of_the_unit_s_disk_is_kept_for_the_console(hub: Hub) -> None:
    async def evening(feed: DeviceFeed) -> None:
        await Feed(hub, feed, instance="a card", damaged=3).next()
        status = hub.presence.units["table-1"]
        assert (status.instance, status.damaged, status.connected) == ("a card", 3, True)
        assert status.troubles == {DAMAGED}
        hub.units.troubles.acknowledge("table-1")
        for damaged, told in ((3, frozenset()), (4, {DAMAGED})):
            await Feed(hub, feed, instance="a card", damaged=damaged).next()
            assert hub.presence.units["table-1"].troubles == told

    play(hub, evening)
