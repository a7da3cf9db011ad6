"""A file of rules is read as a whole: every fault with its line, and what it says is said back."""

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from event_kit import refused
from own_games.own_evenings import own_event
from roundtap.headless.rulebook import made_up_table
from roundtap.headless.standings import as_text
from roundtap.main import main
from roundtap_core.clock import Instant
from roundtap_core.event import commands as c
from roundtap_core.event.commands import decide
from roundtap_core.event.states import EventState
from roundtap_core.eventfile.exports import tournament_to_json
from roundtap_core.eventfile.read import parse_event_file, tournament_from_json
from roundtap_core.records import result_from_json
from roundtap_core.rulebooks.base import SWISS_ROUND, MatchSituation
from roundtap_core.rulebooks.own_rules import Rules, read_rules, rules_data, rules_id, rules_json
from roundtap_core.rulebooks.own_words import rules_in_words, words_of, worked_matches
from roundtap_core.rulebooks.registry import book_of, rulebook
from roundtap_core.standings.standings import standings
from roundtap_core.words import LANGUAGES, core_words

FOLDER = Path(__file__).parent / "examples"
EXAMPLES = sorted(FOLDER.rglob("*.toml"))
HEAD = 'format = "roundtap-rules/1"\nname = "Friday"\n'
GAMES = HEAD + '[match]\nreport = "games"\nbest_of = 3\n[points]\nwin = 3\ndraw = 1\n'
POINTS = HEAD + '[match]\nreport = "points"\n[[match.figure]]\nkey = "score"\n[points]\nwin = 3\n'


def rules_of(text: str) -> Rules:
    rules, faults, _ = read_rules(text)
    assert rules is not None, [(fault.line, fault.say()) for fault in faults]
    return rules


def faults_of(text: str) -> list[tuple[int | None, str, str]]:
    return [(fault.line, fault.where, fault.key) for fault in read_rules(text)[1]]


def warnings_of(text: str) -> list[tuple[int | None, str]]:
    rules, _, warnings = read_rules(text)
    assert rules is not None
    return [(warning.line, warning.key) for warning in warnings]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_is_sound_and_is_said_back_in_every_language(path: Path) -> None:
    rules = rules_of(path.read_text(encoding="utf-8"))
    for language in LANGUAGES:
        words = core_words(language)
        said = rules_in_words(rules, words)
        assert len(said) > 4
        assert all(sentence.strip().endswith((".", "?")) for sentence in said), said
        assert worked_matches(rules, words)
    book = rulebook(rules_id(rules), rules_json(rules))
    words = words_of(book, core_words("pl"))
    assert all(f"column.{key}" in words and f"tiebreaker.{key}" in words for key in book.tiebreaker_keys)


def test_all_faults_at_once_each_with_its_line() -> None:
    text = (
        HEAD
        + '[match]\nreport = "game"\nbest_off = 3\n[points]\nwin = "3"\n\n[[tiebreakers]]\nby = "wins"\nfloor = 101\n'
    )
    assert faults_of(text) == [
        (4, "/match/report", "not_one_of"),
        (5, "/match/best_off", "unknown_key"),
        (7, "/points/win", "wrong_type"),
        (11, "/tiebreakers/0/floor", "figure_out_of_range"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "missing_key"),
        ("name = ", "broken_toml.open"),
        ("x" * 70_000, "rules_too_long"),
        ("[" * 5000, "broken_toml"),
        ("x = " + "[" * 5000 + "]" * 5000, "rules_line_long"),
        ("x = " + "9" * 5000, "rules_line_long"),
        (GAMES + "[points.x]", "unknown_key"),
        (GAMES.replace("best_of = 3", "best_of = 7"), "not_one_of"),
        (GAMES.replace("win = 3", "win = 3.5"), "wrong_type"),
        (GAMES.replace('"Friday"', "2026-11-29"), "wrong_type"),
        (GAMES.replace('"Friday"', '"\\u202eFriday"'), "unfit_text"),
        (GAMES.replace("draw = 1", "draw = 4"), "rules_win_too_low"),
        (GAMES.replace('"games"', '"winner"'), "rules_without_games"),
        (GAMES + '[[tiebreakers]]\nby = "own"\n', "rules_of_missing"),
        (GAMES + '[[tiebreakers]]\nby = "wins"\nof = "score"\n', "rules_of_needless"),
        (GAMES + '[[tiebreakers]]\nby = "own"\nof = "second"\n', "rules_figure_unasked"),
        (
            GAMES.replace("win = 3\ndraw = 1", "win = 0") + '[[tiebreakers]]\nby = "match_win"\n',
            "rules_rate_of_nothing",
        ),
        (GAMES + "[structure]\nlines = [[4, 8, 3, 0], [8, 16, 4, 0]]\n", "rules_lines_overlap"),
        (GAMES + "[structure]\nlines = [[9, 8, 3, 0]]\n", "rules_from_above_to"),
        (GAMES + '[pairing]\nrounds = "everybody"\n[structure]\nlines = [[4, 8, 3, 4]]\n', "rules_cut_after_everybody"),
        (GAMES + "[time]\nextra = [5, 0]\n", "rules_from_above_to"),
        (GAMES + '[list]\nfields = [{ key = "a" }, { key = "a" }]\n', "rules_key_twice"),
        (GAMES + "[bye]\nfigures = { score = [1, 0] }\n", "rules_without_points"),
        (GAMES + '[[match.figure]]\nkey = "score"\n', "rules_without_points"),
        (GAMES.replace("win = 3", "win = 3\nbonus = [{ points = 1, at_least = 1 }]"), "rules_of_missing"),
        (
            GAMES.replace("games", "winner").replace("best_of = 3", "") + '[[tiebreakers]]\nby = "own"\n',
            "rules_without_points",
        ),
        (POINTS + "[bye]\nfigures = { score = [100, 0] }\n", "figure_out_of_range"),
        (POINTS + "[bye]\nfigures = { score = [0, 100] }\n", "figure_out_of_range"),
        (POINTS + "[bye]\nwon_figures = { score = [100, 0] }\n", "figure_out_of_range"),
        (POINTS + "[concession]\nwinner_at_least = { score = 100 }\n", "figure_out_of_range"),
        (POINTS.replace('"score"', '"score"\nmaximum = 0'), "rules_maximum_nothing"),
        (GAMES + "[bye]\nscore = [3, 2]\n", "rules_bye_score"),
        (GAMES + "[bye]\nscore = [2, 2]\n", "rules_bye_score"),
        (GAMES + "[bye]\nscore = [0, 2]\n", "rules_bye_score"),
        (GAMES.replace("best_of = 3", "") + "[bye]\nscore = [1, 1]\n", "rules_bye_score"),
        (POINTS.replace('"score"', '"score"\nlabel = {}'), "rules_label_empty"),
        (GAMES + '[[tiebreakers]]\nby = "wins"\nlabel = {}\n', "rules_label_empty"),
        (GAMES + '[sides]\nnames = [{ en = "A" }, {}]\n', "rules_label_empty"),
        (GAMES + "[time]\nknockout_asks = {}\n", "rules_label_empty"),
        (GAMES + '[list]\nasked = "optional"\nfields = [{ key = "a", label = {} }]\n', "rules_label_empty"),
        (GAMES + '[sides]\nnames = [{ en = "First" }, { en = "first" }]\n', "rules_sides_same"),
        (GAMES + '[sides]\nnames = [{ en = "A", de = "X" }, { en = "B", de = "X" }]\n', "rules_sides_same"),
        (GAMES + '[list]\nfields = [{ key = "übung" }]\n', "rules_key_letters"),
        (GAMES + '[list]\nfields = [{ key = "A b" }]\n', "rules_key_letters"),
        (GAMES + '[list]\nfields = [{ key = "a-b" }]\n', "rules_key_letters"),
        (GAMES + '[list]\nfields = [{ key = "" }]\n', "rules_key_letters"),
        (POINTS.replace('[[match.figure]]\nkey = "score"\n', ""), "rules_figure_missing"),
        (POINTS.replace('"score"', '"second"'), "rules_score_first"),
        (POINTS.replace('key = "score"', 'key = "score"\ndecides = false'), "rules_nothing_decides"),
        (POINTS.replace('key = "score"', 'key = "score"\ndefault = 100'), "figure_out_of_range"),
        (POINTS + '[[points.table]]\nof = "score"\nsteps = [[1, 1, 0]]\n', "rules_steps"),
        (POINTS + '[[points.table]]\nof = "score"\nsteps = [[0, 1, 0], [5, 2, 0], [4, 3, 0]]\n', "rules_steps"),
        (POINTS + "[[points.bonus]]\npoints = 1\nat_least = 4\n", "rules_of_missing"),
        (POINTS + "[bye]\nscore = [2, 0]\n", "rules_without_games"),
        (POINTS + '[[tiebreakers]]\nby = "game_win"\n', "rules_without_games"),
    ],
)
def test_what_no_game_can_be_played_by_is_refused(text: str, expected: str) -> None:
    rules, faults, _ = read_rules(text)
    assert rules is None
    assert expected in [fault.key for fault in faults]
    for fault in faults:
        assert all(fault.say(core_words(language)) for language in LANGUAGES)


@pytest.mark.parametrize(
    ("text", "line", "key"),
    [
        (GAMES + "win = 3\n", 9, "twice"),
        (GAMES + "[match]\n", 9, "twice"),
        (GAMES + "bye = { order = 1, order = 2 }\n", 9, "twice"),
        (GAMES + "[points.win]\n", 9, "twice"),
        (GAMES + "[sides]\nbalance = yes\n", 10, "word"),
        (GAMES + "[sides]\nbalance = True\n", 10, "word"),
        (GAMES + "[list]\nasked = no\n", 10, "word"),
        (GAMES.replace('"Friday"', "“Friday”"), 2, "quotes"),
        (GAMES.replace('"Friday"', "Friday"), 2, "quotes"),
        ("“format” = 1", 1, "quotes"),
        (GAMES.replace('"Friday"', '"Friday'), 2, "open"),
        (GAMES + "[structure]\nlines = [[4, 8, 3, 0]\n\n", 10, "open"),
        (GAMES + "[structure\n", 9, "open"),
        (GAMES + "loss 0\n", 9, "open"),
        (GAMES.replace("win = 3", "win = 3,5"), 7, ""),
        (GAMES.replace("win = 3", "win = 3; draw = 1"), 7, ""),
        ("format; 1", 1, "open"),
    ],
)
def test_what_is_not_toml_is_told_by_what_is_wrong(text: str, line: int, key: str) -> None:
    _, [fault], _ = read_rules(text)
    assert (fault.line, fault.key) == (line, f"broken_toml.{key}" if key else "broken_toml")
    for language in LANGUAGES:
        assert fault.params["near"] in fault.say(core_words(language)) or key in ("twice", "open")


@pytest.mark.parametrize(
    ("text", "where", "expected"),
    [
        (POINTS.replace('"score"', '"score"\nlabel = "Points"'), "/match/figure/0/label", '{ en = "Points" }'),
        (GAMES + '[time]\nknockout_asks = "Who?"\n', "/time/knockout_asks", '{ en = "Points" }'),
        (GAMES + '[sides]\nnames = ["A", "B"]\n', "/sides/names/0", '{ en = "Points" }'),
        (GAMES.replace("win = 3", "win = 3.0"), "/points/win", "a whole number"),
        (GAMES + "[bye]\nscore = 3\n", "/bye/score", "a list [ … ]"),
        (GAMES + '[tiebreakers]\nby = "wins"\n', "/tiebreakers", "in TOML [[ … ]]"),
        (GAMES.replace("best_of = 3", 'drawn_games = "yes"'), "/match/drawn_games", "true or false"),
        (GAMES + "note = 5\n[bye.score]\n", "/points/note", "unknown"),
        (GAMES + 'time = "x"\n', "/points/time", "unknown"),
        (HEAD + "match = 3\n[points]\nwin = 1", "/match", "a part with its own keys"),
        (HEAD.replace('"Friday"', "5") + "[points]\nwin = 1", "/name", "a text in quotes"),
    ],
)
def test_a_value_of_another_type_is_told_in_the_reader_s_words(text: str, where: str, expected: str) -> None:
    (fault,) = [fault for fault in read_rules(text)[1] if fault.where == where]
    assert expected in fault.say()
    assert "null" not in fault.say()
    german = fault.say(core_words("de"))
    assert not {"object", "array", "string", "integer", "boolean"} & set(
        german.replace(",", " ").replace(".", "").split()
    )


def test_one_mistake_is_one_fault() -> None:
    nothing_named = POINTS.replace('[[match.figure]]\nkey = "score"\n', "")
    uses = '[bye]\nfigures = { score = [5, 0] }\n[[tiebreakers]]\nby = "own"\nof = "score"\n'
    assert faults_of(nothing_named + uses) == [(4, "/match/report", "rules_figure_missing")]
    no_number = POINTS.replace('"score"', '"score"\nmaximum = 0')
    assert faults_of(no_number + uses) == [(7, "/match/figure/0/maximum", "rules_maximum_nothing")]
    assert faults_of(GAMES + ".".join("a" * 1000) + " = 1\n") == [(9, "/points/a", "unknown_key")]


def test_faults_stand_in_the_order_of_the_file_s_lines_however_it_is_written() -> None:
    text = """# [points]
format = "roundtap-rules/1"
name = "Friday"
note = \"\"\"
[points]
draw = 5000
\"\"\"
match = { report = "points", draws = "sometimes", figure = [
  { key = "score" },
  { key = "second", decides = 3 },
] }
time.swiss = 700
time.'extra' = [
  0,
  900,
]
"points".win = 3
points.draw = 1000

[[tiebreakers]] # first
by = "sos"
[[ tiebreakers ]]
by = "wins"
  flor = 3
[ structure ]
lines = [ # players
  [4, 8, 3, 0],
  # comment
  [9, 16, 4, 5],
  [17, 0,
   99, 8],
]
[bye]
points = 5000
"""
    assert [(line, where) for line, where, _ in faults_of(text)] == [
        (8, "/match/draws"),
        (10, "/match/figure/1/decides"),
        (12, "/time/swiss"),
        (15, "/time/extra/1"),
        (18, "/points/draw"),
        (24, "/tiebreakers/1/flor"),
        (29, "/structure/lines/1/3"),
        (31, "/structure/lines/2/2"),
        (34, "/bye/points"),
    ]


def test_what_is_probably_not_meant_is_a_warning_that_hinders_nothing() -> None:
    agreed = GAMES.replace("best_of = 3", 'best_of = 3\ndraws = "any_time"')
    assert warnings_of(agreed) == []
    assert warnings_of(agreed.replace("draw = 1", "draw = 2")) == [(9, "rules_draws_pay")]
    assert warnings_of(GAMES + "[bye]\npoints = 4\n") == [(10, "rules_bye_above_win")]
    assert warnings_of(GAMES + "[both_lose]\npoints = 4\n") == [(10, "rules_both_lose_above_win")]
    assert warnings_of(GAMES + '[[tiebreakers]]\nby = "wins"\nfloor = 33\n') == [(11, "rules_without_effect")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (GAMES + "[structure]\nlines = [\n[4, 8, 3, 0],\n[12, 16, 4, 4],\n]\n", (12, "rules_lines_gap")),
        (GAMES + "[structure]\nlines = [\n[4, 8, 3, 0],\n[9, 0, 4, 32],\n]\n", (12, "rules_cut_above_players")),
        (GAMES + '[[tiebreakers]]\nby = "sos"\n[[tiebreakers]]\nby = "sos"\n', (11, "rules_tie_twice")),
        (GAMES.replace("win = 3", "win = 0").replace("draw = 1", "draw = 0"), (7, "rules_win_is_loss")),
        (GAMES + '[list]\nfields = [{ key = "a" }]\n', (10, "rules_list_unasked")),
        (
            GAMES + '[list]\nasked = "required"\nfields = [\n{ key = "a", kind = "names", maximum = 3 }]\n',
            (12, "rules_without_effect"),
        ),
        (
            GAMES.replace("best_of = 3", 'draws = "never"') + '[time]\nundecided = "draw"\n',
            (10, "rules_level_asked"),
        ),
    ],
)
def test_what_is_odd_is_a_warning_at_its_line(text: str, expected: tuple[int, str]) -> None:
    assert warnings_of(text) == [expected]
    assert warnings_of(text.replace('undecided = "draw"', "")) in ([expected], [])


def test_what_is_meant_is_no_warning() -> None:
    for text in (
        GAMES + "[structure]\nlines = [[4, 8, 3, 4], [9, 0, 4, 8]]\n",
        GAMES + '[[tiebreakers]]\nby = "opponents_points"\n[[tiebreakers]]\nby = "opponents_points"\ncut_lowest = 1\n',
        POINTS.replace("win = 3", 'win = 0\ntable = [{ of = "score", steps = [[0, 10, 10], [5, 15, 5]] }]')
        + "[concession]\nwinner_at_least = { score = 99 }\n",
        GAMES.replace("best_of = 3", 'draws = "never"') + '[time]\nundecided = "both_lose"\n',
        GAMES + "[bye]\nscore = [2, 1]\n",
    ):
        assert warnings_of(text) == []


@pytest.mark.parametrize(
    ("points", "least", "expected"),
    [
        ("", "", None),
        ("[[points.table]]\nof = 'score'\nsteps = [[0, 10, 10], [11, 20, 0]]\n", "", (20, 0)),
        ("[[points.table]]\nof = 'score'\nsteps = [[0, 10, 10], [11, 20, 0]]\n", "score = 60", (20, 0)),
        ("[[points.table]]\nof = 'score'\nsteps = [[0, 10, 10], [11, 20, 0]]\n", "score = 99", None),
        ("[[points.bonus]]\nof = 'score'\npoints = 4\nat_least = 50\n", "", (4, 0)),
        ("[[points.bonus]]\nof = 'score'\npoints = 4\nat_least = 50\n", "score = 50", None),
    ],
)
def test_who_leads_and_concedes_should_not_be_given_more_than_the_other(
    points: str, least: str, expected: tuple[int, int] | None
) -> None:
    text = POINTS.replace("win = 3", "win = 0") + points + f"[concession]\nwinner_at_least = {{ {least} }}\n"
    told = [
        (each.where, each.params["conceded"], each.params["given"])
        for each in read_rules(text)[2]
        if each.key == "rules_concession_pays"
    ]
    assert told == ([("/concession/winner_at_least/score", *expected)] if expected else [])


# What strangers take for a file of rules, with the line that is named.
STRANGE = {
    "with a byte order mark": ("\ufeff" + GAMES, []),
    "of Windows": (GAMES.replace("\n", "\r\n"), []),
    "with tabs": (GAMES.replace("win = 3", "\twin\t=\t3"), []),
    "of an old Mac": (GAMES.replace("\n", "\r"), [(1, "broken_toml")]),
    "a key twice": (GAMES + "win = 4\n", [(9, "broken_toml")]),
    "a table twice": (GAMES + "[match]\n", [(9, "broken_toml")]),
    "YAML": ("format: roundtap-rules/1\nname: Friday\n", [(1, "broken_toml")]),
    "JSON": ('\n {"format": "roundtap-rules/1"}', [(None, "rules_are_json")]),
    "another program's": ('[project]\nname = "x"\n', [(None, "missing_key")] * 4 + [(1, "unknown_key")]),
    "too long": ("#" * 70_000, [(None, "rules_too_long")]),
    "brackets in brackets": (GAMES + "x = " + "[" * 3000 + "]" * 3000, [(9, "rules_line_long")]),
    "brackets a line each": (GAMES + "x = " + "[\n" * 3000, [(3008, "rules_line_long")]),
    "tables in tables": (GAMES + "[" + ".".join("x" * 900) + "]", [(9, "unknown_key")]),
    "a long number": (GAMES.replace("win = 3", "win = " + "9" * 5000), [(7, "rules_line_long")]),
    "a long number in hex": (GAMES.replace("best_of = 3", "best_of = 0x" + "f" * 4300), [(5, "rules_line_long")]),
    "a number of 3000 digits": (GAMES.replace("best_of = 3", "best_of = " + "9" * 3000), [(5, "not_one_of")]),
    "no number": (GAMES.replace("win = 3", "win = nan"), [(7, "wrong_type")]),
    "no end": (GAMES.replace("win = 3", "win = -inf"), [(7, "wrong_type")]),
    "a fraction": (GAMES.replace("win = 3", "win = 3.0"), [(7, "wrong_type")]),
    "a day": (GAMES.replace('"Friday"', "2026-11-28"), [(2, "wrong_type")]),
    "an hour": (GAMES.replace("win = 3", "win = 20:00:00"), [(7, "wrong_type")]),
    "yes for a number": (GAMES.replace("best_of = 3", "best_of = true"), [(5, "wrong_type")]),
    "dotted keys": (HEAD + 'match.report = "games"\nmatch.best_of = 2\npoints.win = 3\n', [(4, "not_one_of")]),
    "quoted keys": (GAMES.replace("win = 3", '"win" = "3"'), [(7, "wrong_type")]),
    "a note that looks like rules": (
        'note = """\n[points]\nwin = 1\n"""\n' + GAMES.replace("win = 3", "win = -100"),
        [(11, "figure_out_of_range")],
    ),
    "other ends of lines": (
        "# \u2028\x85\n" + GAMES.replace("win = 3", "win = -100"),
        [(8, "figure_out_of_range")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", STRANGE)
def test_a_strange_file_is_read_or_its_fault_is_told_with_its_line(
    what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, expected = STRANGE[what]
    faults = read_rules(text)[1]
    # A file that is not TOML is told by what is wrong with it: broken_toml.twice.
    told = [(each.line, each.key.partition(".")[0]) for each in faults]
    assert told == expected, [each.say() for each in faults]
    file = tmp_path / "strange.toml"
    file.write_bytes(text.encode("utf-8"))
    unreadable = {key for _, key in expected} & {"broken_toml", "rules_are_json", "rules_too_long", "rules_line_long"}
    assert main(["rulebook", "check", str(file)]) == (2 if unreadable else 1 if expected else 0)
    out, err = capsys.readouterr()
    said = err if unreadable else out
    for line, _ in expected:
        assert line is None or f"line {line}" in said.lower()


def test_files_that_say_the_same_are_one_game_and_a_change_makes_another() -> None:
    spelled_out = GAMES + '[time]\nswiss = 0\n[bye]\norder = "random-lowest"\n'
    assert rules_id(rules_of(GAMES)) == rules_id(rules_of(spelled_out))
    assert rules_id(rules_of(GAMES)) != rules_id(rules_of(GAMES.replace("win = 3", "win = 2")))


def test_an_event_keeps_its_rules_and_a_file_carries_them() -> None:
    rules = rules_of(GAMES)
    create = c.CreateEvent("Friday 1", rules_id(rules), None, {}, "#0072B2", 7, rules=rules)
    now = Instant("boot", 0)
    (entry,) = decide(EventState("e1"), create, now)
    assert entry.data["rules"] == rules_data(rules)
    other = replace(rules, name="Another game")
    with refused("rules_not_of_id"):
        decide(EventState("e1"), replace(create, rules=other), now)
    tournament = own_event(rules, 4)
    data = json.loads(json.dumps(tournament_to_json(tournament)))
    assert tournament_from_json(data) == tournament
    assert parse_event_file(json.dumps(data)) == tournament
    forged = {**data, "rules": {**data["rules"], "name": "Another game"}}
    with refused("rules_not_of_id"):
        tournament_from_json(forged)
    without = {key: value for key, value in data.items() if key != "rules"}
    with refused("unknown_rulebook"):
        tournament_from_json(without)


@pytest.mark.parametrize(
    ("change", "situation", "result", "winner"),
    [
        ("", SWISS_ROUND, {"score": {"a": 2, "b": 1}}, "a"),
        ("", SWISS_ROUND, {"score": {"a": 1, "b": 1}, "ended": "time"}, "draw"),
        ('undecided = "both_lose"', SWISS_ROUND, {"score": {"a": 1, "b": 1}, "ended": "time"}, "none"),
        ('undecided = "ask"', SWISS_ROUND, {"score": {"a": 1, "b": 1}, "ended": "time", "winner": "b"}, "b"),
        ("", MatchSituation("final"), {"score": {"a": 1, "b": 1}, "ended": "time", "winner": "b"}, "b"),
        ('knockout = "better_rank"', MatchSituation("final"), {"score": {"a": 1, "b": 1}, "ended": "time"}, "a"),
        ("", SWISS_ROUND, {"ended": "concession", "conceded_by": "b", "score": {"a": 0, "b": 1}}, "a"),
    ],
)
def test_who_has_won(change: str, situation: MatchSituation, result: dict[str, Any], winner: str) -> None:
    book = book_of(own_event(rules_of(f"{GAMES}[time]\nswiss = 50\n{change}\n"), 4))
    read = result_from_json(result)
    book.check_new(read, book.options({}), situation)
    won = book.elimination_winner(read, {}, "a") if situation.knockout else book.winner(read, {})
    assert won == winner


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ({"score": {"a": 1, "b": 0}}, "games_unfinished"),
        ({"score": {"a": 1, "b": 1}}, "draw_before_time"),
        ({"score": {"a": 2, "b": 2}}, "both_won"),
        ({"score": {"a": 3, "b": 0}}, "figure_out_of_range"),
        ({"score": {"a": 1, "b": 1}, "ended": "time", "winner": "a"}, "winner_contradicts_score"),
        ({"ended": "concession", "conceded_by": "a", "score": {"a": 2, "b": 1}}, "conceded_after_winning"),
        ({"score": {"a": 2, "b": 0}, "second": {"a": 1, "b": 0}}, "not_of_this_rulebook"),
        ({"score": {"a": 2, "b": 0}, "timeout": {"drawn_games": "1"}}, "not_of_this_rulebook"),
    ],
)
def test_what_a_match_of_games_cannot_have_come_to(result: dict[str, Any], expected: str) -> None:
    book = book_of(own_event(rules_of(GAMES), 4))
    with refused(expected):
        book.check_new(result_from_json(result), {})


def said(text: str, language: str = "en") -> str:
    return "\n".join(rules_in_words(rules_of(text), core_words(language)))


def matches(text: str) -> list[str]:
    return worked_matches(rules_of(text), core_words("en"))


ONE = HEAD + '[match]\nreport = "winner"\n[points]\nwin = 3\ndraw = 1\n'
TWO = POINTS.replace('key = "score"', 'key = "score"\nlabel = { en = "Goals" }\n[[match.figure]]\nkey = "second"')


@pytest.mark.parametrize(
    ("text", "yes", "no"),
    [
        # Everybody meets everybody: no Swiss rounds, no lowest player, no elimination.
        (
            ONE + '[pairing]\nrounds = "everybody"\n',
            ["Round robin: untimed."],
            ["Swiss", "lowest", "elimination", "cut"],
        ),
        (
            POINTS + '[pairing]\nrounds = "everybody"\n[structure]\nlines = [[3, 9, 3, 0]]\n',
            ["All players meet"],
            ["Swiss", "elimination", "rounds, cut"],
        ),
        # What is level at time is not drawn where both lose, or where the table is asked.
        (
            GAMES + '[time]\nundecided = "both_lose"\n',
            ["No match is drawn.", "If tied at time, both lose.", "A win gives 3, a loss 0.", "each gets 0."],
            ["time is up", "a draw"],
        ),
        (
            GAMES + '[time]\nundecided = "ask"\nknockout_asks = { en = "Who has more life?" }\n',
            [
                "No match is drawn.",
                "If tied at time, the table is asked: Who has more life?",
                "A win gives 3, a loss 0.",
            ],
            ["time is up", "a draw"],
        ),
        (
            GAMES.replace("best_of = 3", 'best_of = 3\ndraws = "any_time"') + '[time]\nundecided = "both_lose"\n',
            ["Before time a match may be drawn", "If tied at time, both lose.", "a draw 1"],
            ["No match is drawn"],
        ),
        (
            GAMES.replace("best_of = 3", 'best_of = 3\ndraws = "never"'),
            ["No match is drawn.", "If tied at time, the table is asked: "],
            ["a draw"],
        ),
        # Who reports a winner is asked nothing more.
        (
            ONE + '[time]\nundecided = "ask"\nknockout_asks = { en = "Who was it?" }\n',
            ["If tied at time, the table still says who won.", "In elimination the table always says who won."],
            ["Who was it?"],
        ),
        (GAMES.replace("best_of = 3", "drawn_games = true"), ["who won its one game"], ["best of 1", "were drawn"]),
        (
            TWO + "[bye]\nwon_figures = { score = [5, 0] }\n",
            ["If “Goals” is equal, “Second number” decides.", "A bye won beforehand counts as 5:0 (Goals)."],
            [],
        ),
        (
            TWO.replace('"second"', '"second"\ndecides = false'),
            ["“Second number” does not decide who wins.", "A missed round is a loss with 0."],
            ["is equal, "],
        ),
        (
            ONE
            + '[list]\nasked = "required"\nfields = [{ key = "faction" }, '
            + '{ key = "total", kind = "number", maximum = 200 }, { key = "sealed", kind = "tick" }]\n',
            ["A list is required: Faction, ", "on the list: number up to 200.", "Sealed on the list: yes or no."],
            [],
        ),
        (ONE + '[list]\nasked = "required"\n', ["A list is required."], ["–."]),
        (ONE + '[list]\nasked = "optional"\n', ["A list is optional."], ["–."]),
        (
            ONE + '[sides]\nnames = [{ en = "White" }, { en = "Black" }]\nbalance = false\n',
            ["The sides are White and Black, not evened out."],
            [],
        ),
        (ONE.replace("win = 3", "win = 3\nbonus = [{ points = 1 }]"), ["+1 for every match."], ["for: ."]),
        (
            POINTS.replace("win = 3", 'win = 0\ntable = [{ of = "score", steps = [[0, 1, -1], [9, 2, 0]] }]'),
            ["0–8: 1:−1; 9+: 2:0."],
            ["–−"],
        ),
        # What has no effect is warned of, and not said.
        (
            ONE + '[[tiebreakers]]\nby = "wins"\nfloor = 33\ncut_lowest = 2\nbase = 20\ndecay = 4\ncounts = "wins"\n',
            ["Tiebreaker 1: wins.", "Tiebreaker 2: random draw."],
            ["33", "lowest 2", "lowest two", "20"],
        ),
    ],
)
def test_sentences_say_what_is_so_and_nothing_else(text: str, yes: list[str], no: list[str]) -> None:
    for part in yes:
        assert part in said(text)
    for part in no:
        assert part not in said(text)
    assert len({said(text, language) for language in LANGUAGES}) == len(LANGUAGES)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (GAMES, ["2:1 → 3:0", "1:1, time → 1:1", "0:1, left concedes → 0:3 (counted 0:2)"]),
        (
            GAMES + '[time]\nundecided = "both_lose"\n',
            ["2:1 → 3:0", "1:1, both lose, time → 0:0", "0:1, left concedes → 0:3 (counted 0:2)"],
        ),
        (
            GAMES + '[time]\nundecided = "ask"\n',
            ["2:1 → 3:0", "1:1, Win, time → 3:0", "0:1, left concedes → 0:3 (counted 0:2)"],
        ),
        (
            GAMES.replace("best_of = 3", ""),
            ["1:0 → 3:0", "0:0, Draw, time → 1:1", "0:0, left concedes → 0:3 (counted 0:1)"],
        ),
        (
            GAMES.replace("best_of = 3", 'draws = "never"'),
            ["1:0 → 3:0", "0:1 → 0:3", "0:0, left concedes → 0:3 (counted 0:1)"],
        ),
        (ONE.replace('"winner"', '"winner"\ndraws = "never"'), ["Win → 3:0", "Loss → 0:3", "left concedes → 0:3"]),
        (
            POINTS.replace('"score"', '"score"\nmaximum = 1'),
            ["1:0 → 3:0", "0:0, time → 0:0", "0:0, left concedes → 0:3"],
        ),
        (
            POINTS.replace("[[match", 'draws = "never"\n[[match') + '[time]\nundecided = "ask"\n',
            ["74:39 → 3:0", "39:39, Win, time → 3:0", "39:39, left concedes → 0:3"],
        ),
    ],
)
def test_three_matches_of_three_kinds(text: str, expected: list[str]) -> None:
    assert matches(text) == expected


def test_the_command_says_rules_back_or_every_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "friday.toml"
    file.write_text(GAMES, encoding="utf-8")
    assert main(["rulebook", "check", str(file)]) == 0
    said = capsys.readouterr().out
    assert "A win gives 3, a draw 1, a loss 0." in said
    assert "0:1, left concedes → 0:3 (counted 0:2)" in said
    assert "Dora" in said
    file.write_text(GAMES.replace("draw = 1", "draw = 4\nlos = 1"), encoding="utf-8")
    assert main(["rulebook", "check", str(file)]) == 1
    assert capsys.readouterr().out.startswith(f"{file}: line 9, points.los: The key “los” is unknown here.")
    assert main(["rulebook", "check", str(tmp_path / "none.toml")]) == 2


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_english_sentence_has_at_most_twenty_words_and_begins_with_a_capital(path: Path) -> None:
    for said in rules_in_words(rules_of(path.read_text(encoding="utf-8")), core_words("en")):
        assert said[:1] == said[:1].upper(), said
        for sentence in said.split(". "):
            words = [word for word in sentence.split() if any(letter.isalpha() for letter in word)]
            assert len(words) <= 20, sentence


@pytest.mark.parametrize(
    ("language", "one", "two"),
    [
        ("en", "without the lowest.", "without the 2 lowest."),
        ("es", "sin el valor más bajo.", "sin los 2 valores más bajos."),
        ("de", "ohne den niedrigsten Wert.", "ohne die 2 niedrigsten Werte."),
        ("pl", "bez najniższej wartości.", "bez 2 najniższych wartości."),
    ],
)
def test_what_is_cut_is_told_in_the_singular_too(language: str, one: str, two: str) -> None:
    for cut, said in ((1, one), (2, two)):
        rules = rules_of(GAMES + f'[[tiebreakers]]\nby = "opponents_points"\ncut_lowest = {cut}\n')
        assert any(line.endswith(said) for line in rules_in_words(rules, core_words(language)))


def test_rounds_and_minutes_have_their_plural() -> None:
    rules = rules_of(GAMES + "[time]\nswiss = 1\n[structure]\nlines = [[3, 3, 1, 0], [4, 8, 3, 0], [9, 0, 5, 4]]\n")
    polish, english = (rules_in_words(rules, core_words(language)) for language in ("pl", "en"))
    assert {"3–3 graczy: 1 runda, bez awansu.", "4–8 graczy: 3 rundy, bez awansu."} < set(polish)
    assert "9+ graczy: 5 rund, awans 4 najlepszych." in polish
    assert {"3–3 players: 1 round, no cut.", "9+ players: 5 rounds, cut to top 4.", "Swiss: 1 minute."} < set(english)


def test_a_table_of_points_is_told_by_the_spans_of_its_leads() -> None:
    table = '[[points.table]]\nof = "score"\nsteps = [[0, 10, 10], [1, 11, 9], [6, 20, 0]]\n'
    said = rules_in_words(rules_of(POINTS.replace("win = 3", "win = 0") + table), core_words("en"))
    assert "Points by the lead (Points): 0: 10:10; 1–5: 11:9; 6+: 20:0." in said
    assert not any(line.startswith("A win gives") for line in said)


def test_a_round_robin_has_no_swiss_rounds_no_elimination_and_no_bye_of_the_lowest() -> None:
    rules = rules_of((FOLDER / "everybody-flicks.toml").read_text(encoding="utf-8"))
    for language, called in zip(
        LANGUAGES, ("Round robin", "Todos contra", "Jeder gegen", "Każdy z każdym"), strict=True
    ):
        words = core_words(language)
        said = rules_in_words(rules, words)
        assert any(line.startswith(f"{called}") for line in said)
        assert words(f"bye_order.{rules.bye.order}") not in said
        assert words("own.knockout.better_rank") not in said
        assert not any(line.startswith(words("own.knockout.ask", question="")) for line in said)
    assert "If “Points of four ends” is equal, “Twenties” decides." in rules_in_words(rules, core_words("en"))


def test_worked_matches_name_both_numbers_and_do_not_call_a_double_loss_a_draw() -> None:
    two = POINTS.replace("[points]", 'label = { en = "Goals" }\n[[match.figure]]\nkey = "second"\n[points]')
    assert worked_matches(rules_of(two), core_words("en"))[0] == "74:39 (Goals), 74:39 (Second number) → 3:0"
    lost = GAMES + '[time]\nswiss = 50\nundecided = "both_lose"\n'
    assert worked_matches(rules_of(lost), core_words("en"))[1] == "1:1, both lose, time → 0:0"
    one = GAMES.replace("best_of = 3\n", "")
    assert worked_matches(rules_of(one), core_words("en"))[0] == "1:0 → 3:0"


def test_the_heading_of_a_column_is_said_with_what_it_is() -> None:
    spread = '[[tiebreakers]]\nby = "difference"\nof = "score"\nlabel = { en = "Spread" }\n'
    assert "Tiebreaker 1: Spread (Points, difference)." in rules_in_words(rules_of(POINTS + spread), core_words("en"))


def test_a_label_that_no_screen_can_show_whole_is_told_with_the_letters_that_are_lost() -> None:
    text = POINTS.replace('key = "score"', 'key = "score"\nlabel = { en = "Points", de = "WWWWWWWWWWWWWWWWW" }')
    rules, _, [warning] = read_rules(text)
    assert rules is not None
    assert (warning.line, warning.where) == (7, "/match/figure/0/label/de")
    assert warning.say() == "“WWWWWWWWWWWWWW” is all a table's screen shows; “WWW” is lost. Shorten it, or keep it."


def test_standings_as_text_show_halves_and_percentages_as_pages_do() -> None:
    ties = '[[tiebreakers]]\nby = "opponents_match_win"\n[[tiebreakers]]\nby = "sonneborn_berger"\n'
    text = HEAD + '[match]\nreport = "winner"\ndraws = "any_time"\n[points]\nwin = 2\ndraw = 1\nunit = "half"\n' + ties
    table = made_up_table(rules_of(text))
    words = words_of(book_of(table), core_words("en"))
    first = as_text(standings(table), table, words).splitlines()[1]
    assert first.split() == ["1", "Dora", "2", "3", "2", "1", "0", "0", "44.4%", "2.500", "tournament", "points"]
    assert "1½" in as_text(standings(table), table, words)
