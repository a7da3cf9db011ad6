"""The export for List Fortress: what its reader looks for, in a worked example of a short event."""

import json

from bracket_kit import better_wins, played, ranked
from event_kit import refused
from roundtap_core.eventfile.exports import list_fortress
from roundtap_core.records import BYE, UNPAIRED_LOSS, Competitor, Match, Result, Round, SidePair, Tournament

ANA, BRUNO, EVA, FAY = (
    Competitor(f"p{n}", name) for n, name in enumerate(("Ana Ruiz", "Bruno Maier", "Eva Luz", "Fay Kern"), start=1)
)
EVENT = Tournament(
    "Winter Open",
    "xwing-standard",
    competitors=(ANA, BRUNO, EVA, Competitor("p4", "Fay Kern", dropped_after=1)),
    options={"structure": "own", "swiss_rounds": 2},
    rounds=(
        Round(
            1,
            "swiss",
            (
                Match("p1", "p2", 1, result=Result(score=SidePair(100, 24))),
                Match("p3", "p4", 2, result=Result(ended="time", winner="b", score=SidePair(50, 50))),
            ),
        ),
        Round(
            2,
            "swiss",
            (
                Match("p1", "p3", 1, result=Result(ended="concession", conceded_by="a", score=SidePair(60, 100))),
                Match("p2", bye=BYE),
                Match("p4", bye=UNPAIRED_LOSS),
            ),
        ),
    ),
)


def test_a_short_event_as_list_fortress_reads_it() -> None:
    said = list_fortress(EVENT)
    assert said["name"] == "Winter Open"
    assert said["rounds"] == [
        {
            "round-type": "swiss",
            "round-number": 1,
            "matches": [
                {
                    "player1": "Ana R.",
                    "player1points": 100,
                    "player2": "Bruno M.",
                    "player2points": 24,
                    "result": "win",
                    "winner": "Ana R.",
                },
                # The final salvo: nobody has more points, one has won.
                {
                    "player1": "Eva L.",
                    "player1points": 50,
                    "player2": "Fay K.",
                    "player2points": 50,
                    "result": "win",
                    "winner": "Fay K.",
                },
            ],
        },
        {
            "round-type": "swiss",
            "round-number": 2,
            "matches": [
                {
                    "player1": "Ana R.",
                    "player1points": 60,
                    "player2": "Eva L.",
                    "player2points": 100,
                    "result": "win",
                    "winner": "Eva L.",
                },
                {"player1": "Bruno M.", "player1points": 0, "result": "bye"},
            ],
        },
    ]
    # MoV 100 ± difference: Ana 176 + 60, Eva 100 + 140, Bruno 24 and a bye of 150, Fay 100 and nothing.
    players = {player["name"]: player for player in said["players"]}
    assert {name: (player["score"], player["mov"]) for name, player in players.items()} == {
        "Ana R.": (1, 236),
        "Eva L.": (1, 240),
        "Bruno M.": (1, 174),
        "Fay K.": (1, 100),
    }
    assert [player["name"] for player in said["players"]] == ["Eva L.", "Ana R.", "Bruno M.", "Fay K."]
    assert [player["rank"] for player in said["players"]] == [{"swiss": 1}, {"swiss": 2}, {"swiss": 3}, {"swiss": 4}]
    assert players["Fay K."]["dropped"] == 1
    assert all(isinstance(player["sos"], float) for player in said["players"])
    json.dumps(said)


def test_a_cut_has_its_ranks_and_the_final_is_round_2() -> None:
    said = list_fortress(played(played(ranked(8, cut=4), better_wins), better_wins))
    knockout = [one for one in said["rounds"] if one["round-type"] == "elimination"]
    assert [one["round-number"] for one in knockout] == [4, 2]
    ranks = {player["name"]: player["rank"] for player in said["players"]}
    assert ranks["Player 1"] == {"swiss": 1, "elimination": 1}
    assert ranks["Player 8"] == {"swiss": 8}


def test_other_games_are_refused() -> None:
    with refused("not_of_this_rulebook"):
        list_fortress(Tournament("Open", "keyforge-archon"))


def test_every_name_stands_once() -> None:
    """List Fortress finds the players of a match by name."""
    twins = (Competitor("p1", "Ana Ruiz"), Competitor("p2", "Ana Ruiz"))
    said = list_fortress(
        Tournament(
            "Open",
            "xwing-standard",
            competitors=twins,
            rounds=(Round(1, "swiss", (Match("p1", "p2", 1, result=Result(score=SidePair(100, 0))),)),),
        )
    )
    names = [player["name"] for player in said["players"]]
    assert len(set(names)) == 2
    assert {said["rounds"][0]["matches"][0][side] for side in ("player1", "player2")} == set(names)
