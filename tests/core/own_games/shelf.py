"""The example games by their names, for the tests of every front: their rules, and their rulebooks."""

from collections.abc import Mapping
from pathlib import Path

from roundtap_core.rulebooks.base import Rulebook
from roundtap_core.rulebooks.own import OwnRulebook, own_rulebook
from roundtap_core.rulebooks.own_rules import Rules, read_rules, rules_id, rules_json
from roundtap_core.rulebooks.registry import RULEBOOKS


def rules_of(text: str) -> Rules:
    """The rules of a file without faults."""
    rules, faults, _ = read_rules(text)
    assert rules is not None, [fault.say() for fault in faults]
    return rules


GAMES: Mapping[str, Rules] = {
    path.stem: rules_of(path.read_text(encoding="utf-8"))
    for path in sorted((Path(__file__).parent / "examples").rglob("*.toml"))
}

_BY_ID = {rules_id(rules): rules for rules in GAMES.values()}


def rules_behind(book_id: str) -> Rules | None:
    """The rules of an example by the id of its rulebook; None for a rulebook of a document."""
    return _BY_ID.get(book_id)


def book_behind(book_id: str) -> Rulebook:
    """The rulebook of this id: one of a document, or an example's."""
    rules = rules_behind(book_id)
    return RULEBOOKS[book_id] if rules is None else own_rulebook(rules_json(rules))


def rules_text(book: Rulebook) -> str | None:
    """The rules that a table's view carries; None for a rulebook of a document."""
    return rules_json(book.rules) if isinstance(book, OwnRulebook) else None


def id_of(name: str) -> str:
    """The id of an example's rulebook."""
    return rules_id(GAMES[name])
