"""A player reports from the phone: the rulebook's own form step by step, a yes to what the other one said, and what
became of either."""

from __future__ import annotations

import secrets

from flask import abort, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Problem
from roundtap_core.event.commands import NoteLot, SetPicks
from roundtap_core.forms.questions import SQUADS_MAX, squads_read
from roundtap_core.records import SIDES, Side
from roundtap_core.result_json import result_to_json
from roundtap_core.rulebooks import gate
from roundtap_core.wire import canonical
from roundtap_hub.pages import visit
from roundtap_hub.pages.base import field, the_hub, the_moment, the_snapshot, words
from roundtap_hub.pages.my_page import me, mended_on_mine, my, report_fields, told_as_json, wants_json
from roundtap_hub.pages.walking import Fields, Seat, address_at, draw_lot, page_at, seat_of, shown
from roundtap_hub.personal_links import REPORTS
from roundtap_hub.phone_reports import PHONE, in_phone_s_words, submit, told, told_in_words
from roundtap_hub.policy import PLAYER, route
from roundtap_hub.views.event_at import newest_round, seats, shown_names
from roundtap_hub.views.judging import my_bye

SAVE_S = 10.0


def _seat() -> tuple[Seat, Side]:
    """This player's match of the newest round, and their side; 404 where there is nothing to report."""
    event_id, competitor = me()
    moment = the_moment(event_id)
    played, match = newest_round(moment.state), seats(moment).get(competitor)
    if played is None or match is None or match.match.b is None or moment.state.finished:
        abort(404)
    side: Side = "a" if match.match.a == competitor else "b"
    return seat_of(moment, played, match, shown_names(moment), gate.PLAYER, side), side


@route("GET /me/<token>/report", PLAYER)
def walk(token: str) -> AnyResponse:
    """The next question, or the result that the answers make: nothing is said before it is said there."""
    seat, side = _seat()
    at = page_at(seat, request.args)
    base = _base(seat, side, request.args)
    end = at.result is not None
    fields = [*base, ("result", canonical(result_to_json(at.result)).decode()), ("report_id", secrets.token_hex(16))] \
        if at.result is not None else []
    my_address = url_for("me.my_page", token=token)
    return my("my_walk.html", my=my_address, end=end, report_fields=fields,
              **shown(seat, at, request.args, url_for("me.walk", token=token), base))


def _base(seat: Seat, side: Side, fields: Fields) -> list[tuple[str, str]]:
    """What the player saw when they began: what has changed since is noticed when they have come to the end."""
    now = report_fields(seat.played, seat.match, side)
    began = fields.get("match") == seat.match.id and fields.get("draw", "") == seat.played.mark
    return [(name, fields.get(name, value) if began else value) for name, value in now]


@route("POST /me/<token>/report", PLAYER)
@mended_on_mine
def report(token: str) -> AnyResponse:
    """What this side says; answered once it is on the disk."""
    name, body, saving = submit(the_hub(), me(), request.form, visit.phone())
    if saving is not None:
        try:
            saving.result(SAVE_S)
        except TimeoutError:
            raise Problem("phone_not_yet") from None
        except Problem as problem:
            raise in_phone_s_words(problem) from None
    found = told(the_hub().service.snapshot, me(), name, body)
    if found is None:
        raise Problem("not_saved")
    if wants_json():
        return told_as_json(told_in_words(found, words()))
    return redirect(url_for("me.said", token=token, name=found.name), 303)


@route("GET /me/<token>/said/<name>", PLAYER)
def said(token: str, name: str) -> AnyResponse:
    """What became of a report that was sent without a script."""
    found = told(the_snapshot(), me(), name)
    if found is None:
        abort(404)
    return my("my_said.html", my=url_for("me.my_page", token=token), state=the_moment(me()[0]).state, found=found,
              **told_in_words(found, words()))


@route("POST /me/<token>/report/lot", PLAYER)
@mended_on_mine
def draw_lots(token: str) -> AnyResponse:
    """A coin between the sides, where the form says that a lot decides; it becomes the answer."""
    the_hub().access.links.charge(REPORTS, me())
    seat, side = _seat()
    trail = draw_lot(seat, request.form, f"{PHONE}{me()[1]}")
    fields = [*trail.fields(), *_base(seat, side, request.form)]
    return redirect(address_at(url_for("me.walk", token=token), fields), 303)


@route("POST /me/<token>/lot", PLAYER)
@mended_on_mine
def draw_first(token: str) -> AnyResponse:
    """The lot before play, where no unit draws it: who begins, or who of two equal lists chooses. The first stands."""
    the_hub().access.links.charge(REPORTS, me())
    seat, _ = _seat()
    note = NoteLot(seat.match.id, field("about"), secrets.choice(SIDES), field("draw") or None)
    the_hub().service.tell(seat.state.id, note, f"{PHONE}{me()[1]}")
    return redirect(url_for("me.my_page", token=token), 303)


@route("POST /me/<token>/picks", PLAYER)
@mended_on_mine
def field_squads(token: str) -> AnyResponse:
    """Whoever has a bye fields squads as well, and says which."""
    the_hub().access.links.charge(REPORTS, me())
    event_id, competitor = me()
    bye = my_bye(the_moment(event_id), competitor)
    if bye is None:
        abort(404)
    picks = squads_read(request.form.getlist("picks")[:SQUADS_MAX])
    the_hub().service.tell(event_id, SetPicks(bye.match.id, tuple(picks)), f"{PHONE}{competitor}")
    return redirect(url_for("me.my_page", token=token), 303)
