"""Displays and announcements: named by the hub, switched from the console, told at once, kept over a restart."""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from asgi_client import AsgiClient
from feed_listener import Listener
from pages_kit import PIN, Browser, House, here, open_house, problem_of, text_of

from roundtap_core.event.commands import DrawRound, PublishRound, SetClock
from roundtap_hub.app.asgi import HubApplication
from roundtap_hub.http.requester import session_cookie
from roundtap_hub.store.display_plan import DisplayAssignment
from roundtap_hub.views.known_displays import (
    DISPLAY,
    PAGE_MS,
    PER_ADDRESS_MAX,
    QUIET_MS,
    ROTATION_MS,
    TIME_UP_MS,
    UNASSIGNED_MAX,
    Displays,
)


@pytest.fixture
def desk(house: House) -> Browser:
    browser = house.with_event()
    browser.get("/console/displays")
    return browser


class Wall:
    """A screen that opens /wall, with its cookie."""

    def __init__(self, client: AsgiClient, cookie: str = "") -> None:
        self.client, self.cookie = client, cookie
        self.look()

    def look(self) -> str:
        answer = self.client.get("/wall", accept_language="en", **({"cookie": self.cookie} if self.cookie else {}))
        assert answer.status_code == 200
        self.page = answer.text
        self.cookie = answer.headers.get("set-cookie", self.cookie).partition(";")[0]
        return self.page

    @property
    def id(self) -> str:
        return self.cookie.partition("=")[2].partition(".")[0]

    @property
    def name(self) -> str:
        found = re.search(r'class="display-name" id="display-name" data-name="(\w+)"', self.page)
        return found[1] if found else ""

    @property
    def picture(self) -> str:
        found = re.search(r'class="picture picture-(\w+)"', self.page)
        return found[1] if found else ""


@pytest.fixture
def client(house: House) -> Iterator[AsgiClient]:
    with closing(AsgiClient(HubApplication(house.hub), lifespan=True)) as opened:
        yield opened


def test_each_display_has_a_short_name_in_its_corner_and_keeps_it(house: House, desk: Browser, client: AsgiClient):
    one, two = Wall(client), Wall(client)
    assert (one.name, two.name) == ("A", "B")
    one.look()
    assert one.name == "A"
    page = text_of(desk.get("/console/displays"))
    assert "Wall A" in page
    assert "Wall B" in page
    assert "not assigned" in page


def test_a_display_keeps_its_name_over_a_restart_of_the_hub(tmp_path: Path):
    cookies = []
    for _ in range(2):
        with (
            open_house(tmp_path) as house,
            closing(AsgiClient(HubApplication(house.hub), lifespan=True)) as client,
        ):
            walls = [Wall(client, cookie) for cookie in reversed(cookies)] or [Wall(client), Wall(client)]
            cookies = [wall.cookie for wall in walls]
            names = [wall.name for wall in walls]
    assert names == ["B", "A"]


def test_what_a_display_shows_is_switched_from_the_console(house: House, desk: Browser, client: AsgiClient):
    wall = Wall(client)
    house.publish()
    wall.look()
    assert wall.picture == "pairings"
    desk.post(f"/console/displays/{wall.id}/set", event="e1", show="clock", theme="dark", sound="1")
    wall.look()
    assert wall.picture == "clock"
    assert '<html lang="en" class="wall dark">' in wall.page
    assert "data-sound" in wall.page
    assert wall.name == "", "its corner is free once it is assigned"
    desk.post(f"/console/displays/{wall.id}/set", event="", show="pairings", part="2/2")
    wall.look()
    names = re.findall(r'class="wall-name"><bdi>(.*?)</bdi>', wall.page)
    assert len(names) == 3
    assert names == sorted(names)


def test_several_walls_split_the_alphabet(house: House, desk: Browser, client: AsgiClient):
    walls = [Wall(client) for _ in range(3)]
    house.publish()
    for n, wall in enumerate(walls, start=1):
        desk.post(f"/console/displays/{wall.id}/set", show="pairings", part=f"{n}/3")
    names = [name for wall in walls for name in re.findall(r'class="wall-name"><bdi>(.*?)</bdi>', wall.look())]
    assert len(names) == len(set(names)) == 6


def test_two_events_have_a_wall_each(house: House, desk: Browser, client: AsgiClient):
    desk.post("/console", name="Second", rulebook="xwing-standard", color="#882255")
    one, two = Wall(client), Wall(client)
    desk.post(f"/console/displays/{two.id}/set", event="e2")
    assert "Winter Open" in one.look()
    assert "Second" in two.look()
    assert "Winter Open" not in two.page


def test_a_wall_that_nobody_assigned_shows_every_event_that_plays_in_turn_and_names_it(
    house: House, desk: Browser, client: AsgiClient
):
    wall = Wall(client)
    desk.post(
        "/console", name="Spring Cup", color="#882255", rulebook="xwing-standard", structure="own", swiss_rounds=2
    )
    desk.post("/console/e2/competitors", names="Jan\nEva\nTom\nIda")
    house.publish()

    def heads() -> list[str]:
        seen: list[str] = []
        for _ in range(4):
            seen += re.findall(r'<h1 class="event-name">(.*?)</h1>', wall.look())
            house.time.ms += ROTATION_MS
        return seen

    assert set(heads()) == {"Winter Open"}, "the other one has not begun"
    house.service.execute_one("e2", DrawRound(11), "test")
    house.service.execute_one("e2", PublishRound(1, 1), "test")
    first, second = heads()[:2]
    assert {first, second} == {"Winter Open", "Spring Cup"}
    assert heads()[2:] == [first, second]
    assert ROTATION_MS % PAGE_MS, "else the same pages of a long list would be shown every time"

    wall.look()
    with closing(Listener(client, "/wall", cookie=wall.cookie, display="1")) as listening:
        listening.until(lambda: listening.named("clock"), "its feed")
        house.time.ms += ROTATION_MS
        listening.until(lambda: listening.named("display") == [{"elsewhere": True}], "the other one's turn")


def test_an_event_whose_time_has_just_run_out_has_the_wall_for_a_minute(
    house: House, desk: Browser, client: AsgiClient
):
    desk.post(
        "/console", name="Spring Cup", color="#882255", rulebook="xwing-standard", structure="own", swiss_rounds=2
    )
    desk.post("/console/e2/competitors", names="Jan\nEva\nTom\nIda")
    house.publish()
    house.service.execute_one("e2", DrawRound(11), "test")
    house.service.execute_one("e2", PublishRound(1, 1), "test")
    house.service.execute_one("e2", SetClock("start"), "test")
    house.service.execute_one("e2", SetClock("set", 5 * ROTATION_MS), "test")
    wall = Wall(client)

    def shown() -> list[str]:
        """Over a minute, every five seconds."""
        heads = []
        for _ in range(TIME_UP_MS // 5000):
            heads += re.findall(r'<h1 class="event-name">(.*?)</h1>', wall.look())
            house.time.ms += 5000
        return heads

    assert set(shown()) == {"Winter Open", "Spring Cup"}
    house.time.ms += 5 * ROTATION_MS - TIME_UP_MS
    assert set(shown()) == {"Spring Cup"}
    assert set(shown()) == {"Winter Open", "Spring Cup"}
    assert ["Event 1 of 2" in wall.page, "Event 2 of 2" in wall.page].count(True) == 1
    desk.post(f"/console/displays/{wall.id}/set", event="e1")
    assert "Event 1 of 2" not in wall.look(), "it has an event of its own"


def test_a_display_hears_at_once_that_it_goes_elsewhere(house: House, desk: Browser, client: AsgiClient):
    wall, other = Wall(client), Wall(client)
    listening, beside = (Listener(client, "/wall", cookie=each.cookie, display="1") for each in (wall, other))
    listening.until(lambda: listening.named("clock"), "its feed")
    desk.post(f"/console/displays/{wall.id}/identify")
    listening.until(lambda: listening.named("display"), "its name")
    assert listening.named("display") == [{"name": "A"}]
    desk.post(f"/console/displays/{wall.id}/set", show="standings")
    listening.until(lambda: len(listening.named("display")) == 2, "elsewhere")
    assert listening.named("display")[1] == {"elsewhere": True}
    assert beside.named("display") == []
    assert "connected" in text_of(desk.get("/console/displays"))
    listening.close()
    beside.close()


def test_what_nobody_offers_is_refused_and_changes_nothing(house: House, desk: Browser, client: AsgiClient):
    wall = Wall(client)
    before = house.service.snapshot.venue
    for fields in ({"show": "cats"}, {"part": "5/4"}, {"theme": "pink"}, {"event": "e9"}):
        assert problem_of(desk.post(f"/console/displays/{wall.id}/set", **fields))
    assert "no longer in the list" in problem_of(desk.post("/console/displays/nobody/set"))
    assert "no longer in the list" in problem_of(desk.post("/console/displays/nobody/identify"))
    assert house.service.snapshot.venue == before


def test_a_forgotten_display_comes_back_as_a_new_one(house: House, desk: Browser, client: AsgiClient):
    wall = Wall(client)
    desk.post(f"/console/displays/{wall.id}/set", show="clock")
    desk.post(f"/console/displays/{wall.id}/forget")
    assert "Wall A" not in text_of(desk.get("/console/displays"))
    wall.look()
    assert wall.name == "A"


# --- strangers --------------------------------------------------------------------------------------------------------


def test_strangers_do_not_crowd_out_who_is_assigned():
    now = [1_000_000]
    displays = Displays(lambda: now[0])
    mine, name = displays.register("", "10.0.0.9", {})
    screens = {mine: DisplayAssignment(name)}
    for n in range(500):
        displays.register("", f"10.0.{n // 250}.{n % 250}", screens)
    assert len(displays.contacts) == UNASSIGNED_MAX + 1
    assert displays.register(f"{mine}.{name}", "10.0.0.9", screens) == (mine, name)
    assert displays.register("", "10.0.3.3", screens)[1] == "", "it shows the wall, without a name"
    now[0] += QUIET_MS + 1
    assert displays.register("", "10.0.3.3", screens)[1] != "", "the quietest made room"


def test_one_address_is_given_few_names():
    displays = Displays(lambda: 0)
    names = [displays.register("", "10.0.0.9", {})[1] for _ in range(PER_ADDRESS_MAX + 3)]
    assert [bool(name) for name in names] == [True] * PER_ADDRESS_MAX + [False] * 3
    assert displays.register("", "10.0.0.10", {})[1]
    phones = [displays.register("", f"fe80::1:{n}", {})[1] for n in range(PER_ADDRESS_MAX + 3)]
    assert [bool(name) for name in phones] == [True] * PER_ADDRESS_MAX + [False] * 3, "one phone has many of them"


def crowded(*addresses: str) -> tuple[Displays, list[str]]:
    """All places taken by these addresses, each with as many as it gets, whose feeds stay open."""
    displays = Displays(lambda: 0)
    ids = []
    for n in range(UNASSIGNED_MAX):
        display, name = displays.register("", addresses[n % len(addresses)], {})
        displays.count_feed(display, 1)
        ids += [display] * bool(name)
    assert len(displays.contacts) == UNASSIGNED_MAX
    return displays, ids


def test_four_addresses_do_not_keep_every_place():
    """They had all 24, and a wall of the hall's got no name, so that nobody could assign it."""
    displays, _ = crowded(*(f"10.0.0.{n}" for n in range(4)))
    walls = [displays.register("", f"10.0.1.{n}", {}) for n in range(5)]
    assert all(name for _, name in walls)
    assert {display for display, _ in walls} <= displays.contacts.keys()
    assert len(displays.contacts) == UNASSIGNED_MAX
    held = Counter(contact.address for contact in displays.contacts.values())
    assert max(held.values()) == 5, "whoever had most has made room"


def test_an_organizer_s_own_screen_can_always_be_had():
    """Whoever has logged in on it, or stands at the hub's own."""
    displays, strangers = crowded(*(f"10.0.{n}.1" for n in range(UNASSIGNED_MAX)))
    assert displays.register("", "10.9.9.9", {})[1] == ""
    for address, is_own in (("10.9.9.9", True), ("127.0.0.1", False)):
        display, name = displays.register("", address, {}, is_own)
        assert name
        assert display in displays.contacts
    assert len(displays.contacts) == UNASSIGNED_MAX
    assert len(displays.contacts.keys() & strangers) == UNASSIGNED_MAX - 2


def test_a_logged_in_browser_is_an_organizer_s_own_screen(house: House, desk: Browser, client: AsgiClient):
    displays = house.hub.hall.displays
    for n in range(UNASSIGNED_MAX):
        displays.count_feed(displays.register("", f"10.0.{n}.1", {})[0], 1)
    client.seen_as = {"client": ("10.9.9.9", 1), "scheme": "https"}
    assert DISPLAY not in client.get("/wall").headers.get("set-cookie", "")
    token = house.hub.access.organizers.log_in(PIN, "10.9.9.9", "")
    answer = client.get("/wall", cookie=f"{session_cookie(encrypted=True, here=False)}={token}")
    assert DISPLAY in answer.headers["set-cookie"]


def test_a_wall_where_somebody_is_logged_in_is_not_loaded_again(house: House, desk: Browser, client: AsgiClient):
    """Its page is drawn for it alone and names no variant: that is no reason to load it again."""
    client.seen_as = {"scheme": "https"}
    token = house.hub.access.organizers.log_in(PIN, "10.9.9.9", "")
    session = f"{session_cookie(encrypted=True, here=False)}={token}"
    own = client.get("/wall", cookie=session).headers["set-cookie"].partition(";")[0]
    with closing(Listener(client, "/wall", cookie=f"{session}; {own}", display="1")) as listening:
        desk.post(f"/console/displays/{own.partition('=')[2].partition('.')[0]}/identify")
        listening.until(lambda: listening.named("display"), "its name")
        assert listening.named("display") == [{"name": "A"}]


@pytest.mark.parametrize("cookie", ["", "x", "a" * 16, "a" * 16 + ".<b>", "a" * 15 + "!.A", "../../etc.A"])
def test_a_cookie_that_is_none_of_ours_makes_a_new_display(cookie: str):
    display, name = Displays(lambda: 0).register(cookie, "10.0.0.9", {})
    assert re.fullmatch(r"[a-z2-7]{16}", display)
    assert name == "A"


def test_a_wall_with_an_address_of_its_own_is_no_display(house: House, desk: Browser, client: AsgiClient):
    for path in ("/wall/e1", "/wall?theme=dark"):
        answer = client.get(path)
        assert DISPLAY not in answer.headers.get("set-cookie", "")
    assert "No wall yet" in text_of(desk.get("/console/displays"))


# --- announcements ----------------------------------------------------------------------------------------------------


def said(house: House, path: str = "/wall/e1") -> str:
    page = house.browser().get(path).text
    found = re.search(r'<div class="said[^"]*" data-live id="said">(.*?)</div>', page, re.S)
    assert found, path
    return " ".join(re.sub(r"<[^>]+>", " ", found[1]).split())


def test_a_line_stands_on_walls_and_phones_until_it_is_taken_back(house: House, desk: Browser):
    desk.post("/console/announcements/say", kind="line", text="Pizza is here")
    for path in ("/wall/e1", "/e/e1/p/p1", "/e/e1/standings", "/e/e1"):
        assert said(house, path) == "Pizza is here"
    [known] = house.service.snapshot.venue.display_plan.announcements
    desk.post("/console/announcements/unsay", id=known.id)
    assert said(house) == ""
    before = house.service.snapshot.venue.number
    desk.post("/console/announcements/unsay", id=known.id)
    assert house.service.snapshot.venue.number == before


def test_one_event_s_line_is_nobody_else_s(house: House, desk: Browser):
    desk.post("/console", name="Second", rulebook="xwing-standard", color="#882255")
    desk.post("/console/announcements/say", kind="line", text="Only here", event="e2")
    assert said(house) == ""
    assert said(house, "/e/e2") == "Only here"


def test_lunch_is_counted_down_by_the_hub_s_clock_and_ends(house: House, desk: Browser):
    house.time.wall = "2026-11-21T12:00:00+00:00"
    desk.post("/console/announcements/say", kind="lunch", text="Pasta in the bar", until="45")
    ends_ms = house.time.ms + 45 * 60_000
    house.time.ms += 90_000
    assert f'data-until="{ends_ms}"' in house.browser().get("/wall/e1").text, "what the screen counts down to"
    assert said(house).startswith("Lunch break: Pasta in the bar ends in 43:30 (")
    house.time.ms += 43 * 60_000 + 29_999
    assert "0:01" in said(house)
    house.time.ms += 1
    assert said(house) == ""


def test_the_next_start_may_be_a_time_of_day(house: House, desk: Browser):
    house.time.wall = at_local("12:00:30")
    desk.post("/console/announcements/say", kind="next", until="12:30")
    assert said(house).startswith("Next round starts in 29:30")


def at_local(time: str) -> str:
    return here(f"2026-11-21T{time}")


def test_a_time_of_day_is_read_as_it_was_typed(house: House, desk: Browser):
    # 18:30:00.9 to 18:55 by a clock that names whole seconds: read again at 18:39:59.2, 18:40:00.9 and so on.
    house.time.wall, started_ms = at_local("18:30:00"), house.time.ms
    desk.post("/console/announcements/say", kind="next", until="18:55")
    for later_ms, wall in ((0, "18:30:00"), (599_300, "18:39:59"), (600_900, "18:40:00"), (1_499_999, "18:54:59")):
        house.time.ms, house.time.wall = started_ms + later_ms, at_local(wall)
        assert said(house).endswith("(18:55)"), wall
    house.time.ms = started_ms + 25 * 60_000
    assert said(house) == "", "over at 18:55:00"


def test_a_time_that_has_passed_is_refused_with_how_to_mean_tomorrow(house: House, desk: Browser):
    house.time.wall = at_local("18:29:00")
    answer = desk.post("/console/announcements/say", kind="next", until="13:30")
    assert answer.status_code == 400
    assert "13:30 has passed today. For 13:30 tomorrow, enter 1141 minutes." in answer.text
    assert said(house) == ""
    desk.post("/console/announcements/say", kind="next", until="1141")
    assert "in 1141:00 (13:30)" in said(house)


def test_a_time_of_the_night_to_come_is_taken(house: House, desk: Browser):
    house.time.wall = at_local("23:50:00")
    desk.post("/console/announcements/say", kind="next", until="0:30")
    assert "in 40:00 (00:30)" in said(house)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"kind": "line"}, "The announcement is empty"),
        ({"kind": "lunch"}, "The end is missing"),
        ({"kind": "next", "until": "soon"}, "soon"),
        ({"kind": "lunch", "until": "0"}, "“0”"),
        ({"kind": "lunch", "until": "25:00"}, "25:00"),
        ({"kind": "lunch", "until": "9999"}, "9999"),
        ({"kind": "line", "text": "x" * 121}, "121 letters"),
        ({"kind": "lunch", "until": "13:30"}, "does not know the time"),
        ({"kind": "shout", "text": "x"}, "shout"),
    ],
)
def test_what_cannot_be_announced_is_refused_and_changes_nothing(
    house: House, desk: Browser, fields: dict[str, str], words: str
):
    before = house.service.snapshot.venue
    answer = desk.post("/console/announcements/say", **fields)
    assert answer.status_code == 400
    assert words in problem_of(answer)
    assert house.service.snapshot.venue == before


def test_a_wall_holds_so_many_announcements_and_no_more(house: House, desk: Browser):
    for n in range(6):
        desk.post("/console/announcements/say", kind="lunch", text=f"{n}", until="1")
    assert "6 announcements" in problem_of(desk.post("/console/announcements/say", kind="line", text="one more"))
    house.time.ms += 60_000
    desk.post("/console/announcements/say", kind="line", text="one more")
    left = house.service.snapshot.venue.display_plan.announcements
    assert [line.text for line in left] == ["one more"], "what is over is forgotten"


def test_announcements_and_displays_outlive_a_restart(tmp_path: Path):
    with open_house(tmp_path) as house:
        desk = house.with_event()
        with closing(AsgiClient(HubApplication(house.hub), lifespan=True)) as client:
            wall = Wall(client)
            desk.post(f"/console/displays/{wall.id}/set", show="words", theme="dark")
            desk.post("/console/announcements/say", kind="lunch", until="45")
    with open_house(tmp_path) as house, closing(AsgiClient(HubApplication(house.hub), lifespan=True)) as client:
        again = Wall(client, wall.cookie)
        assert again.picture == "words"
        assert "Lunch break ends in 45:00" in said(house)


def test_after_another_boot_a_countdown_goes_on_by_the_time_of_day_where_it_is_known(tmp_path: Path):
    for wall, words in (("2026-11-21T12:10:00+00:00", "Lunch break ends in 35:00"), (None, "Lunch break")):
        folder = tmp_path / str(bool(wall))
        folder.mkdir()
        with open_house(folder) as house:
            house.time.wall = "2026-11-21T12:00:00+00:00"
            house.with_event().post("/console/announcements/say", kind="lunch", until="45")
        with open_house(folder) as house:
            house.time.wall, house.time.ms = wall, 5
            house.hub.clocks = replace(house.hub.clocks, boot_id="another boot")
            assert said(house).startswith(words)
            assert (":" in said(house)) == bool(wall), "nobody counts what nobody knows"


def test_a_line_is_shown_as_it_was_typed(house: House, desk: Browser):
    desk.post("/console/announcements/say", kind="line", text="<b>Tisch & Stuhl</b>")
    assert "&lt;b&gt;Tisch &amp; Stuhl&lt;/b&gt;" in house.browser().get("/wall/e1").text
