"""Troubles that users of other projects reported with tabs, logins and screen readers: kind, who had it, what is right,
which test."""

from typing import NamedTuple


class Trouble(NamedTuple):
    kind: str
    had_by: str
    right: str
    test: str


TABS = "test_many_tabs.py"

TROUBLES = (
    Trouble(
        "the seventh tab hangs: feeds hold all connections of a browser",
        "freenet-core#5213, ranger-ims-server#1320, profilarr#434, timberlake#6, sse.js#7",
        "a page that is not seen holds none, the others share three, all follow",
        f"{TABS}::test_twenty_pages_open_and_follow",
    ),
    Trouble(
        "dead after a sleep in which the server was away",
        "dust#26202, hapi#1559, scion#1258, piclaw#65, opencode#44903",
        "it looks when it is seen again, and says how old it is until it has",
        f"{TABS}::test_a_page_that_is_seen_again_without_the_hub_says_since_when",
    ),
    Trouble(
        "a screen reader is told each second",
        "beatify#1714, quizify#380, Eventra#9814",
        "once for each news",
        "test_told_once.py::test_a_lost_hub_is_told_once",
    ),
    Trouble(
        "the login is gone, and what was typed with it",
        "brewcompetitiononlineentry#1259, djland#6, scorekeeper#255",
        "after the login the form is there, filled; nothing was sent",
        "test_lost_login_in_browser.py::test_a_list_of_names_outlives_the_login",
    ),
    Trouble(
        "the back key brings dead buttons or sends twice",
        "firefly-iii#967, fishtest#647, hai-registration#11, surveyproject#50",
        "buttons live, one feed",
        "test_stale_pages.py::test_somebody_who_walks_through_many_pages_holds_one_connection",
    ),
)
