"""How large the product is, and how large its tests are: statements, lines and files, now and at other commits.

python tests/tools/size.py            # as it lies here
python tests/tools/size.py c9ebf06    # a commit, and as it lies here

A figure of statements, wherever one is named, means the product's, counted by this script: every statement of every
Python file outside `tests`, docstrings too, however the lines are broken. What lies in `tests` counts as tests, their
tools and benchmarks too.
"""

import ast
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def git(*words: str) -> str:
    return subprocess.run(["git", "-C", str(ROOT), *words], check=True, capture_output=True, text=True).stdout


def statements(text: str) -> int:
    """How many statements a file has, nested ones too.

    >>> statements("import os\\n\\nif os.name:\\n    here = (\\n        1,\\n    )\\n")
    3
    """
    return sum(isinstance(node, ast.stmt) for node in ast.walk(ast.parse(text)))


def rows(where: str, names: list[str], read: Callable[[str], str]) -> list[str]:
    """The two lines of the table for the files of one commit; `read` gives a file's text."""
    python = [name for name in names if name.endswith(".py")]
    tests = [name for name in python if name.startswith("tests/")]
    lines = []
    for what, chosen in (("product", [name for name in python if name not in tests]), ("tests", tests)):
        texts = [read(name) for name in chosen]
        lines.append(
            f"{where:12} {what:7} {sum(map(statements, texts)):8,} statements "
            f"{sum(text.count(chr(10)) for text in texts):8,} lines {len(texts):5,} files"
        )
    return lines


def main() -> None:
    for commit in sys.argv[1:]:
        names = git("ls-tree", "-r", "--name-only", commit).splitlines()
        print(*rows(commit[:12], names, lambda name, commit=commit: git("show", f"{commit}:{name}")), sep="\n")
    print(*rows("here", git("ls-files").splitlines(), lambda name: (ROOT / name).read_text()), sep="\n")


if __name__ == "__main__":
    main()
