"""Template tags for what is live, or a role's; icons; and compiled templates, kept for the next start."""

import os
import sys
from contextlib import suppress
from pathlib import Path

import jinja2
from jinja2 import nodes
from jinja2.bccache import Bucket, FileSystemBytecodeCache
from jinja2.ext import Extension
from jinja2.parser import Parser
from markupsafe import Markup, escape

from roundtap_core.version import version
from roundtap_hub.live import regions

_MARKS = {
    "region": (regions.REGION, regions.REGION_END),
    "row": (regions.ROW, regions.ROW_END),
    "moving": (regions.MOVING, regions.MOVING_END),
}


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


class CompiledTemplates(FileSystemBytecodeCache):
    """Templates as Python's bytecode, kept where Python keeps its own: compiling a page's templates takes a hub as long
    as hundreds of its pages. A card that is full or cannot be written keeps none."""

    def __init__(self, package: Path) -> None:
        # What compiles them is part of the name: their text alone is compared.
        makers = [Path(each).read_text(encoding="utf-8") for each in (__file__, regions.__file__)]
        made_by = self.get_source_checksum("".join([jinja2.__version__, version(), *makers]))[:16]
        folder = Path(os.environ.get("CACHE_DIRECTORY") or package / "__pycache__")
        super().__init__(str(folder), f"%s.{made_by}.template")
        with suppress(OSError):
            for old in folder.glob("*.template"):
                if made_by not in old.name:
                    old.unlink()

    def load_bytecode(self, bucket: Bucket) -> None:
        try:
            super().load_bytecode(bucket)
        except Exception:  # a damaged one may raise anything, and is made again
            bucket.reset()

    def dump_bytecode(self, bucket: Bucket) -> None:
        if not sys.dont_write_bytecode:
            with suppress(OSError):
                super().dump_bytecode(bucket)


def sign_icon(name: str, label: str = "") -> Markup:
    """An icon of signs.svg.html; screen readers read its `label`. Not a macro: a page has dozens."""
    aria = f'role="img" aria-label="{escape(label)}"' if label else 'aria-hidden="true"'
    return Markup(f'<svg class="sign sign-{escape(name)}" {aria}><use href="#s-{escape(name)}"/></svg>')
