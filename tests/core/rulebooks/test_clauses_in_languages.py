"""The clauses in other languages than English: every sentence of a document has one there, and is short."""

import json
import re
from pathlib import Path

import pytest

import roundtap_core.rulebooks.coverage as coverage

FILES = sorted(Path(coverage.FOLDER).glob("*/*.json"))
SAID = ("text", "reason", "decided")


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_a_language_has_every_clause_and_what_is_said_of_it(file: Path) -> None:
    said = json.loads(file.read_text(encoding="utf-8"))
    clauses = coverage.read_clauses(file.stem).clauses
    assert [*said] == [clause.id for clause in clauses]
    for clause in clauses:
        assert [*said[clause.id]] == [key for key in SAID if getattr(clause, key)], clause.id


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_its_figures_are_those_of_the_english_sentence(file: Path) -> None:
    said = json.loads(file.read_text(encoding="utf-8"))
    for clause in coverage.read_clauses(file.stem).clauses:
        assert figures(said[clause.id]["text"]) == figures(clause.text), clause.id


@pytest.mark.parametrize("document", coverage.document_names())
def test_each_heading_is_said_in_every_language(document: str) -> None:
    headings = json.loads((Path(coverage.FOLDER) / f"{document}.json").read_text(encoding="utf-8"))["headings"]
    assert [*headings] == list(dict.fromkeys(clause.section for clause in coverage.read_clauses(document).clauses))
    for language in {"en", *(file.parent.name for file in FILES)}:
        assert len({said[language] for said in headings.values()}) == len(headings), "no heading stands for two"
    assert all(section in said.values() for section, said in headings.items()), "its own language keeps its own words"


def figures(text: str) -> list[str]:
    """Those of two digits and more: a small one may be a word in the other language, and a "top 4" is named again."""
    return sorted({found.lstrip("+-−") for found in re.findall(r"[+−-]?\d{2,}", text)})
