#!/bin/bash
# `roundtap doctor` on a machine with systemd: one service runs, one dies again and again and says secrets, one file is
# broken. As root: doctor_container.sh ROOT, a Debian root with systemd and python3 that is copied and not changed.
# Exit code 0: it names service and file, ends with 1, and its bundle has what happened and no secret.
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd)
root=$(mktemp -d "${TMPDIR:-/tmp}/roundtap-doctor.XXXXXX")
trap 'rm -rf "$root"' EXIT
cp -a "${1:?a Debian root}/." "$root/"
mkdir -p "$root/opt/source" "$root/etc/roundtap" "$root/etc/systemd/system/multi-user.target.wants"
for folder in server devices firmware systemd; do cp -r "$here/$folder" "$root/opt/source/"; done

service() { # NAME, then its [Service] section on stdin; started with the machine
    { printf '[Unit]\nStartLimitIntervalSec=0\n[Service]\n'; cat; } > "$root/etc/systemd/system/$1.service"
    ln -sf "../$1.service" "$root/etc/systemd/system/multi-user.target.wants/"
    printf '[Install]\nWantedBy=multi-user.target\n' >> "$root/etc/systemd/system/$1.service"
}

service roundtap-station <<< 'ExecStart=/bin/sleep 600'
service roundtap-table << 'SECTION'
ExecStart=/bin/sh -c 'echo "PIN for the organizer (shown once): 87654321"; echo "unit anas-table: Ana Ruiz"; exit 3'
Restart=always
RestartSec=1
SECTION
service try-doctor << 'SECTION'
Type=oneshot
Environment=PYTHONPATH=server:devices:firmware:systemd LANG=C.UTF-8
WorkingDirectory=/opt/source
ExecStart=/bin/sh -c 'sleep 6; python3 -m roundtap.main doctor --bundle /bundle.txt > /said.txt; echo $? > /code; poweroff'
SECTION
printf 'unit = "anas-table"\nkey = broken\n' > "$root/etc/roundtap/table.toml"

mkdir -p /run/systemd/nspawn
timeout 120 systemd-nspawn -q --register=no --keep-unit -D "$root" -b > "$root/boot.log" 2>&1 || true
cat "$root/said.txt"
test "$(cat "$root/code")" = 1
grep -q "roundtap-table does not run" "$root/said.txt"
grep -q "roundtap-station runs" "$root/said.txt"
grep -q "/etc/roundtap/table.toml cannot be read: (at line 2" "$root/said.txt"
grep -q "roundtap-table.service: Failed with result 'exit-code'" "$root/bundle.txt"
if grep -E "87654321|Ana|Ruiz|anas" "$root/bundle.txt"; then echo "a secret is in the bundle"; exit 1; fi
echo "as it should be"
