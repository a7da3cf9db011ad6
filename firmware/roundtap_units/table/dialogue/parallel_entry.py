"""Both enter their own, in parallel: own buttons step and count; ▲▼ act for the side that pressed last."""

from copy import copy, deepcopy
from dataclasses import dataclass, field
from typing import Any

from roundtap_core.forms.form import Form, WayToEnd, compose_complete, compose_result
from roundtap_core.forms.questions import LOSER, SCORE_KEYS, WINNER, Figure, Picks
from roundtap_core.lists.list_form import squad_letter, squads_unfieldable
from roundtap_core.records import CONCESSION, SIDES, Result, Side, other_side
from roundtap_devices.input.gestures import HOLD, REPEAT, TAP, Gesture
from roundtap_units.table.dialogue import result_text
from roundtap_units.table.dialogue.table_state import OWN_KEYS, DialogueState, TableState
from roundtap_units.table.screens.scenes import SIGNS, Scene, Sentence, SideBySideScene, SidePart, SquadMark

Page = Figure | Picks


def side_questions(way: WayToEnd, whose: str) -> tuple[Page, ...]:
    """One side's questions in this way, in the form's order."""
    return tuple(step for step in way.steps if isinstance(step, Figure | Picks) and step.asked and step.whose == whose)


@dataclass(slots=True)
class SideSheet:
    """One side's own sheet: squads, then figures, page by page. Pure; no screen. `at`: the page that is open, None
    while the side rests. `done`: all pages were passed; `agreed`: the sum too. `picked`: squads in the order they were
    marked; `cursor` is the one that the own button has stepped to."""

    picked: list[int] = field(default_factory=list)
    values: dict[str, int] = field(default_factory=dict)
    cursor: int = 1
    at: int | None = None
    fielded: bool = False
    asked: bool = False  # "Concede?" is on the page
    warned: bool = False  # "These can never be played any more" is on the page of squads
    done: bool = False
    agreed: bool = False

    def value(self, figure: Figure) -> int:
        return self.values.get(figure.key, figure.default)

    def unset(self, page: Page) -> bool:
        """Whether this side has not yet answered the page."""
        if isinstance(page, Picks):
            return len(self.picked) != page.take
        return page.key not in self.values

    @property
    def counting(self) -> bool:
        """Whether this open sheet has figures of the game's end."""
        return self.at is not None and bool(self.values)

    def rest(self) -> None:
        self.at, self.asked = None, False

    def step(self, picks: Picks) -> None:
        self.cursor = self.cursor % picks.of + 1

    def mark(self, picks: Picks) -> bool:
        """Mark the squad at the cursor, or unmark it; True: enough were already marked, so this means OK."""
        if len(self.picked) == picks.take:
            self.fielded = True
            return True
        if self.cursor in self.picked:
            self.picked.remove(self.cursor)
        else:
            self.picked.append(self.cursor)
        return False

    def count(self, figure: Figure, most: int, by: int) -> None:
        """Count on; a small figure starts again after its last, a large one stops there."""
        value = self.value(figure) + by
        if value > most:
            value = figure.minimum if len(figure.wheels) == 1 else most
        self.values[figure.key] = max(figure.minimum, value)


def squad_letters(squads: tuple[int, ...]) -> str:
    """Squads are numbers in records and letters at the table: "C D"."""
    return " ".join(squad_letter(squad) for squad in squads)


def _warning(table: TableState, side: Side) -> str:
    """ "C D must still play, 1 round left"; empty while there is a choice."""
    assert table.view is not None
    owed = table.match.of(side).to_field
    if not owed or not table.match.of(side).must:
        return ""
    squads, rounds = squad_letters(owed), table.words("parallel.rounds", n=(table.view.rounds_left or 0) + 1)
    return Sentence.of((f"{table.words('parallel.must', squads=squads)}, {rounds}", f"{squads}: {rounds}"))


def _part(both: "ParallelEntry", side: Side) -> SidePart:
    table, sheet, page, sign = both.table, both.sheets[side], both.page(side), SIGNS[side]
    words, hand, name = table.words, both.hand == side, table.signed_name(side)
    if both.summing:
        return _summary(both, side)
    if sheet.asked:
        return SidePart(name, words("parallel.concede"), hint=words("yes_no" if hand else "parallel.pick", sign=sign))
    if isinstance(page, Picks):
        if sheet.warned:
            return SidePart(
                "",
                words("parallel.let_go", squads=squad_letters(both.lost(side))),
                marks=_marks(both, side, page),
                hint=words("parallel.let_go.sure") if hand else "",
            )
        must = _warning(table, side)
        arrows = words("parallel.mark" if sheet.unset(page) else "parallel.next")
        return SidePart(
            "" if must else name,
            must or result_text.figure_name(table, page.key),
            marks=_marks(both, side, page),
            hint=_hint(both, side, words("parallel.pick", sign=sign), arrows),
        )
    if isinstance(page, Figure):
        return SidePart(
            name,
            result_text.figure_name(table, page.key),
            (str(sheet.value(page)),),
            hint=_count_hint(both, side, page),
            unset=sheet.unset(page),
        )
    if sheet.done:
        told = tuple(
            str(sheet.value(page)) for page in both.pages(side) if isinstance(page, Figure) and page.key in SCORE_KEYS
        )
        return SidePart(name, words("parallel.waits"), told, hint=words("parallel.back") if hand else "")
    return SidePart(name, table.phase, (table.clock,) if table.clock else (), hint=words("parallel.open", sign=sign))


def _count_hint(both: "ParallelEntry", side: Side, page: Figure) -> str:
    words, sign, sheet = both.table.words, SIGNS[side], both.sheets[side]
    untouched = sheet.value(page) == page.minimum
    if len(page.wheels) > 1 and untouched:
        return words("parallel.count_held", sign=sign, n=page.wheels[0])
    may_concede = sheet.at == both.first_figure(side) and untouched and both.conceded_by is None
    return _hint(
        both, side, words("parallel.count", sign=sign), words("parallel.first" if may_concede else "parallel.next")
    )


def _hint(both: "ParallelEntry", side: Side, own: str, arrows: str) -> str:
    return f"{own}  {arrows}" if both.hand == side else own


def _marks(both: "ParallelEntry", side: Side, page: Picks) -> tuple[SquadMark, ...]:
    sheet, owed = both.sheets[side], both.table.match.of(side).to_field
    return tuple(
        SquadMark(
            squad_letters((squad,)),
            squad in sheet.picked,
            owed is not None and squad not in owed,
            squad == sheet.cursor,
        )
        for squad in range(1, page.of + 1)
    )


def _summary(both: "ParallelEntry", side: Side) -> SidePart:
    """What both confirm: the winner, the figures, the squads, and other answers."""
    table, sheet = both.table, both.sheets[side]
    result = result_text.as_counted(table, both.preview())
    pairs = result.figures.values()
    hint = "✓" if sheet.agreed else table.words("entry.ok", sign=SIGNS[side])
    if both.hand == side:
        hint += f"  {table.words('parallel.back')}"
    told = result_text.result_sentence(table, "told", result, side, figures=False)
    besides = [
        table.words("told.conceded", name=SIGNS[both.conceded_by]) if both.conceded_by else "",
        *result_text.extra_figures(table, result, side),
        result_text.squads_text(table, result, side),
    ]
    return SidePart(
        table.signed_name(side),
        result_text.with_extras(told, besides),
        tuple(result_text.pair_text(table, pair, side) for pair in pairs),
        hint=hint,
    )


class ParallelEntry(DialogueState):
    """The two sheets of one match. `hand`: for whom ▲▼ act; `conceded_by`: who gave up, the figures still count. It is
    the table's entry while a sheet is open; between the reveal and the end both rest, and it is only kept."""

    def __init__(self, table: TableState, form: Form, like: Result | None = None, hand: Side = "a") -> None:
        super().__init__(table)
        self.form, self.hand = form, hand
        self.at_time = table.time_is_up
        self.conceded_by: Side | None = None
        self.sheets: dict[Side, SideSheet] = {side: SideSheet() for side in SIDES}
        if like is not None:
            self._start_as(like)

    def _start_as(self, like: Result) -> None:
        """A correction begins at the sum that stands: both continue from it, or back through their pages."""
        self.at_time = like.ended == "time"
        if like.ended == CONCESSION:
            self.conceded_by = "a" if like.conceded_by == "a" else "b"
        for side, sheet in self.sheets.items():
            told = {key: pair[side] for key, pair in (like.timeout or {}).items() if isinstance(pair, dict)}
            sheet.values = {**{key: pair.of(side) for key, pair in like.figures.items()}, **told}
            sheet.picked = list((like.picks or {}).get(side, ()))
            sheet.fielded = bool(sheet.picked)
            sheet.done = True
        self._reopen_unanswered()

    # --- presses ---

    def open(self, side: Side) -> None:
        """The own button of a side that rests: squads first, and once these are fielded, how the game ended."""
        sheet = self.sheets[side]
        self.hand = side
        if not any(each.done or each.counting for each in self.sheets.values()):
            # The first figures opened fix whether it is after time; a page of squads does not.
            self.at_time = self.table.time_is_up
        sheet.at = next(
            (at for at, page in enumerate(self.pages(side)) if isinstance(page, Picks) and not sheet.fielded),
            self.first_figure(side),
        )
        sheet.done = False
        for each in self.sheets.values():
            each.agreed = False

    def press(self, gesture: Gesture, now_ms: int) -> None:
        if gesture.key in SIDES and gesture.kind in (TAP, HOLD):
            side = OWN_KEYS[gesture.key]
            served, self.hand = self.hand, side
            if self.sheets[side].asked and served != side:
                # "Concede?" is answered by yes or no: ▼ serves this side again before its own button says yes.
                return
            self._own_button(side, gesture.kind == HOLD, now_ms)
        elif gesture.key == "up" and gesture.kind == TAP:
            self._up(self.hand)
        elif gesture.key == "down" and gesture.kind in (TAP, REPEAT):
            self._down(self.hand, gesture.kind == REPEAT)
        self._reopen_unanswered()
        if all(sheet.at is None and not sheet.done for sheet in self.sheets.values()):
            self.table.entry = None

    def while_pressed(self, arrow: str) -> DialogueState:
        """▼ takes back from a figure; everything else of ▲▼ confirms, marks or turns a page."""
        sheet, page = self.sheets[self.hand], self.page(self.hand)
        if arrow != "down" or sheet.asked or not isinstance(page, Figure) or sheet.value(page) <= page.minimum:
            return self
        counted = copy(self)
        counted.sheets = deepcopy(self.sheets)
        counted._down(self.hand, False)
        return counted

    def _reopen_unanswered(self) -> None:
        """A finished side is asked again where the other's figures have opened a question since."""
        for side, sheet in self.sheets.items():
            unsaid = [at for at, page in enumerate(self.pages(side)) if sheet.unset(page)]
            if sheet.done and unsaid:
                sheet.done, sheet.at = False, unsaid[0]
                for each in self.sheets.values():
                    each.agreed = False

    def lost(self, side: Side) -> tuple[int, ...]:
        """The squads that this side can never field any more if it plays the marked ones."""
        view, owed = self.table.view, self.table.match.of(side).to_field
        if view is None or owed is None:
            return ()
        return squads_unfieldable(owed, self.sheets[side].picked, view.rounds_left or 0)

    def _own_button(self, side: Side, held: bool, now_ms: int) -> None:
        sheet, page = self.sheets[side], self.page(side)
        if self.summing:
            sheet.agreed = True
            if all(each.agreed for each in self.sheets.values()):
                self._finish(now_ms)
        elif sheet.asked:
            self.conceded_by, sheet.asked = side, False
        elif isinstance(page, Picks):
            sheet.warned = False
            sheet.step(page)
        elif page is not None:
            sheet.count(page, self.max_count(page), page.wheels[0] if held else 1)
        elif not sheet.done:
            self.open(side)

    def _up(self, side: Side) -> None:
        sheet, page = self.sheets[side], self.page(side)
        if page is None or sheet.asked:
            return
        if isinstance(page, Picks):
            if len(sheet.picked) == page.take and not sheet.warned and self.lost(side):
                sheet.warned = True
                return
            reveal = not sheet.fielded and not sheet.values
            if not sheet.mark(page):
                return
            if reveal:
                # The game is yet to be played.
                sheet.rest()
                return
        else:
            # ▲ confirms the figure as it stands.
            sheet.values[page.key] = sheet.value(page)
        assert sheet.at is not None
        if sheet.at + 1 < len(self.pages(side)):
            sheet.at += 1
            return
        sheet.rest()
        sheet.done = True

    def _down(self, side: Side, held: bool) -> None:
        sheet, page = self.sheets[side], self.page(side)
        if sheet.done and not held:
            for each in self.sheets.values():
                each.agreed = False
            sheet.done, sheet.at = False, 0
        elif sheet.asked and not held:
            sheet.rest()
        elif isinstance(page, Picks) and sheet.picked and not held:
            sheet.picked.pop()
            sheet.warned = False
        elif isinstance(page, Figure) and sheet.value(page) > page.minimum:
            sheet.count(page, page.maximum, -1)
        elif page is not None and not held and sheet.at in (0, self.first_figure(side)):
            if self.conceded_by == side:
                self.conceded_by = None
            else:
                sheet.asked = True
        elif page is not None and not held:
            assert sheet.at is not None
            sheet.at -= 1

    def _finish(self, now_ms: int) -> None:
        result = self.table.checked_result(
            lambda: compose_complete(self.way, self.opener, self._answers()), self.hand, now_ms
        )
        if result is None:
            for sheet in self.sheets.values():
                sheet.agreed = False
            return
        for side, sheet in self.sheets.items():
            sheet.done = sheet.agreed = False
            sheet.rest()
            self.table.seated.add(side)
        self.table.entry = None
        for side in SIDES:
            self.table.send(side, result)

    # --- what it comes to ---

    @property
    def way(self) -> WayToEnd:
        """The first way offered that the figures fit: two won struggles have ended a game, whatever the clock shows."""
        wanted = [
            way
            for way in self.form.offered(self.at_time)
            if (way.ended == CONCESSION) == (self.conceded_by is not None)
        ]
        return next(
            (
                way
                for way in wanted
                if all(
                    figure.minimum <= self.sheets[side].value(figure) <= figure.maximum
                    for side in SIDES
                    for figure in way.figures()
                    if figure.whose == self.whose(side)
                )
            ),
            wanted[-1],
        )

    def whose(self, side: Side) -> str:
        """The conceding side is the way's loser; else "a" stands for the winner."""
        return WINNER if side == self.opener else LOSER

    def pages(self, side: Side) -> tuple[Page, ...]:
        """This side's questions, as the figures of both stand."""
        way = self.way
        figures = {
            (figure.key, figure.whose): self.sheets[each].value(figure)
            for each in SIDES
            for figure in way.figures()
            if figure.whose == self.whose(each)
        }
        return tuple(
            page
            for page in side_questions(way, self.whose(side))
            if isinstance(page, Picks) or page.wanted(figures, {})
        )

    def page(self, side: Side) -> Page | None:
        """The page that is open for a side. A way that has become shorter ends at its last."""
        at = self.sheets[side].at
        return None if at is None else self.pages(side)[min(at, len(self.pages(side)) - 1)]

    def max_count(self, figure: Figure) -> int:
        """How far a figure counts in any way that is offered."""
        return max(
            each.maximum for way in self.form.offered(self.at_time) for each in way.figures() if each.key == figure.key
        )

    def first_figure(self, side: Side) -> int:
        return next((at for at, page in enumerate(self.pages(side)) if isinstance(page, Figure)), 0)

    @property
    def summing(self) -> bool:
        return all(sheet.done for sheet in self.sheets.values())

    @property
    def opener(self) -> Side:
        return other_side(self.conceded_by) if self.conceded_by else "a"

    def _answers(self) -> dict[str, Any]:
        """The answers of both sheets; nothing that a side was not asked."""
        return {
            page.name: sheet.value(page) if isinstance(page, Figure) else sorted(sheet.picked)
            for side, sheet in self.sheets.items()
            for page in self.pages(side)
            if not sheet.unset(page)
        }

    def preview(self) -> Result:
        """The result of both sheets so far, for display only."""
        return compose_result(self.way, self.opener, self._answers())

    def scene(self, now_ms: int) -> Scene:
        return SideBySideScene(
            kind="sum" if self.summing else "parallel",
            facing=self.table.facing,
            mark=self.table.contact_mark,
            badge=self.table.badge,
            a=_part(self, "a"),
            b=_part(self, "b"),
        )
