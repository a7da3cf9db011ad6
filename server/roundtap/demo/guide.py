"""The guide beside the demo's hall: what to press next, and which steps the hub has recorded."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from roundtap.demo import TABLES
from roundtap_core.clock import IDLE
from roundtap_core.elimination.bracket_picture import round_label
from roundtap_core.event.states import CLOSED, DISPUTE, EventState, MatchState, RoundState, event_names
from roundtap_core.records import SIDES, Match, other_side
from roundtap_core.rulebooks.own_words import words_of
from roundtap_core.rulebooks.result_words import way_label
from roundtap_core.words import catalogue, core_words
from roundtap_hub.store.journal import Journal
from roundtap_hub.store.read_model import read_event

# The event that the guide leads through: one Swiss round at two tables, and the final.
OPTIONS = {"structure": "own", "swiss_rounds": 1, "cut": 2, "lists_required": False}
CONSOLE, PHONE = "console", "phone"
PHONE_TABLE = 2  # where the winner reports by phone
# What stands for matches before their draw.
UNDRAWN = tuple(MatchState("", Match("", "", table)) for table in range(1, TABLES + 1))

# What each table's panel said last, by table.
Pictures = Mapping[int, Mapping[str, Any] | None]


class Lit(NamedTuple):
    """What to press: a place of the hall, or with `pin` a button of its table."""

    place: str
    pin: str = ""


@dataclass(frozen=True, slots=True)
class GuideStep:
    """`button`: the button that it is named as; "" where none has its name: then "guide.WHAT" is it. "guide.WHAT.what"
    is what to press. `done`: the hub has it."""

    what: str
    done: bool
    lit: Lit | None = None
    params: Mapping[str, object] = field(default_factory=dict)
    button: str = ""


class Guide:
    """Follows one event by its journal, which a hub may be writing, and by the lamps of its tables. `language`: of the
    texts, and of the buttons that they quote."""

    def __init__(self, journal: Journal, event_id: str, language: str) -> None:
        self._journal = journal
        self._words, self._core = catalogue("roundtap", language), core_words(language)
        self._hub = catalogue("roundtap_hub", language).also(self._core)
        self._state = read_event(journal, EventState(event_id))
        self._names = event_names(self._state, journal.people([event_id]).get(event_id, {}))
        self._asked: set[str] = set()  # matches whose table asked for the seats
        self._seated: set[str] = set()
        # The sides whose seats the table's unit has told its hub, where that is asked; None: the lamps tell.
        self.seated_at: Callable[[MatchState], Collection[str] | None] = lambda _: None

    @property
    def leads(self) -> bool:
        """Where everybody meets everybody, there is no final to lead to."""
        return not self._state.rulebook.everybody

    @property
    def phone_owner(self) -> str:
        """The competitor whose own page the hall's phone shows."""
        matches = self._state.rounds[0].matches
        return next((each for each in matches if each.match.table == PHONE_TABLE), matches[0]).match.a

    def look(self, pictures: Pictures) -> dict[str, Any]:
        """The guide as the page shows it: the titles of all steps, the last of which leads to an event of one's own;
        the number of the one to do now, what to press for it, and where. Raises Problem where the journal cannot be
        read."""
        self._state = read_event(self._journal, self._state)
        steps = list(self._steps(pictures))
        # A later step leaves earlier ones behind: who starts the clock before the seats are taken goes on from there.
        now = max((at for at, step in enumerate(steps, start=1) if step.done), default=0)
        step = steps[now] if now < len(steps) else None
        champion = self._names.get((self._state.ended_as or ("",))[0], "")
        return {
            "now": now,
            "steps": [
                *(each.button or self._words(f"guide.{each.what}", **each.params) for each in steps),
                self._words("guide.own"),
            ],
            "what": self._words(f"guide.{step.what}.what", **step.params)
            if step is not None
            else self._words("guide.end", name=champion),
            "lit": step.lit._asdict() if step is not None and step.lit is not None else None,
        }

    def _steps(self, pictures: Pictures) -> Iterator[GuideStep]:
        state, final = self._state, round_label(self._core, "final")
        first, second = [*state.rounds, None, None][:2]
        # Who discards the draft has to draw again.
        yield self._at_console("publish", bool(state.public_rounds), "publish" if first else "draw_first", number=1)
        matches = sorted(first.matches, key=lambda match: match.match.table or 0) if first else UNDRAWN
        yield from (self._seats(match, pictures) for match in matches)
        yield self._at_console("clock", self._has_clock_run(first), "start_units")
        for match in matches:
            if match.match.table == PHONE_TABLE:
                yield self._by_phone(match)
                yield self._at_table("confirm", match)
            else:
                yield self._at_table("report", match)
        yield self._at_console("cut", state.cut is not None, "cut", size=2)
        yield self._at_console("draw", second is not None, "draw_knockout", name=final)
        yield self._at_console("publish_final", len(state.public_rounds) > 1, "publish_knockout", name=final)
        last = second.matches[0] if second is not None else UNDRAWN[0]
        yield self._seats(last, pictures)
        yield self._at_console("clock", self._has_clock_run(second), "start_units")
        yield self._at_table("report", last)
        yield self._at_console("finish", state.finished, "champion")

    def _at_console(self, what: str, done: bool, button: str, **params: object) -> GuideStep:
        text = self._hub(f"next.{button}.button", **params)
        return GuideStep(what, done, Lit(CONSOLE), {"button": text, "yes": self._hub("next.confirm", what=text)}, text)

    def _seats(self, match: MatchState, pictures: Pictures) -> GuideStep:
        """By the table's status, or the lamps with which it asks for its seats: the hub keeps no record of them."""
        people = self._people(match)
        picture, seated = pictures.get(match.match.table or 0) or {}, self.seated_at(match)
        lamps = [side for side in SIDES if (picture.get(f"lamp_{side}") if seated is None else side not in seated)]
        if self._state.live is not None and match in self._state.live.matches and not match.reports:
            if lamps:
                self._asked.add(match.id)
            elif seated is not None or (picture and match.id in self._asked):
                self._seated.add(match.id)
        return GuideStep("seats", match.id in self._seated, _button(match, lamps[0]) if lamps else None, people)

    def _at_table(self, what: str, match: MatchState) -> GuideStep:
        """The side that has not reported yet is to press; ● begins."""
        if match.state == DISPUTE:
            needs = {"needs": self._hub("needs.title")}
            return GuideStep(
                "differ",
                False,
                Lit(CONSOLE),
                self._people(match) | needs,
                self._words(f"guide.{what}", table=match.match.table),
            )
        side = next((other_side(reported) for reported in match.reports), SIDES[0])
        return GuideStep(what, match.match.result is not None, _button(match, side), self._people(match))

    def _by_phone(self, match: MatchState) -> GuideStep:
        return GuideStep(
            "phone",
            bool(match.reports),
            Lit(PHONE),
            {
                **self._people(match),
                "report": self._hub("me.report"),
                "way": way_label(words_of(self._state.rulebook, self._core), "played", self._state.rulebook_id),
                "send": self._hub("me.report.say"),
            },
            self._hub("me.report"),
        )

    def _people(self, match: MatchState) -> dict[str, object]:
        return {
            "table": match.match.table,
            **{side: self._names.get(match.match.competitor(side) or "", "") for side in SIDES},
        }

    def _has_clock_run(self, played: RoundState | None) -> bool:
        return played is not None and (
            played.status == CLOSED or (played == self._state.live and self._state.clock.state != IDLE)
        )


def _button(match: MatchState, side: str) -> Lit:
    return Lit(f"table-{match.match.table}", side)
