"""Two events of 24 players in one hall, in two rulebooks, by clicks alone from a table of people to the champions: with
a latecomer, a no-show, a dispute, a swap, a correction of round 1 in round 3 and somebody who leaves between cut and
bracket; two organizers at once with PINs of their own, both hasty; players who report by phone, a judge with a phone,
check-in, and a wall beside them. A small one of them all in `make test`."""

import json
from collections import Counter
from pathlib import Path

import pytest
from hall_kit import Hall, open_hall
from hand_kit import Hand, Ledger
from pages_kit import PIN
from phone_hands import (
    Phones,
    champion_on_the_wall,
    check_in,
    disputed_by_two_phones,
    on_the_wall,
    reported_by_two_phones,
    second_organizer,
)
from screen_kit import DESK, PHONE, WALL, Screen, open_screen

from roundtap.kit.player_names import player_names
from roundtap.main import main as roundtap
from roundtap_core.event.commands import RecordReport
from roundtap_core.records import Result, SidePair, result_to_json

IDLE, RUNNING = "idle", "running"


class Evening:
    """One event, led by one hand; what they saw and did stands in the ledger."""

    def __init__(
        self,
        hand: Hand,
        rulebook: str,
        name: str,
        best: tuple[int, int],
        rounds: int = 3,
        seats: int = 4,
        by_hand: int = 12,
    ) -> None:
        """`by_hand`: so many tables of a round the organizer enters by clicks; the others have units that report."""
        self.rounds, self.seats, self.by_hand = rounds, seats, by_hand
        self.hand, self.hall, self.rulebook, self.name, self.best = hand, hand.hall, rulebook, name, best
        self.ledger = Ledger()
        self.event_id = ""
        self.number = 0
        self.cut = False

    @property
    def console(self) -> str:
        return f"{self.hand.url}/console/{self.event_id}"

    def begin(self, people: Path, count: int) -> None:
        """A new event, and its people from a table."""
        hand, screen = self.hand, self.hand.look()
        screen.open(f"{hand.url}/console/new?rulebook={self.rulebook}")
        hand.type("#new [name=name]", self.name)
        hand.click("#new .levels label")
        hand.click("#new details.more > summary")
        for field, value in (("structure", "own"), ("cut", str(self.seats)), ("lists_required", "0")):
            screen.run("arguments[0].value = arguments[1]", screen.one(f"#new [name={field}]"), value)
        hand.type("#new [name=swiss_rounds]", str(self.rounds))
        before = len(self.hall.house.service.snapshot.ids)
        hand.leads("#new button.main", "the event", lambda: screen.all("#next"), twice=True)
        assert len(self.hall.house.service.snapshot.ids) == before + 1
        self.event_id = screen.driver.current_url.rsplit("/", 1)[1].partition("#")[0].partition("?")[0]
        hand.ready()
        hand.tries(self.event_id, lambda: self.take_in(people))
        screen.open(self.console)
        screen.until(lambda: len(self.hall.event(self.event_id).entrants) == count, f"{count} people")

    def take_in(self, people: Path) -> None:
        hand, screen = self.hand, self.hand.look()
        screen.open(f"{self.console}/players")
        hand.leads("a[href$='/import']", "the import", lambda: screen.all("input[type=file]"))
        screen.one("input[type=file]").send_keys(str(people))
        hand.leads("form button.main", "the rows", lambda: screen.all("#rows"))
        hand.leads("#rows button.main", "the players", lambda: screen.all("#roster li"), twice=True)

    def next(self, *to: object) -> None:
        """The next step leads there."""
        self.hand.tries(self.event_id, lambda: self.hand.next(self.event_id, to))

    def draw(self) -> None:
        self.number += 1
        self.next(self.number - 1, 1, IDLE, self.cut, False)

    def publish(self) -> None:
        self.next(self.number, None, IDLE, self.cut, False)

    def start(self) -> None:
        self.next(self.number, None, RUNNING, self.cut, False)

    def tables(self) -> list[tuple[str, str, str, str]]:
        """The open tables as the page shows them: match, table, and the two names."""
        screen = self.hand.look()
        self.hand.ready()
        found: list[list[str]] = screen.run("""
            return [...document.querySelectorAll("#missing .cell a[href*='/match/']")].map((one) => [
                one.getAttribute("href").split("/").pop(), one.querySelector(".table-number").firstChild.data.trim(),
                ...[...one.querySelectorAll(".cell-who > span:last-child")].map((who) => who.textContent.trim())]);""")
        return [(match, table, a, b) for match, table, a, b in found]

    def enter(self, match: str, a: str, b: str) -> None:
        """One result on the match's page, by clicks."""
        screen = self.hand.look()
        self.hand.ready()
        self.to_match(match)
        assert [one.text for one in screen.all(".versus b")] == [a, b]
        self.fill(a, b, a_wins=self._wins(a, b))

    def to_match(self, match: str) -> None:
        """The table's card opens the line for its result, and that leads to the match's page, as the card itself does
        without its script."""
        screen = self.hand.screen
        self.hand.click(f"#missing a[href$='/match/{match}']")
        screen.until(lambda: screen.all(".entry-more, #enter [name='text']"), "the line, or the match")
        if screen.all(".entry-more"):
            self.hand.leads(
                f".entry-more a[href$='/match/{match}']", "the match", lambda: screen.all("#enter [name='text']")
            )

    def fill(self, a: str, b: str, a_wins: bool, why: str = "") -> None:
        """The figures of the match that is open, with the reason it asks for; the one who saves clicks twice."""
        hand, screen = self.hand, self.hand.screen
        high, low = self.best
        hand.type("#enter [name='text']", f"{high} {low}" if a_wins else f"{low} {high}")
        hand.leads(
            "#enter .walk-line button", "what the line means", lambda: screen.all(".walk form[method=post] button.main")
        )
        if why:
            hand.type(".walk [name='reason']", why)
        number = self.hall.event(self.event_id).number
        hand.leads(".walk form[method=post] button.main", "the console", lambda: screen.all("#next"), twice=True)
        screen.until(lambda: self.hall.event(self.event_id).number == number + 1, "one entry")
        self._note(a, b, a_wins)

    def report(self, match: str, a: str, b: str) -> None:
        """Both sides say it at the table."""
        a_wins = self._wins(a, b)
        high, low = self.best
        said = result_to_json(Result(score=SidePair(high, low) if a_wins else SidePair(low, high)))
        self.say(match, "a", said)
        self.say(match, "b", said)
        self._note(a, b, a_wins)

    def say(self, match: str, side: str, said: dict[str, object]) -> None:
        """One side's report, as a unit sends it."""
        found = self.hall.event(self.event_id).find_match(match)
        assert found
        self.hall.tell(
            self.event_id, RecordReport(f"{self.event_id}{match}{side}", match, side, found[1].revision, said, "body")
        )  # type: ignore[arg-type]

    def _wins(self, a: str, b: str) -> bool:
        """Who is first by the alphabet has the better day, but for every third pair."""
        return (a < b) != (sum(map(ord, a + b)) % 3 == 0)

    def _note(self, a: str, b: str, a_wins: bool) -> None:
        self.ledger.note(self.number, a if a_wins else b, b if a_wins else a, self.best)

    def all_results(self) -> None:
        open_now = self.hall.event(self.event_id).live.open_matches  # type: ignore[union-attr]
        shown = sum(1 for match in open_now if match.match.b)
        self.hand.look().until(lambda: len(self.tables()) == shown, f"{shown} open tables")
        tables = self.tables()
        for at, (match, _, a, b) in enumerate(tables):
            if at < self.by_hand:
                self.hand.tries(self.event_id, lambda seat=(match, a, b): self.enter(*seat))
            else:
                self.report(match, a, b)
        self.hand.screen.until(lambda: not self.hand.screen.all("#missing .cell a"), "all results")

    def make_cut(self) -> None:
        self.cut = True
        self.next(self.number, None, IDLE, True, False)

    def finish(self) -> None:
        self.next(self.number, None, IDLE, self.cut, True)


def people_file(folder: Path, name: str, people: list[str]) -> Path:
    path = folder / f"{name}.csv"
    path.write_text("Name;Club;Paid\n" + "".join(f"{one};The Club;yes\n" for one in people), encoding="utf-8")
    return path


def test_a_small_event_by_clicks_alone(
    hall: Hall, tmp_path: Path, screen: Screen, capsys: pytest.CaptureFixture[str]
) -> None:
    """Five and a latecomer, one round and a final: hasty hands at the desk, two players with their phones."""
    evening = Evening(Hand(screen, hall), "xwing-standard", "Small Open", (100, 24), rounds=1, seats=2, by_hand=1)
    evening.hand.look().log_in(hall.url, PIN)
    evening.begin(people_file(tmp_path, "small", player_names(5)), 5)
    phones = Phones(Hand(screen, hall, "localhost", PHONE), evening.event_id)
    evening.draw()
    evening.publish()
    latecomer(evening, "Zenobia Late")
    evening.start()
    agreement(evening, phones)
    evening.all_results()
    evening.make_cut()
    evening.draw()
    evening.publish()
    evening.start()
    evening.all_results()
    evening.finish()
    stands(evening, tmp_path, capsys)


@pytest.mark.long
def test_two_events_of_24_by_clicks_alone(tmp_path: Path, screen: Screen, capsys: pytest.CaptureFixture[str]) -> None:
    names = player_names(47)
    with open_hall(tmp_path) as hall, open_screen() as pockets:
        one = Evening(Hand(screen, hall, "127.0.0.1", DESK), "xwing-standard", "Winter Open", (100, 24))
        two = Evening(Hand(screen, hall, "localhost", PHONE), "keyforge-archon", "Archon Night", (1, 0))
        wall = Hand(screen, hall, "127.0.0.1", WALL)
        judge = Hand(pockets, hall, "localhost", PHONE)
        late = "Zenobia Late"
        second_organizer(one.hand, two.hand)
        for evening, people in ((one, names[:23]), (two, names[23:])):
            evening.begin(people_file(tmp_path, evening.event_id or evening.rulebook, people), len(people))
        phones = {evening: Phones(Hand(pockets, hall, "127.0.0.1", PHONE), evening.event_id) for evening in (one, two)}
        check_in(two.hand, phones[two], two.event_id)
        wall.look().open(f"{wall.url}/wall/{one.event_id}")
        for number in (1, 2, 3):
            for evening in (one, two):
                evening.draw()
            for evening in (two, one):
                evening.publish()
            assert not _tables_of(one) & _tables_of(two), "two events at one table"
            if number == 1:
                latecomer(one, late)
            if number == 2:
                swap(two)
            one.hand.look().open(one.console)
            on_the_wall(wall, one.tables())
            for evening in (one, two):
                evening.start()
            if number == 1:
                no_show(two)
            if number == 2:
                agreement(one, phones[one])
                dispute(one, phones[one], judge)
            if number == 3:
                correct_round_1(one)
            for evening in (one, two):
                evening.all_results()
        for evening in (one, two):
            evening.make_cut()
        leaves_the_cut(one)
        for _ in ("semi-final", "final"):
            for evening in (one, two):
                evening.draw()
                evening.publish()
                evening.start()
                evening.all_results()
        for evening in (one, two):
            evening.finish()
            stands(evening, tmp_path, capsys)
        champion_on_the_wall(wall, one.ledger)
        clicks = one.hand.late_clicks + two.hand.late_clicks
        print(f"{clicks} double and late clicks, and nothing happened twice")


def _tables_of(evening: Evening) -> set[str]:
    evening.hand.look().open(evening.console)
    return {table for _, table, _, _ in evening.tables()}


def latecomer(evening: Evening, name: str) -> None:
    """Somebody comes after the round was published, and meets who has the bye."""
    hand, screen = evening.hand, evening.hand.look()
    before = len(evening.hall.event(evening.event_id).entrants)
    screen.open(f"{evening.console}/players")
    hand.type("textarea[name=names]", name)
    # Who has the bye plays at once; nobody is chosen for the desk.
    assert not screen.all("#enter [name=meets]:checked")
    hand.click("#enter label:has([name=meets]:not([value='']))")
    hand.leads(
        "#enter form button:not([type]):not([hidden])",
        "the latecomer",
        lambda: len(evening.hall.event(evening.event_id).entrants) == before + 1,
        twice=True,
    )
    screen.open(evening.console)
    hand.ready()
    assert len(evening.hall.event(evening.event_id).entrants) == before + 1


def swap(evening: Evening) -> None:
    """After the round was published two players change their seats; those two tables change, and no other."""
    hand, screen = evening.hand, evening.hand.look()
    screen.open(evening.console)
    before = evening.tables()
    (_, _, stays, moves), (_, _, comes, other) = before[0], before[1]
    hand.click("#round-more > summary")
    hand.leads("a[href$='/mend']", "the page of changes", lambda: screen.all("#swap"))
    for field, name in (("first", moves), ("second", comes)):
        options = screen.all(f"#swap select[name={field}] option")
        named = next(one.text for one in options if one.text.startswith(f"{name} ·"))
        screen.one(f"#swap select[name={field}]").send_keys(named)
    hand.leads("#swap form button", "what it would do", lambda: screen.all("#step"))
    hand.type("#step [name=reason]", "Two brothers met")
    number = evening.hall.event(evening.event_id).number
    hand.leads(
        "#step button.main", "the change", lambda: evening.hall.event(evening.event_id).number > number, twice=True
    )
    screen.open(evening.console)
    after = evening.tables()
    assert {frozenset(line[2:]) for line in after} == {frozenset(line[2:]) for line in before[2:]} | {
        frozenset((stays, comes)),
        frozenset((moves, other)),
    }


def no_show(evening: Evening) -> None:
    """One of a table did not come: the other one has what a bye gives."""
    hand, screen = evening.hand, evening.hand.look()
    match, _, a, _ = evening.tables()[-1]

    def noted() -> None:
        evening.to_match(match)
        hand.click("#no-show > summary")
        number = evening.hall.event(evening.event_id).number
        hand.leads("#no-show .row form:last-child button", "the console", lambda: screen.all("#next"), twice=True)
        assert evening.hall.event(evening.event_id).number > number

    hand.tries(evening.event_id, noted)
    evening.ledger.won[evening.number, frozenset((a,))] = a


def agreement(evening: Evening, phones: Phones) -> None:
    """The two at a table report and confirm with their phones; nobody at the desk does anything."""
    match, _, a, b = evening.tables()[1]
    reported_by_two_phones(evening.hand, phones, evening.event_id, match, evening.best)
    evening.hand.look().open(evening.console)
    evening.hand.screen.until(lambda: evening.hand.screen.all(f"#done [data-key='{match}']"), "the table to be done")
    evening.ledger.note(evening.number, a, b, evening.best)


def dispute(evening: Evening, phones: Phones, judge: Hand) -> None:
    """The two at a table say different things by phone; a judge takes one side's word with one press."""
    match, _, a, b = evening.tables()[0]
    disputed_by_two_phones(evening.hand, phones, judge, evening.event_id, match, evening.best)
    evening.hand.look().open(evening.console)
    evening.hand.screen.until(lambda: evening.hand.screen.all(f"#done [data-key='{match}']"), "the table to be done")
    evening.ledger.note(evening.number, b, a, evening.best)


def correct_round_1(evening: Evening) -> None:
    """In round 3 a result of round 1 turns out to be the other way round."""
    hand, screen = evening.hand, evening.hand.look()
    before = dict(evening.ledger.won)

    def corrected() -> None:
        screen.open(evening.console)
        hand.click("#round-more > summary")
        hand.leads(".tabs a[href*='round=1']", "round 1", lambda: "round=1" in screen.driver.current_url)
        hand.leads("#done .cell a", "a match of round 1", lambda: screen.all("#enter [name='text']"))
        a, b = (each.text for each in screen.all(".versus b"))
        evening.fill(a, b, a_wins=before[1, frozenset((a, b))] == b, why="the slip was misread")

    evening.number = 1
    hand.tries(evening.event_id, corrected)
    evening.number = 3
    screen.open(evening.console)


def leaves_the_cut(evening: Evening) -> None:
    """The first seed leaves between cut and bracket; who is offered the place takes it."""
    hand, screen = evening.hand, evening.hand.look()
    gone = screen.one(".seeds tbody tr th").text

    def left() -> None:
        screen.open(evening.console)
        hand.click(".seeds tbody tr .confirm > summary")
        hand.leads(
            ".seeds tbody tr .confirm[open] form button.danger", "the place to be free", lambda: screen.all("#offered")
        )

    hand.tries(evening.event_id, left)
    hand.ready()
    taken = screen.one("#offered p").text
    hand.leads(
        "#offered form:first-child button", "the place to be taken", lambda: not screen.all("#offered"), twice=True
    )
    seeds = [row.text for row in screen.all(".seeds tbody th")]
    assert gone not in seeds
    assert len(seeds) == 4
    assert any(name in taken for name in seeds)


def stands(evening: Evening, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The exported file holds what the ledger says, figure by figure; the command line's standings are the page's."""
    screen = evening.hand.look()
    screen.open(evening.console)
    link = str(screen.one("#final a[href$='/export.json']").get_attribute("href")).partition(evening.hand.url)[2]
    client = evening.hall.house.organizer().client
    path = folder / f"{evening.event_id}.json"
    path.write_bytes(client.get(link).data)
    file = json.loads(path.read_bytes())
    named = {one["id"]: one["name"] for one in file["competitors"]}
    assert len(set(named.values())) == len(named), "somebody was entered twice"
    figures: dict[tuple[int, frozenset[str]], dict[str, int]] = {}
    wins: Counter[str] = Counter()
    for one in file["rounds"]:
        for match in one["matches"]:
            a, b = named[match["a"]], named.get(match.get("b", ""), "")
            score = match.get("result", {}).get("score")
            if b and score:
                figures[one["number"], frozenset((a, b))] = {a: score["a"], b: score["b"]}
            elif match.get("bye") == "bye" and one["stage"] == "swiss":
                wins[a] += 1
    assert figures == evening.ledger.figures
    swiss = {one["number"] for one in file["rounds"] if one["stage"] == "swiss"}
    wins.update(who for (number, _), who in evening.ledger.won.items() if number in swiss)
    assert roundtap(["standings", str(path)]) == 0
    standings = json.loads(capsys.readouterr().out)["standings"]
    assert {named[line["competitor"]]: line["wins"] for line in standings} == {who: wins[who] for who in named.values()}
    assert roundtap(["standings", str(path), "--format", "csv"]) == 0
    table = client.get(f"/console/{evening.event_id}/standings.csv").text
    assert capsys.readouterr().out == table.removeprefix("\ufeff")
    champion = evening.ledger.won[max(evening.ledger.won, key=lambda key: key[0])]
    screen.open(f"{evening.hand.url}/e/{evening.event_id}/standings")
    first, last = champion.split(" ", 1)
    assert screen.one("tbody tr").text.splitlines()[1].startswith(f"{first} {last[0]}")
