#!/bin/sh
# Gathers the package and every Debian package that it needs, as an apt repository in one tar with a script that installs
# from it without network: Roundtap first and alone, then the wall, fonts and wishes, each of which may fail. Taken for
# given on the target is what every Debian and Raspberry Pi OS has: packages of the priorities "required" and "important"
# and what they need. What is there already, and newer, is left alone.
# usage: make_bundle.sh [arm64|amd64]   (default: this machine's kind; `make deb` comes before)
# SUITE: for which Debian (default trixie). WALL=no: without compositor and browser, for cards of which none will be a wall
# or have a screen on the hub. BASE: the image that the bundle is for (.img, .img.xz): only what it lacks or has older is
# gathered, from its own archives too (Raspberry Pi's, whose Mesa fits no browser of Debian's alone). It wants debugfs.
# DIST: another folder than dist/, with the packages. SOURCE_DATE_EPOCH: the time of the files in it.
# Otherwise by hand: STATUS, the target's /var/lib/dpkg/status, and SOURCES, a file in the manner of sources.list.
set -eu

here=$(cd "$(dirname "$0")/../.." && pwd)
suite=${SUITE:-trixie}
arch=${1:-$(dpkg --print-architecture)}
dist=${DIST:-$here/dist}
package=$(ls -t "$dist"/roundtap_*_"$arch".deb 2> /dev/null | head -1)
[ -n "$package" ] || { echo "make_bundle: no package for $arch in dist/: make deb ARCH=$arch comes first" >&2; exit 2; }
version=$(dpkg-deb --field "$package" Version)
command -v dpkg-scanpackages > /dev/null || { echo "make_bundle: apt install dpkg-dev comes first" >&2; exit 2; }
with_wall=
[ "${WALL:-yes}" = no ] || with_wall=yes
wall=$dist/roundtap-wall_${version}_all.deb
[ -z "$with_wall" ] || [ -f "$wall" ] || { echo "make_bundle: $wall is missing: make deb ARCH=$arch, or WALL=no" >&2; exit 2; }
mirror=$(sed -n 's/^URIs: *//p; s/^deb \(\[[^]]*\] \)\?\([^ ]*\).*/\2/p' /etc/apt/sources.list /etc/apt/sources.list.d/* \
    2> /dev/null | grep '/debian/\?$' | head -1)

work=$(mktemp -d "${TMPDIR:-/tmp}/roundtap-bundle.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM
name=roundtap-offline_${version}_${suite}_$arch
mkdir -p "$work/etc/preferences.d" "$work/lists/partial" "$work/cache/archives/partial" "$work/$name"

# What the base has of packages, archives and their keys, read from its second partition without mounting it.
from_base() {
    image=$BASE
    case $image in *.xz) image=$work/base.img; xz --decompress --stdout "$BASE" > "$image" ;; esac
    at=$(($(od -An -tu4 -j470 -N4 "$image") * 512))
    root="$image?offset=$at"
    debugfs -R "dump /var/lib/dpkg/status $work/status" "$root" 2> /dev/null
    [ -s "$work/status" ] || { echo "make_bundle: $BASE has no list of packages on its second partition" >&2; exit 2; }
    debugfs -R "dump /usr/lib/os-release $work/os-release" "$root" 2> /dev/null
    is=$(sed -n 's/^VERSION_CODENAME=//p' "$work/os-release")
    [ "$is" = "$suite" ] || { echo "make_bundle: $BASE is $is: make deb bundle SUITE=$is" >&2; exit 2; }
    mkdir "$work/sources" "$work/keyrings"
    debugfs -R "rdump /etc/apt/sources.list.d $work/sources" "$root" 2> /dev/null
    debugfs -R "rdump /etc/apt/trusted.gpg.d $work/etc" "$root" 2> /dev/null
    debugfs -R "rdump /usr/share/keyrings $work/keyrings" "$root" 2> /dev/null
    rm -f "$work/base.img"
    # Debian's own is there already; keys are where they lie now.
    for file in "$work"/sources/*/*; do
        grep -qs raspberrypi "$file" || continue
        case $file in *.list | *.sources) ;; *) continue ;; esac
        sed -e "s|/usr/share/keyrings/|$work/keyrings/keyrings/|" -e 's/^Enabled: .*//' "$file" \
            > "$work/etc/sources.list.d/$(basename "$file")"
    done
}

mkdir "$work/etc/sources.list.d"
cat "${STATUS:-/dev/null}" > "$work/status"
[ -z "${BASE:-}" ] || from_base
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${mirror:-http://deb.debian.org/debian} $suite main" \
    > "$work/etc/sources.list"
[ -z "${SOURCES:-}" ] || cat "$SOURCES" >> "$work/etc/sources.list"

in_target() {
    apt-get -q=2 -o APT::Architecture="$arch" -o APT::Architectures::="$arch" -o Dir::Etc="$work/etc" \
        -o Dir::Etc::sourcelist="$work/etc/sources.list" -o Dir::Etc::sourceparts="$work/etc/sources.list.d" \
        -o Dir::State::lists="$work/lists" -o Dir::State::status="$work/status" -o Dir::Cache="$work/cache" \
        -o APT::Sandbox::User=root \
        -o Debug::NoLocking=1 -o Acquire::GzipIndexes=false "$@"
}

# Names in other scripts; and what a hub, a table or a printer uses where it is there (overlayroot: a card whose root is
# read-only).
fonts="fonts-wqy-zenhei libfribidi0 fonts-noto-color-emoji"
wishes="alsa-utils avahi-daemon libnss-mdns network-manager dnsmasq-base wpasupplicant polkitd python3-lgpio
    python3-spidev overlayroot busybox"

# gather PACKAGE…: with all that it needs beside Roundtap; 1 where that does not fit.
gather() {
    in_target --simulate install --no-install-recommends "$package" "$@" > /dev/null 2> "$work/why" || return 1
    in_target install --yes --download-only --no-install-recommends "$package" "$@"
}
left_out() {
    echo "make_bundle: $1 is left out: $(tail -n 1 "$work/why")" >&2
    none="$none $1"
}
in_target update
none="" set --
gather || { cat "$work/why" >&2; exit 1; }
if [ -n "$with_wall" ]; then
    if gather "$wall"; then set -- "$wall"; else left_out roundtap-wall; fi
fi
# What did not fit stays in `none`.
for each in $fonts $wishes; do gather "$each" || left_out "$each"; done
gathered() { for each in "$@"; do case " $none " in *" $each "*) ;; *) printf '%s ' "$each" ;; esac; done; }

# Every machine has these, and may have newer ones of its maker's.
apt_names() { sed -n 's/^Inst \([^ ]*\) .*/\1/p' | cut -d: -f1 | sort -u; }
cat "$work"/lists/*_Packages | awk -v RS= '/\nPriority: (required|important)\n/ { sub(/^Package: /, ""); print $1 }' |
    sort -u > "$work/prior"
# shellcheck disable=SC2046
in_target --simulate install --no-install-recommends $(cat "$work/prior") | apt_names > "$work/given"
while read -r each; do rm -f "$work/cache/archives/${each}_"*.deb; done < "$work/given"

cp "$work"/cache/archives/*.deb "$package" "$@" "$work/$name"
(cd "$work/$name" && dpkg-scanpackages --multiversion . > Packages 2> /dev/null)
# What the target is taken to have, by name, with what those packages provide: `roundtap card` checks the bundle by it.
cat "$work"/lists/*_Packages "$work/status" | awk -v RS= -F'\n' -v given="$work/given" '
    BEGIN { RS = "\n"; while ((getline name < given) > 0) known[name] = 1; RS = "" }
    {
        name = provides = ""
        for (i = 1; i <= NF; i++) {
            if ($i ~ /^Package: /) name = substr($i, 10)
            if ($i ~ /^Provides: /) provides = substr($i, 11)
            if ($i == "Status: install ok installed") known[name] = 1
        }
        if (name in known) {
            print name
            for (i = split(provides, each, /, */); i > 0; i--) { sub(/ .*/, "", each[i]); print each[i] }
        }
    }' | sort -u > "$work/$name/given"
cat > "$work/$name/install.sh" <<INSTALL
#!/bin/sh
# Installs Roundtap and what it needs from this folder, without network. As root: sh install.sh
set -eu
here=\$(cd "\$(dirname "\$0")" && pwd)
list=\$(mktemp)
trap 'rm -f "\$list"' EXIT
# apt reads as a user of its own, who may not see a folder of root's.
echo "deb [trusted=yes] file:\$here ./" > "\$list"
apt() {
    apt-get -o Dir::Etc::sourcelist="\$list" -o Dir::Etc::sourceparts=- -o APT::Sandbox::User=root "\$@"
}
apt -q=2 update
export DEBIAN_FRONTEND=noninteractive
add() {
    apt install --yes --no-install-recommends --no-remove "\$@" && return 0
    # Half of it may be there: what was before has to go on.
    dpkg --configure -a || true
    apt install --yes --fix-broken --no-remove || true
    return 1
}
# Nothing else may keep it away, such as an older roundtap-wall, which wants the older Roundtap.
add roundtap=$version || apt install --yes --no-install-recommends roundtap=$version
left=""
for several in "${1:+roundtap-wall}" "$(gathered $fonts)" "$(gathered $wishes)" "$none"; do
    # Together that is quick; what does not fit keeps nothing else away.
    # shellcheck disable=SC2086
    [ -z "\$several" ] || add \$several > /dev/null 2>&1 || for each in \$several; do add "\$each" || left="\$left \$each"; done
done
# For roundtap-says.txt and \`roundtap doctor\`: what is not there, and why is above.
mkdir -p /var/lib/roundtap-bundle
echo \$left > /var/lib/roundtap-bundle/left-out
[ -z "\$left" ] || echo "Left out, as it does not fit what this system has:\$left" >&2
echo "Say what this machine is: roundtap role hub (or table, printer, wall, standby)"
INSTALL
tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --format=gnu \
    --mtime="@${SOURCE_DATE_EPOCH:-$(date +%s)}" -cf "$dist/$name.tar" "$name"
# The same as a folder: what `make image` puts onto a card.
rm -rf "$dist/bundle"
cp -R "$work/$name" "$dist/bundle"
ls -l "$dist/$name.tar"
