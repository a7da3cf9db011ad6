"""Troubles that users of other projects reported with their browsers: kind, who had it, what is right, which test."""

from typing import NamedTuple


class Trouble(NamedTuple):
    kind: str
    had_by: str
    right: str
    test: str


OLDER = "test_older_browsers.py"

BY_BROWSERS = (
    Trouble(
        "requests never leave: a newer function is missing",
        "bancorprotocol/carbon-app#1415, apenwarr/blip#26, bigbluebutton#22492, imputnet/cobalt#761",
        "what is missing is looked for, and the plain form used",
        f"{OLDER}::test_everything_is_done_without",
    ),
    Trouble(
        "the pressed button is lost",
        "mdn/browser-compat-data#19106, next.js#76524",
        "it is sent by every browser",
        f"{OLDER}::test_everything_is_done_by_a_browser_that_lacks_all_of_it",
    ),
    Trouble(
        "an old phone or tablet cannot read the script",
        "solidjs/solid-site#206, dropqube/pv-forecast-card#17, keeweb#1340, HA frontend#20719",
        "all is done without it",
        f"{OLDER}::test_everything_is_done_where_a_script_does_not_come",
    ),
    Trouble(
        "an old wall after an update",
        "grafana#89792, solectrus#2282",
        "it loads itself anew, and its clock says when it was right",
        "test_unread_scripts.py::test_a_page_whose_script_is_not_read_goes_on_by_loading_itself_anew",
    ),
    Trouble(
        "dead after the phone slept while the server was away",
        "dust#26202, hapi#1559, scion#1258, piclaw#65, opencode#44903",
        "the page stays, says so, and comes back by itself",
        "test_contact_lost.py::test_a_hub_that_was_away_for_two_minutes_is_taken_up_where_it_was_left",
    ),
    Trouble(
        "storage blocked",
        "sharingbuttons.io#35, storage-factory#10, ngStorage#210",
        "only what is remembered is missing",
        "test_live_in_browser.py::test_a_browser_that_lets_no_page_remember_anything_follows_all_the_same",
    ),
)
