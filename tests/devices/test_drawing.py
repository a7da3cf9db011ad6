"""A name on paper is letters on white, not a black box."""

from roundtap_devices.printing.drawing import render_drawing
from roundtap_devices.printing.print_lines import Drawing, Label


def test_letters_leave_most_of_their_box_white() -> None:
    black = render_drawing(Drawing(30, (Label(0, 0, "Wiśniewska-Szczepańska", 22, 380),)), 384).histogram()[0]
    assert 500 < black < 384 * 30 / 4
