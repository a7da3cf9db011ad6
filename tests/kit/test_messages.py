"""MESSAGES.md says what is really said: a hub talks with a table's link, a station's and a page, and is compared."""

import json
import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from msgspec import inspect

from hub_talk import KEYS, talking
from roundtap.demo import bench
from roundtap_core import messages, wire
from roundtap_core.typed import parse_message
from roundtap_core.view_types import TableView
from roundtap_core.wire import REPORT, verify_signature
from roundtap_hub.http.routes import ROUTES, STAFF
from roundtap_hub.paper.print_jobs import KINDS
from roundtap_units.documents.notices import LAYOUTS

ROOT = Path(__file__).parents[2]
DOCUMENT = (ROOT / "server/MESSAGES.md").read_text(encoding="utf-8")

TALK_NAMES = {
    "Challenge": "answer /device/challenge",
    "Hello": "POST /device/feed",
    "Feed: welcome": "feed welcome",
    "Feed: fates": "feed fates",
    "Feed: view": "feed view",
    "Feed: twin": "feed twin",
    "Feed: beat": "feed beat",
    "Report": "POST /device/report",
    "Echo": "answer /device/report",
    "Status": "POST /device/status",
    "Status: answer": "answer /device/status",
    "Clock: question": "POST /device/time",
    "Clock: answer": "answer /device/time",
    "Station: states": "POST /station/jobs",
    "Station: jobs": "answer /station/jobs",
    "Page feed: view": "page view",
    "Page feed: patch": "page patch",
    "Page feed: clock": "page clock",
    "Page feed: tick": "page tick",
    "Time": "answer /time",
    "Event for other programs": "answer /e/e1/event.json",
}
"""Heading → what `hub_talk` calls it."""

TEXT_ONLY = {"Page feed: view"}
TOLD_ELSEWHERE = {
    "result",
    "options",
    "form",
    "content",
    "totals",
    "houses",
    "lots",
    "before_play",
    "lot",
    "heads",
    "holds",
    "health",
}
"""Fields whose inside is a result, a form and the like; two are the sides of a report."""
NOT_ALWAYS = {"health"}
"""Fields that are said when they have changed."""
BY_CHANCE = {
    "regions.html",
    "regions.gone",
    "regions.rows",
    "regions.rows.key",
    "regions.rows.html",
    "time_up",
    "view.last_round",
    "view.rules",
    *(f"final.{name}" for name in ("rank", "competitor", "name", "points", "reached", "record", "status")),
}
"""A region comes as a whole or by its rows, as it happens to have changed: `tests/hub/live/test_regions.py` holds
both; a table without a round trip knows no clock: `tests/units/test_newest_word.py`. A store's own game brings its
rules. Final places are there at the end: `tests/hub/phones/test_event_data.py`."""

TYPES: dict[str, Any] = {
    "Challenge": messages.Challenge,
    "Hello": messages.Hello,
    "Feed: welcome": messages.Welcome,
    "Feed: fates": messages.FatesMessage,
    "Feed: twin": messages.FeedMessage,
    "Feed: beat": messages.FeedMessage,
    "Report": messages.Report,
    "Echo": messages.ReportReceipt,
    "Status": messages.TableStatus,
    "Status: answer": messages.TimeAnswer,
    "Clock: question": messages.TimeQuestion,
    "Clock: answer": messages.TimeAnswer,
    "Station: states": messages.StationRequest,
    "Station: jobs": messages.StationResponse,
}
"""Heading → the type that its reader takes."""
NO_COLUMN = {"printer", "jobs"}
"""Told beside the table, or said of each job."""

READ_BY = {"reason": "typed_reason(", "by": "signing_official(", "round": "current.shown_round("}
"""Fields that many forms have: live/forms.py and live/current.py read them."""


def sections() -> dict[str, str]:
    """Heading → text, of all headings of the third level."""
    parts = re.split(r"^#{2,3} (.+)$", DOCUMENT, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def spelled_out(path: str) -> set[str]:
    """ "match.{a,b}.id" names two fields."""
    braces = re.search(r"\{([\w,]+)\}", path)
    if not braces:
        return {path}
    before, after = path[: braces.start()], path[braces.end() :]
    return {name for part in braces[1].split(",") for name in spelled_out(before + part + after)}


def told(text: str) -> set[str]:
    """The fields in a section's tables; values are in quotation marks."""
    rows = re.findall(r"^\| (`[^\"].*?) \|", text, flags=re.MULTILINE)
    return {name for row in rows for path in re.findall(r"`([^`]+)`", row) for name in spelled_out(path)}


def examples(text: str) -> list[Any]:
    return [json.loads(example) for example in re.findall(r"```json\n(.*?)```", text, flags=re.DOTALL)]


def fields_of(message: object, before: str = "") -> Iterator[str]:
    """All paths in a message: "match.a.name"; an object's in a list count as the list's own."""
    if isinstance(message, Mapping):
        for key, value in message.items():
            path = f"{before}{key}"
            yield path
            if key not in TOLD_ELSEWHERE and ".reports." not in path:
                yield from fields_of(value, f"{path}.")
    elif isinstance(message, list):
        for item in message:
            yield from fields_of(item, before)


def payload_of(message: Mapping[str, Any]) -> Any:
    """What is inside a signed message."""
    return message.get("payload") or message.get("report") or message


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    """What was said in a round of two rulebooks, one of them with squads."""
    said: dict[str, list[dict[str, Any]]] = {}
    with pytest.MonkeyPatch.context() as patch:
        for rulebook in ("xwing-standard", "shatterpoint-premier"):
            with talking(tmp_path_factory.mktemp(rulebook), rulebook, patch) as heard:
                for name, messages in heard.said.items():
                    said.setdefault(name, []).extend(messages)
    return said


def test_every_message_has_a_section(talk: dict[str, list[dict[str, Any]]]) -> None:
    assert set(talk) == set(TALK_NAMES.values())
    assert set(TALK_NAMES) <= set(sections())


@pytest.mark.parametrize("heading", [name for name in TALK_NAMES if name not in TEXT_ONLY])
def test_a_message_has_the_fields_that_are_told(talk: dict[str, list[dict[str, Any]]], heading: str) -> None:
    text = sections()[heading]
    real = {path for message in talk[TALK_NAMES[heading]] for path in fields_of(payload_of(message))}
    assert real <= told(text)
    assert told(text) - (set(KINDS) - real) - BY_CHANCE == real - BY_CHANCE
    [example] = examples(text)
    assert set(fields_of(payload_of(example))) <= real | BY_CHANCE, "the example has more than is ever said"
    newest = payload_of(talk[TALK_NAMES[heading]][-1])
    assert set(payload_of(example)) - NOT_ALWAYS == set(newest) - NOT_ALWAYS, "the example lacks something"


def fields_of_type(kind: Any, before: str = "") -> Iterator[str]:
    """All paths that a type has, as `fields_of` has those of a message."""
    if isinstance(kind, inspect.UnionType):
        for each in kind.types:
            yield from fields_of_type(each, before)
    elif isinstance(kind, inspect.ListType | inspect.VarTupleType):
        yield from fields_of_type(kind.item_type, before)
    elif isinstance(kind, inspect.StructType):
        for field in kind.fields:
            yield f"{before}{field.encode_name}"
            if field.encode_name not in TOLD_ELSEWHERE:
                yield from fields_of_type(field.type, f"{before}{field.encode_name}.")


@pytest.mark.parametrize("heading", TYPES)
def test_what_is_said_is_of_its_type_and_the_type_has_no_field_that_is_not_told(
    talk: dict[str, list[dict[str, Any]]], heading: str
) -> None:
    kind = TYPES[heading]
    assert set(fields_of_type(inspect.type_info(kind))) - NO_COLUMN <= told(sections()[heading])
    for message in talk[TALK_NAMES[heading]]:
        parse_message(kind, payload_of(message))


def test_a_view_is_of_its_type_and_so_is_all_that_stands_on_paper(talk: dict[str, list[dict[str, Any]]]) -> None:
    paths = {f"view.{path}" for path in fields_of_type(inspect.type_info(TableView))}
    known = {
        path
        for path in paths
        if path.partition(".reports.")[2].count(".") == 0
        and not path.startswith(("view.form.", "view.next.", "view.match.result.", "view.match.second."))
    }
    assert {path for path in known if ".reports." not in path} <= told(sections()["Feed: view"])
    for message in talk["feed view"]:
        parse_message(TableView, message["payload"]["view"] if "payload" in message else message["view"])
    for message in talk["answer /station/jobs"]:
        for job in message["payload"]["jobs"]:
            if job["kind"] in LAYOUTS:
                parse_message(LAYOUTS[job["kind"]][0], job["content"])


def test_the_example_of_a_report_is_rightly_signed() -> None:
    [example] = examples(sections()["Report"])
    assert verify_signature(KEYS["table-1"], REPORT, example["report"], example["mac"])


def test_the_purposes_are_those_of_the_wire() -> None:
    ours = {value for name, value in vars(wire).items() if name.isupper() and str(value).startswith("roundtap/")}
    assert told(sections()["Signature"]) == ours


def test_a_printed_kind_has_the_fields_that_are_told(talk: dict[str, list[dict[str, Any]]]) -> None:
    rows = dict(re.findall(r"^\| `([a-z-]+)` \| (.+) \|$", sections()["Station: jobs"], flags=re.MULTILINE))
    kinds = {kind: set(re.findall(r"`([^`]+)`", text)) for kind, text in rows.items() if kind in KINDS}
    assert set(kinds) == set(KINDS)
    for message in talk["answer /station/jobs"]:
        for job in message["payload"]["jobs"]:
            inside = {path.rpartition(".")[2] for path in fields_of(job["content"])}
            if job["kind"] == "slip":
                inside -= {"to_field", "must"}
            assert inside == kinds[job["kind"]] | {"event", "url", "head"}, job["kind"]
    code = "".join((ROOT / f"server/roundtap_hub/paper/{name}.py").read_text() for name in ("print_jobs",))
    for kind in ("standings", "proxy"):
        for name in kinds[kind]:
            assert f'"{name}"' in code or f"{name}=" in code, f"{kind}: {name}"


# --- addresses ------------------------------------------------------------------------------------------------------


def addresses_of_the_code() -> set[str]:
    import_module("roundtap_hub.app.asgi")
    import_module("roundtap_hub.app.flask_app")
    code = (ROOT / "server/roundtap/demo/bench.py").read_text()
    posts = bench.ORDERS
    gets = {*re.findall(r'elif path == "([^"]+)"', code), *bench.PAGES, *bench.FILES, f"{bench.START}<key>"}
    routes = {address for address, one in ROUTES.items() if not one.who <= STAFF}
    return routes - {"HEAD /time"} | {f"POST {path}" for path in posts} | {f"GET {path}" for path in gets}


def test_every_address_outside_the_console_is_told_and_no_other() -> None:
    written = set(re.findall(r"`((?:GET|POST) /[^`]*)`", DOCUMENT))
    assert written == addresses_of_the_code()


def test_a_form_has_the_fields_that_are_told() -> None:
    hub, section = ROOT / "server/roundtap_hub", sections()["Pages and forms"]
    [shared_row] = re.findall(r"^\| all \| (.*) \|$", section, flags=re.MULTILINE)
    shared = set(re.findall(r"`([a-z_]+)`", shared_row))
    rows = dict(re.findall(r"^\| `(\w+/\w+)\.py` \| (.*) \|$", section, flags=re.MULTILINE))
    wanted = re.compile(
        r'(?:\bfield|form_number|form_choice|typed_table|(?:form|args|values|files)\)?\.get(?:list)?)\(\s*"([^"]+)"'
    )
    codes = {
        path.relative_to(hub).with_suffix("").as_posix(): path.read_text(encoding="utf-8")
        for path in hub.glob("*/*.py")
        if "import forms" in (code := path.read_text(encoding="utf-8")) or ", forms" in code
    }
    for module, code in codes.items():
        asked, listed = set(wanted.findall(code)), set(re.findall(r"`([a-z_]+)`", rows.get(module, "")))
        asked |= {name for name, reader in READ_BY.items() if reader in code}
        assert asked - {"lang"} - shared <= listed, f"{module}: not told"
        for name in listed:
            asks = f'"{name}"' in code or (name in READ_BY and READ_BY[name] in code)
            assert asks, f"{module}: {name} is told, and nobody asks for it"
    assert set(rows) <= set(codes)
    for name in shared:
        assert sum(f'"{name}"' in code or READ_BY.get(name, "\n\n\n\n") in code for code in codes.values()) > 1, name


@pytest.mark.parametrize(
    ("heading", "file"),
    [
        ("Virtual table", "devices/roundtap_devices/virtual/panels.py"),
        ("Virtual printer", "devices/roundtap_devices/virtual/panels.py"),
        ("Bench", "server/roundtap/demo/bench.py"),
    ],
)
def test_the_virtual_kit_says_what_is_told(heading: str, file: str) -> None:
    code = (ROOT / file).read_text(encoding="utf-8")
    if heading == "Bench":
        code += "".join(
            (ROOT / f"server/roundtap/demo/{name}.py").read_text(encoding="utf-8") for name in ("demo", "guide")
        )
    for name in re.findall(r"`([a-z_]+)`", sections()[heading]):
        assert f'"{name}"' in code or f"'{name}'" in code, name
    first = "sheet" if heading == "Virtual printer" else "frame"
    sent = re.search(rf'(?:picture = |return )(\{{\s*"{first}".*?\}})', code, re.DOTALL)
    if sent:
        assert told(sections()[heading]) == set(re.findall(r'"(\w+)": ', sent[1]))
