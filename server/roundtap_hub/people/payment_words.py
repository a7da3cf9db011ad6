"""What a cell says of a payment, in the words of forms, shops and helpers: paid, unpaid, or neither."""

import re

from roundtap_core.lists.list_form import fold

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
