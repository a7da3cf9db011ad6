"""A drawn round before anybody sees it: each pairing with points, and why it is as it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from roundtap_core.elimination.shape import THIRD
from roundtap_core.event.rounds.tables_held import clashing_tables, draft_moves
from roundtap_core.event.state import EventState, RoundState
from roundtap_core.records import SWISS
from roundtap_hub.journal.hall import busy_tables, taken_tables
from roundtap_hub.views.event_at import EventAt, ranking_by_id
from roundtap_hub.views.knockout import title_key


@dataclass(frozen=True, slots=True)
class Drawn:
    """One pairing. `met` are the rounds in which these two met before; a float is (from points, to points)."""

    table: int | None
    a: str
    b: str | None
    a_points: int
    b_points: int
    bye: str | None
    met: tuple[int, ...]
    a_float: tuple[int, int] | None
    b_float: tuple[int, int] | None
    third: bool = False
    by_hand: bool = False


@dataclass(frozen=True, slots=True)
class DraftView:
    """`name`: what an elimination round is called. `fixed`: seeds and game numbers leave nothing to draw again."""

    number: int
    attempt: int
    matches: tuple[Drawn, ...]
    repeats: int
    bye: Any
    method: str
    name: str | None = None
    fixed: bool = False
    by_hand: bool = False
    """Somebody has worked on it: drawn again, or discarded, that is lost."""


@dataclass(frozen=True, slots=True)
class Clash:
    """Another event plays at tables of the drawn round: which tables, whose, and which free ones they could take."""

    tables: str
    event: str
    to: str


def clash_of(events: Mapping[str, EventState], state: EventState) -> Clash | None:
    """What would keep the drawn round from being published; None where every table is free."""
    clash = clashing_tables(state.draft, taken_tables(events, state.id)) if state.draft else {}
    if not clash:
        return None
    moved = draft_moves(state, busy_tables(events, state.id))
    return Clash(_listed(moved), ", ".join(dict.fromkeys(clash.values())), _listed(moved.values()))


def _listed(tables: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(tables)))


def draft_view(moment: EventAt, names: Mapping[str, str]) -> DraftView | None:
    """The draft in hand, or None."""
    draft = moment.state.draft
    if draft is None:
        return None
    rows = ranking_by_id(moment)
    points = {competitor: row.points for competitor, row in rows.items()}
    floats = {f["competitor"]: (f["from"], f["to"]) for f in draft.notes.get("floats", ())}
    met = _meetings(moment, draft)
    matches = tuple(
        Drawn(
            m.match.table, names.get(m.match.a, m.match.a), names.get(m.match.b, m.match.b) if m.match.b else None,
            points.get(m.match.a, 0), points.get(m.match.b or "", 0), m.match.bye,
            tuple(met.get(frozenset((m.match.a, m.match.b)), ())) if m.match.b else (),
            floats.get(m.match.a), floats.get(m.match.b or ""), m.match.game == THIRD, m.by_hand is not None,
        )
        for m in draft.matches
    )
    repeats = sum(1 for drawn in matches if drawn.met)
    attempt, method = (draft.draw.attempt, draft.draw.method) if draft.draw else (0, "")
    return DraftView(draft.number, attempt, matches, repeats, draft.notes.get("bye"), method,
                     title_key(moment.state, draft), method == "bracket",
                     any(m.by_hand for m in draft.matches) or bool(draft.mends))


def _meetings(moment: EventAt, draft: RoundState) -> dict[frozenset[str | None], list[int]]:
    """The rounds of this stage in which each pair met."""
    met: dict[frozenset[str | None], list[int]] = {}
    for played in moment.state.public_rounds:
        if played.stage == draft.stage == SWISS:
            for match in played.matches:
                if match.match.b:
                    met.setdefault(frozenset((match.match.a, match.match.b)), []).append(played.number)
    return met
