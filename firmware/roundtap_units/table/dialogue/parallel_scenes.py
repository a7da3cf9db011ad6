"""What two people see while each enters their own: two parts, each with its page; ▲▼ are shown where they act."""

from __future__ import annotations

from typing import Protocol

from roundtap_core.forms.questions import Figure, Picks
from roundtap_core.lists.squads import letter
from roundtap_core.records import Result, Side
from roundtap_units.table.dialogue import result_text
from roundtap_units.table.dialogue.own_sheet import OwnSheet, Page
from roundtap_units.table.dialogue.table_state import TableState
from roundtap_units.table.screens.scenes import SIGNS, Duo, Mark, Part, Scene


class BothEntering(Protocol):
    """What a scene reads of two sheets; `parallel_entry.Parallel` is what there is."""

    table: TableState
    hand: Side
    conceded_by: Side | None
    sheets: dict[Side, OwnSheet]

    @property
    def summing(self) -> bool: ...

    def pages(self, side: Side) -> tuple[Page, ...]: ...

    def page(self, side: Side) -> Page | None: ...

    def first_figure(self, side: Side) -> int: ...

    def lost(self, side: Side) -> tuple[int, ...]: ...

    def preview(self) -> Result: ...


def scene(both: BothEntering) -> Scene:
    table = both.table
    kind = "sum" if both.summing else "parallel"
    return Duo(kind=kind, facing=table.facing, mark=table.mark, badge=table.badge,
               a=_part(both, "a"), b=_part(both, "b"))


def squad_letters(squads: tuple[int, ...]) -> str:
    """Squads are numbers in records and letters at the table: "C D"."""
    return " ".join(letter(squad) for squad in squads)


def _warning(table: TableState, side: Side) -> tuple[str, str]:
    """"C D must still play", "1 round left"; empty while there is a choice."""
    assert table.view is not None
    owed = table.match.of(side).to_field
    if not owed or not table.match.of(side).must:
        return "", ""
    return (table.words("parallel.must", squads=squad_letters(owed)),
            table.words("parallel.rounds", n=(table.view.rounds_left or 0) + 1))


def _part(both: BothEntering, side: Side) -> Part:
    table, sheet, page, sign = both.table, both.sheets[side], both.page(side), SIGNS[side]
    words, hand, name = table.words, both.hand == side, table.signed(side)
    if both.summing:
        return _sum(both, side)
    if sheet.asked:
        return Part(name, words("parallel.concede"), hint=words("yes_no" if hand else "parallel.pick", sign=sign))
    if isinstance(page, Picks):
        if sheet.warned:
            return Part(words("parallel.let_go", squads=squad_letters(both.lost(side))), words("parallel.let_go.what"),
                        marks=_marks(both, side, page), hint=words("parallel.let_go.sure") if hand else "")
        must, rounds = _warning(table, side)
        return Part(must or name, rounds or result_text.label(table, page.key), marks=_marks(both, side, page),
                    hint=_hint(both, side, words("parallel.pick", sign=sign), _after_picks(both, side, page)))
    if isinstance(page, Figure):
        return Part(name, result_text.label(table, page.key), (str(sheet.value(page)),),
                    hint=_count_hint(both, side, page), unset=sheet.unset(page))
    if sheet.done:
        return Part(name, words("parallel.waits"), _own_figures(both, side),
                    hint=words("parallel.back") if hand else "")
    return Part(name, table.phase, (table.clock,) if table.clock else (), hint=words("parallel.open", sign=sign))


def _count_hint(both: BothEntering, side: Side, page: Figure) -> str:
    words, sign, sheet = both.table.words, SIGNS[side], both.sheets[side]
    untouched = sheet.value(page) == page.minimum
    if len(page.wheels) > 1 and untouched:
        return words("parallel.count_held", sign=sign, n=page.wheels[0])
    may_concede = sheet.at == both.first_figure(side) and untouched and both.conceded_by is None
    return _hint(both, side, words("parallel.count", sign=sign),
                 words("parallel.first" if may_concede else "parallel.next"))


def _hint(both: BothEntering, side: Side, own: str, arrows: str) -> str:
    return f"{own}  {arrows}" if both.hand == side else own


def _after_picks(both: BothEntering, side: Side, page: Picks) -> str:
    complete = len(both.sheets[side].picked) == page.take
    return both.table.words("parallel.next" if complete else "parallel.mark")


def _marks(both: BothEntering, side: Side, page: Picks) -> tuple[Mark, ...]:
    sheet, owed = both.sheets[side], both.table.match.of(side).to_field
    return tuple(
        Mark(squad_letters((squad,)), squad in sheet.picked, owed is not None and squad not in owed,
             squad == sheet.cursor)
        for squad in range(1, page.of + 1)
    )


def _own_figures(both: BothEntering, side: Side) -> tuple[str, ...]:
    sheet = both.sheets[side]
    return tuple(str(sheet.value(page)) for page in both.pages(side)
                 if isinstance(page, Figure) and page.key in ("score", "wounds"))


def _sum(both: BothEntering, side: Side) -> Part:
    """What both confirm: who has won, the figures, the squads, and what else was told."""
    table, sheet, result = both.table, both.sheets[side], both.preview()
    pairs = [result.score, *([result.wounds] if result.wounds is not None else [])]
    hint = "✓" if sheet.agreed else table.words("entry.ok", sign=SIGNS[side])
    if both.hand == side:
        hint += f"  {table.words('parallel.back')}"
    told = result_text.statement(table, result, side)
    besides = [table.words("told.conceded", name=SIGNS[both.conceded_by]) if both.conceded_by else "",
               *result_text.told_apart(table, result, side), result_text.squads(table, result, side, signed=False)]
    return Part(table.signed(side), result_text.also(told, besides),
                tuple(result_text.ordered(table, pair, side) for pair in pairs), hint=hint)
