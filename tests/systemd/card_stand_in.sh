#!/bin/bash
# An image laid out as Raspberry Pi OS's (FAT for the boot files, then ext4), made of a Debian root, without mounting:
# a stand-in for the real image where that cannot be had. Its kernel is Debian's, which QEMU's "virt" machine starts.
# usage: card_stand_in.sh ROOT IMAGE
#   ROOT   e.g. mmdebstrap --variant=important --architectures=arm64 --include=systemd-sysv,linux-image-arm64,overlayroot,\
#          busybox,python3,fdisk,dosfstools,network-manager,openssh-server,sudo,dbus,avahi-daemon,polkitd trixie ROOT
set -eu
root=${1:?root} image=${2:?image}
BOOT_MIB=${BOOT_MIB:-512} ROOT_MIB=${ROOT_MIB:-2400} LABEL_ID=0x0a1b2c3d
parts=$(mktemp -d "$image.XXXX")
trap 'rm -rf "$parts"' EXIT

printf 'proc /proc proc defaults 0 0\nPARTUUID=0a1b2c3d-01 /boot/firmware vfat defaults 0 2\nPARTUUID=0a1b2c3d-02 / ext4 defaults,noatime 0 1\n' \
    > "$root/etc/fstab"
mkdir -p "$root/boot/firmware"
# As Pi OS: no user can log in, and something waits for one to be made.
printf '[Service]\nType=oneshot\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n' \
    > "$root/etc/systemd/system/userconfig.service.stock"
mv "$root/etc/systemd/system/userconfig.service.stock" "$root/usr/lib/systemd/system/userconfig.service"
mkdir -p "$root/etc/systemd/system/multi-user.target.wants"
ln -sf /usr/lib/systemd/system/userconfig.service "$root/etc/systemd/system/multi-user.target.wants/"

# An emulated machine takes minutes for what a Pi does in seconds.
mkdir -p "$root/etc/systemd/system.conf.d"
printf '[Manager]\nDefaultTimeoutStartSec=900\nDefaultDeviceTimeoutSec=900\n' > "$root/etc/systemd/system.conf.d/slow.conf"

mformat -C -i "$parts/boot" -T $((BOOT_MIB * 2048)) -h 16 -s 63 -F ::
printf 'console=ttyAMA0,115200 console=tty1 root=PARTUUID=0a1b2c3d-02 rootfstype=ext4 fsck.repair=yes rootwait resize\n' |
    mcopy -i "$parts/boot" - ::cmdline.txt
printf 'dtparam=audio=on\n[all]\n' | mcopy -i "$parts/boot" - ::config.txt
mke2fs -q -t ext4 -L rootfs -d "$root" "$parts/root" "${ROOT_MIB}M"
truncate -s $((1 + BOOT_MIB + ROOT_MIB))M "$image"
# The table of partitions, as sfdisk would write it: FAT (0x0c), then Linux (0x83).
python3 - "$image" "$LABEL_ID" "$BOOT_MIB" "$ROOT_MIB" << 'P'
import struct, sys
image, label, boot, root = sys.argv[1], int(sys.argv[2], 16), int(sys.argv[3]), int(sys.argv[4])
entries = [(0x0C, 1, boot), (0x83, 1 + boot, root)]
table = b"".join(struct.pack("<B3sB3sII", 0, b"\xfe\xff\xff", kind, b"\xfe\xff\xff", start * 2048, size * 2048)
                 for kind, start, size in entries)
with open(image, "r+b") as file:
    file.seek(440)
    file.write(struct.pack("<IH", label, 0) + table + b"\0" * 32 + b"\x55\xaa")
P
dd if="$parts/boot" of="$image" bs=1M seek=1 conv=notrunc,sparse status=none
dd if="$parts/root" of="$image" bs=1M seek=$((1 + BOOT_MIB)) conv=notrunc,sparse status=none
