"""Power cuts as a disk sees them: every write of a hub, recorded with strace, and what a cut at any of them leaves."""

import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

CALLS = "openat,write,pwrite64,fsync,fdatasync,ftruncate,rename,renameat,renameat2,unlink,unlinkat,sendto,sendmsg"
ACCEPTED = re.compile(rb'\{[^{}]*"fate": ?"accepted"[^{}]*\}')
"""The hub's word that a report is kept, on its way out."""
REPORT = re.compile(rb'"report": ?\{.*')
"""A unit's report on its way out: from now on the unit keeps it."""
ID = re.compile(rb'"report_id": ?"([^"]+)"')
SECTOR = 512


@dataclass(frozen=True, slots=True)
class Call:
    """One finished system call: its name, its arguments as strace writes them, what it returned."""

    name: str
    args: str
    returned: int


def calls(trace: Iterable[str]) -> Iterator[Call]:
    """Calls in the order in which they ended, out of `strace -f -y -xx -s …`."""
    begun: dict[str, str] = {}
    for line in trace:
        found = re.match(r"(?:\[pid +(\d+)\] |(\d+) +)?(.*)$", line.rstrip("\n"))
        thread, text = found[1] or found[2] or "", found[3]
        if text.endswith("<unfinished ...>"):
            begun[thread] = text.removesuffix("<unfinished ...>").rstrip()
            continue
        if resumed := re.match(r"<\.\.\. \w+ resumed>(.*)$", text):
            text = begun.pop(thread, "") + resumed[1]
        if whole := re.match(r"(\w+)\((.*)\)\s+= (-?\d+)", text):
            yield Call(whole[1], whole[2], int(whole[3]))


@dataclass
class File:
    """A file: what is on the platter, and what was written since and may be there or not."""

    durable: bytearray = field(default_factory=bytearray)
    pending: list[tuple[int, bytes | None]] = field(default_factory=list)
    """(offset, bytes), or (length, None) for a truncation."""
    at: int = 0
    """Where the next plain write goes."""

    def sync(self) -> None:
        for offset, data in self.pending:
            _put(self.durable, offset, data)
        self.pending = []

    def after_cut(self, chance: random.Random) -> bytes:
        """Some of what was not synced is there: nothing, all, the first ones, any of them, one torn."""
        left = bytearray(self.durable)
        kind = chance.choice(("none", "all", "first", "any", "torn"))
        upto = chance.randint(0, len(self.pending))
        for place, (offset, data) in enumerate(self.pending):
            there = {"none": False, "all": True, "any": chance.random() < 0.5}.get(kind, place < upto)
            if there:
                if kind == "torn" and place == upto - 1 and data is not None:
                    data = data[: chance.randint(0, len(data) // SECTOR) * SECTOR]
                _put(left, offset, data)
        return bytes(left)


def _put(content: bytearray, offset: int, data: bytes | None) -> None:
    if data is None:
        del content[offset:]
        content.extend(bytes(offset - len(content)))
        return
    content.extend(bytes(max(0, offset + len(data) - len(content))))
    content[offset : offset + len(data)] = data


class Disk:
    """A folder replayed call by call. Names are kept as a journalling file system keeps them: in order, and all of them
    with any sync; names that were not synced may be there or not."""

    def __init__(self, folder: Path, promise: re.Pattern[bytes], as_traced: str) -> None:
        """`folder` as it was before the process started; `promise`: what it must have kept once it said so;
        `as_traced`: where the process had the folder."""
        self._folder = f"{as_traced}/"
        self._promise = promise
        self._names = {
            str(path.relative_to(folder)): File(bytearray(path.read_bytes()))
            for path in folder.rglob("*")
            if path.is_file()
        }
        self._durable_names = dict(self._names)
        self._folders: dict[str, str] = {}
        """Open folders by descriptor: a path may begin at one."""
        self.promised: list[str] = []

    def take(self, call: Call) -> bool:
        """Whether the call changed what a cut leaves."""
        if call.returned < 0:
            return False
        if call.name in ("sendto", "sendmsg"):
            for said in self._promise.findall(_bytes(call.args)):
                self.promised += [each.decode() for each in ID.findall(said)]
            return False
        if call.name in ("rename", "renameat", "renameat2"):
            before, after = _texts(call.args)[:2]
            return self._rename(before, after)
        if call.name in ("unlink", "unlinkat"):
            return self._unlink(_texts(call.args)[0])
        if call.name == "openat":
            return self._open(call)
        # What has lost its name to another file is nobody's any more, whatever is written over it.
        path = re.match(r"\d+<([^>]*)>(?!\(deleted\))", call.args)
        name = self._inside(_plain(path[1])) if path else None
        if name is None:
            return False
        if call.name in ("fsync", "fdatasync"):
            if name in self._names:
                self._names[name].sync()
            self._durable_names = dict(self._names)
            return True
        return self._written(name, call)

    def left(self, chance: random.Random) -> dict[str, bytes]:
        """Name and content of each file after a cut now."""
        names = self._names if chance.random() < 0.5 else self._durable_names
        return {name: file.after_cut(chance) for name, file in names.items()}

    def _open(self, call: Call) -> bool:
        path = _texts(call.args)[0]
        if "O_DIRECTORY" in call.args:
            self._folders[str(call.returned)] = path
        name = self._inside(path)
        if name is None or "O_CREAT" not in call.args:
            return False
        if name not in self._names:
            self._names[name] = File()
        if "O_TRUNC" in call.args:
            self._names[name].pending.append((0, None))
        self._names[name].at = 0
        return True

    def _written(self, name: str, call: Call) -> bool:
        file = self._names.setdefault(name, File())
        if call.name == "ftruncate":
            file.pending.append((int(call.args.rsplit(",", 1)[1]), None))
        elif call.name == "pwrite64":
            file.pending.append((int(call.args.rsplit(",", 1)[1]), _bytes(call.args)[: call.returned]))
        else:
            size = max([len(file.durable), *(offset + len(data) for offset, data in file.pending if data is not None)])
            at = size if name.endswith((".jsonl", ".log")) else file.at
            file.pending.append((at, _bytes(call.args)[: call.returned]))
            file.at = at + call.returned
        return True

    def _rename(self, before: str, after: str) -> bool:
        source, target = self._inside(before), self._inside(after)
        if source is None or target is None or source not in self._names:
            return False
        self._names[target] = self._names.pop(source)
        return True

    def _unlink(self, path: str) -> bool:
        name = self._inside(path)
        return name is not None and self._names.pop(name, None) is not None

    def _inside(self, path: str) -> str | None:
        if pinned := re.match(r"/proc/self/fd/(\d+)(?=/)", path):
            path = self._folders.get(pinned[1], "") + path[pinned.end() :]
        return path.removeprefix(self._folder) if path.startswith(self._folder) else None


def write_out(files: dict[str, bytes], folder: Path) -> None:
    """The files as a machine finds them that is started again; what lives in memory only is not there."""
    for name, content in files.items():
        if not name.endswith("-shm"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)


def _texts(args: str) -> list[str]:
    return [_plain(found) for found in re.findall(r'"((?:\\x[0-9a-f]{2})*)"', args)]


def _bytes(args: str) -> bytes:
    return b"".join(bytes.fromhex(found.replace("\\x", "")) for found in re.findall(r'"((?:\\x[0-9a-f]{2})*)"', args))


def _plain(hexed: str) -> str:
    """A text as strace writes it: with -xx in hex, paths of descriptors too."""
    if not hexed.startswith("\\x"):
        return hexed
    return bytes.fromhex(hexed.replace("\\x", "")).decode(errors="replace")
