"""One term a thing: the glossary of CONTRIBUTING.md, and the words that no catalogue uses beside it."""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from label_kit import labels
from roundtap_core.words import LANGUAGES

REPOSITORY = Path(__file__).parents[2]
FOLDERS = [
    REPOSITORY / path / "words"
    for path in ("server/roundtap", "server/roundtap_core", "server/roundtap_hub", "firmware/roundtap_units")
]

CLAUSES = REPOSITORY / "server/roundtap_core/rulebooks/clauses"

# What each language says instead stands in the glossary. An entry: what must not be found, what to say.
NOT_SAID: dict[str, list[tuple[str, str]]] = {
    "en": [
        (r"\b[Aa]new\b|\b[Oo]nce more\b", "again"),
        (r"\b[Mm]end(ed|ing)?\b", "correct, change"),
        (r"\b[Ww]ho(m)?ever\b|\b[Ss]omebody\b|\b[Ee]verybody\b", "player, official, someone, all players"),
        (r"\b[Jj]ust now\b|\b[Mm]eanwhile\b|\bat this moment\b", "right now; has changed"),
        (r"\bby (it|them)sel(f|ves)\b|\bof (its|their) own accord\b", "automatically"),
        (r"\b[Hh]and(ed|s|ing)? in\b", "submit"),
        (r"\b(did|does|do|has|have) not (appear|come)\b|\bnot appear(ed)?\b", "no-show"),
        (r"\b[Cc](omes?|ame) back\b", "reinstate, return"),
        (r"\b([Ww]ants? to|has|have|had|who) (leave|left)\b|\b[Ll]eav(e|es|ing) the event\b", "drop, dropped"),
        (r"\b([Ii]s|[Aa]re) here after all\b|\b[Nn]ot here\b", "check in, undo"),
        (r"\b[Tt](ake|akes|aken|ook|aking) (it |them |this |the \w+ )?back\b", "undo, clear, withdraw, revoke, remove"),
        (r"\b[Ll]ook (at|over|it|again)\b", "check, review, open"),
        (r"\b[Ff]igures?\b", "score, number, points"),
        (r"\bgo(es)? on\b(?! (an? )?(pile|paper)\b)|\bgoing on\b", "continue, advance"),
        (r"\bstands?\b", "counts, is final; is at"),
        (r"\b[Ss]ay (this|it|that|so|who|what|why|how)\b", "report, enter, choose"),
        (r"\bis no (?!longer)(?<!ere is no )", "is not a"),
        (
            r"\b[Nn]eeds you\b|\bfrom afar\b|\bin fairness\b|\bfor good\b|\b[Ll]et it (run|blink|be)\b",
            "the glossary's term",
        ),
        (r"\b[Cc]olour|\bcancelled|\b[Nn]eighbour|\b[Hh]onour|\b[Ff]avour", "color, canceled, honored"),
        (r"\b[Ee]nrol(s|ment)?\b|\b[Ll]icence|\bcentre\b", "enroll, license"),
        (
            r"\b([Aa]dd(ed|s|ing)?|[Ee]nter(ed|s|ing)?) (the |late |all )*(players?|teams?)\b(?!['’])"
            r"|[Nn]obody was added",
            "register",
        ),
        (r"already entered\b", "registered"),
        (r"\b[Aa]dopt(s|ed|ing)? (it|each|(the |lost )*round)", "recover"),
        (r"\b[Bb]link\b|\b[Tt]ake \{\}", "Identify; Accept"),
        (
            r"\b(Swiss|[Ff]inal|better|deciding|prize|cut|their|announced) places?\b|places? in the (cut|standings)"
            r"|\b[Pp]lace \{|\b[Bb]y place\b",
            "a rank in the standings, a spot in the cut; at a place in a file",
        ),
        (r"\b[Nn]arrow win\b|\bwin at time\b", "modified win"),
        (r"!", "no exclamation marks"),
    ],
    "de": [
        # "Sie" in the middle of a sentence is somebody addressed; at its beginning it may be a thing spoken of.
        (
            r"(?<=[a-zäöüß,] )(Sie|Ihnen|Ihre?[mnrs]?)\b|^Ihre?[mnrs]? (?!habt|seid)|\bSie (möchten|wollen)\b",
            "du, dein (two: ihr, euer)",
        ),
        (r"\bJudges?\b|JUDGE", "Schiedsrichter (on a unit's screen: Schiri)"),
        (r"Kn[oö]pf", "Taste (on a page: Schaltfläche)"),
        (r"Veranstalter|Organisator|Organisationstisch", "Turnierleitung"),
        (r"Offizielle[nr]?\b(?! [A-ZÄÖÜ])", "Verantwortliche"),
        (r"\b[Aa]nsagen?\b|\b[Aa]ngesagt", "ankündigen, angekündigt; Durchsage senden"),
        (r"Hausentscheid", "Festlegungen der Turnierleitung"),
        (r"Startzahl", "Startwert"),
        (r"(?<!SD-)\bKARTE\b|\bKarte des Hubs|\bauf einer Karte\b|Spiel nicht mit dieser", "Speicherkarte"),
        (r"\b[Bb]linken\b|^Namen zeigen", "Identifizieren"),
        (r"[Kk]orrig|[Kk]orrektur", "berichtigen, Berichtigung"),
        (r"\bgemerkt|GEMERKT", "gespeichert"),
        (r"\bPartien?\b", "Spiel (of several games: Begegnung)"),
        (r"\bEbenen?\b", "Turnierstufe"),
        (r"\bAbschnitt", "Phase"),
        (r"Schnitt\b", "Cut"),
        (r"\b[Cc]aptain", "Kapitän"),
        (r"Stichrunde", "Stechen"),
        (r"\bTelefon", "Handy"),
        (r"\bWand\b|\bWände", "Saalanzeige"),
        (r"\bHallen?\b", "Saal"),
        (r"Veranstaltung", "Turnier"),
        (r"\b[Bb]ye\b", "Freilos"),
        (r"\bverlässt das Turnier|Turnier verlassen|\bausgetreten|\bAustritt", "aussteigen, ausgestiegen"),
        (r"Einigungen|Fassungen|Verschiedenes gemeldet", "widersprüchliche Ergebnisse, Meldungen widersprechen sich"),
        (r"[Bb]raucht dich|Gerade nichts", "Zu erledigen, Nichts offen"),
        (r"\bTüren\b", "Einlass"),
        (r"„Papier“|^Papier$", "Drucken"),
        (r"\bErscheint nicht|gekommen ist", "nicht erschienen"),
        (r"(?<!„)(?<!sagt )\b[Bb]itte [a-zäöü]+", "the verb: Prüfe …, Wähle …"),
        (r";(?!“)", "two sentences"),
        (r"!", "no exclamation marks"),
        (r"[«»]", "„ and “"),
    ],
    "es": [
        (r"\b[Uu]sted", "tú (two: vosotros)"),
        (
            r"\b(Sortee|Haga|Elija|Escriba|Pulse|Diga|Vuelva|Introduzca|Compruebe|Indique|Pida|Espere|Abra|Ponga|Mire)\b",
            "tú: Sortea, Haz, Elige …",
        ),
        (r"cuando se (sortea|publica)\b", "cuando se sortee, se publique"),
        (r"[áÁ]rbitr[oa]", "juez"),
        (r"\b[Ee]ventos?\b", "torneo"),
        (r"papeleta", "hoja de resultado"),
        (r"\b(un|su|el|los) partes?\b|\b[Ii]nformes?\b|\b[Ii]nformad", "enviar, resultado enviado"),
        (r"\b[Ee]tapas?\b", "fase"),
        (
            r"[Ee]ncargad|\b([Uu]n|[Ee]l|[Ll]os|al|del|otro|segundo) [Oo]ficial(es)?\b(?! de navegación)",
            "organización y jueces (one: responsable)",
        ),
        (r"[Cc]heck-in", "asistencia, presente"),
        (r"\b[Ss]e (va|fue|ha ido)\b(?!$)", "abandonar"),
        (r"[Dd]eja(r|s)? el torneo|\bdado de baja", "abandonar el torneo"),
        (r"incomparecencia", "no presentado"),
        (r"bye ganado", "bye de premio"),
        (r"\b[Ss]ignos? (raro|invisible)", "carácter"),
        (r"\b[Tt]e espera\b", "Pendiente"),
        (r"\bhacia las\b", "fin previsto"),
        (r"(?<!alidad de los )(?<!cada )(?<!un )(?<!sin )\boponente|adversario", "rival"),
        (r"\b[Cc]onced(e|er|ió|id[oa]s?)\b|\bconcesi", "rendirse, rendición"),
        (r"\borganizador", "la organización"),
        (r"[Tt]eléfono", "móvil"),
        (r"\btecla\b", "botón"),
        (r"\b[Pp]apel de\b|^Papel$|\b(cada|otro|Asignar) papel\b", "función"),
        (r"\b(en|sin) contacto\b|^Contacto$|[Úú]ltimo contacto|\bhaya contacto\b", "conectada, sin conexión"),
        (
            r"(?<!arjeta )(?<!arjetas )\b(la|una|su|esta|de) memorias?\b(?! (USB|RAM))|\b[Mm]emorias\b(?! USB)",
            "memoria USB (of a machine: memoria RAM, tarjeta de memoria)",
        ),
        (r"Wi-?Fi|\b[Ll]a wifi\b|\buna wifi\b", "el wifi"),
        (
            r"\bno vale(n)?\b|\b[Vv]ale(n)? (el|la hoja|los|las|lo|su|tu|diez)\b|\bdeja de valer\b",
            "es correcto, es válido, cuenta, sirve",
        ),
        (r"[Ee]n juego\b.*[Rr]eglas|[Rr]eglas en juego", "reglas vigentes"),
        (r"\bfuera de servicio\b", "no está de servicio"),
        (r"(?<!ronda )\bsuiza$", "del suizo"),
        (r"cosas? (pendiente|por corregir)|puntos? pendientes?", "asunto pendiente; error"),
        (r"[Vv]ictoria (ajustada|por tiempo|al acabar)", "victoria modificada"),
        (r"[“”]", "« and »"),
        (r"[!¡]", "no exclamation marks"),
    ],
    "pl": [
        (r"\bPan(i|a|u|ią)?\b|Państw", "ty, or nobody"),
        (r"(?<=[a-ząćęłńóśźż,] )(Ty|Twoj\w*|Twój|Ci|Cię|Tobie)\b", "ty, twój in small letters"),
        (r"\(-?[aą]\)|/a\b", "a form that fits everybody"),
        (r"[Pp]anel(?!\w* huba)", "konsola (the hub's own buttons: panel huba)"),
        (r"[Ss]paruj|[Ss]parow|\b[Pp]arowa|[Kk]ojarz", "ustal pary, rozlosuj pary"),
        (r"\b[Pp]arti[ae]\b", "gra"),
        (r"\b[Oo]dej[śd]|\b[Oo]desz|(?<=.)\bodchodz|Odchodz", "wycofać się, wycofanie (on a unit's screen: odchodzi)"),
        (r"[Cc]heck-in", "obecność, potwierdź obecność"),
        (r"rozlosowan", "wylosowane"),
        (r"\bszkic", "wersja robocza"),
        (r"[Nn]iestaw|nie stawi|[Ww]alkower", "nieobecność"),
        (r"\b[Oo]b(oje|aj)\b", "obie strony, obie osoby"),
        (r"\b[Pp]roszę\b", "usuń, wpisz: the plain imperative"),
        (r"[Dd]wa uzgodnienia", "sprzeczne wyniki"),
        (r"wyświetlacz", "ekran"),
        (r"\b[Kk]art(a|ę|ą|y|ach)? wyniku", "kartka wyniku"),
        (r"funkcyjn", "osoba z obsługi, obsługa turnieju"),
        (r"\b([Nn]a|[Pp]oza|[Dd]o|[Zz]e) służb", "dyżuruje, dyżur"),
        (r"[Uu]rządze\w* (na stol|na stoł|stołu|stołów)", "urządzenie przy stole"),
        (
            r"\bZestaw\b(?! (pakiet|z misj|z ekran))|[Ss]trony zestawu|\b(i|jest|minut|których) zestaw\b",
            "system; zestaw pakietów",
        ),
        (r"remisuj\w* o\b", "remis na miejscu z nagrodą lub awansem"),
        (r"\b[Oo]bie (na|zniszczone|przegrywają)\b", "obie strony, obie listy"),
        (
            r"\b[Ww]pisz (graczy|drużyny|spóźnion)|\b[Dd]opisz\b(?! (produkt|go))",
            "dodaj (what is typed: wpisz)",
        ),
        (r"\b[Nn]a (jego )?konsoli\b", "w konsoli"),
        (r"[Pp]amięci? USB", "pendrive"),
        (r"[Nn]ieznaczne zwycięstwo|wygrana po czasie", "zmodyfikowane zwycięstwo"),
        (r"\b[Cc]u(t\w*|cie)\b", "awans"),
        (r"tali\w+ (poboczn|zapasow)|ławk", "sideboard"),
        (r"\bna sali\b", "w sali"),
        (r"\b[Bb]ye\b", "wolny los"),
        (r"!", "no exclamation marks"),
    ],
}

# The longest sentence of a language, and the mean of all, in words.
SENTENCE_WORDS = {"en": (20, 10), "de": (22, 10), "es": (24, 10), "pl": (20, 10)}


def texts(language: str) -> Iterator[tuple[str, str]]:
    for folder in FOLDERS:
        for key, text in json.loads((folder / f"{language}.json").read_text(encoding="utf-8")).items():
            for form in text.values() if isinstance(text, dict) else [text]:
                yield f"{folder.parent.name}: {key}", re.sub(r"\{\w*\}", "{}", form)


def clauses(language: str) -> Iterator[tuple[str, str]]:
    """What the hub shows of each rules document, its own headings aside. Where a clause keeps the document's own word
    for a thing, "called" names the two, the page says so once, and the word is left out here."""
    for path in sorted(CLAUSES.glob("*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        its_own = [re.escape(theirs) for theirs in document.get("called", {}).get(language, {}).values()]
        translated = CLAUSES / language / path.name
        said = json.loads(translated.read_text(encoding="utf-8")) if translated.exists() else {}
        for clause in document["clauses"]:
            for part in ("text", "reason", "decided"):
                text = (said.get(clause["id"], {}) if language != "en" else clause).get(part, "")
                text = re.sub(rf"(?i)\b({'|'.join(its_own)})\w*", "", text) if its_own else text
                yield f"{path.stem}: {clause['id']}, {part}", text
        for section, heading in document["headings"].items():
            shown = heading.get(language, section)
            named = shown if shown != section else ""
            yield f"{path.stem}: {section}", re.sub(rf"(?i)\b({'|'.join(its_own)})\w*", "", named) if its_own else named
        for texts_of in document.get("words", {}).get(language, {}).items():
            yield f"{path.stem}: {texts_of[0]}", str(texts_of[1])


def documents() -> Iterator[tuple[str, str]]:
    """Each line of prose of every document."""
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    for name in listed.stdout.split():
        for number, line in enumerate(prose((REPOSITORY / name).read_text(encoding="utf-8")).splitlines(), 1):
            yield f"{name}:{number}", line


def prose(text: str) -> str:
    """A document without code, addresses, and words that CONTRIBUTING advises against; each line stays where it is."""
    text = re.sub(r"^\| not \| but \|\n(\|.*\n)+", blank, text, flags=re.MULTILINE)
    return re.sub(
        r"^```.*?^```|^ {4}[^\n]*$|`[^`]*`|!(?=\[)|\]\([^)]*\)|<[^>]*>", blank, text, flags=re.MULTILINE | re.DOTALL
    )


def blank(found: re.Match[str]) -> str:
    return "…" + "\n" * found[0].count("\n")


def glossary() -> list[dict[str, str]]:
    text = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8").split("## Words")[1]
    rows = re.findall(r"^\| (.+) \|$", text, re.MULTILINE)
    return [
        dict(zip(("thing", *LANGUAGES), row.split(" | "), strict=True))
        for row in rows
        if row.count(" | ") == len(LANGUAGES) and not row.startswith("thing ")
    ]


def second_names(language: str, said: Iterator[tuple[str, str]]) -> list[tuple[str, str, str]]:
    return [
        (where, text, instead)
        for where, text in said
        for wrong, instead in NOT_SAID.get(language, ())
        if re.search(wrong, text)
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_called_by_a_second_name(language: str) -> None:
    """What to say instead is named beside each: tell a text of yours from the list, and say that."""
    assert second_names(language, texts(language)) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_clauses_use_the_glossary_s_words(language: str) -> None:
    assert second_names(language, clauses(language)) == []


def test_of_a_document_only_code_and_addresses_are_left_out() -> None:
    text = "One `colour`.\n\n    colour\n\nTwo [colour](colour.md).\n\n```\ncolour\n```\nThree colour.\n"
    assert [number for number, line in enumerate(prose(text).splitlines(), 1) if "colour" in line] == [5, 10]


def test_documents_use_the_glossary_s_words() -> None:
    assert second_names("en", documents()) == []


def sentences(text: str) -> list[str]:
    """What stands between full stops, question marks, and colons that a capital follows: not the stop of „K.-o.“."""
    return re.split(r"(?<=[.?:…])(?<!K\.)(?<!-o\.)(?<!\bca\.)\s+(?=[„“«¿]|\W*[A-ZÄÖÜ0-9{])", text)


def words_of(sentence: str) -> list[str]:
    return re.findall(r"[\w{][\w{}.'’/:-]*", sentence)


@pytest.mark.parametrize("language", SENTENCE_WORDS)
def test_sentences_are_short(language: str) -> None:
    """The mean is that of texts with a full stop, since a label is no sentence."""
    most, mean = SENTENCE_WORDS[language]
    split = [
        (where, sentence, len(words_of(sentence))) for where, text in texts(language) for sentence in sentences(text)
    ]
    assert [(where, sentence) for where, sentence, count in split if count > most] == []
    whole = [count for where, sentence, count in split if sentence.endswith((".", "?"))]
    assert sum(whole) / len(whole) <= mean


def test_a_long_sentence_is_found() -> None:
    assert [len(words_of(each)) for each in sentences("Tisch {} bleibt: Prüfe die K.-o.-Runde. Um 13:30 weiter?")] == [
        3,
        3,
        3,
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_term_of_the_glossary_is_said(language: str) -> None:
    said = " ".join(text.lower() for _, text in texts(language))
    rows = glossary()
    assert len(rows) > 15
    terms = [term.strip(" *") for row in rows for term in re.sub(r"\(.*?\)", "", row[language]).split(",")]
    assert [term for term in terms if term.lower() not in said] == []


def test_english_sentences_are_short() -> None:
    """A full stop or a question mark ends a sentence, a colon or a semicolon does not. A text without either is one
    too for the longest, but no such text makes the mean look better."""
    said = [
        (len(sentence.split()), where, sentence)
        for where, text in texts("en")
        for sentence in re.split(r"(?<=[.?])\s+", text)
    ]
    assert [found for found in said if found[0] > 20] == []
    whole = [words for words, _, sentence in said if sentence.endswith((".", "?"))]
    assert sum(whole) / len(whole) <= 10


LABEL_LETTERS = 28
"""As many fit on one line of a phone, beside a sign; what fills a label in is not counted."""


@pytest.mark.parametrize("language", LANGUAGES)
def test_labels_of_buttons_and_headings_are_short(language: str) -> None:
    known = set(labels())
    assert {"match.save", "need.second.keep", "said.title", "place.hall", "next.publish.button", "people.drop"} <= known
    assert {"cut.anew.round", "me.said.saved", "door.encrypted", "waits.full", "absent.is_here"} <= known, "by Python"
    assert [
        (where, text, len(text))
        for where, text in texts(language)
        if re.sub(r"^roundtap_(hub|core): ", "", where) in known
        and len(re.sub(r"\{\}", "", text).strip(" :·…")) > LABEL_LETTERS
    ] == []


def test_english_labels_have_four_words_at_most() -> None:
    """A label that is a sentence, or has a colon, says more than what it does; what fills it in is not counted."""
    known = set(labels())
    for page in (REPOSITORY / "server" / "roundtap_hub").glob("*/templates/*.html"):
        known |= set(re.findall(r'<a [^>]*>[^<]*\{\{ t\("([a-z0-9_.-]+)"', page.read_text(encoding="utf-8")))
    assert {"needs.title", "match.no_show", "mend.do", "walk.enter"} <= known
    assert [
        (where, text)
        for where, text in texts("en")
        if where.removeprefix("roundtap_hub: ") in known
        and not re.search(r"[.?:]", text)
        and len(re.findall(r"[\w’'/-]+", text.replace("{}", ""))) > 4
    ] == []


def test_a_short_form_stays_on_the_small_screen() -> None:
    assert [where for where, text in texts("de") if "Schiri" in text and not where.startswith("roundtap_units")] == []


def test_a_spanish_question_is_opened_and_closed() -> None:
    assert [(where, text) for where, text in texts("es") if text.count("¿") != text.count("?")] == []


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "Bitte sehen Sie nach."),
        ("de", "Ein Judge kommt an Ihren Tisch."),
        ("es", "El evento ha terminado."),
        ("es", "{} se va tras esta ronda."),
        ("es", "Lo decide un oficial."),
        ("es", "Tu mesa aparecerá aquí cuando se sortea la ronda 1."),
        ("pl", "Która z tych osób to Ty?"),
        ("en", "Say it anew."),
        ("en", "Somebody did not appear"),
        ("en", "Nothing just now."),
        ("en", "Take it back"),
        ("en", "“x” is no date; write it as 2026-11-21."),
        ("en", "Leaves the event"),
        ("en", "as the figures say"),
    ],
)
def test_the_list_finds_what_it_is_for(language: str, text: str) -> None:
    assert any(re.search(wrong, text) for wrong, _ in NOT_SAID[language])


@pytest.mark.parametrize(
    "text",
    [
        "Sie werden aufgehoben, bis du weitermachst.",
        "Ihr habt beide gemeldet",
        "Die Kopie zählt nicht: Sie ist nicht da.",
    ],
)
def test_a_thing_spoken_of_is_not_somebody_addressed(text: str) -> None:
    wrong, _ = NOT_SAID["de"][0]
    assert not re.search(wrong, text)
