"""A result typed as one short line ("a24", "60 24", "ca"), read by the rulebook's own form."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.results import acceptable_results
from roundtap_core.forms import questions
from roundtap_core.forms.form import BY_FIGURES, DRAWN, OPENER, WayToEnd, compose_result, needs_opener
from roundtap_core.numbers import typed_number
from roundtap_core.records import CONCESSION, RULING, SIDES, Side, other_side
from roundtap_core.rulebooks.result_gate import ON_RECORD, refuse_result
from roundtap_core.rulebooks.result_words import figure_label
from roundtap_hub.live import current
from roundtap_hub.live.result_wizard import MatchEntry, WizardProgress

MOST_LETTERS = 60  # no valid line is longer

CHOICES = ("winner", "initiative")  # choices that a letter can answer

_TOKEN = re.compile(
    r"\s*(?:(?P<conceded>c\s*[ab])|(?P<initiative>i\s*[ab])|(?P<winner>[ab])|(?P<draw>=)"
    r"|(?P<number>(?:(?<!\d)[-\u2212])?\d{1,6})|(?P<between>[-\u2212\u2013:;,/]))",
    re.IGNORECASE,
)


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
