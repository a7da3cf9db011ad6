"""A read-only root: what must last is mounted from the data partition, and there is no such root without one."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from machine_kit import CMDLINE, Called, machine_in

from roundtap.main import main
from roundtap.provisioning import read_only, role
from roundtap.provisioning.applying import Machine

FSTAB = """\
proc            /proc           proc    defaults          0       0
PARTUUID=0a1b2c3d-01  /boot/firmware  vfat    defaults          0       2
PARTUUID=0a1b2c3d-02  /               ext4    defaults,noatime  0       1
"""


class Runs(Called):
    """cp and rm are done, everything else is only noted; `mount` answers as it is told."""

    def __init__(self, mounts: int = 0) -> None:
        super().__init__()
        self.codes = {"mount": mounts}

    def __call__(self, words: Sequence[str], given: str = "") -> int:
        super().__call__(words, given)
        if words[0] in ("cp", "rm"):
            return subprocess.run(words, check=False).returncode
        return self.codes.get(words[0], self.codes.get(words[-1], 0))


@pytest.fixture
def pi(tmp_path: Path) -> Machine:
    machine_in(tmp_path, "role = hub")
    (tmp_path / "etc/fstab").write_text(FSTAB)
    unit = tmp_path / "usr/lib/systemd/system/roundtap-hub.service"
    unit.write_text("[Service]\nStateDirectory=roundtap roundtap-more\n")
    for needed in read_only.OVERLAY_NEEDS:
        (tmp_path / needed).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / needed).touch()
    return Machine(tmp_path, Runs())


def mounted(root: Path, *said: str) -> None:
    """/proc/self/mountinfo of "SOURCE PLACE KIND" each."""
    (root / "proc/self").mkdir(parents=True, exist_ok=True)
    (root / "proc/self/mountinfo").write_text(
        "".join(
            f"{number} 1 179:{number} / {place} rw shared:1 - {kind} {source} rw\n"
            for number, (source, place, kind) in enumerate(map(str.split, said), 20)
        )
    )


def mounts(machine: Machine) -> dict[str, list[str]]:
    """fstab by mount point: the fields of its line."""
    lines = (machine.root / "etc/fstab").read_text().splitlines()
    return {fields[1]: fields for fields in map(str.split, lines) if fields and not fields[0].startswith("#")}


def test_what_must_last_is_mounted_from_the_data_partition(pi: Machine) -> None:
    (pi.root / "var/lib/roundtap").mkdir(parents=True)
    (pi.root / "var/lib/roundtap/journal").write_text("saved")
    assert read_only.prepare_data_partition(pi) == []
    found = mounts(pi)
    assert found["/data"][:3] == ["LABEL=roundtap-data", "/data", "ext4"]
    assert found["/data"][5] == "2"
    for place in (
        "/var/lib/roundtap",
        "/var/lib/roundtap-more",
        "/etc/roundtap",
        "/var/log/journal",
        "/etc/NetworkManager/system-connections",
    ):
        assert found[place][0] == f"/data{place}"
        assert "bind" in found[place][3].split(",")
    assert (pi.root / "data/var/lib/roundtap/journal").read_text() == "saved"


def test_a_stick_with_the_data_partition_s_name_is_not_taken_for_it(pi: Machine) -> None:
    """A card's copy in a reader, or somebody's stick: the hub would start with another journal, PIN and keys."""
    mounted(pi.root, "/dev/mmcblk0p2 / ext4")
    assert read_only.prepare_data_partition(pi) == []
    assert mounts(pi)["/data"][0] == "/dev/mmcblk0p3"
    assert f"mount /dev/mmcblk0p3 {pi.root}/data" in pi.run.all  # type: ignore[attr-defined]
    assert not any("mount -L" in call for call in pi.run.all)  # type: ignore[attr-defined]
    # Whoever has put the data elsewhere keeps them there.
    mounted(pi.root, "/dev/mmcblk0p2 / ext4", "/dev/sda1 /data ext4")
    assert read_only.prepare_data_partition(pi) == []
    assert mounts(pi)["/data"][0] == "LABEL=roundtap-data"


def test_no_mount_that_fails_leaves_a_machine_waiting_for_a_keyboard(pi: Machine) -> None:
    read_only.prepare_data_partition(pi)
    for place, fields in mounts(pi).items():
        if place.startswith(("/data", "/var", "/etc", "/boot")):
            assert "nofail" in fields[3].split(",")


def test_the_boot_partition_is_read_only_and_all_other_lines_stay(pi: Machine) -> None:
    read_only.prepare_data_partition(pi)
    found = mounts(pi)
    assert found["/boot/firmware"][3] == "defaults,nofail,ro"
    assert (pi.root / "etc/fstab").read_text().replace("defaults,nofail,ro ", "defaults ").startswith(FSTAB)


def test_prepared_twice_is_prepared_once_and_old_data_is_not_copied_over_new(pi: Machine) -> None:
    read_only.prepare_data_partition(pi)
    once = (pi.root / "etc/fstab").read_text()
    (pi.root / "data/etc/roundtap/hub.env").write_text("newer")
    (pi.root / "etc/roundtap/hub.env").write_text("older")
    assert read_only.prepare_data_partition(pi) == []
    assert (pi.root / "etc/fstab").read_text() == once
    assert (pi.root / "data/etc/roundtap/hub.env").read_text() == "newer"


def test_without_a_data_partition_the_system_stays_writable_and_says_so(pi: Machine) -> None:
    machine = Machine(pi.root, Runs(mounts=32))
    assert [said.key for said in read_only.prepare_data_partition(machine)] == ["no_data_partition"]
    assert (pi.root / "etc/fstab").read_text() == FSTAB
    changed, told = read_only.set_read_only(machine, True)
    assert (changed, [said.key for said in told]) == (False, ["no_data_partition"])
    assert (pi.root / "boot/firmware/cmdline.txt").read_text() == CMDLINE


@pytest.mark.parametrize(
    "needed",
    ["usr/share/initramfs-tools/scripts/init-bottom/overlayroot", "usr/bin/busybox"],
    ids=["overlayroot", "busybox"],
)
def test_without_overlayroot_or_the_tools_that_it_calls_too(pi: Machine, needed: str) -> None:
    """Seen in an emulated Pi: without busybox a start has no grep that early, and the root stays writable."""
    (pi.root / needed).unlink()
    read_only.prepare_data_partition(pi)
    assert [said.key for said in read_only.set_read_only(pi, True)[1]] == ["no_overlay"]


def test_read_only_and_back_leaves_the_kernel_s_line_as_it_was(pi: Machine) -> None:
    read_only.prepare_data_partition(pi)
    assert read_only.set_read_only(pi, True) == (True, [])
    line = pi.root / "boot/firmware/cmdline.txt"
    assert "overlayroot=tmpfs:recurse=0" in line.read_text().split()
    assert read_only.set_read_only(pi, True) == (False, [])
    assert read_only.set_read_only(pi, False) == (True, [])
    assert line.read_text() == CMDLINE


def test_a_start_that_was_to_be_read_only_and_is_not_says_so(pi: Machine) -> None:
    read_only.prepare_data_partition(pi)
    assert read_only.set_read_only(pi, True) == (True, [])
    mounted(pi.root, "/dev/mmcblk0p2 / ext4")
    (pi.root / "proc/cmdline").write_text("quiet overlayroot=tmpfs:recurse=0\n")
    assert [said.key for said in read_only.set_read_only(pi, True)[1]] == ["not_overlaid"]
    mounted(pi.root, "overlayroot / overlay")
    assert read_only.set_read_only(pi, True) == (False, [])


def test_the_data_partition_is_waited_for_as_long_as_systemd_waits_for_any(pi: Machine) -> None:
    """On a slow machine it is there late: with a time of its own, 20 s, nothing was mounted that has to last."""
    read_only.prepare_data_partition(pi)
    assert mounts(pi)["/data"][3] == "noatime,nofail"


def test_a_root_beneath_a_layer_is_known_as_one(tmp_path: Path) -> None:
    assert not read_only.is_read_only(tmp_path)
    mounted(tmp_path, "/dev/mmcblk0p2 / ext4")
    assert not read_only.is_read_only(tmp_path)
    mounted(tmp_path, "overlayroot / overlay")
    assert read_only.is_read_only(tmp_path)


def test_the_first_start_leaves_nothing_that_waits_for_a_keyboard(pi: Machine) -> None:
    (pi.root / "etc/cloud").mkdir()
    (pi.root / "boot/firmware/user-data").write_text("#cloud-config\n\n# an example\n#hostname: x\n")
    state = pi.root / role.RADIO_OFF
    state.parent.mkdir(parents=True)
    state.write_text("[main]\nWirelessEnabled=false\n")
    role.silence_first_boot(pi)
    assert isinstance(pi.run, Runs)
    assert "systemctl --quiet mask userconfig.service" in pi.run.all
    assert (pi.root / "etc/cloud/cloud-init.disabled").exists()
    assert "WirelessEnabled=true" in state.read_text()


@pytest.fixture
def runs(pi: Machine, monkeypatch: pytest.MonkeyPatch) -> Runs:
    """What a command would run on a card that has its data partition, and what that answers."""
    mounted(pi.root, "/dev/mmcblk0p2 / ext4", "/dev/mmcblk0p3 /data ext4")
    made = Runs()
    monkeypatch.setattr("roundtap.provisioning.applying.run_dry", made)
    return made


USER_DATA = """\
#cloud-config
hostname: "mine"
timezone: Europe/Berlin
users:
- name: tom
  ssh_authorized_keys: [ssh-ed25519 AAAA]
rpi:
  interfaces: {i2c: true}
"""


def test_what_somebody_chose_in_imager_comes_true_once_is_named_and_stays(
    pi: Machine, runs: Runs, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a root that forgets, each start would be cloud-init's first: new host keys and names, and a restart."""
    (pi.root / "etc/cloud").mkdir()
    (pi.root / "boot/firmware/user-data").write_text(USER_DATA)
    (pi.root / "boot/firmware/network-config").write_text("network:\n  wifis:\n    wlan0:\n      access-points: {}\n")
    assert main(["role", "--first-boot", "--root", str(pi.root)]) == 0
    stages = [call.partition("cloud-init ")[2] for call in runs.all if "cloud-init " in call]
    assert stages == ["init --local", "init", "modules --mode config", "modules --mode final"]
    assert (pi.root / "etc/cloud/cloud-init.disabled").exists()
    # Pi OS's own maker of host keys would run at each start, too.
    assert "systemctl --quiet disable regenerate_ssh_host_keys.service" in runs.all
    for _ in range(2):
        assert (pi.root / "etc/hostname").read_text() == "mine\n"
        said = (pi.root / "boot/firmware/roundtap-says.txt").read_text("utf-8-sig")
        assert "Raspberry Pi Imager: hostname, rpi, timezone, users, wifis." in said
        assert "no errors" in said
        assert main(["role", "--apply", "--root", str(pi.root)]) == 0
    assert len([call for call in runs.all if "cloud-init " in call]) == 4
    # roundtap.txt has the last word.
    (pi.root / "boot/firmware/roundtap.txt").write_text("role = hub\nname = ours\n")
    assert main(["role", "--apply", "--root", str(pi.root)]) == 0
    assert (pi.root / "etc/hostname").read_text() == "ours\n"
    capsys.readouterr()


def test_imager_s_own_default_is_no_name_and_without_settings_nothing_is_said(
    pi: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    (pi.root / "etc/cloud").mkdir()
    for text, said in (("#cloud-config\n#hostname: x\n", False), ("#cloud-config\nhostname: raspberrypi\n", False)):
        (pi.root / "boot/firmware/user-data").write_text(text)
        assert main(["role", "--apply", "--root", str(pi.root)]) == 0
        assert (pi.root / "etc/hostname").read_text() == "roundtap\n"
        assert ("Imager" in capsys.readouterr().out) is said


@pytest.mark.parametrize("name", ["roundtap", "Gr\u00f6\u00dfe", "my.host", "x" * 40, "localhost", "-a"])
def test_a_name_from_imager_that_cannot_be_is_not_taken(
    pi: Machine, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    (pi.root / "boot/firmware/roundtap.txt").write_text("role = table\n")
    (pi.root / "boot/firmware/user-data").write_text(f"#cloud-config\nhostname: {name}\n")
    assert main(["role", "--apply", "--root", str(pi.root)]) == 0
    assert (pi.root / "etc/hostname").read_text() == "roundtap-table-0000\n"
    capsys.readouterr()


@pytest.mark.parametrize(("has_cloud", "code"), [(True, 1), (False, 0)])
def test_what_cloud_init_did_not_do_is_not_said_to_be_taken_over(
    pi: Machine, runs: Runs, capsys: pytest.CaptureFixture[str], has_cloud: bool, code: int
) -> None:
    runs.codes["config"] = code
    if has_cloud:
        (pi.root / "etc/cloud").mkdir()
    (pi.root / "boot/firmware/user-data").write_text(USER_DATA)
    for argument in ("--first-boot", "--apply"):
        assert main(["role", argument, "--root", str(pi.root)]) == 0
        assert "Imager" not in capsys.readouterr().out


def test_packages_that_want_a_network_do_not_hide_what_else_came_true(
    pi: Machine, runs: Runs, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a hostname Imager asks for avahi-daemon, too."""
    runs.codes["final"] = 1
    (pi.root / "etc/cloud").mkdir()
    (pi.root / "boot/firmware/user-data").write_text("#cloud-config\nhostname: mine\npackages:\n- avahi-daemon\n")
    assert main(["role", "--first-boot", "--root", str(pi.root)]) == 0
    assert "Raspberry Pi Imager: hostname." in capsys.readouterr().out


# As Imager 1 writes it, and Imager 2 for a system without cloud-init.
FIRST_RUN = """\
#!/bin/bash

set +e

CURRENT_HOSTNAME=`cat /etc/hostname | tr -d " \\t\\n\\r"`
if [ -f /usr/lib/raspberrypi-sys-mods/imager_custom ]; then
   /usr/lib/raspberrypi-sys-mods/imager_custom set_hostname mine
else
   echo mine >/etc/hostname
fi
if [ -f /usr/lib/raspberrypi-sys-mods/imager_custom ]; then
   /usr/lib/raspberrypi-sys-mods/imager_custom enable_ssh -k 'ssh-ed25519 AAAA tom@home'
fi
if [ -f /usr/lib/userconf-pi/userconf ]; then
   /usr/lib/userconf-pi/userconf 'tom' '$5$salt$hash'
fi
if [ -f /usr/lib/raspberrypi-sys-mods/imager_custom ]; then
   /usr/lib/raspberrypi-sys-mods/imager_custom set_wlan -h 'The Store' '0123abcd' 'DE'
   /usr/lib/raspberrypi-sys-mods/imager_custom set_timezone 'Europe/Berlin'
fi
rm -f /boot/firstrun.sh
sed -i 's| systemd.run.*||g' /boot/cmdline.txt
exit 0
"""


@pytest.mark.parametrize("has_cloud", [True, False])
def test_imager_s_older_script_is_run_once_by_the_first_start(
    pi: Machine, runs: Runs, capsys: pytest.CaptureFixture[str], has_cloud: bool
) -> None:
    """By systemd it would run on a root that forgets, and restart the machine each time."""
    if has_cloud:
        (pi.root / "etc/cloud").mkdir()
    (pi.root / "boot/firmware/firstrun.sh").write_text(FIRST_RUN)
    for argument in ("--first-boot", "--apply", "--first-boot"):
        assert main(["role", argument, "--root", str(pi.root)]) == 0
        assert "Raspberry Pi Imager: enable_ssh, hostname, timezone, userconf, wlan." in capsys.readouterr().out
        assert (pi.root / "etc/hostname").read_text() == "mine\n"
        assert (pi.root / "etc/localtime").readlink() == Path("/usr/share/zoneinfo/Europe/Berlin")
    assert len([call for call in runs.all if "firstrun.sh" in call]) == 1
    assert not [call for call in runs.all if "cloud-init" in call]


def test_imager_s_script_and_the_files_of_older_guides_do_their_work_and_end_nothing_else(tmp_path: Path) -> None:
    """Pi OS reads these files at its own first start, which is ours; later the boot partition is read-only."""
    boot, programs = tmp_path / "boot", tmp_path / "bin"
    for folder in (boot, programs):
        folder.mkdir()
    (programs / "systemctl").write_text('#!/bin/sh\necho "$*" >> did\n')
    (programs / "userconf").write_text('#!/bin/sh\necho "user $1 $2" >> did\n')
    for path in programs.iterdir():
        path.chmod(0o755)
    (boot / "cmdline.txt").write_text("quiet systemd.run=/boot/firmware/roundtap/first-boot.sh overlayroot=tmpfs\n")
    (boot / "firstrun.sh").write_text(
        "#!/bin/bash\nset +e\nwhile read -r word; do echo $word; done <<'EOF' >> did\nscript\nEOF\n"
        "rm -f firstrun.sh\nsed -i 's| systemd.run.*||g' cmdline.txt\n"
        "sed -i 's| systemd\\.[^ ]*||g' cmdline.txt\nexit 0\n"
    )
    (boot / "userconf.txt").write_bytes(b"tom:$6$salt$hash\r\n")
    (boot / "ssh.txt").touch()
    for name in ("firstrun.sh", "userconf.txt", "ssh.txt"):
        does = role.FROM_BOOT[name].replace("/usr/lib/userconf-pi/", "")
        subprocess.run(["sh", "-c", f"cd {boot} && {does}"], check=True, env={"PATH": f"{programs}:/usr/bin:/bin"})
    assert (boot / "did").read_text() == "script\nuser tom $6$salt$hash\n--quiet enable ssh.service\n"
    assert {path.name for path in boot.iterdir()} == {"cmdline.txt", "firstrun.sh", "userconf.txt", "did"}
    assert "first-boot.sh overlayroot=tmpfs\n" in (boot / "cmdline.txt").read_text()


def test_the_files_of_older_guides_are_taken_over_and_said(
    pi: Machine, runs: Runs, capsys: pytest.CaptureFixture[str]
) -> None:
    (pi.root / "etc/cloud").mkdir()
    (pi.root / "boot/firmware/userconf.txt").write_text("tom:$6$salt$hash\n")
    (pi.root / "boot/firmware/ssh").touch()
    assert main(["role", "--first-boot", "--root", str(pi.root)]) == 0
    assert "Raspberry Pi Imager: ssh, userconf." in capsys.readouterr().out
    assert not [call for call in runs.all if "cloud-init" in call]


def test_a_card_that_forgets_what_is_written_does_not_restart_for_ever(pi: Machine) -> None:
    assert role.restart_wanted(pi)
    assert not role.restart_wanted(pi)
    (pi.root / "boot/firmware/cmdline.txt").write_text("other\n")
    assert role.restart_wanted(pi)


def test_the_whole_first_start_by_its_command(pi: Machine, runs: Runs, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["role", "--first-boot", "--root", str(pi.root)]) == 0
    assert "overlayroot=tmpfs:recurse=0" in (pi.root / "boot/firmware/cmdline.txt").read_text().split()
    assert "/data" in mounts(pi)
    assert "systemctl --quiet enable roundtap-hub.service" in runs.all
    # A hub that starts now would make its PIN and its journal while its folder is on the move.
    assert runs.started() == set()
    assert not any("reboot" in call for call in runs.all)
    assert "no errors" in capsys.readouterr().out


def test_a_data_partition_that_is_gone_is_told(pi: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    read_only.prepare_data_partition(pi)
    assert main(["role", "--apply", "--root", str(pi.root)]) == 0
    assert "the data partition is unreadable" in capsys.readouterr().out
