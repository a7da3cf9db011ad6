#!/usr/bin/env bash
# Does what the README says on machines that have nothing else: `make demo` and `make test` in a clone of HEAD, or the two
# lines that install a wheel and start its demo, in bare Debian roots. It needs root, debootstrap and unshare; Debian's
# mirror and pip's settings are this machine's own.
# usage: stock_machine.sh [--only demo|test] [--with bare|full] [--port N] [--store FOLDER] [bookworm|trixie …]
#        stock_machine.sh --wheel FILE [--port N] [--store FOLDER] [bookworm|trixie …]
#   bare: python3, python3-venv, make and git, as an ordinary user; full: .ci/run and what it installs, as root
#   --wheel: with pipx of that Debian, and with pip in a virtual environment, as an ordinary user
#   --port: the demo's, to be free here (8080); --store: where roots and logs stay; without a suite: all
# ARGS in the environment goes on to pytest: ARGS="tests/core -n 2" stock_machine.sh --only test trixie
# shellcheck disable=SC2317  # `inside` and the try_… are run by other shells, make_bare and make_full by their kind
set -euo pipefail

here=$(cd "$(dirname "$0")/../.." && pwd)
store=${TMPDIR:-/var/tmp}/roundtap-stock-machines
parts="demo test" kinds="bare full" suites="" port=8080 wheel=""
UP_WITHIN_S=1800  # pip fetches everything before, over whatever line there is

fail() { echo "stock_machine: $*" >&2; exit 2; }
usage() { sed -n '3,/^# shellcheck/{/^# shellcheck/!p}' "$0" >&2; exit 2; }

while [ $# -gt 0 ]; do
    case $1 in
        --only | --with | --port | --store | --wheel) [ $# -gt 1 ] || usage ;;&
        --only) parts=$2; shift ;;
        --with) kinds=$2; shift ;;
        --port) port=$2; shift ;;
        --store) store=$2; shift ;;
        --wheel) wheel=$(realpath "$2") parts="pipx venv" kinds=bare; shift ;;
        bookworm | trixie) suites="$suites $1" ;;
        *) usage ;;
    esac
    shift
done
case $parts in "demo test" | "pipx venv" | demo | test) ;; *) usage ;; esac
case $kinds in "bare full" | bare | full) ;; *) usage ;; esac
[ -z "$wheel" ] || [ -f "$wheel" ] || fail "there is no $wheel"
[ "$(id -u)" = 0 ] || fail "only root can make and enter a Debian root"
for program in debootstrap unshare setpriv git; do
    command -v "$program" > /dev/null || fail "$program is missing (apt)"
done

# What this machine's pip is told by its files and the environment, and the folders and certificates that these name.
pip_settings() {
    { "$here/.venv/bin/pip" config list 2> /dev/null || python3 -m pip config list 2> /dev/null || true; } |
        sed -n "s/^\(global\|install\)\.\([a-z-]*\)='\(.*\)'\$/\2=\3/p" |
        while IFS='=' read -r name value; do name=${name//-/_}; echo "PIP_${name^^}=$value"; done
    env | grep -E '^(PIP_[A-Z_]*|SSL_CERT_FILE|[a-zA-Z]*_(proxy|PROXY))=' || true
}
mapfile -t settings < <(pip_settings)
mapfile -t lent < <(
    for word in $(printf '%s\n' "${settings[@]#*=}") /etc/ssl/certs/ca-certificates.crt; do
        # An index refers to files beside its folder.
        [[ "$word" != file:///*/* ]] || word=$(dirname "${word#file://}")
        [[ "$word" != /* || ! -e "$word" ]] || echo "$word"
    done | sort -u
)

# The first process of namespaces of its own. root, user, how many paths are lent, these, VARIABLE=… and the command.
inside() {
    set -eu
    local root=$1 user=$2 paths=$3 home=/root
    shift 3
    mount -t proc proc "$root/proc"
    mount --rbind /sys "$root/sys"
    mount -t devpts -o newinstance,ptmxmode=0666,mode=0620,gid=5 devpts "$root/dev/pts"
    mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
    for ((; paths > 0; paths--)); do
        mkdir -p "$root$(dirname "$1")"
        if [ -d "$1" ]; then mkdir -p "$root$1"; else touch "$root$1"; fi
        mount -o bind,ro "$1" "$root$1"
        shift
    done
    [ "$user" = root ] || home=/home/$user
    chroot --userspec="$user" "$root" env -i HOME="$home" USER="$user" LOGNAME="$user" SHELL=/bin/bash TERM=dumb \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
}

# enter ROOT USER [VARIABLE=…] COMMAND…: nothing of it stays mounted or running.
enter() {
    local root=$1 user=$2
    shift 2
    cp --dereference --remove-destination /etc/resolv.conf "$root/etc/resolv.conf"
    setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child bash -c "$(declare -f inside); inside \"\$@\"" \
        inside "$root" "$user" "${#lent[@]}" "${lent[@]}" "${settings[@]}" "$@"
}

# put_clone ROOT USER: the repository as it is committed, in that user's home.
put_clone() {
    local home=/root
    [ "$2" = root ] || home=/home/$2
    git clone --quiet --no-hardlinks "$here" "$1$home/roundtap"
    chroot "$1" chown -R "$2:$2" "$home/roundtap"
}

make_bare() {
    local mirror
    mirror=$({ cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2> /dev/null || true; } |
        sed -n 's/^URIs: *//p; s/^deb \(\[[^]]*\] \)\?\([^ ]*\).*/\2/p' | grep '/debian/\?$' | head -1) ||
        fail "apt's sources name no mirror of Debian"
    setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child --mount-proc debootstrap --variant=minbase \
        --include=python3,python3-venv,make,git,ca-certificates "$suite" "$making" "$mirror"
    apt-config dump Acquire | sed -n '/^Acquire::\(https\?\|Check-\|Retries\)/p' \
        > "$making/etc/apt/apt.conf.d/00machine"
    # Debian's installer writes this file, debootstrap does not.
    printf '%s\n' "127.0.0.1 localhost" "127.0.1.1 $(cat "$making/etc/hostname")" \
        "::1 localhost ip6-localhost ip6-loopback" > "$making/etc/hosts"
    chroot "$making" useradd --create-home --shell /bin/bash visitor
}

# What .ci/run installs, while its `make` only says what it would do.
make_full() {
    cp -a "$store/$suite-bare/." "$making"
    put_clone "$making" root
    enter "$making" root MAKEFLAGS=n DEBIAN_FRONTEND=noninteractive /root/roundtap/.ci/run
    chroot "$making" apt-get clean
    rm -r "$making/root/roundtap"
}

# make_once bare|full: the root of $suite, where there is none from an earlier run.
make_once() {
    [ ! -d "$store/$suite-$1" ] || return 0
    echo "$suite $1: making the root: $logs/$suite-$1-root.log"
    making=$(mktemp -d "$store/making.XXXXXX")
    chmod 755 "$making"
    "make_$1" > "$logs/$suite-$1-root.log" 2>&1
    mv "$making" "$store/$suite-$1"
}

# In the root. The demo as at a terminal: one group of processes, to all of which Ctrl-C goes.
# try_demo PORT WITHIN_S COMMAND…
try_demo() {
    set -m
    local port=$1 within_s=$2 said=$HOME/said exe made stopped
    shift 2
    "$@" --port "$port" > "$said" 2>&1 &
    made=$!
    # The hub's page for players, its wall, the bench; then the address that the demo says, which logs in, and the guide.
    until python3 -c 'import re, sys, urllib.request
port, said = int(sys.argv[1]), open(sys.argv[2]).read()
ask = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor()).open
entrance = re.search(r"Open this page +(\S+)", said)[1]
for url in (f"{port}/", f"{port}/wall", f"{port + 1}/bench", entrance, f"{port}/console"):
    page = ask(url if url == entrance else f"http://127.0.0.1:{url}", timeout=20).read()
    assert b"<title>" in page, url
assert b"name=\"pin\"" not in page, "not logged in"
pictures = ask(f"http://127.0.0.1:{port + 1}/pictures", timeout=20)
assert any(b"\"steps\"" in pictures.readline() for _ in range(40)), "no guide"' "$port" "$said" 2> "$HOME/why"; do
        if ! kill -0 "$made" 2> /dev/null || [ "$SECONDS" -ge "$within_s" ]; then
            cat "$said" "$HOME/why"
            echo "@ it did not answer, or ended before: $SECONDS s"
            kill -KILL -- "-$made" 2> /dev/null
            return 1
        fi
        sleep 1
    done
    stopped=$SECONDS
    kill -INT -- "-$made"
    wait "$made" || true
    cat "$said"
    echo "@ up after $stopped s, stopped within $((SECONDS - stopped + 1)) s"
    for exe in /proc/[0-9]*/exe; do
        [[ "$(readlink "$exe")" != *python* ]] || {
            echo "@ left running: $(tr '\0' ' ' < "${exe%exe}cmdline")"
            return 1
        }
    done
}

make_demo() { make demo ARGS="$*"; }

# In the root, as its user: the wheel in $HOME is installed, by pipx or by pip, and its demo tried.
try_wheel() {
    local how=$1 port=$2 within_s=$3 wheel command
    wheel=$(echo "$HOME"/*.whl)
    if [ "$how" = pipx ]; then
        pipx install "$wheel[hub,unit,station]" || return
        command=$HOME/.local/bin/roundtap
    else
        python3 -m venv "$HOME/venv"
        "$HOME/venv/bin/pip" install --quiet "$wheel[hub,unit,station]" || return
        command=$HOME/venv/bin/roundtap
    fi
    "$command" --version
    try_demo "$port" "$within_s" "$command" demo
}

# $part in $root: its result on a line; 1 where it failed.
try_part() {
    local log=$logs/$suite-$kind-$part.log user=visitor home=/home/visitor command="make test" went=0 how=good said
    [ "$kind" = bare ] || { user=root home=/root command=.ci/run; }
    SECONDS=0
    if [ "$part" != test ]; then
        command="cd $home/roundtap && try_demo $port $UP_WITHIN_S make_demo"
        [ "$part" = demo ] || command="cd && try_wheel $part $port $UP_WITHIN_S"
        enter "$root" "$user" bash -c "$(declare -f try_demo try_wheel make_demo); $command" \
            > "$log" 2>&1 < /dev/null || went=1
        said=$(sed -n 's/^@ //p' "$log" | tail -1)
        grep -q '^Everything is stopped and cleaned up' "$log" || { went=1; said="$said, no orderly end"; }
    else
        enter "$root" "$user" ARGS="${ARGS:-}" bash -c "cd $home/roundtap && $command" \
            > "$log" 2>&1 < /dev/null || went=1
        said="$SECONDS s with set-up:$(grep -E '(passed|failed|error).* in [0-9]' "$log" | tail -1 | tr -d =)"
    fi
    [ "$went" = 0 ] || how="FAILED ($log)"
    echo "$suite $kind $part: $how: $said"
    return "$went"
}

making="" root="" failed=0
clean_up() {
    [ -z "$making" ] || [ ! -d "$making" ] || echo "stock_machine: the root was not made" >&2
    rm -rf --one-file-system "$making" "$root"
}
trap clean_up EXIT
mkdir -p "$store/logs"
logs=$(mktemp -d "$store/logs/$(date +%Y-%m-%d_%H-%M).XXXX")
echo "$(git -C "$here" log -1 --format='%h %s'); logs: $logs"
for suite in ${suites:-bookworm trixie}; do
    for kind in $kinds; do
        make_once bare
        make_once "$kind"
        root=$(mktemp -d "$store/run.XXXXXX")
        chmod 755 "$root"
        cp -a "$store/$suite-$kind/." "$root"
        if [ -n "$wheel" ]; then
            enter "$root" root DEBIAN_FRONTEND=noninteractive bash -c "apt-get -q update && apt-get -qy install pipx" \
                > "$logs/$suite-pipx-root.log" 2>&1 || fail "no pipx: $logs/$suite-pipx-root.log"
            cp "$wheel" "$root/home/visitor"
        elif [ "$kind" = bare ]; then put_clone "$root" visitor; else put_clone "$root" root; fi
        for part in $parts; do try_part || failed=1; done
        rm -rf --one-file-system "$root"
    done
done
exit "$failed"
