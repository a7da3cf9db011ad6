"""What docstrings and comments name, between backticks, or say is raised, exists."""

from __future__ import annotations

import ast
import builtins
import functools
import importlib
import inspect
import io
import json
import keyword
import pkgutil
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from product_source import ROOT, is_docstring, sources
from roundtap.main import COMMANDS

OUTSIDE = {
    "/etc/fstab": "of Linux",
    "exec": "of the shell",
}
"""Names of nothing here, and whose they are."""

WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
NAMED = re.compile(r"(?<!`)`([^`]+)`(?!`)")
ATTRIBUTE = re.compile(r"(?<![\w.])[A-Z]\w*[a-z]\w*\.[a-z_]\w*")
A_MODULE = re.compile(r"(?<![\w/.])[\w/]+\.py\b")
QUOTED = re.compile(r'`+[^`]*`+|"[^"]*"')
EXAMPLE = re.compile(r"^ *>>> ", re.MULTILINE)
OTHER = re.compile(r"(?:\?|--|\{% |data-)(\w[\w-]*)")
CALLED = re.compile(r"(\.?[A-Za-z_][\w.]*)[\[(].*[\])](\.\w+)?")
A_FILE = re.compile(r"[\w@./-]+\.(?:py|html|js|json|md|conf|txt|socket|service)")
RAISES = re.compile(r"\b[Rr]aises? (.*?)(?:[.:;](?: |$)| (?:as|if|once|past|so|until|unless|when|where|while)\b|$)")
KEY = re.compile(r'(?<=Problem\(")\w+|(?<=")[a-z]\w*_\w+(?=")')
CLASS = re.compile(r'(?<!["\w.])[A-Z]\w*[a-z]\w*(?:\.\w+)?')
DEFINED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

Scope = frozenset[str]


@dataclass(frozen=True)
class Text:
    """A docstring or a comment: `names` are those it may speak of, beside the product's classes and modules."""

    place: str
    text: str
    names: Scope
    module: Module

    @property
    def line(self) -> str:
        return " ".join(self.text.split())


class Module:
    """One module as it is written; `path` from the root."""

    def __init__(self, path: str, source: str) -> None:
        self.path, self.source, self.tree = path, source, ast.parse(source)
        self.parts = Path(path).with_suffix("").parts[1:]
        """("roundtap_core", "event", "commands"); a package ends with "__init__"."""
        nodes = list(ast.walk(self.tree))
        self.classes = [each for each in nodes if isinstance(each, ast.ClassDef)]
        self.docstrings = {id(each.value) for each in nodes if is_docstring(each)}
        self.imported = {
            part
            for each in nodes
            if isinstance(each, (ast.Import, ast.ImportFrom))
            for alias in each.names
            for part in (alias.asname or alias.name).split(".")
        }
        self.strings = [
            each.value
            for each in nodes
            if isinstance(each, ast.Constant) and isinstance(each.value, str) and id(each) not in self.docstrings
        ]
        self.top = frozenset(
            name
            for each in self.tree.body
            for name in ([each.name] if isinstance(each, DEFINED) else self.identifiers(each))
        )

    def identifiers(self, node: ast.AST) -> set[str]:
        """Every name in this piece of code: variables, attributes, arguments, keys."""
        found: set[str] = set()
        for each in ast.walk(node):
            match each:
                case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                    found.add(name)
                case ast.keyword(arg=str(name)) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                    found.add(name)
                case ast.Constant(value=str(said)) if id(each) not in self.docstrings:
                    found.update(word for word in WORD.findall(said) if " " not in said or not word.islower())
        return found

    @functools.cached_property
    def texts(self) -> tuple[Text, ...]:
        return tuple(self._all_texts())

    def _all_texts(self) -> Iterator[Text]:
        """What is said in a function is of it and all around it; what a module or a comment says, of the whole."""
        whole = frozenset(self.identifiers(self.tree) | self.imported)
        yield from self._texts(self.tree, whole, frozenset(self.top | self.imported))
        for token in tokenize.generate_tokens(io.StringIO(self.source).readline):
            if token.type == tokenize.COMMENT:
                yield Text(f"{self.path}:{token.start[0]}", token.string, whole, self)

    def _texts(self, node: ast.AST, names: Scope, around: Scope) -> Iterator[Text]:
        for each in getattr(node, "body", ()):
            if is_docstring(each):
                yield Text(f"{self.path}:{each.lineno}", each.value.value, names, self)
            elif isinstance(each, DEFINED):
                own = members(each) if isinstance(each, ast.ClassDef) else frozenset()
                inside = around | self.identifiers(each) | own
                yield from self._texts(each, inside, inside)


@functools.cache
def product() -> tuple[Module, ...]:
    return tuple(Module(path, source) for path, source in sources().items())


@functools.cache
def classes() -> dict[str, list[ast.ClassDef]]:
    found: dict[str, list[ast.ClassDef]] = defaultdict(list)
    for module in product():
        for each in module.classes:
            found[each.name].append(each)
    return dict(found)


@functools.cache
def members(node: ast.ClassDef, below: Scope = frozenset()) -> Scope:
    """Methods and attributes, also of the classes it is made of; `below`: names of those made of it."""
    found: set[str] = set()
    for each in ast.walk(node):
        match each:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                found.add(name)
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                found.add(name)
    for each in node.body:
        targets = each.targets if isinstance(each, ast.Assign) else [getattr(each, "target", None)]
        found.update(target.id for target in targets if isinstance(target, ast.Name))
    for base in {ast.unparse(each).rpartition(".")[2] for each in node.bases} - below:
        for each in classes().get(base, ()):
            found |= members(each, below | {node.name})
    return frozenset(found)


@functools.cache
def attributes() -> Scope:
    return frozenset().union(*(members(each) for same in classes().values() for each in same))


@functools.cache
def strings() -> str:
    """Every string of the product that is no docstring, in one text."""
    return "\n".join(text for module in product() for text in module.strings)


@functools.cache
def keys() -> Scope:
    """Strings of one word: keys of data."""
    return frozenset(text for module in product() for text in module.strings if WORD.fullmatch(text))


@functools.cache
def files() -> tuple[str, ...]:
    """What is in the project, from its root, without what is hidden and what tools made."""
    tops = [path for path in ROOT.iterdir() if not path.name.startswith(".")]
    found = [*tops, *(path for top in tops for path in top.rglob("*.*"))]
    return tuple(f"/{path.relative_to(ROOT)}" for path in found)


def is_file(name: str) -> bool:
    """A module without its folder is one of the product."""
    among = files() if "/" in name or not name.endswith(".py") else [f"/{path}" for path in sources()]
    return any(each.endswith(f"/{name}") for each in among)


@functools.cache
def problem_keys() -> Scope:
    texts: set[str] = set()
    for path in ROOT.glob("*/roundtap*/words/en.json"):
        texts.update(json.loads(path.read_text(encoding="utf-8")))
    for path in ROOT.glob("server/roundtap_core/rulebooks/clauses/*.json"):
        texts.update(json.loads(path.read_text(encoding="utf-8")).get("words", {}).get("en", {}))
    return frozenset(key.removeprefix("problem.") for key in texts if key.startswith("problem."))


@functools.cache
def called(parts: tuple[str, ...]) -> tuple[Module, ...]:
    """Modules whose full names end so."""
    return tuple(module for module in product() if module.parts[-len(parts) :] == parts)


@functools.cache
def neighbours(module: Module) -> set[str]:
    """Modules of its folder and of its package's first floor, and the package's rooms."""
    *room, _ = module.parts
    found = set(room)
    for other in product():
        *other_room, name = other.parts
        if other_room == room or other_room == room[:1]:
            found.add(name)
        if other_room[:1] == room[:1] and name == "__init__":
            found.add(other_room[-1])
    return found


def is_command(words: list[str]) -> bool:
    """`roundtap NAME …`, and each option stands somewhere in a command; or a target of the Makefile."""
    program, name, *options = words
    if program == "make":
        return f"\n{name}:" in (ROOT / "Makefile").read_text(encoding="utf-8")
    return name in (*COMMANDS, "COMMAND") and all(each in strings() for each in options if each != "…")


def resolves_path(text: Text, names: list[str]) -> bool:
    """A name with dots: of a class, of a module here or imported, or of something in reach."""
    first, *rest = names
    if first in classes():
        return any(rest[0] in members(each) for each in classes()[first])
    for cut in range(len(names), 0, -1):
        if any(cut == len(names) or names[cut] in module.top for module in called(tuple(names[:cut]))):
            return True
    if first in text.module.imported:
        try:
            pkgutil.resolve_name(".".join(names))
        except (ImportError, AttributeError):
            return False
        return True
    return (first in text.names or first in attributes()) and all(
        name in attributes() or name in keys() for name in rest
    )


def resolves(text: Text, name: str) -> bool:
    """Whether there is what stands between backticks."""
    if name in OUTSIDE or name in text.names or keyword.iskeyword(name):
        return True
    if WORD.fullmatch(name):
        return name in classes() or name in neighbours(text.module)
    if name.split()[0] in ("roundtap", "make"):
        return is_command(name.split())
    if A_FILE.fullmatch(name) and is_file(name):
        return True
    if call := CALLED.fullmatch(name):
        return resolves(text, call[1] + (call[2] or ""))
    if re.fullmatch(r"\w+(\.\w+)+", name) and resolves_path(text, name.split(".")):
        return True
    if other := OTHER.match(name):
        return other[1].removeprefix("end") in strings()
    return name in strings()


def unknown_names(text: Text) -> list[str]:
    """Of those between backticks, and of classes' attributes and modules' files without."""
    bare = "" if EXAMPLE.search(text.text) else QUOTED.sub("", text.line)
    names = (*NAMED.findall(text.line), *ATTRIBUTE.findall(bare), *A_MODULE.findall(bare))
    return [name for name in names if not resolves(text, name)]


@functools.cache
def exceptions() -> Scope:
    """Of Python, of the libraries from which the product imports them, and its own."""
    known = dict(vars(builtins))
    for module in product():
        for each in module.tree.body:
            if isinstance(each, ast.ImportFrom) and each.module and not each.module.startswith("roundtap"):
                names = [alias.name for alias in each.names if alias.name[0].isupper()]
                known |= {name: getattr(importlib.import_module(each.module), name, None) for name in names}
    found = {name for name, each in known.items() if inspect.isclass(each) and issubclass(each, BaseException)}
    while more := {
        name
        for name, same in classes().items()
        for each in same
        if name not in found and any(ast.unparse(base).rpartition(".")[2] in found for base in each.bases)
    }:
        found |= more
    return frozenset(found)


def never_raised(text: Text) -> list[str]:
    """What a docstring says is raised, and is no exception; and keys of Problems that have no text."""
    found = []
    for sentence in RAISES.findall(text.line):
        named = CLASS.findall(NAMED.sub("", sentence))
        found += [name for name in named if name.rpartition(".")[2].rstrip("s") not in exceptions()]
    if "Problem" in text.text:
        found += [key for key in KEY.findall(text.line) if key not in problem_keys()]
    return found


MADE_UP = Module(
    "server/roundtap_core/event/made_up.py",
    '''"""Uses `entries` and `commands`, `states.EventState`, `EventState.clock`, `json.dumps` and `roundtap pair`; not
`gone`, `states.Gone`, `EventState.gone`, `json.gone`, `roundtap gone`, `gone.py` or EventState.lost."""
import json
class Kept:
    """`held` by `Kept.hold` with `within_s`."""
    def hold(self, within_s: float) -> None:
        """Raises TimeoutError or Problem("open_matches"), not EventState, and never Problem("gone")."""
        self.held = within_s
def beside() -> None: ...  # not `gone`
''',
)


def test_a_name_is_looked_for_where_it_is_said() -> None:
    in_all = ["gone", "states.Gone", "EventState.gone", "json.gone", "roundtap gone", "gone.py", "EventState.lost"]
    assert [name for text in MADE_UP.texts for name in unknown_names(text)] == [*in_all, "gone"]
    assert [name for text in MADE_UP.texts for name in never_raised(text)] == ["EventState", "gone"]


def test_what_is_named_or_raised_exists() -> None:
    found = [
        f"{text.place}: {name}"
        for module in product()
        for text in module.texts
        for name in (*unknown_names(text), *never_raised(text))
    ]
    assert found == []
