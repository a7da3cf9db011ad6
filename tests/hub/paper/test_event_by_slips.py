"""An event whose network is dead is finished from slips alone: no unit ever reports, to the champion."""

import html
import random
import re
from csv import DictReader
from dataclasses import dataclass
from functools import partial
from io import StringIO

import pytest
from msgspec.structs import replace
from pages_kit import open_house, problem_of, text_of

from roundtap_core.elimination.ranking import final_ranking
from roundtap_core.event.commands import PublishRound, SetOfficials
from roundtap_core.event.states import Official
from roundtap_core.eventfile.read import parse_event_file
from roundtap_core.randomness import SEED_BITS
from roundtap_core.records import Result, SidePair
from roundtap_core.standings.standings import standings

PEOPLE = [
    "Ana Ruiz",
    "Bruno Maier",
    "Łukasz Żak",
    "Eva Luz",
    "Kai Eich",
    "Aleksandra Wiśniewska-Szczepańska",
    "Íñigo Muñoz Peña",
    "Świętosława Źrebiec",
    "Jürgen Groß",
    "Max Hohenfels",
    "Olga Wójcik",
    "Pau Serra",
]


@dataclass(frozen=True)
class Slip:
    """A slip as it lies on the table: what is printed on it."""

    round: int
    code: str
    a: str
    b: str


class Desk:
    """Somebody with a keyboard, a pile of paper and no network but the cable to the hub."""

    def __init__(self, house, rulebook):
        self.house, self.rulebook, self.chance = house, rulebook, random.Random(7)
        self.browser = house.with_event(PEOPLE, rulebook=rulebook, swiss_rounds=3, cut=4, full_names="1")
        if house.event.rulebook.judge_required:
            house.service.execute_one("e1", SetOfficials((Official("o0", "organizer"),)), "test")
        self.book = {}
        """What was written on the slip that counts: (round, a, b) → side that won, figures."""

    def printed(self):
        """The slips of the round, from the A4 sheets."""
        page = self.browser.get("/console/e1/print/slips").text
        found = []
        for slip in re.findall(r'<section class="slip">.*?</section>', page, flags=re.S):
            code = re.search(r'slip-code">([^<]+)<', slip)[1]
            a, b = (html.unescape(name) for name in re.findall(r"<bdi><b>([^<]+)</b></bdi>", slip))
            found.append(Slip(int(code.rpartition("-")[2]), code, a, b))
        self.chance.shuffle(found)
        return found

    def begin(self):
        """The next round, by the console's own buttons."""
        self.browser.post("/console/e1/draw", attempt=0)
        draft = self.house.event.draft
        assert draft is not None, "there is a round to draw"
        # Nobody handed in a list: the reason to play on all the same is noted.
        self.house.service.execute_one(
            "e1", PublishRound(draft.number, draft.draw.attempt, noted="no lists tonight"), "test"
        )
        self.browser.post("/console/e1/clock", action="start")
        return self.printed()

    def opened(self, slip):
        """The page after the code was typed; both names stand on it before anything counts."""
        page = self.browser.client.get(
            "/console/e1/slip",
            query_string={"code": slip.code.lower()},
            headers=self.browser.headers,
            follow_redirects=True,
        )
        said = text_of(page)
        assert slip.a in said
        assert slip.b in said
        self.browser.token = re.search(r'name="csrf" value="([^"]+)"', page.text)[1]
        return page

    def written(self, slip):
        """What the two wrote on it."""
        won = self.chance.choice("ab")
        points = self.chance.randrange(0, 19) * 5
        if self.rulebook != "xwing-standard":
            return won, None
        return won, (100, points) if won == "a" else (points, 100)

    def enter(self, slip, said, **more):
        """Type it in. Returns the answer, which asks where something else was said before."""
        page = self.opened(slip)
        won, figures = said
        hidden = dict(re.findall(r'<input type="hidden" name="(revision|seen|slip)" value="([^"]*)"', page.text))
        line = won if figures is None else f"{figures[0]} {figures[1]}"
        address = re.search(r'action="(/console/e1/match/[^"]+/walk)"', page.text)[1]
        end = self.browser.client.get(
            address, query_string={**hidden, "text": line}, headers=self.browser.headers, follow_redirects=True
        )
        return end if 'id="slip-differs"' in end.text else self.decide(end, **more)

    def decide(self, asked, counts="", reason="", **more):
        """The last page's button; where two results were said, somebody decides."""
        form = next(
            each for each in re.findall(r'<form method="post".*?</form>', asked.text, flags=re.S) if "/walk" in each
        )
        fields = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form))
        self.browser.token = fields.pop("csrf")
        address = re.search(r'action="([^"]+)"', form)[1]
        return self.browser.post(address, **fields, counts=counts, reason=reason, **more)

    def counts(self, slip, said):
        self.book[slip.round, slip.a, slip.b] = said

    def all_in(self, slips):
        for slip in slips:
            said = self.written(slip)
            answer = self.enter(slip, said)
            assert answer.status_code == 303, problem_of(answer)
            self.counts(slip, said)


@pytest.mark.parametrize("rulebook", ["xwing-standard", "keyforge-archon"])
def test_an_event_without_any_network_is_played_to_its_champion(tmp_path, rulebook):
    with open_house(tmp_path) as house:
        house.hub.new_seed = partial(random.Random(11).getrandbits, SEED_BITS)
        desk = Desk(house, rulebook)

        # Round 1: somebody has ticked that they leave.
        first, *rest = desk.begin()
        said = desk.written(first)
        assert desk.enter(first, said, leaves="b").status_code == 303
        desk.counts(first, said)
        desk.all_in(rest)
        page = text_of(desk.browser.get("/console/e1/slip"))
        assert "All results are in." in page
        assert "missing" not in page

        # Round 2: minutes on a slip; and a second slip of a match that says something else.
        one, two, *rest = desk.begin()
        said = desk.written(one)
        assert desk.enter(one, said, minutes="4").status_code == 303
        desk.counts(one, said)
        wrong, right = ("a", (100, 40)), ("b", (40, 100))
        if rulebook == "keyforge-archon":
            wrong, right = ("a", None), ("b", None)
        desk.enter(two, wrong)
        asked = desk.enter(two, right)
        assert "Two different results" in text_of(asked)
        assert desk.decide(asked, "slip", "signed by both").status_code == 303
        desk.counts(two, right)
        assert desk.decide(desk.enter(two, wrong), "record").status_code == 303
        desk.all_in(rest)

        # Round 3: a slip of round 2 turns up, and does not say what was typed in. The round that runs stands.
        slips = desk.begin()
        paired = [(m.match.a, m.match.b) for m in house.event.live.matches]
        late = rest[0]
        was = desk.book[late.round, late.a, late.b]
        now = ("b" if was[0] == "a" else "a", was[1] and (was[1][1], was[1][0]))
        assert desk.decide(desk.enter(late, now), "slip", "was read upside down").status_code == 303
        desk.counts(late, now)
        assert [(m.match.a, m.match.b) for m in house.event.live.matches] == paired
        strange = desk.browser.get("/console/e1/slip?code=QQQ-3")
        assert "No slip has the code" in problem_of(strange)
        desk.all_in(slips)

        # The cut and the bracket.
        assert desk.browser.post("/console/e1/cut").status_code == 303
        while len(house.event.rounds) < 5:
            desk.all_in(desk.begin())
        assert desk.browser.post("/console/e1/finish", reason="the hall closes").status_code == 303

        assert not house.event.fates, "no unit ever said a word"
        shown = text_of(house.browser().get("/e/e1/standings"))
        csv = desk.browser.get("/console/e1/standings.csv").text
        file = parse_event_file(desk.browser.get("/console/e1/export.json").text)
        printed = text_of(house.browser().get("/print/e1/standings"))
        extension = [m.match.extension_minutes for m in house.event.rounds[1].matches if m.match.extension_minutes]

    assert extension == [4]
    names = {c.id: c.name for c in file.competitors}
    left = [names[c.id] for c in file.competitors if c.dropped_after is not None]
    assert left == [first.b]

    # Every result is what stands on the slip that counts; a tournament made of these alone is ranked the same.
    made = []
    for played in file.rounds:
        matches = []
        for match in played.matches:
            if match.b is None:
                matches.append(match)
                continue
            won, figures = desk.book.pop((played.number, names[match.a], names[match.b]))
            # A game of KeyForge is worth 1:0 to whom the slip names.
            score = SidePair(*(figures or ((1, 0) if won == "a" else (0, 1))))
            assert match.result.score == score
            result = Result(ended=match.result.ended, score=score)
            matches.append(replace(match, result=result))
        made.append(replace(played, matches=tuple(matches)))
    assert desk.book == {}, "no slip is left over"
    by_slips = replace(file, rounds=tuple(made))
    places = [names[placed.competitor] for placed in final_ranking(by_slips)]
    table = list(DictReader(StringIO(csv.removeprefix("\ufeff"))))
    assert [row["name"] for row in table] == places
    for page in (shown, printed):
        where = [page.index(name) for name in places]
        assert where == sorted(where)
    ranked = {names[row.competitor]: row for row in standings(by_slips, 3)}
    assert [int(row["points"]) for row in table] == [ranked[row["name"]].points for row in table]
