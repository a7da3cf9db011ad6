"""Documents stand beside what they describe: every file, heading, screen's word and package they name is there, none is
longer than somebody reads, and every room of the house is in CODE.md."""

import json
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from gallery.for_documents import MOST_BYTES, MOST_MOVING_BYTES
from roundtap.main import COMMANDS

ROOT = Path(__file__).parents[2]
FOLDERS = ("server", "devices", "firmware", "systemd", "tests")
PACKAGES = (
    "server/roundtap",
    "server/roundtap_core",
    "server/roundtap_hub",
    "devices/roundtap_devices",
    "firmware/roundtap_units",
    "server/roundtap_machine",
)
MOST_WORDS = {
    "README.md": 1000,
    "CONTRIBUTING.md": 1800,
    "SECURITY.md": 1150,
    "firmware/BOARDS.md": 860,
    "firmware/BUILD.md": 1150,
    "firmware/PINS.md": 950,
    "server/CODE.md": 1500,
    "server/EVENT_FILE.md": 3200,
    "server/HANDBOOK.md": 1900,
    "server/MESSAGES.md": 6000,
    "server/SCALE.md": 1250,
    "systemd/ADMIN.md": 1650,
    "systemd/README.md": 1200,
    "systemd/VENUE.md": 1000,
    "tests/RELIABILITY.md": 1000,
    "tests/metal/README.md": 360,
}
"""Document → how many words it may have."""
ALL_WORDS_MOST = 26_000
SENTENCE_WORDS_MOST, SENTENCE_WORDS_MEAN = 30, 14
REFERENCES = ("CHANGELOG.md",)
"""Documents without a limit of their own."""
DOCUMENTS = (*MOST_WORDS, *REFERENCES)
IN_FOUR_LANGUAGES = (
    "README.md",
    "server/HANDBOOK.md",
    "systemd/VENUE.md",
    "systemd/ADMIN.md",
    "firmware/BUILD.md",
    "firmware/BOARDS.md",
    "firmware/PINS.md",
)
"""For people who stand before a screen: what is in italics stands on it, in English."""
NOT_ON_A_SCREEN = {"italics", "console", "bench", "Friday night", "Closing", "Use custom"} | {
    *("Security", "Report a vulnerability", "Unreleased", "Sie", "Pan")
}
"""What is stressed, an event of the demo's, a heading, a button of Raspberry Pi Imager's; GitHub's, and words spoken
of."""
COUNTED = ("n", "number", "next", "table", "tables", "minutes", "size", "count", "planned", "rounds", "seed", "places")
"""What fills a text in with figures."""
TOP_LEVEL = {"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", *FOLDERS}


@cache
def tree() -> frozenset[str]:
    """Every file and folder of the repository below its five folders, and the files beside them."""
    found = {path.name for path in ROOT.iterdir()}
    for folder in FOLDERS:
        found |= {
            path.relative_to(ROOT).as_posix()
            for path in (ROOT / folder).rglob("*")
            if "__pycache__" not in path.parts and not path.name.endswith(".pyc")
        }
    return frozenset(found)


def is_there(name: str) -> bool:
    """A file or folder by its path in the repository, or by the end of its path."""
    wanted = name.rstrip("/")
    return any(path == wanted or path.endswith(f"/{wanted}") for path in tree())


def named(text: str) -> set[str]:
    """What a document says in `…` that is meant as a file here; X and <…> stand for any."""
    marks = {mark.partition("::")[0] for mark in re.findall(r"`([^`\n]+)`", text)}
    rooms = {path.rpartition("/")[2] for path in tree() if "." not in path}
    return {
        mark
        for mark in marks
        if re.fullmatch(r"[\w./-]+", mark)
        and not re.search(r"\bX\b|_X\b", mark)
        and not mark.startswith(("/", "."))
        and not re.fullmatch(r"roundtap/\w+/\d", mark)
        and (mark.endswith(".py") or ("/" in mark and mark.split("/")[0] in rooms))
    }


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_named_file_is_there(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    gone = {name for name in named(text) if not is_there(name)}
    links = {link for link in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in link}
    gone |= {link for link in links if not ((ROOT / document).parent / link).exists()}
    assert gone == set()


def heading_ids(document: Path) -> set[str]:
    """What a link to each heading says after its #, as GitHub makes it."""
    lines = re.findall(r"^#+ (.+)$", document.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", line.lower()).replace(" ", "-") for line in lines}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_named_heading_is_there(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    for target, heading in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", text):
        file = (ROOT / document).parent / target if target else ROOT / document
        assert heading in heading_ids(file), (target, heading)


@pytest.mark.parametrize("document", [name for name in DOCUMENTS if name != "CHANGELOG.md"])
def test_every_named_command_is_there(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    code = [*re.findall(r"`([^`]+)`", text), *re.findall(r"^    (.+)$", text, flags=re.MULTILINE)]
    wanted = {word for line in code for word in re.findall(r"(?:^|sudo |bin/|-u \S+ )roundtap ([a-z]+)\b", line)}
    assert wanted - set(COMMANDS) == set()
    assert {word for line in code for word in re.findall(r"(?:^|; )make ([a-z-]+)", line)} - targets == set()


def on_screens() -> Iterator[str]:
    for place in ("server/roundtap", "server/roundtap_core", "server/roundtap_hub", "firmware/roundtap_units"):
        for text in json.loads((ROOT / place / "words/en.json").read_text(encoding="utf-8")).values():
            yield from text.values() if isinstance(text, dict) else [text]


@cache
def screens() -> list[re.Pattern[str]]:
    """All that a screen says, as patterns: "Draw round {next}" is "Draw round 2", too, and no "Add players" is "{n}
    players"."""
    texts = {text for text in on_screens() if len(re.findall("[A-Za-z]", re.sub(r"\{\w+\}", "", text))) > 2}
    filled = {text: re.escape(text.strip(" .…?:")) for text in texts}
    figures = rf"\\{{({'|'.join(COUNTED)})\\}}"
    return [
        re.compile("[^A-Za-z]*" + re.sub(r"\\\{\w+\\\}", ".+", re.sub(figures, r"[\\d…–#]+", text)) + "[ .…?:]*")
        for text in filled.values()
    ]


def in_italics(document: str) -> set[str]:
    """What a document says in italics, the steps of a way apart: *Hall → Leagues* are two. Where nobody stands before a
    screen, small letters stress a word."""
    text = " ".join((ROOT / document).read_text(encoding="utf-8").split()).replace("**", "|")
    said = re.findall(r"\*([A-Za-z][^*|]+?)\*", re.sub(r"`[^`]*`", "", text))
    return {
        words for way in said for words in way.split(" → ") if document in IN_FOUR_LANGUAGES or words[:1].isupper()
    } - NOT_ON_A_SCREEN


@pytest.mark.parametrize("document", [name for name in DOCUMENTS if name != "CHANGELOG.md"])
def test_what_stands_in_italics_stands_on_a_screen(document: str) -> None:
    """Buttons, headings and messages, by the words that they have now; a past version had others."""
    assert {
        words for words in in_italics(document) if not any(screen.fullmatch(words) for screen in screens())
    } == set()


def test_a_button_of_another_name_would_be_missed() -> None:
    shown = {"Draw round 2", "Register players", "Publish round …"}
    assert {name for name in shown if any(screen.fullmatch(name) for screen in screens())} == shown
    assert not any(screen.fullmatch("Add players") for screen in screens())


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_table_is_shown_as_one(document: str) -> None:
    """Its second line parts the head from the rows: an empty line within it would leave bars."""
    for block in re.findall(r"(?:^ *\|.*\n)+", (ROOT / document).read_text(), re.M):
        assert re.fullmatch(r" *\|[-:| ]+\|", block.splitlines()[1] if block.count("\n") > 1 else ""), block


@pytest.mark.parametrize("document", MOST_WORDS)
def test_nothing_is_longer_than_somebody_reads(document: str) -> None:
    assert len(words_in((ROOT / document).read_text(encoding="utf-8"))) <= MOST_WORDS[document]


def words_in(text: str) -> list[str]:
    """Bars of a table and signs are no words."""
    return [word for word in text.split() if re.search(r"\w", word)]


def test_all_documents_together_are_no_longer_than_a_short_book() -> None:
    assert {name for name in tree() if name.endswith(".md")} == set(DOCUMENTS)
    assert sum(len(words_in((ROOT / name).read_text(encoding="utf-8"))) for name in DOCUMENTS) <= ALL_WORDS_MOST


def sentences(text: str) -> Iterator[str]:
    """The prose of a document: no code, tables, headings and addresses of links; a list's items are sentences."""
    text = re.sub(r"^ *```.*?^ *```", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^(?:\||#| {4}).*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)|(?<=\])\([^)]*\)", "", text)
    for part in re.split(r"\n\s*\n|\n(?= *(?:[-*]|\d+\.) )", text):
        found = re.split(r"(?<=[.!?])[\"”)*_`]*\s+(?=[\"“(*_\[]*[A-Z\d`●■▲▼])", " ".join(part.split()))
        yield from (sentence for sentence in found if words_in(sentence))


def test_sentences_are_told_apart() -> None:
    text = "# A title\n\nOne is short. *Two* costs 1.5 [here](a b c)!\n\n    code code\n\n"
    text += "- Three: `x.y`\n- Four. `five` is code. ▲ is a sign.\n\n| no |\n"
    assert list(sentences(text)) == [
        "One is short.",
        "*Two* costs 1.5 [here]!",
        "- Three: `x.y`",
        "- Four.",
        "`five` is code.",
        "▲ is a sign.",
    ]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_sentences_are_short(document: str) -> None:
    found = list(sentences((ROOT / document).read_text(encoding="utf-8")))
    assert [sentence for sentence in found if len(words_in(sentence)) > SENTENCE_WORDS_MOST] == []
    assert sum(len(words_in(sentence)) for sentence in found) <= SENTENCE_WORDS_MEAN * len(found)


def test_a_document_has_a_line_for_each_package_that_the_product_uses() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    taken = [*project["dependencies"], *(package for extra in extras if extra != "dev" for package in extras[extra])]
    control = (ROOT / "systemd/debian/control").read_text(encoding="utf-8")
    drawing = set(re.findall(r"\b(?:fonts-[\w-]+|libfribidi0)", control))
    table = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("## Packages")[1].split("\n## ")[0]
    assert (
        set(re.findall(r"^\| ([\w.-]+) \|", table, flags=re.MULTILINE)) - {"package"}
        == {re.match(r"[\w.-]+", package)[0] for package in taken} | drawing
    )  # type: ignore[index]


def test_every_picture_is_small_and_shown() -> None:
    shown = {
        (ROOT / document).parent / picture
        for document in DOCUMENTS
        for picture in re.findall(r"\]\(([^)]+\.(?:png|svg|gif))\)", (ROOT / document).read_text(encoding="utf-8"))
    }
    there = {ROOT / name for name in tree() if re.match(r"\w+/pictures/[^/]+$", name)}
    assert {path.resolve() for path in shown} == there
    most = {".gif": MOST_MOVING_BYTES}
    assert [path.name for path in there if path.stat().st_size >= most.get(path.suffix, MOST_BYTES)] == []


def test_a_file_that_is_gone_would_be_missed() -> None:
    assert named("`server/nowhere.py`, `gestures.py`, `pages/X.py`, `/device/report`, `keys.json`, `win/loss`") == {
        "server/nowhere.py",
        "gestures.py",
    }
    assert is_there("input/gestures.py")
    assert not is_there("nowhere.py")


def test_every_room_has_its_line_in_the_code_s_page() -> None:
    modules = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    rooms = {path.parent.relative_to(ROOT).as_posix() for path in modules}
    page = (ROOT / "server/CODE.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\| `([\w/]+)` \|", page, flags=re.MULTILINE)
    assert set(lines) == rooms
    assert len(lines) == len(set(lines))


def test_the_top_level_keeps_to_its_folders() -> None:
    made_by_tools = {line.strip().strip("/") for line in (ROOT / ".gitignore").read_text().splitlines()}
    ours = {path.name for path in ROOT.iterdir() if path.is_dir() or path.suffix in (".md", ".py")}
    assert {name for name in ours if not name.startswith(".")} - made_by_tools <= TOP_LEVEL


def test_before_a_commit_runs_what_make_lint_runs() -> None:
    rules = (ROOT / "Makefile").read_text(encoding="utf-8")
    lint = re.search(r"^lint: setup\n((?:\t.+\n)+)", rules, flags=re.MULTILINE)
    assert lint
    wanted = [line.strip().replace("$(BIN)", ".venv/bin") for line in lint[1].splitlines()]
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    assert re.findall(r"^ +entry: (.+)$", hooks, flags=re.MULTILINE) == wanted
