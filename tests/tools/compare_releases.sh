#!/bin/sh
# Says whether two builds of a release are the same bytes, and where they differ: in which files, of a tar in which members.
# usage: compare_releases.sh [ONE OTHER]   (folders release-VERSION; without them HEAD is built twice, in two new clones)
# Exit code 1 where they differ. What build_deb.sh and make_bundle.sh take from the environment holds for both builds.
set -eu

work=$(mktemp -d "${TMPDIR:-/var/tmp}/roundtap-releases.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM
if [ $# = 0 ]; then
    here=$(cd "$(dirname "$0")/../.." && pwd)
    for one in first second/of-two; do
        git clone --quiet --no-hardlinks "$here" "$work/$one"
        echo "building in $work/$one"
        sh "$work/$one/systemd/debian/make_release.sh"
    done
    set -- "$work"/first/dist/release-* "$work"/second/of-two/dist/release-*
fi
[ $# = 2 ] && [ -f "$1/SHA256SUMS" ] && [ -f "$2/SHA256SUMS" ] || {
    sed -n '2,4s/^# //p' "$0" >&2
    exit 2
}

for one in "$1" "$2"; do (cd "$one" && sha256sum --quiet --check SHA256SUMS); done
cat "$1/SHA256SUMS"
if cmp --silent "$1/SHA256SUMS" "$2/SHA256SUMS"; then
    echo "Both builds are the same bytes."
    exit 0
fi
# The members of a tar, or of a wheel, with their checksums; of a package those of its parts.
members() {
    rm -rf "$work/members"
    mkdir "$work/members"
    case $1 in
        *.tar) tar -C "$work/members" -xf "$1" ;;
        *.deb) dpkg-deb --raw-extract "$1" "$work/members" ;;
        *.whl) python3 -m zipfile -e "$1" "$work/members" ;;
        *) cp "$1" "$work/members" ;;
    esac
    (cd "$work/members" && find . -type f -exec sha256sum {} + | sort -k2)
}
cat "$1/SHA256SUMS" "$2/SHA256SUMS" | sort | uniq -u | awk '{ print $2 }' | sort -u | while read -r name; do
    if [ -f "$1/$name" ] && [ -f "$2/$name" ]; then
        echo "differs: $name"
        members "$1/$name" > "$work/one"
        members "$2/$name" > "$work/other"
        diff "$work/one" "$work/other" || cmp "$work/one" "$work/other" > /dev/null 2>&1 || true
        ! cmp --silent "$work/one" "$work/other" || echo "  its members are the same: their order, times or modes differ"
    else
        echo "only in one: $name"
    fi
done
exit 1
