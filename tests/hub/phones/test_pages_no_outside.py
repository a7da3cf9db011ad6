"""During a round no public page of the hub says anything of anybody's list."""

from typing import Any

import pytest
from pages_kit import House

from roundtap_core.event.commands import CreateEvent, EnterCompetitor
from roundtap_core.records import Competitor
from roundtap_hub.store.command_pipeline import person_and_entrant
from roundtap_hub.store.service import Step

X_WING = {"list": {"faction": "Rebel", "total": 97, "ships": [{"name": "Luke Skywalker", "points": 97}]}}
KEYFORGE = {"identity": "Doctora Grandeza", "houses": ("Brobnar", "Logos", "Sombras")}


@pytest.mark.parametrize(
    ("rulebook", "list_", "secrets"),
    [
        ("xwing-standard", X_WING, ("Luke Skywalker", "Rebel")),
        ("keyforge-archon", KEYFORGE, ("Doctora Grandeza", "Brobnar")),
    ],
)
def test_phones_and_wall_show_nobody_s_list(
    house: House, rulebook: str, list_: dict[str, Any], secrets: tuple[str, ...]
):
    people = [Competitor("p1", "Ana Ruiz", **list_), Competitor("p2", "Bruno Maier", **list_)]
    enrolled = [person_and_entrant("e1", person) for person in people]
    create = CreateEvent("Winter Open", rulebook, None, {"structure": "own", "swiss_rounds": 1}, "#00785A", 7)
    house.service.execute(
        [Step("e1", create), *(Step("e1", EnterCompetitor(entrant)) for _, entrant in enrolled)],
        "test",
        [record for record, _ in enrolled],
    )
    house.publish()
    pages = [
        rule.rule.replace("<event_id>", "e1").replace("<competitor>", "p1")
        for rule in house.app.url_map.iter_rules()
        if rule.endpoint.startswith("pages.") and "GET" in (rule.methods or ())
    ]
    assert {"/e/e1/p/p1", "/e/e1/pairings", "/wall/e1", "/rules/e1"} <= set(pages)
    for path in pages:
        shown = house.browser().get(path).text.partition('id="clauses"')[0]
        assert [secret for secret in secrets if secret in shown] == [], path
    console = house.organizer().get("/console/e1/competitor/p1/list").text
    assert secrets[0] in console
