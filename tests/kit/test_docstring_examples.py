"""Examples in docstrings run, and give what they say."""

import ast
import doctest
import importlib
import inspect
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from product_source import is_docstring, sources

EXAMPLE = re.compile(r"^ *>>> ", re.MULTILINE)
LIKE_CODE = (
    ast.Assign,
    ast.FunctionDef,
    ast.ClassDef,
    ast.Call,
    ast.For,
    ast.While,
    ast.With,
    ast.Import,
    ast.ImportFrom,
)


def examples(path: str, source: str) -> Iterator[doctest.DocTest]:
    """Every docstring with >>> in it, also of attributes and of what stands in a function."""
    name = ".".join(Path(path).with_suffix("").parts[1:]).removesuffix(".__init__")
    for each in ast.walk(ast.parse(source)):
        if is_docstring(each) and EXAMPLE.search(each.value.value):
            names = dict(vars(importlib.import_module(name)))
            yield doctest.DocTestParser().get_doctest(each.value.value, names, path, path, each.lineno - 1)


@pytest.mark.parametrize("path", [path for path, source in sources().items() if EXAMPLE.search(source)])
def test_examples_give_what_they_say(path: str) -> None:
    said, runner = io.StringIO(), doctest.DocTestRunner()
    failed = [runner.run(example, out=said.write).failed for example in examples(path, sources()[path])]
    assert failed
    assert not any(failed), said.getvalue()


def looks_like_code(line: str) -> bool:
    """A line that does something: a word with a colon, or words alone, do nothing."""
    try:
        statements = ast.parse(f"{line} ..." if line.endswith(":") else line).body
    except SyntaxError:
        return False
    done = [each.value if isinstance(each, ast.Expr) else each for each in statements]
    return any(isinstance(each, LIKE_CODE) for each in done)


def test_no_example_is_only_read() -> None:
    """Code in a docstring begins with >>>, so that it runs."""
    found = [
        f"{path}:{each.lineno}: {line}"
        for path, source in sources().items()
        for each in ast.walk(ast.parse(source))
        if is_docstring(each)
        for said in doctest.DocTestParser().parse(inspect.cleandoc(each.value.value))
        if isinstance(said, str)
        for line in map(str.strip, said.splitlines())
        if looks_like_code(line)
    ]
    assert found == []
