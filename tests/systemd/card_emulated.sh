#!/bin/bash
# Fresh cards in an emulated 64-bit machine (QEMU, no acceleration: minutes), without root. For each role the image is made
# of a base and a bundle; its first start installs the bundle and restarts by itself; then the role's service is there on
# a read-only root. A hub's plug is pulled after that, and it answers again. The minutes are printed.
# usage: card_emulated.sh BASE.img BUNDLE KERNEL INITRD WORK [hub|table …]   (default: hub table)
#   BASE.img        a stand-in for Raspberry Pi OS (card_stand_in.sh); never changed
#   KERNEL, INITRD  of that stand-in's root, which has overlayroot and busybox (a Pi's firmware would take the newer one)
#   BUNDLE          made for that root (STATUS=ROOT/var/lib/dpkg/status make bundle) and with WALL=no, it takes a fifth
# QEMU has no Pi with a network that Debian's kernel starts: the machine is "virt", and this script does what the Pi's
# firmware does, namely give the kernel the line that stands in cmdline.txt. It has no pins: a table has to say so.
set -eu
base=${1:?base} bundle=${2:?bundle} kernel=${3:?kernel} initrd=${4:?initrd} work=${5:?work}
shift 5
[ $# -gt 0 ] || set -- hub table
top=$(cd "$(dirname "$0")/../.." && pwd)
ROUNDTAP=${ROUNDTAP:-$top/.venv/bin/roundtap}
GIB=${CARD_GIB:-8} PORT=${PORT:-18080} ANSWER_S=${ANSWER_S:-1500}
failed=0 machine=
trap '[ -z "$machine" ] || kill -9 "$machine" 2> /dev/null || true' EXIT
ok() { if eval "$2"; then echo "ok: $1"; else echo "NOT: $1"; failed=1; fi; }
boot_file() { mcopy -n -i "$image@@1M" "::$1" -; }
minutes() { echo "$((SECONDS / 60)) min $((SECONDS % 60)) s: $1"; }

start() {
    # Without console=tty1 all that is said comes to the log, the services' words included. What the machine has written is
    # in this computer's memory when it is killed, so that nothing has to wait for this computer's disk.
    qemu-system-aarch64 -M virt -cpu cortex-a53 -smp 2 -m 1024 -accel tcg,tb-size=512 -nographic -no-reboot \
        -kernel "$kernel" -initrd "$initrd" -append "$(boot_file cmdline.txt | tr -d '\n' | sed 's/ console=tty1//') audit=0 \
systemd.journald.forward_to_console=1" -drive "file=$image,format=raw,if=virtio,cache=unsafe" \
        -netdev "user,id=net,restrict=on,hostfwd=tcp:127.0.0.1:$PORT-:8080" -device virtio-net-pci,netdev=net,romfile= > "$work/$role-$1.log" 2>&1 < /dev/null &
    machine=$!
    SECONDS=0
}
within() {  # within SECONDS COMMAND…, while the machine runs
    local left=$1; shift
    while [ "$left" -gt 0 ]; do
        "$@" 2> /dev/null && return 0
        kill -0 "$machine" 2> /dev/null || return 1
        sleep 5; left=$((left - 5))
    done
    return 1
}
# One page takes such a machine half a minute at first.
answers() { curl -fsS -m 60 -o /dev/null "http://127.0.0.1:$PORT/"; }
says() { grep -qE "$2" "$work/$role-$1.log"; }
pull_plug() { kill -9 "$machine"; wait "$machine" 2> /dev/null || true; machine=; }

mkdir -p "$work"
for role in "$@"; do
    image=$work/$role.img
    printf 'role = %s\r\nlanguage = de\r\n' "$role" > "$work/$role.txt"
    "$ROUNDTAP" card "$base" --bundle "$bundle" --settings "$work/$role.txt" --output "$image" > "$work/$role-card.log"
    tail -n 1 "$work/$role-card.log"
    truncate -s "${GIB}G" "$image"
    echo "== $role: first start"
    start first
    wait "$machine" || true
    machine=
    minutes "installed, and restarted by itself"
    boot_file roundtap/first-boot.log | tail -n 4
    ok "the card is armed no more" '! boot_file cmdline.txt | grep -q systemd.run'
    ok "the next start is read-only" 'boot_file cmdline.txt | grep -q overlayroot=tmpfs:recurse=0'
    ok "the card has a data partition" '[ "$(od -An -tu1 -j482 -N1 "$image" | tr -d " ")" = 131 ]'
    boot_file roundtap-says.txt
    echo "== $role: second start"
    start second
    ok "the root is read-only" 'within "$ANSWER_S" says second "Success: overlayroot"'
    case $role in
    hub)
        ok "the hub answers" 'within "$ANSWER_S" answers'
        minutes "from power-on to the hub's first answer"
        pull_plug
        echo "== $role: third start, after the plug was pulled"
        start third
        ok "the hub answers again" 'within "$ANSWER_S" answers'
        minutes "from power-on to its answer"
        ;;
    table)
        ok "the table is started, and says that it has no pins" 'within "$ANSWER_S" says second "buttons and lamps: "'
        minutes "from power-on to the table's own word"
        ;;
    esac
    [ -z "$machine" ] || pull_plug
    rm -f "$image"
done
exit "$failed"
