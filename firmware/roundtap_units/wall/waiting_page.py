"""The wall's own page, for as long as no hub answers: what it looks for, and what a person can check."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from roundtap_core.words import LANGUAGES, Words
from roundtap_units.unit_words import unit_words

AGAIN_S = 2
"""The page is loaded again so often, by its own word: it needs no script."""
STYLE = ("html{background:#0e1113;color:#f4f5f5;cursor:none;font:min(3vw,6vh)/1.3 'DejaVu Sans',sans-serif;height:100%}"
         "body{margin:0;height:100%;display:grid;place-content:center;text-align:center;overflow:hidden}"
         "h1{font-size:2.6em;margin:0 0 .4em}p{margin:.25em 2em}.other{color:#a7afb5;font-size:.7em}"
         ".here{position:fixed;inset:auto 0 1em;color:#a7afb5;font-size:.6em}")


def waiting_page(language: str, own_address: str, configured: str) -> str:
    """As HTML. `language` "": nobody said which, so all of them. `own_address` "": the machine is on no network.
    `configured`: the only hub that it was told to look for."""
    said = [unit_words(one) for one in ((language,) if language else LANGUAGES)]
    first, *others = said
    lines = [f"<h1>{escape(first('wall.looking'))}</h1>", *(f"<p>{escape(line)}</p>" for line in
                                                           _lines(first, own_address, configured))]
    for t in others:
        text = escape(" · ".join(_short(t, own_address, configured)))
        lines.append(f'<p class="other" lang="{t.language}">{text}</p>')
    if own_address:
        lines.append(f'<p class="here">{escape(own_address)}</p>')
    return (f'<!doctype html><html lang="{first.language}"><meta charset="utf-8"><title>Roundtap</title>'
            f'<meta name="color-scheme" content="dark"><meta http-equiv="refresh" content="{AGAIN_S}">'
            f"<style>{STYLE}</style>{''.join(lines)}</html>")


def _lines(t: Words, own_address: str, configured: str) -> Sequence[str]:
    return [*_short(t, own_address, configured)[1:], t("wall.by_itself")]


def _short(t: Words, own_address: str, configured: str) -> Sequence[str]:
    if not own_address:
        return [t("wall.looking"), t("wall.no_network")]
    return [t("wall.looking"), t("wall.told", hub=configured) if configured else t("wall.hub_off")]
