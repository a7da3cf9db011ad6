"""What the tests of forms and of those who fill them share."""

from typing import Any

from msgspec import to_builtins

from roundtap_core.forms.form import Form, WayToEnd, walk_way
from roundtap_core.forms.questions import Answers, Question


def form_to_json(form: Form) -> dict[str, Any]:
    """The form as plain JSON, as it travels in a table's view."""
    return dict(to_builtins(form))


def next_step(way: WayToEnd, answers: Answers) -> Question | None:
    """The first question still to be answered, or None when the way is complete."""
    return walk_way(way, answers).question
