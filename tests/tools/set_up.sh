#!/bin/sh
# Makes .venv with all that `make demo` and `make test` want, and says meanwhile, in plain lines, what comes and how far it
# is. usage: set_up.sh PYTHON   (in the clone; make starts it when something is to do)
set -eu

python=$1
packages=$(grep -c '^[A-Za-z0-9].*==' requirements.lock)

# While pip unpacks it says nothing.
count_unpacked() {
    while sleep 5 > /dev/null 2>&1 3>&-; do
        echo "  $(find .venv/lib/*/site-packages -maxdepth 1 -name '*.dist-info' ! -name 'pip-*' ! -name 'setuptools-*' | wc -l) of $packages"
    done
}

# Of what pip says, what tells how far it is.
show() {
    fetched=0 counter=
    while IFS= read -r line; do
        case $line in
            "Collecting "* | "Processing "*.whl*) # what it fetches, or finds in a folder of this machine
                fetched=$((fetched + 1))
                case $line in
                    Collecting*) line=${line#Collecting } name=${line%%==*} ;;
                    *) line=${line%%.whl*} line=${line##*/} name=${line%%-*} ;;
                esac
                echo "  $fetched of $packages: $name"
                ;;
            "Installing collected packages"*)
                echo "3 of 4: unpacking them, half a minute on a slow machine"
                count_unpacked &
                counter=$!
                ;;
        esac
    done
    [ -z "$counter" ] || kill "$counter"
}

echo "Setting up in .venv, this once: a minute or two, more on a slow machine or line."
# A copied or half-made .venv is made anew.
rm -rf .venv
echo "1 of 4: a Python environment, some seconds"
"$python" -m venv .venv
# Python compiles what it imports when it does: compiling all of it is a third of the whole installation. What is ours is
# compiled while pip installs the rest.
"$python" -m compileall -qq server devices firmware &
echo "2 of 4: fetching $packages packages"
exec 3>&1
# pip's exit code goes past the pipe.
code=$({
    {
        .venv/bin/pip install --disable-pip-version-check --progress-bar off --no-compile --no-deps --require-hashes \
            --requirement requirements.lock 3>&- 4>&- || echo $? >&4
    } | show >&3 4>&-
} 4>&1)
wait
[ -z "$code" ] || {
    echo "The set-up ended early; above is why. Run it again once that is mended." >&2
    exit "$code"
}
echo "4 of 4: Roundtap itself, some seconds"
.venv/bin/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
touch .venv/.ready
echo "Set up."
