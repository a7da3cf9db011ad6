"""The contents of printed sheets by kind of job: what the hub sends and a print station lays out."""

from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType, field

from roundtap_core.forms.form import Form
from roundtap_core.records import Side
from roundtap_core.typed import Count, DisplayText, Message, Word
from roundtap_core.view_types import RulesText, SideView, refuse_malformed_form

Members = Annotated[tuple[DisplayText, ...], Meta(max_length=99)]  # the members of a team
Columns = Annotated[tuple[Word, ...], Meta(max_length=16)]


class PrintHeader(Message, frozen=True, kw_only=True):
    """`url`: for phones; `by_name`: the same with the hub's name, if it has one; `head`: the journal's; `rules`: of a
    store's own game, whose words the sheet needs."""

    event: DisplayText
    url: Word
    head: Word
    by_name: Word | UnsetType = UNSET
    rules: RulesText | UnsetType = UNSET


class RoundNotice(PrintHeader, frozen=True, kw_only=True):
    """`name`: the name of an elimination or tie-break round ("semi-final")."""

    round: Count
    name: Word | None = None


class TablePairing(Message, frozen=True, kw_only=True):
    """Names, null for an empty seat. `by_hand`: paired or seated manually, not by a draw."""

    table: Count | None
    a: DisplayText
    b: DisplayText | None
    bye: Word | None
    a_record: Word
    b_record: Word | None
    a_members: Members = ()
    b_members: Members = ()
    by_hand: bool = False


class PairingsByTable(RoundNotice, frozen=True, kw_only=True):
    rows: Annotated[tuple[TablePairing, ...], Meta(max_length=5000)]


class NameLine(Message, frozen=True, kw_only=True):
    """`against`: who sits opposite, None without; `side`: at which side of the table this one sits."""

    name: DisplayText
    against: DisplayText | None = None
    record: Word
    table: Count | None
    bye: Word | None
    members: Members = ()
    side: Side = "a"


class PairingsByName(RoundNotice, frozen=True, kw_only=True):
    """Sorted by name."""

    rows: Annotated[tuple[NameLine, ...], Meta(max_length=5000)]


class StandingsPrintLine(Message, frozen=True, kw_only=True):
    """`decided`: the place in `values` of the tiebreaker that put this line above the next; `decided_by`: its key, if
    it has no column. `by_lot` marks both neighbours of a lot. `status` ("dropped", "disqualified"; `rank` is null then)
    and `reached` (the round of the bracket) are printed below the name."""

    rank: Count | None
    name: DisplayText
    points: Word
    record: Word
    values: Columns
    decided: Count | None
    decided_by: Word | None = None
    by_lot: bool = False
    status: Word | None = None
    reached: Word | None = None
    members: Members = ()


class CutLine(Message, frozen=True, kw_only=True):
    rank: Count
    name: DisplayText
    points: Word
    value: Word
    decided: bool


class CutOrder(Message, frozen=True, kw_only=True):
    size: Count
    rows: Annotated[tuple[CutLine, ...], Meta(min_length=1, max_length=5000)]


class Standings(PrintHeader, frozen=True, kw_only=True):
    """`columns`: the tiebreakers' keys. `cut`: set where another order decides the cut."""

    after: Count
    final: bool
    columns: Columns
    rows: Annotated[tuple[StandingsPrintLine, ...], Meta(max_length=5000)]
    cut: CutOrder | None = None


class CardProxy(PrintHeader, frozen=True, kw_only=True):
    """A substitute for a damaged card."""

    card: DisplayText
    official: DisplayText
    date: Word


class TrustSheet(PrintHeader, frozen=True, kw_only=True):
    """The fingerprint of the hub's authority, in groups of four digits."""

    fingerprint: Word
    console: Word


class PrinterTest(PrintHeader, frozen=True, kw_only=True):
    """A test page, or one line at one of several speeds: `at`: the settings that it tries; `number`: which speed."""

    at: dict[str, Any] | UnsetType = UNSET
    number: Count | UnsetType = UNSET


class SlipSide(SideView, frozen=True, kw_only=True):
    record: Word = field(default_factory=lambda: "")  # said even where it is empty, as a plain default would not be
    members: Members = field(default_factory=lambda: ())


class Slip(RoundNotice, frozen=True, kw_only=True):
    """A match's result slip. `replaces`: an older slip of this match may be in circulation."""

    of: Count
    table: Count | None
    code: Word
    form: Form
    a: SlipSide
    b: SlipSide
    replaces: bool | UnsetType = UNSET

    def __post_init__(self) -> None:
        refuse_malformed_form(self.form, self.rules or None)
