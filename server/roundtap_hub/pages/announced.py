"""What is announced, for everybody to read: "announced.html", filled by public/sheets.py."""

from __future__ import annotations

from flask import Blueprint
from werkzeug.wrappers import Response as AnyResponse

from roundtap_hub.pages.base import public_page, the_asked, the_moment
from roundtap_hub.public import sheets


def routes(bp: Blueprint) -> None:
    bp.add_url_rule("/rules/<event_id>", "announced", announced)


def announced(event_id: str) -> AnyResponse:
    return public_page(sheets.announced(the_asked(), the_moment(event_id)))
