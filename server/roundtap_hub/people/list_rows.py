"""The rows of a list of people without what people write around the names: numbers, ticks, titles, totals."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from roundtap_core.lists.list_form import fold
from roundtap_hub.people.coming_words import (
    AWAY,
    OTHER_LIST,
    PAYS,
    answers_no,
    comes,
    may_be_name,
    parse_paid,
    said_beside,
    says_away,
    surely_beside,
    taken_back,
)
from roundtap_hub.people.raw_table import LINE_BREAK_SIGN
from roundtap_hub.people.table_columns import CAPTAINS, FIRST, LAST, NAME, NAMES, NOTE, PAID, TURNED, capitals_first

# A row's number in the table, its cells by meaning, why it is not ticked, and the words that say so.
ListedRow = tuple[int, dict[str, str], str, str]

# Why a row is not ticked: its name may be two cells or lines, joined by a stray quotation mark; the list says that this
# person may not play; it may be a title, a total or a note about the list; its last name may come first.
_, _, ASIDE, ORDER = ODD = ("break", AWAY, "aside", "order")

_SIGNS = r"[•·・▪▫◦‣⁃►▶➤➔→●○■□◆◇★☆☐☑✓✔✅\U0001f1e6-\U0001f1ff\U0001f300-\U0001faff\u2794-\u27bf\ufe0f]"
_PRONOUN = "she|her|hers|he|him|his|they|them|theirs|xe|ze|er|ihm|sie|ihr|el|ella|elle|on|ona|jej|il|lui|iel"
(
    _MARK,
    _TICKED,
    _PICTURES,
    _TITLE,
    _THIS_LIST,
    _NO_PLAYER,
    _ADDED,
    _LED,
    _BETWEEN,
    _FIGURES,
    _OF_A_PERSON,
    _TWO_PEOPLE,
    _LATIN,
) = map(
    re.compile,
    (
        # what a list has before each name: a number, a bullet, a tick; and behind it
        rf"(?:\s*(?:\[[ xX✓✔]?\]|\(?\d{{1,3}}\s?[.)\]:、．]+|#?\d{{1,3}}\s*[-–—]|#?\d{{1,3}}(?=\s)|"
        rf"(?:\d\ufe0f?\u20e3)+|\U0001f51f|[-–—*+>](?=\s)|@(?=\w)|{_SIGNS}+)\s*){{1,2}}",
        rf"\s+{_SIGNS}+$|[,;]$",
        r"(?:[\u2600-\u27bf\U0001f1e6-\U0001faff][\ufe0f\u200d]*)+",
        # titles
        "(?:"
        "total|totals|sum|count|number of players|total players|players total|gesamt|summe|anzahl|anzahl spieler|suma|"
        "razem|liczba graczy|lacznie|total jugadores|total de jugadores|totale|totaal|nombre de joueurs|celkem|antal|"
        "total de jogadores|yhteensa|osszesen|generated|created|exported|printed|page|seite|stand|strona|pagina|"
        "updated|"
        "last updated|erstellt|exportiert|wygenerowano|generado|genere"
        r")(?: \d.*)?|(?:total|generated|created|exported|printed|page|seite|strona) .*",
        r"(?:yes|presenti|anwesend|going|coming|attending|ja|dabei|zusagen|si|tak|oui|sim|ano|igen|kylla)(?: \d.*)?",
        # a title, a sentence, an address, somebody crossed out, a figure
        r".*[:!?？：]|.*(?:: |\S@\S|https?://|www\.|[❌✗✘❎⛔❓❔\U0001f44e\U0001f6ab\U0001f937]|\d{4}).*|~.*|"
        r".*\+ ?\d|.*\.\..*|[\d\W]+|\d+ \w+|(?:\S+\s+){6,}\S+",
        # what is written behind a name: in brackets, after a dash, a comma or a colon, a year of birth
        r"(.*[^\s,;:])(?:\s[-–—=→]+\s*|[,;:]\s+|\s?[(\[{（【]\s*|\s(?=(?:19\d\d|"
        r"20[01]\d)$))([^()\[\]{}（【】）]+?)\s*[)\]}）】]?",
        # in brackets before it
        r"^([(\[（【][^()\[\]（【】）]+[)\]）】])\s*(.*\w.*)",
        # between two remarks
        r"[,;·|]\s+",
        # a time, a date, so many of so many
        r"(?i)(?=.*[./:])[\d./:\s-]+(?:uhr|h|am|pm)?",
        rf"(?:{_PRONOUN})(?: (?:{_PRONOUN}))*|{'|'.join(sorted(CAPTAINS))}",
        r"\w\s*[&/]\s*\w|\s(?:\+|and|und|et)\s",
        r"[A-Za-zÀ-ɏ]",
    ),
)

_ABOUT, _PARTICLES, AFTER_A_COMMA = (
    frozenset(map(fold, words.split("|")))
    for words in (
        # Words of titles over a list.
        "anmeldungen|attendees|campeonato|campionato|championnat|championship|copa|cup|deelnemers|deelnemerslijst|"
        "deltagare|deltagere|dimanche|giocatori|gracze|graczy|hraci|"
        "inscritos|inscrits|iscritti|jogadores|joueurs|jugadores|league|liga|list|lista|liste|meisterschaft|"
        "mistrzostwa|niedziela|open|pokal|puchar|partecipanti|"
        "participantes|participants|pelaajat|players|prihlaseni|registrations|sabado|samstag|saturday|signups|"
        "spelers|spielerliste|teilnehmer|teilnehmerliste|toernooi|torneio|torneo|tournament|tournoi|turnaj|"
        "turnering|turniej|turnier|uczestnicy|zapisani|zapisy|zawodnicy|参加者|参加者一覧|报名名单|参赛名单|참가자",
        "af|al|av|da|das|de|del|den|der|di|do|dos|du|el|la|las|le|los|mac|ten|ter|van|von|zu|zur",
        # What follows a comma and is no first name.
        "jr|jr.|sr|sr.|ii|iii|iv|phd|ph.d.|md|msc|esq.",
    )
)


def read_list_rows(
    filled: Sequence[tuple[int, Mapping[str, str], Sequence[str]]], team: bool, headings: Sequence[str]
) -> list[ListedRow]:
    """The rows (number, cells by meaning, the whole row) without marks before their names, and without what is written
    behind them, which becomes a note."""
    key = next((k for k in NAMES if any(k in cells for _, cells, _ in filled)), NAME)
    widths = Counter(sum(map(bool, row)) for _, _, row in filled)
    usual = max(widths, key=widths.__getitem__, default=1)
    # Of numbers of three digits, none is a yes.
    come = [
        any(comes(row[n]) for _, _, row in filled)
        and not any(len(row[n]) > 2 and row[n].isdigit() for *_, row in filled)
        for n in range(len(headings))
    ]
    marked = sum(_MARK.match(cells.get(key, "")) is not None for _, cells, _ in filled)
    numbered = marked > 1 and marked * 2 > len(filled)
    names = [cells.get(key, "") for _, cells, _ in filled]
    bares = [_TICKED.sub("", _MARK.sub("", name, count=1) if marked > 1 else name) for name in names]
    commas = sum(
        key == TURNED or (is_turned(b) and not said_beside(end := b.partition(",")[2].strip()) and comes(end) is None)
        for b in bares
    )
    parts = [_parts(_LED.sub(r"\2 \1", bare), team, commas * 2 > len(bares)) for bare in bares]
    chatty = usual == 1 and sum(map(_is_lower, bares)) * 2 < len(filled)
    made: list[ListedRow] = []
    before, other, below = 0, False, False
    for (number, cells, row), name, bare, (shown, added, sure) in zip(filled, names, bares, parts, strict=True):
        width = sum(map(bool, row))
        if not bare and width == 1 and numbered:
            continue  # A number that nobody took.
        plain = fold(f"{shown} {cells.get(LAST, '') * (key == FIRST)}") if any(c.isalnum() for c in shown) else ""
        # A title stands alone, or beside a figure: in a row with a club or a last name it is a name.
        alone = sum(any(map(str.isalpha, cell)) for cell in row) < 2
        below = bool(made) and width < usual and (below or number > before + 1)
        other = _THIS_LIST.fullmatch(plain) is None and (
            other or (bool(made) and bare.endswith((":", "："))) or (alone and OTHER_LIST.fullmatch(plain) is not None)
        )
        aside = (
            other
            or below
            or not sure
            or any(title.fullmatch(plain) for title in (_TITLE, _THIS_LIST, OTHER_LIST) if alone or key != FIRST)
            # "Līga" is a given name.
            or (alone and not team and bool(_ABOUT.intersection(plain.split())) and not shown.startswith("Līga "))
            or (numbered and not _MARK.match(name))
            or (not team and (bool(_NO_PLAYER.fullmatch(shown)) or _ends_away(shown)))
            or (chatty and _is_lower(bare))
        )
        two = any(sign in cells.get(meaning, "") for meaning in NAMES for sign in (";", LINE_BREAK_SIGN)) or (
            not team and _TWO_PEOPLE.search(shown)
        )
        turned = turned_name(shown)[1] if key == TURNED else capitals_first(shown) and not is_turned(shown)
        beside = {said_beside(each): each for each in added}
        pays = "" if cells.get(PAID) else beside.get(PAYS, "")
        away = beside.get(AWAY) or next(
            (
                f"{heading} – {cell or '…'}".removeprefix(" – ")
                for heading, cell, others in zip(headings, row, come, strict=True)
                if answers_no(heading, cell, others)
                or (cell not in {**cells, NOTE: ""}.values() and says_away(cell))
                or (cell == cells.get(PAID) and taken_back(cell))
            ),
            "",
        )
        reasons = zip(ODD, (two, away and shown, aside, turned and not team and key in (NAME, TURNED)), strict=True)
        tidied = {
            **cells,
            key: _PICTURES.sub(" ", shown).strip() or shown,
            PAID: pays or cells.get(PAID, ""),
            NOTE: " · ".join(filter(None, (cells.get(NOTE), *(each for each in added if each != pays)))),
        }
        made.append((number, tidied, next((why for why, so in reasons if so), ""), away))
        before = number
    spaced = [" " in cells.get(key, "") for _, cells, *_ in made]
    if len(made) > 1 and made[0][0] == 1 and not spaced[0] and all(spaced[1:]):
        # One word above full names: a heading in a language that is not known here.
        made[0] = (*made[0][:2], made[0][2] or ASIDE, made[0][3])
    return made


def split_added(name: str) -> tuple[str, str]:
    """A name, and what is written behind it. A reading in other letters belongs to the name.

    >>> split_added("Ann Bee (Store A)"), split_added("王小明 (Wang)")
    (('Ann Bee', 'Store A'), ('王小明 (Wang)', ''))
    """
    added = _ADDED.fullmatch(name)
    return (
        (added[1], added[2])
        if added is not None
        and (
            said_beside(added[2])
            or (
                name[len(added[1])] not in ",;:"  # "Keller, Franz"
                and (
                    bool(_LATIN.search(added[1])) == bool(_LATIN.search(added[2]))
                    or not any(map(str.isalpha, added[2]))
                )
            )
        )
        else (name, "")
    )


def _parts(name: str, team: bool, turned: bool) -> tuple[str, list[str], bool]:
    """A name, what is written about it, and whether it is sure that this is no title and no second name. Behind a
    comma or a dash a given name may stand, surely so behind the comma where the list is `turned` ("Keller, Franz")."""
    left, addition = split_added(name)
    sign, beside = name[len(left) :].lstrip()[:1], said_beside(addition)
    bracketed, first = sign in tuple("([{（【"), turned and sign == "," and addition[:1].isupper()
    if (
        not addition
        or first
        or (may_be_name(addition) and sign in tuple(",;-–—"))
        or (team and not surely_beside(addition))
        or not (beside or (not team and (bracketed or addition.isdigit() or _OF_A_PERSON.fullmatch(fold(addition)))))
    ):
        return name, [], not (bracketed and beside) if team else not addition or (first and may_be_name(addition))
    alone, added, sure = _parts(left, team, turned)
    return alone, [*added, *_BETWEEN.split(addition)], sure and not _FIGURES.fullmatch(addition)


def _ends_away(name: str) -> bool:
    """Whether a last word that is not written as a name is says such a thing."""
    last = name.split()[-1] if " " in name else ""
    return (says_away(last) or parse_paid(last or "…") is not None) and not last.istitle() and not last.isdigit()


def _is_lower(name: str) -> bool:
    return name.islower() and " " in name


def is_turned(name: str) -> bool:
    """Whether a name is written "Keller, Franz"."""
    last, comma, first = (part.strip() for part in name.partition(","))
    return bool(last and comma and first) and "," not in first and fold(first) not in AFTER_A_COMMA


def turned_name(name: str) -> tuple[str, bool]:
    """A name with the last name first as it is said, and whether it is unsure how many words the last name has."""
    if is_turned(name):
        last, _, first = name.partition(",")
        return f"{first.strip()} {last.strip()}", False
    words = name.split()
    capitals = next((n for n, word in enumerate(words) if not word.isupper() or len(word) < 2), len(words))
    if 0 < capitals < len(words):
        return " ".join((*words[capitals:], *words[:capitals])), False
    if len(words) > 1 and capitals == 0 and words[-1].isupper() and len(words[-1]) > 2:
        return name, True
    particles = next((n for n, word in enumerate(words) if word.casefold() not in _PARTICLES), 0)
    return " ".join((*words[particles + 1 :], *words[: particles + 1])), len(words) - particles > 2
