"""The hub's catalogues: the same texts in all four languages, and every text that a page asks for."""

import json
import re
from pathlib import Path

import pytest

import roundtap_hub
from roundtap_core.words import LANGUAGES, catalogue, core_words, plural_form

PACKAGE = Path(roundtap_hub.__file__).parent
TEXTS = {lang: json.loads((PACKAGE / "words" / f"{lang}.json").read_text(encoding="utf-8")) for lang in LANGUAGES}
FORMS = {lang: {"other"} | {plural_form(lang, n) for n in range(1000)} for lang in LANGUAGES}


def placeholders(text: str | dict[str, str]) -> set[str]:
    variants = text.values() if isinstance(text, dict) else [text]
    return {name for variant in variants for name in re.findall(r"\{(\w+)\}", variant)}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_language_has_every_text_with_the_same_placeholders(lang: str):
    assert TEXTS[lang].keys() == TEXTS["en"].keys()
    for key, text in TEXTS[lang].items():
        extra = placeholders(text) - placeholders(TEXTS["en"][key]) - {"n"}
        assert not extra, key
        if isinstance(text, dict):
            assert text.keys() == FORMS[lang], key
        assert "!" not in json.dumps(text, ensure_ascii=False), key


def test_every_text_a_template_names_is_there():
    both = catalogue("roundtap_hub", "en").also(core_words("en"))
    for template in PACKAGE.glob("*/templates/*.html"):
        for key in re.findall(r"""\bt\(["']([\w.-]+)["'][,)]""", template.read_text(encoding="utf-8")):
            assert key in both, (template.name, key)


def test_every_problem_the_hub_can_raise_has_words():
    both = catalogue("roundtap_hub", "en").also(core_words("en"))
    for source in PACKAGE.rglob("*.py"):
        for key in re.findall(r'(?:Problem|Invalid)\("(\w+)"', source.read_text(encoding="utf-8")):
            assert f"problem.{key}" in both, (source.name, key)
