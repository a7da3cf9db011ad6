"""The core's widths of letters are those of the table's screen, so that a file of rules is judged without one."""

import pytest

from roundtap_core.rulebooks.own_rules import label_px
from roundtap_devices.letters import text_width

SMALLEST = 10


@pytest.mark.parametrize(
    "text",
    [
        "Victory points",
        "Gemeinschaftspunktwerte!",
        "Punkty zwycięstwa w grze",
        "Puntos de misión, mañana",
        "WWWWWWWWWWWW",
        "iiiiiiiiiiii",
        "ŻÓŁĆ & QUÄDER (100 %)",
    ],
)
def test_a_label_is_as_wide_as_the_screen_draws_it(text: str) -> None:
    drawn_px = text_width(text, SMALLEST, narrow=True)
    assert abs(label_px(text) - drawn_px) <= max(2, len(text) // 8)
