"""The catalogues: the same texts in four languages, every text that the source asks for, and plurals."""

import ast
import json
import re
import string
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest

from roundtap_core.records import BYES, STAGES, Ending
from roundtap_core.rulebooks import registry
from roundtap_core.words import LANGUAGES, Words, choose_language, core_words, plural_form

REPOSITORY = Path(__file__).parents[2]
PACKAGES = [package for top in ("server", "devices", "firmware") for package in (REPOSITORY / top).glob("roundtap*")]
WITH_WORDS = [package for package in PACKAGES if any(package.glob("words/*.json"))]
PLURALS = {language: {"other"} | {plural_form(language, n) for n in range(1000)} for language in LANGUAGES}


def texts(package: Path, language: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((package / "words" / f"{language}.json").read_text(encoding="utf-8"))
    return found


def placeholders(text: str | dict[str, str]) -> set[str]:
    forms = text.values() if isinstance(text, dict) else [text]
    return {name for form in forms for _, name, _, _ in string.Formatter().parse(form) if name is not None}


@pytest.mark.parametrize("package", WITH_WORDS, ids=lambda package: package.name)
@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "en"])
def test_every_language_says_the_same(package: Path, language: str) -> None:
    english, other = texts(package, "en"), texts(package, language)
    assert set(other) == set(english)
    # A singular may say "one" in words, so a plural's number need not appear in each form.
    assert {key: placeholders(text) - {"n"} for key, text in other.items()} == {
        key: placeholders(text) - {"n"} for key, text in english.items()
    }


@pytest.mark.parametrize("package", WITH_WORDS, ids=lambda package: package.name)
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_form_of_a_text_is_missing_or_blank(package: Path, language: str) -> None:
    for key, text in texts(package, language).items():
        forms = text if isinstance(text, dict) else {"": text}
        assert not isinstance(text, dict) or set(text) == PLURALS[language], key
        assert all(form and form == form.strip() for form in forms.values()), key


@pytest.mark.parametrize("package", WITH_WORDS, ids=lambda package: package.name)
def test_sentences_are_translated(package: Path) -> None:
    """What is the same in two languages is a word or a sign, never a sentence."""
    english = texts(package, "en")
    for language in LANGUAGES[1:]:
        same = [key for key, text in texts(package, language).items() if text == english[key] and len(str(text)) > 30]
        assert same == [], language


@pytest.mark.parametrize("package", WITH_WORDS, ids=lambda package: package.name)
def test_a_command_that_a_text_names_is_named_in_every_language(package: Path) -> None:
    def commands(text: object) -> set[str]:
        return set(re.findall(r"[“«„]roundtap ([a-z-]+)", str(text)))

    english = {key: commands(text) for key, text in texts(package, "en").items()}
    for language in LANGUAGES[1:]:
        assert {key: commands(text) for key, text in texts(package, language).items()} == english, language


@pytest.mark.parametrize("package", WITH_WORDS, ids=lambda package: package.name)
def test_who_is_told_to_restore_from_a_copy_is_told_how(package: Path) -> None:
    """There is no command that restores a backup in place."""
    restoring = re.compile(r"\b[Rr]estore (?!.*\broundtap recover\b)[^.]*\b(?:backup|from it)\b")
    assert {key: text for key, text in texts(package, "en").items() if restoring.search(str(text))} == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_core_s_texts_are_sorted_by_key(language: str) -> None:
    keys = list(texts(REPOSITORY / "server" / "roundtap_core", language))
    assert keys == sorted(keys)


def is_problem(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "id", None) in ("Problem", "Invalid") and bool(node.args)


@cache
def problems_in_source() -> list[tuple[frozenset[str], frozenset[str], str]]:
    """Every Problem and Invalid that is made: its key, or those it is chosen from, where they are written out in its
    file; its parameters; its file."""
    found = []
    for file in (file for package in PACKAGES for file in sorted(package.rglob("*.py"))):
        nodes = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
        assigned = {
            target.id: node.value
            for node in nodes
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for node in filter(is_problem, nodes):
            key, *others = node.args  # type: ignore[attr-defined]
            assert not others, (file.name, node)
            chosen = [
                key,
                *(assigned[name.id] for name in ast.walk(key) if isinstance(name, ast.Name) and name.id in assigned),
            ]
            keys = frozenset(
                each.value
                for part in chosen
                if not isinstance(part, ast.Subscript)
                for each in ast.walk(part)
                if isinstance(each, ast.Constant) and isinstance(each.value, str)
            )
            # `where` is the place in a file, and fills no placeholder.
            names = frozenset(keyword.arg for keyword in node.keywords) - {"where"}  # type: ignore[attr-defined]
            found.append((keys, names, f"{file.name}:{node.lineno}"))  # type: ignore[attr-defined]
    return found


def test_every_problem_has_its_text_and_gives_it_what_it_needs() -> None:
    core = texts(REPOSITORY / "server" / "roundtap_core", "en")
    english = {key.removeprefix("problem."): text for key, text in core.items() if key.startswith("problem.")}
    problems = problems_in_source()
    assert any({"journal_shortened", "journal_log_missing"} <= keys for keys, _, _ in problems), "the chosen ones, too"
    assert [(keys, place) for keys, _, place in problems if len(keys) == 1 and not keys <= set(english)] == []
    for keys, names, place in problems:
        for key in keys & set(english) if None not in names else ():
            needed = placeholders(english[key]) | ({"n"} if isinstance(english[key], dict) else set())
            assert needed <= names, (key, place)


def test_no_text_of_a_problem_is_left_over() -> None:
    """Some keys are chosen first, and named where the Problem is made."""
    written = {
        node.value
        for package in PACKAGES
        for file in package.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant)
    }
    catalogue = {
        key.removeprefix("problem.").removesuffix(".teams")
        for key in texts(REPOSITORY / "server" / "roundtap_core", "en")
        if key.startswith("problem.")
    }
    assert catalogue - written == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_rulebooks_and_records_name_has_a_name(language: str) -> None:
    words = core_words(language)
    needed = (
        {f"bye.{bye}" for bye in BYES}
        | {f"ended.{ended}" for ended in get_args(Ending)}
        | {f"stage.{s}" for s in STAGES}
    )
    for book in registry.RULEBOOKS.values():
        needed |= {f"tiebreaker.{key}" for key in book.tiebreaker_keys} | {f"level.{level}" for level in book.levels}
        needed |= set(book.house_decisions) | {f"bye_order.{book.bye_after_round_1}"}
        needed |= {f"stage.{stage}" for stage in book.stage_minutes} | {f"structure.{name}" for name in book.structures}
        needed |= {f"column.{key}" for key in book.tiebreaker_keys} | {f"figure.{key}" for key in book.tiebreaker_keys}
    assert {key for key in needed if key not in words} == set()


def test_no_house_decision_is_left_over() -> None:
    announced = {key for book in registry.RULEBOOKS.values() for key in book.house_decisions}
    written = {key for key in texts(REPOSITORY / "server" / "roundtap_core", "en") if key.startswith("decision.")}
    assert written <= announced


def test_a_text_is_filled_in() -> None:
    words = Words("en", {"saved": "saved #{number}", "missing": {"one": "one is missing", "other": "{n} are missing"}})
    assert words("saved", number=1042) == "saved #1042"
    assert [words("missing", n=n) for n in (1, 2)] == ["one is missing", "2 are missing"]
    with pytest.raises(KeyError):
        words("unknown")


@pytest.mark.parametrize(
    ("language", "number", "date"),
    [
        ("en", "−0.667", "2026-11-21 14:30 UTC"),
        ("de", "−0,667", "21.11.2026 14:30 UTC"),
        ("es", "−0,667", "21/11/2026 14:30 UTC"),
        ("pl", "−0,667", "21.11.2026 14:30 UTC"),
    ],
)
def test_numbers_and_dates_are_written_as_the_language_does(language: str, number: str, date: str) -> None:
    words = core_words(language)
    assert (words.number("−0.667"), words.date("2026-11-21 14:30 UTC")) == (number, date)
    assert (words.number(12), words.date("")) == ("12", "")


def test_polish_plurals() -> None:
    assert {n: plural_form("pl", n) for n in (0, 1, 2, 4, 5, 12, 14, 21, 22, 112, 123)} == {
        0: "many",
        1: "one",
        2: "few",
        4: "few",
        5: "many",
        12: "many",
        14: "many",
        21: "many",
        22: "few",
        112: "many",
        123: "few",
    }
    assert [plural_form("de", n) for n in (0, 1, 2)] == ["other", "one", "other"]


@pytest.mark.parametrize(
    ("wanted", "language"),
    [
        ("pl-PL,pl;q=0.9,en;q=0.5", "pl"),
        ("xx,de;q=0.3,es;q=0.7", "es"),
        ("de_AT.UTF-8", "de"),
        ("C.UTF-8", "en"),
        ("POSIX", "en"),
        ("", "en"),
        ("es;q=oops", "en"),
        ("PL", "pl"),
        ("de.UTF-8", "de"),
    ],
)
def test_the_language_is_chosen(wanted: str, language: str) -> None:
    assert choose_language(wanted) == language


def test_an_unknown_language_reads_english() -> None:
    assert core_words("xx").language == "en"


# Those of a store's own game, which no teams play, and counts of one side of a match.
OF_ONE_EACH = {
    "problem.everybody_size",
    "problem.rules_lines_overlap",
    "own.rounds.line",
    "problem.conceded_after_winning",
}


def test_whatever_counts_players_counts_teams_where_teams_play() -> None:
    for package in WITH_WORDS:
        words = texts(package, "en")
        for key, text in words.items():
            forms = text.values() if isinstance(text, dict) else [text]
            if key not in OF_ONE_EACH and any(
                re.search(r"\{(n|count|players|fewest)\} players?\b", form) for form in forms
            ):
                assert f"{key}.teams" in words, key
