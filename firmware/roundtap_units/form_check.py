"""Whether a result form can be worked with at all: what a rulebook never makes, a hostile hub may send."""

from __future__ import annotations

from roundtap_core.forms.form import Form
from roundtap_core.rulebooks.registry import RULEBOOKS


def wrong_in_form(form: Form) -> str:
    """Where a form is out of all ranges; "" where it is not."""
    if form.rulebook not in RULEBOOKS:
        return f"no such rulebook: {form.rulebook}"
    if not 0 < len(form.ways) <= 16 or not 0 < form.games <= 9 or len(form.worth) > 8:
        return "ways, games or worth"
    if form.look_s is not None and not 0 < form.look_s <= 3600:
        return "look_s"
    for way in form.ways:
        if len(way.steps) > 64:
            return f"{way.id}: steps"
        for step in way.steps:
            if not step.sound():
                return f"{way.id}: {step!r:.80}"
    return ""
