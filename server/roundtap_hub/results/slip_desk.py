"""Results that get in at the desk: slips that come back, by their code or through their QR code on a phone; and one
that is typed as a short line ("a24", "60 24", "ca"), read by the rulebook's own form."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from flask import abort, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.abandoned_match import open_match
from roundtap_core.event.commands import DropCompetitor, EnterResult, GrantExtension, NoteRuling
from roundtap_core.event.results import acceptable_results
from roundtap_core.event.states import PUBLISHED, EventState, MatchState, RoundState
from roundtap_core.forms import questions
from roundtap_core.forms.form import BY_FIGURES, DRAWN, OPENER, WayToEnd, compose_result, needs_opener
from roundtap_core.records import CONCESSION, RULING, SIDES, Result, Side, other_side, result_to_json
from roundtap_core.rulebooks.result_gate import ON_RECORD, refuse_result
from roundtap_core.rulebooks.result_words import figure_label
from roundtap_core.typed import typed_number
from roundtap_hub.access.slip_codes import FoundSlip, OutdatedSlip, find_slip, slip_codes
from roundtap_hub.http.requester import cookies_in
from roundtap_hub.http.routes import SLIP, STAFF, VISIBLE, route
from roundtap_hub.live import current, forms, render
from roundtap_hub.live.result_wizard import MatchEntry, WizardProgress
from roundtap_hub.store.service import Step
from roundtap_hub.views.judging_view import JudgeView, judge_view
from roundtap_hub.views.knockout import title_key
from roundtap_hub.views.saved_event import SavedEvent, current_matches, full_names, newest_round, shown_names
from roundtap_hub.views.tables import (
    GridCell,
    ShownResult,
    SlipSeat,
    grid_cell,
    missing_slips,
    shown_result,
    side_names,
)
from roundtap_hub.views.unit_presence import OLD_SLIP, TAKEN

MOST_LETTERS = 60  # no valid line is longer

CHOICES = ("winner", "initiative")  # choices that a letter can answer

_TOKEN = re.compile(
    r"\s*(?:(?P<conceded>c\s*[ab])|(?P<initiative>i\s*[ab])|(?P<winner>[ab])|(?P<draw>=)"
    r"|(?P<number>(?:(?<!\d)[-\u2212])?\d{1,6})|(?P<between>[-\u2212\u2013:;,/]))",
    re.IGNORECASE,
)
CODE_LETTERS = 300  # a barcode reader acting as a keyboard types the whole address
DROP = "POST /console/<event_id>/competitors/<competitor>/drop"
EXTEND = "POST /console/<event_id>/match/<match_id>/extension"
RULE = "POST /console/<event_id>/match/<match_id>/ruling"
COUNTS, STAYS = "slip", "record"  # after a contradiction: the slip counts, or the record stays

OFFICIAL_COOKIE, OFFICIAL_COOKIE_S = "roundtap_official", 12 * 3600
"""Marks a phone on which an official was logged in: slips send it to the encrypted login at once. Grants nothing."""


@dataclass(frozen=True, slots=True)
class TypedLine:
    """The parts of a line."""

    numbers: tuple[str, ...] = ()
    winner: Side | None = None
    draw: bool = False
    conceded_by: Side | None = None
    initiative: Side | None = None


def split_line(line: str) -> TypedLine:
    """Split a line into its parts. Raises Problem("line_unclear")."""
    line = line.strip()[: MOST_LETTERS + 1]
    tokens = [(token.lastgroup or "", token[0].strip().lower()) for token in _TOKEN.finditer(line)]
    kinds, texts = "".join(kind[0] for kind, _ in tokens), dict(tokens)
    if (
        len(line) > MOST_LETTERS
        or _TOKEN.sub("", line)
        # A letter comes once, before or after the numbers: a line typed onto an older one is refused.
        or re.search("n.*[wci].*n|w.*w|c.*c|i.*i", kinds)
        or len({"w", "c", "d"} & set(kinds)) > 1
    ):
        raise Invalid("line_unclear", line=line[:MOST_LETTERS])
    sides: dict[str, Side] = {kind: "b" if text.endswith("b") else "a" for kind, text in texts.items()}
    return TypedLine(
        tuple(text.replace("\u2212", "-") for kind, text in tokens if kind == "number"),
        sides.get("winner"),
        "draw" in texts,
        sides.get("conceded"),
        sides.get("initiative"),
    )


def read_line(line: str, entered: MatchEntry) -> WizardProgress:
    """The answers that a line gives, by the first way that accepts all of it: ways whose ending is recorded or reported
    ("played"), then those offered now, then the others. Two numbers of one figure are the left side's and the right
    side's, as on a slip. One alone belongs to whom the form asks once a winner is named: the loser, where all winners
    have 100. Raises Problem where no way takes the line: what the way nearest to it lacks, else "line_unclear"."""
    typed, book, options = split_line(line), entered.state.rulebook, entered.state.options
    problems: list[Problem] = []
    for way in _candidates(entered, typed):
        for fields in _field_candidates(way, typed.numbers, _winner(typed)):
            try:
                opener, answers = _opener_and_answers(way, typed, fields)
                result = compose_result(way, opener, answers)
                refuse_result(book, result, options, entered.situation, ON_RECORD)
                winner, score = book.winner(result, options), result.score
                if typed.winner not in (None, winner):
                    raise Invalid(
                        "winner_contradicts_score",
                        where="/winner",
                        winner=typed.winner,
                        a=score.a,
                        b=score.b,
                        right=winner,
                    )
            except Problem as problem:
                problems.append(problem)
                continue
            if not typed.draw or winner not in SIDES:
                return WizardProgress(way, opener, answers)
    # "figure_fixed" is the least helpful problem.
    nearest = min(problems, key=lambda problem: problem.key == "figure_fixed", default=None)
    missing = Invalid("figure_missing") if not typed.numbers and line.strip() else None
    raise nearest or missing or Invalid("line_unclear", line=line.strip()[:MOST_LETTERS])


def _candidates(entered: MatchEntry, typed: TypedLine) -> list[WayToEnd]:
    """Ways that a line can answer in full; concessions and declared draws only where the line has their sign."""
    now = {way.id for way in entered.form.offered(bool(entered.saying.time_is_up))}
    endings = {result.ended for result in acceptable_results(entered.match)}
    return [
        way
        for way in sorted(entered.form.ways, key=lambda each: (each.ended not in endings, each.id not in now))
        if is_typable(way)
        and (way.ended == CONCESSION) == (typed.conceded_by is not None)
        and (typed.draw or way.winner != DRAWN)
        and (typed.winner is not None or way.winner != OPENER)
        and (typed.initiative is None or way.choice("initiative") is not None)
    ]


def is_typable(way: WayToEnd) -> bool:
    """Whether the way asks only for figures, squads and choices that a line can answer; a line is no ruling."""
    return way.ended != RULING and all(
        isinstance(step, questions.Figure | questions.Picks | questions.Comparison | questions.WinnerByAnswer)
        or (isinstance(step, questions.Choice) and step.only_if is None and (step.name in CHOICES or step.counts))
        for step in way.steps
    )


def _winner(typed: TypedLine) -> Side | None:
    return typed.winner if typed.conceded_by is None else other_side(typed.conceded_by)


def _opener_and_answers(
    way: WayToEnd, typed: TypedLine, fields: Mapping[str, list[str]]
) -> tuple[Side, questions.Answers]:
    """The opener and the answers. The opener is the winner: as named, else by the higher first figure. Raises Problem
    where a figure or the winner is missing."""
    winner = _winner(typed)
    ahead = None if winner is not None or way.winner == OPENER else _leader(way, fields)
    if winner is None and (
        way.winner == OPENER
        or (way.winner == BY_FIGURES and ahead is None and not any(figure.asked for figure in way.figures()))
    ):
        raise Invalid("winner_missing", where="/winner")
    opener: Side = winner or ahead or "a" if needs_opener(way) else "a"
    sides: dict[str, Side] = {questions.WINNER: opener, questions.LOSER: other_side(opener)}
    chosen = {name: [str(side)] for name, side in zip(CHOICES, (typed.winner, typed.initiative), strict=True) if side}
    given: Mapping[str, list[str]] = {**fields, **chosen}
    answers: dict[str, object] = {}
    for step in way.opened_by(opener).questions:
        if texts := given.get(f"{step.key}.{sides[step.whose]}" if step.whose else step.name):
            answers[step.name] = value = step.read(texts)
            if isinstance(step, questions.Figure) and not step.asked:
                assert isinstance(value, int)
                if value > step.maximum if step.beyond else value != step.default:
                    raise Invalid("figure_fixed", side=sides[step.whose], value=value, wanted=step.default)
        elif isinstance(step, questions.Figure) and step.asked:
            raise step.missing_problem()
        elif isinstance(step, questions.Choice) and step.counts:
            answers[step.name] = step.options[0]
    return opener, answers


def _leader(way: WayToEnd, fields: Mapping[str, list[str]]) -> Side | None:
    """Who has more of the first figure."""
    key = next((figure.key for figure in way.figures()), "")
    numbers = [typed_number(text) for side in SIDES for text in fields.get(f"{key}.{side}", ())]
    return None if len(set(numbers)) < len(SIDES) else SIDES[numbers.index(max(numbers))]


def _field_candidates(way: WayToEnd, numbers: tuple[str, ...], winner: Side | None) -> Iterator[dict[str, list[str]]]:
    if winner is not None:
        asked_figures = [figure for figure in way.opened_by(winner).figures() if figure.asked]
        if len(numbers) == len(asked_figures) < 2:
            yield {_field(figure, winner): [text] for figure, text in zip(asked_figures, numbers, strict=True)}
        elif len(numbers) == 1 and len(asked_figures) == 2 and way.winner == OPENER and not _more_asked(way):
            # A single figure is the loser's where the winner's is the maximum; the confirmed line shows both.
            first, second = sorted(asked_figures, key=lambda figure: figure.whose == questions.LOSER)
            if first.default == first.maximum:
                yield {_field(first, winner): [str(first.default)], _field(second, winner): list(numbers)}
    picks = way.picks()
    opened = way.opened_by(winner or "a").figures()
    keys = list(dict.fromkeys(figure.key for figure in opened))
    figures = [
        _Slot(f"{key}.{side}", 1 if _top(opened, key) < 10 else 0, _top(opened, key)) for key in keys for side in SIDES
    ]
    squads = [_Slot(f"{step.key}.{side}", step.take, step.of, True) for step, side in zip(picks, SIDES, strict=False)]
    counts = [_Slot(step.name, 1, len(step.options) - 1) for step in _counted(way)]
    for slots in dict.fromkeys(map(tuple, ([*squads, *figures, *counts], [*squads, *figures], figures))):
        readings = list(_fill_slots(list(numbers), [*slots])) if numbers else []
        # Digits without spaces count only where there is a single reading.
        if len(readings) == 1:
            yield readings[0]
    if not numbers and not any(figure.asked for figure in opened):
        yield {}


def _counted(way: WayToEnd) -> list[questions.Choice]:
    """What is answered by a number behind the figures; unsaid, it is the first there is."""
    return [step for step in way.steps if isinstance(step, questions.Choice) and step.counts]


@dataclass(frozen=True, slots=True)
class _Slot:
    """A field for a number. `width`: its digits where no space follows (0: at least 2); `squads`: each digit is one."""

    name: str
    width: int
    top: int
    squads: bool = False


def _top(figures: Iterable[questions.Figure], key: str) -> int:
    return max(figure.for_side(side).maximum for figure in figures if figure.key == key for side in SIDES)


def _field(figure: questions.Figure, winner: Side) -> str:
    return f"{figure.key}.{winner if figure.whose == questions.WINNER else other_side(winner)}"


def _more_asked(way: WayToEnd) -> bool:
    return any(isinstance(step, questions.Choice) for step in way.steps)


def _fill_slots(numbers: list[str], slots: list[_Slot]) -> Iterator[dict[str, list[str]]]:
    """Fill the slots in order; long numbers are split where there are more slots than numbers."""
    if not slots and not numbers:
        yield {}
    if not numbers or len(numbers) > len(slots):
        return
    slot, text = slots[0], numbers[0]
    apart = len(slots) > len(numbers)
    whole = (*range(2, len(text) - 1 if apart and not slot.width else 0), len(text))
    for end in (slot.width,) if apart and 0 < slot.width < len(text) else whole:
        head, rest = text[:end], text[end:]
        if slot.squads:
            fits = len(head) == slot.width == len(set(head)) and all("1" <= one <= str(slot.top) for one in head)
        else:
            fits = not rest or (
                head.isdecimal()
                and int(head) <= slot.top
                and (head == "0" or not head.startswith("0"))
                and (not rest.startswith("0") or bool(slots[1].width))
            )
        if fits and not (rest and slot.width and not slots[1].width):
            for more in _fill_slots([rest, *numbers[1:]] if rest else numbers[1:], slots[1:]):
                yield {slot.name: list(head) if slot.squads else [head], **more}


@dataclass(frozen=True, slots=True)
class LineGrammar:
    """What a line may hold now, for the hints beside the field. `figures`: the names of each side's, in order;
    `counted`: what stands behind them once; `alone`: whose the single number beside a winner is ("winner", "loser",
    "": none or two needed); `conceded`: the same beside who conceded, None without that; `bare`: the winner alone
    suffices."""

    figures: str
    counted: str
    alone: str
    bare: bool
    draw: bool
    conceded: str | None
    picks: questions.Picks | None
    initiative: bool


def line_grammar(entered: MatchEntry) -> LineGrammar:
    now = entered.form.offered(bool(entered.saying.time_is_up))
    ways = sorted((way for way in entered.form.ways if is_typable(way)), key=lambda way: way not in now)
    plays = [
        (way, [figure for figure in way.opened_by("a").figures() if figure.asked])
        for way in ways
        if way.ended != CONCESSION and way.winner != DRAWN
    ]
    alone = next((figures[0].whose or "" for _, figures in plays if len(figures) == 1), "")
    if not alone and any(
        way.winner == OPENER and len(figures) == 2 and not _more_asked(way) and figures[0].default == figures[0].maximum
        for way, figures in plays
    ):
        alone = questions.LOSER
    keys = dict.fromkeys(figure.key for way, figures in plays for figure in way.figures() if figures)
    words = current.game_words(entered.state)
    return LineGrammar(
        figures=", ".join(figure_label(words, key, entered.state.rulebook_id) for key in keys),
        counted=", ".join(dict.fromkeys(words(step.label) for way, _ in plays for step in _counted(way))),
        alone=alone,
        bare=any(not figures for _, figures in plays),
        draw=any(way.winner == DRAWN for way in ways),
        conceded=next(
            (
                "".join(figure.whose or "" for figure in way.figures() if figure.asked)
                for way in ways
                if way.ended == CONCESSION
            ),
            None,
        ),
        picks=next((picks for way in ways for picks in way.picks()), None),
        initiative=any(way.choice("initiative") for way in ways),
    )


@dataclass(frozen=True, slots=True)
class KnownResult:
    """A result already known of a match: reported by `name`, or on record where that is ""."""

    name: str
    result: Result
    shown: ShownResult


def known_results(match: MatchState, state: EventState, names: Mapping[str, str]) -> list[KnownResult]:
    """The result on record and any both sides agreed to since; else each side's report."""
    results = (
        [("", match.match.result), *([("", match.second)] if match.second else [])]
        if match.match.result is not None
        else [
            (names.get(match.match.competitor(side) or "", ""), report.result)
            for side, report in sorted(match.reports.items())
        ]
    )
    return [KnownResult(name, result, shown_result(result, state, match)) for name, result in results]


def agrees_with_slip(result: Result, slip: Result) -> bool:
    """Whether a known result has everything that the slip's has: winner, figures and whatever else a slip holds."""
    on_record = result_to_json(result)
    return all(on_record.get(key) == value for key, value in result_to_json(slip).items())


def seats_now(event: SavedEvent, old: OutdatedSlip) -> list[SlipSeat]:
    """Where both players of an old slip sit now, if its round is the newest."""
    rounds, names = event.state.public_rounds, full_names(event)
    if not rounds or rounds[-1].number != old.round:
        return []
    seats = [(who, current_matches(event).get(who)) for who in (old.a, old.b) if who]
    seats_by_match = {
        at.id: SlipSeat(at.id, at.match.table, names[who], names[at.match.b if at.match.a == who else at.match.a])
        for who, at in seats
        if at is not None and at.match.b is not None
    }
    return list(seats_by_match.values())


@route("GET /console/<event_id>/slip", STAFF, VISIBLE)
def slip_page(event_id: str) -> AnyResponse:
    """`?code=`: a typed code, or the address from a barcode reader. `?saved=`: the match entered before."""
    event = current.event(event_id)
    state, hub = event.state, current.hub()
    typed = request.args.get("code", "")[:CODE_LETTERS].strip()
    slip = find_slip(hub.service, hub.access.secret, typed, event_id) if typed else None
    at = state.find_match(slip.match_id) if isinstance(slip, FoundSlip) and slip.event_id == event_id else None
    if at is not None:
        code, match_id = slip_codes(state, at[0])[at[1].id], at[1].id
        return redirect(url_for("console.result_wizard_page", event_id=event_id, match_id=match_id, slip=code), 303)
    other = current.snapshot().event(slip.event_id) if slip is not None and slip.event_id != event_id else None
    old = slip if isinstance(slip, OutdatedSlip) and other is None else None
    names, saved = full_names(event), _saved_entry(event)
    sat = [who for who in (saved.a_id, saved.b_id) if who] if saved is not None else []
    return render.page(
        "slip_desk.html",
        state=state,
        typed_code=typed,
        unknown=bool(typed) and slip is None,
        other=other,
        old=old,
        old_names=[names.get(who, who) for who in (old.a, old.b) if who] if old else [],
        seats=seats_now(event, old) if old else (),
        saved=saved,
        gone=[names[who] for who in sat if not state.entrants[who].active],
        elsewhere=[names[who] for who in sat if who in request.args.getlist("plays") and state.entrants[who].active],
        missing=missing_slips(event),
        newest=newest_round(state),
    )


def _saved_entry(event: SavedEvent) -> GridCell | None:
    """The match entered before."""
    round_and_match = event.state.find_match(request.args.get("saved", ""))
    if round_and_match is None or round_and_match[1].match.b is None:
        return None
    return grid_cell(current.snapshot(), {}, event.state, round_and_match[1], full_names(event), current.now_ms())


@dataclass(frozen=True, slots=True)
class SlipView:
    """What a slip's pages show beside the questions: earlier results, and at the end who leaves, an extension, and
    which result counts. `asks`: the slip's result, at the end; `playing`: who has another match by now; `rule`: the
    request that makes the slip's result count against another, "POST /console/…"."""

    code: str
    said: list[KnownResult]
    asks: ShownResult | None
    differs: bool
    playing: list[str]
    judge: JudgeView
    may_extend: bool
    rule: str


def slip_view(entered: MatchEntry, asks: Result | None) -> SlipView:
    state, match, event = entered.state, entered.match, current.event(entered.state.id)
    results = known_results(match, state, full_names(event))
    return SlipView(
        entered.slip,
        results,
        shown_result(asks, state, match) if asks is not None else None,
        asks is not None and any(not agrees_with_slip(each.result, asks) for each in results),
        [who for who in (match.match.a, match.match.b) if who and _plays_elsewhere(state, match, who)],
        judge_view(event, entered.played, match, None),
        render.may_request(EXTEND.replace("<match_id>", match.id)),
        RULE.replace("<match_id>", match.id),
    )


def enter_slip(entered: MatchEntry, command: EnterResult) -> AnyResponse:
    """Save the slip's result, extension and leavers at once; where it differs from a known result, `counts` decides."""
    state, match, event_id, result = entered.state, entered.match, entered.state.id, command.result
    slip, choice = slip_view(entered, result), forms.field("counts")
    assert result is not None
    if slip.differs and choice == COUNTS and not render.may_request(slip.rule):
        # Replacing a reported result is a ruling, and is noted as one.
        staff = current.current_staff()
        role = current.words()(f"role.{staff.role}") if staff is not None else ""
        raise Problem("not_your_role", role=role, roles=render.roles_allowed(slip.rule))
    if slip.differs and choice not in (COUNTS, STAYS):
        raise Problem("result_changed_meanwhile", table=match.match.table)
    steps: list[Step] = []
    on_record = match.match.result
    if choice != STAYS and (on_record is None or not match.done or not agrees_with_slip(on_record, result)):
        if (minutes := forms.confirmed_minutes("minutes", "sure")) is not None and slip.may_extend:
            steps.append(Step(event_id, GrantExtension(match.id, minutes, forms.signing_official(event_id))))
        if slip.differs:
            steps.append(Step(event_id, NoteRuling(match.id, command.reason, forms.signing_official(event_id))))
        steps.append(Step(event_id, command))
    leaving = [
        who
        for side in SIDES
        if side in request.form.getlist("leaves")
        and (who := match.match.competitor(side))
        and state.entrants[who].active
    ]
    playing = [who for who in leaving if who in slip.playing or not render.may_request(DROP)]
    steps += [Step(event_id, DropCompetitor(who)) for who in leaving if who not in playing]
    if steps:
        forms.submit_steps(steps)
    return redirect(url_for("console.slip_page", event_id=event_id, saved=match.id, plays=playing), 303)


def _plays_elsewhere(state: EventState, match: MatchState, competitor: str) -> bool:
    """Whether a competitor now plays another match, which leaving would hand to the opponent."""
    round_and_match = open_match(state, competitor)
    return round_and_match is not None and round_and_match[1].id != match.id


@route("GET /s/<token>", SLIP)
def open_slip(token: str) -> AnyResponse:
    """Officials get to the match, with `?official` through the login, step by step where nothing is known of it yet;
    other visitors choose which player they are."""
    slip, played, match = _scanned(token)
    if current.current_staff() is not None:
        current.current_visit().new_cookies[OFFICIAL_COOKIE] = ("1", OFFICIAL_COOKIE_S)
        fresh = match.match.result is None and not match.reports and not current.event(slip.event_id).state.finished
        page = "console.result_wizard_page" if fresh else "console.match_page"
        return redirect(url_for(page, event_id=slip.event_id, match_id=match.id), 303)
    marked = not request.is_secure and cookies_in(request.headers.get("Cookie", "")).get(OFFICIAL_COOKIE)
    official, encrypted = "official" in request.args or marked, current.hub().access.encrypted
    if official and encrypted is not None and not request.is_secure:
        host = urlsplit(request.host_url).hostname
        return redirect(
            f"https://{f'[{host}]' if host and ':' in host else host}:{encrypted.port}"
            f"{url_for('s.open_slip', token=token, official='1')}",
            303,
        )
    if official:
        return redirect(url_for("pages.login_page", next=url_for("s.open_slip", token=token)), 303)
    current.browser_id()
    return _which_of_two(token, slip, played, match)


@route("POST /s/<token>", SLIP)
def claim_my_slip(token: str) -> AnyResponse:
    """ "That is me": give the player's page to the first phone that claims it; any other has to ask at the desk. The
    form needs no token: the visitor holds the slip, and browsers do not send the cookie with other sites' forms."""
    slip, played, match = _scanned(token)
    side, browser = request.form.get("side", ""), current.browser_id()
    who = match.match.competitor("b" if side == "b" else "a") if side in SIDES else None
    if who is None:
        abort(400)
    links, over = current.hub().access.links, _is_over(slip, played)
    path = links.claim_by_slip(slip.event_id, who, browser, over) if browser and slip.signed else None
    if path is not None:
        return redirect(path, 303)
    if browser and slip.signed and (over or links.given_by_slip(slip.event_id, who)):
        # A stranger's phone, or the owner of a page that a stranger took: the desk decides.
        kind = OLD_SLIP if over else TAKEN
        current.hub().presence.add_request((kind, slip.event_id, who), "slip", current.now_ms())
    return _which_of_two(token, slip, played, match, taken=who)


def _is_over(slip: FoundSlip, played: RoundState) -> bool:
    """Whether the round of a slip is: then its result may still be typed, but it gives no page."""
    return played.status != PUBLISHED or current.event(slip.event_id).state.finished


def _scanned(token: str) -> tuple[FoundSlip, RoundState, MatchState]:
    """The match of a valid slip; else aborts with a page that says why."""
    hub = current.hub()
    slip = find_slip(hub.service, hub.access.secret, token)
    if isinstance(slip, OutdatedSlip):
        state = current.snapshot().event(slip.event_id)
        abort(render.page("slip_old.html", status=410, state=state, old=slip, event_id=slip.event_id))
    at = current.event(slip.event_id).state.find_match(slip.match_id) if slip is not None else None
    if slip is None or at is None:
        abort(404)
    return slip, *at


def _which_of_two(token: str, slip: FoundSlip, played: RoundState, match: MatchState, taken: str = "") -> AnyResponse:
    event = current.event(slip.event_id)
    names = shown_names(event)
    return render.page(
        "slip_on_phone.html",
        state=event.state,
        played=played,
        match=match,
        token=token,
        played_name=title_key(event.state, played),
        seats=side_names(match, names),
        taken=names.get(taken, ""),
        taken_id=taken,
        over=_is_over(slip, played),
    )
