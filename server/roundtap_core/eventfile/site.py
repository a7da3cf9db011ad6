"""Plain pages for a club's web page: of each event standings, bracket and rounds, and a list of all. No script, no
server, relative links: they open from a folder.
"""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import chain, count
from operator import itemgetter

from roundtap_core.elimination.bracket import THIRD, THIRD_STAGE, Bracket, bracket_of, stages_of
from roundtap_core.elimination.bracket_picture import bracket_svg, round_label
from roundtap_core.elimination.ranking import final_ranking, game_name
from roundtap_core.eventfile.exports import file_stem, league_lines
from roundtap_core.names import names_in
from roundtap_core.records import SWISS_STAGES, TIEBREAK, Match, Tournament
from roundtap_core.rulebooks.own_words import words_of
from roundtap_core.rulebooks.registry import book_of
from roundtap_core.rulebooks.result_words import figures_text, result_shown
from roundtap_core.standings.standings import LeagueRow, standings, telling_tiebreakers
from roundtap_core.words import Words

Table = tuple[str, Sequence[str], Sequence[Sequence[str]]]  # heading, columns (none: no head) and rows, as plain text
LeagueTable = tuple[str, Iterable[LeagueRow], Iterable[str]]  # name, rows, dates of its events ("": none)

# On each page: a folder in which all files have it may be replaced by newer ones.
MARK = '<meta name="generator" content="Roundtap site">'

_PAGE = f"""<!doctype html>
<html lang="{{language}}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
{MARK}
<title>{{title}}</title>
<style>{{style}}</style>
</head>
<body>
{{body}}</body>
</html>
"""

_STYLE = """
:root { color-scheme: light dark }
body { font: 1rem/1.4 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; max-width: 60rem;
  margin: 0 auto; padding: 1rem }
h1 { font-size: 1.5rem; margin: .2em 0; overflow-wrap: break-word }
h2 { font-size: 1.2rem; margin: 1.6em 0 .4em; break-after: avoid }
nav a { display: inline-block; padding: .5em 1em .5em 0 }
ul { list-style: none; padding: 0 }
li { margin: 1em 0 }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
th, td { padding: .35em .4em; text-align: left; vertical-align: top; border-bottom: 1px solid #8886 }
th { font-size: .85em }
.ranks { white-space: nowrap; width: auto }
.ranks td:nth-child(2) { white-space: normal; min-width: 7em }
.ranks tr > :first-child { text-align: right }
.ranks tr > :nth-child(n+3) { text-align: right; padding-left: 1em }
.pairs { table-layout: fixed }
.pairs td { overflow-wrap: break-word }
.pairs td:first-child { width: 2em }
.pairs td:nth-child(3) { width: 22%; text-align: center }
small { opacity: .8 }
/* A shade at the edge says that there is more; at the end it is covered. */
.wide { overflow-x: auto; background: linear-gradient(90deg, #0000 calc(100% - 2.5em), Canvas calc(100% - 1.5em)) local,
  linear-gradient(90deg, #0000 calc(100% - 1.2em), #8889) }
.wide svg { min-width: 40rem; width: 100%; height: auto }
@media (max-width: 30rem) { table { font-size: .9em } }
@media print {
  body { max-width: none; padding: 0; font-size: 10pt }
  nav { display: none }
  tr, svg { break-inside: avoid }
  .wide { overflow: visible }
  .wide svg { min-width: 0 }
}
"""


def site_pages(events: Iterable[Tournament], words: Words, leagues: Iterable[LeagueTable] = ()) -> Mapping[str, bytes]:
    """The pages in one language by file name: one of each event, named after its date and name; and a list of all, the
    newest first, with the leagues below it. Raises Problem where a recorded result cannot be read."""
    pages, lines = dict[str, bytes](), list[tuple[str, str]]()
    for event in events:
        date, title = (event.record or {}).get("date", ""), escape(event.name)
        line, body = _event(event, words_of(book_of(event), words))
        stems = ("-".join(filter(None, (date, file_stem(event.name), n))) for n in chain([""], map(str, count(2))))
        to = next(f"{stem}.html" for stem in stems if f"{stem}.html" not in {"index.html", *pages})
        head = f'<nav><a href="index.html">{words("site.title")}</a></nav>\n<h1>{title}</h1>\n<p>{line}</p>\n'
        pages[to] = _page(words, title, head + body)
        lines.append((date, f'<li><a href="{to}">{title}</a><br><small>{line}</small></li>\n'))
    listed = "".join(line for _, line in sorted(lines, key=itemgetter(0))[::-1])
    title, tables = words("site.title"), ""
    for n, (name, rows, dates) in enumerate(leagues, start=1):
        events_named = [date[5:] or str(number) for number, date in enumerate(dates, start=1)]
        columns, *cells = league_lines(rows, events_named, words)
        # How many events, and the points for coming, say nothing where all have the same.
        same = [at for at in (4, 3) if len({row[at] for row in cells}) == 1 < len(cells)]
        columns, *cells = ([text for at, text in enumerate(line) if at not in same] for line in (columns, *cells))
        tables += _table(f"league-{n}", name, columns, cells)
    return {"index.html": _page(words, title, f"<h1>{title}</h1>\n<ul>\n{listed}</ul>\n{tables}"), **pages}


def _event(tournament: Tournament, words: Words) -> tuple[str, str]:
    """In HTML: the line below the event's name, and all that follows on its page."""
    bracket, names, about = bracket_of(tournament), names_in(tournament), tournament.record or {}
    over = bracket.over if bracket else bool(about.get("finished"))
    ranked = _standings(tournament, bracket, over, names, words) if tournament.rounds else ("", (), ())
    tables = ({"standings": ranked} if ranked[2] else {}) | _rounds(tournament, bracket, names, words)
    first = [name for rank, name, *_ in ranked[2] if rank == "1" and over]
    facts = [
        words.date(about.get("date", "")),
        about.get("venue"),
        book_of(tournament).title,
        words("players.n", n=len(tournament.competitors)),
        words("told.won", name=first[0]) if len(first) == 1 else "",
    ]
    ways = "".join(f'<a href="#{at}">{escape(heading)}</a>\n' for at, (heading, *_) in tables.items())
    body = [
        f"<nav>{ways}</nav>\n",
        f'<div class="wide">{bracket_svg(bracket, names, words)}</div>\n' if bracket else "",
        *(_table(at, *table) for at, table in tables.items()),
    ]
    return escape(" · ".join(filter(None, facts))), "".join(body)


def _standings(
    tournament: Tournament, bracket: Bracket | None, over: bool, names: Mapping[str, str], words: Words
) -> Table:
    book, swiss = book_of(tournament), any(played.stage in SWISS_STAGES for played in tournament.rounds)
    rows = {row.competitor: row for row in standings(tournament)} if swiss else {}
    keys = telling_tiebreakers([*rows.values()])
    draws = any(row.draws for row in rows.values())
    cells = {
        who: [
            book.points_text(row.points),
            "–".join(map(str, (row.wins, *([row.draws] if draws else []), row.losses))),
            *(words.number(book.value_text(key, row.tiebreakers[key])) for key in keys),
        ]
        for who, row in rows.items()
    }
    return (
        words("standings.final" if over else "standings"),
        [
            *(words(f"column.{key}") for key in ("rank", "name")),
            *(words(f"column.{key}") for key in ("points", "record.draws" if draws else "record", *keys) if rows),
            *([words("standings.reached")] if bracket else []),
        ],
        [
            [
                "–" if placed.rank is None else str(placed.rank),
                names[placed.competitor] + (f" ({words(f'status.{placed.status}')})" if placed.status else ""),
                *cells.get(placed.competitor, []),
                *([round_label(words, placed.reached) if placed.reached else ""] if bracket else []),
            ]
            for placed in final_ranking(tournament, bracket)
        ],
    )


def _rounds(
    tournament: Tournament, bracket: Bracket | None, names: Mapping[str, str], words: Words
) -> dict[str, Table]:
    games = {n: bracket.of_round(nth)[0] for nth, n in enumerate(bracket.round_numbers, start=1)} if bracket else {}
    return {
        f"round-{played.number}": (
            round_label(words, game_name(bracket, games[played.number]))
            if bracket and played.number in games
            else words("bracket.tiebreak" if played.stage == TIEBREAK else "round", number=played.number),
            (),
            [
                _match(tournament, bracket, stages_of(tournament)[played.number], match, names, words)
                for match in sorted(played.matches, key=lambda match: (match.table is None, match.table or 0))
            ],
        )
        for played in tournament.rounds
    }


def _match(
    tournament: Tournament, bracket: Bracket | None, stage: str, match: Match, names: Mapping[str, str], words: Words
) -> list[str]:
    """Table, player, result, player; who has won is ticked, in a bracket who goes on."""
    book, table = book_of(tournament), "–" if match.table is None else str(match.table)
    if match.b is None or match.result is None:
        return [table, names[match.a], "", names[match.b] if match.b else words(f"bye.{match.bye}")]
    options, third = book.options(tournament.options), match.game == THIRD
    shown = result_shown(book, options, match.result, THIRD_STAGE if third else stage)
    through = [game.winner for game in bracket.games if game.match is match] if bracket else []
    won = through[0] if through else {"a": match.a, "b": match.b}.get(shown.winner)
    more = [
        "" if shown.bare or shown.winner == "none" else figures_text((shown.a, shown.b)),
        f"{words.first(*shown.second_name)} {figures_text(shown.second)}" if shown.second else "",
        words(f"result.{shown.winner}") if shown.winner in ("draw", "none") else "",
        words.first(*shown.why) if shown.why else "",
        words("bracket.third-place") if third else "",
    ]
    a, b = (f"{names[who]} ✓" if who == won else names[who] for who in (match.a, match.b))
    return [table, a, " · ".join(filter(None, more)), b]


def _table(anchor: str, heading: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"<tr><th>{'</th><th>'.join(map(escape, columns))}</th></tr>\n"] if columns else []
    lines += [f"<tr><td>{'</td><td>'.join(map(escape, row))}</td></tr>\n" for row in rows]
    return (
        f'<h2 id="{anchor}">{escape(heading)}</h2>\n'
        f'<div class="wide"><table class="{"ranks" if columns else "pairs"}">\n{"".join(lines)}</table></div>\n'
    )


def _page(words: Words, title: str, body: str) -> bytes:
    return _PAGE.format(language=words.language, title=title, style=_STYLE, body=body).encode(errors="replace")
