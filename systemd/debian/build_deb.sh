#!/bin/sh
# Builds the Debian packages, and the wheel that is in them, from the last commit into dist/, in a temporary tree. Any
# machine builds for any: no program of the target is run. The same commit makes the same bytes, wherever its clone lies.
# usage: build_deb.sh [arm64|amd64 …]   (default: this machine's kind)
# SUITE: for which Debian (default trixie). ROUNDTAP_BUILD_ROOT: a root of that suite to build in (needs root; what the
# build needs is installed there); without it one is made by mmdebstrap, which takes minutes, and thrown away.
# RELEASE: the version, where this is no build on the way to it (make_release.sh). DIST: another folder than dist/.
set -eu

here=$(cd "$(dirname "$0")/../.." && pwd)
suite=${SUITE:-trixie}
dist=${DIST:-$here/dist}
[ $# -gt 0 ] || set -- "$(dpkg --print-architecture)"
needed="debhelper python3-pip"
[ -n "${ROUNDTAP_BUILD_ROOT:-}" ] || command -v mmdebstrap > /dev/null || {
    echo "build_deb: mmdebstrap is missing: apt install mmdebstrap (or ROUNDTAP_BUILD_ROOT=, a root of $suite)" >&2
    exit 2
}

work=$(mktemp -d "${TMPDIR:-/tmp}/roundtap-deb.XXXXXX")
inside=""
clean() {
    rm -rf "$work"
    [ -z "$inside" ] || rm -rf "$inside"
}
trap clean EXIT INT TERM
tree=$work/roundtap
mkdir "$tree"
next=$(sed -n 's/^fallback_version = "\(.*\)\.dev0"$/\1/p' "$here/pyproject.toml")

if git -C "$here" rev-parse --git-dir > /dev/null 2>&1; then
    [ -z "$(git -C "$here" status --porcelain --untracked-files=no)" ] ||
        echo "build_deb: what is not committed is not in it" >&2
    git -C "$here" archive HEAD | tar -x -C "$tree"
    commit=g$(git -C "$here" rev-parse --short=9 HEAD)
    built="$next.dev$(git -C "$here" rev-list --count HEAD)+$commit"
    when=$(git -C "$here" log -1 --format=%ct)
else
    (cd "$here" && tar -c --exclude=./.venv --exclude=./dist .) | tar -x -C "$tree"
    built=$next.dev0 commit=none
    when=$(stat -c %Y "$here/pyproject.toml")
fi
# A release is no version of a commit, but says of which it is.
form="{version}"
[ -z "${RELEASE:-}" ] || built=$RELEASE form="{version}+$commit"
# A wheel keeps the modes of its files, and these are the unpacker's.
chmod -R u=rwX,go=rX "$tree"
# Debian sorts a tilde before everything: builds between two releases come before the second.
version=$(echo "$built" | sed 's/\.dev/~dev/')
[ "$suite" = trixie ] || version="$version~$suite"

cp -R "$tree/systemd/debian" "$tree/debian"
cat > "$tree/debian/changelog" <<CHANGES
roundtap ($version) unstable; urgency=medium

  * Built from the commit $commit; CHANGELOG.md says what is new.

 -- Roundtap <roundtap@localhost>  $(date -u -R -d "@$when")
CHANGES

cat > "$work/build.sh" <<BUILD
set -eu
export SETUPTOOLS_SCM_PRETEND_VERSION_FOR_ROUNDTAP="$built" SOURCE_DATE_EPOCH="$when" DEB_BUILD_OPTIONS=nocheck
export SETUPTOOLS_SCM_OVERRIDES_FOR_ROUNDTAP='{version_file_template = "$form"}' LC_ALL=C.UTF-8
unset PIP_FIND_LINKS PIP_EXTRA_INDEX_URL || true
for arch in $*; do
    rm -rf "/tmp/\$arch" && mkdir "/tmp/\$arch" && cp -R "\$1" "/tmp/\$arch/roundtap"
    (cd "/tmp/\$arch/roundtap" && dpkg-buildpackage --build=binary --unsigned-changes --no-check-builddeps \
        --host-arch "\$arch" > "/tmp/\$arch/log" 2>&1) || { tail -40 "/tmp/\$arch/log"; exit 1; }
    mv "/tmp/\$arch"/*.deb "/tmp/\$arch"/roundtap/debian/wheel/*.whl "\$2"
    rm -rf "/tmp/\$arch"
done
BUILD

mkdir -p "$dist"
# The caller's folder for temporary files is not there inside, and the caller's HOME has settings of pip's.
plain="env -u TMPDIR HOME=/root"
if [ -n "${ROUNDTAP_BUILD_ROOT:-}" ]; then
    inside=$(mktemp -d "$ROUNDTAP_BUILD_ROOT/tmp/roundtap.XXXXXX")
    mkdir "$inside/out"
    cp -R "$tree" "$work/build.sh" "$inside"
    at=/tmp/$(basename "$inside")
    chroot "$ROUNDTAP_BUILD_ROOT" $plain sh -c "dpkg --status $needed > /dev/null 2>&1 || { apt-get update -q=2 &&
        DEBIAN_FRONTEND=noninteractive apt-get install -y -q=2 --no-install-recommends $needed > /tmp/needed.log 2>&1 ||
        { tail -20 /tmp/needed.log; exit 1; }; }"
    chroot "$ROUNDTAP_BUILD_ROOT" $plain sh "$at/build.sh" "$at/roundtap" "$at/out"
    cp "$inside"/out/* "$dist"
else
    mkdir "$work/out"
    mmdebstrap --quiet --variant=apt --include="$(echo "$needed" | tr ' ' ,)" "$suite" /dev/null \
        --customize-hook="copy-in '$tree' '$work/build.sh' /root" \
        --customize-hook='mkdir -p "$1/root/out"' \
        --customize-hook='chroot "$1" '"$plain"' sh /root/build.sh /root/roundtap /root/out' \
        --customize-hook="sync-out /root/out '$work/out'"
    cp "$work"/out/* "$dist"
fi
ls -l "$dist"/*"$version"*.deb "$dist"/roundtap-"$built"-*.whl
