"""What each column of a table of people means: by its heading, else by what stands below it; unsure ones are left."""

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from roundtap_core.lists.list_form import fold
from roundtap_hub.people.coming_words import PAYS_HEADING, parse_paid
from roundtap_hub.people.raw_table import Rows

NAME, TURNED, FIRST, LAST, CLUB, ID, LINK, PAID, NOTE, CAME_WITH, TABLE, MEMBER_1, MEMBER_2, SKIP = (
    "name",
    "turned",
    "first",
    "last",
    "club",
    "id",
    "link",
    "paid",
    "note",
    "came_with",
    "table",
    "member_1",
    "member_2",
    "",
)
MEANINGS = (NAME, TURNED, FIRST, LAST, CLUB, ID, LINK, PAID, NOTE, CAME_WITH, TABLE)
NAMES = (NAME, TURNED, FIRST, LAST, MEMBER_1, MEMBER_2)
OF_TEAMS = (MEMBER_1, MEMBER_2)  # columns of teams only

_WHOLE_NAMES = (
    "full name|legal name|full legal name|"
    "player name|players name|real name|participant name|attendee name|competitor name|name and surname|"
    "first and last name|first name and last name|first name last name|name surname|nombre completo|"
    "nombre y apellidos|nombre y apellido|nombres y apellidos|nombre del jugador|nombre jugador|spielername|"
    "vollstandiger name|vor und nachname|vor und zuname|vorname nachname|vorname und nachname|vorname name|"
    "name des spielers|imie i nazwisko|imie nazwisko|imie i nazwisko gracza|imie i nazwisko zawodnika|nom complet|"
    "prenom nom|prenom et nom|nom du joueur|nome completo|nome e cognome|nome cognome|nome giocatore|nome e apelido|"
    "nome e sobrenome|nome do jogador|volledige naam|naam speler|voornaam en achternaam|voornaam achternaam|"
    "cele jmeno|jmeno a prijmeni|jmeno prijmeni|jmeno hrace|fullstandigt namn|for och efternamn|fornamn och efternamn|"
    "for og efternavn|fornavn og efternavn|fulde navn|fullt navn|koko nimi|etunimi ja sukunimi|teljes nev"
)
# Columns that are parts of a name beside others of its kind.
_MORE_FIRST_NAMES = "middle name|segundo nombre|drugie imie|zweiter vorname|deuxieme prenom|secondo nome"
_MORE_LAST_NAMES = (
    "tussenvoegsel|tussenvoegsels|voorvoegsel|voorvoegsels|namenszusatz|primer apellido|segundo apellido|apellido 1|"
    "apellido 2|1er apellido|2o apellido|apellido paterno|apellido materno"
)
_HEADINGS: Mapping[str, str] = MappingProxyType(
    {
        NAME: f"{_WHOLE_NAMES}|name|names|player|players|participant|participants|competitor|attendee|display name|"
        "jugador|jugadora|jugadores|participante|participantes|spieler|spielerin|teilnehmer|teilnehmerin|gracz|gracze|"
        "zawodnik|zawodniczka|zawodnicy|uczestnik|uczestnicy|joueur|joueuse|joueurs|participant e|giocatore|giocatori|"
        "partecipante|partecipanti|concorrente|jogador|jogadores|nome|speler|spelers|deelnemer|deelnemers|naam|jmeno|"
        "hrac|hraci|ucastnik|spelare|deltagare|namn|spiller|spillere|deltager|navn|pelaaja|pelaajat|osallistuja|nimi|"
        "氏名|姓名|名前|이름|ho va ten|ho ten|jatekos|resztvevo|игрок|участник|имя|фио|nazwa gracza",
        TURNED: "nazwisko i imie|nazwisko imie|name vorname|nachname vorname|nachname und vorname|familienname vorname|"
        "name und vorname|zuname vorname|apellidos y nombre|apellidos nombre|apellido y nombre|apellidos y nombres|"
        "apellido nombre|last name first name|last first|last name first|surname first name|surname name|"
        "surname and name|family name first name|family name given name|last name and first name|nom prenom|"
        "nom et prenom|cognome nome|cognome e nome|apelido e nome|apelido nome|sobrenome e nome|achternaam voornaam|"
        "naam voornaam|prijmeni jmeno|prijmeni a jmeno|efternamn fornamn|efternavn fornavn|sukunimi etunimi|"
        "vezeteknev keresztnev|фамилия имя|фамилия и имя",
        FIRST: f"{_MORE_FIRST_NAMES}|"
        "first name|first names|firstname|fname|given name|given names|given|forename|forenames|forename s|"
        "christian name|"
        "call name|first|nombre|nombres|nombre de pila|vorname|vornamen|rufname|taufname|imie|imiona|pierwsze imie|"
        "prenom|prenoms|prenom usuel|prenom d usage|prenom usage|nome di battesimo|nome proprio|primo nome|voornaam|"
        "voornamen|roepnaam|doopnaam|krestni|rodne jmeno|tilltalsnamn|kaldenavn|kutsumanimi|utonev|fornamn|fornavn|"
        "etunimi|keresztnev|primeiro nome|krestni jmeno",
        LAST: f"{_MORE_LAST_NAMES}|"
        "last name|last names|lastname|lname|surname|surnames|family name|last|apellido|apellidos|nachname|"
        "familienname|zuname|nazwisko|nazwiska|"
        "nom|noms|nom de famille|nom d usage|nom usage|cognome|cognomi|familienaam|apelido|sobrenome|ultimo nome|"
        "achternaam|efternamn|efternavn|etternavn|sukunimi|"
        "prijmeni|vezeteknev|csaladnev|фамилия",
        CLUB: "所属|クラブ|チーム|俱乐部|战队|클럽|cau lac bo|societa|club|team|team name|club team|team club|"
        "group|store|local store|home store|shop|teamname|playgroup|"
        "club name|gaming group|equipo|nombre del equipo|grupo|tienda|asociacion|verein|mannschaft|teamname|gruppe|"
        "laden|vereinsname|klub|klub sklep|druzyna|nazwa druzyny|druzyna gracza|sklep|stowarzyszenie|equipe|"
        "nom de l equipe|association|magasin|boutique|squadra|nome squadra|negozio|gruppo|associazione|clube|loja|"
        "equipa|vereniging|ploeg|winkel|tym|nazev tymu|oddil|lag|klubb|forening|hold|joukkue|seura|csapat|egyesulet|"
        "клуб|команда",
        ID: "id|player id|membership|membership number|member id|member number|number id|itc id|bcp id|user id|"
        "longshanks id|wizards id|dci|id de jugador|id jugador|socio|numero de socio|n de socio|spieler id|"
        "spielernummer|mitgliedsnummer|mitglieds nr|id gracza|numer gracza|nr gracza|numer czlonkowski|id joueur|"
        "numero de licence|licence|n licence|id giocatore|tessera|numero tessera|id do jogador|numero de membro|"
        "lidnummer|spelersnummer|id hrace|medlemsnummer|tagszam|lizenz|lizenznummer|license|license number|t3 id",
        LINK: "list link|link|list url|url|army list|list|list link url|squad|squad link|army list link|roster|"
        "roster link|enlace|enlace a la lista|lista|ejercito|listenlink|link zur liste|liste|armeeliste|"
        "link do listy|lista armii|rozpiska|adres listy|lien|lien de la liste|lista esercito|link lista|lijst|"
        "link naar lijst",
        PAID: "paid|payment|fee|have you paid|did you pay|hat bezahlt|hast du bezahlt|schon bezahlt|has pagado|"
        "ya has pagado|czy zaplaciles|czy zaplaciles wpisowe|czy oplacone|avez vous paye|as tu paye|hai pagato|"
        "heb je betaald|entry fee paid|startgeld bezahlt|bezahlt ja nein|"
        "quota|quota pagata|"
        "quota iscrizione|paid status|payment status|has paid|fee paid|entry fee|pagado|pago|cuota|ha pagado|"
        "estado del pago|estado de pago|bezahlt|zahlung|zahlungsstatus|startgeld|startgebuhr|turniergebuhr|"
        "teilnahmegebuhr|teilnahmebeitrag|bezahlstatus|zahlstatus|tournament fee|zaplacone|oplacone|oplata|"
        "wplata|wpisowe|platnosc|status platnosci|paye|paiement|statut du paiement|statut de paiement|regle|pagato|"
        "pagamento|stato pagamento|pago|estado do pagamento|betaald|betaling|betaalstatus|zaplaceno|platba|stav platby|"
        "betald|betalning|betalt|maksu|maksettu|fizetve|fizetes|оплата|оплачено",
        NOTE: "note|notes|comment|comments|remark|remarks|nota|notas|comentario|comentarios|observaciones|notiz|"
        "notizen|bemerkung|bemerkungen|kommentar|anmerkung|anmerkungen|notatka|notatki|uwagi|komentarz|remarque|"
        "remarques|commentaire|commentaires|osservazioni|commenti|observacoes|opmerking|opmerkingen|poznamka|poznamky|"
        "anteckning|bemaerkning|huomautus|megjegyzes|примечание",
        CAME_WITH: "came with|with|travels with|car|carpool|vino con|viene con|coche|kommt mit|fahrgemeinschaft|"
        "angereist mit|przyjechal z|przyjechali z|z kim|razem z|vient avec|covoiturage|viene insieme a",
        TABLE: "fixed table|table|fixed seat|mesa fija|mesa|fester tisch|tisch|staly stol|stol|table fixe|tavolo|tafel",
        MEMBER_1: "captain|member 1|player 1|first player|capitan|miembro 1|jugador 1|kapitan|mitglied 1|spieler 1|"
        "czlonek 1|gracz 1|capitaine|joueur 1|capitano|giocatore 1|capitao|jogador 1|speler 1",
        MEMBER_2: "member 2|player 2|second player|member|partner|miembro 2|jugador 2|miembro|mitglied 2|spieler 2|"
        "mitglied|czlonek 2|gracz 2|czlonek|joueur 2|coequipier|giocatore 2|compagno|jogador 2|speler 2",
    }
)
_NICKNAMES, _FILLERS, _OF_WHOM, TEAM_NAMES, CAPTAINS, _GIVEN_NAMES, _LAST_BESIDE_FIRST = (
    frozenset(map(fold, words.split("|")))
    for words in (
        # Used as names where no other column may be one.
        "alias|apelido no jogo|apodo|goes by|known as|preferred name|benutzername|bijnaam|gamertag|handle|kallenavn|"
        "ksywka|nick|nickname|nutzername|"
        "prezdivka|pseudo|pseudonim|pseudonyme|smeknamn|soprannome|spitzname|user name|username|usuario",
        # Words that turn a heading into a form's question.
        "a|an|attendee|bitte|cual|das|dein|deine|deinen|der|die|din|ditt|e|el|enter|es|escribe|est|ihr|ihre|il|"
        "indica|is|ist|"
        "jakie|je|jest|jouw|la|lautet|le|my|o|of|participant|participants|player|players|please|podaj|qual|quel|s|"
        "seu|spieler|su|sua|swoj|swoja|swoje|tell|teu|"
        "the|ton|tu|tua|tuo|tve|twoj|twoje|us|uw|vase|votre|wat|what|whats|which|wie|write|you|your",
        # Words behind a heading that say whose it is.
        "attendee|de|del|der|des|do|du|gracza|giocatore|jogador|joueur|jugador|of|partecipante|participant|"
        "participante|"
        "speler|spieler|spielers|teilnehmer|teilnehmers|the|uczestnika|zawodnika",
        "druzyna|equipe|equipo|hold|lag|mannschaft|nazwa druzyny|nom de l equipe|nombre del equipo|nome squadra|"
        "ploeg|squadra|team|team name|teamname|tym",
        "c|capitaine|capitan|capitano|capitao|captain|kapitan|kapitein",
        # Common given names of the countries that the kit is used in: only to notice a list that has them last.
        "adam|adrian|agnieszka|albert|alberto|alejandro|aleksandra|alex|alexander|alice|alicia|ana|anders|andrea|"
        "andreas|andrzej|ann|anna|anne|antonio|attila|bartosz|beatriz|bela|ben|benjamin|carlos|carmen|charlotte|"
        "chris|christian|christoph|claudia|daniel|david|diego|dominik|eduardo|elena|elisabeth|emil|emma|erik|eva|ewa|"
        "felix|ferenc|fernando|filip|florian|francesca|francesco|francisco|frank|franz|fritz|gabor|gabriel|george|"
        "giovanni|giulia|gonzalo|grzegorz|hannah|hans|harry|helena|henrik|ines|isabel|istvan|jacek|jack|jakub|james|"
        "jan|jana|janos|janusz|javier|jean|jens|jerzy|jiri|joanna|joao|johan|johannes|john|jonas|jorg|jorge|jose|"
        "josef|juan|julia|julie|julien|karin|karl|karolina|katalin|katarzyna|katharina|kevin|klara|klaus|kristian|"
        "krzysztof|laszlo|laura|lena|lenka|leon|lisa|louis|luca|lucas|lucia|luis|lukas|lukasz|maciej|magdalena|"
        "manuel|marcel|marcin|marco|marek|maria|marie|mario|mark|marta|martin|mateusz|matteo|matthias|max|maximilian|"
        "mia|michael|michal|michel|miguel|mikael|monika|nicolas|nicole|niklas|nils|nina|oliver|olivia|oscar|pablo|"
        "paolo|patrick|paul|paula|pavel|pawel|pedro|peter|petr|philipp|pierre|piotr|rafael|rafal|ricardo|robert|rosa|"
        "rui|ryszard|sabine|samuel|sandra|sara|sarah|sebastian|sergio|simon|sofia|sophie|stefan|stephan|sven|tanja|"
        "tereza|thomas|tiago|tim|tobias|tom|tomas|tomasz|uwe|vaclav|victor|walter|werner|wojciech|wolfgang|yvonne|"
        "zofia|zoltan|zuzanna",
        "jmeno|naam|name|namn|navn|nev|nimi|nome|имя",
    )
)
# Known headings of columns that are not imported.
_IGNORED_HEADINGS = (
    "rank|place|position|seed|no|nr|faction|army|points|score|wins|losses|draws|record|mov|sos|country|city|"
    "state|email|"
    "e mail|mail|email address|e mail address|phone|phone number|mobile|checked in|check in|dropped|drop|status|"
    "registered|registration date|date|time|timestamp|rounds|byes|ticket|ticket type|order|order number|order id|"
    "discord|discord name|pronouns|region|elo|rating|itc score|role|age|gender|town|address|facciion|faccion|ejercito|"
    "puntos|puesto|pais|ciudad|correo|correo electronico|direccion de correo electronico|marca temporal|telefono|fecha|"
    "fraktion|armee|punkte|platz|rang|land|ort|wohnort|stadt|telefon|datum|zeitstempel|e mail adresse|uhrzeit|rolle|"
    "frakcja|armia|punkty|miejsce|kraj|miasto|miejscowosc|adres e mail|sygnatura czasowa|data|lp|l p|telefon|ranking|"
    "horodateur|adresse e mail|adresse mail|courriel|ville|pays|armee|points|classement|informazioni cronologiche|"
    "indirizzo email|citta|paese|fazione|esercito|punti|posizione|carimbo de data hora|endereco de e mail|cidade|"
    "faccao|pontos|tijdstempel|e mailadres|plaats|woonplaats|leger|punten|casova znacka|mesto|mesto bydliste|frakce|"
    "body|tidsstampel|e postadress|stad|ort|fraktion|poang|by|poeng|aikaleima|kaupunki|sahkoposti|varos|nemzet|"
    "pontszam|"
    "decided by|by chance|город|страна|телефон|рейтинг"
)

_WHOLE = frozenset(map(fold, _WHOLE_NAMES.split("|")))
_BY_HEADING = {fold(heading): meaning for meaning, headings in _HEADINGS.items() for heading in headings.split("|")}
_MORE_NAMES = {*_MORE_FIRST_NAMES.split("|"), *_MORE_LAST_NAMES.split("|")}
_KNOWN = {*_BY_HEADING, *_NICKNAMES, *map(fold, _IGNORED_HEADINGS.split("|"))}
_ASIDE, _ALTERNATIVE, _ADDRESS, _NUMBER, _WORDS, _SPACED, _NO_NAME, _YEAR = map(
    re.compile,
    (
        r"[(\[].*?[)\]]|[*?¿¡:!]",
        r"\s*/\s*|\s+(?:or|oder|o|lub|albo|ou|nebo|eller|tai|vagy)\s+|\s+[-–—]\s+",
        r"(?i)https?://\S+",
        r"#?[A-Za-z]{0,4}[- ]?\d{1,20}",
        r"[^\W\d_]{2,}|[^\W\d_a-zA-Z]",
        r"\S \S",
        # an address, a date, a figure, a phone number
        r"\S+@\S+\.\S+|https?://.*|www\..*|.*\d{1,4}[-./]\d{1,2}[-./]\d{1,4}.*|(?=.*\d)[\d\s.,:;%€$£+()/-]+",
        r"19\d\d|20[01]\d",
    ),
)

HEADING_ROWS_MAX = 20  # how many rows are searched for the headings: exports may begin with a title


def guess_heading(rows: Rows) -> int:
    """The row of the headings, counted from 1; 0: none."""
    best, most = 0, 0
    first = next((number for number, row in enumerate(rows, start=1) if sum(map(bool, row)) > 1), 1)
    for number, row in enumerate(rows[:HEADING_ROWS_MAX], start=1):
        texts = [heading_text(cell) for cell in row if cell]
        heading_count = sum(text in _KNOWN for text in texts)
        if number > first and heading_count == 1 and (len(row) > 1 or _BY_HEADING.get(texts[0]) not in (NAME, TURNED)):
            continue  # Somebody's name or note may be a word that heads other tables.
        heads = 0
        if number == first:
            heads = sum(heading_text(cell) not in _KNOWN and _heads(rows, first, n) for n, cell in enumerate(row))
            heading_count += heads
        of_names = [text for text in texts if _BY_HEADING.get(text) in (NAME, TURNED, FIRST, LAST)]
        sure = any(number == first or text in _WHOLE or _BY_HEADING[text] == TURNED for text in of_names)
        if heading_count > most and (sure or (heads and heading_count > 1) or heading_count * 2 >= len(texts)):
            best, most = number, heading_count
    return best


def _heads(rows: Rows, number: int, column: int) -> bool:
    """Whether the cell holds words above a column of figures, dates or addresses."""
    cell, below = rows[number - 1][column], rows[number:]
    filled = sum(bool(row[column]) for row in below)
    return (
        bool(cell)
        and not _NO_NAME.fullmatch(cell)
        and filled > 1
        and filled * 2 > len(below)
        and _share(below, column, _NO_NAME.fullmatch) > 0.8
    )


def guess_columns(rows: Rows, heading: int, team: bool = False) -> tuple[str, ...]:
    """The meaning of each column, each at most once; SKIP for the others. No column is the name where that is not sure:
    then the person is asked."""
    below, columns = rows[heading:], [SKIP] * len(rows[0])
    named = [heading_text(cell) for cell in rows[heading - 1]] if heading else [""] * len(columns)
    taken: set[str] = set()
    pays = SKIP if PAID in map(_BY_HEADING.get, named) else PAID
    for column, text in enumerate(named):
        meaning = _BY_HEADING.get(text, pays if PAYS_HEADING.search(text) else SKIP)
        if meaning in (NAME, TURNED) or (meaning in OF_TEAMS and not (team and _is_wordy(below, column))):
            continue
        if team and meaning == CLUB and text in TEAM_NAMES:
            meaning = NAME
        if meaning and (meaning not in taken or text in _MORE_NAMES):
            columns[column] = meaning
        if text not in _MORE_NAMES:
            taken.add(meaning)
    _settle_names(columns, named, below, team)
    if not heading:
        _others_by_content(columns, below)
    return tuple(columns)


def _settle_names(columns: list[str], named: Sequence[str], below: Rows, team: bool) -> None:
    """Which columns are the name. First or last name alone is the whole name where
    no other column may hold the rest; "Name" beside "Vorname" is the last
    name; of a team, players' names are its members."""
    wordy = [n for n in range(len(columns)) if _is_wordy(below, n)]
    headed = [
        n for n, text in enumerate(named) if _BY_HEADING.get(text) in (NAME, TURNED) and not _is_figures(below, n)
    ]
    whole = [n for n in headed if named[n] in _WHOLE or _BY_HEADING[named[n]] == TURNED]
    name_columns, parts = whole if len(whole) == 1 else headed, {FIRST, LAST} & set(columns)
    if team and NAME in columns:
        if MEMBER_1 not in columns and len(name_columns) == 1 and len(parts) < 2:
            columns[name_columns[0]] = MEMBER_1
        return
    if len(parts) == 2:
        return
    if len(parts) == 1 and len(headed) == 1 and not whole and named[headed[0]] in _LAST_BESIDE_FIRST:
        columns[headed[0]] = LAST if FIRST in parts else FIRST
        return
    if not headed:
        alone = [n for n, meaning in enumerate(columns) if meaning in parts and not _is_figures(below, n)]
        unknown = [n for n in wordy if named[n] not in _KNOWN]
        nick = [n for n, text in enumerate(named) if text in _NICKNAMES and not unknown and not _is_figures(below, n)]
        name_columns = (
            alone
            or (unknown if len(wordy) == 1 else nick)
            or ([0] if len(columns) == 1 and named[0] not in _KNOWN else [])
        )
    lost = {
        n
        for n in wordy
        if columns[n] in parts
        or (columns[n] == SKIP and named[n] not in _KNOWN - (_NICKNAMES if LAST in parts else set()))
    }.difference(name_columns)
    if (
        parts
        and lost
        and not whole
        and any(
            # Last names of two words are usual: such a heading is believed.
            (_BY_HEADING.get(named[n]) == LAST and named[n] != "nom") or _share(below, n, _SPACED.search) <= 0.8
            for n in name_columns
        )
    ):
        name_columns = []  # The rest of the names may stand there.
    columns[:] = [SKIP if each in parts else each for each in columns]
    if len(name_columns) == 1:
        turned = _BY_HEADING.get(named[name_columns[0]]) == TURNED
        if turned or not _seems_turned(below, name_columns[0]):
            columns[name_columns[0]] = TURNED if turned else NAME


def _is_figures(below: Rows, column: int) -> bool:
    return _share(below, column, _NO_NAME.fullmatch) >= 0.2


def _is_wordy(below: Rows, column: int) -> bool:
    """Whether names may stand in this column."""
    return (
        _share(below, column, _WORDS.search) > 0.8
        and not _is_figures(below, column)
        and _share(below, column, lambda cell: parse_paid(cell) is not None) < 0.5
    )


def capitals_first(name: str) -> bool:
    """Whether a name is written "KELLER Franz"."""
    words = name.split()
    return (
        len(words) > 1 and words[0].isupper() and len(words[0]) > 2 and not words[-1].isupper() and words[-1].istitle()
    )


def _seems_turned(below: Rows, column: int) -> bool:
    """Whether the last name seems to come first, though no heading says so: in capitals, or given names come last."""
    cells = [row[column] for row in below if " " in row[column] and "," not in row[column]]
    ends = [(cell, fold(cell).split()) for cell in cells]
    turned = sum(
        capitals_first(cell) or (words[-1] in _GIVEN_NAMES and words[0] not in _GIVEN_NAMES) for cell, words in ends
    )
    return turned > 1 and turned * 2 > len(cells)


def _others_by_content(columns: list[str], below: Rows) -> None:
    """Without headings: addresses are list links, yes/no is paid, unique numbers are ids."""
    for column in range(len(columns)):
        if columns[column] != SKIP:
            continue
        cells = [row[column] for row in below if row[column]]
        if LINK not in columns and _share(below, column, _ADDRESS.match) > 0.8:
            columns[column] = LINK
        elif (
            PAID not in columns
            and cells
            and all(parse_paid(cell) is not None for cell in cells)
            and not all(cell.strip("#.)").isdigit() for cell in cells)
        ):
            columns[column] = PAID
        elif (
            ID not in columns
            and cells
            and len(set(cells)) == len(cells)
            and max(map(len, cells)) > 2
            and not all(_YEAR.fullmatch(cell) for cell in cells)
            and _share(below, column, _NUMBER.fullmatch) > 0.8
        ):
            columns[column] = ID


def heading_text(cell: str) -> str:
    """The comparison form of a heading: of a form's question what it asks for; "" for what is none."""
    if len(cell) > 120 or not any(c.isalnum() for c in cell):
        return ""
    question = _ASIDE.sub(" ", cell)
    first, *others = (_asked_for(part) for part in _ALTERNATIVE.split(question))
    known_heading = next((text for text in (_asked_for(cell), _asked_for(question), first) if text in _KNOWN), "")
    if known_heading == first and any(
        _BY_HEADING.get(other, known_heading) not in (known_heading, _BY_HEADING.get(first)) for other in others
    ):
        return ""
    return known_heading or (_asked_for(cell) if len(cell) <= 40 else "")


def _asked_for(text: str) -> str:
    words = fold(text).split() if any(c.isalnum() for c in text) else []
    while words and " ".join(words) not in _KNOWN and words[0] in _FILLERS:
        words = words[1:]
    while words and " ".join(words) not in _KNOWN and words[-1] in _OF_WHOM:
        words = words[:-1]
    return " ".join(words)


def _share(rows: Rows, column: int, fits: Callable[[str], object]) -> float:
    cells = [row[column] for row in rows if row[column]]
    return sum(bool(fits(cell)) for cell in cells) / len(cells) if cells else 0.0
