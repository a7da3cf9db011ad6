"""What every rulebook answers: a small class of figures and rules beside its document; no I/O, no chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from roundtap_core.errors import Problem
from roundtap_core.forms import Form
from roundtap_core.records import Match, Result, Side

if TYPE_CHECKING:
    from roundtap_core.standings import Row

Options = Mapping[str, Any]

WIN, LOSS, DRAW = "win", "loss", "draw"
BYE_LAST, BYE_RANDOM_LOWEST = "last", "random-lowest"


@dataclass(frozen=True, slots=True)
class Tally:
    """What one match gives one side: tournament points, the outcome, and figures summed for tiebreakers."""

    points: int
    outcome: str
    figures: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Structure:
    """One line of a structure table: this many players, Swiss rounds and cut (0: none)."""

    at_least: int
    at_most: int | None
    swiss_rounds: int
    cut: int


class Rulebook:
    """Base of the rulebooks. Subclasses state figures as class attributes and answer the methods below."""

    id: ClassVar[str]
    title: ClassVar[str]
    document: ClassVar[str]
    tiebreakers: ClassVar[tuple[str, ...]]
    bye_after_round_1: ClassVar[str]
    stage_minutes: ClassVar[Mapping[str, int]]
    levels: ClassVar[tuple[str, ...]]
    structures: ClassVar[Mapping[str, tuple[Structure, ...]]]
    option_defaults: ClassVar[Mapping[str, Any]]
    house_decisions: ClassVar[tuple[str, ...]]
    """Keys of texts ("decision.…") for what the document leaves open and the kit decided."""

    def options(self, given: Options) -> dict[str, Any]:
        """The event's options over this rulebook's defaults."""
        return {**self.option_defaults, **given}

    def tally(self, match: Match, side: Side, options: Options) -> Tally:
        """What `match` (with a result, or a bye) gives the competitor at `side`."""
        raise NotImplementedError

    def winner(self, result: Result, options: Options) -> str:
        """"a", "b", "draw" or "none" (both lose). Problem where the figures cannot tell and nobody said."""
        raise NotImplementedError

    def elimination_winner(self, result: Result, options: Options, better: Side) -> str:
        """Who goes on in elimination: "a", "b" or "none" (both are out). `better`: the side of the better Swiss rank,
        for rulebooks in which a game can be drawn."""
        return self.winner(result, options)

    def cut_order(self, rows: Sequence[Row], seed: int) -> Sequence[str]:
        """Everybody in the order that decides who makes the cut and with which seed: the standings."""
        return [row.competitor for row in rows]

    def form(self, options: Options) -> Form:
        """What a table is asked."""
        raise NotImplementedError

    def check_new(self, result: Result, options: Options) -> None:
        """Raise Problem where a newly entered result is impossible (a recorded one may be: see event-file.md)."""
        raise NotImplementedError

    def minutes(self, stage: str, options: Options) -> int | None:
        """The round's length in minutes, None for an untimed one; an option per stage overrides the rulebook."""
        stages = options.get("stages", {})
        if "minutes" in stages.get(stage, {}):
            return stages[stage]["minutes"]  # type: ignore[no-any-return]
        return self.stage_minutes.get(stage, self.stage_minutes["swiss"])

    def structure(self, players: int, options: Options) -> tuple[int, int]:
        """(Swiss rounds, cut) for that many players checked in when round 1 is drawn. No Swiss rounds: elimination
        from the start, with everybody.

        Raises Problem("no_structure") where the table has no line for so few, with the hint at "own".
        """
        name = options.get("structure", "basic")
        given_rounds, given_cut = options.get("swiss_rounds"), options.get("cut")
        if name == "own":
            return _enough_rounds(players) if given_rounds is None else given_rounds, given_cut or 0
        lines = self.structures.get(name, ())
        for line in lines:
            if line.at_least <= players and (line.at_most is None or players <= line.at_most):
                return (
                    line.swiss_rounds if given_rounds is None else given_rounds,
                    line.cut if given_cut is None else given_cut,
                )
        raise Problem("no_structure", where="/options/structure", structure=name, players=players,
                      fewest=min((line.at_least for line in lines), default=0))

    def worth(self, match: Match, options: Options) -> dict[str, tuple[int, int]]:
        """The derived values of a result for both sides, shown before it is confirmed: {"mov": (176, 24)}."""
        a, b = self.tally(match, "a", options), self.tally(match, "b", options)
        return {key: (a.figures[key], b.figures[key]) for key in self.form(options).worth}


def _enough_rounds(players: int) -> int:
    """Rounds until one player is left without a loss: ceil(log2 players), at least one."""
    return max(1, (players - 1).bit_length())
