"""Troubles with browsers, names and searches that users of other projects reported: kind, who had it, what is right,
which test. As in tests/hub/people/troubles.py."""

from typing import NamedTuple


class Trouble(NamedTuple):
    kind: str
    had_by: str
    right: str
    test: str


ENGINES = "tests/browser/test_other_engines.py"
SEARCH = "tests/browser/test_search_in_browser.py"
SPELLINGS = "tests/core/test_name_search.py::test_a_name_is_found_by_every_spelling"

TROUBLES = (
    Trouble(
        "a phone types ’ and finds no O'Brien",
        "swdv691#23, code4recovery/12-step-meeting-list#44, h5p-blanks#61",
        "any apostrophe, and none, finds every other",
        SPELLINGS,
    ),
    Trouble(
        "people cannot find their name",
        "cobra#129, PDBot#7142",
        "every spelling finds it, in every list, with scripts and without",
        f"{SEARCH}::test_every_list_finds_a_player_with_scripts_and_without",
    ),
    Trouble(
        "a short name is not found by the long one",
        "none found",
        "who is shown as Franz K. is found by Keller",
        "tests/core/test_name_search.py::test_a_short_name_is_found_by_the_long_one",
    ),
    Trouble(
        "page and hub find different people",
        "none found",
        "one search: the script finds what the hub finds",
        f"{SEARCH}::test_the_page_finds_what_the_hub_finds_in_thousands_of_names",
    ),
    Trouble(
        "works in one browser engine alone",
        "none found",
        "Firefox ESR and WebKitGTK play all guided steps",
        "tests/kit/test_demo_guide.py::test_pressing_what_is_lit_leads_to_the_champion",
    ),
    Trouble(
        "the field to be typed in has no focus",
        "none found",
        "whoever reports types at once",
        f"{ENGINES}::test_whoever_reports_by_phone_types_the_figure_at_once",
    ),
    Trouble(
        "a list beside the page makes it wider",
        "none found",
        "it stays within the head",
        f"{ENGINES}::test_what_a_search_finds_makes_no_page_wider",
    ),
    Trouble(
        "a color that only the newest browsers read",
        "none found",
        "each event has its own",
        f"{ENGINES}::test_an_event_has_its_own_color",
    ),
    Trouble(
        "an empty date shows today",
        "none found",
        "what nobody gave looks empty",
        f"{ENGINES}::test_a_date_that_nobody_gave_shows_none",
    ),
    Trouble(
        "no page numbers on paper",
        "none found",
        "each page has its number, and is that page",
        f"{ENGINES}::test_every_page_of_a_sheet_has_its_number",
    ),
    Trouble(
        "brackets taken for the last name",
        "none found",
        "what is in brackets or quotes is no part of a short name; two who are short alike differ by it",
        "tests/core/test_names.py::test_a_name_is_shortened",
    ),
)
