"""Evenings of a store: finished events of one round, made by commands, with the same people."""

from collections.abc import Sequence

from own_games_kit import rules

from roundtap_core.event import commands as c
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_core.records import Competitor, Result, SidePair
from roundtap_core.rulebooks.own_rules import rules_id
from roundtap_hub.store.command_pipeline import person_and_entrant
from roundtap_hub.store.service import Service, Step
from roundtap_hub.store.venue import EVENT_BEGUN

GAME = """format = "roundtap-rules/1"
name = "Friday game"
[match]
report = "points"
[[match.figure]]
key = "score"
label = { en = "Points" }
maximum = 100
[points]
win = 3
draw = 1
"""
"""A game of the store itself, whose event keeps the rules."""

TWELVE = (
    "Żaneta Kowalczyk-Brzęczyszczykiewicz",
    "Aleksandra Wiśniewska-Szczepańska",
    "Bruno Maier",
    "Łukasz Żak",
    "Eva Luz",
    "Kai Eich",
    "Ana Ruiz",
    "Grzegorz Brzoza",
    "Jędrzej Ćwikła",
    "Wojciech Źdźbło",
    "Małgorzata Święcicka",
    "Pía Núñez",
)


def friday(
    service: Service,
    name: str,
    date: str,
    people: Sequence[str | Competitor],
    event_id: str = "",
    options: dict[str, object] | None = None,
    absent: Sequence[str] = (),
) -> str:
    """One finished evening with check-in; its id. `absent`: who is entered and never comes."""
    event_id = event_id or f"e{len(service.snapshot.ids) + 1}"
    game = rules(GAME)
    create = c.CreateEvent(
        name,
        rules_id(game),
        None,
        options or {"structure": "own", "swiss_rounds": 1, "stages": {"swiss": {"minutes": 45}}},
        "#00785A",
        7,
        {"date": date, "venue": "The Store"},
        game,
    )
    steps = [Step(VENUE, NewEntry(EVENT_BEGUN, {"event": event_id})), Step(event_id, create)]
    steps.append(Step(event_id, c.SetCheckIn(True)))
    rows = []
    for number, who in enumerate(people, start=1):
        competitor = who if isinstance(who, Competitor) else Competitor(f"p{number}", who)
        record, entrant = person_and_entrant(event_id, competitor)
        rows.append(record)
        steps.append(Step(event_id, c.EnterCompetitor(entrant)))
        if competitor.name not in absent:
            steps.append(Step(event_id, c.CheckIn(competitor.id)))
    steps += [Step(event_id, c.DrawRound(11)), Step(event_id, c.PublishRound(1, 1, noted="a test"))]
    service.execute(steps, "test", rows)
    live = service.snapshot.events[event_id].live
    assert live
    for match in live.matches:
        if match.match.b:
            service.execute_one(
                event_id, c.EnterResult(match.id, match.revision, Result(score=SidePair(60, 20))), "test"
            )
    service.execute_one(event_id, c.FinishEvent("a test"), "test")
    return event_id


def four_fridays(service: Service, people: Sequence[str] = TWELVE) -> list[str]:
    """Friday 9 to Friday 12, the last of them a week before 2026-11-27."""
    days = ("2026-10-30", "2026-11-06", "2026-11-13", "2026-11-20")
    return [friday(service, f"Friday {9 + n}", day, people) for n, day in enumerate(days)]


def person_named(service: Service, name: str) -> str:
    """The id of this person in the book."""
    return next(each.id for each in service.snapshot.known_people() if each.person.name == name)
