#!/bin/bash
# What the scripts that boot a card in a container share; it is read by them (`.`), not run. They set $machine (the root's
# folder), $boot and $data before they start one.
# The container stands for the Pi but for two things: nspawn's --volatile=overlay is the layer over the root (overlayroot's
# part on a Pi), and a folder that is mounted at /data is the data partition.
failed=0 nspawn=
trap '[ -z "$nspawn" ] || kill -9 $(pgrep -P "$nspawn") 2> /dev/null || true' EXIT
mkdir -p /run/systemd/nspawn
mountpoint -q /run/systemd/nspawn || mount -t tmpfs tmpfs /run/systemd/nspawn

as_raspberry_pi_os() {  # the places that a card's first start looks for in $1, and cloud-init's where there is one
    mkdir -p "$1/boot/firmware" "$1/data" "$1/usr/share/initramfs-tools/scripts/init-bottom"
    touch "$1/usr/share/initramfs-tools/scripts/init-bottom/overlayroot"
    echo "PARTUUID=0a1b2c3d-01 /boot/firmware vfat defaults 0 2" > "$1/etc/fstab"
    # As Raspberry Pi's rpi-cloud-init-mods.
    [ ! -d "$1/etc/cloud" ] ||
        printf 'datasource_list: [NoCloud, None]\ndatasource:\n  NoCloud:\n    seedfrom: file:///boot/firmware/\n' \
            > "$1/etc/cloud/cloud.cfg.d/99_raspberry-pi.cfg"
}
stock_boot_files() {
    mkdir -p "$boot" "$data"
    echo "console=tty1 root=PARTUUID=0a1b2c3d-02 rootfstype=ext4 fsck.repair=yes rootwait resize" > "$boot/cmdline.txt"
    echo "[all]" > "$boot/config.txt"
}
# systemd reads its own words of the kernel's line from its arguments in a container; restarting is ending here.
words() { grep -o 'systemd\.[^ ]*' "$boot/cmdline.txt" | sed 's/=reboot/=exit/' | tr '\n' ' '; }
start() {  # start LOG [nspawn's and systemd's arguments]
    local log=$1; shift
    systemd-nspawn -q --register=no --keep-unit --private-network -D "$machine" --bind="$boot:/boot/firmware" \
        --bind="$data:/data" --kill-signal=SIGRTMIN+3 "$@" > "$log" 2>&1 &
    nspawn=$!
}
inside() { pgrep -P "$nspawn" | head -1; }
run_in() { nsenter -t "$(inside)" -a -- "$@"; }
wait_for() {  # wait_for SECONDS COMMAND…
    local left=$1; shift
    while [ "$left" -gt 0 ]; do "$@" > /dev/null 2>&1 && return 0; sleep 1; left=$((left - 1)); done
    return 1
}
power_off() {
    run_in systemctl --no-block poweroff 2> /dev/null || true
    wait_for 30 sh -c "! kill -0 $nspawn" || kill -9 "$(inside)" || true
    wait "$nspawn" 2> /dev/null || true
    nspawn=
}
