"""Lists of players as people of eight countries make them: what must be ticked, and what only the person can say."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from sheet_kit import xlsx

ASKED = None
"""Nobody is ticked: the page asks which column is the name."""


@dataclass(frozen=True)
class Made:
    """One list. `ticked`: the names that are ticked by themselves; `untold`: rows left to the person, each with a
    reason; `told`: what those reasons say, row by row."""

    what: str
    raw: bytes | str
    ticked: Sequence[str] | None
    untold: int = 0
    ids: Sequence[str] = ()
    paid: Sequence[str] = ()
    told: Sequence[str] = ()


def csv_(what: str, text: str, *ticked: str, untold: int = 0, encoding: str = "utf-8", **more: Sequence[str]) -> Made:
    return Made(what, text.encode(encoding), ticked or ASKED, untold, **more)


def chat(what: str, text: str, *ticked: str, untold: int = 0, **more: Sequence[str]) -> Made:
    return Made(what, text, ticked or ASKED, untold, **more)


def answers(question: str, *said: str, comes: int) -> Made:
    """A form's one question, each answer by another person; the first `comes` of them come."""
    names = [f"Ann {chr(65 + n)}{'xyz'[n % 3]}n" for n in range(len(said))]
    rows = "".join(f'{name},"{answer}",A\n' for name, answer in zip(names, said, strict=True))
    away = [f"{question} – {answer or '…'}" for answer in said[comes:]]
    return csv_(question, f'Name,"{question}",Club\n{rows}', *names[:comes], untold=len(away), told=away)


def status(heading: str, *out: str, come: Sequence[str]) -> Made:
    """A column of what became of each registration: the first are out, or not sure."""
    names = [f"Ann {chr(65 + n)}{'xyz'[n % 3]}n" for n in range(len(out) + len(come))]
    rows = "".join(f"{name};{said}\n" for name, said in zip(names, [*out, *come], strict=True))
    told = [f"{heading} – {said}" for said in out]
    return csv_(f"{heading}: {out[0]}", f"Name;{heading}\n{rows}", *names[len(out) :], untold=len(out), told=told)


FILES = (
    csv_(
        "headings of which one is known",
        "Name;Hat bezahlt;Kommt\nJörg Weiß;ja;ja\nUdo Kurz;ja;nein\n",
        "Jörg Weiß",
        untold=1,
    ),
    csv_(
        "a letter that no heading here has",
        "الاسم,النادي\nعلی کریمی,A\nرضا کریمی,B\n",
        "علی کریمی",
        "رضا کریمی",
        untold=1,
    ),
    csv_("numbers with a stop", "1.;Ann Bee;A\n2.;Bob Cee;B\n", "Ann Bee", "Bob Cee"),
    csv_(
        "notes above and below a table",
        "Winter Open\nVenue, Town Hall\n\nNo;Name;Club\n1;Ann Bee;A\n2;Bob Cee;B\n;;\nOrganiser;Zoe;\n",
        "Ann Bee",
        "Bob Cee",
        untold=1,
    ),
    csv_(
        "who does not play",
        "Name,Status,Role\nAnn Bee,ok,Player\nBob Cee,Cancelled,\nZoe,ok,Judge\n",
        "Ann Bee",
        untold=2,
    ),
    csv_("teams alone", "Team Name\nReds\nBlues\n"),
    csv_(
        "two names of one person",
        "Name (for the badge),Full legal name,Contact\nAnn,Ann Bee,Zoe\nBo,Bob Cee,Yan\n",
        "Ann Bee",
        "Bob Cee",
    ),
    # Great Britain and the United States
    csv_(
        "a form's answers, with questions as headings",
        '"Timestamp","Email Address","What is your full name?","Local club / store","Faction?"\n'
        '"2026/11/20 6:33:12 PM GMT","ann@example.org","Ann Bee","Store A","Rebel"\n'
        '"2026/11/20 7:02:45 PM GMT","bob@example.org","Bob Cee","Store B","Rebel"\n',
        "Ann Bee",
        "Bob Cee",
    ),
    csv_(
        "an export with names apart",
        "First Name,Last Name,Team Name\nAnn,Bee,Reds\nBob,Cee,Blues\n",
        "Ann Bee",
        "Bob Cee",
    ),
    csv_("a team first", "Team Name,Player Name,Role\nReds,Ann Bee,Captain\nReds,Bob Cee,\n", "Ann Bee", "Bob Cee"),
    csv_(
        "a shop's orders",
        "Order Number,Attendee Name,Ticket Type,Payment Status\n1001,Ann Bee,Adult,Completed\n"
        "1002,Bob Cee,Adult,Refunded\n1003,Cat Dee,Adult,On hold\n1004,Dan Eee,Adult,Paid by PayPal\n",
        "Ann Bee",
        "Cat Dee",
        "Dan Eee",
        untold=1,
        paid=("Ann Bee", "Dan Eee"),
        told=("Payment Status – Refunded",),
    ),
    csv_("two columns of words without headings", "Store A,Ann Bee\nStore B,Bob Cee\nStore C,Cat Dee\n"),
    csv_("columns whose headings do not say it", "Who?,From?\nAnn Bee,Leeds Road\nBob Cee,York Street\n"),
    csv_(
        "a title, a list, a total",
        "Winter Open 2026,,\n,,\nName,Club,Paid\nAnn Bee,A,yes\nBob Cee,B,no\n,,\nTotal,2,\n",
        "Ann Bee",
        "Bob Cee",
        untold=1,
        paid=("Ann Bee",),
    ),
    # Germany
    csv_(
        "semicolons and Windows letters",
        "Nachname;Vorname;Verein;Startgeld\nMüller;Jörg;Köln;überwiesen\nWeiß;Änne;Bonn;offen\n",
        "Jörg Müller",
        "Änne Weiß",
        encoding="cp1252",
        paid=("Jörg Müller",),
    ),
    csv_(
        "one cell with the last name first",
        "Nr.;Name, Vorname;Ort\n1;Müller, Jörg;Köln\n2;von der Heide, Änne;Bonn\n",
        "Jörg Müller",
        "Änne von der Heide",
    ),
    csv_(
        "T³",
        "v1.3.3\r\nTurnier\r\n12\r\n2\r\n1||Jörg||Weiß||jw||Imperium||Bonn||||0||||0||||x\r\n"
        "2||Anna||Müller||am||Rebellen||Köln||Verein||3||||1||||x\r\n",
        "Jörg Weiß",
        "Anna Müller",
        encoding="cp1252",
        ids=("1", "2"),
    ),
    csv_(
        "a form's answers",
        "Zeitstempel,E-Mail-Adresse,Wie ist dein Name?,Verein (falls vorhanden)\n"
        "20.11.2026 18:33:12,a@example.org,Jörg Weiß,Köln\n20.11.2026 19:33:12,b@example.org,Anna Müller,\n",
        "Jörg Weiß",
        "Anna Müller",
    ),
    # Spain
    csv_(
        "a form's answers",
        '"Marca temporal","Dirección de correo electrónico","Nombre y apellidos","Club o tienda","¿Has pagado?"\n'
        '"20/11/2026 18:33:12","a@example.org","Íñigo Muñoz","Peña","Bizum"\n'
        '"20/11/2026 19:33:12","b@example.org","Eva Ruiz","","todavía no"\n',
        "Íñigo Muñoz",
        "Eva Ruiz",
    ),
    csv_(
        "last names apart",
        "Apellidos;Nombre;Pagado\nGarcía López;Ana;en efectivo\nMuñoz;Íñigo;devuelto\n",
        "Ana García López",
        untold=1,
        paid=("Ana García López",),
        told=("Pagado – devuelto",),
    ),
    csv_(
        "one cell with the last names first: how many, the person says",
        "Apellidos y nombre;Club\nGarcía López Ana;A\nMuñoz Íñigo;B\n",
        "Íñigo Muñoz",
        untold=1,
    ),
    # Poland
    csv_(
        "a start list",
        "Lp.;Nazwisko i imię;Klub;Wpisowe\n1;Nowak Jan;Łódź;przelew\n2;KOWALSKA-ŻAK Anna;Gdańsk;nieopłacone\n",
        "Jan Nowak",
        "Anna KOWALSKA-ŻAK",
        encoding="cp1250",
        paid=("Jan Nowak",),
    ),
    csv_(
        "the last name first, but no heading says so",
        "Zawodnik;Klub\nNowak Jan;Łódź\nKowalska Anna;Gdańsk\nŻak Piotr;Łódź\n",
    ),
    csv_(
        "a form's answers",
        "Sygnatura czasowa,Imię i nazwisko,Pseudonim,Drużyna\n2026-11-20 18:33:12,Jan Nowak,jn,A\n"
        "2026-11-20 19:33:12,Anna Żak,az,B\n",
        "Jan Nowak",
        "Anna Żak",
    ),
    # France
    csv_(
        "HelloAsso",
        "Numéro de billet;Nom;Prénom;Statut du paiement;Ville\n1;BEAU;Zoé;Payé par carte;Lyon\n"
        "2;ROUX;Luc;Remboursé;Nice\n",
        "Zoé BEAU",
        untold=1,
        paid=("Zoé BEAU",),
        told=("Statut du paiement – Remboursé",),
    ),
    csv_("capitals first, but no heading says so", "Joueur;Club\nBEAU Zoé;Lyon\nROUX Luc;Nice\n"),
    csv_(
        "both in one cell",
        "NOM Prénom;Club;Payé\nBEAU Zoé;Lyon;oui\nLE ROUX Luc;Nice;non\n",
        "Zoé BEAU",
        "Luc LE ROUX",
        paid=("Zoé BEAU",),
    ),
    # Italy
    csv_(
        "names apart",
        "Nome;Cognome;Squadra;Pagato\nAnna;Bianchi;A;sì, in contanti\nLuca;De Rossi;B;in attesa\n",
        "Anna Bianchi",
        "Luca De Rossi",
        paid=("Anna Bianchi",),
    ),
    csv_(
        "a form's answers",
        "Informazioni cronologiche,Nome e cognome,Negozio\n20/11/2026 18.33.12,Anna Bianchi,A\n"
        "20/11/2026 19.33.12,Luca De Rossi,B\n",
        "Anna Bianchi",
        "Luca De Rossi",
    ),
    # The Netherlands
    csv_(
        "particles and an apostrophe",
        "Naam;Vereniging;Betaald\nAn van der Berg;A;ja\nJan 't Hart;B;nog niet\n",
        "An van der Berg",
        "Jan 't Hart",
        paid=("An van der Berg",),
    ),
    csv_("the last name first", "Achternaam, voornaam\nvan der Berg An\nHart Jan\n", "An van der Berg", "Jan Hart"),
    # Czech Republic
    csv_(
        "names apart", "Příjmení;Jméno;Oddíl\nNovák;Jiří;Praha\nDvořáková;Lenka;Brno\n", "Jiří Novák", "Lenka Dvořáková"
    ),
    # The kit's own, and spreadsheets
    csv_(
        "Standings (CSV)",
        "place,rank,competitor,name,full_name,status,points,rounds,wins,losses,draws,byes,decided_by,by_chance\n"
        "1,1,p2,Ana R.,Eva Ruiz,,6,2,2,0,0,0,points,no\n2,2,p1,\"'=Bob\",'=Bob,,3,2,1,1,0,0,points,no\n",
        "Eva Ruiz",
        "=Bob",
    ),
    Made(
        "an event file",
        json.dumps(
            {
                "format": "roundtap-event/1",
                "competitors": [
                    {"id": "p1", "name": "Eva Ruiz", "club": "Milan", "external_id": "007"},
                    {"id": "p2", "name": "Kai Esch"},
                ],
            }
        ).encode(),
        ("Eva Ruiz", "Kai Esch"),
        ids=("007",),
    ),
    Made("another program's file", json.dumps({"players": [{"name": "Eva Ruiz", "mov": 4}]}).encode(), ("Eva Ruiz",)),
    Made(
        "a spreadsheet with a note below",
        xlsx([["Name", "Club"], ["Eva Ruiz", "A"], ["Kai Esch", "B"], ["", ""], ["Please bring your own dice", ""]]),
        ("Eva Ruiz", "Kai Esch"),
        1,
    ),
    Made(
        "a spreadsheet with long numbers",
        xlsx([["Name", "Player ID"], ["Eva Ruiz", 1234567890123456], ["Kai Esch", 7]]),
        ("Eva Ruiz", "Kai Esch"),
        ids=("1234567890123456", "7"),
    ),
    # What is written about people, in any country
    csv_(
        "an export that says who dropped",
        "Placing,First Name,Last Name,Faction,Team,Checked In,Dropped,ITC ID\n1,Ann,Bee,Rebel,Reds,Yes,No,A1\n"
        "2,Bob,Cee,Rebel,Reds,Yes,Yes,A2\n",
        "Ann Bee",
        untold=1,
        ids=("A1",),
    ),
    csv_(
        "who does not come, with a date or for a reason",
        "Name;Status\nJörg Weiß;angemeldet\nUdo Kurz;storniert am 20.11.\nKai Esch;krank\n",
        "Jörg Weiß",
        untold=2,
    ),
    csv_("tickets", "Name,Ticket Type\nAnn Bee,Player\nBob Cee,Spectator ticket (Saturday)\n", "Ann Bee", untold=1),
    csv_(
        "what stands in brackets behind a name",
        "Name;Club\nAnn Bee (maybe);A\nBob Cee (waitlist);B\nCat Dee (she/her);C\nDan Eee;D\nEva Eff (Evie);E\n",
        "Cat Dee",
        "Dan Eee",
        "Eva Eff",
        untold=2,
        told=("maybe", "waitlist"),
    ),
    csv_(
        "a participant, and who paid for them",
        "Référence commande;Date;Nom participant;Prénom participant;Nom payeur;Prénom payeur\n"
        "1001;20/11/2026;BEAU;Zoé;ROUX;Luc\n1002;20/11/2026;LE GALL;Yann;ROUX;Luc\n",
        "Zoé BEAU",
        "Yann LE GALL",
    ),
    csv_(
        "an order, which may be somebody else's",
        "Order ID,Order Date,Billing First Name,Billing Last Name\n1001,2026-11-20,Ann,Bee\n1002,2026-11-20,Bob,Cee\n",
    ),
    csv_(
        "a form that asks name by name",
        "Sygnatura czasowa,Podaj swoje imię,Podaj swoje nazwisko,Czy zapłaciłeś wpisowe?\n"
        "2026-11-20 18:33:12,Jan,Nowak,Tak\n2026-11-20 19:33:12,Anna,Żak,Nie\n",
        "Jan Nowak",
        "Anna Żak",
        paid=("Jan Nowak",),
    ),
    csv_(
        "particles in a column of their own",
        "Voornaam;Tussenvoegsel;Achternaam;Betaald\nAn;van der;Berg;ja\nJan;;Hart;nee\n",
        "An van der Berg",
        "Jan Hart",
        paid=("An van der Berg",),
    ),
    csv_(
        "particles after the name that they belong to",
        "Achternaam;Tussenvoegsel;Voornaam\nBerg;van der;An\nHart;;Jan\n",
        "An van der Berg",
        "Jan Hart",
    ),
    csv_(
        "two last names",
        "Nombre;Primer apellido;Segundo apellido\nAna;García;López\nÍñigo;Muñoz;\n",
        "Ana García López",
        "Íñigo Muñoz",
    ),
    csv_(
        "the full name of Vietnam",
        "Họ và tên,Câu lạc bộ\nNguyễn Văn An,Huế\nTrần Bình,Huế\n",
        "Nguyễn Văn An",
        "Trần Bình",
    ),
    csv_(
        "a table of dashes and bars", "| # | Name | Club |\n|---|---|---|\n| 1 | Ann Bee | A |\n", "Ann Bee", untold=1
    ),
    csv_(
        "two people in a cell", "Name;Club\nAnn Bee & Bob Cee;A\nCat Dee / Dan Eee;B\nEva Eff;C\n", "Eva Eff", untold=2
    ),
    csv_("years of birth are no ids", "Jan Lis;1988\nAnna Żak;1990\nEwa Mak;1989\n", "Jan Lis", "Anna Żak", "Ewa Mak"),
    csv_("who comes", "Name,RSVP,Guests\nAnn Bee,Yes,0\nBob Cee,No,0\nCat Dee,Maybe,1\n", "Ann Bee", untold=2),
    csv_("an answer in words", "Navn;Svar\nAda Berg;Kommer\nBo Hansen;Kommer ikke\n", "Ada Berg", untold=1),
    csv_(
        "a remark that takes it back",
        "Name;Bemerkung\nAnna Weiß;kommt später\nJörg Müller;hat abgesagt\n",
        "Anna Weiß",
        untold=1,
    ),
    csv_("captains of players", "Name,Team,Captain\nAnn Bee,Reds,Yes\nBob Cee,Reds,No\n", "Ann Bee", "Bob Cee"),
    # Who comes: whatever is asked, and whatever is answered
    answers(
        "Can you attend?", "Yes", "yes, sure", "No", "No, sorry", "Can't make it", "Maybe", "I'm not sure", comes=2
    ),
    answers("Are you in?", "In", "Yes!", "Out", "nope", "Unfortunately not", "if I get off work", comes=2),
    answers("RSVP", "Going", "Yes", "Not going", "Tentative", "No reply", "declined", comes=2),
    answers("Attending", "x", "", "no", comes=1),
    answers("Will you be joining us on Saturday?", "I will", "Sadly I can't", "won't make it", "50/50", comes=1),
    answers("Will you attend the Winter Open 2026?", "Yes", "No thanks", comes=1),
    answers("Do you want to play?", "Definitely", "Not this time", "?", comes=1),
    answers(
        "Kannst du kommen?",
        "ja",
        "Ja, gerne",
        "klar",
        "nein",
        "Nein leider nicht",
        "Leider nicht",
        "bin im Urlaub",
        "vielleicht",
        "weiß noch nicht",
        comes=3,
    ),
    answers(
        "Bist du dabei?", "Bin dabei", "Ja!", "Nein, leider nicht", "kann nicht", "eher nicht", "mal sehen", comes=2
    ),
    answers("Nimmst du am Turnier teil?", "Ja", "Nö", "Ja, wenn ich frei bekomme", comes=1),
    answers("Kommst du zum Bonner Pokal?", "ja", "nee", "krank", "abgemeldet", comes=1),
    answers("Wirst du mitspielen?", "Ja", "Nein", "unsicher", comes=1),
    answers("Teilnahme?", "zugesagt", "abgesagt", "offen", comes=1),
    answers("¿Puedes venir?", "Sí", "Si, claro", "No", "No puedo", "no, lo siento", "Quizás", "depende", comes=2),
    answers("¿Vas a participar?", "Sí", "Todavía no lo sé", "Lamentablemente no", comes=1),
    answers("¿Vienes el sábado?", "Voy", "No voy", "no podré ir", "A lo mejor", comes=1),
    answers("Asistencia", "Confirmado", "No asiste", "si puedo", comes=1),
    answers("Czy przyjdziesz?", "Tak", "tak, na pewno", "Nie", "Niestety nie", "nie mogę", "Może", "nie wiem", comes=2),
    answers("Czy weźmiesz udział?", "Tak", "Nie, dziękuję", "Raczej nie", "Zobaczę", comes=1),
    answers("Będziesz?", "będę", "nie będę", "jeszcze nie wiem", comes=1),
    answers("Viens-tu ?", "Oui", "Non", "Non désolé", "Malheureusement pas", "Peut-être", comes=1),
    answers("Serez-vous présent ?", "oui, bien sûr", "je ne peux pas", "Indisponible", comes=1),
    answers("Ci sarai?", "Sì", "Certo", "No", "Non posso", "Purtroppo no", "Forse", comes=2),
    answers("Partecipi al torneo?", "sì", "no, mi dispiace", "non so", comes=1),
    answers("Czy możesz przyjść?", "Tak", "Nie, przepraszam", "Prawdopodobnie", comes=1),
    answers("Kommst du am Sonntag?", "Ja, komme mit dem Zug", "geht leider nicht", "ich versuche es", "", comes=1),
    answers("Are you coming?", "Count me in", "I'll be there", "I'd love to but no", "regrets", comes=2),
    answers("Seras-tu là ?", "oui", "j'espère", "non", comes=1),
    answers("¿Te apuntas?", "Me apunto", "paso", "no", comes=1),
    answers("Hast du Zeit?", "ja", "nein", comes=1),
    answers("Available?", "yes", "no", comes=1),
    answers("Sei dei nostri?", "sì", "no", comes=1),
    answers("Kun je komen?", "Ja", "Nee, helaas", "misschien", comes=1),
    csv_(
        "questions about something else than coming",
        "Name;Kommst du mit dem Auto?;Where do you come from?;First time here?\n"
        "Jörg Weiß;nein;Bonn;no\nUdo Kurz;ja;Köln;yes\n",
        "Jörg Weiß",
        "Udo Kurz",
    ),
    csv_("a check-in that nobody has begun", "Name;Anwesend\nJörg Weiß;\nUdo Kurz;\n", "Jörg Weiß", "Udo Kurz"),
    csv_(
        "who says no in a column of remarks",
        "Name,Remarks\nAnn Bee,brings dice\nBob Cee,can't make it\nCat Dee,No longer coming\n"
        "Dan Eee,withdrew on Friday\n",
        "Ann Bee",
        untold=3,
        told=("Remarks – can't make it", "Remarks – No longer coming", "Remarks – withdrew on Friday"),
    ),
    csv_(
        "who has withdrawn, of Germany",
        "Name;Status\nJörg Weiß;gemeldet\nUdo Kurz;zurückgezogen\nKai Esch;abgemeldet\nMia Sol;Zurückgetreten\n"
        "Eva Ruiz;leider nicht dabei\n",
        "Jörg Weiß",
        untold=4,
        told=(
            "Status – zurückgezogen",
            "Status – abgemeldet",
            "Status – Zurückgetreten",
            "Status – leider nicht dabei",
        ),
    ),
    csv_(
        "who has withdrawn, of anywhere",
        "Name,Status\nAnn Bee,registered\nBob Cee,Withdrawn\nCat Dee,wycofany\nDan Eee,Wycofała się\nEva Eff,retirado\n"
        "Fay Gee,se ha retirado\nGil Hay,ritirato\nHal Ivy,forfait\nIda Jay,odhlášen\nJim Kay,zrezygnował\n"
        "Kim Lee,dado de baja\n",
        "Ann Bee",
        untold=10,
    ),
    csv_(
        "money that went back",
        "Name;Bezahlt\nJörg Weiß;ja\nUdo Kurz;storniert\nKai Esch;Erstattet am 3.11.\nMia Sol;nein, zurückgezahlt\n"
        "Eva Ruiz;offen\nIda Berg;nicht erstattet, bezahlt\nPia Lang;abgesagt\n",
        "Jörg Weiß",
        "Eva Ruiz",
        "Ida Berg",
        untold=4,
        paid=("Jörg Weiß",),
        told=(
            "Bezahlt – storniert",
            "Bezahlt – Erstattet am 3.11.",
            "Bezahlt – nein, zurückgezahlt",
            "Bezahlt – abgesagt",
        ),
    ),
    csv_(
        "money that went back, of anywhere",
        "Name,Payment\nAnn Bee,paid\nBob Cee,cancelled\nCat Dee,Canceled\nDan Eee,No - refunded\nEva Eff,zwrot\n"
        "Fay Gee,Zwrócono\nGil Hay,anulado\nHal Ivy,reembolsado\nIda Jay,devuelto\nJim Kay,partially refunded\n"
        "Kim Lee,rimborsato\nLia May,remboursé\nMax Nye,terugbetaald\nNed Orr,annullato\nPam Quo,waiting for payment\n",
        "Ann Bee",
        "Pam Quo",
        untold=13,
        paid=("Ann Bee",),
    ),
    csv_(
        "a fee's heading as each form words it",
        "Name;Startgebühr bezahlt?\nJörg Weiß;ja\nUdo Kurz;nein\n",
        "Jörg Weiß",
        "Udo Kurz",
        paid=("Jörg Weiß",),
    ),
    csv_(
        "a fee, of Britain",
        "Name,Tournament fee paid?\nAnn Bee,yes\nBob Cee,no\n",
        "Ann Bee",
        "Bob Cee",
        paid=("Ann Bee",),
    ),
    csv_(
        "a fee, of Spain",
        "Nombre;Inscripción pagada\nAna Sol;sí\nEva Gil;no\n",
        "Ana Sol",
        "Eva Gil",
        paid=("Ana Sol",),
    ),
    csv_(
        "a fee, of Poland",
        "Gracz;Wpisowe opłacone?\nJan Lis;tak\nEwa Mak;nie\n",
        "Jan Lis",
        "Ewa Mak",
        paid=("Jan Lis",),
    ),
    csv_(
        "a fee, after who paid it",
        "Name,Paid by,Paid\nAnn Bee,Zoe,yes\nBob Cee,Yan,no\n",
        "Ann Bee",
        "Bob Cee",
        paid=("Ann Bee",),
    ),
    answers("In?", "x", "", comes=1),
    answers("Will you come? Please send your army list by e-mail", "yes", "no", comes=1),
    *(
        csv_(
            f"a fee, under {heading}",
            f"Name,{heading}\nAnn Bee,yes\nBob Cee,\n",
            "Ann Bee",
            "Bob Cee",
            paid=("Ann Bee",),
        )
        for heading in ("Payment confirmed", "Zahlung bestätigt", "Pago confirmado", "Płatność potwierdzona")
    ),
    *(
        csv_(
            f"{heading}, which is not whether somebody comes",
            f"Name,{heading},Club\nAnn Bee,{said[0]},A\nBob Cee,{said[1]},A\nCat Dee,,A\n",
            "Ann Bee",
            "Bob Cee",
            "Cat Dee",
        )
        for heading, *said in (
            ("E-mail confirmed", "yes", "no"),
            ("Army list confirmed", "yes", "no"),
            ("Confirmation code", "4812", "X3K9"),
            ("Confirmation", "4812", "12"),
            ("Participation type", "Player", "Yes"),
            ("Playing since", "last year", "2019"),
            ("Present", "x", ""),
            ("Anwesend", "", "ja"),
        )
    ),
    csv_(
        "a payment that is not paid back",
        "Name,Paid\nAnn Bee,PayPal (no refund)\nBob Cee,Paid - non-refundable\nCat Dee,bezahlt (keine Erstattung)\n"
        "Dan Eee,No refunded\n",
        "Ann Bee",
        "Bob Cee",
        "Cat Dee",
        untold=1,
        paid=("Ann Bee", "Bob Cee", "Cat Dee"),
    ),
    chat(
        "answers behind a comma are no given names",
        "Name\tClub\nUdo Kurz, Nein\tA\nIda Berg, No\tB\nMax Roth, Nie\tC\nPia Lang\tD\n",
        "Pia Lang",
        untold=3,
    ),
    # What became of a registration, in the words of shops and organisers
    status(
        "Status",
        "not confirmed",
        "Refunded",
        "removed",
        "deregistered",
        "will not come",
        "isn't coming",
        "can not make it",
        "pending",
        "Transferred",
        "Ticket transferred to Zoe",
        "awaiting approval",
        come=("confirmed", "registered", "not checked in", "unpaid", "Payment pending", "n/a", "", "non-member"),
    ),
    status(
        "Anmeldestatus",
        "nicht bestätigt",
        "kommt doch nicht",
        "ausgetragen",
        "gelöscht",
        "Platz auf Warteliste",
        "WL 3",
        "offen",
        come=("angemeldet", "bestätigt", "noch nicht bezahlt", "bezahlt"),
    ),
    status(
        "Estado",
        "anulado",
        "rechazado",
        "eliminado",
        "no confirmado",
        "no confirmada",
        "pendiente",
        come=("confirmada", "inscrito", "no pagado"),
    ),
    status(
        "Stan",
        "niepotwierdzony",
        "niepotwierdzona",
        "skreślony",
        "usunięty",
        "usunięta",
        "nieobecna",
        "rezerwowa",
        come=("potwierdzona", "zgłoszony", "nieopłacone"),
    ),
    status("Statut", "Annulée", "refusé", "en attente", "absente", come=("inscrite", "validé", "non payé")),
    status("Stato", "annullata", "non confermata", "in attesa", come=("confermata", "non pagato")),
    # Names of which one part has a heading
    csv_("a name to call somebody by", "Familienname;Rufname\nMeier;Hans\nGroß;Anna\n", "Hans Meier", "Anna Groß"),
    csv_("the same, in another form", "Nachname;Rufname\nMeier;Hans\nGroß;Anna\n", "Hans Meier", "Anna Groß"),
    csv_(
        "a name of baptism, of Spain",
        "Apellidos;Nombre de pila\nGarcía Gil;Ana\nSol;Eva\n",
        "Ana García Gil",
        "Eva Sol",
    ),
    csv_("a first name, of Poland", "Nazwisko;Pierwsze imię\nNowak;Jan\nŻak;Ewa\n", "Jan Nowak", "Ewa Żak"),
    csv_("a usual first name, of France", "Nom;Prénom usuel\nBeau;Zoé\nRoux;Luc\n", "Zoé Beau", "Luc Roux"),
    csv_(
        "a name to call somebody by, of the Netherlands",
        "Achternaam;Roepnaam\nHart;Jan\nBerg;An\n",
        "Jan Hart",
        "An Berg",
    ),
    csv_("forenames", "Surname,Forename(s)\nBee,Ann\nCee,Bob\n", "Ann Bee", "Bob Cee"),
    csv_("last names beside words that no heading explains", "Nachname;Kürzel davor\nMeier;Hans\nGroß;Anna\n"),
    csv_("last names beside a column without a heading", "Nachname;\nMeier;Hans\nGroß;Anna\n"),
    csv_("last names beside what friends say", "Familienname;Spitzname\nMeier;Hansi\nGroß;Anni\n"),
    csv_("first names beside words that no heading explains", "Vorname;Sippe\nHans;Meier\nAnna;Groß\n"),
    csv_("players beside their last names", "Spieler;Nachname\nHans;Meier\nAnna;Groß\n"),
    csv_("last names alone", "Nachname;Verein;Ort\nMeier;Köln;Bonn\nGroß;Köln;Bonn\n", "Meier", "Groß"),
    csv_(
        "whole names under a word for one part",
        "Nombre;Ejército favorito\nAna Sol;Rebelde\nEva Gil;Imperio\n",
        "Ana Sol",
        "Eva Gil",
    ),
)

PASTED = (
    chat("boxes to tick", "- [x] Ann Bee\n- [ ] Bob Cee\n", "Ann Bee", "Bob Cee"),
    chat("a chat's own signs", "🎲 Ann Bee\n🎲 Bob Cee (maybe)\n🎲 ~Cat Dee~\n🎲 Dan Eee +1\n", "Ann Bee", untold=3),
    chat("numbers", "1. Ann Bee\n2. Bob Cee\n10. Cat Dee\n", "Ann Bee", "Bob Cee", "Cat Dee"),
    chat(
        "a title, numbers, free places",
        "Sign-ups for Saturday\n1) Ann Bee\n2) Bob Cee\n3)\n4)\n",
        "Ann Bee",
        "Bob Cee",
        untold=1,
    ),
    chat("bullets", "• Änne Weiß\n• Jörg Müller\n", "Änne Weiß", "Jörg Müller"),
    chat(
        "dashes, and a list of reserves",
        "Teilnehmer:\n- Änne Weiß\n- Jörg Müller\n\nWarteliste:\n- Kai Esch\n",
        "Änne Weiß",
        "Jörg Müller",
        untold=2,
    ),
    chat("ticks of a chat", "✅ Íñigo Muñoz\n✅ Eva Ruiz\n❌ Luis Gil\n", "Íñigo Muñoz", "Eva Ruiz", untold=1),
    chat("direction marks of a phone", "1. \u200eAnna Żak\n2. \u2068Jan Nowak\u2069\u200b\n", "Anna Żak", "Jan Nowak"),
    chat("numbers in boxes", "1️⃣ Zoé Beau\n2️⃣ Luc Roux\n", "Zoé Beau", "Luc Roux"),
    chat(
        "a payment behind the name",
        "Anna Bianchi - pagato\nLuca De Rossi\nPia Sala\n",
        "Anna Bianchi",
        "Luca De Rossi",
        "Pia Sala",
        paid=("Anna Bianchi",),
    ),
    chat(
        "names alone, with a joiner that one needs",
        "An van der Berg\nJan Hart\nعلی\u200cرضا کریمی\n",
        "An van der Berg",
        "Jan Hart",
        "علی\u200cرضا کریمی",
    ),
    chat(
        "a heading in a language that is not known here",
        "Osalejad\nMari Mets\nJaan Tamm\n",
        "Mari Mets",
        "Jaan Tamm",
        untold=1,
    ),
    chat("who is called with a sign", "@Ann Bee\n@bob_cee#1234\n@Cat Dee (she/her)\n", "Ann Bee", "Cat Dee", untold=1),
    chat(
        "answers to an event",
        "Going (2)\n> Ann Bee\n> Bob Cee\nMaybe (1)\n> Zoe Eff\nNot going (1)\n> Yan Gee\n",
        "Ann Bee",
        "Bob Cee",
        untold=5,
    ),
    chat(
        "answers to a poll",
        "Samstag?\nNein\nKai Esch\nJa\nAnna Weiß\nJörg Müller\n",
        "Anna Weiß",
        "Jörg Müller",
        untold=4,
    ),
    chat(
        "answers to a poll, counted",
        "Who plays on Saturday?\n✅ Yes: 2\nAnn Bee\nBob Cee\n❌ No: 1\nZoe Eff\n",
        "Ann Bee",
        "Bob Cee",
        untold=4,
    ),
    chat(
        "who has said no since",
        "Jörg Weiß\nAnna Müller (abgesagt)\nKai Esch - krank\nUdo Kurz ABGESAGT\nMia Sol\n",
        "Jörg Weiß",
        "Mia Sol",
        untold=3,
    ),
    chat(
        "shops in brackets",
        "1. Ann Bee (Store A)\n2. Bob Cee (Store B)\n3. Cat Dee\n4. Dan Eee (can't come)\n5. Eva Eff [Store A]\n",
        "Ann Bee",
        "Bob Cee",
        "Cat Dee",
        "Eva Eff",
        untold=1,
    ),
    chat(
        "pronouns",
        "1. Ann Bee (she/her)\n2. Kai Esch [they/them]\n3. Eva Ruiz (ella)\n",
        "Ann Bee",
        "Kai Esch",
        "Eva Ruiz",
    ),
    chat("clubs in wide brackets", "山田太郎（東京）\n鈴木花子【大阪】\n", "山田太郎", "鈴木花子"),
    chat(
        "one remark among names",
        "1. Ann Bee\n2. Bob Cee (brings Zoe)\n3. Cat Dee\n",
        "Ann Bee",
        "Bob Cee",
        "Cat Dee",
    ),
    chat("years of birth", "Jan Nowak 1988\nAnna Żak 1990\nWinter Open 2026\n", "Jan Nowak", "Anna Żak", untold=1),
    chat(
        "a name in other letters", "王小明 (Wang)\n山田太郎 (Yamada Taro)\n", "王小明 (Wang)", "山田太郎 (Yamada Taro)"
    ),
    chat(
        "flags and pictures",
        "🇩🇪 Jörg Weiß\nAnn 🎲 Bee\nEva Ruiz 👨\u200d👩\u200d👧\nCat Dee\n",
        "Jörg Weiß",
        "Ann Bee",
        "Eva Ruiz",
        "Cat Dee",
    ),
    chat(
        "what people answer",
        "Ann Bee\nme too\nBob Cee\nbin dabei\nCat Dee\n",
        "Ann Bee",
        "Bob Cee",
        "Cat Dee",
        untold=2,
    ),
    chat("a nickname before a dash", "Ace - Ann Bee\nBobby - Bob Cee\nCat Dee\n", "Cat Dee", untold=2),
    chat(
        "a second list, whatever its title says",
        "Confirmados:\nJoão Silva\nAna Souza\nQuem ficou de fora:\nRui Costa\n",
        "João Silva",
        "Ana Souza",
        untold=3,
    ),
    chat(
        "titles and bullets, half and half",
        "¿Quién viene?\nSí (2)\n- Ada Ruiz\n- Íñigo Muñoz\nNo (1)\n- Eva Gil\nA lo mejor (1)\n- Luis Sol\n",
        "Ada Ruiz",
        "Íñigo Muñoz",
        untold=6,
    ),
    chat(
        "titles in capitals",
        "PRESENTI\nAnna Bianchi ✅\nLuca De Rossi ✅\nASSENTI\nPia Sala\n",
        "Anna Bianchi",
        "Luca De Rossi",
        untold=3,
    ),
    chat(
        "numbers with a Chinese comma, and a reserve",
        "1、王小明\n2、李雷\n3、韩梅梅（候补）\n",
        "王小明",
        "李雷",
        untold=1,
    ),
    chat("bullets of Japan", "参加者一覧\n・山田太郎\n・鈴木花子\n", "山田太郎", "鈴木花子", untold=1),
    chat("amounts behind names", "1. Ann Bee £15\n2. Bob Cee paid\n3. Cat Dee,\n", "Cat Dee", untold=2),
    chat("lines of dots", "Ann Bee ....... Reds\nBob Cee ....... Blues\nCat Dee\n", "Cat Dee", untold=2),
    chat("handles in brackets", "1. Ann Bee (@annb)\n2. Bob Cee (@bobc)\n", "Ann Bee", "Bob Cee"),
    chat(
        "brackets of every sort",
        "1. Peter Schmidt (paid)\n2. Anna Weiß (bezahlt)\n3. Tom Müller - paid\n4. Kai Esch [Rebels]\n"
        "5. Mia Sol (Köln)\n",
        "Peter Schmidt",
        "Anna Weiß",
        "Tom Müller",
        "Kai Esch",
        "Mia Sol",
        paid=("Peter Schmidt", "Anna Weiß", "Tom Müller"),
    ),
    chat(
        "one bracket alone",
        "Peter Schmidt (paid)\nAnna Weiß\nTom Müller\nKai Esch\n",
        "Peter Schmidt",
        "Anna Weiß",
        "Tom Müller",
        "Kai Esch",
        paid=("Peter Schmidt",),
    ),
    chat("all have paid", "Ann Bee (paid)\nBob Cee (paid)\n", "Ann Bee", "Bob Cee", paid=("Ann Bee", "Bob Cee")),
    chat(
        "three brackets of five",
        "Ann Bee (2)\nBob Cee [Rebel]\nCat Dee (Köln)\nDan Eee\nEva Eff\n",
        "Ann Bee",
        "Bob Cee",
        "Cat Dee",
        "Dan Eee",
        "Eva Eff",
    ),
    chat(
        "payments of Germany",
        "1. Jörg Weiß (nicht bezahlt)\n2. Udo Kurz – überwiesen\n3. Kai Esch [PayPal]\n4. Mia Sol (offen)\n"
        "5. Eva Ruiz (Card Kingdom)\n6. Ida Berg, bezahlt\n7. Pia Lang: bezahlt\n8. Max Roth (zurückgezahlt)\n",
        "Jörg Weiß",
        "Udo Kurz",
        "Kai Esch",
        "Mia Sol",
        "Eva Ruiz",
        "Ida Berg",
        "Pia Lang",
        untold=1,
        paid=("Udo Kurz", "Kai Esch", "Ida Berg", "Pia Lang"),
        told=("zurückgezahlt",),
    ),
    chat(
        "payments of Spain",
        "Ana Sol (pagado)\nEva Gil (no pagado)\nLuis Mar - Bizum\nPía Ruiz (pendiente de pago)\n",
        "Ana Sol",
        "Eva Gil",
        "Luis Mar",
        "Pía Ruiz",
        paid=("Ana Sol", "Luis Mar"),
    ),
    chat(
        "payments of Poland",
        "• Jan Lis (zapłacone)\n• Ewa Mak [nieopłacone]\n• Adam Żak - przelew\n• Ola Sowa (zwrot)\n",
        "Jan Lis",
        "Ewa Mak",
        "Adam Żak",
        untold=1,
        paid=("Jan Lis", "Adam Żak"),
        told=("zwrot",),
    ),
    chat(
        "several brackets",
        "1. Ann Bee (Store A) (paid)\n2. Bob Cee [Rebels] - paid\n3. Cat Dee (Köln, maybe)\n"
        "4. Dan Eee (maybe) (Leeds)\n"
        "5. (waitlist) Eva Eff\n6. [Reds] Fay Gee\n",
        "Ann Bee",
        "Bob Cee",
        "Fay Gee",
        untold=3,
        paid=("Ann Bee", "Bob Cee"),
        told=("maybe", "maybe", "waitlist"),
    ),
    chat(
        "brackets that leave somebody off",
        "1. Ann Bee (waiting list)\n2. Bob Cee (not coming)\n3. Cat Dee (maybe)\n4. Dan Eee (substitute)\n"
        "5. Eva Eff (?)\n"
        "6. Fay Gee (if there is room)\n7. Gil Hay (instead of Zoe)\n8. Hal Ivy (no)\n9. Ida Jay\n10. Jim Kay (sub)\n"
        "11. Kim Lee (pending)\n12. Lia May - out\n13. Max Nye (+1)\n14. Ned Orr (replaced by Zoe)\n",
        "Ida Jay",
        untold=13,
        told=(
            "waiting list",
            "not coming",
            "maybe",
            "substitute",
            "?",
            "if there is room",
            "instead of Zoe",
            "no",
            "sub",
            "pending",
            "out",
            "+1",
            "replaced by Zoe",
        ),
    ),
    chat(
        "brackets that leave somebody off, of Germany",
        "Jörg Weiß (Ersatz)\nUdo Kurz (Nachrücker)\nKai Esch (kommt nicht)\nMia Sol [vielleicht]\n"
        "Eva Ruiz (Ersatzspieler)\n"
        "Ida Berg (unter Vorbehalt)\nPia Lang (kann leider nicht)\nMax Roth (statt Udo)\nUli Ott (Bonn)\n"
        "Bea Fink - fehlt\n",
        "Uli Ott",
        untold=9,
        told=(
            "Ersatz",
            "Nachrücker",
            "kommt nicht",
            "vielleicht",
            "Ersatzspieler",
            "unter Vorbehalt",
            "kann leider nicht",
            "statt Udo",
            "fehlt",
        ),
    ),
    chat(
        "brackets that leave somebody off, of Spain and Poland",
        "Ana Sol (suplente)\nEva Gil (no viene)\nLuis Mar (quizás)\nPía Ruiz (lista de espera)\nInés Paz (no puede)\n"
        "Jan Lis (rezerwowy)\nEwa Mak (nie przyjdzie)\nAdam Żak (może)\nOla Sowa (lista rezerwowa)\nIza Lew (Łódź)\n",
        "Iza Lew",
        untold=9,
    ),
    chat(
        "brackets behind titles",
        "Winter Open (Bonn)\nAnn Bee\nBob Cee (Leeds)\nSaturday (10:00)\nPlaces (12/16)\n",
        "Ann Bee",
        "Bob Cee",
        untold=3,
    ),
    chat(
        "signs and figures in brackets",
        "Ann Bee (✓)\nBob Cee (€15)\nCat Dee {paid}\nDan Eee (❌)\nEva Eff (Card Castle)\nFay Gee = paid\n",
        "Ann Bee",
        "Bob Cee",
        "Cat Dee",
        "Eva Eff",
        "Fay Gee",
        untold=1,
        paid=("Cat Dee", "Fay Gee"),
        told=("❌",),
    ),
    chat(
        "last names before a comma, one of them a word of payments",
        "Name;Club\nKeller, Franz;A\nMiller, Cash;B\nSato, Kai;C\n",
        "Franz Keller",
        "Cash Miller",
        "Kai Sato",
    ),
    chat(
        "given names that are means of payment or say no: the person is asked, and the name is whole",
        "Name\tClub\nBen Ami, Bar\tA\nLee Smith, Cash\tB\nVan Dijk, Pin\tC\nvan den Berg, Ideal\tD\n"
        "Nguyen Van, To\tE\nNguyen Thi, Ne\tF\nLee Smith - Cash\tG\nAnn Bee\tH\n",
        "Ann Bee",
        untold=7,
    ),
    chat(
        "the same where all others have their last names first",
        "Name\tClub\nKeller, Franz\tA\nSato, Kai\tB\nBerg, Ann\tC\nRuiz, Eva\tD\nBen Ami, Bar\tE\n"
        "Nguyen Van, To\tF\nMüller, Abgesagt\tG\n",
        "Franz Keller",
        "Kai Sato",
        "Ann Berg",
        "Eva Ruiz",
        "Bar Ben Ami",
        "To Nguyen Van",
        untold=1,
    ),
    chat(
        "behind a comma, what is no given name",
        "Name\tClub\nBob, not coming\tA\nCat, paid\tB\nEva Ruiz, Bizum\tC\nIda Berg, Bezahlt\tD\n"
        "Fay Gee, Not coming\tE\n",
        "Cat",
        "Eva Ruiz",
        "Ida Berg",
        untold=2,
        paid=("Cat", "Eva Ruiz", "Ida Berg"),
        told=("not coming", "Not coming"),
    ),
    chat(
        "first names that are titles elsewhere",
        "First Name,Last Name\nAnna,Berg\nTo,Nguyen\nNe,Tran\nEi,Sato\nJudge,Fox\nTô,Lê\nPage,Bee\nBen,Ray\n",
        "Anna Berg",
        "To Nguyen",
        "Ne Tran",
        "Ei Sato",
        "Judge Fox",
        "Tô Lê",
        "Page Bee",
        "Ben Ray",
    ),
    chat(
        "a name of one word that is a title elsewhere says nothing of the others",
        "Name,Club\nAnna Berg,A\nNo,B\nLīga Bērziņa,C\nLiga Kalnina,C\nBen Ray,D\nWarteliste,\nCleo Fox,E\n",
        "Anna Berg",
        "Līga Bērziņa",
        "Liga Kalnina",
        "Ben Ray",
        untold=3,
    ),
    chat(
        "a given name of Latvia", "Anna Kalniņa\nLīga Bērziņa\nSpring Liga\n", "Anna Kalniņa", "Līga Bērziņa", untold=1
    ),
    chat(
        "brackets with the words of a status",
        "Ann Bee (removed)\nBob Cee (not confirmed)\nCat Dee (transferred)\nDan Eee (gelöscht)\n"
        "Eva Eff (Platz auf Warteliste)\nFay Gee (WL 3)\nGil Hay (rechazado)\nHal Ivy (usunięta)\nIda Jay (Leeds)\n",
        "Ida Jay",
        untold=8,
    ),
    csv_(
        "who does not come, of Korea",
        "이름,클럽,상태\n김민수,가,확인\n이서연,나,취소\n박지훈,다,불참\n최유진,라,대기\n",
        "김민수",
        untold=3,
    ),
    chat(
        "players and reserves of Korea",
        "참가자\n1. 김민수\n2. 이서연 (대기)\n3. 박지훈\n",
        "김민수",
        "박지훈",
        untold=2,
    ),
    csv_("clubs of Japan", "名前,クラブ\n山田太郎,東京\n鈴木花子,大阪\n", "山田太郎", "鈴木花子"),
    csv_("ratings of Russia", "Имя,Рейтинг,Клуб\nАнна Лис,1500,А\nПётр Жук,1400,Б\n", "Анна Лис", "Пётр Жук"),
)
