"""Regions of a page and their rows: marks leave no trace, and a patch makes the old page the new one."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import Environment
from page_dom import patched, tree

from roundtap_hub.live.regions import CSRF, NOW, RenderedPage, diff_pages, fill_placeholders, split_regions
from roundtap_hub.live.template_tags import RegionTags

PAGE = """<html><head><title>{{ title }}</title></head><body data-seen="<:seen:>">
{% for id, head, groups in regions %}
{% region id %}
<section data-live id="{{ id }}"><h1>{{ head }}</h1>
{% for rows in groups %}
<ol class="rows">
{% for key, text in rows %}
  {% row key %}<li data-key="{{ key }}">{{ text }}<b>{% moving %}{{ now }}{% endmoving %}</b></li>{% endrow %}

{% endfor %}
</ol>
{% endfor %}
</section>
{% endregion %}
{% endfor %}
<footer>{{ foot }}</footer></body></html>
"""
ENVIRONMENT = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True, extensions=[RegionTags])
TEMPLATE = ENVIRONMENT.from_string(PAGE)

TEXT = st.text(st.sampled_from("ab<&\"' 1\n\x01[]{}ł"), max_size=6)

GROUPS = st.lists(st.lists(st.sampled_from([f"k{n}<" for n in range(9)]), unique=True, max_size=9), max_size=2)
DISTINCT = GROUPS.map(lambda groups: [[f"{n}{key}" for key in keys] for n, keys in enumerate(groups)])


def page(version: str, *regions: object, title: str = "Cup", foot: str = "", now: str = "1:00") -> RenderedPage:
    return split_regions(TEMPLATE.render(regions=regions, title=title, foot=foot, now=now), version)


def patch(old: RenderedPage, new: RenderedPage) -> dict[str, object]:
    told: dict[str, object] = json.loads(diff_pages(old, new).text)
    return told


def rows(*texts: str) -> list[tuple[str, str]]:
    """ "1a": the row of key "1" with the text "1a"."""
    return [(text[0], text) for text in texts]


def test_marks_leave_no_trace_and_the_version_is_put_in():
    found = page("v1", ("a", "Tables", [rows("1a", "2b")]))
    assert "\x01" not in found.body.decode()
    assert '<body data-seen="v1">' in found.body.decode()
    assert '<li data-key="1">1a<b>1:00</b></li><li data-key="2">2b<b>1:00</b></li>' in found.body.decode()
    assert found.regions["a"].html in found.body.decode()


def test_what_somebody_typed_is_no_mark():
    typed = "<\x01[b\x01> <:csrf:> <:seen:>"
    found = page("v1", ("a", typed, []))
    assert list(found.regions) == ["a"]
    assert CSRF not in found.body.decode()
    assert "&lt;:csrf:&gt; &lt;:seen:&gt;" in found.body.decode()


def test_one_row_that_changed_is_all_that_is_told():
    old, new = (
        page(v, ("a", "Tables", [rows("1a", "2b", text)]), ("b", "Other", []))
        for v, text in (("v1", "3c"), ("v2", "3d"))
    )
    assert patch(old, new) == {
        "from": "v1",
        "to": "v2",
        "regions": [{"id": "a", "gone": [], "rows": [{"key": "3", "html": '<li data-key="3">3d<b>1:00</b></li>'}]}],
    }


def test_rows_come_and_go():
    old = page("v1", ("a", "Tables", [rows("1a", "2b", "3c", "4d")]))
    new = page("v2", ("a", "Tables", [rows("0x", "1a", "3c", "9y", "4d")]))
    assert patch(old, new)["regions"] == [
        {
            "id": "a",
            "gone": ["2"],
            "rows": [
                {"key": "0", "html": '<li data-key="0">0x<b>1:00</b></li>', "before": "1"},
                {"key": "9", "html": '<li data-key="9">9y<b>1:00</b></li>', "after": "3"},
            ],
        }
    ]


@pytest.mark.parametrize(
    "new",
    [
        ("a", "Tables", [rows("2b", "1a")]),
        ("a", "Other head", [rows("1a", "2b")]),
        ("a", "Tables", [rows("3a", "4b")]),
        ("a", "Tables", [rows("1a", "2b"), rows("3c")]),
        ("a", "Tables", []),
        ("a", "Tables", [rows("1a", "1b")]),
    ],
    ids=["order", "head", "all new", "another list", "none", "one key twice"],
)
def test_where_more_than_rows_changed_the_region_is_told(new: object):
    old, fresh = page("v1", ("a", "Tables", [rows("1a", "2b")])), page("v2", new)
    assert patch(old, fresh)["regions"] == [{"id": "a", "html": fresh.regions["a"].html}]


def test_where_the_page_changed_beside_its_regions_it_is_to_be_loaded():
    old = page("v1", ("a", "Tables", []))
    for new in (
        page("v2", ("a", "Tables", []), title="Open"),
        page("v2", ("a", "Tables", []), foot="x"),
        page("v2"),
        page("v2", ("a", "Tables", []), ("b", "", [])),
        page("v2", ("b", "Tables", [])),
    ):
        assert patch(old, new) == {"from": "v1", "to": "v2", "whole": True}


def test_another_version_and_what_moves_by_itself_are_no_change():
    region = ("a", "Tables", [rows("1a")])
    assert patch(page("v1", region, now="1:00"), page("v2", region, now="0:59"))["regions"] == []


def test_each_reader_s_own_token_and_time_are_put_into_page_and_patch():
    line = f'<form data-key="f"><input value="{CSRF}"><input value="{NOW}">'
    old, new = (
        split_regions(f"<\x01[a\x01><p data-live id=a>{line}{end}</form></p><\x01]\x01>", "v") for end in ("1", "2")
    )
    assert (
        fill_placeholders(new.body.decode(), "t0k-En", 12)
        == '<p data-live id=a><form data-key="f"><input value="t0k-En">'
        '<input value="12">2</form></p>'
    )
    assert 'value=\\"t0k-En\\"' in fill_placeholders(diff_pages(old, new).text, "t0k-En", 12)


@pytest.mark.parametrize(
    "text",
    [
        "{% region 'a' %}{% region 'b' %}{% endregion %}{% endregion %}",
        "{% row 1 %}{% endrow %}",
        "{% region 'a' %}{% row 1 %}{% row 2 %}{% endrow %}{% endrow %}{% endregion %}",
        "{% region 'a' %}{% endregion %}{% region 'a' %}{% endregion %}",
    ],
)
def test_a_template_that_marks_wrongly_is_told(text: str):
    with pytest.raises(ValueError, match=r"mark|regions"):
        split_regions(ENVIRONMENT.from_string(text).render(), "v")


def regions(key_sets: list[list[list[str]]]) -> st.SearchStrategy[list[object]]:
    return st.tuples(
        *(
            st.tuples(
                st.just(f"r{n}"),
                st.sampled_from(["", "head", "<b>"]),
                st.tuples(*(st.tuples(*(st.tuples(st.just(key), TEXT) for key in keys)) for keys in groups)),
            )
            for n, groups in enumerate(key_sets)
        )
    ).map(list)


@given(st.data(), st.integers(0, 2))
def test_the_old_page_and_the_patch_are_the_new_page(data: st.DataObject, count: int):
    old, new = (page(v, *data.draw(regions([data.draw(DISTINCT) for _ in range(count)]))) for v in ("v1", "v2"))
    after = patched(tree(old.body.decode()), diff_pages(old, new).text)
    assert after.shape() == tree(new.body.decode()).shape()
