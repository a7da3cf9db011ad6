"""What an event says of itself: when, where, who holds it, and the special rules that are announced for it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date

from roundtap_core.errors import Invalid, Problem
from roundtap_core.names import fit_name

DATE, VENUE, CLUB, EXTERNAL_ID, SPECIAL_RULES = "date", "venue", "club", "external_id", "special_rules"
ABOUT = (DATE, VENUE, CLUB, EXTERNAL_ID, SPECIAL_RULES)
"""In the order in which they are read."""

MOST_LETTERS = 500
"""Of the special rules."""

_NO_TEXT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


def fit_about(said: Mapping[str, str]) -> dict[str, str]:
    """What was typed as the event keeps it, in the order of ABOUT; what is empty is left out.

    Raises Problem("date_wrong", "name_unfit", "name_too_long", "text_too_long") with the key's place.
    """
    fitted = {key: _FIT[key](said.get(key, "")) for key in ABOUT}
    return {key: text for key, text in fitted.items() if text}


def _date(text: str) -> str:
    text = text.strip()
    try:
        # Only this one way to write it: others mean another day elsewhere.
        right = not text or date.fromisoformat(text).isoformat() == text
    except ValueError:
        right = False
    if not right:
        raise Invalid("date_wrong", where=f"/{DATE}", value=text[:20])
    return text


def _line(key: str, text: str) -> str:
    try:
        return fit_name(text)
    except Problem as problem:
        raise problem.at(f"/{key}") from None


def _rules(text: str) -> str:
    text = _NO_TEXT.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).strip()
    if len(text) > MOST_LETTERS:
        raise Invalid("text_too_long", where=f"/{SPECIAL_RULES}", count=len(text), maximum=MOST_LETTERS)
    return text


_FIT = {
    DATE: _date, VENUE: lambda text: _line(VENUE, text), CLUB: lambda text: _line(CLUB, text),
    EXTERNAL_ID: lambda text: _line(EXTERNAL_ID, text), SPECIAL_RULES: _rules,
}
