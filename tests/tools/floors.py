"""The hub's floors, counted: statements and untyped answers of each, and the imports against them.

python tests/tools/floors.py            # as it lies here; a few seconds

The floors are those of the contract in `pyproject.toml`. An arrow is an import of one module by another; one that goes
up, or from a subject to another, is against the floors. A pair of rooms is mutual where each imports the other.
"""

import ast
import tomllib
from collections import Counter
from collections.abc import Iterator

from size import ROOT, statements

HUB = "roundtap_hub"
CONTRACT = "The floors of the hub"
UNTYPED = "dict[str, Any]", "Mapping[str, Any]"


def floors() -> list[list[str]]:
    """The rooms of each floor, the highest first."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    layers = next(each["layers"] for each in contracts if each["name"].startswith(CONTRACT))
    return [[room.strip() for room in layer.split("|")] for layer in layers]


def sources() -> dict[str, str]:
    """The hub's modules, "store.service", and their text."""
    top = ROOT / "server" / HUB
    return {
        ".".join(path.relative_to(top).with_suffix("").parts): path.read_text(encoding="utf-8")
        for path in sorted(top.rglob("*.py"))
    }


def imports(text: str, modules: set[str]) -> Iterator[str]:
    """The hub's modules that a text imports, wherever in it the import stands."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{HUB}."):
            room = (node.module or "").removeprefix(f"{HUB}.")
            yield from {f"{room}.{name.name}" if f"{room}.{name.name}" in modules else room for name in node.names}


def arrows(texts: dict[str, str]) -> list[tuple[str, str]]:
    """Each module with each that it imports from another room."""
    modules = set(texts)
    found = {(module, other) for module, text in texts.items() for other in imports(text, modules)}
    return sorted((a, b) for a, b in found if room(a) != room(b))


def room(module: str) -> str:
    return module.partition(".")[0]


def against(found: list[tuple[str, str]], layers: list[list[str]]) -> list[tuple[str, str]]:
    """The arrows that do not go down."""
    height = {name: -number for number, names in enumerate(layers) for name in names}
    return [(a, b) for a, b in found if height.get(room(a), 0) <= height.get(room(b), 0)]


def mutual(found: list[tuple[str, str]]) -> set[frozenset[str]]:
    rooms = {(room(a), room(b)) for a, b in found}
    return {frozenset((a, b)) for a, b in rooms if (b, a) in rooms}


def untyped(text: str) -> int:
    """How many functions are annotated to return one of `UNTYPED`, some of them, or a name for it.

    >>> untyped("View = dict[str, Any]\\ndef view() -> View | None: ...\\ndef views() -> list[Mapping[str, Any]]: ...")
    2
    """
    tree = ast.parse(text)
    aliases = {
        ast.unparse(node.targets[0])
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.value) in UNTYPED
    }
    returned = (
        node.returns
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns is not None
    )
    return sum(
        any(name in ast.unparse(each) for name in UNTYPED)
        or any(isinstance(part, ast.Name) and part.id in aliases for part in ast.walk(each))
        for each in returned
    )


def main() -> None:
    texts, layers = sources(), floors()
    size, loose, files = Counter[str](), Counter[str](), Counter[str]()
    for module, text in texts.items():
        size[room(module)] += statements(text)
        loose[room(module)] += untyped(text)
        files[room(module)] += 1
    total = sum(size.values())
    for names in layers:
        for name in names:
            share = f"{size[name]:7,} statements {size[name] / total:5.1%}"
            print(f"{name:10} {share} {files[name]:4} files {loose[name]:4} untyped")
    found = arrows(texts)
    wrong = against(found, layers)
    print(f"{'hub':10} {total:7,} statements {len(texts):11} files {sum(loose.values()):4} untyped")
    print(f"{len(found)} arrows between rooms, {len(wrong)} against the floors, {len(mutual(found))} mutual pairs")
    for a, b in wrong:
        print(f"  {a} -> {b}")


if __name__ == "__main__":
    main()
