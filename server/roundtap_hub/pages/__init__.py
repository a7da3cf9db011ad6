"""The hub's web pages: home, console, wall, and the players' own."""

from __future__ import annotations

from flask import Blueprint, Flask

from roundtap_hub.hub import Hub
from roundtap_hub.pages import (
    absent,
    aid,
    announced,
    archive,
    base,
    before_doors,
    competitors,
    console,
    console_parts,
    counting_aid,
    cut,
    displays,
    enrol,
    error_pages,
    export,
    find,
    hand_entry,
    home,
    import_people,
    imposed_round,
    judge,
    judging,
    lists,
    mending,
    my_page,
    my_report,
    my_wishes,
    new_event,
    officials,
    outcome,
    paper,
    people_desk,
    person_link,
    play_on,
    players,
    print_pages,
    prizes,
    restored,
    result_walk,
    results,
    rounds,
    set_time,
    sign_up,
    sign_up_desk,
    slip_desk,
    slip_door,
    staff_list,
    swap_check,
    this_hub,
    trust,
    units,
    wall,
)
from roundtap_hub.public.region_tags import RegionTags
from roundtap_hub.static_files import StaticFiles
from roundtap_hub.views.renderings import RENDERINGS, Renderings
from roundtap_hub.views.row_texts import ROW_TEXTS, RowTexts

CONSOLE_PAGES = (
    archive,
    restored,
    console,
    console_parts,
    new_event,
    rounds,
    cut,
    imposed_round,
    mending,
    results,
    hand_entry,
    counting_aid,
    swap_check,
    result_walk,
    competitors,
    import_people,
    people_desk,
    person_link,
    sign_up_desk,
    absent,
    judging,
    officials,
    play_on,
    lists,
    enrol,
    units,
    before_doors,
    displays,
    export,
    find,
    prizes,
    outcome,
    judge,
    this_hub,
    set_time,
    staff_list,
    slip_desk,
    print_pages,
    paper,
)


def register(app: Flask, hub: Hub) -> None:
    """Put every page on the application. Public pages ask for nothing, the console for the PIN."""
    app.extensions["roundtap"] = hub
    app.extensions[RENDERINGS] = Renderings()
    app.extensions[ROW_TEXTS] = RowTexts()
    app.extensions[outcome.OUTCOMES] = outcome.Outcomes()
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.jinja_env.globals["static_url"] = StaticFiles().url
    app.jinja_env.add_extension(RegionTags)
    public = Blueprint("pages", __name__)
    organizer = Blueprint("console", __name__, url_prefix="/console")
    slips = Blueprint("slips", __name__)
    base.guard(public)
    base.guard(organizer, organizer_only=True)
    for module in (home, wall, players, announced, aid, trust):
        module.routes(public)
    for module in CONSOLE_PAGES:
        module.routes(organizer)
    joining = Blueprint("join", __name__)
    sign_up.guard(joining)
    sign_up.routes(joining)
    personal = Blueprint("me", __name__)
    my_page.guard(personal)
    for module in (my_page, my_report, my_wishes):
        module.routes(personal)
    print_pages.public_routes(public)
    slip_door.routes(slips)
    error_pages.handle(app)
    app.register_blueprint(public)
    app.register_blueprint(slips)
    app.register_blueprint(organizer)
    app.register_blueprint(personal)
    app.register_blueprint(joining)
