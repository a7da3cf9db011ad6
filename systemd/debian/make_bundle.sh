#!/bin/sh
# Gathers the package and every Debian package that it needs, as an apt repository in one tar with a script that installs
# from it without network. Taken for given on the target is what every Debian and Raspberry Pi OS has: packages of the
# priorities "required" and "important" and what they need. What is there already is left alone.
# usage: make_bundle.sh [arm64|amd64]   (default: this machine's kind; `make deb` comes before)
# SUITE: for which Debian (default trixie). WALL=no: without compositor and browser, for cards of which none will be a wall
# or have a screen on the hub. SOURCES: a file in the manner of sources.list whose packages come along, too, such as
# Raspberry Pi's with python3-lgpio. STATUS: the target's /var/lib/dpkg/status: only what it lacks is gathered.
set -eu

here=$(cd "$(dirname "$0")/../.." && pwd)
suite=${SUITE:-trixie}
arch=${1:-$(dpkg --print-architecture)}
package=$(ls -t "$here"/dist/roundtap_*_"$arch".deb 2> /dev/null | head -1)
[ -n "$package" ] || { echo "make_bundle: no package for $arch in dist/: make deb ARCH=$arch comes first" >&2; exit 2; }
version=$(dpkg-deb --field "$package" Version)
command -v dpkg-scanpackages > /dev/null || { echo "make_bundle: apt install dpkg-dev comes first" >&2; exit 2; }
with_wall=
[ "${WALL:-yes}" = no ] || with_wall=yes
wall=$here/dist/roundtap-wall_${version}_all.deb
[ -z "$with_wall" ] || [ -f "$wall" ] || { echo "make_bundle: $wall is missing: make deb ARCH=$arch, or WALL=no" >&2; exit 2; }
mirror=$(sed -n 's/^URIs: *//p; s/^deb \(\[[^]]*\] \)\?\([^ ]*\).*/\2/p' /etc/apt/sources.list /etc/apt/sources.list.d/* \
    2> /dev/null | grep '/debian/\?$' | head -1)

work=$(mktemp -d "${TMPDIR:-/tmp}/roundtap-bundle.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM
name=roundtap-offline_${version}_${suite}_$arch
mkdir -p "$work/etc/preferences.d" "$work/lists/partial" "$work/cache/archives/partial" "$work/$name"
cat "${STATUS:-/dev/null}" > "$work/status"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${mirror:-http://deb.debian.org/debian} $suite main" \
    > "$work/etc/sources.list"
[ -z "${SOURCES:-}" ] || cat "$SOURCES" >> "$work/etc/sources.list"

in_target() {
    apt-get -q=2 -o APT::Architecture="$arch" -o APT::Architectures::="$arch" -o Dir::Etc="$work/etc" \
        -o Dir::Etc::sourcelist="$work/etc/sources.list" -o Dir::Etc::sourceparts=- -o Dir::State::lists="$work/lists" \
        -o Dir::State::status="$work/status" -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root \
        -o Debug::NoLocking=1 -o Acquire::GzipIndexes=false "$@"
}

# What a hub, a table or a printer uses where it is there (overlayroot: a card whose root is read-only); what a suite does not have is left out, and named.
wanted="alsa-utils avahi-daemon libnss-mdns network-manager dnsmasq-base wpasupplicant polkitd python3-lgpio python3-spidev overlayroot"
in_target update
known=""
for each in $wanted; do
    if apt-cache -o Dir::Etc::sourcelist="$work/etc/sources.list" -o Dir::Etc::sourceparts=- -o APT::Architecture="$arch" \
        -o Dir::State::lists="$work/lists" -o Dir::State::status="$work/status" -o Dir::Cache="$work/cache" \
        show --no-all-versions "$each" > /dev/null 2>&1; then
        known="$known $each"
    else
        echo "make_bundle: $suite has no $each: left out" >&2
    fi
done
set --
[ -z "$with_wall" ] || set -- "$wall"
# shellcheck disable=SC2086
in_target install --yes --download-only --no-install-recommends "$package" "$@" $known

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
DEBIAN_FRONTEND=noninteractive apt install --yes --no-install-recommends roundtap=$version \\
    ${with_wall:+roundtap-wall=$version} $known
echo "Say what this machine is: roundtap role hub (or table, printer, wall, standby)"
INSTALL
tar -C "$work" -cf "$here/dist/$name.tar" "$name"
# The same as a folder: what `make image` puts onto a card.
rm -rf "$here/dist/bundle"
cp -R "$work/$name" "$here/dist/bundle"
ls -l "$here/dist/$name.tar"
