"""The product's code as it is written, for tests that read it."""

import ast
import functools
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("server", "devices", "firmware")


@functools.cache
def sources() -> dict[str, str]:
    """The product's modules by their paths from the root."""
    paths = (path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py")))
    return {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in paths}


def is_docstring(node: ast.AST) -> bool:
    """Also of an attribute or a constant: a string that stands alone."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
