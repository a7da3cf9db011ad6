"""The hub's signs in a page: signs.svg.html has their outlines."""

from __future__ import annotations

from markupsafe import Markup, escape


def sign(name: str, label: str = "") -> Markup:
    """A sign; who does not see it is told its `label`, and nothing without one. No macro: a page has dozens."""
    said = f'role="img" aria-label="{escape(label)}"' if label else 'aria-hidden="true"'
    return Markup(f'<svg class="sign sign-{escape(name)}" {said}><use href="#s-{escape(name)}"/></svg>')
