"""Every state of a player's own page and of the pages it leads to, each with what that player presses next."""

from collections.abc import Callable, Iterator
from typing import NamedTuple
from urllib.parse import urlencode

from hall_kit import Hall

from roundtap.kit.player_names import player_names
from roundtap_core.event import commands as c
from roundtap_core.event.commands import CallJudge, TakeCall
from roundtap_core.event.states import MatchState
from roundtap_core.records import Result, Side, SidePair, result_to_json

NAMES = ("Bartholomäus von Hohenstein-Lütz", *player_names(25))
SAID = "Pizza is here: please finish your turn, wash your hands, and keep food and drinks away from the gaming mats."
MATCH, CALL, HERE, LIST, STEP = "#my-match", "#my-call", "#my-here", "#my-list", ".walk .card"
A_WON, B_WON = (Result(ended="time", score=SidePair(*score)) for score in ((100, 24), (24, 100)))
SQUADS = {"a": [1, 2], "b": [3, 4]}
STRUGGLES = Result(score=SidePair(2, 1), wounds=SidePair(4, 11), picks=SQUADS)


class PhoneState(NamedTuple):
    """`presses`: selectors of all that this player may want to press next."""

    name: str
    path: str
    presses: tuple[str, ...]


class States:
    """The states that one hall is brought into."""

    def __init__(self, hall: Hall) -> None:
        self.hall = hall
        self.found: list[PhoneState] = []

    def add(self, name: str, event: str, competitor: str | None, *regions: str, more: str = "") -> None:
        assert competitor
        presses = [f"{region} {what}" for region in regions for what in ("button", "a", "input:not([type=hidden])")]
        path = self.hall.house.hub.access.links.path(event, competitor) + more
        self.found.append(PhoneState(name, path, tuple(presses)))

    def started(self, name: str, rulebook: str, **options: object) -> tuple[str, Iterator[MatchState]]:
        """An event in its first round; its id, and the matches to be used one after the other."""
        event = self.hall.create(name, rulebook, NAMES, **options)
        self.hall.publish(event)
        live = self.hall.event(event).live
        assert live
        return event, iter([match for match in live.matches if match.match.b])

    def report(self, event: str, match: MatchState, side: Side, result: Result, phone: str = "") -> None:
        live = self.hall.event(event).find_match(match.id)
        assert live
        serial = live[1].heard.get(side, 0) + 1
        name = f"{event}.{match.id}.{side}{serial}"
        self.hall.tell(
            event,
            c.RecordReport(
                name,
                match.id,
                side,
                live[1].revision,
                result_to_json(result),
                name,
                serial=serial,
                holder=phone or name,
            ),
        )

    def agree(self, event: str, match: MatchState, result: Result) -> None:
        self.report(event, match, "a", result)
        self.report(event, match, "b", result)


def every_state(hall: Hall) -> list[PhoneState]:
    """Brings an empty hall into every state; two announcements stand on every page."""
    states = States(hall)
    desk = hall.house.organizer()
    for text in (SAID, SAID[:60]):
        desk.post("/console/announcements/say", kind="line", text=text)
    for bring in BROUGHT:
        bring(states)
    return states.found


def before_play(states: States) -> None:
    event = states.hall.create("Winter Open: before play", people=NAMES[:4])
    states.add("list", event, "p1", LIST)
    states.add("list form", event, "p1", more="/list")
    states.hall.tell(event, c.SetCheckIn(True), c.CheckIn("p2"))
    states.add("check-in", event, "p1", HERE, LIST)
    states.add("checked in", event, "p2", LIST)


def a_round(states: States) -> None:
    hall = states.hall
    event, matches = states.started("Mistrzostwa Województwa Zachodniopomorskiego", "xwing-standard", full_names="1")
    states.add("published", event, next(matches).match.a, MATCH, CALL)
    hall.tell(event, c.SetClock("start"))
    states.add("playing", event, next(matches).match.a, MATCH, CALL)
    hall.tell(event, c.SetClock("set", -600_000))
    states.add("time", event, (one := next(matches)).match.a, MATCH, CALL)
    states.add("report", event, one.match.a, STEP, more="/report")
    for name, answers in (("figures", {}), ("submit", {"q.score.winner": 100, "q.score.loser": 24})):
        steps = urlencode({"match": one.id, "way": "time", **answers})
        states.add(f"report {name}", event, one.match.a, STEP, more=f"/report?{steps}")
    states.add("leave", event, one.match.b, "main form", more="/leave")
    one = next(matches)
    for taken, name in (("", "judge called"), ("Eva Luz", "judge on the way")):
        hall.house.service.execute_one(event, CallJudge(one.id, f"phone:{one.match.a}"), f"phone:{one.match.a}")
        if taken:
            hall.house.service.execute_one(event, TakeCall(one.id, taken), "test")
        states.add(name, event, one.match.a, MATCH, CALL)
        one = next(matches)
    hall.tell(event, c.GrantExtension(one.id, 5))
    states.add("extension", event, one.match.a, MATCH, CALL)


def reports(states: States) -> None:
    event, matches = states.started("Winter Open", "xwing-standard")
    states.hall.tell(event, c.SetClock("start"), c.SetClock("set", -600_000))
    states.report(event, one := next(matches), "a", A_WON)
    states.add("waiting", event, one.match.a, MATCH, CALL)
    states.add("confirm", event, one.match.b, MATCH, CALL)
    states.report(event, one := next(matches), "a", A_WON)
    states.report(event, one, "b", B_WON)
    states.add("conflicting", event, one.match.a, MATCH, CALL)
    states.report(event, one := next(matches), "a", A_WON, phone="one")
    states.report(event, one, "b", A_WON, phone="one")
    states.add("one phone", event, one.match.b, MATCH, CALL)
    states.agree(event, one := next(matches), A_WON)
    states.add("agreed", event, one.match.a, MATCH)
    states.agree(event, one := next(matches), A_WON)
    states.agree(event, one, B_WON)
    states.add("second result", event, one.match.a, MATCH, CALL)
    states.hall.tell(event, c.EnterResult((one := next(matches)).id, one.revision, A_WON))
    states.add("decided", event, one.match.a, CALL)


def other_games(states: States) -> None:
    event, matches = states.started("Shatterpoint", "shatterpoint-premier", swiss_rounds=3)
    states.hall.tell(event, c.SetClock("start"), c.SetClock("set", -600_000))
    states.report(event, one := next(matches), "a", STRUGGLES)
    states.add("confirm struggles", event, one.match.b, MATCH, CALL)
    states.report(event, one := next(matches), "a", STRUGGLES)
    states.report(event, one, "b", Result(score=SidePair(1, 2), wounds=SidePair(4, 11), picks=SQUADS))
    states.add("conflicting struggles", event, one.match.a, MATCH, CALL)
    states.add("report squads", event, next(matches).match.a, STEP, more="/report?way=played")
    event, matches = states.started("KeyForge", "keyforge-archon")
    states.add("lot", event, next(matches).match.a, MATCH, CALL)


BROUGHT: tuple[Callable[[States], None], ...] = (before_play, a_round, reports, other_games)
