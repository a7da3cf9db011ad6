"""What a list says of whether somebody comes: a form's question, its answers, and what stands behind a name."""

import re

from roundtap_core.lists.list_form import fold
from roundtap_hub.people.payment_words import NAMES_TOO, NO, YES, paid_beside, parse_paid, taken_back

# Who does not play: as a title over other people, behind a name, or in another column.
_AWAY = (
    "waiting list|waitlist|wait list|waiting(?! for| on)|waitlisted|reserve|reserves|reserve list|standby|backup|"
    "cancelled|canceled|dropped|deleted|withdrawn|withdrew|retired|pulled out|declined|rejected|absent|sick|ill(?! be)|"
    "not coming|not attending|not going|not playing|not in|not available|unavailable|no show|no longer|out|can t|"
    "cannot|"
    "cant|won t|unable|maybe|perhaps|possibly|tentative|undecided|unsure|not sure|unconfirmed|tbc|tbd|interested|"
    "invited|"
    "subs?(?= ?\\d*$)|substitute|substitutes|alternate|alternates|warteliste|nachrucker|nachruckerin|ersatz|"
    "ersatzmann|ersatzfrau|ersatzspieler|"
    "ersatzspielerin|abgesagt|sagt ab|muss absagen|abgemeldet|abmeldung|absagen|storniert|zuruckgezogen|zuruckgetreten|"
    "ausgestiegen|abgesprungen|raus|krank|verhindert|entschuldigt|fehlt|vielleicht|evtl|eventuell|fraglich|unsicher|"
    "unter vorbehalt|auf abruf|leider nicht|leider nein|kann nicht|kann leider nicht|kann doch nicht|nicht dabei|"
    "nicht mehr|"
    "doch nicht|nimmt nicht|lista de espera|en espera|reserva|reservas|suplente|suplentes|baja|bajas|dad[oa] de baja|"
    "se baja|dudos[oa]|en duda|cancelad[oa]|retirad[oa]|se retira|desapuntad[oa]|renuncia|renuncio|enfermo|enferma|"
    "quizas?|tal vez|"
    "no pued[eo]|no podr\\w+|no voy|no va|no vendr\\w+|no asist\\w+|no juega|ya no|lista rezerwowa|liscie rezerwowej|"
    "liscie oczekujacych|nie wiadomo|pod znakiem zapytania|rezerwa|rezerwowi|"
    "rezerwow[ya]|lista oczekujacych|rezygnacj[ae]|rezygnuje|zrezygnowal\\w*|anulowan[eya]|wycofan[eya]|wycofal\\w*|"
    "wycofuje|wypisan[eya]|odwolan[eya]|odwolal\\w*|chory|chora|moze|byc moze|niepewn[eya]|nie moz?[eg]e?|nie bed\\w+|"
    "nie gra|nie da rady|nie dam rady|nie przyjedzie|niestety nie|liste d attente|remplacants|annulee?s?|retiree?|"
    "se retire|"
    "forfait|abandon|desistee?|malade|peut etre|indisponible|ne peut pas|ne pourra pas|lista d attesa|riserv[ae]|"
    "annullat[oa]|ritirat[oa]|si ritira|rinuncia|malat[oa]|forse|non viene|non puo|non posso|non partecipa|wachtlijst|"
    "reservelijst|afgemeld|teruggetrokken|geannuleerd|komt niet|kan niet|ziek|misschien|nahradnici|nahradnik|"
    "cekaci listina|zruseno|odhlasen[ay]?|odhlasil\\w*|odstoupil\\w*|neprijde|nemuze|nemocny|mozna|vantelista|reserver|"
    "venteliste|avanmald|avmeldt|trukket|peruttu|perunut|varasija|varolista|organizer|organizers|"
    "organiser|organisers|judge|judges|referee|staff|helper|helpers|spectator|orga|schiedsrichter|helfer|"
    "zuschauer|juez|jueces|arbitro|arbitros|organizadores|sedzia|sedziowie|organizatorzy|arbitres|arbitri|"
    "scheidsrechters|absents|assente|assenti|ausente|ausentes|nieobecny|nieobecni|abwesend|nao vem|no viene|"
    "no vienen|a lo mejor|odpada|absage|remplacant|kommt nicht|komme nicht|kommer ikke|kommer inte|ne vient pas|"
    "nie przyjdzie|removed|deregistered|unregistered|de registered|not confirmed|nicht bestatigt|unbestatigt|"
    "kommt doch nicht|ausgetragen|geloscht|anulad[oa]|rechazad[oa]|eliminad[oa]|borrad[oa]|no confirmad[oa]|"
    "sin confirmar|niepotwierdzon\\w*|skreslon\\w*|usuniet\\w*|nieobecn\\w*|odrzucon\\w*|absente?s?|supprimee?s?|"
    "refusee?s?|non confirmee?s?|eliminat[oa]|cancellat[oa]|rifiutat[oa]|non confermat[oa]|verwijderd|niet bevestigd|"
    "uitgeschreven|nepotvrzen\\w*|smazan\\w*|vyrazen\\w*|"
    # Folded, these have other letters than they are written with.
    + fold("候补|替补|取消|缺席|補欠|欠席|キャンセル|キャンセル待ち|ドタキャン|辞退").replace(" ", "|")
    + "|"
    + fold("대기|대기자|예비|취소|취소됨|불참|불참자").replace(" ", "|")
)
_SAID_AWAY, OTHER_LIST, _OFF, _STATUS, _NO_STATUS, _ROLL, _COMES, _ELSE, _DOUBT, _DENIES, _COMING, _OTHERS, _DATE = map(
    re.compile,
    (
        # behind "has", "sorry", "se ha"
        r"(?:(?:wc|hat|has|sich|auf|der|on|the|en|na|sur|in|currently|jetzt|first|second|erster|zweiter|1st|2nd|3rd|"
        r"\d+|have|had|been|ist|is|am|i|m|was|he|she|ha|se|est|si|e|jest|bin|wurde|er|sie|zostal|"
        r"zostala|sorry|unfortunately|sadly|leider|niestety|purtroppo|no|nein|nie|non|nee) ){0,3}"
        rf"(?:{_AWAY})(?: .*)?",
        # a title over people who do not play
        rf"(?:{_AWAY}|no|nein|nie|non|nao|nee|ne|nej|nem|ei|pending|pendientes?|oczekujac[aey]|en attente|in attesa|"
        rf"duda|wl|to|tl)"
        r"(?: \d.*)?",
        # anywhere in a status or in brackets: on another list, or somebody else's place
        r"\b(?:waiting list|wait ?list|reserve list|warteliste|nachruckerliste|lista de espera|list[ay] rezerwow\w+|"
        r"liscie rezerwow\w+|list[ay] oczekujac\w+|liscie oczekujac\w+|liste d attente|lista d attesa|wachtlijst|"
        r"transferred|ubertragen|weitergegeben|traspasad[oa]|przekazan\w*|przeniesion\w*|transferee?|trasferit[oa]|"
        r"overgedragen)\b",
        # a heading over what became of somebody's registration, which is neither money nor a list
        r"^(?!.*(?:pa[iy]|zahl|pag|plat|list|deck|army|armee|member|mitglied|socio|check|civil|e mail|mail))"
        r".*(?:status|\bestado|\bstan|\bstatut|\bstato|\bstav|\btila|статус|状态|状況|ステータス"
        rf"|{fold('상태')})\b",
        # what such a column says of money, of a check-in that has not begun, or of nothing
        r"pa[iy]|zahl|pag[aou]|p[lr]ac|plat|betaal|check|angekommen|arrived|member|mitglied|socio|czlon|^n a$|^none$|"
        r"^keine?$",
        # a heading of a roll call
        r"^(?:present|presente?s?|presence|presencia|presenca|presenza|anwesend|anwesenheit|da|obecn[aye]|obecnosc|"
        r"aanwezig|pritomen|narvarande|til stede)$",
        # a heading that asks who comes
        r"\b(?:rsvp|attend(?:ing|ance)?|come|coming|^in$|join|"
        r"joining|participat(?:e|ing|ion)|taking part|take part|play|"
        r"playing|"
        r"compete|competing|make it|be there|present|going|(?:you|i|me|we|still|m) in|count on you|available|"
        r"hast du zeit|tienes tiempo|masz czas|dei nostri|disponib\w+|can you$|"
        r"availability|response|reply|confirm(?:ed|ation)?|komm(?:st|t|en|e)|dabei|teilnahme|teilnehmen|(?:nimm\w+|"
        r"nehm\w+) .*"
        r"teil|nimmt teil|anwesend|anwesenheit|mitspielen|spielst|spielen|mitmachen|machst .*mit|bist du da|zusage|"
        r"zugesagt|"
        r"antwort|ruckmeldung|vienes?|vienen|venir|vendr\w+|vas|iras|asist\w+|participa(?:s|r|ras|ra|cion)?|juegas?|"
        r"jugar\w*|"
        r"acud\w+|te apuntas|contamos contigo|estaras|presen(?:te|cia|za|ce|ca)|confirma(?:s|cion)|respuesta|"
        r"przyjd\w+|przyjsc|przyjechac|przybyc|"
        r"przyjedz\w+|przybed\w+|bedziesz|bedzie|wezm\w+|bierzesz|udzial|zagra\w*|grasz|obecn\w+|uczestnicz\w+|"
        r"wpadniesz|"
        r"dasz rade|dolacz\w*|potwierdz\w+|odpowiedz|viens|vient|venez|viendr\w+|particip(?:es|ez|er|eras|erez|e)|"
        r"joue[szr]|"
        r"jouer\w+|des notres|seras|serez|es tu la|reponse|vieni|venite|verrai|verra|venire|"
        r"partecip(?:i|a|erai|era|are|azione)|ci sei|sarai|gioch\w+|giocare|risposta|kom(?: je|t)|komen|aanwezig\w*|"
        r"deelname|"
        r"doe je mee|meedoen|erbij|prijde\w*|prijedes|zucastni\w*|ucast|dorazis|budes|kommer|deltar|deltager du|"
        r"(?:ar|er) du "
        r"med|svar|tuletko|osallistutko|jossz|eljossz)\b",
        # a heading that asks for something else about it
        r"\b(?:dinner|lunch|breakfast|party|car|train|bus|bike|guests?|newsletter|whatsapp|discord|groups?|"
        r"side event|last|"
        r"before|ever|already|first time|from|with(?! us)|auto|bahn|zug|essen|abendessen|fruhstuck|grillen|gaste?|"
        r"gruppe|"
        r"letzt\w+|schon|jemals|erste\w*|aus|mit (?:dem|der|wem|deine\w+)|kommt mit|coche|cena|comida|grupo|antes|"
        r"ultim\w+|"
        r"primera|con|samochod\w*|pociag\w*|kolacj\w+|obiad\w*|wczesniej|raz|z kim|voiture|repas|diner|avec|macchina|"
        r"insieme)\b"
        r"|^(?!.*\b(?:you|du|ihr|tu|te|vous|ty)\b)(?=(?:\S+ ){0,4}\S+$).*\b(?:payment|fee|e ?mail|mail|lists?|"
        r"deck|decklist|army|code|number|id|type|since|zahlung|startgeld|liste|armee|armeeliste|nummer|typ|seit|pago|"
        r"correo|lista|ejercito|codigo|numero|tipo|desde|platnosc\w*|oplata|kod|numer|armia|od kiedy|paiement|courriel|"
        r"depuis|pagamento)\b"
        r"|^(?:how|where|when|what|which|wie (?!sieht)|wo|woher|wann|welche\w*|como|donde|de donde|cuando|jak|skad|"
        r"kiedy|"
        r"comment|quand|d ou|come vieni|da dove|quando|hoe|waar|wanneer)\b",
        # an answer that leaves it open
        r"\b(?:if|unless|maybe|perhaps|probably|possibly|likely|depends|undecided|unsure|tentative|50 50|waiting|"
        r"wenn|falls|sofern|"
        r"vielleicht|wahrscheinlich|vermutlich|evtl|eventuell|unsicher|unklar|fraglich|mal sehen|mal schauen|"
        r"kommt drauf an|"
        r"quizas?|tal vez|a lo mejor|depende|si (?:puedo|puede|me|no|consigo|hay|je|on|possible|tout)|probablemente|"
        r"moze|"
        r"jesli|"
        r"jezeli|o ile|chyba|raczej|zobacze|zalezy|peut etre|probablement|forse|magari|se (?:riesco|posso)|"
        r"probabilmente|"
        r"misschien|mozna|asi|kanske|maske|kanskje)\b",
        # a no
        r"\b(?:no|not|nope|nah|never|none|can t|cant|cannot|won t|don t|isn t|unable|unfortunately|sadly|afraid|nein|"
        r"ne|nicht|"
        r"kein\w*|nie|leider|nunca|imposible|lamentablemente|niestety|non|pas|ni|malheureusement|impossible|"
        r"purtroppo|niet|"
        r"helaas|nee|nej|inte|ikke|tyvarr|ei|nem)\b",
        # a yes
        r"\b(?:yeah|yep|yup|sure|of course|definitely|absolutely|certainly|will|coming|come|attending|attend|going|"
        r"playing|in|"
        r"accepted|accepts?|be there|me in|confirmed|registered|present|dabei|komme|kommt|klar|gern|gerne|sicher|"
        r"naturlich|jawohl|jo|"
        r"jep|"
        r"auf jeden fall|zugesagt|zusage|angemeldet|anwesend|claro|voy|vengo|viene|ire|asist\w+|seguro|confirmad[oa]|"
        r"apuntad[oa]|me apunto|oczywiscie|jasne|pewnie|bede|bedzie|przyjd\w+|potwierdz\w+|bien sur|viens|vient|"
        r"volontiers|"
        r"presente?|"
        r"d accord|inscrite?|certo|certamente|ci sono|ci saro|partecip\w+|volentieri|confermat[oa]|zeker|graag|kommer|"
        r"prijd\w+|urcite)\b|👍|🙋",
        # behind a name: somebody else's place, or somebody else too
        r"\b(?:instead|replac\w+|for|only|statt|anstatt|anstelle|ersetzt|fur|nur|und|and|en lugar|sustituye\w*|solo|"
        r"y|zamiast|"
        r"tylko|oraz|remplace\w*|a la place|seulement|al posto|sostituisce|soltanto|in plaats)\b"
        r"|[?+&❌✗✘👎⛔🚫]|.{31}",
        # a date
        r"\d{1,4}[-./]\d{1,2}[-./]\d",
    ),
)
AWAY, PAYS = "away", "pays"


def says_away(text: str) -> bool:
    """Whether the words say that somebody does not play, or may not: "krank", "sorry, can't make it"."""
    return _SAID_AWAY.fullmatch(fold(text)) is not None


def said_beside(added: str) -> str:
    """What words behind a name say: no player (AWAY; long ones too), a payment (PAYS), or something else ("").

    >>> said_beside("waiting list"), said_beside("not paid"), said_beside("Köln")
    ('away', 'pays', '')
    """
    plain = fold(added)
    away = taken_back(added) or says_away(added) or OTHER_LIST.fullmatch(plain) or _OFF.search(plain)
    odd = _OTHERS.search(added.casefold()) or any(said.search(plain) for said in (_DOUBT, _DENIES, _OTHERS))
    return AWAY if away or (odd and paid_beside(added) is None) else "" if paid_beside(added) is None else PAYS


def surely_beside(added: str) -> bool:
    """Whether words behind a team's name say nothing but this: "waiting list", "not paid", but not "Out of Luck"."""
    return not may_be_name(added) and (
        OTHER_LIST.fullmatch(fold(added)) is not None
        or (
            (" " not in added or (len(added.split()) < 4 and added.split()[-1][0].islower()))
            and (taken_back(added) or paid_beside(added) is not None)
        )
    )


def may_be_name(added: str) -> bool:
    """Whether words that say something behind a name may as well be a part of it: "Bar", "To", but not "Paid"."""
    return (
        all(word[0].isupper() for word in added.split())
        and not (says_away(added) or taken_back(added) or (len(added) > 2 and OTHER_LIST.fullmatch(fold(added))))
        and (paid_beside(added) is None or NAMES_TOO.fullmatch(fold(added)) is not None)
    )


def comes(answer: str) -> bool | None:
    """Whether an answer is a yes; None where it is neither a yes nor a no."""
    plain, first = fold(answer), fold(answer).partition(" ")[0]
    if says_away(answer) or _DOUBT.search(plain) or "?" in answer:
        return False
    yes, no = (
        (first in YES and (len(first) > 1 or first == plain)) or (first.strip("0").isdigit() and len(first) < 3),
        first in NO or _DENIES.search(plain) is not None,
    )
    return True if yes or (_COMING.search(plain) and not no) else False if no else None


def answers_no(heading: str, cell: str, others_come: bool) -> bool:
    """Whether a cell says no under its heading. Where others answer yes, what is neither yes nor no is no answer."""
    asked, plain = fold(heading), fold(cell)
    if _STATUS.search(asked):
        return any(map(str.isalpha, plain)) and (
            (False in (comes(cell), parse_paid(cell)) and not _NO_STATUS.search(plain))
            or taken_back(cell)
            or says_away(cell)
            or OTHER_LIST.fullmatch(plain) is not None
            or _OFF.search(plain) is not None
        )
    if says_away(heading) or not _COMES.search(asked) or _ELSE.search(asked) or _DENIES.search(asked):
        return says_away(heading) and (parse_paid(cell) is True or _DATE.search(cell) is not None)
    # A list to tick off people with is not ticked before they are there.
    return comes(cell) is False or (comes(cell) is None and others_come and not (plain == "" and _ROLL.search(asked)))
