"""A page as a role may use it: what the table of who may do what (policy.py) refuses to its reader is not on it."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

Allowed = Callable[[str], bool]
"""Whether "POST /console/e1/draw" may be asked."""

_FORM = re.compile(r'<form\b(?=[^>]*\bmethod="post")[^>]*\baction="([^"]*)"[^>]*>.*?</form>', re.DOTALL)
_LINK = re.compile(r'<a\b([^>]*)\bhref="(/console[^"]*)"([^>]*)>(.*?)</a>', re.DOTALL)
_GONE = "<:gone:>"
_HOLLOW = re.compile(
    rf"<details\b[^>]*>(?:(?!</?details\b|<form\b|<a\b|{_GONE}).)*(?:{_GONE}(?:(?!</?details\b|<form\b|<a\b|{_GONE}).)*)+"
    r"</details>", re.DOTALL)
_ROW = re.compile(rf'<(div|span) class="row">\s*(?:{_GONE}\s*)+</\1>')


def as_allowed(page: str, allowed: Allowed) -> str:
    """The page without forms that would be refused, without the folds that held nothing else, and without links to
    pages that are somebody else's."""

    def form(found: re.Match[str]) -> str:
        return found[0] if allowed(f"POST {_path(found[1])}") else _GONE

    def link(found: re.Match[str]) -> str:
        if allowed(f"GET {_path(found[2])}"):
            return found[0]
        return _GONE if 'class="button' in found[1] + found[3] else found[4]

    page = _LINK.sub(link, _FORM.sub(form, page))
    while True:
        emptied = _ROW.sub(_GONE, _HOLLOW.sub(_GONE, page))
        if emptied == page:
            return page.replace(_GONE, "")
        page = emptied


def _path(address: str) -> str:
    return re.split(r"[?#]", html.unescape(address), maxsplit=1)[0]
