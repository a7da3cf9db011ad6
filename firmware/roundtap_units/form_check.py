"""Whether a result form can be worked with at all: what a rulebook never makes, a hostile hub may send."""

from __future__ import annotations

from roundtap_core.forms.form import Choice, Exchange, Figure, Form, Picks, Step, Turns
from roundtap_core.rulebooks.registry import RULEBOOKS

SQUADS_MAX = 26
"""They are called A to Z."""


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
            if not _asks_something(step):
                return f"{way.id}: {step!r:.80}"
    return ""


def _asks_something(step: Step) -> bool:
    if isinstance(step, Figure):
        return (0 < len(step.wheels) <= 5 and step.wheels[-1] > 0
                and list(step.wheels) == sorted(set(step.wheels), reverse=True)
                and 0 <= step.minimum <= step.default <= step.maximum and min(step.per_side or (0,)) >= 0)
    if isinstance(step, Choice):
        return all(0 < len(options) <= 64 for options in step.per_side or (step.options,))
    if isinstance(step, Turns):
        return 0 < step.turns <= 99
    if isinstance(step, Picks):
        return 0 < step.take <= step.of <= SQUADS_MAX
    return not isinstance(step, Exchange) or step.price > 0
