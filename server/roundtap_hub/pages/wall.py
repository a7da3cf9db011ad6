"""The wall of one event, and the way to it. What it shows: "wall.html", filled by public/sheets.py."""

from __future__ import annotations

from flask import Blueprint, request
from werkzeug.wrappers import Response as AnyResponse

from roundtap_hub.pages.base import public_page, the_asked, the_moment
from roundtap_hub.public import sheets


def routes(bp: Blueprint) -> None:
    bp.add_url_rule("/wall", "any_wall", any_wall)
    bp.add_url_rule("/wall/<event_id>", "wall", wall)


def any_wall() -> AnyResponse:
    """To the wall of the event that is being played, else of one that will be."""
    return public_page(sheets.any_wall(the_asked(), _variant()))


def wall(event_id: str) -> AnyResponse:
    """`?theme=dark` or `light`; `?part=1/2`: the first of two walls that share the alphabet."""
    return public_page(sheets.wall(the_asked(), the_moment(event_id), _variant()))


def _variant() -> str:
    return sheets.wall_variant(request.args.get("theme", ""), request.args.get("part", ""))
