"""How templates are compiled: tags for what is live or a role's, macros that pages share, plain calls."""

from collections.abc import MutableMapping
from functools import cached_property, lru_cache
from keyword import iskeyword
from typing import Any

from flask.templating import Environment
from jinja2 import Template, meta, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.utils import missing
from markupsafe import Markup, escape

from roundtap_hub.live import regions

_MARKS = {
    "region": (regions.REGION, regions.REGION_END),
    "row": (regions.ROW, regions.ROW_END),
    "moving": (regions.MOVING, regions.MOVING_END),
}

# What templates call most: functions that want nothing of a template's context.
PLAIN_CALLS = frozenset({"t", "sign", "url_for", "static_url", "clock_text", "age_text", "csrf"})

MACROS_MAX = 8  # contexts for which a template's macros are remembered

TEXTS_MAX = 4096  # texts whose escaped form is remembered: a hall's names and a language's words


class RegionTags(Extension):
    """Template tags that mark live parts; live/regions.py takes the marks out again.

    - `{% region id %}` … `{% endregion %}`, directly around one element with `data-live` and this id; not nested;
    - `{% row key %}` … `{% endrow %}`, in a region, directly around one element with this `data-key`; not nested;
    - `{% moving %}` … `{% endmoving %}` around text that the browser updates itself (a clock, an age): never a change;
    - `{% may address %}` … `{% else %}` … `{% endmay %}`: for readers who may request this ("POST /console/e1/draw"),
      by the row that guards it; for the others;
    - `{% maybe %}` … `{% endmaybe %}`: a fold or row whose buttons are all marked so, gone where all of them are.
    """

    tags = {*_MARKS, "may", "maybe"}

    def parse(self, parser: Parser) -> nodes.Node | list[nodes.Node]:
        tag = next(parser.stream)
        begin, end = _MARKS.get(tag.value, (tag.value, ""))
        name: nodes.Expr = nodes.Const("") if tag.value in ("moving", "maybe") else parser.parse_expression()
        body = parser.parse_statements((f"name:end{tag.value}", "name:else"))
        if next(parser.stream).value == "else":
            others = parser.parse_statements((f"name:end{tag.value}",), drop_needle=True)
            body = [*body, nodes.Output([nodes.TemplateData(regions.ELSE)]), *others]
        opened = (
            nodes.TemplateData(self._mark(begin, name.value))
            if isinstance(name, nodes.Const)
            else self.call_method("_mark", [nodes.Const(begin), name], lineno=tag.lineno)
        )
        closed = nodes.TemplateData(regions.region_mark(end) if end else regions.ENDS)
        return [nodes.Output([opened], lineno=tag.lineno), *body, nodes.Output([closed], lineno=tag.lineno)]

    def _mark(self, kind: str, name: object) -> Markup:
        if kind == "may":
            return Markup(f"{regions.MAY}{escape(name)}:>")
        return Markup(regions.MAYBE if kind == "maybe" else regions.region_mark(kind, name))


def sign_icon(name: str, label: str = "") -> Markup:
    """An icon of signs.svg.html; screen readers read its `label`. Not a macro: a page has dozens."""
    aria = f'role="img" aria-label="{escape(label)}"' if label else 'aria-hidden="true"'
    return Markup(f'<svg class="sign sign-{escape(name)}" {aria}><use href="#s-{escape(name)}"/></svg>')


_escaped = lru_cache(TEXTS_MAX)(escape)


def escape_text(value: object) -> Markup:
    """As `escape`; pages say the same words again and again."""
    return _escaped(value) if type(value) is str else escape(value)


class PlainCode(CodeGenerator):
    """Compiles calls of `PLAIN_CALLS` as Python's own; of others, Jinja finds out each time what they want."""

    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:
        super().visit_Template(node, frame)
        self.writeline(f"from {__name__} import {escape_text.__name__} as escape")

    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:
        plain = isinstance(node.node, nodes.Name) and node.node.name in PLAIN_CALLS
        if not plain or node.dyn_args or node.dyn_kwargs or any(iskeyword(each.key) for each in node.kwargs):
            super().visit_Call(node, frame, forward_caller=forward_caller)
            return
        self.visit(node.node, frame)
        self.write("(")
        for each in (*node.args, *node.kwargs):
            self.visit(each, frame)
            self.write(", ")
        self.write(")")


class KeptMacros(Template):
    """A template whose macros are made once for many pages that import them "with context": anew only where a name that
    they read there means something else. What all templates have (an environment's globals) means the same."""

    def make_module(self, vars: Any = None, shared: bool = False, locals: Any = None) -> Any:
        given = {**(vars or {}), **{name: value for name, value in (locals or {}).items() if value is not missing}}
        read = {name: given[name] for name in self._names if name in given}
        key = (*read, *map(id, read.values()))
        kept = self.__dict__.setdefault("_kept", {})
        if (made := kept.get(key)) is None:
            if len(kept) >= MACROS_MAX:
                kept.clear()
            # With what they read, whose ids are no other's as long as it is there.
            made = kept[key] = read, super().make_module(read)
        return made[1]

    @cached_property
    def _names(self) -> set[str]:
        """What its macros, and those that they import, read of the template that imports them."""
        loader: Any = self.environment.loader
        tree = self.environment.parse(loader.get_source(self.environment, self.name)[0])
        imported: Any = [self.environment.get_template(str(name)) for name in meta.find_referenced_templates(tree)]
        return meta.find_undeclared_variables(tree).union(*(each._names for each in imported))


class Templates(Environment):
    """The templates of one application."""

    code_generator_class = PlainCode
    template_class = KeptMacros

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, object]:
        # No template has some of its own: one dict is copied faster than a chain of them.
        return self.globals
