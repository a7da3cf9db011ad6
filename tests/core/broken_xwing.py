"""Event files of X-Wing that break one clause each, for every front that takes a file.

A case: `clauses` ("xwing-standard:at-time", …), `breaks` (the key of what is wrong with it), `exit` of `check` (1: a
rule is broken, 2: it contradicts itself so that it is no event), and the event `file`.
"""

from dataclasses import dataclass
from typing import Any

STANDARD, DUEL, TEAM = "xwing-standard", "xwing-epic-duel", "xwing-epic-team"
UNREADABLE = "unreadable"
"""What is wrong with a file that contradicts itself."""
SWISS, KNOCKOUT = "swiss", "elimination"

TIE = {"name": "Academy Pilot", "ship": "TIE Fighter", "size": "small", "points": 12}
SHUTTLE = {"name": "Omicron Group Pilot", "ship": "Lambda", "size": "large", "points": 21}
CR90 = {"name": "Corvette", "ship": "CR90", "size": "huge", "points": 90}
OBSTACLES = ["asteroid-1", "asteroid-2", "debris-1"]

WITH_280 = {"p1": {"list": {"total": 280}}, "p2": {"list": {"total": 280}}}


@dataclass(frozen=True)
class Case:
    """One file and what it breaks."""

    clauses: tuple[str, ...]
    breaks: str
    file: dict[str, Any]
    exit: int = 1
    result: dict[str, Any] | None = None
    list: dict[str, Any] | None = None


def event_file(
    rulebook: str,
    rounds: list[dict[str, Any]] | None = None,
    people: dict[str, Any] | None = None,
    players: int = 4,
    **more: Any,
) -> dict[str, Any]:
    """An event of its own structure; `more` are keys of the file, its options among them."""
    asked = more.pop("options", {})
    own = {} if "structure" in asked else {"structure": "own", "swiss_rounds": 9}
    options = {**own, "lists_required": False, **asked}
    competitors = [
        {"id": f"p{n}", "name": f"Player {n}", **_team(rulebook, n), **(people or {}).get(f"p{n}", {})}
        for n in range(1, players + 1)
    ]
    return {
        "format": "roundtap-event/1",
        "name": "Winter Open",
        "rulebook": rulebook,
        "seed": 7,
        "options": options,
        "competitors": competitors,
        "rounds": rounds or [],
        **more,
    }


def _team(rulebook: str, n: int) -> dict[str, Any]:
    return {"members": [f"Left {n}", f"Right {n}"], "captain": f"Left {n}"} if rulebook == TEAM else {}


def played(*rounds: str, stage: str = SWISS, cut: str = "", rulebook: str = STANDARD) -> list[dict[str, Any]]:
    """ "p1 p2, p3 -" as a round: p1 beat p2, p3 had a bye ("won": a won one). `cut`: a round of elimination behind."""
    made: list[dict[str, Any]] = []
    for at, text in [*((stage, one) for one in rounds), *((KNOCKOUT, one) for one in cut.split("|") if one)]:
        matches = []
        for number, pair in enumerate(text.split(","), start=1):
            a, b = pair.split()
            game = {"game": number} if at == KNOCKOUT else {}
            score = (
                {"score": {"a": 100, "b": 24}}
                if rulebook == STANDARD
                else {"ended": "time", "score": {"a": 100, "b": 24}}
            )
            matches.append(
                {"a": a, "bye": "bye" if b == "-" else b, **game}
                if b in ("-", "won")
                else {"table": number, "a": a, "b": b, "result": score, **game}
            )
        made.append({"number": len(made) + 1, "stage": at, "matches": matches})
    return made


def of_result(
    clauses: str, breaks: str, result: dict[str, Any], rulebook: str = STANDARD, people: dict[str, Any] | None = None
) -> Case:
    """One match with that result."""
    rounds = [{"number": 1, "stage": SWISS, "matches": [{"table": 1, "a": "p1", "b": "p2", "result": result}]}]
    return Case(
        _ids(clauses, rulebook),
        breaks,
        event_file(rulebook, rounds, people, 2),
        2 if breaks == UNREADABLE else 1,
        result,
    )


def of_list(clauses: str, breaks: str, data: Any, rulebook: str = STANDARD, **options: Any) -> Case:
    """One player with that list."""
    file = event_file(rulebook, [], {"p1": {"list": data}}, options=options)
    return Case(_ids(clauses, rulebook), breaks, file, 1, list=data)


def of_rounds(clauses: str, breaks: str, rounds: list[dict[str, Any]], rulebook: str = STANDARD, **more: Any) -> Case:
    """Rounds as they stand in the file."""
    return Case(_ids(clauses, rulebook), breaks, event_file(rulebook, rounds, **more), 2 if breaks == UNREADABLE else 1)


def _ids(clauses: str, rulebook: str) -> tuple[str, ...]:
    document = STANDARD if rulebook == STANDARD else "xwing-epic"
    return tuple(f"{document}:{clause}" for clause in clauses.split())


def score(a: int, b: int, ended: str = "played", **more: Any) -> dict[str, Any]:
    """A result in the file's words."""
    return {"ended": ended, "score": {"a": a, "b": b}, **more}


def fleet(*ships: dict[str, Any], faction: str = "Imperial", **more: Any) -> dict[str, Any]:
    """A list of these ships."""
    return {"faction": faction, "ships": list(ships), **more}


def pair_of(*lists: dict[str, Any]) -> dict[str, Any]:
    """A team's two lists, the first the captain's; the team's faction is the first's."""
    return {
        "faction": lists[0].get("faction", "Imperial"),
        "players": [
            {"player": who, "captain": who == "Left 1", **each}
            for who, each in zip(("Left 1", "Right 1"), lists, strict=True)
        ],
    }


CASES: tuple[Case, ...] = (
    of_result("standard-format", "figure_out_of_range", score(101, 0, "time")),
    of_result("both-destroyed", UNREADABLE, score(100, 100)),
    of_result("at-time", UNREADABLE, score(50, 40, "time", winner="b")),
    of_result("salvo-winner", UNREADABLE, score(50, 50, "time")),
    of_result("concession", UNREADABLE, score(0, 100, "concession", conceded_by="a", winner="a")),
    of_list("list-points", "list_over_points", {"total": 101}),
    of_list("list-factions", "not_one_of", {"faction": "Republic"}),
    of_list("list-damage-deck", "not_one_of", {"damage_deck": "home-made"}),
    of_list("list-three-obstacles", "list_obstacle_twice", {"obstacles": ["asteroid-1", "asteroid-1", "debris-1"]}),
    of_list("list-obstacle-pool", "not_one_of", {"obstacles": ["asteroid-13", "asteroid-1", "debris-1"]}),
    of_list(
        "list-one-faction",
        "list_line_faction",
        fleet({"name": "Wedge", "ship": "X-Wing", "points": 29, "faction": "Rebel"}),
    ),
    of_list("list-holds", "list_ships_missing", {"faction": "Rebel", "total": 98}, lists_required=True),
    of_rounds("no-repeats", "repeat", played("p1 p2,p3 p4", "p1 p2,p3 p4")),
    of_rounds("bye-to-the-last", "bye_too_high", played("p1 p2,p3 -", "p1 -,p2 p3"), players=3),
    of_rounds("won-bye", "won_bye_after_round_1", played("p1 p2,p3 -", "p3 p1,p2 won"), players=3),
    of_rounds(
        "first-against-last",
        "bracket_pairing",
        played("p1 p2,p3 p4", "p1 p3,p2 p4", cut="p1 p3,p2 p4"),
        options={"swiss_rounds": 2, "cut": 4},
    ),
    of_rounds(
        "next-elimination-round elimination",
        "bracket_pairing",
        played("p1 p2,p3 p4", "p1 p3,p2 p4", cut="p1 p4,p3 p2|p1 p2"),
        options={"swiss_rounds": 2, "cut": 4},
    ),
    of_rounds(
        "basic-structure",
        "too_many_rounds",
        played("p1 p2,p3 p4", "p1 p3,p2 p4", "p1 p4,p2 p3", "p1 p2,p3 p4"),
        options={"structure": "basic"},
    ),
    of_rounds(
        "advanced-structure",
        "too_many_rounds",
        played(*["p1 p2,p3 p4,p5 p6,p7 p8,p9 p10"] * 6),
        players=10,
        options={"structure": "advanced"},
    ),
    of_rounds(
        "disqualified-for-good",
        "paired_after_leaving",
        played("p1 p2,p3 p4", "p1 p3,p2 p4"),
        people={"p2": {"disqualified_after": 1}},
    ),
    of_rounds(
        "officials-barred", "official_may_not_play", [], level="formal", people={"p2": {"officials_role": "judge"}}
    ),
    of_result("two-players-300", "figure_out_of_range", score(301, 0, "time"), DUEL),
    of_result("destroyed", "not_destroyed_whole", score(10, 0, winner="a"), DUEL, people=WITH_280),
    of_result("nobody-left", "destroyed_both", score(280, 280, winner="a"), DUEL, people=WITH_280),
    of_result("at-time-draw", UNREADABLE, score(50, 50, "time", winner="a"), DUEL),
    of_result("at-time-modified-win", UNREADABLE, score(60, 50, "time", winner="b"), DUEL),
    of_result("at-time-full-win", UNREADABLE, score(62, 50, "time", winner="b"), DUEL),
    of_result("concession", UNREADABLE, score(0, 100, "concession", conceded_by="a", winner="a"), DUEL),
    of_rounds(
        "draw-by-initiative",
        UNREADABLE,
        [
            {
                "number": 1,
                "stage": KNOCKOUT,
                "matches": [{"table": 1, "game": 1, "a": "p1", "b": "p2", "result": score(50, 50, "time")}],
            }
        ],
        DUEL,
        players=2,
        options={"swiss_rounds": 0},
    ),
    of_rounds("round-minutes", "minutes_too_short", [], DUEL, options={"stages": {"swiss": {"minutes": 140}}}),
    of_rounds(
        "officials-barred-at-premier",
        "official_may_not_play",
        [],
        DUEL,
        level="premier",
        people={"p2": {"officials_role": "judge"}},
    ),
    of_rounds("no-repeats", "repeat", played("p1 p2,p3 p4", "p1 p2,p3 p4", rulebook=DUEL), DUEL),
    of_rounds("teams-paired", "repeat", played("p1 p2,p3 p4", "p1 p2,p3 p4", rulebook=TEAM), TEAM),
    of_rounds("bye-among-the-last", "bye_too_high", played("p1 p2,p3 -", "p1 -,p2 p3", rulebook=DUEL), DUEL, players=3),
    of_rounds("team-bye", "bye_too_high", played("p1 p2,p3 -", "p1 -,p2 p3", rulebook=TEAM), TEAM, players=3),
    of_rounds(
        "fixed-bracket losers-out",
        "bracket_pairing",
        played("p1 p2,p3 p4", "p1 p3,p2 p4", cut="p1 p4,p3 p2|p1 p2", rulebook=DUEL),
        DUEL,
        options={"swiss_rounds": 2, "cut": 4},
    ),
    of_list("list-points-duel", "list_over_points", {"total": 301}, DUEL),
    of_list(
        "list-epic-points-duel epic-points-of-ships", "list_over_epic_points", fleet(CR90, CR90, faction="Rebel"), DUEL
    ),
    of_list("list-same-type-duel example-12-tie-fighters", "list_too_many_of_type", fleet({**TIE, "count": 13}), DUEL),
    of_list("list-same-type-duel", "list_too_many_of_type", fleet({**SHUTTLE, "count": 7}), DUEL),
    of_list("list-faction", "not_one_of", {"faction": "Scum and Villainy"}, DUEL),
    of_list("list-handed-in", "list_not_handed_in", {"faction": "Rebel", "total": 98}, DUEL, lists_required=True),
    of_list(
        "navigation-officer",
        "list_not_on_huge",
        fleet({**CR90, "upgrades": ["Navigation Officer"]}, faction="Rebel"),
        DUEL,
    ),
    of_list("list-points-team", "list_over_points", pair_of({"total": 201}, {"total": 100}), TEAM),
    of_list(
        "list-epic-points-team example-3-epic-points",
        "list_over_epic_points",
        pair_of(fleet(CR90, CR90, faction="Rebel"), fleet(faction="Rebel")),
        TEAM,
    ),
    of_list(
        "list-same-type-team example-8-tie-fighters",
        "list_too_many_of_type",
        pair_of(fleet({**TIE, "count": 9}), fleet()),
        TEAM,
    ),
    of_list("list-one-faction", "list_two_factions", pair_of({"faction": "Rebel"}, {"faction": "Imperial"}), TEAM),
    of_list(
        "list-unique-names",
        "list_unique_twice",
        pair_of(fleet({**TIE, "name": "•Howlrunner"}), fleet({**TIE, "name": "Howlrunner"})),
        TEAM,
    ),
    of_list(
        "two-lists",
        "list_players_missing",
        {"faction": "Imperial", "players": [{"player": "Left 1", "captain": True}]},
        TEAM,
        lists_required=True,
    ),
    of_rounds("captain", "captain_not_in_team", [], TEAM, people={"p1": {"captain": "Nobody"}}),
)


def by_name() -> dict[str, Case]:
    """ "xwing-standard:at-time" → its case, numbered where a clause is broken in several ways."""
    return {
        f"{case.clauses[0]}{f' ({number})' if number else ''}": case
        for each in dict.fromkeys(case.clauses[0] for case in CASES)
        for number, case in enumerate(one for one in CASES if one.clauses[0] == each)
    }
