"""The units' texts, on top of the core's."""

from roundtap_core.words import Words, catalogue, core_words


def unit_words(language: str, joystick: bool = False) -> Words:
    """joystick: of a unit whose board has one (`Board.joystick`)."""
    words = catalogue("roundtap_units", language)
    return (words.variant("joystick") if joystick else words).also(core_words(language))
