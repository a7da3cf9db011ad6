#!/bin/sh
# Makes a release of the last commit in dist/release-VERSION: the wheel, the Debian packages, bundles for machines without
# network, what the hub's container is built from, notes and SHA256SUMS. The version stands in pyproject.toml
# (fallback_version) and nowhere else; the notes are its section in CHANGELOG.md. A version whose tag stands at another
# commit is refused; at this one the same release is made again, by whoever wants to compare it.
# usage: make_release.sh [arm64|amd64 …]   (default: both)
# DIST: another folder than dist/. What build_deb.sh and make_bundle.sh take from the environment holds here, too; BASE is
# the image that the bundle for arm64 is for.
set -eu

here=$(cd "$(dirname "$0")/../.." && pwd)
[ $# -gt 0 ] || set -- arm64 amd64
suite=${SUITE:-trixie}
refuse() {
    echo "make_release: $*" >&2
    exit 2
}

missing=""
want() { command -v "$1" > /dev/null || missing="$missing $2"; }
want git git
want apt-get apt
want dpkg-scanpackages dpkg-dev
[ -n "${ROUNDTAP_BUILD_ROOT:-}" ] || want mmdebstrap mmdebstrap
[ -z "${BASE:-}" ] || want debugfs e2fsprogs
[ -z "$missing" ] || refuse "missing here: apt install$missing"

cd "$here"
commit=$(git rev-parse --verify --quiet HEAD) || refuse "$here is no clone: a release is made of a commit"
changed=$(git status --porcelain)
[ -z "$changed" ] || refuse "not committed, so it would be missing in the release:
$changed"
version=$(sed -n 's/^fallback_version = "\(.*\)\.dev0"$/\1/p' pyproject.toml)
[ -n "$version" ] || refuse 'pyproject.toml says no version: fallback_version = "0.1.0.dev0" is on the way to 0.1.0'
released=$(git rev-parse --verify --quiet "refs/tags/v$version^{commit}" || true)
[ "${released:-$commit}" = "$commit" ] || refuse "$version is released already: the tag v$version is commit $released.
The next version goes into pyproject.toml (fallback_version) and CHANGELOG.md."
news=$(awk -v version="$version" '/^## / { on = ($2 == version || $2 == "[" version "]"); next } on' CHANGELOG.md)
[ -n "$(echo "$news" | tr -d '[:space:]')" ] || refuse "CHANGELOG.md says nothing under \"## $version\""

dist=${DIST:-$here/dist}
mkdir -p "$dist"
dist=$(cd "$dist" && pwd)
work=$(mktemp -d "$dist/.release.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM
steps=$((2 + $#)) step=0
say() {
    step=$((step + 1))
    echo "$step of $steps: $*"
}
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export RELEASE="$version" DIST="$work" SOURCE_DATE_EPOCH

echo "Roundtap $version of commit $commit"
say "the packages for $* and the wheel: about five minutes"
sh systemd/debian/build_deb.sh "$@"
base=${BASE:-}
for arch in "$@"; do
    say "the bundle for $arch, with what it needs from Debian: minutes, some hundred megabytes are fetched"
    [ "$arch" = arm64 ] && BASE=$base || BASE=
    export BASE
    sh systemd/debian/make_bundle.sh "$arch"
done
rm -rf "$work/bundle"

say "notes, the container's files and checksums"
cp systemd/Containerfile systemd/debian/requirements-run.lock "$work"
wheel=$(basename "$work"/*.whl)
{
    printf '# Roundtap %s\n\nOf %s, commit %s.\n%s\n\n' "$version" "$(date -u -d "@$SOURCE_DATE_EPOCH" +%F)" "$commit" "$news"
    cat << NOTES
## To install it

\`sha256sum --check SHA256SUMS\` says whether the files came over whole.

To try the whole kit on Debian 12 or 13, or another machine with Python 3.11 or newer and pipx:

    pipx install './$wheel[hub,unit,station]'
    ~/.local/bin/roundtap demo

On a Raspberry Pi or PC of the hall, with Debian $suite and a network: \`apt install ./roundtap_…_arm64.deb\` (a PC:
\`amd64\`; a wall also \`./roundtap-wall_…_all.deb\`), then \`roundtap role hub\`. Without a network: unpack
\`roundtap-offline_….tar\`, and \`sh install.sh\` as root in its folder; \`roundtap card\` puts the same tar onto a card.

The hub in a container, in the folder of these files; \`Containerfile\` says how it is run:

    podman build --format docker --tag roundtap .
NOTES
} > "$work/NOTES.md"
(cd "$work" && for file in *; do chmod 644 "$file"; done && LC_ALL=C sha256sum -- * > .sums && mv .sums SHA256SUMS)

rm -rf "$dist/release-$version"
chmod 755 "$work"
mv "$work" "$dist/release-$version"
cat "$dist/release-$version/SHA256SUMS"
echo "Roundtap $version is in $dist/release-$version."
[ -n "$released" ] || echo "Once it is given away: git tag v$version $commit"
