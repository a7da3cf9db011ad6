"""The oldest browsers that the pages are made for, and what a script or a style sheet has that they do not know.

`newer_than_floor.json` names functions, properties and interfaces that came later, with the versions that had them,
from MDN's browser-compat-data 8.1.9 (CC0). Names that also mean something older are left out."""

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import tree_sitter_javascript
from tree_sitter import Language, Node, Parser

FLOOR = {"Safari": (12, 1), "Chrome": (70,), "Firefox": (68,)}
"""Safari 12.1 is that of iOS 12.5."""
SERVER = Path(__file__).parents[2] / "server"
HERE = Path(__file__).parent
NEWER: dict[str, str] = json.loads((HERE / "newer_than_floor.json").read_text(encoding="utf-8"))
PARSER = Parser(Language(tree_sitter_javascript.language()))

HARMLESS = {
    "transferSize": "undefined is not 0: such a page counts as new",
    "actualBoundingBoxAscent": "another figure stands in for it",
    "pointerId": "an argument of a function that is looked for",
    "keepalive": "a field of a request, which a browser may leave out",
}
"""What is only read, and why its absence changes nothing."""

ES2018 = frozenset(
    [
        "program",
        "comment",
        "identifier",
        "property_identifier",
        "shorthand_property_identifier",
        "statement_identifier",
        "shorthand_property_identifier_pattern",
        "member_expression",
        "subscript_expression",
        "call_expression",
        "new_expression",
        "arguments",
        "expression_statement",
        "lexical_declaration",
        "variable_declaration",
        "variable_declarator",
        "statement_block",
        "empty_statement",
        "if_statement",
        "else_clause",
        "for_statement",
        "for_in_statement",
        "while_statement",
        "do_statement",
        "switch_statement",
        "switch_body",
        "switch_case",
        "switch_default",
        "try_statement",
        "catch_clause",
        "finally_clause",
        "throw_statement",
        "return_statement",
        "break_statement",
        "continue_statement",
        "labeled_statement",
        "function_declaration",
        "function_expression",
        "generator_function",
        "generator_function_declaration",
        "arrow_function",
        "method_definition",
        "formal_parameters",
        "class",
        "class_declaration",
        "class_body",
        "class_heritage",
        "assignment_expression",
        "augmented_assignment_expression",
        "binary_expression",
        "unary_expression",
        "update_expression",
        "ternary_expression",
        "parenthesized_expression",
        "sequence_expression",
        "yield_expression",
        "await_expression",
        "string",
        "string_fragment",
        "escape_sequence",
        "template_string",
        "template_substitution",
        "number",
        "regex",
        "regex_pattern",
        "regex_flags",
        "array",
        "object",
        "pair",
        "spread_element",
        "computed_property_name",
        "object_pattern",
        "array_pattern",
        "pair_pattern",
        "assignment_pattern",
        "object_assignment_pattern",
        "rest_pattern",
        "this",
        "super",
        "true",
        "false",
        "null",
        "undefined",
    ]
)
"""What the syntax of a script may consist of: whatever comes later has a kind that is not among these."""
NEWER_OPERATORS = frozenset({"??", "??=", "||=", "&&=", "?."})
FLAGS = frozenset("gimuy")
IN_A_PATTERN = re.compile(r"\(\?<|\\[pPk][{<]")
"""Lookbehind, named groups and their names, classes of letters."""
SELECTORS = re.compile(r":(?:has|is|where|focus-visible|modal|popover-open|open)\b|:not\([^()]*,")


def scripts() -> dict[str, str]:
    """All that hub and demo serve as a script, by file; what stands in a template itself, too."""
    files = sorted(SERVER.rglob("static/*.js"))
    found = {path.name: path.read_text(encoding="utf-8") for path in files}
    for path in sorted(SERVER.rglob("templates/*.html")):
        inline = Inline()
        inline.feed(re.sub(r"{[{%#].*?[}%#]}", "", path.read_text(encoding="utf-8"), flags=re.DOTALL))
        found |= {f"{path.name}, {n}": text for n, text in enumerate(inline.texts)}
    return found


class Inline(HTMLParser):
    """Scripts of a page that are not in a file of their own: elements, and attributes such as onclick."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._within = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._within = tag == "script"
        self.texts += [value for name, value in attrs if name.startswith("on") and value]

    def handle_data(self, data: str) -> None:
        if self._within and data.strip():
            self.texts.append(data)

    def handle_endtag(self, tag: str) -> None:
        self._within = False


def nodes(root: Node) -> Iterator[Node]:
    yield root
    for child in root.children:
        yield from nodes(child)


def parsed(text: str) -> Node:
    return PARSER.parse(text.encode()).root_node


def said(node: Node, why: str) -> str:
    return f"line {node.start_point[0] + 1}: {why}: {words(node)[:60]}"


def words(node: Node | None) -> str:
    return node.text.decode() if node and node.text else ""


def newer_syntax(text: str) -> list[str]:
    """What a browser of the floor would refuse the whole file for, one line each."""
    return [said(node, why) for node in nodes(parsed(text)) for why in [refusal(node)] if why]


def refusal(node: Node) -> str:
    if node.is_error or node.is_missing:
        return "no script"
    if node.is_named and node.type not in ES2018:
        return f"{node.type} is newer"
    if node.type in NEWER_OPERATORS:
        return "a newer operator"
    if node.type == "catch_clause" and not node.child_by_field_name("parameter"):
        return "catch without a name"
    if node.type == "number" and ("_" in words(node) or words(node).endswith("n")):
        return "a newer number"
    if node.type == "regex_flags" and set(words(node)) - FLAGS:
        return "a newer flag"
    if node.type == "regex_pattern" and IN_A_PATTERN.search(words(node)):
        return "a newer pattern"
    if node.type == "identifier" and words(node) == "RegExp":
        return "a pattern that nobody has read"
    if node.type == "await_expression" and not within_async(node):
        return "await at the top"
    if node.type == "string_fragment" and SELECTORS.search(words(node)):
        return "a newer selector"
    return ""


def within_async(node: Node) -> bool:
    while node.parent:
        node = node.parent
        if "function" in node.type or node.type == "method_definition":
            return any(child.type == "async" for child in node.children)
    return False


def newer_functions(text: str) -> list[str]:
    """What is used of newer functions without a look whether they are there, one line each."""
    found = []
    for node in nodes(parsed(text)):
        if node.type == "new_expression" and words(node.child_by_field_name("constructor")) == "FormData":
            given = node.child_by_field_name("arguments")
            if given and given.named_child_count > 1:
                found.append(said(node, "a pressed button is newer (Chrome 112, Firefox 111, Safari 16.4)"))
        name = newer_name(node)
        if name and name not in HARMLESS and not looked_for(node, name.rpartition(".")[2]):
            found.append(said(node.parent or node, f"{name} is newer ({NEWER[name]})"))
    return found


def newer_name(node: Node) -> str:
    """The newer thing that a node names; "" for any other."""
    name, parent = words(node), node.parent
    if node.type == "property_identifier" and parent and parent.type == "member_expression":
        whole = f"{words(parent.child_by_field_name('object'))}.{name}"
        return next((each for each in (whole, whole.removeprefix("window."), name) if each in NEWER), "")
    if node.type == "shorthand_property_identifier_pattern" or (node.type == "identifier" and is_used(node)):
        return name if name in NEWER and (name[0].isupper() or is_called(node)) else ""
    return ""


def is_used(node: Node) -> bool:
    """Not the name that somebody gives to something of their own."""
    parent = node.parent
    return bool(parent) and parent.type not in {"variable_declarator", "formal_parameters", "arrow_function"}


def is_called(node: Node) -> bool:
    parent = node.parent
    return bool(parent) and parent.type in {"call_expression", "new_expression"} and parent.children[0] == node


def looked_for(node: Node, name: str) -> bool:
    """Whether it is only used where a condition has said that it is there, or is that condition itself."""
    at = node
    while at.parent:
        parent = at.parent
        condition = parent.child_by_field_name("condition")
        if parent.type == "binary_expression" and words(parent.child_by_field_name("operator")) in {"&&", "||"}:
            condition = parent.child_by_field_name("left")
            if condition == at and at.type == "member_expression":
                return True
        if condition and name in words(condition):
            # A condition that calls it has not looked for it.
            return condition != at or words(at).rstrip(")").endswith(name)
        if parent.type in {"statement_block", "program"}:
            before = [
                each for each in parent.children if each.end_byte <= at.start_byte and each.type == "if_statement"
            ]
            if any(
                re.search(rf"![\w.]*\b{name}\b", words(each.child_by_field_name("condition")))
                and "return" in words(each.child_by_field_name("consequence"))
                for each in before
            ):
                return True
        at = parent
    return False
