#!/bin/bash
# A card in an emulated 64-bit machine (QEMU, no acceleration: minutes), without root: its first start installs the bundle,
# restarts by itself, and a hub answers on a read-only root; then the plug is pulled, and it answers again.
# usage: card_emulated.sh CARD.img KERNEL INITRD [WORK]
#   CARD.img   what `roundtap card` made of a stand-in (card_stand_in.sh), with `role = hub`; copied, never changed
# QEMU has no Pi with a network that Debian's kernel starts: the machine is "virt", and this script does what the Pi's
# firmware does, namely give the kernel the line that stands in cmdline.txt.
set -eu
card=${1:?card} kernel=${2:?kernel} initrd=${3:?initrd} work=${4:-$(mktemp -d)}
GIB=${CARD_GIB:-8} PORT=${PORT:-18080} ANSWER_S=${ANSWER_S:-1500}
image=$work/card.img
failed=0 machine=
trap '[ -z "$machine" ] || kill -9 "$machine" 2> /dev/null || true' EXIT
ok() { if eval "$2"; then echo "ok: $1 ($(date +%H:%M:%S))"; else echo "NOT: $1"; failed=1; fi; }
boot_file() { mcopy -n -i "$image@@1M" "::$1" -; }

start() {
    # Without console=tty1 all that is said comes to the log.
    qemu-system-aarch64 -M virt -cpu cortex-a53 -smp 2 -m 1024 -accel tcg,tb-size=512 -nographic -no-reboot -kernel "$kernel" -initrd "$initrd" \
        -append "$(boot_file cmdline.txt | tr -d '\n' | sed 's/ console=tty1//') audit=0" -drive "file=$image,format=raw,if=virtio,cache=writethrough" \
        -nic "user,model=virtio-net-pci,restrict=on,hostfwd=tcp:127.0.0.1:$PORT-:8080" > "$work/$1.log" 2>&1 < /dev/null &
    machine=$!
}
answers() {
    local left=$ANSWER_S
    while [ "$left" -gt 0 ]; do
        kill -0 "$machine" 2> /dev/null || return 1
        curl -fsS -m 5 -o /dev/null "http://127.0.0.1:$PORT/" 2> /dev/null && return 0
        sleep 5; left=$((left - 5))
    done
    return 1
}

mkdir -p "$work"
cp --sparse=always "$card" "$image"
truncate -s "${GIB}G" "$image"
echo "== first start ($(date +%H:%M:%S))"
start first
wait "$machine" || true
boot_file roundtap/first-boot.log | tail -n 12
ok "installed, and restarted by itself" '! boot_file cmdline.txt | grep -q systemd.run'
ok "the next start is read-only" 'boot_file cmdline.txt | grep -q overlayroot=tmpfs:recurse=0'
ok "the card has a data partition" '[ "$(od -An -tu1 -j482 -N1 "$image" | tr -d " ")" = 131 ]'
boot_file roundtap-says.txt
echo "== second start ($(date +%H:%M:%S))"
start second
ok "the hub answers" answers
sleep 5
kill -9 "$machine"; wait "$machine" 2> /dev/null || true
echo "== third start, after the plug was pulled ($(date +%H:%M:%S))"
start third
ok "the hub answers again" answers
kill -9 "$machine"; wait "$machine" 2> /dev/null || true
machine=
exit "$failed"
