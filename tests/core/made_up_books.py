"""Made-up games of a store: sides with names, and everybody meets everybody; and an event that is played by one."""

from msgspec.structs import replace

from roundtap_core.records import Tournament
from roundtap_core.rulebooks.own_rules import Rules, read_rules, rules_id, rules_json

POINTS = """format = "roundtap-rules/1"
name = "Club evening"
[match]
report = "points"
draws = "any_time"
[[match.figure]]
key = "score"
maximum = 200
[points]
win = 3
draw = 1
"""
SIDES = '[sides]\nnames = [{ en = "White" }, { en = "Black" }]\n'
CIRCLE = '[pairing]\nrounds = "everybody"\n'


def _rules(text: str) -> Rules:
    rules, faults, _ = read_rules(text)
    assert rules is not None, faults
    return rules


PLAIN, SIDED = _rules(POINTS), _rules(POINTS + SIDES)
EVERYBODY, EVERYBODY_SIDED = _rules(POINTS + CIRCLE), _rules(POINTS + CIRCLE + SIDES)


def played_by(rules: Rules, tournament: Tournament) -> Tournament:
    """The same event, of this game."""
    return replace(tournament, rulebook=rules_id(rules), rules=rules_json(rules))
