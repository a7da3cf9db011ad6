"""What comes next, as one sentence and one button."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from roundtap_core.clock import IDLE, PAUSED, show
from roundtap_core.event.state import EventState, RoundState
from roundtap_hub.views.moment import last_round_reached, planned_rounds


@dataclass(frozen=True, slots=True)
class NextStep:
    """`key` names the words: "next.KEY" is the sentence, "next.KEY.button" the button.

    `action` is where the button posts to ("draw", "publish", "clock", "finish"); where it is empty, `anchor` is
    where it leads. `fields` are what it sends; `warning` names a text that says what it will do.
    """

    key: str
    action: str = ""
    anchor: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)
    fields: Mapping[str, Any] = field(default_factory=dict)
    warning: str = ""


def next_step(state: EventState, seated: tuple[int, int]) -> NextStep:
    """The one thing to do now. `seated` is (tables whose people sit, tables that can say so)."""
    if state.finished:
        return NextStep("finished", anchor="standings")
    if state.draft is not None:
        return _publish(state.draft)
    if state.live is not None:
        return _in_play(state, state.live, seated)
    if not state.rounds:
        return _before_round_1(state)
    return _after_round(state, state.rounds[-1].number)


def _before_round_1(state: EventState) -> NextStep:
    players = sum(entrant.active for entrant in state.entrants.values())
    if players < 2:
        return NextStep("enter", anchor="names", params={"n": players})
    planned = planned_rounds(state)
    if planned is None:
        return NextStep("structure", anchor="settings", params={"n": players})
    return NextStep("draw_first", "draw", params={"n": players, "rounds": planned}, fields={"attempt": 0})


def _publish(draft: RoundState) -> NextStep:
    attempt = draft.draw.attempt if draft.draw else 0
    return NextStep("publish", "publish", params={"number": draft.number},
                    fields={"number": draft.number, "attempt": attempt})


def _in_play(state: EventState, live: RoundState, seated: tuple[int, int]) -> NextStep:
    missing = len(live.open_matches)
    if not missing:
        return _after_round(state, live.number)
    clock = state.clock
    if clock.total_ms is not None and clock.state == IDLE:
        key = "start" if seated[1] else "start_unseen"
        return NextStep(key, "clock", params={"number": live.number, "seated": seated[0], "n": seated[1]},
                        fields={"action": "start"})
    if clock.state == PAUSED:
        return NextStep("resume", "clock", params={"left": show(clock.remaining_ms)}, fields={"action": "start"})
    return NextStep("missing", anchor="missing", params={"n": missing})


def _after_round(state: EventState, number: int) -> NextStep:
    if last_round_reached(state):
        return NextStep("finish", "finish", params={"n": number}, warning="finish.what")
    return NextStep("draw", "draw", params={"number": number, "next": number + 1}, fields={"attempt": 0})
