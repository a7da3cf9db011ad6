"""A bundle on bases that have newer packages: Roundtap is installed on each, and what does not fit is named.

For every package of the bundle that the base lacks, a stand-in of a higher version (+rpt1, as Raspberry Pi has them) is
put onto the base, and apt is asked whether Roundtap can be installed. Then the bundle is really installed: on the base
as it is, on one with a newer libgbm1 (no wall: parts of Mesa want each other in one version), and with all of it newer.
As root, with apt, dpkg-dev and overlayfs; nothing is fetched, and the base is never changed.
usage: python3 tests/systemd/newer_base.py ROOT BUNDLE_FOLDER [PACKAGE …]   (with packages: only these, one by one)
"""

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

OF_CONTROL = ("Provides", "Multi-Arch")
ASK = """
list=$(mktemp); echo "deb [trusted=yes] file:/bundle ./" > $list
set -- -o Dir::Etc::sourcelist=$list -o Dir::Etc::sourceparts=- -o APT::Sandbox::User=root -q=2
apt-get "$@" update && apt-get "$@" --simulate install --no-install-recommends --no-remove roundtap
"""
INSTALL = "sh /bundle/install.sh > /tmp/installed.log 2>&1 || { tail -n 20 /tmp/installed.log; exit 1; }"


def stand_ins(bundle: Path, folder: Path) -> dict[str, Path]:
    """Package → an empty package of its name, one version higher."""
    made = {}
    for paragraph in (bundle / "Packages").read_text(encoding="utf-8").split("\n\n"):
        fields = dict(re.findall(r"^([A-Z][\w-]*): (.*)$", paragraph, flags=re.MULTILINE))
        name = fields.get("Package", "roundtap")
        if name.startswith("roundtap"):
            continue
        tree = folder / name
        (tree / "DEBIAN").mkdir(parents=True)
        wanted = {
            "Package": name,
            "Version": fields["Version"] + "+rpt1",
            "Architecture": fields["Architecture"],
            "Maintainer": "nobody <nobody@localhost>",
            **{key: fields[key] for key in OF_CONTROL if key in fields},
            "Description": "a stand-in",
        }
        (tree / "DEBIAN/control").write_text("".join(f"{key}: {value}\n" for key, value in wanted.items()))
        made[name] = folder / f"{name}.deb"
        subprocess.run(
            ["dpkg-deb", "--root-owner-group", "-Znone", "-b", tree, made[name]], check=True, stdout=subprocess.DEVNULL
        )
    return made


@contextmanager
def layer(root: Path, bundle: Path, stands: Path) -> Iterator[Path]:
    """The base beneath a layer that is thrown away, with the bundle at /bundle and the stand-ins at /stand-ins."""
    folder = Path(tempfile.mkdtemp(prefix="newer-base-"))
    merged = folder / "root"
    for name in ("upper", "work", "root"):
        (folder / name).mkdir()
    options = f"lowerdir={root},upperdir={folder / 'upper'},workdir={folder / 'work'}"
    subprocess.run(["mount", "-t", "overlay", "overlay", "-o", options, merged], check=True)
    mounted = [merged]
    try:
        for source, place in ((bundle, "bundle"), (stands, "stand-ins")):
            (merged / place).mkdir()
            subprocess.run(["mount", "--bind", source, merged / place], check=True)
            mounted.append(merged / place)
        yield merged
    finally:
        for place in reversed(mounted):
            subprocess.run(["umount", place], check=True)
        shutil.rmtree(folder)


def run(merged: Path, script: str) -> subprocess.CompletedProcess[str]:
    """A script in the layer, without a network."""
    words = ["env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LC_ALL=C.UTF-8", "sh", "-c", script]
    return subprocess.run(
        ["unshare", "--net", "chroot", merged, *words], capture_output=True, text=True, errors="replace", check=False
    )


def holds(what: str, is_so: bool, why: str = "") -> bool:
    print(f"{'holds' if is_so else 'FAILS'}   {what}{'' if is_so else ': ' + why}", flush=True)
    return is_so


def main(root: Path, bundle: Path, only: Sequence[str]) -> int:
    failed = 0
    with tempfile.TemporaryDirectory(prefix="stand-ins-") as folder:
        made = stand_ins(bundle, Path(folder))
        installed = {path.stem.partition(":")[0] for path in (root / "var/lib/dpkg/info").glob("*.list")}
        for name in only or sorted(made.keys() - installed):
            with layer(root, bundle, Path(folder)) as merged:
                said = run(merged, f"dpkg -i /stand-ins/{name}.deb && {ASK}")
            failed += not holds(f"{name} is newer", said.returncode == 0, said.stdout[-600:] + said.stderr[-600:])
        for what, names, without in (
            ()
            if only
            else (
                ("the base as it is", [], set[str]()),
                ("a newer libgbm1", ["libgbm1"], {"roundtap-wall"}),
                ("everything newer", sorted(made.keys() - installed), set()),
            )
        ):
            with layer(root, bundle, Path(folder)) as merged:
                debs = " ".join(f"/stand-ins/{name}.deb" for name in names)
                said = run(merged, f"{f'dpkg -i {debs} > /tmp/stand-ins.log;' if names else ''} {INSTALL}")
                left = (
                    set((merged / "var/lib/roundtap-bundle/left-out").read_text().split()) if not said.stderr else set()
                )
                version = run(merged, "roundtap --version").stdout.strip()
                kept = run(merged, "dpkg-query --show --showformat '${Package} ${Version}\\n'").stdout
            newer = {line.split()[0] for line in kept.splitlines() if line.endswith("+rpt1")}
            failed += not holds(
                f"{what}: {version}, left out: {', '.join(sorted(left)) or 'nothing'}",
                said.returncode == 0 and version.startswith("roundtap ") and without <= left and newer == set(names),
                said.stdout[-600:] + said.stderr[-600:],
            )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]))
