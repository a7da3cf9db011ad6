"""A result as a table's texts: who won it, what it is worth, and what decided it."""

from collections.abc import Iterable

from roundtap_core.lists.list_form import squad_letter
from roundtap_core.records import CONCESSION, SIDES, TIME, Match, Result, Side, SidePair, other_side
from roundtap_core.rulebooks.result_words import figure_label, outcome_reason, worth_texts
from roundtap_core.rulebooks.result_words import winner_of as winner_of_result
from roundtap_units.table.dialogue.table_state import TableState
from roundtap_units.table.screens import lettering
from roundtap_units.table.screens.scenes import SIGNS, ScoreRow, Sentence

NEEDS_NO_WORD = ("active", "turns", "decided_by", "game_begun", "lot", "first_player_by")
"""Steps towards a result that both pressed, or that the deciding step shows anyway."""

BARE = "points"  # the worth that needs no unit beside another: "5:0 MoV 329:271"


def side_outcome(table: TableState, result: Result, side: Side) -> str:
    """ "won", "lost" or "draw" for this side; "" where the rulebook leaves it open."""
    view, book = table.view, table.book
    if view is None or book is None:
        return ""
    winner = winner_of_result(book, book.options(view.options), result)
    return {"": "", "draw": "draw", side: "won"}.get(winner, "lost")


def winner_of(table: TableState, result: Result) -> Side | None:
    """Who won; None for a draw, and where both lost or it is open."""
    return next((side for side in SIDES if side_outcome(table, result, side) == "won"), None)


def worth_text(table: TableState, result: Result, side: Side) -> str:
    """The derived values, ordered as the figures stand: "5:0 MoV 176:24"; "" while the figures are not sufficient."""
    view, book = table.view, table.book
    if view is None or book is None:
        return ""
    values = book.worth(Match("a", "b", result=result), book.options(view.options), view.situation)
    parts = []
    for key, pair in values.items():
        text = ":".join(worth_texts(book, key, pair if table.first(side) == "a" else pair[::-1]))
        parts.append(text if key == BARE and len(values) > 1 else f"{table.words(f'worth.{key}')} {text}")
    return " ".join(parts)


def as_counted(table: TableState, result: Result) -> Result:
    """The result with its figures as they count: the winner of a conceded match may be credited with more."""
    return result if table.book is None or table.form is None else table.book.counted(result, table.form.games)


def pair_text(table: TableState, pair: SidePair, side: Side) -> str:
    first = table.first(side)
    return f"{pair.of(first)}:{pair.of(other_side(first))}"


def side_figure(table: TableState, result: Result, side: Side) -> str:
    """The figure under a side's name: its score as it counts; a sign of who won where no figure is kept."""
    if result.score == SidePair() and table.form is not None and not table.form.scored:
        return _sign(table, result, side)
    return str(as_counted(table, result).score.of(side))


def figure_and_outcome(table: TableState, result: Result, side: Side) -> str:
    """The figure; beside it who won, where the higher score does not show it: "0 ✓"."""
    shown, sign = side_figure(table, result, side), _sign(table, result, side)
    return shown if shown == sign or _score_says(table, result) else f"{shown} {sign}"


def _score_says(table: TableState, result: Result) -> bool:
    winner, score = winner_of(table, result), as_counted(table, result).score
    return winner is not None and score.of(winner) > score.of(other_side(winner))


def _sign(table: TableState, result: Result, side: Side) -> str:
    return {"won": "✓", "draw": "="}.get(side_outcome(table, result, side), "–")


def score_text(table: TableState, result: Result, side: Side) -> str:
    """Both sides' figures on a screen for `side`: "24:100"; where the score does not show who won, with a tick beside
    the winner's: "1:0 ✓"."""
    first, winner = table.first(side), winner_of(table, result)
    text = f"{side_figure(table, result, first)}:{side_figure(table, result, other_side(first))}"
    if winner is None or "✓" in text or _score_says(table, result):
        return text
    return f"✓ {text}" if winner == first else f"{text} ✓"


def score_between_names(table: TableState, result: Result, side: Side) -> ScoreRow:
    """ "● Ana R. 100:24 Bruno M.": the figures between their owners' names, the winner's with the sign, on a screen for
    `side`."""
    winner, seats = winner_of(table, result), (table.first(side), other_side(table.first(side)))
    signs = [SIGNS[each] if each == winner else "" for each in seats]
    return ScoreRow.of([table.name(each) for each in seats], signs, score_text(table, result, side))


def figure_name(table: TableState, key: str) -> str:
    """A figure's name, by this rulebook where it has its own."""
    assert table.form is not None
    return figure_label(table.words, key, table.form.rulebook)


def result_sentence(table: TableState, key: str, result: Result, side: Side, figures: bool = True) -> str:
    """Who won, with the winner's figure first: asked ("ask": "Ana R. won 100:30. Right?"), or told ("told")."""
    winner, words, outcome = winner_of(table, result), table.words, side_outcome(table, result, side)
    if winner is None and not outcome:
        return words("ask.right")
    first = table.first(side) if winner is None else winner
    scored = table.form is not None and table.form.scored
    score = as_counted(table, result).score
    told = f" {score.of(first)}:{score.of(other_side(first))}" if figures and scored else ""
    wordings = (
        [words("told.draw" if outcome == "draw" else "form.way.both_lose") + told]
        if winner is None
        else [
            words("told.won", name=name) + told
            for name in (*lettering.shorter_forms(table.name(winner)), SIGNS[winner])
        ]
    )
    return Sentence.of(wordings) if key == "told" else as_question(table, wordings)


def reuse_question(table: TableState, result: Result, side: Side, figures: bool) -> str:
    """ "Use this result? Ana R. won 100:30", "Use: Ana R. won?": without the figures where they stand below."""
    forms, words = lettering.wordings(result_sentence(table, "told", result, side, figures)), table.words
    return Sentence.of(
        (*(f"{words('second.back')} {form}" for form in forms), *(words("ask.reuse", said=f) for f in forms))
    )


def as_question(table: TableState, statements: Iterable[str]) -> Sentence:
    """Statements, shorter and shorter, as a question: "Ana R. won 100:30. Right?", "Ana R. won 100:30?"."""
    return Sentence.of(table.words(key, said=each) for each in statements for key in ("ask.said", "ask.said.short"))


def agreement_details(table: TableState, result: Result, side: Side) -> str:
    """What the agreeing side should see beside the score: its worth, and the second figure, without its name where that
    is too long: the figure must be seen."""
    worth, whole = worth_text(table, result, side), second_text(table, result, side)
    forms = dict.fromkeys((whole, whole.rpartition(" ")[2]))
    return Sentence.of("  ".join(filter(None, (worth, form))) for form in forms)


def second_text(table: TableState, result: Result, side: Side) -> str:
    """The second figure of both, where the game counts two, at the end: "wounds 3:5"."""
    more = [*as_counted(table, result).figures.items()][1:]
    told = [(key, pair_text(table, pair, side)) for key, pair in more]
    if told and f"told.{told[0][0]}" in table.words:
        return table.words(f"told.{told[0][0]}", figures=told[0][1])
    return "".join(f"{figure_name(table, key)} {figures}" for key, figures in told)


def result_remark(table: TableState, result: Result) -> str:
    """Who conceded or had initiative, or what decided, where the figures do not show it."""
    words = table.words
    if result.ended == CONCESSION and result.conceded_by in SIDES:
        return words("told.conceded", name=SIGNS["a" if result.conceded_by == "a" else "b"])
    if result.initiative in SIDES:
        return words("told.initiative", sign=SIGNS["a" if result.initiative == "a" else "b"])
    book = table.book
    if table.view is None or book is None:
        return ""
    why = outcome_reason(book, book.options(table.view.options), result)
    # Some have a shorter word for this screen.
    return words.first(*(f"told.{key}" for key in why), *why) if why else ""


def ending_text(table: TableState, result: Result, side: Side) -> str:
    """The remark; without one, that it ended at time, where no answer that is asked then is shown."""
    at_time = result.ended == TIME and not extra_figures(table, result, side)
    return result_remark(table, result) or (table.words("form.way.time") if at_time else "")


def first_player_text(table: TableState, result: Result) -> str:
    """ "first ●", where it is recorded who began."""
    if result.first_player not in SIDES:
        return ""
    return table.words("told.first", sign=SIGNS["a" if result.first_player == "a" else "b"])


def extra_figures(table: TableState, result: Result, side: Side) -> list[str]:
    """Figures and answers of a result that appear neither under the names nor in its worth, each in a few words: "keys
    1:2", "objectives 1:2", "Mars:Dis"."""
    texts, words = [], table.words
    sides: tuple[Side, Side] = (table.first(side), other_side(table.first(side)))
    for key, value in (result.timeout or {}).items():
        label = f"{words(f'told.{key}')} " if f"told.{key}" in words else ""
        if isinstance(value, dict) and all(isinstance(value.get(each), int) for each in SIDES):
            if key != "score":
                texts.append(label + ":".join(str(value[each]) for each in sides))
        elif isinstance(value, dict):
            texts.append(":".join(_option_text(table, value[each]) if each in value else "–" for each in sides))
        elif key not in NEEDS_NO_WORD and value not in SIDES:
            texts.append(label + _option_text(table, value))
    return texts


def _option_text(table: TableState, value: object) -> str:
    """An option's text; a house is called what the deck's card calls it."""
    key = f"form.option.{value}"
    return table.words(key) if key in table.words else str(value)


def squads_text(table: TableState, result: Result, side: Side) -> str:
    """ "AC:BD"; "" where neither has fielded any."""
    sides: tuple[Side, Side] = (table.first(side), other_side(table.first(side)))
    fielded = {each: "".join(map(squad_letter, picks)) for each, picks in (result.picks or {}).items()}
    return ":".join(fielded.get(each, "–") for each in sides) if fielded else ""


def with_extras(sentence: str, besides: Iterable[str]) -> Sentence:
    """A sentence with a few words after it, in all its wordings."""
    # Each keeps together where the line breaks.
    behind = [text.replace(" ", "\u00a0") for text in besides if text]
    forms = (sentence, *sentence.shorter) if isinstance(sentence, Sentence) else (sentence,)
    return Sentence.of("  ".join([form, *behind]) for form in forms)
