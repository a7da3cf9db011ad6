"""Every figure has a range, every text a length, every list an end: in files, in commands, in forms, in lists."""

import re
import typing
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec import inspect

from event_kit import Event
from published_schema import EVENT_SCHEMA
from roundtap_core.clock import Instant
from roundtap_core.errors import Problem
from roundtap_core.event import commands as c
from roundtap_core.event.commands import decide
from roundtap_core.event.entries import Person, refuse_unfit_person
from roundtap_core.event.states import Entrant, EventState
from roundtap_core.eventfile.read import event_problems
from roundtap_core.forms.questions import Choice, Figure, Picks, Turns
from roundtap_core.lists.list_form import NUMBER as WHOLE
from roundtap_core.records import Result, SidePair
from roundtap_core.rulebooks.base import MatchSituation, Rulebook
from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_core.typed import (
    FIGURE,
    ID_LETTERS,
    LINE_LETTERS,
    MOST_COMPETITORS,
    MOST_ITEMS,
    MOST_ROUNDS,
    NUMBER,
    OPTIONS,
    PROSE_LETTERS,
    ROUND,
    STAGE_OPTIONS,
    fits_line,
    fits_prose,
    limit_violations,
    sanitize_text,
)

NOW = Instant("boot", 0)
HUGE = 9_007_199_254_740_991


# --- the event file --------------------------------------------------------------------------------------------------

ODD = [
    "a\x00",
    "a\x1b[2J",
    "a\x85",
    "a\u2028b",
    "a\u202eb",
    "a\u2066b",
    "a\u200eb",
    "a\u200fb",
    "a\u061cb",
    "a\ud800",
    "\x7f",
]
INVISIBLE = ["\u200b", "\u3164", "\u00ad", "\u2060", "\ufeff", "\U000e0041\U000e0042", "\ufe0f", "\u200d"]
ORDINARY = [
    "Ana Ruiz",
    "Łukasz Żak",
    "דָּוִד כהן",
    "محمد الأحمد",
    "अनिल कुमार",
    "山田 太郎",
    "김민준",
    "Nguyễn Văn A",
    "O’Neill",
    "👩\u200d🚀 Eva",
    "می\u200cخواهم",
    "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
]

SEEDS: list[tuple[str, dict[str, Any]]] = [
    ("/options/swiss_rounds", {"options": {"swiss_rounds": HUGE}}),
    ("/options/squad_points", {"options": {"squad_points": 10**9}}),
    ("/competitors", {"competitors": [{"id": f"p{n}", "name": f"P{n}"} for n in range(5000)]}),
    ("/options/stages/swiss/minutes", {"options": {"stages": {"swiss": {"minutes": 10**9}}}}),
    ("/options/prize_places", {"options": {"prize_places": HUGE}}),
    ("/competitors/0/list", {"competitors": [{"id": "p1", "name": "P", "list": {f"k{n}": 1 for n in range(5000)}}]}),
    ("/competitors/0/list", {"competitors": [{"id": "p1", "name": "P", "list": {"a\u202eb": 1}}]}),
    ("/competitors/0/name", {"competitors": [{"id": "p1", "name": "Ana\u200e"}]}),
    ("/competitors/0/id", {"competitors": [{"id": "p\x1b[2J", "name": "Ana"}]}),
]

FILLED_IN = {"list_points", "taken_tables", "busy_tables", "venue_number", "stood_there"}
"""What nobody outside says: the hub fills it in from what is recorded."""

WILD = [
    c.CreateEvent("E", "xwing-standard", None, {"swiss_rounds": HUGE}, "#0072B2", 7),
    c.CreateEvent("E", "xwing-standard", None, {"squad_points": 10**9}, "#0072B2", 7),
    c.CreateEvent("E", "xwing-standard", None, {}, "#0072B2", 10**400),
    c.CreateEvent("E" * 81, "xwing-standard", None, {}, "#0072B2", 7),
    c.CreateEvent("E\u202e", "xwing-standard", None, {}, "#0072B2", 7),
    c.CreateEvent("E", "xwing-standard", None, {"stages": {"swiss": {"minutes": 10**9}}}, "#0072B2", 7),
    c.SetOptions({"swiss_rounds": 31}),
    c.EnterCompetitor(Entrant("p" * 65, "")),
    c.EnterCompetitor(Entrant("p\x00", "")),
    c.EnterCompetitor(Entrant("p1", "", came_with="a\u2028b")),
    c.EnterCompetitor(Entrant("p1", "", fixed_table=10**6)),
    c.EnterCompetitor(Entrant("p1", "", list_total=10**9)),
    c.EnterCompetitor(Entrant("p1", "", warnings=({"round": 1, "reason": "x" * 2001},))),
    c.GiveWarning("p1", "x" * 2001),
    c.GiveWarning("p1", "a\u202eb"),
    c.SubmitList("p1", "", 10**9),
    c.SetTravelGroup("p1", "x" * 81),
    c.RecordCheck("p1", "a\x1bb"),
    c.SetPicks("1.1", (10**9,)),
    c.SetPicks("1.1", tuple(range(10_000))),
    c.ImposeRound(({"a": "p1", "b": "p2", "table": 10**30},)),
    c.RecordReport("r1", "1.1", "a", 10**30, {}, ""),
    c.EnterResult("1.1", 0, Result(score=SidePair(10**6, 0))),
    c.EnterResult("1.1", 0, Result(wounds=SidePair(0, -(10**6)))),
    c.DropCompetitor("p1", stood=Result(timeout={"keys": {"a": 2**60}})),
    c.RecordReport("r\u202e", "1.1", "a", 0, {}, ""),
]

BOOKS = list(RULEBOOKS.values())
STAGES = ("swiss", "elimination", "final", "third_place", "tiebreak")


def parts(schema: Any, where: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every schema within the schema, with its place."""
    if isinstance(schema, dict):
        if {"type", "$ref", "enum", "const", "properties", "pattern"} & schema.keys() and where[-10:] != "properties":
            yield where, schema
        for key, inner in schema.items():
            yield from parts(inner, f"{where}/{key}")


def kinds(schema: dict[str, Any]) -> list[str]:
    kind = schema.get("type", [])
    return [kind] if isinstance(kind, str) else kind


SCHEMAS = [(where, schema) for where, schema in parts(EVENT_SCHEMA) if isinstance(schema.get("type"), str | list)]


def test_the_walk_over_the_schema_finds_its_parts() -> None:
    assert len(SCHEMAS) > 60
    assert any(where.endswith("swiss_rounds") for where, _ in SCHEMAS)


@pytest.mark.parametrize(("where", "schema"), SCHEMAS, ids=[where for where, _ in SCHEMAS])
def test_everything_in_an_event_file_has_an_end(where: str, schema: dict[str, Any]) -> None:
    if "if" in where.split("/"):
        return
    if "enum" in schema or "const" in schema:
        return
    if "integer" in kinds(schema):
        assert {"minimum", "maximum"} <= schema.keys()
    if "string" in kinds(schema):
        assert {"maxLength", "pattern"} <= schema.keys()
    if "array" in kinds(schema):
        assert {"minItems", "maxItems", "items"} <= schema.keys()
    if "object" in kinds(schema):
        open_ended = schema.get("additionalProperties") is not False
        assert not open_ended or {"maxProperties", "propertyNames"} <= schema.keys()


def test_the_schema_and_the_limits_of_commands_are_the_same() -> None:
    defs = EVENT_SCHEMA["$defs"]

    def limits(schema: dict[str, Any]) -> tuple[int, int]:
        schema = defs[schema["$ref"].removeprefix("#/$defs/")] if "$ref" in schema else schema
        if "enum" in schema:
            return min(schema["enum"]), max(schema["enum"])
        return schema["minimum"], schema["maximum"]

    numbers = {
        name: limits(schema)
        for name, schema in defs["options"]["properties"].items()
        if schema.get("type") == "integer" or ("$ref" in schema and name != "stages")
    }
    assert numbers == dict(OPTIONS)
    assert {name: limits(schema) for name, schema in defs["stage_options"]["properties"].items()} == STAGE_OPTIONS
    assert (limits(defs["figure"]), limits(defs["number"]), limits(defs["last_round"])) == (FIGURE, NUMBER, ROUND)
    assert defs["event"]["properties"]["competitors"]["maxItems"] == MOST_COMPETITORS
    assert (defs["line"]["maxLength"], defs["id"]["maxLength"], defs["prose"]["maxLength"]) == (
        LINE_LETTERS,
        ID_LETTERS,
        PROSE_LETTERS,
    )
    assert defs["round_number"]["maximum"] == 4 * MOST_ROUNDS


@pytest.mark.parametrize("text", [*ODD, *INVISIBLE, *ORDINARY, "a\tb", "a\nb"])
def test_files_and_commands_agree_what_a_line_is(text: str) -> None:
    defs = EVENT_SCHEMA["$defs"]
    assert bool(re.search(defs["line"]["pattern"], text)) == fits_line(text) == (text in ORDINARY)
    assert bool(re.search(defs["id"]["pattern"], text)) == fits_line(text)
    assert bool(re.search(defs["prose"]["pattern"], text)) == fits_prose(text)


@pytest.mark.parametrize("text", ODD)
def test_what_came_in_before_is_shown_harmlessly(text: str) -> None:
    assert fits_prose(sanitize_text(text))
    assert sanitize_text("Ana Ruiz") == "Ana Ruiz"


@pytest.mark.parametrize(("where", "spoilt"), SEEDS, ids=[f"{where} {n}" for n, (where, _) in enumerate(SEEDS)])
def test_a_hostile_file_is_refused_with_the_place(where: str, spoilt: dict[str, Any]) -> None:
    file = {"format": "roundtap-event/1", "name": "E", "rulebook": "xwing-standard", "competitors": [], **spoilt}
    assert [problem.where for problem in event_problems(file)] == [where]


# --- commands --------------------------------------------------------------------------------------------------------


def limited(kind: Any, where: str) -> Iterator[tuple[str, Any]]:
    """Every text and number below a type, with its place; what stands in free objects has the limits of all JSON, and
    a result's figures those of a file, as `WILD` has it: an entry from before them is read by the same type."""
    if isinstance(kind, inspect.StructType):
        for field in kind.fields:
            if field.name not in FILLED_IN and kind.cls is not SidePair:
                yield from limited(field.type, f"{where}.{field.name}")
    elif isinstance(kind, inspect.UnionType):
        for one in kind.types:
            yield from limited(one, where)
    elif isinstance(kind, inspect.VarTupleType | inspect.FrozenSetType):
        yield from limited(kind.item_type, where)
    elif isinstance(kind, inspect.StrType | inspect.IntType):
        yield where, kind


FIELDS = dict(
    place for command in typing.get_args(c.Command) for place in limited(inspect.type_info(command), command.__name__)
)


@pytest.mark.parametrize("kind", FIELDS.values(), ids=FIELDS)
def test_every_field_of_every_command_is_held_to_something(kind: Any) -> None:
    if isinstance(kind, inspect.IntType):
        assert None not in (kind.ge, kind.le)
    else:
        assert kind.max_length <= PROSE_LETTERS


@pytest.mark.parametrize("command", WILD, ids=[f"{type(w).__name__} {n}" for n, w in enumerate(WILD)])
def test_a_wild_command_is_refused_whoever_asks(command: Any) -> None:
    evening = Event(players=4) if not isinstance(command, c.CreateEvent) else None
    state = evening.state if evening else EventState("e1")
    with pytest.raises(Problem) as refused:
        decide(state, command, NOW)
    assert refused.value.say()


@pytest.mark.parametrize("wild", [{"score": {"a": -(10**400), "b": 20}}, {"score": {"a": 20, "b": -(10**6)}}])
def test_a_wild_report_is_refused_on_record(wild: dict[str, Any]) -> None:
    """Life totals may lie below nothing, but not as far as that."""
    options = {"structure": "own", "swiss_rounds": 1}
    event = Event(players=2, rulebook="warlords-of-terra", level="friendly", options=options)
    event.tell(c.DrawRound(1))
    event.tell(c.PublishRound(1, 1, noted="no judge"))
    entry = event.tell(c.RecordReport("r1", event.state.live.matches[0].id, "a", 0, {**wild, "winner": "b"}, ""))[0]
    assert (entry.data["fate"], entry.data["reason"]) == ("refused", "impossible")


def deep(levels: int) -> Any:
    return {"x": deep(levels - 1)} if levels else 1


def test_nesting_ends() -> None:
    decide(Event(players=4).state, c.ImportRound({"number": 1, "matches": [], "notes": deep(20)}), NOW)
    with pytest.raises(Problem, check=lambda problem: problem.key == "too_deep"):
        decide(Event(players=4).state, c.ImportRound({"number": 1, "matches": [], "notes": deep(60)}), NOW)


def test_what_is_too_long_is_named_once_and_not_looked_into() -> None:
    rows = [f"{HUGE}\0"] * (MOST_ITEMS + 1)
    assert [(problem.key, problem.where) for problem in limit_violations({"rows": rows, "x": HUGE + 1}, "")] == [
        ("wrong_length", "/rows"),
        ("figure_out_of_range", "/x"),
    ]
    below = [
        problem.where for problem in limit_violations({"k" * (PROSE_LETTERS + 1): [HUGE + 1] * 9, "x": HUGE + 1}, "")
    ]
    assert below == ["", "/x"]


@pytest.mark.parametrize("text", [*ODD, *INVISIBLE, "x" * 81])
def test_no_part_of_a_person_is_odd(text: str) -> None:
    for person in (
        Person(text),
        Person("Ana", public_name=text),
        Person("Ana", club=text),
        Person("Ana", members=(text, "B")),
        Person("Ana", captain=text),
        Person("Ana", identity=text),
        Person("Ana", houses=(text,)),
        Person("Ana", officials_role=text),
        Person("Ana", external_id=text),
    ):
        with pytest.raises(Problem, check=lambda problem: problem.key in ("unfit_text", "text_too_long")):
            refuse_unfit_person(person)


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_names_of_any_script_pass(name: str) -> None:
    refuse_unfit_person(Person(name, public_name=name, club=name))


def test_what_was_known_before_may_stay_and_what_is_new_may_not() -> None:
    old = Person("Ana\u202eRuiz", club="a\x00b")
    refuse_unfit_person(Person("Ana Ruiz", club="a\x00b"), old)
    with pytest.raises(Problem):
        refuse_unfit_person(Person("Ana\u202eMaier", club="a\x00b"), old)


# --- rulebooks: options, result forms, list forms ---------------------------------------------------------------------


@pytest.mark.parametrize("book", BOOKS, ids=[book.id for book in BOOKS])
def test_every_number_among_a_rulebooks_options_has_a_range(book: Rulebook) -> None:
    for name, usual in book.option_defaults.items():
        if isinstance(usual, int) and not isinstance(usual, bool):
            low, high = OPTIONS[name]
            assert low <= usual <= high


@pytest.mark.parametrize("book", BOOKS, ids=[book.id for book in BOOKS])
def test_every_figure_of_a_result_form_has_a_range_below_what_a_file_may_hold(book: Rulebook) -> None:
    widest = {name: high for name, (_, high) in OPTIONS.items() if name in book.option_defaults}
    for options in ({}, widest):
        for stage in STAGES:
            for way in book.form(book.options(options), MatchSituation(stage)).ways:
                for step in way.steps:
                    if isinstance(step, Figure):
                        assert FIGURE[0] <= step.minimum <= step.default <= step.maximum <= FIGURE[1]
                    elif isinstance(step, Choice):
                        assert len(step.options) <= 20
                    elif isinstance(step, Turns):
                        assert 1 <= step.turns <= 9
                    elif isinstance(step, Picks):
                        assert 1 <= step.take <= step.of <= 9


@pytest.mark.parametrize("book", BOOKS, ids=[book.id for book in BOOKS])
def test_every_number_of_a_list_form_has_a_range(book: Rulebook) -> None:
    form = book.lists.form(book.options({}))
    asked = [*form.fields, *form.shared, *(column for lines in form.lines for column in lines.columns)]
    numbers = [field for field in asked if field.kind == WHOLE]
    assert all(0 <= field.minimum <= field.maximum <= 99_999 for field in numbers)
    assert all(lines.usually <= 200 for lines in form.lines)
