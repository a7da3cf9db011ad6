#!/bin/bash
# What Raspberry Pi Imager leaves on a card, one setting after the other and all at once, in each form that it has had:
# after the first start the machine is started twice. It is reachable as it was set, and the same machine both times.
# usage: card_imager.sh ROOT BUNDLE WORK [FORM-SETTING …]   (as root; default: all of them)
#   ROOT    a Debian with systemd, sshd and cloud-init; copied once, never changed
#   BUNDLE  the folder of packages that `make bundle` makes for this architecture
# Of Pi OS there are stand-ins: its first user, and what Imager's script calls (raspberrypi-sys-mods, userconf-pi,
# raspi-config), each doing the part that is asked for here. The root is a layer as in card_container.sh.
set -eu
root=${1:?root} bundle=${2:?bundle} work=${3:?work}
shift 3
top=$(cd "$(dirname "$0")/../.." && pwd)
ROUNDTAP=${ROUNDTAP:-$top/.venv/bin/roundtap}
machine=$work/machine
. "$(dirname "$0")/card_in_container.sh"
ok() { if eval "$2"; then echo "ok: $name: $1"; else echo "NOT: $name: $1"; failed=1; fi; }
mkdir -p "$work"

stand_ins() {
    as_raspberry_pi_os "$1"
    mkdir -p "$1/usr/lib/raspberrypi-sys-mods" "$1/usr/lib/userconf-pi"
    chroot "$1" useradd --create-home --uid 1000 --groups sudo --shell /bin/bash pi
    # cloud-init's keyboard restarts it.
    printf '[Service]\nType=oneshot\nExecStart=/bin/true\n' > "$1/usr/lib/systemd/system/console-setup.service"
    cat > "$1/usr/lib/raspberrypi-sys-mods/imager_custom" << 'P'
#!/bin/sh
did=$1; shift
case $did in
set_hostname) echo "$1" > /etc/hostname ;;
set_timezone) ln -sf "/usr/share/zoneinfo/$1" /etc/localtime ;;
set_keymap) printf 'XKBLAYOUT="%s"\n' "$1" > /etc/default/keyboard ;;
set_wlan)
    [ "$1" != -h ] || shift
    mkdir -p /etc/NetworkManager/system-connections
    printf '[connection]\nid=preconfigured\ntype=wifi\n[wifi]\nssid=%s\n[wifi-security]\npsk=%s\n' "$1" "$2" \
        > /etc/NetworkManager/system-connections/preconfigured.nmconnection ;;
enable_ssh)
    [ "${1:-}" != -k ] || { shift; echo "PasswordAuthentication no" >> /etc/ssh/sshd_config; }
    home=$(getent passwd 1000 | cut -d: -f6)
    for key in "$@"; do install -D -m 600 -o 1000 /dev/null "$home/.ssh/authorized_keys"; echo "$key" > "$home/.ssh/authorized_keys"; done
    chown 1000 "$home/.ssh" 2> /dev/null
    systemctl -q enable ssh ;;
esac
P
    cat > "$1/usr/lib/userconf-pi/userconf" << 'P'
#!/bin/sh
first=$(getent passwd 1000 | cut -d: -f1)
[ "$first" = "$1" ] || { usermod -l "$1" "$first" && usermod -m -d "/home/$1" "$1" && groupmod -n "$1" "$first"; }
[ -z "$2" ] || echo "$1:$2" | chpasswd -e
systemctl --quiet disable userconfig 2> /dev/null
systemctl --quiet enable getty@tty1
P
    chmod 755 "$1/usr/lib/raspberrypi-sys-mods/imager_custom" "$1/usr/lib/userconf-pi/userconf"
}

# The bundle is installed once: each first start then finds it there, which takes seconds.
if [ ! -d "$work/base" ]; then
    cp -a --one-file-system "$root" "$work/base.making"
    stand_ins "$work/base.making"
    mkdir "$work/base.making/bundle"
    cp "$bundle"/* "$work/base.making/bundle"
    printf '#!/bin/sh\nexit 101\n' > "$work/base.making/usr/sbin/policy-rc.d"
    chmod 755 "$work/base.making/usr/sbin/policy-rc.d"
    unshare --net chroot "$work/base.making" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
        sh /bundle/install.sh > "$work/install.log" 2>&1 || { tail -n 20 "$work/install.log"; exit 1; }
    rm -rf "$work/base.making/bundle" "$work/base.making/usr/sbin/policy-rc.d" "$work"/base.making/etc/ssh/ssh_host_*
    mv "$work/base.making" "$work/base"
fi
[ -e "$work/key" ] || ssh-keygen -q -t ed25519 -N "" -C tom@home -f "$work/key"
key=$(cat "$work/key.pub") hash=$(openssl passwd -6 -salt salt Meeple-2024)

# What each setting is in Imager's script for systemd (Imager 1, and Imager 2 for older systems), and for cloud-init.
custom="/usr/lib/raspberrypi-sys-mods/imager_custom"
systemd_form() {
    printf '#!/bin/bash\n\nset +e\n\n'
    case " $1 " in *" hostname "*) printf 'if [ -f %s ]; then\n   %s set_hostname game-night\nfi\n' $custom $custom ;; esac
    case " $1 " in *" user "*) printf "if [ -f /usr/lib/userconf-pi/userconf ]; then\n   /usr/lib/userconf-pi/userconf 'tom' '%s'\nfi\n" "$hash" ;; esac
    case " $1 " in *" ssh "*) printf "if [ -f %s ]; then\n   %s enable_ssh -k '%s'\nfi\n" $custom $custom "$key" ;; esac
    case " $1 " in *" wifi "*) printf "if [ -f %s ]; then\n   %s set_wlan -h 'Store' '0123456789abcdef' 'DE'\nfi\n" $custom $custom ;; esac
    case " $1 " in *" locale "*) printf "if [ -f %s ]; then\n   %s set_keymap 'es'\n   %s set_timezone 'Europe/Madrid'\nfi\n" $custom $custom $custom ;; esac
    printf "rm -f /boot/firstrun.sh\nsed -i 's| systemd.run.*||g' /boot/cmdline.txt\nexit 0\n"
}
cloud_form() {
    printf '#cloud-config\nmanage_resolv_conf: false\n\n'
    case " $1 " in *" hostname "*) printf 'hostname: game-night\nmanage_etc_hosts: true\npackages:\n- avahi-daemon\n\napt:\n  preserve_sources_list: true\n  conf: |\n    Acquire {\n      Check-Date "false";\n    };\n\n' ;; esac
    case " $1 " in *" locale "*) printf 'timezone: Europe/Madrid\nkeyboard:\n  model: pc105\n  layout: "es"\n' ;; esac
    case " $1 " in *" user "* | *" ssh "*)
        printf 'user:\n  name: tom\n  shell: /bin/bash\n'
        case " $1 " in *" user "*) printf '  lock_passwd: false\n  passwd: "%s"\n' "$hash" ;; *) printf '  lock_passwd: true\n' ;; esac
        case " $1 " in *" ssh "*) printf '  ssh_authorized_keys:\n    - "%s"\n' "$key" ;; esac
        printf '  sudo: null\n\n' ;;
    esac
    case " $1 " in *" ssh "*) printf 'ssh_pwauth: false\n' ;; esac
    case " $1 " in *" interfaces "*) printf 'rpi:\n  interfaces:\n    i2c: true\n    spi: true\n    serial: true\n' ;; esac
    case " $1 " in *" ssh "*) printf '\nruncmd:\n  - [ systemctl, enable, --now, ssh ]\n' ;; esac
}

identity() { run_in sh -c 'cat /etc/ssh/ssh_host_*.pub /etc/machine-id; hostname; readlink /etc/localtime'; }
has() { case " $settings " in *" $1 "*) ;; *) return 1 ;; esac; }

play() {  # play FORM SETTINGS
    form=$1 settings=$2 name=$1-$(echo "$2" | tr ' ' +)
    boot=$work/$name/boot data=$work/$name/data
    rm -rf "${work:?}/$name" "${machine:?}"
    # No layer: beneath one the first start refuses to begin.
    cp -a --one-file-system "$work/base" "$machine"
    stock_boot_files
    printf 'role = hub\r\nlanguage = en\r\n' > "$work/roundtap.txt"
    imager() {
        case $form in
        systemd*)
            systemd_form "$settings" > "$boot/firstrun.sh"
            sed -i 's|$| systemd.run=/boot/firstrun.sh systemd.run_success_action=reboot systemd.unit=kernel-command-line.target|' \
                "$boot/cmdline.txt" ;;
        cloud)
            cloud_form "$settings" > "$boot/user-data"
            printf 'instance-id: rpi-imager-1\n' > "$boot/meta-data"
            sed -i 's|$| ds=nocloud;i=rpi-imager-1|' "$boot/cmdline.txt"
            ! has wifi || printf 'network:\n  version: 2\n  ethernets:\n    eth0:\n      dhcp4: true\n      optional: true\n  wifis:\n    wlan0:\n      dhcp4: true\n      regulatory-domain: "DE"\n      access-points:\n        "Store":\n          hidden: true\n          password: "0123456789abcdef"\n      optional: true\n' > "$boot/network-config" ;;
        guide)
            ! has user || printf 'tom:%s\r\n' "$hash" > "$boot/userconf.txt"
            ! has ssh || touch "$boot/ssh" ;;
        esac
    }
    # Imager 1 writes into the image that is the kit's already; with `roundtap card` it was there before.
    [ "$form" = systemd ] || imager
    "$ROUNDTAP" card "$boot" --bundle "$bundle" --settings "$work/roundtap.txt" \
        --architecture "$(dpkg --print-architecture)" > "$work/$name-card.log"
    [ "$form" != systemd ] || imager
    start "$work/$name-first.log" -b $(words)
    wait "$nspawn" || true
    ok "the card is armed no more" '! grep -q "systemd\." "$boot/cmdline.txt"'
    ok "the next start is read-only" 'grep -q overlayroot=tmpfs:recurse=0 "$boot/cmdline.txt"'
    ok "what was set is named" 'grep -q "Imager: ..*" "$boot/roundtap-says.txt"'
    sed -n 's/^.*Imager: /    /p' "$boot/roundtap-says.txt"
    before=
    for time in second third; do
        start "$work/$name-$time.log" --volatile=overlay -b $(words)
        ok "$time start: up" 'wait_for 120 run_in sh -c "systemctl is-system-running | grep -qE \"running|degraded\""'
        leader=$(inside)
        [ -z "$before" ] || ok "the same machine: host keys, number, name, zone" '[ "$(identity)" = "$before" ]'
        before=$(identity || true)
        ok "$time start: it has host keys" '[ "$(echo "$before" | grep -c "^ssh-\|^ecdsa")" -ge 2 ]'
        if has hostname; then ok "$time start: its name" '[ "$(run_in hostname)" = game-night ]'; fi
        if has user; then ok "$time start: tom's password counts, pi has none" \
            'run_in grep -q "^tom:$hash:" /etc/shadow && ! run_in grep -q "^pi:.6" /etc/shadow'; fi
        if has ssh; then ok "$time start: ssh runs" 'wait_for 20 run_in systemctl is-active ssh'; fi
        if has ssh && [ "$form" != guide ]; then ok "$time start: the key is let in" 'run_in sh -c "cat /home/*/.ssh/authorized_keys" | grep -qF "$key"'; fi
        if has wifi; then ok "$time start: its Wi-Fi" \
            'run_in grep -rqs Store /etc/NetworkManager/system-connections /etc/netplan /run/NetworkManager /etc/network'; fi
        if has locale; then ok "$time start: its zone" 'run_in readlink /etc/localtime | grep -q Madrid'; fi
        ok "$time start: nothing failed" '[ -z "$(run_in systemctl list-units --failed --plain --no-legend | tee "$work/$name-failed")" ]'
        sleep "${STAY_S:-15}"
        ok "$time start: it stays up" '[ "$(inside)" = "$leader" ] && run_in true'
        power_off
    done
    rm -rf "${machine:?}" "${work:?}/$name/boot" "${work:?}/$name/data"
}

[ $# -gt 0 ] || set -- cloud-user cloud-ssh cloud-hostname cloud-wifi cloud-locale cloud-interfaces \
    "cloud-hostname user ssh wifi locale interfaces" systemd-user systemd-ssh systemd-hostname systemd-wifi systemd-locale \
    "systemd-hostname user ssh wifi locale" "systemd_before-hostname user ssh wifi locale" guide-user guide-ssh "guide-user ssh"
for each in "$@"; do play "${each%%-*}" "${each#*-}"; done
exit "$failed"
