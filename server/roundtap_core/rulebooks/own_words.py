"""A stand-in: the rules of a store's own game in sentences, and matches worked out by them."""

from roundtap_core.rulebooks.own_rules import Rules
from roundtap_core.words import Words


def rules_in_words(rules: Rules, words: Words) -> list[str]:
    """What the kit computes, a sentence each."""
    points = rules.points
    return [f"{words('tiebreaker.random')}: {points.win} – {points.draw} – {points.loss}"]


def worked_matches(rules: Rules, words: Words) -> list[str]:
    """Three matches, with what each is worth."""
    return [f"{n}: {rules.points.win}" for n in (1, 2, 3)]
