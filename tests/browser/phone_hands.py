"""What players do with phones of their own, and a judge with a PIN of their own, by clicks and in words they read."""

from hand_kit import Hand, Ledger
from pages_kit import PIN
from screen_kit import Screen

from roundtap_core.event.commands import CheckIn
from roundtap_core.event.states import MatchState
from roundtap_hub.http.requester import PHONE
from roundtap_hub.http.routes import JUDGE, ORGANIZER


def another_phone(screen: Screen, url: str) -> None:
    """The one browser is each player's own phone in turn: what one phone says for two is no agreement."""
    screen.driver.execute_cdp_cmd("Network.deleteCookies", {"name": PHONE, "url": url})


class Phones:
    """Phones in one browser that no organizer uses: a tab that is opened anew for each player."""

    def __init__(self, hand: Hand, event_id: str) -> None:
        self.hand, self.hall, self.event_id = hand, hand.hall, event_id

    def link(self, competitor: str) -> str:
        return f"{self.hand.url}{self.hall.house.hub.access.links.path(self.event_id, competitor)}"

    def open(self, competitor: str) -> Screen:
        screen = self.hand.look()
        another_phone(screen, self.hand.url)
        screen.open(self.link(competitor))
        return screen

    def by_code(self, desk: Hand, competitor: str) -> None:
        """The desk shows six letters, and the phone types them: that is all one needs."""
        at = desk.look()
        at.open(f"{desk.url}/console/{self.event_id}/competitors/{competitor}/link")
        desk.leads("form[action$='/link'] button.main", "the code", lambda: at.all("p.code"))
        letters = at.one("p.code").text
        screen = self.hand.look()
        another_phone(screen, self.hand.url)
        screen.open(f"{self.hand.url}/me")
        self.hand.type("[name=code]", letters)
        self.hand.leads("form button.main", "the player's own page", lambda: screen.all("#my-match"))

    def report(self, competitor: str, a: int, b: int) -> None:
        """The result step by step, until the hub says that it has it; the page of this player is open."""
        hand, screen = self.hand, self.hand.look()
        hand.leads("#my-match a[href$='/report']", "the first question", lambda: screen.all(".walk [value=time]"))
        hand.leads(".walk [value=time]", "the figures", lambda: screen.all("[name='q.score.winner']"))
        for name, figure in (("winner", a), ("loser", b)):
            hand.type(f"[name='q.score.{name}']", str(figure))
        hand.leads(".walk form button.main", "what it makes", lambda: screen.all("form[data-report] button.main"))
        shown = screen.one(".walk").text
        assert str(a) in shown
        assert str(b) in shown
        hand.leads("form[data-report] button.main", "the hub's word", lambda: self._echo(screen), twice=True)

    def agree(self, shown: tuple[int, int]) -> None:
        """The other one's phone asks whether that is right, in figures; yes."""
        hand, screen = self.hand, self.hand.look()
        screen.until(lambda: screen.all("#my-match form[data-report] button.main"), "the question")
        asked = screen.one("#my-match").text
        assert all(str(figure) in asked for figure in shown), asked
        hand.leads("#my-match form[data-report] button.main", "the hub's word", lambda: self._echo(screen), twice=True)

    def _echo(self, screen: Screen) -> bool:
        return "#" in screen.one("#unsent").text


def another_pin(desk: Hand, name: str, role: str) -> str:
    """The organizer makes a PIN for somebody, and reads it off the screen."""
    screen = desk.look()
    screen.open(f"{desk.url}/console/hub")
    desk.type("#staff form[action$='/staff'] [name=name]", name)
    screen.run("arguments[0].value = arguments[1]", screen.one("#staff form[action$='/staff'] [name=role]"), role)
    desk.leads("#staff form[action$='/staff'] button", "the PIN", lambda: screen.all("#staff output.pin"))
    return screen.one("#staff output.pin").text.replace(" ", "")


def second_organizer(desk: Hand, other: Hand) -> None:
    """Two who lead, each with a PIN of their own and a session of their own."""
    desk.look().log_in(desk.url, PIN)
    pin = another_pin(desk, "Second Organizer", ORGANIZER)
    other.look().log_in(other.url, pin)


AWAITED = "#check-people li:not(.is-here)"


def check_in(desk: Hand, phones: Phones, event_id: str) -> None:
    """One says so with the phone, one at the desk by name, the others beside; the last one is waited for in words."""
    hall, screen = desk.hall, desk.look()
    state = hall.event(event_id)
    names = {one: person.name for one, person in hall.house.service.snapshot.people_of(event_id).items()}
    by_phone, by_desk, last, *others = state.entrants
    page = f"{desk.url}/console/{event_id}/check-in"

    def used() -> None:
        screen.open(page)
        desk.leads("form[action$='/check-in'] button.main", "check-in to be used", lambda: screen.all(AWAITED))

    def named() -> None:
        screen.open(page)
        desk.type("input#name", names[by_desk])
        desk.leads(".check-form button.main", "them to be here", lambda: _here(desk, event_id) == 2, twice=True)

    def last_one() -> None:
        screen.open(page)
        waited_for = [one.text for one in screen.all(f"{AWAITED} b")]
        assert waited_for == [names[last]]
        desk.leads(f"{AWAITED} form button", "everybody", lambda: _here(desk, event_id) == len(state.entrants))

    desk.tries(event_id, used)
    phone = phones.open(by_phone)
    phones.hand.leads("#my-here button.main", "the hub's word", lambda: phone.all("#my-here:not(:has(button))"))
    desk.look()
    desk.tries(event_id, named)
    hall.tell(event_id, *(CheckIn(one, True) for one in others))
    desk.tries(event_id, last_one)
    screen.open(f"{desk.url}/console/{event_id}")


def _here(desk: Hand, event_id: str) -> int:
    return sum(1 for entrant in desk.hall.event(event_id).entrants.values() if entrant.checked_in)


def reported_by_two_phones(desk: Hand, phones: Phones, event_id: str, match_id: str, points: tuple[int, int]) -> None:
    """One gets in by a code of the desk and reports, the other one says yes: that is agreed."""
    seat = _match(phones, match_id).match
    assert seat.b
    phones.by_code(desk, seat.a)
    # By both figures, as at time.
    desk.hall.house.time_is_up(event_id)
    phones.report(seat.a, *points)
    phones.open(seat.b)
    phones.agree(points)
    phones.hand.screen.until(lambda: _match(phones, match_id).state == "agreed", "both to agree")


def disputed_by_two_phones(
    desk: Hand, phones: Phones, judge: Hand, event_id: str, match_id: str, points: tuple[int, int]
) -> None:
    """Each says another thing; a judge with a PIN of their own takes side b's word, on their own page."""
    seat = _match(phones, match_id).match
    assert seat.b
    phones.open(seat.a)
    phones.report(seat.a, *points)
    other = phones.open(seat.b)
    phones.hand.leads("#my-match a.button[href$='/report']", "a word of their own", lambda: other.all(".walk"))
    other.driver.back()
    other.until(lambda: other.all("#my-match a.button[href$='/report']"), "their own page")
    phones.report(seat.b, *reversed(points))
    pin = another_pin(desk, "Eva Luz", JUDGE)
    screen = judge.look()
    screen.log_in(judge.url, pin)
    accept = f"#waits-{event_id} form:has(input[value='{match_id}']):has(input[name=side][value=b]) button"
    screen.until(lambda: screen.all(accept), "the dispute on the judge's page")
    judge.leads(accept, "nothing to wait any more", lambda: not screen.all(accept), twice=True)
    found = _match(phones, match_id)
    assert (found.match.result.score.b, found.match.result.score.a) == points


def _match(phones: Phones, match_id: str) -> MatchState:
    found = phones.hall.event(phones.event_id).find_match(match_id)
    assert found
    return found[1]


def on_the_wall(wall: Hand, tables: list[tuple[str, str, str, str]]) -> None:
    """Everybody stands on the wall with their own table and whom they meet, in the hall's short names."""
    screen = wall.look()
    people = {who: (table, other) for _, table, a, b in tables for who, other in ((a, b), (b, a))}

    def shown() -> bool:
        lines: list[list[str]] = screen.run("""
            return [...document.querySelectorAll(".wall-names li:not(.blank)")]
                .filter((one) => one.querySelector(".wall-table") && one.querySelector(".wall-across bdi"))
                .map((one) => [one.querySelector(".wall-table").firstChild.data.trim(),
                    ...["name", "across"].map((what) => one.querySelector(`.wall-${what} bdi`).textContent)]);
            """)
        found = {who: (table, across) for table, name, across in lines for who in people if is_short(name, who)}
        return set(found) == set(people) and all(
            found[who][0] == table and is_short(found[who][1], other) for who, (table, other) in people.items()
        )

    screen.until(shown, f"the wall to show {people}")


def champion_on_the_wall(wall: Hand, ledger: Ledger) -> None:
    """The bracket of the wall ends with who won the last match that was clicked."""
    champion = ledger.won[max(ledger.won, key=lambda key: key[0])]
    screen = wall.look()

    def first() -> bool:
        lines: list[str] = screen.run("""
            return [...document.querySelectorAll(".wall-page[data-list=final] tbody tr:first-child th")]
                .map((one) => one.textContent.trim());""")
        return any(is_short(line, champion) for line in lines)

    screen.until(first, f"{champion} to lead on the wall")


def is_short(shown: str, name: str) -> bool:
    """As the hall may read it: the first name, and as much of the last as it needs."""
    return " " in shown and name.startswith(shown.rstrip("."))
