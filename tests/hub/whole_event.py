"""A whole event of a store's own game, as a hall lives it: told at all fronts, and held against the calculation.

People come late, sit out, do not appear, leave at the desk, by phone and at the table, are put out, come back;
results are disputed, ruled, corrected. After every round and at the end the judge looks at what the hub shows.
"""

import json
import random
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

from monkey_console import read_asks, read_hidden
from monkey_table import Place
from own_games_kit import keep
from pages_kit import House, open_house, problem_of
from whole_event_hands import Hall, Said, told_at_table
from whole_event_judge import Judge
from whole_event_said import (
    CONCESSION,
    RULING,
    SIDES,
    Heard,
    Ledger,
    Moment,
    Round,
    any_figures,
    any_told,
    figure_names,
)

from own_games.shelf import id_of
from roundtap_core.check.check import violations
from roundtap_core.elimination.bracket import bracket_of
from roundtap_core.eventfile.exports import standings_csv
from roundtap_core.eventfile.read import tournament_from_json

EXAMPLES = {path.stem: path for path in Path(__file__).parents[1].joinpath("core/own_games/examples").rglob("*.toml")}
PEOPLE = (
    "Ana Ruiz", "Bruno Maier", "Cira Lopez", "Dora Wolf", "Eva Luz", "Fritz Alt", "Gil Serra", "Hana Novak", "Ivo Kral",
    "Jan Zak", "Kai Eich", "Lea Moll", "Mia Roth", "Nico Benz",
)  # fmt: skip
UNITS = {1: "unit-1", 2: "unit-2"}


@contextmanager
def whole_event(folder: Path, name: str, seed: int) -> Iterator["WholeEvent"]:
    """The same for the same seed: what a hub draws by `secrets` comes from it, too."""
    at = folder / str(seed)
    at.mkdir()
    with mock.patch.object(random, "_urandom", Random(f"{seed} {name}").randbytes), open_house(at) as house:
        yield WholeEvent(house, name, seed)


class WholeEvent:
    """One event, before anything was said of it; `play` is the whole course."""

    def __init__(self, house: House, name: str, seed: int) -> None:
        self.name, self.chance = name, Random(f"{name} {seed}")
        text = EXAMPLES[name].read_text(encoding="utf-8")
        self.rules: dict[str, Any] = tomllib.loads(text)
        self.house, self.hall = house, Hall(house, self.chance)
        self.everybody = self.rules.get("pairing", {}).get("rounds") == "everybody"
        [self.book] = keep(house.service, text)
        assert self.book == id_of(name)
        self.ledger = Ledger(self.rules, {})
        self.judge = Judge(self.ledger)
        self.cut = self.swiss_rounds = 0
        self.lines: list[list[int]] = []
        """Of the game's own structure, where it is played by: players from, to (0: open), rounds, cut."""
        self.time_up: bool | None = None
        self.empty: set[str] = set()
        """Matches to which nobody came."""
        self._begin()

    # --- before ---

    def _begin(self) -> None:
        chance, hall = self.chance, self.hall
        count = chance.randint(3, 7) if self.everybody else chance.randint(4, 9)
        options: dict[str, Any] = {"structure": "own", "swiss_rounds": chance.randint(2, 3), "cut": 0}
        if not self.everybody:
            options["cut"] = chance.choice((0, 2, 4)) if count > 4 else chance.choice((0, 2))
            lines = [line for line in self.rules.get("structure", {}).get("lines", []) if line[0] <= count]
            if lines and chance.random() < 0.15:
                self.lines = lines
                options = {"structure": "basic"}
            elif chance.random() < 0.06:
                options |= {"swiss_rounds": 0, "cut": 0}
        fields = {**options}
        if options.get("cut") == 4 and chance.random() < 0.4:
            options["third_place_match"] = fields["third_place_match"] = True
        if self.rules["match"]["report"] == "games" and chance.random() < 0.4:
            for stage in chance.sample(("swiss", "elimination", "final"), chance.randint(1, 2)):
                games = chance.choice((1, 3, 5))
                options.setdefault("stages", {})[stage] = {"best_of": games}
                fields[f"best_of.{stage}"] = games
        self.ledger.options = options
        self.cut, self.swiss_rounds = options.get("cut", 0), options.get("swiss_rounds", 1)
        answer = hall.desk.post("/console", name="Friday", rulebook=self.book, color="#00785A", **fields)
        assert answer.status_code == 303, problem_of(answer)
        won = chance.random() < 0.2 and self.swiss_rounds and not self.everybody
        hall.post("competitors", names="\n".join(PEOPLE[: count - bool(won)]))
        if won:
            hall.post("competitors", names=PEOPLE[count - 1], won_bye="1")
        self.ledger.names = {f"p{n}": name for n, name in enumerate(PEOPLE[:count], 1)}
        for table, unit in UNITS.items():
            self.house.place(unit, table)
        if self.everybody:
            self.swiss_rounds = (count - 1) | 1

    # --- the course ---

    def play(self) -> list[str]:
        """To the end; what the judge has to say."""
        try:
            while len(self.ledger.of_stage("swiss")) < self.swiss_rounds:
                if len(self.ledger.here) < 2 or self.faults:
                    break
                self._swiss_round()
            whole = len(self.ledger.of_stage("swiss")) == self.swiss_rounds
            if not self.faults and whole and (self.cut or not self.swiss_rounds) and len(self.ledger.here) >= 2:
                self._elimination()
            self._end()
        except AssertionError as error:
            raise AssertionError(f"{self.name}: {error}; {self.ledger.event()}") from error
        finally:
            self.hall.close()
        return self.faults

    @property
    def faults(self) -> list[str]:
        return [*self.hall.faults, *self.judge.faults]

    def _swiss_round(self) -> None:
        if self.lines and not self.ledger.rounds:
            there = len(self.ledger.here)
            line = next(line for line in self.lines if line[0] <= there <= (line[1] or there))
            _, _, self.swiss_rounds, self.cut = line
        self._draw()
        played = self._publish()
        self.judge.paired(played)
        if played.number == 1:
            self._somebody_comes_late(played)
        self._play(played)
        if self.chance.random() < 0.3:
            self._corrected()
        self._look()
        self._between(played)

    def _draw(self) -> None:
        self.hall.post("draw", attempt=0)

    def _publish(self) -> Round:
        draft = self.house.event.draft
        assert draft is not None
        assert draft.draw is not None
        seen = {"number": draft.number, "attempt": draft.draw.attempt}
        if draft.number == 1:
            self.hall.post("play-on", **seen, reason="all is well")
        else:
            self.hall.post("publish", **seen)
        played = Round(draft.number, draft.stage)
        self.ledger.rounds.append(played)
        for match in self.house.event.live.matches:
            pair = match.match
            played.matches[match.id] = Heard(pair.a, pair.b, pair.bye, pair.game)
        return played

    def _somebody_comes_late(self, played: Round) -> None:
        if self.chance.random() > 0.25:
            return
        free = [m for m, heard in played.matches.items() if heard.bye == "bye"]
        if self.everybody and not free:
            return
        who = f"p{len(self.ledger.names) + 1}"
        self.ledger.names[who] = PEOPLE[len(self.ledger.names)]
        if free and (self.chance.random() < 0.7):
            self.hall.post("competitors", names=self.ledger.names[who], meets=free[0], reason="the train")
            self._seats(played, free[0])
        else:
            self.hall.post("competitors", names=self.ledger.names[who], reason="the train")
            played.missed.append(who)
        self.hall.counts["late"] += 1

    def _seats(self, played: Round, match: str) -> None:
        """Who sits where is the hub's to say."""
        found = self.house.event.find_match(match)
        assert found is not None
        pair = found[1].match
        played.matches[match] = Heard(pair.a, pair.b, pair.bye, pair.game)

    def _play(self, played: Round) -> None:
        """All matches, some before time is called and some after."""
        chance, matches = self.chance, [m for m, heard in played.matches.items() if heard.b is not None]
        chance.shuffle(matches)
        called = chance.randint(0, len(matches))
        self.time_up = None
        timed = self.house.event.clock.total_ms is not None
        if timed:
            self.hall.post("clock", action="start")
            self.time_up = False
        for place, match in enumerate(matches):
            if timed and place == called:
                self.hall.post("clock", action="adjust", minutes=-600)
                self.time_up = True
            self._match(played, match)

    # --- one match ---

    def _stage(self, played: Round, heard: Heard) -> str:
        if played.stage == "swiss":
            return "swiss"
        if heard.game == "third":
            return "third_place"
        return "final" if sum(m.game != "third" for m in played.matches.values()) == 1 else "elimination"

    def _moment(self, played: Round, heard: Heard) -> Moment:
        stage = self._stage(played, heard)
        current = played is self.ledger.rounds[-1]
        return Moment(self.rules, self.ledger.best_of(stage), stage != "swiss", self.time_up if current else None)

    def _names(self, heard: Heard, short: bool = False) -> dict[str, str]:
        names = {"a": self.ledger.names[heard.a], "b": self.ledger.names[heard.b or ""]}
        return {side: f"{name.split()[0]} {name.split()[1][0]}." for side, name in names.items()} if short else names

    def _match(self, played: Round, match: str) -> None:
        chance, heard = self.chance, played.matches[match]
        if heard.said is not None:
            return  # somebody has left this match by now
        kinds: dict[Callable[[Round, str, Heard], None], float] = {
            self._at_table: 3.0,
            self._by_phones: 3.0,
            self._at_desk: 2.0,
            self._as_line: 2.0,
            self._disputed: 1.0,
            self._no_show: 0.4,
            self._nobody_came: 0.1,
            self._leaves: 0.5,
            self._put_out: 0.15,
        }
        if len(self.ledger.here) < 5 or (played.stage == "elimination" and not self._elimination_runs(played)):
            for dirty in (self._no_show, self._nobody_came, self._leaves, self._put_out):
                kinds.pop(dirty)
        if played.stage == "elimination":
            kinds.pop(self._put_out, None)
        if any(who in self.ledger.left for who in (heard.a, heard.b)):
            kinds = {self._at_desk: 1.0, self._as_line: 1.0}
        [kind] = chance.choices(list(kinds), list(kinds.values()))
        kind(played, match, heard)
        if not self._done(match):
            self._at_desk(played, match, heard)

    def _elimination_runs(self, played: Round) -> bool:
        return len(self.ledger.of_stage("elimination")) > 1 or any(m.said for m in played.matches.values())

    def _done(self, match: str) -> bool:
        found = self.house.event.find_match(match)
        return found is None or found[1].done or found[1].match.b is None

    def _at_table(self, played: Round, match: str, heard: Heard, phoned: dict[str, Said] | None = None) -> None:
        found = self.house.event.find_match(match)
        assert found is not None
        unit = UNITS.get(found[1].match.table or 0)
        at = self._moment(played, heard)
        if unit is None:
            if not phoned:
                self._by_phones(played, match, heard)
            return
        stage = self._stage(played, heard)
        place = Place(self.book, stage, games=at.best_of, facing=self.chance.choice(("opposite", "edge")))
        said = any_told(at, self.chance)
        short = self._names(heard, short=True)
        agreed = told_at_table(self.hall, unit, at, place, said, short, phoned or {})
        if agreed is not None:
            heard.said = agreed

    def _by_phones(self, played: Round, match: str, heard: Heard) -> None:
        """One says it, the other one says yes, on a phone or at the table."""
        at, names = self._moment(played, heard), self._names(heard, short=True)
        said = any_told(at, self.chance)
        side = self.chance.choice(SIDES)
        first, second = (heard.a, heard.b) if side == "a" else (heard.b, heard.a)
        assert first is not None
        assert second is not None
        self.hall.by_phone(first, at, said, names)
        how = self.chance.random()
        if how < 0.15:
            self._at_table(played, match, heard, {side: said})
        elif how < 0.6:
            self.hall.agrees(second)
            heard.said = said
        elif how < 0.9:
            self.hall.by_phone(second, at, said, names)
            heard.said = said
        else:
            self._accepted(match, side)
            heard.said = said

    def _accepted(self, match: str, side: str) -> None:
        """An official makes one side's word the result."""
        found = self.house.event.find_match(match)
        assert found is not None
        report = found[1].reports[side]  # type: ignore[index]
        self.hall.post("accept", match=match, side=side, number=report.number, revision=found[1].revision)
        self.hall.counts["accepted"] += 1

    def _disputed(self, played: Round, match: str, heard: Heard) -> None:
        """Both say something else; an official says which it is, or what it was."""
        at, names = self._moment(played, heard), self._names(heard, short=True)
        versions = {side: any_told(at, self.chance) for side in SIDES}
        assert heard.b is not None
        for side, who in zip(SIDES, (heard.a, heard.b), strict=True):
            self.hall.by_phone(who, at, versions[side], names)
        self.hall.counts["two versions"] += 1
        if versions["a"] == versions["b"]:
            heard.said = versions["a"]
        elif self.chance.random() < 0.5:
            side = self.chance.choice(SIDES)
            self._accepted(match, side)
            heard.said = versions[side]

    def _at_desk(self, played: Round, match: str, heard: Heard) -> None:
        at = self._moment(played, heard)
        said = any_told(at, self.chance, official=True)
        answer = self.hall.by_steps(match, at, said, self._names(heard))
        assert answer.status_code == 303, f"{said} at the desk: {answer.status_code} {problem_of(answer)}"
        heard.said = said

    def _as_line(self, played: Round, match: str, heard: Heard) -> None:
        at = self._moment(played, heard)
        said = any_told(at, self.chance)
        found = self.house.event.find_match(match)
        assert found is not None
        if self.hall.by_line(match, found[1].match.table or 0, played.number, at, said, self._names(heard)):
            heard.said = said
        else:
            self._at_desk(played, match, heard)

    # --- who is not there ---

    def _no_show(self, played: Round, match: str, heard: Heard) -> None:
        pair = [heard.a, heard.b or ""]
        absent = self.chance.choice(pair)
        self.hall.post(f"match/{match}/no-show", absent=absent)
        if self.chance.random() < 0.3:
            self.hall.post(f"match/{match}/here-after-all")
            self.hall.counts["no-show undone"] += 1
            return
        heard.came = pair[absent == pair[0]]
        self._gone(absent)
        self.hall.counts["no-show"] += 1

    def _nobody_came(self, played: Round, match: str, heard: Heard) -> None:
        self.hall.post(f"match/{match}/nobody-came")
        heard.said = {"ended": RULING, "winner": "none"}
        self.empty.add(match)
        for who in (heard.a, heard.b or ""):
            self._gone(who)
        self.hall.counts["nobody came"] += 1

    def _gone(self, who: str, how: str = "dropped_after", number: int | None = None) -> None:
        self.ledger.left[who] = (how, self.ledger.rounds[-1].number if number is None else number)

    def _leaves(self, played: Round, match: str, heard: Heard) -> None:
        """In the midst of a match, which is conceded by it; or after the round."""
        side = self.chance.choice(SIDES)
        who = heard.a if side == "a" else heard.b or ""
        self._wishes(who)
        if self.chance.random() < 0.25:
            self.hall.post(f"competitors/{who}/drop", known="after")
            self._gone(who)
            self.hall.counts["leaves after the round"] += 1
            return
        heard.said = self._goes(f"competitors/{who}/drop", side, self._moment(played, heard), reason="a train")
        self._gone(who)
        self.hall.counts["leaves a match"] += 1

    def _goes(self, path: str, side: str, at: Moment, **fields: str) -> Said:
        """Who leaves concedes; where figures count, by those that are asked for."""
        said: Said = {"ended": CONCESSION, "conceded_by": side}
        if self.rules["match"]["report"] != "points":
            self.hall.post(path, known="1", **fields)
            return said
        said |= any_figures(at, self.chance)
        answer = self.hall.desk.post(f"/console/e1/{path}", **fields)
        for _ in figure_names(self.rules):
            form = answer.text[answer.text.index('id="leave"') :]
            key = figure_names(self.rules)[form[form.index("<h2>") + 4 : form.index("</h2>")].strip()]
            hidden = {name: value for name, value in read_hidden(form) if name not in ("csrf", *fields)}
            figures = {ask.name: said[key][ask.side] for ask in read_asks(form)}
            answer = self.hall.desk.post(f"/console/e1/{path}", **hidden, **figures, **fields, known="1")
        assert answer.status_code == 303, problem_of(answer)
        return said

    def _wishes(self, who: str) -> None:
        """By phone or at the table, or only at the desk."""
        how = self.chance.random()
        if how < 0.3:
            phone = self.hall.phone(who)
            answer = phone.client.post(f"{self.hall.mine(who)}/leave", data={"on": "1"}, headers=phone.headers)
            assert answer.status_code == 303, answer.status_code
            self.hall.counts["wishes to leave by phone"] += 1
            return
        live = self.house.event.live
        found = next((m for m in live.matches if who in (m.match.a, m.match.b)), None) if live else None
        unit = UNITS.get(found.match.table or 0) if found is not None else None
        if how < 0.6 and unit is not None and found is not None:
            side = "a" if found.match.a == who else "b"
            self.house.says(unit, match=found.id, seated=frozenset(SIDES), leave=side)
            self.hall.counts["wishes to leave at the table"] += 1

    def _put_out(self, played: Round, match: str, heard: Heard) -> None:
        side = self.chance.choice(SIDES)
        who = heard.a if side == "a" else heard.b or ""
        heard.said = self._goes(
            f"competitors/{who}/disqualify", side, self._moment(played, heard), reason="loaded dice"
        )
        self._gone(who, "disqualified_after")
        self.hall.counts["put out in a match"] += 1

    def _between(self, played: Round) -> None:
        """After the round some leave, some are put out, some come back."""
        for who in self.ledger.here:
            if len(self.ledger.here) < 4:
                return
            draw = self.chance.random()
            if draw < 0.05:
                self._wishes(who)
                self.hall.post(f"competitors/{who}/drop")
                self._gone(who)
                self.hall.counts["leaves"] += 1
            elif draw < 0.065:
                self.hall.post(f"competitors/{who}/disqualify", reason="loaded dice")
                self._gone(who, "disqualified_after")
                self.hall.counts["put out"] += 1
        for who, (how, number) in list(self.ledger.left.items()):
            if how == "dropped_after" and number < played.number and self.chance.random() < 0.3:
                self.hall.post(f"competitors/{who}/return")
                del self.ledger.left[who]
                for missed in self.ledger.rounds:
                    if missed.number > number:
                        missed.missed.append(who)
                self.hall.counts["returns"] += 1

    def _corrected(self, **more: str) -> None:
        """A result of this round, or of an earlier one, is put right at the desk or by a line."""
        choice = [
            (r, m)
            for r in self.ledger.of_stage("swiss")
            for m, heard in r.matches.items()
            if heard.said is not None and m not in self.empty
        ]
        if not choice:
            return
        played, match = self.chance.choice(choice)
        heard = played.matches[match]
        at = self._moment(played, heard)
        said = any_told(at, self.chance, official=True)
        if said == heard.said:
            return
        found = self.house.event.find_match(match)
        assert found is not None
        table = found[1].match.table or 0
        if (
            more
            or self.chance.random() > 0.4
            or not self.hall.by_line(match, table, played.number, at, said, self._names(heard))
        ):
            answer = self.hall.by_steps(match, at, said, self._names(heard), **more)
            assert answer.status_code == 303, problem_of(answer)
        heard.said = said
        self.hall.counts["corrected"] += 1

    # --- the cut and what follows ---

    def _elimination(self) -> None:
        if self.cut:
            self._cut()
            if len(self.judge.seeds) < 2:
                return
        while not self.faults:
            due = self.judge.due() if self.cut or self.ledger.of_stage("elimination") else None
            if due is not None and sum(map(len, due.values())) < 2:
                return  # nobody is left to meet
            self._draw()
            played = self._publish()
            drawn = {m.game: [who for who in (m.a, m.b) if who] for m in played.matches.values()}
            if due is None:
                self.judge.cut_order = self._by_lot()
                self.judge.same(
                    "who sits", sorted(who for sides in drawn.values() for who in sides), sorted(self.ledger.here)
                )
            else:
                told = {game: sorted(sides) for game, sides in due.items()}
                self.judge.same(f"round {played.number}", {g: sorted(s) for g, s in drawn.items()}, told)
            self._play(played)
            if self.chance.random() < 0.2 and self._elimination_runs(played) and self.swiss_rounds:
                self._corrected()
            self._look()
            if all(m.game in (1, "third") for m in played.matches.values()):
                return

    def _by_lot(self) -> list[str]:
        """Without Swiss rounds the lot stands for the place."""
        from roundtap_core.elimination.bracket import lot_order
        from roundtap_core.event.states import tournament_of

        return lot_order(tournament_of(self.house.event))

    def _cut(self) -> None:
        chance, hall = self.chance, self.hall
        hall.post("cut")
        self._who_is_in()
        if chance.random() < 0.25:
            # Before the first game an official says what a correction makes of the cut.
            word = chance.choice(("anew", "keep"))
            self._corrected(cut=word)
            hall.counts[f"corrected after the cut, {word}"] += 1
            if word == "anew":
                self._who_is_in()
        asked: set[str] = {*self.judge.seeds}
        if chance.random() < 0.3 and len(self.ledger.here) > 4:
            who = chance.choice(self.judge.seeds)
            hall.post(f"competitors/{who}/drop", known="1")
            self._gone(who)
            hall.counts["leaves a place in the cut"] += 1
        while (who := self.judge.offered(self.cut, asked)) is not None:
            asked.add(who)
            if chance.random() < 0.6:
                hall.post("cut/accepted", competitor=who)
                self.judge.seeds.append(who)
            else:
                hall.post("cut/declined", competitor=who)
                self.ledger.out.add(who)
            hall.counts["asked for a free place"] += 1

    def _who_is_in(self) -> None:
        table = self.hall.desk.client.get("/console/e1/standings.csv").text.splitlines()[1:]
        self.judge.cut_made([line.split(",")[2] for line in table], self.cut)

    # --- looked at ---

    def _look(self) -> None:
        desk = self.hall.desk
        table = desk.client.get("/console/e1/standings.csv")
        page = desk.client.get("/e/e1/standings") if self.chance.random() < 0.3 else None
        if self.ledger.of_stage("swiss"):
            self.judge.standings(table.text, page.text if page is not None else None)

    def _end(self) -> None:
        if not self.ledger.rounds or self.faults:
            return
        self.hall.post("finish", reason="the hall closes")
        desk = self.hall.desk
        if self.ledger.of_stage("swiss"):
            self.judge.standings(
                desk.client.get("/console/e1/standings.csv").text, desk.client.get("/e/e1/standings").text
            )
        file = json.loads(desk.client.get("/console/e1/export.json").text)
        tournament = tournament_from_json(file)
        self.judge.same("what check finds", [f"{found.where} {found}" for found in violations(tournament)], [])
        if self.ledger.of_stage("swiss"):
            self.judge.standings(standings_csv(tournament))
        bracket = bracket_of(tournament)
        if bracket is not None and all(m.game in (1, "third") for m in self.ledger.rounds[-1].matches.values()):
            self.judge.same("who has won the event", bracket.champion, self.judge.champion)
