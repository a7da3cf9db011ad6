"""An event's prizes: the list, their winners, and door prizes drawn by lot."""

from collections.abc import Mapping
from dataclasses import dataclass

from msgspec.structs import replace
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.commands import DrawDoorPrize, SetPrizes
from roundtap_core.event.setup import door_prize_pool
from roundtap_core.event.states import ACTIVE, AMONG, Prize
from roundtap_core.lists.list_form import fold
from roundtap_hub.http.routes import NOT_ARCHIVED, ORGANIZERS, STAFF, VISIBLE, PageKey, route
from roundtap_hub.live import current, forms, render
from roundtap_hub.views.knockout import final_lines
from roundtap_hub.views.saved_event import SavedEvent, full_names, name_sort_key, settled_standings

MOST_DIGITS = 4


@dataclass(frozen=True, slots=True)
class PrizeLine:
    """A prize with its winners. `tied`: more people share its places than there are; `by_lot`: only a lot decided."""

    index: int
    prize: Prize
    names: tuple[str, ...]
    tied: bool = False
    by_lot: bool = False


def read_prizes(text: str, before: tuple[Prize, ...] = ()) -> tuple[Prize, ...]:
    """Read lines: "1: trophy", "2-4: booster", "best newcomer: playmat"; winners of a category `before` stay. Raises
    Problem("prize_for_whom") for a line without a colon or a prize."""
    chosen = {fold(prize.category): prize.competitor for prize in before if prize.category}
    prizes = []
    for line in filter(str.strip, text.splitlines()):
        whom, colon, what = (part.strip() for part in line.partition(":"))
        if not (whom and colon and what):
            raise Invalid("prize_for_whom", where="/prizes", what=line.strip()[:80])
        first, dash, last = (part.strip() for part in whom.replace("\u2013", "-").partition("-"))
        if first.isdecimal() and (last.isdecimal() or not dash) and len(first) + len(last) <= 2 * MOST_DIGITS:
            prizes.append(Prize(what, int(first), int(last or first)))
        else:
            prizes.append(Prize(what, category=whom, competitor=chosen.get(fold(whom))))
    return tuple(prizes)


def prize_target(prize: Prize) -> str:
    """ "1", "2–4", or the category."""
    if prize.category is not None:
        return prize.category
    return f"{prize.first}" if prize.first == prize.last else f"{prize.first}\u2013{prize.last}"


def prize_lines(event: SavedEvent, names: Mapping[str, str]) -> tuple[PrizeLine, ...]:
    """Every prize; those for places have their names once the event is finished."""
    state = event.state
    placed: list[tuple[int, str]] = []
    lots: set[str] = set()
    if state.finished:
        final = final_lines(event, names)
        placed = [(line.rank, line.competitor) for line in final or settled_standings(event) if line.rank is not None]
        lots = set() if final else {row.competitor for row in settled_standings(event) if row.by_chance}
    return tuple(_line(index, prize, placed, lots, names) for index, prize in enumerate(state.prizes))


def _line(
    index: int, prize: Prize, placed: list[tuple[int, str]], lots: set[str], names: Mapping[str, str]
) -> PrizeLine:
    if prize.category is not None or prize.first is None or prize.last is None:
        return PrizeLine(index, prize, () if prize.competitor is None else (names.get(prize.competitor, ""),))
    there = [(rank, who) for rank, who in placed if prize.first <= rank <= prize.last]
    # Players who share an earlier place that reaches into this prize's places take part.
    shared = [who for rank, who in placed if rank < prize.first <= rank + sum(r == rank for r, _ in placed) - 1]
    people = [*shared, *(who for _, who in there)]
    return PrizeLine(
        index,
        prize,
        tuple(names.get(who, who) for who in people),
        len(people) > prize.last - prize.first + 1,
        any(who in lots for who in people),
    )


@route("GET /console/<event_id>/prizes", STAFF, VISIBLE)
def prizes_page(event_id: str) -> AnyResponse:
    """The list with its winners, and the draws with what is needed to repeat them."""
    event = current.event(event_id)
    state, names = event.state, full_names(event)
    last = max((prize.last or 0 for prize in state.prizes), default=0)
    return render.page(
        "prizes.html",
        feed=PageKey("console", event_id),
        state=state,
        typed_list="\n".join(f"{prize_target(prize)}: {prize.what}" for prize in state.prizes),
        lines=prize_lines(event, names),
        names=names,
        pools={
            # Without earlier winners, and with them.
            among: (len(door_prize_pool(state, among, False)), len(door_prize_pool(state, among, True)))
            for among in AMONG
        },
        prize_target=prize_target,
        played_out=state.options.get("prize_places"),
        last_place=last,
        people=sorted(((who, name) for who, name in names.items()), key=lambda each: name_sort_key(each[1])),
    )


@route("POST /console/<event_id>/prizes", ORGANIZERS, NOT_ARCHIVED)
@forms.shows_problem_on(prizes_page, "list")
def save_prizes(event_id: str) -> None:
    """`list`: one prize per line."""
    forms.submit_command(event_id, SetPrizes(read_prizes(forms.field("list"), current.event(event_id).state.prizes)))


@route("POST /console/<event_id>/prizes/winner", ORGANIZERS, NOT_ARCHIVED)
@forms.shows_problem_on(prizes_page, "list")
def name_prize_winner(event_id: str) -> None:
    """`prize`: its index, `what`: its text as shown there; `competitor`: the winner, "" for none yet."""
    prizes = current.event(event_id).state.prizes
    index = forms.form_number("prize")
    if index is None or not 0 <= index < len(prizes) or prizes[index].what != forms.field("what"):
        raise Problem("prizes_changed_meanwhile")
    chosen = replace(prizes[index], competitor=forms.field("competitor") or None)
    forms.submit_command(event_id, SetPrizes((*prizes[:index], chosen, *prizes[index + 1 :])))


@route("POST /console/<event_id>/prizes/draw", ORGANIZERS, NOT_ARCHIVED)
@forms.shows_problem_on(prizes_page, "draws")
def draw_door_prize(event_id: str) -> None:
    """`seen`: how many draws were on the page, so that a form sent twice draws once."""
    drawn = DrawDoorPrize(
        forms.field("what"),
        forms.form_number("count") or 0,
        current.hub().new_seed(),
        forms.field("among") or ACTIVE,
        bool(forms.field("again")),
        forms.form_number("seen"),
    )
    forms.submit_command(event_id, drawn)
