"""Which texts are labels: what stands in the buttons and headings of the hub, by its templates and by Python."""

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

SERVER = Path(__file__).parents[2] / "server"
HUB = SERVER / "roundtap_hub"
TAGS = "button|summary|h[123]|th|legend"
BODIES = (
    rf"<(?:{TAGS})\b[^>]*>(.*?)</(?:{TAGS})>",
    r'<a [^>]*class="[^"]*\bbutton\b[^>]*>(.*?)</a>',
    r"{% block heading %}(.*?){% endblock",
)
SMALL = r'<(small|p|span class="quiet)\b.*?</(small|p|span)>|aria-label="[^"]*"|\bsign\(.*?\)'
"""Small print beside a label is none."""
BARE = r"{{ ?(?:[\w.]+\.)?(\w+) ?}}|(?<!{){(?:escape\()?(\w+)\)?}(?!})"
"""What a template or an f-string shows as it was given it."""
A_KEY = r'(?<!\w)t\(\s*(["\'][^,()]*?(?:\([^()]*\)[^,()]*?)*)\s*[,)]'
A_PART = r'["\']([\w.-]+)["\']|(~\s*[\w.]+(?:\([^()]*\))?|~\s*\([^()]*\))'
HOLE = "[^.]+"


@cache
def labels() -> dict[str, set[str]]:
    """The keys of buttons and headings, each with the file that it is found in:

    - what is written between their tags, and what a macro that shows it there is called with;
    - of a key that is put together, all that fit, but none that Python looks up whole, and no sentence that is
      written whole;
    - what Python gives to a name that is shown there as it is;
    - keys that Python keeps for others to show, sentences aside: those are messages."""
    found: dict[str, set[str]] = {}
    for page, body in bodies():
        for key in keys_in(re.sub(SMALL, "", body, flags=re.DOTALL)):
            found.setdefault(key, set()).add(page.name)
    shown = {name for page in pages() for name in shown_as_given(page)}
    for file, nodes in programs():
        for key in given_to(shown, nodes) | kept(nodes):
            found.setdefault(key, set()).add(file.name)
    return found


@cache
def catalogues() -> list[dict[str, Any]]:
    """The English texts of hub and core."""
    files = [SERVER / package / "words/en.json" for package in ("roundtap_hub", "roundtap_core")]
    return [json.loads(file.read_text(encoding="utf-8")) for file in files]


@cache
def catalogue() -> dict[str, Any]:
    return {**catalogues()[1], **catalogues()[0]}


@cache
def pages() -> dict[Path, str]:
    """Templates, and the programs that have pages of their own."""
    files = [*HUB.glob("*/templates/*.html"), *(file for file, _ in programs())]
    return {file: file.read_text(encoding="utf-8") for file in sorted(files)}


@cache
def programs() -> list[tuple[Path, list[ast.AST]]]:
    """Each program with all of its nodes."""
    files = sorted(HUB.rglob("*.py"))
    return [(file, list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))) for file in files]


@cache
def bodies() -> list[tuple[Path, str]]:
    """What stands in a button or a heading, and each argument of a macro's call that the macro shows in one."""
    found = [(page, body) for page, html in pages().items() for part in BODIES for body in re.findall(part, html, re.S)]
    for home, name, places in showing_macros():
        for page, html in pages().items():
            if page != home and f"macro {name}(" in html:
                continue
            for call in re.finditer(rf"(?<!macro )\b{name}\(", html):
                given = arguments(html[call.end() :])
                found += [(page, body) for place in places for body in given[place : place + 1]]
    return found


def showing_macros() -> Iterator[tuple[Path, str, list[int]]]:
    """(file, name, places) of every macro that shows what it is called with in a button or a heading, and as which of
    its arguments."""
    for page, html in pages().items():
        for name, named, body in re.findall(r"{%-? macro (\w+)\((.*?)\) -?%}(.*?){%-? endmacro", html, re.S):
            shown = names_in_labels(body)
            places = [at for at, each in enumerate(parameters_of(named)) if each in shown]
            if places:
                yield page, name, places


def shown_as_given(page: Path) -> set[str]:
    """What a page shows in a button or a heading as it was given to the page."""
    macros = re.findall(r"{%-? macro \w+\((.*?)\) -?%}(.*?){%-? endmacro", pages()[page], re.S)
    its_own = {each for named, body in macros for each in set(parameters_of(named)) & names_in_labels(body)}
    return names_in_labels(pages()[page]) - its_own


def parameters_of(named: str) -> list[str]:
    return [each.split("=")[0].strip() for each in arguments(f"{named})")]


def names_in_labels(html: str) -> set[str]:
    labels = [re.sub(SMALL, "", label, flags=re.DOTALL) for part in BODIES for label in re.findall(part, html, re.S)]
    return {name for label in labels for pair in re.findall(BARE, label) for name in pair if name}


def arguments(call: str) -> list[str]:
    """What a call is given, up to its closing bracket; commas within brackets and quotes aside."""
    parts, depth, quote = [""], 0, ""
    for letter in call:
        quote = "" if letter == quote else quote or (letter if letter in "\"'" else "")
        depth += 0 if quote else {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(letter, 0)
        if depth < 0:
            break
        if letter == "," and not depth and not quote:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def keys_in(label: str) -> Iterator[str]:
    for written in re.findall(A_KEY, label):
        parts = re.findall(A_PART, written)
        if any(hole for _, hole in parts):
            yield from fitting("".join(re.escape(text) if text else HOLE for text, _ in parts))
        else:
            yield from (text for text, _ in parts)


def fitting(pattern: str) -> set[str]:
    """The keys of one catalogue that may be put together so, the hub's first."""
    hub, core = ({key for key in each if re.fullmatch(pattern, key)} for each in catalogues())
    return {key for key in (hub or core) - looked_up() if not (is_sentence(key) and key in written_whole())}


@cache
def looked_up() -> set[str]:
    """What Python shows where it names it: `words("key")`, or one of two."""
    return {
        str(each.value)
        for _, nodes in programs()
        for node in nodes
        if isinstance(node, ast.Call) and node.args
        for each in either(node.args[0])
        if isinstance(each, ast.Constant)
    }


def is_sentence(key: str) -> bool:
    text = catalogue()[key]
    return (text if isinstance(text, str) else text["other"]).endswith((".", ":", "?"))


def either(node: ast.expr) -> list[ast.expr]:
    return [node.body, node.orelse] if isinstance(node, ast.IfExp) else [node]


@cache
def written_whole() -> set[str]:
    return {key for text in pages().values() for key in re.findall(r'["\']([\w.-]+)["\']', text)}


def given_to(names: set[str], nodes: list[ast.AST]) -> set[str]:
    """The keys in what a program gives to one of these names: as an argument, or by an assignment."""
    given: list[ast.expr] = []
    for node in nodes:
        if isinstance(node, ast.keyword) and node.arg in names:
            given.append(node.value)
        elif isinstance(node, ast.Call):
            called = getattr(node.func, "attr", getattr(node.func, "id", ""))
            given += [
                value for name, value in zip(parameters().get(called, ()), node.args, strict=False) if name in names
            ]
        elif isinstance(node, ast.Assign) and {each.id for each in node.targets if isinstance(each, ast.Name)} & names:
            given.append(node.value)
    return {key for value in given for node in ast.walk(value) for key in keys_of(node)}


@cache
def parameters() -> dict[str, list[str]]:
    """What the hub's functions with a button or a heading call their arguments, by the function's name."""
    return {
        node.name: [each.arg for each in node.args.args]
        for file, nodes in programs()
        if names_in_labels(pages()[file])
        for node in nodes
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and names_in_labels(ast.unparse(node))
    }


def keys_of(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Constant) and node.value in catalogue():
        return {str(node.value)}
    if isinstance(node, ast.JoinedStr):
        parts = [re.escape(str(each.value)) if isinstance(each, ast.Constant) else HOLE for each in node.values]
        return fitting("".join(parts)) if parts[0] != HOLE else set()
    return set()


def kept(nodes: list[ast.AST]) -> set[str]:
    """The keys that a program names and nowhere looks up."""
    return {
        key
        for node in nodes
        if isinstance(node, ast.Constant)
        for key in keys_of(node) - looked_up()
        if "." in key and not is_sentence(key)
    }
