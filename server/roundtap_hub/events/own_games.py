"""The page of the store's own games: what there is, and the form that makes one and says what it means."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, get_args

from flask import abort, g, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_core.eventfile.exports import file_stem
from roundtap_core.rulebooks.own import own_rulebook
from roundtap_core.rulebooks.own_rules import (
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
from roundtap_hub.events.game_form import presets, problems_by_field, shown_rows, shown_value, toml_text, typed_rules
from roundtap_hub.http.routes import ORGANIZERS, route
from roundtap_hub.live import current, forms, render
from roundtap_hub.live.render import place_page
from roundtap_hub.store.service import Step
from roundtap_hub.store.venue import GAME_REMOVED, GAME_SAVED
from roundtap_hub.views.saved_event import listed_events
from roundtap_hub.views.store_games import asked_at_table, store_games


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
