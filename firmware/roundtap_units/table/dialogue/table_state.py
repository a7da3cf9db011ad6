"""The state of a table's dialogue: the hub's view, what was pressed here, and the effects still to be carried out."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from roundtap_core import clock
from roundtap_core.errors import Problem
from roundtap_core.forms.form import Form
from roundtap_core.records import SIDES, Result, Side, other_side
from roundtap_core.rulebooks.base import Rulebook
from roundtap_core.rulebooks.result_gate import PLAYER, ResultSource, refuse_result
from roundtap_core.view_types import AGREED, CLOSED, DECIDED, DISPUTE, MatchView, ReportRef, TableView
from roundtap_core.words import Words
from roundtap_devices.input.gestures import TAP, Gesture
from roundtap_units.table.screens import scenes

OWN_KEYS: dict[str, Side] = {"a": "a", "b": "b"}
FORGET_SAVED_MS = 5000
STALE_AFTER_MS = 5000
NOTICE_MS = 10_000


@dataclass(frozen=True, slots=True)
class SendReport:
    """One side's report. The caller makes it durable, then calls `Dialogue.on_stored`. `agrees_to`: the other side's
    report that the person agreed to, made here or as the hub names it."""

    match: str
    side: Side
    revision: int
    result: Result
    draw: str | None = None
    time_up: bool | None = field(default=None, compare=False)
    agrees_to: "SendReport | ReportRef | None" = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class StatusChanged:
    """This table's state for the grid: who sat down, an unfinished entry, a call, who asks to leave. `call_ms`: when it
    was last pressed here, which tells one call from the next. `cancelled`: "call", and the sides, whose request was
    taken back here, as the hub may not know yet."""

    seated: tuple[Side, ...] = ()
    draft: bool = False
    call: bool = False
    call_ms: int = 0
    leave: tuple[Side, ...] = ()
    cancelled: tuple[str, ...] = ()
    lot: tuple[str, Side] | None = None  # a lot drawn here that the hub does not know yet


Effect = SendReport | StatusChanged


@dataclass(frozen=True, slots=True)
class Saved:
    """The report is in the journal, as this entry."""

    number: int


@dataclass(frozen=True, slots=True)
class ReportRefused:
    """The report was not taken: "judge", "late", "impossible", "unknown-match", "altered", "elsewhere", "older",
    "superseded", "early"."""

    reason: str


Fate = Saved | ReportRefused


@dataclass(slots=True)
class SentReport:
    """A report made here: on its way from the press to its fate."""

    effect: SendReport
    report_id: str | None = None
    fate: Fate | None = None
    fate_at_ms: int = 0
    pending: bool = False  # a restored hub has it and examines it: its fate is still to come
    past: bool = False  # the hub has a newer report of this side: this one no longer counts
    reread: bool = False  # found on the disk: the hub may have answered it already, and is asked


@dataclass(slots=True)
class ScreenNotice:
    """A notice that must be read: stays until a press, or until its time."""

    scene: Callable[[], scenes.Scene]
    until_ms: int | None


@dataclass(eq=False)
class DialogueState:
    """One state of the dialogue: what a gesture does in it, and what it shows."""

    table: "TableState"

    def press(self, gesture: Gesture, now_ms: int) -> None:
        """Most states take taps and nothing else."""
        if gesture.kind == TAP:
            self.tap(gesture.key, now_ms)

    def tap(self, key: str, now_ms: int) -> None:
        """A state that only waits ignores it."""

    def while_pressed(self, arrow: str) -> "DialogueState":
        """What to show while this arrow is pressed: a figure that it turns, turned; where it decides, draws a lot,
        confirms or refuses, nothing new before its release. Must not change this state."""
        return self

    def scene(self, now_ms: int) -> scenes.Scene:
        raise NotImplementedError


@dataclass
class TableState:
    """Shared by the states; each of them changes only its own part. `games`: who won the games of this match that both
    have noted here; `first_player`: of the game in progress."""

    words: Words
    chance: Callable[[], Side]
    facing: str = "opposite"
    badge: str = ""
    view: TableView | None = None
    clock_ms: int | None = None
    clock_unknown: bool = False  # there is a clock, but no round trip has brought the hub's time yet
    age_ms: int | None = None
    mismatch: bool = False
    kept_blindly: int | None = None  # how many reports wait here, where the match of before the restart is unreadable
    lost_round: bool = False  # the hub was restored without the round in play
    sending_text: str = ""  # the text where a report is not on its way: the hub refuses it, or examines it
    seated: set[Side] = field(default_factory=set)
    leaving: set[Side] = field(default_factory=set)
    leave_pressed: set[Side] = field(default_factory=set)
    """Sides that have asked to leave, or taken that back, which the hub has not recorded yet."""
    sent: list[SentReport] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)
    entry: DialogueState | None = None
    question: DialogueState | None = None  # a question before everything of the match: whose button, yes or no, who won
    notice: ScreenNotice | None = None
    saved_number: int | None = None
    saved_at_ms: int | None = None
    last_press_ms: int = 0
    ignored_press: tuple[Side | None, int] | None = None
    """Whose press was ignored, and when: it came before the screen can have been read."""
    games: list[Side] = field(default_factory=list)
    first_player: Side | None = None
    drawn: dict[str, Side] = field(default_factory=dict)  # lots drawn here, until the hub decides
    stood: tuple[tuple[str, str | None], int, Result] | None = None
    """What both agreed to here, confirmed by the hub for both reports but not yet in its view: the match, its revision
    and the result."""
    sheets: DialogueState | None = None
    """What both sides have entered for themselves, where they do: kept from the first squad to the end."""

    # --- the match ---

    @property
    def match(self) -> MatchView:
        assert self.view is not None
        assert self.view.match is not None
        return self.view.match

    def name(self, side: Side) -> scenes.Name:
        """With the side's sign behind it where both look alike as drawn."""
        from roundtap_devices.letters import look_alike

        other = other_side(side)
        mine, theirs = self.match.of(side).name, self.match.of(other).name
        if look_alike(mine, theirs):
            return scenes.Name.of(f"{mine} {scenes.SIGNS[side]}", f"{theirs} {scenes.SIGNS[other]}")
        return scenes.Name.of(mine, theirs)

    @property
    def book(self) -> Rulebook | None:
        """The rulebook that is played here; None without a match."""
        return None if self.view is None else self.view.book

    @property
    def form(self) -> Form | None:
        return self.view.form if self.view else None

    def has_choice(self, name: str) -> bool:
        return self.form is not None and any(way.choice(name) for way in self.form.ways)

    @property
    def time_is_up(self) -> bool:
        return self.view is not None and self.view.clock.is_time_up(self.clock_ms)

    @property
    def time_up(self) -> bool | None:
        """`time_is_up`, None where the clock is unknown here."""
        return None if self.clock_unknown else self.time_is_up

    @property
    def closed(self) -> bool:
        view = self.view
        return view is not None and (
            (view.round is not None and view.round.status == CLOSED)
            or (view.match is not None and view.match.state == CLOSED)
        )

    @property
    def lots(self) -> dict[str, Side]:
        """Lots before play: the hub's; one that it does not know yet is shown meanwhile."""
        return {**self.drawn, **self.match.lots}

    # --- wishes to leave ---

    def leave_unsaved(self, side: Side) -> bool:
        """Whether the hub has not recorded yet what this side last pressed; an older hub never says."""
        recorded = self.view.leave_asked if self.view is not None else None
        return recorded is not None and (side in self.leaving) != (side in recorded)

    def adopt_recorded_wishes(self, sides: Iterable[Side]) -> None:
        """The hub knows these sides' wishes, also from before this unit was switched off."""
        recorded = set(sides)
        self.leave_pressed &= self.leaving ^ recorded
        self.leaving ^= (self.leaving ^ recorded) - self.leave_pressed

    # --- reports ---

    def latest_result(self, side: Side) -> Result | None:
        """This side's latest report: made here and not refused, else as the hub knows it."""
        own = [sent for sent in self.current() if sent.effect.side == side]
        return own[-1].effect.result if own else self.match.reports.of(side)

    def current(self) -> list[SentReport]:
        """Reports made here about the match as it is now, not refused."""
        return [
            sent
            for sent in self.sent
            if _match_key(sent.effect) == self.match.same
            and sent.effect.revision == self.match.revision
            and not isinstance(sent.fate, ReportRefused)
            and not sent.past
        ]

    @property
    def last_reporter(self) -> Side | None:
        """Whose report came last: made here, else as the hub knows it. None where unknown."""
        current = self.current()
        return current[-1].effect.side if current else self.match.last

    @property
    def settled(self) -> bool:
        """A result stands at the hub, and there is no newer report here."""
        return self.match.state in (AGREED, DECIDED) and not self.current()

    @property
    def standing_result(self) -> Result | None:
        """The result that stands as far as this table knows: by the hub's view, or by its answers to both reports."""
        if self.match.result is None and self.stood and self.stood[:2] == (self.match.same, self.match.revision):
            return self.stood[2]
        return self.match.result

    @property
    def second_result(self) -> Result | None:
        """What both have agreed to while another result stands, as the hub knows it or as they pressed here."""
        report, stands = self.latest_result("a"), self.standing_result
        if (
            report is None
            or stands in (None, report)
            or report != self.latest_result("b")
            or self.match.state == DECIDED
        ):
            return None
        return report

    def send(self, side: Side, result: Result, agrees: bool = False) -> None:
        """Report `result` for `side`; a result that stands, or the same report again, is not sent twice, unless the
        other side has reported something else since. `agrees`: it agrees to the other side's last report."""
        answers = self.last_reporter == other_side(side) and self.latest_result(other_side(side)) != result
        # One phone has reported it for both: here both sit.
        answers = answers or (self.match.state == DISPUTE and not self.current())
        if result == (self.match.result if self.settled else self.latest_result(side)) and (
            self.settled or not answers
        ):
            return
        agrees_to = self._last_report(other_side(side)) if agrees else None
        effect = SendReport(self.match.id, side, self.match.revision, result, self.match.draw, self.time_up, agrees_to)
        self.sent.append(SentReport(effect))
        self.effects.append(effect)
        self.saved_number = self.saved_at_ms = None

    def checked_result(self, made: Callable[[], Result], by: Side, now_ms: int) -> Result | None:
        """The made result, where the rulebook allows it now; else None, and `by` is shown why."""
        view, book = self.view, self.book
        assert view is not None
        assert book is not None
        try:
            result = made()
            refuse_result(book, result, book.options(view.options), view.situation, ResultSource(PLAYER, self.time_up))
        except Problem as problem:
            text = problem.say(self.words)
            # A sentence or two: no title, which has one line, and no number beside it.
            self.show_notice(now_ms, lambda: replace(self.page("impossible", by, "", text), badge=""))
            return None
        return result

    def _last_report(self, side: Side) -> SendReport | ReportRef | None:
        """The report behind `said(side)`."""
        own = [sent for sent in self.current() if sent.effect.side == side]
        return own[-1].effect if own else self.match.said.of(side)

    def forget_delivered(self, now_ms: int) -> None:
        """With a new view: drop reports that it shows or must show by now, and refused ones. A fate may overtake the
        view it belongs to; until then the report made here is the newer truth."""
        match = self.view.match if self.view else None
        for place, sent in enumerate(self.sent):
            sent.past = sent.past or any(
                isinstance(newer.fate, Saved)
                and newer.effect.side == sent.effect.side
                and _match_key(newer.effect) == _match_key(sent.effect)
                for newer in self.sent[place + 1 :]
            )
        self.sent = [
            sent
            for sent in self.sent
            if sent.fate is None
            or (
                isinstance(sent.fate, Saved)
                and now_ms - sent.fate_at_ms < FORGET_SAVED_MS
                and not sent.past
                and match is not None
                and match.same == _match_key(sent.effect)
                and match.reports.of(sent.effect.side) != sent.effect.result
            )
        ]

    def first(self, side: Side) -> Side:
        """Whose figure stands left on a screen for `side`: its own, but from the edge always ●'s."""
        return side if self.facing == "opposite" else "a"

    # --- screens ---

    @property
    def contact_mark(self) -> str:
        """ "⌁ 0:42" while the hub has not been heard for more than five seconds."""
        if self.age_ms is not None and self.age_ms <= STALE_AFTER_MS:
            return ""
        return f"⌁ {format_span(self.age_ms)}" if self.age_ms is not None else "⌁"

    @property
    def phase(self) -> str:
        """The current phase as text; "" outside of all."""
        key = self.view.clock.phase(self.clock_ms) if self.view else ""
        return self.words(key) if key else ""

    @property
    def clock(self) -> str:
        """The clock's figures; none during hidden minutes, as they would reveal how many."""
        if self.clock_unknown:
            return "--:--"
        if self.clock_ms is None or (
            self.clock_ms <= 0 and self.view and self.view.clock.open_end and not self.view.clock.over
        ):
            return ""
        return clock.format_clock(self.clock_ms)

    def halves(self, kind: str, make: Callable[[Side], scenes.HalfScreen]) -> scenes.HalvesScene:
        a, b = (make(side) for side in SIDES)
        return scenes.HalvesScene(kind=kind, facing=self.facing, mark=self.contact_mark, badge=self.badge, a=a, b=b)

    def figures(
        self,
        kind: str,
        turn: Side,
        column: Callable[[Side], scenes.FigureColumn],
        *,
        title: str,
        hint: str,
        info: str = "",
        note: str = "",
    ) -> scenes.FiguresScene:
        left = self.first(turn)
        return scenes.FiguresScene(
            kind=kind,
            facing=self.facing,
            mark=self.contact_mark,
            badge=self.badge,
            turn=turn,
            title=title,
            left=column(left),
            right=column(other_side(left)),
            info=info,
            hint=hint,
            clock=self.clock,
            note=note,
        )

    def page(
        self, kind: str, turn: Side | None, title: str, *lines: str | scenes.NameRow, hint: str = ""
    ) -> scenes.TextScene:
        return scenes.TextScene(
            kind=kind,
            facing=self.facing,
            mark=self.contact_mark,
            badge=self.badge,
            turn=turn,
            title=title,
            lines=tuple(line for line in lines if line),
            hint=hint,
        )

    def signed_name(self, side: Side) -> scenes.Name:
        """ "● Ana Ruiz"."""
        mine, theirs = self.match.of(side).name, self.match.of(other_side(side)).name
        return scenes.Name.of(f"{scenes.SIGNS[side]} {mine}", theirs)

    def role(self, side: Side) -> str:
        """What the game calls this side; "" where it has no names for them."""
        key = f"side.name.{side}"
        return self.words(key) if key in self.words else ""

    def show_notice(self, now_ms: int, scene: Callable[[], scenes.Scene], stays: bool = False) -> None:
        """Show a notice: for ten seconds, or with `stays` until a press."""
        self.notice = ScreenNotice(scene, None if stays else now_ms + NOTICE_MS)


def format_span(ms: int) -> str:
    """A length of time: "0:42", "12:05"."""
    seconds = max(0, ms) // 1000
    return f"{seconds // 60}:{seconds % 60:02d}"


def _match_key(effect: SendReport) -> tuple[str, str | None]:
    """The match of a report, as MatchView.same."""
    return effect.match, effect.draw
