#!/bin/sh
# Puts each file of the folder systemd where the machine looks for its kind. usage: place.sh FOLDER ROOT
set -eu
folder=$1 root=$2

place() {  # FILE PLACE NAME
    if [ -f "$1" ]; then
        mkdir -p "$root/$2"
        cp "$1" "$root/$2/$3"
        chmod 644 "$root/$2/$3"
    fi
}

for file in "$folder"/*; do
    name=$(basename "$file")
    case "$name" in
        *.service|*.socket|*.path|*.timer|*.target) place "$file" usr/lib/systemd/system "$name" ;;
        *.sysusers) place "$file" usr/lib/sysusers.d "${name%.sysusers}.conf" ;;
        *.tmpfiles) place "$file" usr/lib/tmpfiles.d "${name%.tmpfiles}.conf" ;;
        *.udev.rules|*.udev) place "$file" usr/lib/udev/rules.d "70-${name%%.*}.rules" ;;
        *.polkit.rules) place "$file" usr/share/polkit-1/rules.d "${name%.polkit.rules}.rules" ;;
        *-watchdog.conf) place "$file" usr/lib/systemd/system.conf.d roundtap.conf ;;
        *-dnsmasq.conf) place "$file" etc/NetworkManager/dnsmasq-shared.d roundtap.conf ;;
        *-journald.conf) place "$file" usr/lib/systemd/journald.conf.d roundtap.conf ;;
    esac
done
