"""Macros that pages share are made once, and say what each page's own context says."""

from flask import Flask
from jinja2 import DictLoader
from markupsafe import Markup

from roundtap_hub.live.template_tags import MACROS_MAX, Templates, escape_text

SOURCES = {
    "parts.html": '{% from "deeper.html" import sized with context %}'
    "{% macro side(which) %}<b>{{ t(which) }}{{ sized(which) }}</b>{% endmacro %}",
    "deeper.html": "{% macro sized(which) %}{{ size }}{% endmacro %}",
    "page.html": '{% from "parts.html" import side with context %}'
    '{{ side("left") }} {{ name }} {{ t("told", with=name) }}',
    "looped.html": '{% for size in sizes %}{% include "page.html" %}|{% endfor %}',
}


def templates() -> Templates:
    return Templates(Flask(__name__), loader=DictLoader(SOURCES), autoescape=True)


def english(key: str, **said: str) -> str:
    return {"left": "left", "told": "told <{with}>"}[key].format(**said)


def spanish(key: str, **said: str) -> str:
    return {"left": "izquierda", "told": "dicho <{with}>"}[key].format(**said)


def test_two_pages_of_one_context_share_their_macros():
    environment = templates()
    parts = environment.get_template("parts.html")
    made = [parts.make_module({"t": english, "size": 1, "name": name}) for name in ("Ana", "Eva")]
    assert made[0] is made[1]
    assert parts.make_module({"t": spanish, "size": 1}) is not made[0]


def test_a_page_in_another_language_has_its_own_words():
    page = templates().get_template("page.html")
    said = [page.render(t=t, size=2, name="Zoë & Co") for t in (english, spanish, english)]
    assert said[0] == said[2] == "<b>left2</b> Zoë &amp; Co told &lt;Zoë &amp; Co&gt;"
    assert said[1] == "<b>izquierda2</b> Zoë &amp; Co dicho &lt;Zoë &amp; Co&gt;"


def test_what_a_loop_names_reaches_the_macros_that_macros_import():
    looped = templates().get_template("looped.html").render(t=english, name="-", sizes=[1, 2, 1])
    assert looped.count("<b>left1</b>") == 2
    assert looped.count("<b>left2</b>") == 1


def test_many_contexts_are_forgotten():
    parts = templates().get_template("parts.html")
    first = parts.make_module({"t": english, "size": 0})
    for size in range(1, MACROS_MAX + 1):
        parts.make_module({"t": english, "size": str(size)})
    assert parts.make_module({"t": english, "size": 0}) is not first


def test_markup_stays_and_text_is_escaped():
    assert escape_text("<i>") == "&lt;i&gt;"
    assert escape_text(Markup("<i>")) == "<i>"
    assert escape_text("<i>") == "&lt;i&gt;"
    assert escape_text(7) == "7"
