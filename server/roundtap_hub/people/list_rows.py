"""The rows of a list of people without what people write around the names: numbers, ticks, titles, totals."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from roundtap_core.lists.list_form import fold
from roundtap_hub.people.payment_words import parse_paid
from roundtap_hub.people.raw_table import LINE_BREAK_SIGN
from roundtap_hub.people.table_columns import NAME, NAMES, TURNED, capitals_first

# A row's number in the table, its cells by meaning, and why it is not ticked.
ListedRow = tuple[int, dict[str, str], str]

# Why a row is not ticked: its name may be two cells or lines, joined by a stray quotation mark; its last name may come
# first; it may be a title, a total or a note that stands about the list.
BREAK, ORDER, ASIDE = ODD = ("break", "order", "aside")

_SIGNS = r"[•·▪▫◦‣⁃►▶➤➔→●○■□◆◇★☆☐☑✓✔✅\U0001f300-\U0001faff\u2794-\u27bf\ufe0f]"
# What a list has before each name: a number, a bullet, a tick.
_MARK = re.compile(
    rf"(?:\s*(?:\[[ xX✓✔]?\]|\(?\d{{1,3}}\s?[.)\]:]+|#?\d{{1,3}}\s*[-–—]|#?\d{{1,3}}(?=\s)|(?:\d\ufe0f?\u20e3)+|"
    rf"\U0001f51f|[-–—*+](?=\s)|{_SIGNS}+)\s*){{1,2}}"
)
_TICKED = re.compile(rf"\s+{_SIGNS}+$")

_TOTALS = (
    "total|totals|sum|count|number of players|total players|players total|gesamt|summe|anzahl|anzahl spieler|suma|"
    "razem|liczba graczy|lacznie|total jugadores|total de jugadores|totale|totaal|nombre de joueurs|celkem|antal|"
    "total de jogadores|yhteensa|osszesen|generated|created|exported|printed|page|seite|stand|strona|pagina|updated|"
    "last updated|erstellt|exportiert|wygenerowano|generado|genere"
)
_WAITING = (
    "waiting list|waitlist|wait list|waiting|reserve|reserves|reserve list|standby|backup|cancelled|canceled|dropped|"
    "not coming|maybe|warteliste|nachrucker|ersatz|abgesagt|absagen|lista de espera|reservas|suplentes|bajas|"
    "lista rezerwowa|rezerwa|rezerwowi|lista oczekujacych|rezygnacje|liste d attente|remplacants|annules|"
    "lista d attesa|riserve|wachtlijst|reservelijst|afgemeld|nahradnici|cekaci listina|vantelista|reserver|venteliste|"
    "varasija|varolista|organizers|organisers|judges|staff|helpers|orga|schiedsrichter|helfer|jueces|arbitros|"
    "organizadores|sedziowie|organizatorzy|arbitres|arbitri|scheidsrechters"
)
_TITLE = re.compile(rf"(?:{_TOTALS})(?: \d.*)?|(?:total|generated|created|exported|printed|page|seite|strona) .*")
_OTHER_LIST = re.compile(rf"(?:{_WAITING})(?: \d.*)?")
# A title, a sentence, an address, somebody crossed out, a figure.
_NO_PLAYER = re.compile(
    r".*[:!?？：]|.*(?:: |\S@\S|https?://|www\.|[❌✗✘❎⛔❓❔\U0001f44e\U0001f6ab\U0001f937]|\d{4}).*|~.*|"
    r".*\+ ?\d|[\d\W]+|\d+ \w+|(?:\S+\s+){6,}\S+"
)
_ADDED = re.compile(r".*(?:\s[-–—(\[]+|\s?[(\[])\s*([^()\[\]]+?)\s*[)\]]?")

_ABOUT, _PARTICLES, _GONE = (
    frozenset(said.split("|"))
    for said in (
        # Words of titles over a list.
        "anmeldungen|attendees|deelnemers|deelnemerslijst|deltagare|deltagere|dimanche|giocatori|gracze|graczy|hraci|"
        "inscritos|inscrits|iscritti|jogadores|joueurs|jugadores|list|lista|liste|niedziela|partecipanti|"
        "participantes|participants|pelaajat|players|prihlaseni|registrations|sabado|samstag|saturday|signups|"
        "spelers|spielerliste|teilnehmer|teilnehmerliste|toernooi|torneio|torneo|tournament|tournoi|turnaj|"
        "turnering|turniej|turnier|uczestnicy|zapisani|zapisy|zawodnicy",
        "af|al|av|da|das|de|del|den|der|di|do|dos|du|el|la|las|le|los|mac|ten|ter|van|von|zu|zur",
        # What another column says of who does not play.
        "abgemeldet|abgesagt|afgemeld|annullato|annule|anulowane|arbitro|baja|cancelado|cancelled|canceled|declined|"
        "deleted|dropped|geannuleerd|helfer|helper|juez|judge|no show|not attending|not coming|organiser|organizer|"
        "referee|reserve|rezygnacja|schiedsrichter|sedzia|spectator|staff|storniert|waiting list|waitlist|waitlisted|"
        "warteliste|withdrawn|wycofany|zruseno|zuschauer",
    )
)
# Suffixes after a comma that are not first names.
AFTER_A_COMMA = frozenset({"jr", "jr.", "sr", "sr.", "ii", "iii", "iv"})


def read_list_rows(filled: Sequence[tuple[int, Mapping[str, str], Sequence[str]]], team: bool) -> list[ListedRow]:
    """The rows (number, cells by meaning, the whole row) without marks before their names."""
    key = next((k for k in NAMES if any(k in cells for _, cells, _ in filled)), NAME)
    widths = Counter(sum(map(bool, row)) for _, _, row in filled)
    usual = max(widths, key=widths.__getitem__, default=1)
    marked = sum(_MARK.match(cells.get(key, "")) is not None for _, cells, _ in filled)
    numbered = marked > 1 and marked * 2 > len(filled)
    made: list[ListedRow] = []
    before, other, below = 0, False, False
    for number, cells, row in filled:
        name, width = cells.get(key, ""), sum(map(bool, row))
        bare = _TICKED.sub("", _MARK.sub("", name, count=1) if numbered else name)
        if not bare and width == 1 and numbered:
            continue  # A number that nobody took.
        said = fold(bare) if any(c.isalnum() for c in bare) else ""
        below = bool(made) and width < usual and (below or number > before + 1)
        other = other or _OTHER_LIST.fullmatch(said) is not None
        aside = (
            other
            or below
            or _TITLE.fullmatch(said) is not None
            or (not team and bool(_ABOUT.intersection(said.split())))
            or (numbered and not _MARK.match(name))
            or not _GONE.isdisjoint(map(fold, {*row} - {*cells.values()}))
            or (not team and (bool(_NO_PLAYER.fullmatch(bare)) or _says_more(bare, numbered)))
        )
        odd = BREAK if _is_joined(cells) else ASIDE if aside else ORDER if not team and _unsure(key, bare) else ""
        made.append((number, {**cells, key: bare} if key in cells else dict(cells), odd))
        before = number
    spaced = [" " in cells.get(key, "") for _, cells, _ in made]
    if len(made) > 1 and made[0][0] == 1 and not spaced[0] and all(spaced[1:]):
        # One word above full names: a heading in a language that is not known here.
        made[0] = (*made[0][:2], made[0][2] or ASIDE)
    return made


def _is_joined(cells: Mapping[str, str]) -> bool:
    return any(sign in cells.get(meaning, "") for meaning in NAMES for sign in (";", LINE_BREAK_SIGN))


def _says_more(name: str, of_chat: bool) -> bool:
    """Whether a payment is written behind the name; in a chat, whatever is written there."""
    found = _ADDED.fullmatch(name)
    return found is not None and (of_chat or parse_paid(found[1]) is not None)


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
