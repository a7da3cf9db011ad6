"""The event file: what a file means, that nothing is lost on the way, and what is said about a wrong one."""

import copy
import json
import lzma
import os
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtap_core.errors import Problem
from roundtap_core.eventfile.exports import tournament_to_json
from roundtap_core.eventfile.read import event_problems, parse_event_file, tournament_from_json
from roundtap_core.records import Competitor, Draw, Match, Result, Round, SidePair, Tournament

WORDS = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Cf", "Zl", "Zp")), min_size=1, max_size=64
).filter(lambda text: any(sign.isascii() and sign.isalnum() for sign in text))
COUNTS = st.integers(0, 120)
FIGURES = st.integers(-99_999, 99_999)
ANY_NUMBER = st.integers(-(2**53) + 1, 2**53 - 1)
FREE = st.none() | st.booleans() | ANY_NUMBER | WORDS | st.lists(WORDS | ANY_NUMBER, max_size=2)
LISTS = st.dictionaries(WORDS, FREE, max_size=2).filter(lambda data: not {"faction", "total"} & set(data))


def winter_open() -> dict[str, Any]:
    return {
        "format": "roundtap-event/1",
        "name": "Winter Open",
        "rulebook": "xwing-standard",
        "level": "formal",
        "options": {"structure": "basic", "swiss_rounds": 3, "cut": 0},
        "seed": 20261120,
        "competitors": [
            {
                "id": "p1",
                "name": "Ana Ruiz",
                "public_name": "Ana R.",
                "club": "Orion",
                "external_id": "4711",
                "person": "3f2a9c01b7de",
                "list": {"faction": "Rebel", "total": 98},
            },
            {"id": "p2", "name": "Bruno Maier", "came_with": "car-1", "fixed_table": 9},
            {"id": "p3", "name": "Łukasz Żak", "won_bye": True},
            {"id": "p4", "name": "Kai Eich", "dropped_after": 1},
            {"id": "p5", "name": "Eva Luz", "disqualified_after": 1, "warnings": [{"round": 1, "reason": "…"}]},
        ],
        "rounds": [
            {
                "number": 1,
                "stage": "swiss",
                "draw": {"seed": 20261120, "attempt": 1, "method": "ideal"},
                "matches": [
                    {"table": 1, "a": "p1", "b": "p2", "result": {"ended": "time", "score": {"a": 77, "b": 49}}},
                    {
                        "table": 2,
                        "a": "p4",
                        "b": "p5",
                        "result": {"ended": "concession", "conceded_by": "b", "score": {"a": 40, "b": 12}},
                        "extension_minutes": 4,
                    },
                    {"a": "p3", "bye": "won"},
                ],
            },
        ],
    }


def changed(path: str, value: object) -> dict[str, Any]:
    """The Winter Open with `value` at a path like "rounds/0/number"; a value of ... takes the key away."""
    data = winter_open()
    *steps, last = [int(step) if step.isdigit() else step for step in path.split("/")]
    place: Any = data
    for step in steps:
        place = place[step]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return data


def test_a_file_becomes_a_tournament() -> None:
    event = tournament_from_json(winter_open())
    assert event.name == "Winter Open"
    assert event.competitors[2] == Competitor("p3", "Łukasz Żak", won_bye=True)
    assert not event.competitors[3].active
    assert event.rounds[0].matches == (
        Match("p1", "p2", 1, result=Result(ended="time", score=SidePair(77, 49))),
        Match(
            "p4",
            "p5",
            2,
            result=Result(ended="concession", conceded_by="b", score=SidePair(40, 12)),
            extension_minutes=4,
        ),
        Match("p3", bye="won"),
    )


def test_a_file_comes_back_as_it_was() -> None:
    assert tournament_to_json(tournament_from_json(winter_open())) == winter_open()


def test_what_is_left_out_has_its_default() -> None:
    event = parse_event_file(
        '{"format": "roundtap-event/1", "name": "Tiny", "rulebook": "xwing-standard", "competitors": []}'
    )
    assert event == Tournament("Tiny", "xwing-standard")


def test_a_byte_order_mark_is_no_error() -> None:
    assert parse_event_file("\ufeff" + json.dumps(winter_open())).name == "Winter Open"


@st.composite
def tournaments(draw: st.DrawFn) -> Tournament:
    ids = draw(st.lists(WORDS, unique=True, max_size=5))
    people = tuple(
        Competitor(
            id=one,
            name=draw(WORDS),
            public_name=draw(st.none() | WORDS),
            won_bye=draw(st.booleans()),
            list=draw(st.none() | LISTS),
            dropped_after=draw(st.none() | COUNTS),
            fixed_table=draw(st.none() | st.integers(1, 99)),
            warnings=tuple(draw(st.lists(st.fixed_dictionaries({"round": COUNTS, "reason": WORDS}), max_size=1))),
            members=draw(st.just(()) | st.tuples(WORDS, WORDS)),
            houses=tuple(draw(st.lists(WORDS, max_size=3))),
            person=draw(st.sampled_from([None, f"book-{index}"])),
        )
        for index, one in enumerate(ids)
    )
    rounds = tuple(draw(rounds_of(ids, number)) for number in range(1, draw(st.integers(1, 4))))
    options = draw(
        st.fixed_dictionaries(
            {},
            optional={
                "structure": st.sampled_from(["basic", "own"]),
                "cut": st.sampled_from([0, 2, 32]),
                "full_names": st.booleans(),
                "stages": st.just({"final": {"minutes": None, "best_of": 3}}),
            },
        )
    )
    return Tournament(
        draw(WORDS),
        "xwing-standard",
        draw(st.sampled_from([None, "relaxed", "premium"])),
        options,
        draw(ANY_NUMBER),
        people,
        rounds,
    )


@st.composite
def rounds_of(draw: st.DrawFn, ids: list[str], number: int) -> Round:
    order = draw(st.permutations(ids))
    matches = [Match(order[-1], bye=draw(st.sampled_from(["bye", "won", "unpaired-loss"])))] if len(order) % 2 else []
    for table, (a, b) in enumerate(zip(order[0:-1:2], order[1::2], strict=False), start=1):
        score = SidePair(draw(FIGURES), draw(FIGURES))
        winner = draw(st.sampled_from(["a", "b"])) if score.a == score.b else None
        initiative = draw(st.sampled_from([None, "b"]))
        result = draw(st.sampled_from([None, Result(winner=winner, score=score, initiative=initiative)]))
        matches.append(Match(a, b, table, result=result, game=draw(st.sampled_from([None, 1, "third"]))))
    lots = draw(st.none() | st.builds(Draw, ANY_NUMBER, st.integers(1, 9), st.sampled_from(["", "ideal"])))
    return Round(number, draw(st.sampled_from(["swiss", "elimination", "tiebreak"])), tuple(matches), lots)


@given(tournaments())
def test_whatever_is_written_reads_back_the_same(event: Tournament) -> None:
    assert parse_event_file(json.dumps(tournament_to_json(event))) == event


@pytest.mark.parametrize(
    ("path", "value", "where", "key"),
    [
        ("format", "roundtap-event/2", "/format", "not_one_of"),
        ("name", ..., "", "missing_key"),
        ("name", "  ", "/name", "unfit_text"),
        ("name", "Open\u001b[2J", "/name", "unfit_text"),
        ("color", "red", "/color", "unknown_key"),
        ("options/board", 1, "/options/board", "unknown_key"),
        ("rulebook", "chess", "/rulebook", "unknown_rulebook"),
        ("level", "premier", "/level", "not_one_of"),
        ("seed", 1.0, "/seed", "wrong_type"),
        ("seed", 2**53, "/seed", "figure_out_of_range"),
        ("seed", True, "/seed", "wrong_type"),
        ("options/cut", 3, "/options/cut", "not_one_of"),
        ("options/cut", False, "/options/cut", "wrong_type"),
        ("options/stages", {"final": {"minutes": 0}}, "/options/stages/final/minutes", "figure_out_of_range"),
        ("competitors/1/members", ["Ana"], "/competitors/1/members", "wrong_length"),
        ("competitors/1/person", "3f2a9c01b7de", "/competitors/1/person", "id_twice"),
        ("competitors/1/person", "", "/competitors/1/person", "unfit_text"),
        ("competitors/0/list/upgrades", {"cost": 0.5}, "/competitors/0/list/upgrades/cost", "wrong_type"),
        ("competitors/4/warnings/0/reason", ..., "/competitors/4/warnings/0", "missing_key"),
        ("rounds/0/number", 2, "/rounds/0/number", "round_number"),
        ("rounds/0/stage", "cup", "/rounds/0/stage", "not_one_of"),
        ("rounds/0/matches/0/b", "p9", "/rounds/0/matches/0/b", "unknown_competitor"),
        ("rounds/0/matches/0/b", ..., "/rounds/0/matches/0", "missing_key"),
        ("rounds/0/matches/0/b", "p1", "/rounds/0/matches/0/b", "twice_in_round"),
        ("rounds/0/matches/1/table", 1, "/rounds/0/matches/1/table", "table_twice"),
        ("rounds/0/matches/2/table", 3, "/rounds/0/matches/2/table", "unknown_key"),
        ("rounds/0/matches/2/a", "p1", "/rounds/0/matches/2/a", "twice_in_round"),
        ("rounds/0/matches/2/bye", "free", "/rounds/0/matches/2/bye", "not_one_of"),
        ("rounds/0/matches/0/game", "last", "/rounds/0/matches/0/game", "not_one_of"),
        ("rounds/0/matches/0/result/score/a", "77", "/rounds/0/matches/0/result/score/a", "wrong_type"),
        ("rounds/0/matches/0/result/winner", "b", "/rounds/0/matches/0/result/winner", "winner_contradicts_score"),
        ("rounds/0/matches/0/result/score/b", 77, "/rounds/0/matches/0/result/winner", "salvo_winner_missing"),
        ("rounds/0/matches/1/result/conceded_by", ..., "/rounds/0/matches/1/result/conceded_by", "concession_by_whom"),
    ],
)
def test_an_error_names_the_place(path: str, value: object, where: str, key: str) -> None:
    problems = list(event_problems(changed(path, value)))
    assert [(problem.where, problem.key) for problem in problems] == [(where, key)]
    with pytest.raises(Problem) as caught:
        tournament_from_json(changed(path, value))
    assert (caught.value.where, caught.value.key) == (where, key)


def test_what_was_played_on_with_was_missing_of_somebody_in_the_file() -> None:
    def said(who: dict[str, str]) -> list[tuple[str, str]]:
        line = {"points": [{"kind": "judge_missing"}, {"kind": "list_missing", **who}], "reason": "", "by": "organizer"}
        return [(problem.where, problem.key) for problem in event_problems(changed("played_on", [line]))]

    assert said({"who": "p1"}) == said({}) == []
    assert said({"who": "p9"}) == [("/played_on/0/points/1/who", "unknown_competitor")]


def test_a_slash_in_an_unknown_key_is_escaped() -> None:
    assert [problem.where for problem in event_problems(changed("a", 1) | {"x/y~z": 1})] == ["/a", "/x~1y~0z"]


def test_all_errors_of_a_file_are_found_at_once() -> None:
    data = changed("rounds/0/matches/0/b", "p9")
    data["rounds"][0]["number"] = 7
    data["competitors"][1]["id"] = "p1"
    assert [problem.key for problem in event_problems(data)] == [
        "id_twice",
        "round_number",
        "unknown_competitor",
    ]


@pytest.mark.parametrize(
    "matches",
    [
        [{"a": "p1", "bye": "bye"}, {"a": "p2", "bye": "bye"}],
        [{"a": "p1", "b": "p2", "result": {"score": {"a": 130, "b": -5}}}],
    ],
)
def test_rules_that_an_event_broke_load(matches: list[dict[str, Any]]) -> None:
    assert tournament_from_json(changed("rounds/0/matches", matches)).rounds[0].matches


@pytest.mark.parametrize(
    ("stage", "found"),
    [
        ("swiss", []),
        ("elimination", [("/rounds/0/matches/0/result/initiative", "initiative_missing")]),
    ],
)
def test_a_draw_says_who_goes_on_where_somebody_has_to(stage: str, found: list[tuple[str, str]]) -> None:
    data = changed(
        "rounds/0",
        {
            "number": 1,
            "stage": stage,
            "matches": [{"a": "p1", "b": "p2", "result": {"ended": "time", "score": {"a": 120, "b": 120}}}],
        },
    )
    data |= {"rulebook": "xwing-epic-duel", "level": "premier", "options": {}}
    assert [(problem.where, problem.key) for problem in event_problems(data)] == found


def test_a_repeat_loads() -> None:
    data = winter_open()
    again = copy.deepcopy(data["rounds"][0]) | {"number": 2}
    data["rounds"].append(again)
    assert len(tournament_from_json(data).rounds) == 2


@pytest.mark.parametrize(
    ("text", "key", "params"),
    [
        ('{"name": "Open",\n "seed": }', "broken_json", {"line": 2, "column": 10, "near": "}"}),
        ('{"name": "Open"', "json_ends_early", {"line": 1, "column": 16}),
        ("", "json_ends_early", {"line": 1, "column": 1}),
        ('{"seed": 1, "name": "x", "seed": 2}', "key_twice", {"key": "seed"}),
        ("[" * 100_000, "too_deep", {"maximum": 40}),
    ],
)
def test_text_that_is_no_json(text: str, key: str, params: dict[str, object]) -> None:
    with pytest.raises(Problem) as caught:
        parse_event_file(text)
    assert (caught.value.key, caught.value.params) == (key, params)


def test_a_key_given_twice_is_found_deep_inside() -> None:
    text = json.dumps(winter_open()).replace('"club": "Orion"', '"club": "Orion", "club": "Vega"')
    with pytest.raises(Problem) as caught:
        parse_event_file(text)
    assert caught.value.where == "/competitors/0/club"


@pytest.mark.parametrize(
    ("number", "key"),
    [
        ("9" * 5000, "figure_out_of_range"),
        ("-" + "9" * 5000, "figure_out_of_range"),
        ("NaN", "wrong_type"),
        ("-Infinity", "wrong_type"),
        ("1e400", "wrong_type"),
        ("2.5", "wrong_type"),
    ],
)
def test_numbers_that_no_event_has(number: str, key: str) -> None:
    with pytest.raises(Problem) as caught:
        parse_event_file(json.dumps(winter_open()).replace('20261120, "competitors', number + ', "competitors'))
    assert (caught.value.where, caught.value.key) == ("/seed", key)


def test_half_a_surrogate_pair_is_refused() -> None:
    with pytest.raises(Problem) as caught:
        parse_event_file(json.dumps(winter_open()).replace("Winter Open", "\\ud800"))
    assert (caught.value.where, caught.value.key) == ("/name", "unfit_text")


@pytest.mark.published
def test_every_published_tournament_loads() -> None:
    path = os.environ.get("ROUNDTAP_PUBLISHED")
    if not path:
        pytest.skip("ROUNDTAP_PUBLISHED is not set")
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        events = [json.loads(line)["event"] for line in lines]
    ours = [event for event in events if event["rulebook"] == "xwing-standard"]
    for event in ours:
        tournament = tournament_from_json(event)
        assert parse_event_file(json.dumps(tournament_to_json(tournament))) == tournament
    assert len(ours) == 373


# Limits.


@pytest.mark.parametrize(
    "name",
    [
        "\u200b",
        "\u200b \u2060",
        "\u3164",
        "\u2800",
        "\u00ad",
        "\ufeff",
        "Ana\u202eziuR",
        "Ana \u2066R",
        "Ana\u2028Ruiz",
        " ",
    ],
)
def test_a_name_that_nobody_sees_or_that_turns_the_line(name: str) -> None:
    for path in ("competitors/0/name", "competitors/0/public_name", "competitors/0/club", "name"):
        (problem,) = event_problems(changed(path, name))
        assert (problem.where, problem.key) == (f"/{path}", "unfit_text")


@pytest.mark.parametrize(
    "name",
    [
        "Łukasz Żak",
        "Z\u0307ak",
        "\u0645\u062d\u0645\u062f",
        "東京",
        "👩\u200d🚀",
        "O’Neill",
        "(-_-)",
    ],
)
def test_names_of_all_the_world(name: str) -> None:
    assert list(event_problems(changed("competitors/0/name", name))) == []


def test_names_have_80_letters_and_ids_64() -> None:
    for path, most in (
        ("competitors/0/name", 80),
        ("competitors/0/club", 80),
        ("name", 80),
        ("competitors/0/id", 64),
        ("competitors/0/external_id", 64),
        ("level", 64),
    ):
        (problem,) = list(event_problems(changed(path, "x" * (most + 1))))[:1]
        assert (problem.where, problem.key, problem.params["maximum"]) == (f"/{path}", "text_too_long", most)
    assert list(event_problems(changed("name", "x" * 80))) == []


@pytest.mark.parametrize(
    "path",
    [
        "options/swiss_rounds",
        "competitors/1/fixed_table",
        "competitors/3/dropped_after",
        "rounds/0/matches/0/table",
        "rounds/0/matches/0/result/score/a",
        "rounds/0/matches/1/extension_minutes",
    ],
)
def test_every_number_has_a_range(path: str) -> None:
    (problem,) = event_problems(changed(path, 100_000))
    assert (problem.where, problem.key) == (f"/{path}", "figure_out_of_range")


def test_4096_competitors_and_no_more() -> None:
    def people(n: int) -> dict[str, Any]:
        return {**winter_open(), "rounds": [], "competitors": [{"id": f"p{i}", "name": f"P{i}"} for i in range(n)]}

    assert list(event_problems(people(4096))) == []
    (problem,) = event_problems(people(4097))
    assert (problem.where, problem.key) == ("/competitors", "wrong_length")


def test_30_rounds_in_a_stage_and_no_more() -> None:
    def rounds(n: int) -> dict[str, Any]:
        return {
            **winter_open(),
            "rounds": [
                {"number": i + 1, "stage": "elimination" if i < 5 else "tiebreak", "matches": []} for i in range(n)
            ],
        }

    assert list(event_problems(rounds(35))) == []
    (problem,) = event_problems(rounds(36))
    assert (problem.where, problem.key) == ("/rounds/35", "too_many_rounds_in_stage")
