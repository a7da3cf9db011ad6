"""How large the product is: statements, lines and files of what runs in the hall, now and at other commits.

python tests/tools/size.py            # as it lies here
python tests/tools/size.py c9ebf06    # a commit, and as it lies here
"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def git(*words: str) -> str:
    return subprocess.run(["git", "-C", str(ROOT), *words], check=True, capture_output=True, text=True).stdout


def size(names: list[str], texts: list[str]) -> str:
    """A line of the table. Every statement counts, docstrings too, however the lines are broken."""
    statements = sum(isinstance(node, ast.stmt) for text in texts for node in ast.walk(ast.parse(text)))
    return f"{statements:8,} statements {sum(text.count(chr(10)) for text in texts):8,} lines {len(names):5,} files"


def product(names: str) -> list[str]:
    return [name for name in names.splitlines() if name.endswith(".py") and not name.startswith("tests/")]


def main() -> None:
    for commit in sys.argv[1:]:
        names = product(git("ls-tree", "-r", "--name-only", commit))
        print(f"{commit[:12]:12}", size(names, [git("show", f"{commit}:{name}") for name in names]))
    names = product(git("ls-files"))
    print(f"{'here':12}", size(names, [(ROOT / name).read_text() for name in names]))


if __name__ == "__main__":
    main()
