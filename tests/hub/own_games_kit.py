"""The rules of made-up games of a store, and how a hub comes to have them."""

from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_core.rulebooks.own_rules import Rules, read_rules, rules_data, rules_id
from roundtap_hub.store.service import Service, Step
from roundtap_hub.store.venue import GAME_SAVED

DRAFTS = 'format = "roundtap-rules/1"\nname = "Draft night"\n[match]\nreport = "winner"\n[points]\nwin = 3\n'
"""One game a match: as little as a file may say."""

EVERYTHING = """format = "roundtap-rules/1"
name = "All of it"
note = "Bring \\"sleeves\\".\\nAnd dice."
[match]
report = "points"
draws = "any_time"
[[match.figure]]
key = "score"
label = { en = "Objectives", es = "Objetivos", de = "Ziele", pl = "Cele" }
maximum = 30
default = 5
[[match.figure]]
key = "second"
label = { de = "Verluste" }
maximum = 400
decides = false
[time]
swiss = 120
elimination = 90
final = 0
third_place = 60
extra = [0, 5]
undecided = "ask"
knockout = "better_rank"
knockout_asks = { en = "Who holds the middle?", pl = "Kto?" }
[points]
win = 4
draw = 2
loss = -1
unit = "half"
[[points.table]]
of = "score"
steps = [[0, 1, 1], [6, 2, 0]]
[[points.table]]
of = "second"
steps = [[0, 0, 0], [50, 1, -1]]
[[points.bonus]]
points = 1
of = "score"
at_least = 5
outcome = "win"
[[points.bonus]]
points = -2
of = "second"
ahead_at_least = 1
ahead_at_most = 11
behind_at_most = 0
ended = "time"
[bye]
points = 3
order = "last"
figures = { score = [5, 0], second = [200, 100] }
won_figures = { score = [6, 0], second = [210, 0] }
[concession]
winner_at_least = { score = 7, second = 9 }
[both_lose]
points = -1
[[tiebreakers]]
by = "difference"
of = "score"
label = { en = "Lead" }
base = 30
[[tiebreakers]]
by = "opponents_match_win"
floor = 33
dropped_ceiling = 75
counts = "half_draws"
[[tiebreakers]]
by = "opponents_points"
cut_lowest = 1
cut_highest = 1
[[tiebreakers]]
by = "cumulative"
decay = 2
[sides]
names = [{ en = "Attacker" }, { en = "Defender", de = "Verteidiger" }]
balance = false
[pairing]
rounds = "swiss"
[list]
asked = "required"
[[list.fields]]
key = "faction"
label = { en = "Army" }
[[list.fields]]
key = "total"
kind = "number"
maximum = 2000
[structure]
lines = [[4, 8, 3, 0], [9, 0, 5, 4]]
"""
"""All that a file can say."""


def rules(text: str = DRAFTS) -> Rules:
    read, faults, _ = read_rules(text)
    assert read is not None, faults
    return read


def keep(service: Service, *texts: str) -> list[str]:
    """The store has these games; their ids."""
    made = [rules(text) for text in texts or (DRAFTS,)]
    for each in made:
        service.execute([Step(VENUE, NewEntry(GAME_SAVED, {"rules": rules_data(each)}))], "test")
    return [rules_id(each) for each in made]
