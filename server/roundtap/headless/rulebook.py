"""The rulebooks there are; or one rulebook's figures, house decisions and clauses, as they can be announced."""

from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from itertools import cycle
from typing import Any

from roundtap.headless import cli_io
from roundtap.headless.standings import as_text
from roundtap_core.command_arguments import argument
from roundtap_core.errors import Problem
from roundtap_core.records import SWISS, Competitor, Match, Round, Tournament
from roundtap_core.rulebooks.base import Rulebook, Structure
from roundtap_core.rulebooks.coverage import (
    Clause,
    Coverage,
    bye_worth,
    coverage,
    coverage_to_json,
    full_win_lead,
    minutes_by_games,
    outcome_points,
)
from roundtap_core.rulebooks.own import own_rulebook
from roundtap_core.rulebooks.own_rules import Rules, RulesProblem, read_rules, rules_id, rules_json
from roundtap_core.rulebooks.own_words import rules_in_words, valid_examples, words_of, worked_match, worked_matches
from roundtap_core.rulebooks.registry import RULEBOOKS, rulebook
from roundtap_core.standings.round_robin import circle
from roundtap_core.standings.standings import standings, standings_to_json
from roundtap_core.words import Words

CHECK = "check"
UNREADABLE = ("broken_toml", "rules_too_long", "rules_line_long", "rules_are_json")
"""Faults of a file that cannot be read as TOML."""
SAID_BACK = ("id", "name", "note", "sentences", "matches", "table")
"""What “check” as JSON tells of rules without a fault, beside its warnings."""

ARGUMENTS = (
    argument("id", nargs="?", metavar="ID", help="one rulebook; without it, the list; “check”: a file of rules"),
    argument("file", nargs="?", metavar="FILE", help="with “check”: a store's own rules; - reads standard input"),
    argument("--format", choices=("json", "text"), default="text"),
)


def run(args: Namespace) -> int:
    words, as_json = cli_io.reader_words(), args.format == "json"
    if (args.id == CHECK) != (args.file is not None):
        args.refuse("check, and only check, needs a FILE")
    if args.id == CHECK:
        return check(args.file, as_json, words)
    if args.id is None:
        rows = [(book.id, book.title, book.document) for book in RULEBOOKS.values()]
        listed = [dict(zip(("id", "title", "document"), row, strict=True)) for row in rows]
        cli_io.write_stdout(cli_io.json_text({"rulebooks": listed}) if as_json else cli_io.format_table(rows, "<<<"))
        return cli_io.DONE
    try:
        book = rulebook(args.id)
    except Problem as problem:
        return cli_io.print_refusal(cli_io.escape_controls(problem.say(words)))
    cli_io.write_stdout(cli_io.json_text(to_json(book, words)) if as_json else "\n".join(_sections(book, words)))
    return cli_io.DONE


def check(file: str, as_json: bool, words: Words) -> int:
    """Every fault and warning of a file of rules, a line each; without a fault the rules said back, three matches, and
    a made-up table of four. 2 for what is not TOML, 1 for a fault."""
    try:
        rules, faults, warnings = read_rules(cli_io.read_text(file))
    except Problem as problem:
        return cli_io.print_refusal(cli_io.error_line(file, problem, words))
    said: dict[str, Any] = dict.fromkeys(SAID_BACK) if rules is None else _said_back(rules, words)
    code = cli_io.DONE if rules else cli_io.BAD_INPUT if faults[0].key.startswith(UNREADABLE) else cli_io.VIOLATED
    if as_json:
        found = {"faults": _listed_problems(faults, words), "warnings": _listed_problems(warnings, words)}
        cli_io.write_stdout(cli_io.json_text({**found, **said}))
        return code
    lines = [f"{file}: {fault.placed(words)}" for fault in faults]
    lines += [f"{file}: {words('own.warning', text=warning.placed(words))}" for warning in warnings]
    # What a script reads on stdout is the rules, or the faults that are found in what can be read.
    show = cli_io.write_lines if code == cli_io.VIOLATED else lambda lines: [*map(cli_io.print_error, lines)]
    show(map(cli_io.escape_controls, lines))
    if rules is not None:
        note = [rules.note.strip(), ""] if rules.note.strip() else []
        met = [words("own.met", **each) for each in said["table"]["matches"]]
        table = made_up_table(rules)
        rows = as_text(standings(table), table, words_of(own_rulebook(rules_json(rules)), words))
        cli_io.write_stdout(
            "\n".join(
                (f"{rules.name}  ({said['id']})", *note, *said["sentences"], "", *said["matches"], "", *met, "", rows)
            )
        )
    return code


def _listed_problems(problems: Iterable[RulesProblem], words: Words) -> list[dict[str, Any]]:
    return [{"line": each.line, "where": each.where, "key": each.key, "text": each.say(words)} for each in problems]


def _said_back(rules: Rules, words: Words) -> dict[str, Any]:
    table = made_up_table(rules)
    names = {each.id: each.name for each in table.competitors}
    met = [
        {"n": played.number, "a": names[m.a], "b": names[m.b or ""], "text": worked_match(rules, m.result, words)}
        for played in table.rounds
        for m in played.matches
        if m.result
    ]
    made_up = {"matches": met, **standings_to_json(standings(table), len(table.rounds))}
    sentences, matches = rules_in_words(rules, words), worked_matches(rules, words)
    return dict(zip(SAID_BACK, (table.rulebook, rules.name, rules.note, sentences, matches, made_up), strict=True))


def made_up_table(rules: Rules) -> Tournament:
    """Four players who have all met, with results as tables report them."""
    people = tuple(Competitor(f"p{n}", name) for n, name in enumerate(("Ana", "Bruno", "Cira", "Dora"), start=1))
    results = cycle(valid_examples(rules))
    rounds = tuple(
        Round(number, SWISS, tuple(Match(a, b, result=next(results)) for a, b in pairs))
        for number, pairs in enumerate(circle([competitor.id for competitor in people]), start=1)
    )
    return Tournament(rules.name, rules_id(rules), competitors=people, rounds=rounds, rules=rules_json(rules))


def to_json(book: Rulebook, words: Words) -> dict[str, Any]:
    """The same content as the text, in the same order, with the event file's keys where it has them."""
    options = book.options({})
    return {
        "id": book.id,
        "title": book.title,
        "document": book.document,
        "levels": list(book.levels),
        "minutes": {
            stage: {str(games): minutes for games, minutes in by_games.items()}
            for stage, by_games in minutes_by_games(book).items()
        },
        "structures": {
            name: [
                {"at_least": line.at_least, "at_most": line.at_most, "swiss_rounds": line.swiss_rounds, "cut": line.cut}
                for line in lines
            ]
            for name, lines in book.structures.items()
        },
        "points": outcome_points(book, options),
        "full_win_lead": full_win_lead(book, options),
        "byes": {bye: {"points": tally.points, **tally.figures} for bye, tally in bye_worth(book, options).items()},
        "bye_after_round_1": book.bye_after_round_1,
        "tiebreakers": list(book.tiebreaker_keys),
        "options": dict(book.option_defaults),
        "before_play": [{"key": key, "text": words(key)} for key in book.before_play],
        "decisions": [{"key": key, "text": words(key)} for key in book.house_decisions],
        "coverage": coverage_to_json(coverage(book.id)),
    }


def _sections(book: Rulebook, words: Words) -> Iterator[str]:
    options = book.options({})
    yield f"{book.title}  ({book.id})\n{book.document}\n"
    levels = ", ".join(words(f"level.{level}") for level in book.levels)
    yield f"{words('sheet.levels', levels=levels)}\n"
    yield _titled(words("sheet.minutes"), list(_minutes(book, words)), "<" + len(book.best_of) * ">")
    for name, lines in book.structures.items():
        yield _structure(words("sheet.structure", name=words(f"structure.{name}")), lines, words)
    lead = full_win_lead(book, options)
    points = [
        (words(f"outcome.{name}", lead=lead), str(worth)) for name, worth in outcome_points(book, options).items()
    ]
    yield _titled(words("sheet.results"), points, "<>")
    after_round_1 = words(f"bye_order.{book.bye_after_round_1}")
    yield _titled(words("sheet.byes"), list(_byes(book, words)), "<<") + f"  {after_round_1}\n"
    base = book.option_defaults.get("squad_points")
    figures = [words(f"figure.{key}", base=base) for key in book.tiebreaker_keys if f"figure.{key}" in words]
    if figures:
        yield _listed(words("sheet.figures"), figures)
    order = [words("decided.points"), *(words(f"tiebreaker.{key}") for key in book.tiebreaker_keys)]
    yield _listed(words("sheet.tiebreakers"), order)
    yield _listed(words("sheet.before_play"), [words(key) for key in book.before_play])
    yield _titled(words("sheet.options"), [(key, str(value)) for key, value in book.option_defaults.items()], "<<")
    yield _listed(words("sheet.decisions"), [words(key) for key in book.house_decisions])
    yield _coverage(coverage(book.id, words.language), words)


def _minutes(book: Rulebook, words: Words) -> Iterator[Sequence[str]]:
    """One column for each number of games that a match may have."""
    if len(book.best_of) > 1:
        yield ("", *(words("sheet.best_of", games=n) if n > 1 else words("sheet.one_game") for n in book.best_of))
    for stage, by_games in minutes_by_games(book).items():
        lengths = {n: words("sheet.untimed") if minutes is None else str(minutes) for n, minutes in by_games.items()}
        yield (words(f"stage.{stage}"), *(lengths.get(n, "–") for n in book.best_of))


def _coverage(covered: Coverage, words: Words) -> str:
    kinds = {kind: words(f"coverage.{kind}") for kind in covered.counts()}
    counts = [(kinds[kind], str(n), words(f"coverage.{kind}.what")) for kind, n in covered.counts().items()]
    text = _titled(words("sheet.coverage"), counts, "<><")
    if covered.called:
        text += _indented(words("sheet.called", words=covered.called))
    width = max(map(len, kinds.values()))
    for heading, clauses in covered.sections():
        text += f"\n  {heading}\n"
        text += "".join(f"    {kinds[clause.how]:<{width}}  {_clause_text(clause, words)}\n" for clause in clauses)
    return text


def _clause_text(clause: Clause, words: Words) -> str:
    if clause.reason:
        return f"{clause.text} ({clause.reason.removesuffix('.')})"
    return f"{clause.text} [{words('sheet.decided', text=clause.decided)}]" if clause.decided else clause.text


def _titled(title: str, rows: Sequence[Sequence[str]], align: str) -> str:
    return f"{title}\n" + _indented(cli_io.format_table(rows, align))


def _listed(title: str, items: Sequence[str]) -> str:
    return f"{title}\n" + _indented("".join(f"{number}. {item}\n" for number, item in enumerate(items, start=1)))


def _indented(text: str) -> str:
    return "".join(f"  {line}\n" for line in text.splitlines())


def _structure(title: str, lines: Sequence[Structure], words: Words) -> str:
    head = (words("sheet.players"), words("sheet.rounds"), words("sheet.cut"))
    rows = [(_span(line), str(line.swiss_rounds), str(line.cut or "–")) for line in lines]
    return _titled(title, [head, *rows], ">>>")


def _span(line: Structure) -> str:
    if line.at_most is None:
        return f"{line.at_least}+"
    return str(line.at_least) if line.at_least == line.at_most else f"{line.at_least}–{line.at_most}"


def _byes(book: Rulebook, words: Words) -> Iterator[tuple[str, str]]:
    for bye, tally in bye_worth(book, book.options({})).items():
        worth = [words("sheet.points", n=tally.points)]
        worth += [f"{words(f'column.{key}')} {value}" for key, value in tally.figures.items()]
        yield words(f"bye.{bye}"), ", ".join(worth)
