"""A worn card: every fsync takes 30 ms longer, by a library put before libc's; by strace where there is no compiler."""

import os
import shutil
import subprocess
from pathlib import Path

DELAY_MS = 30
STRACE = (
    "strace",
    "-D",
    "-f",
    "--seccomp-bpf",
    "-o",
    "/dev/null",
    "-e",
    "trace=fsync,fdatasync",
    "-e",
    f"inject=fsync,fdatasync:delay_exit={DELAY_MS * 1000}",
)
"""-D: the hub itself is the process that was started. strace stops a threaded hub at far more than its fsyncs (six
times the CPU a report were seen), so its figures are the machine's and strace's together."""

SOURCE = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>
static int slowed(const char *name, int fd) {
    int (*real)(int) = (int (*)(int)) dlsym(RTLD_NEXT, name);
    int answer = real(fd);
    usleep(%d);
    return answer;
}
int fsync(int fd) { return slowed("fsync", fd); }
int fdatasync(int fd) { return slowed("fdatasync", fd); }
"""


def slow_disk(folder: Path) -> tuple[tuple[str, ...], str]:
    """The words that start a command on such a disk, and how it is done; () and why where it cannot be."""
    compiler = shutil.which("cc")
    if compiler is not None:
        source, library = folder / "slow_fsync.c", folder / "slow_fsync.so"
        source.write_text(SOURCE % (DELAY_MS * 1000))
        built = subprocess.run(
            [compiler, "-shared", "-fPIC", "-O1", "-o", str(library), str(source), "-ldl"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
            check=False,
        )
        if built.returncode == 0:
            loaded = f"{library}:{os.environ['LD_PRELOAD']}" if os.environ.get("LD_PRELOAD") else str(library)
            return ("env", f"LD_PRELOAD={loaded}"), "by a library before libc's fsync"
    if shutil.which("strace") is not None:
        return STRACE, "by strace, whose own cost is in it"
    return (), "left out: neither a C compiler nor strace is installed (apt install gcc libc6-dev, or strace)"
