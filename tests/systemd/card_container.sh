#!/bin/bash
# A card's whole life in a container, as root: first start from the bundle with no network, a hub beneath a read-only root,
# a restart, a pulled plug (kill -9 of the container), and what was SAVED is there.
# usage: card_container.sh ROOT BUNDLE [WORK]
#   ROOT    a Debian trixie with systemd (debootstrap); copied, never changed
#   BUNDLE  the folder of packages that `make bundle` makes for this architecture
set -eu
root=${1:?root} bundle=${2:?bundle} work=${3:-$(mktemp -d)}
top=$(cd "$(dirname "$0")/../.." && pwd)
machine=$work/root boot=$work/boot data=$work/data
. "$(dirname "$0")/card_in_container.sh"
ok() { if eval "$2"; then echo "ok: $1"; else echo "NOT: $1"; failed=1; fi; }
mkdir -p "$work"
[ -d "$machine" ] || cp -a --one-file-system "$root" "$machine"
as_raspberry_pi_os "$machine"
stock_boot_files
# Whoever looks after it comes in by a key; what Imager set (where the root has cloud-init) is there beside it.
[ -e "$work/key" ] || ssh-keygen -q -t ed25519 -N "" -C keeper -f "$work/key"
printf '\xef\xbb\xbfRole = Hub\r\nLand: DE\r\nSprache: de\r\nssh_key = %s\r\n' "$(cat "$work/key.pub")" > "$work/roundtap.txt"
printf '#cloud-config\nhostname: game-night\nmanage_etc_hosts: true\ntimezone: Europe/Madrid\nusers:\n- name: tom\n  groups: sudo\n' \
    > "$boot/user-data"
printf 'instance-id: rpi-imager-1\n' > "$boot/meta-data"
ROUNDTAP=${ROUNDTAP:-$top/.venv/bin/roundtap}
"$ROUNDTAP" card "$boot" --bundle "$bundle" --settings "$work/roundtap.txt" --architecture "$(dpkg --print-architecture)"
# A slip after the card was made: before, it is refused.
printf 'wfi = Store\r\n' >> "$boot/roundtap.txt"

answers() { run_in python3 -c 'import urllib.request as r; r.urlopen("http://127.0.0.1:8080/", timeout=3)'; }

echo "== first start: the bundle is installed without a network"
start "$work/first.log" -b $(words)
wait "$nspawn" || true
tail -n 5 "$boot/roundtap/first-boot.log"
ok "the script took itself out of cmdline.txt" '! grep -q systemd.run "$boot/cmdline.txt"'
ok "the next start is read-only" 'grep -q "overlayroot=tmpfs:recurse=0" "$boot/cmdline.txt"'
ok "no resize of the stock system" '! grep -q " resize" "$boot/cmdline.txt"'
ok "roundtap-says.txt names the line to mend" 'grep -q "Zeile 5" "$boot/roundtap-says.txt"'
ok "the machine is called as Imager was told" '[ "$(cat "$machine/etc/hostname")" = game-night ]'
ok "cloud-init is switched off, and what it set is named" '[ -e "$machine/etc/cloud/cloud-init.disabled" ] &&
    grep -q "Raspberry Pi Imager: hostname, .*timezone, users" "$boot/roundtap-says.txt" && grep -q ^tom: "$machine/etc/passwd"'

echo "== second start: a hub on a read-only root"
start "$work/second.log" --volatile=overlay -b
ok "the hub answers" 'wait_for 120 answers'
ok "the root is a layer" 'run_in findmnt -n -o FSTYPE / | grep -q overlay'
ok "the hub's folder is the data partition's" 'run_in findmnt -n /var/lib/roundtap > /dev/null'
ok "the log lasts" 'run_in findmnt -n /var/log/journal > /dev/null'
identity() { run_in sh -c 'cat /etc/ssh/ssh_host_*.pub /etc/machine-id; hostname; readlink /etc/localtime'; }
before=$(identity)
ok "ssh runs, lets the key in, and asks for no password" 'run_in systemctl is-active ssh > /dev/null &&
    run_in sshd -T -C user=pi,host=x,addr=10.0.0.9 | grep -q "^authorizedkeysfile.*/etc/roundtap/ssh_keys" &&
    run_in sshd -T | grep -q "^passwordauthentication no"'
ok "its keeper may do everything, and has no password" 'run_in sudo -l -U pi | grep -q "NOPASSWD: ALL" &&
    run_in grep -q "^pi:!" /etc/shadow'
ok "the new PIN is in memory alone" '! run_in grep -rq "PIN: " /data /var/log && run_in test -s /run/roundtap-new-pin'
ok "the wall waits for it" 'run_in systemctl show -P StatusText roundtap-wall | grep -qE "new hub.s PIN|no (cage|chromium)"'
pin=$(run_in sed -n 's/PIN: //p' /run/roundtap-new-pin)
cp "$top/tests/kit/console_client.py" "$data/"
cat > "$data/ask.py" <<'P'
"""ask.py PIN [EVENT]: makes an event on the console and prints its id, or prints that event's file."""
import json, re, sys
from console_client import ConsoleClient
console = ConsoleClient("http://127.0.0.1:8080", sys.argv[1])
if len(sys.argv) > 2:
    print(json.dumps(console.export(sys.argv[2]), sort_keys=True))
else:
    console.post("/console", name="A plug is pulled", rulebook="xwing-standard", level="relaxed")
    print(re.search(r"/console/(\w+)", console.address)[1])
P
ask() { run_in /opt/roundtap/bin/python3 /data/ask.py "$pin" "$@"; }
event=$(ask)
saved=$(ask "$event")
ok "the PIN is shown no more once it was used" 'wait_for 20 run_in sh -c "! test -e /run/roundtap-new-pin"'
ok "and what showed it has ended" 'wait_for 20 run_in sh -c "systemctl show -P ActiveState roundtap-new-pin | grep -q inactive"'
ok "an event is SAVED" '[[ $saved == *"A plug is pulled"* ]]'
run_in touch /etc/is-this-forgotten
run_in cp /bin/true /usr/local/bin/forgotten

echo "== a pulled plug"
kill -9 "$(inside)"; wait "$nspawn" || true

echo "== third start"
start "$work/third.log" --volatile=overlay -b
ok "the hub answers again" 'wait_for 120 answers'
ok "what was written to the root is forgotten" '! run_in test -e /etc/is-this-forgotten && ! run_in test -e /usr/local/bin/forgotten'
ok "what was SAVED is there, and the PIN still opens" '[ "$(ask "$event")" = "$saved" ]'
ok "it is the same machine: host keys, number, name, zone" '[ "$(identity)" = "$before" ]'
ok "no other PIN is made" '! run_in test -e /run/roundtap-new-pin'
ok "nothing failed" '[ -z "$(run_in systemctl list-units --failed --plain --no-legend)" ]'
power_off

echo "== fourth start: roundtap.txt was edited to another role"
printf 'role = table\r\nlanguage = pl\r\n' > "$boot/roundtap.txt"
start "$work/fourth.log" --volatile=overlay -b
ok "the table's service is started, and tried again and again (there are no pins here)" \
    'wait_for 60 run_in sh -c "systemctl show -P ActiveState roundtap-table | grep -q activ"'
ok "the hub's does not" '! run_in systemctl is-active roundtap-hub > /dev/null'
power_off
exit "$failed"
