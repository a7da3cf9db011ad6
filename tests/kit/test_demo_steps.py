"""The demo's guide follows what the journal has and what the tables' lamps say, and loses its way by nothing."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from roundtap.demo import PLAYERS, RULEBOOK, TABLES, guide
from roundtap.demo.demo import make_event
from roundtap_core.elimination.bracket_picture import round_label
from roundtap_core.event import commands as c
from roundtap_core.records import Result, SidePair
from roundtap_core.words import LANGUAGES, catalogue, core_words
from roundtap_hub.store.clocks import system_clocks
from roundtap_hub.store.journal import Journal
from roundtap_hub.store.service import Service

DARK = {"lamp_a": False, "lamp_b": False}
ASKS = {"lamp_a": True, "lamp_b": True}
WON = Result(score=SidePair(1, 0))


class Event:
    """The guide's event in a journal, its hub's writer, and the guide that reads it."""

    def __init__(self, folder: Path, language: str = "en") -> None:
        self.id = make_event(folder / "roundtap.db", PLAYERS, TABLES, RULEBOOK, options=guide.OPTIONS, published=False)
        url = f"sqlite:///{folder / 'roundtap.db'}"
        self._journal, self._read = Journal(url), Journal(url, read_only=True)
        self.service = Service(self._journal, system_clocks())
        self.service.start()
        self.guide = guide.Guide(self._read, self.id, language)

    def do(self, *commands: c.Command) -> None:
        for command in commands:
            self.service.execute_one(self.id, command, "organizer")

    def look(self, *pictures: dict[str, bool]) -> tuple[str, Any]:
        """The step to do now, and what is lit for it. `pictures`: of tables 1 and 2, dark where not given."""
        found = self.guide.look(dict(enumerate([*pictures, DARK, DARK][:2], start=1)))
        lit = found["lit"]
        title = found["steps"][found["now"]] if found["now"] < len(found["steps"]) else found["what"]
        return title, lit and (lit["place"], lit["pin"])

    def close(self) -> None:
        self.service.stop()
        self._journal.close()
        self._read.close()


@pytest.fixture
def event(tmp_path: Path) -> Iterator[Event]:
    with closing(Event(tmp_path)) as made:
        yield made


def enter(match: str) -> c.Command:
    return c.EnterResult(match, 0, WON)


def test_a_seat_is_lit_while_its_lamp_is_and_ticked_once_both_are_dark(event: Event) -> None:
    assert event.look() == ("Publish round 1", ("console", ""))
    event.do(c.PublishRound(1, 1))
    assert event.look() == ("Seat both at table 1", None), "a table that has not asked yet"
    assert event.look(ASKS, ASKS) == ("Seat both at table 1", ("table-1", "a"))
    assert event.look({"lamp_a": False, "lamp_b": True}, ASKS) == ("Seat both at table 1", ("table-1", "b"))
    assert event.look(DARK, ASKS) == ("Seat both at table 2", ("table-2", "a"))
    assert event.look(DARK, DARK) == ("Start clock", ("console", ""))


def test_whoever_goes_ahead_is_followed(event: Event) -> None:
    """The seats are skipped, and what an official entered is as good as a report."""
    event.do(c.PublishRound(1, 1), c.SetClock("start"))
    assert event.look(ASKS, ASKS) == ("Result at table 1", ("table-1", "a"))
    event.do(enter("1.1"), enter("1.2"))
    assert event.look() == ("Cut to top 2", ("console", ""))


def test_a_discarded_draft_is_drawn_again(event: Event) -> None:
    event.do(c.DiscardDraft())
    found = event.guide.look({})
    assert (found["now"], found["what"].split("*")[1]) == (0, "Draw round 1")
    event.do(c.DrawRound(7))
    assert event.guide.look({})["what"].split("*")[1] == "Publish round 1"


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_steps_to_the_champion_have_texts(tmp_path: Path, language: str) -> None:
    with closing(Event(tmp_path, language)) as event:
        seen = [event.guide.look({1: DARK, 2: DARK})]
        for command in (
            c.PublishRound(1, 1),
            c.SetClock("start"),
            enter("1.1"),
            enter("1.2"),
            c.MakeCut(),
            c.DrawRound(7),
            c.PublishRound(2, 1),
            c.SetClock("start"),
            enter("2.1"),
            c.FinishEvent(),
        ):
            event.do(command)
            seen.append(event.guide.look({1: DARK, 2: DARK}))
        assert [found["now"] for found in seen] == [0, 1, 4, 5, 7, 8, 9, 10, 12, 13, 14]
        assert all(len(found["steps"]) == 15 and "{" not in found["what"] for found in seen)
        assert seen[-1]["lit"] is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_step_that_a_button_does_is_named_as_the_button_is_and_the_last_is_an_event_of_ones_own(
    tmp_path: Path, language: str
) -> None:
    with closing(Event(tmp_path, language)) as event:
        hub, own = catalogue("roundtap_hub", language), catalogue("roundtap", language)
        final = round_label(core_words(language), "final")
        steps = event.guide.look({})["steps"]
        assert [steps[at] for at in (0, 3, 5, 7, 8, 9, 11, 13, 14)] == [
            hub("next.publish.button", number=1),
            hub("next.start_units.button"),
            hub("me.report"),
            hub("next.cut.button", size=2),
            hub("next.draw_knockout.button", name=final),
            hub("next.publish_knockout.button", name=final),
            hub("next.start_units.button"),
            hub("next.champion.button"),
            own("guide.own"),
        ]
