"""The store's own games, as pages list them and say their rules."""

from contextlib import suppress

from roundtap_core.forms.questions import WINNER, BaseQuestion, Figure
from roundtap_core.rulebooks.base import Rulebook
from roundtap_core.rulebooks.own import OwnRulebook, own_rulebook
from roundtap_core.rulebooks.own_words import rules_in_words, words_of
from roundtap_core.rulebooks.result_words import figure_label, way_label
from roundtap_core.typed import MalformedMessage
from roundtap_core.words import Words
from roundtap_hub.store.service import Snapshot


def store_games(snapshot: Snapshot) -> dict[str, OwnRulebook]:
    """The store's own games by id, in the order of their names; without those of a later version."""
    games = []
    for text in snapshot.venue.games.values():
        with suppress(MalformedMessage):
            games.append(own_rulebook(text))
    return {game.id: game for game in sorted(games, key=lambda each: each.title.casefold())}


def said_rules(book: Rulebook, words: Words) -> list[str]:
    """What the kit computes for an own game, a sentence each; nothing of a game that a document describes. Rounds and
    minutes are the event's."""
    return rules_in_words(book.rules, words, planned=False) if isinstance(book, OwnRulebook) else []


def asked_at_table(book: Rulebook, words: Words) -> list[str]:
    """What a table is asked in a Swiss round, by the way a match ends: "Time: Victory points 0–100"."""
    texts, lines = words_of(book, words), []
    for way in book.form(book.options({})).ways:
        asked = [step for step in way.steps if isinstance(step, BaseQuestion) and getattr(step, "asked", True)]
        both = any(getattr(each, "whose", None) == WINNER for each in asked)
        named = []
        for each in asked:
            text = figure_label(texts, each.key, book.id) if isinstance(each, Figure) else texts.first(each.label)
            if isinstance(each, Figure):
                text = f"{text if both else words('games.asked.loser', number=text)} {each.minimum}–{each.maximum}"
            named.append(text)
        lines.append(": ".join(filter(None, (way_label(texts, way.id, book.id), ", ".join(dict.fromkeys(named))))))
    return lines
