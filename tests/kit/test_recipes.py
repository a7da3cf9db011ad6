"""The recipes of CODE.md, followed in a copy of the tree: what they name is enough, and nothing else is touched."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from patience import GUARD_S

ROOT = Path(__file__).parents[2]
COPIED = ("server", "devices", "firmware", "tests", "README.md", "CONTRIBUTING.md", "pyproject.toml")

PAGE = '''"""A greeting, for whoever has just logged in."""

from __future__ import annotations

from roundtap_hub.http.routes import ORGANIZERS, route
from roundtap_hub.live.forms import AnyResponse
from roundtap_hub.live.render import page


@route("GET /console/hello", ORGANIZERS)
def hello() -> AnyResponse:
    return page("hello.html")
'''
TEMPLATE = """{% extends "base.html" %}
{% block kind %}console{% endblock %}
{% block title %}{{ t("hello") }}{% endblock %}
{% block main %}<h1>{{ t("hello") }}</h1>{% endblock %}
"""
PAGE_TEST = '''"""The greeting."""

from pages_kit import House, text_of


def test_organizers_are_greeted_and_nobody_else(house: House):
    answer = house.organizer().get("/console/hello")
    assert (answer.status_code, "Good morning" in text_of(answer)) == (200, True)
    assert house.browser().get("/console/hello").status_code == 302
'''

SCREENS = """
from itertools import islice

from gallery.table_screens import scenes
from roundtap_core.words import LANGUAGES, core_words, plural_form
from roundtap_units.table.screens.screens import draw_scene
from roundtap_units.unit_config import unit_words

assert LANGUAGES == ("en", "es", "de", "pl", "fr")
assert (unit_words("fr")("clock.paused"), plural_form("fr", 0)) == ("EN PAUSE", "one")
shown = list(islice(scenes(("fr",)), 12))
assert len(shown) == 12
assert all(draw_scene(scene).getbbox() for _, scene in shown)
"""
EVENT = {
    "format": "roundtap-event/1",
    "name": "Friday",
    "rulebook": "xwing-standard",
    "seed": 7,
    "competitors": [{"id": f"p{n}", "name": name} for n, name in enumerate(("Ana", "Bruno", "Eva", "Kai"), 1)],
    "rounds": [],
}

GAME = '''"""Pebbles: whoever has gathered more of ten pebbles wins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from roundtap_core.forms.form import ANY_TIME, Form, WayToEnd
from roundtap_core.forms.questions import LOSER, WINNER, Figure
from roundtap_core.lists.list_form import ListCheck, ListForm
from roundtap_core.records import CONCESSION, PLAYED, Result
from roundtap_core.rulebooks.base import (
    BYE_LAST, NO, SWISS_ROUND, MatchSituation, Options, Rulebook,
    leading_side, refuse_figure_range, refuse_unknown_keys, stated_winner,
)
from roundtap_core.rulebooks.scoring import LOT, SOS, Points, Scoring

SCORING = Scoring(Points(win=3, draw=1), (SOS, LOT))


class NoLists(ListCheck):
    def form(self, options: Mapping[str, Any]) -> ListForm:
        return ListForm(())


class Pebbles(Rulebook):
    id = "pebbles"
    title = "Pebbles"
    document = "Pebbles, the rules (en)"
    tiebreakers = SCORING.tiebreakers
    bye_after_round_1 = BYE_LAST
    stage_minutes = {"swiss": 20}
    levels = ("relaxed",)
    structures = {}
    option_defaults = {"structure": "own", "late_minutes": 10}
    house_decisions = ("decision.late_minutes", "decision.pebbles_shared")
    officials_play = {"*": NO}
    lists: ClassVar[ListCheck] = NoLists()

    def winner(self, result: Result, options: Options) -> str:
        return stated_winner(result) or leading_side(result.score)

    def scoring(self, options: Options) -> Scoring:
        return SCORING

    def form(self, options: Options, situation: MatchSituation = SWISS_ROUND) -> Form:
        pebbles = tuple(Figure("score", whose, 0, 10, 0) for whose in (WINNER, LOSER))
        return Form(rulebook=self.id, ways=(
            WayToEnd("played", ANY_TIME, PLAYED, pebbles), WayToEnd("conceded", ANY_TIME, CONCESSION, pebbles)))

    def check_new(self, result: Result, options: Options, situation: MatchSituation = SWISS_ROUND) -> None:
        refuse_unknown_keys(result, self.id, ())
        refuse_figure_range("score", result.score, 0, 10)
        self.winner(result, options)
'''
CLAUSES = {
    "document": "Pebbles, the rules (en)",
    "rulebooks": ["pebbles"],
    "words": {
        "en": {"decision.pebbles_shared": "Five pebbles each are a draw."},
        "de": {"decision.pebbles_shared": "Fünf Kiesel für beide sind ein Unentschieden."},
    },
    "clauses": [
        {
            "id": "more",
            "section": "Winning",
            "how": "enforced",
            "text": "Whoever has more pebbles wins.",
            "figure": "tests/core/rulebooks/test_pebbles.py::test_more_pebbles_win",
            "tests": ["tests/core/rulebooks/test_pebbles.py::test_more_pebbles_win"],
        },
        {"id": "round", "section": "Winning", "how": "people", "text": "Pebbles are round.", "reason": "Material."},
    ],
}
GAME_TEST = '''"""Pebbles, by its document."""

from roundtap_core.records import Match, Result, SidePair
from roundtap_core.rulebooks.registry import RULEBOOKS, rulebook
from roundtap_core.words import core_words


def test_more_pebbles_win() -> None:
    match = Match("p1", "p2", 1, result=Result(score=SidePair(6, 4)))
    assert [rulebook("pebbles").tally(match, side, {}).points for side in ("a", "b")] == [3, 0]


def test_it_is_offered_last_and_says_what_was_decided() -> None:
    assert list(RULEBOOKS)[-1] == "pebbles"
    said = [core_words(language)("decision.pebbles_shared") for language in ("en", "de", "pl")]
    assert said[0] == said[2] == "Five pebbles each are a draw."
    assert said[1].startswith("Fünf Kiesel")
'''

PROFILE = """
KIOSK_80 = PrinterProfile(
    # [low] A kiosk's printer.
    "kiosk-80", 640, 53, 203, rows_per_s=300)

PROFILES ="""


class Copy:
    """A copy of the tree, of which it is known what has been touched since."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in COPIED:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, folder / name)
            else:
                shutil.copy2(ROOT / name, folder / name)
        self._before = self._files()

    def _files(self) -> dict[str, bytes]:
        return {
            path.relative_to(self.folder).as_posix(): path.read_bytes()
            for path in self.folder.rglob("*")
            if path.is_file() and path.suffix not in (".pyc", ".png")
        }

    def touched(self) -> set[str]:
        now = self._files()
        return {name for name in now.keys() | self._before.keys() if now.get(name) != self._before.get(name)}

    def recipe(self, title: str, name: str, room: str = "") -> set[str]:
        """The files that the recipe names, for somebody who calls the new thing so."""
        text = (ROOT / "server/CODE.md").read_text(encoding="utf-8")
        steps = text.partition(f"### {title}\n")[2].partition("\n#")[0]
        named = re.findall(r"^- `([^`]+)`", steps, flags=re.MULTILINE)
        paths = [re.sub(r"\bX\b|(?<=_)X(?=\.)", name, path.replace("ROOM", room)) for path in named]
        return {
            found.relative_to(self.folder).as_posix()
            for path in paths
            for found in (self.folder.glob(path) if "*" in path else [self.folder / path])
        }

    def write(self, path: str, text: str) -> None:
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_text(text, encoding="utf-8")

    def change(self, path: str, before: str, after: str) -> None:
        text = (self.folder / path).read_text(encoding="utf-8")
        assert text.count(before) == 1, (path, before)
        self.write(path, text.replace(before, after))

    def add_texts(self, path: str, texts: dict[str, str]) -> None:
        """Put into a catalogue, which is sorted by key in the core."""
        said = json.loads((self.folder / path).read_text(encoding="utf-8")) | texts
        self.write(path, json.dumps(said, ensure_ascii=False, indent=2) + "\n")

    def run(self, *words: str, **variables: str) -> str:
        """What a Python process says that has the copy's packages and no others."""
        paths = os.pathsep.join(
            str(self.folder / top) for top in ("server", "devices", "firmware", "tests", "tests/core")
        )
        done = subprocess.run(
            [sys.executable, *words],
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=GUARD_S,
            env={**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "", **variables},
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def test(self, *tests: str) -> None:
        self.run("-m", "pytest", "-q", "-p", "no:cacheprovider", *tests)


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    return Copy(tmp_path)


def test_a_page(copy: Copy) -> None:
    copy.write("server/roundtap_hub/hall/hello.py", PAGE)
    routes = "server/roundtap_hub/app/flask_app.py"
    copy.change(routes, "hall import restored, this_hub, ", "hall import hello, restored, this_hub, ")
    copy.change(routes, "    this_hub,\n", "    this_hub,\n    hello,\n")
    copy.write("server/roundtap_hub/hall/templates/hello.html", TEMPLATE)
    greetings = {"en": "Good morning", "es": "Buenos días", "de": "Guten Morgen", "pl": "Dzień dobry"}
    for language, text in greetings.items():
        copy.add_texts(f"server/roundtap_hub/words/{language}.json", {"hello": text})
    copy.write("tests/hub/hall/test_hello.py", PAGE_TEST)
    assert copy.touched() == copy.recipe("A page", "hello", "hall")
    copy.test(
        "tests/hub/hall/test_hello.py",
        "tests/tools/test_address_table.py",
        "tests/hub/access/test_policy.py::test_the_routes_are_those_of_the_table",
    )


def test_a_language(copy: Copy) -> None:
    for package in ("server/roundtap_core", "server/roundtap_hub", "server/roundtap", "firmware/roundtap_units"):
        shutil.copy(copy.folder / package / "words/en.json", copy.folder / package / "words/fr.json")
    copy.add_texts("server/roundtap_core/words/fr.json", {"round.title": "Ronde {number} ({stage})"})
    copy.add_texts("firmware/roundtap_units/words/fr.json", {"clock.paused": "EN PAUSE"})
    copy.change(
        "server/roundtap_core/words.py",
        '    if language == "pl":\n',
        '    if language == "fr":\n        return "one" if n == 0 else "other"\n    if language == "pl":\n',
    )
    guide = (copy.folder / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| .+ \| .+ \| .+ \| .+ \| .+ \|$", guide, flags=re.MULTILINE)
    for row in rows:
        guide = guide.replace(row, f"{row} {row.split(' | ')[1]} |")
    copy.write("CONTRIBUTING.md", guide)
    assert copy.touched() == copy.recipe("A language", "fr")
    copy.run("-c", SCREENS)
    copy.write("event.json", json.dumps(EVENT))
    assert "Ronde 1" in copy.run("-m", "roundtap.main", "pair", "event.json", "--format", "text", ROUNDTAP_LANG="fr")
    copy.test("tests/core/test_glossary.py", "tests/core/test_words.py", "-k", "fr")


def test_a_rulebook(copy: Copy) -> None:
    copy.write("server/roundtap_core/rulebooks/pebbles.py", GAME)
    copy.write("server/roundtap_core/rulebooks/clauses/pebbles.json", json.dumps(CLAUSES, indent=2))
    copy.write("tests/core/rulebooks/test_pebbles.py", GAME_TEST)
    copy.write("README.md", (copy.folder / "README.md").read_text(encoding="utf-8") + "\n| `pebbles` | pebbles |\n")
    assert copy.touched() == copy.recipe("A rulebook", "pebbles")
    match = {"table": 1, "a": "p1", "b": "p2", "result": {"score": {"a": 7, "b": 3}}}
    other = {"table": 2, "a": "p3", "b": "p4", "result": {"score": {"a": 5, "b": 5}}}
    event = {**EVENT, "rulebook": "pebbles", "rounds": [{"number": 1, "stage": "swiss", "matches": [match, other]}]}
    copy.write("event.json", json.dumps(event))
    standings = copy.run("-m", "roundtap.main", "standings", "event.json")
    assert [row["points"] for row in json.loads(standings)["standings"]] == [3, 1, 1, 0]
    assert json.loads(copy.run("-m", "roundtap.main", "pair", "event.json"))["round"] == 2
    copy.test(
        *(f"tests/core/rulebooks/test_{name}.py" for name in ("pebbles", "coverage", "clauses_everywhere")),
        "-k",
        "pebbles or coverage",
    )


def test_a_printer_profile(copy: Copy) -> None:
    profiles = "devices/roundtap_devices/printing/printer_profiles.py"
    copy.change(profiles, "\nPROFILES =", PROFILE)
    copy.change(profiles, "PLAIN_58, PLAIN_80)}", "PLAIN_58, PLAIN_80, KIOSK_80)}")
    copy.change(profiles, '"plain-58": "58 mm",', '"kiosk-80": "kiosk", "plain-58": "58 mm",')
    held = "tests/devices/test_printer_profiles.py"
    copy.change(held, '== {"csn-a2"}\n', '== {"csn-a2", "kiosk-80"}\n')
    copy.change(held, '"plain-80": (48, 576, 12),', '"plain-80": (48, 576, 12), "kiosk-80": (53, 640, 12),')
    assert copy.touched() == copy.recipe("A printer profile", "kiosk-80")
    copy.test(held)
