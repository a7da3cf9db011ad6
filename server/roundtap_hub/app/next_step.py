"""The one next step of an event, as Play shows it: its sentence, its button, where they lead; and what is closed."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from roundtap_core.clock import COUNTING, IDLE, PAUSED, Instant, format_clock
from roundtap_core.elimination.bracket import cut_order, make_cut
from roundtap_core.event import commands
from roundtap_core.event.cut import unfinished_parts
from roundtap_core.event.event_flow import CUT, OVER, current_bracket, elimination_rounds, offered_places
from roundtap_core.event.rounds import clashing_tables, draft_moves
from roundtap_core.event.setup import SPECIAL_RULES
from roundtap_core.event.states import TO_CONFIRM, Entrant, EventState, RoundState, active_ids, tournament_of
from roundtap_core.records import ELIMINATION, TIEBREAK
from roundtap_core.standings.standings import open_ties
from roundtap_core.standings.tiebreakers import EACH, KNOCKOUT
from roundtap_core.words import Words
from roundtap_hub.store.command_pipeline import busy_tables, taken_tables
from roundtap_hub.views import places
from roundtap_hub.views.knockout import next_round_key, next_stage, title_key
from roundtap_hub.views.round_clock import TableClocks
from roundtap_hub.views.saved_event import planned_swiss

DRAW, CLOCK = "draw_round", "set_clock"


@dataclass(frozen=True, slots=True)
class TableClash:
    """Tables of the drawn round that another event uses: the tables, that event, and the free ones to move to."""

    tables: str
    event: str
    to: str


def clash_of(events: Mapping[str, EventState], state: EventState) -> TableClash | None:
    """The clash that keeps the drawn round from being published; None where every table is free."""
    clash = clashing_tables(state.draft, taken_tables(events, state.id)) if state.draft else {}
    if not clash:
        return None
    moved = draft_moves(state, busy_tables(events, state.id))
    return TableClash(_comma_list(moved), ", ".join(dict.fromkeys(clash.values())), _comma_list(moved.values()))


def _comma_list(tables: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(tables)))


@dataclass(frozen=True, slots=True)
class NextStep:
    """`key` names the texts: "next.KEY" is the sentence, "next.KEY.button" the button.

    The button posts `fields` to the console's `endpoint`; where that is empty it leads to `anchor` at `place`.
    `warning`: a text on the consequences, with a second confirmation. `round_name`, `competitor`: what the texts
    mention; `who`: who advances. `choices`: a field and its values, with the texts "next.FIELD.VALUE". `news`: a text
    on what made this the next step, with `news_table`.
    """

    key: str
    endpoint: str = ""
    place: places.Place = places.PLAY
    anchor: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)
    fields: Mapping[str, Any] = field(default_factory=dict)
    warning: str = ""
    round_name: str | None = None
    competitor: str | None = None
    who: tuple[str, ...] = ()
    news: str = "next.news.changed"
    news_table: int | None = None
    choices: tuple[str, tuple[str, ...]] | None = None


def next_step(
    state: EventState,
    seated: tuple[int, int],
    points: int = 0,
    clash: TableClash | None = None,
    counted: TableClocks | None = None,
) -> NextStep:
    """The one thing to do now. `seated`: (tables with both players seated, tables that can report it); `points`: open
    points before round 1; `counted`: the tables' clocks, counted while the hub was away."""
    if state.finished:
        return NextStep("finished", place=places.STANDINGS)
    if state.draft is not None:
        if clash is not None:
            return NextStep(
                "move_tables",
                "move_tables",
                params={"tables": clash.tables, "event": clash.event, "to": clash.to},
                fields={"number": state.draft.number, "attempt": state.draft.attempt},
            )
        if points:
            return NextStep("points", anchor="points", params={"n": points, "number": state.draft.number})
        return _publish(state, state.draft)
    if state.live is not None:
        return _in_play(state, state.live, seated, counted)
    if not state.rounds:
        return _before_round_1(state)
    return _after_round(state, state.rounds[-1].number)


def _before_round_1(state: EventState) -> NextStep:
    entered = sum(entrant.active for entrant in state.entrants.values())
    players = len(active_ids(state))
    if players < 2 <= entered:
        return NextStep("check_in", place=places.PLAYERS, anchor="people-links", params={"here": players, "n": entered})
    if players < 2:
        return NextStep("enter", place=places.PLAYERS, anchor="names", params={"n": players})
    planned = planned_swiss(state)
    if planned is None:
        return NextStep("structure", place=places.EVENT, anchor="settings", params={"n": players})
    if planned == 0:
        return NextStep("draw_lot", DRAW, params={"n": players}, fields={"attempt": 0})
    if players < entered:
        return NextStep(
            "draw_here",
            DRAW,
            fields={"attempt": 0},
            params={"here": players, "n": entered - players, "rounds": planned},
        )
    return NextStep("draw_first", DRAW, params={"n": players, "rounds": planned}, fields={"attempt": 0})


def _publish(state: EventState, draft: RoundState) -> NextStep:
    name = title_key(state, draft)
    return NextStep(
        "publish" if name is None else "publish_knockout",
        "publish_round",
        params={"number": draft.number},
        fields={"number": draft.number, "attempt": draft.attempt},
        round_name=name,
    )


def _in_play(state: EventState, live: RoundState, seated: tuple[int, int], counted: TableClocks | None) -> NextStep:
    missing = len(live.open_matches)
    if not missing:
        return _with_news(_after_round(state, live.number), live)
    clock = state.clock
    if clock.total_ms is not None and clock.state == IDLE:
        key = "start_units" if seated[1] else "start_unseen"
        name = title_key(state, live)
        return NextStep(
            key if name is None else key + "_knockout",
            CLOCK,
            round_name=name,
            params={"number": live.number, "seated": seated[0], "n": seated[1]},
            fields={"action": "start"},
        )
    if clock.state == COUNTING and counted is not None:
        # -(-x // y): a spread of 1,200 ms is shown as 2 s.
        return NextStep(
            "counting",
            CLOCK,
            fields={"action": "continue"},
            params={"n": counted.tables, "spread": -(-counted.spread_ms // 1000)},
        )
    if clock.state == COUNTING:
        return NextStep(
            "counting_unknown", CLOCK, params={"left": format_clock(clock.remaining_ms)}, fields={"action": "start"}
        )
    if clock.state == PAUSED:
        return NextStep("resume", CLOCK, params={"left": format_clock(clock.remaining_ms)}, fields={"action": "start"})
    return NextStep("missing", anchor="missing", params={"n": missing})


def _with_news(step: NextStep, live: RoundState) -> NextStep:
    """The step with its cause, the last result, so that the organizer sees why the button has changed."""
    last = max(live.matches, key=lambda m: m.number or 0)
    if last.match.table is None or last.number is None:
        return replace(step, news="next.news.all_in")
    return replace(
        step, news="next.news.entered" if last.decided else "next.news.reported", news_table=last.match.table
    )


def _after_round(state: EventState, number: int) -> NextStep:
    following = next_stage(state)
    if following == CUT:
        made = make_cut(cut_order(tournament_of(state)), state.cut_size, active_ids(state))
        return NextStep(
            "cut", "record_cut", params={"n": number, "size": state.cut_size}, warning="next.cut.what", who=made.seeds
        )
    if following == TIEBREAK:
        return _tiebreak(state)
    if offered_places(state) is not None:
        return NextStep("offer", anchor="offered", competitor=offered_places(state))
    if following == ELIMINATION:
        return NextStep("draw_knockout", DRAW, fields={"attempt": 0}, round_name=next_round_key(state))
    if following == OVER:
        return _over(state, number)
    return NextStep("draw", DRAW, params={"number": number, "next": number + 1}, fields={"attempt": 0})


def _tiebreak(state: EventState) -> NextStep:
    """Two play once; for three or more the organizer chooses the form once."""
    ties = open_ties(tournament_of(state))
    begun = next((played.tiebreak_form for played in state.public_rounds if played.stage == TIEBREAK), None)
    ask = begun is None and any(len(tie) > 2 for tie in ties)
    return NextStep(
        "tiebreak",
        DRAW,
        params={"n": sum(map(len, ties))},
        fields={"attempt": 0, **({} if ask else {"tiebreak_form": begun or EACH})},
        choices=("tiebreak_form", (EACH, KNOCKOUT)) if ask else None,
    )


def _over(state: EventState, number: int) -> NextStep:
    """All is played; with a bracket the sentence names its winner."""
    bracket = current_bracket(state) if elimination_rounds(state) else None
    endpoint, warning = ("", "") if unfinished_parts(state) else ("finish_event", "finish.what")
    if bracket is not None and bracket.champion is not None:
        return NextStep("champion", endpoint, places.EVENT, "finish", warning=warning, competitor=bracket.champion)
    return NextStep("finish", endpoint, places.EVENT, "finish", params={"n": number}, warning=warning)


PERSON = "person"

_TRIED: Mapping[str, Mapping[str, Callable[[EventState], commands.Command]]] = {
    places.PLAY.key: {"mend.unpublish": lambda state: commands.UnpublishRound(len(state.public_rounds), "-")},
    places.PLAYERS.key: {
        "enter.title": lambda state: commands.EnterCompetitor(Entrant("p0", "")),
        "check.title": lambda state: commands.EnterCompetitor(Entrant("p0", "")),
        "check.use": lambda state: commands.SetCheckIn(not state.check_in),
        "join.desk": lambda state: commands.SetSignUp(True, state.sign_up != TO_CONFIRM),
    },
    PERSON: {"people.drop": lambda state: commands.DropCompetitor(next(iter(state.entrants)))},
    places.EVENT.key: {
        "settings.title": lambda state: commands.SetOptions(
            {**state.given_options, "full_names": not state.given_options.get("full_names")}
        ),
        "structure.late": lambda state: commands.SetOptions(state.given_options),
        "about.title": lambda state: commands.SetEventDetails(state.about),
        "about.special_rules": lambda state: commands.SetEventDetails(
            {**state.about, SPECIAL_RULES: "" if state.about.get(SPECIAL_RULES) else "-"}
        ),
    },
}
"""By place and the key of a form's heading: a command of that form."""


def closed_forms(state: EventState, place: str, now: Instant, words: Words) -> dict[str, str]:
    """By the key of its heading, why a form of that place is closed now: what the core says to it, and what can be done
    instead."""
    tried = ((form, commands.refusal(state, make(state), now)) for form, make in _TRIED.get(place, {}).items())
    return {form: refused.say(words) for form, refused in tried if refused is not None}
