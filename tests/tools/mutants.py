"""Random small changes of the code, each in a copy of the tree: which tests see them, and which does none.

    python tests/tools/mutants.py --count 60 --seed 1 --jobs 2 --results mutants.jsonl
    python tests/tools/mutants.py --mutant FILE:LINE:COLUMN:KIND    # as --list names it

Each is run against the tests nearest to it, and where they stay green against what `make test` runs. A red test counts
when the same test is green without the change; time counts as processor time, so that a busy machine kills nothing.
"""

import argparse
import ast
import json
import os
import queue
import random
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {"core": "server/roundtap_core", "hub": "server/roundtap_hub", "units": "firmware/roundtap_units"}
SOURCES = ("server", "devices", "firmware")

# --- changes --------------------------------------------------------------------------------------------------------

COMPARED = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
RECKONED = {ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "//"), ast.FloorDiv: ("//", "*")}
EMPTY = {
    "str": '""',
    "bytes": 'b""',
    "int": "0",
    "bool": "False",
    "list": "[]",
    "tuple": "()",
    "dict": "{}",
    "Mapping": "{}",
    "Sequence": "()",
    "Iterator": "iter(())",
    "set": "set()",
    "frozenset": "frozenset()",
}
TEXTS = (ast.Constant, ast.JoinedStr, ast.List, ast.Tuple, ast.ListComp)
"""What is put together by + or *, and not reckoned with; numbers among the constants are."""
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
LEFT_ALONE = (ast.Import, ast.ImportFrom, ast.Assert, ast.ClassDef)
NOT_ITS_OWN = ("annotation", "returns", "decorator_list", "body", "orelse", "finalbody", "handlers", "cases")
NO_MATTER = re.compile(r"(?<![\w.])_?(log|logger|logging|warnings|argparse|parser|notify)\.|\.add_(argument|parser)\(")
"""Texts that nobody holds: logs, words to systemd, help."""
NO_MATTER_HOW = ("daemon", "indent", "stacklevel", "timeout")
DURATION = re.compile(r"_M?S$")
"""No test measures time."""
LARGE = 1000
"""From here on they are milliseconds and sizes, and one more or less is none."""

HOME = {"core": "tests/core", "hub": "tests/hub", "units": "tests/units"}
FAR = ("browser", "chaos", "fuzz", "sim", "tools")
NEAREST = 8

RED = "red_tests"
RED_PLUGIN = f"""import os
def _note(report):
    if report.failed:
        with open(os.environ["{RED.upper()}"], "a") as out:
            out.write(report.nodeid + "\\n")
pytest_runtest_logreport = pytest_collectreport = _note
"""
WHERE = "import sys, {0}; print(*(sys.modules[name].__file__ for name in '{0}'.split(', ')))"
IDLE_S, BARELY_S, MEMORY = 600, 20, 6 << 30
STOPPED = threading.Event()
"""No run is begun any more, and those that run are ended."""

SURVIVED = "survived"
LIMIT_S, LIMIT_ALL_S = 1200, 14_400


@dataclass(frozen=True)
class Mutant:
    """One place of one file, as bytes from `start` to `end`, and what stands there instead."""

    file: str
    line: int
    col: int
    kind: str
    function: str
    start: int
    end: int
    old: str
    new: str

    @property
    def id(self) -> str:
        return f"{self.file}:{self.line}:{self.col}:{self.kind}"

    def applied(self, source: bytes) -> bytes:
        return source[: self.start] + self.new.encode() + source[self.end :]


class Maker:
    """All changes of one source."""

    def __init__(self, file: str, source: bytes) -> None:
        self.file, self.source, self.tree = file, source, ast.parse(source)
        self._lines, self._function = [0], ""
        for line in source.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))

    def counts(self, mutant: Mutant) -> bool:
        """Whether the changed source can be read, and says something else."""
        try:
            return ast.dump(ast.parse(mutant.applied(self.source))) != ast.dump(self.tree)
        except (SyntaxError, ValueError):
            return False

    def statements(self) -> list[tuple[Any, tuple[Any, ...]]]:
        """Each statement with the classes and functions it stands in, itself if it is one, in the order of the file."""
        return list(self._walk(self.tree.body, ()))

    def changes(self, statement: Any, within: tuple[Any, ...]) -> list[Mutant]:
        self._function = ".".join(node.name for node in within)
        inner = next((node for node in reversed(within) if not isinstance(node, ast.ClassDef)), None)
        return list(self._changes(statement, None if inner is statement else inner))

    def _walk(self, body: list[Any], within: tuple[Any, ...]) -> Iterator[tuple[Any, tuple[Any, ...]]]:
        for statement in body:
            if isinstance(statement, ast.If) and {"TYPE_CHECKING", "__name__"} & {
                node.id for node in ast.walk(statement.test) if isinstance(node, ast.Name)
            }:
                continue
            scope = (*within, statement) if isinstance(statement, SCOPES) else within
            if not isinstance(statement, ast.excepthandler | ast.match_case):
                yield statement, scope
            for block in ("body", "handlers", "cases", "orelse", "finalbody"):
                yield from self._walk(getattr(statement, block, []), scope)

    def _changes(self, statement: Any, function: Any) -> Iterator[Mutant]:
        """Of what belongs to this statement itself; `function`: the one that it stands in."""
        text = "" if hasattr(statement, "body") else self._text(statement)
        if isinstance(statement, LEFT_ALONE) or _is_type(statement) or NO_MATTER.search(text):
            return
        targets = getattr(statement, "targets", [getattr(statement, "target", None)])
        called = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
        kept = isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign) and any(
            isinstance(target, ast.Attribute | ast.Subscript) for target in targets
        )
        if function is not None and (called or kept or isinstance(statement, ast.Raise)):
            yield self._whole(statement, "pass", "pass")
        if isinstance(statement, ast.Break | ast.Continue):
            other = "continue" if isinstance(statement, ast.Break) else "break"
            yield self._whole(statement, other, other)
        if isinstance(statement, ast.Return) and statement.value is not None:
            yield self._whole(statement.value, "return", _empty(function))
        if isinstance(statement, ast.If | ast.While):
            yield from self._condition(statement.test, isinstance(statement, ast.If))
        duration = any(DURATION.search(_name(target)) for target in targets)
        for node in self._own(statement):
            yield from self._in_expression(node, duration)

    def _in_expression(self, node: ast.AST, duration: bool) -> Iterator[Mutant]:
        if isinstance(node, ast.Compare):
            for left, op, right in zip([node.left, *node.comparators], node.ops, node.comparators, strict=False):
                yield from self._between(left, right, "compare", *COMPARED[type(op)])
        elif isinstance(node, ast.BoolOp):
            words = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
            for left, right in zip(node.values, node.values[1:], strict=False):
                yield from self._between(left, right, "bool", *words)
        elif (
            isinstance(node, ast.BinOp)
            and type(node.op) in RECKONED
            and not any(isinstance(side, TEXTS) and not _is_number(side) for side in (node.left, node.right))
        ):
            yield from self._between(node.left, node.right, "reckon", *RECKONED[type(node.op)])
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            start = self._range(node)[0]
            yield self._change("not", start, start + len("not "), "")
        elif isinstance(node, ast.IfExp):
            yield from self._condition(node.test)
        elif isinstance(node, ast.comprehension):
            for test in node.ifs:
                yield from self._condition(test)
        elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
            yield self._whole(node, "truth", str(not node.value))
        elif isinstance(node, ast.Constant) and _is_number(node) and not duration and node.value < LARGE:
            yield self._whole(node, "number+", str(node.value + 1))
            yield self._whole(node, "number-", str(node.value - 1))

    def _condition(self, test: ast.expr, both: bool = True) -> Iterator[Mutant]:
        if not any(isinstance(node, ast.NamedExpr) for node in ast.walk(test)):
            yield self._whole(test, "if-false", "False")
            if both:
                yield self._whole(test, "if-true", "True")

    def _between(self, left: ast.expr, right: ast.expr, kind: str, old: str, new: str) -> Iterator[Mutant]:
        """The operator between both."""
        start, end = self._range(left)[1], self._range(right)[0]
        words = r"\s+".join(map(re.escape, old.split()))
        found = re.search(rf"(?<!\w){words}(?!\w)".encode(), self.source[start:end])
        if found:
            yield self._change(kind, start + found.start(), start + found.end(), new)

    def _whole(self, node: Any, kind: str, new: str) -> Mutant:
        return self._change(kind, *self._range(node), new)

    def _change(self, kind: str, start: int, end: int, new: str) -> Mutant:
        line = self.source.count(b"\n", 0, start) + 1
        return Mutant(
            self.file,
            line,
            start - self._lines[line - 1],
            kind,
            self._function,
            start,
            end,
            self.source[start:end].decode(),
            new,
        )

    def _range(self, node: Any) -> tuple[int, int]:
        return (self._lines[node.lineno - 1] + node.col_offset, self._lines[node.end_lineno - 1] + node.end_col_offset)

    def _text(self, node: ast.AST) -> str:
        return self.source[slice(*self._range(node))].decode(errors="replace")

    def _own(self, node: ast.AST) -> Iterator[ast.AST]:
        """The expressions of a statement without the statements in it, annotations and decorators."""
        for name, value in ast.iter_fields(node):
            if name in NOT_ITS_OWN and not isinstance(node, ast.expr):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.expr | ast.comprehension | ast.arguments | ast.withitem) or (
                    isinstance(child, ast.keyword) and child.arg not in NO_MATTER_HOW
                ):
                    if isinstance(child, ast.FormattedValue) and not self._is_there(child.value):
                        continue
                    yield child
                    yield from self._own(child)

    def _is_there(self, node: ast.expr) -> bool:
        """Before Python 3.12 what stands in a formatted text is not always where it says."""
        try:
            return ast.dump(ast.parse(f"({self._text(node)})", mode="eval").body) == ast.dump(node)
        except (SyntaxError, ValueError):
            return False


def _name(node: ast.AST | None) -> str:
    return str(getattr(node, "id", getattr(node, "attr", "")))


def _is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int


def _is_type(statement: ast.stmt) -> bool:
    """A name for a type (X = A | B, Y = Callable[[int], str]), or a list of names (__all__)."""
    if not isinstance(statement, ast.Assign):
        return isinstance(statement, ast.AnnAssign) and statement.value is None
    value, name = statement.value, _name(statement.targets[0])
    union = isinstance(value, ast.BinOp) and isinstance(value.op, ast.BitOr)
    typed = isinstance(value, ast.Subscript) and _name(value.value)[:1].isupper()
    return name in ("__all__", "__slots__") or (name[:1].isupper() and not name.isupper() and (union or typed))


def _empty(function: Any) -> str:
    """What a function returns that has nothing to say."""
    returns = ast.unparse(function.returns) if function is not None and function.returns is not None else ""
    return "None" if "None" in returns else EMPTY.get(returns.partition("[")[0], "None")


def mutants_of(file: str, source: bytes) -> list[Mutant]:
    """All changes that count."""
    maker = Maker(file, source)
    made = [mutant for each in maker.statements() for mutant in maker.changes(*each)]
    return [mutant for mutant in made if maker.counts(mutant)]


def drawn(packages: list[str], count: int, seed: int, root: Path = ROOT) -> list[Mutant]:
    """As many of each package; each statement of a package is as likely as any other."""
    found: list[Mutant] = []
    for number, package in enumerate(packages):
        chance = random.Random(f"{seed} {package}")
        makers = [
            Maker(str(path.relative_to(root)), path.read_bytes())
            for path in sorted((root / PACKAGES[package]).rglob("*.py"))
            if path.name != "__init__.py"
        ]
        statements = [(maker, each) for maker in makers for each in maker.statements()]
        chance.shuffle(statements)
        picked = ((maker, chance.choice(made)) for maker, each in statements if (made := maker.changes(*each)))
        counted = (mutant for maker, mutant in picked if maker.counts(mutant))
        wanted = count // len(packages) + (number < count % len(packages))
        found += [mutant for mutant, _ in zip(counted, range(wanted), strict=False)]
    return found


# --- the nearest tests ----------------------------------------------------------------------------------------------


@cache
def _tests() -> dict[str, tuple[str, frozenset[str]]]:
    """File → its text with that of the kits beside it that it imports, and the words of both."""
    found = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        for kit in re.findall(r"^from (\w+) import", text, re.M):
            beside = path.with_name(f"{kit}.py")
            if beside.exists():
                text += "\n" + "\n".join(re.findall(r"^from roundtap.*", beside.read_text(encoding="utf-8"), re.M))
        found[str(path.relative_to(ROOT))] = text, frozenset(re.findall(r"[a-z]\w{3,}", text))
    return found


def nearest(mutant: Mutant) -> list[tuple[float, str]]:
    """(nearness, test file), the nearest first: by name, import and folder, the function's name and rare words."""
    package = next(name for name, where in PACKAGES.items() if mutant.file.startswith(where))
    path = Path(mutant.file)
    module = ".".join(path.with_suffix("").parts[1:])
    called, folder_words = set(path.stem.split("_")), set(path.parent.name.split("_")) - {"roundtap"}
    words = frozenset(re.findall(r"[a-z]\w{3,}", (ROOT / path).read_text(encoding="utf-8")))
    known = Counter(word for _, of_test in _tests().values() for word in of_test)
    ranked = []
    for file, (text, of_test) in _tests().items():
        folder = file.split("/")[1]
        if folder in FAR:
            continue
        name = {*Path(file).stem.split("_")} - {"test"} | {folder} - PACKAGES.keys()
        near = 4 * len(called & name) / len(called) + len(folder_words & name)
        near += 3 * (re.search(rf"\b{re.escape(module)}\b", text) is not None)
        near += bool(set(filter(None, mutant.function.split("."))) & of_test) * 2
        near += sum(1 / known[word] for word in words & of_test)
        near += 2 * file.startswith(HOME[package]) - 3 * ("browser" in name or file.startswith("tests/kit"))
        ranked.append((round(near, 2), file))
    return sorted(ranked, key=lambda each: (-each[0], each[1]))[:NEAREST]


# --- a copy, and tests in it ----------------------------------------------------------------------------------------


class Copy:
    """The tree in a folder of its own, with an environment of its own that imports it: nothing else is touched."""

    def __init__(self, folder: Path) -> None:
        self.tree, self._temporary, self._red, self._said = (folder / name for name in ("tree", "t", "red", "said"))
        subprocess.run(["git", "clone", "--quiet", "--shared", str(ROOT), str(self.tree)], check=True)
        listed = subprocess.run(
            ["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True
        ).stdout
        for name in filter(None, listed.split("\0")):
            (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
            if (ROOT / name).exists():
                shutil.copy2(ROOT / name, self.tree / name)
            else:
                (self.tree / name).unlink(missing_ok=True)
        self._environment()
        self._written_s = int(time.time())
        self.env = {
            **os.environ,
            "TMPDIR": str(self._temporary),
            RED.upper(): str(self._red),
            "PYTHONPYCACHEPREFIX": str(folder / "pyc"),
            "VIRTUAL_ENV": str(self.tree / ".venv"),
        }
        self.env.pop("PYTHONPATH", None)
        self._temporary.mkdir()
        for env in (self.env, {}):
            packages = ", ".join(Path(each).name for each in PACKAGES.values())
            said = subprocess.run(
                [self.python, "-c", WHERE.format(packages)],
                env=env,
                cwd="/",
                check=True,
                capture_output=True,
                text=True,
            ).stdout.split()
            assert all(Path(file).is_relative_to(self.tree) for file in said), said

    def _environment(self) -> None:
        """Like the one that runs this, but for Roundtap itself; every process that its Python starts imports the
        copy, whatever environment it is given."""
        here, there = Path(sys.prefix), self.tree / ".venv"
        site = Path(sysconfig.get_path("purelib"))
        own = there / site.relative_to(here)
        own.mkdir(parents=True)
        (there / "bin").mkdir()
        shutil.copy2(here / "pyvenv.cfg", there)
        for name in ("python", "python3"):
            (there / "bin" / name).symlink_to(Path(sys.executable).resolve())
        self.python = str(there / "bin/python")
        for each in site.iterdir():
            if not each.name.startswith("__editable__") and each.name != "__pycache__":
                (own / each.name).symlink_to(each)
        (own / "copy_of_roundtap.pth").write_text("".join(f"{self.tree / source}\n" for source in SOURCES))
        (own / f"{RED}.py").write_text(RED_PLUGIN)
        command = there / "bin/roundtap"
        command.write_text(f"#!{self.python}\nimport sys\nfrom roundtap.main import main\nsys.exit(main())\n")
        command.chmod(0o755)

    def write(self, file: str, source: bytes) -> None:
        """With a time of its own: bytecode is told from newer source by the second and the size only."""
        self._written_s += 1
        (self.tree / file).write_bytes(source)
        os.utime(self.tree / file, (self._written_s, self._written_s))

    def said(self) -> str:
        """The end of what the last run of pytest said."""
        return self._said.read_text(errors="replace")[-2000:]

    def test(self, arguments: list[str], limit_s: float) -> tuple[str, list[str], float]:
        """("green", "red" or "hung", the red tests, processor seconds) of one run of pytest."""
        if STOPPED.is_set():
            raise SystemExit
        self._red.write_text("")
        with self._said.open("w") as out:
            run = subprocess.Popen(
                [self.python, "-m", "pytest", "-x", "-q", "-p", RED, "-p", "no:cacheprovider", *arguments],
                cwd=self.tree,
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        code, spent_s = None, 0.0
        try:
            moved_s, idle_s = 0.0, 0
            while code is None:
                try:
                    code = run.wait(1)
                except subprocess.TimeoutExpired:
                    if STOPPED.is_set():
                        raise SystemExit from None
                    now_s, memory = _used(run.pid)
                    spent_s = max(spent_s, now_s)
                    idle_s += _sleeps(run.pid)
                    if spent_s > moved_s + BARELY_S:
                        moved_s, idle_s = spent_s, 0
                    if spent_s > limit_s or memory > MEMORY or idle_s > IDLE_S:
                        return "hung", [], spent_s
        finally:
            for pid in _of_session(run.pid):
                os.kill(pid, signal.SIGKILL)
            run.wait()
            shutil.rmtree(self._temporary, ignore_errors=True)
            self._temporary.mkdir(exist_ok=True)
        if code in (0, 5):
            return "green", [], spent_s
        return "red", list(dict.fromkeys(self._red.read_text().split("\n")[:-1])), spent_s


def _stats(of: str = "[0-9]*") -> Iterator[tuple[int, list[str]]]:
    for each in Path("/proc").glob(f"{of}/stat"):
        try:
            yield int(each.parent.name), each.read_text().rpartition(") ")[2].split()
        except OSError:
            continue  # it has ended


def _of_session(session: int) -> list[int]:
    return [pid for pid, stat in _stats() if int(stat[3]) == session and stat[0] != "Z"]


def _sleeps(session: int) -> bool:
    """Whether every thread waits for something; one that waits for the processor, or is stopped, will go on."""
    return all(stat[0] == "S" for pid in _of_session(session) for _, stat in _stats(f"{pid}/task/*"))


def _used(session: int) -> tuple[float, int]:
    """Processor seconds and bytes of memory of all processes of a session, with those it has reaped."""
    own = [stat for _, stat in _stats() if int(stat[3]) == session]
    ticks = sum(sum(map(int, stat[11:15])) for stat in own)
    return ticks / os.sysconf("SC_CLK_TCK"), sum(int(stat[21]) for stat in own) * os.sysconf("SC_PAGE_SIZE")


# --- one after the other --------------------------------------------------------------------------------------------


def make_test() -> list[str]:
    """What the Makefile hands to pytest for `make test`."""
    found = re.search(r"^tests:.*\n\t\$\(BIN\)/pytest (.*?) ?\$\(ARGS\)", (ROOT / "Makefile").read_text(), re.M)
    assert found, "no pytest in the Makefile's tests"
    return found[1].split()


def tried(copy: Copy, mutant: Mutant, only: str) -> dict[str, Any]:
    """What became of it: "killed by FILE", "hung", or "survived nearest" and "survived all"."""
    source = (copy.tree / mutant.file).read_bytes()
    ranked = nearest(mutant)
    courses = {
        "nearest": (["--randomly-dont-reorganize", *(file for _, file in ranked)], LIMIT_S),
        "all": (make_test(), LIMIT_ALL_S),
    }
    fate, seen, spent_s = SURVIVED, "", 0.0
    for course, (arguments, limit_s) in courses.items():
        if only not in ("", course):
            continue
        fate, left_out = f"{SURVIVED} {course}", list[str]()
        while True:
            copy.write(mutant.file, mutant.applied(source))
            try:
                found, red, took_s = copy.test([*arguments, *left_out], limit_s)
            finally:
                copy.write(mutant.file, source)
            spent_s += took_s
            # Without any test in red, what all of them import is.
            if found != "red" or copy.test(red[:1] or ["--collect-only", *arguments], limit_s)[0] == "green":
                break
            if not red:
                raise RuntimeError(f"no tests without a change: {copy.said()}")
            left_out += ["--deselect", red[0]]  # red anyway: it tells nothing
        if found != "green":
            seen = red[0] if red else ""
            fate = "hung" if found == "hung" else f"killed by {seen.partition('::')[0] or 'its own end'}"
            break
    return {
        "id": mutant.id,
        **asdict(mutant),
        "fate": fate,
        "test": seen,
        "course": course,
        "cpu_s": round(spent_s, 1),
        "nearest": ranked,
    }


def told(entry: dict[str, Any]) -> str:
    changed = " ".join(entry["old"].split()), " ".join(entry["new"].split())
    ranking = ", ".join(f"{Path(file).stem.removeprefix('test_')} {near}" for near, file in entry["nearest"])
    return (
        f"{entry['file']}:{entry['line']}:{entry['col']} {entry['function']} [{entry['kind']}]\n"
        f"  - {changed[0]}\n  + {changed[1]}\n  {entry['fate']} ({entry['cpu_s']} s)\n  nearest: {ranking}"
    )


def summary(entries: list[dict[str, Any]]) -> str:
    columns = ("killed by nearest", "killed by all", "hung", "survived nearest", "survived all")
    lines = [f"{'':8}" + "".join(f"{column:>19}" for column in columns)]
    for package, folder in [*PACKAGES.items(), ("together", "")]:
        counted = Counter(
            f"killed by {e['course']}" if e["fate"].startswith("killed") else e["fate"]
            for e in entries
            if e["file"].startswith(folder)
        )
        lines.append(f"{package:8}" + "".join(f"{counted[column]:>19}" for column in columns))
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--packages", nargs="+", choices=PACKAGES, default=list(PACKAGES))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", choices=("nearest", "all"), default="", help="one of both courses")
    parser.add_argument("--mutant", help="this one again: file:line:col:kind")
    parser.add_argument("--list", action="store_true", help="say what would be tried, and try nothing")
    parser.add_argument("--results", type=Path, help="a new file of JSON lines, one a mutant")
    parser.add_argument("--resume", type=Path, help="such a file, to go on with: what stands in it is not tried again")
    args = parser.parse_args()
    if args.results and args.results.exists():
        parser.error(f"{args.results} exists; --resume goes on with it")
    if args.mutant:
        file = args.mutant.split(":")[0]
        wanted = [mutant for mutant in mutants_of(file, (ROOT / file).read_bytes()) if mutant.id == args.mutant]
    else:
        wanted = drawn(args.packages, args.count, args.seed)
    out = args.resume or args.results
    done = [json.loads(line) for line in out.read_text().splitlines()] if out and out.exists() else []
    waiting: queue.SimpleQueue[Mutant] = queue.SimpleQueue()
    for mutant in wanted:
        if mutant.id not in {entry["id"] for entry in done}:
            if args.list:
                print(f"{mutant.id} {mutant.function}: {mutant.old!r} -> {mutant.new!r}")
            else:
                waiting.put(mutant)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    lock = threading.Lock()

    ended: queue.SimpleQueue[Path] = queue.SimpleQueue()

    def work(folder: Path) -> None:
        try:
            copy = Copy(folder)
            while True:
                entry = tried(copy, waiting.get_nowait(), args.only)
                with lock:
                    done.append(entry)
                    print(told(entry), flush=True)
                    if out:
                        with out.open("a") as lines:
                            lines.write(json.dumps(entry) + "\n")
        except queue.Empty:
            return
        finally:
            ended.put(folder)

    with tempfile.TemporaryDirectory(prefix="m") as made:
        working = {Path(made) / str(job) for job in range(0 if waiting.empty() else args.jobs)}
        for folder in sorted(working):
            folder.mkdir()
            threading.Thread(target=work, args=(folder,), daemon=True).start()
        try:
            while working:
                working.discard(ended.get())
        finally:
            STOPPED.set()
            while working:
                working.discard(ended.get())
    print(summary(done))
    return 0


if __name__ == "__main__":
    sys.exit(main())
