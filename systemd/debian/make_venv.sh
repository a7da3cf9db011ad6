#!/bin/sh
# Lays out the virtual environment of the package: wheels by their hashes, for any machine, without running it.
# usage: make_venv.sh VENV SITE_PACKAGES CPU (x86_64, aarch64)
set -eu
venv=$1 site=$2 cpu=$3
python=$(python3 -c 'import sys; print("3.%d" % sys.version_info[1])')
glibc=$(getconf GNU_LIBC_VERSION | cut -d. -f2)

platforms=""
for minor in $(seq 5 "$glibc"); do platforms="$platforms --platform manylinux_2_${minor}_$cpu"; done
for old in manylinux1 manylinux2010 manylinux2014 linux; do platforms="$platforms --platform ${old}_$cpu"; done

mkdir -p "$venv/bin" "$site"
# shellcheck disable=SC2086
python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore --no-compile --no-deps \
    --require-hashes --only-binary :all: --target "$site" $platforms --implementation cp --python-version "$python" \
    --abi "cp$(echo "$python" | tr -d .)" --abi abi3 --abi none --requirement debian/requirements-run.lock
# What builds our own wheel, by its hash, too: Debian 12's is older than pyproject.toml wants.
awk '/^[a-z]/ { is_wanted = /^(packaging|setuptools|setuptools-scm|vcs-versioning)==/ } is_wanted' requirements.lock \
    > debian/build-tools.lock
python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore --no-compile --no-deps \
    --require-hashes --only-binary :all: --target debian/build-tools --requirement debian/build-tools.lock
PYTHONPATH=debian/build-tools python3 -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation \
    --wheel-dir debian/wheel .
python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore --no-compile --no-deps --no-index \
    --target "$site" debian/wheel/roundtap-*.whl
# Commands of others, which nobody of ours calls, and which name the Python that built them.
rm -rf "$site/bin"

ln -s "/usr/bin/python$python" "$venv/bin/python3"
ln -s python3 "$venv/bin/python"
printf 'home = /usr/bin\ninclude-system-site-packages = true\nversion = %s\nexecutable = /usr/bin/python%s\n' \
    "$python" "$python" > "$venv/pyvenv.cfg"
cat > "$venv/bin/roundtap" <<'ROUNDTAP'
#!/opt/roundtap/bin/python3
import sys
from roundtap.main import main
sys.exit(main())
ROUNDTAP
chmod 755 "$venv/bin/roundtap"

# Nobody may write here later, and the times of files change on their way: what is compiled holds as it is.
python3 -m compileall -q -s "$venv" -p /opt/roundtap --invalidation-mode unchecked-hash "$site"
