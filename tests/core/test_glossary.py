"""One term a thing: the glossary of CONTRIBUTING.md, and the words that no catalogue uses beside it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from roundtap_core.words import LANGUAGES

REPOSITORY = Path(__file__).parents[2]
FOLDERS = [REPOSITORY / path / "words" for path in (
    "server/roundtap", "server/roundtap_core", "server/roundtap_hub", "firmware/roundtap_units")]

# What each language says instead stands in the glossary. An entry: what must not be found, what to say.
NOT_SAID: dict[str, list[tuple[str, str]]] = {
    "en": [
        (r"\banew\b", "again"),
        (r"\b[Mm]end(ed|ing)?\b", "correct, change"),
        (r"!", "no exclamation marks"),
    ],
    "de": [
        # "Sie" in the middle of a sentence is somebody addressed; at its beginning it may be a thing spoken of.
        (r"(?<=[a-zäöüß,] )(Sie|Ihnen|Ihre?[mnrs]?)\b|^Ihre?[mnrs]? (?!habt|seid)|\bSie (möchten|wollen)\b",
         "du, dein (two: ihr, euer)"),
        (r"\bJudges?\b|JUDGE", "Schiedsrichter (on a unit's screen: Schiri)"),
        (r"Kn[oö]pf", "Taste (on a page: Schaltfläche)"),
        (r"Veranstalter|Organisator|Organisationstisch", "Turnierleitung"),
        (r"Offizielle", "Verantwortliche"),
        (r"\bPartien?\b", "Spiel (of several games: Begegnung)"),
        (r"\bStufe", "Ebene"), (r"\bAbschnitt", "Phase"), (r"Schnitt\b", "Cut"),
        (r"\b[Cc]aptain", "Kapitän"), (r"Stichrunde", "Stechen"),
        (r"\bTelefon", "Handy"), (r"\bWand\b|\bWände", "Saalanzeige"), (r"\bHallen?\b", "Saal"),
        (r"Veranstaltung", "Turnier"), (r"\b[Bb]ye\b", "Freilos"),
        (r"!", "no exclamation marks"), (r"[«»]", "„ and “"),
    ],
    "es": [
        (r"\b[Uu]sted", "tú (two: vosotros)"),
        (r"\b(Sortee|Haga|Elija|Escriba|Pulse|Diga|Vuelva|Introduzca|Compruebe|Indique|Pida|Espere|Abra|Ponga|Mire)\b",
         "tú: Sortea, Haz, Elige …"),
        (r"cuando se (sortea|publica)\b", "cuando se sortee, se publique"),
        (r"[áa]rbitr[oa]", "juez"), (r"\b[Ee]ventos?\b", "torneo"), (r"papeleta", "hoja de resultado"),
        (r"\b(un|su|el|los) partes?\b", "informe"), (r"\b[Ee]tapas?\b", "fase"), (r"[Ee]ncargad", "oficial"),
        (r"(?<!alidad de los )(?<!cada )(?<!un )(?<!sin )\boponente|adversario", "rival"),
        (r"\b[Cc]onced(e|er|ió|id[oa]s?)\b|\bconcesi", "rendirse, rendición"), (r"\borganizador", "la organización"),
        (r"[Tt]eléfono", "móvil"), (r"\btecla\b", "botón"), (r"[“”]", "« and »"), (r"[!¡]", "no exclamation marks"),
    ],
    "pl": [
        (r"\bPan(i|a|u|ią)?\b|Państw", "ty, or nobody"),
        (r"(?<=[a-ząćęłńóśźż,] )(Ty|Twoj\w*|Twój|Ci|Cię|Tobie)\b", "ty, twój in small letters"),
        (r"\(-?[aą]\)|/a\b", "a form that fits everybody"),
        (r"[Pp]anel(?!\w* huba)", "konsola (the hub's own buttons: panel huba)"),
        (r"[Ss]paruj|[Ss]parow|\b[Pp]arowa|[Kk]ojarz", "ustal pary, rozlosuj pary"), (r"\b[Pp]arti[ae]\b", "gra"),
        (r"\b[Oo]dej[śd]|\b[Oo]desz|(?<=.)\bodchodz|Odchodz", "wycofać się, wycofanie (on a unit's screen: odchodzi)"),
        (r"[Cc]heck-in", "obecność, potwierdź obecność"), (r"rozlosowan", "wylosowane"), (r"\bszkic", "wersja robocza"),
        (r"[Nn]iestaw|nie stawi|[Ww]alkower", "nieobecność"), (r"\b[Oo]b(oje|aj)\b", "obie strony, obie osoby"),
        (r"\b[Pp]roszę\b", "usuń, wpisz: the plain imperative"), (r"[Dd]wa uzgodnienia", "sprzeczne wyniki"),
        (r"wyświetlacz", "ekran"), (r"\bkart(ki|kę|ce|kach)\b", "karta wyników"), (r"\b[Cc]u(t\w*|cie)\b", "awans"),
        (r"tali\w+ (poboczn|zapasow)|ławk", "sideboard"), (r"\bna sali\b", "w sali"),
        (r"\b[Bb]ye\b", "wolny los"), (r"!", "no exclamation marks"),
    ],
}


def texts(language: str) -> Iterator[tuple[str, str]]:
    for folder in FOLDERS:
        for key, text in json.loads((folder / f"{language}.json").read_text(encoding="utf-8")).items():
            for form in text.values() if isinstance(text, dict) else [text]:
                yield f"{folder.parent.name}: {key}", re.sub(r"\{\w*\}", "{}", form)


def glossary() -> list[dict[str, str]]:
    text = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8").split("## Words")[1]
    rows = re.findall(r"^\| (.+) \|$", text, re.MULTILINE)
    return [dict(zip(("thing", *LANGUAGES), row.split(" | "), strict=True)) for row in rows
            if row.count(" | ") == len(LANGUAGES) and not row.startswith("thing ")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_called_by_a_second_name(language: str) -> None:
    """What to say instead is named beside each: tell a text of yours from the list, and say that."""
    found = [(where, text, instead) for where, text in texts(language) for wrong, instead in NOT_SAID.get(language, ())
             if re.search(wrong, text)]
    assert found == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_term_of_the_glossary_is_said(language: str) -> None:
    said = " ".join(text.lower() for _, text in texts(language))
    rows = glossary()
    assert len(rows) > 15
    terms = [term.strip(" *") for row in rows for term in re.sub(r"\(.*?\)", "", row[language]).split(",")]
    assert [term for term in terms if term.lower() not in said] == []


def test_a_short_form_stays_on_the_small_screen() -> None:
    assert [where for where, text in texts("de") if "Schiri" in text and not where.startswith("roundtap_units")] == []


def test_a_spanish_question_is_opened_and_closed() -> None:
    assert [(where, text) for where, text in texts("es") if text.count("¿") != text.count("?")] == []


@pytest.mark.parametrize(("language", "text"), [
    ("de", "Bitte sehen Sie nach."), ("de", "Ein Judge kommt an Ihren Tisch."), ("es", "El evento ha terminado."),
    ("es", "Tu mesa aparecerá aquí cuando se sortea la ronda 1."), ("pl", "Która z tych osób to Ty?"),
    ("en", "Say it anew."),
])
def test_the_list_finds_what_it_is_for(language: str, text: str) -> None:
    assert any(re.search(wrong, text) for wrong, _ in NOT_SAID[language])


@pytest.mark.parametrize("text", ["Sie werden aufgehoben, bis du weitermachst.", "Ihr habt Verschiedenes gemeldet",
                                  "Die Kopie zählt nicht: Sie ist nicht da."])
def test_a_thing_spoken_of_is_not_somebody_addressed(text: str) -> None:
    wrong, _ = NOT_SAID["de"][0]
    assert not re.search(wrong, text)
