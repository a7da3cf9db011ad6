"""All pages in all states: the GET addresses that were declared, each with examples from a hall of every state."""

import html
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from flask.testing import FlaskClient
from hall_kit import Hall
from own_games_kit import EVERYTHING, keep

from roundtap_core.event.entries import VENUE
from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_hub.access.slip_codes import slip_token
from roundtap_hub.app.practice_hub import READY, PracticeHub
from roundtap_hub.http.routes import ROUTES, STAFF
from roundtap_hub.store.book import League, league_saved
from roundtap_hub.store.service import Step

NO_PAGES = frozenset(
    {
        "GET /static/<name>",
        "GET /feed",
        "GET /time",
        "GET /ca.crt",
        "GET /checks",
        "GET /device/challenge",
        "GET /device/hub",
        "GET /standby/lineage",
        "GET /console/<event_id>/export.json",
        "GET /console/<event_id>/standings.csv",
        "GET /console/<event_id>/list-fortress.json",
        "GET /console/before-doors/diagnostics.txt",
        "GET /console/games/<game>/file",
        "GET /console/leagues/<league>/table.csv",
        "GET /console/results.zip",
        "GET /e/<event_id>/event.json",
    }
)
"""What is no page for people."""

Examples = Callable[[Hall, str], list[str]]

TAG = re.compile(r"<(/?)(\w+)([^>]*)>")
STYLE = re.compile(r'href="/static/(\w+)\.[^"]*css"')
NAMES = re.compile(r' ([\w-]+)(?:="([^"]*)")?')
EMPTY = frozenset({"br", "input", "meta", "link", "img", "hr", "use", "path", "source", "wbr"})

FULL = ("nobody", "before play", "running", "troubles", "bracket", "archived")
"""States in which pages have most on them."""


def _people(hall: Hall, event_id: str) -> list[str]:
    """Somebody who plays, who has a bye, who left, and who was warned."""
    state = hall.event(event_id)
    everybody = list(state.entrants)
    warned = [one for one, entrant in state.entrants.items() if entrant.warnings]
    alone = [match.match.a for played in state.public_rounds for match in played.matches if not match.match.b]
    return list(dict.fromkeys([*everybody[:1], *warned[:1], *everybody[-1:], *alone[:1]]))


def _matches(hall: Hall, event_id: str) -> list[str]:
    rounds = hall.event(event_id).public_rounds
    return [match.id for match in rounds[-1].matches] if rounds else []


PARAMETERS: Mapping[str, Examples] = {
    "competitor": _people,
    "match_id": _matches,
}
"""Values for what an address names within an event; "event_id" itself: every event of the hall."""


def _slips(hall: Hall) -> list[str]:
    """A slip of each event's newest round."""
    states = map(hall.event, hall.events.values())
    newest = [(state, state.public_rounds[-1]) for state in states if state.public_rounds]
    secret = hall.house.hub.access.secret
    return [f"/s/{slip_token(secret, state, played, played.matches[0])}" for state, played in newest]


def _said_by_phone(hall: Hall) -> str:
    """A phone says yes to what the other side's unit reported; where it is told what became of it."""
    event = hall.events["running"]
    match = next(
        match for match in hall.event(event).public_rounds[-1].open_matches if match.match.b and not match.reports
    )
    hall.report(event, match.id, "a", 100, 24)
    phone = hall.house.app.test_client()
    page = phone.get(hall.house.hub.access.links.path(event, match.match.b)).text
    form = re.search(r'<form[^>]* action="([^"]+)" data-report>(.*?)</form>', page, re.S)
    assert form, "the phone has nothing to say yes to"
    fields = {name: html.unescape(value) for name, value in re.findall(r'name="([^"]+)" value="([^"]*)"', form[2])}
    return str(phone.post(form[1], data=fields).headers["Location"])


def _practice(hall: Hall) -> list[str]:
    """A practice hub that answers, without one: its own pages are a hub's."""
    practice = hall.house.hub.practice = PracticeHub(Path("nowhere"), "127.0.0.1", 8080, 0, lambda: ())
    practice._state = READY
    return ["/console/practice"]


def _own_games(hall: Hall) -> list[str]:
    """The store has a game that says all it can."""
    [game] = keep(hall.house.service, EVERYTHING)
    starts = [f"start={key}" for key in ("best_of_three", "objectives", "board")]
    return ["/console/games", *(f"/console/games?{what}" for what in (*starts, f"game={game}"))]


def _league(hall: Hall) -> str:
    """A league that every event of the hall counts for; its id."""
    name = "Herbstliga der Spielgemeinschaft Rheinland-Westfalen"
    league = League(id="5ea50a", name=name, best=3, coming=1, events=tuple(hall.events.values()))
    hall.house.service.execute([Step(VENUE, league_saved(league))], "test")
    return league.id


EXAMPLES: Mapping[str, Callable[[Hall], list[str]]] = {
    "GET /console/games": _own_games,
    "GET /console/leagues": lambda hall: [
        f"/console/leagues{each}" for each in ("", "?new=1", f"?league={_league(hall)}")
    ],
    "GET /league/<league>": lambda hall: [f"/league/{_league(hall)}"],
    "GET /console/people/<person>": lambda hall: [
        f"/console/people/{each}" for each in list(hall.house.service.snapshot.venue.book.seats)[:2]
    ],
    "GET /console/practice": _practice,
    "GET /console/outcome/<word>": lambda hall: [hall.outcome()],
    "GET /console/new": lambda hall: [
        "/console/new",
        *(
            f"/console/new?rulebook={book}"
            for book in (
                "keyforge-archon",
                "shatterpoint-premier",
                "warlords-of-terra",
                "xwing-epic-team",
                "xwing-epic-duel",
            )
        ),
    ],
    "GET /wall/<event_id>": lambda hall: [
        f"/wall/{event}{more}" for event in hall.events.values() for more in ("", "?theme=dark", "?part=1/2")
    ],
    "GET /s/<token>": _slips,
    "GET /me/<token>/said/<name>": lambda hall: [_said_by_phone(hall)],
    "GET /console/<event_id>/slip": lambda hall: [
        f"/console/{event}/slip{more}" for event in hall.events.values() for more in ("", "?code=nonsense")
    ],
    "GET /": lambda hall: ["/?lang=de"],
    "GET /aid/<rulebook>": lambda hall: [f"/aid/{book}" for book in RULEBOOKS if RULEBOOKS[book].counting_aid],
}
"""Whole addresses, where parameters alone do not make them."""


def pages_of_everybody() -> list[str]:
    return [address for address in ROUTES if _is_page(address) and not ROUTES[address].who <= STAFF]


def pages_of_organizers() -> list[str]:
    return [address for address in ROUTES if _is_page(address) and ROUTES[address].who <= STAFF]


def _personal(hall: Hall, more: str = "") -> list[str]:
    return [
        hall.house.hub.access.links.path(event, one) + more
        for event in hall.events.values()
        for one in _people(hall, event)
    ]


def _is_page(address: str) -> bool:
    return address.startswith("GET ") and address not in NO_PAGES


def paths(hall: Hall, address: str) -> list[str]:
    """Where the page of an address is seen; fails for one that this table knows nothing of."""
    if address in EXAMPLES:
        return EXAMPLES[address](hall)
    if found := re.fullmatch(r"GET /me/<\w+>(/[\w/-]*)?", address):
        return _personal(hall, found[1] or "")
    found = list(_filled(hall, address.removeprefix("GET "), ""))
    assert found, f"{address} is a new page: give it an example in tests/browser/page_table.py"
    return found


def _filled(hall: Hall, path: str, event_id: str) -> Iterator[str]:
    hole = re.search(r"<(?:\w+:)?(\w+)>", path)
    if hole is None:
        yield path
        return
    name = hole[1]
    if name == "event_id":
        values = list(hall.events.values())
    else:
        assert name in PARAMETERS, f"{path}: give <{name}> an example in tests/browser/page_table.py"
        values = PARAMETERS[name](hall, event_id)
    for value in values:
        yield from _filled(hall, path.replace(hole[0], value, 1), value if name == "event_id" else event_id)


@cache
def _kind(tag: str, said: str) -> str:
    names = dict(NAMES.findall(said))
    kind = names.pop("class", "").replace("settled", "").strip()
    return f"{tag}.{kind}[{','.join(sorted(names))}]"


def shape(text: str) -> set[str]:
    """What stands on a page, without its words: each kind of element in the kind of element it stands in."""
    found: set[str] = set()
    within = [""]
    for end, tag, said in TAG.findall(text):
        if end:
            if within[-1].startswith(f"{tag}."):
                within.pop()
            continue
        kind = _kind(tag, said)
        found.add(f"{within[-1]} > {kind}")
        if tag == "link":
            found.update(f" > {style}" for style in STYLE.findall(said))
        if tag not in EMPTY:
            within.append(kind)
    return found


def seen_as(client: FlaskClient, hall: Hall, address: str) -> dict[str, set[str]]:
    """The shape of each page of an address, by its path."""
    answers = {
        path: client.get(path, headers={"Accept-Language": "de"}, follow_redirects=True)
        for path in paths(hall, address)
    }
    found = {path: shape(answer.text) for path, answer in answers.items() if answer.status_code in (200, 202)}
    assert found, f"{address}: none of its examples is a page"
    return found


def richest(client: FlaskClient, hall: Hall, addresses: Iterable[str]) -> list[str]:
    """The page with the most kinds of things on it of each layout, which is a kind of page with its styles."""
    fullest: dict[frozenset[str], tuple[int, str]] = {}
    few = replace(hall, events={state: hall.events[state] for state in FULL})
    for address in addresses:
        for path, kinds in seen_as(client, few, address).items():
            layout = frozenset(kind for kind in kinds if kind.startswith(" > "))
            fullest[layout] = max(fullest.get(layout, (0, "")), (len(kinds), path))
    return [path for _, path in fullest.values()]
