"""An event file at the hub: it stands there as the headless commands read it."""

import io
import json
from pathlib import Path

from pages_kit import open_house, text_of

from roundtap_core.event.states import tournament_of
from roundtap_core.eventfile.read import tournament_from_json
from roundtap_core.standings.standings import standings

SHIPS = [{"name": "Rebel Operative", "ship": "HWK-290", "size": "small", "count": 5, "points": 50}]
FILE = {
    "format": "roundtap-event/1",
    "name": "Epic Night",
    "rulebook": "xwing-epic-duel",
    "seed": 7,
    "options": {"structure": "own", "swiss_rounds": 2},
    "competitors": [
        {"id": "p1", "name": "Ana Ruiz"},
        {"id": "p2", "name": "Bruno Maier", "list": {"faction": "Rebel", "ships": SHIPS}},
    ],
    "rounds": [
        {
            "number": 1,
            "stage": "swiss",
            "matches": [{"table": 1, "a": "p1", "b": "p2", "result": {"ended": "concession", "conceded_by": "b"}}],
        }
    ],
}


def test_a_conceded_list_without_a_total_counts_what_its_ships_cost_at_the_hub_too(tmp_path: Path):
    with open_house(tmp_path) as house:
        browser = house.organizer()
        browser.client.post(
            "/console/import",
            headers=browser.headers,
            data={
                "csrf": browser.token,
                "color": "#00785A",
                "file": (io.BytesIO(json.dumps(FILE).encode()), "event.json"),
            },
        )
        paired_by = standings(tournament_of(house.event))
    assert paired_by == standings(tournament_from_json(FILE))
    assert [row.tiebreakers["mov"] for row in paired_by] == [550, 50]


def test_the_form_for_an_event_file_is_not_called_the_import_of_people(tmp_path: Path):
    with open_house(tmp_path) as house:
        page = text_of(house.organizer().get("/console/new"))
    assert "Import event file" in page
    assert "Import players" not in page
