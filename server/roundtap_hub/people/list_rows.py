"""The rows of a list of people without what people write around the names: numbers, ticks, titles, totals."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from roundtap_core.lists.list_form import fold
from roundtap_hub.people.payment_words import parse_paid
from roundtap_hub.people.raw_table import LINE_BREAK_SIGN
from roundtap_hub.people.table_columns import CAPTAINS, NAME, NAMES, NOTE, TURNED, capitals_first

# A row's number in the table, its cells by meaning, and why it is not ticked.
ListedRow = tuple[int, dict[str, str], str]

# Why a row is not ticked: its name may be two cells or lines, joined by a stray quotation mark; its last name may come
# first; it may be a title, a total or a note that stands about the list.
BREAK, ORDER, ASIDE = ODD = ("break", "order", "aside")

_SIGNS = r"[•·・▪▫◦‣⁃►▶➤➔→●○■□◆◇★☆☐☑✓✔✅\U0001f1e6-\U0001f1ff\U0001f300-\U0001faff\u2794-\u27bf\ufe0f]"
# What a list has before each name: a number, a bullet, a tick.
_MARK = re.compile(
    rf"(?:\s*(?:\[[ xX✓✔]?\]|\(?\d{{1,3}}\s?[.)\]:、．]+|#?\d{{1,3}}\s*[-–—]|#?\d{{1,3}}(?=\s)|(?:\d\ufe0f?\u20e3)+|"
    rf"\U0001f51f|[-–—*+>](?=\s)|@(?=\w)|{_SIGNS}+)\s*){{1,2}}"
)
_TICKED = re.compile(rf"\s+{_SIGNS}+$|[,;]$")
_PICTURES = re.compile(r"(?:[\u2600-\u27bf\U0001f1e6-\U0001faff][\ufe0f\u200d]*)+")

_TOTALS = (
    "total|totals|sum|count|number of players|total players|players total|gesamt|summe|anzahl|anzahl spieler|suma|"
    "razem|liczba graczy|lacznie|total jugadores|total de jugadores|totale|totaal|nombre de joueurs|celkem|antal|"
    "total de jogadores|yhteensa|osszesen|generated|created|exported|printed|page|seite|stand|strona|pagina|updated|"
    "last updated|erstellt|exportiert|wygenerowano|generado|genere"
)
# Who does not play: as a title over other people, behind a name, or in another column.
_AWAY = (
    "waiting list|waitlist|wait list|waiting|waitlisted|reserve|reserves|reserve list|standby|backup|cancelled|"
    "canceled|dropped|deleted|withdrawn|declined|absent|sick|not coming|not attending|not going|no show|"
    "can t come|maybe|interested|invited|warteliste|nachrucker|ersatz|abgesagt|abgemeldet|absagen|storniert|"
    "krank|verhindert|vielleicht|lista de espera|reservas|suplentes|baja|bajas|cancelado|cancelada|enfermo|"
    "enferma|quizas|tal vez|lista rezerwowa|rezerwa|rezerwowi|lista oczekujacych|rezygnacja|rezygnacje|anulowane|"
    "wycofany|chory|chora|moze|liste d attente|remplacants|annule|annules|malade|peut etre|lista d attesa|"
    "riserve|annullato|malato|forse|wachtlijst|reservelijst|afgemeld|geannuleerd|ziek|misschien|nahradnici|"
    "cekaci listina|zruseno|nemocny|mozna|vantelista|reserver|venteliste|varasija|varolista|organizer|organizers|"
    "organiser|organisers|judge|judges|referee|staff|helper|helpers|spectator|orga|schiedsrichter|helfer|"
    "zuschauer|juez|jueces|arbitro|arbitros|organizadores|sedzia|sedziowie|organizatorzy|arbitres|arbitri|"
    "scheidsrechters|absents|assente|assenti|ausente|ausentes|nieobecny|nieobecni|abwesend|nao vem|no viene|"
    "no vienen|a lo mejor|odpada|absage|remplacant|kommt nicht|kommer ikke|kommer inte|ne vient pas|"
    "nie przyjdzie|候补|替补|取消|缺席|補欠|欠席|キャンセル|대기|취소|불참"
)
_TITLE = re.compile(rf"(?:{_TOTALS})(?: \d.*)?|(?:total|generated|created|exported|printed|page|seite|strona) .*")
_OTHER_LIST = re.compile(rf"(?:{_AWAY}|no|nein|nie|non|nao|nee|ne|nej|nem|ei)(?: \d.*)?")
_THIS_LIST = re.compile(
    r"(?:yes|presenti|anwesend|going|coming|attending|ja|dabei|zusagen|si|tak|oui|sim|ano|igen|kylla)(?: \d.*)?"
)
# Headings over a yes or no of who comes.
_COMES = re.compile(
    r"rsvp|attending|coming|will attend|kommt|kommst du|anwesend|teilnahme|nimmt teil|aanwezig|komt|asiste|asistencia|"
    r"viene|presente|present|participe|obecnosc|obecny|prijde|kommer|svar"
)
_SAID_AWAY = re.compile(rf"(?:(?:wc|hat|has|ist|is|ha|est|jest) )?(?:{_AWAY})(?: .*)?")
# A title, a sentence, an address, somebody crossed out, a figure.
_NO_PLAYER = re.compile(
    r".*[:!?？：]|.*(?:: |\S@\S|https?://|www\.|[❌✗✘❎⛔❓❔\U0001f44e\U0001f6ab\U0001f937]|\d{4}).*|~.*|"
    r".*\+ ?\d|.*\.\..*|[\d\W]+|\d+ \w+|(?:\S+\s+){6,}\S+"
)
# What is written behind a name: in brackets, after a dash, a year of birth.
_ADDED = re.compile(
    r"(.*\S)(?:\s[-–—]+\s*|\s?[(\[（【]\s*|\s(?=(?:19\d\d|20[01]\d)$))([^()\[\]（【】）]+?)\s*[)\]）】]?"
)
_PRONOUN = "she|her|hers|he|him|his|they|them|theirs|xe|ze|er|ihm|sie|ihr|el|ella|elle|on|ona|jej|il|lui|iel"
_OF_A_PERSON = re.compile(rf"(?:{_PRONOUN})(?: (?:{_PRONOUN}))*|{'|'.join(sorted(CAPTAINS))}")
_TWO_PEOPLE = re.compile(r"\w\s*[&/]\s*\w|\s(?:\+|and|und|et)\s")
_LATIN = re.compile(r"[A-Za-zÀ-ɏ]")

_ABOUT, _PARTICLES = (
    frozenset(said.split("|"))
    for said in (
        # Words of titles over a list.
        "anmeldungen|attendees|deelnemers|deelnemerslijst|deltagare|deltagere|dimanche|giocatori|gracze|graczy|hraci|"
        "inscritos|inscrits|iscritti|jogadores|joueurs|jugadores|list|lista|liste|niedziela|partecipanti|"
        "participantes|participants|pelaajat|players|prihlaseni|registrations|sabado|samstag|saturday|signups|"
        "spelers|spielerliste|teilnehmer|teilnehmerliste|toernooi|torneio|torneo|tournament|tournoi|turnaj|"
        "turnering|turniej|turnier|uczestnicy|zapisani|zapisy|zawodnicy|参加者|参加者一覧|报名名单|参赛名单|참가자",
        "af|al|av|da|das|de|del|den|der|di|do|dos|du|el|la|las|le|los|mac|ten|ter|van|von|zu|zur",
    )
)
# What follows a comma and is no first name.
AFTER_A_COMMA = frozenset({"jr", "jr.", "sr", "sr.", "ii", "iii", "iv", "phd", "ph.d.", "md", "msc", "esq."})


def read_list_rows(
    filled: Sequence[tuple[int, Mapping[str, str], Sequence[str]]], team: bool, headings: Sequence[str] = ()
) -> list[ListedRow]:
    """The rows (number, cells by meaning, the whole row) without marks before their names, and without what is written
    behind them, which becomes a note."""
    key = next((k for k in NAMES if any(k in cells for _, cells, _ in filled)), NAME)
    widths = Counter(sum(map(bool, row)) for _, _, row in filled)
    usual = max(widths, key=widths.__getitem__, default=1)
    asked = [
        (n, _COMES.fullmatch(fold(heading)), _SAID_AWAY.fullmatch(fold(heading))) for n, heading in enumerate(headings)
    ]
    answers = [(n, bool(away)) for n, comes, away in asked if comes or away]
    marked = sum(_MARK.match(cells.get(key, "")) is not None for _, cells, _ in filled)
    numbered = marked > 1 and marked * 2 > len(filled)
    names = [cells.get(key, "") for _, cells, _ in filled]
    bares = [_TICKED.sub("", _MARK.sub("", name, count=1) if marked > 1 else name) for name in names]
    parts = [(bare, "") if team else split_added(bare) for bare in bares]
    named = sum(_may_be_club(added) for _, added in parts) * 2 > len(filled) > 1
    chatty = usual == 1 and sum(map(_is_lower, bares)) * 2 < len(filled)
    made: list[ListedRow] = []
    before, other, below = 0, False, False
    for (number, cells, row), name, bare, (alone, added) in zip(filled, names, bares, parts, strict=True):
        width = sum(map(bool, row))
        if not bare and width == 1 and numbered:
            continue  # A number that nobody took.
        cut = added.isdigit() or (bool(added) and bare[-1] in ")]）】")
        sure = not added or _OF_A_PERSON.fullmatch(fold(added)) is not None or (named and cut and _may_be_club(added))
        shown = alone if sure or cut else bare
        said = fold(bare) if any(c.isalnum() for c in bare) else ""
        below = bool(made) and width < usual and (below or number > before + 1)
        second = bool(made) and bare.endswith((":", "："))
        other = _THIS_LIST.fullmatch(said) is None and (other or second or _OTHER_LIST.fullmatch(said) is not None)
        aside = (
            other
            or below
            or not sure
            or _TITLE.fullmatch(said) is not None
            or _THIS_LIST.fullmatch(said) is not None
            or (not team and bool(_ABOUT.intersection(said.split())))
            or (numbered and not _MARK.match(name))
            or any(_SAID_AWAY.fullmatch(fold(cell)) for cell in {*row} - {*{**cells, NOTE: ""}.values()})
            or any(row[n] and parse_paid(row[n]) is wrong for n, wrong in answers)
            or (not team and (bool(_NO_PLAYER.fullmatch(shown)) or _ends_away(shown)))
            or (chatty and _is_lower(bare))
        )
        joined = any(sign in cells.get(meaning, "") for meaning in NAMES for sign in (";", LINE_BREAK_SIGN))
        two = joined or (not team and _TWO_PEOPLE.search(shown))
        odd = BREAK if two else ASIDE if aside else ORDER if not team and _unsure(key, shown) else ""
        found = {**cells, key: _PICTURES.sub(" ", shown).strip() or shown} if key in cells else dict(cells)
        if shown != bare:
            found[NOTE] = " · ".join(filter(None, (cells.get(NOTE), added)))
        made.append((number, found, odd))
        before = number
    spaced = [" " in cells.get(key, "") for _, cells, _ in made]
    if len(made) > 1 and made[0][0] == 1 and not spaced[0] and all(spaced[1:]):
        # One word above full names: a heading in a language that is not known here.
        made[0] = (*made[0][:2], made[0][2] or ASIDE)
    return made


def split_added(name: str) -> tuple[str, str]:
    """A name, and what is written behind it. A reading in other letters belongs to the name.

    >>> split_added("Ann Bee (Store A)"), split_added("王小明 (Wang)")
    (('Ann Bee', 'Store A'), ('王小明 (Wang)', ''))
    """
    found = _ADDED.fullmatch(name)
    if found is None:
        return name, ""
    other_letters = bool(_LATIN.search(found[1])) != bool(_LATIN.search(found[2])) and not found[2].isdigit()
    return (name, "") if other_letters and not _says_away(found[2]) else (found[1], found[2])


def _says_away(added: str) -> bool:
    """Whether it says that somebody does not play, or something of a payment."""
    return parse_paid(added) is not None or _SAID_AWAY.fullmatch(fold(added)) is not None


def _may_be_club(added: str) -> bool:
    """Whether it is written as names are: a club's, a shop's, a nickname; or a year of birth."""
    words = [word for word in added.split() if word[0] != "@"]
    return (
        bool(added)
        and not (words and words[-1].islower())
        and not any(len(word) > 3 and word[0].islower() for word in words)
        and (added.isdigit() or not _says_away(added))
    )


def _ends_away(name: str) -> bool:
    """Whether a last word that is not written as a name is says such a thing."""
    last = name.split()[-1] if " " in name else ""
    return bool(last) and not last.istitle() and not last.isdigit() and _says_away(last)


def _is_lower(name: str) -> bool:
    return name.islower() and " " in name


def _unsure(key: str, name: str) -> bool:
    return turned_name(name)[1] if key == TURNED else key == NAME and capitals_first(name) and not is_turned(name)


def is_turned(name: str) -> bool:
    """Whether a name is written "Keller, Franz"."""
    last, comma, first = (part.strip() for part in name.partition(","))
    return bool(last and comma and first) and "," not in first and first.casefold() not in AFTER_A_COMMA


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
