"""The console's download for List Fortress: X-Wing has one, other games do not."""

import json
from pathlib import Path

from pages_kit import open_house


def test_the_console_offers_it_for_x_wing(tmp_path: Path):
    with open_house(tmp_path) as house:
        browser = house.with_event()
        house.publish()
        house.play()
        assert "/console/e1/list-fortress.json" in browser.console().text
        answer = browser.get("/console/e1/list-fortress.json")
        assert "winter-open-list-fortress.json" in answer.headers["Content-Disposition"]
        said = json.loads(answer.text)
        assert len(said["players"]) == 6
        assert said["rounds"][0]["matches"][0]["player1points"] == 100
        browser.post("/console", name="Sunday", color="#882255", rulebook="keyforge-archon")
        assert "list-fortress" not in browser.console("e2").text
        assert browser.get("/console/e2/list-fortress.json").status_code == 404
