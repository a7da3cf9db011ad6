"""How templates mark what is live: {% region "id" %}<section data-live id="id">{% row key %}<li data-key="…">…"""

from __future__ import annotations

from jinja2 import nodes
from jinja2.ext import Extension
from jinja2.parser import Parser
from markupsafe import Markup

from roundtap_hub.views.regions import MOVING, MOVING_END, REGION, REGION_END, ROW, ROW_END, mark

_MARKS = {"region": (REGION, REGION_END), "row": (ROW, ROW_END), "moving": (MOVING, MOVING_END)}


class RegionTags(Extension):
    """Three tags with an end; what they leave in the text, `views/regions.py` takes out again.

    - `{% region id %}` … `{% endregion %}`, close around one element with `data-live` and this id; in no other region;
    - `{% row key %}` … `{% endrow %}`, in a region, close around one element with this `data-key`; in no other row;
    - `{% moving %}` … `{% endmoving %}` around text that goes on by itself in the browser: a clock, an age. It is no
      change that somebody has to be told.
    """

    tags = set(_MARKS)

    def parse(self, parser: Parser) -> nodes.Node | list[nodes.Node]:
        tag = next(parser.stream)
        begin, end = _MARKS[tag.value]
        name: nodes.Expr = nodes.Const("") if tag.value == "moving" else parser.parse_expression()
        body = parser.parse_statements((f"name:end{tag.value}",), drop_needle=True)
        opened = nodes.TemplateData(mark(begin, name.value)) if isinstance(name, nodes.Const) \
            else self.call_method("_mark", [nodes.Const(begin), name], lineno=tag.lineno)
        closed = nodes.TemplateData(mark(end))
        return [nodes.Output([opened], lineno=tag.lineno), *body, nodes.Output([closed], lineno=tag.lineno)]

    def _mark(self, kind: str, name: object) -> Markup:
        return Markup(mark(kind, name))
