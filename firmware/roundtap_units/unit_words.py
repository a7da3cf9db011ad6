"""The units' texts, on top of the core's."""

from roundtap_core.words import Words, catalogue, core_words


def unit_words(language: str) -> Words:
    return catalogue("roundtap_units", language).also(core_words(language))
