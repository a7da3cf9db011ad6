"""A card is made without root: bundle, script and settings on its boot partition, in a folder or within an image."""

import lzma
import shutil
import struct
import subprocess
import tarfile
from pathlib import Path

import pytest
from bundle_kit import control, made_bundle
from machine_kit import CMDLINE, CONFIG

from roundtap.main import main
from roundtap.provisioning import card
from roundtap.provisioning.settings_file import Settings, read_settings, read_settings_file

needs_mtools = pytest.mark.skipif(shutil.which("mformat") is None, reason="no mtools (apt: mtools)")

FIRST, SECTORS = 2048, 65536
ARMED_WORDS = [
    "systemd.run=/boot/firmware/roundtap/first-boot.sh",
    "systemd.run_success_action=reboot",
    "systemd.run_failure_action=reboot",
    "systemd.unit=kernel-command-line.target",
]


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    return made_bundle(tmp_path / "bundle")


def next_bundle(bundle: Path) -> Path:
    """The same with a later version of Roundtap's package."""
    shutil.rmtree(bundle)
    return made_bundle(bundle, control("roundtap", "2.0.0"), control("overlayroot", "0.18", "all"))


@pytest.fixture
def boot(tmp_path: Path) -> Path:
    folder = tmp_path / "bootfs"
    folder.mkdir()
    (folder / "cmdline.txt").write_text(CMDLINE)
    (folder / "config.txt").write_text(CONFIG)
    return folder


def made_image(folder: Path, name: str = "raspios.img") -> Path:
    """An image laid out as Pi OS's: a table of partitions, FAT from 1 MiB, ext4 after it (here: nothing)."""
    image = folder / name
    entry = struct.pack("<B3sB3sII", 0, b"\0\0\0", 0x0C, b"\0\0\0", FIRST, SECTORS)
    root = struct.pack("<B3sB3sII", 0, b"\0\0\0", 0x83, b"\0\0\0", FIRST + SECTORS, 4096)
    with image.open("wb") as file:
        file.write(b"\0" * 446 + entry + root + b"\0" * 32 + b"\x55\xaa")
        file.truncate((FIRST + SECTORS + 4096) * 512)
    drive = f"{image}@@{FIRST * 512}"
    subprocess.run(["mformat", "-i", drive, "-T", str(SECTORS), "-h", "16", "-s", "63", "::"], check=True)
    for file_name, text in (("cmdline.txt", CMDLINE), ("config.txt", CONFIG)):
        subprocess.run(["mcopy", "-i", drive, "-", f"::{file_name}"], input=text.encode(), check=True)
    return image


def of_image(image: Path, name: str) -> bytes:
    words = ["mtype", "-i", f"{image}@@{FIRST * 512}", f"::{name}"]
    return subprocess.run(words, capture_output=True, check=True).stdout


def test_a_card_gets_bundle_script_and_settings_and_starts_the_script_next(boot: Path, bundle: Path) -> None:
    assert main(["card", str(boot), "--bundle", str(bundle)]) == 0
    packed = {path.name: path.read_bytes() for path in (boot / "roundtap/bundle").iterdir()}
    assert packed == {path.name: path.read_bytes() for path in bundle.iterdir()}
    assert (boot / "roundtap/first-boot.sh").read_text().startswith("#!/bin/sh\n")
    words = (boot / "cmdline.txt").read_text().split()
    assert words[-4:] == ARMED_WORDS
    assert words[:-4] == CMDLINE.replace(" resize", "").split()


def test_a_bundle_may_be_one_tar(boot: Path, bundle: Path, tmp_path: Path) -> None:
    packed = tmp_path / "roundtap-offline_1.2.3_trixie_arm64.tar"
    with tarfile.open(packed, "w") as tar:
        tar.add(bundle, "roundtap-offline_1.2.3")
    assert main(["card", str(boot), "--bundle", str(packed)]) == 0
    assert {path.name for path in (boot / "roundtap/bundle").iterdir()} == {
        "roundtap_1.2.3_arm64.deb",
        "overlayroot_0.18_all.deb",
        "Packages",
        "given",
        "install.sh",
    }


def test_nothing_in_a_tar_lands_elsewhere_than_on_the_card(boot: Path, bundle: Path, tmp_path: Path) -> None:
    packed = tmp_path / "roundtap-offline.tar"
    with tarfile.open(packed, "w") as tar:
        # A link that leads out, and files that are to go through it, up, and to the root.
        for name, kind, target in (("way", tarfile.SYMTYPE, str(tmp_path)), ("pipe", tarfile.FIFOTYPE, "")):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, target
            tar.addfile(member)
        for path, name in zip(sorted(bundle.iterdir()), ("way/", "../", f"{tmp_path}/", "", "way/../../"), strict=True):
            tar.add(path, f"{name}{path.name}")
    there = set(tmp_path.iterdir())
    assert main(["card", str(boot), "--bundle", str(packed)]) == 0
    assert set(tmp_path.iterdir()) == there
    assert {path.name for path in (boot / "roundtap/bundle").iterdir()} == {path.name for path in bundle.iterdir()}


def test_the_template_says_nothing_until_somebody_takes_a_sign_away(boot: Path, bundle: Path) -> None:
    main(["card", str(boot), "--bundle", str(bundle)])
    raw = (boot / "roundtap.txt").read_bytes()
    assert read_settings(raw) == (Settings(), [])
    assert raw.startswith(b"\xef\xbb\xbf")
    assert raw.count(b"\r\n") == raw.count(b"\n")
    for key in (
        "role",
        "wifi",
        "wifi_password",
        "country",
        "language",
        "board",
        "hotspot",
        "hub",
        "name",
        "timezone",
        "pin",
    ):
        assert f"\n#{key} = ".encode() in raw
    opened = raw.replace(b"\n#", b"\n").replace(b"# ", b"#")
    assert read_settings(opened)[0].role == "table"


def test_a_file_of_settings_goes_along_and_its_country_at_once(boot: Path, bundle: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.txt"
    mine.write_text("role = hub\ncountry = PL\n")
    assert main(["card", str(boot), "--bundle", str(bundle), "--settings", str(mine)]) == 0
    assert (boot / "roundtap.txt").read_text() == "role = hub\ncountry = PL\n"
    assert "cfg80211.ieee80211_regdom=PL" in (boot / "cmdline.txt").read_text().split()


def test_a_card_whose_settings_are_wrong_is_not_made_and_the_files_that_they_name_go_along(
    boot: Path, bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    desk = tmp_path / "desk"
    desk.mkdir()
    (desk / "table-7.txt").write_text("role = table\nboard = our-box.toml\ncountry = XX\n")
    for name in ("our-box.toml", "other.toml", "standby.toml"):
        (desk / name).write_text('like = "waveshare-oled-hat"\n')
    words = ["card", str(boot), "--bundle", str(bundle), "--settings", str(desk / "table-7.txt")]
    assert main(words) == 2
    assert [line.partition(": ")[0] for line in capsys.readouterr().out.splitlines()] == ["table-7.txt, line 3"]
    assert (boot / "cmdline.txt").read_text() == CMDLINE
    (desk / "table-7.txt").write_text("role = table\nboard = our-box.toml\ncountry = DE\n")
    assert main(words) == 0
    assert {path.name for path in boot.glob("*.toml")} == {"our-box.toml"}
    assert read_settings_file(boot / "roundtap.txt")[0].board == "our-box.toml"


@pytest.mark.parametrize("words", [[], ["WHERE"], ["WHERE", "--check", "FILE"]])
def test_either_a_card_is_made_or_a_file_is_checked(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["card", *words])
    assert "usage: roundtap card" in capsys.readouterr().err


def test_the_settings_that_are_on_a_card_already_are_read_too(boot: Path, bundle: Path) -> None:
    (boot / "roundtap.txt").write_text("role = tabel\n")
    assert main(["card", str(boot), "--bundle", str(bundle)]) == 2
    assert (boot / "cmdline.txt").read_text() == CMDLINE


def test_the_next_bundle_goes_onto_a_card_that_runs_and_leaves_its_settings(boot: Path, bundle: Path) -> None:
    main(["card", str(boot), "--bundle", str(bundle)])
    (boot / "roundtap.txt").write_text("role = wall\n")
    (boot / "cmdline.txt").write_text(CMDLINE.replace("resize", "overlayroot=tmpfs:recurse=0"))
    assert main(["card", str(boot), "--bundle", str(next_bundle(bundle))]) == 0
    packed = {path.name for path in (boot / "roundtap/bundle").glob("*.deb")}
    assert packed == {"roundtap_2.0.0_arm64.deb", "overlayroot_0.18_all.deb"}
    assert (boot / "roundtap.txt").read_text() == "role = wall\n"
    words = (boot / "cmdline.txt").read_text().split()
    assert not any(word.startswith("overlayroot=") for word in words)
    assert words[-4:] == ARMED_WORDS


def test_made_twice_is_made_once(boot: Path, bundle: Path) -> None:
    main(["card", str(boot), "--bundle", str(bundle)])
    first = {path: path.read_bytes() for path in boot.rglob("*") if path.is_file()}
    main(["card", str(boot), "--bundle", str(bundle)])
    assert {path: path.read_bytes() for path in boot.rglob("*") if path.is_file()} == first


@needs_mtools
@pytest.mark.parametrize("packed", [False, True], ids=["img", "img.xz"])
def test_an_image_of_pi_os_becomes_one_of_the_kit_s_without_root(tmp_path: Path, bundle: Path, packed: bool) -> None:
    base = made_image(tmp_path)
    before = base.read_bytes()
    if packed:
        base = tmp_path / "raspios.img.xz"
        base.write_bytes(lzma.compress(before, preset=0))
    made = tmp_path / "dist/roundtap.img"
    assert main(["card", str(base), "--bundle", str(bundle), "--output", str(made)]) == 0
    assert of_image(made, "cmdline.txt").decode().split()[-4:] == ARMED_WORDS
    for path in bundle.iterdir():
        assert of_image(made, f"roundtap/bundle/{path.name}") == path.read_bytes()
    assert of_image(made, "roundtap/first-boot.sh") == (card.FILES / "first-boot.sh").read_bytes()
    assert read_settings(of_image(made, "roundtap.txt")) == (Settings(), [])
    # Nothing but the boot partition has changed.
    after, begin, end = made.read_bytes(), FIRST * 512, (FIRST + SECTORS) * 512
    assert (after[:begin], after[end:]) == (before[:begin], before[end:])


@needs_mtools
def test_an_image_takes_the_next_bundle_too(tmp_path: Path, bundle: Path) -> None:
    made = tmp_path / "a.img"
    main(["card", str(made_image(tmp_path)), "--bundle", str(bundle), "--output", str(made)])
    next_bundle(bundle)
    again = tmp_path / "b.img"
    assert main(["card", str(made), "--bundle", str(bundle), "--output", str(again)]) == 0
    listed = subprocess.run(
        ["mdir", "-b", "-i", f"{again}@@{FIRST * 512}", "::roundtap/bundle"], capture_output=True, text=True, check=True
    ).stdout
    assert "2.0.0" in listed
    assert "1.2.3" not in listed


def test_what_is_no_card_is_told_and_stays_as_it_is(
    tmp_path: Path, bundle: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    empty = tmp_path / "other"
    empty.mkdir()
    assert main(["card", str(empty), "--bundle", str(bundle)]) == 2
    assert "bootfs" in capsys.readouterr().err
    assert list(empty.iterdir()) == []
    film = tmp_path / "film.img"
    film.write_bytes(b"x" * 4096)
    before = set(tmp_path.iterdir())
    assert main(["card", str(film), "--bundle", str(bundle), "--output", str(tmp_path / "o.img")]) == 2
    assert "Raspberry Pi OS Lite" in capsys.readouterr().err
    assert set(tmp_path.iterdir()) == before


def test_a_folder_without_the_package_is_no_bundle(
    boot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["card", str(boot), "--bundle", str(tmp_path / "nothing")]) == 2
    assert "make deb bundle ARCH=arm64" in capsys.readouterr().err
    assert (boot / "cmdline.txt").read_text() == CMDLINE


@pytest.mark.parametrize(
    ("where", "bundle_name", "told"),
    [("", "dist/any.tar", "make image BASE="), ("any.img.xz", "", "dist has no package")],
)
def test_an_empty_variable_of_the_makefile_is_not_the_working_folder(
    bundle: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    where: str,
    bundle_name: str,
    told: str,
) -> None:
    monkeypatch.chdir(bundle)
    Path("any.img.xz").touch()
    assert main(["card", where, "--bundle", bundle_name]) == 2
    assert told in capsys.readouterr().err


def test_what_is_on_the_card_is_named(boot: Path, bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["card", str(boot), "--bundle", str(bundle)])
    said = capsys.readouterr().out.splitlines()
    assert said[:2] == ["roundtap 1.2.3 arm64", "  overlayroot 0.18 all"]
    assert "WALL=no" in said[2]
    assert "2 packages" in said[3]


def test_a_wall_s_bundle_is_not_said_to_lack_it(boot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made_bundle(tmp_path / "walls", control("roundtap"), control("roundtap-wall", "1", "all", Depends="roundtap"))
    main(["card", str(boot), "--bundle", str(tmp_path / "walls")])
    assert "WALL=no" not in capsys.readouterr().out


@pytest.mark.parametrize("bad", ["roundtap/bundle/overlayroot_0.18_all.deb", "roundtap/first-boot.sh", "roundtap.txt"])
def test_a_card_that_gives_back_something_else_starts_as_before(
    boot: Path, bundle: Path, bad: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class WornCard(card.FolderCard):
        def get(self, name: str) -> bytes | None:
            raw = super().get(name)
            return raw[:-1] + b"?" if name == bad and raw else raw

    monkeypatch.setattr(card, "FolderCard", WornCard)
    assert main(["card", str(boot), "--bundle", str(bundle)]) == 2
    assert bad in capsys.readouterr().err
    assert (boot / "cmdline.txt").read_text() == CMDLINE


def test_a_card_that_is_full_starts_as_before(
    boot: Path, bundle: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(card.FolderCard, "free", lambda self: 1 << 20)
    assert main(["card", str(boot), "--bundle", str(bundle)]) == 2
    assert "1 MiB free" in capsys.readouterr().err
    assert (boot / "cmdline.txt").read_text() == CMDLINE


def test_the_script_takes_out_just_what_was_put_in(boot: Path, bundle: Path, tmp_path: Path) -> None:
    main(["card", str(boot), "--bundle", str(bundle)])
    script = (boot / "roundtap/first-boot.sh").read_text()
    disarm = script[script.index("disarm() {") : script.index("give_up() {")]
    subprocess.run(["sh", "-c", f"boot={boot}\n{disarm}\ndisarm"], check=True)
    assert (boot / "cmdline.txt").read_text().split() == CMDLINE.replace(" resize", "").split()


# What Imager 1, and Imager 2 for older systems, adds for its own script: where that is not found, the Pi powers off.
IMAGER = " systemd.run={}/firstrun.sh systemd.run_success_action=reboot systemd.unit=kernel-command-line.target\n"


@pytest.mark.parametrize("folder", ["/boot", "/boot/firmware"])
@pytest.mark.parametrize("before", [True, False], ids=["before the card is made", "after it"])
def test_imager_s_own_script_is_started_by_nobody_but_the_first_start(
    boot: Path, bundle: Path, folder: str, before: bool
) -> None:
    def imager_writes() -> None:
        path = boot / "cmdline.txt"
        path.write_text(path.read_text().rstrip("\n") + IMAGER.format(folder))

    if before:
        imager_writes()
    assert main(["card", str(boot), "--bundle", str(bundle)]) == 0
    if before:
        assert (boot / "cmdline.txt").read_text().split()[-4:] == ARMED_WORDS
        assert "firstrun" not in (boot / "cmdline.txt").read_text()
    else:
        imager_writes()
    script = (boot / "roundtap/first-boot.sh").read_text()
    disarm = script[script.index("disarm() {") : script.index("give_up() {")]
    subprocess.run(["sh", "-c", f"boot={boot}\n{disarm}\ndisarm"], check=True)
    assert (boot / "cmdline.txt").read_text().split() == CMDLINE.replace(" resize", "").split()


def programs(folder: Path, **scripts: str) -> str:
    """A PATH on which these programs are scripts."""
    folder.mkdir()
    for name, script in scripts.items():
        (folder / name.replace("_", "-")).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name.replace("_", "-")).chmod(0o755)
    return f"{folder}:/usr/bin:/bin"


@pytest.mark.parametrize(
    ("installed", "code"),
    [("installed 1.2.3", 0), ("installed 1.2.4", 0), ("installed 1.2.2", 1), ("unpacked 1.2.3", 1)],
)
def test_the_first_start_is_done_only_with_the_bundle_s_own_version(
    bundle: Path, tmp_path: Path, installed: str, code: int
) -> None:
    script = (card.FILES / "first-boot.sh").read_text()
    step = script[script.index("bundle() {") : script.index("tries=$((")].replace("/usr/sbin", str(tmp_path))
    path = programs(
        tmp_path / "bin",
        dpkg='[ "$1" = --configure ] || exec /usr/bin/dpkg "$@"',
        dpkg_query=f"case $* in *Version*) echo {installed} ;; *) echo {installed.split()[0]} ;; esac",
        dpkg_deb="echo 1.2.3",
    )
    here = bundle.parent / "here"
    here.mkdir()
    bundle.rename(here / "bundle")
    lines = f"here={here} log={tmp_path / 'log'}\nsay() {{ :; }}\n{step}\nbundle"
    assert subprocess.run(["sh", "-c", lines], check=False, env={"PATH": path}).returncode == code


def test_the_script_opens_the_boot_partition_of_a_card_that_runs_before_it_writes(
    boot: Path, bundle: Path, tmp_path: Path
) -> None:
    """After the first start it is read-only, and a script that cannot take itself out of cmdline.txt runs for ever."""
    main(["card", str(boot), "--bundle", str(bundle)])
    path = programs(
        tmp_path / "bin", mount=f"echo $* $(cat {boot}/roundtap/tries) > {tmp_path}/called", findmnt="echo overlay"
    )
    subprocess.run(["sh", str(boot / "roundtap/first-boot.sh")], check=False, capture_output=True, env={"PATH": path})
    assert (tmp_path / "called").read_text() == f"-o remount,rw {boot} 0\n"
    assert (boot / "roundtap/tries").read_text() == "1\n"


def test_an_older_wall_does_not_keep_a_newer_roundtap_away(tmp_path: Path) -> None:
    """apt may take it away for that, and only for that."""
    script = (Path(__file__).parents[2] / "systemd/debian/make_bundle.sh").read_text()
    begin = script.index('cat > "$work/$name/install.sh"')
    made = script[begin : script.index("\nINSTALL\n") + 9].replace("/var/lib", str(tmp_path / "lib"))
    head = f"work={tmp_path} name=. version=2 fonts=libfribidi0 wishes= none=\ngathered() {{ echo $*; }}\n"
    subprocess.run(["sh", "-c", head + made], check=True)
    asked = tmp_path / "asked"
    refuse = f'echo "$@" >> {asked}; case "$*" in *--no-remove*roundtap=*) exit 100 ;; esac'
    path = programs(tmp_path / "bin", apt_get=refuse, dpkg="")
    subprocess.run(["sh", tmp_path / "install.sh"], check=True, env={"PATH": path})
    calls = [line.partition(" install ")[2] for line in asked.read_text().splitlines() if " install " in line]
    assert "--yes --no-install-recommends roundtap=2" in calls
    assert all("--no-remove" in call for call in calls if "roundtap=2" not in call)
