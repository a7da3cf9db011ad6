"""Troubles that users of other projects reported with lists of people: kind, who had it, what is right, which test."""

from typing import NamedTuple


class Trouble(NamedTuple):
    kind: str
    had_by: str
    right: str
    test: str


FROM_ANYWHERE = "test_players_from_anywhere.py"
LISTS = f"{FROM_ANYWHERE}::test_only_players_are_ticked_and_every_other_row_has_its_reason"

TROUBLES = (
    Trouble("time stamp taken for the first field", "justingit/dada-mail#513", "the name is the name", LISTS),
    Trouble("registrations of T³", "CryodexSource#60", "read as T³ writes them", LISTS),
    Trouble(
        "team or another column taken for the name",
        "Tabbie2#43, QTournament#46, noptin#1122",
        "the player is the name; where teams play, the team; where it is not sure, the page asks",
        f"{FROM_ANYWHERE}::test_where_teams_play_the_team_is_the_competitor",
    ),
    Trouble("own export not read again", "esitarski/RaceDB#3, OpenSlides#4357", "Standings (CSV), event files", LISTS),
    Trouble("payment in words", "Sharly#348", "paid, unpaid, or a note; never a refused row", LISTS),
    Trouble("lists copied from a chat", "none found", "numbers and bullets are no part of names", LISTS),
    Trouble(
        "direction marks from a chat",
        "vscode-gremlins#204, simple-bar#458, strichliste-web#48, noCTF#136",
        "taken out and said; joiners stay where a script needs them",
        f"{FROM_ANYWHERE}::test_unseen_marks_are_taken_out_and_said_with_their_rows",
    ),
    Trouble(
        "the first or a hidden sheet is read",
        "readxl#513, eXpand#115, coordinate-conversion#588, iNZight#269",
        "the person chooses; hidden ones last",
        f"{FROM_ANYWHERE}::test_a_hidden_sheet_is_the_last_that_is_looked_at",
    ),
    Trouble(
        "ids turn into fractions, zeros go",
        "OpenRefine#1228, cadasta#1758, OfficeCLI#415, orangelight#2695",
        "ids as the sheet shows them",
        f"{FROM_ANYWHERE}::test_an_id_is_read_as_the_sheet_shows_it",
    ),
    Trouble(
        "a title over the headings",
        "a public importer's test",
        "no player; the heading row can be named",
        f"{FROM_ANYWHERE}::test_the_heading_row_can_be_named_and_the_columns_follow",
    ),
    Trouble("the last name first in one cell", "public Polish start lists", "turned where its heading says so", LISTS),
    Trouble(
        "semicolons, encodings",
        "moxfield#122, sportsmanagement#284, sportsmanagement#859",
        "found by themselves",
        "test_people_table.py::test_every_usual_encoding_gives_the_same_rows",
    ),
    Trouble(
        "trailing space",
        "LightningChipTourney#5",
        "no part of the name",
        "test_people_table.py::test_what_is_written_as_csv_comes_back",
    ),
)
