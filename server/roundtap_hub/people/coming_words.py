"""What a list says of whether a person comes and has paid: a form's question, its answers, what stands behind a name.

Each table is sorted, in the form in which names are compared.
"""

import re

from roundtap_core.lists.list_form import fold

AWAY, PAYS = "away", "pays"
YES, NO = (
    frozenset(map(fold, words.split()))
    for words in (
        "yes y x true 1 paid ok ja j wahr si s verdadero tak t prawda ✓ ✔ ☑ ✅ v oui o vrai vero sim verdadeiro ano "
        "igen kylla да complete completed done",
        "no n false 0 open nein offen falsch falso nie none non faux nao nee ne nej nem ei нет ✗ ✘ ☐ ❌ - –",
    )
)
_PAID, _MEANS, _BACK, _OPEN, _YET, _NOT, _LATER, _PART, PAYS_HEADING, _NOT_BACK, _NEVER_BACK, NAMES_TOO = (
    re.compile(rf"\b(?:{words})\b")
    for words in (
        # paid
        r"paid|payed|bezahlt|gezahlt|entrichtet|beglichen|uberwiesen|eingegangen|pagad[oa]|pago|abonad[oa]|"
        r"oplacon[aeoy]|zaplacon[aeoy]|zaplacil[a]?|oplacil[a]?|wplacon[aeoy]|wplacil[a]?|paye|payee|regle|reglee|"
        r"acquitte|pagat[oa]|saldat[oa]|versato|betaald|overgemaakt|voldaan|zaplacen[aoy]?|uhrazen[aoy]?|betald|"
        r"betalt|maksettu|maksanut|fizetve|kifizetve|befizetve|received|erhalten|recibid[oa]|otrzymano|recu|ricevuto|"
        r"recebido|ontvangen|completed?|succeeded|settled|captured|zrealizowan[aeoy]|valide|validee|confirme|approved|"
        r"оплачено",
        # by what means
        r"paypal|stripe|cash|card|credit|debit|transfer|bank|zelle|venmo|revolut|wise|sumup|twint|klarna|bar|karte|"
        r"kreditkarte|ec|uberweisung|banktransfer|lastschrift|sepa|efectivo|tarjeta|transferencia|bizum|gotowka|"
        r"gotowke|przelew|przelewem|blik|karta|especes|carte|virement|cheque|cb|lydia|helloasso|contanti|contante|"
        r"carta|bonifico|satispay|dinheiro|cartao|transferencia|pix|mbway|multibanco|contant|pin|ideal|tikkie|"
        r"overboeking|bancontact|swish|kort|hotove|hotovost|prevod|prevodem|kartou|mobilepay|vipps|keszpenz|utalas|"
        r"apple pay|google pay",
        # back
        r"refund\w*|back|returned|chargeback|withdrawn|withdrew|abgesagt|absage|abgemeldet|retirad\w*|credited|"
        r"revoked|reversed|void\w*|cancel\w*|erstatt\w*|ruckerstatt\w*|"
        r"ruckzahl\w*|ruckbuch\w*|gutgeschrieben|gutschrift|widerruf\w*|zuruck\w*|storn\w*|"
        r"devuel\w*|devol\w*|reintegr\w*|restitu\w*|cofniet\w*|odwolan\w*|oddan\w*|wycofan\w*|reembols\w*|anulad[oa]|"
        r"zwro\w*|zwrac\w*|anulowan\w*|rembours\w*|annul\w*|rimbors\w*|estornad\w*|"
        r"devolvid\w*|terugbetaald|teruggestort|geannuleerd|vracen\w*|zrusen\w*|aterbetal\w*|refunderet|palautettu|"
        r"visszater\w*",
        # open
        r"unpaid|unbezahlt|nieoplacon\w*|niezaplacon\w*|impag\w*|impaye\w*|nezaplacen\w*|obetald|"
        r"onbetaald|ubetalt|pending|awaiting|outstanding|overdue|due|owe[sd]?|failed|declined|expired|rejected|"
        r"on hold|unconfirmed|offen|ausstehend|aussteht|fallig|fehlt|pendiente\w*|fallid\w*|rechazad\w*|oczekuj\w*|"
        r"odrzucon\w*|brak|zalega|en attente|a payer|echoue|in attesa|da pagare|do zaplaty|zu zahlen|te betalen|"
        r"a pagar|por pagar|k uhrade|att betala|fizetendo|in sospeso|fallit[oa]|pendente|em aberto|openstaand|"
        r"in afwachting|mislukt|ceka\w*|vantar|afventer|odottaa|fuggoben",
        # not yet
        r"not yet|noch nicht|jeszcze nie|aun no|todavia no|pas encore|non ancora|ainda nao|nog niet|jeste ne|inte an|"
        r"ikke enda|ei viela|meg nem|еще нет",
        # not
        r"not|isn t|hasn t|never|didn t|nicht|nie|pas|non|nao|niet|ne|inte|ikke|ei|nem|no|не",
        # later, or a part
        r"will|later|door|venue|site|arrival|vor ort|abendkasse|zahlt|spater|puerta|lugar|sitio|pagara|miejscu|"
        r"zaplaci|place|paiera|posto|sul|local|porta|ter plaatse|miste|plats|stedet|half|deposit|partly|part|"
        r"teilweise|anzahlung|zaliczka|acompte|acconto|reduced|to pay|to be",
        # a part
        r"half|deposit|partly|partial\w*|part|teil\w*|anzahlung|zaliczka|czesc\w*|acompte|acconto|senal|parte|"
        r"parcial\w*|"
        r"aanbetaling|zaloha",
        # in a heading
        r"paid|payed|bezahlt|gezahlt|entrichtet|uberwiesen|pagad[oa]s?|pagat[oae]|zaplacon[aey]|oplacon[aey]|"
        r"wplacon[aey]|"
        r"(?:payment|fee|zahlung|startgeld|pago|cuota|platnosc|wplata|wpisowe|paiement|pagamento|quota|betaling|"
        r"platba) "
        r"(?:is |has been |ist |wurde |est |zostala )?(?:confirmed|received|made|done|complete|completed|ok|bestatigt|"
        r"erhalten|eingegangen|erfolgt|confirmad[oa]|recibid[oa]|hecho|potwierdzon[aey]|otrzyman[aey]|confirme|recu|"
        r"confermat[oa]|ricevut[oa]|effettuat[oa]|bevestigd|ontvangen|potvrzena)|confirmed payment|bestatigte zahlung|"
        r"payee?s?|regle?e?s?|betaald|zaplacen[aoy]?|uhrazen[aoy]?|betalt|betald|maksettu|befizetve|fizetve",
        # not back
        r"not|isn t|wasn t|hasn t|never|nicht|nie (?:bylo|zostalo)|niet|ikke|inte",
        # a condition, not an event: nothing is paid back
        r"no refunds?|non ?refundable|not refundable|keine? (?:erstattung|ruckerstattung|ruckzahlung|storno)|"
        r"(?:sin|no) (?:devolucion(?:es)?|reembolso|reembolsable)|bez zwrotu|bezzwrotn\w*|sans remboursement|"
        r"non remboursable|senza rimborso|non rimborsabile|geen terugbetaling",
        # means of payment that are given names or family names too: "Ben Ami, Bar", "Lee Smith - Cash"
        r"bar|cash|card|pin|ideal|wise|lydia|zelle|pix|bank|carta|karta|carte|karte|kort|credit|cb|ec|contant|swish|"
        r"stripe",
    )
)
_AMOUNT = re.compile(r"(?:[a-zł€$£]{0,3}\s?)(\d{1,5})(?:[.,](\d{1,2}))?(?:\s?[a-złčK€$£.,-]{0,4})")
NEAR_LETTERS = 12  # between "not" and "paid": "not been paid", "nie zostało opłacone"


def entries_of(table: str) -> list[str]:
    """The patterns of a table; " | " stands between them."""
    return re.split(r"\s+\|\s+", table.strip())


def _any_of(table: str) -> str:
    return f"(?:{'|'.join(entries_of(table))})"


def _anywhere(table: str, *beside: str) -> re.Pattern[str]:
    """Any of the table's, as whole words; or one of the patterns `beside`."""
    return re.compile("|".join((rf"\b{_any_of(table)}\b", *beside)))


# Who does not play. Most say so where a title, a status or a word behind a name begins; with "?" only in an answer,
# anywhere in it; with "!" in both. Folded, letters of other scripts are not those that they are written with.
_NOT_COMING = [
    word if word.isascii() else fold(word)
    for word in entries_of(r"""
    a lo mejor | abandon | abgemeldet | abgesagt | abgesprungen | abmeldung | absage | absagen | absent | absente?s? |
    absents | abwesend | afgemeld | ?afraid | alternate | alternates | annulee?s? | annullat[oa] | anulad[oa] |
    anulowan[eya] | arbitres | arbitri | arbitro | arbitros | assente | assenti | auf abruf | ausente | ausentes |
    ausgestiegen | ausgetragen | avanmald | avmeldt | backup | baja | bajas | borrad[oa] | byc moze | !can t |
    cancelad[oa] | canceled | cancellat[oa] | cancelled | !cannot | !cant | cekaci listina | chora | chory |
    dad[oa] de baja | de registered | declined | deleted | deregistered | desapuntad[oa] | desistee? | doch nicht |
    ?don t | dropped | dudos[oa] | ?ei | eliminad[oa] | eliminat[oa] | en duda | en espera | enferma | enfermo |
    entschuldigt | ersatz | ersatzfrau | ersatzmann | ersatzspieler | ersatzspielerin | eventuell | evtl | fehlt |
    forfait | forse | fraglich | geannuleerd | geloscht | ?helaas | helfer | helper | helpers | ?ikke | ill(?! be) |
    ?imposible | ?impossible | indisponible | ?inte | interested | invited | ?isn t | judge | judges | jueces | juez |
    kan niet | kann doch nicht | kann leider nicht | kann nicht | ?kein\w* | komme nicht | kommer ikke | kommer inte |
    kommt doch nicht | kommt nicht | komt niet | krank | ?lamentablemente | ?leider | leider nein | leider nicht |
    liscie oczekujacych | liscie rezerwowej | lista d attesa | lista de espera | lista oczekujacych |
    lista rezerwowa | liste d attente | malade | malat[oa] | ?malheureusement | maybe | misschien | moze | mozna |
    muss absagen | nachrucker | nachruckerin | ?nah | nahradnici | nahradnik | nao vem | ?ne | ne peut pas |
    ne pourra pas | ne vient pas | ?nee | ?nein | ?nej | ?nem | nemocny | nemuze | nepotvrzen\w* | neprijde | ?never |
    ?ni | ?nicht | nicht bestatigt | nicht dabei | nicht mehr | ?nie | nie bed\w+ | nie da rady | nie dam rady |
    nie gra | nie moz?[eg]e? | nie przyjdzie | nie przyjedzie | nie wiadomo | nieobecn\w* | nieobecni | nieobecny |
    niepewn[eya] | niepotwierdzon\w* | ?niestety | niestety nie | ?niet | niet bevestigd | nimmt nicht | ?no |
    no asist\w+ | no confirmad[oa] | no juega | no longer | no podr\w+ | no pued[eo] | no show | no va | no vendr\w+ |
    no viene | no vienen | no voy | ?non | non confermat[oa] | non confirmee?s? | non partecipa | non posso |
    non puo | non viene | ?none | ?nope | ?not | not attending | not available | not coming | not confirmed |
    not going | not in | not playing | not sure | ?nunca | odhlasen[ay]? | odhlasil\w* | odpada | odrzucon\w* |
    odstoupil\w* | odwolal\w* | odwolan[eya] | orga | organiser | organisers | organizadores | organizatorzy |
    organizer | organizers | out | ?pas | perhaps | perunut | peruttu | peut etre | pod znakiem zapytania | possibly |
    pulled out | ?purtroppo | quizas? | raus | rechazad[oa] | referee | refusee?s? | rejected | removed | remplacant |
    remplacants | renuncia | renuncio | reserva | reservas | reserve | reserve list | reservelijst | reserver |
    reserves | retirad[oa] | retired | retiree? | rezerwa | rezerwow[ya] | rezerwowi | rezygnacj[ae] | rezygnuje |
    rifiutat[oa] | rinuncia | riserv[ae] | ritirat[oa] | ?sadly | sagt ab | scheidsrechters | schiedsrichter |
    se baja | se retira | se retire | sedzia | sedziowie | si ritira | sick | sin confirmar | skreslon\w* |
    smazan\w* | spectator | staff | standby | storniert | subs?(?= ?\d*$) | substitute | substitutes | suplente |
    suplentes | supprimee?s? | tal vez | tbc | tbd | tentative | teruggetrokken | trukket | ?tyvarr | uitgeschreven |
    !unable | unavailable | unbestatigt | unconfirmed | undecided | ?unfortunately | unregistered | unsicher |
    unsure | unter vorbehalt | usuniet\w* | vantelista | varasija | varolista | venteliste | verhindert | verwijderd |
    vielleicht | vyrazen\w* | wachtlijst | wait list | waiting list | waiting(?! for| on) | waitlist | waitlisted |
    warteliste | withdrawn | withdrew | !won t | wycofal\w* | wycofan[eya] | wycofuje | wypisan[eya] | ya no | ziek |
    zrezygnowal\w* | zruseno | zuruckgetreten | zuruckgezogen | zuschauer | キャンセル | キャンセル待ち | ドタキャン |
    候补 | 取消 | 替补 | 欠席 | 缺席 | 補欠 | 辞退 | 대기 | 대기자 | 불참 | 불참자 | 예비 | 취소 | 취소됨
""")
]
_AWAY = "|".join(word.lstrip("!") for word in _NOT_COMING if not word.startswith("?"))
_DENIES = _anywhere(" | ".join(word[1:] for word in _NOT_COMING if word.startswith(("?", "!"))))
# Before such a word: "has", "sorry", "se ha".
_BEFORE_IT = _any_of(r"""
    1st | 2nd | 3rd | \d+ | am | auf | been | bin | currently | der | e | en | er | erster | est | first | ha | had |
    has | hat | have | he | i | in | is | ist | jest | jetzt | leider | m | na | nee | nein | nie | niestety | no |
    non | on | purtroppo | sadly | se | second | she | si | sich | sie | sorry | sur | the | unfortunately | was |
    wc | wurde | zostal | zostala | zweiter
""")
_SAID_AWAY = re.compile(rf"(?:{_BEFORE_IT} ){{0,3}}(?:{_AWAY})(?: .*)?")
# A title over people who do not play.
_OTHER_TITLE = _any_of(r"""
    duda | ei | en attente | in attesa | nao | ne | nee | nein | nej | nem | nie | no | non | oczekujac[aey] |
    pendientes? | pending | tl | to | wl
""")
OTHER_LIST = re.compile(rf"(?:{_AWAY}|{_OTHER_TITLE})(?: \d.*)?")
# Anywhere in a status or in brackets: on another list, or somebody else's place.
_OFF = _anywhere(r"""
    liscie oczekujac\w+ | liscie rezerwow\w+ | list[ay] oczekujac\w+ | list[ay] rezerwow\w+ | lista d attesa |
    lista de espera | liste d attente | nachruckerliste | overgedragen | przekazan\w* | przeniesion\w* |
    reserve list | transferee? | transferred | trasferit[oa] | traspasad[oa] | ubertragen | wachtlijst | wait ?list |
    waiting list | warteliste | weitergegeben
""")
# A heading over what became of somebody's registration, which is neither money nor a list.
_OTHER_HEADING = _any_of(r"""
    armee | army | check | civil | deck | e mail | list | mail | member | mitglied | pa[iy] | pag | plat | socio |
    zahl
""")
_STATUS_HEADING = _any_of(r"""
    \bestado | \bstan | \bstato | \bstatut | \bstav | \btila | status | статус | ステータス | 状态 | 状況
""")
_STATUS = re.compile(rf"^(?!.*{_OTHER_HEADING}).*(?:{_STATUS_HEADING}|{fold('상태')})\b")
# What such a column says of money, of a check-in that has not begun, or of nothing.
_NO_STATUS = re.compile(
    _any_of(r"""
    ^keine?$ | ^n a$ | ^none$ | angekommen | arrived | betaal | check | czlon | member | mitglied | p[lr]ac | pa[iy] |
    pag[aou] | plat | socio | zahl
""")
)
# A heading of a roll call.
_ROLL = re.compile(
    "^"
    + _any_of(r"""
    aanwezig | anwesend | anwesenheit | da | narvarande | obecn[aye] | obecnosc | presenca | presence | presencia |
    present | presente?s? | presenza | pritomen | til stede
""")
    + "$"
)
# A heading that asks who comes.
_COMES = _anywhere(r"""
    (?:ar|er) du med | (?:nimm\w+|nehm\w+) .*teil | (?:you|i|me|we|still|m) in | ^in$ | aanwezig\w* | acud\w+ |
    antwort | anwesend | anwesenheit | asist\w+ | attend(?:ing|ance)? | availability | available | be there | bedzie |
    bedziesz | bierzesz | bist du da | budes | can you$ | ci sei | come | coming | compete | competing |
    confirm(?:ed|ation)? | confirma(?:s|cion) | contamos contigo | count on you | dabei | dasz rade | deelname |
    dei nostri | deltager du | deltar | des notres | disponib\w+ | doe je mee | dolacz\w* | dorazis | eljossz |
    erbij | es tu la | estaras | giocare | gioch\w+ | going | grasz | hast du zeit | iras | join | joining | jossz |
    joue[szr] | jouer\w+ | juegas? | jugar\w* | kom(?: je|t) | komen | komm(?:st|t|en|e) | kommer | machst .*mit |
    make it | masz czas | meedoen | mitmachen | mitspielen | nimmt teil | obecn\w+ | odpowiedz | osallistutko |
    partecip(?:i|a|erai|era|are|azione) | particip(?:es|ez|er|eras|erez|e) | participa(?:s|r|ras|ra|cion)? |
    participat(?:e|ing|ion) | play | playing | potwierdz\w+ | presen(?:te|cia|za|ce|ca) | present | prijde\w* |
    prijedes | przybed\w+ | przybyc | przyjd\w+ | przyjechac | przyjedz\w+ | przyjsc | reply | reponse | response |
    respuesta | risposta | rsvp | ruckmeldung | sarai | seras | serez | spielen | spielst | svar | take part |
    taking part | te apuntas | teilnahme | teilnehmen | tienes tiempo | tuletko | ucast | uczestnicz\w+ | udzial |
    vas | vendr\w+ | venez | venir | venire | venite | verra | verrai | viendr\w+ | vienen | vienes? | vieni | viens |
    vient | wezm\w+ | wpadniesz | zagra\w* | zucastni\w* | zugesagt | zusage
""")
# A heading that asks for something else about it: what follows anywhere; a thing, in few words; or a question's word.
_THING = _any_of(r"""
    armee | armeeliste | armia | army | code | codigo | correo | courriel | deck | decklist | depuis | desde |
    e ?mail | ejercito | fee | id | kod | lista | liste | lists? | mail | number | numer | numero | nummer |
    od kiedy | oplata | pagamento | pago | paiement | payment | platnosc\w* | seit | since | startgeld | tipo | typ |
    type | zahlung
""")
_QUESTION = _any_of(r"""
    come vieni | comment | como | cuando | d ou | da dove | de donde | donde | hoe | how | jak | kiedy | quand |
    quando | skad | waar | wann | wanneer | welche\w* | what | when | where | which | wie (?!sieht) | wo | woher
""")
_ELSE = _anywhere(
    r"""
    abendessen | already | antes | aus | auto | avec | bahn | before | bike | breakfast | bus | car | cena | coche |
    comida | con | diner | dinner | discord | erste\w* | essen | ever | first time | from | fruhstuck | gaste? |
    grillen | groups? | grupo | gruppe | guests? | insieme | jemals | kolacj\w+ | kommt mit | last | letzt\w+ |
    lunch | macchina | mit (?:dem|der|wem|deine\w+) | newsletter | obiad\w* | party | pociag\w* | primera | raz |
    repas | samochod\w* | schon | side event | train | ultim\w+ | voiture | wczesniej | whatsapp | with(?! us) |
    z kim | zug
""",
    rf"^(?!.*\b(?:you|du|ihr|tu|te|vous|ty)\b)(?=(?:\S+ ){{0,4}}\S+$).*\b{_THING}\b",
    rf"^{_QUESTION}\b",
)
# An answer that leaves it open.
_DOUBT = _anywhere(r"""
    50 50 | a lo mejor | asi | chyba | depende | depends | eventuell | evtl | falls | forse | fraglich | if | jesli |
    jezeli | kanske | kanskje | kommt drauf an | likely | magari | mal schauen | mal sehen | maske | maybe |
    misschien | moze | mozna | o ile | perhaps | peut etre | possibly | probabilmente | probablement | probablemente |
    probably | quizas? | raczej | se (?:riesco|posso) | si (?:puedo|puede|me|no|consigo|hay|je|on|possible|tout) |
    sofern | tal vez | tentative | undecided | unklar | unless | unsicher | unsure | vermutlich | vielleicht |
    wahrscheinlich | waiting | wenn | zalezy | zobacze
""")
# A yes.
_COMING = _anywhere(
    r"""
    absolutely | accepted | accepts? | angemeldet | anwesend | apuntad[oa] | asist\w+ | attend | attending |
    auf jeden fall | be there | bede | bedzie | bien sur | certainly | certamente | certo | ci saro | ci sono |
    claro | come | coming | confermat[oa] | confirmad[oa] | confirmed | d accord | dabei | definitely | gern | gerne |
    going | graag | in | inscrite? | ire | jasne | jawohl | jep | jo | klar | komme | kommer | kommt | me apunto |
    me in | naturlich | oczywiscie | of course | partecip\w+ | pewnie | playing | potwierdz\w+ | present | presente? |
    prijd\w+ | przyjd\w+ | registered | seguro | sicher | sure | urcite | vengo | viene | viens | vient | volentieri |
    volontiers | voy | will | yeah | yep | yup | zeker | zugesagt | zusage
""",
    "👍",
    "🙋",
)
# Behind a name: somebody else's place, or somebody else too.
_OTHERS = _anywhere(
    r"""
    a la place | al posto | and | anstatt | anstelle | en lugar | ersetzt | for | fur | in plaats | instead | nur |
    only | oraz | remplace\w* | replac\w+ | seulement | solo | soltanto | sostituisce | statt | sustituye\w* | tylko |
    und | y | zamiast
""",
    "[?+&❌✗✘👎⛔🚫]",
    ".{31}",
)
_DATE = re.compile(r"\d{1,4}[-./]\d{1,2}[-./]\d")


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
    odd = _OTHERS.search(added.casefold()) or any(words.search(plain) for words in (_DOUBT, _DENIES, _OTHERS))
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
    question, plain = fold(heading), fold(cell)
    if _STATUS.search(question):
        return any(map(str.isalpha, plain)) and (
            (False in (comes(cell), parse_paid(cell)) and not _NO_STATUS.search(plain))
            or taken_back(cell)
            or says_away(cell)
            or OTHER_LIST.fullmatch(plain) is not None
            or _OFF.search(plain) is not None
        )
    if says_away(heading) or not _COMES.search(question) or _ELSE.search(question) or _DENIES.search(question):
        return says_away(heading) and (parse_paid(cell) is True or _DATE.search(cell) is not None)
    # A list to tick off people with is not ticked before they are there.
    return comes(cell) is False or (
        comes(cell) is None and others_come and not (plain == "" and _ROLL.search(question))
    )


def parse_paid(text: str) -> bool | None:
    """Whether a cell means paid: yes, no, an amount, by what means, not yet, back again; None where it is unclear."""
    cell = text.strip().casefold()
    if not cell:
        return False
    plain = (_NEVER_BACK.sub("", fold(cell)).strip() if any(c.isalnum() for c in cell) else cell) or fold(cell)
    if cell in YES or plain in YES:
        return True
    if cell in NO or plain in NO:
        return False
    if (amount := _AMOUNT.fullmatch(cell)) is not None:
        return any(int(part) for part in amount.groups() if part)
    if _PART.search(plain):
        return None
    words, paid, negated = plain.split(), _PAID.search(plain), _NOT.search(plain)
    near = paid and negated and 0 <= paid.start() - negated.end() <= NEAR_LETTERS
    if (
        near
        or _YET.search(plain)
        or words[0] in NO
        or words[-1] in NO
        or ((_BACK.search(plain) or _OPEN.search(plain)) and not negated)
    ):
        return False
    yes_first = words[0] in YES and len(words[0]) > 1 and words[0].isalpha()
    return (
        True if not negated and (paid or ((yes_first or _MEANS.search(plain)) and not _LATER.search(plain))) else None
    )


def paid_beside(text: str) -> bool | None:
    """The same of words behind a name, where a bare yes, a number or a shop's name like "Card Castle" is no payment."""
    plain = re.sub("^(?:by|per|via|with|mit|con|par|met) ", "", fold(text))
    return parse_paid(text) if _MEANS.fullmatch(plain) or any(p.search(plain) for p in (_PAID, _OPEN, _YET)) else None


def taken_back(text: str) -> bool:
    """Whether the money went back, or the order was cancelled: "No, refunded", but not "not refunded"."""
    parts = map(fold, re.split(r"[,;.:!?()/–—]+|\s-\s", text))
    return any(_BACK.search(_NEVER_BACK.sub("", part)) and not _NOT_BACK.search(part) for part in parts)
