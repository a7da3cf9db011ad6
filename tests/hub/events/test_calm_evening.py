"""A whole evening for 24 in which nothing goes wrong: at most three items under *Action needed* at each step."""

import re
from functools import partial
from pathlib import Path
from random import Random

import pytest
from course_kit import won
from pages_kit import House, Time, open_house, start_page_needs

from roundtap_core.event.commands import EnterResult, MakeCut, SetClock
from roundtap_core.event.event_flow import upcoming_stage
from roundtap_core.randomness import SEED_BITS
from roundtap_core.records import TIEBREAK
from roundtap_hub.access.unit_keys import STATION, TABLE
from roundtap_hub.store.print_book import PrintBook, PrintState

PEOPLE = [f"Player {chr(65 + n)}" for n in range(24)]
MINUTE = 60_000
BOTH = frozenset("ab")
UNITS = range(1, 13)
PRESUMES_UNITS = re.compile(r"seated|contact|\bunits?\b|in vain", re.I)


def asked(page: str) -> int:
    """How many items stand under *Action needed*: open points before round 1 among them."""
    needs = page.partition('id="needs"')[2].partition("</section>")[0]
    points = page.partition('id="open-points"')[2].partition('id="final"')[0]
    return needs.count('class="need need-') + len(re.findall(r'<li data-key="', points))


def counted(page: str) -> int:
    """The number that the navigation shows at Play and at Print."""
    return sum(
        map(
            int,
            re.findall(r'data-go="[pr]"[^>]*><span>[^<]*</span> <b class="places-n" aria-hidden="true">(\d+)', page),
        )
    )


class Evening:
    """A hall with units and a printer, or without either."""

    def __init__(self, house: House, folder: Path, rulebook: str, *, equipped: bool, seed: int = 1) -> None:
        house.hub.new_seed = partial(Random(seed).getrandbits, SEED_BITS)
        self.house, self.rulebook, self.equipped = house, rulebook, equipped
        self.book = house.hub.paper = PrintBook(f"sqlite:///{folder / 'roundtap.db'}")
        self.desk = house.organizer()
        for n in UNITS if equipped else ():
            house.hub.units.keys.add(f"table-{n}", TABLE)
            house.place(f"table-{n}", n)
            house.says(f"table-{n}", match=None, seated=frozenset())
        if equipped:
            house.hub.units.keys.add("station-1", STATION)
        self.desk.post(
            "/console",
            name="Friday",
            rulebook=rulebook,
            color="#00785A",
            structure="own",
            swiss_rounds=2,
            cut=4,
            prize_places=0,
            late_minutes=10,
            lists_required=1,
        )

    def all_quiet(self, step: str) -> None:
        if self.equipped:
            self.house.hub.presence.update("station-1", self.house.time.ms)
        answer = self.desk.get("/console/e1")
        page = answer.text
        assert answer.status_code == (200 if self.house.service.snapshot.ids else 404), step
        assert asked(page) <= 3, (step, asked(page))
        assert counted(page) <= 3, (step, counted(page))
        assert start_page_needs(self.desk) == "", (step, start_page_needs(self.desk))
        if not self.equipped:
            main = page.partition('<main id="main">')[2]
            # The one question about seats is the clock's: an organizer looks up.
            texts = re.sub(r"<[^>]+>", " ", main).replace("once most players are seated", "")
            assert not PRESUMES_UNITS.findall(texts), (step, " ".join(texts.split()))
            assert 'id="paper-waiting"' not in self.desk.get("/console/e1/paper").text, step

    def sit_down(self, seated: frozenset[str] = BOTH) -> None:
        for match in self.house.event.live.matches if self.equipped else ():
            if match.match.table is not None:
                self.house.says(f"table-{match.match.table}", match=match.id, seated=seated)
        for job in self.desk.get("/console/e1/paper").text.split('name="job" value="')[1:] if self.equipped else ():
            self.book.update_states([(job.partition('"')[0], PrintState("printed", "", "station-1"))])

    def play(self) -> None:
        """Every table sits down, plays and says what happened, well before time."""
        self.sit_down(seated=frozenset())
        self.all_quiet("published")
        self.sit_down()
        self.all_quiet("seated")
        if self.house.event.clock.total_ms is not None:
            self.house.service.execute_one("e1", SetClock("start"), "test")
        for minutes in (1, 12, 30):
            self.house.time.ms += minutes * MINUTE
            self.sit_down()
            self.all_quiet(f"{minutes} min later")
        for place, match in enumerate(m for m in self.house.event.live.matches if m.match.b):
            result = won(self.rulebook, "a", self.house.event.live.number, place)
            self.house.service.execute_one("e1", EnterResult(match.id, match.revision, result, reason="-"), "test")
            if place % 5 == 0:
                self.all_quiet(f"{place + 1} results")
        self.all_quiet("all results")


@pytest.fixture(params=[False, True], ids=["no units, no printer", "units and a printer"])
def equipped(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.mark.parametrize(
    ("rulebook", "seed", "tiebreaks"),
    [
        ("xwing-standard", 1, 0),
        ("keyforge-archon", 1, 0),
        ("warlords-of-terra", 1, 0),
        # Two people are tied for fourth.
        ("warlords-of-terra", 16, 1),
    ],
)
def test_an_evening_asks_for_three_things_at_most_before_anything_is_wrong(
    tmp_path: Path, rulebook: str, seed: int, tiebreaks: int, equipped: bool
) -> None:
    with open_house(tmp_path, Time(wall="2026-11-27T18:00:00+00:00")) as house:
        it = Evening(house, tmp_path, rulebook, equipped=equipped, seed=seed)
        it.all_quiet("made")
        it.desk.post("/console/e1/competitors", names="\n".join(PEOPLE))
        it.all_quiet("24 entered, no list")
        it.desk.post("/console/e1/draw", attempt=0)
        it.all_quiet("round 1 drawn")
        page = it.desk.get("/console/e1").text
        assert "<summary>24 lists missing</summary>" in page
        it.desk.post("/console/e1/options/lists")
        it.all_quiet("lists are not needed tonight")
        page = it.desk.get("/console/e1").text
        assert "lists missing" not in page
        if house.event.rulebook.judge_required:
            it.desk.post("/console/e1/play-on", number=1, attempt=1, reason="I judge.")
        else:
            it.desk.post("/console/e1/publish", number=1, attempt=1)
        assert house.event.live is not None
        it.play()
        it.desk.post("/console/e1/draw", attempt=0)
        it.all_quiet("round 2 drawn")
        it.desk.post("/console/e1/publish", number=2, attempt=1)
        it.play()
        while upcoming_stage(house.event) == TIEBREAK:
            it.desk.get("/console/e1")
            it.desk.post("/console/e1/draw", attempt=0)
            it.all_quiet("tie-break round drawn")
            it.desk.post("/console/e1/publish", number=len(house.event.rounds), attempt=1)
            it.play()
        assert sum(each.stage == TIEBREAK for each in house.event.rounds) == tiebreaks
        house.service.execute_one("e1", MakeCut(), "test")
        it.all_quiet("cut made")
        for _ in range(2):
            it.desk.get("/console/e1")
            it.desk.post("/console/e1/draw", attempt=0)
            it.desk.post("/console/e1/publish", number=len(house.event.rounds), attempt=1)
            it.play()
        it.desk.get("/console/e1/event")
        it.desk.post("/console/e1/finish")
        assert house.event.finished
        it.all_quiet("finished")
        it.book.close()
