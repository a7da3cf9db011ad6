"""How far tests reach into what they test: private names they ask for, and patches on the product.

python tests/tools/reach.py            # by file, the most first; a few seconds

A private name is one with one underscore, of an object that is not the asker's own class's. A patch on `os` or another
library, as a machine that fails, counts as none; one on an object whose kind is not to be seen counts as the product's.
"""

import ast
import sys
from collections import Counter
from collections.abc import Iterator

from size import ROOT

PATCHING = frozenset({"setattr", "delattr", "setitem", "delitem", "object"})
PRODUCT = "roundtap"


def private_names(tree: ast.AST) -> Iterator[str]:
    nodes = list(ast.walk(tree))
    own = {each.name for node in nodes if isinstance(node, ast.ClassDef) for each in node.body if hasattr(each, "name")}
    own |= {node.attr for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)}
    for node in nodes:
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__"):
            asked = node.value
            of_others = isinstance(node.ctx, ast.Store) and _root(asked) not in ("self", "cls")
            if of_others or (node.attr not in own and _root(asked, deep=False) not in ("self", "cls")):
                yield node.attr


def patches(tree: ast.AST) -> Iterator[str]:
    nodes = list(ast.walk(tree))
    others = {
        (name.asname or name.name).partition(".")[0]
        for node in nodes
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in node.names
        if not (getattr(node, "module", None) or name.name).startswith(PRODUCT)
    }
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in PATCHING:
            said = node.args[0].value if isinstance(node.args[0], ast.Constant) else ast.unparse(node.args[0])
            parts = said.split(".")
            if parts[0] not in others and not sys.stdlib_module_names & set(parts):
                yield said


def _root(node: ast.AST, deep: bool = True) -> str:
    while deep and isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def counted() -> dict[str, tuple[int, int]]:
    """Test file → how many private names and patches it has, where it has any."""
    found = {}
    for path in sorted((ROOT / "tests").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        figures = sum(1 for _ in private_names(tree)), sum(1 for _ in patches(tree))
        if any(figures):
            found[str(path.relative_to(ROOT))] = figures
    return found


def main() -> None:
    found = counted()
    for path, (private, patched) in sorted(found.items(), key=lambda each: -sum(each[1])):
        print(f"{private:4} {patched:4}  {path}")
    names = Counter(name for path in found for name in private_names(ast.parse((ROOT / path).read_text())))
    print("most asked:", ", ".join(f"{name} {count}" for name, count in names.most_common(10)))
    print(f"{sum(private for private, _ in found.values())} private names, {sum(p for _, p in found.values())} patches")


if __name__ == "__main__":
    main()
