"""A bundle goes onto a card only whole, unchanged, and for the card's kind of machine."""

import tarfile
from pathlib import Path

import pytest
from bundle_kit import control, deb, index, made_bundle

from roundtap.provisioning.card import control_fields, read_bundle
from roundtap_core.errors import Problem


def refused(bundle: Path, unpacked: Path | None = None) -> tuple[str, str]:
    """The problem's key, and what it names of the bundle."""
    with pytest.raises(Problem) as found:
        read_bundle(bundle, unpacked or bundle.parent)
    told = found.value.params
    return found.value.key, str(told.get("names") or told.get("file") or told.get("folder"))


def test_a_whole_bundle_says_what_is_in_it(tmp_path: Path) -> None:
    bundle = read_bundle(made_bundle(tmp_path / "bundle"), tmp_path)
    assert {(each["Package"], each["Version"], each["Architecture"]) for each in bundle.packages} == {
        ("roundtap", "1.2.3", "arm64"),
        ("overlayroot", "0.18", "all"),
    }
    assert [path.name for path in bundle.files] == [
        "Packages",
        "given",
        "install.sh",
        "overlayroot_0.18_all.deb",
        "roundtap_1.2.3_arm64.deb",
    ]
    assert "roundtap-wall" not in {each["Package"] for each in bundle.packages}


@pytest.mark.parametrize("packing", ["gz", "xz"])
def test_a_package_is_read_without_dpkg(tmp_path: Path, packing: str) -> None:
    made = tmp_path / "any.deb"
    made.write_bytes(deb(control("cage", "0.2.0-2", Depends="libc6 (>= 2.34)"), packing=packing))
    fields = control_fields(made)
    assert (fields["Package"], fields["Version"], fields["Depends"]) == ("cage", "0.2.0-2", "libc6 (>= 2.34)")


def test_an_empty_folder_and_one_with_another_s_packages_are_no_bundle(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert refused(tmp_path / "empty") == ("card_no_bundle", str(tmp_path / "empty"))
    others = made_bundle(tmp_path / "others", control("roundtap-wall", "1", "all"))
    assert refused(others)[0] == "card_no_bundle"


def test_packages_in_folders_below_do_not_count(tmp_path: Path) -> None:
    # A working folder has dist/bundle somewhere below it.
    made_bundle(tmp_path / "bundle")
    assert refused(tmp_path)[0] == "card_no_bundle"


def test_a_bundle_for_another_kind_of_machine_is_refused(tmp_path: Path) -> None:
    whole = made_bundle(tmp_path / "all", control("roundtap", "1.2.3", "amd64"))
    assert refused(whole) == ("card_bundle_foreign", "roundtap_1.2.3_amd64.deb")
    one = made_bundle(tmp_path / "one", control("roundtap", "1.2.3"), control("cage", "0.2", "armhf"))
    assert refused(one) == ("card_bundle_foreign", "cage_0.2_armhf.deb")


def test_the_kind_of_machine_is_read_within_the_package(tmp_path: Path) -> None:
    # Name and list say arm64.
    bundle = made_bundle(tmp_path / "bundle")
    (bundle / "roundtap_1.2.3_arm64.deb").write_bytes(deb(control("roundtap", "1.2.3", "amd64")))
    index(bundle)
    assert refused(bundle) == ("card_bundle_foreign", "roundtap_1.2.3_arm64.deb")


@pytest.mark.parametrize("gone", ["Packages", "given", "install.sh", "overlayroot_0.18_all.deb"])
def test_a_bundle_that_lacks_a_file_is_half(tmp_path: Path, gone: str) -> None:
    bundle = made_bundle(tmp_path / "bundle")
    (bundle / gone).unlink()
    assert refused(bundle) == ("card_bundle_half", gone)


@pytest.mark.parametrize("fields", [{"Depends": "cage, xwayland (>= 2) | xserver"}, {"Pre_Depends": "cage, dpkg"}])
def test_what_a_package_depends_on_is_in_the_bundle_or_on_every_machine(tmp_path: Path, fields: dict[str, str]) -> None:
    parts = (control("roundtap"), control("wall", **fields))
    half = made_bundle(tmp_path / "half", *parts, given="dpkg xserver")
    assert refused(half) == ("card_bundle_half", "cage")
    whole = made_bundle(
        tmp_path / "whole", *parts, control("sway", Provides="cage (= 0.2), x-session"), given="dpkg xserver"
    )
    assert len(read_bundle(whole, tmp_path).packages) == 3


@pytest.mark.parametrize(
    "change",
    [
        lambda raw: raw[:-3],
        lambda raw: raw[:100],
        lambda raw: b"",
        lambda raw: b"no package",
        lambda raw: deb(control("overlayroot", "0.18", "all"), b"others' work"),
    ],
    ids=["end cut", "cut early", "empty", "no package", "other content"],
)
def test_a_package_that_is_not_what_was_packed_is_named(tmp_path: Path, change) -> None:  # type: ignore[no-untyped-def]
    bundle = made_bundle(tmp_path / "bundle")
    path = bundle / "overlayroot_0.18_all.deb"
    path.write_bytes(change(path.read_bytes()))
    assert refused(bundle) == ("card_bundle_changed", "overlayroot_0.18_all.deb")


def test_a_package_that_the_list_does_not_name_is_refused(tmp_path: Path) -> None:
    bundle = made_bundle(tmp_path / "bundle")
    (bundle / "extra_1_all.deb").write_bytes(deb(control("extra", "1", "all")))
    assert refused(bundle) == ("card_bundle_changed", "extra_1_all.deb")


def test_a_tar_that_was_cut_short_is_told(tmp_path: Path) -> None:
    tar = tmp_path / "roundtap-offline_1.2.3_trixie_arm64.tar"
    with tarfile.open(tar, "w") as packed:
        packed.add(made_bundle(tmp_path / "bundle"), "roundtap-offline_1.2.3")
    (tmp_path / "unpacked").mkdir()
    assert "roundtap" in {each["Package"] for each in read_bundle(tar, tmp_path / "unpacked").packages}
    whole = tar.read_bytes()
    for length in (0, 1000, 3000, 5000):
        (tmp_path / f"{length}").mkdir()
        tar.write_bytes(whole[:length])
        assert refused(tar, tmp_path / f"{length}")[0] in ("card_bundle_changed", "card_bundle_half", "card_no_bundle")
