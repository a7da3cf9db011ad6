"""The examples of store's own games: what they are there for, and that the calculation goes through with each."""

import tomllib
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest

from own_games.calculation import FEWER_IS_BETTER, standings
from own_games.made_up import made_up_event

EXAMPLES = Path(__file__).parent / "examples"
FILES = sorted(EXAMPLES.rglob("*.toml"))
OURS = sorted(EXAMPLES.glob("*.toml"))
LANGUAGES = {"de", "en", "es", "pl"}


def read(path: Path) -> dict:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def labels(value):
    """Every text in languages that stands in the rules."""
    if isinstance(value, dict) and "en" in value:
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from labels(one)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_order_follows_from_the_figures(path, chance):
    """Points first, then each tie in turn; a tie without a figure may turn the order of those it is asked about."""
    rules = read(path)
    for _ in range(40):
        rows = [row for row in standings(rules, made_up_event(rules, chance)) if row.rank is not None]
        assert [row.rank for row in rows] == sorted(row.rank for row in rows)
        for better, worse in pairwise(rows):
            signs = [-1 if tie["by"] in FEWER_IS_BETTER else 1 for tie in rules.get("tiebreakers", [])]
            keys = []
            for row in (better, worse):
                shown = [0 if value is None else value * sign for value, sign in zip(row.values, signs, strict=True)]
                place = row.values.index(None) if None in row.values else len(shown)
                keys.append((row.points, *shown[:place]))
            assert keys[0] >= keys[1]
            assert (worse.rank == better.rank) == (worse.competitor in better.tied_with)
        for row in rows:
            assert row.rounds == row.wins + row.losses + row.draws
            assert all(value is None or isinstance(value, int | Fraction) for value in row.values)


@pytest.mark.parametrize("path", OURS, ids=lambda path: path.stem)
def test_our_examples_name_their_source(path):
    assert "# After " in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_texts_keep_to_their_limits(path):
    rules = read(path)
    assert rules["format"] == "roundtap-rules/1"
    assert 1 <= len(rules["name"]) <= 40
    assert len(rules.get("note", "")) <= 500
    asked = rules.get("time", {}).get("knockout_asks", {})
    assert all(len(text) <= 40 for text in asked.values())
    assert all(len(text) <= 24 for label in labels(rules) if label is not asked for text in label.values())


def test_together_they_use_all_that_the_format_says():
    """Every tie, and what the given examples leave out."""
    all_rules = [read(path) for path in FILES]
    ties = [tie for rules in all_rules for tie in rules.get("tiebreakers", [])]
    assert {tie["by"] for tie in ties} == {
        *("own", "difference", "against", "opponents_own", "wins", "fewest_losses", "cumulative"),
        *("match_win", "game_win", "opponents_match_win", "opponents_opponents_match_win", "opponents_game_win"),
        *("opponents_points", "sonneborn_berger", "sos", "extended_sos", "opponents_fewest_losses"),
        *("opponents_cumulative", "head_to_head"),
    }
    assert {key for tie in ties for key in tie} == {
        *("by", "of", "label", "floor", "dropped_ceiling", "counts", "cut_lowest", "cut_highest", "base", "decay"),
    }
    assert {rules["match"].get("best_of") for rules in all_rules} >= {3, 5}
    assert {rules.get("time", {}).get("knockout") for rules in all_rules} >= {"ask", "better_rank"}
    assert {rules.get("sides", {}).get("balance") for rules in all_rules} >= {True, False}
    assert {field.get("kind") for rules in all_rules for field in rules.get("list", {}).get("fields", [])} >= {
        *("text", "number", "names", "tick"),
    }
    bonuses = [bonus for rules in all_rules for bonus in rules["points"].get("bonus", [])]
    assert {key for bonus in bonuses for key in bonus} == {
        *("points", "of", "at_least", "ahead_at_least", "ahead_at_most", "behind_at_most", "outcome", "ended"),
    }
    assert any(rules.get("pairing", {}).get("rounds") == "everybody" for rules in all_rules)
    assert any("extra" in rules.get("time", {}) for rules in all_rules)
    longest = [
        label for rules in all_rules for label in labels(rules) if {len(text) for text in label.values()} == {24}
    ]
    assert any(set(label) == LANGUAGES for label in longest)
