"""A page as a tree, and a patch applied to it the way a browser does: nothing here knows how patches are made."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

VOID = {"meta", "link", "input", "br", "hr", "img", "use", "path", "rect", "circle"}


@dataclass(eq=False)
class Node:
    """An element; its children are elements and texts."""

    tag: str
    attributes: dict[str, str | None] = field(default_factory=dict)
    children: list[Node | str] = field(default_factory=list)
    parent: Node | None = None

    def find(self, **wanted: str) -> list[Node]:
        """Elements below with these attributes (`data_key` is "data-key")."""
        names = {name.replace("_", "-"): value for name, value in wanted.items()}
        found = []
        for child in self.children:
            if isinstance(child, Node):
                if all(child.attributes.get(name) == value for name, value in names.items()):
                    found.append(child)
                found += child.find(**wanted)
        return found

    def by_id(self, id: str) -> Node:
        [found] = self.find(id=id)
        return found

    def replace_with(self, *others: Node) -> None:
        at = self.parent.children.index(self)
        self.parent.children[at : at + 1] = others
        for other in others:
            other.parent = self.parent

    def put(self, node: Node, beside: Node, offset: int) -> None:
        self.children.insert(self.children.index(beside) + offset, node)
        node.parent = self

    def shape(self) -> Any:
        """For comparing: without the white space that separates rows and ends lines."""
        inner = [child.shape() if isinstance(child, Node) else " ".join(child.split()) for child in self.children]
        return (self.tag, sorted((k, v or "") for k, v in self.attributes.items()), [one for one in inner if one])


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = Node("root")
        self.at = self.root

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, dict(attrs), [], self.at)
        self.at.children.append(node)
        if tag not in VOID:
            self.at = node

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.at.children.append(Node(tag, dict(attrs), [], self.at))

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        assert self.at.tag == tag, (self.at.tag, tag, self.getpos())
        assert self.at.parent is not None
        self.at = self.at.parent

    def handle_data(self, data: str) -> None:
        self.at.children.append(data)


def tree(html: str) -> Node:
    with closing(_Builder()) as builder:
        builder.feed(html)
    assert builder.at is builder.root
    return builder.root


def one(html: str) -> Node:
    [node] = (child for child in tree(html).children if isinstance(child, Node))
    return node


def patched(page: Node, text: str) -> Node:
    """The page after a patch that came as JSON."""
    for change in json.loads(text)["regions"]:
        region = page.by_id(change["id"])
        if "html" in change:
            region.replace_with(one(change["html"]))
            continue
        for key in change["gone"]:
            [row] = region.find(data_key=key)
            row.replace_with()
        for told in change["rows"]:
            fresh = one(told["html"])
            assert fresh.attributes["data-key"] == told["key"]
            beside = told.get("after", told.get("before"))
            if beside is None:
                [row] = region.find(data_key=told["key"])
                row.replace_with(fresh)
            else:
                [row] = region.find(data_key=beside)
                row.parent.put(fresh, row, 1 if "after" in told else 0)
    for body in page.find(data_seen=json.loads(text)["from"]):
        body.attributes["data-seen"] = json.loads(text)["to"]
    return page
