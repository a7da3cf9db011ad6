"""What is announced: everybody reads an event's rules, in the own language, and what differs from the rulebook."""

from dataclasses import replace

import pytest
from msgspec import structs
from pages_kit import House, text_of

from roundtap_core.event.entries import Person
from roundtap_core.event.states import EventState, Official
from roundtap_core.eventfile.file_schema import Options
from roundtap_core.rulebooks.coverage import coverage, outcome_points
from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_core.words import LANGUAGES, catalogue, core_words
from roundtap_hub.phones.players import SHOWN_ELSEWHERE, rules_view
from roundtap_hub.views.saved_event import SavedEvent

KNOCKOUT = {"structure": "own", "swiss_rounds": 3, "cut": 4, "third_place_match": True}


def event(rulebook: str = "xwing-standard", level: str | None = None, **options: object) -> SavedEvent:
    return SavedEvent(EventState("e1", name="Winter Open", rulebook_id=rulebook, level=level, given_options=options))


def test_everybody_reads_what_is_announced(house: House):
    house.with_event(level="formal", swiss_rounds=3, cut=4)
    page = text_of(house.browser().get("/rules/e1"))
    for said in (
        "X-Wing (100)",
        "Turnierregeln (de)",
        "formal",
        "3 Swiss rounds, then cut to top 4",
        "final one game 120 minutes",
        "Win 1 point",
        "bye 1 point, MoV 150",
        "After round 1 the bye goes to the lowest player without one",
        "House decisions",
        "Nobody gets a second bye",
        "Public names are shortened.",
    ):
        assert said in page, said


def test_players_and_organizers_find_it(house: House):
    browser = house.with_event()
    for path in ("/e/e1", "/console/e1/event"):
        assert 'href="/rules/e1"' in browser.get(path).text, path
    assert house.browser().get("/rules/e9").status_code == 404


def test_rounds_follow_the_players_until_round_1_is_drawn(house: House):
    browser = house.with_event(structure="basic", swiss_rounds="")
    page = text_of(browser.get("/rules/e1"))
    assert "3 Swiss rounds, no cut Players: 6. Drawing round 1 sets the number of rounds." in page
    browser.post("/console/e1/competitors", names="Nina Wolf\nJan Wolf\nIda Berg")
    assert "4 Swiss rounds, no cut Players: 9." in text_of(browser.get("/rules/e1"))
    house.publish()
    assert "sets the number of rounds" not in text_of(browser.get("/rules/e1"))


def test_too_few_players_for_a_structure_are_no_error(house: House):
    browser = house.with_event(["Ana Ruiz", "Eva Luz"], structure="basic", swiss_rounds="")
    assert "Not known yet" in text_of(browser.get("/rules/e1"))


def test_what_differs_from_the_rulebook_is_marked(house: House):
    view = rules_view(
        event(
            late_minutes=10,
            squad_points=200,
            third_place_match=False,
            prize_places=3,
            stages={"swiss": {"minutes": 60}},
        )
    )
    assert view.changed == [("squad_points", 200, 100)]
    assert [(length.stage, length.minutes, length.usual) for length in view.lengths] == [("swiss", 60, 75)]

    house.with_event()
    changed = text_of(house.browser().get("/rules/e1"))
    assert "Different from the rulebook Structure custom rulebook: basic Tournament points" in changed
    view = rules_view(event(swiss_rounds=5))
    assert view.changed == [("swiss_rounds", 5, None)]


def test_only_stages_that_come_have_a_length():
    def stages(**options: object) -> list[str]:
        return [length.stage for length in rules_view(event(**options)).lengths]

    assert stages(structure="own", swiss_rounds=3) == ["swiss"]
    assert stages(**KNOCKOUT) == ["swiss", "elimination", "final", "third_place"]
    assert stages(structure="own", swiss_rounds=0) == ["elimination", "final"]


def test_the_second_official_is_announced_with_the_others():
    moment = event(level="relaxed")
    state = structs.replace(
        moment.state,
        officials={
            "o1": Official("o1", "head_judge", plays="p1"),
            "o2": Official("o2", "judge", second=True, on_duty=False),
        },
    )
    people = {"o1": Person("Kai Eich", ""), "o2": Person("Eva Luz", "")}
    assert rules_view(replace(moment, state=state, people=people)).officials == [
        ("Kai Eich", state.officials["o1"]),
        ("Eva Luz", state.officials["o2"]),
    ]


def test_the_clauses_are_at_the_bottom_and_folded(house: House):
    house.with_event()
    html = house.browser("de").get("/rules/e1").text
    found = coverage("xwing-standard", "de")
    folded = html[html.index('<details class="card" id="clauses">') :]
    assert folded.count('class="kind ') == len(found.clauses)
    assert all(heading in folded for heading, _ in found.sections())


def test_the_page_looks_again_when_an_option_changes(house: House):
    browser = house.with_event()

    def seen() -> str:
        return browser.get("/rules/e1").text.split('data-seen="')[1][:16]

    before = seen()
    browser.post("/console/e1/options", structure="own", swiss_rounds=3, cut=2)
    assert seen() != before
    assert "then cut to top 2" in text_of(browser.get("/rules/e1"))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_every_rulebook_is_announced_in_every_language(house: House, rulebook: str, language: str):
    browser = house.organizer()
    browser.post(
        "/console",
        name="Winter Open",
        rulebook=rulebook,
        color="#00785A",
        **{key: value for key, value in {**KNOCKOUT, "prize_places": 0}.items() if key != "third_place_match"},
    )
    answer = house.browser(language).get("/rules/e1")
    assert answer.status_code == 200
    assert RULEBOOKS[rulebook].title in text_of(answer)
    assert ' style="' not in answer.text


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_option_and_fact_has_words(language: str):
    words = catalogue("roundtap_hub", language).also(core_words(language))
    options = set(Options.__struct_fields__) - SHOWN_ELSEWHERE
    needed = {f"announced.option.{key}" for key in options}
    for rulebook in RULEBOOKS:
        for full in (True, False):
            moment = event(rulebook, full_names=full, **KNOCKOUT)
            view, book = rules_view(moment), moment.state.rulebook
            needed |= {f"announced.fact.{key}" for key, _ in view.facts}
            needed |= {f"outcome.{name}" for name in outcome_points(book, moment.state.options)}
            needed |= {phase.key for phase in book.phases}
    assert {key for key in needed if key not in words} == set()
