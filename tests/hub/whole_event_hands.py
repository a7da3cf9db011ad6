"""Hands at every front of a hall: a table's buttons, a player's phone, the console's steps and its typed line.

Each reads what stands there (headings, signs beside boxes, words on buttons) and presses what was meant, by
whole_event_said. At a table what was said is read over the players' shoulders, from the screens alone.
"""

import html
import re
from collections import Counter
from random import Random
from typing import Any
from urllib.parse import parse_qsl

from asgi_client import AsgiClient
from fronts_seats import forms_of
from monkey_console import Page, read_page
from monkey_rules import expected
from monkey_table import NAMES, MonkeyTable, Place
from monkey_walks import Watch, random_move
from pages_kit import Browser, House, problem_of, text_of
from werkzeug.datastructures import MultiDict
from werkzeug.test import TestResponse
from whole_event_said import RULING, Moment, Said, ending_word, figure_names, has_figures, line_of, winner_told
from wire_json import table_json

from press_script import Press, report_presses
from roundtap_core.records import SIDES, Result, Side, result_from_json, result_to_json
from roundtap_core.typed import DisplayText, parse_message
from roundtap_core.view_types import ReportRef, TableView
from roundtap_core.wire import ECHO, REPORT, digest, open_envelope, sign
from roundtap_hub.app.asgi import HubApplication
from roundtap_units.table.dialogue.dialogue import ReportRefused, Saved, SendReport

REASON = "as both have said"
MOST_PAGES, MOST_PRESSES = 12, 40
WON_OR_NOT, LEVEL = {"Time", "Played to the end"}, {"Time", "Draw", "Draw agreed", "Tie: both lose"}
"""Endings that a line tells by the same letters, the one before time and the other after it."""
Fields = list[tuple[str, str]]


def ending_of_line(page: str) -> str:
    """How the page reads a line: what it says of the ending."""
    found = re.search(r"How it ended</small>(.*?)</span>", page, flags=re.S)
    return " ".join(re.sub(r"<[^>]+>", " ", found[1]).split()) if found else ""


class Hall:
    """One hub, its event "e1", and everybody's browsers."""

    def __init__(self, house: House, chance: Random) -> None:
        self.house, self.chance, self.desk = house, chance, house.organizer()
        self.phones: dict[str, Browser] = {}
        self.counts: Counter[str] = Counter()
        self.faults: list[str] = []
        self.reports = 0
        self._devices: AsgiClient | None = None
        # Nobody is at a real table here: far more is said than one phone may.
        house.hub.access.links.charge = lambda *_: None  # type: ignore[method-assign]

    @property
    def devices(self) -> AsgiClient:
        if self._devices is None:
            self._devices = AsgiClient(HubApplication(self.house.hub))
        return self._devices

    def close(self) -> None:
        if self._devices is not None:
            self._devices.close()

    # --- pages ---

    def post(self, path: str, **fields: object) -> TestResponse:
        """A button of the console, which has to do what it says."""
        answer = self.desk.post(f"/console/e1/{path}", **fields)
        if answer.status_code != 303:
            raise AssertionError(f"POST {path} {fields}: {answer.status_code} {problem_of(answer)}")
        return answer

    def phone(self, who: str) -> Browser:
        if who not in self.phones:
            self.phones[who] = self.house.browser()
        return self.phones[who]

    def mine(self, who: str) -> str:
        return self.house.hub.access.links.path("e1", who)

    # --- a result, step by step ---

    def by_steps(self, match: str, at: Moment, said: Said, names: dict[str, str], **more: str) -> TestResponse:
        """At the console."""
        self.counts["console"] += 1
        return self._walked(self.desk, f"/console/e1/match/{match}/walk", at, said, names, more)

    def by_phone(self, who: str, at: Moment, said: Said, names: dict[str, str]) -> None:
        """On a player's phone."""
        self.counts["phone"] += 1
        answer = self._walked(self.phone(who), f"{self.mine(who)}/report", at, said, names, {})
        if answer.status_code != 303:
            raise AssertionError(f"{said} by {who}: {answer.status_code} {problem_of(answer)}")

    def _walked(
        self, browser: Browser, address: str, at: Moment, said: Said, names: dict[str, str], more: dict[str, str]
    ) -> TestResponse:
        fields: Fields = []
        for _ in range(MOST_PAGES):
            answer = browser.client.get(address, query_string=MultiDict(fields), headers=browser.headers)
            assert answer.status_code in (200, 400), f"{address} {fields}: {answer.status_code} {problem_of(answer)}"
            page = read_page(answer.text, problem_of(answer), address)
            more_asked = re.search(r'<a class="button" href="[^"]*\?([^"]*)">Add the score</a>', answer.text)
            if page.at_end and more_asked and has_figures(said):
                fields = parse_qsl(html.unescape(more_asked[1]))
                continue
            if page.at_end:
                if page.problem and 'name="reason"' not in answer.text:
                    raise AssertionError(f"{said}: {page.problem}")
                reason = {"reason": REASON} if 'name="reason"' in answer.text else {}
                sent = [(name, value) for name, value in page.hidden if name != "csrf"]
                assert sent, f"{said}: no button to say it: {page}"
                return browser.client.post(
                    address,
                    data=MultiDict([*sent, *reason.items(), *more.items(), ("csrf", browser.token)]),
                    headers=browser.headers,
                )
            if page.problem:
                raise AssertionError(f"{said}: {page.problem} at {page.heading}")
            fields = [*page.hidden, *self._pressed(page, at, said, names)]
        raise AssertionError(f"{said}: asked without an end: {page}")

    def _pressed(self, page: Page, at: Moment, said: Said, names: dict[str, str]) -> Fields:
        if page.asks:
            key = figure_names(at.rules)[page.heading]
            return [(ask.name, str(said[key][ask.side])) for ask in page.asks]
        heading = page.heading.lower()
        for side in SIDES:
            # The sign stands beside the name of whoever sits there.
            words = [text for _, _, of, text in page.buttons if of == side]
            assert all(names[side] in text for text in words), (names, words)
        if heading == "how did it end?":
            wanted = ending_word(at, said)
            return [self._button(page, lambda side, text: text == wanted, wanted)]
        if heading == "drawn games":
            return [self._button(page, lambda side, text: text == said["timeout"]["drawn_games"], "drawn games")]
        if heading == "who conceded?":
            return [self._button(page, lambda side, text: side == said["conceded_by"], "who conceded")]
        if said["ended"] == RULING:
            word = {"draw": "draw", "none": "both lose"}.get(said["winner"], "")
            return [self._button(page, lambda side, text: side == said["winner"] or text == word, "who wins by ruling")]
        if heading != "who won?":
            rules = at.rules.get("time", {})
            asked = rules.get("knockout_asks", {}).get("en", "Who won the tie-break?")
            assert page.heading == asked, (page.heading, asked)
        return [self._button(page, lambda side, text: side == winner_told(at.rules, said), "who won")]

    def _button(self, page: Page, fits: Any, what: str) -> tuple[str, str]:
        found = [(name, value) for name, value, side, text in page.buttons if fits(side, text)]
        assert len(found) == 1, f"{what}: {len(found)} buttons of {page.buttons} under {page.heading!r}"
        return found[0]

    # --- as a line ---

    def by_line(self, match: str, table: int, number: int, at: Moment, said: Said, names: dict[str, str]) -> bool:
        """Typed at the console, table after table; False where no line says it, or the page reads another ending."""
        line = line_of(at, said)
        if line is None:
            return False
        answer = self.desk.client.get(
            "/console/e1/entry",
            query_string={"table": str(table), "round": str(number), "text": line},
            headers=self.desk.headers,
        )
        address = f"/console/e1/match/{match}/entry"
        form = next((one for one in forms_of(answer) if one.method == "post" and one.action == address), None)
        if form is None:
            raise AssertionError(f"{line!r} is not read; meant was {said}: {text_of(answer)[-300:]}")
        loser = names.get(said.get("conceded_by", ""), "")
        wanted = f"{loser} conceded" if loser else ending_word(at, said)
        if (read := ending_of_line(answer.text)) != wanted:
            # A line does not say whether time was called: as the clock has it, and as the result that it corrects.
            if not any({read, wanted} <= alike for alike in (WON_OR_NOT, LEVEL)):
                raise AssertionError(f"{line!r} is read as {read}, and not as {wanted}")
            self.counts["lines read as another ending"] += 1
            return False
        reason = {"reason": REASON} if "reason" in form.controls else {}
        sent = [(name, value) for name, value in form.hidden if name != "csrf"]
        entered = self.desk.client.post(
            address,
            data=MultiDict([*sent, *reason.items(), ("csrf", self.desk.token)]),
            headers=self.desk.headers,
        )
        if entered.status_code != 303:
            raise AssertionError(f"{line!r}: {entered.status_code} {problem_of(entered)}")
        self.counts["line"] += 1
        return True

    # --- both phones ---

    def agrees(self, who: str) -> None:
        """Yes to what the other one has said, on the own page."""
        browser = self.phone(who)
        answer = browser.client.get(self.mine(who), headers=browser.headers)
        form = next(one for one in forms_of(answer) if any(name == "agrees_id" for name, _ in one.hidden))
        sent = browser.client.post(form.action, data=MultiDict(form.hidden), headers=browser.headers)
        assert sent.status_code == 303, (sent.status_code, problem_of(sent))


class HubTable(MonkeyTable):
    """A table whose hub is a real one: its view comes from there, and each report goes there, signed."""

    def __init__(self, hall: Hall, unit: str, place: Place, names: dict[str, str]) -> None:
        self.hall, self.unit, self.shown = hall, unit, names
        self.effects: dict[str, SendReport] = {}
        self.bodies: dict[int, dict[str, str]] = {}
        """The report that was made of an effect, as another one names it."""
        super().__init__(place, hall.chance)
        self.dialogue.take_effects()

    def show(self) -> None:
        house = self.hall.house
        now = house.hub.clocks.now()
        view = parse_message(TableView, table_json(house.service.snapshot, self.unit, None, now))
        assert view.match is not None
        clock = view.clock
        left = clock.deadline_ms - now.mono_ms if clock.deadline_ms is not None else clock.remaining_ms
        self.clock_ms = left if left is not None else 3_000_000
        for side in SIDES:
            assert str(view.match.of(side).name) == self.shown[side], (view.match, self.shown)
        # The reader over the shoulders knows the two by names of its own.
        a, b = (view.match.of(side).replace(name=DisplayText(NAMES[side])) for side in SIDES)
        self.match = view.match.replace(a=a, b=b)
        self.view = view.replace(match=self.match)
        self.dialogue.on_clock(left)
        self.dialogue.on_view(self.view, self.now_ms)

    def wait(self, ms: int) -> None:
        stands = self.clock_ms
        super().wait(ms)
        # Only the hub's clock moves here.
        self.clock_ms = stands
        self.dialogue.on_clock(stands if self.view.clock.total_ms is not None else None)

    def _take(self) -> list[SendReport]:
        made = [effect for effect in self.dialogue.take_effects() if isinstance(effect, SendReport)]
        for effect in made:
            self.hall.reports += 1
            name = f"{self.unit}-{self.hall.reports}"
            self.effects[name] = effect
            self.dialogue.on_stored(name, effect)
            last = max([self.now_ms, *(due[0] for due in self.due)])
            self.due.append((last + self.chance.choice((30, 200, 900)), name, effect.result, effect.side))
        return made

    def _deliver(self) -> None:
        if not self.due or self.due[0][0] > self.now_ms:
            return
        asked = self.scene().kind == "ask"
        while self.due and self.due[0][0] <= self.now_ms:
            _, name, _, _ = self.due.pop(0)
            self.dialogue.on_fate(name, self._sent(name, self.effects[name]), self.now_ms)
            self.show()
        if not asked and self.scene().kind == "ask":
            self.asked_ms = self.now_ms

    def _sent(self, name: str, effect: SendReport) -> Saved | ReportRefused:
        to, hub = effect.agrees_to, self.hall.house.hub
        agrees = {"report_id": to.report_id, "hash": to.hash} if isinstance(to, ReportRef) else self.bodies.get(id(to))
        report: dict[str, Any] = {
            "report_id": name,
            "unit": self.unit,
            "event": "e1",
            "match": effect.match,
            "side": effect.side,
            "revision": effect.revision,
            "result": result_to_json(effect.result),
            "serial": self.match.heard.of(effect.side) + 1,
            "agrees_to": agrees,
            "draw": effect.draw,
            "time_up": effect.time_up,
        }
        self.bodies[id(effect)] = {"report_id": name, "hash": digest(report)}
        key = hub.units.keys[self.unit]
        answer = self.hall.devices.post("/device/report", json={"report": report, "mac": sign(key, REPORT, report)})
        echo = open_envelope(key, ECHO, answer.get_json())
        assert echo is not None, answer.text
        if echo["fate"] != "accepted":
            self.hall.counts[f"a table's report is refused: {echo['reason']}"] += 1
            return ReportRefused(echo["reason"])
        return Saved(echo["number"])


class TwoAtTheTable(Watch):
    """Two who press, and what each of them has said, by the screens alone."""

    def __init__(self, table: HubTable, chance: Random, phoned: dict[str, Said]) -> None:
        super().__init__(table.place, chance, table=table)
        self.said = {**phoned}
        """By side; `phoned`: what a phone has said before."""
        self.chance = chance

    def _reported(self, step: Any, side: Side, result: Result) -> None:
        super()._reported(step, side, result)
        kind = step.before.kind
        if kind == "ask":
            told = self.like_of(side)
        elif kind == "after-all":
            told = plain(self.first) if self.first is not None else {}
        else:
            told = plain(expected(self.place, self.reader, self.like)[0])
        self.said[side] = told

    def like_of(self, side: Side) -> Said:
        """What the other one has said, which this one says yes to."""
        return self.said["b" if side == "a" else "a"]

    @property
    def settled(self) -> bool:
        return self.table.match.state == "agreed"

    def plan(self, made: list[Press]) -> None:
        for press in made:
            if press == Press("down", "hold"):
                for _ in range(2):
                    self.press("repeat", "down", 1000)
            else:
                self.press(press.kind, press.key, 1000)
            if self.faults:
                return


def plain(result: Result) -> Said:
    return {"ended": "played", **result_to_json(result)}


def told_at_table(
    hall: Hall, unit: str, at: Moment, place: Place, said: Said, names: dict[str, str], phoned: dict[str, Said]
) -> Said | None:
    """Both sit at this unit, and press what they mean (now and then something else first); what they have agreed on,
    None where they have not. `phoned`: what one of them has said by phone, which the other one may say yes to here."""
    chance = hall.chance
    table = HubTable(hall, unit, place, names)
    watch = TwoAtTheTable(table, chance, phoned)
    other_first = 0.0 if phoned else chance.random()
    if other_first < 0.25:
        for _ in range(chance.randint(1, 6)):
            watch.press(*random_move(watch, chance, 0.85))
    if other_first > 0.05:
        try:
            whole = result_from_json(with_games(at, said))
            who = winner_told(at.rules, said)
            up = table.view.clock.is_time_up(table.clock_ms)
            watch.plan(report_presses(table.view.form, whole, who if who in SIDES else "a", up))
        except ValueError:
            hall.counts["not to be said at a table"] += 1
    watch.table.wait(2000)
    for _ in range(MOST_PRESSES):
        if watch.settled or watch.faults:
            break
        watch.press(*random_move(watch, chance, 0.95))
    watch.table.wait(2000)
    table.show()
    if watch.faults:
        hall.faults += watch.faults
    hall.counts["table" if watch.settled else "table, not agreed"] += 1
    if not watch.settled:
        return None
    if watch.said.get("a") != watch.said.get("b"):
        hall.faults.append(f"agreed, though {watch.said} was said")
    return watch.said["a"]


def with_games(at: Moment, said: Said) -> Said:
    """One game is won 1:0, also where it was given up."""
    if at.one_game and at.rules["match"]["report"] == "games" and said.get("winner") != "draw":
        won = winner_told(at.rules, said)
        return {**said, "score": {side: int(side == won) for side in SIDES}}
    return said
