"""What the tests of players' lists share: a problem's place and key, after it was said in all four languages."""

from collections.abc import Iterable

from roundtap_core.errors import Problem
from roundtap_core.lists.list_form import ListCheck, option_text
from roundtap_core.words import LANGUAGES, core_words


def places(problems: Iterable[Problem]) -> dict[str, str]:
    """Place → key. Each text must exist in every language, with every figure filled in, and no two alike."""
    found = {}
    for problem in problems:
        texts = {problem.say(core_words(language)) for language in LANGUAGES}
        assert len(texts) == len(LANGUAGES), problem.key
        for text in texts:
            assert "{" not in text
            assert all(str(value) in text for name, value in problem.params.items() if name in ("line", "first"))
        assert problem.where not in found, (problem, found)
        found[problem.where] = problem.key
    return found


def every_label(check: ListCheck, options: dict[str, object]) -> None:
    """Each field, column, title and option of the form has its text in every language."""
    form = check.form(options)
    fields = [*form.shared, *form.fields, *(column for lines in form.lines for column in lines.columns)]
    for language in LANGUAGES:
        words = core_words(language)
        for field in fields:
            assert words(field.text)
            assert all(option_text(words, option) != "" for option in field.options)
        for lines in form.lines:
            assert words(lines.text, number=lines.number)
