"""The hub's floors: what counts as an arrow, as one against them, and as a mutual pair; and that a tenth is shared."""

from __future__ import annotations

import re

from floors import against, arrows, floors, mutual, room, sources, untyped
from size import ROOT, statements

TEXTS = {
    "store.journal": "import json\n",
    "views.tables": "from roundtap_hub.store.journal import read\nfrom roundtap_hub.results import typed\n",
    "results.typed": "def line():\n    from roundtap_hub.views import tables\n",
    "people.find": "from roundtap_hub.results.typed import line\n",
}
LAYERS = [["people", "results"], ["views"], ["store"]]


def test_an_import_counts_wherever_it_stands_and_one_against_the_floors_is_named() -> None:
    found = arrows(TEXTS)
    assert found == [
        ("people.find", "results.typed"),
        ("results.typed", "views.tables"),
        ("views.tables", "results.typed"),
        ("views.tables", "store.journal"),
    ]
    assert against(found, LAYERS) == [("people.find", "results.typed"), ("views.tables", "results.typed")]
    assert mutual(found) == {frozenset({"results", "views"})}


def test_the_hub_has_no_arrow_against_its_floors_and_no_mutual_pair() -> None:
    found = arrows(sources())
    assert against(found, floors()) == []
    assert mutual(found) == set()


def test_what_subjects_share_is_at_most_a_tenth_of_the_hub() -> None:
    """Else "shared" has become another word for "anywhere"."""
    texts = sources()
    shared = sum(statements(text) for module, text in texts.items() if room(module) == "views")
    assert shared <= sum(map(statements, texts.values())) / 10


def test_what_these_rooms_show_has_a_type() -> None:
    rooms = {"views", "live", "events", "people", "rounds", "judging", "paper", "hall", "phones", "units"}
    not_yet = {"live.list_fields", "live.regions", "live.result_wizard"}
    loose = {module for module, text in sources().items() if room(module) in rooms and untyped(text)}
    assert loose - not_yet == set()


def test_nothing_of_the_hub_is_imported_by_its_name_as_text() -> None:
    """No tool sees such an import. The database's dialect is no module of the hub."""
    by_text = re.compile(r"import_module\((?!f\"sqlalchemy\.)|__import__\(|iter_modules\(")
    assert [module for module, text in sources().items() if by_text.search(text)] == []


def test_the_picture_in_the_code_s_page_is_the_contract() -> None:
    page = (ROOT / "server/CODE.md").read_text(encoding="utf-8")
    lines = page.partition("### The hub's floors\n\n```\n")[2].partition("```")[0].splitlines()
    drawn = [
        line.replace("(subjects)", "").split() if "(subjects)" in line else line.split()[:1] for line in lines[::2]
    ]
    assert drawn == floors()
