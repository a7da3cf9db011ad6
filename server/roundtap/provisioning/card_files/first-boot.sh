#!/bin/sh
# Runs once as root, from the boot partition, before anything else (systemd.run= in cmdline.txt): grows the card's system,
# makes the data partition, installs the bundle without a network, and lets the machine take its role. Then it restarts.
# Every step may be cut short by the plug: the next start does it again. What it says is in first-boot.log beside it.
set -u
here=$(dirname "$(readlink -f "$0")")
boot=$(dirname "$here")
log=$here/first-boot.log
DATA=roundtap-data
TRIES_MAX=3
SYSTEM_MIB=6144 SYSTEM_ROOM_MIB=1536 DATA_LEAST_MIB=256

say() {
    echo "roundtap: $*" | tee -a "$log"
    echo "roundtap: $*" > /dev/tty1 2> /dev/null
}

# Our own words, and those of Imager 1 for its script, which we have run: what somebody else wrote into cmdline.txt stays.
disarm() {
    sed -e 's| systemd\.run=[^ ]*/roundtap/first-boot\.sh||' -e 's| systemd\.run=[^ ]*/firstrun\.sh||' \
        -e 's| systemd\.run_success_action=reboot||g' -e 's| systemd\.run_failure_action=reboot||' \
        -e 's| systemd\.unit=kernel-command-line\.target||g' \
        "$boot/cmdline.txt" > "$boot/cmdline.new" && sync && mv "$boot/cmdline.new" "$boot/cmdline.txt" && sync
}

give_up() {
    disarm
    {
        printf '\357\273\277'
        printf '%s\r\n' "Roundtap could not be installed on this card; roundtap/first-boot.log says why. Make the bundle for this image (make bundle BASE=...), then write the card anew." \
            "Roundtap ließ sich auf dieser Karte nicht installieren; roundtap/first-boot.log sagt, warum. Bitte das Bündel für dieses Abbild erstellen (make bundle BASE=...) und die Karte neu schreiben." \
            "Roundtap no se pudo instalar en esta tarjeta; roundtap/first-boot.log dice por qué. Crea el paquete sin conexión para esta imagen (make bundle BASE=...) y vuelve a escribir la tarjeta." \
            "Nie udało się zainstalować Roundtap na tej karcie; roundtap/first-boot.log mówi dlaczego. Proszę utworzyć zestaw dla tego obrazu (make bundle BASE=...) i zapisać kartę od nowa." \
            "" ; tail -n 12 "$log"
    } > "$boot/roundtap-says.txt"
    cat "$boot/roundtap-says.txt" > /dev/tty1 2> /dev/null
    sync
    exit 0
}

fail() {
    say "failed (try $tries of $TRIES_MAX): $*"
    [ "$tries" -ge "$TRIES_MAX" ] && give_up
    sync
    exit 1
}

# The system gets $SYSTEM_MIB (or what it needs and some room), the data all the rest. A card that was grown before by
# something else has no room: then it stays one partition, and `roundtap role` says so.
partitions() {
    root=$(findmnt -n -o SOURCE /)
    name=$(basename "$(readlink -f "$root")")
    block=/sys/class/block/$name
    [ -r "$block/partition" ] || { say "the root ($root) is no partition: left as it is"; return 0; }
    disk=$(basename "$(dirname "$(readlink -f "$block")")")
    number=$(cat "$block/partition")
    separator=; case $disk in *[0-9]) separator=p ;; esac
    data=/dev/$disk$separator$((number + 1))
    # On this card: a stick may bear the same name.
    [ "$(blkid --match-tag LABEL --output value "$data" 2> /dev/null)" = "$DATA" ] && return 0
    if [ ! -e "/sys/class/block/$(basename "$data")" ]; then
        total=$(($(cat "/sys/class/block/$disk/size") / 2048))
        start=$(($(cat "$block/start") / 2048))
        end=$((start + $(cat "$block/size") / 2048))
        least=$((end + SYSTEM_ROOM_MIB))
        wanted=$((least > SYSTEM_MIB ? least : SYSTEM_MIB))
        [ $((total - DATA_LEAST_MIB - 1)) -lt "$wanted" ] && wanted=$((total - DATA_LEAST_MIB - 1))
        if [ "$wanted" -lt "$end" ]; then
            say "no room for a data partition beside the system ($end of $total MiB are taken)"
            return 0
        fi
        say "system: up to $wanted MiB of $total, data: the rest"
        echo ", $(((wanted - start) * 2048))" | sfdisk --quiet --no-reread --no-tell-kernel -N "$number" "/dev/$disk" \
            >> "$log" 2>&1 || { say "sfdisk could not grow the system"; return 1; }
        echo "$((wanted * 2048)), $(((total - wanted) * 2048 - 2048)), L" |
            sfdisk --quiet --no-reread --no-tell-kernel --append "/dev/$disk" >> "$log" 2>&1 ||
            { say "sfdisk could not add the data partition"; return 1; }
        sync
        partx --update "/dev/$disk" >> "$log" 2>&1 || { say "the kernel takes the new partitions after a restart"; return 1; }
        udevadm settle
    fi
    # Also after a plug pulled in between: growing what is grown already changes nothing.
    resize2fs "$root" >> "$log" 2>&1 || { say "resize2fs failed"; return 1; }
    [ -b "$data" ] || { say "$data did not appear"; return 1; }
    # (blkid alone finds something on an empty partition, too: its number in the table.)
    [ -n "$(blkid --match-tag TYPE --output value "$data")" ] || mke2fs -q -F -t ext4 -m 1 -L "$DATA" "$data" >> "$log" 2>&1 ||
        { say "mke2fs failed on $data"; return 1; }
    udevadm settle
}

bundle() {
    set -- "$here"/bundle/*.deb
    [ -e "$1" ] || { say "no packages in $here/bundle"; return 1; }
    say "installing $# packages"
    # Nothing is started now: this start knows neither network nor role.
    printf '#!/bin/sh\nexit 101\n' > /usr/sbin/policy-rc.d
    chmod 755 /usr/sbin/policy-rc.d
    export DEBIAN_FRONTEND=noninteractive
    dpkg --configure -a >> "$log" 2>&1
    # The bundle's own: apt takes from it what this system lacks.
    sh "$here/bundle/install.sh" >> "$log" 2>&1
    done=$?
    rm -f /usr/sbin/policy-rc.d
    [ "$done" = 0 ] || say "the installation ended with $done"
    left=$(cat /var/lib/roundtap-bundle/left-out 2> /dev/null)
    [ -z "$left" ] || say "left out, as it does not fit this system: $left"
    # What a wall or a printer wants beyond it may be missing: rather a hub without a wall than no hub.
    # Nor is an older one that was there before.
    set -- "$here"/bundle/roundtap_*.deb
    is=$(dpkg-query --show --showformat '${db:Status-Status} ${Version}' roundtap 2> /dev/null)
    [ "${is% *}" = installed ] && dpkg --compare-versions "${is#* }" ge "$(dpkg-deb --field "$1" Version)"
}

# After a first start it is read-only; this one may bring the next version.
mount -o remount,rw "$boot" 2> /dev/null
tries=$(($(cat "$here/tries" 2> /dev/null || echo 0) + 1))
echo "$tries" > "$here/tries"
say "start $tries, $(date -u '+%Y-%m-%d %H:%M')"
[ "$(findmnt -n -o FSTYPE /)" = overlay ] && fail "the root is read-only"
# Before the first package that wants room; a restart later at worst.
partitions || fail "partitions"
bundle || fail "the packages could not be installed"
# Whoever this machine is, it stays: on a read-only root a start without these would make new ones each time.
systemd-machine-id-setup --commit >> "$log" 2>&1 || systemd-machine-id-setup >> "$log" 2>&1
/opt/roundtap/bin/roundtap role --first-boot >> "$log" 2>&1 || fail "roundtap role --first-boot"
ssh-keygen -A > /dev/null 2>&1
disarm
rm -f "$here/tries"
say "done; the machine starts again as what roundtap.txt says"
sync
