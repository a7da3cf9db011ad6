"""Random events before their first round: options, and who signs up."""

from random import Random
from typing import Any

from checker.books import BOOKS, Event


def random_event(rulebook: str, rand: Random, large: bool) -> Event:
    """Mostly small fields, since there the rules are tight; with `large`, rarely up to 500."""
    sizes: list[int] = [
        rand.randint(1, 12),
        rand.randint(4, 12),
        rand.randint(13, 24),
        rand.randint(30, 60),
        rand.randint(100, 500),
    ]
    players = rand.choices(sizes, (40, 46, 11, 3, 0.4 if large else 0))[0]
    event: Event = {
        "format": "roundtap-event/1",
        "name": "Winter Open",
        "rulebook": rulebook,
        "options": _options(rulebook, players, rand),
        "seed": rand.randrange(2**31),
    }
    event["competitors"] = [_competitor(event, number, players, rand) for number in range(1, players + 1)]
    event["rounds"] = []
    return event


def _options(rulebook: str, players: int, rand: Random) -> dict[str, Any]:
    book = BOOKS[rulebook]
    options: dict[str, Any] = {"structure": "own", "lists_required": False}
    enough = max(1, (players - 1).bit_length())
    # As many rounds as there are opponents leave the least freedom.
    all_meet = max(1, min(players, 10) - 1)
    options["swiss_rounds"] = rand.choices((0, rand.randint(1, 3), enough, all_meet), (6, 24, 50, 20))[0]
    options["cut"] = rand.choice((0, 0, 2, 4, 4, 8))
    if book.structures and players >= 4 and rand.random() < 0.15:
        options = {"structure": "basic", "lists_required": False}
    if rand.random() < 0.4:
        options["third_place_match"] = True
    if book.base and rand.random() < 0.2:
        options["squad_points"] = rand.choice((100, 200, 300))
    if book.base and rand.random() < 0.1:
        options["bye_mov"] = rand.choice((0, 120, 500))
    if book.family == "warlords":
        if rand.random() < 0.7:
            options["prize_places"] = rand.choice((0, 1, 2, 3, 8))
        if rand.random() < 0.2:
            options["bye_score"] = rand.choice((0, 10, 20))
    if book.family == "keyforge":
        options["stages"] = {
            stage: {"best_of": rand.choice((1, 3))} for stage in ("swiss", "elimination", "final", "third_place")
        }
    return options


def _competitor(event: Event, number: int, players: int, rand: Random) -> dict[str, Any]:
    made: dict[str, Any] = {"id": f"p{number}", "name": f"Player {number}"}
    family = BOOKS[event["rulebook"]].family
    if family == "epic" and rand.random() < 0.5:
        made["list"] = {"total": BOOKS[event["rulebook"]].base // rand.choice((1, 2)) - rand.randint(0, 30)}
        if "squad_points" in event["options"]:
            made["list"]["total"] = event["options"]["squad_points"] - rand.randint(0, 30)
    if rand.random() < 0.25 and event["seed"] % 3 == 0:
        made["came_with"] = f"car-{rand.randint(1, 2 + players // 6)}"
    if rand.random() < 0.06:
        made["fixed_table"] = rand.choice((1, 2, 20, 99))
    # Elimination from the start has room for so many byes only: nobody brings one.
    if family in ("xwing", "epic") and event["options"].get("swiss_rounds") != 0 and rand.random() < 0.08:
        made["won_bye"] = True
    if event["rulebook"].endswith("team"):
        made["members"] = [f"Member {number}-1", f"Member {number}-2"]
        made["captain"] = made["members"][0]
    return made
