"""The page of the store's own games: what there is, and the form that makes one and says what it means. Its fields are
named by their place in the file."""

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import Any, get_args

from flask import abort, g, redirect, request, url_for
from msgspec.structs import fields
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_core.eventfile.exports import file_stem
from roundtap_core.rulebooks.own import own_rulebook
from roundtap_core.rulebooks.own_rules import (
    FORMAT,
    GAMES,
    POINTS,
    SCORE,
    SECOND,
    WINNER_ONLY,
    Rules,
    RulesProblem,
    TiebreakRules,
    problems_of,
    read_rules,
    rules_data,
    rules_id,
    rules_json,
)
from roundtap_core.rulebooks.own_words import rules_in_words, worked_matches
from roundtap_core.rulebooks.scoring import Bonus, TiebreakRule
from roundtap_core.typed import typed_number
from roundtap_core.words import LANGUAGES, Words
from roundtap_hub.http.routes import ORGANIZERS, route
from roundtap_hub.live import current, forms, render
from roundtap_hub.live.render import place_page
from roundtap_hub.store.service import Step
from roundtap_hub.store.venue import GAME_REMOVED, GAME_SAVED
from roundtap_hub.views.saved_event import listed_events
from roundtap_hub.views.store_games import asked_at_table, store_games

PRESETS = Path(__file__).parent / "presets"
"""Files to start from, each called by its place in the list and its key: "01-best_of_three.toml"."""

_PARTS: Mapping[str, tuple[str, ...]] = {
    "": ("name", "note"),
    "/match": ("report", "best_of", "drawn_games", "draws"),
    "/match/figure/#": ("maximum", "default", "decides"),
    "/match/figure/#/label": LANGUAGES,
    "/time": ("swiss", "elimination", "final", "third_place", "undecided", "knockout"),
    "/time/extra": ("#",),
    "/time/knockout_asks": LANGUAGES,
    "/points": ("win", "draw", "loss", "unit"),
    "/points/table/#": ("of",),
    "/points/table/#/steps/#": ("#",),
    "/points/bonus/#": tuple(field.name for field in fields(Bonus)),
    "/bye": ("points", "order"),
    "/bye/score": ("#",),
    "/bye/figures/score": ("#",),
    "/bye/figures/second": ("#",),
    "/bye/won_figures/score": ("#",),
    "/bye/won_figures/second": ("#",),
    "/concession/winner_at_least": (SCORE, SECOND),
    "/both_lose": ("points",),
    "/tiebreakers/#": tuple(field.name for field in fields(TiebreakRule)),
    "/tiebreakers/#/label": LANGUAGES,
    "/sides": ("balance",),
    "/sides/names/#": LANGUAGES,
    "/pairing": ("rounds",),
    "/list": ("asked",),
    "/list/fields/#": ("key", "kind", "maximum"),
    "/list/fields/#/label": LANGUAGES,
    "/structure/lines/#": ("#",),
}
"""All that a file can say, by the part that it stands in; "#": a row's number from 0."""

_PLACES = frozenset(f"{part}/{key}" for part, keys in _PARTS.items() for key in keys)

_UNASKED: Mapping[str, tuple[str, ...]] = {
    WINNER_ONLY: ("/match/best_of", "/match/drawn", "/match/figure", "/bye/score", "/bye/figures", "/bye/won", "/conc"),
    GAMES: ("/match/figure", "/bye/figures", "/bye/won", "/conc"),
    POINTS: ("/match/best_of", "/match/drawn", "/bye/score"),
}
"""What is not looked at under each way to report, by the beginnings of the places: the form keeps it out of sight."""

_AS_TYPED = frozenset({"name", "note", "key", *LANGUAGES})
_YES_OR_NO = frozenset({"drawn_games", "decides", "balance"})


class TypedRules(dict[str, Any]):
    """A file's content as the form makes it, sound or not."""


def typed_rules(form: Iterable[tuple[str, str]]) -> TypedRules:
    """What a sent form says, as a file's content; an empty field says nothing, and rows close up. The number that is
    counted is the first one, a line of players has no end and no cut, where nothing else is said."""
    sent = dict(form)
    unasked, data = _UNASKED.get(sent.get("/match/report", ""), ()), dict[str, Any](format=FORMAT)
    for place, text in sent.items():
        if _pattern(place) in _PLACES and not place.startswith(unasked) and text.strip():
            *path, key = place.split("/")[1:]
            part: dict[str, Any] = data
            for step in path:
                part = part.setdefault(step, {})
            part[key] = _value(key, text.strip())
    for line in data.get("structure", {}).get("lines", {}).values():
        line.update({"1": 0, "3": 0} | line)
    rules = TypedRules(_rows(data))
    for row in chain(rules.get("tiebreakers", ()), *map(rules.get("points", {}).get, ("table", "bonus"), ((), ()))):
        if row.get("by") in Rules.NEEDS_FIGURE or {"steps", *Bonus.ASKS} & row.keys():
            row.setdefault("of", SCORE)
    match = rules.get("match", {})
    if match.get("report") == POINTS:
        match.setdefault("figure", [{}])
    for figure, key in zip(match.get("figure", ()), (SCORE, SECOND), strict=False):
        figure["key"] = key
    return rules


def _pattern(place: str) -> str:
    """ "/tiebreakers/#/label/de" for "/tiebreakers/2/label/de"."""
    return re.sub(r"/[0-9]{1,2}(?=/|$)", "/#", place)


def _value(key: str, text: str) -> Any:
    """As a file would have it; what is no number where one belongs stays text, and is found to be wrong."""
    if key in _YES_OR_NO and text in ("yes", "no"):
        return text == "yes"
    if key not in _AS_TYPED:
        with suppress(Problem):
            return typed_number(text)
    return text


def _rows(part: Any) -> Any:
    """With lists in place of objects whose keys are numbers."""
    if not isinstance(part, dict):
        return part
    inner = {key: _rows(value) for key, value in part.items()}
    return [inner[key] for key in sorted(inner, key=int)] if all(map(str.isdecimal, inner)) else inner


def shown_value(rules: Mapping[str, Any], place: str) -> str:
    """What the field of this place shows; "" where the rules say nothing."""
    found = _found(rules, place)
    if isinstance(found, bool):
        return "yes" if found else "no"
    return "" if found is None else str(found)


def shown_rows(rules: Mapping[str, Any], place: str, most: int) -> range:
    """The rows of the form: those that the rules have, and an empty one as long as more may be."""
    return range(min(most, len(_found(rules, place) or ()) + 1))


def _found(rules: Mapping[str, Any], place: str) -> Any:
    found: Any = rules
    for step in place.split("/")[1:]:
        parts = {str(n): each for n, each in enumerate(found)} if isinstance(found, list | tuple) else found
        found = parts.get(step) if isinstance(parts, Mapping) else None
    return found


def problems_by_field(problems: Iterable[Problem], words: Words) -> dict[str, str]:
    """What is wrong, by the field that it is shown at, else by its row or its question."""
    found: dict[str, list[str]] = {}
    for problem in problems:
        where = f"{problem.where}/{problem.params['key']}" if problem.key == "missing_key" else problem.where
        while where.count("/") > 1 and _pattern(where) not in {*_PLACES, *_PARTS}:
            where = where.rpartition("/")[0]
        found.setdefault(where, []).append(problem.say(words))
    return {where: " ".join(texts) for where, texts in found.items()}


@cache
def presets() -> Mapping[str, TypedRules]:
    """What a game may start from, by key, without its name."""
    read = {path.stem.partition("-")[2]: tomllib.loads(path.read_text("utf-8")) for path in sorted(PRESETS.iterdir())}
    return {
        key: TypedRules((part, value) for part, value in data.items() if part != "name") for key, data in read.items()
    }


def toml_text(rules: Mapping[str, Any]) -> str:
    """The rules as the file that says them."""
    plain = [f"{key} = {_inline(value)}" for key, value in rules.items() if isinstance(value, str)]
    parts = [_table(key, part) for key, part in rules.items() if not isinstance(part, str)]
    return "\n".join([*plain, *(line for part in parts for line in part), ""])


def _table(name: str, part: Any) -> Iterator[str]:
    if not isinstance(part, Mapping):
        for row in part:
            # What it is stands first, then its parameters.
            told = sorted(row.items(), key=lambda each: each[0] not in ("by", "key"))
            yield from (f"\n[[{name}]]", *(f"{key} = {_inline(value)}" for key, value in told))
        return
    rows = {
        key: value
        for key, value in part.items()
        if isinstance(value, list | tuple) and all(isinstance(row, Mapping) for row in value)
    }
    if part.keys() - rows.keys():
        yield f"\n[{name}]"
    yield from (f"{key} = {_inline(value)}" for key, value in part.items() if key not in rows)
    for key, value in rows.items():
        yield from _table(f"{name}.{key}", value)


def _inline(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{key} = {_inline(each)}' for key, each in value.items())} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_inline, value))}]"
    return json.dumps(value, ensure_ascii=False)


@route("GET /console/games", ORGANIZERS)
def own_games_page() -> AnyResponse:
    """The store's games; with `start`, `copy` or `game` the form, filled with a preset, or with one of them to be
    copied or changed."""
    own, asked = store_games(current.snapshot()), request.args
    if request.method == "POST":
        return _page(typed_rules(request.form.items()) if "/match/report" in request.form else None)
    game = own.get(asked.get("game") or asked.get("copy", ""))
    data = rules_data(game.rules) if game else presets().get(asked.get("start", ""))
    if game and "game" not in asked:
        data = {key: value for key, value in rules_data(game.rules).items() if key != "name"}
    return _page(data, asked.get("game", ""))


def _page(data: Mapping[str, Any] | None, was: str = "", faults: Iterable[RulesProblem] = ()) -> AnyResponse:
    """`data`: what the form shows, as a file's content; `was`: the game that it changes; `faults`: of a file."""
    own, words = store_games(current.snapshot()), current.words()
    was = was or forms.field("was")
    # What it means is said before it has a name.
    rules, wrong, doubtful = problems_of({"name": "–", **(data or {})})
    return place_page(
        "own_games.html",
        "games",
        own=own,
        presets=presets(),
        ways=get_args(TiebreakRules.__annotations__["by"]),
        needs_figure=Rules.NEEDS_FIGURE,
        taken=Rules.TAKEN,
        saved=own.get(request.args.get("saved", "")),
        data=data,
        was=was if was in own else was and next((id for id in own if own[id].title == (data or {}).get("name")), ""),
        value=partial(shown_value, data or {}),
        rows=partial(shown_rows, data or {}),
        wrong=problems_by_field(wrong, words),
        doubtful=problems_by_field(doubtful, words),
        asked=asked_at_table(own_rulebook(rules_json(rules)), words) if rules else [],
        said=rules_in_words(rules, words) if rules else [],
        matches=worked_matches(rules, words) if rules else [],
        text=toml_text(rules_data(rules)) if rules else "",
        events=[
            each.name for each in listed_events(current.snapshot()) if each.rulebook_id == was and not each.finished
        ],
        faults=[(each.line, each.where, each.say(words)) for each in faults],
    )


@route("POST /console/games/look", ORGANIZERS)
@forms.shows_problem_on(own_games_page)
def look_at_game() -> AnyResponse:
    """The form as it was typed, with what it means; `up`: the tiebreaker that changes places with the one before."""
    data, up = typed_rules(request.form.items()), forms.form_number("up")
    ties = data.get("tiebreakers", [])
    if up is not None and 0 < up < len(ties):
        ties[up - 1 : up + 1] = ties[up], ties[up - 1]
    return _page(data)


def typed_game() -> Rules:
    """The rules that the form says, with or without a name. Raises Problem("game_faults")."""
    rules, faults, _ = problems_of({"name": "–", **typed_rules(request.form.items())})
    if rules is None:
        raise Invalid("game_faults", n=len(faults))
    return rules


@route("POST /console/games", ORGANIZERS)
@forms.shows_problem_on(own_games_page)
def save_game() -> AnyResponse:
    """`was`: the game that is changed, by its id, so that nobody's change is lost; none for a new one."""
    rules, own, was = typed_game(), store_games(current.snapshot()), forms.field("was")
    if "name" not in typed_rules(request.form.items()):
        raise Invalid("game_name_missing", where="/name")
    if was and was not in own:
        raise Problem("step_changed_meanwhile")
    if any(each.title.casefold() == rules.name.casefold() for id, each in own.items() if id != was):
        raise Problem("game_exists", where="/name", name=rules.name)
    renamed = was and own[was].title != rules.name
    entries = [
        NewEntry(GAME_SAVED, {"rules": rules_data(rules)}),
        *([NewEntry(GAME_REMOVED, {"name": own[was].title})] if renamed else []),
    ]
    forms.submit_steps([Step(VENUE, entry) for entry in entries])
    return redirect(url_for("console.own_games_page", saved=rules_id(rules)), 303)


@route("POST /console/games/remove", ORGANIZERS)
@forms.shows_problem_on(own_games_page)
def remove_game() -> None:
    """`game`: its id, so that only what was on the page is removed."""
    if (game := store_games(current.snapshot()).get(forms.field("game"))) is None:
        raise Problem("step_changed_meanwhile")
    forms.add_venue_entry(NewEntry(GAME_REMOVED, {"name": game.title}))


@route("POST /console/games/file", ORGANIZERS)
@forms.shows_problem_on(own_games_page)
def take_in_game() -> AnyResponse:
    """The form filled from a file, or every fault of the file."""
    rules, faults, _ = read_rules(forms.uploaded_text("file"))
    g.status = 400 if faults else 200
    return _page(None if rules is None else rules_data(rules), faults=faults)


@route("GET /console/games/<game>/file", ORGANIZERS)
def game_file(game: str) -> AnyResponse:
    """The game as a file, to be taken in by another hub."""
    book = store_games(current.snapshot()).get(game) or abort(404)
    return render.download(
        toml_text(rules_data(book.rules)), "application/toml; charset=utf-8", f"{file_stem(book.title)}.toml"
    )
