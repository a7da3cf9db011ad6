"""Where a match is found by its id: as if every match were looked at, also where ids have gaps."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from roundtap_core.event.states import PUBLISHED, EventState, MatchState, RoundState
from roundtap_core.records import Match

PLACES = st.integers(1, 12)
ODD = st.sampled_from(
    [
        "",
        ".",
        "1",
        "1.",
        ".1",
        "01.1",
        "1.01",
        "1.1 ",
        " 1.1",
        "١.١",
        "-1.1",
        "1.-1",
        "1.1.1",
        "²",
        "1.²",
        "9" * 5000 + ".1",
        "0.0",
        "0.1",
        "1.0",
    ]
)


def event_of(rounds: dict[int, list[int]]) -> EventState:
    """Rounds of so many matches by number; each match's id ends with its number."""
    return EventState(
        "e1",
        rounds=tuple(
            RoundState(number, "swiss", PUBLISHED, tuple(MatchState(f"{number}.{m}", Match(f"p{m}")) for m in matches))
            for number, matches in rounds.items()
        ),
    )


@given(
    st.dictionaries(PLACES, st.lists(PLACES, unique=True, max_size=8), max_size=4),
    st.builds("{}.{}".format, PLACES, PLACES) | ODD,
)
def test_it_is_found_wherever_it_stands(rounds: dict[int, list[int]], wanted: str) -> None:
    state = event_of(rounds)
    there = [(played, match) for played in state.rounds for match in played.matches if match.id == wanted]
    assert state.find_match(wanted) == (there[0] if there else None)
    changed = state.with_match(MatchState(wanted, Match("somebody else")))
    assert changed == replace(
        state,
        rounds=tuple(
            replace(
                played,
                matches=tuple(
                    MatchState(wanted, Match("somebody else")) if match.id == wanted else match
                    for match in played.matches
                ),
            )
            for played in state.rounds
        ),
    )
