"""Whatever is against a structure's table is an own structure, and the rules of the event call it so."""

from typing import Any

import pytest

from event_kit import Event
from roundtap_core.event import commands as c


@pytest.mark.parametrize(
    ("given", "becomes"),
    [
        ({}, {}),
        ({"structure": "basic"}, {"structure": "basic"}),
        ({"structure": "basic", "swiss_rounds": 3, "cut": 0}, {"structure": "basic", "swiss_rounds": 3, "cut": 0}),
        ({"cut": 2}, {"structure": "own", "swiss_rounds": 3, "cut": 2}),
        ({"structure": "basic", "swiss_rounds": 5}, {"structure": "own", "swiss_rounds": 5, "cut": 0}),
        (
            {"stages": {"swiss": {"minutes": 5}}},
            {"structure": "own", "swiss_rounds": 3, "cut": 0, "stages": {"swiss": {"minutes": 5}}},
        ),
        ({"stages": {"swiss": {"minutes": 90}}}, {"stages": {"swiss": {"minutes": 90}}}),
        ({"structure": "own"}, {"structure": "own"}),
    ],
)
def test_the_structure_is_called_what_it_is_when_round_1_is_published(given: dict[str, Any], becomes: dict[str, Any]):
    event = Event(8, given).play()
    assert event.state.given_options == becomes
    assert event.state.swiss_rounds == becomes.get("swiss_rounds", 3)


def test_a_cut_added_after_round_1_makes_it_an_own_structure():
    event = Event(8).play()
    event.tell(c.SetOptions({"structure": "basic", "cut": 4}))
    assert event.state.given_options == {"structure": "own", "swiss_rounds": 3, "cut": 4}
    assert (event.state.swiss_rounds, event.state.cut_size) == (3, 4)
