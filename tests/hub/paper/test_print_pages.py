"""Sheets for any printer: what stands on them, for whom, and all that is needed to go on by hand."""

import html
import re

import pytest
from pages_kit import here, open_house, text_of

from roundtap_core.event.commands import DrawRound, DropCompetitor, EnterResult, FinishEvent, ImposeRound
from roundtap_core.records import Result, SidePair
from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_core.words import LANGUAGES
from roundtap_hub.access.slip_codes import slip_codes
from roundtap_hub.paper.paper import paper_numbers

PUBLIC = ("pairings-table", "pairings-name", "standings", "bracket")
DESK = ("slips", "players", "emergency")
WALL = here("2026-11-21T14:25:00")


@pytest.fixture
def house(tmp_path):
    with open_house(tmp_path) as made:
        made.time.wall = WALL
        yield made


def address(what):
    return f"/print/e1/{what}" if what in PUBLIC else f"/console/e1/print/{what}"


def rows(page):
    """The rows of all tables, as people read them."""
    return [
        " ".join(html.unescape(re.sub(r"<[^>]+>", " ", row)).split())
        for row in re.findall(r"<tr.*?</tr>", page.text, flags=re.S)
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sheet_is_there_before_during_and_after_in_every_language(house, language):
    desk = house.with_event()
    desk.headers["Accept-Language"] = language

    def all_there():
        for what in (*PUBLIC, *DESK):
            for size in ("a4", "a5", "letter"):
                page = desk.get(f"{address(what)}?size={size}")
                assert page.status_code == 200, (what, size)
                assert f'class="print {"a5" if size == "a5" else "a4"}"' in page.text
                assert not re.search(r"\b(print|hand|paper|slip)\.[a-z]", text_of(page)), what

    all_there()
    house.publish()
    all_there()
    house.play()
    all_there()
    house.publish()
    house.play()
    house.service.execute_one("e1", FinishEvent("the hall closes"), "test")
    all_there()


def test_every_table_has_a_repeated_head_with_event_round_and_time(house):
    desk = house.with_event()
    house.publish()
    house.play(1)
    for what in ("pairings-table", "pairings-name", "players", "emergency"):
        page = desk.get(address(what)).text
        heads = re.findall(r"<thead>.*?</thead>", page, flags=re.S)
        assert len(heads) == page.count("<table")
        assert all("Winter Open" in head and "2026-11-21" in head for head in heads), what
    assert "Round 1 of 2" in desk.get(address("pairings-table")).text


def test_public_sheets_are_everybodys_and_show_public_names_the_desks_are_not(house):
    house.with_event()
    house.publish()
    stranger = house.browser()
    for what in PUBLIC:
        page = stranger.get(address(what))
        assert page.status_code == 200
        assert "Szczepańska" not in page.text
    for what in DESK:
        assert stranger.get(address(what)).status_code == 302


def test_the_lists_say_table_records_and_byes(house):
    desk = house.with_event(["Ana Ruiz", "Bruno Maier", "Eva Luz"])
    house.publish()
    found = rows(desk.get(address("pairings-table")))
    assert found[2].startswith("1 ")
    assert found[-1].startswith("–")
    assert found[-1].endswith("bye")
    by_name = [row.split()[0] for row in rows(desk.get(address("pairings-name")))[2:]]
    assert by_name == ["Ana", "Bruno", "Eva"]


def test_the_desks_list_has_full_names_numbers_and_boxes_ticked_for_what_is_known(house):
    desk = house.with_event()
    page = desk.get(address("players"))
    assert "Aleksandra Wiśniewska-Szczepańska" in page.text
    found = [row for row in rows(page) if row[:1].isdecimal()]
    assert len(found) == 6
    assert page.text.count('class="box"') >= 12
    assert "6 players" in text_of(page)


# --- slips


@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_slips_bear_code_names_boxes_and_a_qr_code(house, rulebook):
    people = ["Ana Ruiz", "Bruno Maier", "Eva Luz", "Kai Eich"]
    if RULEBOOKS[rulebook].team_size > 1:
        people = [f"Team {n}: {name}, {name} Two" for n, name in enumerate(people)]
    more = {"prize_places": 1} if rulebook == "warlords-of-terra" else {}
    desk = house.with_event(people, rulebook=rulebook, **more)
    house.publish()
    page = desk.get(address("slips"))
    codes = slip_codes(house.event, house.event.live)
    assert re.findall(r'slip-code">([^<]+)<', page.text) == [codes["1.1"], codes["1.2"]]
    assert page.text.count('<svg class="qr"') == 2
    slip = re.search(r'<section class="slip">.*?</section>', page.text, flags=re.S)[0]
    assert "Drop from event" in slip
    assert "Round 1" in slip
    assert "Winter Open" in slip
    written = slip.count('class="write"')
    boxes = {
        "xwing-standard": 4,
        "shatterpoint-premier": 4,
        "warlords-of-terra": 2,
        "xwing-epic-duel": 2,
        "xwing-epic-team": 2,
        "keyforge-archon": 0,
        "keyforge-sealed": 0,
    }.get(rulebook, written)
    assert written == boxes


def test_slips_of_open_matches_alone_unless_all_are_asked_for(house):
    desk = house.with_event()
    house.publish()
    house.play(leave_open=1)
    assert desk.get(address("slips")).text.count('<section class="slip">') == 1
    assert desk.get(f"{address('slips')}?all=1").text.count('<section class="slip">') == 3


# --- the emergency sheet


def emergency(house, desk):
    return rows(desk.get(address("emergency")))


def test_the_emergency_sheet_has_who_met_whom_by_number_byes_and_who_left(house):
    desk = house.with_event(["Ana Ruiz", "Bruno Maier", "Eva Luz", "Kai Eich", "Max Otte"], full_names="1")
    house.publish()
    house.play()
    house.publish()
    house.play()
    numbers, state = paper_numbers(house.event), house.event
    gone = next(iter(state.entrants))
    house.service.execute_one("e1", DropCompetitor(gone), "test")
    found = emergency(house, desk)
    people = house.service.snapshot.people_of("e1")
    for who in state.entrants:
        met = []
        for played in state.public_rounds:
            match = next(m.match for m in played.matches if who in (m.match.a, m.match.b))
            across = match.b if match.a == who else match.a
            met.append("–" if across is None else str(numbers[across]))
        byes = " 1" if "–" in met else ""
        assert any(
            f"{numbers[who]} {people[who].name}" in row and row.endswith(" ".join(met) + byes) for row in found
        ), (people[who].name, met)
    assert any(people[gone].name in row and "dropped" in row for row in found)


def test_the_emergency_sheet_keeps_a_tiebreaker_that_is_the_same_for_all(house):
    """Both have won once and lost once, against each other."""
    desk = house.with_event(["Ana Ruiz", "Bruno Maier"])
    for a, b in ((100, 24), (24, 100)):
        house.publish()
        [match] = house.event.live.matches
        a, b = (a, b) if match.match.a == next(iter(house.event.entrants)) else (b, a)
        house.service.execute_one("e1", EnterResult(match.id, 0, Result(score=SidePair(a, b))), "test")
    assert "SoS" not in text_of(desk.get(address("standings")))
    assert "SoS Opponents" in text_of(desk.get(address("emergency")))


def test_the_emergency_sheet_has_open_matches_codes_the_clock_the_hub_and_the_journals_head(house):
    desk = house.with_event()
    house.publish()
    house.play(leave_open=1)
    page = desk.get(address("emergency"))
    said = text_of(page)
    codes = slip_codes(house.event, house.event.live)
    assert all(code in said for code in codes.values())
    assert "1 open match" in said
    assert "75 min per round." in said
    assert f"#{house.event.number} {house.event.head[:16]}" in said
    assert "http://" in said
    assert "Bye: 1, MoV 150" in said
    assert "Draw at random within equal points" in said
    assert "Round 2, to fill in" in said


def test_the_emergency_sheet_calls_the_next_round_by_its_name_and_lists_no_codes_without_open_matches(house):
    names = [f"{first} {last}" for first in ("Ana", "Bruno", "Eva", "Kai") for last in ("Ruiz", "Maier")]
    desk = house.with_event(names, swiss_rounds=1, cut=4)
    house.publish()
    house.play()
    page = text_of(desk.get(address("emergency")))
    assert "Pair the next round with this sheet: Semi-final." in page
    assert "Semi-final, to fill in" in page
    assert "0 open" not in page
    house.service.execute_one("e1", FinishEvent("the hall closes"), "test")
    page = text_of(desk.get(address("emergency")))
    assert "The event is finished." in page
    assert "to fill in" not in page


def tables_to_fill_in(page):
    """The numbers in the first column of the last table."""
    return [int(table) for table in re.findall(r'<td class="n big">(\d+)</td>', page.text.rpartition("<table")[2])]


def test_the_emergency_sheet_has_the_tables_of_its_own_event_and_pairing_by_hand_takes_them(house):
    """Eight players of another event sit at tables 1 to 4; two of this one always sit at 7 and 30."""
    house.with_event([f"Player {letter}" for letter in "ABCDEFGH"])
    house.publish()
    desk = house.organizer()
    desk.post("/console", name="Other", color="#882255", rulebook="xwing-standard", structure="own", swiss_rounds=2)
    desk.post("/console/e2/competitors", names="\n".join(f"Guest {letter}" for letter in "ABCDEF"))
    desk.post("/console/e2/competitors", names="Jo Wolf", fixed_table=7)
    desk.post("/console/e2/competitors", names="Ida Weil", fixed_table=30)
    tables = tables_to_fill_in(desk.get("/console/e2/print/emergency"))
    # Four matches, two to spare; whoever has a table of their own sits there.
    assert tables == [5, 6, 7, 8, 9, 30]
    by_hand = [{"a": f"p{n}", "b": f"p{n + 4}", "table": table} for n, table in zip(range(1, 5), tables, strict=False)]
    house.service.execute_one("e2", ImposeRound(tuple(by_hand)), "test")
    assert house.service.snapshot.events["e2"].draft is not None
    # The same tables stay while this round is a draft and once it is played; the other event leaves them out.
    assert tables_to_fill_in(desk.get("/console/e2/print/emergency")) == tables
    assert not set(tables_to_fill_in(desk.get(address("emergency")))) & {5, 6, 7, 8}


def test_epic_is_paired_by_nearest_points_and_shatterpoint_has_its_squads(house):
    desk = house.with_event(rulebook="xwing-epic-duel")
    assert "nearest in points" in text_of(desk.get(address("emergency")))
    house.desk = desk
    desk.post(
        "/console", name="Other", color="#882255", rulebook="shatterpoint-premier", structure="own", swiss_rounds=2
    )
    desk.post("/console/e2/competitors", names="Ana Ruiz\nEva Luz")
    said = text_of(desk.get("/console/e2/print/emergency"))
    assert "Squads" in said


def test_the_console_offers_the_emergency_sheet_when_a_round_is_closed(house):
    desk = house.with_event()
    link = f'<a class="button main" href="{address("emergency")}"'
    house.publish()
    assert link not in desk.get("/console/e1/paper").text
    house.play()
    house.service.execute_one("e1", DrawRound(12), "test")
    assert link in desk.get("/console/e1/paper").text


def test_the_paper_page_leads_to_every_sheet_without_any_printer(house):
    assert house.hub.paper is None
    desk = house.with_event()
    house.publish()
    page = desk.get("/console/e1/paper").text
    for what in (*PUBLIC[:3], *DESK):
        assert f'href="{address(what)}"' in page
    assert desk.post("/console/e1/paper", kind="standings").status_code == 404
    assert 'href="/console/e1/paper"' in desk.console().text
    assert 'href="/console/e1/slip"' in page


def test_the_bracket_is_drawn_or_listed_and_the_asterisk_explained_only_where_one_stands(house):
    """The games were listed once more on a second page, and final standings explained an asterisk that nowhere was."""
    names = [f"{first} {last}" for first in ("Ana", "Bruno", "Eva", "Kai") for last in ("Ruiz", "Maier", "Luz", "Eich")]
    desk = house.with_event(names, swiss_rounds=1, cut=8)
    house.publish()
    house.play()
    assert "*" not in text_of(desk.get(address("standings"))), "nothing but the lot"
    match = house.event.find_match("1.1")[1]
    house.service.execute_one("e1", EnterResult("1.1", match.revision, Result(score=SidePair(100, 60))), "test")
    assert "* deciding tiebreaker" in text_of(desk.get(address("standings")))
    desk.post("/console/e1/cut")
    for _ in range(3):
        house.publish()
        house.play()
    bracket = desk.get(address("bracket")).text
    assert bracket.count("<svg") > 0
    assert 'class="games"' not in bracket
    assert "*" not in text_of(desk.get(address("standings")))
