"""Who chooses initiative before a game: the cheaper list, or a lot where both cost the same."""

from pathlib import Path

import pytest
from fronts_world import Place, world

from roundtap_hub.views.tables import PreGameChoice, lot_to_draw, pre_game_choice


@pytest.mark.parametrize(
    ("totals", "expected", "lot"),
    [
        ((90, 95), PreGameChoice("initiative", "a", False), ""),
        ((95, 90), PreGameChoice("initiative", "b", False), ""),
        ((90, 90), PreGameChoice("initiative", None, True), "initiative"),
        ((90, None), None, ""),
    ],
)
def test_who_chooses_by_what_the_lists_cost(
    totals: tuple[int | None, int | None], expected: PreGameChoice | None, lot: str, tmp_path: Path
) -> None:
    with world(tmp_path, Place("xwing-standard", totals=totals)) as here:
        played, match = here.state.live, here.match
        assert played is not None
        assert pre_game_choice(here.state, played, match) == expected
        assert lot_to_draw(here.state, played, match) == lot
